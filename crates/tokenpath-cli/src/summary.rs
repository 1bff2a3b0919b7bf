//! `tokenpath summary`: the JSON summary of a trace.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use regex::Regex;
use tokenpath_import::ReadAt as _;
use tokenpath_nsys::{KernelName, Options, TraceError, judge, open, summary};

use crate::Done;
use crate::args::{NameOf, Summary};
use crate::files::{Source, name};
use crate::output::{Failure, note, print};

/// What is looked at before SQLite is.
const HEAD: u64 = 4096;

/// Prints the summary.
pub(crate) fn run(wanted: &Summary) -> Done {
    let path = &wanted.trace;
    if let (Some(from), Some(to)) = (wanted.from, wanted.to)
        && from >= to
    {
        return Err(Failure::new(format!("--from {from} is not before --to {to}"))
            .advise("Both are nanoseconds on the trace clock, as `dispatch_timeline` has them."));
    }
    let unread_wal = beside(path);
    judged(path)?;
    let trace = open(path).map_err(|error| refused(path, &error))?;
    let summary = summary(
        &trace,
        &Options {
            file: name(path),
            nvtx: &|range| wanted.nvtx.as_ref().is_none_or(|pattern| pattern.is_match(range)),
            dispatch_prefix: wanted.dispatch_prefix.clone(),
            top: wanted.top,
            device: wanted.device,
            from: wanted.from,
            to: wanted.to,
            name: match wanted.name {
                NameOf::Short => KernelName::Short,
                NameOf::Demangled => KernelName::Demangled,
                NameOf::Mangled => KernelName::Mangled,
            },
            unread_wal,
        },
    );
    let devices: Vec<i64> = summary.tokenpath.devices.iter().map(|device| device.device).collect();
    if let Some(device) = wanted.device.filter(|device| !devices.contains(device)) {
        let list: Vec<String> = devices.iter().map(i64::to_string).collect();
        return Err(Failure::new(format!("{} holds no activity of device {device}", path.display())).advise(
            if list.is_empty() { "It holds none at all.".to_owned() } else { format!("It has {}.", list.join(", ")) },
        ));
    }
    if let Some(bytes) = unread_wal {
        note(format!(
            "A write-ahead log of {bytes} bytes beside {} is not read; what it holds is missing.",
            path.display()
        ));
    }
    if summary.tokenpath.coverage.cut_off {
        note(format!("{} is cut off: it is shorter than it states.", path.display()));
    }
    for incomplete in &summary.tokenpath.coverage.incomplete {
        note(format!("{} was read for {} rows only: {}.", incomplete.table, incomplete.rows, incomplete.what));
    }
    let text = if wanted.pretty { serde_json::to_string_pretty(&summary) } else { serde_json::to_string(&summary) };
    print(&format!("{}\n", text.map_err(|error| Failure::new(format!("the summary has no JSON form: {error}")))?))?;
    Ok(ExitCode::SUCCESS)
}

/// Tells what is no SQLite database before SQLite does, in its own words.
fn judged(path: &Path) -> Result<(), Failure> {
    let source = Source::open(path)?;
    let mut head = vec![0; usize::try_from(source.len().min(HEAD)).unwrap_or(0)];
    source.read_at(0, &mut head).map_err(|failed| Failure::new(format!("{}: {failed}", path.display())))?;
    judge(&head, source.len()).map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &TraceError) -> Failure {
    let failure = Failure::new(format!("{}: {error}", path.display()));
    match error {
        TraceError::HeaderOnly { .. } | TraceError::Damaged(_) => {
            failure.advise("Compare its length with where it came from, and copy it again.")
        }
        TraceError::OtherTables(_) | TraceError::NoTables => {
            failure.advise("Export the report with `nsys export --type sqlite`.")
        }
        _ => failure,
    }
}

/// The bytes of a write-ahead log beside the file: SQLite would read it, and the file is only read as it is.
fn beside(path: &Path) -> Option<u64> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(PathBuf::from(log)).ok().map(|log| log.len()).filter(|bytes| *bytes > 0)
}

/// A pattern for names of ranges.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

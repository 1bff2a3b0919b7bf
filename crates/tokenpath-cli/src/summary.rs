//! `tokenpath summary`: the JSON summary of a trace.

use std::process::ExitCode;

use regex::Regex;
use tokenpath_nsys::{KernelName, Options, summary};

use crate::args::{NameOf, Summary};
use crate::files::name;
use crate::output::{Failure, note, print};
use crate::{Done, trace};

/// Prints the summary.
pub(crate) fn run(wanted: &Summary) -> Done {
    let path = &wanted.trace;
    if let (Some(from), Some(to)) = (wanted.from, wanted.to)
        && from >= to
    {
        return Err(Failure::new(format!("--from {from} is not before --to {to}"))
            .advise("Both are nanoseconds on the trace clock, as `dispatch_timeline` has them."));
    }
    let unread_wal = trace::unread_wal(path);
    let trace = trace::open(path)?;
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

/// A pattern for names of ranges.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| error.to_string())
}

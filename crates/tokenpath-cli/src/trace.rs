//! Traces of profilers in SQLite, opened for the commands.

use std::path::{Path, PathBuf};

use tokenpath_core::Run;
use tokenpath_import::ReadAt as _;
use tokenpath_nsys::import::import;
use tokenpath_nsys::{Trace, TraceError, judge};

use crate::files::Source;
use crate::output::{Failure, note};

/// What is looked at before SQLite is.
const HEAD: u64 = 4096;

/// Opens a trace.
pub(crate) fn open(path: &Path) -> Result<Trace, Failure> {
    judged(path)?;
    tokenpath_nsys::open(path).map_err(|error| refused(path, &error))
}

/// Opens a trace as the run of one device.
pub(crate) fn run(path: &Path, name: &str, device: Option<i64>) -> Result<Run, Failure> {
    let trace = open(path)?;
    let imported = import(&trace, name, device).map_err(|error| refused(path, &error))?;
    warn(path, &trace);
    if let (Some(device), 2..) = (imported.device, imported.devices.len()) {
        let list: Vec<String> = imported.devices.iter().map(i64::to_string).collect();
        note(format!("{} has devices {}; the run is of device {device}.", path.display(), list.join(", ")));
    }
    Ok(imported.run)
}

/// Says what of a trace is not read.
pub(crate) fn warn(path: &Path, trace: &Trace) {
    if let Some(bytes) = unread_wal(path) {
        note(format!(
            "A write-ahead log of {bytes} bytes beside {} is not read; what it holds is missing.",
            path.display()
        ));
    }
    if trace.cut_off {
        note(format!("{} is cut off: it is shorter than it states.", path.display()));
    }
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
    match error.advice() {
        Some(advice) => failure.advise(advice),
        None => failure,
    }
}

/// The bytes of a write-ahead log beside the file: SQLite would read it, and the file is only read as it is.
pub(crate) fn unread_wal(path: &Path) -> Option<u64> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(PathBuf::from(log)).ok().map(|log| log.len()).filter(|bytes| *bytes > 0)
}

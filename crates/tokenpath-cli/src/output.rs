//! Stdout, stderr, files: where results go, and how failures are told.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tempfile::NamedTempFile;

/// Why a command did not finish: what, where, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    advice: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    /// A failure in words.
    pub(crate) fn new(what: impl fmt::Display) -> Failure {
        Failure { what: what.to_string(), advice: None, broken_pipe: false }
    }

    /// The same with what to do next.
    pub(crate) fn advise(mut self, advice: impl Into<String>) -> Failure {
        self.advice = Some(advice.into());
        self
    }

    /// A failure of reading or writing `path`.
    pub(crate) fn io(doing: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::new(format!("{doing} {} failed: {error}", path.display()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure {
            broken_pipe: error.kind() == ErrorKind::BrokenPipe,
            ..Failure::new(format!("writing failed: {error}"))
        }
    }
}

/// Tells a failure on stderr. A reader that closed the pipe has had enough: that is success.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    if failure.broken_pipe {
        return ExitCode::SUCCESS;
    }
    let advice = failure.advice.as_ref().map(|advice| format!(" {advice}")).unwrap_or_default();
    // Stderr may be closed too; there is nowhere left to say so.
    let _ = writeln!(io::stderr(), "tokenpath: {}.{advice}", failure.what.trim_end_matches('.'));
    ExitCode::from(2)
}

/// A line on stderr.
pub(crate) fn note(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes to stdout.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes bytes to stdout.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes a file so that a reader sees the old content or the new, never half of it. A link stays one: what it leads to
/// is written. What is no file (a device, a pipe) takes the bytes and stays what it is. A file that was there keeps its
/// permissions.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure::io("writing", path, error);
    // A link to nothing has no target to look up; it is replaced, as a missing file is made.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = std::fs::metadata(&target).ok();
    if let Some(metadata) = &existing {
        if metadata.is_dir() {
            return Err(Failure::new(format!("{} is a folder", path.display())).advise("Name a file in it."));
        }
        if !metadata.is_file() {
            let mut taker = std::fs::OpenOptions::new().write(true).open(&target).map_err(|error| failed(&error))?;
            return taker.write_all(bytes).map_err(|error| failed(&error));
        }
    }
    let parent = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    let mut file = NamedTempFile::new_in(&parent).map_err(|error| {
        Failure::new(format!("creating a file in {} failed: {}", parent.display(), error.kind()))
            .advise("Does the folder exist, and may you write to it?")
    })?;
    let permitted = |file: &std::fs::File| match &existing {
        Some(metadata) => file.set_permissions(metadata.permissions()),
        None => readable(file),
    };
    let written =
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).and_then(|()| permitted(file.as_file()));
    written.map_err(|error| failed(&error))?;
    file.persist(&target).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// Temporary files are private; what is published must be readable by a web server.
#[cfg(unix)]
fn readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

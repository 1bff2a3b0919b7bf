//! Files as the readers want them: bytes at an offset, nothing loaded before it is asked for.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use tokenpath_import::{ReadAt, ReadFailed};

use crate::output::Failure;

/// An open file.
pub(crate) struct Source {
    file: File,
    length: u64,
}

impl Source {
    /// Opens the file at `path` for reading.
    pub(crate) fn open(path: &Path) -> Result<Source, Failure> {
        let failed =
            |error: &io::Error| Failure::io("opening", path, error).advise("Is the path right, and may you read it?");
        // Before it is opened: opening a pipe waits for a writer.
        let metadata = std::fs::metadata(path).map_err(|error| failed(&error))?;
        if metadata.is_dir() {
            return Err(Failure::new(format!("{} is a folder", path.display())).advise("Name the files in it."));
        }
        if !metadata.is_file() {
            return Err(Failure::new(format!("{} is a device or a pipe", path.display()))
                .advise("Files are read from several places, so save it to a file first."));
        }
        let file = File::open(path).map_err(|error| failed(&error))?;
        Ok(Source { file, length: metadata.len() })
    }
}

impl ReadAt for Source {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let wanted = buffer.len();
        read_exact_at(&self.file, offset, buffer).map_err(|error| ReadFailed {
            offset,
            wanted,
            message: error.to_string(),
        })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += read as u64;
        buffer = &mut buffer[read..];
    }
    Ok(())
}

/// The name that messages call a file by.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Opens all of `paths`, each with the name that messages and labels call it by.
pub(crate) fn sources(paths: &[PathBuf]) -> Result<Vec<(String, Source)>, Failure> {
    let names = apart(paths);
    paths.iter().zip(names).map(|(path, name)| Ok((name, Source::open(path)?))).collect()
}

/// The files' names; where two are the same, with as many of their folders as tell them apart.
fn apart(paths: &[PathBuf]) -> Vec<String> {
    let last = |path: &Path, parts: usize| {
        let all: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        all.get(all.len().saturating_sub(parts)..).unwrap_or(&all).join("/")
    };
    let longest = paths.iter().map(|path| path.components().count()).max().unwrap_or(1);
    paths
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let others = || paths.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, other)| other);
            (1..=longest)
                .map(|parts| (parts, last(path, parts)))
                .find(|(parts, name)| others().all(|other| last(other, *parts) != *name))
                .map_or_else(|| path.display().to_string(), |(_, name)| name)
        })
        .map(|name| if name.is_empty() { String::from("a file") } else { name })
        .collect()
}

/// A line of progress on stderr, on a terminal only.
pub(crate) struct Progress {
    shown: bool,
}

impl Progress {
    /// Nothing is shown yet.
    pub(crate) fn new() -> Progress {
        Progress { shown: false }
    }

    /// Shows a stage in place of the last one.
    pub(crate) fn show(&mut self, text: &str) {
        if io::stderr().is_terminal() {
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
            self.shown = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A count and its noun.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_are_told_apart_by_their_folders() {
        let names = |paths: &[&str]| apart(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(names(&["runs/a/run.json", "m.gguf"]), ["run.json", "m.gguf"]);
        assert_eq!(names(&["runs/a/run.json", "runs/b/run.json"]), ["a/run.json", "b/run.json"]);
        assert_eq!(names(&["a/x/run.json", "b/x/run.json", "c.json"]), ["a/x/run.json", "b/x/run.json", "c.json"]);
        assert_eq!(names(&["run.json", "x/run.json"]), ["run.json", "x/run.json"]);
        // The same file twice has no name of its own.
        assert_eq!(names(&["a/run.json", "a/run.json"]), ["a/run.json", "a/run.json"]);
    }
}

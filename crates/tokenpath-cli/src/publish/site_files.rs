//! The files of a site, and the folder they go to: nothing there is replaced or deleted that was not written from here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::files;
use crate::output::{Failure, write_file};

/// Lists what was written, in the site's folder.
pub(super) const MANIFEST: &str = "tokenpath-site.json";

/// The files of a site by their paths in it, with slashes.
#[derive(Debug, Default)]
pub(super) struct Site {
    files: BTreeMap<String, Vec<u8>>,
}

/// What the manifest says.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    /// The program and its version.
    written_by: String,
    /// SHA-256 of each file, in hexadecimal, by its path.
    files: BTreeMap<String, String>,
}

impl Site {
    /// Adds a file.
    pub(super) fn add(&mut self, path: impl Into<String>, content: Vec<u8>) {
        self.files.insert(path.into(), content);
    }

    /// Writes all files, or none when something is in the way that was not written from here. Returns how many files of
    /// an earlier publication stay beside them.
    pub(super) fn write(self, folder: &Path) -> Result<usize, Failure> {
        if folder.exists() && !folder.is_dir() {
            return Err(Failure::new(format!("{} is a file", folder.display())).advise("Name a folder for the site."));
        }
        let place = folder.join(MANIFEST);
        let mut listed = earlier(&place)?;
        let foreign: Vec<&String> = self
            .files
            .iter()
            .filter(|(path, content)| !is_ours(folder, path, content, &listed))
            .map(|(path, _)| path)
            .collect();
        if let Some(first) = foreign.first() {
            let count = files::plural(foreign.len(), "file", "files");
            let was = if foreign.len() == 1 { "was" } else { "were" };
            return Err(Failure::new(format!(
                "{count} in the way in {} {was} not written by `tokenpath publish`, or changed since, {first} the first",
                folder.display()
            ))
            .advise("Nothing was written. Publish to another folder, or move what is there away."));
        }
        let stayed =
            listed.files.keys().filter(|path| !self.files.contains_key(*path) && folder.join(path).exists()).count();
        for (path, content) in &self.files {
            listed.files.insert(path.clone(), digest(content));
        }
        listed.written_by = format!("tokenpath {}", env!("CARGO_PKG_VERSION"));
        create(folder)?;
        // First: should writing break off, what was written is known to be ours.
        write_file(&place, format!("{}\n", serde_json::to_string_pretty(&listed).unwrap_or_default()).as_bytes())?;
        for (path, content) in &self.files {
            let target = folder.join(path);
            if let Some(parent) = target.parent() {
                create(parent)?;
            }
            write_file(&target, content)?;
        }
        Ok(stayed)
    }
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::io("creating", folder, &error).advise("Is a file of that name in the way, and may you write there?")
    })
}

/// What an earlier publication wrote.
fn earlier(place: &Path) -> Result<Manifest, Failure> {
    match fs::read(place) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
            Failure::new(format!("{} is not what `tokenpath publish` writes: {error}", place.display()))
                .advise("Nothing was written. Publish to another folder, or move that file away.")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Manifest::default()),
        Err(error) => Err(Failure::io("reading", place, &error)),
    }
}

/// Whether nothing is there, or what was written from here and has not changed, or the same content.
fn is_ours(folder: &Path, path: &str, content: &[u8], listed: &Manifest) -> bool {
    let target = folder.join(path);
    // A link counts as what it leads to; one that leads nowhere is something all the same.
    match fs::read(&target) {
        Ok(present) => present == content || listed.files.get(path).is_some_and(|known| *known == digest(&present)),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound && fs::symlink_metadata(&target).is_err(),
    }
}

fn digest(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// Bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

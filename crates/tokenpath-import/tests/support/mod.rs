//! Where test data is, and one way to open it.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};

use tokenpath_core::bundle::validate;
use tokenpath_import::{Continue, Imported, OpenError, OpenOptions, ReadAt, open};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of extra test data, or `None` after saying that the test is skipped.
pub(crate) fn extra(folder: &str) -> Option<PathBuf> {
    let base = std::env::var_os("TOKENPATH_EXTRA_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    let folder = base.join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no extra test data at {}", folder.display());
    None
}

/// Reads a file of the extra data.
pub(crate) fn file(folder: &Path, name: &str) -> (String, Vec<u8>) {
    (name.to_owned(), fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Opens files with their texts.
pub(crate) fn open_all(files: &[(String, Vec<u8>)]) -> Result<Imported, OpenError> {
    let files = files.iter().map(|(name, bytes)| (name.clone(), bytes as &dyn ReadAt)).collect();
    open(files, &OpenOptions { keep_text: true }, &mut |_| Continue::Yes)
}

/// Opens files that must open, and checks that the run has no problem.
pub(crate) fn opened(files: &[(String, Vec<u8>)]) -> Imported {
    let imported = open_all(files).unwrap_or_else(|error| panic!("{error}"));
    let problems: Vec<String> = validate(&imported.run).iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}: {problems:#?}", files[0].0);
    imported
}

/// Figures that an independent script computed, committed under `tests/oracle/expected`.
pub(crate) fn expected(case: &str) -> serde_json::Value {
    let path = root().join("tests/oracle/expected").join(format!("{case}.json"));
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

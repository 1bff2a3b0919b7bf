//! The sample captures of the start page: the bundles under `fixtures/`, and a list of them.
//!
//! Nothing is read out of a bundle here: what a sample shows is said by opening it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// The name of a bundle in its folder of `fixtures/`.
const BUNDLE: &str = "run.json.gz";

/// One entry of `samples/index.json`.
#[derive(Debug, Serialize)]
struct Sample {
    /// The folder's name.
    name: String,
    /// Relative to the folder of the index.
    path: String,
    /// The size of the file.
    bytes: u64,
}

/// Copies each `fixtures/NAME/run.json.gz` to `into/NAME/run.json.gz`, writes `into/index.json`,
/// and returns how many there are.
pub(crate) fn copy(fixtures: &Path, into: &Path) -> Result<usize> {
    fs::create_dir_all(into)?;
    let mut samples = Vec::new();
    if fixtures.is_dir() {
        for entry in fs::read_dir(fixtures)? {
            let entry = entry?;
            let bundle = entry.path().join(BUNDLE);
            if !bundle.is_file() {
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            fs::create_dir_all(into.join(&name))?;
            let bytes = fs::copy(&bundle, into.join(&name).join(BUNDLE))
                .with_context(|| format!("could not copy {}", bundle.display()))?;
            let path = format!("{name}/{BUNDLE}");
            samples.push(Sample { name, path, bytes });
        }
    }
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    let mut index = serde_json::to_string_pretty(&samples)?;
    index.push('\n');
    fs::write(into.join("index.json"), index)?;
    Ok(samples.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_with_a_bundle_are_samples() {
        let folder = std::env::temp_dir().join(format!("xtask-samples-{}", std::process::id()));
        let fixtures = folder.join("fixtures");
        for name in ["two", "one", "none"] {
            fs::create_dir_all(fixtures.join(name)).unwrap();
        }
        fs::write(fixtures.join("two").join(BUNDLE), b"12345").unwrap();
        fs::write(fixtures.join("one").join(BUNDLE), b"123").unwrap();
        fs::write(fixtures.join("none/other.json"), b"1").unwrap();

        let into = folder.join("samples");
        assert_eq!(copy(&fixtures, &into).unwrap(), 2);
        let index: serde_json::Value = serde_json::from_slice(&fs::read(into.join("index.json")).unwrap()).unwrap();
        let expected = serde_json::json!([
            {"name": "one", "path": "one/run.json.gz", "bytes": 3},
            {"name": "two", "path": "two/run.json.gz", "bytes": 5},
        ]);
        assert_eq!(index, expected);
        assert_eq!(fs::read(into.join("two/run.json.gz")).unwrap(), b"12345");
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! The files of the repository, as the tests about the repository itself see them.
//!
//! Nothing here reads what a build, an install or git left in the tree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that no test about the repository looks into, wherever they lie.
const NOT_OURS: [&str; 7] = [".git", ".venv", "__pycache__", "artifacts", "dist", "node_modules", "target"];

/// The top folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1).map(Path::to_path_buf).unwrap_or_default()
}

/// Every file, relative to [`root`] with `/` between folders, in order.
///
/// # Errors
/// When a folder cannot be read.
pub fn files() -> io::Result<Vec<String>> {
    let root = root();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if NOT_OURS.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(relative) = path.strip_prefix(&root) {
                files.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file named relative to [`root`].
///
/// # Errors
/// When it cannot be read or is not UTF-8.
pub fn text(file: &str) -> io::Result<String> {
    fs::read_to_string(root().join(file))
}

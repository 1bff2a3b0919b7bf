//! Where things are: the repository, the build folder, the folder of fetched tools.
//!
//! Everything xtask obtains for itself lies under `target/tools`, so deleting that folder starts
//! afresh. Nothing here creates or changes a file.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// The repository and the folders derived from it.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the workspace that this program was started from.
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable when it runs us; the compiled-in value serves a direct start.
        let package =
            env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = package.ancestors().nth(2).context("xtask does not lie in crates/xtask")?.to_path_buf();
        let metadata = process::capture(Command::new(cargo()).current_dir(&root).args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
        ]))?;
        let metadata: serde_json::Value = serde_json::from_str(&metadata).context("cargo metadata printed no JSON")?;
        let target = metadata
            .get("target_directory")
            .and_then(serde_json::Value::as_str)
            .context("cargo metadata names no target_directory")?
            .into();
        Ok(Self { root, target })
    }

    /// The top folder of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path inside the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Cargo's build folder, `CARGO_TARGET_DIR` respected.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// A path inside the folder of what xtask obtained for itself.
    ///
    /// It does not follow `CARGO_TARGET_DIR`: a build folder may serve several workspaces, whose
    /// locked versions differ.
    pub(crate) fn tools(&self, relative: &str) -> PathBuf {
        self.root.join("target/tools").join(relative)
    }

    /// The folder that `web` writes and `serve` serves.
    pub(crate) fn site(&self) -> PathBuf {
        self.root.join("dist/site")
    }

    /// A cargo call in the repository, by the cargo that runs us.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(cargo());
        command.current_dir(&self.root).args(arguments);
        command
    }
}

fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

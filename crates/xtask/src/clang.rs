//! A C compiler for the wasm target, which builds SQLite into the module that reads traces.
//!
//! Clang compiles for every target that it was built with, and needs no C library for it: what SQLite uses of one comes
//! with the crate. Apple's clang is built without WebAssembly, so each is asked by compiling nothing with it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::debian;
use crate::process;
use crate::toolchain::TARGET;
use crate::workspace::Workspace;

/// What to look for on `PATH`: as installed by hand, by Homebrew beside Apple's, and Debian's with their versions.
const COMPILERS: [&str; 11] = [
    "clang",
    "/opt/homebrew/opt/llvm/bin/clang",
    "/usr/local/opt/llvm/bin/clang",
    "clang-22",
    "clang-21",
    "clang-20",
    "clang-19",
    "clang-18",
    "clang-17",
    "clang-16",
    "clang-14",
];

/// The compiler, and an archiver for what it makes.
#[derive(Clone, Debug)]
pub(crate) struct Clang {
    compiler: PathBuf,
    archiver: Option<PathBuf>,
}

impl Clang {
    /// Finds a compiler, or installs Debian's. `None` when the environment already names one.
    pub(crate) fn obtain(workspace: &Workspace) -> Result<Option<Clang>> {
        if ["CC_wasm32_unknown_unknown", "CC_wasm32-unknown-unknown"].iter().any(|name| env::var_os(name).is_some()) {
            return Ok(None);
        }
        if let Some(found) = Clang::find(workspace) {
            return Ok(Some(found));
        }
        if !debian::is_here() {
            bail!(
                "SQLite is compiled to WebAssembly by clang, and none here has that target: install LLVM's clang, or name one \
                 in CC_wasm32_unknown_unknown"
            );
        }
        println!("    installing clang, which compiles SQLite to WebAssembly");
        debian::install(&["clang"])?;
        match Clang::find(workspace) {
            Some(found) => Ok(Some(found)),
            None => bail!("Debian's clang does not compile for {TARGET}"),
        }
    }

    fn find(workspace: &Workspace) -> Option<Clang> {
        let compiles = |compiler: &PathBuf| {
            let object = workspace.tools("empty.o");
            let made = object.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
            made && process::capture(
                Command::new(compiler)
                    .arg(format!("--target={TARGET}"))
                    .args(["-c", "-x", "c", "-", "-o"])
                    .arg(&object),
            )
            .is_ok()
        };
        let compiler = COMPILERS.iter().filter_map(|name| process::find_program(&[name])).find(compiles)?;
        let archiver = beside(&compiler).or_else(|| process::find_program(&["llvm-ar", "ar"]));
        Some(Clang { compiler, archiver })
    }

    /// Tells a call of cargo of it.
    pub(crate) fn told_to(&self, command: &mut Command) {
        command.env("CC_wasm32_unknown_unknown", &self.compiler);
        if let Some(archiver) = &self.archiver {
            command.env("AR_wasm32_unknown_unknown", archiver);
        }
    }
}

/// The archiver of the same LLVM. macOS's own would leave an archive without an index.
fn beside(compiler: &Path) -> Option<PathBuf> {
    let archiver = compiler.canonicalize().ok()?.with_file_name("llvm-ar");
    archiver.is_file().then_some(archiver)
}

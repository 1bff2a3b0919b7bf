//! Puts the page into the program: `dist/site` as `cargo xtask web` leaves it.
//!
//! A release build (`cargo install --path`) makes the page first when it is not there; other builds take what is there,
//! so that checking and testing this crate never starts a second build.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let root =
        manifest.parent().and_then(Path::parent).ok_or("the crate lies two folders below the workspace")?.to_owned();
    let site = root.join("dist/site");
    println!("cargo:rerun-if-changed={}", site.display());
    println!("cargo:rerun-if-changed={}", root.join("www").display());
    if !site.join("index.html").exists() && env::var("PROFILE")? == "release" {
        build_page(&root)?;
    }
    let embedded = PathBuf::from(env::var("OUT_DIR")?).join("site");
    if embedded.exists() {
        fs::remove_dir_all(&embedded)?;
    }
    fs::create_dir_all(&embedded)?;
    if site.join("index.html").exists() {
        copy(&site, &embedded)?;
    }
    Ok(())
}

/// Runs `cargo xtask web` in a target folder of its own: the surrounding build holds the lock of the usual one.
fn build_page(root: &Path) -> Result<(), Box<dyn Error>> {
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    // What cargo sets for this build script would mislead the inner build.
    for (name, _) in env::vars() {
        let set_by_cargo = name.starts_with("CARGO") && name != "CARGO_HOME";
        if set_by_cargo
            || matches!(
                name.as_str(),
                "TARGET"
                    | "HOST"
                    | "PROFILE"
                    | "OUT_DIR"
                    | "OPT_LEVEL"
                    | "DEBUG"
                    | "NUM_JOBS"
                    | "RUSTC"
                    | "RUSTDOC"
                    | "RUSTFLAGS"
            )
        {
            command.env_remove(name);
        }
    }
    let status = command
        .current_dir(root)
        .env("CARGO_TARGET_DIR", root.join("target/page"))
        .args(["run", "--quiet", "--package", "xtask", "--", "web"])
        .status()?;
    if !status.success() {
        return Err(format!("building the page failed ({status}); `cargo xtask web` shows why").into());
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

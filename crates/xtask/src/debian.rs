//! Debian's packages: installed when we may, named when we may not.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// Installs those of these packages that are missing.
///
/// # Errors
/// Without apt-get or without root's rights, the error says what to install; nothing asks for a
/// password.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if process::find_program(&["apt-get"]).is_none() {
        bail!("this system has no apt-get; install what corresponds to Debian's packages {list}");
    }
    if !is_root() {
        bail!("run `sudo apt-get install {list}` and start again");
    }
    println!("    installing Debian's packages {list}");
    // A list of packages that could not be refreshed may still do: the install decides.
    if let Err(error) = process::run(apt_get().args(["update", "-qq"])) {
        println!("    {error}; going on with the list that is there");
    }
    process::run(apt_get().args(["install", "-y", "-qq", "--no-install-recommends"]).args(&missing))
        .with_context(|| format!("Debian's packages {list} could not be installed"))
}

/// Whether these packages can be asked for at all: the system is Debian or built on it.
pub(crate) fn is_here() -> bool {
    process::find_program(&["apt-get"]).is_some() && process::find_program(&["dpkg"]).is_some()
}

fn missing<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    let installed = |package: &&str| {
        process::capture(Command::new("dpkg-query").args(["-W", "-f", "${Status}", package]))
            .is_ok_and(|status| status.ends_with(" installed"))
    };
    packages.iter().copied().filter(|package| !installed(package)).collect()
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "Acquire::Retries=3", "-o", "Dpkg::Use-Pty=0"]);
    command
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // This process's own entry belongs to the user it runs as.
    Path::new("/proc/self").metadata().is_ok_and(|data| data.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

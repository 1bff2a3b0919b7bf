//! A Rust toolchain that compiles to WebAssembly, obtained in one of three ways.
//!
//! 1. The rustc on `PATH` has the target.
//! 2. rustup adds it, if its server answers within a short limit.
//! 3. Debian's rustc and its source: the standard library is built once for the target and laid out
//!    as a private toolchain under `target/tools`, which needs no rustup and no network but apt's.
//!
//! `NO_RUSTUP=1` leaves rustup out, its installed toolchains included, so that the third way can be
//! exercised on a machine where the first would do.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::clang::Clang;
use crate::debian;
use crate::process;
use crate::workspace::Workspace;

/// The one target of the page.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// How long rustup may take. It needs seconds where its server answers; where packets are dropped
/// in silence it would wait for minutes.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);

/// What SQLite is built without: reading rows of plain tables needs none of it, and it is a sixth of the module.
const SQLITE_WITHOUT: [&str; 12] = [
    "-USQLITE_ENABLE_FTS5",
    "-USQLITE_ENABLE_RTREE",
    "-USQLITE_ENABLE_SESSION",
    "-USQLITE_ENABLE_PREUPDATE_HOOK",
    "-USQLITE_ENABLE_BYTECODE_VTAB",
    "-USQLITE_ENABLE_DBPAGE_VTAB",
    "-USQLITE_ENABLE_DBSTAT_VTAB",
    "-USQLITE_ENABLE_STMTVTAB",
    "-USQLITE_ENABLE_MATH_FUNCTIONS",
    "-USQLITE_ENABLE_OFFSET_SQL_FUNC",
    "-USQLITE_ENABLE_UNKNOWN_SQL_FUNCTION",
    "-USQLITE_ENABLE_UNLOCK_NOTIFY",
];

/// rustc with its own source, which must be of one version to be built together; clippy and rustfmt
/// of that version; the linker that rustc expects for the target.
const DEBIAN_PACKAGES: [&str; 6] =
    ["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy", "rustfmt-web", "lld-22"];

/// A cargo that can build for [`TARGET`].
#[derive(Debug)]
pub(crate) struct WasmToolchain {
    /// The private toolchain's folder, when the third way was taken.
    private: Option<PathBuf>,
    /// The C compiler, unless the environment names one.
    clang: Option<Clang>,
    root: PathBuf,
    target_folder: PathBuf,
}

impl WasmToolchain {
    /// Makes the target available, saying how.
    pub(crate) fn obtain(workspace: &Workspace) -> Result<Self> {
        let clang = Clang::obtain(workspace)?;
        let on_path = Self {
            private: None,
            clang: clang.clone(),
            root: workspace.root().to_path_buf(),
            target_folder: workspace.target().to_path_buf(),
        };
        let private = workspace.tools("wasm-toolchain");
        let by_private = || Self {
            private: Some(private.clone()),
            clang: clang.clone(),
            root: workspace.root().to_path_buf(),
            // Two versions of rustc on one build folder would rebuild everything at each switch.
            target_folder: workspace.tools("wasm-build"),
        };
        let without_rustup = env::var_os("NO_RUSTUP").is_some_and(|value| !value.is_empty());

        if !(without_rustup && rustc_is_rustups()) && has_target(Path::new("rustc")) {
            println!("    the wasm target is there");
            return Ok(on_path);
        }
        if is_current(&private) {
            println!("    the wasm target comes from the private toolchain in target/tools");
            return Ok(by_private());
        }
        if !without_rustup && process::find_program(&["rustup"]).is_some() {
            println!("    asking rustup for the wasm target");
            let added = process::succeeds_within(Command::new("rustup").args(["target", "add", TARGET]), RUSTUP_LIMIT)?;
            if added && has_target(Path::new("rustc")) {
                return Ok(on_path);
            }
            println!("    rustup did not provide it");
        }
        if !debian::is_here() {
            bail!(
                "the Rust target {TARGET} is missing: rustup did not provide it, and this system \
                 has no Debian packages to build it from; run `rustup target add {TARGET}`"
            );
        }
        println!("    building the wasm target from Debian's Rust (once, a minute or two)");
        debian::install(&DEBIAN_PACKAGES)?;
        build_private(&private).context("the wasm target could not be built from Debian's Rust packages")?;
        Ok(by_private())
    }

    /// A cargo call for the target: `subcommand`, the target, then `arguments`.
    pub(crate) fn cargo(&self, subcommand: &str, arguments: &[&str]) -> Command {
        let mut command = match &self.private {
            None => Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into())),
            Some(folder) => private_cargo(folder),
        };
        command.current_dir(&self.root).args([subcommand, "--target", TARGET]);
        // Binding a module takes several times as long when it carries line tables, which a browser
        // does not read; its function names are in another section.
        command.env("CARGO_PROFILE_DEV_DEBUG", "false");
        if self.private.is_some() {
            command.arg("--target-dir").arg(&self.target_folder);
        }
        if let Some(clang) = &self.clang {
            clang.told_to(&mut command);
        }
        command.env("SQLITE_WASM_RS_FLAGS", SQLITE_WITHOUT.join(" "));
        command.args(arguments);
        command
    }

    /// The module that building `package` with `profile` leaves.
    pub(crate) fn module(&self, profile: &str, package: &str) -> PathBuf {
        let file = format!("{}.wasm", package.replace('-', "_"));
        self.target_folder.join(TARGET).join(profile).join(file)
    }
}

/// Whether the rustc on `PATH` belongs to rustup, as a proxy or through an override.
fn rustc_is_rustups() -> bool {
    env::var_os("RUSTUP_TOOLCHAIN").is_some()
        || process::find_program(&["rustc"])
            .and_then(|rustc| rustc.parent().map(|folder| folder.join("rustup")))
            .is_some_and(|rustup| rustup.is_file())
}

fn has_target(rustc: &Path) -> bool {
    let folder = process::capture(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    let Ok(folder) = folder else { return false };
    fs::read_dir(folder.trim())
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-")))
}

/// What the private toolchain was made of. Libraries of another rustc do not link, and the wrappers
/// name their folder, so an update of Debian's rustc or a moved repository needs it made again.
fn stamp(folder: &Path) -> Result<String> {
    let version = process::capture(Command::new("/usr/bin/rustc").arg("-vV"))?;
    Ok(format!("{}\n{version}", folder.display()))
}

fn is_current(folder: &Path) -> bool {
    let Ok(made_of) = fs::read_to_string(folder.join("stamp")) else {
        return false;
    };
    stamp(folder).is_ok_and(|now| now == made_of) && has_target(&folder.join("bin/rustc"))
}

fn private_cargo(folder: &Path) -> Command {
    let mut command = Command::new(folder.join("bin/cargo"));
    let mut path = folder.join("bin").into_os_string();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    command.env("PATH", path);
    forget_outer_toolchain(&mut command);
    command
}

/// Cargo and rustup hand these down to the programs that they start.
fn forget_outer_toolchain(command: &mut Command) {
    for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER"] {
        command.env_remove(variable);
    }
}

fn build_private(folder: &Path) -> Result<()> {
    let work = folder.with_extension("work");
    let made = folder.with_extension("new");
    for left_over in [&work, &made] {
        if left_over.exists() {
            fs::remove_dir_all(left_over)?;
        }
    }
    let libraries = build_standard_library(&work)?;
    let host = process::capture(Command::new("/usr/bin/rustc").args(["--print", "host-tuple"]))?;
    lay_out(folder, &made, &libraries, host.trim())?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::rename(&made, folder)?;
    fs::remove_dir_all(&work)?;
    if !has_target(&folder.join("bin/rustc")) {
        bail!("the private toolchain in {} has no {TARGET}", folder.display());
    }
    Ok(())
}

/// Builds std for the target through an empty crate, and returns the folder of its libraries.
fn build_standard_library(work: &Path) -> Result<PathBuf> {
    fs::create_dir_all(work.join("src"))?;
    fs::write(work.join("src/lib.rs"), "#![no_std]\n")?;
    // A workspace of its own, or cargo would look for ours above it.
    fs::write(
        work.join("Cargo.toml"),
        "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
         [profile.release]\npanic = \"abort\"\ncodegen-units = 1\n",
    )?;
    let mut build = Command::new("/usr/bin/cargo");
    forget_outer_toolchain(&mut build);
    process::run(
        build
            .current_dir(work)
            .env("RUSTC", "/usr/bin/rustc")
            // Building std is not a stable option of cargo; only this one call is told otherwise.
            .env("RUSTC_BOOTSTRAP", "1")
            // Bitcode lets the page's profile optimise across std (lto = "fat").
            .env("RUSTFLAGS", "-Cembed-bitcode=yes -Cforce-unwind-tables=no")
            // `test` is what `cargo test` links.
            .args(["build", "--release", "-Zbuild-std=std,panic_abort,test"])
            .args(["--target", TARGET, "--target-dir", "build"]),
    )?;
    Ok(work.join("build").join(TARGET).join("release/deps"))
}

/// Lays out `made`, which will be moved to `folder`: programs, the host's libraries, the target's.
fn lay_out(folder: &Path, made: &Path, libraries: &Path, host: &str) -> Result<()> {
    let bin = made.join("bin");
    let of_host = made.join("lib/rustlib").join(host);
    let of_target = made.join("lib/rustlib").join(TARGET).join("lib");
    for needed in [&bin, &of_host.join("bin"), &of_target] {
        fs::create_dir_all(needed)?;
    }
    // Wrappers rather than links: rustc takes its own place from where its driver library lies,
    // which a link does not change, so it has to be told.
    let folder = folder.display();
    for (name, line) in [
        ("rustc", format!("exec /usr/bin/rustc --sysroot '{folder}' \"$@\"")),
        ("rustdoc", format!("exec /usr/bin/rustdoc --sysroot '{folder}' \"$@\"")),
        ("cargo-clippy", format!("SYSROOT='{folder}' exec /usr/bin/cargo-clippy \"$@\"")),
    ] {
        write_program(&bin.join(name), &format!("#!/bin/sh\n{line}\n"))?;
    }
    for name in ["cargo", "clippy-driver", "rustfmt", "cargo-fmt"] {
        link(&Path::new("/usr/bin").join(name), &bin.join(name))?;
    }
    link(&Path::new("/usr/lib/rustlib").join(host).join("lib"), &of_host.join("lib"))?;
    // rustc's default linker for the target, which Debian ships under another name.
    let linker = fs::canonicalize("/usr/bin/wasm-ld-22").context("lld-22 is not installed")?;
    link(&linker, &of_host.join("bin/rust-lld"))?;
    for entry in fs::read_dir(libraries)? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            fs::copy(&file, of_target.join(&name))?;
        }
    }
    fs::write(made.join("stamp"), stamp(Path::new(&folder.to_string()))?)?;
    Ok(())
}

#[cfg(unix)]
fn write_program(file: &Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::write(file, text)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(original, link).with_context(|| format!("could not link {}", link.display()))
}

#[cfg(not(unix))]
fn write_program(_file: &Path, _text: &str) -> Result<()> {
    bail!("a private toolchain can only be made on Debian")
}

#[cfg(not(unix))]
fn link(_original: &Path, _link: &Path) -> Result<()> {
    bail!("a private toolchain can only be made on Debian")
}

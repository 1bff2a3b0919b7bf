//! The site: `www/`, the modules of the page and of its workers and their glue, and the sample captures, in `dist/site/`.
//!
//! The folder is made afresh beside its final place and then moved there, so a build that fails
//! leaves the last good site. The glue is bound with `--target no-modules`: classic scripts and
//! workers are what also runs from a page opened from disk.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::payload;
use crate::process;
use crate::samples;
use crate::toolchain::WasmToolchain;
use crate::workspace::Workspace;

/// The modules of the site: the package, and the name of its glue (`NAME.js`) and binary (`NAME_bg.wasm`).
const MODULES: [(&str, &str); 3] =
    [("tokenpath-web", "tokenpath"), ("tokenpath-worker", payload::ENGINE), ("tokenpath-trace-worker", payload::TRACE)];

/// How the module is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As visitors get it; the size budget applies.
    Released,
    /// With little optimisation, for working on the page.
    Quick,
}

impl Build {
    /// The quick build if it was asked for.
    pub(crate) fn quick_if(quick: bool) -> Self {
        if quick { Self::Quick } else { Self::Released }
    }

    /// The cargo profile.
    fn profile(self) -> &'static str {
        match self {
            Self::Released => "wasm",
            Self::Quick => "quick",
        }
    }
}

/// Builds the site and, as released, holds it to its size budget.
pub(crate) fn build(workspace: &Workspace, build: Build) -> Result<()> {
    let profile = build.profile();
    let toolchain = WasmToolchain::obtain(workspace)?;

    println!("    compiling the modules to WebAssembly");
    let mut arguments = vec!["--lib", "--profile", profile];
    for (package, _) in MODULES {
        arguments.extend(["-p", package]);
    }
    process::run(&mut toolchain.cargo("build", &arguments))?;

    let site = workspace.site();
    let made = site.with_extension("new");
    if made.exists() {
        fs::remove_dir_all(&made)?;
    }
    fs::create_dir_all(&made)?;

    println!("    binding the modules");
    for (package, name) in MODULES {
        bind(&toolchain.module(profile, package), name, &made)?;
    }

    println!("    copying www/, its style sheets joined into one");
    copy_page(&workspace.path("www"), &made)?;

    let samples = samples::copy(&workspace.path("fixtures"), &made.join("samples"))?;
    println!("    copying {samples} sample captures from fixtures/");

    let payloads = payload::measure(&made)?;
    print!("{}", payload::table(&payloads));

    if site.exists() {
        fs::remove_dir_all(&site)?;
    }
    fs::rename(&made, &site)?;
    println!("    wrote {}", shown(workspace, &site));
    match build {
        Build::Released => payload::within_budget(&payloads),
        Build::Quick => Ok(()),
    }
}

fn bind(module: &Path, name: &str, into: &Path) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(module)
        .out_name(name)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.generate(into).with_context(|| format!("{} could not be bound", module.display()))
}

/// Copies a folder of the page's own files; none may take the place of a built one. The sheets in
/// `style/` become one `style.css`, in the order of their names.
fn copy_page(from: &Path, into: &Path) -> Result<()> {
    if !from.join("index.html").is_file() {
        bail!("{} has no index.html", from.display());
    }
    let style = from.join("style");
    if style.is_dir() {
        let mut joined = String::new();
        for sheet in files_below(&style)? {
            joined += &fs::read_to_string(&sheet).with_context(|| format!("could not read {}", sheet.display()))?;
        }
        fs::write(into.join("style.css"), joined)?;
    }
    for file in files_below(from)?.into_iter().filter(|file| !file.starts_with(&style)) {
        let target = into.join(file.strip_prefix(from)?);
        if target.exists() {
            bail!("{} would replace a file that the build writes", file.display());
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(&file, &target).with_context(|| format!("could not copy {}", file.display()))?;
    }
    Ok(())
}

/// Every file below a folder, sorted, hidden ones left out.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn shown(workspace: &Workspace, path: &Path) -> String {
    path.strip_prefix(workspace.root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_copied_with_one_style_sheet_and_replaces_nothing() {
        let folder = std::env::temp_dir().join(format!("xtask-page-{}", std::process::id()));
        let (from, into) = (folder.join("www"), folder.join("site"));
        fs::create_dir_all(from.join("style")).unwrap();
        fs::create_dir_all(&into).unwrap();
        fs::write(from.join("index.html"), "page").unwrap();
        fs::write(from.join("style/02-b.css"), "b{}\n").unwrap();
        fs::write(from.join("style/01-a.css"), "a{}\n").unwrap();
        fs::write(from.join(".hidden"), "no").unwrap();
        copy_page(&from, &into).unwrap();
        let files: Vec<_> =
            files_below(&into).unwrap().into_iter().map(|file| file.file_name().unwrap().to_owned()).collect();
        assert_eq!(files, ["index.html", "style.css"]);
        assert_eq!(fs::read_to_string(into.join("style.css")).unwrap(), "a{}\nb{}\n");

        let error = copy_page(&from, &into).unwrap_err().to_string();
        assert!(error.contains("would replace"), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}

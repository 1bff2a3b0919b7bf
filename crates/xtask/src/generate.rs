//! Files in the repository that a program writes: made again, or held to be as committed.
//!
//! A generator is a cargo call that prints the file. It is listed here so that nobody has to
//! remember it, and so that the tests fail when the file and its source have drifted apart.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::workspace::Workspace;

/// A committed file and the cargo call whose standard output it is.
#[derive(Debug)]
struct Generator {
    file: &'static str,
    cargo: &'static [&'static str],
}

/// All generated files. A new one is one entry.
const GENERATORS: &[Generator] = &[
    Generator {
        file: "www/index.html",
        cargo: &["run", "--quiet", "-p", "tokenpath-pages", "--example", "start_page"],
    },
    Generator {
        file: "spec/bundle.schema.json",
        cargo: &["run", "--quiet", "-p", "tokenpath-core", "--example", "schema"],
    },
    Generator {
        file: "spec/02-bundle.md",
        cargo: &["run", "--quiet", "-p", "tokenpath-core", "--example", "reference"],
    },
];

/// Writes every generated file that differs, and says which.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    for (generator, text) in outdated(workspace, GENERATORS)? {
        fs::write(workspace.path(generator.file), text)?;
        println!("    wrote {}", generator.file);
    }
    println!("    {} generated files are up to date", GENERATORS.len());
    Ok(())
}

/// Fails when a generated file is not what its generator writes.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let outdated = outdated(workspace, GENERATORS)?;
    if outdated.is_empty() {
        println!("    {} generated files are up to date", GENERATORS.len());
        return Ok(());
    }
    let files: Vec<&str> = outdated.iter().map(|(generator, _)| generator.file).collect();
    bail!("{} differs from what is generated: run `cargo xtask generate`", files.join(", "))
}

fn outdated<'a>(workspace: &Workspace, generators: &'a [Generator]) -> Result<Vec<(&'a Generator, String)>> {
    let mut outdated = Vec::new();
    for generator in generators {
        let text = process::capture(&mut workspace.cargo(generator.cargo))
            .with_context(|| format!("{} could not be generated", generator.file))?;
        let committed = fs::read_to_string(workspace.path(generator.file)).unwrap_or_default();
        if committed != text {
            outdated.push((generator, text));
        }
    }
    Ok(outdated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_differs_from_its_generator_is_found() {
        let workspace = Workspace::find().unwrap();
        let version = process::capture(&mut workspace.cargo(&["--version"])).unwrap();
        let generators = [Generator { file: "rustfmt.toml", cargo: &["--version"] }];
        let outdated = outdated(&workspace, &generators).unwrap();
        let found: Vec<_> = outdated.iter().map(|(generator, text)| (generator.file, text)).collect();
        assert_eq!(found, [("rustfmt.toml", &version)]);
    }
}

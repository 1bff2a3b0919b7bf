//! Dependencies point down only, and what touches the world stays in the shells.
//!
//! The rules are those of ARCHITECTURE.md. Declared dependencies come from cargo, names from the
//! source of each crate (its `src` without `#[cfg(test)]`).
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use cargo_metadata::MetadataCommand;
use tokenpath_tests::repository;
use tokenpath_tests::rust_paths::named_paths;

/// Each package of the workspace, and those of the workspace that it may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    ("tokenpath-core", &[]),
    ("tokenpath-recipes", &["tokenpath-core"]),
    ("tokenpath-import", &["tokenpath-core"]),
    ("tokenpath-nsys", &["tokenpath-core"]),
    ("tokenpath-pages", &["tokenpath-core", "tokenpath-recipes"]),
    ("tokenpath-engine", &["tokenpath-core", "tokenpath-import", "tokenpath-pages"]),
    ("tokenpath-web", &["tokenpath-core", "tokenpath-pages", "tokenpath-engine"]),
    ("tokenpath-files", &["tokenpath-import"]),
    ("tokenpath-trace-worker", &["tokenpath-core", "tokenpath-import", "tokenpath-files", "tokenpath-nsys"]),
    ("tokenpath-worker", &["tokenpath-import", "tokenpath-files", "tokenpath-engine"]),
    ("tokenpath-cli", &["tokenpath-core", "tokenpath-import", "tokenpath-nsys", "tokenpath-pages", "tokenpath-engine"]),
    (
        "tokenpath-tests",
        &["tokenpath-core", "tokenpath-recipes", "tokenpath-import", "tokenpath-pages", "tokenpath-engine"],
    ),
    ("xtask", &[]),
];

/// A kind of name and the only places that may use it.
struct Rule {
    says: &'static str,
    /// Whether a path, given as its segments, is such a name.
    is_named_by: fn(&[&str]) -> bool,
    /// Beginnings of the file names, relative to the repository, where it may stand.
    allowed_in: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        says: "the browser is known to the browser's packages only",
        is_named_by: |path| {
            let Some(first) = path.first() else { return false };
            ["web_sys", "js_sys", "wasm_bindgen", "wasm_bindgen_futures"].contains(first) || first.starts_with("gloo")
        },
        allowed_in: &[
            "crates/tokenpath-web/",
            "crates/tokenpath-files/",
            "crates/tokenpath-trace-worker/",
            "crates/tokenpath-worker/",
        ],
    },
    Rule {
        says: "files, environment, processes and sockets belong to the command line and to xtask",
        is_named_by: |path| matches!(path, ["std", module, ..] if ["fs", "env", "process", "net"].contains(module)),
        allowed_in: &["crates/tokenpath-cli/", "crates/xtask/"],
    },
    Rule {
        // On the wasm target these clocks panic, so the browser shell has to ask the browser.
        says: "std's clocks are read by the command line and by xtask only",
        is_named_by: |path| {
            path.contains(&"SystemTime")
                || path.windows(2).any(|pair| matches!(pair, ["time", "Instant"] | ["Instant", "now"]))
        },
        allowed_in: &["crates/tokenpath-cli/", "crates/xtask/"],
    },
    Rule {
        says: "the template language is named in html.rs only, which passes it on",
        is_named_by: |path| path.first().is_some_and(|first| first.starts_with("maud")),
        allowed_in: &["crates/tokenpath-pages/src/html.rs"],
    },
    Rule {
        says: "plotters is named in chart.rs only",
        is_named_by: |path| path.first().is_some_and(|first| first.starts_with("plotters")),
        allowed_in: &["crates/tokenpath-pages/src/chart.rs"],
    },
];

/// What breaks a rule in one file, as lines of a report.
fn broken_rules(file: &str, source: &str) -> Vec<String> {
    let paths = match named_paths(source) {
        Ok(paths) => paths,
        Err(error) => return vec![format!("{file}: no Rust tokens: {error}")],
    };
    let mut broken = Vec::new();
    for rule in RULES.iter().filter(|rule| !rule.allowed_in.iter().any(|start| file.starts_with(start))) {
        for path in &paths {
            let segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
            if (rule.is_named_by)(&segments) {
                broken.push(format!("{file}:{}: {}: {}", path.line, segments.join("::"), rule.says));
            }
        }
    }
    broken
}

#[test]
fn dependencies_point_down_only() {
    let metadata =
        MetadataCommand::new().manifest_path(repository::root().join("Cargo.toml")).no_deps().exec().unwrap();
    let ours: Vec<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut broken = Vec::new();
    for package in &metadata.packages {
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| package.name.as_str() == *name) else {
            broken.push(format!("{} has no row in LAYERS", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if ours.contains(&name) && !allowed.contains(&name) {
                broken.push(format!("{} may not depend on {name}", package.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert_eq!(ours.len(), LAYERS.len(), "LAYERS has a row of a package that is not there");
}

#[test]
fn what_touches_the_world_stays_in_its_place() {
    let mut scanned = 0;
    let mut broken = Vec::new();
    for file in repository::files().unwrap() {
        let ships = file.starts_with("crates/") && file.contains("/src/") && !file.ends_with("/tests.rs");
        if ships && file.ends_with(".rs") {
            scanned += 1;
            broken.extend(broken_rules(&file, &repository::text(&file).unwrap()));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(LAYERS.len() - 1 <= scanned, "only {scanned} files were found to scan");
}

#[test]
fn each_rule_finds_what_it_is_about() {
    for (source, found) in [
        ("use web_sys::Window;", "web_sys::Window"),
        ("fn f() { gloo_file::Blob::new(x) }", "gloo_file::Blob::new"),
        ("use std::{io, fs::File};", "std::fs::File"),
        ("fn f() { std::env::var(\"X\"); }", "std::env::var"),
        ("use std::time::{Duration, Instant};", "std::time::Instant"),
        ("fn f(x: time::SystemTime) {}", "time::SystemTime"),
        ("use maud::html;", "maud::html"),
        ("use plotters::prelude::*;", "plotters::prelude::*"),
    ] {
        let broken = broken_rules("crates/tokenpath-core/src/x.rs", source);
        assert_eq!(broken.len(), 1, "{source}: {broken:?}");
        assert!(broken[0].starts_with(&format!("crates/tokenpath-core/src/x.rs:1: {found}: ")), "{broken:?}");
    }
    assert!(broken_rules("crates/tokenpath-web/src/x.rs", "use web_sys::Window;").is_empty());
    assert!(broken_rules("crates/tokenpath-core/src/x.rs", "use std::time::Duration; use std::io;").is_empty());
    assert_eq!(broken_rules("crates/tokenpath-pages/src/page.rs", "use maud::html;").len(), 1);
}

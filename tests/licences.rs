//! Every crate that is built has a licence that `deny.toml` allows.
//!
//! cargo-deny checks the same and more (advisories, sources) where it is installed; this test needs
//! nothing but cargo, so that a new dependency cannot slip past it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use cargo_metadata::{CargoOpt, MetadataCommand};
use spdx::{Expression, ParseMode};
use tokenpath_tests::repository;

/// What is built: the command line and the tests, and the page.
const PLATFORMS: [&str; 2] = ["x86_64-unknown-linux-gnu", "wasm32-unknown-unknown"];

/// The quoted strings of `allow = [...]` in the `[licenses]` part of deny.toml.
fn allowed_licences(deny: &str) -> Vec<String> {
    let licences = deny.split("[licenses]").nth(1).unwrap();
    let list = licences.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    // Older crates write MIT/Apache-2.0 for either of the two.
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|parsed| {
        parsed.evaluate(|requirement| allowed.iter().any(|licence| *licence == requirement.to_string()))
    })
}

#[test]
fn every_crate_has_an_allowed_licence() {
    let allowed = allowed_licences(&repository::text("deny.toml").unwrap());
    let mut platforms = Vec::new();
    for platform in PLATFORMS {
        platforms.extend(["--filter-platform".to_owned(), platform.to_owned()]);
    }
    let metadata = MetadataCommand::new()
        .manifest_path(repository::root().join("Cargo.toml"))
        .features(CargoOpt::AllFeatures)
        .other_options(platforms)
        .exec()
        .unwrap();
    assert!(metadata.packages.len() > 50, "only {} packages were found", metadata.packages.len());
    let broken: Vec<String> = metadata
        .packages
        .iter()
        .filter(|package| !package.license.as_deref().is_some_and(|licence| is_allowed(licence, &allowed)))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert!(broken.is_empty(), "not allowed by deny.toml:\n{}", broken.join("\n"));
}

#[test]
fn licence_expressions_are_weighed() {
    let allowed = ["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()];
    for good in ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "Apache-2.0 WITH LLVM-exception"] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "no licence"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
    let deny = "[advisories]\nallow = [\"x\"]\n[licenses]\nallow = [\n  \"MIT\", # why\n  \"Zlib\",\n]\n";
    assert_eq!(allowed_licences(deny), ["MIT", "Zlib"]);
}

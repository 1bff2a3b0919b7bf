//! What `spec/` holds is what the code does: generated files are as committed, and every rule and word is documented.

use std::fs;
use std::path::{Path, PathBuf};

use tokenpath_core::absence::ReasonCode;
use tokenpath_core::bundle;
use tokenpath_core::label::LabelKind;
use tokenpath_core::model::{CHANNELS, REQUEST_EVENTS};
use tokenpath_core::problem::Rule;

fn spec(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    assert!(
        spec("bundle.schema.json") == bundle::schema(),
        "spec/bundle.schema.json differs: cargo run -p tokenpath-core --example schema > spec/bundle.schema.json"
    );
}

#[test]
fn the_committed_tables_are_the_generated_ones() {
    let document = spec("02-bundle.md");
    let (_, rest) = document.split_once(bundle::REFERENCE_BEGINS).expect("the marker where the tables begin");
    let (tables, _) = rest.split_once(bundle::REFERENCE_ENDS).expect("the marker where they end");
    assert!(
        tables.trim() == bundle::reference().trim(),
        "the tables of spec/02-bundle.md differ: cargo run -p tokenpath-core --example reference > 02.md, and put it there"
    );
}

#[test]
fn every_rule_is_documented_with_an_example() {
    let document = spec("08-validation.md");
    for rule in Rule::ALL {
        let row = document.lines().find(|line| line.starts_with(&format!("| `{}` |", rule.word())));
        let row = row.unwrap_or_else(|| panic!("08-validation.md has no row for {}", rule.word()));
        assert_eq!(row.matches(" | ").count(), 3, "rule, kind, meaning, example: {row}");
        let kind = row.split(" | ").nth(1).unwrap();
        assert_eq!(kind == "notice", rule.is_notice(), "{row}");
    }
    let rows = document.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, Rule::ALL.len(), "08-validation.md has a row for no rule");
}

#[test]
fn every_example_of_a_rule_is_one_that_the_tests_have_seen() {
    // The examples are copied from the snapshots of the broken variants, so that they cannot promise what is not said.
    let mut seen = String::new();
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken/snapshots");
    let mut files: Vec<PathBuf> = fs::read_dir(snapshots).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        seen.push_str(&fs::read_to_string(file).unwrap());
    }
    for line in spec("08-validation.md").lines().filter(|line| line.starts_with("| `")) {
        let example = line.trim_end_matches(" |").rsplit(" | ").next().unwrap().trim_matches('`');
        assert!(seen.contains(example), "no broken variant says {example:?}");
    }
}

#[test]
fn every_kind_of_label_and_reason_is_documented() {
    let labels = spec("03-labels.md");
    for kind in LabelKind::ALL {
        assert!(labels.contains(&format!("| `{}` |", kind.word())), "{}", kind.word());
    }
    let absences = spec("04-absences.md");
    for (_, word) in ReasonCode::ALL {
        assert!(absences.contains(&format!("| `{word}` |")), "{word}");
    }
}

#[test]
fn every_event_and_channel_is_documented() {
    let document = spec("02-bundle.md");
    for word in REQUEST_EVENTS.iter().chain(&CHANNELS) {
        assert!(document.contains(&format!("| `{word}` |")), "{word}");
    }
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                assert!(folder.join(target).exists(), "{} links to {link}", path.display());
            }
        }
    }
}

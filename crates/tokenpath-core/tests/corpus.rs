//! Replays the fuzzer's seeds and regressions, and mutates the minimal bundle at random: any bytes are read without a
//! panic, and what is left of a flawed bundle is usable.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};

#[path = "../../../fuzz/properties/bundle_read.rs"]
mod property;

const MINIMAL: &str = include_str!("../../../fixtures/minimal/run.json");

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(folder).join("bundle_read");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn seeds_and_regressions_hold() {
    let seeds = files("seeds");
    assert!(seeds.len() >= 10, "the seeds are gone");
    for file in seeds.into_iter().chain(files("regressions")) {
        println!("{}", file.display());
        property::holds(&fs::read(file).unwrap());
    }
}

/// Pointers of everything in a document.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    if !at.is_empty() {
        out.push(at.to_owned());
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), out);
            }
        }
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                places(value, &format!("{at}/{i}"), out);
            }
        }
        _ => {}
    }
}

/// One place of a document. Most places are cells, so that half of the time only what lies above them is chosen from.
fn chosen(bundle: &Value, (index, any_depth): (prop::sample::Index, bool)) -> Option<String> {
    let mut all = Vec::new();
    places(bundle, "", &mut all);
    if !any_depth {
        all.retain(|place| place.matches('/').count() <= 3);
    }
    (!all.is_empty()).then(|| all.swap_remove(index.index(all.len())))
}

/// What a place may be changed to.
fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..30).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| number.is_finite().then(|| json!(number))),
        "[a-z_:*/~]{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::collection::vec(-1_i64..20, 0..20).prop_map(|items| json!(items)),
        prop::collection::vec(prop::option::of(0_i64..12), 0..20).prop_map(|items| json!(items)),
        Just(json!({})),
        Just(json!([[], [1], null])),
        Just(json!({"labels": {"*": "read"}})),
    ]
}

proptest! {
    // Each case reads, validates and writes whole bundles; more cases are the fuzzer's business.
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn any_bundle_with_places_changed_holds(changes in prop::collection::vec((any::<(prop::sample::Index, bool)>(), replacement()), 1..6)) {
        let mut bundle: Value = serde_json::from_str(MINIMAL).unwrap();
        for (at, value) in changes {
            if let Some(place) = chosen(&bundle, at).and_then(|place| bundle.pointer_mut(&place)) {
                *place = value;
            }
        }
        property::holds(&serde_json::to_vec(&bundle).unwrap());
    }

    #[test]
    fn any_bundle_without_some_places_holds(taken in prop::collection::vec(any::<(prop::sample::Index, bool)>(), 1..6)) {
        let mut bundle: Value = serde_json::from_str(MINIMAL).unwrap();
        for at in taken {
            let Some(place) = chosen(&bundle, at) else { continue };
            let (parent, key) = place.rsplit_once('/').unwrap();
            match bundle.pointer_mut(parent) {
                Some(Value::Object(fields)) => {
                    fields.remove(&key.replace("~1", "/").replace("~0", "~"));
                }
                Some(Value::Array(items)) => {
                    items.remove(key.parse().unwrap());
                }
                _ => {}
            }
        }
        property::holds(&serde_json::to_vec(&bundle).unwrap());
    }

    #[test]
    fn any_bundle_with_bytes_changed_holds(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = MINIMAL.as_bytes().to_vec();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        property::holds(&bytes);
    }

    #[test]
    fn any_bytes_hold(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        property::holds(&bytes);
    }
}

//! The committed reference captures open, validate and hold what the oracles computed.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

use std::fs;

use support::{expected, open_all, opened, root};
use tokenpath_core::bundle::{read, write};
use tokenpath_core::traverse::{ComputedBy, verdict};
use tokenpath_import::Format;

const CASES: [&str; 8] = [
    "smollm2",
    "smollm2-server",
    "tiny-dense",
    "tiny-moe",
    "tiny-hybrid",
    "user-chat",
    "user-chat-no-usage",
    "synthetic-metal",
];

fn fixture(case: &str) -> (String, Vec<u8>) {
    let path = root().join("fixtures").join(case).join("run.json.gz");
    (case.to_owned(), fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

#[test]
fn every_fixture_opens_without_a_problem_and_survives_writing() {
    for case in CASES {
        let imported = opened(&[fixture(case)]);
        assert_eq!(imported.formats, [Format::Bundle], "{case}");
        assert!(imported.problems.is_empty(), "{case}: {:#?}", imported.problems);
        assert_eq!(read(&write(&imported.run)).unwrap().run, imported.run, "{case}");
        assert!(fixture(case).1.len() < 400_000, "{case} is larger than a committed fixture may be");
    }
}

#[test]
fn no_folder_of_fixtures_is_forgotten() {
    let folders: Vec<String> = fs::read_dir(root().join("fixtures"))
        .unwrap()
        .filter_map(|entry| entry.ok().filter(|entry| entry.path().join("run.json.gz").exists()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(folders.len(), CASES.len(), "{folders:?}");
}

/// Right values: `tests/oracle/figures.py`, from the raw recordings.
#[test]
fn captures_hold_the_oracles_counts() {
    for case in ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"] {
        let want = expected(case);
        let run = opened(&[fixture(case)]).run;
        let nodes = &run.graph.nodes;
        let decode = (0..run.graph.graphs.rows())
            .find(|row| run.graph.graphs.pass_kind.get(*row) == Some("decode"))
            .and_then(|row| u32::try_from(row).ok());
        let rows: Vec<usize> = (0..nodes.rows()).filter(|row| nodes.graph.get(*row) == decode).collect();
        assert_eq!(rows.len() as i64, want["nodes_per_decode_pass"], "{case}");
        let work = rows.iter().filter(|row| nodes.view.get(**row) == Some(0)).count();
        assert_eq!(work as i64, want["nodes_not_views"], "{case}");
        let bytes: i64 = run.model.tensors.bytes.raw().iter().sum();
        assert_eq!(bytes, want["stated_tensor_bytes"], "{case}");
    }
}

#[test]
fn a_bundle_is_a_whole_run() {
    let error = open_all(&[fixture("user-chat"), fixture("smollm2")]).unwrap_err().to_string();
    assert!(error.contains("one-of-each"), "{error}");
}

/// Right values: counted by hand. A decode pass of SmolLM2 reads a weight in 1 look-up, 7 products of each of 30 layers and
/// the head, and 61 scalings of a norm; the synthetic run has its gaps planted.
#[test]
fn verdicts() {
    let of = |case: &str| verdict(&opened(&[fixture(case)]).run, None, ComputedBy::Generator);
    let smollm2 = of("smollm2");
    assert!(smollm2.is_pass(), "{:#?}", smollm2.gaps);
    assert_eq!((smollm2.up.total, smollm2.reach_tensor), (936, 1 + 7 * 30 + 1 + 61));
    assert!(of("smollm2-server").is_pass() && of("tiny-moe").is_pass() && of("tiny-hybrid").is_pass());
    assert!(of("synthetic-metal").is_fail());
    let user = of("user-chat");
    assert!(!user.is_pass() && !user.is_fail());
}

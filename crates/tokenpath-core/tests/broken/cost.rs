//! What a hostile document may cost: bounded lists of problems, and work in proportion to its size.

use std::fmt::Write as _;

use serde_json::json;
use tokenpath_core::bundle::{Opened, read};
use tokenpath_core::problem::Rule;

use crate::harness::{assert_usable, minimal, set};

/// The minimal bundle as text, with `marker` (a string value in it) replaced by raw JSON.
fn with_raw(place: &str, raw: &str) -> String {
    let mut bundle = minimal();
    set(&mut bundle, place, json!("MARKER"));
    serde_json::to_string(&bundle).unwrap().replacen("\"MARKER\"", raw, 1)
}

fn opened(place: &str, raw: &str) -> Opened {
    let opened = read(with_raw(place, raw).as_bytes()).unwrap();
    assert_usable(&opened);
    opened
}

fn repeated(item: &str, count: usize) -> String {
    format!("[{}]", vec![item; count].join(","))
}

#[test]
fn a_million_bad_cells_give_a_short_list() {
    let mut out = String::new();
    for (place, item, count) in [
        ("/timeline/intervals/start", "-1", 1_000_000),
        ("/timeline/intervals/start", "true", 50_000),
        ("/timeline/intervals/kernel", "99", 50_000),
        ("/timeline/intervals/nodes", "[99]", 50_000),
        ("/kernels/name", "{}", 50_000),
        ("/kernels/name", "\"same\"", 50_000),
        ("/passes/rows/kind", "\"maybe\"", 50_000),
    ] {
        let raw = repeated(item, count);
        let opened = opened(place, &raw);
        assert!(opened.problems.len() < 60, "{place}: {}", opened.problems.len());
        writeln!(out, "{place}: {item} {count} times").unwrap();
        for problem in opened.problems.iter().filter(|problem| problem.pointer.starts_with(place)) {
            writeln!(out, "  {problem}").unwrap();
        }
    }
    insta::assert_snapshot!("million_cells", out);
}

#[test]
fn many_problems_of_any_kind_give_a_short_list() {
    let many = 30_000;
    let keys = |value: &str| {
        let mut text = String::from("{");
        for i in 0..many {
            write!(text, "{}\"k{i}\":{value}", if i == 0 { "" } else { "," }).unwrap();
        }
        text + "}"
    };
    let entries = |entry: &str| repeated(entry, many);
    let mut out = String::new();
    for (place, what, raw) in [
        ("/timeline/intervals/labels", "labels of unknown columns", keys("\"measured:x\"")),
        ("/timeline/intervals", "unknown columns", keys("[1]")),
        ("/absent", "entries that are none", entries("7")),
        ("/absent", "entries without a field", entries("{}")),
        ("/absent", "entries for nothing", entries(r#"{"pointer":"/x","code":"lost","reason":"r"}"#)),
        ("/identity/instrument/statement", "statements that are none", entries("7")),
        ("/identity/host", "unknown fields", keys("7")),
    ] {
        let opened = opened(place, &raw);
        assert!(opened.problems.len() < 150, "{what}: {}", opened.problems.len());
        writeln!(out, "{many} {what}: {} problems", opened.problems.len()).unwrap();
        for problem in opened.problems.iter().filter(|problem| problem.text.contains("more")) {
            writeln!(out, "  {problem}").unwrap();
        }
    }
    insta::assert_snapshot!("many_problems", out);
}

#[test]
fn long_names_and_pointers_are_cut_in_messages() {
    let long = "x".repeat(1_000_000);
    for (place, raw) in [
        ("/passes/rows/kind/0", format!("\"{long}\"")),
        ("/absent/0/pointer", format!("\"/{long}\"")),
        ("/absent/0/code", format!("\"{long}\"")),
        ("/timeline/intervals/labels/*", format!("\"{long}\"")),
        ("/kernels/name", format!("[{}]", vec![format!("\"{long}\""); 6].join(","))),
    ] {
        for problem in opened(place, &raw).problems {
            assert!(problem.text.len() < 300, "{place}: {} bytes", problem.text.len());
        }
    }
    let text = with_raw("/timeline/later", "1").replacen("\"later\"", &format!("\"{long}\""), 1);
    let opened = read(text.as_bytes()).unwrap();
    assert_eq!(opened.problems.len(), 1);
    assert_eq!(opened.problems[0].rule, Rule::UnknownField);
    assert!(opened.problems[0].to_string().len() < 300);
}

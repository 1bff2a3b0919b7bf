//! The absence list: entries that explain nothing, or explain badly.

use serde_json::{Value, json};

use crate::harness::{explain, minimal, outcome, set, with};

#[test]
fn an_entry_points_at_a_value() {
    let mut out = String::new();
    for pointer in [
        "/identity",
        "/identity/title",
        "/identity/runtime",
        "/identity/host/cpu",
        "/passes",
        "/passes/clock_join/offset",
        "/model/layers",
        "/kernels",
        "/timeline/intervals",
        "/timeline/intervals/start",
        "/timeline/intervals/start/3",
        "/graph/nodes/layer/3",
        "/traversal",
        "/traversal/pass",
    ] {
        let mut bundle = minimal();
        explain(&mut bundle, pointer);
        out += &format!("an entry for {pointer}\n{}", outcome(&bundle));
    }
    insta::assert_snapshot!("absence_of_present", out);
}

#[test]
fn an_entry_points_at_nothing() {
    let mut out = String::new();
    let long = format!("/{}", "x/".repeat(5000));
    for pointer in [
        "",
        "/",
        "nothing",
        "/nothing",
        "/timeline/nothing",
        "/timeline/intervals/nothing",
        "/timeline/intervals/duration/19",
        "/timeline/intervals/duration/03",
        "/timeline/intervals/duration/+3",
        "/timeline/intervals/duration/-1",
        "/timeline/intervals/duration/99999999999999999999999",
        "/timeline/intervals/duration/3/0",
        "/identity/title/0",
        "/timeline/intervals/labels",
        "/absent",
        "/tokenpath",
        "/timeline/\u{1b}[31m",
        &long,
    ] {
        let mut bundle = minimal();
        explain(&mut bundle, pointer);
        let shown: String = pointer.escape_debug().take(60).collect();
        out += &format!("an entry for {shown}\n{}", outcome(&bundle));
    }
    insta::assert_snapshot!("absence_of_nothing", out);
}

#[test]
fn an_entry_is_incomplete() {
    let mut out = String::new();
    for (field, value) in [
        ("pointer", Value::Null),
        ("pointer", json!("")),
        ("pointer", json!(3)),
        ("code", Value::Null),
        ("code", json!("because")),
        ("code", json!(3)),
        ("reason", Value::Null),
        ("reason", json!("")),
        ("reason", json!(3)),
    ] {
        let mut bundle = minimal();
        let entry = bundle["absent"][3].as_object_mut().unwrap();
        if value.is_null() {
            entry.remove(field);
        } else {
            entry.insert(field.to_owned(), value.clone());
        }
        out += &format!("/absent/3/{field} = {value}\n{}", outcome(&bundle));
    }
    insta::assert_snapshot!("absence_incomplete", out);
}

#[test]
fn entries_stand_twice_or_after_a_broken_one() {
    let mut out = String::new();
    let mut bundle = minimal();
    explain(&mut bundle, "/passes/rows/period/2");
    out += &format!("a second entry\n{}", outcome(&bundle));
    let mut bundle = minimal();
    explain(&mut bundle, "/nothing");
    // A broken entry before it does not shift the place that is told.
    bundle["absent"].as_array_mut().unwrap().insert(0, json!(7));
    out += &format!("a broken entry before a wrong one\n{}", outcome(&bundle));
    out += &format!("no list\n{}", outcome(&with("/absent", Value::Null)));
    out += &format!("an unknown field in an entry\n{}", outcome(&with("/absent/0/since", 7)));
    insta::assert_snapshot!("absence_list", out);
}

#[test]
fn reasons_in_more_detail_are_welcome() {
    let mut out = String::new();
    // A section that is absent, and reasons for what it would hold.
    let mut bundle = minimal();
    crate::harness::remove(&mut bundle, "/request");
    bundle["absent"].as_array_mut().unwrap().retain(|entry| entry["pointer"] != "/request/counters/value/5");
    explain(&mut bundle, "/request");
    explain(&mut bundle, "/request/chunks");
    explain(&mut bundle, "/request/chunks/tokens");
    out += &format!("a section that is absent\n{}", outcome(&bundle));
    // Cells of a table that is not there are nothing.
    explain(&mut bundle, "/request/chunks/tokens/0");
    out += &format!("a cell of a table that is absent\n{}", outcome(&bundle));
    // A table without rows, and why.
    let mut bundle = minimal();
    set(&mut bundle, "/timeline/copies", json!({}));
    explain(&mut bundle, "/timeline/copies");
    explain(&mut bundle, "/timeline/copies/bytes");
    out += &format!("a table without rows\n{}", outcome(&bundle));
    // What a reader wrote that had set something aside.
    let mut bundle = minimal();
    crate::harness::remove(&mut bundle, "/identity/title");
    bundle["absent"].as_array_mut().unwrap().push(json!(
        {"pointer": "/identity/title", "code": "set_aside", "reason": "It was no text."}
    ));
    out += &format!("a field that a reader has set aside\n{}", outcome(&bundle));
    // A field of a later version, and a reason in it.
    let mut bundle = with("/timeline/fans", json!([1, null]));
    explain(&mut bundle, "/timeline/fans/1");
    out += &format!("a reason in an unknown field\n{}", outcome(&bundle));
    insta::assert_snapshot!("absence_detail", out);
}

//! Fields and columns: missing, of a wrong type, dangling, ragged, null without a reason.

use serde_json::{Value, json};
use tokenpath_core::record::{Kind, Null};

use crate::harness::{changed, minimal, outcome, parts, set, with, without};

#[test]
fn the_minimal_bundle_is_valid_and_complete() {
    let bundle = minimal();
    insta::assert_snapshot!(outcome(&bundle), @"  no problem");
    // Complete: every part is there, and every column has a value somewhere.
    for part in parts() {
        let held = bundle.pointer(part.pointer).unwrap_or_else(|| panic!("{} is missing", part.pointer));
        for spec in part.fields {
            // The example has no recording and no model file.
            if matches!((part.pointer, spec.name), ("/identity", "recorded_at") | ("/identity/model", "digest")) {
                continue;
            }
            let value = held.get(spec.name).unwrap_or_else(|| panic!("{}/{} is missing", part.pointer, spec.name));
            let some = value.as_array().is_none_or(|cells| cells.iter().any(|cell| !cell.is_null()));
            assert!(some, "{}/{} has no value", part.pointer, spec.name);
        }
    }
}

#[test]
fn a_required_part_or_field_is_missing() {
    let mut out = String::new();
    for part in parts() {
        if part.null == Null::Never {
            out += &format!("without {}\n{}", part.pointer, outcome(&without(part.pointer)));
        }
        for spec in part.fields.iter().filter(|spec| spec.null == Null::Never) {
            let at = format!("{}/{}", part.pointer, spec.name);
            out += &format!("without {at}\n{}", outcome(&without(&at)));
        }
    }
    insta::assert_snapshot!("required_missing", out);
}

#[test]
fn an_explained_part_or_field_is_missing_without_a_reason() {
    let mut out = String::new();
    for part in parts() {
        if part.null == Null::Explained {
            out += &format!("without {}\n{}", part.pointer, outcome(&without(part.pointer)));
        }
        for spec in part.fields.iter().filter(|spec| matches!(spec.null, Null::Explained | Null::EndedBy(_))) {
            let at = format!("{}/{}", part.pointer, spec.name);
            let mut bundle = minimal();
            if bundle.pointer(&at).is_none() {
                // Missing already, with a reason: take the reason away.
                bundle["absent"].as_array_mut().unwrap().retain(|entry| entry["pointer"] != at.as_str());
            } else {
                set(&mut bundle, &at, Value::Null);
                bundle["absent"].as_array_mut().unwrap().retain(|entry| {
                    let pointer = entry["pointer"].as_str().unwrap();
                    pointer != at && !pointer.starts_with(&format!("{at}/"))
                });
            }
            out += &format!("without {at}\n{}", outcome(&bundle));
        }
    }
    insta::assert_snapshot!("explained_missing", out);
}

#[test]
fn a_cell_is_null_without_a_reason() {
    let mut out = String::new();
    for part in parts().iter().filter(|part| part.is_table) {
        for spec in part.fields.iter().filter(|spec| spec.null != Null::Free) {
            let at = format!("{}/{}", part.pointer, spec.name);
            let bundle = minimal();
            let cells = bundle.pointer(&at).unwrap().as_array().unwrap();
            // The first cell with a value that no entry for the whole column covers.
            let Some(row) = cells.iter().position(|cell| !cell.is_null()) else { continue };
            let covered = bundle["absent"].as_array().unwrap().iter().any(|entry| entry["pointer"] == at.as_str());
            let cell = format!("{at}/{row}");
            let text = outcome(&with(&cell, Value::Null));
            if covered {
                assert_eq!(text, "  no problem\n");
            } else {
                out += &format!("null at {cell}\n{text}");
            }
        }
    }
    insta::assert_snapshot!("null_cells", out);
}

#[test]
fn a_reference_dangles() {
    let mut out = String::new();
    let parts = parts();
    for part in &parts {
        for spec in part.fields {
            let (Kind::Ref(table) | Kind::Refs(table)) = spec.kind else { continue };
            let target = parts.iter().find(|part| part.pointer == table).unwrap();
            let first = target.fields[0].name;
            let rows = minimal().pointer(&format!("{table}/{first}")).unwrap().as_array().unwrap().len();
            let at = format!("{}/{}", part.pointer, spec.name);
            let (place, value) = match (part.is_table, spec.kind) {
                (false, _) => (at, json!(rows)),
                (true, Kind::Refs(_)) => (format!("{at}/0"), json!([rows])),
                (true, _) => (format!("{at}/0"), json!(rows)),
            };
            out += &changed(&place, value);
        }
    }
    // No row of any table.
    for value in [json!(-1), json!(4294967295_u64), json!(9223372036854775807_i64), json!(18446744073709551615_u64)] {
        let place = "/timeline/segments/queue/0";
        out += &changed(place, value);
    }
    let place = "/traversal/pass";
    out += &format!("{place} = -1\n{}", outcome(&with(place, -1)));
    insta::assert_snapshot!("dangling", out);
}

#[test]
fn a_column_is_shorter_than_its_table() {
    let mut out = String::new();
    for part in parts().iter().filter(|part| part.is_table && part.fields.len() > 1) {
        let mut bundle = minimal();
        // The last column, so that the first gives the number of rows.
        let at = format!("{}/{}", part.pointer, part.fields[part.fields.len() - 1].name);
        let cells = bundle.pointer_mut(&at).unwrap().as_array_mut().unwrap();
        if cells.len() == 1 {
            cells.push(cells[0].clone());
        } else {
            cells.pop();
        }
        out += &format!("{at} has another length\n{}", outcome(&bundle));
    }
    let at = "/timeline/intervals/nodes";
    out += &format!("{at} is empty\n{}", outcome(&with(at, json!([]))));
    insta::assert_snapshot!("ragged", out);
}

#[test]
fn a_value_has_a_wrong_type() {
    let mut out = String::new();
    for part in parts() {
        out += &format!("{} = \"x\"\n{}", part.pointer, outcome(&with(part.pointer, "x")));
        for spec in part.fields {
            let wrong = match spec.kind {
                Kind::Text | Kind::Private | Kind::Word(_) | Kind::Moment | Kind::Digest => json!(7),
                Kind::Flag => json!(1),
                Kind::Texts => json!(["x", 7]),
                Kind::Refs(_) | Kind::Sizes => json!([0, null]),
                Kind::Ns | Kind::SignedNs | Kind::Bytes | Kind::Count | Kind::Ref(_) => json!(1.0),
            };
            let at = format!("{}/{}", part.pointer, spec.name);
            let place = if part.is_table { format!("{at}/0") } else { at };
            if minimal().pointer(&place).is_none() {
                continue;
            }
            out += &changed(&place, wrong);
        }
    }
    for (place, wrong) in [
        ("/timeline/intervals/start", json!({"0": 1})),
        ("/timeline/intervals/start", json!("0,1,2")),
        ("/graph/nodes/tensors", json!([0, 1, 2])),
        ("/graph/nodes/tensors/3", json!(1)),
        ("/graph/nodes/shape/3", json!(["4", "1"])),
        ("/kernels/name", json!(7)),
        ("/kernels/name/0", json!(["a"])),
        ("/absent", json!({})),
        ("/absent", json!("nothing")),
        ("/absent/0", json!("/identity/recorded_at")),
        ("/identity/recorded_at", json!("yesterday")),
        ("/identity/model/digest", json!("sha256:abc")),
    ] {
        out += &changed(place, wrong);
    }
    insta::assert_snapshot!("wrong_types", out);
}

#[test]
fn a_word_is_unknown() {
    let mut out = String::new();
    for part in parts() {
        for spec in part.fields.iter().filter(|spec| matches!(spec.kind, Kind::Word(_))) {
            let at = format!("{}/{}", part.pointer, spec.name);
            let place = if part.is_table { format!("{at}/0") } else { at };
            out += &format!("{place} = \"maybe\"\n{}", outcome(&with(&place, "maybe")));
        }
    }
    insta::assert_snapshot!("unknown_words", out);
}

#[test]
fn names_and_ids_stand_twice() {
    let mut out = String::new();
    for place in [
        "/request/events/name",
        "/request/counters/name",
        "/model/tensors/name",
        "/model/parameters/name",
        "/kernels/name",
        "/traversal/ends/code",
    ] {
        let first = minimal().pointer(&format!("{place}/0")).unwrap().clone();
        out += &changed(&format!("{place}/1"), first);
    }
    insta::assert_snapshot!("duplicates", out);
}

#[test]
fn parts_exceed_their_whole() {
    let mut out = String::new();
    for (place, value) in [
        ("/request/counters/value/1", 4_i64),
        ("/request/counters/value/4", 1),
        ("/model/parameters/value/5", 3),
        ("/model/header_bytes", 1009),
        // Stated, not an error: the lens shows the negative remainder.
        ("/model/tensors/bytes/0", 1000),
        ("/model/tensors/bytes/0", i64::MAX),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("parts_and_wholes", out);
}

#[test]
fn relations_told_twice_disagree() {
    let mut out = String::new();
    for (place, value) in [
        ("/timeline/intervals/pass/3", json!(2)),
        ("/timeline/intervals/nodes/3", json!([7])),
        ("/traversal/pass", json!(0)),
        ("/graph/nodes/layer_end/3", json!(0)),
        ("/graph/nodes/tensors_end/3", json!(2)),
        ("/graph/nodes/tensors_end/5", json!(null)),
        ("/timeline/intervals/kernel_end/1", json!(6)),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("contradictions", out);
}

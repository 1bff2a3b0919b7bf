//! Labels: missing, unknown, of a wrong shape.

use serde_json::json;

use crate::harness::{changed, outcome, parts, without};

#[test]
fn a_part_has_no_labels() {
    let mut out = String::new();
    for part in parts() {
        let at = format!("{}/labels", part.pointer);
        if crate::harness::minimal().pointer(&at).is_some() {
            out += &format!("without {at}\n{}", outcome(&without(&at)));
        }
    }
    insta::assert_snapshot!("labels_missing", out);
}

#[test]
fn a_label_is_none() {
    let mut out = String::new();
    let table = "/timeline/intervals/labels";
    for (place, value) in [
        (format!("{table}/*"), json!("guessed")),
        (format!("{table}/*"), json!("Measured:CLOCK")),
        (format!("{table}/*"), json!("measured")),
        (format!("{table}/*"), json!("derived:")),
        (format!("{table}/*"), json!("inferred")),
        // These three kinds need not name a source.
        (format!("{table}/*"), json!("reported")),
        (format!("{table}/*"), json!("read")),
        (format!("{table}/*"), json!("estimated")),
        (format!("{table}/*"), json!(1)),
        (format!("{table}/kernel"), json!(["measured:x"])),
        (format!("{table}/kernel"), json!({})),
        (format!("{table}/kernel"), json!({"values": ["measured:x"]})),
        (format!("{table}/kernel"), json!({"values": ["guessed"], "rows": []})),
        (format!("{table}/kernel"), json!({"values": [7], "rows": []})),
        (format!("{table}/kernel"), json!({"values": ["measured:x"], "rows": [0]})),
        (format!("{table}/kernel"), json!({"values": ["measured:x"], "rows": vec![1; 19]})),
        (format!("{table}/kernel"), json!({"values": ["measured:x"], "rows": [null]})),
        (format!("{table}/kernel"), json!({"values": ["measured:x"], "rows": vec![0; 19]})),
        (format!("{table}/colour"), json!("measured:x")),
        (format!("{table}/colour"), json!({"red": 1})),
        ("/timeline/intervals/labels".to_owned(), json!("measured:x")),
        ("/passes/clock_join/labels/offset".to_owned(), json!({"values": ["measured:x"], "rows": [0]})),
        ("/identity/host/labels/cpu".to_owned(), json!("guessed")),
        ("/identity/host/labels".to_owned(), json!([])),
    ] {
        out += &changed(&place, value);
    }
    insta::assert_snapshot!("labels_wrong", out);
}

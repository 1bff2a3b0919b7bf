//! Times: negative, overflowing, out of order, outside what holds them.

use serde_json::json;
use tokenpath_core::record::Kind;

use crate::harness::{changed, outcome, parts, set, with};

const LARGEST: i64 = i64::MAX;

#[test]
fn a_number_is_negative() {
    let mut out = String::new();
    for part in parts() {
        for spec in part.fields {
            let at = format!("{}/{}", part.pointer, spec.name);
            let place = if part.is_table { format!("{at}/0") } else { at };
            let value = match spec.kind {
                Kind::Ns | Kind::Bytes | Kind::Count => json!(-1),
                Kind::Sizes => json!([4, -1]),
                _ => continue,
            };
            out += &changed(&place, value);
        }
    }
    // An offset may be negative.
    let place = "/passes/clock_join/offset";
    out += &format!("{place} = -1\n{}", outcome(&with(place, -1)));
    insta::assert_snapshot!("negative", out);
}

#[test]
fn a_number_overflows() {
    let mut out = String::new();
    let place = "/timeline/intervals/duration/18";
    for value in [json!(LARGEST), json!(9223372036854775808_u64), json!(u64::MAX), json!(1e300), json!(1.5)] {
        out += &changed(place, value);
    }
    for (place, value) in [
        ("/timeline/end", json!(u64::MAX)),
        ("/timeline/calls/duration/0", json!(LARGEST)),
        ("/timeline/copies/duration/0", json!(LARGEST)),
        ("/timeline/ranges/duration/0", json!(LARGEST)),
        ("/passes/clock_join/offset", json!(i64::MIN)),
        ("/model/file_bytes", json!(u64::MAX)),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("overflow", out);
}

#[test]
fn an_end_lies_before_its_start() {
    let mut out = String::new();
    for (place, value) in [
        ("/timeline/end", 999_999),
        ("/passes/rows/end/0", 1_099_999),
        ("/timeline/submissions/end/0", 1_109_999),
        ("/timeline/segments/end/4", 1_694_999),
        ("/timeline/unrecorded/end/0", 1_999_999),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("end_before_start", out);
}

#[test]
fn something_lies_outside_what_holds_it() {
    let mut out = String::new();
    for (place, value) in [
        // The segment of interval 1 is 1130000 to 1290000 ns.
        ("/timeline/intervals/start/1", 1_129_999),
        ("/timeline/intervals/duration/2", 130_001),
        ("/timeline/intervals/segment/1", 1),
        // The capture is 1000000 to 2400000 ns.
        ("/passes/rows/end/2", 2_400_001),
        ("/timeline/submissions/end/4", 2_400_001),
        ("/timeline/segments/end/4", 2_400_001),
        ("/timeline/unrecorded/end/0", 2_400_001),
        ("/timeline/intervals/start/0", 999_999),
        ("/timeline/calls/start/0", 999_999),
        ("/timeline/copies/duration/1", 1_000_000),
        ("/timeline/ranges/start/0", 999_999),
        ("/timeline/end", 1_700_000),
        ("/timeline/start", 1_050_001),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("outside", out);
}

#[test]
fn rows_are_out_of_order() {
    let mut out = String::new();
    for (place, value) in [
        ("/request/chunks/at/3", 589_999),
        ("/timeline/intervals/start/5", 1_434_999),
        ("/timeline/segments/start/2", 1_419_999),
        ("/timeline/submissions/start/2", 1_404_999),
        ("/passes/rows/start/1", 1_099_999),
    ] {
        out += &changed(place, value);
    }
    insta::assert_snapshot!("out_of_order", out);
}

#[test]
fn a_period_is_not_the_distance_to_the_next_start() {
    let mut out = String::new();
    for (place, value) in [("/passes/rows/period/0", 299_999), ("/passes/rows/period/2", 200_000)] {
        let mut bundle = with(place, value);
        if place.ends_with('2') {
            bundle["absent"].as_array_mut().unwrap().retain(|entry| entry["pointer"] != place);
        }
        out += &format!("{place} = {value}\n{}", outcome(&bundle));
    }
    // Two executions, interleaved: each pass's period is to the next of its own.
    let mut bundle = crate::harness::minimal();
    for (place, value) in [
        ("/passes/executions/name", json!(["traced", "stamped"])),
        ("/passes/executions/text", json!(["As without the tracer.", "Stamps only."])),
        ("/passes/executions/interval_kind", json!(["kernel", "tick"])),
        ("/passes/rows/execution", json!([0, 1, 0])),
        ("/passes/rows/period", json!([500_000, null, null])),
    ] {
        set(&mut bundle, place, value);
    }
    crate::harness::explain(&mut bundle, "/passes/rows/period/1");
    out += &format!("two executions\n{}", outcome(&bundle));
    insta::assert_snapshot!("periods", out);
}

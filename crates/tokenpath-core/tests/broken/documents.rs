//! Documents that are no bundle, or no whole one.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tokenpath_core::bundle::{ReadError, inflate, read, write, write_gzip};

use crate::harness::{MINIMAL, minimal, outcome, outcome_of_bytes, with};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn no_bundle() {
    let mut out = String::new();
    for bytes in [
        &b""[..],
        b" \n\t",
        b"\xef\xbb\xbf",
        b"null",
        b"[]",
        b"7",
        b"\"tokenpath\"",
        b"{}",
        br#"{"traceEvents":[],"displayTimeUnit":"ms"}"#,
        br#"{"model_type":"llama","hidden_size":4096,"a":1,"b":2,"c":3}"#,
        br#"{"tokenpath":0}"#,
        br#"{"tokenpath":"1"}"#,
        br#"{"tokenpath":1.0}"#,
        br#"{"tokenpath":null}"#,
        br#"{"tokenpath":-1}"#,
        br#"{"tokenpath":18446744073709551615}"#,
        br#"{"tokenpath":2}"#,
        br#"{"tokenpath":2,"identity":7}"#,
        b"{\"tokenpath\":1",
        b"{\"tokenpath\":1,}",
        b"{\"tokenpath\":1}}",
        b"{\"tokenpath\":1}\n{\"tokenpath\":1}",
        b"{\"tokenpath\":1,\"passes\":NaN}",
        b"{\"tokenpath\":1,\"passes\":-Infinity}",
        b"{\"tokenpath\":1,\n \"passes\": undefined}",
        b"{\"tokenpath\":1,\"a\":01}",
        b"{\"tokenpath\":1,\"a\":\"\xff\"}",
        b"{\"tokenpath\":1,\"a\":\"\\ud800\"}",
        b"{\"tokenpath\":1,\"a\":\"\n\"}",
        b"{'tokenpath':1}",
        b"{tokenpath:1}",
        b"\xff\xfe{\0\"\0",
        b"\xfe\xff\0{\0\"",
        b"PK\x03\x04",
        b"SQLite format 3\0",
        b"GGUF\x03\0\0\0",
        b"\x1f\x8b",
        b"\x1f\x8b\x08\x00garbage that is no gzip",
    ] {
        let shown: String = bytes.escape_ascii().map(char::from).collect();
        out += &format!("{shown}\n{}", outcome_of_bytes(bytes));
    }
    insta::assert_snapshot!("no_bundle", out);
}

#[test]
fn the_smallest_bundle_opens() {
    insta::assert_snapshot!("smallest", outcome_of_bytes(br#"{"tokenpath":1}"#));
}

#[test]
fn a_byte_order_mark_and_white_space_are_read_over() {
    let plain = read(MINIMAL.as_bytes()).unwrap();
    let marked = [b"\xef\xbb\xbf", b" \r\n".as_slice(), MINIMAL.as_bytes(), b"\n\n"].concat();
    assert_eq!(read(&marked).unwrap(), plain);
    assert_eq!(read(&gzip(&marked)).unwrap(), plain);
}

#[test]
fn gzip_in_and_out() {
    let plain = read(MINIMAL.as_bytes()).unwrap();
    let packed = write_gzip(&plain.run);
    assert_eq!(packed, write_gzip(&plain.run), "equal runs give equal bytes");
    assert_eq!(read(&packed).unwrap(), plain);
    // Two members, as `cat a.gz b.gz` makes them.
    let (head, tail) = MINIMAL.as_bytes().split_at(MINIMAL.len() / 2);
    assert_eq!(read(&[gzip(head), gzip(tail)].concat()).unwrap(), plain);
}

#[test]
fn a_gzip_stream_is_cut_anywhere() {
    let packed = gzip(MINIMAL.as_bytes());
    for length in (2..packed.len()).step_by(7) {
        match read(&packed[..length]) {
            Err(ReadError::Gzip { message, .. }) => assert_eq!(message, "the stream is cut off", "at {length}"),
            other => panic!("at {length}: {other:?}"),
        }
    }
    let mut out = String::new();
    for length in [2, 10, 20, packed.len() / 2, packed.len() - 8, packed.len() - 1] {
        // Compressed lengths differ between versions of the library; the sentence does not.
        let text = outcome_of_bytes(&packed[..length]);
        let text: String = text.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
        out += &text.replace("##", "#").replace("##", "#");
    }
    let mut flipped = packed.clone();
    let last = flipped.len() - 5;
    flipped[last] ^= 1;
    out += &format!("a wrong check sum\n{}", outcome_of_bytes(&flipped).replace(&MINIMAL.len().to_string(), "N"));
    let trailed = [packed.as_slice(), b"more"].concat();
    out +=
        &format!("something after the stream\n{}", outcome_of_bytes(&trailed).replace(&MINIMAL.len().to_string(), "N"));
    insta::assert_snapshot!("gzip_cut", out);
}

#[test]
fn a_gzip_bomb_stops_at_the_limit() {
    let packed = gzip(&vec![b' '; 1_000_000]);
    assert!(packed.len() < 10_000);
    assert_eq!(inflate(&packed, 999_999), Err(ReadError::TooLarge { limit: 999_999 }));
    assert_eq!(inflate(&packed, 1_000_000).map(|bytes| bytes.len()), Ok(1_000_000));
    // As a chain of members, each small by itself.
    let member = gzip(&[b' '; 1000]);
    assert_eq!(inflate(&member.repeat(1000), 999_999), Err(ReadError::TooLarge { limit: 999_999 }));
    assert_eq!(
        ReadError::TooLarge { limit: 999_999 }.to_string(),
        "the document has more than 999999 bytes, the most this reader takes"
    );
}

#[test]
fn a_document_is_cut_anywhere() {
    // Refused at every length, never a panic, never a bundle. A step that is prime meets every kind of place.
    for length in (0..MINIMAL.trim_end().len()).step_by(101) {
        assert!(read(&MINIMAL.as_bytes()[..length]).is_err(), "at {length}");
    }
}

#[test]
fn nesting_is_bounded() {
    let mut out = String::new();
    for (open, inner, close) in [("[", "", "]"), ("{\"a\":", "0", "}"), ("[{\"a\":", "0", "}]")] {
        for place in ["later", "identity", "absent"] {
            let deep = format!("{}{inner}{}", open.repeat(10_000), close.repeat(10_000));
            let text = format!("{{\"tokenpath\":1,\"{place}\":{deep}}}");
            out += &format!("{place}: {open} 10000 times\n{}", outcome_of_bytes(text.as_bytes()));
        }
    }
    // Fifty levels in an unknown field are kept.
    let mut nested = json!(1);
    for _ in 0..25 {
        nested = json!([{"a": nested}]);
    }
    out += &format!("fifty levels in an unknown field\n{}", outcome(&with("/later", nested)));
    insta::assert_snapshot!("nesting", out);
}

#[test]
fn keys_stand_twice() {
    let mut out = String::new();
    for (from, to) in [
        ("{\n  \"tokenpath\": 1,", "{\"tokenpath\": 1, \"tokenpath\": 1,"),
        ("\"absent\": [", "\"absent\": [], \"absent\": ["),
        ("\"kernels\": {", "\"kernels\": {}, \"kernels\": {"),
        ("\"title\": ", "\"title\": \"another\", \"title\": "),
        ("\"host\": {", "\"host\": {}, \"host\": {"),
        ("\"start\": [1050000", "\"start\": [], \"start\": [1050000"),
        ("{\"values\"", "{\"values\""),
        ("\"code\": \"lost\"", "\"code\": \"depth\", \"code\": \"lost\""),
        ("\"kernels\": {\n          \"values\"", "\"kernels\": {\"rows\": [], \"values\""),
    ] {
        if from == to {
            continue;
        }
        let text = MINIMAL.replacen(from, to, 1);
        assert_ne!(text, MINIMAL, "{from}");
        out += &format!("{to}\n{}", outcome_of_bytes(text.as_bytes()));
    }
    let many: String = (0..1000).map(|_| "\"x\":1,").collect();
    let text = MINIMAL.replacen("\"tokenpath\"", &format!("{many}\"tokenpath\""), 1);
    out += &format!("\"x\" 1000 times\n{}", outcome_of_bytes(text.as_bytes()));
    insta::assert_snapshot!("duplicate_keys", out);
}

#[test]
fn unknown_fields_are_kept_told_and_written_back() {
    let mut bundle = minimal();
    let later = json!({"a": [1, null, "x", 2.5, {"b": [[1], [2, 3]]}], "big": u64::MAX, "small": i64::MIN});
    let places = [
        "/later",
        "/identity/later",
        "/identity/host/later",
        "/passes/later",
        "/timeline/intervals/later",
        "/timeline/intervals/labels/later",
        "/graph/nodes/labels/kernels/later",
        "/absent/0/later",
        "/model/tensors/la~1t~0er",
    ];
    for place in places {
        match place.rsplit_once('/') {
            Some((parent, key)) => {
                let parent = bundle.pointer_mut(parent).unwrap().as_object_mut().unwrap();
                parent.insert(key.replace("~1", "/").replace("~0", "~"), later.clone());
            }
            None => unreachable!(),
        }
    }
    insta::assert_snapshot!("unknown_fields", outcome(&bundle));
    let opened = read(&serde_json::to_vec(&bundle).unwrap()).unwrap();
    let written: Value = serde_json::from_slice(&write(&opened.run)).unwrap();
    for place in places {
        assert_eq!(written.pointer(place).map(|value| &value["a"]), Some(&later["a"]), "{place}");
        assert_eq!(written.pointer(place).map(|value| &value["big"]), Some(&later["big"]), "{place}");
        assert_eq!(written.pointer(place).and_then(|value| value["small"].as_f64()), Some(i64::MIN as f64), "{place}");
    }
}

#[test]
fn what_is_written_is_what_was_read() {
    let run = read(MINIMAL.as_bytes()).unwrap().run;
    let written: Value = serde_json::from_slice(&write(&run)).unwrap();
    assert_eq!(written, minimal());
}

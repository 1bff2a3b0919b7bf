//! What a person is told when a file does not open: what it is, and what to do next. The session goes on after each.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write as _;

use tokenpath_engine::message::{Effect, Opening, Region};
use tokenpath_engine::{Engine, File};

fn refusal(name: &str, bytes: &[u8]) -> String {
    let bytes = bytes.to_vec();
    let files = [File::new(name, &bytes)];
    let opening = Opening { fragment: String::new(), keeps: true, ..Opening::default() };
    let effects = Engine::default().open(&files, &opening, &mut |_| {}).unwrap_err();
    match effects.as_slice() {
        [Effect::Region { region: Region::Notice, html, .. }] => html.clone(),
        other => panic!("only the notice changes: {other:?}"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn each_failure_says_what_it_is_and_what_to_do() {
    let cut = gzip(&[b' '; 5000].map(|_| b'{'));
    let cases: [(&str, &[u8], &str, &str); 13] = [
        ("empty.json", b"", "has no bytes", "Look at its messages"),
        ("blank.json", b" \n\n ", "white space", "Look at its messages"),
        ("a.zip", b"PK\x03\x04rest of it", "zip archive", "Unpack it"),
        (
            "model.gguf",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "Git LFS",
            "git lfs pull",
        ),
        ("a.bin", b"\x00\x01\x02\x03", "no format known here", "What a file holds counts"),
        ("new.json", br#"{"tokenpath":99,"identity":{}}"#, "version 99", "Update tokenpath"),
        ("cut.json", br#"{"tokenpath":1,"identity":{"id":"#, "not JSON", "cut off"),
        ("broken.json.gz", cut.get(..20).unwrap(), "gzip", "format known here or copied"),
        ("wide.json", b"\xff\xfe{\0\"\0t\0", "text in UTF-16", "Save it as UTF-8"),
        ("wide.xml", b"\0<\0?\0x", "text in UTF-16", "Save it as UTF-8"),
        ("open.json", b" {\n", "ends after 3 bytes", "cut off"),
        ("newer.gguf", b"GGUF\x09\x00\x00\x00", "version 9", "newer version of tokenpath"),
        ("short.gguf", b"GGUF\x03\x00\x00\x00", "the file ends", "copy it again"),
    ];
    for (name, bytes, what, advice) in cases {
        let said = refusal(name, bytes);
        assert!(said.contains(name), "{name} is named: {said}");
        assert!(said.contains(what), "{name}: {what}: {said}");
        // A cut gzip stream may be told apart as a bundle or not; either way there is advice.
        let advised = said.contains(advice) || (name == "broken.json.gz" && said.contains("Open"));
        assert!(advised, "{name}: {advice}: {said}");
        assert!(said.contains("stays open"), "{name}: what stays is said: {said}");
    }
}

#[test]
fn a_section_with_errors_shows_them_in_its_place_and_the_rest_stays() {
    let path = format!("{}/../../fixtures/tiny-dense/run.json.gz", env!("CARGO_MANIFEST_DIR"));
    let fixture = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let json = tokenpath_core::bundle::inflate(&fixture, u64::MAX).unwrap();
    let mut bundle: serde_json::Value = serde_json::from_slice(&json).unwrap();
    // A pass of a kind that is none.
    *bundle.pointer_mut("/passes/rows/kind/0").unwrap() = "sideways".into();
    let bytes = serde_json::to_vec(&bundle).unwrap();
    let files = [File::new("broken.json", &bytes)];
    let mut engine = Engine::default();
    let opening = Opening { fragment: "#passes".to_owned(), keeps: false, ..Opening::default() };
    let effects = engine.open(&files, &opening, &mut |_| {}).unwrap().effects;
    let lens = lens(&effects);
    assert!(lens.contains("cannot be drawn"), "{lens}");
    assert!(lens.contains("/passes/rows/kind/0") && lens.contains("sideways"), "{lens}");
    let navigate = |engine: &mut Engine, to: &str| {
        engine.update(&tokenpath_engine::message::Message::Navigate { fragment: to.to_owned() })
    };
    let effects = navigate(&mut engine, "#model");
    assert!(!self::lens(&effects).contains("cannot be drawn"));
    let effects = navigate(&mut engine, "#run");
    let run = self::lens(&effects);
    assert!(run.contains("What is wrong with the bundle") && run.contains("/passes/rows/kind/0"), "{run}");
}

fn lens(effects: &[Effect]) -> String {
    effects
        .iter()
        .find_map(|effect| match effect {
            Effect::Region { region: Region::Lens, html, .. } => Some(html.clone()),
            _ => None,
        })
        .unwrap_or_default()
}

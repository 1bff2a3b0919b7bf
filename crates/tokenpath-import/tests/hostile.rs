//! Hostile and foreign input: an answer for everything, no panic, no allocation that the file does not pay for.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

use std::cell::Cell;
use std::fs;

use proptest::prelude::*;
use support::{extra, file, open_all, root};
use tokenpath_core::bundle::validate;
use tokenpath_import::{Continue, Format, OpenError, OpenOptions, ReadAt, ReadFailed, open, sniff};

fn error(name: &str, bytes: &[u8]) -> OpenError {
    match open_all(&[(name.to_owned(), bytes.to_vec())]) {
        Err(error) => error,
        Ok(_) => panic!("{name} opened"),
    }
}

#[test]
fn what_is_not_read_is_named() {
    let table: [(&[u8], &str); 7] = [
        (b"SQLite format 3\0", "an SQLite database"),
        (b"tjgg\x01\0\0\0", "ggjt"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a Git LFS pointer"),
        (b"PK\x03\x04xxxx", "a zip archive"),
        (b"{\"traceEvents\":[]}", "Chrome trace"),
        (b"data: {}\n\n", "without arrival times"),
        (b"<trace-toc>", "xctrace"),
    ];
    for (bytes, words) in table {
        let error = error("file.json", bytes);
        assert!(matches!(error, OpenError::NotRead { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("read are run bundles"), "{error}");
    }
    assert!(matches!(error("x", b""), OpenError::Empty { .. }));
    assert!(matches!(error("x", b"hello"), OpenError::Unknown { .. }));
    assert!(matches!(open_all(&[]), Err(OpenError::Nothing)));
}

/// Two gigabytes of spaces that count how much of them is read.
struct Spaces(Cell<u64>);

impl ReadAt for Spaces {
    fn len(&self) -> u64 {
        2 << 30
    }

    fn read_at(&self, _offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        self.0.set(self.0.get() + buffer.len() as u64);
        buffer.fill(b' ');
        Ok(())
    }
}

#[test]
fn white_space_is_refused_after_its_head() {
    let spaces = Spaces(Cell::new(0));
    let files = vec![("spaces".to_owned(), &spaces as &dyn ReadAt)];
    let error = open(files, &OpenOptions::default(), &mut |_| Continue::Yes).unwrap_err();
    assert!(matches!(error, OpenError::Blank { examined: 65_536, length: 2_147_483_648, .. }), "{error}");
    assert_eq!(spaces.0.get(), 65_536);
}

#[test]
fn a_source_that_fails_says_so() {
    struct Fails;
    impl ReadAt for Fails {
        fn len(&self) -> u64 {
            10
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
            Err(ReadFailed { offset, wanted: buffer.len(), message: "the disk is gone".to_owned() })
        }
    }
    let error = open(vec![("x".to_owned(), &Fails as &dyn ReadAt)], &OpenOptions::default(), &mut |_| Continue::Yes)
        .unwrap_err();
    assert!(error.to_string().contains("the disk is gone"), "{error}");
}

#[test]
fn captures_that_contradict_themselves() {
    let capture =
        |passes: &str| error("c", format!(r#"{{"tool":"t","mode":"c","passes":[{passes}]}}"#).as_bytes()).to_string();
    assert!(capture("").contains("no pass"));
    assert!(capture(r#"{"kind":"decode"}"#).contains("t_begin"));
    assert!(capture(r#"{"t_begin":5,"t_decode_returned":4}"#).contains("before t_begin"));
    assert!(capture(r#"{"t_begin":5,"nodes":[{"name":"a","op":"ADD","t0":9,"t1":8}]}"#).contains("before the start"));
    assert!(capture(r#"{"t_begin":5}"#).contains("no nodes"));
    assert!(capture(r#"{"t_begin":5,"nodes":[{"name":"a","op":"ADD"}]}"#).contains("without start"));
    let forward = r#"{"t_begin":5,"nodes":[{"name":"a","op":"ADD","t0":5,"t1":6,"src":[{"name":"b","node":3}]}]}"#;
    assert!(capture(forward).contains("does not come before it"));
    assert!(error("c", b"{\"tool\":\"t\",\"mode\":\"c\",\"passes\":7}").to_string().contains("line 1"));
    let stamps = r#"{"tool":"t","mode":"abort","passes":[{"t_begin":5,"stamps":[9,8]}]}"#;
    assert!(error("s", stamps.as_bytes()).to_string().contains("before the one before it"));
}

/// Right answers: what the inventory of the extra data says each broken file is.
#[test]
fn hostile_gguf_headers() {
    let Some(data) = extra("gguf") else { return };
    let message = |name: &str| error(name, &file(&data, name).1).to_string();
    assert!(message("broken__empty-0-bytes.gguf").contains("is empty"));
    assert!(message("broken__kv-type-77.gguf").contains("type 77"));
    assert!(message("broken__lfs-pointer.gguf").contains("Git LFS pointer"));
    assert!(message("broken__n_tensors-2^61.gguf").contains("2305843009213693952 tensors"));
    assert!(message("broken__truncated-8-bytes.gguf").contains("the file ends"));
    // Cut inside the merges of the tokenizer: the stated length of the array is more than what is left.
    assert!(message("broken__truncated-in-kv.gguf").contains("array items"));
    assert!(message("broken__version-99.gguf").contains("version 99"));
    for (name, words) in [
        ("broken__tensor-offset-past-eof.gguf", "past the end"),
        ("broken__tensor-type-250.gguf", "unknown type 250"),
        ("broken__truncated-in-tensor-data.gguf", "past the end"),
    ] {
        let imported = open_all(&[file(&data, name)]).unwrap();
        assert!(errors(validate(&imported.run)).is_empty(), "{name}: {:?}", errors(validate(&imported.run)).first());
        assert!(imported.remarks.iter().any(|remark| remark.text.contains(words)), "{name}: {:?}", imported.remarks);
    }
}

#[test]
fn a_model_file_within_gzip_is_refused_as_such() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, b"GGUF\x03\0\0\0").unwrap();
    let message = error("m.gguf.gz", &encoder.finish().unwrap()).to_string();
    assert!(message.contains("within a gzip stream"), "{message}");
}

#[test]
fn real_gguf_headers() {
    let Some(data) = extra("gguf") else { return };
    for entry in fs::read_dir(&data).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.starts_with("broken__") || !name.to_ascii_lowercase().contains("gguf") {
            continue;
        }
        let (name, bytes) = file(&data, &name);
        if sniff(&bytes, Some(bytes.len() as u64)) != Format::Gguf {
            continue;
        }
        let imported = open_all(&[(name.clone(), bytes)]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(errors(validate(&imported.run)).is_empty(), "{name}: {:?}", errors(validate(&imported.run)).first());
        println!("{name}: {} tensors, {:?}", imported.run.model.tensors.rows(), imported.left_out);
        // The files named synthetic hold names of architectures that the table knows.
        if name.starts_with("synthetic__") {
            let other = imported.run.model.tensors.role.iter().filter(|role| *role == Some("other")).count();
            assert_eq!(other, 0, "{name}");
        }
    }
}

/// Small real captures to start from: a bundle, and where there is extra data the other formats.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        fs::read(root().join("fixtures/user-chat/run.json.gz")).unwrap(),
        br#"{"tool":"t","mode":"c","clock":"c","passes":[{"kind":"decode","t_begin":1,"nodes":[{"name":"Qcur-0","op":"MUL_MAT","type":"f32","ne":[4,1,1,1],"t0":1,"t1":3,"src":[{"name":"blk.0.attn_q.weight","kind":"weight","type":"f32","ne":[4,4,1,1],"nbytes":64}]}]}]}"#.to_vec(),
        br#"{"tool":"t","mode":"abort","passes":[{"kind":"decode","t_begin":1,"stamps":[2,3]}]}"#.to_vec(),
        b"{\"k\":\"start\"}\n{\"k\":\"graph\",\"id\":0,\"nodes\":[{\"name\":\"a\",\"op\":\"ADD\",\"type\":\"f32\",\"ne\":[1]}]}\n{\"k\":\"pass\",\"graph\":0,\"t0\":5,\"spans\":[1,2]}\n".to_vec(),
        b"{\"k\":\"req\",\"t0_mono_ns\":1}\n{\"k\":\"ev\",\"t_ns\":2,\"raw\":\"data: {\\\"choices\\\":[{\\\"delta\\\":{\\\"content\\\":\\\"a\\\"}}]}\"}\n".to_vec(),
    ];
    if let Some(data) = extra("gguf") {
        // Only the header and a little of the data.
        let (_, mut bytes) = file(&data, "synthetic__mamba.gguf");
        bytes.truncate(60_000);
        seeds.push(bytes);
    }
    seeds
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = sniff(&bytes, Some(bytes.len() as u64));
        let _ = open_all(&[("x".to_owned(), bytes)]);
    }

    #[test]
    fn changed_captures_open_without_a_problem_or_say_why(
        seed in 0_usize..6,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut seeds = seeds();
        let at = seed % seeds.len();
        let mut bytes = seeds.swap_remove(at);
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        sound(open_all(&[("x".to_owned(), bytes)]))?;
    }

    #[test]
    fn changed_values_open_without_a_problem_or_say_why(
        seed in 1_usize..5,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..VALUES.len()), 1..5),
    ) {
        let seeds = seeds();
        let mut lines: Vec<serde_json::Value> = serde_json::Deserializer::from_slice(&seeds[seed])
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap();
        for (index, value) in changes {
            let count: usize = lines.iter_mut().map(|line| change(line, usize::MAX, 0).0).sum();
            let mut left = index.index(count);
            for line in &mut lines {
                let (leaves, changed) = change(line, left, value);
                if changed {
                    break;
                }
                left -= leaves;
            }
        }
        let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        sound(open_all(&[("x".to_owned(), text.into_bytes())]))?;
    }
}

/// Values put in the place of others.
const VALUES: [&str; 9] =
    ["-1", "0", "9223372036854775807", "-9223372036854775808", "1e300", "\"x\"", "null", "[]", "{\"a\":1}"];

/// Puts a value in the place of the leaf of this number; gives the number of leaves and whether it did.
fn change(node: &mut serde_json::Value, number: usize, value: usize) -> (usize, bool) {
    let children: Vec<&mut serde_json::Value> = match node {
        serde_json::Value::Array(items) if !items.is_empty() => items.iter_mut().collect(),
        serde_json::Value::Object(fields) if !fields.is_empty() => fields.values_mut().collect(),
        leaf => {
            if number == 0 {
                *leaf = serde_json::from_str(VALUES[value]).unwrap();
            }
            return (1, number == 0);
        }
    };
    let mut seen = 0;
    for child in children {
        let (leaves, changed) = change(child, number.saturating_sub(seen), value);
        if number != usize::MAX && changed {
            return (seen, true);
        }
        seen += leaves;
    }
    (seen, false)
}

/// Problems that are errors: a cut model file disagrees with its own header, which is said and no error.
fn errors(mut problems: Vec<tokenpath_core::Problem>) -> Vec<tokenpath_core::Problem> {
    problems.retain(|problem| !problem.rule.is_notice());
    problems
}

/// What opened must be written and read again without a problem; a bundle may have its own.
fn sound(result: Result<tokenpath_import::Imported, OpenError>) -> Result<(), TestCaseError> {
    let Ok(imported) = result else { return Ok(()) };
    if imported.formats == [Format::Bundle] {
        return Ok(());
    }
    let problems = errors(validate(&imported.run));
    prop_assert!(problems.is_empty(), "{:?}", problems.first());
    let again = tokenpath_core::bundle::read(&tokenpath_core::bundle::write(&imported.run));
    let problems =
        again.map(|opened| errors(opened.problems)).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(problems.is_empty(), "{:?}", problems.first());
    Ok(())
}

//! Broken model files, each with the message that a person gets, in an address space of 160 MiB: what a header claims
//! is never allocated before the file has shown it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// KiB. The program alone takes some 90 MiB of addresses, most of them its own file.
const ADDRESS_SPACE: &str = "163840";

/// Exit code and all that was printed by `tokenpath check FILE`.
fn checked(file: &Path) -> (Option<i32>, String) {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$1\" check \"$2\"", ADDRESS_SPACE, env!("CARGO_BIN_EXE_tokenpath")])
        .arg(file)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

/// The limit is one: a file that may be held whole, and is larger, is not.
#[test]
fn the_limit_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    std::fs::write(&file, format!("{{\"tokenpath\":1,\"x\":\"{}\"}}", "x".repeat(200 << 20))).unwrap();
    assert!(!matches!(checked(&file).0, Some(0 | 1)));
}

#[test]
fn headers_that_claim_what_no_file_holds_allocate_nothing_for_it() {
    let gguf = |tensors: u64, keys: u64, rest: &[u8]| {
        [&b"GGUF\x03\0\0\0"[..], &tensors.to_le_bytes(), &keys.to_le_bytes(), rest].concat()
    };
    let long_text = [&4_u64.to_le_bytes()[..], b"name", &8_u32.to_le_bytes(), &(1_u64 << 62).to_le_bytes()].concat();
    let long_list =
        [&4_u64.to_le_bytes()[..], b"list", &9_u32.to_le_bytes(), &4_u32.to_le_bytes(), &(1_u64 << 61).to_le_bytes()]
            .concat();
    let files = [
        ("tensors.gguf", gguf(1 << 61, 0, &[]), "states 2305843009213693952 tensors"),
        ("keys.gguf", gguf(0, 1 << 60, &[]), "states 1152921504606846976"),
        ("text.gguf", gguf(0, 1, &long_text), "4611686018427387904"),
        ("list.gguf", gguf(0, 1, &long_list), "2305843009213693952"),
        ("header.safetensors", [&(1_u64 << 63).to_le_bytes()[..], b"{}"].concat(), "9223372036854775808 bytes long"),
        ("most.safetensors", [&100_000_000_u64.to_le_bytes()[..], b"{}"].concat(), "only 2 bytes follow"),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, says) in files {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let (code, text) = checked(&file);
        assert_eq!(code, Some(2), "{name}: {text}");
        assert!(text.contains(says), "{name}: {text}");
    }
}

#[test]
fn each_broken_model_file_has_its_message() {
    let mut golden = String::new();
    for kind in ["gguf", "safetensors"] {
        let Some(folder) = extra(kind) else { return };
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("broken__"));
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let (code, text) = checked(&file);
            let _ = writeln!(golden, "{name}: {}", code.unwrap());
            for line in text.lines().filter(|line| line.contains(&name) && !line.ends_with("a model file, no run")) {
                let _ = writeln!(golden, "  {}", line.trim().replace(&format!("{name}: "), ""));
            }
        }
    }
    insta::assert_snapshot!(golden);
}

fn extra(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let base = std::env::var_os("TOKENPATH_EXTRA_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    let folder = base.join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no extra test data at {}", folder.display());
    None
}

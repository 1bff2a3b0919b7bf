//! The program as a person or a script runs it: exit codes, what goes to stdout and what to stderr, what is written.

// A test that cannot go on should fail.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::read::GzDecoder;
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

fn tokenpath() -> Command {
    let mut command = Command::cargo_bin("tokenpath").unwrap();
    command.current_dir(root());
    command
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> String {
    format!("fixtures/{name}/run.json.gz")
}

/// Exit code, stdout and stderr.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = tokenpath().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn checked(name: &str) -> (i32, Value) {
    let (code, out, _) = run(&["check", "--json", &fixture(name)]);
    (code, serde_json::from_str(&out).unwrap())
}

fn temporary(name: &str, content: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, content).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bundle() -> String {
    let packed = fs::read(root().join(fixture("tiny-dense"))).unwrap();
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    text
}

// The outcomes are those of fixtures/README.md: a llama.cpp capture has no gap, the synthetic run has five planted
// ones, and a client's recording does not reach the levels below the request.
#[test]
fn check_exits_with_the_verdict() {
    for name in ["smollm2", "smollm2-server", "tiny-dense", "tiny-moe", "tiny-hybrid"] {
        let (code, said) = checked(name);
        assert_eq!((code, &said["verdict"]["outcome"]), (0, &Value::from("pass")), "{name}");
    }
    let (code, said) = checked("synthetic-metal");
    assert_eq!((code, &said["verdict"]["outcome"]), (1, &Value::from("fail")));
    assert_eq!(said["verdict"]["gaps"].as_array().unwrap().len(), 5);
    for name in ["user-chat", "user-chat-no-usage"] {
        let (code, said) = checked(name);
        assert_eq!((code, &said["verdict"]["outcome"]), (0, &Value::from("not_applicable")), "{name}");
    }
}

#[test]
fn check_speaks_to_people_too() {
    let (code, out, err) = run(&["check", &fixture("synthetic-metal")]);
    assert_eq!((code, err.as_str()), (1, ""));
    for line in
        ["bundle: 0 errors", "/timeline/intervals/pass/*", "Synthetic gap: the operands of this product were lost."]
    {
        assert!(out.contains(line), "{line} in\n{out}");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let command = format!(
        "{} check --json {} | head -c 10",
        assert_cmd::cargo::cargo_bin("tokenpath").display(),
        fixture("synthetic-metal")
    );
    let output =
        std::process::Command::new("bash").args(["-o", "pipefail", "-c", &command]).current_dir(root()).output();
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.stdout.len(), 10);
}

#[test]
fn what_cannot_be_read_is_told_on_stderr_with_code_2() {
    let cut = gzipped(bundle().as_bytes());
    let kept = [
        temporary("empty.json", b""),
        temporary("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        temporary("half.json", &bundle().as_bytes()[..2000]),
        temporary("half.json.gz", &cut[..cut.len() / 2]),
        temporary("words.json", b"this is no JSON"),
        temporary("deep.json", format!("{{\"tokenpath\":1,\"identity\":{}", "[".repeat(10_000)).as_bytes()),
        temporary("newer.json", b"{\"tokenpath\":99}"),
    ];
    let folder = kept[0].0.path().to_str().unwrap().to_owned();
    let files = kept.iter().map(|(_, file)| file.clone());
    for file in files.chain(["no/such/file.json".to_owned(), folder]) {
        let (code, out, err) = run(&["check", &file]);
        let name = Path::new(&file).file_name().unwrap().to_str().unwrap();
        assert_eq!((code, out.as_str()), (2, ""), "{name}: {err}");
        assert!(err.starts_with("tokenpath: ") && err.contains(name), "{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
}

/// 2 GB of spaces are 2 MB of gzip, here as 2048 members of one file. Nothing inflates them all.
#[test]
fn two_gigabytes_of_spaces_are_refused_at_once() {
    let member = gzipped(&vec![b' '; 1 << 20]);
    let (_folder, file) = temporary("spaces.json.gz", &member.repeat(2048));
    let (code, out, err) = run(&["check", &file]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("spaces.json.gz holds only white space in its first"), "{err}");
}

#[test]
fn flaws_are_named_by_pointer_and_exit_with_1() {
    let (_folder, file) = temporary("twice.json", b"{\"tokenpath\":1,\"tokenpath\":1}");
    let (code, out, _) = run(&["check", &file]);
    assert_eq!(code, 1);
    assert!(out.contains("/tokenpath: duplicate-key: the key stands more than once in its object"), "{out}");
    let mut document: Value = serde_json::from_str(&bundle()).unwrap();
    document["passes"]["rows"]["kind"][1] = Value::from("sideways");
    let (_folder, file) = temporary("flawed.json", document.to_string().as_bytes());
    let (code, out, _) = run(&["check", &file]);
    assert_eq!(code, 1);
    assert!(out.contains("/passes/rows/kind/1") && out.contains("sideways"), "{out}");
}

#[test]
fn wrong_arguments_exit_with_2_and_say_what_is_right() {
    for arguments in [&["chekc"][..], &["check"], &["convert", "x"], &["check", "--jsn", "x"], &[]] {
        let (code, _, err) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(err.contains("Usage"), "{err}");
    }
    let (code, out, _) = run(&["--version"]);
    assert_eq!((code, out.trim()), (0, concat!("tokenpath ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn convert_writes_what_it_read_and_a_second_time_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("run.json");
    let packed = folder.path().join("run.json.gz");
    for to in [&plain, &packed, &packed] {
        let (code, out, err) = run(&["convert", &fixture("tiny-dense"), "-o", to.to_str().unwrap()]);
        assert_eq!((code, out.as_str()), (0, ""), "{err}");
    }
    let mut inflated = String::new();
    GzDecoder::new(fs::File::open(&packed).unwrap()).read_to_string(&mut inflated).unwrap();
    assert_eq!(fs::read_to_string(&plain).unwrap(), inflated);
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value(&inflated), value(&bundle()), "nothing is lost");
    // Only the results: no temporary file stays behind.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let (code, out, _) = run(&["convert", &fixture("tiny-dense"), "-o", "-"]);
    assert_eq!((code, value(&out)), (0, value(&inflated)));
}

#[test]
fn convert_leaves_what_was_there_when_it_fails() {
    let (folder, file) = temporary("run.json", b"precious");
    let (code, _, err) = run(&["convert", "Cargo.toml", "-o", &file]);
    assert_eq!(code, 2, "{err}");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    let nowhere = folder.path().join("no/such/folder/run.json");
    let (code, _, err) = run(&["convert", &fixture("tiny-dense"), "-o", nowhere.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(err.contains("no/such/folder"), "{err}");
}

#[test]
fn convert_does_not_write_over_its_input() {
    let (_folder, file) = temporary("run.json", bundle().as_bytes());
    let (code, _, err) = run(&["convert", &file, "-o", &file]);
    assert_eq!(code, 2);
    assert!(err.contains("is an input and would be the output"), "{err}");
    assert_eq!(fs::read_to_string(&file).unwrap(), bundle());
}

#[cfg(unix)]
#[test]
fn convert_keeps_links_pipes_and_permissions_as_they_are() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let convert = |to: &Path| run(&["convert", &fixture("tiny-dense"), "-o", to.to_str().unwrap()]);

    fs::write(at("private.json"), "old").unwrap();
    fs::set_permissions(at("private.json"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("private.json", at("link.json")).unwrap();
    let (code, _, err) = convert(&at("link.json"));
    assert_eq!(code, 0, "{err}");
    assert!(fs::symlink_metadata(at("link.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(at("private.json")).unwrap().starts_with("{\"tokenpath\":1"));
    assert_eq!(fs::metadata(at("private.json")).unwrap().permissions().mode() & 0o777, 0o600);

    let pipe = at("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (code, _, err) = run(&["check", pipe.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(err.contains("is a device or a pipe"), "{err}");
    let read = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    let (code, _, err) = convert(&pipe);
    assert_eq!(code, 0, "{err}");
    assert!(read.join().unwrap().starts_with("{\"tokenpath\":1"));
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());

    let (code, _, err) = convert(folder.path());
    assert_eq!(code, 2);
    assert!(err.contains("is a folder"), "{err}");
}

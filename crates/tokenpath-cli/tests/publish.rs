//! Publishing: what is written, what is never replaced, and what is never let out.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod page;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use flate2::read::GzDecoder;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> PathBuf {
    root().join("fixtures").join(name).join("run.json.gz")
}

/// Exit code and stderr.
fn publish(folder: &Path, runs: &[&Path], more: &[&str]) -> (i32, String) {
    let output = Command::cargo_bin("tokenpath")
        .unwrap()
        .arg("publish")
        .args(runs)
        .arg("-o")
        .arg(folder)
        .args(more)
        .output()
        .unwrap();
    assert!(output.stdout.is_empty(), "publishing prints nothing that a program would read");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { out.extend(files(&path)) } else { out.push(path) }
    }
    out.sort();
    out
}

#[test]
fn what_was_not_written_here_is_neither_replaced_nor_deleted() {
    if !page::is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("index.html"), "my own page").unwrap();
    let (code, said) = publish(&site, &[&fixture("tiny-dense")], &[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("1 file in the way") && said.contains("index.html the first"), "{said}");
    assert!(said.contains("Nothing was written."), "{said}");
    assert_eq!(files(&site), [site.join("index.html")]);
    assert_eq!(fs::read(site.join("index.html")).unwrap(), b"my own page");

    fs::remove_file(site.join("index.html")).unwrap();
    fs::write(site.join("CNAME"), "runs.example").unwrap();
    assert_eq!(publish(&site, &[&fixture("tiny-dense")], &[]).0, 0);
    let first = files(&site);
    // Again, with another recording: the index is ours and changes, and what the first one wrote stays.
    let (code, said) = publish(&site, &[&fixture("tiny-moe")], &["--title", "Others"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("of an earlier publication stay; nothing is deleted."), "{said}");
    assert!(first.iter().all(|file| file.exists()));
    assert_eq!(fs::read(site.join("CNAME")).unwrap(), b"runs.example");

    // A page of ours that somebody has changed is theirs.
    fs::write(site.join("tiny-moe/index.html"), "edited").unwrap();
    let (code, said) = publish(&site, &[&fixture("tiny-moe")], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("tiny-moe/index.html the first"), "{said}");
    assert_eq!(fs::read(site.join("tiny-moe/index.html")).unwrap(), b"edited");
}

#[test]
fn a_place_that_is_no_folder_for_a_site_is_named() {
    if !page::is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "x").unwrap();
    let (code, said) = publish(&plain, &[&fixture("tiny-dense")], &[]);
    assert_eq!(code, 2);
    assert!(said.contains(&format!("{} is a file. Name a folder", plain.display())), "{said}");
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("assets"), "x").unwrap();
    let (code, said) = publish(&site, &[&fixture("tiny-dense")], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("assets/"), "{said}");
    assert_eq!(files(&site), [site.join("assets")]);
    fs::remove_file(site.join("assets")).unwrap();
    fs::write(site.join("tokenpath-site.json"), "mine").unwrap();
    let (code, said) = publish(&site, &[&fixture("tiny-dense")], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("tokenpath-site.json is not what"), "{said}");
    let (code, said) = publish(&folder.path().join("new"), &[&fixture("tiny-dense")], &["--base-url", "example.org"]);
    assert_eq!(code, 2);
    assert!(said.contains("no address of a site"), "{said}");
}

#[test]
fn a_recording_with_errors_is_not_published() {
    if !page::is_there() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    GzDecoder::new(&fs::read(fixture("tiny-dense")).unwrap()[..]).read_to_string(&mut text).unwrap();
    let mut bundle: Value = serde_json::from_str(&text).unwrap();
    *bundle.pointer_mut("/passes/rows/kind/0").unwrap() = "sideways".into();
    let broken = folder.path().join("broken.json");
    fs::write(&broken, bundle.to_string()).unwrap();
    let site = folder.path().join("site");
    let (code, said) = publish(&site, &[&fixture("tiny-moe"), &broken], &[]);
    assert_eq!(code, 2);
    assert!(said.contains("/passes/rows/kind/0") && said.contains("Nothing was written."), "{said}");
    assert!(!site.exists());
}

#[test]
fn private_text_is_removed_unless_it_is_asked_for() {
    if !page::is_there() {
        return;
    }
    const SECRETS: [&str; 5] = ["ZETAprompt", "ZETAchunk", "ZETAtoken", "ZETAscenario", "ZETAhost"];
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    GzDecoder::new(&fs::read(fixture("smollm2-server")).unwrap()[..]).read_to_string(&mut text).unwrap();
    let mut bundle: Value = serde_json::from_str(&text).unwrap();
    bundle["request"]["prompt"] = SECRETS[0].into();
    let chunks = bundle["request"]["chunks"]["at"].as_array().unwrap().len();
    bundle["request"]["chunks"]["text"] = vec![SECRETS[1]; chunks].into();
    let passes = bundle["passes"]["rows"]["kind"].as_array().unwrap().len();
    bundle["passes"]["rows"]["token_text"] = vec![SECRETS[2]; passes].into();
    bundle["identity"]["scenario"] = SECRETS[3].into();
    bundle["identity"]["host"]["name"] = SECRETS[4].into();
    let absent = bundle["absent"].as_array_mut().unwrap();
    absent.retain(|entry| !entry["pointer"].as_str().unwrap().ends_with("/scenario"));
    let planted = folder.path().join("planted.json");
    fs::write(&planted, bundle.to_string()).unwrap();
    let found = |site: &Path| -> Vec<&str> {
        let all: Vec<Vec<u8>> = files(site)
            .iter()
            .map(|file| {
                let bytes = fs::read(file).unwrap();
                let mut plain = Vec::new();
                let packed = file.extension().is_some_and(|extension| extension == "gz");
                if packed { GzDecoder::new(&bytes[..]).read_to_end(&mut plain).map(|_| plain).unwrap() } else { bytes }
            })
            .collect();
        SECRETS
            .into_iter()
            .filter(|secret| all.iter().any(|file| file.windows(secret.len()).any(|part| part == secret.as_bytes())))
            .collect()
    };
    let site = folder.path().join("site");
    let (code, said) = publish(&site, &[&planted], &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("/request/chunks/text ({chunks})")) && said.contains("--keep-text"), "{said}");
    assert_eq!(found(&site), [""; 0]);
    let kept = folder.path().join("kept");
    assert_eq!(publish(&kept, &[&planted], &["--keep-text"]).0, 0);
    // The test can fail: what is asked for is there.
    assert_eq!(found(&kept), SECRETS);
}

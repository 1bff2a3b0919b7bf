//! Makes the committed reference captures from raw recordings: `fixtures/CASE/run.json.gz`.
//!
//! `cargo run -p tokenpath-import --example make_fixtures -- EXTRA_DATA_DIR [GGUF_DIR]`
//!
//! The same input gives the same bytes. A case whose raw files are missing is skipped and said so. GGUF_DIR holds the
//! model files that were recorded; each fixture's README says where they come from.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use tokenpath_core::bundle::{self, validate};
use tokenpath_import::{Continue, OpenOptions, ReadAt, open};

/// One fixture: its folder, its scenario, and its files below the data folder (`data`) or the model folder (`gguf`).
struct Case {
    folder: &'static str,
    title: &'static str,
    scenario: &'static str,
    data: &'static [&'static str],
    gguf: Option<&'static str>,
}

const CASES: [Case; 7] = [
    Case {
        folder: "smollm2",
        title: "SmolLM2-135M-Instruct in llama.cpp on one CPU thread, node by node and stamped",
        scenario: "A short prompt and six decode steps, recorded twice: by the evaluation callback, which runs one node \
                   at a time, and by abort stamps, which keep fusion.",
        data: &["capture_SmolLM2-135M-Instruct.Q4_1.json.gz", "capture_SmolLM2-135M-Instruct.Q4_1.abort.json.gz"],
        gguf: Some("SmolLM2-135M-Instruct.Q4_1.gguf"),
    },
    Case {
        folder: "tiny-dense",
        title: "A dense model of random weights in llama.cpp, node by node and stamped",
        scenario: "A model small enough that the recorder's cost dominates: what it changes shows most.",
        data: &["capture_tiny-dense.json.gz", "capture_tiny-dense.abort.json.gz"],
        gguf: Some("tiny-dense.gguf"),
    },
    Case {
        folder: "tiny-moe",
        title: "A mixture of experts of random weights in llama.cpp, with the router's choices",
        scenario: "Sixteen experts, four chosen for each token: weights that a pass names and weights that it addresses.",
        data: &["capture_tiny-moe.json.gz", "capture_tiny-moe.abort.json.gz"],
        gguf: Some("tiny-moe.gguf"),
    },
    Case {
        folder: "tiny-hybrid",
        title: "A hybrid of gated delta net and attention, of random weights, in llama.cpp",
        scenario: "Six layers keep a recurrent state, two keep keys and values; each has eight experts and a shared one.",
        data: &["capture_tiny-hybrid.json.gz", "capture_tiny-hybrid.abort.json.gz"],
        gguf: Some("tiny-hybrid.gguf"),
    },
    Case {
        folder: "smollm2-server",
        title: "SmolLM2-135M-Instruct in an unmodified llama.cpp server, from the request down to the nodes",
        scenario: "One completion of 24 tokens; a preloaded recorder in the server and the client's stamps share a clock.",
        data: &["pre_smol_node.jsonl", "pre_smol_node.sse.jsonl"],
        gguf: Some("SmolLM2-135M-Instruct.Q4_1.gguf"),
    },
    Case {
        folder: "user-chat",
        title: "One chat request to llama.cpp's own server, with usage and timings",
        scenario: "Forty-eight tokens of SmolLM2-135M-Instruct on a busy machine; part of the prompt was cached.",
        data: &["x_chat.jsonl"],
        gguf: None,
    },
    Case {
        folder: "user-chat-no-usage",
        title: "One chat request to llama-cpp-python's server, which sends no counters",
        scenario: "The same question to a server that reports neither usage nor timings.",
        data: &["lcp_chat.jsonl"],
        gguf: None,
    },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(data) = arguments.next() else {
        return Err("usage: make_fixtures EXTRA_DATA_DIR [GGUF_DIR]".into());
    };
    let models = arguments.next();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for case in &CASES {
        make(case, &data, models.as_deref(), &fixtures)?;
    }
    Ok(())
}

fn make(case: &Case, data: &Path, models: Option<&Path>, fixtures: &Path) -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = case.data.iter().map(|file| data.join("llamacpp").join(file)).collect();
    if let Some(file) = case.gguf {
        match models.map(|models| models.join(file)) {
            Some(path) => paths.push(path),
            None => {
                eprintln!("{}: skipped, no folder with {file} was given", case.folder);
                return Ok(());
            }
        }
    }
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        eprintln!("{}: skipped, {} is missing", case.folder, missing.display());
        return Ok(());
    }
    let mut contents: Vec<(String, Vec<u8>)> = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        contents.push((name, fs::read(path)?));
    }
    let files = contents.iter().map(|(name, bytes)| (name.clone(), bytes as &dyn ReadAt)).collect();
    let imported = open(files, &OpenOptions { keep_text: true }, &mut |_| Continue::Yes)?;
    let mut run = imported.run;
    run.identity.title = Some(case.title.to_owned());
    run.identity.scenario = Some(case.scenario.to_owned());
    run.absent.retain(|absence| absence.pointer != "/identity/scenario");
    let problems = validate(&run);
    if let Some(problem) = problems.first() {
        return Err(format!("{}: {} problems, the first: {problem}", case.folder, problems.len()).into());
    }
    let bytes = bundle::write_gzip(&run);
    let folder = fixtures.join(case.folder);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("run.json.gz"), &bytes)?;
    eprintln!("{}: {} bytes, {} joins", case.folder, bytes.len(), imported.joins.len());
    for join in &imported.joins {
        eprintln!("  {}: {}", join.rule, join.text);
    }
    Ok(())
}

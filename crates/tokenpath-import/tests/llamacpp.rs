//! llama.cpp recordings from the extra data: counts against the oracles, joins, refusals.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

use support::{expected, extra, file, open_all, opened};
use tokenpath_core::Run;
use tokenpath_import::{Continue, OpenError, OpenOptions, ReadAt, open};

const MODELS: [(&str, &str); 4] = [
    ("SmolLM2-135M-Instruct.Q4_1", "smollm2"),
    ("tiny-dense", "tiny-dense"),
    ("tiny-moe", "tiny-moe"),
    ("tiny-hybrid", "tiny-hybrid"),
];

fn capture(model: &str) -> String {
    format!("capture_{model}.json.gz")
}

fn stamps(model: &str) -> String {
    format!("capture_{model}.abort.json.gz")
}

fn intervals_of_pass(run: &Run, pass: u32) -> i64 {
    let intervals = &run.timeline.intervals;
    (0..intervals.rows()).filter(|row| intervals.pass.get(*row) == Some(pass)).count() as i64
}

#[test]
fn captures_alone() {
    let Some(data) = extra("llamacpp") else { return };
    for (model, case) in MODELS {
        let want = expected(case);
        let run = opened(&[file(&data, &capture(model))]).run;
        assert_eq!(run.passes.rows.rows() as i64, want["passes"], "{case}");
        assert_eq!(run.graph.graphs.rows(), 2, "{case}: prefill and decode");
        assert_eq!(intervals_of_pass(&run, 1), want["nodes_per_decode_pass"], "{case}");
        // Without the model file the tensors are those that nodes read.
        assert_eq!(run.model.tensors.rows() as i64, want["weights"], "{case}");
        assert_eq!(run.model.tensors.bytes.raw().iter().sum::<i64>(), want["weight_bytes_named"], "{case}");
        assert!(run.model.file_bytes.is_none(), "{case}: the tensors' bytes are not the file's");
        let undecided = run.absent.iter().filter(|entry| entry.pointer.starts_with("/graph/nodes/layer")).count();
        assert_eq!(undecided, 0, "{case}");
    }
}

#[test]
fn stamps_alone_have_no_kernels() {
    let Some(data) = extra("llamacpp") else { return };
    for (model, case) in MODELS {
        let want = expected(case);
        let run = opened(&[file(&data, &stamps(model))]).run;
        assert_eq!(intervals_of_pass(&run, 3), want["executed_entries"], "{case}");
        assert!(!run.kernels.given && !run.graph.given && !run.model.given, "{case}");
        let intervals = &run.timeline.intervals;
        assert!((0..intervals.rows()).all(|row| intervals.kernel.get(row).is_none()), "{case}");
        assert!(run.reason("/timeline/intervals/kernel").contains("names no node"), "{case}");
    }
}

#[test]
fn captures_and_stamps_are_one_run() {
    let Some(data) = extra("llamacpp") else { return };
    for (model, case) in MODELS {
        let want = expected(case);
        // The order of the files does not matter, nor do their names.
        let files = [("b".to_owned(), file(&data, &stamps(model)).1), ("a".to_owned(), file(&data, &capture(model)).1)];
        let imported = opened(&files);
        let rules: Vec<&str> = imported.joins.iter().map(|join| join.rule).collect();
        assert_eq!(rules, ["same-model-name", "same-clock", "same-tokens", "executed-list"], "{case}");
        let run = imported.run;
        assert_eq!(run.passes.executions.rows(), 2, "{case}");
        assert_eq!(intervals_of_pass(&run, 13), want["executed_entries"], "{case}");
        let again = opened(&[files[1].clone(), files[0].clone()]).run;
        assert_eq!(again, run, "{case}");
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let Some(data) = extra("llamacpp") else { return };
    let rule = |names: &[&str]| {
        let files: Vec<(String, Vec<u8>)> = names.iter().map(|name| file(&data, name)).collect();
        match open_all(&files) {
            Err(OpenError::DoNotBelong { rule, .. }) => rule,
            Err(error) => panic!("{names:?}: {error}"),
            Ok(_) => panic!("{names:?} opened"),
        }
    };
    assert_eq!(rule(&[&capture("tiny-dense"), &capture("tiny-moe")]), "one-of-each");
    assert_eq!(rule(&[&capture("tiny-dense"), &stamps("tiny-moe")]), "same-model-name");
    assert_eq!(rule(&[&capture("tiny-dense"), "x_chat.jsonl"]), "request-of-the-run");
    assert_eq!(rule(&[&capture("tiny-moe"), "pre_lcpmoe_node.jsonl"]), "one-of-each");
    // The graph recording was made minutes before the request of the node recording.
    assert_eq!(rule(&["pre_lcpmoe_graph.jsonl", "pre_lcpmoe_node.sse.jsonl"]), "same-clock");
    assert_eq!(rule(&["x_chat.jsonl", "lcp_chat.jsonl"]), "one-of-each");
}

/// A stamp more or less than the executed list is refused with both counts.
#[test]
fn a_wrong_number_of_stamps_is_refused() {
    let Some(data) = extra("llamacpp") else { return };
    let (name, bytes) = file(&data, &stamps("tiny-dense"));
    let text = tokenpath_core::bundle::inflate(&bytes, 1 << 30).unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&text).unwrap();
    document["passes"][2]["stamps"].as_array_mut().unwrap().pop();
    let changed = (name, serde_json::to_vec(&document).unwrap());
    let error = open_all(&[file(&data, &capture("tiny-dense")), changed]).unwrap_err().to_string();
    assert!(error.contains("executed-list") && error.contains("106 stamps") && error.contains("107"), "{error}");
}

#[test]
fn another_prompt_is_refused() {
    let Some(data) = extra("llamacpp") else { return };
    let (name, bytes) = file(&data, &stamps("tiny-dense"));
    let text = tokenpath_core::bundle::inflate(&bytes, 1 << 30).unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&text).unwrap();
    document["passes"][0]["tokens"][3] = 7.into();
    let changed = (name, serde_json::to_vec(&document).unwrap());
    match open_all(&[file(&data, &capture("tiny-dense")), changed]) {
        Err(OpenError::DoNotBelong { rule, .. }) => assert_eq!(rule, "same-tokens"),
        other => panic!("{other:?}"),
    }
}

/// Right values: counted in the files with `grep`, and the oracle's for the server run.
#[test]
fn preload_recordings() {
    let Some(data) = extra("llamacpp") else { return };
    let graph = opened(&[file(&data, "pre_lcpmoe_graph.jsonl")]).run;
    assert_eq!((graph.passes.rows.rows(), graph.graph.nodes.rows()), (53, 2 * 366));
    assert!(!graph.timeline.intervals.given, "graph mode records nothing within a pass");
    assert!(graph.kernels.given && graph.identity.instrument.kernel_timing.as_deref() == Some("none"));

    let node = opened(&[file(&data, "pre_lcpmoe_node.jsonl")]).run;
    assert_eq!(node.timeline.intervals.rows(), 53 * 366);
    // 318 lines of experts: 6 layers of 53 passes. This server asks for the results of all 46 tokens of the prompt.
    assert_eq!(node.graph.choices.rows(), 52 * 6 + 6 * 46);
    assert_eq!(node.graph.choices.experts.get(0), Some([1, 13, 15, 4].as_slice()));

    let served = opened(&[file(&data, "pre_lcpmoe_node.jsonl"), file(&data, "pre_lcpmoe_node.sse.jsonl")]).run;
    assert_eq!(served.passes.clock_join.method.as_deref(), Some("same_clock"));
    assert_eq!(served.request.token_count.as_deref(), Some("unknown"), "the server states no tokens");
    assert!(served.passes.clock_join.residual.is_none());

    let want = expected("smollm2-server");
    let run = opened(&[file(&data, "pre_smol_node.jsonl"), file(&data, "pre_smol_node.sse.jsonl")]).run;
    assert_eq!(run.passes.rows.rows() as i64, want["passes"]);
    assert_eq!(run.passes.clock_join.residual.unwrap(), want["distance_max_ns"]);
    let before = (0..run.passes.rows.rows()).filter(|row| run.passes.rows.execution.get(*row) == Some(1)).count();
    assert_eq!(before, 2, "two warm-up passes");
}

#[test]
fn texts_are_kept_only_when_asked_for() {
    let Some(data) = extra("llamacpp") else { return };
    for names in
        [&["capture_tiny-dense.json.gz"][..], &["x_chat.jsonl"], &["pre_smol_node.jsonl", "pre_smol_node.sse.jsonl"]]
    {
        let files: Vec<(String, Vec<u8>)> = names.iter().map(|name| file(&data, name)).collect();
        let sources = files.iter().map(|(name, bytes)| (name.clone(), bytes as &dyn ReadAt)).collect();
        let imported = open(sources, &OpenOptions::default(), &mut |_| Continue::Yes).unwrap();
        assert!(imported.left_out.iter().any(|note| note.what.starts_with("texts")), "{names:?}");
        let run = imported.run;
        assert!(tokenpath_core::bundle::validate(&run).is_empty(), "{names:?}");
        assert!(run.request.prompt.is_none() && run.request.chunks.text.iter().next().is_none(), "{names:?}");
        assert!(run.passes.rows.token_text.iter().next().is_none(), "{names:?}");
    }
}

#[test]
fn reading_can_be_stopped() {
    let Some(data) = extra("llamacpp") else { return };
    let (name, bytes) = file(&data, "x_chat.jsonl");
    let files = vec![(name, &bytes as &dyn ReadAt)];
    let error = open(files, &OpenOptions::default(), &mut |_| Continue::Stop).unwrap_err();
    assert!(matches!(error, OpenError::Stopped { .. }), "{error}");
}

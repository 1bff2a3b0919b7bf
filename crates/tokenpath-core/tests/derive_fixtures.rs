//! Derivations on the reference captures, against figures that `tests/oracle` computes from the raw recordings in Python.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokenpath_core::Run;
use tokenpath_core::bundle;
use tokenpath_core::derive::coverage::{Level, State, lens_states, levels};
use tokenpath_core::derive::passes::{clock_join, group_under_test, groups, in_request};
use tokenpath_core::derive::request::timing;
use tokenpath_core::derive::run::overview;
use tokenpath_core::derive::weight_bytes;
use tokenpath_core::fact::{Quantity, Reading};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> Run {
    let path = repository().join("fixtures").join(name).join("run.json.gz");
    bundle::read(&std::fs::read(path).unwrap()).unwrap().run
}

fn oracle(name: &str) -> Value {
    let path = repository().join("tests/oracle/expected").join(format!("{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A duration or size, whole or not.
fn value(reading: &Reading) -> f64 {
    match reading.as_ref().unwrap().quantity {
        Quantity::Nanos(value) | Quantity::Bytes(value) | Quantity::Count(value) => value as f64,
        Quantity::NanosExact(value) | Quantity::BytesPerSecond(value) | Quantity::PerSecond(value) => value,
        ref other => panic!("{other:?} is no number"),
    }
}

fn close(ours: f64, theirs: &Value) {
    let theirs = theirs.as_f64().unwrap();
    assert!((ours - theirs).abs() <= theirs.abs() * 1e-9, "{ours} against {theirs}");
}

#[test]
fn weight_bytes_that_a_decode_pass_names_and_addresses() {
    for name in ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"] {
        let (run, oracle) = (fixture(name), oracle(name));
        let rows = &run.passes.rows;
        let first = (0..rows.rows()).find(|row| rows.kind.get(*row) == Some("decode")).unwrap();
        let weights = weight_bytes::of_pass(&run, u32::try_from(first).unwrap());
        close(value(&weights.named), &oracle["weight_bytes_named"]);
        close(value(&weights.addressed), &oracle["weight_bytes_addressed_first_decode"]);
    }
}

#[test]
fn decode_periods_and_bandwidth_of_each_execution() {
    for name in ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"] {
        let (run, oracle) = (fixture(name), oracle(name));
        let overview = overview(&run);
        for (execution, key) in overview.figures.executions.iter().zip(["callback", "stamps"]) {
            let expected = &oracle[key];
            assert_eq!(execution.periods as u64, expected["decode_periods"].as_u64().unwrap());
            close(value(&execution.median), &expected["decode_period_median_ns"]);
            close(value(&execution.mean), &expected["decode_period_mean_ns"]);
        }
        assert_eq!(overview.figures.executions.len(), 2);
    }
}

// Named and addressed are equal in a dense model with a tied head, and the oracle divides the named bytes.
#[test]
fn the_bandwidth_of_a_dense_model_divides_its_weight_bytes() {
    let (run, oracle) = (fixture("smollm2"), oracle("smollm2"));
    let figures = overview(&run).figures;
    close(value(&figures.executions[0].bandwidth), &oracle["callback"]["weight_bytes_per_second_at_mean"]);
    close(value(&figures.executions[1].bandwidth), &oracle["stamps"]["weight_bytes_per_second_at_mean"]);
    assert!(figures.executions[0].node_by_node && !figures.executions[1].node_by_node);
    assert!(figures.executions[0].share_of_peak.as_ref().unwrap_err().reason.contains("no peak"));
}

#[test]
fn a_served_request_from_client_to_passes() {
    let (run, oracle) = (fixture("smollm2-server"), oracle("smollm2-server"));
    let request = &oracle["request"];
    let timing = timing(&run);
    close(value(&timing.first_byte), &request["first_byte_ns"]);
    close(value(&timing.first_content_token), &request["first_content_ns"]);
    close(value(&timing.end), &request["end_of_generation_ns"]);
    for gaps in [timing.chunk_gaps.as_ref().unwrap(), timing.token_gaps.as_ref().unwrap()] {
        assert_eq!(gaps.count() as u64, request["gaps"].as_u64().unwrap());
        close(gaps.values.iter().sum::<i64>() as f64, &request["gap_sum_ns"]);
        close(value(&Ok(gaps.median.clone())), &request["gap_median_ns"]);
        close(value(&Ok(gaps.longest.clone())), &request["gap_max_ns"]);
    }
    close(value(&timing.arrivals.tokens), &oracle["tokens"]);
    let groups = groups(&run);
    let group = group_under_test(&run, &groups).unwrap();
    assert_eq!(group.passes.len() as u64, oracle["passes_of_request"].as_u64().unwrap());
    assert!(group.passes.iter().all(|pass| in_request(&run, *pass)));
    let periods = group.decode_periods.as_ref().unwrap();
    assert_eq!(periods.count() as u64, oracle["decode_periods"].as_u64().unwrap());
    close(value(&Ok(periods.median.clone())), &oracle["decode_period_median_ns"]);
    close(periods.values.iter().sum::<i64>() as f64, &oracle["decode_period_sum_ns"]);
    let join = clock_join(&run);
    close(value(&join.lag), &oracle["distance_median_ns"]);
    assert_eq!(join.early, 0);
}

// 383.614 ms by the server, 416 751 047 − 33 372 827 ns by the client: 235 780 ns apart.
#[test]
fn client_and_server_disagree_about_the_generation() {
    let timing = timing(&fixture("smollm2-server"));
    let [found] = timing.disagreements.as_slice() else { panic!("{:?}", timing.disagreements) };
    assert_eq!(found.difference.as_ref().unwrap().quantity, Quantity::Nanos(235_780));
}

#[test]
fn a_user_capture_from_chunks_alone() {
    let (run, oracle) = (fixture("user-chat"), oracle("user-chat"));
    let timing = timing(&run);
    let gaps = timing.chunk_gaps.as_ref().unwrap();
    close(value(&Ok(gaps.median.clone())), &oracle["gap_median_ns"]);
    close(value(&Ok(gaps.longest.clone())), &oracle["gap_max_ns"]);
    assert!(timing.token_gaps.is_err(), "the server does not say how many tokens a chunk carries");
    // (end of generation − first token) ÷ (48 − 1), by the server's count.
    let length = oracle["end_of_generation_ns"].as_f64().unwrap() - oracle["first_content_ns"].as_f64().unwrap();
    let steps = oracle["generated_tokens"].as_f64().unwrap() - 1.0;
    assert!((value(&timing.mean_token_gap) - length / steps).abs() < 1.0);
    let states = lens_states(&run, &levels(&run));
    assert_eq!((states.run, states.request), (State::Present, State::Partial));
    for state in [states.passes, states.model, states.block, states.nodes, states.kernels, states.timeline] {
        assert_eq!(state, State::Absent);
    }
    assert_eq!(states.traversal, State::Absent);
}

#[test]
fn every_level_of_a_capture_says_how_much_it_holds() {
    let run = fixture("smollm2");
    let levels = levels(&run);
    let of = |level: Level| levels.iter().find(|row| row.level == level).unwrap();
    assert_eq!(of(Level::Request).state, State::Absent);
    assert_eq!(of(Level::Segments).missing[0].reason, run.reason("/timeline/segments"));
    // 7 passes of 936 nodes and 7 of 515 stamps (the oracle's nodes_per_decode_pass and executed_entries).
    let expected = oracle("smollm2");
    let intervals =
        7 * (expected["nodes_per_decode_pass"].as_i64().unwrap() + expected["executed_entries"].as_i64().unwrap());
    let counted = |level: Level| of(level).recorded.as_ref().unwrap().fact.quantity.clone();
    assert_eq!(counted(Level::Intervals), Quantity::Count(intervals));
    assert_eq!(counted(Level::Tensors), Quantity::Count(expected["weights"].as_i64().unwrap()));
    let states = lens_states(&run, &levels);
    assert_eq!((states.passes, states.model, states.nodes), (State::Present, State::Present, State::Present));
    assert_eq!((states.request, states.timeline), (State::Absent, State::Partial), "no GPU segments");
}

#[test]
fn what_a_sparse_capture_lacks_is_said_with_its_own_reasons() {
    let run = fixture("synthetic-metal");
    let overview = overview(&run);
    for level in overview.levels.iter().filter(|level| level.state != State::Present) {
        assert!(!level.missing.is_empty(), "{:?} says nothing of what it lacks", level.level);
        for missing in &level.missing {
            let own = run.absent.iter().any(|absence| absence.reason == missing.reason);
            assert!(own || missing.pointer == "/identity/instrument/kernel_timing", "{missing:?}");
        }
    }
    let unattributed = overview.unattributed.unwrap();
    assert!(unattributed.in_no_pass.share.unwrap_err().reason.contains("no share of time"));
}

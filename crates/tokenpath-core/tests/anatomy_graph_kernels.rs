//! Model anatomy, block, nodes and kernels of the reference captures against `tests/oracle/expected`, which a Python
//! script computes from the raw recordings and model files, without any of this repository's Rust.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokenpath_core::Run;
use tokenpath_core::bundle;
use tokenpath_core::derive::anatomy::{self, Place};
use tokenpath_core::derive::block::{self, Match};
use tokenpath_core::derive::kernels::{self, Population, Subject};
use tokenpath_core::derive::nodes;
use tokenpath_core::fact::{Quantity, Reading};

const CASES: [&str; 4] = ["smollm2", "tiny-dense", "tiny-moe", "tiny-hybrid"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(case: &str) -> Run {
    let opened = bundle::read(&fs::read(root().join("fixtures").join(case).join("run.json.gz")).unwrap()).unwrap();
    assert_eq!(opened.problems, [], "{case}");
    opened.run
}

fn expected(case: &str) -> Value {
    let path = root().join("tests/oracle/expected").join(format!("{case}.json"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn bytes(reading: &Reading) -> i64 {
    match &reading.as_ref().unwrap().quantity {
        Quantity::Bytes(bytes) => *bytes,
        other => panic!("{other:?}"),
    }
}

fn row(index: usize) -> u32 {
    u32::try_from(index).unwrap()
}

/// The graph of the decode passes.
fn decode_graph(run: &Run) -> u32 {
    row((0..run.graph.graphs.rows()).find(|row| run.graph.graphs.pass_kind.get(*row) == Some("decode")).unwrap())
}

#[test]
fn bytes_of_layers_and_of_the_rest() {
    for case in CASES {
        let (run, expected) = (run(case), expected(case));
        let anatomy = anatomy::anatomy(&run);
        let layers: Vec<i64> = anatomy.layers.list.iter().map(|layer| layer.bytes.exact().unwrap()).collect();
        let right: Vec<i64> =
            expected["layer_weight_bytes"].as_array().unwrap().iter().map(|bytes| bytes.as_i64().unwrap()).collect();
        assert_eq!(layers, right, "{case}");
        let outside: i64 = anatomy
            .components
            .iter()
            .filter(|component| !matches!(component.place, Place::Layer(_)))
            .map(|component| component.bytes.exact().unwrap())
            .sum();
        assert_eq!(Some(outside), expected["weight_bytes_outside_layers"].as_i64(), "{case}");
        assert_eq!(
            Some(bytes(&anatomy::tensor_bytes(&run, anatomy.bytes, "all"))),
            expected["stated_tensor_bytes"].as_i64()
        );
        // What is neither tensor nor header is padding: never negative, and less than a megabyte in these files.
        assert!((0..1_000_000).contains(&bytes(&anatomy::remainder(&run, &anatomy))), "{case}");
    }
}

#[test]
fn bytes_that_one_token_addresses() {
    for case in ["tiny-moe", "tiny-hybrid"] {
        let (run, expected) = (run(case), expected(case));
        let anatomy = anatomy::anatomy(&run);
        let experts = anatomy::experts::experts(&run, &anatomy, None).unwrap();
        assert_eq!(Some(bytes(&experts.addressed)), expected["weight_bytes_addressed_first_decode"].as_i64(), "{case}");
    }
}

#[test]
fn operations_of_the_decode_graph() {
    for case in CASES {
        let (run, expected) = (run(case), expected(case));
        let graph = decode_graph(&run);
        let count = |operation: Option<&str>, views: bool| {
            let filter = nodes::Filter { operation, graph: Some(graph), views, ..nodes::Filter::default() };
            nodes::page(&run, &filter, nodes::Key::Index, false, 0, 1, None).matching as u64
        };
        for (operation, number) in expected["operations"].as_object().unwrap() {
            assert_eq!(Some(count(Some(operation), true)), number.as_u64(), "{case} {operation}");
        }
        assert_eq!(Some(count(None, true)), expected["nodes_per_decode_pass"].as_u64(), "{case}");
        assert_eq!(Some(count(None, false)), expected["nodes_not_views"].as_u64(), "{case}");
    }
}

#[test]
fn kernels_of_both_executions() {
    for case in CASES {
        let (run, expected) = (run(case), expected(case));
        for (execution, section) in [(0, "callback_kernels"), (1, "stamp_kernels")] {
            // The oracle adds up all passes; the lens parts them by kind.
            let tables: Vec<kernels::Table<'_>> = ["prefill", "decode"]
                .into_iter()
                .map(|kind| Population { execution: Some(execution), kind: Some(kind), outside: false })
                .map(|population| kernels::table(&run, population))
                .collect();
            let mut named = 0;
            for (name, figures) in expected[section].as_object().unwrap() {
                let rows = tables.iter().flat_map(|table| &table.rows).filter(|row| match row.subject {
                    Subject::Kernel(kernel) => run.kernels.name.get(kernel as usize) == Some(name),
                    _ => false,
                });
                let sums = rows
                    .fold((0, 0), |sums, row| (sums.0 + u64::from(row.intervals), sums.1 + row.times.unwrap().total));
                assert_eq!(Some(sums.0), figures["intervals"].as_u64(), "{case} {section} {name}");
                assert_eq!(Some(sums.1), figures["total_ns"].as_i64(), "{case} {section} {name}");
                named += sums.0;
            }
            let listed: u64 = tables.iter().map(|table| u64::from(table.intervals)).sum();
            let views = if execution == 0 { expected["callback_views"]["intervals"].as_u64().unwrap() } else { 0 };
            assert_eq!(listed, named + views, "{case} {section}");
        }
    }
}

/// Which pattern a layer matches: by the architectures, a hand-made list. Of tiny-hybrid's eight layers every fourth
/// has attention (`full_attention_interval` 4 in its file).
#[test]
fn every_layer_of_the_recorded_models_matches() {
    for case in CASES {
        let run = run(case);
        for graph in 0..row(run.graph.graphs.rows()) {
            let layers = block::layers(&run, graph);
            assert!(!layers.is_empty(), "{case}");
            for (layer, _) in layers {
                let right = match (case, layer % 4) {
                    ("tiny-moe", _) => "prenorm-attention-moe",
                    ("tiny-hybrid", 3) => "prenorm-attention-moe",
                    ("tiny-hybrid", _) => "prenorm-gated-delta-net-moe",
                    _ => "prenorm-attention-gated-ffn",
                };
                match block::match_layer(&run, &block::nodes_of(&run, graph, layer)) {
                    Match::Matched(matched) => {
                        assert_eq!(matched.name(), right, "{case} graph {graph} layer {layer}");
                        // Nine query heads on three key heads in SmolLM2, and fewer key heads in all others too.
                        assert_ne!(matched.grouped_query, Some(false), "{case} layer {layer}");
                    }
                    Match::Unmatched(mismatch) => panic!("{case} graph {graph} layer {layer}: {mismatch:?}"),
                }
            }
        }
    }
}

/// SmolLM2's first layer by hand from the recording's list of nodes (936 a pass): 1 and 2 norm, 3 Q, 5 its rotation, 6 V,
/// 8 K, 10 its rotation, 12 and 14 cache writes, 21 attention, 23 output, 24 add, 25 and 26 norm, 27 gate, 28 up,
/// 29 SwiGLU, 30 down, 31 add.
#[test]
fn groups_of_a_recorded_layer() {
    let run = run("smollm2");
    let graph = decode_graph(&run);
    let nodes = block::nodes_of(&run, graph, 0);
    // The decode graph's nodes follow those of the prefill graph.
    let base =
        (0..run.graph.nodes.rows()).find(|node| run.graph.nodes.graph.get(*node) == Some(graph)).map(row).unwrap();
    let Match::Matched(matched) = block::match_layer(&run, &nodes) else { panic!("unmatched") };
    let found: Vec<(&str, Vec<u32>)> = matched
        .groups
        .iter()
        .map(|group| (group.group.key, group.nodes.iter().map(|node| node - base).collect()))
        .collect();
    let right: [(&str, &[u32]); 15] = [
        ("norm", &[1, 2]),
        ("q", &[3]),
        ("k", &[8]),
        ("v", &[6]),
        ("qr", &[5]),
        ("kr", &[10]),
        ("cache", &[12, 14]),
        ("attend", &[21]),
        ("o", &[23]),
        ("mixed", &[24]),
        ("fn", &[25, 26]),
        ("gate_", &[27]),
        ("up", &[28]),
        ("glu", &[29]),
        ("down", &[30]),
    ];
    for (key, nodes) in right {
        assert!(found.iter().any(|(known, of)| *known == key && of == nodes), "{key} {found:?}");
    }
    assert_eq!(found.len(), right.len() + 1);
}

/// Names never decide: with every node called the same, each layer still matches; without roles none does.
#[test]
fn names_do_not_decide() {
    let mut run = run("tiny-hybrid");
    let graph = decode_graph(&run);
    let matches = |run: &Run| {
        block::layers(run, graph)
            .iter()
            .filter(|(layer, _)| {
                matches!(block::match_layer(run, &block::nodes_of(run, graph, *layer)), Match::Matched(_))
            })
            .count()
    };
    run.graph.nodes.name = (0..run.graph.nodes.rows()).map(|_| "node").collect();
    run.model.tensors.name = (0..run.model.tensors.rows()).map(|row| Some(format!("t{row}"))).collect();
    assert_eq!(matches(&run), 8);
    run.model.tensors.role = (0..run.model.tensors.rows()).map(|_| "other").collect();
    assert_eq!(matches(&run), 0);
}

/// Fused operations are counted in positions: in the whole-graph recordings no node of the graph is fused, so the
/// last position of each graph is its number of nodes less one.
#[test]
fn positions_in_the_recorded_graphs() {
    let run = run("tiny-dense");
    let positions = nodes::positions(&run).unwrap();
    for graph in 0..row(run.graph.graphs.rows()) {
        let of = (0..run.graph.nodes.rows()).filter(|node| run.graph.nodes.graph.get(*node) == Some(graph));
        let last = of.clone().map(|node| positions[node]).max();
        assert_eq!(last, Some(row(of.count()) - 1));
    }
}

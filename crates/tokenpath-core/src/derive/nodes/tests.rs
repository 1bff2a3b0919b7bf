//! Hand-worked nodes, and the cost of a keystroke counted in looks and comparisons.

use super::*;
use crate::absence::{Absence, ReasonCode};
use crate::label::{Label, Labels};
use crate::model::{Kernels, Nodes, Tensors};

/// Two subgraphs of five nodes. Node 1 fuses two operations, node 3 is a view.
fn small() -> Run {
    let mut run = Run::default();
    run.graph.given = true;
    run.graph.nodes = Nodes {
        given: true,
        graph: [0_u32; 5].into_iter().collect(),
        name: ["embd", "norm-0", "Qcur-0", "Qcur-0 (view)", "out"].into_iter().collect(),
        operation: ["GET_ROWS", "RMS_NORM", "MUL_MAT", "VIEW", "MUL_MAT"].into_iter().collect(),
        subgraph: [0_i64, 0, 0, 1, 1].into_iter().collect(),
        fused: [1_i64, 2, 1, 1, 1].into_iter().collect(),
        view: [0_i64, 0, 0, 1, 0].into_iter().collect(),
        layer: [None, Some(0_i64), Some(0), Some(0), None].into_iter().collect(),
        kernels: [Some(vec![0_u32]), Some(vec![1]), Some(vec![2]), Some(vec![]), Some(vec![2, 1])]
            .into_iter()
            .collect(),
        tensors: [Some(vec![1_u32]), Some(vec![]), Some(vec![0]), Some(vec![]), Some(vec![1])].into_iter().collect(),
        labels: Labels::all(Label::reported("callback")).with_rows(
            "kernels",
            [
                Label::reported("x"),
                Label::inferred("y"),
                Label::inferred("y"),
                Label::reported("x"),
                Label::reported("x"),
            ],
        ),
        ..Nodes::default()
    };
    run.kernels =
        Kernels { given: true, name: ["rows_f32", "norm_f32", "gemm_q4"].into_iter().collect(), ..Kernels::default() };
    run.model.tensors = Tensors {
        given: true,
        name: ["blk.0.attn_q.weight", "token_embd.weight"].into_iter().collect(),
        bytes: [64_i64, 300].into_iter().collect(),
        ..Tensors::default()
    };
    run
}

fn found(run: &Run, filter: &Filter<'_>, key: Key, descending: bool) -> Vec<u32> {
    page(run, filter, key, descending, 0, 200, None).nodes
}

// Subgraph 0: node 0 at 0, node 1 at 1 stands for two, so node 2 at 3. Subgraph 1 begins again: 0 and 1.
#[test]
fn positions_count_fused_operations() {
    assert_eq!(positions(&small()), Ok(vec![0, 1, 3, 0, 1]));
    let mut run = small();
    run.graph.nodes.subgraph = crate::column::Ints::default();
    run.absent.push(Absence::new("/graph/nodes/subgraph", ReasonCode::NotReported, "No splits."));
    assert_eq!(positions(&run).unwrap_err().reason, "No splits.");
}

#[test]
fn each_filter_alone() {
    let run = small();
    let text = |text: &str| found(&run, &Filter { needle: Needle::new(text), ..Filter::default() }, Key::Index, false);
    assert_eq!(text(""), [0, 1, 2, 3, 4]);
    assert_eq!(text("qCUR"), [2, 3]);
    // A kernel's name and a tensor's name lead to their nodes.
    assert_eq!(text("norm_f32"), [1, 4]);
    assert_eq!(text("token_embd"), [0, 4]);
    let with = |filter: Filter<'_>| found(&run, &filter, Key::Index, false);
    assert_eq!(with(Filter { layer: Some(Some(0)), ..Filter::default() }), [1, 2, 3]);
    assert_eq!(with(Filter { layer: Some(None), ..Filter::default() }), [0, 4]);
    assert_eq!(with(Filter { operation: Some("MUL_MAT"), ..Filter::default() }), [2, 4]);
    assert_eq!(with(Filter { kernel: Some(1), ..Filter::default() }), [1, 4]);
    // A view maps to no kernel, so its label counts for neither.
    assert_eq!(with(Filter { label: Some(LabelKind::Inferred), ..Filter::default() }), [1, 2]);
    assert_eq!(with(Filter { label: Some(LabelKind::Reported), ..Filter::default() }), [0, 4]);
    assert_eq!(with(Filter { views: false, ..Filter::default() }), [0, 1, 2, 4]);
    assert_eq!(with(Filter { graph: Some(1), ..Filter::default() }), [0_u32; 0]);
}

#[test]
fn each_order_with_missing_ones_last() {
    let run = small();
    let all = Filter::default();
    // Layers 0, 0, 0 before the two of none, both ways; equal ones in encode order.
    assert_eq!(found(&run, &all, Key::Layer, false), [1, 2, 3, 0, 4]);
    assert_eq!(found(&run, &all, Key::Layer, true), [1, 2, 3, 0, 4]);
    // 64 bytes, then 300 twice; nodes that read nothing last.
    assert_eq!(found(&run, &all, Key::Bytes, false), [2, 0, 4, 1, 3]);
    assert_eq!(found(&run, &all, Key::Bytes, true), [0, 4, 2, 1, 3]);
    assert_eq!(found(&run, &all, Key::Name, false), [2, 3, 0, 1, 4]);
    assert_eq!(found(&run, &all, Key::Index, true), [4, 3, 2, 1, 0]);
    assert_eq!(found(&run, &all, Key::Position, true), [2, 1, 4, 0, 3]);
}

#[test]
fn counts_of_values() {
    let run = small();
    let facets = facets(&run);
    assert_eq!(facets.operations, [("MUL_MAT", 2), ("GET_ROWS", 1), ("RMS_NORM", 1), ("VIEW", 1)]);
    assert_eq!((facets.layers.as_slice(), facets.layerless), ([(0, 3)].as_slice(), 2));
    assert_eq!(facets.kernels, [(1, 2), (2, 2), (0, 1)]);
    assert_eq!((facets.views, facets.fused), (1, (1, 6)));
}

/// A made-up graph of many nodes whose names and layers repeat.
fn large(rows: u32) -> Run {
    let mut run = Run::default();
    run.graph.given = true;
    let row = || 0..rows;
    run.graph.nodes = Nodes {
        given: true,
        graph: row().map(|_| 0_u32).collect(),
        // A multiplier without a common factor scatters the names, so that sorting has work to do.
        name: row().map(|node| Some(format!("node-{}", u64::from(node) * 7919 % 104_729))).collect(),
        operation: row().map(|node| Some(["MUL_MAT", "ADD", "RMS_NORM"][node as usize % 3])).collect(),
        layer: row().map(|node| Some(i64::from(node % 61))).collect(),
        labels: Labels::all(Label::reported("callback")),
        ..Nodes::default()
    };
    run
}

#[test]
fn a_keystroke_looks_at_each_node_once_and_sorts_only_the_page() {
    for rows in [10_000, 100_000] {
        let run = large(rows);
        for key in [Key::Index, Key::Name, Key::Layer] {
            for from in [0, 5000] {
                let filter = Filter { needle: Needle::new("node"), ..Filter::default() };
                let page = page(&run, &filter, key, true, from, 200, None);
                assert_eq!((page.nodes.len(), page.matching), (200, rows as usize));
                assert_eq!(page.work.looked_at, rows as usize);
                // Selecting is linear: a handful of comparisons for each node, however many there are.
                assert!(page.work.compared <= 12 * rows as usize, "{key:?} {from} {:?}", page.work);
            }
        }
    }
}

proptest::proptest! {
    // The standard library's full sort is the oracle of every page.
    #[test]
    fn pages_agree_with_a_full_sort(rows in 1_u32..400, from in 0_usize..400, length in 1_usize..60, descending: bool) {
        let run = large(rows);
        let name = |node: &u32| run.graph.nodes.name.get(*node as usize).unwrap().to_owned();
        let mut expected: Vec<u32> = (0..rows).collect();
        expected.sort_by(|a, b| {
            let by_name = name(a).cmp(&name(b));
            (if descending { by_name.reverse() } else { by_name }).then(a.cmp(b))
        });
        let expected: Vec<u32> = expected.into_iter().skip(from).take(length).collect();
        let page = page(&run, &Filter::default(), Key::Name, descending, from, length, None);
        proptest::prop_assert_eq!(page.nodes, expected);
    }
}

//! A graph of 100,000 nodes: what is drawn of it does not grow with it. Times are the business of the example
//! `keystroke`.

use tokenpath_core::Run;
use tokenpath_core::label::{Label, Labels};
use tokenpath_core::model::{Graphs, Kernels, Nodes};

use crate::render;

fn run_of(rows: u32) -> Run {
    let mut run = Run::default();
    run.graph.given = true;
    run.graph.graphs = Graphs { given: true, name: ["made up"].into_iter().collect(), ..Graphs::default() };
    run.kernels = Kernels { given: true, name: ["gemm", "norm"].into_iter().collect(), ..Kernels::default() };
    let row = || 0..rows;
    run.graph.nodes = Nodes {
        given: true,
        graph: row().map(|_| 0_u32).collect(),
        name: row().map(|node| Some(format!("node-{:06}", u64::from(node) * 7919 % 104_729))).collect(),
        operation: row().map(|node| Some(["MUL_MAT", "ADD", "RMS_NORM"][node as usize % 3])).collect(),
        subgraph: row().map(|node| i64::from(node / 1000)).collect(),
        layer: row().map(|node| i64::from(node % 61)).collect(),
        kernels: row().map(|node| Some([node % 2])).collect(),
        tensors: row().map(|_| Some([0_u32; 0])).collect(),
        labels: Labels::all(Label::reported("made up")),
        ..Nodes::default()
    };
    run
}

fn body_rows(html: &str) -> usize {
    html.split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap().matches("<tr").count()
}

#[test]
fn a_page_of_the_table_is_drawn_whatever_the_graph() {
    let (small, large) = (run_of(10_000), run_of(100_000));
    for view in ["nodes", "nodes?q=node&sort=-name", "nodes?operation=ADD&sort=layer&from=1000"] {
        let (few, many) = (render(&small, view), render(&large, view));
        assert!(body_rows(&few) <= 100 && body_rows(&many) == 100, "{view}");
        // The longer page differs by the digits of its numbers only.
        assert!(many.len() < few.len() + few.len() / 4 || body_rows(&few) < 100, "{view} {} {}", few.len(), many.len());
    }
    // 100 000 ÷ 61 is 1639 with rest 21: layers 0 to 20 have 1640 nodes, layer 60 has 1639.
    assert!(render(&large, "nodes?layer=60").contains("1639 nodes match"));
}

#[test]
fn a_page_past_the_end_shows_the_last_one() {
    let run = run_of(1000);
    // 1000 ÷ 3: nodes 1, 4, .. 997 are ADD, which are 333; pages are of 100, so the last begins at 300.
    let html = render(&run, "nodes?operation=ADD&from=5000");
    assert_eq!(body_rows(&html), 33);
}

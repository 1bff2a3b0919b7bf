//! How long one keystroke in the table of nodes takes: filtering, sorting and drawing, at 10,000 to 1,000,000 nodes.
//!
//! `cargo run --release -p tokenpath-pages --example keystroke`. A benchmark, not a test: no test fails on a time.

use std::error::Error;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::time::Instant;

use tokenpath_core::Run;
use tokenpath_core::label::{Label, Labels};
use tokenpath_core::model::{Graphs, Intervals, Kernels, Nodes, PassRows};
use tokenpath_pages::lenses;
use tokenpath_pages::page::Context;
use tokenpath_pages::view::{Links, View};

/// Rounds of each measurement, of which the median is told.
const ROUNDS: usize = 11;

/// A made-up graph: names that scatter, 400 kernels, 61 layers, one timed pass.
fn run_of(rows: u32) -> Run {
    let mut run = Run::default();
    let labels = || Labels::all(Label::reported("made up"));
    let row = || 0..rows;
    run.identity.instrument.kernel_timing = Some("complete".to_owned());
    run.kernels = Kernels {
        given: true,
        name: (0..400).map(|kernel| Some(format!("void gemm_kernel_{kernel}<float, 128, 64>(float*, int)"))).collect(),
        ..Kernels::default()
    };
    run.graph.given = true;
    run.graph.graphs = Graphs { given: true, name: ["made up"].into_iter().collect(), ..Graphs::default() };
    run.graph.nodes = Nodes {
        given: true,
        graph: row().map(|_| 0_u32).collect(),
        name: row()
            .map(|node| Some(format!("model.layers.{}.node-{}", node % 61, u64::from(node) * 7919 % 104_729)))
            .collect(),
        operation: row().map(|node| ["MUL_MAT", "ADD", "RMS_NORM", "ROPE"].get(node as usize % 4).copied()).collect(),
        subgraph: row().map(|node| i64::from(node / 1000)).collect(),
        layer: row().map(|node| i64::from(node % 61)).collect(),
        kernels: row().map(|node| Some([node % 400])).collect(),
        tensors: row().map(|_| Some([0_u32; 0])).collect(),
        labels: labels(),
        ..Nodes::default()
    };
    run.passes.given = true;
    run.passes.rows = PassRows {
        given: true,
        kind: ["decode"].into_iter().collect(),
        start: [0_i64].into_iter().collect(),
        graph: [0_u32].into_iter().collect(),
        labels: labels(),
        ..PassRows::default()
    };
    run.timeline.given = true;
    run.timeline.intervals = Intervals {
        given: true,
        start: row().map(|node| i64::from(node) * 1000).collect(),
        duration: row().map(|node| i64::from(node % 977)).collect(),
        pass: row().map(|_| 0_u32).collect(),
        kernel: row().map(|node| node % 400).collect(),
        nodes: row().map(|node| Some([node])).collect(),
        labels: labels(),
        ..Intervals::default()
    };
    run
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = stdout();
    for rows in [10_000, 100_000, 1_000_000] {
        let run = run_of(rows);
        for fragment in ["nodes", "nodes?q=node-12", "nodes?q=zzz", "nodes?q=gemm&sort=-name", "nodes?sort=-time"] {
            let view = View::parse(fragment);
            let context = Context {
                run: &run,
                problems: &[],
                view: &view,
                links: Links::Fragment,
                verdict: None,
                timeline: None,
                model: None,
            };
            let mut times: Vec<f64> = (0..ROUNDS)
                .map(|_| {
                    let start = Instant::now();
                    black_box(lenses::render(view.lens, &context).into_string());
                    start.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let median = times.get(ROUNDS / 2).copied().unwrap_or_default();
            writeln!(out, "{rows:>9} nodes  {fragment:<26} {median:>8.2} ms")?;
        }
    }
    Ok(())
}

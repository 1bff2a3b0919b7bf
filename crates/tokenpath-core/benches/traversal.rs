//! How long verdicts take, and how that grows. Prints medians; not a test: nothing fails on a time.
//! A number as argument is the largest count of intervals to try; a word, what to time (part of its name).
//!
//! `cargo bench -p tokenpath-core --bench traversal -- 1000000`

#![allow(clippy::print_stdout)]

use std::time::Instant;

use tokenpath_core::label::{Label, Labels};
use tokenpath_core::model::{
    Components, Graph, Graphs, Identity, Instrument, Intervals, Kernels, NodeSets, Nodes, PassRows, Passes,
    Submissions, Tensors, Timeline, Weights,
};
use tokenpath_core::traverse::{ComputedBy, chain, rows, verdict, verdicts_all};
use tokenpath_core::{Absence, ReasonCode, Run};

/// Candidate nodes of each interval.
const CANDIDATES: u32 = 50;
/// Kernels that the nodes run as.
const KERNELS: u32 = 40;

/// How an interval comes to its candidates.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// All submissions share one node set.
    SharedSet,
    /// Every interval has a submission with a node set of its own.
    OwnSets,
    /// The producer supplies a list for every interval.
    Supplied,
    /// As `SharedSet`, and every kernel is a gap with a reason of its own.
    Gaps,
}

fn run(shape: Shape, passes: u32, intervals: u32) -> Run {
    let nodes = KERNELS * CANDIDATES;
    let labels = || Labels::all(Label::reported("bench"));
    let all_nodes: Vec<u32> = (0..nodes).collect();
    let own = shape == Shape::OwnSets;
    let submissions = if own { intervals } else { passes };
    let pass_of = |interval: u32| (u64::from(interval) * u64::from(passes) / u64::from(intervals)) as u32;
    // Nodes k, k + KERNELS, k + 2 KERNELS … run as kernel k.
    let candidates = |kernel: u32| (0..CANDIDATES).map(|at| kernel + at * KERNELS).collect::<Vec<u32>>();
    let kernel_of = |interval: u32| interval % KERNELS;
    let gap = shape == Shape::Gaps;
    let absent = if gap {
        let entry = |row| Absence::new(format!("/timeline/intervals/kernel/{row}"), ReasonCode::Lost, "lost");
        (0..intervals).map(entry).collect()
    } else {
        Vec::new()
    };
    Run {
        identity: Identity {
            given: true,
            instrument: Instrument { kernel_timing: Some("complete".to_owned()), ..Instrument::default() },
            ..Identity::default()
        },
        passes: Passes {
            given: true,
            rows: PassRows {
                given: true,
                kind: (0..passes).map(|_| Some("decode")).collect(),
                start: (0..passes).map(i64::from).collect(),
                graph: (0..passes).map(|_| 0).collect(),
                labels: labels(),
                ..PassRows::default()
            },
            ..Passes::default()
        },
        model: Weights {
            given: true,
            components: Components {
                given: true,
                layer: (0..KERNELS).map(i64::from).collect(),
                labels: labels(),
                ..Components::default()
            },
            tensors: Tensors {
                given: true,
                component: (0..nodes).map(|node| node % KERNELS).collect(),
                labels: labels(),
                ..Tensors::default()
            },
            ..Weights::default()
        },
        graph: Graph {
            given: true,
            graphs: Graphs { given: true, name: ["g"].into_iter().collect(), ..Graphs::default() },
            nodes: Nodes {
                given: true,
                graph: (0..nodes).map(|_| 0).collect(),
                tensors: (0..nodes).map(|node| Some([node])).collect(),
                kernels: (0..nodes).map(|node| Some([node % KERNELS])).collect(),
                labels: labels(),
                ..Nodes::default()
            },
            ..Graph::default()
        },
        kernels: Kernels {
            given: true,
            name: (0..KERNELS).map(|kernel| Some(format!("k{kernel}"))).collect(),
            ..Kernels::default()
        },
        timeline: Timeline {
            given: true,
            node_sets: NodeSets {
                given: true,
                nodes: if own {
                    (0..intervals).map(|interval| Some(candidates(kernel_of(interval)))).collect()
                } else {
                    [Some(all_nodes)].into_iter().collect()
                },
                labels: labels(),
                ..NodeSets::default()
            },
            submissions: Submissions {
                given: true,
                node_set: (0..submissions).map(|submission| if own { submission } else { 0 }).collect(),
                labels: labels(),
                ..Submissions::default()
            },
            intervals: Intervals {
                given: true,
                start: (0..intervals).map(i64::from).collect(),
                pass: (0..intervals).map(pass_of).collect(),
                submission: (0..intervals).map(|interval| if own { interval } else { pass_of(interval) }).collect(),
                kernel: (0..intervals).map(|interval| (!gap).then(|| kernel_of(interval))).collect(),
                nodes: if shape == Shape::Supplied {
                    (0..intervals).map(|interval| Some(candidates(kernel_of(interval)))).collect()
                } else {
                    Default::default()
                },
                labels: labels(),
                ..Intervals::default()
            },
            ..Timeline::default()
        },
        absent,
        ..Run::default()
    }
}

/// The median of a few runs: of processor time where the system tells it, so that other work on the machine counts little.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<u64> = (0..7)
        .map(|_| {
            let (start, on_processor) = (Instant::now(), processor_time());
            work();
            match (on_processor, processor_time()) {
                (Some(before), Some(after)) => after.saturating_sub(before),
                _ => u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX),
            }
        })
        .collect();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| *time as f64 / 1e6)
}

/// Processor time of this thread so far, in nanoseconds. Linux tells it.
fn processor_time() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok()
}

fn main() {
    println!("{:<44} {:>11} {:>10}", "what", "intervals", "ms");
    let line = |what: &str, intervals: u32, ms: f64| println!("{what:<44} {intervals:>11} {ms:>10.2}");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let largest = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    let part = arguments.iter().find(|argument| argument.parse::<u32>().is_err());
    let wanted = |what: &str| part.is_none_or(|part| what.contains(part.as_str()));
    let series = || [10_000, 100_000, 1_000_000].into_iter().filter(move |intervals| *intervals <= largest);
    for (what, shape) in [
        ("verdict, 50 candidates, one node set", Shape::SharedSet),
        ("verdict, 50 candidates, a node set each", Shape::OwnSets),
        ("verdict, 50 candidates, supplied", Shape::Supplied),
        ("verdict, every kernel a gap", Shape::Gaps),
    ] {
        for intervals in series().filter(|_| wanted(what)) {
            let run = run(shape, 1, intervals);
            line(what, intervals, median(|| drop(verdict(&run, Some(0), ComputedBy::CommandLine))));
        }
    }
    for intervals in series().filter(|_| wanted("verdicts of all passes")) {
        let run = run(Shape::SharedSet, intervals / 1_000, intervals);
        line(
            "verdicts of all passes, 1000 intervals each",
            intervals,
            median(|| drop(verdicts_all(&run, ComputedBy::Page))),
        );
    }
    for (what, shape) in [("rows, one node set", Shape::SharedSet), ("rows, supplied", Shape::Supplied)] {
        if !wanted(what) {
            continue;
        }
        let run = run(shape, 1, 10_000);
        line(what, 10_000, median(|| drop(rows(&run, 0, 0..10_000))));
    }
    if !wanted("one chain opened") {
        return;
    }
    let run = run(Shape::SharedSet, 1, 10_000);
    line("one chain opened", 10_000, median(|| drop(chain(&run, 5_000))));
}

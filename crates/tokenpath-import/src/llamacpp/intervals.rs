//! The timeline of a recording: one submission for each call that computes a graph, and the intervals within it.

use tokenpath_core::model::{Intervals, LeftOut, NodeSets, Submissions, Timeline, Unrecorded};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::ends::{End, VIEW_RUNS_NOTHING};
use super::kernels;
use super::recording::{Recording, Timing};
use super::tables::Shared;
use crate::absent::Absences;

/// One interval before its columns.
struct Row {
    start: i64,
    duration: i64,
    pass: u32,
    kernel: Option<u32>,
    kernel_end: Option<u32>,
    nodes: Option<Vec<u32>>,
    by_stamp: bool,
}

#[expect(clippy::too_many_arguments, reason = "the parts of one run that are built side by side")]
pub(super) fn timeline(
    recording: &Recording,
    shared: &Shared<'_>,
    clock: &str,
    backend: Option<&str>,
    offsets: &[u32],
    absent: &mut Absences,
    end_row: &mut dyn FnMut(End) -> u32,
    kernel_row: &mut dyn FnMut(String) -> u32,
) -> Timeline {
    let rows = rows(recording, offsets, end_row, kernel_row);
    let measured = Label::measured(clock);
    let reported = Label::reported(shared.recorder.reporter);
    let mut bounds: Option<(i64, i64)> = None;
    let mut include = |time: i64| {
        bounds = Some(bounds.map_or((time, time), |(from, to)| (from.min(time), to.max(time))));
    };
    for pass in &recording.passes {
        [Some(pass.start), pass.returned, pass.end, pass.last].into_iter().flatten().for_each(&mut include);
    }
    for row in &rows {
        include(row.start);
        include(row.start.saturating_add(row.duration));
    }
    let host_only = |cpu: &'static str, other: &'static str| {
        if backend == Some("CPU") { (ReasonCode::NoSuchThing, cpu) } else { (ReasonCode::NotRecorded, other) }
    };
    let (code, reason) = host_only(
        "The run was computed on the CPU by the calling threads: there are no GPU segments or queues.",
        "The recorder sees the host's side only; it records no GPU segments or queues.",
    );
    absent.all(&["/timeline/queues", "/timeline/segments", "/timeline/intervals/segment"], code, reason);
    let (code, reason) = host_only(
        "The run was computed on the CPU in the process's own memory: nothing is copied to a device.",
        "The recorder does not record memory copies.",
    );
    absent.add("/timeline/copies", code, reason);
    absent.add("/timeline/calls", ReasonCode::NotRecorded, "The recorder does not record API calls.");
    absent.add("/timeline/ranges", ReasonCode::NotRecorded, "The recorder does not record named ranges.");
    let with_graphs = !recording.graphs.is_empty();
    let node_sets = if with_graphs {
        node_sets(recording, offsets, reported.clone())
    } else {
        absent.add("/timeline/node_sets", ReasonCode::NotSupplied, "No graph was recorded, so no node is known.");
        NodeSets::default()
    };
    let submissions = submissions(recording, shared, &measured, absent);
    let intervals = intervals(&rows, recording, &measured, &reported, absent);
    let unrecorded = Unrecorded {
        given: !recording.unrecorded.is_empty(),
        start: recording.unrecorded.iter().map(|(start, ..)| *start).collect(),
        end: recording.unrecorded.iter().map(|(_, end, _)| *end).collect(),
        reason: recording.unrecorded.iter().map(|(.., reason)| *reason).collect(),
        labels: Labels::all(Label::derived("end of a pass to the start of the next")),
        ..Unrecorded::default()
    };
    let left_out = LeftOut {
        given: !recording.left_out.is_empty(),
        what: recording.left_out.iter().map(|(what, ..)| what.as_str()).collect(),
        count: recording.left_out.iter().map(|(_, count, _)| *count).collect(),
        reason: recording.left_out.iter().map(|(.., reason)| reason.as_str()).collect(),
        labels: Labels::all(Label::derived("count of what the importer left out")),
        ..LeftOut::default()
    };
    Timeline {
        given: true,
        start: bounds.map(|(from, _)| from),
        end: bounds.map(|(_, to)| to),
        node_sets,
        submissions,
        intervals,
        unrecorded,
        left_out,
        labels: Labels::all(measured),
        ..Timeline::default()
    }
}

fn rows(
    recording: &Recording,
    offsets: &[u32],
    end_row: &mut dyn FnMut(End) -> u32,
    kernel_row: &mut dyn FnMut(String) -> u32,
) -> Vec<Row> {
    let executed: Vec<Vec<Vec<u32>>> = recording.graphs.iter().map(|graph| graph.topology.executed()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (number, pass) in (0_u32..).zip(&recording.passes) {
        let graph = pass.graph.and_then(|graph| recording.graphs.get(graph as usize));
        let offset = pass.graph.and_then(|graph| offsets.get(graph as usize)).copied().unwrap_or(0);
        match &pass.timing {
            Timing::None => {}
            Timing::Nodes(spans) => {
                for (index, (start, end)) in (0_u32..).zip(spans) {
                    let node = graph.and_then(|graph| graph.topology.nodes.get(index as usize));
                    let view = node.is_some_and(|node| node.is_view());
                    let kernel = node.filter(|_| !view).map(|node| kernel_row(kernels::of_node(node)));
                    rows.push(Row {
                        start: *start,
                        duration: end - start,
                        pass: number,
                        kernel,
                        kernel_end: view.then(|| end_row(VIEW_RUNS_NOTHING)),
                        nodes: node.map(|_| vec![offset + index]),
                        by_stamp: false,
                    });
                }
            }
            Timing::Stamps(stamps) => {
                let entries = pass.graph.and_then(|graph| executed.get(graph as usize));
                let mut before = pass.start;
                for (position, stamp) in stamps.iter().enumerate() {
                    let entry = entries.and_then(|entries| entries.get(position));
                    let kernel = entry.zip(graph).map(|(entry, graph)| {
                        kernel_row(if position == 0 {
                            kernels::of_first_entry(&graph.topology, entry)
                        } else {
                            kernels::of_entry(&graph.topology, entry)
                        })
                    });
                    rows.push(Row {
                        start: before,
                        duration: stamp - before,
                        pass: number,
                        kernel,
                        kernel_end: None,
                        nodes: entry.map(|entry| entry.iter().map(|node| offset + node).collect()),
                        by_stamp: true,
                    });
                    before = *stamp;
                }
            }
        }
    }
    rows.sort_by_key(|row| row.start);
    rows
}

fn node_sets(recording: &Recording, offsets: &[u32], label: Label) -> NodeSets {
    let mut out = NodeSets { given: true, labels: Labels::all(label), ..NodeSets::default() };
    for (graph, offset) in recording.graphs.iter().zip(offsets) {
        let count = u32::try_from(graph.topology.nodes.len()).unwrap_or(u32::MAX);
        let nodes: Vec<u32> = (*offset..offset.saturating_add(count)).collect();
        out.nodes.push(Some(&nodes));
    }
    out
}

fn submissions(recording: &Recording, shared: &Shared<'_>, measured: &Label, absent: &mut Absences) -> Submissions {
    let reported = Label::reported(shared.recorder.reporter);
    absent.add(
        "/timeline/submissions/handle",
        ReasonCode::NoSuchThing,
        "A call of a function has no object of a driver to be known by.",
    );
    if recording.passes.iter().any(|pass| pass.returned.is_none()) {
        let reason = "The recorder did not stamp the return of this call.";
        absent.add("/timeline/submissions/end", ReasonCode::NotRecorded, reason);
    }
    if recording.passes.iter().any(|pass| pass.graph.is_none()) {
        let reason = "No graph was recorded for the pass of this submission.";
        absent.add("/timeline/submissions/node_set", ReasonCode::NotSupplied, reason);
    }
    Submissions {
        given: true,
        kind: recording.passes.iter().map(|_| shared.recorder.submission).collect(),
        start: recording.passes.iter().map(|pass| pass.start).collect(),
        end: recording.passes.iter().map(|pass| pass.returned).collect(),
        pass: (0_u32..).zip(&recording.passes).map(|(row, _)| Some(row)).collect(),
        node_set: recording.passes.iter().map(|pass| pass.graph).collect(),
        labels: Labels::all(reported).with("start", measured.clone()).with("end", measured.clone()),
        ..Submissions::default()
    }
}

fn intervals(
    rows: &[Row],
    recording: &Recording,
    measured: &Label,
    reported: &Label,
    absent: &mut Absences,
) -> Intervals {
    if recording.passes.iter().all(|pass| pass.timing == Timing::None) {
        let reason = "The run was recorded without times within a pass, so that its execution stayed as it was.";
        absent.add("/timeline/intervals", ReasonCode::NotRecorded, reason);
        return Intervals::default();
    }
    if rows.iter().any(|row| row.kernel.is_none() && row.kernel_end.is_none()) {
        let reason = "A stamp names no node, and no capture by the evaluation callback was given to take them from.";
        absent.add("/timeline/intervals/kernel", ReasonCode::NotSupplied, reason);
    }
    let nodes_label = |row: &Row| {
        if row.by_stamp { Label::inferred("executed-list") } else { Label::measured("evaluation callback") }
    };
    let start_labels = measured.clone();
    Intervals {
        given: true,
        start: rows.iter().map(|row| row.start).collect(),
        duration: rows.iter().map(|row| row.duration).collect(),
        pass: rows.iter().map(|row| Some(row.pass)).collect(),
        submission: rows.iter().map(|row| Some(row.pass)).collect(),
        kernel: rows.iter().map(|row| row.kernel).collect(),
        kernel_end: rows.iter().map(|row| row.kernel_end).collect(),
        nodes: rows.iter().map(|row| row.nodes.as_ref()).collect(),
        labels: Labels::all(start_labels)
            .with("pass", reported.clone())
            .with("submission", reported.clone())
            .with("kernel", Label::inferred(kernels::RULE))
            .with_rows("nodes", rows.iter().map(nodes_label)),
        ..Intervals::default()
    }
}

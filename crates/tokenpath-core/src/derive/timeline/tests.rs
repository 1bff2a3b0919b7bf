//! Rows of a run that is small enough to be laid out by hand.

use super::*;
use crate::derive::part::Part;
use crate::item::Item;
use crate::model::{Calls, Chunks, Copies, Intervals, Kernels, Nodes, PassRows, Queues, Ranges, Run, Submissions};

fn nodes(of: &[Option<&[u32]>]) -> crate::column::RefLists {
    of.iter().copied().collect()
}

/// Two layers of two nodes each, run twice: pass 0 from 100 to 500, pass 1 from 600 without an end.
///
/// ```text
/// interval  0       1       2       3        4         | 5       6
/// start     100     150     200     300      400       | 600     700
/// length    50      50      50      50       50        | 50      50
/// node      0       1       2       3        4 (head)  | 0       2 and 3
/// layer     0       0       1       1        none      | 0       1
/// ```
fn run() -> Run {
    let mut run = Run::default();
    run.graph.given = true;
    run.graph.nodes = Nodes {
        given: true,
        graph: [0_u32; 5].into_iter().collect(),
        name: ["q", "up", "q", "up", "head"].into_iter().collect(),
        operation: ["SOFT_MAX", "GLU", "SOFT_MAX", "GLU", "MUL_MAT"].into_iter().collect(),
        layer: [Some(0), Some(0), Some(1), Some(1), None].into_iter().collect(),
        kernels: nodes(&[Some(&[0]), Some(&[1]), Some(&[0]), Some(&[1]), Some(&[2])]),
        ..Nodes::default()
    };
    run.kernels = Kernels {
        given: true,
        name: ["k0", "k1", "gemm", "rms_norm_kernel"].into_iter().collect(),
        ..Kernels::default()
    };
    run.passes.given = true;
    run.passes.rows = PassRows {
        given: true,
        kind: ["prefill", "decode"].into_iter().collect(),
        start: [100_i64, 600].into_iter().collect(),
        end: [Some(500_i64), None].into_iter().collect(),
        ..PassRows::default()
    };
    run.timeline.given = true;
    run.timeline.start = Some(0);
    run.timeline.end = Some(1000);
    run.timeline.intervals = Intervals {
        given: true,
        start: [100_i64, 150, 200, 300, 400, 600, 700].into_iter().collect(),
        duration: [50_i64; 7].into_iter().collect(),
        pass: [0_u32, 0, 0, 0, 0, 1, 1].into_iter().collect(),
        nodes: nodes(&[Some(&[0]), Some(&[1]), Some(&[2]), Some(&[3]), Some(&[4]), Some(&[0]), Some(&[2, 3])]),
        ..Intervals::default()
    };
    run
}

fn track(rows: &TimelineRows, kind: TrackKind) -> &Track {
    rows.tracks.iter().find(|track| track.kind == kind).unwrap_or_else(|| panic!("no {kind:?}"))
}

fn events(rows: &TimelineRows, kind: TrackKind) -> Vec<(i64, Option<i64>, u32)> {
    let lanes = &track(rows, kind).lanes;
    lanes.iter().flat_map(Lane::events).map(|event| (event.start, event.end, event.row)).collect()
}

#[test]
fn layers_are_stretches_of_successive_intervals_of_one_pass() {
    let rows = TimelineRows::new(&run());
    assert_eq!(
        events(&rows, TrackKind::Layers),
        [(100, Some(200), 0), (200, Some(350), 1), (600, Some(650), 0), (700, Some(750), 1)]
    );
    // The extent is the capture's, wider than what lies in it.
    assert_eq!(rows.extent, (0, 1000));
}

#[test]
fn what_is_absent_says_so_and_what_is_empty_does_not() {
    let mut run = run();
    run.absent.push(crate::Absence::new("/timeline/calls", crate::ReasonCode::NotRecorded, "No calls are recorded."));
    run.timeline.copies = Copies { given: true, ..Copies::default() };
    let rows = TimelineRows::new(&run);
    let calls = track(&rows, TrackKind::Calls);
    assert_eq!(calls.missing.as_ref().unwrap().reason, "No calls are recorded.");
    assert_eq!(track(&rows, TrackKind::Copies).missing, None);
    assert!(track(&rows, TrackKind::Copies).lanes.is_empty());
}

#[test]
fn chunks_stand_on_the_trace_clock_by_the_join() {
    let mut run = run();
    run.request.given = true;
    run.request.chunks = Chunks { given: true, at: [10_i64, 300].into_iter().collect(), ..Chunks::default() };
    let rows = TimelineRows::new(&run);
    assert!(track(&rows, TrackKind::Chunks).missing.is_some(), "without a join they have no place");
    run.passes.clock_join.given = true;
    run.passes.clock_join.offset = Some(-5);
    let rows = TimelineRows::new(&run);
    assert_eq!(events(&rows, TrackKind::Chunks), [(5, Some(5), 0), (295, Some(295), 1)]);
}

#[test]
fn queues_and_threads_have_tracks_of_their_own() {
    let mut run = run();
    run.timeline.queues =
        Queues { given: true, name: ["stream 7", "stream 13"].into_iter().collect(), ..Queues::default() };
    run.timeline.intervals.queue = [1_u32, 0, 1, 0, 1, 0, 1].into_iter().collect();
    run.timeline.ranges = Ranges {
        given: true,
        name: ["step", "layer", "open"].into_iter().collect(),
        start: [0_i64, 10, 20].into_iter().collect(),
        duration: [Some(100_i64), Some(50), None].into_iter().collect(),
        thread: [1_i64, 1, 2].into_iter().collect(),
        ..Ranges::default()
    };
    let rows = TimelineRows::new(&run);
    let of: Vec<(Option<u32>, usize)> = rows
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Intervals)
        .map(|track| (track.queue, track.lanes.iter().map(Lane::len).sum()))
        .collect();
    assert_eq!(of, [(Some(0), 3), (Some(1), 4)]);
    let ranges: Vec<(Option<i64>, usize)> = rows
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Ranges)
        .map(|track| (track.thread, track.lanes.len()))
        .collect();
    // The range within another is a lane deeper.
    assert_eq!(ranges, [(Some(1), 2), (Some(2), 1)]);
}

#[test]
fn parts_come_from_nodes_else_from_candidates_else_from_the_kernels_name() {
    let mut run = run();
    // The last two intervals name no nodes: one ran k0, which attention nodes alone may run as; one ran a norm by name.
    run.timeline.intervals.nodes = nodes(&[Some(&[0]), Some(&[1]), Some(&[2]), Some(&[3]), Some(&[4]), None, None]);
    run.timeline.intervals.kernel = [0_u32, 1, 0, 1, 2, 0, 3].into_iter().collect();
    let rows = TimelineRows::new(&run);
    let tints: Vec<Tint> =
        track(&rows, TrackKind::Intervals).lanes.iter().flat_map(Lane::events).map(|event| event.tint).collect();
    let (attention, feed) = (Tint::Part(Part::Attention), Tint::Part(Part::FeedForward));
    let (norm, none) = (Tint::Part(Part::Normalisation), Tint::Part(Part::Unattributed));
    assert_eq!(tints, [attention, feed, attention, feed, none, attention, norm]);
    assert_eq!(rows.attribution, Attribution { by_node: 4, by_candidates: 1, by_name: 1, none: 1 });
}

#[test]
fn reading_starts_at_the_selected_pass_or_at_the_token_or_with_everything() {
    let run = run();
    let rows = TimelineRows::new(&run);
    // Pass 0 is 400 long: a tenth of that on either side.
    let first = Start { from: 60, to: 540, zero: 100, pass: Some(0) };
    assert_eq!(rows.start(&run, Some(Item::Pass(0)), Some(1)), first);
    assert_eq!(rows.start(&run, Some(Item::Interval(3)), Some(1)), first);
    // Pass 1 has no end: it reaches to its last interval's, 750.
    assert_eq!(rows.start(&run, None, Some(1)), Start { from: 585, to: 765, zero: 600, pass: Some(1) });
    assert_eq!(rows.start(&run, Some(Item::Node(2)), Some(1)).pass, Some(1));
    assert_eq!(rows.start(&run, None, None), Start { from: 0, to: 1000, zero: 0, pass: None });
}

#[test]
fn something_outside_every_pass_is_shown_where_it_is() {
    let mut run = run();
    run.timeline.calls = Calls {
        given: true,
        name: ["free"].into_iter().collect(),
        start: [50_000_i64].into_iter().collect(),
        duration: [1000_i64].into_iter().collect(),
        ..Calls::default()
    };
    let rows = TimelineRows::new(&run);
    let start = rows.start(&run, Some(Item::Call(0)), Some(1));
    assert_eq!((start.pass, start.from, start.to), (None, 46_000, 55_000));
}

#[test]
fn selections_mark_what_stored_relations_lead_to() {
    let mut run = run();
    run.timeline.submissions = Submissions {
        given: true,
        kind: ["launch", "launch"].into_iter().collect(),
        start: [90_i64, 590].into_iter().collect(),
        end: [95_i64, 595].into_iter().collect(),
        pass: [0_u32, 1].into_iter().collect(),
        node_set: [0_u32, 0].into_iter().collect(),
        ..Submissions::default()
    };
    run.timeline.intervals.submission = [0_u32, 0, 0, 0, 0, 1, 1].into_iter().collect();
    run.timeline.calls = Calls {
        given: true,
        name: ["launch"].into_iter().collect(),
        start: [89_i64].into_iter().collect(),
        duration: [8_i64].into_iter().collect(),
        submission: [0_u32].into_iter().collect(),
        ..Calls::default()
    };
    let rows = TimelineRows::new(&run);
    let count = |item: Item| rows.marks(&run, item).count();
    assert_eq!(count(Item::Node(0)), 2);
    assert_eq!(count(Item::Node(3)), 2);
    assert_eq!(count(Item::NodeSet(0)), 2);
    // Four stretches, of which two are layer 1, and the intervals whose nodes are all of layer 1.
    assert_eq!(count(Item::Layer(1)), 2 + 3);
    assert_eq!(count(Item::Tensor(9)), 0);
    let flows = |item: Item| {
        let marks = rows.marks(&run, item);
        let row = |place: Place| (rows.tracks[place.track].kind, place.event.row);
        marks.flows.iter().map(|flow| (row(flow.from), row(flow.to))).collect::<Vec<_>>()
    };
    let encode = (TrackKind::Encode, 0);
    assert_eq!(flows(Item::Interval(2)), [((TrackKind::Calls, 0), encode), (encode, (TrackKind::Intervals, 2))]);
    assert_eq!(flows(Item::Submission(0)).len(), 1 + 5);
    assert_eq!(flows(Item::Call(0)), flows(Item::Submission(0)));
    assert_eq!(flows(Item::Kernel(0)), []);
}

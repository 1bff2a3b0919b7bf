//! Right values: the served capture's raw columns, added up by a Python script of a few lines apart from this code; the
//! durations, start and rate of node 3 of a decode pass also stand in the design's drawing of the same recording.

use std::path::Path;
use std::sync::LazyLock;

use super::*;
use crate::bundle;
use crate::label::{LabelKind, Labels};
use crate::model::{Copies, Ends, Segments, Submissions};

static SERVED: LazyLock<Run> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/smollm2-server/run.json.gz");
    bundle::read(&std::fs::read(path).unwrap()).unwrap().run
});

fn all(item: Item) -> Vec<Evidence> {
    evidence(&SERVED, item, Some(14))
}

fn reading(of: &[Evidence], caption: &str) -> Reading {
    of.iter().find(|one| one.caption == caption).unwrap_or_else(|| panic!("no {caption} in {of:#?}")).reading.clone()
}

fn quantity(of: &[Evidence], caption: &str) -> Quantity {
    reading(of, caption).unwrap().quantity
}

fn close(quantity: Quantity, right: f64) {
    let value = match quantity {
        Quantity::Share(value) | Quantity::BytesPerSecond(value) => value,
        other => panic!("{other:?}"),
    };
    assert!((value / right - 1.0).abs() < 1e-9, "{value} is not {right}");
}

#[test]
fn an_interval() {
    let of = all(Item::Interval(13107));
    assert_eq!(quantity(&of, "Interval"), Quantity::Nanos(33_791));
    assert_eq!(quantity(&of, "Starts, after its pass's start"), Quantity::Nanos(10_796));
    assert_eq!(quantity(&of, "Weight bytes"), Quantity::Bytes(207_360));
    close(quantity(&of, "Of its pass's interval time"), 33_791.0 / 11_613_397.0);
    close(quantity(&of, "Weight rate"), 207_360.0 / 33_791.0 * 1e9);
    // The bytes are the model file's own, so they are read; the rate is no stronger than derived.
    assert_eq!(reading(&of, "Weight bytes").unwrap().label.kind, LabelKind::Read);
    assert!(reading(&of, "Weight rate").unwrap().label.kind >= LabelKind::Derived);
    assert!(reading(&of, "Hardware counters").is_err());
}

#[test]
fn a_node_is_told_in_the_pass_that_is_asked_for() {
    let of = all(Item::Node(1875));
    assert_eq!(quantity(&of, "Interval, in pass 14"), Quantity::Nanos(33_791));
    assert_eq!(quantity(&of, "Output sizes"), Quantity::Sizes(vec![576]));
    close(quantity(&of, "Weight rate"), 207_360.0 / 33_791.0 * 1e9);
    assert_eq!(namesakes(&SERVED, 1875), 3);
    // A node of the prefill graph did not run in the decode pass: it is told where it ran.
    let prefill = (0..).find(|node| SERVED.graph.nodes.graph.get(*node) == SERVED.passes.rows.graph.get(0)).unwrap();
    let of = all(Item::Node(u32::try_from(prefill).unwrap()));
    assert!(of.iter().any(|one| one.caption == "Interval, in pass 0"), "{of:#?}");
}

/// As recorded by stamps: which nodes an interval executed is inferred, and so is all that follows.
#[test]
fn what_is_reached_by_a_rule_is_no_stronger_than_the_rule() {
    let mut run = SERVED.clone();
    run.timeline.intervals.labels.columns.retain(|(column, _)| column != "nodes");
    run.timeline.intervals.labels = run.timeline.intervals.labels.with("nodes", Label::inferred("executed-list"));
    for (item, time) in [(Item::Interval(13107), "Weight bytes"), (Item::Node(1875), "Interval, in pass 14")] {
        let of = evidence(&run, item, Some(14));
        for caption in [time, "Weight bytes", "Weight rate"] {
            assert_eq!(reading(&of, caption).unwrap().label.kind, LabelKind::Inferred, "{item} {caption}");
        }
    }
    let mut run = SERVED.clone();
    run.graph.nodes.labels.columns.retain(|(column, _)| column != "tensors");
    run.graph.nodes.labels = run.graph.nodes.labels.with("tensors", Label::inferred("names"));
    for (run, kind) in [(&*SERVED, LabelKind::Read), (&run, LabelKind::Inferred)] {
        let of = evidence(run, Item::Node(1875), Some(14));
        assert_eq!(reading(&of, "Weight bytes").unwrap().label.kind, kind);
    }
}

#[test]
fn a_lookup_takes_rows_and_not_the_matrix() {
    // One row of 576 weights in q8_0, 34 bytes for 32 weights: 612 bytes.
    let of = all(Item::Node(1872));
    assert_eq!(quantity(&of, "Weight bytes"), Quantity::Bytes(612));
}

#[test]
fn a_node_without_weights_says_why() {
    let nodes = &SERVED.graph.nodes;
    let rotary = (1872..nodes.rows()).find(|node| nodes.operation.get(*node) == Some("ROPE")).unwrap();
    let of = all(Item::Node(u32::try_from(rotary).unwrap()));
    let missing = reading(&of, "Weight bytes").unwrap_err();
    assert!(missing.reason.contains("it reads no weight"), "{missing:?}");
    assert!(of.iter().all(|one| one.caption != "Weight rate"));
}

#[test]
fn a_kernel_a_tensor_a_component_and_a_layer() {
    let kernel = all(Item::Kernel(3));
    assert_eq!(quantity(&kernel, "Intervals, in the whole run"), Quantity::Count(5460));
    assert_eq!(quantity(&kernel, "Their time, added up"), Quantity::Nanos(341_077_596));
    // Durations are measured, and which kernel an interval ran is inferred: so is the sum.
    assert_eq!(reading(&kernel, "Their time, added up").unwrap().label.kind, LabelKind::Inferred);
    assert_eq!(quantity(&kernel, "Intervals, in pass 14"), Quantity::Count(210));
    assert_eq!(quantity(&kernel, "Their time, in pass 14"), Quantity::Nanos(8_308_094));

    let tensor = all(Item::Tensor(8));
    assert_eq!(quantity(&tensor, "Bytes in the file"), Quantity::Bytes(207_360));
    // q4_1 is 20 bytes for 32 weights.
    assert_eq!(quantity(&tensor, "Bits for each weight"), Quantity::Text("5".to_owned()));
    close(quantity(&tensor, "Of the file"), 207_360.0 / 98_362_432.0);

    let layer = all(Item::Layer(0));
    assert_eq!(quantity(&layer, "Tensors"), Quantity::Count(9));
    assert_eq!(quantity(&layer, "Their bytes"), Quantity::Bytes(2_216_448));
    assert_eq!(quantity(&layer, "Its time, in pass 14"), Quantity::Nanos(353_356));
    close(quantity(&layer, "Of the pass's interval time"), 353_356.0 / 11_613_397.0);
    assert_eq!(quantity(&layer, "Nodes, in the pass's graph"), Quantity::Count(31));

    // Which component a tensor belongs to is told by its name, so what is added up by it is inferred.
    assert_eq!(reading(&layer, "Their bytes").unwrap().label.kind, LabelKind::Inferred);

    let component = SERVED.model.tensors.component.get(8).unwrap();
    assert_eq!(quantity(&all(Item::Component(component)), "Their bytes"), Quantity::Bytes(2_216_448));
}

#[test]
fn a_pass_a_submission_and_a_chunk() {
    let pass = all(Item::Pass(14));
    assert_eq!(quantity(&pass, "Time of its intervals, added up"), Quantity::Nanos(11_613_397));
    assert_eq!(quantity(&pass, "Intervals"), Quantity::Count(936));
    let submission = all(Item::Submission(14));
    let rows = &SERVED.timeline.submissions;
    let long = rows.end.get(14).unwrap() - rows.start.get(14).unwrap();
    assert_eq!(quantity(&submission, "Encode interval"), Quantity::Nanos(long));
    let chunk = all(Item::Chunk(5));
    assert_eq!(quantity(&chunk, "After the chunk before"), Quantity::Nanos(140_582_949 - 99_671_907));
    assert_eq!(quantity(&chunk, "Characters"), Quantity::Count(3));
    assert!(all(Item::Chunk(0)).iter().all(|one| one.caption != "After the chunk before"));
}

#[test]
fn suggestions_are_the_largest_of_their_kind() {
    let found: Vec<(Item, Quantity)> =
        suggestions(&SERVED).into_iter().map(|one| (one.item, one.fact.quantity)).collect();
    assert_eq!(
        found,
        [
            (Item::Pass(14), Quantity::Text("pass 14".to_owned())),
            (Item::Pass(5), Quantity::Nanos(40_813_486)),
            (Item::Interval(14_039), Quantity::Nanos(2_715_602)),
            (Item::Tensor(0), Quantity::Bytes(30_081_024)),
        ]
    );
    assert_eq!(suggestions(&Run::default()), []);
}

#[test]
fn what_is_not_held_has_no_evidence() {
    assert_eq!(all(Item::Node(u32::MAX)), []);
    assert_eq!(all(Item::Copy(0)), []);
}

/// A made-up run: a launch at 100, on the GPU from 400 to 900, and two copies.
fn gpu() -> Run {
    let mut run = Run::default();
    run.timeline.given = true;
    run.timeline.start = Some(0);
    run.timeline.submissions = Submissions {
        given: true,
        kind: ["launch"].into_iter().collect(),
        start: [100_i64].into_iter().collect(),
        labels: Labels::all(Label::measured("CPU clock")),
        ..Submissions::default()
    };
    run.timeline.segments = Segments {
        given: true,
        submission: [0_u32].into_iter().collect(),
        start: [400_i64].into_iter().collect(),
        end: [900_i64].into_iter().collect(),
        labels: Labels::all(Label::measured("GPU clock")),
        ..Segments::default()
    };
    run.timeline.copies = Copies {
        given: true,
        kind: ["host to device", "host to device"].into_iter().collect(),
        start: [0_i64, 10].into_iter().collect(),
        duration: [Some(2_i64), Some(0)].into_iter().collect(),
        bytes: [4096_i64, 8].into_iter().collect(),
        labels: Labels::all(Label::inferred("a rule")),
        ..Copies::default()
    };
    run.traversal.ends = Ends::default();
    run
}

#[test]
fn a_segment_and_copies_by_hand() {
    let run = gpu();
    let segment = evidence(&run, Item::Segment(0), None);
    assert_eq!(quantity(&segment, "GPU time"), Quantity::Nanos(500));
    assert_eq!(quantity(&segment, "From encode to GPU"), Quantity::Nanos(300));
    let copy = evidence(&run, Item::Copy(0), None);
    // 4096 bytes in 2 ns are 2.048 TB/s, and no stronger than the rule behind both.
    close(quantity(&copy, "Rate"), 2.048e12);
    assert_eq!(reading(&copy, "Rate").unwrap().label.kind, LabelKind::Inferred);
    let instant = evidence(&run, Item::Copy(1), None);
    assert!(reading(&instant, "Rate").unwrap_err().reason.contains("no rate"));
    // Without an end there is no encode interval, and the pointer says where it would stand.
    let submission = evidence(&run, Item::Submission(0), None);
    assert!(reading(&submission, "Encode interval").unwrap_err().pointer.starts_with("/timeline/submissions/end"));
}

#[test]
fn a_sparse_instrument_gives_no_sums() {
    let mut run = SERVED.clone();
    run.identity.instrument.kernel_timing = Some("sparse".to_owned());
    let kernel = evidence(&run, Item::Kernel(3), Some(14));
    assert_eq!(quantity(&kernel, "Intervals, in pass 14"), Quantity::Count(210));
    assert!(reading(&kernel, "Their time, in pass 14").is_err());
    let interval = evidence(&run, Item::Interval(13107), None);
    assert!(reading(&interval, "Of its pass's interval time").is_err());
    assert!(suggestions(&run).iter().all(|one| !matches!(one.item, Item::Interval(_))));
}

//! The device's time over a run, against a small run worked by hand; the numbers stand in the comments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use tokenpath_core::derive::coverage::{DeviceTime, device_time, unattributed};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::model::{Copies, Identity, Instrument, Intervals, Queues, Segments, Submissions, Timeline};
use tokenpath_core::{Label, Labels, Run};

/// Queues 0 and 1 of the device, 2 of the host. Kernels 0 to 10, 5 to 20, and on the host 100 to 200; a copy 30 to 40. A
/// launch is recorded of the first kernel only.
fn run(timing: &str, graphs: &str) -> Run {
    let labels = || Labels::all(Label::measured("trace"));
    Run {
        identity: Identity {
            given: true,
            instrument: Instrument {
                given: true,
                kernel_timing: Some(timing.to_owned()),
                graphs: Some(graphs.to_owned()),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        timeline: Timeline {
            given: true,
            queues: Queues {
                given: true,
                name: ["a", "b", "c"].into_iter().collect(),
                side: ["gpu", "gpu", "cpu"].into_iter().collect(),
                labels: labels(),
                ..Queues::default()
            },
            submissions: Submissions {
                given: true,
                kind: ["launch"].into_iter().collect(),
                labels: labels(),
                ..Submissions::default()
            },
            intervals: Intervals {
                given: true,
                start: [0, 5, 100].into_iter().collect(),
                duration: [10, 15, 100].into_iter().collect(),
                queue: [0, 1, 2].into_iter().collect(),
                submission: [Some(0), None, None].into_iter().collect(),
                labels: labels(),
                ..Intervals::default()
            },
            copies: Copies {
                given: true,
                start: [30].into_iter().collect(),
                duration: [10].into_iter().collect(),
                queue: [0].into_iter().collect(),
                labels: labels(),
                ..Copies::default()
            },
            ..Timeline::default()
        },
        ..Run::default()
    }
}

/// With the launch of a whole graph from 18 to 35, whose kernels are hidden.
fn hidden(mut run: Run) -> Run {
    run.timeline.segments = Segments {
        given: true,
        start: [Some(18)].into_iter().collect(),
        end: [Some(35)].into_iter().collect(),
        queue: [0].into_iter().collect(),
        labels: Labels::all(Label::measured("trace")),
        ..Segments::default()
    };
    run
}

fn found(time: &DeviceTime) -> [Quantity; 4] {
    let quantity = |reading: &Reading| reading.as_ref().unwrap().quantity.clone();
    [quantity(&time.span), quantity(&time.busy), quantity(&time.idle), quantity(&time.share)]
}

#[test]
fn overlaps_count_once_and_the_hosts_work_does_not() {
    // 0 to 20 and 30 to 40 of 0 to 40.
    let time = device_time(&run("complete", "none")).unwrap();
    assert_eq!(found(&time), [Quantity::Nanos(40), Quantity::Nanos(30), Quantity::Nanos(10), Quantity::Share(0.75)]);
    let mut host = run("complete", "none");
    host.timeline.queues.side = ["cpu", "cpu", "cpu"].into_iter().collect();
    assert_eq!(device_time(&host), None);
}

#[test]
fn hidden_kernels_make_it_a_range_and_without_any_kernel_nothing_is_idle() {
    // With 18 to 35: 0 to 40 at most.
    let time = device_time(&hidden(run("sparse", "graph"))).unwrap();
    assert_eq!(
        found(&time),
        [
            Quantity::Nanos(40),
            Quantity::NanosRange(30, 40),
            Quantity::NanosRange(0, 10),
            Quantity::ShareRange(0.75, 1.0)
        ]
    );
    let mut none = hidden(run("none", "graph"));
    none.timeline.intervals = Intervals::default();
    // The copy alone, or 18 to 40.
    let time = device_time(&none).unwrap();
    assert_eq!(time.busy.unwrap().quantity, Quantity::NanosRange(10, 22));
    assert_eq!(time.span.unwrap().quantity, Quantity::Nanos(22));
    for reading in [time.idle, time.share] {
        assert!(reading.unwrap_err().reason.contains("Kernels were not collected"));
    }
}

#[test]
fn where_only_some_executions_are_recorded_no_time_is_stated() {
    let time = device_time(&run("sparse", "none")).unwrap();
    for reading in [time.span, time.busy, time.idle, time.share] {
        assert!(reading.unwrap_err().reason.contains("some executions only"));
    }
}

#[test]
fn intervals_whose_launch_is_missing_are_counted_with_their_time() {
    // Two of three, which last 115 of 125.
    let launch = unattributed(&run("complete", "none")).unwrap().without_launch.unwrap();
    assert_eq!(launch.count.quantity, Quantity::Count(2));
    assert_eq!(launch.share.unwrap().quantity, Quantity::Share(115.0 / 125.0));
    let mut without = run("complete", "none");
    without.timeline.submissions = Submissions::default();
    assert_eq!(unattributed(&without).unwrap().without_launch, None);
}

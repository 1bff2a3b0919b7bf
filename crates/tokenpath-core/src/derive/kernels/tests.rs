//! Hand-worked intervals: every right value is worked out in the comments.

use super::*;
use crate::absence::{Absence, ReasonCode};
use crate::label::Labels;
use crate::model::{Graphs, Intervals, Kernels, Nodes, PassRows, Run};

/// Kernel, pass, duration.
type Interval = (Option<u32>, Option<u32>, Option<i64>);

/// Pass 0 is prefill, 1 and 2 are decode, 3 is decode of another execution.
fn run_of(intervals: &[Interval], timing: &str) -> Run {
    let measured = Labels::all(Label::measured("clock"));
    let mut run = Run::default();
    run.identity.instrument.kernel_timing = Some(timing.to_owned());
    run.passes.rows = PassRows {
        given: true,
        kind: ["prefill", "decode", "decode", "decode"].into_iter().collect(),
        start: [0_i64, 100, 200, 300].into_iter().collect(),
        execution: [0_u32, 0, 0, 1].into_iter().collect(),
        graph: [0_u32, 0, 0, 0].into_iter().collect(),
        labels: measured.clone(),
        ..PassRows::default()
    };
    run.passes.given = true;
    run.kernels = Kernels { given: true, name: ["gemm", "norm", "fill"].into_iter().collect(), ..Kernels::default() };
    run.graph.given = true;
    run.graph.graphs = Graphs { given: true, name: ["g"].into_iter().collect(), ..Graphs::default() };
    run.graph.nodes = Nodes {
        given: true,
        graph: [0_u32, 0, 0, 0].into_iter().collect(),
        name: ["a", "b", "c", "d"].into_iter().collect(),
        operation: ["MUL_MAT", "MUL_MAT", "NORM", "ATTEND"].into_iter().collect(),
        kernels: [Some(vec![0_u32]), Some(vec![0]), Some(vec![1]), None].into_iter().collect(),
        labels: Labels::all(Label::reported("callback")).with_rows(
            "kernels",
            [Label::reported("x"), Label::inferred("y"), Label::reported("x"), Label::reported("x")],
        ),
        ..Nodes::default()
    };
    run.timeline.intervals = Intervals {
        given: true,
        start: (0_i64..).take(intervals.len()).collect(),
        kernel: intervals.iter().map(|row| row.0).collect(),
        pass: intervals.iter().map(|row| row.1).collect(),
        duration: intervals.iter().map(|row| row.2).collect(),
        labels: measured,
        ..Intervals::default()
    };
    run
}

const DECODE: Population<'static> = Population { execution: Some(0), kind: Some("decode"), outside: false };

// Decode of execution 0: gemm 10, 20, 30, 40 and norm 5. The gemm of prefill (1000) and of the other execution (7) and
// the one of no pass (9) are elsewhere.
const INTERVALS: &[Interval] = &[
    (Some(0), Some(0), Some(1000)),
    (Some(0), Some(1), Some(40)),
    (Some(0), Some(1), Some(10)),
    (Some(1), Some(1), Some(5)),
    (Some(0), Some(2), Some(30)),
    (Some(0), Some(2), Some(20)),
    (Some(0), Some(3), Some(7)),
    (Some(2), None, Some(9)),
];

#[test]
fn sums_within_one_execution_and_kind() {
    let run = run_of(INTERVALS, "complete");
    let table = table(&run, DECODE);
    assert_eq!((table.intervals, table.listed.clone()), (5, Ok(105)));
    let [gemm, norm] = table.rows.as_slice() else { panic!("{:?}", table.rows) };
    assert_eq!((gemm.subject, gemm.intervals, gemm.nodes), (Subject::Kernel(0), 4, 2));
    // Sorted 10 20 30 40: total 100, median 25, p95 at rank 0.95 × 3 = 2.85, so 30 + 0.85 × 10 = 38.5.
    let times = gemm.times.unwrap();
    assert_eq!((times.total, times.median), (100, 25.0));
    assert!((times.p95 - 38.5).abs() < 1e-9);
    assert_eq!((norm.subject, norm.intervals), (Subject::Kernel(1), 1));
    // Mean 100 ÷ 4; share 100 ÷ 105.
    let readings = readings(&run, &table, gemm);
    assert_eq!(readings.mean.unwrap().quantity, Quantity::NanosExact(25.0));
    assert_eq!(readings.share.unwrap().quantity, Quantity::Share(100.0 / 105.0));
    // The weakest of the two mappings to gemm.
    assert_eq!(gemm.mapping, Some(&Label::inferred("y")));
}

#[test]
fn populations_and_the_one_that_is_shown() {
    let run = run_of(INTERVALS, "complete");
    let all = available(&run);
    #[allow(clippy::type_complexity)]
    let sizes: Vec<(Option<u32>, Option<&str>, bool, u32, u32)> = all
        .iter()
        .map(|known| {
            let population = known.population;
            (population.execution, population.kind, population.outside, known.passes, known.intervals)
        })
        .collect();
    assert_eq!(
        sizes,
        [
            (Some(0), Some("prefill"), false, 1, 1),
            (Some(0), Some("decode"), false, 2, 5),
            (Some(1), Some("decode"), false, 1, 1),
            (None, None, true, 0, 1),
        ]
    );
    let shown = |item, execution, kind| chosen(&run, &all, item, execution, kind).unwrap().population;
    // The token under test: execution 0 has 6 intervals in 2 decode passes, execution 1 has 1 in 1.
    assert_eq!(shown(None, None, None), DECODE);
    assert_eq!(shown(Some(Item::Pass(3)), None, None).execution, Some(1));
    assert_eq!(shown(Some(Item::Interval(0)), None, None).kind, Some("prefill"));
    assert_eq!(shown(None, Some(1), None).execution, Some(1));
    assert_eq!(shown(None, None, Some("prefill")).kind, Some("prefill"));
    assert!(shown(None, None, Some("none")).outside);
    let outside = table(&run, shown(None, None, Some("none")));
    assert_eq!(outside.rows.iter().map(|row| row.subject).collect::<Vec<_>>(), [Subject::Kernel(2)]);
}

#[test]
fn a_sparse_instrument_gives_counts_only() {
    let run = run_of(INTERVALS, "sparse");
    let table = table(&run, DECODE);
    assert!(table.listed.is_err() && table.rows.iter().all(|row| row.times.is_none()));
    assert_eq!(table.rows.iter().map(|row| row.intervals).collect::<Vec<_>>(), [4, 1]);
    assert!(readings(&run, &table, &table.rows[0]).share.is_err());
    assert!(incomparable(&run, &available(&run), Some(0)).is_some());
}

#[test]
fn one_missing_duration_takes_the_times_of_all() {
    let mut intervals = INTERVALS.to_vec();
    intervals[3].2 = None;
    let mut run = run_of(&intervals, "complete");
    run.absent.push(Absence::new("/timeline/intervals/duration/3", ReasonCode::Lost, "Cut off."));
    let table = table(&run, DECODE);
    assert_eq!(table.listed.as_ref().unwrap_err().reason, "Cut off.");
    assert!(table.rows.iter().all(|row| row.times.is_none()));
}

#[test]
fn what_is_not_joined() {
    let run = run_of(INTERVALS, "complete");
    // "fill" ran and no node names it; node 3 has neither kernels nor an answer why.
    assert_eq!(joined(&run), Joined { unjoined: vec![2], unknown: vec![3], ended: Vec::new() });
    assert_eq!(nodes_of(&run, 0), [0, 1]);
}

#[test]
fn prefill_and_decode_are_compared_only_within_an_execution_that_has_both() {
    let run = run_of(INTERVALS, "complete");
    let all = available(&run);
    assert_eq!(incomparable(&run, &all, Some(0)), None);
    let missing = incomparable(&run, &all, Some(1)).unwrap();
    assert!(missing.reason.contains("decode passes only"), "{}", missing.reason);
}

// An interval without a kernel is listed by the operation of its node: node 3 is the only ATTEND without a kernel.
#[test]
fn intervals_without_a_kernel_are_listed_by_operation() {
    let mut run = run_of(&[(None, Some(1), Some(3)), (None, Some(1), Some(4))], "complete");
    run.timeline.intervals.nodes = [Some(vec![3_u32]), Some(vec![3])].into_iter().collect();
    let table = table(&run, DECODE);
    let [row] = table.rows.as_slice() else { panic!("{:?}", table.rows) };
    assert_eq!((row.subject, row.intervals, row.nodes), (Subject::Unknown(Some("ATTEND")), 2, 1));
    assert_eq!(row.times.unwrap().total, 7);
}

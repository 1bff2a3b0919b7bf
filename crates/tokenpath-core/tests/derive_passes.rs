//! The passes' derivations against small runs worked by hand; the numbers stand in the comments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use tokenpath_core::derive::passes::{
    PassTable, classification, clock_join, group_under_test, groups, in_request, pass_under_test, union,
};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::model::{
    Chunks, Classification, ClockJoin, Counters, Executions, Identity, Instrument, Intervals, PassRows, Passes,
    Request, Segments, Submissions, Timeline, Unrecorded,
};
use tokenpath_core::{Absence, Label, LabelKind, Labels, ReasonCode, Run};

/// Two executions: passes 0 to 2 (prefill, decode, decode), then 3 and 4 (decode, decode). Periods 100, 200, none and
/// 50, none. Pass 1 starts at 100, ends at 180 and takes in one token.
fn run() -> Run {
    let rows = PassRows {
        given: true,
        kind: ["prefill", "decode", "decode", "decode", "decode"].into_iter().collect(),
        start: [0, 100, 300, 400, 450].into_iter().collect(),
        end: [60, 180, 380, 440, 490].into_iter().map(Some).collect(),
        period: [Some(100), Some(200), None, Some(50), None].into_iter().collect(),
        tokens: [8, 1, 1, 1, 1].into_iter().collect(),
        execution: [0, 0, 0, 1, 1].into_iter().collect(),
        labels: Labels::all(Label::measured("trace")).with("kind", Label::reported("the recorder")),
        ..PassRows::default()
    };
    let executions = Executions {
        given: true,
        name: ["one by one", "fused"].into_iter().collect(),
        text: ["Serial.", "As it would run."].into_iter().collect(),
        interval_kind: ["node", "kernel"].into_iter().collect(),
        labels: Labels::all(Label::reported("the recorder")),
        ..Executions::default()
    };
    let mut run = Run {
        identity: Identity {
            given: true,
            instrument: Instrument {
                given: true,
                kernel_timing: Some("complete".to_owned()),
                graphs: Some("none".to_owned()),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        passes: Passes { given: true, rows, executions, ..Passes::default() },
        ..Run::default()
    };
    run.absent.push(Absence::new("/passes/rows/period/2", ReasonCode::NoSuchThing, "No next start."));
    run
}

/// Intervals of pass 1 from (start, duration).
fn with_intervals(mut run: Run, rows: &[(i64, Option<i64>)]) -> Run {
    run.timeline.given = true;
    run.timeline.intervals = Intervals {
        given: true,
        start: rows.iter().map(|(start, _)| *start).collect(),
        duration: rows.iter().map(|(_, duration)| *duration).collect(),
        pass: rows.iter().map(|_| 1_u32).collect(),
        labels: Labels::all(Label::measured("trace")),
        ..Intervals::default()
    };
    run
}

/// 110 to 140, 130 to 160, 170 to 175: sum 65, union 50 + 5 = 55, of a period of 200: 27.5 %.
const OVERLAPPING: [(i64, Option<i64>); 3] = [(110, Some(30)), (130, Some(30)), (170, Some(5))];

fn quantity(reading: &Reading) -> Quantity {
    reading.as_ref().unwrap().quantity.clone()
}

fn reason(reading: &Reading) -> &str {
    &reading.as_ref().unwrap_err().reason
}

#[test]
fn a_union_counts_overlaps_once() {
    assert_eq!(union(&[(0, 10), (2, 5), (5, 12), (20, 20), (30, 31)]), 13);
    assert_eq!(union(&[]), 0);
    assert_eq!(union(&[(i64::MIN, i64::MAX)]), i64::MAX, "saturates");
}

#[test]
fn time_in_a_pass_is_summed_and_united() {
    let run = with_intervals(run(), &OVERLAPPING);
    let row = PassTable::new(&run).row(1);
    assert_eq!(quantity(&row.span), Quantity::Nanos(80));
    assert_eq!(quantity(&row.period), Quantity::Nanos(200));
    assert_eq!(quantity(&row.intervals), Quantity::Count(3));
    assert_eq!(quantity(&row.time_sum), Quantity::Nanos(65));
    assert_eq!(quantity(&row.time_union), Quantity::Nanos(55));
    assert_eq!(quantity(&row.share), Quantity::Share(0.275));
    assert_eq!(quantity(&row.relative_start), Quantity::Nanos(100));
    assert_eq!(row.share.unwrap().label.kind, LabelKind::Derived);
}

#[test]
fn intervals_out_of_order_are_united_all_the_same() {
    let run = with_intervals(run(), &[(170, Some(5)), (130, Some(30)), (110, Some(30))]);
    assert_eq!(quantity(&PassTable::new(&run).row(1).time_union), Quantity::Nanos(55));
}

#[test]
fn the_last_pass_has_no_period_and_no_share() {
    let mut run = with_intervals(run(), &[(310, Some(30))]);
    run.timeline.intervals.pass = [2].into_iter().collect();
    let row = PassTable::new(&run).row(2);
    assert_eq!(quantity(&row.time_union), Quantity::Nanos(30), "its own time stands");
    assert_eq!(reason(&row.period), "No next start.");
    assert_eq!(reason(&row.share), "No next start.");
}

#[test]
fn a_sparse_instrument_has_counts_only() {
    let mut run = with_intervals(run(), &OVERLAPPING);
    run.identity.instrument.kernel_timing = Some("sparse".to_owned());
    let row = PassTable::new(&run).row(1);
    assert_eq!(quantity(&row.intervals), Quantity::Count(3));
    for reading in [&row.time_sum, &row.time_union, &row.share] {
        assert!(reason(reading).contains("some executions only"));
    }
}

#[test]
fn one_interval_without_duration_takes_the_sum_away() {
    let mut run = with_intervals(run(), &[(110, Some(30)), (130, None)]);
    run.absent.push(Absence::new("/timeline/intervals/duration/1", ReasonCode::Lost, "The end was lost."));
    let row = PassTable::new(&run).row(1);
    for reading in [&row.time_sum, &row.time_union, &row.share] {
        assert_eq!(reason(reading), "The end was lost.");
    }
}

#[test]
fn a_pass_without_intervals_is_not_idle() {
    let run = with_intervals(run(), &OVERLAPPING);
    let row = PassTable::new(&run).row(0);
    assert_eq!(quantity(&row.intervals), Quantity::Count(0));
    assert_eq!(reason(&row.share), "No interval of this pass is recorded.");
}

#[test]
fn intervals_that_reach_outside_the_period_give_no_share_of_it() {
    let run = with_intervals(run(), &[(110, Some(30)), (290, Some(20))]);
    let row = PassTable::new(&run).row(1);
    assert_eq!(quantity(&row.time_union), Quantity::Nanos(50));
    assert!(reason(&row.share).contains("reach outside its period"));
}

// Unrecorded 150 to 172 of which 160 to 170 is in no interval: 55 known, up to 65 of 200.
#[test]
fn unrecorded_time_within_a_pass_makes_a_range() {
    let mut run = with_intervals(run(), &OVERLAPPING);
    run.timeline.unrecorded = Unrecorded {
        given: true,
        start: [150].into_iter().collect(),
        end: [172].into_iter().collect(),
        reason: ["lost"].into_iter().collect(),
        ..Unrecorded::default()
    };
    let row = PassTable::new(&run).row(1);
    assert_eq!(quantity(&row.time_union), Quantity::NanosRange(55, 65));
    assert_eq!(quantity(&row.share), Quantity::ShareRange(0.275, 0.325));
}

// Between a pass's result, at 180, and the next start the pass has no work that could be missing.
#[test]
fn unrecorded_time_after_the_result_leaves_the_time_of_the_pass_exact() {
    let mut run = with_intervals(run(), &OVERLAPPING);
    run.timeline.unrecorded = Unrecorded {
        given: true,
        start: [180].into_iter().collect(),
        end: [300].into_iter().collect(),
        reason: ["between passes"].into_iter().collect(),
        ..Unrecorded::default()
    };
    assert_eq!(quantity(&PassTable::new(&run).row(1).time_union), Quantity::Nanos(55));
}

// A graph launch seen as one segment, 160 to 178, without intervals of its own: 55 known, up to 55 + 10 + 3 = 68.
#[test]
fn graphs_that_hide_kernels_give_a_range_and_no_sum() {
    let mut run = with_intervals(run(), &OVERLAPPING);
    run.identity.instrument.graphs = Some("graph".to_owned());
    run.timeline.submissions = Submissions {
        given: true,
        kind: ["launch", "graph launch"].into_iter().collect(),
        start: [105, 155].into_iter().collect(),
        pass: [1, 1].into_iter().collect(),
        labels: Labels::all(Label::measured("trace")),
        ..Submissions::default()
    };
    run.timeline.segments = Segments {
        given: true,
        submission: [0, 1].into_iter().collect(),
        start: [110, 160].into_iter().collect(),
        end: [175, 178].into_iter().collect(),
        labels: Labels::all(Label::measured("trace")),
        ..Segments::default()
    };
    run.timeline.intervals.segment = [0, 0, 0].into_iter().collect();
    let row = PassTable::new(&run).row(1);
    assert_eq!(quantity(&row.submissions), Quantity::Count(2));
    assert!(reason(&row.time_sum).contains("hide their kernels"));
    assert_eq!(quantity(&row.time_union), Quantity::NanosRange(55, 68));
    assert_eq!(quantity(&row.share), Quantity::ShareRange(0.275, 0.34));
}

// Execution 0 has decode periods 200 only (pass 2 has none), execution 1 has 50.
#[test]
fn executions_are_kept_apart() {
    let run = run();
    let groups = groups(&run);
    let [one, two] = groups.as_slice() else { panic!("{groups:?}") };
    assert_eq!((one.name.as_deref(), one.interval_kind.as_deref()), (Some("one by one"), Some("node")));
    assert_eq!((one.prefill.as_slice(), one.decode.as_slice()), ([0].as_slice(), [1, 2].as_slice()));
    assert_eq!(one.decode_periods.as_ref().unwrap().values, [200]);
    assert_eq!(two.decode_periods.as_ref().unwrap().values, [50]);
    assert_eq!(two.decode, [3, 4]);
}

#[test]
fn the_token_under_test_is_the_named_pass_or_a_middle_one() {
    let mut run = with_intervals(run(), &OVERLAPPING);
    // Execution 0 has all the intervals; the later of its two decode passes is pass 2.
    assert_eq!(pass_under_test(&run), Some(2));
    run.traversal.pass = Some(3);
    assert_eq!(pass_under_test(&run), Some(3));
    let groups = groups(&run);
    assert_eq!(group_under_test(&run, &groups).unwrap().execution, Some(1));
}

/// The same run joined to a request: time zero reads 90 on the trace clock, and the stream ends 300 later, at 390.
fn joined() -> Run {
    let mut run = run();
    run.passes.clock_join = ClockJoin {
        given: true,
        method: Some("same_clock".to_owned()),
        offset: Some(90),
        labels: Labels::all(Label::measured("trace")),
        ..ClockJoin::default()
    };
    run.request = Request {
        given: true,
        events: tokenpath_core::model::Events {
            given: true,
            name: ["stream_end"].into_iter().collect(),
            at: [300].into_iter().collect(),
            labels: Labels::all(Label::measured("client")),
            ..Default::default()
        },
        chunks: Chunks {
            given: true,
            at: [100, 293].into_iter().collect(),
            characters: [3, 3].into_iter().collect(),
            channel: ["content", "content"].into_iter().collect(),
            pass: [1, 2].into_iter().collect(),
            labels: Labels::all(Label::measured("client")),
            ..Chunks::default()
        },
        ..Request::default()
    };
    run
}

// Starts on the request clock: −90, 10, 210, 310, 360; the stream ends at 300.
#[test]
fn passes_outside_the_request_are_told_apart() {
    let run = joined();
    let inside: Vec<bool> = (0..5).map(|pass| in_request(&run, pass)).collect();
    assert_eq!(inside, [false, true, true, false, false]);
    assert_eq!(quantity(&PassTable::new(&run).row(1).request_start), Quantity::Nanos(10));
}

// Pass 1 ends at 180 − 90 = 90 and its chunk arrives at 100; pass 2 at 290 and 293: 10 and 3, median 6.5.
#[test]
fn the_lag_from_a_result_to_its_chunk() {
    let join = clock_join(&joined());
    assert_eq!((quantity(&join.lag), join.early), (Quantity::NanosExact(6.5), 0));
    let mut early = joined();
    early.request.chunks.at = [80, 293].into_iter().collect();
    assert_eq!(clock_join(&early).early, 1, "80 lies before 90");
}

#[test]
fn a_run_without_a_join_says_why() {
    let mut run = run();
    run.absent.push(Absence::new("/passes/clock_join", ReasonCode::NoSuchThing, "No request clock."));
    let join = clock_join(&run);
    assert_eq!(reason(&join.offset), "No request clock.");
    assert_eq!(reason(&PassTable::new(&run).row(1).request_start), "No request clock.");
}

// The recording holds 4 decode passes; the runtime counts 5.
#[test]
fn a_different_count_of_decode_steps_is_stated_with_the_bundles_words() {
    let mut run = run();
    run.passes.classification = Classification {
        given: true,
        method: Some("by tokens".to_owned()),
        runtime_decode_steps: Some(5),
        disagreement: Some("The recording ended early.".to_owned()),
        labels: Labels::all(Label::reported("the runtime")),
        ..Classification::default()
    };
    let told = classification(&run, &groups(&run));
    let [found] = told.disagreements.as_slice() else { panic!("{:?}", told.disagreements) };
    let values: Vec<&Quantity> = found.readings.iter().map(|(_, fact)| &fact.quantity).collect();
    assert_eq!(values, [&Quantity::Count(5), &Quantity::Count(4)]);
    assert_eq!(found.may_mean, "The recording ended early.");
    run.passes.classification.runtime_decode_steps = Some(4);
    run.passes.classification.disagreement = None;
    assert_eq!(classification(&run, &groups(&run)).disagreements, []);
}

// Four decode passes of one token and a prefill make 5 tokens; the server reports 6.
#[test]
fn passes_and_generated_tokens_are_compared() {
    let mut run = run();
    run.request = Request {
        given: true,
        counters: Counters {
            given: true,
            name: ["generated_tokens"].into_iter().collect(),
            value: [6].into_iter().collect(),
            unit: ["tokens"].into_iter().collect(),
            labels: Labels::all(Label::reported("the server")),
            ..Counters::default()
        },
        ..Request::default()
    };
    let told = classification(&run, &groups(&run));
    let [found] = told.disagreements.as_slice() else { panic!("{:?}", told.disagreements) };
    assert_eq!(found.difference.as_ref().unwrap().quantity, Quantity::Count(1));
    run.timeline = Timeline::default();
    run.request.counters.value = [5].into_iter().collect();
    assert_eq!(classification(&run, &groups(&run)).disagreements, []);
}

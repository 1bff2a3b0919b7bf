//! Right values come from hand counts and from [`oracle`], which looks at every event for every column.

use proptest::prelude::*;

use super::super::tint::Tint;
use super::{Columns, Event, Lane, Met, Span, pack};
use crate::derive::part::Part;

fn event(start: i64, end: i64) -> Event {
    Event { start, end: Some(end), row: 0, tint: Tint::Plain }
}

fn lane(events: &[(i64, i64)]) -> Lane {
    Lane::new(events.iter().map(|(start, end)| event(*start, *end)).collect())
}

fn spans(lane: &Lane, columns: &Columns) -> Vec<Span> {
    let mut out = Vec::new();
    lane.spans(columns, |span| out.push(span));
    out
}

/// For each column, by looking at each event and each nanosecond: how many it meets and how many nanoseconds they fill.
fn oracle(events: &[(i64, i64)], columns: &Columns) -> Vec<(usize, i64)> {
    (0..columns.count())
        .map(|column| {
            let (from, to) = columns.edges(column).unwrap();
            let count = events.iter().filter(|(start, end)| *start < to && (*end).max(start + 1) > from).count();
            let filled = |at: &i64| events.iter().any(|(start, end)| start <= at && at < end);
            (count, (from..to).filter(filled).count() as i64)
        })
        .collect()
}

#[test]
fn columns_tile_the_range() {
    // 10 ns over 4 columns by hand: 2.5 ns each, edges rounded down.
    let columns = Columns::new(100, 110, 4);
    let edges: Vec<(i64, i64)> = (0..4).map(|column| columns.edges(column).unwrap()).collect();
    assert_eq!(edges, [(100, 102), (102, 105), (105, 107), (107, 110)]);
    // Narrower than the clock's step: one nanosecond each.
    assert_eq!(Columns::new(5, 6, 3).range(), (5, 8));
}

#[test]
fn a_hand_drawn_lane() {
    // Time        0    10   20   30   40   50   60
    // events      aaaaaaaaaaaa b  ccccc         d (a moment at 55)
    // columns     |  0  |  1  |  2  |  3  |  4  |  5
    let lane = lane(&[(0, 24), (26, 28), (29, 40), (55, 55)]);
    let columns = Columns::new(0, 60, 6);
    assert_eq!(
        spans(&lane, &columns),
        [
            Span { from: 0, to: 2, what: Met::One(0) },
            // 20..30 meets a (4 ns), b (2 ns) and c (1 ns): 7 of 10.
            Span { from: 2, to: 3, what: Met::Many { count: 3, busy: Some(0.7), tint: Tint::Plain, first: 1 } },
            Span { from: 3, to: 4, what: Met::One(2) },
            Span { from: 5, to: 6, what: Met::One(3) },
        ]
    );
    assert_eq!(lane.count(20, 30), 3);
    assert_eq!(lane.busy(20, 30), 7);
    assert_eq!(lane.busy(0, 60), 24 + 2 + 11);
    assert_eq!(lane.extent(), Some((0, 55)));
}

#[test]
fn overlapping_time_counts_once() {
    let lane = lane(&[(0, 100), (10, 20), (15, 30), (120, 130)]);
    assert!(lane.overlaps());
    assert_eq!(lane.busy(0, 200), 110);
    assert_eq!(lane.count(12, 18), 3);
    // After the nested ones only the long one is left: it is named, not the one that started last.
    assert_eq!(spans(&lane, &Columns::new(40, 120, 8)), [Span { from: 0, to: 6, what: Met::One(0) }]);
}

#[test]
fn without_durations_there_is_no_busy_share() {
    let tick = |start| Event { start, end: None, row: 0, tint: Tint::Plain };
    let lane = Lane::new(vec![tick(1), tick(2), event(11, 14), event(15, 16)]);
    let found = spans(&lane, &Columns::new(0, 20, 2));
    assert_eq!(
        found,
        [
            Span { from: 0, to: 1, what: Met::Many { count: 2, busy: None, tint: Tint::Plain, first: 0 } },
            Span { from: 1, to: 2, what: Met::Many { count: 2, busy: Some(0.4), tint: Tint::Plain, first: 2 } },
        ]
    );
    assert_eq!(lane.event(0).unwrap().end, None);
    assert!(lane.untimed(0, 3) && !lane.untimed(3, 20));
}

#[test]
fn a_merged_column_takes_the_tint_with_the_longest_time() {
    let attention = Tint::Part(Part::Attention);
    let norm = Tint::Part(Part::Normalisation);
    let mut events = Vec::new();
    // 100 pairs of 1 ns attention and 2 ns normalisation, enough to read sums; then one long attention.
    for pair in 0..100 {
        events.push(Event { start: pair * 3, end: Some(pair * 3 + 1), row: 0, tint: attention });
        events.push(Event { start: pair * 3 + 1, end: Some(pair * 3 + 3), row: 0, tint: norm });
    }
    events.push(Event { start: 300, end: Some(800), row: 0, tint: attention });
    let lane = Lane::new(events);
    let tints = |from, to| match spans(&lane, &Columns::new(from, to, 1)).as_slice() {
        [Span { what: Met::Many { tint, .. }, .. }] => *tint,
        other => panic!("{other:?}"),
    };
    assert_eq!(tints(0, 300), norm);
    // 100 ns attention by pairs and 500 more against 200.
    assert_eq!(tints(0, 800), attention);
    // Only 50 ns of the long one lie within: 150 against 200.
    assert_eq!(tints(0, 350), norm);
}

#[test]
fn nested_events_land_on_the_lane_of_their_depth() {
    // a 0..100 holds b 10..40, which holds c 20..30; d 40..90 starts where b ends; e 95..120 runs past a's end.
    let events = [(0, 100), (10, 40), (20, 30), (40, 90), (95, 120)].map(|(start, end)| event(start, end));
    let starts = |lanes: &[Lane]| -> Vec<Vec<i64>> {
        lanes.iter().map(|lane| lane.events().map(|event| event.start).collect()).collect()
    };
    let lanes = pack(events.to_vec(), 8);
    assert_eq!(starts(&lanes), [vec![0], vec![10, 40, 95], vec![20]]);
    assert!(lanes.iter().all(|lane| !lane.overlaps()));
    let folded = pack(events.to_vec(), 2);
    assert_eq!(starts(&folded), [vec![0], vec![10, 20, 40, 95]]);
    assert_eq!(folded.last().unwrap().busy(0, 200), 30 + 50 + 25);
}

#[test]
fn columns_at_the_end_of_time() {
    let lane = lane(&[(i64::MAX - 10, i64::MAX)]);
    assert_eq!(spans(&lane, &Columns::new(i64::MAX - 20, i64::MAX, 4)).len(), 1);
    assert_eq!(spans(&Lane::new(Vec::new()), &Columns::new(0, 10, 4)), []);
}

fn any_events() -> impl Strategy<Value = Vec<(i64, i64)>> {
    // Durations of 0 are moments; long ones overlap many others.
    let duration = prop_oneof![4 => 0_i64..4, 3 => 0_i64..30, 1 => 0_i64..300];
    prop::collection::vec((0_i64..400, duration), 0..80)
        .prop_map(|events| events.into_iter().map(|(start, duration)| (start, start + duration)).collect())
}

/// Checks that spans say of every column what the oracle finds by looking at everything.
fn agree(events: &[(i64, i64)], lane: &Lane, from: i64, to: i64, width: u32) -> Result<(), TestCaseError> {
    let columns = Columns::new(from, to, width);
    let expected = oracle(events, &columns);
    let mut at = 0;
    for span in spans(lane, &columns) {
        prop_assert!(span.from >= at && span.to > span.from && span.to <= columns.count());
        for column in at..span.from {
            prop_assert_eq!(expected[column as usize].0, 0, "column {} of {:?}", column, columns);
        }
        at = span.to;
        for column in span.from..span.to {
            let (count, busy) = expected[column as usize];
            let (from, to) = columns.edges(column).unwrap();
            match span.what {
                Met::One(position) => {
                    prop_assert_eq!(count, 1, "column {}", column);
                    let only = lane.event(position).unwrap();
                    prop_assert!(only.start < to && only.end.unwrap().max(only.start + 1) > from);
                }
                Met::Many { count: found, busy: share, .. } => {
                    prop_assert_eq!(found as usize, count, "column {}", column);
                    prop_assert!((share.unwrap() * (to - from) as f64 - busy as f64).abs() < 1e-6);
                }
            }
            prop_assert_eq!(lane.count(from, to), count);
            prop_assert_eq!(lane.busy(from, to), busy);
        }
    }
    for column in at..columns.count() {
        prop_assert_eq!(expected[column as usize].0, 0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn spans_agree_with_looking_at_everything(
        events in any_events(), from in -20_i64..420, span in 1_i64..500, width in 1_u32..60,
    ) {
        agree(&events, &Lane::new(events.iter().map(|(start, end)| event(*start, *end)).collect()), from, from + span, width)?;
    }

    #[test]
    fn packed_lanes_lose_nothing(events in any_events(), most in 1_usize..6) {
        let lanes = pack(events.iter().map(|(start, end)| event(*start, *end)).collect(), most);
        prop_assert!(lanes.len() <= most);
        prop_assert_eq!(lanes.iter().map(Lane::len).sum::<usize>(), events.len());
        // All but the last lane are free of overlap, except that a moment may touch what starts with it.
        for lane in lanes.iter().take(most - 1) {
            let mut until = i64::MIN;
            for event in lane.events() {
                prop_assert!(event.start >= until);
                until = event.end.unwrap();
            }
        }
    }
}

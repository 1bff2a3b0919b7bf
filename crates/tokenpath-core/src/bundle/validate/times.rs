//! Starts, durations and ends: order, overflow, and what lies within what.

use crate::column::Ints;
use crate::model::Run;
use crate::problem::{Problem, Problems, Rule};

/// A table of stretches of time on the trace clock.
struct Stretches<'a> {
    pointer: &'static str,
    rows: usize,
    start: &'a Ints,
    /// Name of the column that closes a stretch, and whether it is an end or a duration.
    close: (&'static str, Close, &'a Ints),
    /// Whether rows must stand in order of their start.
    ordered: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Close {
    End,
    Duration,
}

pub(super) fn check(run: &Run, problems: &mut Problems) {
    let timeline = &run.timeline;
    if let (Some(start), Some(end)) = (timeline.start, timeline.end)
        && end < start
    {
        let text = format!("the capture ends at {end} ns, before its start at {start} ns");
        problems.add(Problem::new("/timeline/end", Rule::EndBeforeStart, text));
        return;
    }
    for stretches in stretches(run) {
        lie_within_capture(&stretches, timeline.start, timeline.end, problems);
        if stretches.ordered {
            in_order(&format!("{}/start", stretches.pointer), stretches.start, problems);
        }
    }
    intervals_lie_in_segments(run, problems);
    in_order("/request/chunks/at", &run.request.chunks.at, problems);
    periods(run, problems);
}

fn stretches(run: &Run) -> Vec<Stretches<'_>> {
    let timeline = &run.timeline;
    let table = |pointer, rows, start, close, ordered| Stretches { pointer, rows, start, close, ordered };
    let end = |column| ("end", Close::End, column);
    let duration = |column| ("duration", Close::Duration, column);
    let rows = &run.passes.rows;
    let submissions = &timeline.submissions;
    let segments = &timeline.segments;
    let intervals = &timeline.intervals;
    let unrecorded = &timeline.unrecorded;
    let (calls, copies, ranges) = (&timeline.calls, &timeline.copies, &timeline.ranges);
    vec![
        table("/passes/rows", rows.rows(), &rows.start, end(&rows.end), true),
        table("/timeline/submissions", submissions.rows(), &submissions.start, end(&submissions.end), true),
        table("/timeline/segments", segments.rows(), &segments.start, end(&segments.end), true),
        table("/timeline/intervals", intervals.rows(), &intervals.start, duration(&intervals.duration), true),
        table("/timeline/unrecorded", unrecorded.rows(), &unrecorded.start, end(&unrecorded.end), false),
        table("/timeline/calls", calls.rows(), &calls.start, duration(&calls.duration), false),
        table("/timeline/copies", copies.rows(), &copies.start, duration(&copies.duration), false),
        table("/timeline/ranges", ranges.rows(), &ranges.start, duration(&ranges.duration), false),
    ]
}

fn lie_within_capture(table: &Stretches<'_>, from: Option<i64>, to: Option<i64>, problems: &mut Problems) {
    let (close, how, closes) = table.close;
    let (start_at, close_at) = (format!("{}/start", table.pointer), format!("{}/{close}", table.pointer));
    for row in 0..table.rows {
        let start = table.start.get(row);
        let end = match (how, start, closes.get(row)) {
            (Close::End, _, end) => end,
            (Close::Duration, Some(start), Some(duration)) => {
                let end = start.checked_add(duration);
                if end.is_none() {
                    problems.cell(&close_at, row, Rule::Overflow, || {
                        format!(
                            "start {start} ns plus {duration} ns is more than the largest time of a bundle, {} ns",
                            i64::MAX
                        )
                    });
                }
                end
            }
            (Close::Duration, _, _) => None,
        };
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            problems.cell(&close_at, row, Rule::EndBeforeStart, || {
                format!("the end at {end} ns lies before the start at {start} ns")
            });
        }
        let outside = |time: &i64| from.is_some_and(|from| *time < from) || to.is_some_and(|to| *time > to);
        for (at, what, time) in [(&start_at, "start", start), (&close_at, "end", end)] {
            if let Some(time) = time.filter(outside) {
                problems.cell(at, row, Rule::OutsideCapture, || {
                    let edge = |edge: Option<i64>| edge.map_or("unknown".to_owned(), |time| format!("{time} ns"));
                    format!("the {what} at {time} ns lies outside the capture ({} to {})", edge(from), edge(to))
                });
            }
        }
    }
}

fn in_order(at: &str, times: &Ints, problems: &mut Problems) {
    let mut before: Option<i64> = None;
    for (row, time) in times.raw().iter().enumerate() {
        let Some(time) = times.get(row).filter(|_| *time != crate::json::NULL) else { continue };
        if let Some(before) = before
            && time < before
        {
            problems.cell(at, row, Rule::OutOfOrder, || {
                format!("{time} ns lies before {before} ns in a row above; rows stand in order of time")
            });
        }
        before = before.max(Some(time));
    }
}

fn intervals_lie_in_segments(run: &Run, problems: &mut Problems) {
    let (intervals, segments) = (&run.timeline.intervals, &run.timeline.segments);
    for row in 0..intervals.segment.raw().len() {
        let (Some(segment), Some(start)) = (intervals.segment.get(row), intervals.start.get(row)) else { continue };
        // An interval that overflows, or a segment that ends before it starts, is told at its own place.
        let Some(end) = start.checked_add(intervals.duration.get(row).unwrap_or(0)) else { continue };
        let (from, to) = (segments.start.get(segment as usize), segments.end.get(segment as usize));
        if from > to && to.is_some() {
            continue;
        }
        if from.is_some_and(|from| start < from) || to.is_some_and(|to| end > to) {
            problems.cell("/timeline/intervals/segment", row, Rule::OutsideSegment, || {
                let edge = |edge: Option<i64>| edge.map_or("unknown".to_owned(), |time| format!("{time} ns"));
                format!(
                    "the interval at {start} to {end} ns lies outside segment {segment} ({} to {})",
                    edge(from),
                    edge(to)
                )
            });
        }
    }
}

/// A period is the distance to the next start of the same execution; the last pass of each has none.
fn periods(run: &Run, problems: &mut Problems) {
    let rows = &run.passes.rows;
    let mut next: std::collections::HashMap<Option<u32>, i64> = std::collections::HashMap::new();
    for row in (0..rows.rows()).rev() {
        let Some(start) = rows.start.get(row) else { continue };
        let following = next.insert(rows.execution.get(row), start);
        let Some(period) = rows.period.get(row) else { continue };
        let at = "/passes/rows/period";
        // Neither start is negative, so that the distance fits; passes out of order are told at their starts.
        match following.map(|following| following.saturating_sub(start)) {
            Some(distance) if distance == period || distance < 0 => {}
            Some(distance) => problems.cell(at, row, Rule::Contradiction, || {
                format!("a period of {period} ns, and the next pass of the same execution starts after {distance} ns")
            }),
            None => problems.cell(at, row, Rule::Contradiction, || {
                format!("a period of {period} ns, and no later pass of the same execution to measure it to")
            }),
        }
    }
}

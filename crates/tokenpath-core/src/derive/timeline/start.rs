//! Where reading starts: the stretch that is drawn first, and what its times count from.

use super::track::TimelineRows;
use crate::item::Item;
use crate::model::Run;

/// The stretch that is drawn first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its first nanosecond on the trace clock.
    pub from: i64,
    /// Its end.
    pub to: i64,
    /// What times on the axis count from: the pass's start, or the capture's.
    pub zero: i64,
    /// The pass that is drawn, if it is one.
    pub pass: Option<u32>,
}

impl TimelineRows {
    /// Where reading starts: at the selected pass, at the pass of what is selected, at `token` (the pass of the token
    /// under test), or else with the whole capture.
    pub fn start(&self, run: &Run, selected: Option<Item>, token: Option<u32>) -> Start {
        let whole = Start { from: self.extent.0, to: self.extent.1, zero: self.extent.0, pass: None };
        let pass = match selected.map(|item| (item, pass_of(run, item))) {
            Some((_, Some(pass))) => Some(pass),
            // A thing with a time of its own outside every pass is not looked for in another pass.
            Some((item, None)) if time_of(run, item).is_some() => None,
            _ => token,
        };
        if let Some(pass) = pass
            && let Some((from, to)) = pass_extent(run, pass)
        {
            // A tenth of its length on either side shows what it follows and what follows it.
            let margin = to.saturating_sub(from) / 10;
            return Start {
                from: from.saturating_sub(margin),
                to: to.saturating_add(margin),
                zero: from,
                pass: Some(pass),
            };
        }
        if let Some((from, to)) = selected.and_then(|item| time_of(run, item)) {
            let margin = to.saturating_sub(from).saturating_mul(4).max(1000);
            return Start { from: from.saturating_sub(margin), to: to.saturating_add(margin), ..whole };
        }
        whole
    }
}

/// The pass that a thing on the trace clock belongs to.
pub fn pass_of(run: &Run, item: Item) -> Option<u32> {
    let timeline = &run.timeline;
    let of_submission = |row: u32| timeline.submissions.pass.get(row as usize);
    match item {
        Item::Pass(row) => ((row as usize) < run.passes.rows.rows()).then_some(row),
        Item::Submission(row) => of_submission(row),
        Item::Segment(row) => timeline.segments.submission.get(row as usize).and_then(of_submission),
        Item::Interval(row) => timeline.intervals.pass.get(row as usize),
        Item::Call(row) => timeline.calls.submission.get(row as usize).and_then(of_submission),
        Item::Chunk(row) => run.request.chunks.pass.get(row as usize),
        _ => None,
    }
}

/// Start and end of a pass: to when its result was there, else to its last interval's end, else to the next pass.
pub fn pass_extent(run: &Run, pass: u32) -> Option<(i64, i64)> {
    let rows = &run.passes.rows;
    let row = pass as usize;
    let start = rows.start.get(row)?;
    let end = rows.end.get(row).or_else(|| {
        let table = &run.timeline.intervals;
        let mine = (0..table.rows()).filter(|interval| table.pass.get(*interval) == Some(pass));
        mine.filter_map(|interval| {
            let start = table.start.get(interval)?;
            Some(start.saturating_add(table.duration.get(interval).unwrap_or(0)))
        })
        .max()
    });
    let end = end.or_else(|| Some(start.saturating_add(rows.period.get(row)?)));
    Some((start, end.unwrap_or(start).max(start)))
}

/// Start and end of a thing that lies on the trace clock; a moment has both at once.
pub fn time_of(run: &Run, item: Item) -> Option<(i64, i64)> {
    let timeline = &run.timeline;
    let row = item.index() as usize;
    let lasting = |start: Option<i64>, duration: Option<i64>| {
        start.map(|start| (start, start.saturating_add(duration.unwrap_or(0))))
    };
    let ending = |start: Option<i64>, end: Option<i64>| start.map(|start| (start, end.unwrap_or(start).max(start)));
    match item {
        Item::Pass(pass) => pass_extent(run, pass),
        Item::Submission(_) => ending(timeline.submissions.start.get(row), timeline.submissions.end.get(row)),
        Item::Segment(_) => ending(timeline.segments.start.get(row), timeline.segments.end.get(row)),
        Item::Interval(_) => lasting(timeline.intervals.start.get(row), timeline.intervals.duration.get(row)),
        Item::Range(_) => lasting(timeline.ranges.start.get(row), timeline.ranges.duration.get(row)),
        Item::Call(_) => lasting(timeline.calls.start.get(row), timeline.calls.duration.get(row)),
        Item::Copy(_) => lasting(timeline.copies.start.get(row), timeline.copies.duration.get(row)),
        Item::Chunk(_) => {
            let at = run.request.chunks.at.get(row)?.saturating_add(run.passes.clock_join.offset?);
            Some((at, at))
        }
        Item::NodeSet(_) | Item::Kernel(_) | Item::Node(_) | Item::Tensor(_) | Item::Component(_) | Item::Layer(_) => {
            None
        }
    }
}

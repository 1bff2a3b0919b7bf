//! A lane: things on one row of a timeline, sorted by start, that answers for any pixel column how many of them it
//! meets and which share of it they fill, at the cost of a few binary searches.
//!
//! Must never contain: pixels' colours, text, knowledge of what a row of the run means.

use super::tint::Tint;

/// One thing on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Start, in nanoseconds on the trace clock.
    pub start: i64,
    /// End, in nanoseconds on the trace clock; `None` when its duration is not known.
    pub end: Option<i64>,
    /// Its row in the table that the lane's track draws.
    pub row: u32,
    /// How it is filled.
    pub tint: Tint,
}

/// Events between two entries of a lane's cumulative sums by tint. A column that merges more events than this reads
/// sums; one that merges fewer reads the events.
const BLOCK: usize = 16;

/// Things on one row, sorted by start. They may overlap: counts stay exact and busy time is that of their union.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    start: Vec<i64>,
    end: Vec<i64>,
    row: Vec<u32>,
    tint: Vec<Tint>,
    /// Positions of events without a duration.
    untimed: Vec<u32>,
    /// Busy time before each event, where events do not overlap.
    before: Vec<i64>,
    /// Time by tint before each block of events.
    sums: Vec<[i64; Tint::COUNT]>,
    overlap: Option<Box<Overlap>>,
}

/// What a lane needs besides when events overlap.
#[derive(Clone, Debug, Default, PartialEq)]
struct Overlap {
    /// Stops of all events, sorted.
    stops: Vec<i64>,
    /// For each position, that of the event with the latest stop among this and all earlier ones.
    longest: Vec<u32>,
    /// The union of all events: starts, ends and busy time before each.
    cover_start: Vec<i64>,
    cover_end: Vec<i64>,
    cover_before: Vec<i64>,
}

/// Columns of equal width over a stretch of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    edges: Vec<i64>,
}

/// A run of columns that say one thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its first column.
    pub from: u32,
    /// The column after its last.
    pub to: u32,
    /// What the columns meet.
    pub what: Met,
}

/// What a column meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Met {
    /// One event, by its position on the lane.
    One(u32),
    /// Several.
    Many {
        /// How many.
        count: u32,
        /// The share of the column that they fill together, from 0 to 1; `None` when one of them has no duration.
        busy: Option<f64>,
        /// The tint that fills the longest time of the column.
        tint: Tint,
        /// The position of the first of them that starts in the column, or else of the one that lasts longest.
        first: u32,
    },
}

impl Columns {
    /// `width` columns from `from` to `to`.
    ///
    /// A clock tells whole nanoseconds, so a column is at least one wide: a shorter stretch is lengthened at its end.
    pub fn new(from: i64, to: i64, width: u32) -> Columns {
        let width = i128::from(width.max(1));
        let span = (i128::from(to) - i128::from(from)).max(width);
        let edge = |column: i128| i128::from(from) + column * span / width;
        Columns { edges: (0..=width).map(|column| i64::try_from(edge(column)).unwrap_or(i64::MAX)).collect() }
    }

    /// How many.
    pub fn count(&self) -> u32 {
        u32::try_from(self.edges.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Start and end of a column, in nanoseconds; the end is not part of it.
    pub fn edges(&self, column: u32) -> Option<(i64, i64)> {
        Some((*self.edges.get(column as usize)?, *self.edges.get(column as usize + 1)?))
    }

    /// Where the first column starts and the last one ends.
    pub fn range(&self) -> (i64, i64) {
        (self.edges.first().copied().unwrap_or(0), self.edges.last().copied().unwrap_or(0))
    }

    /// The first column at or after `from` that ends after `time`.
    fn at(&self, time: i64, from: usize) -> usize {
        let ends = self.edges.get(from + 1..).unwrap_or(&[]);
        from + gallop(ends, 0, |edge| edge <= time)
    }
}

/// The first index at or after `from` for which `before` is false, in a slice where it is true, then false. Doubles its
/// stride, so that a near answer costs little.
fn gallop(values: &[i64], from: usize, before: impl Fn(i64) -> bool) -> usize {
    let mut low = from;
    let mut stride = 1;
    loop {
        match values.get(low + stride - 1) {
            Some(value) if before(*value) => {
                low += stride;
                stride *= 2;
            }
            _ => {
                let high = (low + stride - 1).min(values.len());
                return low + values.get(low..high).unwrap_or(&[]).partition_point(|value| before(*value));
            }
        }
    }
}

/// When an event stops to count: a moment fills the nanosecond it falls in.
fn stop(start: i64, end: i64) -> i64 {
    end.max(start.saturating_add(1))
}

impl Lane {
    /// A lane of events in any order.
    pub fn new(mut events: Vec<Event>) -> Lane {
        if !events.is_sorted_by_key(|event| event.start) {
            events.sort_by_key(|event| event.start);
        }
        let mut lane = Lane::default();
        for (position, event) in events.iter().enumerate() {
            lane.start.push(event.start);
            lane.end.push(event.end.unwrap_or(event.start).max(event.start));
            lane.row.push(event.row);
            lane.tint.push(event.tint);
            if event.end.is_none() {
                lane.untimed.push(position_of(position));
            }
        }
        lane.sum();
        let touches = |(start, end, next): (&i64, &i64, &i64)| stop(*start, *end) > *next;
        let overlaps = lane
            .start
            .iter()
            .zip(&lane.end)
            .zip(lane.start.iter().skip(1))
            .any(|((start, end), next)| touches((start, end, next)));
        if overlaps {
            lane.overlap = Some(Box::new(Overlap::of(&lane.start, &lane.end)));
        } else {
            let mut busy = 0_i64;
            for (start, end) in lane.start.iter().zip(&lane.end) {
                lane.before.push(busy);
                busy = busy.saturating_add(end - start);
            }
        }
        lane
    }

    fn sum(&mut self) {
        // A lane of one tint needs no sums to know which fills the longest time.
        if self.tint.iter().all(|tint| Some(tint) == self.tint.first()) {
            return;
        }
        let mut sums = [0_i64; Tint::COUNT];
        for (position, (tint, (start, end))) in self.tint.iter().zip(self.start.iter().zip(&self.end)).enumerate() {
            if position.is_multiple_of(BLOCK) {
                self.sums.push(sums);
            }
            if let Some(sum) = sums.get_mut(tint.index()) {
                *sum = sum.saturating_add(end - start);
            }
        }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Whether some events overlap.
    pub fn overlaps(&self) -> bool {
        self.overlap.is_some()
    }

    /// The event at a position.
    pub fn event(&self, position: u32) -> Option<Event> {
        let at = position as usize;
        let timed = self.untimed.binary_search(&position).is_err();
        Some(Event {
            start: *self.start.get(at)?,
            end: timed.then_some(*self.end.get(at)?),
            row: *self.row.get(at)?,
            tint: *self.tint.get(at)?,
        })
    }

    /// All events in order of their start.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        (0..position_of(self.len())).filter_map(|position| self.event(position))
    }

    /// The events that meet `from..to`, in order of their start.
    pub fn within(&self, from: i64, to: i64) -> impl Iterator<Item = Event> {
        // Where events overlap an early one may reach far, so all that started are looked at.
        let first = if self.overlap.is_some() { 0 } else { self.stopped(from, 0) };
        let last = self.start.partition_point(|start| *start < to);
        let meets = move |position: &usize| self.stop(*position) > from;
        (first..last).filter(meets).filter_map(|position| self.event(position_of(position)))
    }

    /// The position of the event that draws a row of the table; linear.
    pub fn position(&self, row: u32) -> Option<u32> {
        self.row.iter().position(|known| *known == row).map(position_of)
    }

    /// Start of the first and the latest end.
    pub fn extent(&self) -> Option<(i64, i64)> {
        Some((*self.start.first()?, self.end.iter().copied().max()?))
    }

    /// Number of events that meet `from..to`.
    pub fn count(&self, from: i64, to: i64) -> usize {
        let started = self.start.partition_point(|start| *start < to);
        started.saturating_sub(self.stopped(from, 0))
    }

    /// Time within `from..to` that events fill, overlapping time once.
    pub fn busy(&self, from: i64, to: i64) -> i64 {
        let mut cursor = 0;
        let before = self.busy_before(from, &mut cursor);
        self.busy_before(to, &mut cursor).saturating_sub(before)
    }

    /// Whether an event that meets `from..to` has no duration.
    pub fn untimed(&self, from: i64, to: i64) -> bool {
        // An event without a duration is a moment, so its start alone decides.
        let first = self.start.partition_point(|start| *start < from);
        let last = self.start.partition_point(|start| *start < to);
        self.any_untimed(first, last)
    }

    /// The position of the first event that starts at or after `time`.
    pub fn from_time(&self, time: i64) -> u32 {
        position_of(self.start.partition_point(|start| *start < time))
    }

    /// What the columns meet, from left to right; columns that meet nothing are left out, and no two spans share one.
    pub fn spans(&self, columns: &Columns, mut each: impl FnMut(Span)) {
        let count = columns.count();
        let (_, to) = columns.range();
        let mut column = 0_usize;
        let mut cursor = Cursor::default();
        while let Some((from, until)) = u32::try_from(column).ok().and_then(|column| columns.edges(column)) {
            let gone = self.stopped(from, cursor.gone);
            let came = gallop(&self.start, cursor.came.max(gone), |start| start < until);
            let started = cursor.started.max(cursor.came);
            cursor = Cursor { gone, came, started, ..cursor };
            let here = u32::try_from(column).unwrap_or(u32::MAX);
            match came.saturating_sub(gone) {
                0 => match self.start.get(came) {
                    Some(next) if *next < to => column = columns.at(*next, column + 1),
                    _ => return,
                },
                1 => {
                    let only = self.longest(came - 1);
                    let stop = self.stop(only);
                    let alone_until = self.start.get(came).copied().unwrap_or(i64::MAX);
                    // It owns the columns that start before it stops and end before the next one starts.
                    let mut after = columns.at(stop.saturating_sub(1), column) + 1;
                    if alone_until < to {
                        after = after.min(columns.at(alone_until, column));
                    }
                    let after = after.clamp(column + 1, count as usize);
                    let to = u32::try_from(after).unwrap_or(count);
                    each(Span { from: here, to, what: Met::One(position_of(only)) });
                    column = after;
                }
                many => {
                    let first = gallop(&self.start, cursor.started, |start| start < from);
                    cursor.started = first;
                    let busy = (!self.any_untimed(first, came)).then(|| {
                        let before = self.busy_before(from, &mut cursor.busy);
                        let busy = self.busy_before(until, &mut cursor.busy) - before;
                        busy as f64 / (until - from) as f64
                    });
                    let longest = if first > 0 { Some(self.longest(first - 1)) } else { None };
                    let running = longest.filter(|position| self.stop(*position) > from);
                    let tint = self.fullest(from, until, running, first, came);
                    let named = if first < came { Some(first) } else { running };
                    let what = Met::Many {
                        count: position_of(many),
                        busy,
                        tint,
                        first: position_of(named.unwrap_or(came.saturating_sub(1))),
                    };
                    each(Span { from: here, to: here + 1, what });
                    column += 1;
                }
            }
        }
    }

    /// Number of events that stop at or before `time`; at least `from`.
    fn stopped(&self, time: i64, from: usize) -> usize {
        if let Some(overlap) = &self.overlap {
            return gallop(&overlap.stops, from, |stop| stop <= time);
        }
        // Without overlap ends are sorted too; only a moment at the very end may stop later than its end says.
        let ended = gallop(&self.end, from, |end| end <= time);
        match ended.checked_sub(1) {
            Some(last) if self.stop(last) > time => last,
            _ => ended,
        }
    }

    fn stop(&self, position: usize) -> i64 {
        match (self.start.get(position), self.end.get(position)) {
            (Some(start), Some(end)) => stop(*start, *end),
            _ => i64::MIN,
        }
    }

    /// The event with the latest stop among those up to `position`.
    fn longest(&self, position: usize) -> usize {
        match &self.overlap {
            Some(overlap) => overlap.longest.get(position).map_or(position, |longest| *longest as usize),
            None => position,
        }
    }

    fn any_untimed(&self, first: usize, last: usize) -> bool {
        let at = self.untimed.partition_point(|position| (*position as usize) < first);
        self.untimed.get(at).is_some_and(|position| (*position as usize) < last)
    }

    /// Busy time before `time`; the cursor moves forward only.
    fn busy_before(&self, time: i64, cursor: &mut usize) -> i64 {
        let (starts, ends, before) = match &self.overlap {
            Some(overlap) => (&overlap.cover_start, &overlap.cover_end, &overlap.cover_before),
            None => (&self.start, &self.end, &self.before),
        };
        let begun = gallop(starts, *cursor, |start| start < time);
        let Some(last) = begun.checked_sub(1) else { return 0 };
        *cursor = last;
        match (starts.get(last), ends.get(last), before.get(last)) {
            (Some(start), Some(end), Some(before)) => before.saturating_add((*end).min(time) - start),
            _ => 0,
        }
    }

    /// The tint with the longest time in `from..to`, of the event that runs on into it and those that start in it.
    fn fullest(&self, from: i64, to: i64, running: Option<usize>, first: usize, last: usize) -> Tint {
        if self.sums.is_empty() {
            return self.tint.first().copied().unwrap_or_default();
        }
        let mut time = [0_i64; Tint::COUNT];
        let mut add = |position: usize| {
            let (Some(start), Some(end), Some(tint)) =
                (self.start.get(position), self.end.get(position), self.tint.get(position))
            else {
                return;
            };
            if let Some(sum) = time.get_mut(tint.index()) {
                // A moment has no length, and still has to win over nothing.
                *sum = sum.saturating_add(((*end).min(to) - (*start).max(from)).max(1));
            }
        };
        running.into_iter().for_each(&mut add);
        let whole = first.div_ceil(BLOCK)..last.saturating_sub(1) / BLOCK;
        if whole.len() > 1 {
            (first..whole.start * BLOCK).for_each(&mut add);
            (whole.end * BLOCK..last).for_each(&mut add);
            if let (Some(low), Some(high)) = (self.sums.get(whole.start), self.sums.get(whole.end)) {
                for (sum, (low, high)) in time.iter_mut().zip(low.iter().zip(high)) {
                    *sum = sum.saturating_add(high - low);
                }
            }
        } else {
            (first..last).for_each(&mut add);
        }
        let most = time.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return self.tint.get(first).copied().unwrap_or_default();
        }
        Tint::ALL.into_iter().find(|tint| time.get(tint.index()) == Some(&most)).unwrap_or_default()
    }
}

/// Where the last column left the searches.
#[derive(Clone, Copy, Default)]
struct Cursor {
    gone: usize,
    came: usize,
    started: usize,
    busy: usize,
}

fn position_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Overlap {
    fn of(start: &[i64], end: &[i64]) -> Overlap {
        let mut overlap = Overlap::default();
        let (mut latest, mut longest) = (i64::MIN, 0);
        let mut busy = 0_i64;
        for (position, (start, end)) in start.iter().zip(end).enumerate() {
            let stop = stop(*start, *end);
            overlap.stops.push(stop);
            if stop > latest {
                (latest, longest) = (stop, position_of(position));
            }
            overlap.longest.push(longest);
            match overlap.cover_end.last_mut() {
                Some(last) if *last >= *start => {
                    busy = busy.saturating_add((*end - *last).max(0));
                    *last = (*last).max(*end);
                }
                _ => {
                    overlap.cover_start.push(*start);
                    overlap.cover_end.push(*end);
                    overlap.cover_before.push(busy);
                    busy = busy.saturating_add(end - start);
                }
            }
        }
        overlap.stops.sort_unstable();
        overlap
    }
}

/// Places events on as few lanes as they need so that none overlaps another: each goes to the first lane that is free.
/// Properly nested events land on the lane of their depth. What finds no free lane among `most` goes to the last one.
pub fn pack(mut events: Vec<Event>, most: usize) -> Vec<Lane> {
    // Of two that start together the longer one holds the other; a moment comes before both and takes no room.
    let key = |event: &Event| {
        let end = event.end.unwrap_or(event.start);
        (event.start, end > event.start, std::cmp::Reverse(end))
    };
    if !events.is_sorted_by_key(key) {
        events.sort_by_key(key);
    }
    let mut lanes: Vec<(i64, Vec<Event>)> = Vec::new();
    for event in events {
        let end = event.end.unwrap_or(event.start).max(event.start);
        let free = lanes.iter().position(|(until, _)| *until <= event.start);
        match free {
            Some(free) => {
                if let Some((until, events)) = lanes.get_mut(free) {
                    *until = end;
                    events.push(event);
                }
            }
            None if lanes.len() < most.max(1) => lanes.push((end, vec![event])),
            None => {
                if let Some((until, events)) = lanes.last_mut() {
                    *until = (*until).max(end);
                    events.push(event);
                }
            }
        }
    }
    lanes.into_iter().map(|(_, events)| Lane::new(events)).collect()
}

#[cfg(test)]
mod tests;

//! How the trace clock joins the request clock, and what stands on both.

use crate::derive::counted::{count, weakest};
use crate::derive::request;
use crate::derive::spread::Spread;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// The trace clock's reading at the request's time zero.
fn offset(run: &Run) -> Result<(i64, Fact), Missing> {
    let join = &run.passes.clock_join;
    let reading = run.reading(join.offset.map(Quantity::Nanos), join.label("offset"), "/passes/clock_join/offset");
    let fact = reading?;
    Ok((join.offset.unwrap_or(0), fact))
}

/// A time of the trace clock on the request clock, in nanoseconds after time zero; `None` where the clocks are not
/// joined.
pub fn on_request_clock(run: &Run, trace: i64) -> Option<i64> {
    trace.checked_sub(run.passes.clock_join.offset?)
}

/// A time of the trace clock on the request clock, or why there is none.
pub(super) fn request_time(run: &Run, time: &Reading, name: &str) -> Reading {
    let time = time.as_ref().map_err(Clone::clone)?;
    let (offset, fact) = offset(run)?;
    let Quantity::Nanos(trace) = time.quantity else { return Err(run.missing("/passes/rows/start")) };
    let Some(at) = trace.checked_sub(offset) else { return Err(run.missing("/passes/clock_join/offset")) };
    Ok(Fact::derived(
        Quantity::Nanos(at),
        format!("{name} − trace clock at the request's time zero"),
        vec![(name.to_owned(), time.clone()), ("trace clock at time zero".to_owned(), fact)],
    ))
}

/// How the clocks were joined, as far as the bundle says, and how long after a pass its chunk arrives.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockJoin {
    /// The method.
    pub method: Reading,
    /// The client's clock.
    pub request_clock: Reading,
    /// The trace clock.
    pub trace_clock: Reading,
    /// Reading of the trace clock at time zero.
    pub offset: Reading,
    /// Largest distance left.
    pub residual: Reading,
    /// Uncertainty of the offset.
    pub uncertainty: Reading,
    /// Median of (chunk arrival − end of the pass whose token it carries), on the request clock.
    pub lag: Reading,
    /// Chunks that arrive before their pass ends: the join, or the relation, is off.
    pub early: usize,
}

/// Reads the clock join.
pub fn clock_join(run: &Run) -> ClockJoin {
    let join = &run.passes.clock_join;
    let read = |quantity: Option<Quantity>, field: &str| {
        run.reading(quantity, join.label(field), &format!("/passes/clock_join/{field}"))
    };
    let (lag, early) = lag(run);
    ClockJoin {
        method: read(join.method.clone().map(Quantity::Text), "method"),
        request_clock: run.reading(
            run.request.clock.clone().map(Quantity::Text),
            run.request.label("clock"),
            "/request/clock",
        ),
        trace_clock: run.reading(
            run.identity.instrument.clock.clone().map(Quantity::Text),
            // What an instrument records is a statement of the bundle's producer.
            Some(&crate::Label::reported("the bundle")),
            "/identity/instrument/clock",
        ),
        offset: read(join.offset.map(Quantity::Nanos), "offset"),
        residual: read(join.residual.map(Quantity::Nanos), "residual"),
        uncertainty: read(join.uncertainty.map(Quantity::Nanos), "uncertainty"),
        lag,
        early,
    }
}

fn lag(run: &Run) -> (Reading, usize) {
    let chunks = &run.request.chunks;
    let ends = &run.passes.rows.end;
    let mut lags = Vec::new();
    let mut early = 0;
    let mut rows = Vec::new();
    for row in 0..chunks.rows() {
        let Some(end) = chunks.pass.get(row).and_then(|pass| ends.get(pass as usize)) else { continue };
        let (Some(at), Some(end)) = (chunks.at.get(row), on_request_clock(run, end)) else { continue };
        let lag = at.saturating_sub(end);
        if lag < 0 {
            early += 1;
        }
        lags.push(lag);
        rows.push(row);
    }
    let mut source = count(&chunks.labels, "at", "/request/chunks/at", &rows);
    // A lag is no stronger than the join, the relation from chunk to pass, and the pass's end.
    let passes = &run.passes.rows;
    let others = [
        run.passes.clock_join.label("offset"),
        weakest(&chunks.labels, "pass", rows.iter().copied()),
        weakest(&passes.labels, "end", 0..passes.rows()),
    ];
    for label in others.into_iter().flatten() {
        source.label = source.label.weaker(label).clone();
    }
    let reading = Spread::of(lags, "times from the end of a pass to its chunk's arrival", &source)
        .map(|spread| spread.median)
        .ok_or_else(|| Missing {
            pointer: "/request/chunks/pass".to_owned(),
            reason: "No chunk is known to carry the token of a pass whose end is on the request clock.".to_owned(),
        });
    (reading, early)
}

/// Whether a pass starts within the request. Without a clock join every pass counts.
pub fn in_request(run: &Run, pass: u32) -> bool {
    let Some(at) = run.passes.rows.start.get(pass as usize).and_then(|start| on_request_clock(run, start)) else {
        return true;
    };
    let end = request::event(run, "stream_end").or_else(|_| request::event(run, "end_of_generation"));
    let before_end = match end {
        Ok(Fact { quantity: Quantity::Nanos(end), .. }) => at <= end,
        _ => true,
    };
    at >= 0 && before_end
}

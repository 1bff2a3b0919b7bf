//! How long the recorded device was at work over the whole run.

use crate::derive::counted::int;
use crate::derive::passes::union;
use crate::derive::times::complete_timing;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// The recorded device's time. Kernels, copies and memory sets are its work; overlaps count once.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTime {
    /// From the first start of work to its last end.
    pub span: Reading,
    /// In which there was work: a range where launches of whole graphs hide their kernels.
    pub busy: Reading,
    /// What of the span is left: the matching range.
    pub idle: Reading,
    /// The part of the span that was busy.
    pub share: Reading,
}

const KERNELS: &str = "/timeline/intervals";

/// The device's time; `None` where the run has no queue of a device. Cost: that of sorting its work.
pub fn device_time(run: &Run) -> Option<DeviceTime> {
    let timeline = &run.timeline;
    let on_device =
        |queue: Option<u32>| queue.is_some_and(|queue| timeline.queues.side.get(queue as usize) == Some("gpu"));
    (0..timeline.queues.rows()).find(|queue| timeline.queues.side.get(*queue) == Some("gpu"))?;
    let hides = run.identity.instrument.graphs.as_deref() == Some("graph");
    let time = if hides { Ok(()) } else { complete_timing(run) };
    if let Err(missing) = time {
        let all = || Err(missing.clone());
        return Some(DeviceTime { span: all(), busy: all(), idle: all(), share: all() });
    }
    let (intervals, copies, segments) = (&timeline.intervals, &timeline.copies, &timeline.segments);
    let row = |start: Option<i64>, duration: Option<i64>| Some((start?, start?.checked_add(duration?)?));
    let mut work: Vec<(i64, i64)> = (0..intervals.rows())
        .filter(|at| on_device(intervals.queue.get(*at)))
        .filter_map(|at| row(intervals.start.get(at), intervals.duration.get(at)))
        .collect();
    let kernels = work.len();
    work.extend(
        (0..copies.rows())
            .filter(|at| on_device(copies.queue.get(*at)))
            .filter_map(|at| row(copies.start.get(at), copies.duration.get(at))),
    );
    let moved = work.len() - kernels;
    work.sort_unstable();
    let known = union(&work);
    let wholes: Vec<(i64, i64)> = if hides {
        let rows = 0..segments.rows();
        rows.filter_map(|at| segments.start.get(at).zip(segments.end.get(at)))
            .filter(|(start, end)| start <= end)
            .collect()
    } else {
        Vec::new()
    };
    let counted = |caption: &str, count: usize, label, pointer: &str| {
        (count > 0).then(|| (caption.to_owned(), Fact::stored(Quantity::Count(int(count)), label, pointer)))
    };
    let inputs: Vec<(String, Fact)> = [
        counted("kernels", kernels, intervals.label("start", 0), KERNELS),
        counted("copies and memory sets", moved, copies.label("start", 0), "/timeline/copies"),
        counted("launches of whole graphs", wholes.len(), segments.label("start", 0), "/timeline/segments"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let most = if wholes.is_empty() {
        known
    } else {
        work.extend(&wholes);
        work.sort_unstable();
        union(&work)
    };
    let (Some((first, _)), Some(last)) = (work.first(), work.iter().map(|(_, end)| *end).max()) else {
        let all = || Err(run.missing(KERNELS));
        return Some(DeviceTime { span: all(), busy: all(), idle: all(), share: all() });
    };
    let span = last.saturating_sub(*first);
    let fact = |quantity, text| Fact::derived(quantity, text, inputs.clone());
    let busy = fact(
        nanos(known, most, wholes.is_empty()),
        if wholes.is_empty() {
            "time in which at least one of them ran; overlaps count once"
        } else {
            "from the time in which a recorded kernel, copy or memory set ran, to that and the launches of whole graphs"
        },
    );
    let left = |from: &Fact, quantity, text| {
        if hides && kernels == 0 {
            return Err(Missing {
                pointer: KERNELS.to_owned(),
                reason: "Kernels were not collected, so nothing says when the device was idle.".to_owned(),
            });
        }
        Ok(Fact::derived(quantity, text, vec![("busy".to_owned(), from.clone())]))
    };
    let part = |time: i64| time as f64 / span as f64;
    let share = match (span, wholes.is_empty()) {
        (0, _) => Err(Missing {
            pointer: KERNELS.to_owned(),
            reason: "All work begins and ends at one moment; there is nothing to divide by.".to_owned(),
        }),
        (_, true) => left(&busy, Quantity::Share(part(known)), "busy ÷ span"),
        (_, false) => left(&busy, Quantity::ShareRange(part(known), part(most)), "busy ÷ span"),
    };
    let idle = nanos(span.saturating_sub(most), span.saturating_sub(known), wholes.is_empty());
    Some(DeviceTime {
        idle: left(&busy, idle, "span − busy"),
        span: Ok(fact(Quantity::Nanos(span), "last end − first start")),
        busy: Ok(busy),
        share,
    })
}

fn nanos(from: i64, to: i64, known: bool) -> Quantity {
    if known { Quantity::Nanos(from) } else { Quantity::NanosRange(from, to) }
}

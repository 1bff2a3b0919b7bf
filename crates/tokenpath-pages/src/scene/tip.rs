//! What a pointer is told: a few lines of HTML with values and their labels.

use tokenpath_core::derive::timeline::{Event, Lane, TrackKind};
use tokenpath_core::fact::{Fact, Quantity, Reading};
use tokenpath_core::item::Item;

use super::build::{Source, label};
use super::hit::Hit;
use super::layout::{name, which};
use super::{Bar, Of};
use crate::format;
use crate::html::{Markup, html};
use crate::value;

/// What stands under the pointer.
pub fn tip(source: &Source<'_>, hit: &Hit) -> Markup {
    match hit {
        Hit::One { item, track } => one(source, *item, *track),
        Hit::Many { track, count, busy, times, .. } => many(source, *track, *count, *busy, *times),
        Hit::Unrecorded { row } => {
            let reason = match row {
                Some(row) => source.run.timeline.unrecorded.reason.get(*row as usize).unwrap_or("Not recorded."),
                None => "Outside the capture, or several stretches that were not recorded.",
            };
            html! { p { b { "Not recorded" } } p { (reason) } }
        }
        Hit::Blank { track, time } => {
            let after = Fact::derived(
                Quantity::Nanos(time.saturating_sub(source.start.zero)),
                "time at the pointer \u{2212} zero of the axis",
                Vec::new(),
            );
            html! { p { "Nothing recorded on " (track_name(source, *track)) " here." } p { (value::known(&after)) } }
        }
        Hit::Name { track } => html! { p { (track_name(source, *track)) } },
        Hit::Map { .. } | Hit::Nothing => html! {},
    }
}

/// What a bar says in plain text.
pub fn caption(source: &Source<'_>, bar: &Bar) -> String {
    match bar.of {
        Of::One { item, start, end } => {
            let Some(kind) = TrackKind::ALL.into_iter().find(|kind| kind.item(item.index()) == item) else {
                return item.to_string();
            };
            let text = match kind {
                TrackKind::Layers => format!("layer {}", item.index()),
                _ => label(source.run, kind, &Event { start, end, row: item.index(), tint: Default::default() }),
            };
            match end {
                // The name of an interval has no duration in it.
                Some(end) if matches!(kind, TrackKind::Intervals | TrackKind::Layers) => {
                    format!("{text}, {}", format::nanos(end.saturating_sub(start)))
                }
                _ => text,
            }
        }
        Of::Many { count, busy, times: (from, to), .. } => {
            let merged = format!("{} in {}", format::grouped(i64::from(count)), format::nanos(to.saturating_sub(from)));
            match busy {
                Some(busy) => format!("{merged}, filling {}", format::share(busy)),
                None => merged,
            }
        }
    }
}

fn track_name(source: &Source<'_>, track: usize) -> String {
    let Some(track) = source.rows.tracks.get(track) else { return String::new() };
    let many = source.rows.tracks.iter().filter(|other| other.kind == track.kind).count() > 1;
    match which(source, track, many) {
        Some(which) => format!("{}, {which}", name(track.kind)),
        None => name(track.kind).to_owned(),
    }
}

fn one(source: &Source<'_>, item: Item, track: usize) -> Markup {
    let Some(kind) = source.rows.tracks.get(track).map(|track| track.kind) else { return html! {} };
    let row = item.index() as usize;
    // Without an end the text is the name alone; durations follow with their labels.
    let event = Event { start: 0, end: None, row: item.index(), tint: Default::default() };
    let text = match kind {
        TrackKind::Layers => format!("layer {row}"),
        _ => label(source.run, kind, &event),
    };
    html! {
        p { b { (text) } " " span class="q" { (item) } }
        @if let Some(duration) = duration(source, kind, row) { p { (value::value(&duration)) } }
        @if kind == TrackKind::Intervals {
            @let table = &source.run.timeline.intervals;
            @if let Some(kernel) = table.kernel.get(row) {
                p { code { (super::build::kernel_name(source.run, kernel as usize)) } }
            }
        }
    }
}

/// The duration of an event that has one of its own, or why it has none.
fn duration(source: &Source<'_>, kind: TrackKind, row: usize) -> Option<Reading> {
    let run = source.run;
    let timeline = &run.timeline;
    let stored = |value: Option<i64>, label, pointer: &str| {
        run.reading(value.map(Quantity::Nanos), label, &format!("{pointer}/{row}"))
    };
    let between = |start: Reading, end: Reading| match (start, end) {
        (Ok(start), Ok(end)) => {
            let (Quantity::Nanos(from), Quantity::Nanos(to)) = (&start.quantity, &end.quantity) else {
                return Err(run.missing("/timeline"));
            };
            let quantity = Quantity::Nanos(to - from);
            let inputs = vec![("end".to_owned(), end), ("start".to_owned(), start)];
            Ok(Fact::derived(quantity, "end \u{2212} start", inputs))
        }
        (Err(missing), _) | (_, Err(missing)) => Err(missing),
    };
    Some(match kind {
        TrackKind::Intervals => {
            let table = &timeline.intervals;
            stored(table.duration.get(row), table.label("duration", row), "/timeline/intervals/duration")
        }
        TrackKind::Calls => {
            let table = &timeline.calls;
            stored(table.duration.get(row), table.label("duration", row), "/timeline/calls/duration")
        }
        TrackKind::Ranges => {
            let table = &timeline.ranges;
            stored(table.duration.get(row), table.label("duration", row), "/timeline/ranges/duration")
        }
        TrackKind::Copies => {
            let table = &timeline.copies;
            stored(table.duration.get(row), table.label("duration", row), "/timeline/copies/duration")
        }
        TrackKind::Encode => {
            let table = &timeline.submissions;
            between(
                stored(table.start.get(row), table.label("start", row), "/timeline/submissions/start"),
                stored(table.end.get(row), table.label("end", row), "/timeline/submissions/end"),
            )
        }
        TrackKind::Segments => {
            let table = &timeline.segments;
            between(
                stored(table.start.get(row), table.label("start", row), "/timeline/segments/start"),
                stored(table.end.get(row), table.label("end", row), "/timeline/segments/end"),
            )
        }
        TrackKind::Passes => {
            let table = &run.passes.rows;
            between(
                stored(table.start.get(row), table.label("start", row), "/passes/rows/start"),
                stored(table.end.get(row), table.label("end", row), "/passes/rows/end"),
            )
        }
        TrackKind::Chunks | TrackKind::Layers => return None,
    })
}

fn many(source: &Source<'_>, track: usize, count: u32, busy: Option<f64>, (from, to): (i64, i64)) -> Markup {
    let Some(kind) = source.rows.tracks.get(track).map(|track| track.kind) else { return html! {} };
    let width = format::nanos(to.saturating_sub(from));
    html! {
        p { b { (format::grouped(i64::from(count))) " " (things(kind)) } " in " (width) }
        p {
            @match busy {
                Some(busy) => { "They fill " (format::share(busy)) " of it" },
                None => { "Without a duration, so no share of it" },
            }
        }
    }
}

fn things(kind: TrackKind) -> &'static str {
    match kind {
        TrackKind::Passes => "passes",
        TrackKind::Chunks => "chunks",
        TrackKind::Encode => "submissions",
        TrackKind::Calls => "calls",
        TrackKind::Segments => "segments",
        TrackKind::Intervals => "intervals",
        TrackKind::Layers => "stretches of layers",
        TrackKind::Ranges => "ranges",
        TrackKind::Copies => "copies",
    }
}

/// What lies between two times: how far apart they are, and on each queue how many intervals and, where all of them have
/// durations, how much of the time they fill.
pub fn measure(source: &Source<'_>, a: i64, b: i64) -> Markup {
    let (from, to) = (a.min(b), a.max(b));
    let distance = Fact::derived(
        Quantity::Nanos(to.saturating_sub(from)),
        "later time \u{2212} earlier time, both read off the drawing",
        Vec::new(),
    );
    let unrecorded = source.rows.unrecorded.busy(from, to);
    let tracks = source.rows.tracks.iter().enumerate().filter(|(_, track)| track.kind == TrackKind::Intervals);
    html! {
        p { b { (value::known(&distance)) } }
        @for (at, track) in tracks {
            @let count: usize = track.lanes.iter().map(|lane| lane.count(from, to)).sum();
            @if count > 0 {
                p {
                    (track_name(source, at)) ": " (format::plural(count as i64, "interval", "intervals"))
                    @if let Some(busy) = busy(&track.lanes, from, to) { ", " (format::nanos(busy)) " filled" }
                }
            }
        }
        @if unrecorded > 0 { p { (format::nanos(unrecorded)) " of it was not recorded" } }
    }
}

/// Time that one lane's events fill; with several lanes they overlap, and their sum would count time twice.
fn busy(lanes: &[Lane], from: i64, to: i64) -> Option<i64> {
    match lanes {
        [lane] if !lane.untimed(from, to) => Some(lane.busy(from, to)),
        _ => None,
    }
}

//! The request as one bar on the client's clock, and the chunk arrivals beneath it.

use std::collections::BTreeSet;

use tokenpath_core::derive::request::{RequestTiming, Segment, event, event_words};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::item::Item;

use crate::axis::TimeAxis;
use crate::format;
use crate::html::{Markup, html, swatch};
use crate::page::{Context, figure};
use crate::value;

/// Ticks that fall into the same of so many columns are drawn once.
const COLUMNS: f64 = 1000.0;

/// The figure: bar, arrivals, axis, and the segments as a table with reasons in place.
pub(super) fn segments(cx: &Context<'_>, timing: &RequestTiming) -> Markup {
    let aside = html! { "each drawn only when both its ends are known" };
    figure(
        "The request in three segments",
        &aside,
        &html! {
            @match extent(cx) {
                Some(end) => (drawing(cx, timing, TimeAxis::new(0, end))),
                None => p class="note" { "No event and no arrival has a time; there is nothing to draw." },
            }
            (key(timing))
            (arrivals_note(timing))
            (table(timing))
        },
    )
}

fn at(reading: &Reading) -> Option<i64> {
    match reading.as_ref().ok()?.quantity {
        Quantity::Nanos(value) => Some(value),
        _ => None,
    }
}

/// The latest time on the request clock.
fn extent(cx: &Context<'_>) -> Option<i64> {
    let request = &cx.run.request;
    let events = (0..request.events.rows()).filter_map(|row| request.events.at.get(row));
    let chunks = (0..request.chunks.rows()).filter_map(|row| request.chunks.at.get(row));
    events.chain(chunks).max()
}

fn drawing(cx: &Context<'_>, timing: &RequestTiming, axis: TimeAxis) -> Markup {
    let [sending, prompt, generation] = &timing.segments;
    let name = format!(
        "The request on the client's clock: {}. Chunk arrivals beneath.",
        timing.segments.iter().map(said).collect::<Vec<_>>().join("; ")
    );
    html! {
        svg class="fluid" role="img" aria-label=(name) width="100%" height="170" {
            @if sending.duration.is_ok() { (bar(axis, sending, "f-none")) }
            @if prompt.duration.is_ok() { (bar(axis, prompt, "f-pre")) }
            @if generation.duration.is_ok() { (bar(axis, generation, "f-bar")) }
            // Ends that bound no drawn segment stand alone.
            @for time in lone_ends(&timing.segments) {
                line class="rec" x1=(axis.x(time)) x2=(axis.x(time)) y1="16" y2="58" {}
            }
            (labels(axis, timing))
            text x="0" y="112" { "Chunks, at arrival" }
            (arrivals(cx, timing, axis))
            (axis.draw(146, 5))
        }
    }
}

fn said(segment: &Segment) -> String {
    let between = format!("{} to {}", event_words(segment.from), event_words(segment.to));
    match &segment.duration {
        Ok(fact) => format!("{between} {}", format::quantity(&fact.quantity)),
        Err(_) => format!("{between} not known"),
    }
}

fn bar(axis: TimeAxis, segment: &Segment, class: &str) -> Markup {
    let (Some(start), Some(end)) = (at(&segment.start), at(&segment.end)) else { return html! {} };
    html! {
        rect class=(class) x=(axis.x(start)) y="20" width=(axis.width(end - start)) height="34" { title { (said(segment)) } }
        line class="edge" x1=(axis.x(end)) x2=(axis.x(end)) y1="20" y2="54" {}
    }
}

fn lone_ends(segments: &[Segment; 3]) -> Vec<i64> {
    let drawn: BTreeSet<i64> = segments
        .iter()
        .filter(|segment| segment.duration.is_ok())
        .flat_map(|segment| [at(&segment.start), at(&segment.end)])
        .flatten()
        .collect();
    let alone: BTreeSet<i64> = segments
        .iter()
        .filter(|segment| segment.duration.is_err())
        .flat_map(|segment| [at(&segment.start), at(&segment.end)])
        .flatten()
        .filter(|time| !drawn.contains(time))
        .collect();
    alone.into_iter().collect()
}

/// One label for each segment, or for the end of it that is known: the first beneath at the left, the second above, the
/// third beneath at the right.
fn labels(axis: TimeAxis, timing: &RequestTiming) -> Markup {
    let [sending, prompt, generation] = &timing.segments;
    let text = |segment: &Segment, from: &str, to: &str, known_end: Option<(&str, &Reading)>| match &segment.duration {
        Ok(fact) => Some(format!("{from} to {to}, {}", format::quantity(&fact.quantity))),
        Err(_) => {
            let (name, reading) = known_end?;
            Some(format!("{name}, {}", format::quantity(&reading.as_ref().ok()?.quantity)))
        }
    };
    let first = text(sending, "sent", "runner", Some(("sent", &sending.start)));
    let second = text(prompt, "first encode", "first token", Some(("first token", &prompt.end)));
    let third = text(generation, "first token", "end", Some(("end", &generation.end)));
    let second_at = at(&prompt.start).filter(|_| prompt.duration.is_ok()).or_else(|| at(&prompt.end));
    html! {
        @if let Some(first) = first {
            @let x = at(&sending.start).unwrap_or(0);
            line class="ax" x1=(axis.x(x)) x2=(axis.x(x)) y1="54" y2="74" {}
            text class="b" x=(axis.x(x)) y="86" { (first) }
        }
        @if let (Some(second), Some(x)) = (second, second_at) {
            text class="b" x=(axis.x(x)) y="13" text-anchor=(if axis.at(x) < 55.0 { "start" } else { "end" }) { (second) }
        }
        @if let Some(third) = third { text class="b" x="100%" y="86" text-anchor="end" { (third) } }
    }
}

fn arrivals(cx: &Context<'_>, timing: &RequestTiming, axis: TimeAxis) -> Markup {
    let chunks = &cx.run.request.chunks;
    let carrying: BTreeSet<usize> = timing.arrivals.carrying.iter().copied().collect();
    let mut seen: BTreeSet<(bool, i64)> = BTreeSet::new();
    let ticks: Vec<(bool, i64)> = (0..chunks.rows())
        .filter_map(|row| Some((carrying.contains(&row), chunks.at.get(row)?)))
        .filter(|(long, time)| seen.insert((*long, (axis.at(*time) / 100.0 * COLUMNS) as i64)))
        .collect();
    let chosen = match cx.view.item {
        Some(Item::Chunk(row)) => chunks.at.get(row as usize),
        _ => None,
    };
    html! {
        @for (long, time) in &ticks {
            @let x = axis.x(*time);
            @if *long { line class="tok" x1=(x) x2=(x) y1="120" y2="138" {} }
            @else { line class="mute" x1=(x) x2=(x) y1="126" y2="138" {} }
        }
        @if let Some(time) = chosen { line class="sel" x1=(axis.x(time)) x2=(axis.x(time)) y1="116" y2="142" {} }
    }
}

fn key(timing: &RequestTiming) -> Markup {
    let drawn = |index: usize| timing.segments.get(index).is_some_and(|segment| segment.duration.is_ok());
    html! {
        p class="key" {
            @if drawn(0) { span { (swatch("f-none")) "sent to runner" } }
            @if drawn(1) { span { (swatch("f-pre")) "first encode to first token" } }
            @if drawn(2) { span { (swatch("f-bar")) "first token to end" } }
            span { svg width="6" height="12" aria-hidden="true" { line class="tok" x1="3" x2="3" y1="0" y2="12" {} } "chunk with text" }
            span { svg width="6" height="12" aria-hidden="true" { line class="mute" x1="3" x2="3" y1="3" y2="12" {} } "chunk without" }
        }
    }
}

fn arrivals_note(timing: &RequestTiming) -> Markup {
    let arrivals = &timing.arrivals;
    html! {
        p class="note" {
            @match (&arrivals.chunks, &arrivals.carrying_count) {
                (Ok(all), Ok(carrying)) => {
                    (value::known(all)) " chunks arrive, " (value::known(carrying)) " of them with text or tokens"
                    @if let Some(reads) = &arrivals.reads { ", in " (value::known(reads)) " reads" }
                    ". Time zero is the start of the request. Chunks closer than a pixel share a tick."
                }
                (Err(missing), _) | (_, Err(missing)) => { "Arrivals: " (value::absent(missing)) " " (missing.reason) }
            }
        }
    }
}

fn table(timing: &RequestTiming) -> Markup {
    html! {
        div class="tw txt def segs" {
            table {
                thead { tr { th scope="col" { "Segment" } th scope="col" class="n" { "Length" } th scope="col" { "From and to, after time zero" } } }
                tbody {
                    @for segment in &timing.segments {
                        tr {
                            td class="w" { (crate::stated::capital(&event_words(segment.from))) " to " (event_words(segment.to)) }
                            td class="n" {
                                @match &segment.duration { Ok(_) => (value::opening(&segment.duration)), Err(missing) => (value::absent_short(missing)) }
                            }
                            td {
                                @match &segment.duration {
                                    Ok(_) => { (value::value(&segment.start)) " to " (value::value(&segment.end)) },
                                    Err(missing) => {
                                        (missing.reason)
                                        @for (name, end) in [(segment.from, &segment.start), (segment.to, &segment.end)] {
                                            @if let Ok(fact) = end { " " (crate::stated::capital(&event_words(name))) ": " (value::known(fact)) "." }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Every event of the request with its time or reason.
pub(super) fn events(cx: &Context<'_>) -> Vec<(String, Reading)> {
    tokenpath_core::model::REQUEST_EVENTS
        .iter()
        .map(|name| (crate::stated::capital(&event_words(name)), event(cx.run, name)))
        .collect()
}

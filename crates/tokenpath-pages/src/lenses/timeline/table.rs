//! The table behind the drawing: what lies in the stretch that is shown, row by row.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tokenpath_core::derive::timeline::{Event, TrackKind};
use tokenpath_core::fact::{Fact, Quantity, Reading};
use tokenpath_core::{Label, Run};

use super::on;
use crate::format;
use crate::html::{Markup, html};
use crate::page::{Context, figure};
use crate::scene::{Source, Viewport, name};
use crate::value;

/// Rows on a page.
const PAGE: usize = 100;

/// The kinds of row, with the word that the parameter `rows` has for each.
const KINDS: [(TrackKind, &str); 8] = [
    (TrackKind::Intervals, "intervals"),
    (TrackKind::Segments, "segments"),
    (TrackKind::Encode, "submissions"),
    (TrackKind::Calls, "calls"),
    (TrackKind::Ranges, "ranges"),
    (TrackKind::Copies, "copies"),
    (TrackKind::Passes, "passes"),
    (TrackKind::Chunks, "chunks"),
];

/// The table of what the drawing shows.
pub(super) fn behind(cx: &Context<'_>, source: &Source<'_>, view: &Viewport) -> Markup {
    let held = |kind: TrackKind| source.rows.tracks.iter().any(|track| track.kind == kind && !track.lanes.is_empty());
    let kinds: Vec<(TrackKind, &str)> = KINDS.into_iter().filter(|(kind, _)| held(*kind)).collect();
    let asked = cx.view.param("rows");
    let Some((kind, word)) = kinds.iter().find(|(_, word)| Some(*word) == asked).or_else(|| kinds.first()).copied()
    else {
        return html! {};
    };
    let asked = cx.view.param("from").and_then(|from| from.parse().ok());
    let from = asked.unwrap_or_else(|| page_with_selection(cx, source, kind, view));
    let (events, total) = page_of(source, kind, view, from);
    let shown = events.len();
    let aside = html! {
        label class="sr" for="rows" { "Which rows" }
        select id="rows" data-param="rows" {
            @for (kind, each) in &kinds { option value=(each) selected[*each == word] { (name(*kind)) } }
        }
    };
    figure(
        &format!("{} between {} and {}", capital(name(kind)), after(source, view.from), after(source, view.to)),
        &aside,
        &html! {
            @if total == 0 {
                p class="note" { "None in this stretch." }
            } @else {
                (rows(cx, source, kind, &events))
                (pages(cx, from, shown, total))
            }
        },
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn after(source: &Source<'_>, time: i64) -> String {
    format::nanos(time.saturating_sub(source.start.zero))
}

/// The events of a kind that meet the viewport in order of their start: one page of them, and how many there are.
fn page_of(source: &Source<'_>, kind: TrackKind, view: &Viewport, from: usize) -> (Vec<Event>, usize) {
    let lanes = source.rows.tracks.iter().filter(|track| track.kind == kind).flat_map(|track| &track.lanes);
    let mut total = 0;
    let mut streams = Vec::new();
    for lane in lanes {
        total += lane.count(view.from, view.to);
        streams.push(lane.within(view.from, view.to));
    }
    // Each lane is in order, so the next event is the earliest of those at the lanes' heads.
    let mut heads = BinaryHeap::new();
    let mut held: Vec<Option<Event>> = Vec::new();
    for (at, stream) in streams.iter_mut().enumerate() {
        let head = stream.next();
        heads.extend(head.map(|event| Reverse((event.start, event.row, at))));
        held.push(head);
    }
    let mut out = Vec::new();
    let mut passed = 0;
    while let Some(Reverse((_, _, at))) = heads.pop() {
        let event = held.get_mut(at).and_then(Option::take);
        let next = streams.get_mut(at).and_then(Iterator::next);
        heads.extend(next.map(|event| Reverse((event.start, event.row, at))));
        if let Some(place) = held.get_mut(at) {
            *place = next;
        }
        if passed >= from {
            out.extend(event);
        }
        passed += 1;
        if out.len() == PAGE {
            break;
        }
    }
    (out, total)
}

fn pages(cx: &Context<'_>, from: usize, shown: usize, total: usize) -> Markup {
    html! {
        p class="pages" {
            @if from > 0 {
                @let before = from.saturating_sub(PAGE);
                a id="page-before" href=(cx.href(&cx.view.with("from", &number(before)))) { "Earlier" } " "
            }
            (format::grouped(from as i64 + 1)) " to " (format::grouped((from + shown) as i64)) " of "
            (format::grouped(total as i64))
            @if from + shown < total {
                " " a id="page-after" href=(cx.href(&cx.view.with("from", &number(from + shown)))) { "Later" }
            }
        }
    }
}

/// The first row of the page that the selection is on, if it is one of these rows.
fn page_with_selection(cx: &Context<'_>, source: &Source<'_>, kind: TrackKind, view: &Viewport) -> usize {
    let Some(selected) = cx.view.item else { return 0 };
    let tracks = source.rows.tracks.iter().filter(|track| track.kind == kind);
    let shown = || tracks.clone().flat_map(|track| &track.lanes).flat_map(|lane| lane.within(view.from, view.to));
    let Some(own) = shown().find(|event| kind.item(event.row) == selected) else { return 0 };
    let before = shown().filter(|event| (event.start, event.row) < (own.start, own.row)).count();
    before - before % PAGE
}

/// The parameter for a page. The first has one too, since without one it is the selection that decides.
fn number(from: usize) -> String {
    from.to_string()
}

fn rows(cx: &Context<'_>, source: &Source<'_>, kind: TrackKind, events: &[Event]) -> Markup {
    let run = source.run;
    let heads: &[(&str, bool)] = match kind {
        TrackKind::Intervals => &[
            ("Interval", true),
            ("Start", true),
            ("Duration", true),
            ("Kernel", false),
            ("Nodes", false),
            ("Layer", true),
        ],
        TrackKind::Segments => {
            &[("Segment", true), ("Start", true), ("Duration", true), ("Queue", false), ("Submission", false)]
        }
        TrackKind::Encode => {
            &[("Submission", true), ("Start", true), ("Duration", true), ("What", false), ("Pass", true)]
        }
        TrackKind::Calls => {
            &[("Call", true), ("Start", true), ("Duration", true), ("Name", false), ("Submission", true)]
        }
        TrackKind::Ranges => &[("Range", true), ("Start", true), ("Duration", true), ("Name", false)],
        TrackKind::Copies => &[("Copy", true), ("Start", true), ("Duration", true), ("Kind", false), ("Bytes", true)],
        TrackKind::Passes => &[("Pass", true), ("Start", true), ("Duration", true), ("Kind", false), ("Tokens", true)],
        TrackKind::Chunks | TrackKind::Layers => &[("Chunk", true), ("Arrival", true)],
    };
    html! {
        div class="tw" tabindex="0" role="region" aria-label={ "Table of " (name(kind)) } {
            table class="tight" {
                thead { tr { @for (head, number) in heads { th scope="col" class=[number.then_some("n")] { (head) } } } }
                tbody {
                    @for event in events {
                        @let item = kind.item(event.row);
                        tr class=[on(cx, item)] {
                            th scope="row" class="n" { a href=(cx.select(item)) { (event.row) } }
                            td class="n" { (value::value(&start(source, kind, event))) }
                            @if kind != TrackKind::Chunks { td class="n" { (short(&duration(run, kind, event))) } }
                            (cells(cx, run, kind, event.row as usize))
                        }
                    }
                }
            }
        }
    }
}

/// A reading where many stand side by side.
fn short(reading: &Reading) -> Markup {
    match reading {
        Ok(fact) => value::known(fact),
        Err(missing) => value::absent_short(missing),
    }
}

/// The label of a column, and its pointer.
fn labelled<'a>(run: &'a Run, kind: TrackKind, column: &str, row: usize) -> (Option<&'a Label>, String) {
    let timeline = &run.timeline;
    let label = match kind {
        TrackKind::Intervals | TrackKind::Layers => timeline.intervals.label(column, row),
        TrackKind::Segments => timeline.segments.label(column, row),
        TrackKind::Encode => timeline.submissions.label(column, row),
        TrackKind::Calls => timeline.calls.label(column, row),
        TrackKind::Ranges => timeline.ranges.label(column, row),
        TrackKind::Copies => timeline.copies.label(column, row),
        TrackKind::Passes => run.passes.rows.label(column, row),
        TrackKind::Chunks => run.request.chunks.label(column, row),
    };
    (label, format!("{}/{column}/{row}", kind.pointer()))
}

fn start(source: &Source<'_>, kind: TrackKind, event: &Event) -> Reading {
    let row = event.row as usize;
    let column = if kind == TrackKind::Chunks { "at" } else { "start" };
    let (label, pointer) = labelled(source.run, kind, column, row);
    let stored = Fact::stored(Quantity::Nanos(event.start), label, pointer);
    let zero = Fact::stored(Quantity::Nanos(source.start.zero), label, "");
    let quantity = Quantity::Nanos(event.start.saturating_sub(source.start.zero));
    let inputs = vec![(column.to_owned(), stored), ("zero of the axis".to_owned(), zero)];
    Ok(Fact::derived(quantity, "start \u{2212} zero of the axis", inputs))
}

fn duration(run: &Run, kind: TrackKind, event: &Event) -> Reading {
    let row = event.row as usize;
    let length = event.end.map(|end| end.saturating_sub(event.start));
    match kind {
        TrackKind::Intervals | TrackKind::Calls | TrackKind::Ranges | TrackKind::Copies => {
            let (label, pointer) = labelled(run, kind, "duration", row);
            run.reading(length.map(Quantity::Nanos), label, &pointer)
        }
        _ => {
            let (label, pointer) = labelled(run, kind, "end", row);
            let (from, at) = labelled(run, kind, "start", row);
            let Some(end) = event.end else { return Err(run.missing(&pointer)) };
            let inputs = vec![
                ("end".to_owned(), Fact::stored(Quantity::Nanos(end), label, pointer)),
                ("start".to_owned(), Fact::stored(Quantity::Nanos(event.start), from, at)),
            ];
            Ok(Fact::derived(Quantity::Nanos(end.saturating_sub(event.start)), "end \u{2212} start", inputs))
        }
    }
}

fn cells(cx: &Context<'_>, run: &Run, kind: TrackKind, row: usize) -> Markup {
    use tokenpath_core::item::Item;
    let timeline = &run.timeline;
    let text = |column: &str, text: Option<&str>| {
        let (label, pointer) = labelled(run, kind, column, row);
        short(&run.reading(text.map(|text| Quantity::Text(text.to_owned())), label, &pointer))
    };
    let link = |column: &str, target: Option<(Item, String)>| {
        let (label, pointer) = labelled(run, kind, column, row);
        html! {
            @match target {
                Some((item, text)) => {
                    span class="v" {
                        @if let Some(label) = label { (value::glyph(label)) }
                        a href=(cx.select(item)) { (text) }
                    }
                },
                None => (value::absent_short(&run.missing(&pointer))),
            }
        }
    };
    match kind {
        TrackKind::Intervals | TrackKind::Layers => {
            let table = &timeline.intervals;
            let kernel = table
                .kernel
                .get(row)
                .map(|kernel| (Item::Kernel(kernel), crate::scene::kernel_name(run, kernel as usize).to_owned()));
            let ended = table.kernel_end.get(row).and_then(|end| run.traversal.ends.text.get(end as usize));
            let nodes = table.nodes.get(row).unwrap_or(&[]);
            let layer = nodes.first().and_then(|node| run.graph.nodes.layer.get(*node as usize));
            html! {
                td class="m" {
                    @match (kernel, ended) {
                        (None, Some(end)) => span class="term" title=(end) { (crate::html::symbol("x-term", 14, 12, "mark")) "none" },
                        (kernel, _) => (link("kernel", kernel)),
                    }
                }
                td class="m" {
                    @for node in nodes.iter().take(3) {
                        a href=(cx.select(Item::Node(*node))) { (run.graph.nodes.name.get(*node as usize).unwrap_or("node")) } " "
                    }
                    @if nodes.len() > 3 { "and " (nodes.len() - 3) " more" }
                    @if nodes.is_empty() { (value::absent_short(&run.missing(&format!("/timeline/intervals/nodes/{row}")))) }
                }
                td class="n" { @if let Some(layer) = layer { (layer) } }
            }
        }
        TrackKind::Segments => {
            let table = &timeline.segments;
            let queue = table.queue.get(row).and_then(|queue| timeline.queues.name.get(queue as usize));
            let submission = table.submission.get(row).map(|row| (Item::Submission(row), row.to_string()));
            html! { td { (text("queue", queue)) } td { (link("submission", submission)) } }
        }
        TrackKind::Encode => {
            let table = &timeline.submissions;
            let pass = table.pass.get(row).map(|pass| (Item::Pass(pass), pass.to_string()));
            html! { td { (text("kind", table.kind.get(row))) } td class="n" { (link("pass", pass)) } }
        }
        TrackKind::Calls => {
            let table = &timeline.calls;
            let submission = table.submission.get(row).map(|row| (Item::Submission(row), row.to_string()));
            html! { td class="m" { (text("name", table.name.get(row))) } td class="n" { @if submission.is_some() { (link("submission", submission)) } } }
        }
        TrackKind::Ranges => html! { td class="m" { (text("name", timeline.ranges.name.get(row))) } },
        TrackKind::Copies => {
            let table = &timeline.copies;
            let (label, pointer) = labelled(run, kind, "bytes", row);
            let bytes = run.reading(table.bytes.get(row).map(Quantity::Bytes), label, &pointer);
            html! { td { (text("kind", table.kind.get(row))) } td class="n" { (short(&bytes)) } }
        }
        TrackKind::Passes => {
            let table = &run.passes.rows;
            let (label, pointer) = labelled(run, kind, "tokens", row);
            let tokens = run.reading(table.tokens.get(row).map(Quantity::Count), label, &pointer);
            html! { td { (text("kind", table.kind.get(row))) } td class="n" { (short(&tokens)) } }
        }
        TrackKind::Chunks => html! {},
    }
}

//! The timeline: what lies on the trace clock, on one axis, and the table behind the drawing.
//!
//! The drawing is a static SVG that reads without scripts; [`crate::scene`] says what a shell puts in its place.

use std::borrow::Cow;

use tokenpath_core::Label;
use tokenpath_core::derive::part;
use tokenpath_core::derive::timeline::{Marks, Start, TimelineRows, TrackKind};
use tokenpath_core::fact::{Fact, Quantity};
use tokenpath_core::item::Item;
use tokenpath_core::traverse::token_under_test;

use crate::format;
use crate::html::{Markup, html, part_key, swatch};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::scene::{self, Layout, Source, Viewport};
use crate::value;

mod closer;
mod table;

/// Width of the static drawing in CSS pixels; it stretches to its column.
const WIDTH: u32 = 880;

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.timeline.given {
        return nothing(Lens::Timeline, &run.missing("/timeline"));
    }
    let rows = &*cx.timeline.map_or_else(|| Cow::Owned(TimelineRows::new(run)), Cow::Borrowed);
    if rows.is_empty() {
        return nothing(Lens::Timeline, &run.missing("/timeline/intervals"));
    }
    let marks = cx.view.item.map(|item| rows.marks(run, item)).unwrap_or_default();
    let start = rows.start(run, cx.view.item, token_under_test(run).ok().map(|token| token.pass));
    drawn(cx, rows, &marks, start)
}

fn drawn(cx: &Context<'_>, rows: &TimelineRows, marks: &Marks, start: Start) -> Markup {
    let source = Source { run: cx.run, rows, marks, start, only: None };
    let range = cx.view.param("range");
    let sized = scene::initial(rows, &start, range, (WIDTH, 1), 1.0);
    let height = Layout::new(&source, &sized).full_height();
    let view = Viewport { height, ..sized };
    let drawing = scene::build(&source, view);
    let title = title(cx, rows, &start);
    let caption = match start.pass {
        Some(pass) => format!("Pass {pass}"),
        None => "The capture".to_owned(),
    };
    let svg = scene::to_svg(
        &drawing,
        &format!("Timeline: {caption}"),
        &|item| cx.href(&cx.view.with("from", "").select(item)),
        &|bar| scene::caption(&source, bar),
    );
    html! {
        (lens_head(&html! { (title) }, &html! {
            "What was stamped, on one axis. A hatched stretch is time this instrument does not record; it is not idle time, "
            "and no idle figure is computed across it."
        }))
        (figure(&caption, &keys(), &html! {
            (tools(cx))
            div class="scroll" tabindex="0" role="region" aria-label=(caption) {
                div id="timeline" class="stage" data-timeline=(view.range()) { (svg) }
            }
            (key(&drawing))
            (notes(&drawing, rows))
        }))
        (closer::layer(cx, &source))
        (table::behind(cx, &source, &view))
    }
}

/// The finding: how much lies in the pass that is drawn, or on the clock as a whole.
fn title(cx: &Context<'_>, rows: &TimelineRows, start: &Start) -> String {
    let intervals = || rows.tracks.iter().filter(|track| track.kind == TrackKind::Intervals);
    let Some(pass) = start.pass else {
        let count: usize = intervals().flat_map(|track| &track.lanes).map(|lane| lane.len()).sum();
        if count == 0 {
            return Lens::Timeline.name().to_owned();
        }
        let queues = intervals().filter(|track| track.queue.is_some()).count();
        let span = format::nanos(rows.extent.1.saturating_sub(rows.extent.0));
        let count = format::plural(count as i64, "interval", "intervals");
        return match queues {
            0 => format!("{count} in {span}"),
            _ => format!("{count} on {} in {span}", format::plural(queues as i64, "queue", "queues")),
        };
    };
    let Some((from, to)) = tokenpath_core::derive::timeline::pass_extent(cx.run, pass) else {
        return format!("Inside pass {pass}");
    };
    let count: usize = intervals().flat_map(|track| &track.lanes).map(|lane| lane.count(from, to)).sum();
    let layers: std::collections::BTreeSet<u32> = rows
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Layers)
        .flat_map(|track| &track.lanes)
        .flat_map(|lane| lane.within(from, to).map(|event| event.row))
        .collect();
    let count = format::plural(count as i64, "interval", "intervals");
    let span = format::nanos(to.saturating_sub(from));
    match layers.len() {
        0 => format!("Inside pass {pass}: {count} in {span}"),
        layers => {
            format!("Inside pass {pass}: {count} over {} in {span}", format::plural(layers as i64, "layer", "layers"))
        }
    }
}

fn keys() -> Markup {
    html! {
        span class="keys" {
            kbd { "W" } " " kbd { "S" } " zoom, " kbd { "A" } " " kbd { "D" } " pan, " kbd { "M" } " measure, "
            kbd { "[" } " " kbd { "]" } " neighbour, " kbd { "/" } " search"
        }
    }
}

/// What only a script can do.
fn tools(cx: &Context<'_>) -> Markup {
    let button = |act: &str, name: &str, text: &str| {
        // A word names itself; a sign needs a name.
        let label = (!text.chars().all(char::is_alphabetic)).then_some(name);
        html! { button type="button" class="btn" id=(act) data-act=(act) title=(name) aria-label=[label] { (text) } }
    };
    html! {
        div class="tools live" role="toolbar" aria-label="Timeline" {
            (button("timeline-in", "Zoom in (W)", "+"))
            (button("timeline-out", "Zoom out (S)", "\u{2212}"))
            (button("timeline-left", "Earlier (A)", "\u{2190}"))
            (button("timeline-right", "Later (D)", "\u{2192}"))
            (button("timeline-home", "Back to where reading starts", "start"))
            (button("timeline-fit", "The whole capture", "all"))
            (button("timeline-previous", "Previous on the row ([)", "["))
            (button("timeline-next", "Next on the row (])", "]"))
            (button("timeline-measure", "Measure between two points (M)", "measure"))
            label class="sr" for="find" { "Search kernels, nodes, tensors and ranges by name" }
            input type="search" id="find" data-find placeholder="kernel, node, tensor" value=[cx.view.param("find")];
            span id="timeline-said" role="status" class="q" {}
        }
    }
}

fn key(drawing: &scene::Scene) -> Markup {
    let hatched = !drawing.hatches.is_empty() || !drawing.map_hatches.is_empty();
    html! {
        div class="key" {
            @for part in drawing.parts() { (part_key(part)) }
            @if drawing.has_loose_ticks() { span { (swatch("f-bar")) "tick of no known part" } }
            @if hatched { span { (swatch("hatch")) "not recorded" } }
        }
    }
}

fn notes(drawing: &scene::Scene, rows: &TimelineRows) -> Markup {
    let attribution = rows.attribution;
    let by_kernel = attribution.by_candidates + attribution.by_name;
    let total = attribution.by_node + by_kernel + attribution.none;
    let count = |count: usize| format::grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let merged = drawing.bars.iter().any(|bar| matches!(bar.of, scene::Of::Many { .. }));
    html! {
        p class="note" { "A row is blank where nothing was recorded on it; blank is not said to be idle." }
        @if merged {
            p class="note" {
                "Where several fall into one column of pixels the column merges them: as high as the share of it that they "
                "fill, in the colour of the part with the most time there."
            }
        }
        @if by_kernel > 0 {
            p class="note" {
                "Parts " (value::glyph(&Label::inferred(part::RULE))) "inferred: "
                @if attribution.by_candidates > 0 {
                    "of " (count(attribution.by_candidates)) " intervals from the nodes that may run as their kernel, by rule "
                    code { (part::RULE) }
                }
                @if attribution.by_candidates > 0 && attribution.by_name > 0 { "; " }
                @if attribution.by_name > 0 {
                    "of " (count(attribution.by_name)) " from the kernel's name, by rule " code { (part::KERNEL_RULE) }
                }
                "."
            }
        }
        @if attribution.none > 0 && attribution.none < total {
            p class="note" {
                (count(attribution.none)) " of " (count(total))
                " intervals in the run belong to no known part, so no share of time is given for any part."
            }
        }
        @if drawing.marked > 1 {
            p class="note" {
                @let marked = Fact::derived(Quantity::Count(drawing.marked as i64), "events the selection marks", Vec::new());
                "The selection marks " (value::known(&marked)) " of them, in view or not."
            }
        }
        @if drawing.flows.0 > drawing.flows.1 {
            p class="note" {
                (format::grouped(drawing.flows.1 as i64)) " of its " (format::grouped(drawing.flows.0 as i64))
                " recorded relations are drawn; those that end in one column, or lie outside, share a line or have none."
            }
        }
    }
}

/// The item's row in the table is marked.
fn on(cx: &Context<'_>, item: Item) -> Option<&'static str> {
    cx.is_selected(item).then_some("on")
}

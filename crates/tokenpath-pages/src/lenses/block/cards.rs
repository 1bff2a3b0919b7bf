//! Node cards: operation, name, kernel with its mapping's label, tensor with type and shape, result, time.

use tokenpath_core::derive::block::{self, Entry};
use tokenpath_core::derive::chosen::Why;
use tokenpath_core::derive::part::{self, Part};
use tokenpath_core::derive::times;
use tokenpath_core::item::Item;

use super::{Layer, chosen_words};
use crate::format;
use crate::html::{Markup, html, part_class, part_key, pct, symbol};
use crate::lens::Lens;
use crate::page::figure as titled;
use crate::value::{glyph, why};

/// At most so many cards are drawn of the nodes of no layer; the table of nodes has the rest.
const MOST: usize = 60;

/// Draws the cards of a layer.
pub(super) fn figure(layer: &Layer<'_>, entries: &[Entry], chosen: Option<Why>) -> Markup {
    let longest = longest(layer, entries);
    let aside = aside(layer, chosen, longest);
    let body = html! {
        div class="cards" { @for entry in entries { (card(layer, entry, longest)) } }
        (legend(layer, entries))
        p class="note" {
            "The edge tells the part by colour and texture. Names repeat; the index is the identity. Views only rearrange and do no work."
            @if layer.times.as_ref().is_ok_and(|times| entries.iter().any(|entry| shared(times, entry))) {
                " A time marked \u{2295} covers nodes that ran together; it is not this node's alone."
            }
        }
        @if let Err(missing) = &layer.times { (why(missing)) }
    };
    titled("Nodes in encode order", &aside, &body)
}

fn shared(times: &times::NodeTimes, entry: &Entry) -> bool {
    matches!(entry, Entry::Node(node) if times.get(*node).is_some_and(|time| time.shared))
}

/// The longest time among the nodes shown, which bars are scaled to.
fn longest(layer: &Layer<'_>, entries: &[Entry]) -> i64 {
    let Ok(times) = &layer.times else { return 1 };
    let of = |entry: &Entry| match entry {
        Entry::Node(node) => times.get(*node).map(|time| time.nanos),
        Entry::Views(_) => None,
    };
    entries.iter().filter_map(of).max().unwrap_or(1).max(1)
}

fn aside(layer: &Layer<'_>, chosen: Option<Why>, longest: i64) -> Markup {
    let intervals = &layer.cx.run.timeline.intervals;
    html! {
        @match &layer.times {
            Ok(times) => {
                "time "
                @if let Some(label) = intervals.label("duration", 0) { (glyph(label)) }
                "in pass " a href=(layer.cx.follow(Lens::Passes, Item::Pass(times.pass))) { (times.pass) }
                @if let Some(chosen) = chosen { ", " (chosen_words(chosen)) }
                "; bars on one scale to " (format::nanos(longest))
            }
            Err(_) => { "no times" }
        }
    }
}

/// Draws the nodes of no layer, grouped by the reason.
pub(super) fn layerless(layer: &Layer<'_>, graph: u32) -> Markup {
    let run = layer.cx.run;
    let groups = block::layerless(run, graph);
    if groups.is_empty() {
        return html! {};
    }
    let total: usize = groups.iter().map(|group| group.nodes.len()).sum();
    let body = html! {
        @for group in &groups {
            @let entries = block::entries(run, &group.nodes);
            @match group.end.and_then(|end| run.traversal.ends.text.get(end as usize)) {
                Some(text) => { p class="note" { (symbol("x-term", 14, 12, "ends")) (text) } }
                None => { (why(&run.missing(&format!("/graph/nodes/layer/{}", group.nodes.first().copied().unwrap_or(0))))) }
            }
            div class="cards" { @for entry in entries.iter().take(MOST) { (card(layer, entry, longest(layer, &entries))) } }
            @if entries.len() > MOST {
                p class="note" {
                    a href=(layer.cx.href(&layer.cx.view.to(Lens::Nodes).with("layer", "none"))) { "All of them are in the table of nodes" }
                }
            }
        }
    };
    let count = format::plural(i64::try_from(total).unwrap_or(i64::MAX), "node", "nodes");
    titled("Nodes of no layer", &html! { (count) }, &body)
}

fn card(layer: &Layer<'_>, entry: &Entry, longest: i64) -> Markup {
    match entry {
        Entry::Node(node) => node_card(layer, *node, longest),
        Entry::Views(views) => view_card(layer, views),
    }
}

fn view_card(layer: &Layer<'_>, views: &[u32]) -> Markup {
    let (Some(first), Some(last)) = (views.first(), views.last()) else { return html! {} };
    let on = views.iter().any(|view| layer.touched.nodes.contains(view));
    let names = &layer.cx.run.graph.nodes.name;
    let title = views.iter().filter_map(|view| names.get(*view as usize)).collect::<Vec<_>>().join(", ");
    html! {
        a class={ "nc vw" @if on { " on" } } href=(layer.cx.select(Item::Node(*first))) title=(title) {
            div {
                p class="s" { (first) @if first != last { "\u{2013}" (last) } }
                p class="s" { @if first == last { "view" } @else { "views" } }
            }
        }
    }
}

fn node_card(layer: &Layer<'_>, node: u32, longest: i64) -> Markup {
    let (cx, run) = (layer.cx, layer.cx.run);
    let nodes = &run.graph.nodes;
    let at = node as usize;
    let time = layer.times.as_ref().ok().and_then(|times| times.get(node));
    let on = layer.touched.nodes.contains(&node);
    html! {
        div class={ "nc" @if on { " on" } } id={ "node-" (node) } {
            svg aria-hidden="true" preserveAspectRatio="none" { rect class=(part_class(part::of_node(run, at))) width="6" height="100%" {} }
            div {
                p class="o" {
                    span {
                        (node) " "
                        a class="go" href=(cx.select(Item::Node(node))) {
                            b { @match nodes.operation.get(at) { Some(operation) => { (spoken(operation)) } None => { "operation not known" } } }
                        }
                    }
                    @if let Some(time) = time {
                        span title=[format::exact(&tokenpath_core::fact::Quantity::Nanos(time.nanos))] {
                            (format::nanos(time.nanos)) @if time.shared { "\u{2009}\u{2295}" }
                        }
                    }
                }
                p { code { (nodes.name.get(at).unwrap_or("")) } }
                (kernel(layer, at))
                (reads(layer, at))
                p class="s" {
                    (nodes.dtype.get(at).unwrap_or("")) " "
                    @if let Some(shape) = nodes.shape.get(at) { (format::sizes(shape)) }
                }
                @if let Some(time) = time {
                    svg class="tbar" width="100%" height="4" aria-hidden="true" {
                        rect class="f-well" width="100%" height="4" {}
                        rect class="f-bar" width=(pct(time.nanos as f64 / longest as f64)) height="4" {}
                    }
                }
            }
        }
    }
}

/// An operation in small letters and blanks.
fn spoken(operation: &str) -> String {
    operation.to_lowercase().replace('_', " ")
}

fn kernel(layer: &Layer<'_>, at: usize) -> Markup {
    let run = layer.cx.run;
    let nodes = &run.graph.nodes;
    match nodes.kernels.get(at) {
        Some([first, rest @ ..]) => html! {
            p class="s" {
                @if let Some(label) = nodes.label("kernels", at) { (glyph(label)) }
                a href=(layer.cx.follow(Lens::Kernels, Item::Kernel(*first))) {
                    code { (run.kernels.short.get(*first as usize).or(run.kernels.name.get(*first as usize)).unwrap_or("")) }
                }
                @if !rest.is_empty() { " or " (rest.len()) " more" }
            }
        },
        _ => match nodes.kernels_end.get(at).and_then(|end| run.traversal.ends.text.get(end as usize)) {
            Some(text) => html! { p class="s" title=(text) { (text) } },
            None => {
                let missing = run.missing(&format!("/graph/nodes/kernels/{at}"));
                html! {
                    p class="s gap" title=(missing.reason) { (symbol("x-gap", 26, 12, "torn")) "kernel not known" }
                }
            }
        },
    }
}

fn reads(layer: &Layer<'_>, at: usize) -> Markup {
    let run = layer.cx.run;
    let (nodes, tensors) = (&run.graph.nodes, &run.model.tensors);
    match nodes.tensors.get(at) {
        Some([first, rest @ ..]) => {
            let row = *first as usize;
            html! {
                p class="s" title=(tensors.name.get(row).unwrap_or("")) {
                    a href=(layer.cx.follow(Lens::Model, Item::Tensor(*first))) { code { (short(tensors.name.get(row).unwrap_or(""))) } }
                    " " (tensors.dtype.get(row).unwrap_or(""))
                    @if let Some(shape) = tensors.shape.get(row) { " " (format::sizes(shape)) }
                    @if !rest.is_empty() { " and " (rest.len()) " more" }
                }
            }
        }
        _ => match nodes.tensors_end.get(at).and_then(|end| run.traversal.ends.text.get(end as usize)) {
            Some(text) => html! { p class="s" title=(text) { (text) } },
            None => {
                let missing = run.missing(&format!("/graph/nodes/tensors/{at}"));
                html! { p class="s gap" title=(missing.reason) { (symbol("x-gap", 26, 12, "torn")) "tensors not known" } }
            }
        },
    }
}

/// A tensor's name without its layer and ending: `attn_q` of `blk.0.attn_q.weight`.
fn short(name: &str) -> &str {
    let stem = name.strip_suffix(".weight").unwrap_or(name);
    let mut rest = stem;
    while let Some((part, after)) = rest.split_once('.') {
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() {
            return after;
        }
        rest = after;
    }
    stem
}

fn legend(layer: &Layer<'_>, entries: &[Entry]) -> Markup {
    let run = layer.cx.run;
    let has = |wanted: Part| {
        entries.iter().any(|entry| matches!(entry, Entry::Node(node) if part::of_node(run, *node as usize) == wanted))
    };
    html! { div class="key" { @for part in Part::ALL.into_iter().filter(|part| has(*part)) { (part_key(part)) } } }
}

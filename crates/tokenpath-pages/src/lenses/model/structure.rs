//! The structure: embedding, layers folded where they are alike, head. Its joints are conceptual.

use tokenpath_core::derive::anatomy::layers::{LayerKind, Mixer, Network};
use tokenpath_core::derive::anatomy::stated::{self, StatedKind};
use tokenpath_core::derive::anatomy::{Place, tensor_bytes};
use tokenpath_core::derive::part::Part;
use tokenpath_core::derive::sum::Sum;
use tokenpath_core::item::Item;

use super::Model;
use crate::format;
use crate::html::{Markup, html, part_class, swatch, symbol};
use crate::value::{glyph, value};

/// At most so many steps of folded layers are drawn; longer sequences are told in words.
const MOST_STEPS: usize = 12;

/// Draws the structure: from the tensors, and without them from what the source says in words.
pub(super) fn figure(model: &Model<'_>) -> Markup {
    let cx = model.cx;
    let kinds = stated::kinds(cx.run);
    if !cx.run.model.tensors.given {
        return in_words(model, &kinds);
    }
    let layers = &model.anatomy.layers;
    let sum_of = |place: &dyn Fn(Place) -> bool| {
        let mut sum = Sum::default();
        for component in model.anatomy.components.iter().filter(|component| place(component.place)) {
            sum.merge(component.bytes);
        }
        sum
    };
    let bytes = |sum: Sum, what: &str| html! { @if sum.cells > 0 { (value(&tensor_bytes(cx.run, sum, what))) } };
    let embedding = sum_of(&|place| place == Place::Embedding);
    let head = sum_of(&|place| place == Place::Head);
    let tied = cx.run.model.tied_embedding;
    let period = layers.period().filter(|period| *period > 1);
    let shown = layers.stretches(period.unwrap_or(layers.list.len()));
    let body = html! {
        ol class="stack" {
            @if embedding.cells > 0 {
                li class="box" {
                    span class="t" { (swatch(part_class(Part::Embedding))) "token embedding" }
                    (bytes(embedding, "the embedding"))
                }
            }
            @if shown.len() <= MOST_STEPS {
                @for (kind, first, last) in &shown {
                    @let count = last - first + 1;
                    @let times = period.map_or(1, |period| layers.list.len() / period);
                    @if let Some(kind) = layers.kinds.get(*kind) {
                        (joint())
                        li class={ "box" @if model.touched.layers.range(*first..=*last).next().is_some() { " on" } } {
                            a class="t" href=(cx.select(Item::Layer(*first))) {
                                @if count > 1 { (count) " × " }
                                "layer"
                            }
                            span { (kind_name(kind)) }
                            @if times > 1 { span class="q" { "this order " (times) " times" } }
                            @else { span class="q" { (numbers(*first, *last)) } }
                        }
                    }
                }
            } @else {
                (joint())
                li class="box" {
                    span class="t" { (format::grouped(i64::try_from(layers.list.len()).unwrap_or(0))) " layers" }
                    span { (format::grouped(i64::try_from(layers.kinds.len()).unwrap_or(0))) " kinds in " (format::grouped(i64::try_from(shown.len()).unwrap_or(0))) " stretches" }
                }
            }
            @if head.cells > 0 || tied == Some(true) {
                (joint())
                li class="box" {
                    span class="t" { (swatch(part_class(Part::Embedding))) "output head" }
                    @if tied == Some(true) { span { "reads the embedding's matrix" } }
                    @else if head.cells > 0 { (bytes(head, "the output head")) }
                }
            }
        }
        p class="note" {
            "The joints explain the order and are not recorded. "
            @if tied == Some(true) { "The embedding is tied: the file holds one matrix for both ends. " }
            @if tied == Some(false) { "The head has a matrix of its own. " }
            "Kinds are told by the roles of a layer's tensors."
        }
        @if kinds.len() > 1 { (listing(&kinds)) }
    };
    crate::page::figure("The structure", &layers_stated(model), &body)
}

fn layers_stated(model: &Model<'_>) -> Markup {
    let weights = &model.cx.run.model;
    let count = weights.layers.map(tokenpath_core::fact::Quantity::Count);
    let stated = model.cx.run.reading(count, weights.label("layers"), "/model/layers");
    html! { (value(&stated)) " layers stated" }
}

/// The structure where there are no tensors to tell it by.
fn in_words(model: &Model<'_>, kinds: &[StatedKind<'_>]) -> Markup {
    let run = model.cx.run;
    let components = &run.model.components;
    let has = |kind: &str| (0..components.rows()).any(|row| components.kind.get(row) == Some(kind));
    let stated::Sequence { stretches: shown, times } = stated::sequence(kinds);
    let tied = run.model.tied_embedding;
    let body = html! {
        ol class="stack" {
            @if has("token_embedding") {
                li class="box" { span class="t" { (swatch(part_class(Part::Embedding))) "token embedding" } }
                (joint())
            }
            @if !shown.is_empty() && shown.len() <= MOST_STEPS {
                @for (at, (kind, first, last)) in shown.iter().enumerate() {
                    @if at > 0 { (joint()) }
                    @if let Some(kind) = kinds.get(*kind) {
                        li class="box" {
                            span class="t" {
                                @if last > first { (last - first + 1) " × " }
                                "layer"
                            }
                            span { (words(kind)) }
                            @if times > 1 { span class="q" { "this order " (times) " times" } }
                            @else { span class="q" { (numbers(*first, *last)) } }
                        }
                    }
                }
            } @else {
                li class="box" {
                    span class="t" { "layers" }
                    @if kinds.len() > 1 { span { (kinds.len()) " kinds in " (shown.len()) " stretches" } }
                }
            }
            @if has("output_head") || tied == Some(true) {
                (joint())
                li class="box" {
                    span class="t" { (swatch(part_class(Part::Embedding))) "output head" }
                    @if tied == Some(true) { span { "reads the embedding's matrix" } }
                }
            }
        }
        @if !kinds.is_empty() { (listing(kinds)) }
        p class="note" { "The joints explain the order and are not recorded. Kinds are as the source states them; no file with tensors is open to compare." }
    };
    crate::page::figure("The structure", &layers_stated(model), &body)
}

/// Which layers are of which stated kind.
fn listing(kinds: &[StatedKind<'_>]) -> Markup {
    html! {
        ul class="dash" {
            @for kind in kinds {
                li {
                    @if let Some(label) = kind.label { (glyph(label)) }
                    b { (words(kind)) } ": " (listed(&kind.layers))
                }
            }
        }
    }
}

/// A stated kind in words.
fn words(kind: &StatedKind<'_>) -> String {
    let mixer = match kind.mixer {
        Some("full_attention") => "full attention",
        Some("sliding_attention") => "attention in a sliding window",
        Some("chunked_attention") => "attention in chunks",
        Some("linear_attention") => "linear attention",
        Some("state_space") => "state space",
        Some("none") => "no mixer",
        _ => "mixer not stated",
    };
    let network = match kind.network {
        Some("dense") => "feed-forward",
        Some("experts") => "experts",
        Some("none") => "no network",
        _ => "network not stated",
    };
    format!("{mixer}, {network}")
}

fn joint() -> Markup {
    html! { li class="joint" aria-hidden="true" { (symbol("join", 26, 10, "")) } }
}

/// Mixer and network in words.
pub(super) fn kind_name(kind: &LayerKind) -> String {
    let mixer = match kind.mixer {
        Mixer::Attention => "attention",
        Mixer::LatentAttention => "latent attention",
        Mixer::Recurrent => "recurrent mixer",
        Mixer::Unknown => "mixer not told",
    };
    let network = match kind.network {
        Network::Dense => "feed-forward",
        Network::Experts => "experts",
        Network::ExpertsWithShared => "experts and a shared one",
        Network::Unknown => "network not told",
    };
    format!("{mixer}, {network}")
}

/// Layer numbers as words: "layer 3", "layers 0 to 29".
pub(super) fn numbers(first: u32, last: u32) -> String {
    if first == last { format!("layer {first}") } else { format!("layers {first} to {last}") }
}

/// Layer numbers as ranges: "layers 0 to 2, 4 to 6".
pub(super) fn listed(layers: &[u32]) -> String {
    let ranges = tokenpath_core::derive::anatomy::layers::ranges(layers);
    let mut out = if layers.len() == 1 { "layer ".to_owned() } else { "layers ".to_owned() };
    for (i, (first, last)) in ranges.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if first == last {
            out.push_str(&first.to_string());
        } else {
            out.push_str(&format!("{first} to {last}"));
        }
    }
    out
}

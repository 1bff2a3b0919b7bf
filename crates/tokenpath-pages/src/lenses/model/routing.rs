//! Experts: bytes that are present against bytes that one token addresses, layer by layer.

use tokenpath_core::derive::anatomy::experts::{ExpertLayer, Experts};
use tokenpath_core::derive::anatomy::{self};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::item::Item;

use super::{Model, said};
use crate::format;
use crate::html::{Markup, html, pct, px, swatch};
use crate::page::figure as titled;
use crate::value::value;

/// Where bars begin, as a share of the width.
const START: f64 = 0.16;
/// How long the longest bar is, as a share of the width.
const LONGEST: f64 = 0.55;
/// Height of one row.
const ROW: f64 = 20.0;

/// Draws the experts.
pub(super) fn figure(model: &Model<'_>, experts: &Experts) -> Markup {
    let run = model.cx.run;
    let total = whole(&experts.total);
    let used = whole(&experts.used);
    let aside = html! { (value(&experts.total)) " experts a layer, " (value(&experts.used)) " a token" };
    let exact = experts.layers.iter().all(|row| row.always.exact().is_some() && row.experts.exact().is_some());
    let widest = experts.layers.iter().map(ExpertLayer::bytes).max().unwrap_or(0).max(1);
    let drawn = exact && total.is_some_and(|total| total > 0);
    let body = html! {
        @if drawn {
            svg class="routes" role="group" aria-label="Bytes of each layer: always read, experts taken, experts not addressed" width="100%" height=(px(experts.layers.len() as f64 * ROW + 4.0)) {
                @for (i, row) in experts.layers.iter().enumerate() {
                    (bar(model, row, i, widest, total.unwrap_or(1), row.chosen.map(i64::from).or(used)))
                }
            }
            div class="key" {
                span { (swatch("f-att")) "always read" }
                @if experts.chosen_pass.is_some() { span { (swatch("f-ffn")) "experts taken in the pass" } }
                @else if let Some(used) = used { span { (swatch("f-ffn")) (format::grouped(used)) " experts a token" } }
                span { (swatch("f-none")) "not addressed" }
            }
        } @else {
            p class="note" { "No proportional bars: a byte count or the number of experts is missing." }
        }
        dl class="kv" {
            (said("Bytes of all tensors", &anatomy::tensor_bytes(run, model.anatomy.bytes, "all tensors")))
            (said("Addressed by one token, by the stated counts", &experts.addressed))
            @if let Some(in_pass) = &experts.in_pass {
                (said(&format!("Named by the nodes of pass {}", in_pass.pass), &in_pass.named))
                (said(&in_pass_words(experts, in_pass.pass), &in_pass.addressed))
            }
        }
        p class="note" {
            "Addressed is what the operations name, not what was read from memory. It counts the mixer, norms, router and shared expert whole, "
            "the experts taken, one row of the embedding and the head."
        }
    };
    titled("Where layers route", &aside, &body)
}

fn in_pass_words(experts: &Experts, pass: u32) -> String {
    match experts.chosen_pass {
        Some((_, tokens)) => {
            let tokens = format::plural(i64::from(tokens), "token", "tokens");
            format!("Addressed by pass {pass} of {tokens}, by the recorded choices")
        }
        None => format!("Addressed by pass {pass}"),
    }
}

fn whole(reading: &Reading) -> Option<i64> {
    match reading.as_ref().map(|fact| &fact.quantity) {
        Ok(Quantity::Count(count)) => Some(*count),
        _ => None,
    }
}

fn bar(model: &Model<'_>, row: &ExpertLayer, i: usize, widest: i64, total: i64, used: Option<i64>) -> Markup {
    let y = i as f64 * ROW;
    let scale = |bytes: f64| bytes / widest as f64 * LONGEST;
    let always = scale(row.always.known as f64);
    let taken = scale(row.experts.known as f64 * used.unwrap_or(0) as f64 / total as f64);
    let rest = scale(row.experts.known as f64) - taken;
    let on = model.touched.layers.contains(&row.layer);
    html! {
        a href=(model.cx.select(Item::Layer(row.layer))) {
            text class=[on.then_some("b")] x="0" y=(px(y + 14.0)) { "layer " (row.layer) }
            rect class="f-att" x=(pct(START)) y=(px(y + 3.0)) width=(pct(always)) height="13" {}
            rect class="f-ffn" x=(pct(START + always)) y=(px(y + 3.0)) width=(pct(taken)) height="13" {}
            rect class="f-none" x=(pct(START + always + taken)) y=(px(y + 3.5)) width=(pct(rest.max(0.0))) height="12" {}
            @if on { rect class="sel" x=(pct(START)) y=(px(y + 2.0)) width=(pct(always + taken + rest)) height="15" {} }
            text x=(pct(START + always + taken + rest)) dx="6" y=(px(y + 14.0)) {
                (format::bytes(row.bytes()))
                @if let Some(used) = used { tspan class="q" { ", " (format::grouped(used)) " of " (format::grouped(total)) } }
            }
        }
    }
}

//! Projection widths on one scale, one set of bars for each kind of layer.

use tokenpath_core::derive::anatomy::{self, Place, widths};
use tokenpath_core::fact::Quantity;
use tokenpath_core::item::Item;

use super::Model;
use super::structure::{kind_name, listed};
use crate::format;
use crate::html::{Markup, html, part_class, pct, px};
use crate::page::figure as titled;
use crate::value::{glyph, known};

/// Where bars begin, as a share of the width.
const START: f64 = 0.36;
/// How long the longest bar is, as a share of the width.
const LONGEST: f64 = 0.48;
/// Height of one row.
const ROW: f64 = 22.0;

/// Draws the widths.
pub(super) fn figure(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    let layers = &model.anatomy.layers;
    // The selected layer stands for its kind, else the first of the kind.
    let sets: Vec<(u32, usize, Vec<widths::Width<'_>>)> = layers
        .kinds
        .iter()
        .enumerate()
        .filter_map(|(kind, of)| {
            let layer = of.layers.iter().find(|layer| model.touched.layers.contains(layer)).or(of.layers.first())?;
            let component =
                model.anatomy.components.iter().find(|component| component.place == Place::Layer(*layer))?;
            Some((*layer, kind, widths::widths(run, component.component?)))
        })
        .collect();
    let widest = sets.iter().flat_map(|(_, _, set)| set).map(|width| width.width).max().unwrap_or(0);
    if widest <= 0 {
        let body = html! { p class="note" { "No layer has a tensor whose role and shape tell a projection." } };
        return titled("Projection widths", &html! {}, &body);
    }
    let label = sets.iter().flat_map(|(_, _, set)| set).next().map(|width| width.fact.label.clone());
    let model_width = widths::model_width(run);
    let marked = match model_width.as_ref().map(|fact| &fact.quantity) {
        Ok(Quantity::Count(width)) if *width <= widest => Some(*width),
        _ => None,
    };
    let scale = |width: i64| width as f64 / widest as f64 * LONGEST;
    let body = html! {
        @for (layer, kind, set) in &sets {
            @let height = set.len() as f64 * ROW;
            @if sets.len() > 1 {
                @if let Some(kind) = layers.kinds.get(*kind) {
                    p class="ft" { span { (kind_name(kind)) } small { "layer " (layer) " for " (listed(&kind.layers)) } }
                }
            }
            svg class="widths" role="group" aria-label={ "Output width of each projection of layer " (layer) } width="100%" height=(px(height + if marked.is_some() { 22.0 } else { 4.0 })) {
                @for (i, width) in set.iter().enumerate() {
                    @let y = i as f64 * ROW;
                    @let on = model.touched.tensors.contains(&width.tensor);
                    a href=(model.cx.select(Item::Tensor(width.tensor))) {
                        text class=[on.then_some("b")] x="0" y=(px(y + 13.0)) { (width.role.replace('_', " ")) }
                        rect class=(part_class(width.part)) x=(pct(START)) y=(px(y + 3.0)) width=(pct(scale(width.width))) height="13" {}
                        @if on { rect class="sel" x=(pct(START)) y=(px(y + 2.0)) width=(pct(scale(width.width))) height="15" {} }
                        text class="b" x=(pct(START + scale(width.width))) dx="6" y=(px(y + 13.0)) {
                            (format::grouped(width.width))
                            @if let Some(stacked) = width.stacked { tspan class="q" { " × " (format::grouped(stacked)) } }
                        }
                    }
                }
                line class="ax" x1=(pct(START)) x2=(pct(START)) y1="0" y2=(px(height)) {}
                @if let Some(marked) = marked {
                    @let at = pct(START + scale(marked));
                    line class="ax" x1=(at) x2=(at) y1="0" y2=(px(height)) stroke-dasharray="3 2" {}
                    text class="q" x=(at) y=(px(height + 15.0)) text-anchor="middle" { "model width " (format::grouped(marked)) }
                }
            }
        }
        p class="note" { (heads(model)) (off_scale(model, widest)) }
    };
    let aside = html! { @if let Some(label) = &label { (glyph(label)) "second size of each shape" } };
    titled("Projection widths, one scale", &aside, &body)
}

/// Heads as stated, never from widths.
fn heads(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    let query = anatomy::parameter(run, "head_count");
    let key = anatomy::parameter(run, "head_count_kv");
    let width = anatomy::parameter(run, "head_width");
    html! {
        @match (&query, &key) {
            (Some(query), Some(key)) => { (known(query)) " query heads and " (known(key)) " key and value heads" }
            (Some(query), None) => { (known(query)) " heads" }
            _ => {}
        }
        @if query.is_some() {
            @match &width {
                Some(width) => { " of " (known(width)) ", as stated. " }
                None => { ", as stated; their width is not stated and not guessed. " }
            }
        }
    }
}

/// The head's width against the scale.
fn off_scale(model: &Model<'_>, widest: i64) -> Markup {
    let Some(head) = widths::head_width(model.cx.run) else { return html! {} };
    match head.quantity {
        Quantity::Count(width) if width > widest => html! {
            "The head's " (known(&head)) " outputs are off this scale: "
            (format::significant(width as f64 / widest as f64)) " times its longest bar."
        },
        _ => html! { "The head puts out " (known(&head)) "." },
    }
}

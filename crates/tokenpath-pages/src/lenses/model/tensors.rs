//! The tensor table: folded over layers, or one row for each tensor.

use tokenpath_core::derive::anatomy::tensors::{Key, Row, Show, Table, starred, table};
use tokenpath_core::derive::anatomy::{self};
use tokenpath_core::derive::block::layer_of;
use tokenpath_core::derive::part;
use tokenpath_core::derive::search::Needle;
use tokenpath_core::item::Item;

use super::Model;
use super::structure::listed;
use crate::format;
use crate::html::{Markup, html, part_class, pct};
use crate::page::figure as titled;
use crate::stated::{pager, window};
use crate::table::{self as long, Sort};
use crate::value::{absent_short, glyph, value};

/// Draws the table.
pub(super) fn figure(model: &Model<'_>) -> Markup {
    let cx = model.cx;
    let run = cx.run;
    let show = wanted(model);
    let sort = Sort::of(cx);
    let key = match sort.key {
        "name" => Key::Name,
        "type" => Key::Dtype,
        "bytes" => Key::Bytes,
        _ => Key::File,
    };
    let needle = Needle::new(cx.view.param("q").unwrap_or(""));
    let rows = table(run, show, &needle, key, sort.descending);
    let window = window(cx, rows.rows.len());
    let page = rows.rows.get(window.clone()).unwrap_or(&[]);
    let widest = rows.rows.iter().map(|row| row.bytes.known).max().unwrap_or(0).max(1);
    let title = match show {
        Show::Folded => "Tensors, equal ones of all layers in one row".to_owned(),
        Show::All => "Tensors".to_owned(),
        Show::Layer(layer) => format!("Layer {layer}"),
    };
    let aside = html! {
        @match cx.view.item {
            Some(Item::Tensor(tensor)) => { "selected: " code { (run.model.tensors.name.get(tensor as usize).unwrap_or("")) } }
            _ => { (format::plural(i64::from(rows.bytes.cells), "tensor", "tensors")) }
        }
    };
    let others = i64::try_from(model.facts.others).unwrap_or(i64::MAX);
    let buffers = model.facts.buffers;
    let body = html! {
        div class="fields" {
            (long::search(cx, "model-q", "Name, role or type"))
            (long::choice("model-show", "Show", "show", &spelt(show), &options(model)))
        }
        div class="tw" tabindex="0" role="region" aria-label="Tensors" { table class="tight" {
            thead { tr {
                (long::sort_head(cx, "Tensor", "name", false, false))
                (long::sort_head(cx, "Type", "type", false, false))
                (long::head("Shape", true))
                @if show == Show::Folded { (long::head("Layers", false)) }
                @if buffers { th scope="col" { "Kept in " @if let Some(label) = run.model.tensors.label("buffer", 0) { (glyph(label)) } } }
                (long::sort_head(cx, "Bytes", "bytes", true, true))
                (long::derived_head("Of the file", "bytes ÷ bytes of the file"))
                th scope="col" { span class="sr" { "Bytes as a bar" } }
            } }
            tbody { @for row in page { (line(model, row, show, buffers, widest)) } }
            tfoot { (total(model, &rows, show, buffers)) }
        } }
        @if rows.rows.is_empty() { p class="note" { "No tensor matches." } }
        @if others > 0 {
            p class="note" {
                (format::plural(others, "tensor has", "tensors have")) " a name that no rule knows: the role is " code { "other" } "."
            }
        }
        (pager(cx, &window, rows.rows.len(), "rows"))
    };
    titled(&title, &aside, &body)
}

/// Which rows: the parameter's, else the selection's layer, else folded.
fn wanted(model: &Model<'_>) -> Show {
    match model.cx.view.param("show") {
        Some("all") => Show::All,
        Some("folded") => Show::Folded,
        Some(text) => match text.strip_prefix("layer:").and_then(|layer| layer.parse().ok()) {
            Some(layer) => Show::Layer(layer),
            None => Show::Folded,
        },
        None => model.cx.view.item.and_then(|item| layer_of(model.cx.run, item)).map_or(Show::Folded, Show::Layer),
    }
}

fn spelt(show: Show) -> String {
    match show {
        Show::Folded => "folded".to_owned(),
        Show::All => "all".to_owned(),
        Show::Layer(layer) => format!("layer:{layer}"),
    }
}

fn options(model: &Model<'_>) -> Vec<(String, String)> {
    let mut out =
        vec![("folded".to_owned(), "layers folded".to_owned()), ("all".to_owned(), "every tensor".to_owned())];
    for layer in &model.anatomy.layers.list {
        out.push((format!("layer:{}", layer.layer), format!("layer {}", layer.layer)));
    }
    out
}

fn line(model: &Model<'_>, row: &Row, show: Show, buffers: bool, widest: i64) -> Markup {
    let run = model.cx.run;
    let tensors = &run.model.tensors;
    let at = row.tensor as usize;
    let name = tensors.name.get(at).unwrap_or("");
    let folded = show == Show::Folded && row.bytes.cells > 1;
    let on = model.touched.tensors.iter().any(|tensor| {
        *tensor == row.tensor
            || (folded && tensors.name.get(*tensor as usize).is_some_and(|other| starred(other) == starred(name)))
    });
    let bytes = if folded {
        anatomy::tensor_bytes(run, row.bytes, &format!("{} tensors {}", row.bytes.cells, starred(name)))
    } else {
        run.reading(
            tensors.bytes.get(at).map(tokenpath_core::fact::Quantity::Bytes),
            tensors.label("bytes", at),
            &format!("/model/tensors/bytes/{at}"),
        )
    };
    let cell = |pointer: &str| absent_short(&run.missing(&format!("/model/tensors/{pointer}/{at}")));
    html! {
        tr class=[on.then_some("on")] {
            td class="w" {
                a class="m" href=(model.cx.select(Item::Tensor(row.tensor))) {
                    @if folded { (starred(name)) } @else { (name) }
                }
            }
            td { @match tensors.dtype.get(at) { Some(dtype) => { code { (dtype) } } None => { (cell("dtype")) } } }
            td class="n m" { @match tensors.shape.get(at) { Some(shape) => { (format::sizes(shape)) } None => { (cell("shape")) } } }
            @if show == Show::Folded { td class="w q" { @if !row.layers.is_empty() { (listed(&row.layers)) } } }
            @if buffers { td class="w q" { (tensors.buffer.get(at).unwrap_or("")) } }
            td class="n" { (value(&bytes)) }
            td class="n" { (long::plain(&anatomy::share_of_file(run, model.anatomy, row.bytes, name))) }
            td class="bar" {
                @if row.bytes.exact().is_some() {
                    svg width="100%" height="10" aria-hidden="true" {
                        rect class=(part_class(part::of_tensor(run, at))) width=(pct(row.bytes.known as f64 / widest as f64)) height="10" {}
                    }
                }
            }
        }
    }
}

fn total(model: &Model<'_>, rows: &Table, show: Show, buffers: bool) -> Markup {
    let run = model.cx.run;
    html! {
        tr {
            th scope="row" { "Total of " (format::plural(i64::from(rows.bytes.cells), "tensor", "tensors")) }
            td {}
            td {}
            @if show == Show::Folded { td {} }
            @if buffers { td {} }
            td class="n" { (value(&anatomy::tensor_bytes(run, rows.bytes, "the tensors listed"))) }
            td class="n" { (long::plain(&anatomy::share_of_file(run, model.anatomy, rows.bytes, "the tensors listed"))) }
            td {}
        }
    }
}

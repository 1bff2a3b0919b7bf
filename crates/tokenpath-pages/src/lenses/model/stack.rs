//! The byte stack: a column for each component, as wide as its bytes, its bands as high as theirs, so that area is
//! bytes.

use tokenpath_core::derive::anatomy::{self, Band, ComponentBytes, Place};
use tokenpath_core::derive::part::Part;
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::item::Item;

use super::Model;
use super::structure::{kind_name, listed};
use crate::format;
use crate::html::{Markup, html, part_class, part_key, pct, px, swatch};
use crate::page::figure as titled;
use crate::table as long;
use crate::value::{value, why};

/// Height of the columns.
const HEIGHT: f64 = 236.0;
/// Their top.
const TOP: f64 = 20.0;
/// A band lower than this is not drawn: it would be thinner than a hair and say nothing.
const THINNEST: f64 = 0.4;
/// The share of the width between columns, where columns are wide enough to part.
const GAP: f64 = 0.0012;

/// One column: a component, or what is no tensor.
struct Column<'a> {
    component: Option<&'a ComponentBytes>,
    bytes: i64,
    start: f64,
    width: f64,
}

/// Draws the byte stack, or the reason why there is none.
pub(super) fn figure(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    let anatomy = model.anatomy;
    let file = anatomy::file_bytes(run);
    let count = format::plural(i64::from(anatomy.bytes.cells), "tensor", "tensors");
    let aside = html! { (value(&file)) ", " (count) };
    let title = "The file, to scale";
    let tensors = match anatomy::tensor_bytes(run, anatomy.bytes, "all tensors") {
        Ok(_) => anatomy.bytes.known,
        Err(missing) => {
            let body = html! {
                p class="note" { "No proportional stack: a byte count that it needs is missing." }
                (why(&missing))
            };
            return titled(title, &aside, &body);
        }
    };
    let remainder = anatomy::remainder(run, anatomy);
    let header = run.model.header_bytes.unwrap_or(0);
    let left = match remainder.as_ref().map(|fact| &fact.quantity) {
        Ok(Quantity::Bytes(left)) => *left,
        _ => 0,
    };
    let whole = tensors.saturating_add(header).saturating_add(left.max(0));
    if whole <= 0 {
        return titled(title, &aside, &html! { p class="note" { "The tensors hold no bytes." } });
    }
    let columns = columns(model, whole, header, left);
    let layers: Vec<&Column<'_>> = columns
        .iter()
        .filter(|column| matches!(column.component.map(|component| component.place), Some(Place::Layer(_))))
        .collect();
    let variants = anatomy.layers.variants.len();
    let stated = run.model.file_bytes.filter(|stated| *stated < whole);
    let body = html! {
        svg class="bytes" role="group" aria-label="File bytes by component; area is bytes" width="100%" height="304" {
            @for column in &columns { (draw(model, column)) }
            (labels(&columns, &layers, model))
            @if let Some(stated) = stated {
                @let at = pct(stated as f64 / whole as f64);
                line class="ax" x1=(at) x2=(at) y1="14" y2=(px(TOP + HEIGHT + 6.0)) stroke-dasharray="3 2" {}
                text class="q" x=(at) y="10" text-anchor="end" { "stated size" }
            }
        }
        (key(&columns))
        (notes(model, &remainder, left, variants))
        (table(model))
    };
    titled(title, &aside, &body)
}

fn columns<'a>(model: &'a Model<'_>, whole: i64, header: i64, left: i64) -> Vec<Column<'a>> {
    let mut start = 0.0;
    let mut out = Vec::new();
    let mut push = |component: Option<&'a ComponentBytes>, bytes: i64| {
        let width = bytes as f64 / whole as f64;
        out.push(Column { component, bytes, start, width });
        start += width;
    };
    for component in &model.anatomy.components {
        push(Some(component), component.bytes.known);
    }
    if header > 0 {
        push(None, header);
    }
    if left > 0 {
        push(None, left);
    }
    out
}

fn draw(model: &Model<'_>, column: &Column<'_>) -> Markup {
    let gap = GAP.min(column.width * 0.2);
    let (x, width) = (pct(column.start), pct(column.width - gap));
    let Some(component) = column.component else {
        return html! {
            rect class="f-none" x=(x) y=(px(TOP)) width=(width) height=(px(HEIGHT)) {
                title { "no tensor: " (format::bytes(column.bytes)) }
            }
        };
    };
    let bands = bands(model, component, &x, &width);
    match component.place {
        Place::Layer(layer) => {
            let on = model.touched.layers.contains(&layer);
            html! {
                a href=(model.cx.select(Item::Layer(layer))) {
                    title { "Layer " (layer) ", " (format::bytes(column.bytes)) }
                    (bands)
                    @if on { rect class="sel" x=(x) y=(px(TOP - 1.0)) width=(width) height=(px(HEIGHT + 2.0)) {} }
                }
            }
        }
        _ => match component.component {
            Some(id) => html! {
                a href=(model.cx.select(Item::Component(id))) {
                    title { (name(model, component)) ", " (format::bytes(column.bytes)) }
                    (bands)
                    @if model.touched.components.contains(&id) {
                        rect class="sel" x=(x) y=(px(TOP - 1.0)) width=(width) height=(px(HEIGHT + 2.0)) {}
                    }
                }
            },
            None => bands,
        },
    }
}

fn bands(model: &Model<'_>, component: &ComponentBytes, x: &str, width: &str) -> Markup {
    let total = component.bytes.known.max(1) as f64;
    let mut y = TOP;
    let gap = if component.bands.len() > 1 { 0.8 } else { 0.0 };
    html! {
        @for band in &component.bands {
            @let height = band.bytes.known as f64 / total * HEIGHT;
            @if height >= THINNEST {
                @let drawn = if height > 3.0 { height - gap } else { height };
                rect class=(part_class(band.part)) x=(x) y=(px(y)) width=(width) height=(px(drawn)) { title { (band_title(band)) } }
                @if differs(model, component, band) {
                    // The second channel for a type that is not the usual one of its role: a rule inside the band.
                    rect class="odd" x=(x) y=(px(y + 1.0)) width=(width) height=(px((drawn - 2.0).max(0.8))) {}
                }
            }
            @let () = y += height;
        }
    }
}

fn band_title(band: &Band) -> String {
    let role = band.role.as_deref().unwrap_or("role not known").replace('_', " ");
    format!("{role} {} {}", band.dtype.as_deref().unwrap_or("type not known"), format::bytes(band.bytes.known))
}

/// Whether a band's type is not the most frequent one of its role among layers that are otherwise alike.
fn differs(model: &Model<'_>, component: &ComponentBytes, band: &Band) -> bool {
    let Place::Layer(layer) = component.place else { return false };
    model.anatomy.layers.differences.iter().any(|difference| {
        Some(&difference.role) == band.role.as_ref()
            && difference
                .types
                .iter()
                .skip(1)
                .any(|(dtype, layers)| Some(dtype) == band.dtype.as_ref() && layers.contains(&layer))
    })
}

/// The name of a component for people.
fn name(model: &Model<'_>, component: &ComponentBytes) -> String {
    component
        .component
        .and_then(|id| model.cx.run.model.components.name.get(id as usize))
        .unwrap_or("component not known")
        .to_owned()
}

/// Names above and numbers beneath, where there is room for them.
fn labels(columns: &[Column<'_>], layers: &[&Column<'_>], model: &Model<'_>) -> Markup {
    let below = TOP + HEIGHT + 16.0;
    let wide = |width: f64, letters: usize| width * 360.0 > letters as f64 * 6.2;
    html! {
        @for column in columns {
            @if let Some(component) = column.component {
                @let caption = match component.place {
                    Place::Embedding => "embedding",
                    Place::Head => "head",
                    Place::Other => "other",
                    _ => "",
                };
                @if !caption.is_empty() && wide(column.width, caption.len()) {
                    text class="b" x=(pct(column.start)) y="13" { (caption) }
                    text x=(pct(column.start)) y=(px(below)) { (format::bytes(column.bytes)) }
                    @if let [band] = component.bands.as_slice() {
                        text class="q" x=(pct(column.start)) y=(px(below + 15.0)) { (band.dtype.as_deref().unwrap_or("")) }
                    }
                }
            }
        }
        @if let (Some(first), Some(last)) = (layers.first(), layers.last()) {
            @let (from, to) = (first.start, last.start + last.width);
            @if wide(to - from, 14) {
                text class="b" x=(pct(from)) y="13" { (super::structure::numbers(number(first), number(last))) }
            }
            @let step = axis_step(layers.len(), to - from);
            @for column in layers.iter().filter(|column| number(column).is_multiple_of(step)) {
                text class="q" x=(pct(column.start + column.width / 2.0)) y=(px(below)) text-anchor="middle" { (number(column)) }
            }
            @if model.anatomy.layers.variants.len() > 1 {
                @if model.anatomy.layers.variants.len() <= VARIANT_LETTERS && wide((to - from) / layers.len() as f64, 1) {
                    @for column in layers {
                        @let letter = variant_letter(model, number(column));
                        text class="q" x=(pct(column.start + column.width / 2.0)) y=(px(below + 15.0)) text-anchor="middle" { (letter) }
                    }
                }
            } @else if wide(to - from, 32) {
                @let total: i64 = layers.iter().map(|column| column.bytes).sum();
                text x=(pct((from + to) / 2.0)) y=(px(below + 15.0)) text-anchor="middle" {
                    (format::bytes(first.bytes)) " each, " (format::bytes(total)) " together"
                }
            }
        }
        @if columns.iter().any(|column| column.component.is_none()) {
            text class="q" x="100%" y=(px(below + 30.0)) text-anchor="end" {
                @match model.cx.run.model.header_bytes {
                    Some(header) => { "header " (format::bytes(header)) }
                    None => { "no tensor" }
                }
            }
        }
    }
}

/// Mixes of types beyond this many are told in the table only.
const VARIANT_LETTERS: usize = 26;

fn variant_letter(model: &Model<'_>, layer: u32) -> char {
    letter(model.anatomy.layers.list.iter().find(|known| known.layer == layer).map_or(0, |known| known.variant))
}

fn letter(variant: usize) -> char {
    u8::try_from(variant).ok().filter(|variant| *variant < 26).map_or('·', |variant| char::from(b'a' + variant))
}

fn number(column: &Column<'_>) -> u32 {
    match column.component.map(|component| component.place) {
        Some(Place::Layer(layer)) => layer,
        _ => 0,
    }
}

/// Every how many layers a number has room.
fn axis_step(layers: usize, width: f64) -> u32 {
    let each = width * 360.0 / layers.max(1) as f64;
    [1, 2, 5, 10, 20, 50, 100].into_iter().find(|step| f64::from(*step) * each >= 20.0).unwrap_or(200)
}

fn key(columns: &[Column<'_>]) -> Markup {
    let drawn = |part: Part| {
        // A column narrower than a line shows no colour either.
        let seen = columns.iter().filter(|column| column.width * 700.0 >= THINNEST);
        seen.filter_map(|column| column.component).any(|component| {
            let total = component.bytes.known.max(1) as f64;
            component.bands.iter().any(|band| band.part == part && band.bytes.known as f64 / total * HEIGHT >= THINNEST)
        })
    };
    html! {
        div class="key" {
            @for part in Part::ALL.into_iter().filter(|part| drawn(*part)) { (part_key(part)) }
            @if columns.iter().any(|column| column.component.is_none()) {
                span { (swatch("f-none")) "no tensor" }
            }
        }
    }
}

fn notes(model: &Model<'_>, remainder: &Reading, left: i64, variants: usize) -> Markup {
    let run = model.cx.run;
    let layers = &model.anatomy.layers;
    let thin: Vec<&Band> = model
        .anatomy
        .components
        .iter()
        .flat_map(|component| {
            let total = component.bytes.known.max(1) as f64;
            component.bands.iter().filter(move |band| band.bytes.known as f64 / total * HEIGHT < THINNEST)
        })
        .collect();
    let thin_bytes = thin.iter().fold(0_i64, |sum, band| sum.saturating_add(band.bytes.known));
    html! {
        @if left < 0 {
            p class="state" {
                b { "The parts exceed the stated size of the file." } " "
                "Tensors and header add up to " (format::bytes(-left)) " more than " (value(&anatomy::file_bytes(run)))
                ". The remainder is " (value(remainder)) "; nothing is rescaled, and no share is given."
            }
        }
        p class="note" {
            @if thin_bytes > 0 {
                "Bands of " (format::bytes(thin_bytes)) " in all are thinner than a line here; the table has them. "
            }
            @if layers.list.len() > 1 && layers.differences.is_empty() && model.anatomy.parts.iter().all(|part| part.dtype.is_some()) {
                "Layers that are alike in shape carry the same types, so none differs in quantisation. "
            }
            @if variants > 1 && variants <= VARIANT_LETTERS {
                "Letters beneath the layers name layers that are alike. "
            }
            @if !layers.differences.is_empty() { "A rule inside a band marks a type that is not the usual one of its role. " }
            @match remainder {
                Ok(fact) if left > 0 && run.model.header_bytes.is_some() => { "Padding and what no tensor claims: " (crate::value::known(fact)) ". " }
                Ok(fact) if left > 0 => { "Header, padding and what no tensor claims: " (crate::value::known(fact)) ". " }
                _ => {}
            }
        }
        @if let Err(missing) = remainder { (why(missing)) }
        @if variants > 1 && variants <= VARIANT_LETTERS {
            ul class="dash" {
                @for (i, variant) in layers.variants.iter().enumerate() {
                    li {
                        b { (letter(i)) } " "
                        @if let Some(kind) = layers.kinds.get(variant.kind) { (kind_name(kind)) ": " }
                        (listed(&variant.layers))
                    }
                }
            }
        }
        @if !layers.differences.is_empty() {
            p class="note" { "Types that differ among layers of one kind:" }
            ul class="dash" {
                @for difference in &layers.differences {
                    li {
                        (difference.role.replace('_', " ")) ": "
                        @for (i, (dtype, of)) in difference.types.iter().enumerate() {
                            @if i > 0 { "; " }
                            code { (dtype) } " in " (listed(of))
                        }
                    }
                }
            }
        }
    }
}

/// The table behind the drawing.
fn table(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    html! {
        details class="behind" {
            summary { "The same as a table" }
            div class="tw" tabindex="0" role="region" aria-label="Bytes by component" { table class="tight" {
                thead { tr {
                    th scope="col" { "Component" }
                    th scope="col" class="n" { "Tensors" }
                    th scope="col" class="n" { "Bytes" }
                    (long::derived_head("Of the file", "bytes ÷ bytes of the file"))
                } }
                tbody {
                    @for component in &model.anatomy.components {
                        @let what = name(model, component);
                        tr {
                            td { (what) }
                            td class="n" { (format::grouped(i64::from(component.bytes.cells))) }
                            td class="n" { (value(&anatomy::tensor_bytes(run, component.bytes, &what))) }
                            td class="n" { (long::plain(&anatomy::share_of_file(run, model.anatomy, component.bytes, &what))) }
                        }
                    }
                }
            } }
        }
    }
}

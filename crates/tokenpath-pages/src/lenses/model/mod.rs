//! The lens Model anatomy: structure, byte stack, tensor table, projection widths, experts.

mod amount;
mod facts;
mod routing;
mod stack;
mod structure;
mod tensors;
mod widths;

pub use facts::ModelFacts;
use std::borrow::Cow;

use tokenpath_core::Run;
use tokenpath_core::derive::anatomy::experts::Experts;
use tokenpath_core::derive::anatomy::{self, Anatomy, Place};
use tokenpath_core::derive::chosen::chosen_pass;
use tokenpath_core::derive::sum::Sum;
use tokenpath_core::derive::touched::{Touched, touched};
use tokenpath_core::fact::{Missing, Quantity, Reading};

use crate::format;
use crate::html::{Markup, html, part_key};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::table as long;
use crate::value::{absent_short, known, opening, value, why};

/// What the parts of this lens are drawn from.
struct Model<'a> {
    cx: &'a Context<'a>,
    facts: &'a ModelFacts,
    anatomy: &'a Anatomy,
    touched: Touched,
}

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.model.given {
        return nothing(Lens::Model, &run.missing("/model"));
    }
    let facts = &*cx.model.map_or_else(|| Cow::Owned(ModelFacts::new(run)), Cow::Borrowed);
    let model = Model { cx, facts, anatomy: &facts.anatomy, touched: touched(run, cx.view.item) };
    let pass = chosen_pass(run, cx.view.item).ok().map(|chosen| chosen.pass);
    let experts = anatomy::experts::experts(run, model.anatomy, pass);
    html! {
        (lens_head(&title(&model, experts.as_ref()), &html! {
            @if run.model.tensors.given {
                "The model file, drawn so that area is bytes. Share of the file is never share of time: an embedding is "
                "read one row at a time, and whole only where it serves as the head."
            } @else {
                "What the model's source states. Without its tensors nothing is drawn to scale."
            }
        }))
        (structure::figure(&model))
        @if run.model.tensors.given {
            (stack::figure(&model))
            (tensors::figure(&model))
        } @else {
            (figure("The file, to scale", &html! {}, &why(&run.missing("/model/tensors"))))
        }
        div class="two" {
            div {
                @if run.model.tensors.given { (widths::figure(&model)) }
                (amount::figure_of(&model))
                @if run.model.tensors.given { (cannot_tell(&model)) }
            }
            div {
                @if !run.model.tensors.given { (cannot_tell(&model)) }
                @if let Some(experts) = &experts { (routing::figure(&model, experts)) }
                @if run.model.tensors.given { (parts(&model)) }
            }
        }
        (parameters(cx))
    }
}

/// The finding: how much of the file the layers are, and the largest matrix; the lens's name when that is not known.
fn title(model: &Model<'_>, experts: Option<&Experts>) -> Markup {
    let run = model.cx.run;
    let layers = &model.anatomy.layers;
    let mut sum = Sum::default();
    for component in &model.anatomy.components {
        if matches!(component.place, Place::Layer(_)) {
            sum.merge(component.bytes);
        }
    }
    let count = i64::try_from(layers.list.len()).unwrap_or(i64::MAX);
    let Ok(share) = anatomy::share_of_file(run, model.anatomy, sum, "all layers") else {
        return without_bytes(run);
    };
    if count == 0 {
        return html! { (Lens::Model.name()) };
    }
    let what = match (count, layers.kinds.len(), layers.variants.len()) {
        (1, ..) => "one layer".to_owned(),
        (_, 1, 1) => format!("{} equal layers", format::grouped(count)),
        (_, 1, types) => format!("{} layers of one shape in {types} mixes of types", format::grouped(count)),
        (_, kinds, _) => format!("{} layers of {kinds} kinds", format::grouped(count)),
    };
    html! { (format::quantity(&share.quantity)) " of the file is " (what) (second(model, experts)) }
}

/// The finding where bytes are not known: how many layers of how many kinds are stated.
fn without_bytes(run: &Run) -> Markup {
    let kinds = anatomy::stated::kinds(run).len();
    match (run.model.layers, kinds) {
        (Some(1), _) => html! { "One layer is stated" },
        (Some(layers), 0 | 1) => html! { (format::grouped(layers)) " layers are stated" },
        (Some(layers), kinds) => html! { (format::grouped(layers)) " layers of " (kinds) " kinds are stated" },
        (None, _) => html! { (Lens::Model.name()) },
    }
}

/// The second finding: what one token addresses of a file with experts, else the largest tensor when it is a tenth of
/// the file or more.
fn second(model: &Model<'_>, experts: Option<&Experts>) -> Markup {
    if let Some(Quantity::Bytes(bytes)) =
        experts.and_then(|experts| experts.addressed.as_ref().ok()).map(|fact| &fact.quantity)
    {
        return html! { "; one token addresses " (format::bytes(*bytes)) };
    }
    let run = model.cx.run;
    let tensors = &run.model.tensors;
    let Some((row, bytes)) = model.facts.largest else { return html! {} };
    let sum = Sum { known: bytes, cells: 1, unknown: 0 };
    let share = anatomy::share_of_file(run, model.anatomy, sum, tensors.name.get(row).unwrap_or("one tensor"));
    match share.as_ref().map(|fact| &fact.quantity) {
        Ok(Quantity::Share(share)) if *share >= 0.1 => html! { "; one matrix holds " (format::share(*share)) },
        _ => html! {},
    }
}

/// Bytes by part and type.
fn parts(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    let reading = |sum: Sum, what: &str| anatomy::tensor_bytes(run, sum, what);
    let body = html! {
        div class="tw" tabindex="0" role="region" aria-label="Bytes by part and type" { table class="tight" {
            thead { tr {
                th scope="col" { "Part" }
                th scope="col" { "Type" }
                th scope="col" class="n" { "Tensors" }
                th scope="col" class="n" { "Bytes" }
                (long::derived_head("Of the file", "bytes ÷ bytes of the file"))
            } }
            tbody {
                @for part in &model.anatomy.parts {
                    @let what = format!("{} tensors of type {}", part.part.name(), part.dtype.as_deref().unwrap_or("unknown"));
                    tr {
                        td { span class="key1" { (part_key(part.part)) } }
                        td { code { (part.dtype.as_deref().unwrap_or("\u{2014}")) } }
                        td class="n" { (format::grouped(i64::from(part.bytes.cells))) }
                        td class="n" { (value(&reading(part.bytes, &what))) }
                        td class="n" { (long::plain(&anatomy::share_of_file(run, model.anatomy, part.bytes, &what))) }
                    }
                }
            }
        } }
    };
    figure("Bytes by part and type", &html! { "a share of the file, not of time" }, &body)
}

/// The architecture's parameters as the source states them.
fn parameters(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    let table = &run.model.parameters;
    let body = html! {
        @if table.rows() == 0 {
            (why(&run.missing("/model/parameters")))
        } @else {
            dl class="params" {
                @for row in 0..table.rows() {
                    @let name = table.name.get(row).unwrap_or("");
                    @let fact = anatomy::parameter(run, name);
                    div {
                        dt title=[table.source.get(row)] { (name.replace('_', " ")) }
                        dd {
                            @match fact {
                                Some(fact) => { (known(&fact)) }
                                None => { (absent_short(&Missing {
                                    pointer: format!("/model/parameters/value/{row}"),
                                    reason: "The source names the parameter without a value.".to_owned(),
                                })) }
                            }
                        }
                    }
                }
            }
        }
    };
    let aside = html! { @if let Some(name) = &run.model.architecture { "architecture " code { (name) } } };
    figure("As the source states it", &aside, &body)
}

/// What this view cannot tell.
fn cannot_tell(model: &Model<'_>) -> Markup {
    let body = html! {
        ul class="dash" {
            @if model.facts.buffers {
                li { "Where the bytes reside at a given moment: the table names the buffers that the runtime reports, not what is in memory." }
            } @else {
                li { "Where the bytes reside: a file says what is stored, not what is in memory or on which device." }
            }
            li { "The KV cache or recurrent state: the runtime allocates it, the file does not hold it." }
            li { "The tokenizer: its tables are part of the header and are not shown here." }
            @if !stated(model.cx, "head_count") { li { "How many heads there are: the source does not state it, and widths alone do not tell." } }
        }
    };
    figure("What this view cannot tell", &html! {}, &body)
}

fn stated(cx: &Context<'_>, name: &str) -> bool {
    anatomy::parameter(cx.run, name).is_some()
}

/// A caption with a reading that opens.
fn said(caption: &str, reading: &Reading) -> Markup {
    html! { dt { (caption) } dd { (opening(reading)) } }
}

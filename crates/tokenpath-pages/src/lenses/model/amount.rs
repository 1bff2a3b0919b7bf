//! How many parameters: counted in the tensors, and by the recipe of the stated architecture beside it.

use tokenpath_core::derive::anatomy::Place;
use tokenpath_core::derive::anatomy::elements::{Elements, parameters};
use tokenpath_core::fact::{Fact, Missing, Quantity, Reading};
use tokenpath_core::{Label, LabelKind, Run};
use tokenpath_recipes::architecture::Architecture;
use tokenpath_recipes::{Refused, Share};

use super::Model;
use super::facts::Recipe;
use crate::format;
use crate::html::{Markup, html};
use crate::page::figure;
use crate::table::plain;
use crate::value::{glyph, opening, value};

/// Draws the figure; nothing where neither tensors nor parameters of the architecture are known.
pub(super) fn figure_of(model: &Model<'_>) -> Markup {
    let run = model.cx.run;
    let (recipe, counted) = (&model.facts.recipe, model.facts.counted.as_slice());
    if counted.is_empty() && run.model.parameters.rows() == 0 {
        return html! {};
    }
    let body = html! {
        div class="tw" tabindex="0" role="region" aria-label="Parameters" { table class="tight" {
            thead { tr {
                th scope="col" { "Part" }
                @if !counted.is_empty() { th scope="col" class="n" { "In the tensors" } }
                @if recipe.is_ok() {
                    th scope="col" class="n" { (glyph(&estimated())) " By the recipe" }
                    th scope="col" class="n" { (glyph(&estimated())) " One token addresses" }
                }
            } }
            tbody {
                @for part in parts(counted, recipe.as_ref().ok()) {
                    tr {
                        td { (part.name) }
                        @if !counted.is_empty() { td class="n" {
                            @if !part.counted.is_empty() { (plain(&parameters(run, part.counted, part.name))) }
                        } }
                        @if recipe.is_ok() {
                            td class="n" { @if let Some(share) = part.share { (exact(share.total)) } }
                            td class="n" { @if let Some(share) = part.share { (exact(share.addressed)) } }
                        }
                    }
                }
            }
            tfoot { tr {
                th scope="row" { "All" }
                @if !counted.is_empty() { td class="n" { (value(&parameters(run, counted, "all tensors"))) } }
                @if let Ok(recipe) = recipe {
                    td class="n" { (opening(&by_recipe(recipe, recipe.totals.all().total))) }
                    td class="n" { (opening(&by_recipe(recipe, recipe.totals.all().addressed))) }
                }
            } }
        } }
        p class="note" { (remark(run, counted, recipe)) }
    };
    figure("How many parameters", &aside(recipe), &body)
}

fn aside(recipe: &Result<Recipe, Refused>) -> Markup {
    html! {
        @match recipe {
            Ok(recipe) => { "recipe of the family " (recipe.architecture.family) }
            Err(_) => { "no recipe" }
        }
    }
}

/// A row of the table.
struct Row<'a> {
    name: &'static str,
    counted: &'a [Elements],
    share: Option<Share>,
}

fn parts<'a>(counted: &'a [Elements], recipe: Option<&Recipe>) -> Vec<Row<'a>> {
    let at = |place: Place| {
        counted.iter().position(|entry| entry.place == place).and_then(|row| counted.get(row..=row)).unwrap_or(&[])
    };
    let layers = recipe.map(|recipe| {
        recipe.totals.layers.iter().fold(Share::default(), |sum, layer| Share {
            total: sum.total.saturating_add(layer.total),
            addressed: sum.addressed.saturating_add(layer.addressed),
        })
    });
    let rows = [
        ("embedding", Place::Embedding, recipe.map(|recipe| recipe.totals.embedding)),
        ("layers", Place::Layer(0), layers),
        ("last normalisation and head", Place::Head, recipe.map(|recipe| recipe.totals.head)),
        ("other", Place::Other, None),
        ("of no known component", Place::Unknown, None),
    ];
    rows.into_iter()
        .map(|(name, place, share)| Row { name, counted: at(place), share })
        .filter(|row| !row.counted.is_empty() || row.share.is_some())
        .collect()
}

fn estimated() -> Label {
    Label::new(LabelKind::Estimated, "recipe of the stated architecture")
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn exact(value: u64) -> String {
    format::grouped(count(value))
}

fn by_recipe(recipe: &Recipe, value: u64) -> Reading {
    let label = Label::new(LabelKind::Estimated, format!("recipe of the family {}", recipe.architecture.family));
    let Architecture { width, vocabulary, layers, .. } = &recipe.architecture;
    let stated = format!("{} layers, width {width}, {vocabulary} tokens and what else is stated", layers.len());
    let fields = Fact::stored(Quantity::Text(stated), Some(&label), "/model/parameters");
    Ok(Fact::derived(
        Quantity::Count(count(value)),
        "sum over the blocks of the architecture of the product of each weight's sizes",
        vec![("the recipe's fields".to_owned(), fields)],
    ))
}

/// What the two counts mean for each other.
fn remark(run: &Run, counted: &[Elements], recipe: &Result<Recipe, Refused>) -> Markup {
    let tensors: Option<Result<i64, Missing>> = (!counted.is_empty()).then(|| {
        parameters(run, counted, "all tensors").map(|fact| match fact.quantity {
            Quantity::Count(count) => count,
            _ => 0,
        })
    });
    html! {
        @match (tensors, recipe) {
            (Some(Ok(stored)), Ok(recipe)) => {
                @let estimate = count(recipe.totals.all().total);
                @if stored == estimate { "Both counts are the same." }
                @else {
                    "The counts differ by " (format::grouped(stored.abs_diff(estimate).try_into().unwrap_or(i64::MAX)))
                    ": a file may hold what a decode step does not use (layers that predict further tokens, vision, "
                    "tables of rotation, a second copy of a tied matrix) or lack what others keep."
                }
            }
            (_, Ok(recipe)) => {
                "The recipe counts the language model alone, from what the source states; no weight was read. "
                @if recipe.architecture.tied { "The head reads the embedding's matrix, which counts once. " }
                "An embedding counts whole, though a token reads one row of it."
            }
            (_, Err(refused)) => { "Not estimated: " (refused.to_string()) "." }
        }
    }
}

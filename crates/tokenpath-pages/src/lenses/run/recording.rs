//! What the recording is, caption by caption; what its instrument states, and what it saw.

use tokenpath_core::derive::coverage::{InstrumentCoverage, OfHowMany};
use tokenpath_core::derive::run::{identity, instrument_words};
use tokenpath_core::item::Item;

use super::covers::of_how_many;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::value;

/// Identity and the instrument's statements.
pub(super) fn is(cx: &Context<'_>) -> Markup {
    let identity_rows = identity(cx.run);
    let conditions = cx.run.identity.host.conditions.as_deref().unwrap_or(&[]);
    let statement = cx.run.identity.instrument.statement.as_deref().unwrap_or(&[]);
    html! {
        div class="two" {
            (figure("This recording", &html! {}, &html! {
                dl class="kv wide" {
                    @for (caption, reading) in &identity_rows {
                        dt { (caption) }
                        dd { @match reading { Ok(fact) => (value::known_text(fact)), Err(missing) => (value::absent(missing)) } }
                    }
                }
                @if !conditions.is_empty() {
                    details class="more" {
                        summary { "Conditions that matter to times" }
                        ul class="dash" { @for condition in conditions { li { (condition) } } }
                    }
                }
            }))
            (figure("The instrument", &html! { "holds for every capture by it" }, &html! {
                dl class="kv" {
                    @for (caption, reading) in instrument_words(cx.run) { dt { (caption) } dd { (value::value(&reading)) } }
                }
                @if !statement.is_empty() { ul class="dash note" { @for sentence in statement { li { (sentence) } } } }
            }))
        }
    }
}

/// What the instrument saw of the token under test and of the run.
pub(super) fn seen(cx: &Context<'_>, coverage: &InstrumentCoverage) -> Markup {
    html! {
        (figure("What the instrument saw", &html! {}, &html! {
            dl class="kv" {
                @if let Some(pass) = coverage.pass {
                    dt class="sub" { "Of the token under test, " a href=(cx.follow(Lens::Traversal, Item::Pass(pass))) { "pass " (pass) } }
                    dd {}
                    @for row in &coverage.of_token { (line(row)) }
                }
                dt class="sub" { "Of the whole run" }
                dd {}
                @for row in &coverage.of_run { (line(row)) }
            }
        }))
    }
}

fn line(row: &OfHowMany) -> Markup {
    html! {
        dt { (crate::stated::capital(row.what)) }
        dd { @match &row.count { Ok(count) => (of_how_many(count, row.of.as_ref())), Err(missing) => (value::absent(missing)) } }
    }
}

//! What went wrong, on the page: what it was, where, and what to do next. Nothing here ends a session.

use tokenpath_core::problem::Problem;

use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::lens_head;

/// Rows of a list of problems that are shown; a broken producer makes the same error in every row.
const SHOWN: usize = 100;

/// Something that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was wrong, and where; a sentence.
    pub what: String,
    /// What to do next; a sentence or two.
    pub advice: String,
}

/// The panel over the lens after a failure. `keeps`: whether a run is open that stays so. `alone`: whether the files can
/// be opened in its place.
pub fn panel(failure: &Failure, keeps: bool, alone: bool) -> Markup {
    html! {
        div class="notice" {
            h2 { "That could not be opened" }
            p class="what" { (failure.what) }
            p { (failure.advice) }
            @if keeps { p { "The run that was open stays open." } }
            @if alone {
                button class="btn go" type="button" id="alone" data-act="alone" { "Open the model instead of the run" }
            }
            button class="btn edge" type="button" id="dismiss" data-act="dismiss" { "Close" }
        }
    }
}

/// The panel after the viewer itself failed. `reopen` when the files can be opened again.
pub fn crash(what: &str, reopen: bool) -> Markup {
    html! {
        div class="notice" {
            h2 { "The viewer stopped" }
            p class="what" { (what) }
            p { "This is a fault of the viewer, not of your file. Nothing was sent anywhere. " }
            @if reopen {
                p { button class="btn go" type="button" id="reopen" data-act="reopen" { "Open the same files again" } }
            }
        }
    }
}

/// The address names a bundle that this page may not read.
pub fn foreign(address: &str) -> Markup {
    panel(
        &Failure {
            what: format!("{address} is of another origin."),
            advice: "This page reads bundles of its own site only. Save the file and open it from there.".to_owned(),
        },
        false,
        false,
    )
}

/// The address names a view, and nothing is open.
pub fn not_open() -> Markup {
    html! {
        div class="notice" {
            h2 { "This address names a view of a file that is not open here" }
            p { "Open the file, and the view appears. Files are never kept by this page, so a reload forgets them." }
        }
    }
}

/// A lens whose sections have errors: the errors in place of the drawing.
pub fn in_place(lens: Lens, errors: &[&Problem]) -> Markup {
    let what = format::plural(errors.len() as i64, "error", "errors");
    html! {
        (lens_head(
            &html! { (lens.name()) " cannot be drawn: " (what) },
            &html! { "The bundle breaks the format where this lens reads it, so nothing is drawn from it. The other \
                lenses stay. Correct the producer, or open the file again once it is corrected." },
        ))
        (table(errors))
    }
}

/// All that is wrong with a bundle.
pub fn all(problems: &[Problem]) -> Markup {
    let (notices, errors): (Vec<&Problem>, Vec<&Problem>) =
        problems.iter().partition(|problem| problem.rule.is_notice());
    html! {
        @if !errors.is_empty() {
            section class="fig" id="problems" {
                h2 { "What is wrong with the bundle" small { (format::plural(errors.len() as i64, "error", "errors")) } }
                p class="note" { "A section with errors is set aside; its lens shows them in its place." }
                (table(&errors))
            }
        }
        @if !notices.is_empty() {
            section class="fig" {
                h2 { "Fields this version does not know" small { "kept as they are" } }
                (table(&notices))
            }
        }
    }
}

fn table(problems: &[&Problem]) -> Markup {
    html! {
        div class="tw txt" {
            table class="problems" {
                thead { tr { th scope="col" { "Pointer" } th scope="col" { "Rule" } th scope="col" { "What stands there" } } }
                tbody {
                    @for problem in problems.iter().take(SHOWN) {
                        tr {
                            td { code { @if problem.pointer.is_empty() { "(whole document)" } @else { (problem.pointer) } } }
                            td class="w" { (problem.rule.word()) }
                            td { (problem.text) }
                        }
                    }
                }
            }
        }
        @if problems.len() > SHOWN {
            p class="note" {
                "The first " (SHOWN) " of " (format::grouped(problems.len() as i64)) "; "
                code { "tokenpath check" } " lists all of them."
            }
        }
    }
}

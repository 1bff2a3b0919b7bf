//! Disagreements and paging: small pieces that several lenses state in the same words.

use tokenpath_core::derive::disagreement::Disagreement;
use tokenpath_core::fact::{Fact, Quantity};

use crate::format;
use crate::html::{Markup, html};
use crate::page::Context;
use crate::value;

/// A disagreement: what differs, what each source says, what it may mean. Both values stand.
pub fn disagreement(found: &Disagreement) -> Markup {
    html! {
        div class="state" role="note" {
            b {
                (found.what) " differs"
                @if let Some(difference) = &found.difference { " by " (format::quantity(&difference.quantity)) }
                "."
            }
            " "
            @for (i, (source, fact)) in found.readings.iter().enumerate() {
                @if i == 0 { (capital(source)) } @else { "; " (source) }
                " " (reading(found, fact))
            }
            ". Both stand. " (found.may_mean)
        }
    }
}

/// A source's value; exact where rounding would make it equal to another's.
fn reading(found: &Disagreement, fact: &Fact) -> Markup {
    let text = format::quantity(&fact.quantity);
    let alike = found.readings.iter().filter(|(_, other)| format::quantity(&other.quantity) == text).count() > 1;
    match format::exact(&fact.quantity).filter(|_| alike) {
        Some(exact) => html! { span class="v" { (value::glyph(&fact.label)) (exact) } },
        None => value::known(fact),
    }
}

/// The same text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// A count of rows as a number that can be formatted.
pub fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The number in a fact that counts.
pub fn number(fact: &Fact) -> Option<i64> {
    match fact.quantity {
        Quantity::Count(value) => Some(value),
        _ => None,
    }
}

/// So many rows are drawn at a time.
pub const ROWS: usize = 100;

/// The rows of the present page of a table: from the view's `from`, at most [`ROWS`].
pub fn window(cx: &Context<'_>, rows: usize) -> std::ops::Range<usize> {
    let from = cx.view.param("from").and_then(|from| from.parse::<usize>().ok()).unwrap_or(0);
    let from = if from < rows { from } else { 0 };
    from..rows.min(from + ROWS)
}

/// Links to the pages before and after, and which rows are shown. Nothing when all rows are.
pub fn pager(cx: &Context<'_>, window: &std::ops::Range<usize>, rows: usize, what: &str) -> Markup {
    html! {
        @if window.len() < rows {
            nav class="pager" aria-label={ "Pages of " (what) } {
                @if window.start > 0 {
                    @let before = window.start.saturating_sub(ROWS);
                    a href=(cx.href(&cx.view.with("from", &if before == 0 { String::new() } else { before.to_string() }))) { "Earlier" }
                }
                span { (format::grouped(int(window.start + 1))) " to " (format::grouped(int(window.end))) " of " (format::grouped(int(rows))) " " (what) }
                @if window.end < rows {
                    a href=(cx.href(&cx.view.with("from", &window.end.to_string()))) { "Later" }
                }
            }
        }
    }
}

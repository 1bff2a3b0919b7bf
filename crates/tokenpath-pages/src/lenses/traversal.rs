//! The traversal: the verdict with its gaps first, then a row per interval and a cell per hop; a row opens to its chain.

mod chain;
mod ends;
mod table;

use tokenpath_core::derive::timeline::pass_of;
use tokenpath_core::traverse::{ComputedBy, Outcome, TokenUnderTest, Verdict, token_under_test, verdict};

use crate::format;
use crate::html::{Markup, html, symbol};
use crate::lens::Lens;
use crate::page::{Context, lens_head, nothing};
use crate::value;
use crate::view::Links;

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.timeline.given || !run.timeline.intervals.given {
        let pointer = if run.timeline.given { "/timeline/intervals" } else { "/timeline" };
        return nothing(Lens::Traversal, &run.missing(pointer));
    }
    let token = token_under_test(run);
    let pass = walked(cx).or(token.as_ref().ok().map(|token| token.pass));
    // A published page was walked by who wrote it, the viewer walks itself.
    let by = if cx.links == Links::Files { ComputedBy::Generator } else { ComputedBy::Page };
    let own;
    let verdict = match cx.verdict.filter(|known| pass.is_none() || known.pass == pass) {
        Some(known) => known,
        None => {
            own = verdict(run, pass, by);
            &own
        }
    };
    html! {
        (head(cx, verdict, token.as_ref().ok()))
        (ends::figure(cx, verdict))
        @if let Some(pass) = verdict.pass { (table::figure(cx, pass)) }
        (ends::left_over(cx, verdict))
    }
}

/// The pass that the view asks for: by its parameter, or that of the selection.
fn walked(cx: &Context<'_>) -> Option<u32> {
    let holds = |pass: &u32| (*pass as usize) < cx.run.passes.rows.rows();
    let asked = cx.view.param("pass").and_then(|pass| pass.parse().ok()).filter(holds);
    asked.or_else(|| cx.view.item.and_then(|item| pass_of(cx.run, item)).filter(holds))
}

fn head(cx: &Context<'_>, verdict: &Verdict, token: Option<&TokenUnderTest>) -> Markup {
    let run = cx.run;
    let chains = format::plural(int(verdict.up.total), "chain", "chains");
    let gaps = match verdict.gap_count() {
        0 => "no gap".to_owned(),
        count => format::plural(int(count), "gap", "gaps"),
    };
    let text = verdict.pass.and_then(|pass| run.passes.rows.token_text.get(pass as usize));
    let title = html! {
        @match (verdict.pass, text) {
            (Some(_), Some(text)) => { "Token " code { (format::token(text)) } ": " (chains) " walked, " (gaps) },
            (Some(pass), None) => { "Pass " (pass) ": " (chains) " walked, " (gaps) },
            (None, _) => (Lens::Traversal.name()),
        }
    };
    let of = match verdict.pass {
        Some(pass) => format!("Every interval of pass {pass}"),
        None => "Every interval of the token under test".to_owned(),
    };
    lens_head(
        &title,
        &html! {
            (of) ", followed up to its tensor and layer and back down, through stored relations only. "
            @match token {
                Some(token) if Some(token.pass) != verdict.pass => {
                    "The token under test is that of pass "
                    a href=(cx.href(&crate::view::View::of(Lens::Traversal))) { (token.pass) } "."
                },
                Some(token) if run.traversal.pass.is_some() => {
                    "The bundle names it as the token under test "
                    span class="v" { (value::glyph(&token.label)) (token.label.kind.word()) } "."
                },
                Some(token) => {
                    "The bundle names no token under test; the page takes the middle decode pass "
                    span class="v" { (value::glyph(&token.label)) (token.label.kind.word()) } "."
                },
                None => "",
            }
        },
    )
}

/// A count from the walk as the formatter takes it.
fn int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The mark of a relation that the bundle does not supply: a line torn open.
fn gap_mark() -> Markup {
    symbol("x-gap", 26, 12, "mark")
}

/// The mark of an answer at which a chain ends: a line that meets a bar.
fn end_mark() -> Markup {
    symbol("x-term", 14, 12, "mark")
}

/// The verdict as a chip.
fn chip(verdict: &Verdict) -> Markup {
    match &verdict.outcome {
        Outcome::Pass => html! { span class="chip" { "pass, no gap" } },
        Outcome::Fail => {
            let gaps = format::plural(int(verdict.gap_count()), "gap", "gaps");
            let groups = format::plural(verdict.gaps.len() as i64, "group", "groups");
            html! { span class="chip fail" { (gap_mark()) "fail, " (gaps) " in " (groups) } }
        }
        Outcome::NotApplicable { .. } => html! { span class="chip" { "not applicable" } },
    }
}

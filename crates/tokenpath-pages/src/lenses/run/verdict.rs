//! The verdict on the token under test, gaps first.

use tokenpath_core::item::Item;
use tokenpath_core::traverse::{ComputedBy, GapGroup, Outcome, Verdict};

use crate::format;
use crate::html::{Markup, html, symbol};
use crate::lens::Lens;
use crate::page::{Context, figure};

/// So many groups of gaps are listed here; the lens Traversal lists all.
const GROUPS: usize = 4;

/// The figure.
pub(super) fn of_token(cx: &Context<'_>) -> Markup {
    match cx.verdict {
        None => figure("Verdict", &html! {}, &html! { p class="note" { "No verdict was computed for this page." } }),
        Some(verdict) => figure("Verdict", &html! { (by(verdict.computed_by)) }, &body(cx, verdict)),
    }
}

fn by(by: ComputedBy) -> &'static str {
    match by {
        ComputedBy::Generator => "computed by the generator from a committed run",
        ComputedBy::Page => "computed by this page from the file",
        ComputedBy::CommandLine => "computed by the command line from the file",
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn body(cx: &Context<'_>, verdict: &Verdict) -> Markup {
    let gaps = format::plural(number(verdict.gap_count()), "gap", "gaps");
    let traversal = match verdict.pass {
        Some(pass) => cx.follow(Lens::Traversal, Item::Pass(pass)),
        None => cx.to(Lens::Traversal),
    };
    html! {
        @match &verdict.outcome {
            Outcome::Pass => {
                p { span class="chip" { "pass, no gap" } }
                (chains(verdict))
                p { a href=(traversal) { "Walk the chains" } }
            }
            Outcome::Fail => {
                p { span class="chip fail" { (symbol("x-gap", 26, 12, "gapmark")) "fail, " (gaps) } }
                (groups(verdict, &gaps))
                (chains(verdict))
                p { a href=(traversal) { "Walk the " (gaps) } }
            }
            Outcome::NotApplicable { reason } => {
                p { span class="chip" { "not applicable" } }
                p { "Neither pass nor fail. " (reason) }
            }
        }
    }
}

/// How the chains of the token under test end.
fn chains(verdict: &Verdict) -> Markup {
    let up = verdict.up;
    let ended = number(up.resolved + up.terminal);
    html! {
        p {
            @match verdict.pass {
                Some(pass) => { "For pass " (pass) @if let Some(label) = &verdict.pass_label { " (" (crate::value::label_text(label)) ")" } ", " }
                None => "",
            }
            (format::grouped(ended)) " of " (format::plural(number(up.total), "chain", "chains"))
            " from intervals reach a layer or a stated end, "
            (format::grouped(number(verdict.reach_tensor))) " of them through a tensor; "
            (format::grouped(number(verdict.down.resolved + verdict.down.terminal))) " of "
            (format::grouped(number(verdict.down.total))) " from components lead down to intervals or a stated end."
            @if let Some(weakest) = &verdict.weakest { " The weakest relation read is " (crate::value::glyph(weakest)) (crate::value::label_text(weakest)) "." }
        }
    }
}

fn groups(verdict: &Verdict, gaps: &str) -> Markup {
    html! {
        ul class="gaplist" {
            @for group in verdict.gaps.iter().take(GROUPS) { (gap(group)) }
            @if verdict.gaps.len() > GROUPS {
                li { "and " (format::plural(crate::stated::int(verdict.gaps.len() - GROUPS), "more group", "more groups")) " of the " (gaps) }
            }
        }
    }
}

fn gap(group: &GapGroup) -> Markup {
    html! {
        li {
            b { (group.hop.title()) } ", " (format::plural(crate::stated::int(group.members.len()), "gap", "gaps")) ", "
            (format::plural(number(group.chains), "chain", "chains")) ". " (group.reason) " " code { (group.pointer) }
        }
    }
}

//! The table behind the drawing, the clock join and the classification.

use tokenpath_core::derive::passes::{Classification, ClockJoin, Group, PassRow, count_of};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::item::Item;

use super::interval_word;
use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::value;

/// The passes of this page.
pub(super) fn passes(cx: &Context<'_>, group: &Group, passes: &[PassRow]) -> Markup {
    let joined = cx.run.passes.clock_join.offset.is_some();
    let texts = passes.iter().any(|row| row.token_text.is_some());
    let word = interval_word(group);
    // A column in which nothing is known is one reason, not a column of dashes.
    let any = |of: fn(&PassRow) -> &Reading| passes.iter().any(|row| of(row).is_ok());
    let (sums, unions, shares) = (any(|row| &row.time_sum), any(|row| &row.time_union), any(|row| &row.share));
    let differ = passes.iter().any(|row| quantity(&row.time_sum) != quantity(&row.time_union));
    html! {
        div class="tw fig passes" {
            table class="tight" {
                thead { tr {
                    th scope="col" class="n" { "Pass" } th scope="col" { "Kind" }
                    @if texts { th scope="col" { "Token made" } }
                    th scope="col" class="n" { "Tokens in" }
                    th scope="col" class="n" { @if joined { "Start, request clock" } @else { "Start, trace clock" } }
                    th scope="col" class="n" { "Period" } th scope="col" class="n" { "Start to result" }
                    th scope="col" class="n" { "Submissions" } th scope="col" class="n" { "Intervals" }
                    @if sums { th scope="col" class="n" { (word) ", summed" } }
                    @if unions && (differ || !sums) { th scope="col" class="n" { (word) ", overlaps once" } }
                    @if shares { th scope="col" class="n" { "Share of period" } }
                    th scope="col" { span class="sr" { "Follow" } }
                } }
                tbody {
                    @for row in passes {
                        @let item = Item::Pass(row.pass);
                        tr class=[cx.is_selected(item).then_some("on")] {
                            td class="n" { a href=(cx.select(item)) { (row.pass) } }
                            td { (short(&row.kind)) }
                            @if texts { td { code { (format::token(row.token_text.as_deref().unwrap_or(""))) } } }
                            td class="n" { (short(&row.tokens)) }
                            td class="n" { @if joined { (short(&row.request_start)) } @else { (short(&row.start)) } }
                            td class="n" { (short(&row.period)) }
                            td class="n" { (short(&row.span)) }
                            td class="n" { (short(&row.submissions)) }
                            td class="n" { (short(&row.intervals)) }
                            @if sums { td class="n" { (short(&row.time_sum)) } }
                            @if unions && (differ || !sums) { td class="n" { (short(&row.time_union)) } }
                            @if shares { td class="n" { (short(&row.share)) } }
                            td { a href=(cx.follow(Lens::Timeline, item)) { "Timeline" } }
                        }
                    }
                }
            }
            (notes(passes, sums, unions, shares, word))
        }
    }
}

fn quantity(reading: &Reading) -> Option<&Quantity> {
    reading.as_ref().ok().map(|fact| &fact.quantity)
}

/// A value of a table with many: glyph and value, or the dash with its reason.
fn short(reading: &Reading) -> Markup {
    match reading {
        Ok(fact) => value::known(fact),
        Err(missing) => value::absent_short(missing),
    }
}

fn notes(passes: &[PassRow], sums: bool, unions: bool, shares: bool, word: &str) -> Markup {
    let reason = |of: fn(&PassRow) -> &Reading| passes.iter().find_map(|row| of(row).as_ref().err());
    html! {
        @if shares {
            p class="note" {
                "The share is " (word.to_lowercase()) " with overlaps counted once ÷ period. It stands where every interval of the pass has a duration; "
                "the last pass of an execution has no period and so no share. It is the recorded queue's or thread's time, not a device's utilisation."
            }
        }
        @if let (false, Some(missing)) = (sums, reason(|row| &row.time_sum)) {
            p class="note" { (word) ", summed: " (value::absent_short(missing)) " " (missing.reason) }
        }
        @if let (false, Some(missing)) = (unions, reason(|row| &row.time_union)) {
            p class="note" { (word) ", overlaps once: " (value::absent_short(missing)) " " (missing.reason) }
        }
        @if let (false, Some(missing)) = (shares, reason(|row| &row.share)) {
            p class="note" { "Share of period: " (value::absent_short(missing)) " " (missing.reason) }
        }
    }
}

/// How the clocks were joined.
pub(super) fn clock(cx: &Context<'_>, join: &ClockJoin) -> Markup {
    let body = if cx.run.passes.clock_join.given {
        html! {
            dl class="kv" {
                @for (name, reading) in [
                    ("Method", &join.method),
                    ("Request clock", &join.request_clock),
                    ("Trace clock", &join.trace_clock),
                    ("Trace clock at the request's time zero", &join.offset),
                    ("Residual", &join.residual),
                    ("Uncertainty", &join.uncertainty),
                    ("Result of a pass to its chunk's arrival, median", &join.lag),
                ] {
                    dt { (name) } dd { (value::opening(reading)) }
                }
            }
            @if join.early > 0 {
                p class="note" {
                    (format::plural(crate::stated::int(join.early), "chunk arrives", "chunks arrive"))
                    " before the pass whose token it carries has ended, by this join: the join or the relation is off."
                }
            }
        }
    } else {
        value::why(&cx.run.missing("/passes/clock_join"))
    };
    figure("Clock join", &html! {}, &body)
}

/// How prefill and decode were told apart.
pub(super) fn told_apart(cx: &Context<'_>, told: &Classification, groups: &[Group]) -> Markup {
    let mut rows: Vec<(String, Reading)> = Vec::new();
    for group in groups {
        let name = match (&group.name, groups.len()) {
            (Some(name), 2..) => format!(", {name}"),
            _ => String::new(),
        };
        rows.push((format!("Prefill passes{name}"), Ok(count_of(cx.run, &group.prefill))));
        rows.push((format!("Decode passes{name}"), Ok(count_of(cx.run, &group.decode))));
    }
    rows.push(("Decode steps that the runtime counted".to_owned(), told.runtime_decode_steps.clone()));
    figure(
        "Classification",
        &html! {},
        &html! {
            p {
                @match &told.method {
                    Ok(fact) => (value::known_text(fact)),
                    Err(missing) => (value::why(missing)),
                }
            }
            (value::pairs(&rows))
            @if told.disagreements.is_empty() && told.runtime_decode_steps.is_ok() {
                p class="note" { "The recording and the runtime count the same number of decode passes." }
            }
        },
    )
}

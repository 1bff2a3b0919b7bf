//! The table behind the drawing, the clock join and the classification.

use tokenpath_core::derive::passes::{Classification, ClockJoin, Group, PassRow, count_of};
use tokenpath_core::fact::{Missing, Quantity, Reading};
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{self, ComputedBy, Outcome, Verdict};

use super::interval_word;
use crate::format;
use crate::html::{Markup, html, symbol};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::stated::{int, number};
use crate::value;

/// Up to so many intervals among the passes of a page their verdicts are computed unasked.
const UNASKED: usize = 40_000;

/// The parameter that asks for the verdicts of the passes shown.
const CHECK: &str = "check";

/// The verdicts of the passes shown, or none when there are too many intervals and nobody asked.
fn verdicts(cx: &Context<'_>, passes: &[PassRow]) -> Option<Vec<Verdict>> {
    let intervals: i64 = passes.iter().filter_map(|row| number(row.intervals.as_ref().ok()?)).sum();
    let few = intervals <= int(UNASKED) && cx.run.timeline.intervals.rows() <= 10 * UNASKED;
    if cx.run.is_user_mode() || !(few || cx.view.param(CHECK).is_some()) {
        return None;
    }
    let rows: Vec<u32> = passes.iter().map(|row| row.pass).collect();
    let by = cx.verdict.map_or(ComputedBy::Page, |verdict| verdict.computed_by);
    Some(traverse::verdicts(cx.run, &rows, by))
}

/// The verdict of one pass, leading to its walk.
fn verdict_cell(cx: &Context<'_>, pass: u32, verdict: Option<&Verdict>) -> Markup {
    let Some(verdict) = verdict else { return html! {} };
    let gaps = format::plural(i64::try_from(verdict.gap_count()).unwrap_or(i64::MAX), "gap", "gaps");
    html! {
        a class={ "ver" @if verdict.is_fail() { " fail" } } href=(cx.follow(Lens::Traversal, Item::Pass(pass))) {
            @match &verdict.outcome {
                Outcome::Pass => "pass",
                Outcome::Fail => { (symbol("x-gap", 20, 9, "gapmark")) "fail, " (gaps) },
                Outcome::NotApplicable { .. } => "not applicable",
            }
        }
    }
}

/// The passes of this page.
pub(super) fn passes(cx: &Context<'_>, group: &Group, passes: &[PassRow]) -> Markup {
    let joined = cx.run.passes.clock_join.offset.is_some();
    let texts = passes.iter().any(|row| row.token_text.is_some());
    let word = interval_word(group);
    // A column in which nothing is known is one reason, not a column of dashes.
    let any = |of: fn(&PassRow) -> &Reading| passes.iter().any(|row| of(row).is_ok());
    let (sums, unions, shares) = (any(|row| &row.time_sum), any(|row| &row.time_union), any(|row| &row.share));
    let verdicts = verdicts(cx, passes);
    let single = passes.iter().all(|row| quantity(&row.submissions) == Some(&Quantity::Count(1)));
    let differ = passes.iter().any(|row| quantity(&row.time_sum) != quantity(&row.time_union));
    html! {
        div class="tw fig passes" {
            table class="tight" {
                thead { tr {
                    th scope="col" class="n" { "Pass" } th scope="col" { "Kind" }
                    @if texts { th scope="col" { "Token made" } }
                    th scope="col" class="n" { "Tokens in" }
                    th scope="col" class="n" { "Start" }
                    th scope="col" class="n" { "Period" } th scope="col" class="n" { "To result" }
                    @if !single { th scope="col" class="n" { "Submissions" } } th scope="col" class="n" { "Intervals" }
                    @if sums { th scope="col" class="n" { (word) } }
                    @if unions && (differ || !sums) { th scope="col" class="n" { "Overlaps once" } }
                    @if shares { th scope="col" class="n" { "Share of period" } }
                    @if verdicts.is_some() { th scope="col" { "Verdict" } }
                    th scope="col" { "Follow" }
                } }
                tbody {
                    @for (i, row) in passes.iter().enumerate() {
                        @let item = Item::Pass(row.pass);
                        tr class=[cx.is_selected(item).then_some("on")] {
                            td class="n" { a href=(cx.select(item)) { (row.pass) } }
                            td { (short(&row.kind)) }
                            @if texts { td { code { (format::token(row.token_text.as_deref().unwrap_or(""))) } } }
                            td class="n" { (short(&row.tokens)) }
                            td class="n" { @if joined { (short(&row.request_start)) } @else { (short(&row.relative_start)) } }
                            td class="n" { (short(&row.period)) }
                            td class="n" { (short(&row.span)) }
                            @if !single { td class="n" { (short(&row.submissions)) } }
                            td class="n" { (short(&row.intervals)) }
                            @if sums { td class="n" { (short(&row.time_sum)) } }
                            @if unions && (differ || !sums) { td class="n" { (short(&row.time_union)) } }
                            @if shares { td class="n" { (short(&row.share)) } }
                            @if let Some(verdicts) = &verdicts { td { (verdict_cell(cx, row.pass, verdicts.get(i))) } }
                            td { a href=(cx.follow(Lens::Timeline, item)) { "Timeline" } }
                        }
                    }
                }
            }
            p class="note" {
                @if joined { "Starts count from the request's time zero" } @else { "Starts count from that of the first pass" }
                "; to result: start of the pass to when its result was there."
                @if single { " Each pass has one submission." }
                @if sums && !(unions && differ) { " " (word) ": the durations of the pass's intervals; none overlap." }
                @else if sums { " " (word) ": the durations of the pass's intervals, added up." }
            }
            @if verdicts.is_none() && !cx.run.is_user_mode() {
                p class="note" {
                    "Verdicts are not computed here unasked: there are too many intervals. "
                    a href=(cx.href(&cx.view.with(CHECK, "1"))) { "Check the passes shown" }
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
    let lower = word.to_lowercase();
    // What is known of no pass is said once, each reason with the columns that it takes away.
    let mut absent: Vec<(Vec<&str>, &Missing)> = Vec::new();
    let columns = [
        (sums, lower.as_str(), reason(|row| &row.time_sum)),
        (unions, "the same with overlaps counted once", reason(|row| &row.time_union)),
        (shares, "share of period", reason(|row| &row.share)),
    ];
    for (_, name, missing) in columns.into_iter().filter(|(known, ..)| !known) {
        let Some(missing) = missing else { continue };
        match absent.iter_mut().find(|(_, known)| known.reason == missing.reason) {
            Some((names, _)) => names.push(name),
            None => absent.push((vec![name], missing)),
        }
    }
    html! {
        @if shares {
            p class="note" {
                "The share is " (lower) " with overlaps counted once ÷ period. It stands where every interval of the pass has a duration; "
                "the last pass of an execution has no period and so no share. It is the recorded queue's or thread's time, not a device's utilisation."
            }
        }
        @for (names, missing) in &absent {
            p class="note" { (crate::stated::capital(&names.join(", "))) ": " (value::absent_short(missing)) " " (missing.reason) }
        }
    }
}

/// How the clocks were joined.
pub(super) fn clock(cx: &Context<'_>, join: &ClockJoin) -> Markup {
    let body = if cx.run.passes.clock_join.given {
        html! {
            dl class="kv lean" {
                @for (name, reading) in [
                    ("Method", &join.method),
                    ("Request clock", &join.request_clock),
                    ("Trace clock", &join.trace_clock),
                    ("Trace clock at the request's time zero", &join.offset),
                    ("Residual", &join.residual),
                    ("Uncertainty", &join.uncertainty),
                    ("Result of a pass to its chunk's arrival, median", &join.lag),
                ] {
                    dt { (name) }
                    dd {
                        @match reading {
                            Ok(fact) if matches!(fact.quantity, Quantity::Text(_)) => (value::known_text(fact)),
                            _ => (value::opening(reading)),
                        }
                    }
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
        let known = group.prefill.len() + group.decode.len();
        let counted = |passes: &[u32]| {
            if known == 0 && !group.passes.is_empty() {
                return Err(cx.run.missing("/passes/rows/kind"));
            }
            Ok(count_of(cx.run, passes))
        };
        rows.push((format!("Prefill passes{name}"), counted(&group.prefill)));
        rows.push((format!("Decode passes{name}"), counted(&group.decode)));
        if 0 < known && known < group.passes.len() {
            let kind = |pass: &u32| cx.run.passes.rows.kind.get(*pass as usize).is_none();
            let other: Vec<u32> = group.passes.iter().copied().filter(kind).collect();
            rows.push((format!("Passes of which neither is known{name}"), Ok(count_of(cx.run, &other))));
        }
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

//! The lens Passes: a column for each pass, as tall as its period; how passes were told apart and joined to the request.

mod columns;
mod tables;

use tokenpath_core::derive::histogram::Histogram;
use tokenpath_core::derive::passes::{Group, PassTable, classification, clock_join, group_under_test, groups};
use tokenpath_core::fact::Quantity;
use tokenpath_core::item::Item;

use crate::chart::{self, Mark};
use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::stated::{disagreement, int, pager, window};
use crate::value;

/// What one interval of these passes is called.
fn interval_word(group: &Group) -> &'static str {
    match group.interval_kind.as_deref() {
        Some("node") => "Node time",
        Some("kernel") => "Kernel time",
        Some("encoder") => "Encoder time",
        _ => "Interval time",
    }
}

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let rows = &cx.run.passes.rows;
    if !rows.given || rows.rows() == 0 {
        return nothing(Lens::Passes, &cx.run.missing("/passes/rows"));
    }
    let groups = groups(cx.run);
    let Some(group) = shown(cx, &groups) else { return nothing(Lens::Passes, &cx.run.missing("/passes/rows")) };
    let told = classification(cx.run, &groups);
    let table = PassTable::new(cx.run);
    let drawn = window(cx, group.passes.len());
    let page = group.passes.get(drawn.clone()).unwrap_or(&[]);
    let passes: Vec<_> = page.iter().map(|pass| table.row(*pass)).collect();
    html! {
        (lens_head(&html! { (title(group)) }, &html! {
            "A column for each pass, as tall as its period: start to the next start. A period holds whatever happens between two starts; a tall column is a slow step, not a busy one."
        }))
        (executions(cx, &groups, group))
        (columns::figure(cx, group, &passes))
        @for found in &told.disagreements { (disagreement(found)) }
        (pager(cx, &drawn, group.passes.len(), "passes"))
        (tables::passes(cx, group, &passes))
        div class="two" {
            (periods(group))
            div {
                (tables::clock(cx, &clock_join(cx.run)))
                (tables::told_apart(cx, &told, &groups))
            }
        }
    }
}

/// The execution that is drawn: the one asked for, else that of the selected pass, else that of the token under test.
fn shown<'g>(cx: &Context<'_>, groups: &'g [Group]) -> Option<&'g Group> {
    let asked = cx.view.param("execution").and_then(|row| row.parse::<u32>().ok());
    let selected = match cx.view.item {
        Some(Item::Pass(pass)) => Some(pass),
        _ => None,
    };
    asked
        .and_then(|row| groups.iter().find(|group| group.execution == Some(row)))
        .or_else(|| groups.iter().find(|group| selected.is_some_and(|pass| group.passes.contains(&pass))))
        .or_else(|| group_under_test(cx.run, groups))
        .or_else(|| groups.first())
}

fn title(group: &Group) -> String {
    if !group.passes.is_empty() && group.prefill.is_empty() && group.decode.is_empty() {
        return format!(
            "{}, prefill and decode not told apart",
            format::plural(int(group.passes.len()), "pass", "passes")
        );
    }
    let prefill = match group.prefill.len() {
        0 => "No prefill".to_owned(),
        1 => "One prefill".to_owned(),
        many => format::plural(int(many), "prefill pass", "prefill passes"),
    };
    let decode = format::plural(int(group.decode.len()), "decode pass", "decode passes");
    match &group.decode_periods {
        Ok(periods) => format!("{prefill} and {decode}; {} at the median", format::quantity(&periods.median.quantity)),
        Err(_) => format!("{prefill} and {decode}"),
    }
}

/// The ways in which passes were executed, where there are several, and what the shown one keeps and changes.
fn executions(cx: &Context<'_>, groups: &[Group], shown: &Group) -> Markup {
    html! {
        @if groups.len() > 1 {
            nav class="tabs" aria-label="Ways of executing" {
                @for group in groups {
                    @let name = group.name.as_deref().unwrap_or("not told apart");
                    @let row = group.execution.map_or_else(String::new, |row| row.to_string());
                    @let view = cx.view.with("from", "").with("execution", &row);
                    a href=(cx.href(&view)) aria-current=[(group.execution == shown.execution).then_some("true")] {
                        (name) ", " (format::plural(int(group.passes.len()), "pass", "passes"))
                    }
                }
            }
        }
        @if let Some(text) = &shown.text { p class="note exec" { (value::known_text(text)) } }
    }
}

fn periods(group: &Group) -> Markup {
    match &group.decode_periods {
        Err(missing) => figure("Decode periods", &html! {}, &value::why(missing)),
        Ok(periods) => {
            let exact = |quantity: &Quantity| match quantity {
                Quantity::NanosExact(value) => Some(*value),
                _ => None,
            };
            let marks: Vec<Mark> = [("median", &periods.median), ("mean", &periods.mean)]
                .into_iter()
                .filter_map(|(name, fact)| {
                    let text = format!("{name} {}", format::quantity(&fact.quantity));
                    Some(Mark { at: exact(&fact.quantity)?, text })
                })
                .collect();
            let name = format!(
                "Histogram of decode periods: median {}, longest {}.",
                format::quantity(&periods.median.quantity),
                format::quantity(&periods.longest.quantity)
            );
            let drawn = Histogram::of(&periods.values).map(|bins| chart::histogram(&bins, &marks, "passes", &name));
            figure(
                "Decode periods",
                &html! { (format::plural(int(periods.count()), "period", "periods")) ", trace clock" },
                &html! {
                    @if let Some(drawn) = drawn { (drawn) }
                    dl class="kv" {
                        @for (name, fact) in [("Median", &periods.median), ("95th percentile", &periods.p95), ("Longest", &periods.longest), ("Mean", &periods.mean)] {
                            dt { (name) } dd { (value::opening(&Ok(fact.clone()))) }
                        }
                    }
                },
            )
        }
    }
}

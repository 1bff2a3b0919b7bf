//! The walk as a table: a row per interval, a cell per hop.

use tokenpath_core::fact::Quantity;
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{Cell, CellState, ChainState, Hop, Row, Rows, rows};

use super::{chain, end_mark, gap_mark};
use crate::format;
use crate::html::{Markup, html};
use crate::naming;
use crate::page::Context;
use crate::value;

/// Rows on a page.
const PAGE: usize = 100;

/// The columns: interval, time, and the hops of [`Hop::UP`].
const COLUMNS: usize = 2 + Hop::UP.len();

/// The outcomes that the table can be narrowed to.
const OUTCOMES: [(ChainState, &str, &str); 3] = [
    (ChainState::Gap, "gap", "with a gap"),
    (ChainState::Terminal, "terminal", "that end at an answer"),
    (ChainState::Resolved, "resolved", "that reach a layer"),
];

/// The intervals of a pass.
pub(super) fn figure(cx: &Context<'_>, pass: u32) -> Markup {
    let walk = rows(cx.run, pass, 0..usize::MAX);
    let wanted = OUTCOMES.iter().find(|(_, word, _)| Some(*word) == cx.view.param("ends"));
    let query = cx.view.param("q").unwrap_or("").to_lowercase();
    let keeps = |row: &&Row| {
        wanted.is_none_or(|(state, _, _)| *state == row.state) && (query.is_empty() || named(cx, row, &query))
    };
    let kept: Vec<&Row> = walk.rows.iter().filter(keeps).collect();
    let opened = opened(cx);
    let from = first(cx, &kept, opened);
    let shown = kept.iter().skip(from).take(PAGE);
    let count = kept.len().saturating_sub(from).min(PAGE);
    html! {
        section class="fig" {
            h2 {
                span { "Intervals of pass " (pass) }
                small {
                    @if count == walk.total { (format::plural(walk.total as i64, "row", "rows")) }
                    @else { (format::grouped(count as i64)) " of " (format::plural(walk.total as i64, "row", "rows")) }
                }
            }
            div class="filters" {
                label for="q" class="sr" { "Filter by name" }
                input type="search" id="q" data-param="q" value=[cx.view.param("q")] placeholder="kernel, node or tensor";
                label for="ends" class="sr" { "Which chains" }
                select id="ends" data-param="ends" {
                    option value="" selected[wanted.is_none()] { "all chains" }
                    @for (state, word, text) in OUTCOMES {
                        @let count = walk.rows.iter().filter(|row| row.state == state).count();
                        option value=(word) selected[wanted.is_some_and(|(_, other, _)| *other == word)] {
                            (format::grouped(count as i64)) " " (text)
                        }
                    }
                }
            }
            @if kept.is_empty() {
                p class="note" { "No chain of this pass is like that." }
            } @else {
                div class="tw trav-scroll" tabindex="0" role="region" aria-label={ "Intervals of pass " (pass) ", hop by hop" } {
                    table class="trav" {
                        thead { tr {
                            th scope="col" class="n" { "Interval" } th scope="col" class="n" { "Time" }
                            @for hop in Hop::UP { th scope="col" { (head(hop)) } }
                        } }
                        tbody {
                            @for row in shown { (line(cx, &walk, row, opened == Some(row.interval))) }
                        }
                    }
                }
                (pages(cx, from, count, kept.len()))
            }
            (key())
        }
    }
}

fn head(hop: Hop) -> &'static str {
    match hop {
        Hop::IntervalPass => "Pass",
        Hop::IntervalSubmission => "Submission",
        Hop::SubmissionNodeSet => "Node set",
        Hop::IntervalKernel => "Kernel",
        Hop::IntervalNodes => "Node",
        Hop::NodeTensors => "Tensor",
        Hop::TensorComponent => "Component",
        Hop::ComponentLayer => "Layer",
        other => other.title(),
    }
}

/// The interval whose chain is open: the parameter `open`, or the selection.
fn opened(cx: &Context<'_>) -> Option<u32> {
    if let Some(open) = cx.view.param("open") {
        return open.parse().ok();
    }
    match cx.view.item {
        Some(Item::Interval(row)) => Some(row),
        _ => None,
    }
}

/// The first row of the page: as the view says, else so that the opened or selected row is on it.
fn first(cx: &Context<'_>, kept: &[&Row], opened: Option<u32>) -> usize {
    if let Some(from) = cx.view.param("from").and_then(|from| from.parse::<usize>().ok()) {
        return if from < kept.len() { from } else { 0 };
    }
    let wanted = |row: &&Row| {
        Some(row.interval) == opened
            || cx.view.item.is_some_and(|item| row.cells.iter().any(|cell| cell.first == Some(item)))
    };
    // A pass or submission is on every row, and so asks for none.
    let telling = !matches!(cx.view.item, Some(Item::Pass(_) | Item::Submission(_) | Item::NodeSet(_)));
    let at = kept.iter().position(wanted).filter(|_| telling).unwrap_or(0);
    at - at % PAGE
}

fn named(cx: &Context<'_>, row: &Row, query: &str) -> bool {
    let has = |item: Item| naming::name(cx.run, item).is_some_and(|name| name.to_lowercase().contains(query));
    row.cells.iter().filter_map(|cell| cell.first).any(|item| naming::is_verbatim(item) && has(item))
}

fn line(cx: &Context<'_>, walk: &Rows, row: &Row, open: bool) -> Markup {
    let table = &cx.run.timeline.intervals;
    let at = row.interval as usize;
    let item = Item::Interval(row.interval);
    let pointer = format!("/timeline/intervals/duration/{at}");
    let time = cx.run.reading(table.duration.get(at).map(Quantity::Nanos), table.label("duration", at), &pointer);
    let telling = !matches!(cx.view.item, Some(Item::Pass(_) | Item::Submission(_) | Item::NodeSet(_)));
    let selected = cx.is_selected(item)
        || telling && cx.view.item.is_some_and(|item| row.cells.iter().any(|cell| cell.first == Some(item)));
    let class = match (open, selected) {
        (true, _) => Some("open"),
        (false, true) => Some("on"),
        (false, false) => None,
    };
    // A second use of the link closes the chain again.
    let href = if open {
        cx.href(&crate::view::View { item: None, ..cx.view.with("open", "") })
    } else {
        cx.href(&cx.view.with("open", "").with("from", "").select(item))
    };
    html! {
        tr class=[class] {
            th scope="row" class="n" {
                a class="h" id={ "interval-" (at) } href=(href) aria-expanded=(open) { i class="tri" {} (at) }
            }
            td class="n" {
                @match &time {
                    Ok(fact) => (value::known(fact)),
                    Err(missing) => (value::absent_short(missing)),
                }
            }
            (cells(cx, walk, row))
        }
        @if open {
            tr { td colspan=(COLUMNS) class="chain" { (chain::figure(cx, row.interval)) } }
        }
    }
}

/// The cells of a row. Cells that the walk does not reach belong to the end before them.
fn cells(cx: &Context<'_>, walk: &Rows, row: &Row) -> Markup {
    html! {
        @let mut at = 0;
        @while let Some(cell) = row.cells.get(at) {
            @let rest = row.cells.get(at + 1..).unwrap_or(&[]);
            @let empty = rest.iter().take_while(|cell| cell.state == CellState::NotReached).count();
            @let ends = matches!(cell.state, CellState::Terminal | CellState::Gap);
            @let span = if ends { 1 + empty } else { 1 };
            @let last = at + 1 == row.cells.len();
            td colspan=[(span > 1).then_some(span)] { (one(cx, walk, cell, last)) }
            ({ at += span; "" })
        }
    }
}

fn one(cx: &Context<'_>, walk: &Rows, cell: &Cell, last: bool) -> Markup {
    let reason = cell.reason.and_then(|reason| walk.reasons.get(reason as usize));
    let label = cell.label.and_then(|label| walk.labels.get(label as usize));
    match cell.state {
        CellState::NotReached => html! {},
        CellState::Gap => html! { span class="gap" title=[reason] { (gap_mark()) "gap" } },
        CellState::Terminal => {
            // The last column has no room for an answer, and "no layer" is what all of them come to.
            let text = match reason {
                Some(reason) if !last => answer(cx, reason),
                _ => "none".to_owned(),
            };
            html! { span class="term" title=[reason] { (end_mark()) (text) } }
        }
        CellState::Resolved => {
            let Some(first) = cell.first else { return html! {} };
            html! {
                span class="h" {
                    @if let Some(label) = label { (value::glyph(label)) }
                    (text(cx, cell, first))
                    @if cell.targets > 1 && !matches!(first, Item::NodeSet(_)) { " +" (cell.targets - 1) }
                }
            }
        }
    }
}

/// The short form of an answer: its code in words where the bundle has one.
fn answer(cx: &Context<'_>, reason: &str) -> String {
    let ends = &cx.run.traversal.ends;
    let row = ends.text.iter().position(|text| text == Some(reason));
    match row.and_then(|row| ends.code.get(row)) {
        Some(code) => code.replace(['-', '_'], " "),
        None => naming::short(reason, 24),
    }
}

fn text(cx: &Context<'_>, cell: &Cell, item: Item) -> Markup {
    let plain = |text: String| html! { (text) };
    match item {
        Item::NodeSet(_) => plain(format::grouped(i64::from(cell.targets))),
        Item::Pass(row) | Item::Submission(row) | Item::Layer(row) => plain(row.to_string()),
        other => {
            let name = naming::name(cx.run, other).map_or_else(|| naming::identity(other), str::to_owned);
            // Nearly all tensors that are read are called weight, which then tells nothing.
            let telling = match other {
                Item::Tensor(_) => name.strip_suffix(".weight").unwrap_or(&name),
                _ => &name,
            };
            let cut = naming::short(telling, 17);
            html! { @if cut == name { (name) } @else { span title=(name) { (cut) } } }
        }
    }
}

fn pages(cx: &Context<'_>, from: usize, shown: usize, total: usize) -> Markup {
    let to = |from: usize| cx.href(&cx.view.with("from", &from.to_string()));
    html! {
        @if shown < total {
            nav class="pager" aria-label="Pages of intervals" {
                @if from > 0 { a id="page-before" href=(to(from.saturating_sub(PAGE))) { "Earlier" } }
                span {
                    (format::grouped(from as i64 + 1)) " to " (format::grouped((from + shown) as i64)) " of "
                    (format::grouped(total as i64))
                }
                @if from + shown < total { a id="page-after" href=(to(from + shown)) { "Later" } }
            }
        }
    }
}

fn key() -> Markup {
    html! {
        div class="key" {
            span {
                svg width="30" height="12" aria-hidden="true" { line class="rec" x1="0" x2="28" y1="6" y2="6" marker-end="url(#ah)" {} }
                "resolved: a stored relation, with its label"
            }
            span { (end_mark()) "terminal: the bundle says the chain ends" }
            span class="gap" { (gap_mark()) "gap: the bundle does not say" }
        }
    }
}

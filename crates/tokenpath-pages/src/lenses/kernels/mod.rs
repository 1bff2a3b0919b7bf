//! The lens Kernels: what ran, summed within one execution and pass kind, and the nodes behind a name.

mod beside;

use tokenpath_core::Label;
use tokenpath_core::derive::kernels::{
    self, Available, Joined, Population, Readings, Row, Subject, Table, available, chosen, joined, readings, table,
};
use tokenpath_core::derive::search::Needle;
use tokenpath_core::derive::sum;
use tokenpath_core::derive::touched::touched;
use tokenpath_core::fact::{Fact, Quantity};
use tokenpath_core::item::Item;

use crate::format;
use crate::html::{Markup, html, pct, symbol};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::stated::{pager, window};
use crate::table::{self as long, Sort};
use crate::value::{glyph, opening, value, why};

/// At most so many nodes or kernels are listed in place; the rest are counted.
const LISTED: usize = 24;

const MEDIAN: &str = "median of the durations; halfway between the two middle ones when their number is even";
const P95: &str = "95th percentile of the durations, interpolated linearly between the closest ranks";

/// What the parts of this lens are drawn from.
struct Lists<'a> {
    cx: &'a Context<'a>,
    available: Vec<Available<'a>>,
    shown: Option<Available<'a>>,
    table: Table<'a>,
    joined: Joined,
    /// The graphs that the passes shown execute; empty when they do not say.
    graphs: Vec<u32>,
}

/// Draws the lens.
pub(in crate::lenses) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.kernels.given {
        return nothing(Lens::Kernels, &run.missing("/kernels"));
    }
    let available = available(run);
    let execution = cx.view.param("exec").and_then(|text| text.parse::<u32>().ok());
    let shown = chosen(run, &available, cx.view.item, execution, cx.view.param("kind"));
    let empty = Population { execution: None, kind: None, outside: false };
    let population = shown.map_or(empty, |shown| shown.population);
    let graphs = kernels::graphs_of(run, &kernels::members(run, population)).into_iter().collect();
    let lists = Lists { cx, table: table(run, population), shown, joined: joined(run), available, graphs };
    html! {
        (lens_head(&lists.title(), &lists.intro()))
        (lists.fields())
        (lists.figure())
        (lists.selected())
        div class="two" {
            (lists.cautions())
            (lists.not_joined())
        }
        (lists.compared())
    }
}

fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Lists<'_> {
    /// The name of a kernel for people: its short form.
    fn name(&self, kernel: u32) -> &str {
        let kernels = &self.cx.run.kernels;
        kernels.short.get(kernel as usize).or(kernels.name.get(kernel as usize)).unwrap_or("")
    }

    fn title(&self) -> Markup {
        let run = self.cx.run;
        let first = self.table.rows.first();
        match first.map(|row| (row.subject, readings(run, &self.table, row).share)) {
            Some((Subject::Kernel(kernel), Ok(share))) => html! {
                code { (self.name(kernel)) } " holds " (format::quantity(&share.quantity)) " of the listed time"
            },
            _ if self.table.intervals > 0 => html! {
                (format::plural(int(self.kernels_listed()), "kernel", "kernels")) " in " (format::plural(i64::from(self.table.intervals), "interval", "intervals"))
            },
            _ => html! { (format::plural(int(run.kernels.rows()), "kernel", "kernels")) ", no intervals" },
        }
    }

    fn kernels_listed(&self) -> usize {
        self.table.rows.iter().filter(|row| matches!(row.subject, Subject::Kernel(_))).count()
    }

    fn intro(&self) -> Markup {
        html! {
            "What ran"
            @if let Some(shown) = &self.shown {
                @if shown.population.outside { ", of the intervals that fell in no known pass. " }
                @else { ", summed over " (passes(shown)) ". " }
            } @else { ". " }
            @match &self.table.listed {
                Ok(listed) if *listed > 0 => {
                    "The denominator of each share is the " (format::nanos(*listed)) " listed here, not the wall clock; intervals that overlap count in full."
                }
                Ok(_) => {}
                Err(_) => { "Counts only: times are not complete, so none is added up and no share is given." }
            }
        }
    }

    fn fields(&self) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let now = self.shown.map(|shown| shown.population);
        let execution = now.and_then(|now| now.execution);
        let mut executions: Vec<(String, String)> = Vec::new();
        let mut kinds: Vec<(String, String)> = Vec::new();
        for known in &self.available {
            let population = known.population;
            if let Some(row) = population.execution
                && !executions.iter().any(|(value, _)| *value == row.to_string())
            {
                let name = run.passes.executions.name.get(row as usize).unwrap_or("unnamed");
                executions.push((row.to_string(), name.to_owned()));
            }
            if population.outside || population.execution == execution {
                kinds.push((kind_value(population).to_owned(), kind_words(known)));
            }
        }
        let kind = now.map(kind_value).unwrap_or_default().to_owned();
        let execution = execution.map(|row| row.to_string()).unwrap_or_default();
        html! {
            div class="fields" {
                (long::search(cx, "kernels-q", "Name"))
                @if executions.len() > 1 { (long::choice("kernels-exec", "Execution", "exec", &execution, &executions)) }
                @if kinds.len() > 1 { (long::choice("kernels-kind", "Passes", "kind", &kind, &kinds)) }
            }
            @if let Some(text) = self.shown.and_then(|shown| shown.population.execution).and_then(|row| run.passes.executions.text.get(row as usize)) {
                p class="note" { (text) }
            }
        }
    }

    fn figure(&self) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let needle = Needle::new(cx.view.param("q").unwrap_or(""));
        let mut rows: Vec<&Row<'_>> = self.table.rows.iter().filter(|row| self.matches(row, &needle)).collect();
        let sort = Sort::of(cx);
        match sort.key {
            "name" => rows.sort_by_key(|row| self.subject_text(row.subject).to_owned()),
            "nodes" => rows.sort_by_key(|row| row.nodes),
            "intervals" => rows.sort_by_key(|row| row.intervals),
            "median" => rows.sort_by(|a, b| by(a, b, |times| times.median)),
            "p95" => rows.sort_by(|a, b| by(a, b, |times| times.p95)),
            "total" => rows.sort_by_key(|row| row.times.map(|times| times.total)),
            _ => {}
        }
        if sort.descending {
            rows.reverse();
        }
        let timed = self.table.listed.is_ok();
        let most = rows.iter().filter_map(|row| row.times).map(|times| times.total).max().unwrap_or(0).max(1);
        let frequent = rows.iter().map(|row| row.intervals).max().unwrap_or(0).max(1);
        let touched = touched(run, cx.view.item);
        let counted = !timed && (0..run.kernels.rows()).any(|row| run.kernels.counted.get(row).is_some());
        let window = window(cx, rows.len());
        let clock = run.timeline.intervals.label("duration", 0).filter(|_| timed);
        let aside = html! {
            (format::plural(int(rows.len()), "row", "rows")) ", " (format::plural(i64::from(self.table.intervals), "interval", "intervals"))
            @if let Some(clock) = clock { " " (glyph(clock)) }
        };
        let body = html! {
            div class="tw kernels" tabindex="0" role="region" aria-label="Kernels" { table class="tight" {
                thead { tr {
                    (long::sort_head(cx, "Kernel", "name", false, false))
                    (long::sort_head(cx, "Nodes", "nodes", true, true))
                    (long::sort_head(cx, "Intervals", "intervals", true, true))
                    @if counted { (long::head("Counted", true)) }
                    @if timed {
                        (long::sort_head(cx, "Total", "total", true, true))
                        (long::derived_head("Mean", "sum of the durations ÷ number of intervals"))
                        (long::sort_head_labelled(cx, "Median", "median", &Label::derived(MEDIAN)))
                        (long::sort_head_labelled(cx, "p95", "p95", &Label::derived(P95)))
                        (long::derived_head("Of the listed time", "sum of the durations ÷ sum of all listed"))
                    }
                    th scope="col" { span class="sr" { @if timed { "Share as a bar" } @else { "Intervals as a bar" } } }
                } }
                tbody {
                    @for row in rows.get(window.clone()).unwrap_or(&[]) {
                        @let on = matches!(row.subject, Subject::Kernel(kernel) if touched.kernels.contains(&kernel));
                        (self.row(row, on, counted, most, frequent))
                    }
                }
                @if let Ok(listed) = &self.table.listed {
                    tfoot { tr {
                        th scope="row" colspan="3" { "All listed" }
                        td class="n" { (opening(&Ok(self.all(*listed)))) }
                        td colspan="5" {}
                    } }
                }
            } }
            @if rows.is_empty() && !self.table.rows.is_empty() { p class="note" { "No kernel matches." } }
            (pager(cx, &window, rows.len(), "rows"))
            @if let Err(missing) = &self.table.listed { (why(missing)) }
            @if self.table.rows.is_empty() { (self.named_only()) }
            p class="note" {
                "Nodes are those that name the kernel as a candidate, with the weakest label among these mappings."
                @if (0..run.kernels.rows()).any(|row| run.kernels.short.get(row).is_some()) { " Two kernels may share a short form; the full name, on hovering, is the identity." }
            }
        };
        figure(&self.caption(), &aside, &body)
    }

    fn caption(&self) -> String {
        match self.shown.map(|shown| shown.population) {
            Some(Population { outside: true, .. }) => "Kernels of no known pass".to_owned(),
            Some(Population { kind: Some(kind), .. }) => format!("Kernels of the {kind} passes"),
            _ => "Kernels".to_owned(),
        }
    }

    /// Kernels that are named without intervals: what the instrument counted, where it counts.
    fn named_only(&self) -> Markup {
        let kernels = &self.cx.run.kernels;
        html! {
            (why(&self.cx.run.missing("/timeline/intervals")))
            ul class="tally" {
                @for row in (0..kernels.rows()).take(LISTED) {
                    li { code title=[kernels.name.get(row)] { (self.name(u32::try_from(row).unwrap_or(u32::MAX))) } @if let Some(count) = kernels.counted.get(row) { " " (format::grouped(count)) } }
                }
            }
        }
    }

    fn matches(&self, row: &Row<'_>, needle: &Needle) -> bool {
        needle.is_empty()
            || needle.is_in(self.subject_text(row.subject))
            || matches!(row.subject, Subject::Kernel(kernel) if self.cx.run.kernels.name.get(kernel as usize).is_some_and(|name| needle.is_in(name)))
    }

    fn subject_text<'b>(&'b self, subject: Subject<'b>) -> &'b str {
        match subject {
            Subject::Kernel(kernel) => self.name(kernel),
            Subject::Unknown(operation) => operation.unwrap_or("kernel not known"),
            Subject::Ended(end) => self.cx.run.traversal.ends.text.get(end as usize).unwrap_or("no kernel"),
        }
    }

    fn subject_mark(&self, subject: Subject<'_>) -> Markup {
        let text = self.subject_text(subject);
        match subject {
            Subject::Kernel(_) => html! { code class="clip" title=(text) { (text) } },
            Subject::Unknown(_) => html! { span class="gap" { (symbol("x-gap", 26, 12, "torn")) } code { (text) } },
            Subject::Ended(_) => {
                html! { (symbol("x-term", 14, 12, "ends")) span class="q clip" title=(text) { (text) } }
            }
        }
    }

    fn all(&self, listed: i64) -> Fact {
        let labels = &self.cx.run.timeline.intervals.labels;
        let input = sum::input(Quantity::Nanos(listed), labels, "duration", "/timeline/intervals/duration");
        let what = format!("durations of {} intervals", self.table.intervals);
        Fact::derived(Quantity::Nanos(listed), "sum of the durations of all listed rows", vec![(what, input)])
    }

    fn row(&self, row: &Row<'_>, on: bool, counted: bool, most: i64, frequent: u32) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let values: Readings = readings(run, &self.table, row);
        let bar = match row.times {
            Some(times) => times.total as f64 / most as f64,
            None => f64::from(row.intervals) / f64::from(frequent),
        };
        html! {
            tr class=[on.then_some("on")] {
                td {
                    @match row.subject {
                        Subject::Kernel(kernel) => {
                            a href=(cx.select(Item::Kernel(kernel))) title=(run.kernels.name.get(kernel as usize).unwrap_or("")) { code class="clip" { (self.name(kernel)) } }
                        }
                        Subject::Unknown(operation) => {
                            @let missing = run.missing(&format!("/timeline/intervals/kernel/{}", row.first));
                            @if let Some(operation) = operation { code { (operation) } " " }
                            span class="gap" title=(missing.reason) {
                                (symbol("x-gap", 26, 12, "torn"))
                                @if operation.is_some() { "operation only" } @else { "kernel not known" }
                            }
                        }
                        Subject::Ended(_) => { (symbol("x-term", 14, 12, "ends")) span class="q clip" title=(self.subject_text(row.subject)) { (self.subject_text(row.subject)) } }
                    }
                }
                td class="n" {
                    @match row.subject {
                        Subject::Kernel(_) if row.nodes == 0 => { span class="gap" title="No node names this kernel." { "none" } }
                        Subject::Ended(_) => {}
                        Subject::Kernel(kernel) => {
                            a href=(self.nodes_of(kernel)) {
                                @if let Some(label) = row.mapping { (glyph(label)) }
                                (format::grouped(i64::from(row.nodes)))
                            }
                        }
                        Subject::Unknown(_) => { (format::grouped(i64::from(row.nodes))) }
                    }
                }
                td class="n" { (format::grouped(i64::from(row.intervals))) }
                @if counted {
                    td class="n" { @if let Subject::Kernel(kernel) = row.subject { @if let Some(count) = run.kernels.counted.get(kernel as usize) { (format::grouped(count)) } } }
                }
                @if row.times.is_some() {
                    td class="n" { (value(&values.total)) }
                    td class="n" { (long::plain(&values.mean)) }
                    td class="n" { (long::plain(&values.median)) }
                    td class="n" { (long::plain(&values.p95)) }
                    td class="n" { (long::plain(&values.share)) }
                }
                td class="bar" { svg width="100%" height="10" aria-hidden="true" { rect class="f-bar" width=(pct(bar)) height="10" {} } }
            }
        }
    }

    /// The address of the nodes that name a kernel, in the graph of the passes shown where that is one.
    fn nodes_of(&self, kernel: u32) -> String {
        let view = self.cx.view.to(Lens::Nodes).with("kernel", &kernel.to_string());
        let view = match self.graphs.as_slice() {
            [only] => view.with("graph", &only.to_string()),
            _ => view,
        };
        self.cx.href(&view)
    }

    /// The selected kernel: its full name and the nodes that name it.
    fn selected(&self) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let Some(Item::Kernel(kernel)) = cx.view.item else { return html! {} };
        let Some(name) = run.kernels.name.get(kernel as usize) else { return html! {} };
        let nodes = kernels::nodes_of(run, kernel);
        let body = html! {
            p { code class="wrap" { (name) } }
            @if nodes.is_empty() {
                p class="note" { "No node of the graph names it, so it leads to no tensor and no layer." }
            } @else {
                ul class="tally" {
                    @for node in nodes.iter().take(LISTED) {
                        li {
                            a href=(cx.follow(Lens::Block, Item::Node(*node))) { (node) " " code { (run.graph.nodes.name.get(*node as usize).unwrap_or("")) } }
                            @if let Some(layer) = run.graph.nodes.layer.get(*node as usize) { " layer " (layer) }
                        }
                    }
                    @if nodes.len() > LISTED {
                        li { a href=(self.nodes_of(kernel)) { "all " (format::grouped(int(nodes.len()))) } }
                    }
                }
            }
        };
        figure(
            "Candidate nodes of the selected kernel",
            &html! { (format::plural(int(nodes.len()), "node", "nodes")) },
            &body,
        )
    }
}

fn by(a: &Row<'_>, b: &Row<'_>, of: impl Fn(kernels::Times) -> f64) -> std::cmp::Ordering {
    let value = |row: &Row<'_>| row.times.map_or(f64::NEG_INFINITY, &of);
    value(a).total_cmp(&value(b))
}

/// A population's kind as the parameter spells it.
fn kind_value<'a>(population: Population<'a>) -> &'a str {
    match (population.outside, population.kind) {
        (true, _) => "none",
        (false, Some(kind)) => kind,
        (false, None) => "",
    }
}

fn kind_words(known: &Available<'_>) -> String {
    match (known.population.outside, known.population.kind) {
        (true, _) => "in no known pass".to_owned(),
        (false, Some(kind)) => format!("{kind} ({})", format::grouped(i64::from(known.passes))),
        (false, None) => format!("not classified ({})", format::grouped(i64::from(known.passes))),
    }
}

fn passes(shown: &Available<'_>) -> String {
    let count = i64::from(shown.passes);
    match shown.population.kind {
        Some(kind) => format::plural(count, &format!("{kind} pass"), &format!("{kind} passes")),
        None => format::plural(count, "pass", "passes"),
    }
}

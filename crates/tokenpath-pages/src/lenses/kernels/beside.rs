//! Beside the table of kernels: what may not be read from it, what is not joined, prefill against decode.

use std::collections::HashSet;

use tokenpath_core::Label;
use tokenpath_core::derive::kernels::{Population, Readings, Subject, Table, incomparable, readings, table};
use tokenpath_core::fact::{Fact, Quantity};
use tokenpath_core::item::Item;

use super::{LISTED, Lists, MEDIAN, int};
use crate::format;
use crate::html::{Markup, html, symbol};
use crate::page::figure;
use crate::table as long;
use crate::value::{known, why};

impl Lists<'_> {
    /// The instrument's own statements, and what holds for every sum over kernels.
    pub(super) fn cautions(&self) -> Markup {
        let run = self.cx.run;
        let body = html! {
            ul class="dash" {
                @for statement in run.identity.instrument.statement.iter().flatten() { li { (statement) } }
                li { "Not what a layer costs: a kernel may serve several parts of a model. Follow its nodes for that." }
                @if self.shown.is_some_and(|shown| shown.passes > 1) { li { "Not one pass: the rows add up all passes of the kind." } }
            }
        };
        figure(
            "What may not be read from it",
            &html! { @if let Some(name) = &run.identity.instrument.name { (name) } },
            &body,
        )
    }

    /// Kernels without nodes, nodes without kernels, intervals without a pass.
    pub(super) fn not_joined(&self) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let joined = &self.joined;
        let count = |count: usize, text: &str| {
            known(&Fact {
                quantity: Quantity::Count(int(count)),
                label: Label::derived(text),
                pointer: String::new(),
                formula: None,
            })
        };
        let outside = self.available.iter().find(|known| known.population.outside).map_or(0, |known| known.intervals);
        let body = html! {
            dl class="kv" {
                dt { "Kernels that ran and that no node names" }
                dd { (count(joined.unjoined.len(), "count of kernels with intervals and without nodes")) }
                dt { "Nodes whose kernel is not known" }
                dd {
                    @if !joined.unknown.is_empty() { span class="gap" { (symbol("x-gap", 26, 12, "torn")) } }
                    (count(joined.unknown.len(), "count of nodes without kernels and without an answer why"))
                }
                @for (end, nodes) in &joined.ended {
                    dt { (run.traversal.ends.text.get(*end as usize).unwrap_or("Nodes that run no kernel")) }
                    dd { (count(*nodes as usize, "count of nodes with this answer")) }
                }
                @if outside > 0 {
                    dt { "Intervals in no known pass" }
                    dd { (count(outside as usize, "count of intervals without a pass")) }
                }
            }
            @if let Some(first) = joined.unknown.first() { (why(&run.missing(&format!("/graph/nodes/kernels/{first}")))) }
            @if !run.graph.nodes.given { (why(&run.missing("/graph/nodes"))) }
            @if !joined.unjoined.is_empty() {
                ul class="tally" {
                    @for kernel in joined.unjoined.iter().take(LISTED) {
                        li { a href=(cx.select(Item::Kernel(*kernel))) title=(run.kernels.name.get(*kernel as usize).unwrap_or("")) { code class="clip" { (self.name(*kernel)) } } }
                    }
                    @if joined.unjoined.len() > LISTED { li { "and " (format::grouped(int(joined.unjoined.len() - LISTED))) " more" } }
                }
            }
        };
        figure("Not joined", &html! { "over the whole run" }, &body)
    }

    /// Prefill against decode, where the execution recorded both.
    pub(super) fn compared(&self) -> Markup {
        let run = self.cx.run;
        let execution = match self.shown {
            Some(shown) if !shown.population.outside => shown.population.execution,
            _ => return html! {},
        };
        if let Some(missing) = incomparable(run, &self.available, execution) {
            let body = html! { (why(&missing)) };
            return figure("Prefill against decode", &html! { "not compared" }, &body);
        }
        let of = |kind: &'static str| table(run, Population { execution, kind: Some(kind), outside: false });
        let passes = |kind: &str| {
            let found = self
                .available
                .iter()
                .find(|known| known.population.execution == execution && known.population.kind == Some(kind));
            found.map_or(0, |known| known.passes)
        };
        let (prefill, decode) = (of("prefill"), of("decode"));
        let row_of = |table: &Table<'_>, subject: Subject<'_>| {
            table.rows.iter().find(|row| row.subject == subject).map(|row| readings(run, table, row))
        };
        let cells = |readings: Option<Readings>| {
            html! {
                @match readings {
                    Some(readings) => { td class="n" { (long::plain(&readings.median)) } td class="n" { (long::plain(&readings.share)) } }
                    None => { td class="n q" { "did not run" } td {} }
                }
            }
        };
        let mut subjects: Vec<Subject<'_>> = decode.rows.iter().map(|row| row.subject).collect();
        let in_decode: HashSet<Subject<'_>> = subjects.iter().copied().collect();
        subjects.extend(prefill.rows.iter().map(|row| row.subject).filter(|subject| !in_decode.contains(subject)));
        let body = html! {
            div class="tw" tabindex="0" role="region" aria-label="Prefill against decode" { table class="tight" {
                thead { tr {
                    (long::head("Kernel", false))
                    (long::derived_head("Median in prefill", MEDIAN))
                    (long::derived_head("Of the listed time", "sum of the durations ÷ sum of all listed in prefill"))
                    (long::derived_head("Median in decode", MEDIAN))
                    (long::derived_head("Of the listed time", "sum of the durations ÷ sum of all listed in decode"))
                } }
                tbody {
                    @for subject in subjects.iter().take(LISTED) {
                        tr {
                            td { (self.subject_mark(*subject)) }
                            (cells(row_of(&prefill, *subject)))
                            (cells(row_of(&decode, *subject)))
                        }
                    }
                }
            } }
            p class="note" {
                "Prefill: " (format::plural(i64::from(passes("prefill")), "pass", "passes")) ". Decode: " (format::plural(i64::from(passes("decode")), "pass", "passes"))
                ". A prefill pass takes in many tokens at once, so a longer interval is not a slower kernel."
                @if subjects.len() > LISTED { " The first " (LISTED) " of " (format::grouped(int(subjects.len()))) " rows are shown." }
            }
        };
        figure("Prefill against decode", &html! { "the same execution" }, &body)
    }
}

//! The derived figures: each opens its formula and inputs. No published peak, no operation rate.

use tokenpath_core::derive::run::{ExecutionFigures, RunFigures};
use tokenpath_core::derive::weight_bytes::WeightBytes;
use tokenpath_core::fact::Reading;

use crate::format;
use crate::html::{Markup, html};
use crate::page::figure;
use crate::stated::int;
use crate::value;

/// The figure.
pub(super) fn derived(overview: &RunFigures) -> Markup {
    let figures = &overview.figures;
    figure(
        "Derived figures",
        &html! { "each opens its formula" },
        &html! {
            dl class="kv" {
                (line("Tokens per second over the generation", &figures.rate))
                @match &figures.weights {
                    Ok(weights) => (bytes(weights)),
                    Err(missing) => (line("Weight bytes of one decode token", &Err(missing.clone()))),
                }
            }
            @match figures.executions.as_slice() {
                [] => {}
                [only] => (of_execution(only)),
                several => (of_executions(several)),
            }
            (note(overview))
        },
    )
}

fn line(caption: &str, reading: &Reading) -> Markup {
    html! { dt { (caption) } dd { (value::opening(reading)) } }
}

fn bytes(weights: &WeightBytes) -> Markup {
    let pass = weights.pass;
    let same = match (&weights.named, &weights.addressed) {
        (Ok(named), Ok(addressed)) => named.quantity == addressed.quantity,
        (Err(named), Err(addressed)) => named == addressed,
        _ => false,
    };
    html! {
        @if same {
            (line(&format!("Weight bytes that decode pass {pass} names and addresses"), &weights.addressed))
        } @else {
            (line(&format!("Weight bytes that decode pass {pass} names"), &weights.named))
            (line("of these, addressed", &weights.addressed))
        }
    }
}

/// The figures of the only execution.
fn of_execution(execution: &ExecutionFigures) -> Markup {
    let periods = format::plural(int(execution.periods), "period", "periods");
    html! {
        dl class="kv" {
            (line(&format!("Decode period, median of {periods}"), &execution.median))
            (line("Decode period, mean", &execution.mean))
            (line("Effective weight bandwidth", &execution.bandwidth))
            (line("Share of a stated hardware peak", &execution.share_of_peak))
        }
        @if execution.node_by_node { p class="note" { (crate::stated::capital(ONE_AT_A_TIME)) } }
    }
}

/// What must be said beside the times of a run that was executed node by node.
const ONE_AT_A_TIME: &str = "executed one node at a time: nothing is fused, nothing overlaps, and each node pays the \
                             instrument, so the bandwidth is below that of a run left alone.";

/// The figures of several executions side by side, and what each keeps and changes.
fn of_executions(executions: &[ExecutionFigures]) -> Markup {
    html! {
        div class="tw" {
            table class="tight execs" {
                thead { tr {
                    th scope="col" { "Decode period, by execution" } th scope="col" class="n" { "Median" } th scope="col" class="n" { "Mean" }
                    th scope="col" class="n" { "Weight bandwidth" }
                } }
                tbody {
                    @for execution in executions {
                        tr {
                            td { (execution.name.as_deref().unwrap_or("not told apart")) ": " (format::plural(int(execution.periods), "period", "periods")) }
                            @for reading in [&execution.median, &execution.mean, &execution.bandwidth] { td class="n" { (value::opening(reading)) } }
                        }
                    }
                }
            }
        }
        @if let Some(first) = executions.first() {
            dl class="kv" {
                @for execution in executions.iter().filter(|execution| execution.share_of_peak.is_ok()) {
                    (line(&format!("Share of the stated peak, {}", execution.name.as_deref().unwrap_or("not told apart")), &execution.share_of_peak))
                }
                @if executions.iter().all(|execution| execution.share_of_peak.is_err()) {
                    (line("Share of a stated hardware peak", &first.share_of_peak))
                }
            }
        }
        @for execution in executions.iter().filter(|execution| execution.is_above_peak()) {
            p class="note" {
                @if let Some(name) = &execution.name { (crate::stated::capital(name)) ": " }
                "the bandwidth is above the stated peak. Both figures stand as they are; the peak may be that of another "
                "memory, or a cache may hold weights from one token to the next."
            }
        }
        @for execution in executions.iter().filter(|execution| execution.node_by_node) {
            p class="note" { @if let Some(name) = &execution.name { (crate::stated::capital(name)) ": " } (ONE_AT_A_TIME) }
        }
        details class="more" {
            summary { "What each way of executing keeps and changes" }
            ul class="dash" {
                @for execution in executions {
                    @if let Some(text) = &execution.text {
                        li { b { (execution.name.as_deref().unwrap_or("")) } ". " (value::known_text(text)) }
                    }
                }
            }
        }
    }
}

/// What the two counts of bytes are, where they differ.
fn note(overview: &RunFigures) -> Markup {
    let Ok(weights) = &overview.figures.weights else { return html! {} };
    html! {
        @if weights.looked_up + weights.routed > 0 {
            p class="note" {
                "Addressed: "
                @if weights.looked_up > 0 {
                    (format::plural(int(weights.looked_up), "table is", "tables are")) " looked up, so only the rows taken count"
                }
                @if weights.looked_up > 0 && weights.routed > 0 { "; " }
                @if weights.routed > 0 {
                    "of " (format::plural(int(weights.routed), "expert tensor", "expert tensors")) " only the chosen experts count"
                }
                ". The bandwidth divides the addressed bytes; the KV cache and activations are not in it."
            }
        } @else if weights.addressed.is_ok() {
            p class="note" { "Every named tensor is read whole. The KV cache and activations are not in the bandwidth." }
        }
    }
}

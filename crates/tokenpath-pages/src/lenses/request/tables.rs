//! The numbers of the lens, each with its definition.

use std::collections::BTreeSet;

use tokenpath_core::derive::request::{Counter, RequestTiming};
use tokenpath_core::derive::spread::Spread;
use tokenpath_core::fact::{Fact, Missing, Quantity, Reading};
use tokenpath_core::item::Item;

use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::stated::{int, number, pager, window};
use crate::value;

/// Time to the first token, by its three definitions.
pub(super) fn first_tokens(timing: &RequestTiming) -> Markup {
    let same = match (&timing.first_token, &timing.first_content_token) {
        (Ok(any), Ok(content)) => any.quantity == content.quantity,
        _ => false,
    };
    figure(
        "Time to the first token, by its three definitions",
        &html! { "from the start of the request" },
        &html! {
            div class="tw txt def" {
                table {
                    thead { tr { th scope="col" { "Name" } th scope="col" class="n" { "Value" } th scope="col" { "Definition" } } }
                    tbody {
                        (definition("First byte", &timing.first_byte, &html! { "Request start to the first byte of the answer. It need not carry a token." }))
                        (definition("First token, any channel", &timing.first_token, &html! {
                            "Request start to the first chunk that carries text or a token, reasoning included; an empty or role-only chunk is none."
                        }))
                        (definition("First content token", &timing.first_content_token, &html! {
                            "The same, counting only the content channel."
                            @if same { " Equal here: the first token is content." }
                        }))
                        (definition("End", &timing.end, &html! { "Request start to the end of the generation: the field's end-to-end latency." }))
                    }
                }
            }
        },
    )
}

/// Gaps between chunks and between tokens, each number beside its definition.
pub(super) fn gaps(timing: &RequestTiming) -> Markup {
    let several = match (&timing.token_gaps, &timing.chunk_gaps) {
        (Ok(tokens), Ok(chunks)) => tokens.values != chunks.values,
        _ => true,
    };
    let chunk_text = html! {
        "Gap between neighbouring chunks with text as they arrive. The first chunk has none before it."
        (zeros(timing.chunk_gaps.as_ref().ok()))
    };
    let token_text = html! {
        @if several { "Gap between neighbouring tokens as they arrive; the tokens of one chunk arrive together." }
        @else { "Gap between neighbouring tokens. Each chunk carries one, so it equals the gap between chunks." }
    };
    figure(
        "Between chunks and between tokens",
        &html! { "the time to the first is in none of them" },
        &html! {
            div class="tw txt def" {
                table {
                    thead { tr { th scope="col" { "Name" } th scope="col" class="n" { "Value" } th scope="col" { "Definition" } } }
                    tbody {
                        (spread_rows("Inter-chunk", "gap", &timing.chunk_gaps, &chunk_text))
                        (spread_rows("Inter-token", "gap", &timing.token_gaps, &token_text))
                        (definition("Inter-token, as a mean", &timing.mean_token_gap, &html! {
                            "First token to end ÷ (tokens − 1), as AIPerf defines ITL and vLLM's benchmark TPOT. "
                            @if let Ok(fact) = &timing.mean_token_gap { (counted_by(fact)) }
                        }))
                        (definition("Rate", &timing.rate, &html! { "(tokens − 1) ÷ first token to end." }))
                    }
                }
            }
        },
    )
}

fn definition(name: &str, reading: &Reading, text: &Markup) -> Markup {
    html! {
        tr {
            td class="w" { (name) }
            td class="n" { @match reading { Ok(_) => (value::opening(reading)), Err(missing) => (value::absent_short(missing)) } }
            td { (text) @if let Err(missing) = reading { " " (missing.reason) } }
        }
    }
}

/// Median, percentile and longest of one kind of gap; one row with the reason when it is absent.
fn spread_rows(name: &str, what: &str, gaps: &Result<Spread, Missing>, text: &Markup) -> Markup {
    let count = gaps.as_ref().map_or(0, Spread::count);
    html! {
        @match gaps {
            Err(missing) => (definition(name, &Err(missing.clone()), text)),
            Ok(gaps) => {
                (definition(&format!("{name}, median"), &Ok(gaps.median.clone()), text))
                (definition(&format!("{name}, p95"), &Ok(gaps.p95.clone()), &html! {
                    "95 in 100 are at most as long; interpolated between the closest ranks."
                }))
                (definition(&format!("{name}, longest"), &Ok(gaps.longest.clone()), &html! {
                    (crate::stated::capital(what)) " " (format::grouped(int(gaps.longest_at + 1))) " of " (format::grouped(int(count))) "."
                }))
            }
        }
    }
}

/// Whose count of tokens the mean divides by.
fn counted_by(mean: &Fact) -> &'static str {
    let tokens = mean.formula.as_ref().and_then(|formula| formula.inputs.iter().find(|(name, _)| name == "tokens"));
    match tokens {
        Some((_, fact)) if fact.formula.is_some() => "Tokens as the chunks carry them.",
        Some(_) => "Tokens as the server counts them.",
        None => "",
    }
}

fn zeros(gaps: Option<&Spread>) -> Markup {
    let zeros = gaps.map_or(0, Spread::zeros);
    html! {
        @if zeros > 0 {
            " " (format::plural(int(zeros), "gap is zero", "gaps are zero"))
            ": those chunks came in one read."
        }
    }
}

/// The server's counters, apart from the client's clock.
pub(super) fn counters(cx: &Context<'_>, timing: &RequestTiming) -> Markup {
    if !cx.run.request.counters.given {
        let why = value::why(&cx.run.missing("/request/counters"));
        return figure("The server's own counters", &html! { "apart from the client's clock" }, &why);
    }
    let of = |name: &str| timing.counters.iter().find(|counter| counter.name == name).map(|counter| &counter.value);
    figure(
        "The server's own counters",
        &html! { "apart from the client's clock" },
        &html! {
            dl class="kv" {
                @for counter in &timing.counters {
                    dt { (caption(counter)) @if let Some(source) = &counter.source { " " code { (source) } } }
                    dd { (value::opening(&counter.value)) }
                    @if counter.name == "cached_tokens" {
                        dt { "of these, processed for this request" }
                        dd { (value::opening(&timing.processed_prompt_tokens)) }
                    }
                }
            }
            @if let (Some(Ok(prompt)), Some(Ok(cached))) = (of("prompt_tokens"), of("cached_tokens")) { (prompt_strip(prompt, cached)) }
        },
    )
}

/// The prompt as a strip, its cached prefix apart.
fn prompt_strip(prompt: &Fact, cached: &Fact) -> Markup {
    let (Some(whole), Some(part)) = (number(prompt), number(cached)) else { return html! {} };
    if whole <= 0 || part > whole {
        return html! {};
    }
    let share = crate::axis::percent(part as f64 / whole as f64 * 100.0);
    let rest = crate::axis::percent(100.0 - part as f64 / whole as f64 * 100.0);
    let name = format!(
        "{}, of which {} from the cache",
        format::plural(whole, "prompt token", "prompt tokens"),
        format::grouped(part)
    );
    html! {
        svg class="fluid strip" role="img" aria-label=(name) width="100%" height="14" {
            @if part > 0 { rect class="f-bar" x="0" y="0" width=(share) height="14" {} }
            @if part < whole { rect class="f-pre" x=(share) y="0" width=(rest) height="14" {} }
        }
        p class="key" {
            @if part > 0 { span { (crate::html::swatch("f-bar")) "from the cache, " (format::grouped(part)) } }
            @if part < whole { span { (crate::html::swatch("f-pre")) "processed, " (format::grouped(whole - part)) } }
        }
    }
}

fn caption(counter: &Counter) -> String {
    match counter.name.as_str() {
        "prompt_tokens" => "Prompt tokens, cached prefix included".to_owned(),
        "cached_tokens" => "of these, from the cache".to_owned(),
        "prompt_time" => "Prompt time".to_owned(),
        "generated_tokens" => "Generated tokens".to_owned(),
        "generation_time" => "Generation time".to_owned(),
        "draft_tokens" => "Draft tokens".to_owned(),
        "draft_accepted" => "Draft tokens accepted".to_owned(),
        "load_time" => "Load time".to_owned(),
        "total_time" => "Total time".to_owned(),
        other => crate::stated::capital(&other.replace('_', " ")),
    }
}

/// Every event and every chunk as a table, open when a chunk is selected or a later page is asked for.
pub(super) fn arrivals(cx: &Context<'_>, timing: &RequestTiming) -> Markup {
    let chunks = &cx.run.request.chunks;
    let rows = chunks.rows();
    let shown = window(cx, rows);
    let open = matches!(cx.view.item, Some(Item::Chunk(_))) || cx.view.param("from").is_some();
    let carrying: BTreeSet<usize> = timing.arrivals.carrying.iter().copied().collect();
    let passes = chunks.pass.raw().iter().any(|pass| *pass != u32::MAX);
    let texts = (0..rows).any(|row| chunks.text.get(row).is_some());
    html! {
        details class="fig data" open[open] {
            summary { "Events and chunks as tables" }
            dl class="kv events" {
                @for (name, reading) in super::clock::events(cx) { dt { (name) } dd { (value::opening(&reading)) } }
            }
            @if rows > 0 {
                (pager(cx, &shown, rows, "chunks"))
                div class="tw" {
                    table class="tight chunks" {
                        thead { tr {
                            th scope="col" class="n" { "Chunk" } th scope="col" class="n" { "Arrival" } th scope="col" class="n" { "After the one before" }
                            th scope="col" class="n" { "Characters" } th scope="col" class="n" { "Tokens" } th scope="col" { "Channel" }
                            @if texts { th scope="col" { "Text" } }
                            @if passes { th scope="col" { "Pass" } }
                        } }
                        tbody {
                            @for row in shown.clone() {
                                @let item = Item::Chunk(u32::try_from(row).unwrap_or(u32::MAX));
                                tr class=[cx.is_selected(item).then_some("on")] {
                                    td class="n" { a href=(cx.select(item)) { (row) } }
                                    td class="n" { (time(chunks.at.get(row))) }
                                    td class="n" {
                                        @if let (Some(at), Some(before)) = (chunks.at.get(row), row.checked_sub(1).and_then(|row| chunks.at.get(row))) {
                                            (time(at.checked_sub(before)))
                                        }
                                    }
                                    td class="n" { @if let Some(count) = chunks.characters.get(row) { (format::grouped(count)) } }
                                    td class="n" {
                                        @match chunks.tokens.get(row) {
                                            Some(count) => (format::grouped(count)),
                                            None if carrying.contains(&row) => (value::absent_short(&cx.run.missing("/request/chunks/tokens"))),
                                            None => "",
                                        }
                                    }
                                    td { (chunks.channel.get(row).unwrap_or("")) }
                                    @if texts { td { code { (format::token(chunks.text.get(row).unwrap_or(""))) } } }
                                    @if passes {
                                        td { @if let Some(pass) = chunks.pass.get(row) { a href=(cx.follow(Lens::Passes, Item::Pass(pass))) { "pass " (pass) } } }
                                    }
                                }
                            }
                        }
                    }
                }
                (label_line(cx))
            }
        }
    }
}

fn time(nanos: Option<i64>) -> Markup {
    html! { @if let Some(nanos) = nanos { span title=[format::exact(&Quantity::Nanos(nanos))] { (format::nanos(nanos)) } } }
}

/// The labels of the table's columns, said once: every row carries the same.
fn label_line(cx: &Context<'_>) -> Markup {
    let chunks = &cx.run.request.chunks;
    let columns = [("arrival", "at"), ("characters", "characters"), ("tokens", "tokens"), ("channel", "channel")];
    html! {
        p class="note" {
            @for (i, (name, column)) in columns.iter().enumerate() {
                @if i > 0 { ", " }
                @if let Some(label) = chunks.label(column, 0) { (value::glyph(label)) } (name)
            }
            "; gaps are derived from arrivals."
        }
    }
}

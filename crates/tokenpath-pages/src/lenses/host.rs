//! The lens Ranges and API: what programs annotated and called on the host, and what the GPU ran for it.

use tokenpath_core::Label;
use tokenpath_core::derive::host::{CallsOfName, Ranges, RangesOfName, calls, ranges};
use tokenpath_core::derive::search::Needle;
use tokenpath_core::fact::{Fact, Quantity, Reading};

use crate::format;
use crate::html::{Markup, html, pct};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::stated::{int, pager, window};
use crate::table::{self as long, Sort};
use crate::value::{glyph, why};

const UNION: &str = "length of the union of their times";
const PROJECTED: &str = "length of the union of the intervals whose launches lie in them, on their thread";

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    let (named, called) = (run.timeline.ranges.rows(), run.timeline.calls.rows());
    if named + called == 0 {
        let mut page = nothing(Lens::Host, &run.missing("/timeline/ranges"));
        if !run.timeline.calls.given {
            page = html! { (page) (why(&run.missing("/timeline/calls"))) };
        }
        return page;
    }
    let ranges = ranges(run);
    let calls = calls(run);
    html! {
        (lens_head(&title(&ranges, &calls), &html! {
            "What programs annotated, and what they called. These times overlap each other and the GPU's work: they do not "
            "add up to the run."
        }))
        div class="fields" { (long::search(cx, "ranges-q", "Name")) }
        (of_ranges(cx, &ranges))
        (of_calls(cx, &calls))
    }
}

fn title(ranges: &Ranges<'_>, calls: &[CallsOfName<'_>]) -> Markup {
    match (ranges.rows.first(), calls.first()) {
        (Some(range), _) if range.sum > 0 => html! {
            code { (range.name) } " spans " (format::nanos(range.union)) " of the host's time"
        },
        (_, Some(call)) => html! { code { (call.name) } " takes " (format::nanos(call.sum)) " of the host's time" },
        (Some(_), None) => html! { (format::plural(int(ranges.rows.len()), "name", "names")) " of marks" },
        (None, None) => html! { (Lens::Host.name()) },
    }
}

/// A sum of durations with how it came about.
fn summed(nanos: i64, column: &str, label: Option<&Label>) -> Reading {
    let cells = Fact::stored(Quantity::Nanos(nanos), label, column);
    Ok(Fact::derived(Quantity::Nanos(nanos), "sum of the durations", vec![("durations".to_owned(), cells)]))
}

fn of_ranges(cx: &Context<'_>, ranges: &Ranges<'_>) -> Markup {
    let run = cx.run;
    if ranges.rows.is_empty() {
        return figure("Named ranges", &html! {}, &why(&run.missing("/timeline/ranges")));
    }
    let needle = Needle::new(cx.view.param("q").unwrap_or(""));
    let mut rows: Vec<&RangesOfName<'_>> = ranges.rows.iter().filter(|row| needle.is_in(row.name)).collect();
    let sort = Sort::of(cx);
    match sort.key {
        "name" => rows.sort_by_key(|row| row.name),
        "ranges" => rows.sort_by_key(|row| row.count),
        "total" => rows.sort_by_key(|row| row.sum),
        "union" => rows.sort_by_key(|row| row.union),
        "longest" => rows.sort_by_key(|row| row.longest),
        "launched" => rows.sort_by_key(|row| row.launched),
        "gpu" => rows.sort_by_key(|row| row.gpu),
        _ => {}
    }
    if sort.descending {
        rows.reverse();
    }
    let gpu = ranges.no_gpu.is_none();
    let open = rows.iter().any(|row| row.open > 0);
    let most = rows.iter().map(|row| row.sum).max().unwrap_or(0).max(1);
    let window = window(cx, rows.len());
    let clock = run.timeline.ranges.label("duration", 0);
    let all: i64 = ranges.rows.iter().map(|row| i64::from(row.count) + i64::from(row.open)).sum();
    let aside = html! {
        (format::plural(int(ranges.rows.len()), "name", "names")) ", " (format::plural(all, "range", "ranges"))
        @if let Some(clock) = clock { " " (glyph(clock)) }
    };
    let body = html! {
        div class="tw host" tabindex="0" role="region" aria-label="Named ranges" { table class="tight" {
            thead { tr {
                (long::sort_head(cx, "Name", "name", false, false))
                (long::sort_head(cx, "Ranges", "ranges", true, true))
                @if open { (long::head("Without an end", true)) }
                (long::sort_head(cx, "Total", "total", true, true))
                (long::sort_head_labelled(cx, "Union", "union", &Label::derived(UNION)))
                (long::sort_head(cx, "Longest", "longest", true, true))
                @if gpu {
                    (long::sort_head(cx, "Intervals launched", "launched", true, true))
                    (long::sort_head_labelled(cx, "GPU time of them", "gpu", &Label::derived(PROJECTED)))
                }
                th scope="col" { span class="sr" { "Total as a bar" } }
            } }
            tbody { @for row in rows.get(window.clone()).unwrap_or(&[]) { tr {
                td { code class="clip" title=(row.name) { (row.name) } }
                td class="n" { (format::grouped(i64::from(row.count))) }
                @if open { td class="n" { @if row.open > 0 { (format::grouped(i64::from(row.open))) } } }
                @if row.count > 0 {
                    td class="n" { (long::plain(&summed(row.sum, "/timeline/ranges/duration", clock))) }
                    td class="n" { (format::nanos(row.union)) }
                    td class="n" { (format::nanos(row.longest)) }
                } @else { td class="n" {} td class="n" {} td class="n" {} }
                @if gpu {
                    td class="n" { (format::grouped(i64::from(row.launched))) }
                    td class="n" { @if row.launched > 0 { (format::nanos(row.gpu)) } }
                }
                td class="bar" { (bar(row.sum, most)) }
            } } }
        } }
        @if rows.is_empty() { p class="note" { "No range matches." } }
        (pager(cx, &window, rows.len(), "rows"))
        @if let Some(missing) = &ranges.no_gpu { (why(missing)) }
        p class="note" {
            "Ranges nest, so totals of different names hold each other. "
            @if gpu { "An interval belongs to a range when its launch lies in it on the range's thread, though it runs later; what inner ranges launch counts for the outer ones too." }
        }
    };
    figure("Named ranges, by name", &aside, &body)
}

fn of_calls(cx: &Context<'_>, calls: &[CallsOfName<'_>]) -> Markup {
    let run = cx.run;
    if calls.is_empty() {
        return figure("API calls", &html! {}, &why(&run.missing("/timeline/calls")));
    }
    let needle = Needle::new(cx.view.param("q").unwrap_or(""));
    let rows: Vec<&CallsOfName<'_>> = calls.iter().filter(|row| needle.is_in(row.name)).collect();
    let most = rows.iter().map(|row| row.sum).max().unwrap_or(0).max(1);
    let clock = run.timeline.calls.label("duration", 0);
    let all: i64 = calls.iter().map(|row| i64::from(row.count)).sum();
    let aside = html! {
        (format::plural(int(calls.len()), "name", "names")) ", " (format::plural(all, "call", "calls"))
        @if let Some(clock) = clock { " " (glyph(clock)) }
    };
    let body = html! {
        div class="tw host" tabindex="0" role="region" aria-label="API calls" { table class="tight" {
            thead { tr {
                (long::head("Name", false))
                (long::head("Calls", true))
                (long::head("Total", true))
                (long::derived_head("Mean", "sum of the durations ÷ number of calls"))
                (long::head("Longest", true))
                (long::head("Made a submission", true))
                th scope="col" { span class="sr" { "Total as a bar" } }
            } }
            tbody { @for row in rows.iter().take(LISTED) { tr {
                td { code class="clip" title=(row.name) { (row.name) } }
                td class="n" { (format::grouped(i64::from(row.count))) }
                td class="n" { (long::plain(&summed(row.sum, "/timeline/calls/duration", clock))) }
                td class="n" { @if row.open == 0 { (format::nanos(row.sum / i64::from(row.count.max(1)))) } }
                td class="n" { (format::nanos(row.longest)) }
                td class="n" { (format::grouped(i64::from(row.submissions))) }
                td class="bar" { (bar(row.sum, most)) }
            } } }
        } }
        @if rows.is_empty() { p class="note" { "No call matches." } }
        @if rows.len() > LISTED { p class="note" { (format::plural(int(rows.len() - LISTED), "name takes", "names take")) " less time than these; the filter finds them." } }
    };
    figure("API calls, by name", &aside, &body)
}

/// So many names of calls are listed, those with the most time.
const LISTED: usize = 100;

fn bar(part: i64, most: i64) -> Markup {
    let width = part as f64 / most as f64;
    html! { svg width="100%" height="10" aria-hidden="true" { rect class="f-bar" width=(pct(width)) height="10" {} } }
}

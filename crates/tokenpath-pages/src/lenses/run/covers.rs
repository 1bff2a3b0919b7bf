//! What the recording covers: each level of the stack, what lies outside, what is attributed to nothing.

use tokenpath_core::derive::coverage::{Counted, Coverage, Level, PartOfIntervals, State};
use tokenpath_core::derive::run::{RunFigures, stated};
use tokenpath_core::fact::{Fact, Missing, Quantity, Reading};

use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::value;

/// The mark of a state.
pub(crate) fn mark(state: State) -> Markup {
    let (id, word) = match state {
        State::Present => ("#s-p", "present"),
        State::Partial => ("#s-h", "partial"),
        State::Absent => ("#s-a", "absent"),
    };
    html! { svg class="st" role="img" aria-label=(word) { title { (word) } use href=(id) {} } }
}

fn name(level: Level) -> (&'static str, Lens) {
    match level {
        Level::Request => ("Request", Lens::Request),
        Level::Passes => ("Passes", Lens::Passes),
        Level::Submissions => ("CPU submissions", Lens::Timeline),
        Level::Segments => ("GPU segments", Lens::Timeline),
        Level::Intervals => ("Intervals", Lens::Timeline),
        Level::Kernels => ("Kernels", Lens::Kernels),
        Level::Graph => ("Graph", Lens::Nodes),
        Level::Tensors => ("Tensors", Lens::Model),
    }
}

/// The figure.
pub(super) fn levels(cx: &Context<'_>, overview: &RunFigures) -> Markup {
    let aside = html! {
        @for (i, state) in [State::Present, State::Partial, State::Absent].into_iter().enumerate() {
            @if i > 0 { "  " }
            span class="legend" { (mark(state)) (match state { State::Present => "present", State::Partial => "partial", State::Absent => "absent" }) }
        }
    };
    figure(
        "What this recording covers",
        &aside,
        &html! {
            div class="tw txt" {
                table class="covers" {
                    thead { tr {
                        th scope="col" { "Level" } th scope="col" { span class="sr" { "State" } }
                        th scope="col" class="n" { "Recorded" } th scope="col" { "Of what, and what is missing" }
                    } }
                    tbody { @for rows in merged(&overview.levels) { (row(cx, &rows)) } }
                }
            }
            (beside(cx, overview))
            (left_out(cx))
        },
    )
}

/// Neighbouring levels that are absent for the same reason are said once.
fn merged(levels: &[Coverage]) -> Vec<Vec<&Coverage>> {
    let mut rows: Vec<Vec<&Coverage>> = Vec::new();
    for level in levels {
        let same = |other: &Coverage| {
            other.state == State::Absent
                && level.state == State::Absent
                && other.missing.first().map(|missing| &missing.reason)
                    == level.missing.first().map(|missing| &missing.reason)
        };
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| same(first)) => row.push(level),
            _ => rows.push(vec![level]),
        }
    }
    rows
}

fn row(cx: &Context<'_>, levels: &[&Coverage]) -> Markup {
    let Some(first) = levels.first() else { return html! {} };
    html! {
        tr {
            td class=[(levels.len() == 1).then_some("w")] {
                @for (i, level) in levels.iter().enumerate() {
                    @let (name, lens) = name(level.level);
                    @if i > 0 { ", " }
                    a class="plain" href=(cx.to(lens)) { (name) }
                }
            }
            td { (mark(first.state)) }
            td class="n" {
                @match &first.recorded {
                    Ok(recorded) => (of_how_many(&recorded.fact, first.of.as_ref())),
                    Err(missing) => (value::absent_short(missing)),
                }
            }
            td { (what(first)) }
        }
    }
}

/// A count, and of how many where that is known.
pub(super) fn of_how_many(count: &Fact, of: Option<&Fact>) -> Markup {
    html! {
        span class="v" {
            (value::glyph(&count.label)) (format::quantity(&count.quantity))
            @if let Some(of) = of { " of " (format::quantity(&of.quantity)) }
        }
    }
}

fn noun(counted: &Counted) -> &'static str {
    if counted.fact.quantity == Quantity::Count(1) { counted.one } else { counted.many }
}

fn what(level: &Coverage) -> Markup {
    html! {
        @if let Ok(recorded) = &level.recorded {
            (noun(recorded))
            @for note in &level.notes { "; " (format::quantity(&note.fact.quantity)) " " (noun(note)) }
            "."
        }
        (reasons(&level.missing))
    }
}

/// Up to two reasons in place; more of them open.
fn reasons(missing: &[Missing]) -> Markup {
    html! {
        @if missing.len() <= 2 {
            @for missing in missing { " " (missing.reason) }
        } @else {
            details class="more" {
                summary { (format::plural(crate::stated::int(missing.len()), "reason", "reasons")) " for what is missing" }
                ul class="dash" { @for missing in missing { li { (missing.reason) " " code { (missing.pointer) } } } }
            }
        }
    }
}

/// Graph mode and what is attributed to nothing.
fn beside(cx: &Context<'_>, overview: &RunFigures) -> Markup {
    let graphs: Reading = match cx.run.identity.instrument.graphs.as_deref() {
        Some("node") => Ok(stated("each node of a launched graph is recorded", "/identity/instrument/graphs")),
        Some("graph") => {
            Ok(stated("a launched graph is recorded as one, its kernels hidden", "/identity/instrument/graphs"))
        }
        Some("none") => Ok(stated("none were launched", "/identity/instrument/graphs")),
        _ => Err(cx.run.missing("/identity/instrument/graphs")),
    };
    html! {
        @if !cx.run.is_user_mode() {
            dl class="kv beside" {
                dt { "CUDA or HIP graphs" }
                dd { (value::value(&graphs)) }
                @match &overview.unattributed {
                    Ok(unattributed) => {
                        (part("Intervals in no pass", &unattributed.in_no_pass))
                        @if let Some(launch) = &unattributed.without_launch {
                            (part("Intervals whose launch is not recorded", launch))
                        }
                        (part("Intervals that name no kernel", &unattributed.without_kernel))
                        (part("Intervals that reach no node of the graph", &unattributed.at_no_node))
                    }
                    Err(missing) => { dt { "Not attributed" } dd { (value::absent(missing)) } }
                }
                @if let Some(device) = &overview.device {
                    dt { "From the first work of the device to its last" } dd { (value::opening(&device.span)) }
                    dt { "The device was busy" }
                    dd { (value::opening(&device.busy)) @if device.share.is_ok() { ", " (value::opening(&device.share)) } }
                    dt { "and idle" } dd { (value::opening(&device.idle)) }
                }
            }
        }
    }
}

fn part(caption: &str, part: &PartOfIntervals) -> Markup {
    let some = part.count.quantity != Quantity::Count(0);
    html! {
        dt { (caption) }
        dd {
            (of_how_many(&part.count, Some(&part.of)))
            @if some { ", " (value::opening(&part.share)) @if part.share.is_ok() { " of their time" } }
        }
    }
}

/// Rows that the source held and the run leaves out.
fn left_out(cx: &Context<'_>) -> Markup {
    let table = &cx.run.timeline.left_out;
    html! {
        @if table.given && table.rows() > 0 {
            h3 class="ft" { "Left out of the run" }
            div class="tw txt" {
                table {
                    thead { tr { th scope="col" class="n" { "Rows" } th scope="col" { "What" } th scope="col" { "Why" } } }
                    tbody {
                        @for row in 0..table.rows() {
                            tr {
                                td class="n" {
                                    @if let (Some(count), Some(label)) = (table.count.get(row), table.label("count", row)) {
                                        span class="v" { (value::glyph(label)) (format::grouped(count)) }
                                    }
                                }
                                td { (table.what.get(row).unwrap_or("")) }
                                td { (table.reason.get(row).unwrap_or("")) }
                            }
                        }
                    }
                }
            }
        } @else if !cx.run.is_user_mode() {
            p class="note" { "Rows dropped or outside the capture: the bundle counts none and does not say that there were none." }
        }
    }
}

//! The drawing: columns as tall as periods, the passes' extents, the chunk arrivals, one axis.

use tokenpath_core::derive::passes::{Group, PassKind, PassRow, in_request, kind};
use tokenpath_core::fact::{Quantity, Reading};
use tokenpath_core::item::Item;

use crate::axis::{TimeAxis, percent};
use crate::format;
use crate::html::{Markup, html, px, swatch};
use crate::page::{Context, figure as titled};

/// Where the columns stand: their foot, and the greatest height of one.
const FOOT: f64 = 188.0;
const HIGHEST: f64 = 156.0;

/// How tall the outline of a column without a period is.
const BARE: f64 = 36.0;

/// Part of the width that names rows, in per cent.
const NAMES: f64 = 11.0;

/// A pass with the times it is drawn by.
struct Column<'a> {
    row: &'a PassRow,
    kind: PassKind,
    start: i64,
    end: Option<i64>,
    period: Option<i64>,
}

fn nanos(reading: &Reading) -> Option<i64> {
    match reading.as_ref().ok()?.quantity {
        Quantity::Nanos(value) => Some(value),
        _ => None,
    }
}

/// The figure with its key.
pub(super) fn figure(cx: &Context<'_>, group: &Group, passes: &[PassRow]) -> Markup {
    let joined = cx.run.passes.clock_join.offset.is_some();
    // Passes outside the request would press the rest together; the table has them.
    let inside: Vec<&PassRow> = passes.iter().filter(|row| !joined || in_request(cx.run, row.pass)).collect();
    let inside = if inside.is_empty() { passes.iter().collect() } else { inside };
    let outside = passes.len() - inside.len();
    let shift = if joined {
        cx.run.passes.clock_join.offset.unwrap_or(0)
    } else {
        // Without a request clock the axis counts from the first pass drawn.
        inside.iter().filter_map(|row| nanos(&row.start)).min().unwrap_or(0)
    };
    let columns: Vec<Column<'_>> = inside
        .into_iter()
        .filter_map(|row| {
            let start = nanos(&row.start)?.checked_sub(shift)?;
            let end = nanos(&row.span).and_then(|span| start.checked_add(span));
            Some(Column { row, kind: kind(cx.run, row.pass), start, end, period: nanos(&row.period) })
        })
        .collect();
    let axis = axis(cx, &columns, joined);
    let gaps = unrecorded(cx, &axis, shift);
    let selected = columns.iter().find(|column| cx.is_selected(Item::Pass(column.row.pass)));
    let aside = html! {
        @match selected {
            Some(column) => {
                "selected: pass " (column.row.pass)
                @if let Some(token) = &column.row.token_text { ", the token " code { (format::token(token)) } }
            }
            None => "select a pass to follow it through the other lenses",
        }
    };
    titled(
        "Period of each pass",
        &aside,
        &html! {
            @if columns.is_empty() { p class="note" { "No pass of this page has a start; there is nothing to draw." } }
            @else { (drawing(cx, group, &columns, axis, &gaps, joined)) }
            (key(&columns, !gaps.is_empty(), joined && cx.run.request.chunks.rows() > 0))
            @if outside > 0 {
                p class="note" {
                    (format::plural(crate::stated::int(outside), "pass lies", "passes lie"))
                    " outside the request and in the table only."
                }
            }
        },
    )
}

fn axis(cx: &Context<'_>, columns: &[Column<'_>], joined: bool) -> TimeAxis {
    let first = columns.iter().map(|column| column.start).min().unwrap_or(0);
    let last = columns
        .iter()
        .filter_map(|column| {
            column.end.max(column.period.map(|period| column.start.saturating_add(period))).or(Some(column.start))
        })
        .max()
        .unwrap_or(first);
    let arrivals = (0..cx.run.request.chunks.rows()).filter_map(|row| cx.run.request.chunks.at.get(row));
    let last = if joined {
        arrivals.filter(|at| *at <= last.saturating_add((last - first) / 10)).max().map_or(last, |at| at.max(last))
    } else {
        last
    };
    // A joined page that starts near time zero is drawn from it.
    let from = if joined && first >= 0 && first < last / 4 { 0 } else { first };
    TimeAxis::new(from, last).after(NAMES)
}

fn drawing(
    cx: &Context<'_>,
    group: &Group,
    columns: &[Column<'_>],
    axis: TimeAxis,
    gaps: &[(i64, i64)],
    joined: bool,
) -> Markup {
    let tallest = columns.iter().filter_map(|column| column.period).max().unwrap_or(1).max(1);
    let height = |period: i64| HIGHEST * period as f64 / tallest as f64;
    let wide = width(&axis, columns);
    let name = format!(
        "{} drawn to their periods; {}",
        format::plural(crate::stated::int(columns.len()), "pass", "passes"),
        match &group.decode_periods {
            Ok(periods) => format!("median decode period {}", format::quantity(&periods.median.quantity)),
            Err(_) => "no decode period is known".to_owned(),
        }
    );
    html! {
        svg class="fluid cols" role="group" aria-label=(name) width="100%" height=(if joined { "284" } else { "262" }) {
            (grid(tallest))
            @for column in columns { (one(cx, column, &axis, wide, &height)) }
            line class="ax" x1=(percent(NAMES)) x2="100%" y1=(px(FOOT)) y2=(px(FOOT)) {}
            (callouts(cx, columns, &axis, wide, &height))
            text class="q" x="0" y="211" { "passes" }
            @for column in columns { (extent(column, &axis)) }
            @for (start, end) in gaps {
                rect class="paper" x=(axis.x(*start)) y="199" width=(axis.width(end - start)) height="16" {}
                rect class="hatch" x=(axis.x(*start)) y="200" width=(axis.width(end - start)) height="14" {}
            }
            @if joined {
                text class="q" x="0" y="246" { "chunks" }
                @for at in arrivals(cx, &axis) { line class="tok" x1=(percent(at)) x2=(percent(at)) y1="234" y2="248" {} }
                text class="q roomy" x="0" y="277" { "request" }
                (axis.draw(260, 5))
            } @else {
                text class="q roomy" x="0" y="255" { "trace" }
                (axis.draw(238, 5))
            }
        }
        @if !joined {
            p class="note" { "Times count from the start of the first pass drawn: " (cx.run.reason("/passes/clock_join")) }
        }
    }
}

/// One width for all columns: as wide as the narrowest distance between two allows.
fn width(axis: &TimeAxis, columns: &[Column<'_>]) -> f64 {
    let places: Vec<f64> = columns.iter().map(|column| axis.at(column.start)).collect();
    let narrowest = places.iter().zip(places.iter().skip(1)).map(|(a, b)| b - a).fold(f64::INFINITY, f64::min);
    (narrowest * 0.7).clamp(0.15, 2.2)
}

fn grid(tallest: i64) -> Markup {
    let scale = TimeAxis::new(0, tallest);
    let (unit, name) = format::time_unit(tallest as f64);
    html! {
        @for tick in scale.ticks(4).into_iter().filter(|tick| *tick > 0) {
            @let y = FOOT - HIGHEST * tick as f64 / tallest as f64;
            line class="gr" x1=(percent(NAMES)) x2="100%" y1=(px(y)) y2=(px(y)) {}
            text class="q" x=(percent(NAMES - 0.8)) y=(px(y + 4.0)) text-anchor="end" { (format::tick(tick as f64 / unit)) (format::THIN) (name) }
        }
        text class="q" x=(percent(NAMES - 0.8)) y=(px(FOOT)) text-anchor="end" { "0" }
    }
}

fn fill(kind: PassKind) -> &'static str {
    match kind {
        PassKind::Prefill => "f-pre",
        PassKind::Decode => "f-bar",
        PassKind::Unknown => "f-well",
    }
}

fn word(kind: PassKind) -> &'static str {
    match kind {
        PassKind::Prefill => "prefill",
        PassKind::Decode => "decode",
        PassKind::Unknown => "kind not known",
    }
}

fn one(cx: &Context<'_>, column: &Column<'_>, axis: &TimeAxis, wide: f64, height: &dyn Fn(i64) -> f64) -> Markup {
    let item = Item::Pass(column.row.pass);
    let x = axis.at(column.start);
    let on = cx.is_selected(item);
    let said = match column.period {
        Some(period) => {
            format!("pass {}, {}, period {}", column.row.pass, word(column.kind), format::nanos(period))
        }
        None => format!("pass {}, {}, no period", column.row.pass, word(column.kind)),
    };
    html! {
        // The table holds the same links; a person who goes by keyboard need not go through each column too.
        a href=(cx.select(item)) tabindex="-1" aria-label=(said) {
            title { (said) }
            @if on {
                @let span = column.period.or(column.end.map(|end| end - column.start)).unwrap_or(0);
                rect class="selw" x=(percent(x)) y="4" width=(axis.width(span)) height="228" {}
            }
            rect class="hit" x=(percent(x)) y="4" width=(percent(wide.max(0.6))) height=(px(FOOT - 4.0)) {}
            @match column.period {
                Some(period) => {
                    rect class=(fill(column.kind)) x=(percent(x)) y=(px(FOOT - height(period))) width=(percent(wide)) height=(px(height(period))) {}
                    @if on { rect class="sel" x=(percent(x)) y=(px(FOOT - height(period))) width=(percent(wide)) height=(px(height(period))) {} }
                }
                None => {
                    rect class={ "empty" @if on { " sel" } } x=(percent(x)) y=(px(FOOT - BARE)) width=(percent(wide)) height=(px(BARE)) {}
                }
            }
        }
    }
}

/// A direct label stands clear of so much to its side, in per cent of the width.
const LABEL: f64 = 9.0;

/// Direct labels: the kinds at their first column, the selected pass, a column without a period.
fn callouts(
    cx: &Context<'_>,
    columns: &[Column<'_>],
    axis: &TimeAxis,
    wide: f64,
    height: &dyn Fn(i64) -> f64,
) -> Markup {
    let is_selected = |column: &Column<'_>| cx.is_selected(Item::Pass(column.row.pass));
    let selected = columns.iter().find(|column| is_selected(column));
    let bare = columns.iter().find(|column| column.period.is_none() && !is_selected(column));
    let firsts = [PassKind::Prefill, PassKind::Decode]
        .into_iter()
        .filter_map(|kind| columns.iter().find(|column| column.kind == kind && column.period.is_some()))
        .filter(|column| !is_selected(column));
    let mut labels: Vec<(&Column<'_>, &str, Vec<String>)> =
        firsts.map(|column| (column, "", vec![word(column.kind).to_owned()])).collect();
    if let Some(column) = selected {
        let second = column.period.map_or_else(|| "no period".to_owned(), format::nanos);
        labels.push((column, "b", vec![format!("pass {}", column.row.pass), second]));
    }
    if let Some(column) = bare {
        labels.push((column, "q roomy", vec!["no period".to_owned()]));
    }
    html! {
        @for (column, class, lines) in &labels {
            @let x = axis.at(column.start);
            @let (from, to, anchor, place) = if x > 100.0 - LABEL {
                (x + wide - LABEL, x + wide, "end", x + wide)
            } else {
                (x, x + LABEL, "start", x)
            };
            // Above every column that the label would otherwise stand in.
            @let highest = columns
                .iter()
                .filter(|other| axis.at(other.start) + wide > from && axis.at(other.start) < to)
                .map(|other| other.period.map_or(BARE, height))
                .fold(0.0, f64::max);
            @for (line, text_line) in lines.iter().rev().enumerate() {
                @let y = (FOOT - highest - 6.0 - 14.0 * line as f64).max(12.0 + 14.0 * (lines.len() - 1 - line) as f64);
                text class=[(!class.is_empty()).then_some(class)] x=(percent(place)) y=(px(y)) text-anchor=(anchor) { (text_line) }
            }
        }
    }
}

/// Where a pass computes: from its start to when its result was there.
fn extent(column: &Column<'_>, axis: &TimeAxis) -> Markup {
    html! {
        @match column.end {
            Some(end) => rect class=(fill(column.kind)) x=(axis.x(column.start)) y="200" width=(axis.width(end - column.start)) height="14" {},
            None => line class="mute" x1=(axis.x(column.start)) x2=(axis.x(column.start)) y1="200" y2="214" {},
        }
    }
}

/// Stretches of the drawn time that the instrument says it did not record, on the axis's clock.
fn unrecorded(cx: &Context<'_>, axis: &TimeAxis, shift: i64) -> Vec<(i64, i64)> {
    let table = &cx.run.timeline.unrecorded;
    let (from, to) = axis.ends();
    (0..table.rows())
        .filter_map(|row| Some((table.start.get(row)?.checked_sub(shift)?, table.end.get(row)?.checked_sub(shift)?)))
        .filter(|(start, end)| *end > from && *start < to)
        .map(|(start, end)| (start.max(from), end.min(to)))
        .collect()
}

/// Where chunks with text arrive within the drawn stretch, one place for those closer than a pixel.
fn arrivals(cx: &Context<'_>, axis: &TimeAxis) -> Vec<f64> {
    let chunks = &cx.run.request.chunks;
    let mut places: Vec<f64> = (0..chunks.rows())
        .filter(|row| chunks.channel.get(*row).is_some_and(|channel| channel != "none"))
        .filter_map(|row| Some((axis.at(chunks.at.get(row)?) * 10.0).round() / 10.0))
        .filter(|at| (NAMES..=100.0).contains(at))
        .collect();
    places.dedup();
    places
}

fn key(columns: &[Column<'_>], gaps: bool, chunks: bool) -> Markup {
    let has = |kind: PassKind| columns.iter().any(|column| column.kind == kind);
    html! {
        p class="key" {
            @for kind in [PassKind::Prefill, PassKind::Decode, PassKind::Unknown] {
                @if has(kind) { span { (swatch(fill(kind))) (word(kind)) } }
            }
            @if gaps { span { (swatch("hatch")) "not recorded, neither idle nor busy" } }
            @if columns.iter().any(|column| column.period.is_none()) { span { (swatch("empty")) "no period, height means nothing" } }
            @if chunks { span { svg width="6" height="12" aria-hidden="true" { line class="tok" x1="3" x2="3" y1="0" y2="12" {} } "chunk arrival, client" } }
        }
    }
}

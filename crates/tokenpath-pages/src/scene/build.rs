//! From rows and a viewport to a scene.

use tokenpath_core::Run;
use tokenpath_core::derive::part::Part;
use tokenpath_core::derive::timeline::{
    Columns, Event, Lane, Marks, Met, Place, Span, Start, TimelineRows, Tint, Track, TrackKind,
};

use super::axis::ticks;
use super::viewport::Limits;
use super::{Anchor, Bar, Fill, Hatch, LaneBox, Layout, Line, Of, Outline, Role, Scene, Stroke, Text, Viewport};
use crate::format;

/// What a scene is built from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The run; names come from it.
    pub run: &'a Run,
    /// Its rows.
    pub rows: &'a TimelineRows,
    /// What the selection marks.
    pub marks: &'a Marks,
    /// What times count from.
    pub start: Start,
    /// Draws tracks of this kind alone, without a minimap.
    pub only: Option<TrackKind>,
}

/// Estimated width of a character in CSS pixels, a little on the wide side: of names, and of monospace ones.
const SANS: f64 = 6.3;
const MONO: f64 = 6.4;

/// Builds one frame.
pub fn build(source: &Source<'_>, view: Viewport) -> Scene {
    let layout = Layout::new(source, &view);
    let mut builder = Builder {
        source,
        view,
        columns: Columns::new(view.from, view.to, view.plot_width()),
        scene: Scene {
            view,
            layout,
            hatches: Vec::new(),
            bars: Vec::new(),
            lanes: Vec::new(),
            map_range: (view.from, view.to),
            map: Vec::new(),
            map_hatches: Vec::new(),
            lines: Vec::new(),
            outlines: Vec::new(),
            texts: Vec::new(),
            marked: source.marks.count(),
            flows: (source.marks.flow_count, 0),
        },
    };
    builder.axis();
    builder.names();
    builder.lanes();
    builder.flows();
    if source.only.is_none() {
        builder.minimap();
    }
    builder.scene
}

struct Builder<'a> {
    source: &'a Source<'a>,
    view: Viewport,
    columns: Columns,
    scene: Scene,
}

/// A vertical stretch that is visible: top and height, in pixels of the drawing.
type Visible = Option<(u32, u32)>;

impl Builder<'_> {
    /// Where rows from `top` on, `height` high, show after scrolling.
    fn visible(&self, top: u32, height: u32) -> Visible {
        let body = i64::from(self.scene.layout.body);
        let top = body + i64::from(top) - i64::from(self.view.scroll);
        let end = (top + i64::from(height)).min(i64::from(self.view.height));
        let top = top.max(body);
        (end > top).then(|| (u32::try_from(top).unwrap_or(0), u32::try_from(end - top).unwrap_or(0)))
    }

    fn text(&mut self, x: f64, y: u32, anchor: Anchor, role: Role, text: &str, room: f64) {
        let mono = matches!(role, Role::Under);
        let Some(short) = fit(text, room / self.view.scale, if mono { MONO } else { SANS }) else { return };
        let whole = (short != text).then(|| text.to_owned());
        self.scene.texts.push(Text { x, y, anchor, role, text: short, whole });
    }

    fn axis(&mut self) {
        let of_pass = self.source.only.is_none() && self.source.start.pass.is_some();
        let origin = if of_pass { "pass start" } else { "0" };
        let (top, baseline) = (self.scene.layout.funnel, self.scene.layout.axis);
        let bottom = (self.scene.layout.full_height().saturating_sub(self.view.scroll)).min(self.view.height);
        for tick in ticks(&self.view, self.source.start.zero, origin) {
            let line =
                Line { from: (tick.x, f64::from(top + 4)), to: (tick.x, f64::from(bottom)), stroke: Stroke::Grid };
            self.scene.lines.push(line);
            let x = tick.x + f64::from(self.view.px(4.0));
            self.text(x, baseline, Anchor::Start, Role::Tick, &tick.text, f64::from(self.view.width) - x);
        }
    }

    fn names(&mut self) {
        let room = f64::from(self.view.plot_left()) - 6.0 * self.view.scale;
        let (plot, width) = (f64::from(self.view.plot_left()), f64::from(self.view.plot_width()));
        for place in self.scene.layout.tracks.clone() {
            let first = self.source.rows.lane(place.track, 0).is_some();
            let lane = self.scene.layout.lanes.iter().find(|lane| lane.track == place.track).map(|lane| lane.height);
            // The name stands at the middle of the first lane, and what it is one of beneath.
            let middle = place.top + lane.unwrap_or(self.view.px(16.0)) / 2;
            let two = if place.which.is_some() { self.view.px(6.0) } else { 0 };
            let baseline = middle + self.view.px(4.0) - two;
            if let Some((top, height)) = self.visible(baseline.saturating_sub(self.view.px(9.0)), self.view.px(12.0))
                && height >= self.view.px(11.0)
            {
                let y = top + self.view.px(9.0);
                match &place.which {
                    Some(which) => {
                        self.text(0.0, y, Anchor::Start, Role::Track, &place.name, room);
                        self.text(0.0, y + self.view.px(13.0), Anchor::Start, Role::Which, which, room);
                    }
                    None => self.text(0.0, y, Anchor::Start, Role::Track, &place.name, room),
                }
                if let Some(reason) = &place.reason
                    && !first
                {
                    let text = format!("\u{2014} {reason}");
                    self.text(plot, y, Anchor::Start, Role::Reason, &text, width);
                }
            }
        }
    }

    fn lanes(&mut self) {
        for at in 0..self.scene.layout.lanes.len() {
            let Some(place) = self.scene.layout.lanes.get(at).copied() else { continue };
            let Some(visible) = self.visible(place.top, place.height) else { continue };
            let Some(track) = self.source.rows.tracks.get(place.track) else { continue };
            let Some(lane) = track.lanes.get(place.lane) else { continue };
            if place.lane == 0 && track.kind.hatched() {
                self.hatch(&place);
            }
            self.scene.lanes.push((at, self.scene.bars.len()));
            self.lane(track, lane, &place, visible);
            if let Some(marked) = self.source.marks.lane(place.track, place.lane) {
                self.outline(marked, visible);
            }
        }
    }

    fn hatch(&mut self, first: &LaneBox) {
        let last = self.scene.layout.lanes.iter().rfind(|lane| lane.track == first.track).copied().unwrap_or(*first);
        let Some((y, height)) = self.visible(first.top, last.top + last.height - first.top) else { return };
        let mut hatches = hatches(&self.source.rows.unrecorded, &self.columns, self.view.plot_left(), y, height);
        hatches.extend(self.outside(y, height));
        self.scene.hatches.extend(hatches);
    }

    /// What lies before the capture's start and after its end.
    fn outside(&self, y: u32, height: u32) -> Vec<Hatch> {
        let timeline = &self.source.run.timeline;
        let (left, right) = (self.view.plot_left(), self.view.width);
        let pixel = |time| (self.view.x(time).round() as i64).clamp(i64::from(left), i64::from(right)) as u32;
        let mut out = Vec::new();
        if let Some(start) = timeline.start.map(pixel)
            && start > left
        {
            out.push(Hatch { x: left, width: start - left, y, height, row: None });
        }
        if let Some(end) = timeline.end.map(pixel)
            && end < right
        {
            out.push(Hatch { x: end, width: right - end, y, height, row: None });
        }
        out
    }

    fn lane(&mut self, track: &Track, lane: &Lane, place: &LaneBox, (y, height): (u32, u32)) {
        let left = self.view.plot_left();
        let mut spans: Vec<Span> = Vec::new();
        lane.spans(&self.columns, |span| spans.push(span));
        // Names under a lane may use the room up to the next name, so they need the last one's end.
        let mut named_until = f64::from(left);
        for span in spans {
            let (x, width) = (left + span.from, span.to - span.from);
            match span.what {
                Met::One(position) => {
                    let Some(event) = lane.event(position) else { continue };
                    let fill = match fill(track.kind, event.tint) {
                        // Too quiet a fill for a line one pixel wide.
                        Fill::Part(Part::Unattributed) if event.end.is_none() => Fill::Bar,
                        fill => fill,
                    };
                    let item = track.kind.item(event.row);
                    let of = Of::One { item, start: event.start, end: event.end };
                    self.scene.bars.push(Bar { x, width, y, height, fill, of });
                    self.label(track.kind, &event, place, (x, width, y, height), &mut named_until);
                }
                Met::Many { count, busy, tint, first } => {
                    let Some(first) = lane.event(first).map(|event| track.kind.item(event.row)) else { continue };
                    let times = self.columns.edges(span.from).unwrap_or_default();
                    let filled =
                        busy.map_or(height, |busy| ((f64::from(height) * busy).round() as u32).clamp(1, height));
                    self.scene.bars.push(Bar {
                        x,
                        width,
                        y: y + height - filled,
                        height: filled,
                        fill: fill(track.kind, tint),
                        of: Of::Many { count, busy, times, first },
                    });
                }
            }
        }
    }

    fn label(&mut self, kind: TrackKind, event: &Event, place: &LaneBox, bar: (u32, u32, u32, u32), until: &mut f64) {
        let (x, width, y, height) = bar;
        let css = f64::from(width) / self.view.scale;
        if kind == TrackKind::Layers {
            self.layer(event, bar);
            return;
        }
        // No name is shorter than two characters and its room.
        if css < 14.0 || height < self.view.px(12.0) {
            return;
        }
        let text = label(self.source.run, kind, event);
        let (start, room) = (f64::from(x), f64::from(width));
        if place.names_under {
            let needed = (text.chars().count() as f64 * MONO + 6.0) * self.view.scale;
            let middle = start + room / 2.0;
            // A name may be a little wider than its bar, as long as it stays clear of the one before.
            let allowed = needed.min(room.max(room * 1.3));
            if middle - allowed / 2.0 >= *until && css >= 20.0 {
                let under = y + height + self.view.px(11.0);
                if under < self.view.height {
                    self.text(middle, under, Anchor::Middle, Role::Under, &text, allowed);
                    *until = middle + allowed / 2.0;
                }
            }
            return;
        }
        let role = match kind {
            TrackKind::Encode | TrackKind::Calls => Role::OnInk,
            TrackKind::Passes if event.tint == Tint::Prefill => Role::OnInk,
            TrackKind::Passes | TrackKind::Copies => Role::OnBar,
            TrackKind::Chunks | TrackKind::Intervals => return,
            _ => Role::OnWell,
        };
        let pad = 5.0 * self.view.scale;
        let baseline = y + height / 2 + self.view.px(4.0);
        self.text(start + pad, baseline, Anchor::Start, role, &text, room - 2.0 * pad);
    }

    /// The number of a layer: of each where they fit, else of every fifth.
    fn layer(&mut self, event: &Event, (x, width, y, height): (u32, u32, u32, u32)) {
        if height < self.view.px(12.0) {
            return;
        }
        let number = event.row.to_string();
        let needed = (number.len() as f64 * SANS + 4.0) * self.view.scale;
        let room = f64::from(width);
        let fifth = event.row.is_multiple_of(5) && room * 5.0 >= needed * 1.5;
        if room >= needed || fifth {
            let (middle, baseline) = (f64::from(x) + room / 2.0, y + height / 2 + self.view.px(4.0));
            self.text(middle, baseline, Anchor::Middle, Role::OnWell, &number, needed);
        }
    }

    fn outline(&mut self, marked: &Lane, (y, height): (u32, u32)) {
        let left = self.view.plot_left();
        let mut frames: Vec<Outline> = Vec::new();
        marked.spans(&self.columns, |span| {
            let (x, width) = (left + span.from, span.to - span.from);
            match frames.last_mut() {
                // Frames that would touch become one.
                Some(last) if last.x + last.width + 1 >= x => last.width = x + width - last.x,
                _ => frames.push(Outline { x, width, y, height }),
            }
        });
        self.scene.outlines.extend(frames);
    }

    fn flows(&mut self) {
        let mut last: Option<(u32, u32)> = None;
        for flow in &self.source.marks.flows {
            let (Some(from), Some(to)) = (self.at(&flow.from), self.at(&flow.to)) else { continue };
            let (left, right) = (f64::from(self.view.plot_left()), f64::from(self.view.width));
            let target = self.view.x(flow.to.event.start);
            let begin =
                flow.to.event.start.clamp(flow.from.event.start, flow.from.event.end.unwrap_or(flow.from.event.start));
            let source = self.view.x(begin);
            let aside = |x: f64| x < left || x >= right;
            if aside(target) && aside(source) {
                continue;
            }
            let key = (target.clamp(left, right) as u32, to.0);
            // Several in one column are one line.
            if last == Some(key) {
                continue;
            }
            last = Some(key);
            let down = from.0 < to.0;
            let start = (source.clamp(left, right), f64::from(if down { from.1 } else { from.0 }));
            let end = (target.clamp(left, right), f64::from(if down { to.0 } else { to.1 }));
            self.scene.lines.push(Line { from: start, to: end, stroke: Stroke::Flow });
            self.scene.flows.1 += 1;
        }
    }

    /// Top and bottom of the lane that a place lies on, if it shows.
    fn at(&self, place: &Place) -> Option<(u32, u32)> {
        let lanes = &self.scene.layout.lanes;
        let lane = lanes.iter().find(|lane| (lane.track, lane.lane) == (place.track, place.lane))?;
        let (top, height) = self.visible(lane.top, lane.height)?;
        Some((top, top + height))
    }

    fn minimap(&mut self) {
        let limits = Limits::around(self.source.rows.extent);
        let (left, plot) = (self.view.plot_left(), self.view.plot_width());
        let whole = self.view.fitted(limits);
        let columns = Columns::new(whole.from, whole.to, plot);
        self.scene.map_range = columns.range();
        let (y, height) = self.scene.layout.minimap;
        let tracks = &self.source.rows.tracks;
        let of = |kind: TrackKind| tracks.iter().filter(move |track| track.kind == kind && !track.lanes.is_empty());
        // The passes; without passes what the most crowded queue did, or else the CPU.
        let track = of(TrackKind::Passes)
            .next()
            .or_else(|| of(TrackKind::Intervals).max_by_key(|track| track.lanes.first().map_or(0, Lane::len)))
            .or_else(|| {
                tracks
                    .iter()
                    .filter(|track| !track.lanes.is_empty())
                    .max_by_key(|track| track.lanes.iter().map(Lane::len).sum::<usize>())
            });
        if let Some(track) = track {
            self.scene.map_hatches = hatches(&self.source.rows.unrecorded, &columns, left, y, height);
            if let Some(lane) = track.lanes.first() {
                lane.spans(&columns, |span| {
                    self.scene.map.push(map_bar(track, lane, &columns, span, (left, y, height)))
                });
            }
        }
        let baseline = y + height / 2 + self.view.px(4.0);
        let room = f64::from(left) - 6.0 * self.view.scale;
        self.text(0.0, baseline, Anchor::Start, Role::Which, "whole run", room);
        // The window, and how it opens into the plot.
        let from = whole.x(self.view.from).clamp(f64::from(left), f64::from(self.view.width));
        let to = whole.x(self.view.to).clamp(f64::from(left), f64::from(self.view.width));
        let least = f64::from(self.view.px(3.0));
        let x = from.round() as u32;
        let width = ((to - from).max(least).round() as u32).min(self.view.width.saturating_sub(x)).max(1);
        let frame = self.view.px(3.0);
        self.scene.outlines.push(Outline { x, width, y: y.saturating_sub(frame / 2), height: height + frame });
        let bottom = f64::from(y + height + frame / 2);
        let funnel = f64::from(self.scene.layout.funnel);
        for (top, base) in [(f64::from(x), f64::from(left)), (f64::from(x + width), f64::from(self.view.width))] {
            self.scene.lines.push(Line { from: (top, bottom), to: (base, funnel), stroke: Stroke::Grid });
        }
    }
}

fn map_bar(track: &Track, lane: &Lane, columns: &Columns, span: Span, (left, y, height): (u32, u32, u32)) -> Bar {
    let item = |position| {
        let event = lane.event(position);
        (event.map_or(0, |event| event.row), event.map_or(Tint::Plain, |event| event.tint))
    };
    let (of, tint, filled) = match span.what {
        Met::One(position) => {
            let (row, tint) = item(position);
            let event = lane.event(position);
            let start = event.map_or(0, |event| event.start);
            (Of::One { item: track.kind.item(row), start, end: event.and_then(|event| event.end) }, tint, height)
        }
        Met::Many { count, busy, tint, first } => {
            let times = columns.edges(span.from).unwrap_or_default();
            let filled = busy.map_or(height, |busy| ((f64::from(height) * busy).round() as u32).clamp(1, height));
            (Of::Many { count, busy, times, first: track.kind.item(item(first).0) }, tint, filled)
        }
    };
    // The minimap is too low for parts: it says when, not what.
    let fill = match fill(track.kind, tint) {
        Fill::Part(_) | Fill::Well | Fill::Boxed | Fill::Ink => Fill::Bar,
        other => other,
    };
    Bar { x: left + span.from, width: span.to - span.from, y: y + height - filled, height: filled, fill, of }
}

fn hatches(unrecorded: &Lane, columns: &Columns, left: u32, y: u32, height: u32) -> Vec<Hatch> {
    let mut out: Vec<Hatch> = Vec::new();
    unrecorded.spans(columns, |span| {
        let row = match span.what {
            Met::One(position) => unrecorded.event(position).map(|event| event.row),
            Met::Many { .. } => None,
        };
        out.push(Hatch { x: left + span.from, width: span.to - span.from, y, height, row });
    });
    out
}

fn fill(kind: TrackKind, tint: Tint) -> Fill {
    match (kind, tint) {
        (_, Tint::Part(part)) => Fill::Part(part),
        (_, Tint::Prefill) => Fill::Prefill,
        (TrackKind::Passes | TrackKind::Copies, _) => Fill::Bar,
        (TrackKind::Chunks | TrackKind::Encode | TrackKind::Calls, _) => Fill::Ink,
        (TrackKind::Segments, _) => Fill::Boxed,
        (TrackKind::Layers | TrackKind::Ranges, _) => Fill::Well,
        (TrackKind::Intervals, _) => Fill::Part(Part::Unattributed),
    }
}

/// What is written at an event.
pub(super) fn label(run: &Run, kind: TrackKind, event: &Event) -> String {
    let row = event.row as usize;
    let lasting = event.end.map(|end| format::nanos(end.saturating_sub(event.start)));
    let with = |name: String| match &lasting {
        Some(time) => format!("{name}, {time}"),
        None => name,
    };
    let timeline = &run.timeline;
    match kind {
        TrackKind::Passes => {
            let kind = run.passes.rows.kind.get(row).unwrap_or("pass of no known kind");
            with(format!("pass {row}, {kind}"))
        }
        TrackKind::Chunks => format!("chunk {row}"),
        TrackKind::Encode => {
            let kind = timeline.submissions.kind.get(row).unwrap_or("submission");
            let set = timeline.submissions.node_set.get(row);
            let nodes = set.and_then(|set| timeline.node_sets.nodes.get(set as usize)).map(<[u32]>::len);
            let kind = match nodes {
                Some(nodes) => format!("{kind}, {}", format::plural(nodes as i64, "node", "nodes")),
                None => kind.to_owned(),
            };
            with(kind)
        }
        TrackKind::Calls => with(timeline.calls.name.get(row).unwrap_or("call").to_owned()),
        TrackKind::Segments => {
            let submission = timeline.segments.submission.get(row);
            let kind = submission.and_then(|row| timeline.submissions.kind.get(row as usize));
            with(kind.unwrap_or("segment").to_owned())
        }
        TrackKind::Intervals => interval_name(run, row),
        TrackKind::Layers => event.row.to_string(),
        TrackKind::Ranges => with(timeline.ranges.name.get(row).unwrap_or("range").to_owned()),
        TrackKind::Copies => {
            let kind = timeline.copies.kind.get(row).unwrap_or("copy").to_owned();
            with(match timeline.copies.bytes.get(row) {
                Some(bytes) => format!("{kind}, {}", format::bytes(bytes)),
                None => kind,
            })
        }
    }
}

/// The name of an interval: that of its first node, else of its kernel.
pub fn interval_name(run: &Run, row: usize) -> String {
    let table = &run.timeline.intervals;
    let node = table.nodes.get(row).and_then(<[u32]>::first);
    if let Some(name) = node.and_then(|node| run.graph.nodes.name.get(*node as usize)) {
        return name.to_owned();
    }
    match table.kernel.get(row) {
        Some(kernel) => kernel_name(run, kernel as usize).to_owned(),
        None => format!("interval {row}"),
    }
}

/// The short name of a kernel, where there is one.
pub fn kernel_name(run: &Run, kernel: usize) -> &str {
    run.kernels.short.get(kernel).or_else(|| run.kernels.name.get(kernel)).unwrap_or("unnamed kernel")
}

/// The text, shortened by an ellipsis to what fits into `room` CSS pixels; `None` when hardly anything would.
fn fit(text: &str, room: f64, character: f64) -> Option<String> {
    let most = (room / character).floor().max(0.0) as usize;
    if text.chars().count() <= most {
        return Some(text.to_owned());
    }
    // Three letters and the ellipsis still tell something.
    if most < 4 {
        return None;
    }
    let mut short: String = text.chars().take(most - 1).collect();
    short.push('\u{2026}');
    Some(short)
}

//! Tracks: the rows of a timeline and what lies on them.

use std::collections::BTreeMap;

use super::lane::{Event, Lane, pack};
use super::tint::Tint;
use crate::derive::part::{self, KernelPart, Part};
use crate::fact::Missing;
use crate::item::Item;
use crate::model::Run;

/// So many lanes a track of nested things shows; deeper ones share the last. Deeper stacks than this are Python frames.
const NESTED_LANES: usize = 24;

/// So many lanes a queue's intervals take when they overlap; the rest share the last.
const QUEUE_LANES: usize = 4;

/// What a track draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackKind {
    /// Passes.
    Passes,
    /// Chunk arrivals, on the trace clock by the clock join.
    Chunks,
    /// Encode intervals of submissions.
    Encode,
    /// API calls of one thread.
    Calls,
    /// GPU segments of one queue.
    Segments,
    /// Intervals of one queue.
    Intervals,
    /// Layers: stretches of successive intervals whose nodes work for one layer. Derived.
    Layers,
    /// Named ranges of one thread.
    Ranges,
    /// Memory copies of one queue.
    Copies,
}

impl TrackKind {
    /// The kinds in the order in which they are drawn.
    pub const ALL: [TrackKind; 9] = [
        TrackKind::Passes,
        TrackKind::Chunks,
        TrackKind::Encode,
        TrackKind::Calls,
        TrackKind::Segments,
        TrackKind::Intervals,
        TrackKind::Layers,
        TrackKind::Ranges,
        TrackKind::Copies,
    ];

    /// The table that the track draws.
    pub fn pointer(self) -> &'static str {
        match self {
            TrackKind::Passes => "/passes/rows",
            TrackKind::Chunks => "/request/chunks",
            TrackKind::Encode => "/timeline/submissions",
            TrackKind::Calls => "/timeline/calls",
            TrackKind::Segments => "/timeline/segments",
            TrackKind::Intervals => "/timeline/intervals",
            TrackKind::Layers => "/graph/nodes/layer",
            TrackKind::Ranges => "/timeline/ranges",
            TrackKind::Copies => "/timeline/copies",
        }
    }

    /// The item that a row of the table is; for layers the row is the layer's number.
    pub fn item(self, row: u32) -> Item {
        match self {
            TrackKind::Passes => Item::Pass(row),
            TrackKind::Chunks => Item::Chunk(row),
            TrackKind::Encode => Item::Submission(row),
            TrackKind::Calls => Item::Call(row),
            TrackKind::Segments => Item::Segment(row),
            TrackKind::Intervals => Item::Interval(row),
            TrackKind::Layers => Item::Layer(row),
            TrackKind::Ranges => Item::Range(row),
            TrackKind::Copies => Item::Copy(row),
        }
    }

    /// Whether time that the instrument did not record is hatched on it.
    pub fn hatched(self) -> bool {
        matches!(self, TrackKind::Encode | TrackKind::Segments | TrackKind::Intervals)
    }
}

/// One track.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What it draws.
    pub kind: TrackKind,
    /// The queue it belongs to: a row of `/timeline/queues`.
    pub queue: Option<u32>,
    /// The thread it belongs to.
    pub thread: Option<i64>,
    /// Its lanes, the outermost first. Empty when there is nothing to draw.
    pub lanes: Vec<Lane>,
    /// Whether the last lane also takes what found no free lane.
    pub folded: bool,
    /// Why there is nothing to draw, when the bundle does not hold it. Held and without rows it is `None`.
    pub missing: Option<Missing>,
}

/// From where the parts of intervals are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Intervals that name their nodes, of a known part.
    pub by_node: usize,
    /// Intervals whose kernel's candidate nodes all belong to one part.
    pub by_candidates: usize,
    /// Intervals whose kernel no node names, and whose kernel's name tells.
    pub by_name: usize,
    /// The others.
    pub none: usize,
}

/// A run's trace clock as rows.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineRows {
    /// The tracks in the order in which they are drawn.
    pub tracks: Vec<Track>,
    /// Start of the earliest and end of the latest thing, and of the capture.
    pub extent: (i64, i64),
    /// Stretches that the instrument did not record; their rows are those of `/timeline/unrecorded`.
    pub unrecorded: Lane,
    /// From where parts are known.
    pub attribution: Attribution,
}

type Groups = BTreeMap<(Option<u32>, Option<i64>), Vec<Event>>;

impl TimelineRows {
    /// The rows of a run.
    pub fn new(run: &Run) -> TimelineRows {
        let mut rows = TimelineRows {
            tracks: Vec::new(),
            extent: (0, 0),
            unrecorded: unrecorded(run),
            attribution: Attribution::default(),
        };
        for kind in TrackKind::ALL {
            let (groups, missing) = match kind {
                TrackKind::Passes => (passes(run), absent(run, run.passes.rows.given, kind.pointer())),
                TrackKind::Chunks => chunks(run),
                TrackKind::Encode => submissions(run),
                TrackKind::Calls => (calls(run), absent(run, run.timeline.calls.given, kind.pointer())),
                TrackKind::Segments => segments(run),
                TrackKind::Intervals => {
                    let (groups, attribution) = intervals(run);
                    rows.attribution = attribution;
                    (groups, absent(run, run.timeline.intervals.given, kind.pointer()))
                }
                TrackKind::Layers => (layers(run), None),
                TrackKind::Ranges => (ranges(run), absent(run, run.timeline.ranges.given, kind.pointer())),
                TrackKind::Copies => (copies(run), absent(run, run.timeline.copies.given, kind.pointer())),
            };
            rows.add(kind, groups, missing);
        }
        let ends = rows.tracks.iter().flat_map(|track| &track.lanes).filter_map(Lane::extent);
        let capture = run.timeline.start.zip(run.timeline.end);
        rows.extent = ends.chain(capture).reduce(|(a, b), (from, to)| (from.min(a), to.max(b))).unwrap_or((0, 0));
        rows
    }

    fn add(&mut self, kind: TrackKind, groups: Groups, missing: Option<Missing>) {
        let most = match kind {
            TrackKind::Chunks | TrackKind::Layers => 1,
            TrackKind::Segments | TrackKind::Intervals | TrackKind::Copies => QUEUE_LANES,
            TrackKind::Passes | TrackKind::Encode | TrackKind::Calls | TrackKind::Ranges => NESTED_LANES,
        };
        if groups.is_empty() {
            // A strip of layers is an addition; without layers nobody looks for it.
            if kind != TrackKind::Layers {
                let lanes = Vec::new();
                self.tracks.push(Track { kind, queue: None, thread: None, lanes, folded: false, missing });
            }
            return;
        }
        for ((queue, thread), events) in groups {
            let lanes = pack(events, most);
            let folded = lanes.last().is_some_and(Lane::overlaps) && lanes.len() == most;
            self.tracks.push(Track { kind, queue, thread, lanes, folded, missing: None });
        }
    }

    /// Whether there is anything to draw.
    pub fn is_empty(&self) -> bool {
        self.tracks.iter().all(|track| track.lanes.is_empty())
    }

    /// The lane at a place.
    pub fn lane(&self, track: usize, lane: usize) -> Option<&Lane> {
        self.tracks.get(track)?.lanes.get(lane)
    }
}

fn absent(run: &Run, given: bool, pointer: &str) -> Option<Missing> {
    (!given).then(|| run.missing(pointer))
}

fn end_of(start: i64, duration: Option<i64>) -> Option<i64> {
    duration.map(|duration| start.saturating_add(duration))
}

fn index(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

fn passes(run: &Run) -> Groups {
    let rows = &run.passes.rows;
    let mut groups = Groups::new();
    for row in 0..rows.rows() {
        let Some(start) = rows.start.get(row) else { continue };
        let tint = match rows.kind.get(row) {
            Some("prefill") => Tint::Prefill,
            Some("decode") => Tint::Decode,
            _ => Tint::Plain,
        };
        let event = Event { start, end: rows.end.get(row), row: index(row), tint };
        groups.entry((None, None)).or_default().push(event);
    }
    groups
}

fn chunks(run: &Run) -> (Groups, Option<Missing>) {
    let chunks = &run.request.chunks;
    if !chunks.given {
        return (Groups::new(), Some(run.missing("/request/chunks")));
    }
    let Some(offset) = run.passes.clock_join.offset else {
        return (Groups::new(), Some(run.missing("/passes/clock_join")));
    };
    let mut groups = Groups::new();
    for row in 0..chunks.rows() {
        let Some(at) = chunks.at.get(row) else { continue };
        let start = at.saturating_add(offset);
        let event = Event { start, end: Some(start), row: index(row), tint: Tint::Plain };
        groups.entry((None, None)).or_default().push(event);
    }
    (groups, None)
}

fn submissions(run: &Run) -> (Groups, Option<Missing>) {
    let table = &run.timeline.submissions;
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let event = Event { start, end: table.end.get(row), row: index(row), tint: Tint::Plain };
        groups.entry((None, None)).or_default().push(event);
    }
    let missing = if !table.given {
        Some(run.missing("/timeline/submissions"))
    } else {
        // Submissions without a start cannot stand on an axis.
        (groups.is_empty() && table.rows() > 0).then(|| run.missing("/timeline/submissions/start"))
    };
    (groups, missing)
}

fn calls(run: &Run) -> Groups {
    let table = &run.timeline.calls;
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let end = end_of(start, table.duration.get(row));
        let event = Event { start, end, row: index(row), tint: Tint::Plain };
        groups.entry((None, table.thread.get(row))).or_default().push(event);
    }
    groups
}

fn segments(run: &Run) -> (Groups, Option<Missing>) {
    let table = &run.timeline.segments;
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let event = Event { start, end: table.end.get(row), row: index(row), tint: Tint::Plain };
        groups.entry((table.queue.get(row), None)).or_default().push(event);
    }
    let missing = if !table.given {
        Some(run.missing("/timeline/segments"))
    } else {
        (groups.is_empty() && table.rows() > 0).then(|| run.missing("/timeline/segments/start"))
    };
    (groups, missing)
}

fn intervals(run: &Run) -> (Groups, Attribution) {
    let table = &run.timeline.intervals;
    let parts: Vec<Part> = (0..run.graph.nodes.rows()).map(|node| part::of_node(run, node)).collect();
    let kernels = part::of_kernels(run);
    let mut attribution = Attribution::default();
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let known = |part: &Part| *part != Part::Unattributed;
        let mut nodes = table.nodes.get(row).unwrap_or(&[]).iter();
        let part = if let Some(part) = nodes.find_map(|node| parts.get(*node as usize).copied().filter(known)) {
            attribution.by_node += 1;
            part
        } else {
            let kernel = table.kernel.get(row).and_then(|kernel| kernels.get(kernel as usize));
            match kernel.copied().filter(|decided| known(&decided.part())) {
                Some(decided) => {
                    match decided {
                        KernelPart::ByNodes(_) => attribution.by_candidates += 1,
                        KernelPart::ByName(_) => attribution.by_name += 1,
                    }
                    decided.part()
                }
                None => {
                    attribution.none += 1;
                    Part::Unattributed
                }
            }
        };
        let queue = table.queue.get(row).or_else(|| {
            let segment = table.segment.get(row)?;
            run.timeline.segments.queue.get(segment as usize)
        });
        let end = end_of(start, table.duration.get(row));
        let event = Event { start, end, row: index(row), tint: Tint::Part(part) };
        groups.entry((queue, None)).or_default().push(event);
    }
    (groups, attribution)
}

/// The one layer that all nodes of an interval work for.
pub(super) fn layer_of(run: &Run, interval: usize) -> Option<i64> {
    let nodes = run.timeline.intervals.nodes.get(interval)?;
    let (first, rest) = nodes.split_first()?;
    let layer = run.graph.nodes.layer.get(*first as usize)?;
    rest.iter().all(|node| run.graph.nodes.layer.get(*node as usize) == Some(layer)).then_some(layer)
}

fn layers(run: &Run) -> Groups {
    let table = &run.timeline.intervals;
    let mut events: Vec<Event> = Vec::new();
    // What the stretch so far belongs to; an interval of another pass or layer, or of none, ends it.
    let mut open: Option<(i64, Option<u32>)> = None;
    for row in 0..table.rows() {
        let found = table.start.get(row).zip(layer_of(run, row));
        let Some((start, layer)) = found else {
            open = None;
            continue;
        };
        let Ok(number) = u32::try_from(layer) else { continue };
        let end = end_of(start, table.duration.get(row));
        let here = Some((layer, table.pass.get(row)));
        match events.last_mut() {
            Some(last) if here == open => last.end = last.end.zip(end).map(|(a, b)| a.max(b)),
            _ => events.push(Event { start, end, row: number, tint: Tint::Plain }),
        }
        open = here;
    }
    let mut groups = Groups::new();
    if !events.is_empty() {
        groups.insert((None, None), events);
    }
    groups
}

fn ranges(run: &Run) -> Groups {
    let table = &run.timeline.ranges;
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let end = end_of(start, table.duration.get(row));
        let event = Event { start, end, row: index(row), tint: Tint::Plain };
        groups.entry((None, table.thread.get(row))).or_default().push(event);
    }
    groups
}

fn copies(run: &Run) -> Groups {
    let table = &run.timeline.copies;
    let mut groups = Groups::new();
    for row in 0..table.rows() {
        let Some(start) = table.start.get(row) else { continue };
        let end = end_of(start, table.duration.get(row));
        let event = Event { start, end, row: index(row), tint: Tint::Plain };
        groups.entry((table.queue.get(row), None)).or_default().push(event);
    }
    groups
}

fn unrecorded(run: &Run) -> Lane {
    let table = &run.timeline.unrecorded;
    let rows = 0..table.rows();
    Lane::new(
        rows.filter_map(|row| {
            let (start, end) = table.start.get(row).zip(table.end.get(row))?;
            Some(Event { start, end: Some(end), row: index(row), tint: Tint::Plain })
        })
        .collect(),
    )
}

//! Search by name, and neighbours on a row.

use tokenpath_core::derive::timeline::{Lane, TimelineRows, TrackKind};
use tokenpath_core::item::Item;

use super::build::Source;

/// What a search leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The event.
    pub item: Item,
    /// Its start and end; a moment has both at once.
    pub times: (i64, i64),
    /// How many of those that match start before it.
    pub before: usize,
    /// How many match.
    pub total: usize,
}

/// The first event after `time` (the last one before it, going backward) whose name contains `query`, whatever its case:
/// intervals by the names of their nodes, kernel and weights, calls, ranges, copies and submissions by their own. At either end the
/// search goes on from the other. Linear in the events.
pub fn find(source: &Source<'_>, query: &str, time: i64, backward: bool) -> Option<Found> {
    let query = query.trim().to_lowercase();
    if query.is_empty() {
        return None;
    }
    let names = Names::new(source, &query);
    let mut total = 0;
    let mut before = 0;
    let mut best: Option<(i64, i64, Item)> = None;
    let mut around: Option<(i64, i64, Item)> = None;
    for track in &source.rows.tracks {
        for event in track.lanes.iter().flat_map(Lane::events) {
            if !names.match_event(source, track.kind, event.row) {
                continue;
            }
            total += 1;
            let found = (event.start, event.end.unwrap_or(event.start), track.kind.item(event.row));
            let ahead = if backward { event.start < time } else { event.start > time };
            let held = if ahead { &mut best } else { &mut around };
            // Nearest ahead; if there is none, the one farthest behind.
            let nearer = |known: &(i64, i64, Item)| if backward { found.0 > known.0 } else { found.0 < known.0 };
            if held.as_ref().is_none_or(nearer) {
                *held = Some(found);
            }
        }
    }
    let (start, end, item) = best.or(around)?;
    for track in &source.rows.tracks {
        for event in track.lanes.iter().flat_map(Lane::events) {
            if event.start < start && names.match_event(source, track.kind, event.row) {
                before += 1;
            }
        }
    }
    Some(Found { item, times: (start, end), before, total })
}

/// Which kernels and nodes match, looked up once instead of for each interval.
struct Names {
    query: String,
    kernels: Vec<bool>,
    nodes: Vec<bool>,
}

impl Names {
    fn new(source: &Source<'_>, query: &str) -> Names {
        let has = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains(query));
        let (kernels, nodes) = (&source.run.kernels, &source.run.graph.nodes);
        let weights = &source.run.model.tensors;
        let weights: Vec<bool> = (0..weights.rows()).map(|row| has(weights.name.get(row))).collect();
        let reads = |row| {
            let read = nodes.tensors.get(row).unwrap_or(&[]);
            read.iter().any(|tensor| weights.get(*tensor as usize).copied().unwrap_or(false))
        };
        Names {
            query: query.to_owned(),
            kernels: (0..kernels.rows()).map(|row| has(kernels.name.get(row)) || has(kernels.short.get(row))).collect(),
            nodes: (0..nodes.rows())
                .map(|row| has(nodes.name.get(row)) || has(nodes.operation.get(row)) || reads(row))
                .collect(),
        }
    }

    fn match_event(&self, source: &Source<'_>, kind: TrackKind, row: u32) -> bool {
        let timeline = &source.run.timeline;
        let row = row as usize;
        let has = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains(&self.query));
        match kind {
            TrackKind::Intervals => {
                let known = |list: &[bool], at: u32| list.get(at as usize).copied().unwrap_or(false);
                let nodes = timeline.intervals.nodes.get(row).unwrap_or(&[]);
                timeline.intervals.kernel.get(row).is_some_and(|kernel| known(&self.kernels, kernel))
                    || nodes.iter().any(|node| known(&self.nodes, *node))
            }
            TrackKind::Calls => has(timeline.calls.name.get(row)),
            TrackKind::Ranges => has(timeline.ranges.name.get(row)),
            TrackKind::Copies => has(timeline.copies.kind.get(row)),
            TrackKind::Encode => has(timeline.submissions.kind.get(row)),
            TrackKind::Passes | TrackKind::Chunks | TrackKind::Segments | TrackKind::Layers => false,
        }
    }
}

/// The neighbour of the selection on its row. What does not lie on the clock itself (a kernel, a node) has the events
/// that it marks as a row of its own, read from `time` on.
pub fn neighbour(source: &Source<'_>, selected: Item, time: i64, backward: bool) -> Option<Item> {
    if let Some((track, lane, position)) = place(source.rows, selected) {
        let kind = source.rows.tracks.get(track)?.kind;
        let lane = source.rows.lane(track, lane)?;
        let next = if backward { position.checked_sub(1)? } else { position.checked_add(1)? };
        return lane.event(next).map(|event| kind.item(event.row));
    }
    let marked = source.marks.lanes.iter().filter_map(|(track, _, lane)| {
        let kind = source.rows.tracks.get(*track)?.kind;
        let next = lane.from_time(if backward { time } else { time.saturating_add(1) });
        let event = lane.event(if backward { next.checked_sub(1)? } else { next })?;
        Some((event.start, kind.item(event.row)))
    });
    // A layer's own strip is no thing to go to: its intervals are.
    let marked = marked.filter(|(_, item)| !matches!(item, Item::Layer(_)));
    let nearest =
        if backward { marked.max_by_key(|(start, _)| *start) } else { marked.min_by_key(|(start, _)| *start) };
    nearest.map(|(_, item)| item)
}

/// The track, lane and position of an item that is an event itself; linear in its track.
pub(super) fn place(rows: &TimelineRows, item: Item) -> Option<(usize, usize, u32)> {
    // One layer has many stretches, so none of them is the layer's place.
    if matches!(item, Item::Layer(_)) {
        return None;
    }
    let tracks = rows.tracks.iter().enumerate().filter(|(_, track)| track.kind.item(item.index()) == item);
    tracks
        .flat_map(|(at, track)| track.lanes.iter().enumerate().map(move |(of, lane)| (at, of, lane)))
        .find_map(|(at, of, lane)| Some((at, of, lane.position(item.index())?)))
}

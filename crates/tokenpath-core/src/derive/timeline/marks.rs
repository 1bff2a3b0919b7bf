//! Marks: what a selection is on the timeline, and from which submission to which intervals it flows.

use std::collections::HashSet;

use super::lane::{Event, Lane};
use super::track::{TimelineRows, TrackKind, layer_of};
use crate::item::Item;
use crate::model::Run;

/// Flows beyond this many are counted, not drawn: they would cover each other.
const FLOWS: usize = 400;

/// Where an event lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The track.
    pub track: usize,
    /// The lane of the track.
    pub lane: usize,
    /// The event.
    pub event: Event,
}

/// A recorded relation between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The cause: a call or a submission.
    pub from: Place,
    /// What it caused: a submission, a segment or an interval.
    pub to: Place,
}

/// The events that a selection marks. Built once for a selection; drawing reads it column by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The marked events of each lane that has some: track, lane, and the events as a lane of their own.
    pub lanes: Vec<(usize, usize, Lane)>,
    /// Flows from the selection or to it.
    pub flows: Vec<Flow>,
    /// How many flows there are, drawn or not.
    pub flow_count: usize,
}

impl Marks {
    /// Number of marked events.
    pub fn count(&self) -> usize {
        self.lanes.iter().map(|(_, _, lane)| lane.len()).sum()
    }

    /// The marked events of a lane.
    pub fn lane(&self, track: usize, lane: usize) -> Option<&Lane> {
        self.lanes.iter().find(|(at, of, _)| (*at, *of) == (track, lane)).map(|(_, _, lane)| lane)
    }
}

impl TimelineRows {
    /// What `item` is on the timeline: itself where it lies on the trace clock; the intervals of a kernel, node, tensor,
    /// component or layer, by stored relations only. Linear in the run.
    pub fn marks(&self, run: &Run, item: Item) -> Marks {
        let mut marks = Marks::default();
        let wanted = Wanted::new(run, item);
        for (at, track) in self.tracks.iter().enumerate() {
            for (of, lane) in track.lanes.iter().enumerate() {
                let found: Vec<Event> = lane.events().filter(|event| wanted.has(run, track.kind, event.row)).collect();
                if !found.is_empty() {
                    marks.lanes.push((at, of, Lane::new(found)));
                }
            }
        }
        self.flow(run, item, &mut marks);
        marks
    }

    fn flow(&self, run: &Run, item: Item, marks: &mut Marks) {
        let timeline = &run.timeline;
        let submission = match item {
            Item::Submission(row) => Some(row),
            Item::Call(row) => timeline.calls.submission.get(row as usize),
            Item::Segment(row) => timeline.segments.submission.get(row as usize),
            Item::Interval(row) => timeline.intervals.submission.get(row as usize),
            _ => None,
        };
        let Some(submission) = submission else { return };
        let one = match item {
            Item::Interval(row) => Some(row),
            _ => None,
        };
        let segment = match item {
            Item::Interval(row) => timeline.intervals.segment.get(row as usize),
            Item::Segment(row) => Some(row),
            _ => None,
        };
        let places = |kind: TrackKind, wanted: &dyn Fn(u32) -> bool| -> Vec<Place> {
            let tracks = self.tracks.iter().enumerate().filter(|(_, track)| track.kind == kind);
            let lanes =
                tracks.flat_map(|(at, track)| track.lanes.iter().enumerate().map(move |(of, lane)| (at, of, lane)));
            lanes
                .flat_map(|(track, lane, events)| {
                    events.events().filter(|event| wanted(event.row)).map(move |event| Place { track, lane, event })
                })
                .collect()
        };
        let own = |row: u32| timeline.calls.submission.get(row as usize) == Some(submission);
        let calls = places(TrackKind::Calls, &own);
        let encode = places(TrackKind::Encode, &|row| row == submission);
        let segments = places(TrackKind::Segments, &|row| {
            timeline.segments.submission.get(row as usize) == Some(submission) && segment.is_none_or(|one| one == row)
        });
        let intervals = places(TrackKind::Intervals, &|row| {
            timeline.intervals.submission.get(row as usize) == Some(submission) && one.is_none_or(|one| one == row)
        });
        // A segment stands for its intervals unless one of them is what is selected.
        let to_intervals = one.is_some() || segments.is_empty();
        let steps: [(&[Place], &[Place]); 4] = [
            (&calls, &encode),
            if encode.is_empty() { (&calls, &segments) } else { (&encode, &segments) },
            if segments.is_empty() { (&[], &[]) } else { (&segments, if to_intervals { &intervals } else { &[] }) },
            match (segments.is_empty(), encode.is_empty()) {
                (false, _) => (&[], &[]),
                (true, false) => (&encode, &intervals),
                (true, true) => (&calls, &intervals),
            },
        ];
        for (from, to) in steps {
            // Several calls may have made one submission; the first stands for them.
            let Some(from) = from.first() else { continue };
            marks.flow_count += to.len();
            let room = FLOWS.saturating_sub(marks.flows.len());
            marks.flows.extend(to.iter().take(room).map(|to| Flow { from: *from, to: *to }));
        }
    }
}

/// Which events a selection marks.
enum Wanted {
    One(TrackKind, u32),
    Kernel(u32),
    NodeSet(u32),
    Nodes(HashSet<u32>),
    Layer(u32),
}

impl Wanted {
    fn new(run: &Run, item: Item) -> Wanted {
        let nodes = &run.graph.nodes;
        let reading = |tensors: &HashSet<u32>| {
            let reads =
                |node: &usize| nodes.tensors.get(*node).unwrap_or(&[]).iter().any(|tensor| tensors.contains(tensor));
            (0..nodes.rows()).filter(reads).filter_map(|node| u32::try_from(node).ok()).collect()
        };
        match item {
            Item::Pass(row) => Wanted::One(TrackKind::Passes, row),
            Item::Submission(row) => Wanted::One(TrackKind::Encode, row),
            Item::Segment(row) => Wanted::One(TrackKind::Segments, row),
            Item::Interval(row) => Wanted::One(TrackKind::Intervals, row),
            Item::Range(row) => Wanted::One(TrackKind::Ranges, row),
            Item::Call(row) => Wanted::One(TrackKind::Calls, row),
            Item::Chunk(row) => Wanted::One(TrackKind::Chunks, row),
            Item::Copy(row) => Wanted::One(TrackKind::Copies, row),
            Item::Kernel(kernel) => Wanted::Kernel(kernel),
            Item::Layer(layer) => Wanted::Layer(layer),
            Item::NodeSet(set) => Wanted::NodeSet(set),
            Item::Node(node) => Wanted::Nodes(HashSet::from([node])),
            Item::Tensor(tensor) => Wanted::Nodes(reading(&HashSet::from([tensor]))),
            Item::Component(component) => {
                let tensors = &run.model.tensors;
                let own = (0..tensors.rows()).filter(|tensor| tensors.component.get(*tensor) == Some(component));
                Wanted::Nodes(reading(&own.filter_map(|tensor| u32::try_from(tensor).ok()).collect()))
            }
        }
    }

    fn has(&self, run: &Run, kind: TrackKind, row: u32) -> bool {
        let intervals = &run.timeline.intervals;
        match self {
            Wanted::One(of, one) => (*of, *one) == (kind, row),
            Wanted::Kernel(kernel) => {
                kind == TrackKind::Intervals && intervals.kernel.get(row as usize) == Some(*kernel)
            }
            Wanted::NodeSet(set) => {
                kind == TrackKind::Encode && run.timeline.submissions.node_set.get(row as usize) == Some(*set)
            }
            Wanted::Nodes(nodes) => {
                let of = || intervals.nodes.get(row as usize).unwrap_or(&[]);
                kind == TrackKind::Intervals && of().iter().any(|node| nodes.contains(node))
            }
            Wanted::Layer(layer) => match kind {
                TrackKind::Layers => row == *layer,
                TrackKind::Intervals => layer_of(run, row as usize) == Some(i64::from(*layer)),
                _ => false,
            },
        }
    }
}

//! Where rows stand: from top to bottom, before scrolling.

use tokenpath_core::derive::timeline::{Track, TrackKind};

use super::build::Source;
use super::viewport::Viewport;
use crate::format;

/// Heights in CSS pixels: the minimap's band, where the axis is written, where rows start.
const MINIMAP_TOP: f64 = 5.0;
const MINIMAP_HEIGHT: f64 = 16.0;
const FUNNEL: f64 = 42.0;
const AXIS_BASELINE: f64 = 57.0;
const AXIS_ALONE: f64 = 11.0;
const BODY_TOP: f64 = 66.0;

/// Room between tracks, between the lanes of one, and for a line of names under a lane, in CSS pixels.
const BETWEEN_TRACKS: f64 = 10.0;
const BETWEEN_LANES: f64 = 2.0;
const NAMES_UNDER: f64 = 15.0;

/// A lane's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBox {
    /// The track.
    pub track: usize,
    /// The lane of the track.
    pub lane: usize,
    /// Its top, before scrolling.
    pub top: u32,
    /// Its height.
    pub height: u32,
    /// Whether names of its events stand beneath it instead of in them.
    pub names_under: bool,
}

/// A track's place and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackBox {
    /// The track.
    pub track: usize,
    /// Its top, before scrolling.
    pub top: u32,
    /// Its height, the room beneath it left out.
    pub height: u32,
    /// Its name.
    pub name: String,
    /// Which of several it is: the queue, the thread, or what one interval is.
    pub which: Option<String>,
    /// Why nothing is drawn on it.
    pub reason: Option<String>,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Top and height of the minimap.
    pub minimap: (u32, u32),
    /// Where the lines from the minimap's window meet the plot.
    pub funnel: u32,
    /// The baseline of the axis.
    pub axis: u32,
    /// Where rows start.
    pub body: u32,
    /// The height of all rows.
    pub content: u32,
    /// The tracks.
    pub tracks: Vec<TrackBox>,
    /// The lanes, from top to bottom.
    pub lanes: Vec<LaneBox>,
}

impl Layout {
    /// The layout of the rows that a source draws, at the viewport's scale.
    pub fn new(source: &Source<'_>, view: &Viewport) -> Layout {
        let mut layout = if source.only.is_some() {
            let up = AXIS_BASELINE - AXIS_ALONE;
            Layout { axis: view.px(AXIS_ALONE), body: view.px(BODY_TOP - up), ..Layout::default() }
        } else {
            Layout {
                minimap: (view.px(MINIMAP_TOP), view.px(MINIMAP_HEIGHT)),
                funnel: view.px(FUNNEL),
                axis: view.px(AXIS_BASELINE),
                body: view.px(BODY_TOP),
                ..Layout::default()
            }
        };
        let rows = source.rows;
        let mut top = view.px(BETWEEN_TRACKS);
        for (at, track) in rows.tracks.iter().enumerate() {
            if source.only.is_some_and(|only| only != track.kind) {
                continue;
            }
            let many = rows.tracks.iter().filter(|other| other.kind == track.kind).count() > 1;
            let start = top;
            let names_under = track.kind == TrackKind::Intervals;
            let height = view.px(lane_height(track));
            for lane in 0..track.lanes.len() {
                if lane > 0 {
                    top += view.px(BETWEEN_LANES);
                }
                layout.lanes.push(LaneBox { track: at, lane, top, height, names_under });
                top += height + if names_under { view.px(NAMES_UNDER) } else { 0 };
            }
            let reason = reason(track);
            if reason.is_some() {
                top += view.px(16.0);
            }
            layout.tracks.push(TrackBox {
                track: at,
                top: start,
                height: top - start,
                name: name(track.kind).to_owned(),
                which: which(source, track, many),
                reason,
            });
            top += view.px(BETWEEN_TRACKS);
        }
        layout.content = top;
        layout
    }

    /// The height of a drawing that shows every row.
    pub fn full_height(&self) -> u32 {
        self.body + self.content
    }
}

fn lane_height(track: &Track) -> f64 {
    match track.kind {
        TrackKind::Intervals if track.lanes.len() == 1 => 32.0,
        TrackKind::Intervals => 22.0,
        TrackKind::Encode | TrackKind::Segments => 19.0,
        TrackKind::Passes | TrackKind::Calls | TrackKind::Ranges | TrackKind::Copies => 16.0,
        TrackKind::Chunks => 15.0,
        TrackKind::Layers => 14.0,
    }
}

/// What a kind of track is called.
pub fn name(kind: TrackKind) -> &'static str {
    match kind {
        TrackKind::Passes => "passes",
        TrackKind::Chunks => "chunks",
        TrackKind::Encode => "CPU encode",
        TrackKind::Calls => "API calls",
        TrackKind::Segments => "GPU segments",
        TrackKind::Intervals => "intervals",
        TrackKind::Layers => "layers",
        TrackKind::Ranges => "named ranges",
        TrackKind::Copies => "memory copies",
    }
}

/// Which of several tracks of a kind it is.
pub fn which(source: &Source<'_>, track: &Track, many: bool) -> Option<String> {
    let run = source.run;
    let queue = track.queue.and_then(|queue| run.timeline.queues.name.get(queue as usize));
    if let Some(queue) = queue {
        return Some(queue.to_owned());
    }
    match track.thread {
        Some(thread) if many => Some(format!("thread {}", format::plain(thread))),
        None if many && matches!(track.kind, TrackKind::Intervals | TrackKind::Segments | TrackKind::Copies) => {
            Some("of no queue".to_owned())
        }
        _ if track.kind == TrackKind::Intervals && !track.lanes.is_empty() => {
            // Passes that were executed in different ways may differ in what their intervals are.
            let pass = source.start.pass.and_then(|pass| run.passes.rows.execution.get(pass as usize));
            let own = pass.and_then(|execution| run.passes.executions.interval_kind.get(execution as usize));
            let kind = own.or(run.identity.instrument.interval_kind.as_deref())?;
            Some(format!("each a {kind}"))
        }
        _ => None,
    }
}

fn reason(track: &Track) -> Option<String> {
    if !track.lanes.is_empty() {
        return None;
    }
    Some(match &track.missing {
        Some(missing) => missing.reason.clone(),
        None => "Recorded, and there is none.".to_owned(),
    })
}

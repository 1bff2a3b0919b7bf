//! The timeline as a display list: everything that one frame shows, before it becomes pixels or SVG.
//!
//! A [`Scene`] has at most one bar per pixel column and row: where a column meets several events they are merged, and
//! the bar says how many they are and which share of the column they fill. Building costs a few binary searches per
//! column, whatever the number of events.
//!
//! # What a shell does with it
//!
//! The lens renders `<div id="timeline" data-timeline="FROM-TO">` around a static SVG. A shell with scripts takes the
//! SVG's place with two canvases of equal size and keeps a [`Viewport`] beside the run:
//!
//! 1. It hands [`Gesture`]s (JSON by serde, tagged `gesture`) to [`Gesture::apply`] and gets the next viewport. Pixels in
//!    gestures are device pixels from the canvas's left and top.
//! 2. It builds a [`Scene`] with [`build`], draws it with [`crate::raster::Raster::draw`] into RGBA bytes of
//!    `width * height` pixels, and puts those on the first canvas (`putImageData`).
//! 3. It writes [`Scene::overlay`] (JSON by serde) over it: texts with their place, width, anchor and role, which also
//!    names the colour token. Text is never rasterised, so it can be selected and read aloud.
//! 4. For a pointer it asks [`Scene::hit`], shows [`tip`] (HTML), and on a click selects [`Hit::item`] or, on a merged
//!    column, zooms to [`Hit::times`].
//! 5. When a gesture ends it stores [`Viewport::range`] as the view's parameter `range`, which the lens reads.
//!
//! Must never contain: pixels, colours, a browser.

mod axis;
mod build;
mod find;
mod gesture;
mod hit;
mod layout;
mod svg;
mod tip;
mod viewport;

pub use build::{Source, build, interval_name, kernel_name};
pub use find::{Found, find, neighbour};
pub use gesture::{Gesture, initial};
pub use hit::Hit;
pub use layout::{LaneBox, Layout, TrackBox, name, which};
pub use svg::{labels, to_svg};
pub use tip::{caption, measure, tip};
pub use viewport::{Limits, MOST_PIXELS, Viewport, parse_range};

use serde::{Deserialize, Serialize};
use tokenpath_core::derive::part::Part;
use tokenpath_core::item::Item;

/// How a bar is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fill {
    /// A part of the model, with its colour and texture.
    Part(Part),
    /// A prefill pass.
    Prefill,
    /// A decode pass, and bars that are nothing in particular.
    Bar,
    /// Work of the CPU: encode intervals and calls.
    Ink,
    /// A quiet strip: layers and ranges.
    Well,
    /// A quiet strip with an outline: GPU segments.
    Boxed,
}

/// A rectangle of one fill, in pixels of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Left edge.
    pub x: u32,
    /// Width.
    pub width: u32,
    /// Top edge.
    pub y: u32,
    /// Height.
    pub height: u32,
    /// Its fill.
    pub fill: Fill,
    /// What it stands for.
    pub of: Of,
}

/// What a bar stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// One thing.
    One {
        /// Which.
        item: Item,
        /// Its start.
        start: i64,
        /// Its end; `None` when its duration is not known.
        end: Option<i64>,
    },
    /// Several in one column.
    Many {
        /// How many.
        count: u32,
        /// The share of the column that they fill together; `None` when one of them has no duration.
        busy: Option<f64>,
        /// Start and end of the column.
        times: (i64, i64),
        /// The first of them.
        first: Item,
    },
}

/// Time without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hatch {
    /// Left edge.
    pub x: u32,
    /// Width.
    pub width: u32,
    /// Top edge.
    pub y: u32,
    /// Height.
    pub height: u32,
    /// The row of `/timeline/unrecorded`; `None` outside the capture, and for several rows in one column.
    pub row: Option<u32>,
}

/// What a text is, which decides its ink and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The name of a track, at the left.
    Track,
    /// Which of several tracks it is; quiet.
    Which,
    /// A time on the axis; quiet.
    Tick,
    /// A name on a dark bar; the page's background colour.
    OnInk,
    /// A name on a plain bar of middling darkness; the ink of the page.
    OnBar,
    /// A name on a quiet strip.
    OnWell,
    /// A name of something recorded, in monospace, beneath its bar.
    Under,
    /// Why nothing is drawn.
    Reason,
}

/// Where a text is anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Anchor {
    /// `x` is its start.
    Start,
    /// `x` is its middle.
    Middle,
    /// `x` is its end.
    End,
}

/// A text to write over the pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Text {
    /// Its anchor, in pixels.
    pub x: f64,
    /// Its baseline, in pixels.
    pub y: u32,
    /// What `x` is.
    pub anchor: Anchor,
    /// What it is.
    pub role: Role,
    /// The text, shortened to what fits.
    pub text: String,
    /// The whole text, where it was shortened.
    pub whole: Option<String>,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Its start.
    pub from: (f64, f64),
    /// Its end.
    pub to: (f64, f64),
    /// What it is.
    pub stroke: Stroke,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stroke {
    /// A grid line, or a line from the minimap's window to the plot.
    Grid,
    /// A recorded relation, with a head at its end.
    Flow,
}

/// A frame around what is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Left edge.
    pub x: u32,
    /// Width.
    pub width: u32,
    /// Top edge.
    pub y: u32,
    /// Height.
    pub height: u32,
}

/// One frame of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What it shows.
    pub view: Viewport,
    /// Where its rows stand.
    pub layout: Layout,
    /// Time without a record, beneath everything.
    pub hatches: Vec<Hatch>,
    /// Bars, lane by lane and from left to right; no two share a column of a lane.
    pub bars: Vec<Bar>,
    /// For each lane that shows: its place in [`Layout::lanes`] and where its bars start in `bars`.
    pub lanes: Vec<(usize, usize)>,
    /// First and last nanosecond of the minimap.
    pub map_range: (i64, i64),
    /// Bars of the minimap.
    pub map: Vec<Bar>,
    /// Time without a record on the minimap.
    pub map_hatches: Vec<Hatch>,
    /// Lines: the grid, then flows.
    pub lines: Vec<Line>,
    /// What is selected, and the minimap's window.
    pub outlines: Vec<Outline>,
    /// Texts.
    pub texts: Vec<Text>,
    /// How many events the selection marks, in view or not.
    pub marked: usize,
    /// How many flows it has, and how many of them are drawn.
    pub flows: (usize, usize),
}

/// What a shell writes over the pixels, and what it needs for scroll bars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlay {
    /// The viewport that was drawn.
    pub view: Viewport,
    /// The value of the parameter `range`.
    pub range: String,
    /// Where the plot starts, in pixels.
    pub plot_left: u32,
    /// Where rows start, in pixels.
    pub body: u32,
    /// The height of all rows, in pixels.
    pub content: u32,
    /// Texts.
    pub texts: Vec<Text>,
}

impl Scene {
    /// What a shell writes over the pixels.
    pub fn overlay(&self) -> Overlay {
        Overlay {
            view: self.view,
            range: self.view.range(),
            plot_left: self.view.plot_left(),
            body: self.layout.body,
            content: self.layout.content,
            texts: self.texts.clone(),
        }
    }
}

#[cfg(test)]
mod tests;

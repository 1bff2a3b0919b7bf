//! Gestures: what a person does to the viewport, as small messages.

use serde::{Deserialize, Serialize};
use tokenpath_core::derive::timeline::{Start, TimelineRows, time_of};
use tokenpath_core::item::Item;

use super::build::Source;
use super::viewport::{Limits, Viewport, parse_range};
use super::{Layout, find};

/// One gesture. Places are device pixels from the left and top of the drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gesture {
    /// The drawing has another size or scale.
    Resize {
        /// Width in device pixels.
        width: u32,
        /// Height in device pixels.
        height: u32,
        /// Device pixels in one CSS pixel.
        scale: f64,
    },
    /// Zoom about a pixel; a factor above 1 shows less time. W and S zoom about the middle by 1.5 and its inverse.
    Zoom {
        /// The pixel that keeps its time; `None` for the middle.
        x: Option<f64>,
        /// How much closer.
        factor: f64,
    },
    /// Move in time; positive shows later times.
    Move {
        /// By how many pixels.
        dx: f64,
    },
    /// Move in time by a part of what is shown. A and D move by a quarter.
    Shift {
        /// By which part.
        part: f64,
    },
    /// Scroll the rows; positive shows lower ones.
    Scroll {
        /// By how many pixels.
        dy: f64,
    },
    /// Show what lies between two pixels.
    Box {
        /// One edge.
        from: f64,
        /// The other.
        to: f64,
    },
    /// Show a stretch of time.
    Show {
        /// Its start.
        from: i64,
        /// Its end.
        to: i64,
    },
    /// Bring the middle of the plot to a time: a press or drag on the minimap.
    Centre {
        /// The time.
        time: i64,
    },
    /// Show everything.
    Fit,
    /// Show where reading starts.
    Home,
    /// Bring something into view.
    Reveal {
        /// The item, as `kind:index`.
        item: String,
    },
}

/// The first viewport of a lens: what the parameter `range` says, else where reading starts.
pub fn initial(
    rows: &TimelineRows,
    start: &Start,
    range: Option<&str>,
    (width, height): (u32, u32),
    scale: f64,
) -> Viewport {
    let view = Viewport::new(start.from, start.to, width, height, scale);
    let (from, to) = range.and_then(parse_range).unwrap_or((start.from, start.to));
    view.showing(from, to, Limits::around(rows.extent))
}

impl Gesture {
    /// The viewport after the gesture.
    pub fn apply(&self, source: &Source<'_>, view: &Viewport) -> Viewport {
        let limits = Limits::around(source.rows.extent);
        match self {
            Gesture::Resize { width, height, scale } => {
                let sized = Viewport::new(view.from, view.to, *width, *height, *scale);
                // Scroll counts device pixels, so another scale moves it.
                let scroll = (f64::from(view.scroll) * sized.scale / view.scale) as u32;
                settled(source, &Viewport { scroll, ..sized.showing(view.from, view.to, limits) })
            }
            Gesture::Zoom { x, factor } => {
                let middle = f64::from(view.plot_left()) + f64::from(view.plot_width()) / 2.0;
                view.zoomed(x.unwrap_or(middle), *factor, limits)
            }
            Gesture::Move { dx } => view.moved(*dx, limits),
            Gesture::Shift { part } => view.moved(part * f64::from(view.plot_width()), limits),
            Gesture::Scroll { dy } => {
                let layout = Layout::new(source, view);
                view.scrolled(*dy, layout.content, view.height.saturating_sub(layout.body))
            }
            Gesture::Box { from, to } => view.boxed(*from, *to, limits),
            Gesture::Show { from, to } => view.showing(*from, *to, limits),
            Gesture::Centre { time } => {
                let from = time.saturating_sub(view.span() / 2);
                view.showing(from, from.saturating_add(view.span()), limits)
            }
            Gesture::Fit => view.fitted(limits),
            Gesture::Home => view.showing(source.start.from, source.start.to, limits),
            Gesture::Reveal { item } => match item.parse() {
                Ok(item) => reveal(source, view, item, limits),
                Err(_) => *view,
            },
        }
    }
}

/// The viewport with a scroll that its rows allow.
fn settled(source: &Source<'_>, view: &Viewport) -> Viewport {
    let layout = Layout::new(source, view);
    view.scrolled(0.0, layout.content, view.height.saturating_sub(layout.body))
}

fn reveal(source: &Source<'_>, view: &Viewport, item: Item, limits: Limits) -> Viewport {
    let Some((from, to)) = time_of(source.run, item) else { return *view };
    let view = view.revealing(from, to, limits);
    let Some((track, lane, _)) = find::place(source.rows, item) else { return view };
    let layout = Layout::new(source, &view);
    let Some(place) = layout.lanes.iter().find(|place| (place.track, place.lane) == (track, lane)) else { return view };
    let room = view.height.saturating_sub(layout.body);
    let above = f64::from(view.scroll) - f64::from(place.top);
    let below = f64::from(place.top + place.height) - f64::from(view.scroll + room);
    let dy = if above > 0.0 { -above } else { below.max(0.0) };
    view.scrolled(dy, layout.content, room)
}

//! Tiles: a fill's texture, sampled from the shapes that the SVG patterns are made of.

use tokenpath_core::derive::part::Part;

use super::palette::{Colour, Palette};
use crate::scene::Fill;

/// Samples in each direction of a pixel, to soften a texture's edges as SVG does.
const SAMPLES: usize = 8;

/// A fill that repeats; each of its rows is as long as the drawing is wide, so that drawing copies slices.
#[derive(Clone, Debug, Default)]
pub(super) struct Tile {
    rows: Vec<Vec<[u8; 4]>>,
}

/// A shape of a texture within its period, in CSS pixels.
enum Shape {
    /// Nothing: a plain fill.
    Plain,
    /// A dot: centre and radius.
    Dot(f64, f64, f64),
    /// A horizontal line: its middle, its width, and where it ends.
    Line(f64, f64, f64),
    /// Lines in both directions through this place, of this width.
    Cross(f64, f64),
}

impl Shape {
    fn covers(&self, x: f64, y: f64) -> bool {
        match *self {
            Shape::Plain => false,
            Shape::Dot(cx, cy, r) => (x - cx).hypot(y - cy) <= r,
            Shape::Line(at, width, until) => (y - at).abs() <= width / 2.0 && x <= until,
            Shape::Cross(at, width) => (x - at).abs() <= width / 2.0 || (y - at).abs() <= width / 2.0,
        }
    }
}

/// The period and shape of a part's texture, those of `symbols.svg`.
fn texture(part: Part) -> (f64, Shape) {
    match part {
        Part::Embedding => (5.0, Shape::Dot(2.0, 2.0, 0.8)),
        Part::Attention => (6.0, Shape::Line(5.5, 0.9, 6.0)),
        Part::FeedForward | Part::Unattributed => (1.0, Shape::Plain),
        Part::Normalisation => (4.0, Shape::Cross(2.0, 0.8)),
        Part::CacheWrite => (4.0, Shape::Dot(2.0, 2.0, 0.9)),
        Part::Rotary => (4.0, Shape::Line(1.5, 1.2, 3.0)),
        Part::Elementwise => (6.0, Shape::Dot(3.0, 3.0, 1.1)),
    }
}

impl Tile {
    /// The tile of a fill.
    pub(super) fn of(fill: Fill, palette: &Palette, scale: f64, width: usize) -> Tile {
        let plain = |colour: Colour| Tile::sampled(1, width, colour, colour, |_, _| false);
        match fill {
            Fill::Prefill => plain(palette.prefill),
            Fill::Bar => plain(palette.bar),
            Fill::Ink => plain(palette.ink2),
            Fill::Well | Fill::Boxed => plain(palette.well),
            Fill::Part(part) => {
                let (colour, ink) = palette.parts.get(part as usize).copied().unwrap_or_default();
                let (period, shape) = texture(part);
                let pixels = (period * scale).round().max(1.0);
                // The period is whole pixels, so the shape is stretched by what rounding changed.
                let stretch = period / pixels;
                Tile::sampled(pixels as usize, width, colour, ink, |x, y| shape.covers(x * stretch, y * stretch))
            }
        }
    }

    /// The hatch: lines at 45 degrees.
    pub(super) fn hatch(palette: &Palette, scale: f64, width: usize) -> Tile {
        // Seven CSS pixels from line to line are 9.9 along a row; a tile needs whole ones.
        let period = (7.0 * std::f64::consts::SQRT_2 * scale).round().max(2.0);
        let thick = 1.1 * std::f64::consts::SQRT_2 * scale;
        Tile::sampled(period as usize, width, palette.background, palette.hatch, |x, y| {
            (x + y).rem_euclid(period) < thick
        })
    }

    fn sampled(period: usize, width: usize, colour: Colour, ink: Colour, covers: impl Fn(f64, f64) -> bool) -> Tile {
        let pixel = |x: usize, y: usize| {
            let place = |at: usize, sample: usize| at as f64 + (sample as f64 + 0.5) / SAMPLES as f64;
            let hits = (0..SAMPLES * SAMPLES)
                .filter(|sample| covers(place(x, sample % SAMPLES), place(y, sample / SAMPLES)))
                .count();
            colour.under(ink, hits as f64 / (SAMPLES * SAMPLES) as f64).opaque()
        };
        let rows = (0..period).map(|y| {
            let once: Vec<[u8; 4]> = (0..period).map(|x| pixel(x, y)).collect();
            once.into_iter().cycle().take(width).collect()
        });
        Tile { rows: rows.collect() }
    }

    /// The pixels of the drawing's rows from `y` on, without end.
    pub(super) fn rows_from(&self, y: usize) -> impl Iterator<Item = &[[u8; 4]]> {
        let phase = y.checked_rem(self.rows.len()).unwrap_or(0);
        self.rows.iter().map(Vec::as_slice).cycle().skip(phase)
    }
}

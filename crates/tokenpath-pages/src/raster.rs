//! A scene as pixels: RGBA bytes for `putImageData`, with the colours and textures that style sheets give to SVG.
//!
//! Fills are tiles that are computed once for a palette and scale; drawing copies their rows. Text is not drawn: it is
//! the overlay's ([`crate::scene::Scene::overlay`]).
//!
//! Must never contain: a browser, layout, choices about what is shown.

mod palette;
mod tile;

pub use palette::{Colour, Palette};

use tokenpath_core::derive::part::Part;

use crate::scene::{Fill, Line, Scene, Stroke};
use tile::Tile;

/// Draws scenes of one palette and scale.
#[derive(Clone, Debug)]
pub struct Raster {
    palette: Palette,
    scale: f64,
    width: usize,
    fills: Vec<Tile>,
    hatch: Tile,
    pixels: Vec<[u8; 4]>,
}

impl Raster {
    /// A raster for a palette and a scale (device pixels in one CSS pixel).
    pub fn new(palette: Palette, scale: f64) -> Raster {
        let scale = if scale.is_finite() { scale.clamp(0.5, 8.0) } else { 1.0 };
        Raster { palette, scale, width: 0, fills: Vec::new(), hatch: Tile::default(), pixels: Vec::new() }
    }

    /// Draws a scene; four bytes a pixel (red, green, blue, opacity), row by row.
    pub fn draw(&mut self, scene: &Scene) -> &[u8] {
        let (width, height) = (scene.view.width as usize, scene.view.height as usize);
        if self.width != width || self.fills.is_empty() {
            self.width = width;
            self.fills = FILLS.iter().map(|fill| Tile::of(*fill, &self.palette, self.scale, width)).collect();
            self.hatch = Tile::hatch(&self.palette, self.scale, width);
        }
        self.pixels.clear();
        self.pixels.resize(width * height, self.palette.background.opaque());
        let mut canvas = Canvas { pixels: &mut self.pixels, width, height };
        for hatch in scene.map_hatches.iter().chain(&scene.hatches) {
            canvas.tile(&self.hatch, (hatch.x, hatch.y, hatch.width, hatch.height));
        }
        for line in scene.lines.iter().filter(|line| line.stroke == Stroke::Grid) {
            canvas.line(line, self.palette.rule.opaque());
        }
        for bar in scene.map.iter().chain(&scene.bars) {
            // The last pixel of a wide bar stays free, so that neighbours of one fill stay apart.
            let shown = if bar.width >= 4 { bar.width - 1 } else { bar.width };
            if let Some(tile) = self.fills.get(index(bar.fill)) {
                canvas.tile(tile, (bar.x, bar.y, shown, bar.height));
            }
            if bar.fill == Fill::Boxed {
                canvas.frame((bar.x, bar.y, shown, bar.height), 1, self.palette.line.opaque());
            }
        }
        for line in scene.lines.iter().filter(|line| line.stroke == Stroke::Flow) {
            canvas.line(line, self.palette.ink2.opaque());
            canvas.head(line, self.scale, self.palette.ink2.opaque());
        }
        let thick = (2.0 * self.scale).round().max(1.0) as u32;
        for frame in &scene.outlines {
            canvas.frame_around((frame.x, frame.y, frame.width, frame.height), thick, self.palette.accent.opaque());
        }
        self.pixels.as_flattened()
    }
}

/// The fills in the order of [`index`].
const FILLS: [Fill; 5 + Part::ALL.len()] = {
    let mut fills = [Fill::Prefill; 5 + Part::ALL.len()];
    fills[1] = Fill::Bar;
    fills[2] = Fill::Ink;
    fills[3] = Fill::Well;
    fills[4] = Fill::Boxed;
    let mut part = 0;
    while part < Part::ALL.len() {
        fills[5 + part] = Fill::Part(Part::ALL[part]);
        part += 1;
    }
    fills
};

fn index(fill: Fill) -> usize {
    match fill {
        Fill::Prefill => 0,
        Fill::Bar => 1,
        Fill::Ink => 2,
        Fill::Well => 3,
        Fill::Boxed => 4,
        Fill::Part(part) => 5 + part as usize,
    }
}

/// Left, top, width, height.
type Rect = (u32, u32, u32, u32);

struct Canvas<'a> {
    pixels: &'a mut [[u8; 4]],
    width: usize,
    height: usize,
}

impl Canvas<'_> {
    /// The rectangle that lies on the canvas.
    fn clip(&self, (x, y, width, height): Rect) -> (usize, usize, usize, usize) {
        let (x, y) = ((x as usize).min(self.width), (y as usize).min(self.height));
        (x, y, (width as usize).min(self.width - x), (height as usize).min(self.height - y))
    }

    fn tile(&mut self, tile: &Tile, rect: Rect) {
        let (x, y, width, height) = self.clip(rect);
        if width == 0 {
            return;
        }
        let rows = self.pixels.chunks_exact_mut(self.width).skip(y).take(height).zip(tile.rows_from(y));
        // Most bars of a crowded row are one pixel wide: copying slices would cost more than the pixel.
        if width == 1 {
            for (to, from) in rows {
                if let (Some(to), Some(from)) = (to.get_mut(x), from.get(x)) {
                    *to = *from;
                }
            }
            return;
        }
        for (to, from) in rows {
            if let (Some(to), Some(from)) = (to.get_mut(x..x + width), from.get(x..x + width)) {
                to.copy_from_slice(from);
            }
        }
    }

    fn fill(&mut self, rect: Rect, colour: [u8; 4]) {
        let (x, y, width, height) = self.clip(rect);
        if width == 0 {
            return;
        }
        for row in self.pixels.chunks_exact_mut(self.width).skip(y).take(height) {
            if let Some(to) = row.get_mut(x..x + width) {
                to.fill(colour);
            }
        }
    }

    /// A frame along the inside of a rectangle.
    fn frame(&mut self, (x, y, width, height): Rect, thick: u32, colour: [u8; 4]) {
        let (across, down) = (thick.min(width), thick.min(height));
        self.fill((x, y, width, down), colour);
        self.fill((x, y + height - down, width, down), colour);
        self.fill((x, y, across, height), colour);
        self.fill((x + width - across, y, across, height), colour);
    }

    /// A frame around a rectangle, half of it outside.
    fn frame_around(&mut self, (x, y, width, height): Rect, thick: u32, colour: [u8; 4]) {
        let out = thick.div_ceil(2);
        let (left, top) = (x.saturating_sub(out), y.saturating_sub(out));
        self.frame((left, top, x + width + out - left, y + height + out - top), thick, colour);
    }

    fn dot(&mut self, x: f64, y: f64, colour: [u8; 4]) {
        let inside = x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < self.height as f64;
        if inside && let Some(pixel) = self.pixels.get_mut(y as usize * self.width + x as usize) {
            *pixel = colour;
        }
    }

    fn line(&mut self, line: &Line, colour: [u8; 4]) {
        let ((x0, y0), (x1, y1)) = (line.from, line.to);
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil();
        // A line longer than the largest drawing would come from a place outside of it.
        if !(0.0..=4.0 * f64::from(crate::scene::MOST_PIXELS)).contains(&steps) {
            return;
        }
        let count = steps.max(1.0) as u32;
        for step in 0..=count {
            let share = f64::from(step) / f64::from(count);
            self.dot(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share, colour);
        }
    }

    /// A filled head at the end of a line.
    fn head(&mut self, line: &Line, scale: f64, colour: [u8; 4]) {
        let ((x0, y0), (x1, y1)) = (line.from, line.to);
        let length = (x1 - x0).hypot(y1 - y0);
        if length < 1.0 {
            return;
        }
        let (ux, uy) = ((x1 - x0) / length, (y1 - y0) / length);
        let size = (6.0 * scale).round();
        let mut back = 0.0;
        while back <= size {
            let half = back * 0.45;
            let mut aside = -half;
            while aside <= half {
                self.dot(x1 - ux * back - uy * aside, y1 - uy * back + ux * aside, colour);
                aside += 0.5;
            }
            back += 0.5;
        }
    }
}

#[cfg(test)]
mod tests;

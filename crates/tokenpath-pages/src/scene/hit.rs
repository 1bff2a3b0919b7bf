//! What lies under a pixel.

use tokenpath_core::item::Item;

use super::{Bar, Of, Scene};

/// What a pixel shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hit {
    /// One thing.
    One {
        /// Which.
        item: Item,
        /// The track it lies on.
        track: usize,
    },
    /// Several things in one column.
    Many {
        /// The track they lie on.
        track: usize,
        /// The lane of the track.
        lane: usize,
        /// How many.
        count: u32,
        /// The share of the column that they fill together, if they all have durations.
        busy: Option<f64>,
        /// Start and end of the column.
        times: (i64, i64),
        /// The first of them.
        first: Item,
    },
    /// Time that the instrument did not record.
    Unrecorded {
        /// The row of `/timeline/unrecorded`; `None` outside the capture.
        row: Option<u32>,
    },
    /// A row, with nothing recorded there.
    Blank {
        /// The track.
        track: usize,
        /// The time.
        time: i64,
    },
    /// The minimap.
    Map {
        /// The time.
        time: i64,
    },
    /// The name of a track.
    Name {
        /// The track.
        track: usize,
    },
    /// Nothing.
    Nothing,
}

impl Hit {
    /// The one thing under the pixel, or the first of several.
    pub fn item(&self) -> Option<Item> {
        match self {
            Hit::One { item, .. } | Hit::Many { first: item, .. } => Some(*item),
            _ => None,
        }
    }

    /// The stretch that a merged column stands for.
    pub fn times(&self) -> Option<(i64, i64)> {
        match self {
            Hit::Many { times, .. } => Some(*times),
            _ => None,
        }
    }
}

impl Scene {
    /// What the pixel at `x`, `y` shows.
    pub fn hit(&self, x: f64, y: f64) -> Hit {
        if !(x >= 0.0 && y >= 0.0 && x < f64::from(self.view.width) && y < f64::from(self.view.height)) {
            return Hit::Nothing;
        }
        let (px, py) = (x as u32, y as u32);
        let (top, height) = self.layout.minimap;
        if py < self.layout.body {
            let inside = px >= self.view.plot_left() && (top..top + height).contains(&py);
            return if inside { Hit::Map { time: self.map_time(x) } } else { Hit::Nothing };
        }
        let row = py - self.layout.body + self.view.scroll;
        let tracks = &self.layout.tracks;
        let at = tracks.partition_point(|track| track.top <= row).checked_sub(1);
        let Some(track) = at.and_then(|at| tracks.get(at)).filter(|track| row < track.top + track.height) else {
            return Hit::Nothing;
        };
        if px < self.view.plot_left() {
            return Hit::Name { track: track.track };
        }
        let blank = || match self.hatched(px, py) {
            Some(row) => Hit::Unrecorded { row },
            None => Hit::Blank { track: track.track, time: self.view.time(x) },
        };
        let Some((lane, bars)) = self.lane_at(row) else { return blank() };
        let found = bars.partition_point(|bar| bar.x <= px).checked_sub(1).and_then(|at| bars.get(at));
        match found.filter(|bar| px < bar.x + bar.width) {
            Some(Bar { of: Of::One { item, .. }, .. }) => Hit::One { item: *item, track: track.track },
            Some(Bar { of: Of::Many { count, busy, times, first }, .. }) => {
                Hit::Many { track: track.track, lane, count: *count, busy: *busy, times: *times, first: *first }
            }
            None => blank(),
        }
    }

    /// The time that a pixel of the minimap stands for.
    pub fn map_time(&self, x: f64) -> i64 {
        let (from, to) = self.map_range;
        let share = (x - f64::from(self.view.plot_left())) / f64::from(self.view.plot_width());
        from.saturating_add((share * to.saturating_sub(from) as f64) as i64)
    }

    fn hatched(&self, x: u32, y: u32) -> Option<Option<u32>> {
        let inside = |from: u32, length: u32, at: u32| (from..from + length).contains(&at);
        let hatch = self.hatches.iter().find(|h| inside(h.x, h.width, x) && inside(h.y, h.height, y))?;
        Some(hatch.row)
    }

    /// The lane that shows at a row of the body, and its bars.
    fn lane_at(&self, row: u32) -> Option<(usize, &[Bar])> {
        let at = self.lanes.iter().position(|(place, _)| {
            self.layout.lanes.get(*place).is_some_and(|lane| (lane.top..lane.top + lane.height).contains(&row))
        })?;
        let (place, from) = *self.lanes.get(at)?;
        let to = self.lanes.get(at + 1).map_or(self.bars.len(), |(_, to)| *to);
        Some((self.layout.lanes.get(place)?.lane, self.bars.get(from..to)?))
    }
}

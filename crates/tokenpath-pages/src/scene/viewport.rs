//! The viewport: which stretch of time is drawn into which pixels, and how gestures change it.
//!
//! Pixels are those of the device; `scale` says how many of them one CSS pixel takes. Time is that of the trace clock.

use serde::{Deserialize, Serialize};

/// A window onto the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewport {
    /// First nanosecond shown.
    pub from: i64,
    /// End of what is shown.
    pub to: i64,
    /// Width of the drawing with its names, in pixels.
    pub width: u32,
    /// Height of the drawing with its minimap and axis, in pixels.
    pub height: u32,
    /// How far the rows are scrolled up, in pixels.
    pub scroll: u32,
    /// Device pixels in one CSS pixel.
    pub scale: f64,
}

/// What one may look at: the extent of everything on the trace clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    from: i64,
    to: i64,
}

/// The largest drawing that is made; a larger window shows no more.
pub const MOST_PIXELS: u32 = 8192;

/// Widths in CSS pixels: the names at the left, and below which width of the drawing they take less.
const NAMES: f64 = 116.0;
const NAMES_NARROW: f64 = 84.0;
const NARROW: f64 = 560.0;

impl Limits {
    /// Limits around an extent, with a little room on either side.
    pub fn around((from, to): (i64, i64)) -> Limits {
        let room = (to.saturating_sub(from) / 20).max(1);
        Limits { from: from.saturating_sub(room), to: to.saturating_add(room) }
    }
}

impl Viewport {
    /// A viewport of the given size in pixels; sizes and scale no screen has are brought into bounds.
    pub fn new(from: i64, to: i64, width: u32, height: u32, scale: f64) -> Viewport {
        let scale = if scale.is_finite() { scale.clamp(0.5, 8.0) } else { 1.0 };
        let least = ((NAMES_NARROW + 16.0) * scale) as u32;
        let view = Viewport {
            from,
            to,
            width: width.clamp(least, MOST_PIXELS),
            height: height.clamp(1, MOST_PIXELS),
            scroll: 0,
            scale,
        };
        Viewport { to: view.to.max(from.saturating_add(i64::from(view.plot_width()))), ..view }
    }

    /// CSS pixels as whole device pixels.
    pub fn px(&self, css: f64) -> u32 {
        (css * self.scale).round().max(0.0) as u32
    }

    /// Where the plot starts: the width of the names.
    pub fn plot_left(&self) -> u32 {
        let narrow = f64::from(self.width) < NARROW * self.scale;
        self.px(if narrow { NAMES_NARROW } else { NAMES }).min(self.width.saturating_sub(1))
    }

    /// Width of the plot.
    pub fn plot_width(&self) -> u32 {
        self.width.saturating_sub(self.plot_left()).max(1)
    }

    /// Nanoseconds shown.
    pub fn span(&self) -> i64 {
        self.to.saturating_sub(self.from).max(1)
    }

    /// The time at a pixel.
    pub fn time(&self, x: f64) -> i64 {
        let share = (x - f64::from(self.plot_left())) / f64::from(self.plot_width());
        self.from.saturating_add((share * self.span() as f64) as i64)
    }

    /// The pixel of a time, inside the drawing or not.
    pub fn x(&self, time: i64) -> f64 {
        let share = (i128::from(time) - i128::from(self.from)) as f64 / self.span() as f64;
        f64::from(self.plot_left()) + share * f64::from(self.plot_width())
    }

    /// Shows `from..to`, as far as the limits and the clock's step of one nanosecond a pixel allow.
    #[must_use]
    pub fn showing(&self, from: i64, to: i64, limits: Limits) -> Viewport {
        let least = i64::from(self.plot_width());
        let most = limits.to.saturating_sub(limits.from).max(least);
        let span = to.saturating_sub(from).clamp(least, most);
        // A stretch that was made longer or shorter keeps its middle.
        let middle = from / 2 + to / 2 + (from % 2 + to % 2) / 2;
        let from = if span == to.saturating_sub(from) { from } else { middle.saturating_sub(span / 2) };
        let latest = limits.to.saturating_sub(span).max(limits.from);
        let from = from.clamp(limits.from, latest);
        Viewport { from, to: from.saturating_add(span), ..*self }
    }

    /// Zooms so that the time under pixel `x` stays there; a factor above 1 shows less time.
    #[must_use]
    pub fn zoomed(&self, x: f64, factor: f64, limits: Limits) -> Viewport {
        if !(factor.is_finite() && factor > 0.0) {
            return *self;
        }
        let least = i64::from(self.plot_width());
        let most = limits.to.saturating_sub(limits.from).max(least);
        let span = ((self.span() as f64 / factor) as i64).clamp(least, most);
        let left = f64::from(self.plot_left());
        let share = ((x - left) / f64::from(self.plot_width())).clamp(0.0, 1.0);
        let at = self.from.saturating_add((share * self.span() as f64) as i64);
        let from = at.saturating_sub((share * span as f64) as i64);
        self.showing(from, from.saturating_add(span), limits)
    }

    /// Moves by `dx` pixels: later times come in when it is positive.
    #[must_use]
    pub fn moved(&self, dx: f64, limits: Limits) -> Viewport {
        let by = dx / f64::from(self.plot_width()) * self.span() as f64;
        if !by.is_finite() {
            return *self;
        }
        let by = by.round() as i64;
        self.showing(self.from.saturating_add(by), self.to.saturating_add(by), limits)
    }

    /// Shows what lies between two pixels.
    #[must_use]
    pub fn boxed(&self, a: f64, b: f64, limits: Limits) -> Viewport {
        let (from, to) = (self.time(a.min(b)), self.time(a.max(b)));
        self.showing(from, to, limits)
    }

    /// Shows everything.
    #[must_use]
    pub fn fitted(&self, limits: Limits) -> Viewport {
        self.showing(limits.from, limits.to, limits)
    }

    /// Brings `from..to` into view: as it is when it shows already, else in the middle, and closer when it would be
    /// narrower than a few pixels.
    #[must_use]
    pub fn revealing(&self, from: i64, to: i64, limits: Limits) -> Viewport {
        let length = to.saturating_sub(from).max(1);
        let wide = length as f64 / self.span() as f64 * f64::from(self.plot_width());
        let inside = from >= self.from && to <= self.to;
        if inside && wide >= 3.0 * self.scale {
            // An address may have led outside the limits.
            return self.showing(self.from, self.to, limits);
        }
        let span =
            if wide >= 3.0 * self.scale && length < self.span() { self.span() } else { length.saturating_mul(12) };
        let from = (from / 2 + to / 2).saturating_sub(span / 2);
        self.showing(from, from.saturating_add(span), limits)
    }

    /// Scrolls rows by `dy` pixels, where all rows take `content` pixels and `room` are there for them.
    #[must_use]
    pub fn scrolled(&self, dy: f64, content: u32, room: u32) -> Viewport {
        let most = f64::from(content.saturating_sub(room));
        let scroll = (f64::from(self.scroll) + if dy.is_finite() { dy } else { 0.0 }).clamp(0.0, most) as u32;
        Viewport { scroll, ..*self }
    }

    /// The value of the view's parameter `range`.
    pub fn range(&self) -> String {
        format!("{}-{}", self.from, self.to)
    }
}

/// A value of the parameter `range`, `FROM-TO` in nanoseconds on the trace clock; either may be below zero.
pub fn parse_range(text: &str) -> Option<(i64, i64)> {
    let (at, _) = text.match_indices('-').find(|(at, _)| *at > 0)?;
    let from: i64 = text.get(..at)?.parse().ok()?;
    let to: i64 = text.get(at + 1..)?.parse().ok()?;
    (from < to).then_some((from, to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn view() -> Viewport {
        // 116 of 916 pixels are names, so 800 are plot: 10 ns each.
        Viewport::new(1000, 9000, 916, 400, 1.0)
    }

    fn limits() -> Limits {
        Limits { from: 0, to: 100_000 }
    }

    #[test]
    fn pixels_and_times() {
        assert_eq!((view().plot_left(), view().plot_width()), (116, 800));
        assert_eq!(view().time(116.0), 1000);
        assert_eq!(view().time(516.0), 5000);
        assert!((view().x(5000) - 516.0).abs() < 1e-9);
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let closer = view().zoomed(516.0, 2.0, limits());
        assert_eq!((closer.from, closer.to), (3000, 7000));
        assert_eq!(closer.time(516.0), 5000);
        let back = closer.zoomed(516.0, 0.5, limits());
        assert_eq!((back.from, back.to), (1000, 9000));
        // One nanosecond a pixel is the closest, the limits the farthest.
        assert_eq!(view().zoomed(516.0, 1e9, limits()).span(), 800);
        assert_eq!(view().zoomed(516.0, 1e-9, limits()).range(), "0-100000");
        assert_eq!(view().zoomed(516.0, f64::NAN, limits()), view());
    }

    #[test]
    fn moving_stops_at_the_limits() {
        assert_eq!(view().moved(10.0, limits()).range(), "1100-9100");
        assert_eq!(view().moved(-1e9, limits()).range(), "0-8000");
        assert_eq!(view().moved(1e9, limits()).range(), "92000-100000");
    }

    #[test]
    fn a_box_is_what_lies_between_its_edges() {
        assert_eq!(view().boxed(516.0, 216.0, limits()).range(), "2000-5000");
        // Narrower than the clock allows: widened about its middle.
        assert_eq!(view().boxed(516.0, 517.0, limits()).range(), "4605-5405");
    }

    #[test]
    fn revealing_moves_no_more_than_it_must() {
        assert_eq!(view().revealing(2000, 2100, limits()), view());
        // Outside: centred at the same zoom. Too narrow to see: twelve times its length.
        assert_eq!(view().revealing(20_000, 20_100, limits()).range(), "16050-24050");
        assert_eq!(view().revealing(5000, 5004, limits()).span(), 800);
        // A view that began outside the limits ends within them.
        let outside = Viewport::new(-1, 0, 916, 400, 1.0);
        assert_eq!(outside.revealing(-1, 2, limits()).range(), "0-800");
    }

    #[test]
    fn ranges_in_addresses() {
        assert_eq!(parse_range("5-100"), Some((5, 100)));
        assert_eq!(parse_range("-5-100"), Some((-5, 100)));
        assert_eq!(parse_range("-50--5"), Some((-50, -5)));
        for wrong in ["", "-", "5", "5-", "9-5", "a-b", "5-5", "1-99999999999999999999"] {
            assert_eq!(parse_range(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_gesture_leaves_the_limits(
            from in -1000_i64..90_000, span in 1_i64..200_000, x in -50.0_f64..1000.0, factor in 0.01_f64..100.0,
        ) {
            let view = Viewport::new(from, from + span, 916, 400, 1.0);
            let steps = [
                view.zoomed(x, factor, limits()),
                view.moved(x, limits()),
                view.boxed(x, factor, limits()),
                view.fitted(limits()),
                view.revealing(from, from + 3, limits()),
            ];
            for after in steps {
                prop_assert!(after.from >= 0 && after.to <= 100_000, "{}", after.range());
                prop_assert!(after.span() >= i64::from(after.plot_width()));
                prop_assert_eq!(parse_range(&after.range()), Some((after.from, after.to)));
            }
        }
    }
}

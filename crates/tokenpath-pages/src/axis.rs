//! A horizontal time axis for drawings whose width is the page's: positions in per cent, ticks at round times.

use crate::format;
use crate::html::{Markup, html, px};

/// A stretch of time that fills the width of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeAxis {
    from: i64,
    to: i64,
    left: f64,
}

impl TimeAxis {
    /// From one time to a later one, in nanoseconds. An empty stretch is given the width of one nanosecond.
    pub fn new(from: i64, to: i64) -> TimeAxis {
        TimeAxis { from, to: to.max(from.saturating_add(1)), left: 0.0 }
    }

    /// The same with `left` per cent of the width kept free for names of rows.
    pub fn after(self, left: f64) -> TimeAxis {
        TimeAxis { left, ..self }
    }

    /// The times at its ends.
    pub fn ends(&self) -> (i64, i64) {
        (self.from, self.to)
    }

    /// Where a time stands, as a part of the drawing's width in per cent.
    pub fn at(&self, time: i64) -> f64 {
        let part = (time as f64 - self.from as f64) / (self.to as f64 - self.from as f64);
        self.left + (100.0 - self.left) * part
    }

    /// The same as an SVG attribute.
    pub fn x(&self, time: i64) -> String {
        percent(self.at(time))
    }

    /// How wide a stretch is, as an SVG attribute.
    pub fn width(&self, length: i64) -> String {
        let part = length as f64 / (self.to as f64 - self.from as f64);
        percent((100.0 - self.left) * part)
    }

    /// About `count` round times from end to end.
    pub fn ticks(&self, count: u32) -> Vec<i64> {
        let step = step(self.to.saturating_sub(self.from) / i64::from(count.max(1)));
        let mut tick = self.from.div_euclid(step).saturating_mul(step);
        if tick < self.from {
            tick = tick.saturating_add(step);
        }
        let mut ticks = Vec::new();
        while tick <= self.to && ticks.len() < 64 {
            ticks.push(tick);
            tick = tick.saturating_add(step);
        }
        ticks
    }

    /// The axis with its ticks and their times, its line at `y`.
    pub fn draw(&self, y: u32, count: u32) -> Markup {
        let (scale, unit) = format::time_unit(self.to.abs().max(self.from.abs()) as f64);
        let ticks = self.ticks(count);
        html! {
            line class="ax" x1=(percent(self.left)) x2="100%" y1=(y) y2=(y) {}
            @for tick in &ticks {
                @let at = self.at(*tick);
                line class="ax" x1=(percent(at)) x2=(percent(at)) y1=(y) y2=(y + 4) {}
                // A number at an end would reach over it.
                @let anchor = if at < self.left + 4.0 { "start" } else if at > 96.0 { "end" } else { "middle" };
                text class="q" x=(percent(at)) y=(y + 17) text-anchor=(anchor) {
                    (format::tick(*tick as f64 / scale)) (format::THIN) (unit)
                }
            }
        }
    }
}

/// A position in per cent as an SVG attribute.
pub fn percent(value: f64) -> String {
    let text = format!("{value:.3}");
    format!(
        "{}%",
        if value.is_finite() { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { px(0.0) }
    )
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `width`.
fn step(width: i64) -> i64 {
    let mut power = 1_i64;
    while let Some(next) = power.checked_mul(10) {
        for factor in [1, 2, 5] {
            let candidate = power.saturating_mul(factor);
            if candidate >= width {
                return candidate;
            }
        }
        power = next;
    }
    width.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: a quarter of the way is 25 %; with 20 % kept free it is 20 + 0.25 × 80 = 40 %.
    #[test]
    fn times_stand_at_their_part_of_the_width() {
        let axis = TimeAxis::new(100, 500);
        assert_eq!(axis.x(200), "25%");
        assert_eq!(axis.width(200), "50%");
        assert_eq!(axis.after(20.0).x(200), "40%");
        assert_eq!(axis.after(20.0).width(100), "20%");
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(TimeAxis::new(0, 417).ticks(5), [0, 100, 200, 300, 400]);
        assert_eq!(TimeAxis::new(-30, 45).ticks(4), [-20, 0, 20, 40]);
        assert_eq!(TimeAxis::new(7, 7).ticks(4), [7, 8]);
    }
}

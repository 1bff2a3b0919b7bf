//! The axis: which times are marked, and how they are written.

use super::viewport::Viewport;
use crate::format;

/// Ticks stand at least so far apart, in CSS pixels.
const APART: f64 = 88.0;

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Its pixel.
    pub(super) x: f64,
    /// What is written at it.
    pub(super) text: String,
}

/// Ticks at round times after `zero`, whose own tick says `origin`.
pub(super) fn ticks(view: &Viewport, zero: i64, origin: &str) -> Vec<Tick> {
    let wanted = view.span() as f64 / f64::from(view.plot_width()) * APART * view.scale;
    let step = step(wanted);
    let after = view.from.saturating_sub(zero);
    let mut at = zero.saturating_add(after.div_euclid(step).saturating_mul(step));
    let mut out = Vec::new();
    while at <= view.to {
        if at >= view.from {
            let value = at - zero;
            let text = if value == 0 { origin.to_owned() } else { format::axis(value, step) };
            out.push(Tick { x: view.x(at), text });
        }
        match at.checked_add(step) {
            Some(next) => at = next,
            None => break,
        }
    }
    out
}

/// The smallest of 1, 2 and 5 times a power of ten nanoseconds that is not below `wanted`.
pub(super) fn step(wanted: f64) -> i64 {
    let mut decade = 1_i64;
    while let Some(next) = decade.checked_mul(10) {
        for factor in [1, 2, 5] {
            let step = decade.saturating_mul(factor);
            if step as f64 >= wanted {
                return step;
            }
        }
        decade = next;
    }
    decade
}

#[cfg(test)]
mod tests {
    use super::*;

    // Right values by hand.
    #[test]
    fn steps_are_round() {
        for (wanted, right) in
            [(0.1, 1), (1.0, 1), (1.1, 2), (3.0, 5), (7.0, 10), (190_000.0, 200_000), (1e30, 10_i64.pow(18))]
        {
            assert_eq!(step(wanted), right);
        }
    }

    #[test]
    fn ticks_count_from_zero() {
        // 800 pixels show 8 ms: 88 pixels are 0.88 ms, so a tick each millisecond.
        let view = Viewport::new(99_500_000, 107_500_000, 916, 200, 1.0);
        let ticks = ticks(&view, 100_000_000, "pass start");
        let texts: Vec<&str> = ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "pass start",
                "1\u{202f}ms",
                "2\u{202f}ms",
                "3\u{202f}ms",
                "4\u{202f}ms",
                "5\u{202f}ms",
                "6\u{202f}ms",
                "7\u{202f}ms"
            ]
        );
        assert!((ticks[0].x - 166.0).abs() < 1e-9);
    }
}

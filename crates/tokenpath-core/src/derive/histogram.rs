//! Durations in bins of equal width, with the far tail in one bin of its own.

use crate::derive::spread::percentile;

/// Counts in bins of equal width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Where the first bin starts, in nanoseconds; a multiple of `width`.
    pub start: i64,
    /// Width of a bin, in nanoseconds: 1, 2 or 5 times a power of ten.
    pub width: i64,
    /// Values in each bin: at or above its start, below the next.
    pub counts: Vec<u32>,
    /// Values beyond the last bin and the longest of them. Only where they lie so far out that bins reaching them would
    /// put nearly everything into one.
    pub beyond: Option<(u32, i64)>,
}

/// About so many bins lie between the shortest and the longest value.
const BINS: i64 = 16;

/// The tail is cut when the longest value is so many times the 95th percentile.
const FAR: f64 = 4.0;

impl Histogram {
    /// Bins for `values` in nanoseconds; `None` when there are none.
    pub fn of(values: &[i64]) -> Option<Histogram> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let (shortest, longest) = (*sorted.first()?, *sorted.last()?);
        let p95 = percentile(&sorted, 0.95)?;
        let cut = longest as f64 > FAR * p95 && p95 > 0.0;
        let reach = if cut { p95 as i64 } else { longest };
        let width = nice((reach.saturating_sub(shortest) / BINS).max(longest / 1000).max(1));
        let start = shortest.div_euclid(width).saturating_mul(width);
        let last = reach.saturating_sub(start) / width;
        let mut counts = vec![0_u32; usize::try_from(last).unwrap_or(0).saturating_add(1)];
        let mut beyond = 0;
        for value in &sorted {
            let bin = usize::try_from(value.saturating_sub(start) / width).ok();
            match bin.and_then(|bin| counts.get_mut(bin)) {
                Some(count) => *count += 1,
                None => beyond += 1,
            }
        }
        Some(Histogram { start, width, counts, beyond: (beyond > 0).then_some((beyond, longest)) })
    }

    /// Where a bin starts.
    pub fn edge(&self, bin: usize) -> i64 {
        self.start.saturating_add(self.width.saturating_mul(i64::try_from(bin).unwrap_or(i64::MAX)))
    }

    /// The largest count of a bin, the tail's included.
    pub fn highest(&self) -> u32 {
        self.counts.iter().copied().chain(self.beyond.map(|(count, _)| count)).max().unwrap_or(0)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `width`.
fn nice(width: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for step in [1, 2, 5] {
            match power.checked_mul(step) {
                Some(candidate) if candidate >= width => return candidate,
                Some(_) => {}
                None => return width,
            }
        }
        power = match power.checked_mul(10) {
            Some(power) => power,
            None => return width,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: 3 to 25, a width of at least 22 / 16 = 1, so 1; 23 bins from 3.
    #[test]
    fn every_value_is_in_its_bin() {
        let histogram = Histogram::of(&[3, 3, 4, 25]).unwrap();
        assert_eq!((histogram.start, histogram.width, histogram.counts.len()), (3, 1, 23));
        assert_eq!(histogram.counts.first(), Some(&2));
        assert_eq!(histogram.counts.iter().sum::<u32>(), 4);
        assert_eq!(histogram.beyond, None);
    }

    // Forty values of 10 000 to 10 039 and one of a million: the tail stands apart, nothing is lost.
    #[test]
    fn a_far_tail_has_a_bin_of_its_own() {
        let mut values: Vec<i64> = (0..40).map(|i| 10_000 + i).collect();
        values.push(1_000_000);
        let histogram = Histogram::of(&values).unwrap();
        assert_eq!(histogram.beyond, Some((1, 1_000_000)));
        assert_eq!(histogram.counts.iter().sum::<u32>(), 40);
        assert_eq!(histogram.width, 1000);
    }

    #[test]
    fn equal_values_and_none() {
        let histogram = Histogram::of(&[7, 7]).unwrap();
        assert_eq!((histogram.start, histogram.counts.as_slice()), (7, [2].as_slice()));
        assert!(Histogram::of(&[]).is_none());
    }

    #[test]
    fn widths_are_one_two_or_five() {
        for (width, nice_width) in [(1, 1), (3, 5), (6, 10), (11, 20), (999, 1000), (2001, 5000)] {
            assert_eq!(nice(width), nice_width);
        }
    }
}

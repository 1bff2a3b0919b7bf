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

/// At most so many bins, the tail's aside.
const BINS: i64 = 40;

impl Histogram {
    /// Bins for `values` in nanoseconds; `None` when there are none.
    ///
    /// The width follows Freedman and Diaconis, 2 × interquartile range ÷ ∛n, rounded to a round number. Where the
    /// longest value would ask for more than the greatest number of bins, bins end with the 95th percentile.
    pub fn of(values: &[i64]) -> Option<Histogram> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let (shortest, longest) = (*sorted.first()?, *sorted.last()?);
        let range = longest.saturating_sub(shortest);
        let (lower, upper) = (percentile(&sorted, 0.25)?, percentile(&sorted, 0.75)?);
        let wanted = (2.0 * (upper - lower) / (sorted.len() as f64).cbrt()) as i64;
        let wanted = if wanted > 0 { wanted } else { range / 16 };
        let p95 = percentile(&sorted, 0.95)?.ceil() as i64;
        let far = range / wanted.max(1) > BINS && p95 < longest;
        let reach = if far { p95 } else { longest };
        let least = (reach.saturating_sub(shortest) / BINS).max(longest / 10_000).max(1);
        let width = if wanted > least { round_below(wanted) } else { round_above(least) };
        let width = if reach.saturating_sub(shortest) / width > BINS { round_above(width + 1) } else { width };
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

/// 1, 2 and 5 times every power of ten that fits in 64 bits, in order.
fn round_numbers() -> impl Iterator<Item = i64> {
    (0..19_u32).flat_map(|power| [1_i64, 2, 5].map(|step| step.checked_mul(10_i64.checked_pow(power)?))).flatten()
}

/// The smallest round number that is not below `width`.
fn round_above(width: i64) -> i64 {
    round_numbers().find(|round| *round >= width).unwrap_or(width)
}

/// The largest round number that is not above `width`.
fn round_below(width: i64) -> i64 {
    round_numbers().take_while(|round| *round <= width).last().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: the quartiles of 10 12 12 13 30 are 12 and 13, so 2 × 1 ÷ ∛5 = 1.17, a width of 1; 21 bins from 10.
    #[test]
    fn every_value_is_in_its_bin() {
        let histogram = Histogram::of(&[13, 12, 30, 12, 10]).unwrap();
        assert_eq!((histogram.start, histogram.width, histogram.counts.len()), (10, 1, 21));
        assert_eq!(histogram.counts.get(..4), Some([1, 0, 2, 1].as_slice()));
        assert_eq!(histogram.counts.iter().sum::<u32>(), 5);
        assert_eq!((histogram.beyond, histogram.highest()), (None, 2));
    }

    // Forty values of 10 000 to 10 039 and one of a million: quartiles 10 010 and 10 030, so 2 × 20 ÷ ∛41 = 11.6, a
    // width of 10. The tail stands apart and nothing is lost.
    #[test]
    fn a_far_tail_has_a_bin_of_its_own() {
        let mut values: Vec<i64> = (0..40).map(|i| 10_000 + i).collect();
        values.push(1_000_000);
        let histogram = Histogram::of(&values).unwrap();
        assert_eq!((histogram.start, histogram.beyond), (10_000, Some((1, 1_000_000))));
        assert_eq!(histogram.counts.iter().sum::<u32>(), 40);
    }

    #[test]
    fn equal_values_and_none() {
        let histogram = Histogram::of(&[7, 7]).unwrap();
        assert_eq!((histogram.start, histogram.counts.as_slice()), (7, [2].as_slice()));
        assert_eq!(Histogram::of(&[0]).unwrap().counts, [1]);
        assert!(Histogram::of(&[]).is_none());
    }

    #[test]
    fn bins_are_never_too_many_and_lose_nothing() {
        let mut state = 1_u64;
        for size in 1..200_u32 {
            let values: Vec<i64> = (0..size)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    i64::try_from(state >> (20 + size % 40)).unwrap()
                })
                .collect();
            let histogram = Histogram::of(&values).unwrap();
            let beyond = histogram.beyond.map_or(0, |(count, _)| count);
            assert_eq!(histogram.counts.iter().sum::<u32>() + beyond, size);
            assert!(histogram.counts.len() <= 43, "{} bins for {size} values", histogram.counts.len());
        }
    }

    #[test]
    fn widths_are_one_two_or_five() {
        for (width, below, above) in [(1, 1, 1), (3, 2, 5), (6, 5, 10), (11, 10, 20), (999, 500, 1000)] {
            assert_eq!((round_below(width), round_above(width)), (below, above));
        }
    }
}

//! The spread of a list of durations: median, 95th percentile, longest, mean.
//!
//! Median and percentile interpolate linearly between the closest ranks, as numpy does by default and the field's
//! benchmark tools with it; the formula of each value says so.

use crate::derive::counted::int;
use crate::fact::{Fact, Quantity};

/// What a list of durations is like. Facts are derived, or weaker when the durations are.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The durations in nanoseconds, in their own order.
    pub values: Vec<i64>,
    /// The middle one; between two middle ones, halfway.
    pub median: Fact,
    /// The value below which 95 in 100 lie.
    pub p95: Fact,
    /// The longest.
    pub longest: Fact,
    /// Its index in `values`; the first of equals.
    pub longest_at: usize,
    /// Sum ÷ count.
    pub mean: Fact,
}

impl Spread {
    /// The spread of `values`, nanoseconds that are called `what` ("gaps between chunks") and come from `source`, a
    /// fact that carries their label and pointer. `None` when there are none.
    pub fn of(values: Vec<i64>, what: &str, source: &Fact) -> Option<Spread> {
        let (longest_at, longest) = values.iter().enumerate().rev().max_by_key(|(_, value)| **value)?;
        let (longest_at, longest) = (longest_at, *longest);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let count = sorted.len();
        let total: i128 = sorted.iter().map(|value| i128::from(*value)).sum();
        let of = |quantity| Fact { quantity, ..source.clone() };
        let number = (format!("number of {what}"), of(Quantity::Count(int(count))));
        let derived = |quantity, text: String, more: Vec<(String, Fact)>| {
            let mut inputs = vec![number.clone()];
            inputs.extend(more);
            Fact::derived(quantity, text, inputs)
        };
        let ends = || {
            let first = sorted.first().copied().unwrap_or(longest);
            vec![
                (format!("shortest of the {what}"), of(Quantity::Nanos(first))),
                (format!("longest of the {what}"), of(Quantity::Nanos(longest))),
            ]
        };
        Some(Spread {
            median: derived(
                Quantity::NanosExact(percentile(&sorted, 0.5)?),
                format!("median of the {what}; halfway between the two middle ones when their number is even"),
                ends(),
            ),
            p95: derived(
                Quantity::NanosExact(percentile(&sorted, 0.95)?),
                format!("95th percentile of the {what}, interpolated linearly between the closest ranks"),
                ends(),
            ),
            longest: derived(Quantity::Nanos(longest), format!("longest of the {what}"), Vec::new()),
            longest_at,
            mean: derived(
                Quantity::NanosExact(total as f64 / count as f64),
                format!("sum of the {what} ÷ their number"),
                vec![(format!("sum of the {what}"), of(Quantity::Nanos(i64::try_from(total).unwrap_or(i64::MAX))))],
            ),
            values,
        })
    }

    /// How many durations there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// How many of them are zero.
    pub fn zeros(&self) -> usize {
        self.values.iter().filter(|value| **value == 0).count()
    }
}

/// The `part` percentile (0 to 1) of sorted values, interpolated linearly between the closest ranks.
pub fn percentile(sorted: &[i64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let rank = part.clamp(0.0, 1.0) * last as f64;
    let below = *sorted.get(rank.floor() as usize)?;
    let above = *sorted.get(rank.ceil() as usize)?;
    Some(below as f64 + (above as f64 - below as f64) * (rank - rank.floor()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::{Label, LabelKind};

    fn source(label: Label) -> Fact {
        Fact::stored(Quantity::Count(0), Some(&label), "/x")
    }

    // By hand. Sorted 10 20 30 40: median 25; p95 at rank 0.95 × 3 = 2.85, so 30 + 0.85 × 10 = 38.5; mean 25.
    #[test]
    fn an_even_number_of_values() {
        let spread = Spread::of(vec![40, 10, 30, 20], "gaps", &source(Label::measured("clock"))).unwrap();
        assert_eq!(spread.median.quantity, Quantity::NanosExact(25.0));
        assert_eq!(spread.p95.quantity, Quantity::NanosExact(38.5));
        assert_eq!(spread.longest.quantity, Quantity::Nanos(40));
        assert_eq!(spread.longest_at, 0);
        assert_eq!(spread.mean.quantity, Quantity::NanosExact(25.0));
        assert_eq!(spread.median.label.kind, LabelKind::Derived);
    }

    #[test]
    fn one_value_is_its_own_spread_and_none_has_no_spread() {
        let spread = Spread::of(vec![7], "gaps", &source(Label::inferred("rule"))).unwrap();
        assert_eq!(spread.median.quantity, Quantity::NanosExact(7.0));
        assert_eq!(spread.p95.quantity, Quantity::NanosExact(7.0));
        assert_eq!(spread.median.label.kind, LabelKind::Inferred, "no stronger than its input");
        assert!(Spread::of(Vec::new(), "gaps", &source(Label::measured("clock"))).is_none());
    }

    #[test]
    fn the_first_of_equals_is_the_longest() {
        let spread = Spread::of(vec![1, 9, 9, 2], "gaps", &source(Label::measured("clock"))).unwrap();
        assert_eq!((spread.longest_at, spread.zeros()), (1, 0));
    }
}

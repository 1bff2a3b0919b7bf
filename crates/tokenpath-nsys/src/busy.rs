//! Unions of intervals, in whole nanoseconds.

/// The union of intervals of one device: disjoint stretches in order, with the busy time before each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    stretches: Vec<(i64, i64)>,
    /// Busy nanoseconds before each stretch.
    before: Vec<i64>,
    total: i64,
}

impl Busy {
    /// The union of half-open intervals; those that end before they start count as nothing. Sorts the list.
    pub fn of(mut intervals: Vec<(i64, i64)>) -> Busy {
        // Exports are mostly in order, which makes this nearly a scan.
        intervals.sort_unstable();
        let mut stretches: Vec<(i64, i64)> = Vec::new();
        for (start, end) in intervals {
            match stretches.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                _ if end > start => stretches.push((start, end)),
                _ => {}
            }
        }
        let mut total = 0_i64;
        let before = stretches
            .iter()
            .map(|(start, end)| {
                let so_far = total;
                total = total.saturating_add(end.saturating_sub(*start));
                so_far
            })
            .collect();
        Busy { stretches, before, total }
    }

    /// The busy time, in nanoseconds.
    pub fn total(&self) -> i64 {
        self.total
    }

    /// The disjoint stretches, in order.
    pub fn stretches(&self) -> &[(i64, i64)] {
        &self.stretches
    }

    /// The busy time before a moment. Cost: logarithmic in stretches.
    fn until(&self, moment: i64) -> i64 {
        let after = self.stretches.partition_point(|(start, _)| *start < moment);
        let Some(at) = after.checked_sub(1) else { return 0 };
        match (self.stretches.get(at), self.before.get(at)) {
            (Some((start, end)), Some(before)) => before.saturating_add(moment.min(*end).saturating_sub(*start)),
            _ => 0,
        }
    }

    /// The busy time within a half-open interval.
    pub fn within(&self, start: i64, end: i64) -> i64 {
        if end <= start { 0 } else { self.until(end).saturating_sub(self.until(start)) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // By hand: [0,10) and [5,15) make 15; [20,20) is nothing; [30,25) is no interval; [15,18) touches.
    #[test]
    fn overlapping_and_touching_intervals_count_once() {
        let busy = Busy::of(vec![(5, 15), (0, 10), (20, 20), (30, 25), (15, 18)]);
        assert_eq!(busy.stretches(), [(0, 18)]);
        assert_eq!((busy.total(), busy.within(4, 16), busy.within(17, 40), busy.within(9, 9)), (18, 12, 1, 0));
    }

    proptest! {
        // The right answer: a mark on each of a hundred nanoseconds.
        #[test]
        fn a_union_is_what_marks_on_each_nanosecond_count(
            intervals in proptest::collection::vec((0_i64..100, 0_i64..100), 0..40),
            from in 0_i64..100,
            length in 0_i64..100,
        ) {
            let marks: Vec<bool> =
                (0..100).map(|at| intervals.iter().any(|(start, end)| *start <= at && at < *end)).collect();
            let busy = Busy::of(intervals);
            prop_assert_eq!(busy.total(), marks.iter().filter(|mark| **mark).count() as i64);
            let within = marks.iter().skip(from as usize).take(length as usize).filter(|mark| **mark).count();
            prop_assert_eq!(busy.within(from, from + length), within as i64);
        }
    }
}

//! Passes by the steps that a runtime marks itself: a kernel belongs to the step on whose thread, and in whose time, its
//! launch lies. The kernel's own time does not decide: kernels run after the step that launched them has returned.

use std::collections::HashMap;

use super::{Origin, Passes, grouped};
use crate::import::source::Source;

/// The passes of the marked steps; none where no range is such a step.
pub(super) fn passes(source: &Source) -> Passes {
    // Steps of a thread do not nest; where they do, the outer one counts, so that no step is cut in two.
    let mut by_thread: HashMap<Option<i64>, Vec<(i64, i64, usize)>> = HashMap::new();
    let mut steps = 0;
    for (at, range) in source.ranges.iter().enumerate() {
        let (Some(_), true, Some(end)) = (range.step, range.of_thread, range.end) else { continue };
        let list = by_thread.entry(range.thread).or_default();
        if list.last().is_none_or(|(_, last, _)| range.start >= *last) {
            list.push((range.start, end, at));
            steps += 1;
        }
    }
    if steps == 0 {
        return Passes::default();
    }
    let ranges: Vec<Option<usize>> = source
        .calls
        .iter()
        .map(|call| {
            let list = by_thread.get(&source.threads.get(call.thread)?)?;
            let after = list.partition_point(|(start, ..)| *start <= call.start);
            let (_, end, range) = list.get(after.checked_sub(1)?)?;
            (call.start < *end).then_some(*range)
        })
        .collect();
    let of = |range: usize| source.ranges.get(range).and_then(|range| range.step).map(Origin::Marked);
    let passes = grouped(source, &ranges, of);
    Passes { empty: steps - passes.list.len(), ..passes }
}

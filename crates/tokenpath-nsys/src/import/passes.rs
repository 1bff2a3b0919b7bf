//! Passes by the steps that a runtime marks itself: a kernel belongs to the step on whose thread, and in whose time, its
//! launch lies. The kernel's own time does not decide: kernels run after the step that launched them has returned.

use std::collections::HashMap;

use super::source::Source;

/// A pass: a step that launched kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// The range, in [`Source::ranges`].
    pub(super) range: usize,
    /// First start of a kernel.
    pub(super) start: i64,
    /// Last end of a kernel.
    pub(super) end: i64,
}

/// Passes, and to which each call belongs.
#[derive(Debug, Default)]
pub(super) struct Passes {
    /// In order of start.
    pub(super) list: Vec<Pass>,
    of_call: Vec<Option<u32>>,
    /// Steps that launched no kernel of the device.
    pub(super) empty: usize,
}

impl Passes {
    /// The pass of a call.
    pub(super) fn of(&self, call: u32) -> Option<u32> {
        self.of_call.get(call as usize).copied().flatten()
    }

    pub(super) fn read(source: &Source) -> Passes {
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
        let range_of = |call: u32| {
            let call = source.calls.get(call as usize)?;
            let list = by_thread.get(&source.threads.get(call.thread)?)?;
            let after = list.partition_point(|(start, ..)| *start <= call.start);
            let (_, end, range) = list.get(after.checked_sub(1)?)?;
            (call.start < *end).then_some(*range)
        };
        let mut found: HashMap<usize, Pass> = HashMap::new();
        let mut ranges: Vec<Option<usize>> = vec![None; if steps == 0 { 0 } else { source.calls.len() }];
        for ran in source.kernels.iter().chain(&source.graphs) {
            let Some((call, range)) = ran.call().and_then(|call| Some((call, range_of(call)?))) else { continue };
            if let Some(place) = ranges.get_mut(call as usize) {
                *place = Some(range);
            }
            let pass = found.entry(range).or_insert(Pass { range, start: ran.start, end: ran.end });
            pass.start = pass.start.min(ran.start);
            pass.end = pass.end.max(ran.end);
        }
        let mut list: Vec<Pass> = found.into_values().collect();
        list.sort_by_key(|pass| (pass.start, pass.end, pass.range));
        let places: HashMap<usize, u32> =
            list.iter().enumerate().filter_map(|(at, pass)| Some((pass.range, u32::try_from(at).ok()?))).collect();
        let of_call = ranges.into_iter().map(|range| places.get(&range?).copied()).collect();
        let empty = steps - list.len();
        Passes { list, of_call, empty }
    }
}

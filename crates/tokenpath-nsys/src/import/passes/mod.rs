//! Passes: by the steps that a runtime marks itself, else by launches that repeat.

mod marked;
mod repeats;
mod table;

use std::collections::HashMap;

pub(super) use repeats::waits;
pub(super) use table::no_pass;

use super::source::Source;
use super::steps::Step;

/// What says that this is a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The runtime marks it as a step.
    Marked(Step),
    /// Its thread launched the same, between the same waits, at least [`repeats::TIMES`] times in a row.
    Repeated,
}

/// A pass: calls that launched kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) origin: Origin,
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

    /// `waits` says of each number of a call's name whether such a call waits for the device.
    pub(super) fn read(source: &Source, waits: &[bool]) -> Passes {
        let marked = marked::passes(source);
        if !marked.list.is_empty() {
            return marked;
        }
        Passes { empty: marked.empty, ..repeats::passes(source, waits) }
    }
}

/// The passes of groups of calls: `group_of` says to which group a call belongs, `of` why that is a pass.
fn grouped(source: &Source, group_of: &[Option<usize>], of: impl Fn(usize) -> Option<Origin>) -> Passes {
    let mut found: HashMap<usize, Pass> = HashMap::new();
    for ran in source.kernels.iter().chain(&source.graphs) {
        let group = ran.call().and_then(|call| group_of.get(call as usize).copied().flatten());
        let Some((group, origin)) = group.and_then(|group| Some((group, of(group)?))) else { continue };
        let pass = found.entry(group).or_insert(Pass { origin, start: ran.start, end: ran.end });
        pass.start = pass.start.min(ran.start);
        pass.end = pass.end.max(ran.end);
    }
    let mut order: Vec<(usize, Pass)> = found.into_iter().collect();
    order.sort_by_key(|(group, pass)| (pass.start, pass.end, *group));
    let places: HashMap<usize, u32> = order.iter().map(|(group, _)| *group).zip(0..).collect();
    let of_call = group_of.iter().map(|group| places.get(&(*group)?).copied()).collect();
    Passes { list: order.into_iter().map(|(_, pass)| pass).collect(), of_call, empty: 0 }
}

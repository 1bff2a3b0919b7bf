//! Interval time of nodes in one pass, where the instrument times completely.

use std::collections::HashMap;

use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// What the intervals of one pass say of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeTime {
    /// Sum of the durations of the intervals that executed it, in nanoseconds.
    pub nanos: i64,
    /// How many intervals executed it.
    pub intervals: u32,
    /// One of them.
    pub interval: u32,
    /// Whether one of them executed other nodes too, so that the time is not this node's alone.
    pub shared: bool,
}

/// Times of the nodes in one pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTimes {
    /// The pass.
    pub pass: u32,
    times: HashMap<u32, NodeTime>,
}

impl NodeTimes {
    /// The time of a node; `None` when no interval of the pass executed it.
    pub fn get(&self, node: u32) -> Option<NodeTime> {
        self.times.get(&node).copied()
    }
}

/// Whether the instrument records every interval with its duration.
///
/// # Errors
/// The reason why it does not.
pub fn complete_timing(run: &Run) -> Result<(), Missing> {
    let pointer = "/identity/instrument/kernel_timing".to_owned();
    match run.identity.instrument.kernel_timing.as_deref() {
        Some("complete") => Ok(()),
        Some("sparse") => Err(Missing {
            pointer,
            reason: "The instrument records some executions only, so their times do not add up to anything.".to_owned(),
        }),
        Some(_) => Err(Missing { pointer, reason: "The instrument records no intervals.".to_owned() }),
        None => Err(run.missing(&pointer)),
    }
}

/// The times of the nodes in `pass`. Cost: linear in intervals.
///
/// # Errors
/// When timing is not complete, an interval of the pass has no duration, or intervals do not name nodes.
pub fn node_times(run: &Run, pass: u32) -> Result<NodeTimes, Missing> {
    complete_timing(run)?;
    let intervals = &run.timeline.intervals;
    if !intervals.given {
        return Err(run.missing("/timeline/intervals"));
    }
    let mut out = NodeTimes { pass, ..NodeTimes::default() };
    let mut unnamed = false;
    for (row, of) in intervals.pass.raw().iter().enumerate() {
        if *of != pass {
            continue;
        }
        let Some(duration) = intervals.duration.get(row) else {
            return Err(run.missing(&format!("/timeline/intervals/duration/{row}")));
        };
        let nodes = intervals.nodes.get(row).unwrap_or(&[]);
        unnamed |= nodes.is_empty();
        for node in nodes {
            let time = out.times.entry(*node).or_default();
            time.nanos = time.nanos.saturating_add(duration);
            time.intervals += 1;
            time.interval = u32::try_from(row).unwrap_or(u32::MAX);
            time.shared |= nodes.len() > 1;
        }
    }
    if out.times.is_empty() {
        return Err(Missing {
            pointer: "/timeline/intervals/nodes".to_owned(),
            reason: if unnamed {
                "The intervals of this pass do not name the nodes that they executed.".to_owned()
            } else {
                "No interval fell in this pass.".to_owned()
            },
        });
    }
    Ok(out)
}

/// The time of one node as a reading.
pub fn reading(run: &Run, times: &Result<NodeTimes, Missing>, node: u32) -> Reading {
    let times = times.as_ref().map_err(Clone::clone)?;
    let Some(time) = times.get(node) else {
        return Err(Missing {
            pointer: "/timeline/intervals/nodes".to_owned(),
            reason: format!("No interval of pass {} names this node.", times.pass),
        });
    };
    let intervals = &run.timeline.intervals;
    let label = intervals.label("duration", time.interval as usize);
    let pointer = format!("/timeline/intervals/duration/{}", time.interval);
    if time.intervals == 1 {
        return Ok(Fact::stored(Quantity::Nanos(time.nanos), label, pointer));
    }
    let input = Fact::stored(Quantity::Nanos(time.nanos), label, "/timeline/intervals/duration");
    let name = format!("{} intervals", time.intervals);
    Ok(Fact::derived(Quantity::Nanos(time.nanos), "sum of the durations of the node's intervals", vec![(name, input)]))
}

//! What the recording attributes to no pass, no kernel, no node.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::counted::{count, count_all, sum};
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// A part of the intervals, by number and, where timing is complete, by time.
#[derive(Clone, Debug, PartialEq)]
pub struct PartOfIntervals {
    /// How many.
    pub count: Fact,
    /// Of how many.
    pub of: Fact,
    /// Their part of the recorded intervals' time.
    pub share: Reading,
}

/// What the recording does not attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Unattributed {
    /// Intervals that fell in no pass.
    pub in_no_pass: PartOfIntervals,
    /// Intervals whose launch is not recorded, where launches are: it lies outside what was recorded, or was trimmed.
    pub without_launch: Option<PartOfIntervals>,
    /// Intervals that name no kernel.
    pub without_kernel: PartOfIntervals,
    /// Intervals that reach no node: neither by themselves nor through a kernel of their submission's nodes.
    pub at_no_node: PartOfIntervals,
}

/// What is not attributed; why, where there are no intervals.
pub fn unattributed(run: &Run) -> Result<Unattributed, Missing> {
    let table = &run.timeline.intervals;
    if !table.given || table.rows() == 0 {
        return Err(run.missing("/timeline/intervals"));
    }
    let mut kernels_of_set: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let (mut no_pass, mut no_launch) = (Vec::new(), Vec::new());
    let (mut no_kernel, mut no_node) = (Vec::new(), Vec::new());
    for row in 0..table.rows() {
        if table.pass.get(row).is_none() {
            no_pass.push(row);
        }
        if table.submission.get(row).is_none() && table.submission_end.get(row).is_none() {
            no_launch.push(row);
        }
        let kernel = table.kernel.get(row);
        if kernel.is_none() && table.kernel_end.get(row).is_none() {
            no_kernel.push(row);
        }
        let named = table.nodes.get(row).is_some_and(|nodes| !nodes.is_empty());
        let mut candidate = || {
            let set = run.timeline.submissions.node_set.get(table.submission.get(row)? as usize)?;
            let kernels = kernels_of_set.entry(set).or_insert_with(|| {
                let nodes = run.timeline.node_sets.nodes.get(set as usize).unwrap_or(&[]);
                let lists = nodes.iter().filter_map(|node| run.graph.nodes.kernels.get(*node as usize));
                lists.flatten().copied().collect()
            });
            kernels.contains(&kernel?).then_some(())
        };
        if !named && candidate().is_none() {
            no_node.push(row);
        }
    }
    Ok(Unattributed {
        in_no_pass: part(run, &no_pass, "pass"),
        without_launch: run.timeline.submissions.given.then(|| part(run, &no_launch, "submission")),
        without_kernel: part(run, &no_kernel, "kernel"),
        at_no_node: part(run, &no_node, "kernel"),
    })
}

fn part(run: &Run, rows: &[usize], column: &str) -> PartOfIntervals {
    let table = &run.timeline.intervals;
    let all = table.rows();
    let count = count(&table.labels, column, &format!("/timeline/intervals/{column}"), rows);
    let of = count_all(&table.labels, "start", "/timeline/intervals", all);
    let share = if run.identity.instrument.kernel_timing.as_deref() == Some("complete") {
        let time = |rows: &mut dyn Iterator<Item = usize>| {
            let durations: Option<Vec<i64>> = rows.map(|row| table.duration.get(row)).collect();
            sum(durations?)
        };
        match (time(&mut rows.iter().copied()), time(&mut (0..all))) {
            (Some(part), Some(whole)) if whole > 0 => {
                let time = |nanos| {
                    Fact::stored(Quantity::Nanos(nanos), table.label("duration", 0), "/timeline/intervals/duration")
                };
                Ok(Fact::derived(
                    Quantity::Share(part as f64 / whole as f64),
                    "their durations ÷ the durations of all recorded intervals",
                    vec![("their durations".to_owned(), time(part)), ("all durations".to_owned(), time(whole))],
                ))
            }
            _ => Err(run.missing("/timeline/intervals/duration")),
        }
    } else {
        Err(Missing {
            pointer: "/identity/instrument/kernel_timing".to_owned(),
            reason: "The instrument does not record the duration of every execution, so no share of time is stated."
                .to_owned(),
        })
    };
    PartOfIntervals { count, of, share }
}

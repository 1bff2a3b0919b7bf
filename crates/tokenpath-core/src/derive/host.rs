//! What programs annotated and called on the host: named ranges, API calls, and what the GPU ran for a range.
//!
//! A range holds the intervals whose launches lie in it, on its thread: projected so, its GPU time may come after the
//! range has ended. Children of a range are not taken off it.

use std::collections::HashMap;

use crate::derive::grouped::Grouped;
use crate::derive::passes::union;
use crate::derive::times::complete_timing;
use crate::fact::Missing;
use crate::model::Run;

/// Ranges of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct RangesOfName<'a> {
    /// The name, without what profilers add to each single range.
    pub name: &'a str,
    /// The first of them in the table.
    pub first: u32,
    /// How many have a duration.
    pub count: u32,
    /// How many have none: marks, and ranges that were open when recording stopped.
    pub open: u32,
    /// Their durations together, in nanoseconds.
    pub sum: i64,
    /// The longest of them.
    pub longest: i64,
    /// The union of them.
    pub union: i64,
    /// Intervals whose launches lie within them.
    pub launched: u32,
    /// The union of those intervals' times.
    pub gpu: i64,
}

/// Calls of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallsOfName<'a> {
    /// The name as recorded.
    pub name: &'a str,
    /// How many.
    pub count: u32,
    /// How many have no duration.
    pub open: u32,
    /// Their durations together, in nanoseconds.
    pub sum: i64,
    /// The longest of them.
    pub longest: i64,
    /// How many made a submission.
    pub submissions: u32,
}

/// The ranges of a run by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges<'a> {
    /// The longest together first.
    pub rows: Vec<RangesOfName<'a>>,
    /// Why no GPU time stands beside them.
    pub no_gpu: Option<Missing>,
}

/// The name of a range without what PyTorch adds to each single one: `aten::add, seq = 5, op_id = 7` is `aten::add`.
pub fn family(name: &str) -> &str {
    let cut = [", seq = ", ", op_id = ", ", sizes = "].iter().filter_map(|mark| name.find(mark)).min();
    cut.and_then(|at| name.get(..at)).unwrap_or(name)
}

/// Sums the ranges by name. Cost: linear in ranges and calls, times the depth to which ranges nest.
pub fn ranges(run: &Run) -> Ranges<'_> {
    let table = &run.timeline.ranges;
    let launches = Launches::of(run);
    let mut rows: Vec<RangesOfName<'_>> = Vec::new();
    let mut members: Vec<Vec<(i64, i64, u32)>> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for row in 0..table.rows() {
        let (Some(name), Some(start)) = (table.name.get(row).map(family), table.start.get(row)) else { continue };
        let number = u32::try_from(row).unwrap_or(u32::MAX);
        let at = *by_name.entry(name).or_insert_with(|| {
            rows.push(RangesOfName {
                name,
                first: number,
                count: 0,
                open: 0,
                sum: 0,
                longest: 0,
                union: 0,
                launched: 0,
                gpu: 0,
            });
            members.push(Vec::new());
            rows.len() - 1
        });
        let (Some(entry), Some(members)) = (rows.get_mut(at), members.get_mut(at)) else { continue };
        match table.duration.get(row) {
            Some(duration) => {
                entry.count += 1;
                entry.sum = entry.sum.saturating_add(duration);
                entry.longest = entry.longest.max(duration);
                members.push((start, start.saturating_add(duration), number));
            }
            None => entry.open += 1,
        }
    }
    for (entry, members) in rows.iter_mut().zip(&mut members) {
        members.sort_unstable();
        let spans: Vec<(i64, i64)> = members.iter().map(|(start, end, _)| (*start, *end)).collect();
        entry.union = union(&spans);
        if let Ok(launches) = &launches {
            let mut ran = launches.within(run, members);
            entry.launched = u32::try_from(ran.len()).unwrap_or(u32::MAX);
            ran.sort_unstable();
            entry.gpu = union(&ran);
        }
    }
    rows.sort_by(|a, b| b.sum.cmp(&a.sum).then_with(|| a.name.cmp(b.name)));
    Ranges { rows, no_gpu: launches.err() }
}

/// The calls by name, the longest together first. Cost: linear in calls.
pub fn calls(run: &Run) -> Vec<CallsOfName<'_>> {
    let table = &run.timeline.calls;
    let mut rows: Vec<CallsOfName<'_>> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for row in 0..table.rows() {
        let Some(name) = table.name.get(row) else { continue };
        let at = *by_name.entry(name).or_insert_with(|| {
            rows.push(CallsOfName { name, count: 0, open: 0, sum: 0, longest: 0, submissions: 0 });
            rows.len() - 1
        });
        let Some(entry) = rows.get_mut(at) else { continue };
        entry.count += 1;
        entry.submissions += u32::from(table.submission.get(row).is_some());
        match table.duration.get(row) {
            Some(duration) => {
                entry.sum = entry.sum.saturating_add(duration);
                entry.longest = entry.longest.max(duration);
            }
            None => entry.open += 1,
        }
    }
    rows.sort_by(|a, b| b.sum.cmp(&a.sum).then_with(|| a.name.cmp(b.name)));
    rows
}

/// Which intervals each call launched, by thread.
struct Launches {
    /// Start and submission of the calls of each thread that made one, in order.
    by_thread: HashMap<i64, Vec<(i64, u32)>>,
    intervals: Grouped,
}

impl Launches {
    fn of(run: &Run) -> Result<Launches, Missing> {
        complete_timing(run)?;
        let (calls, intervals) = (&run.timeline.calls, &run.timeline.intervals);
        if !calls.given {
            return Err(run.missing("/timeline/calls"));
        }
        if !intervals.given {
            return Err(run.missing("/timeline/intervals"));
        }
        let mut by_thread: HashMap<i64, Vec<(i64, u32)>> = HashMap::new();
        for row in 0..calls.rows() {
            let call = (calls.thread.get(row), calls.start.get(row), calls.submission.get(row));
            if let (Some(thread), Some(start), Some(submission)) = call {
                by_thread.entry(thread).or_default().push((start, submission));
            }
        }
        if by_thread.is_empty() {
            return Err(Missing {
                pointer: "/timeline/calls/submission".to_owned(),
                reason: "No call says on which thread it made which submission.".to_owned(),
            });
        }
        for list in by_thread.values_mut() {
            list.sort_unstable();
        }
        let submissions = run.timeline.submissions.rows();
        let intervals = Grouped::by(submissions, (0..intervals.rows()).map(|row| intervals.submission.get(row)));
        Ok(Launches { by_thread, intervals })
    }

    /// The times of the intervals launched within ranges, each interval once.
    fn within(&self, run: &Run, ranges: &[(i64, i64, u32)]) -> Vec<(i64, i64)> {
        let table = &run.timeline.ranges;
        let mut submissions: Vec<u32> = Vec::new();
        for (start, end, row) in ranges {
            let Some(list) = table.thread.get(*row as usize).and_then(|thread| self.by_thread.get(&thread)) else {
                continue;
            };
            let from = list.partition_point(|(at, _)| at < start);
            submissions
                .extend(list.iter().skip(from).take_while(|(at, _)| at < end).map(|(_, submission)| *submission));
        }
        submissions.sort_unstable();
        submissions.dedup();
        let intervals = &run.timeline.intervals;
        let times = submissions.iter().flat_map(|submission| self.intervals.of(*submission)).filter_map(|row| {
            let start = intervals.start.get(*row as usize)?;
            Some((start, start.saturating_add(intervals.duration.get(*row as usize)?)))
        });
        times.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Calls, Identity, Instrument, Intervals, Ranges as RangeTable, Submissions, Timeline};

    /// Two threads. Thread 1 launches at 10 and 20 within `layer`, thread 2 at 15 outside of it; the kernels run later.
    fn run() -> Run {
        Run {
            identity: Identity {
                given: true,
                instrument: Instrument {
                    given: true,
                    kernel_timing: Some("complete".to_owned()),
                    ..Instrument::default()
                },
                ..Identity::default()
            },
            timeline: Timeline {
                given: true,
                submissions: Submissions {
                    given: true,
                    kind: ["launch"; 3].map(Some).into_iter().collect(),
                    start: [10, 15, 20].into_iter().collect(),
                    ..Submissions::default()
                },
                calls: Calls {
                    given: true,
                    name: ["launch", "launch", "launch", "wait"].map(Some).into_iter().collect(),
                    start: [10, 15, 20, 40].into_iter().collect(),
                    duration: [Some(2), Some(2), Some(3), Some(50)].into_iter().collect(),
                    thread: [1, 2, 1, 1].into_iter().collect(),
                    submission: [Some(0), Some(1), Some(2), None].into_iter().collect(),
                    ..Calls::default()
                },
                intervals: Intervals {
                    given: true,
                    start: [50, 55, 60, 100].into_iter().collect(),
                    duration: [Some(10), Some(20), Some(10), Some(5)].into_iter().collect(),
                    submission: [Some(0), Some(1), Some(2), Some(2)].into_iter().collect(),
                    ..Intervals::default()
                },
                ranges: RangeTable {
                    given: true,
                    name: ["layer", "aten::mm, seq = 1, op_id = 2", "aten::mm, seq = 3", "mark"]
                        .map(Some)
                        .into_iter()
                        .collect(),
                    start: [5, 8, 18, 30].into_iter().collect(),
                    duration: [Some(25), Some(5), Some(5), None].into_iter().collect(),
                    thread: [1, 1, 1, 1].into_iter().collect(),
                    ..RangeTable::default()
                },
                ..Timeline::default()
            },
            ..Run::default()
        }
    }

    // By hand: within [5, 30) thread 1 launches submissions 0 and 2: intervals [50, 60), [60, 70), [100, 105): 25 ns. The
    // two aten::mm, [8, 13) and [18, 23), launch the same two.
    #[test]
    fn a_range_holds_what_its_thread_launches_in_it() {
        let run = run();
        let found = ranges(&run);
        assert_eq!(found.no_gpu, None);
        let told: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.name, row.count, row.open, row.sum, row.union, row.launched, row.gpu))
            .collect();
        assert_eq!(
            told,
            [("layer", 1, 0, 25, 25, 3, 25), ("aten::mm", 2, 0, 10, 10, 3, 25), ("mark", 0, 1, 0, 0, 0, 0)]
        );
    }

    #[test]
    fn calls_are_summed_by_name() {
        let run = run();
        let told: Vec<_> =
            calls(&run).into_iter().map(|row| (row.name, row.count, row.sum, row.longest, row.submissions)).collect();
        assert_eq!(told, [("wait", 1, 50, 50, 0), ("launch", 3, 7, 3, 3)]);
    }

    #[test]
    fn without_complete_timing_no_gpu_time_stands() {
        let mut run = run();
        run.identity.instrument.kernel_timing = Some("none".to_owned());
        assert_eq!(ranges(&run).no_gpu.unwrap().pointer, "/identity/instrument/kernel_timing");
    }

    #[test]
    fn what_differs_in_each_range_of_pytorch_is_no_part_of_its_name() {
        assert_eq!(family("aten::add, seq = 45440, op_id = 990760"), "aten::add");
        assert_eq!(family("aten::add, op_id = 314359, sizes = [[2, 3], []]"), "aten::add");
        assert_eq!(family("step, op"), "step, op");
    }
}

//! The rows of an export that a run is made from.

use std::collections::HashMap;

use rusqlite::types::ValueRef;

use super::steps::{Step, step};
use crate::coverage::Coverage;
use crate::launches::{process, unnamed};
use crate::names::{Names, text};
use crate::open::Trace;
use crate::rows::{Times, int, scan};
use crate::schema::{CALLS, COPIES, GRAPHS, KERNELS, RANGES, SETS};

/// A CUDA call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) thread: Option<i64>,
    pub(super) correlation: Option<i64>,
    pub(super) name: Option<i64>,
}

/// A kernel, or the launch of a whole graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) context: Option<i64>,
    pub(super) stream: Option<i64>,
    pub(super) correlation: Option<i64>,
    pub(super) process: Option<i64>,
    pub(super) long: Option<i64>,
    pub(super) short: Option<i64>,
}

/// A copy or a memory set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) context: Option<i64>,
    pub(super) stream: Option<i64>,
    pub(super) bytes: Option<i64>,
    /// The kind of a copy; a memory set has none.
    pub(super) kind: Option<Option<i64>>,
}

/// An NVTX range or mark.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) start: i64,
    pub(super) end: Option<i64>,
    pub(super) thread: Option<i64>,
    pub(super) name: String,
    pub(super) step: Option<Step>,
    /// Whether it was pushed and popped on its thread, so that it holds what that thread launches.
    pub(super) of_thread: bool,
}

/// All rows that concern one device, each kind in order of start.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) calls: Vec<Call>,
    pub(super) kernels: Vec<Ran>,
    pub(super) graphs: Vec<Ran>,
    pub(super) moved: Vec<Moved>,
    pub(super) ranges: Vec<Named>,
    /// Kernels, copies, sets and graphs of other devices.
    pub(super) elsewhere: u64,
    pub(super) on_graph_nodes: bool,
    /// Nanoseconds that were added to every time, so that the first is 0 where some lie before the clock's zero: bundles
    /// have no times below it.
    pub(super) shift: i64,
}

/// Numbers of devices with how many kernels each ran.
pub(super) fn devices(trace: &Trace) -> Vec<(i64, u64)> {
    let mut counts: HashMap<i64, u64> = HashMap::new();
    for (table, weight) in [(KERNELS, 1), (COPIES, 0), (SETS, 0), (GRAPHS, 0)] {
        let _ = scan(&trace.connection, &trace.schema, table, &["deviceId"], &mut |row| {
            *counts.entry(int(row, 0)?.unwrap_or(0)).or_default() += weight;
            Ok(())
        });
    }
    let mut list: Vec<_> = counts.into_iter().collect();
    list.sort_unstable();
    list
}

impl Source {
    pub(super) fn read(trace: &Trace, device: Option<i64>, names: &mut Names<'_>, coverage: &mut Coverage) -> Source {
        let mut source = Source::default();
        source.read_calls(trace, coverage);
        let of_device = |found: Option<i64>| device == Some(found.unwrap_or(0));
        let columns = [
            "start",
            "end",
            "deviceId",
            "contextId",
            "streamId",
            "correlationId",
            "globalPid",
            "demangledName",
            "shortName",
            "graphNodeId",
        ];
        for (table, whole) in [(KERNELS, false), (GRAPHS, true)] {
            let ended = scan(&trace.connection, &trace.schema, table, &columns, &mut |row| {
                if !of_device(int(row, 2)?) {
                    source.elsewhere += 1;
                    return Ok(());
                }
                source.on_graph_nodes |= matches!(row.get_ref(9)?, ValueRef::Integer(node) if node != 0);
                let times = Times::of(int(row, 0)?, int(row, 1)?);
                let Some((start, end)) = coverage.usable(table, times) else { return Ok(()) };
                let ran = Ran {
                    start,
                    end,
                    context: int(row, 3)?,
                    stream: int(row, 4)?,
                    correlation: int(row, 5)?,
                    process: int(row, 6)?.map(process),
                    long: int(row, 7)?,
                    short: int(row, 8)?,
                };
                if whole {
                    source.graphs.push(ran)
                } else {
                    source.kernels.push(ran)
                }
                Ok(())
            });
            coverage.incomplete.extend(ended);
        }
        let columns = ["start", "end", "deviceId", "contextId", "streamId", "bytes", "copyKind"];
        for table in [COPIES, SETS] {
            let ended = scan(&trace.connection, &trace.schema, table, &columns, &mut |row| {
                if !of_device(int(row, 2)?) {
                    source.elsewhere += 1;
                    return Ok(());
                }
                let times = Times::of(int(row, 0)?, int(row, 1)?);
                let Some((start, end)) = coverage.usable(table, times) else { return Ok(()) };
                source.moved.push(Moved {
                    start,
                    end,
                    context: int(row, 3)?,
                    stream: int(row, 4)?,
                    bytes: int(row, 5)?,
                    kind: if table == COPIES { Some(int(row, 6)?) } else { None },
                });
                Ok(())
            });
            coverage.incomplete.extend(ended);
        }
        source.read_ranges(trace, names, coverage);
        source.kernels.sort_by_key(|ran| (ran.start, ran.end));
        source.graphs.sort_by_key(|ran| (ran.start, ran.end));
        source.moved.sort_by_key(|moved| (moved.start, moved.end));
        source.begin_at_zero();
        source
    }

    fn begin_at_zero(&mut self) {
        let ran = self.kernels.iter().chain(&self.graphs).map(|ran| ran.start);
        let starts = ran
            .chain(self.calls.iter().map(|call| call.start))
            .chain(self.moved.iter().map(|moved| moved.start))
            .chain(self.ranges.iter().map(|range| range.start));
        let first = starts.min().unwrap_or(0);
        if first >= 0 {
            return;
        }
        let shift = first.saturating_neg();
        let later = |time: &mut i64| *time = time.saturating_add(shift);
        for ran in self.kernels.iter_mut().chain(&mut self.graphs) {
            later(&mut ran.start);
            later(&mut ran.end);
        }
        for call in &mut self.calls {
            later(&mut call.start);
            later(&mut call.end);
        }
        for moved in &mut self.moved {
            later(&mut moved.start);
            later(&mut moved.end);
        }
        for range in &mut self.ranges {
            later(&mut range.start);
            range.end = range.end.map(|end| end.saturating_add(shift));
        }
        self.shift = shift;
    }

    fn read_calls(&mut self, trace: &Trace, coverage: &mut Coverage) {
        let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
        let ended = scan(&trace.connection, &trace.schema, CALLS, &columns, &mut |row| {
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(CALLS, times) else { return Ok(()) };
            let (thread, correlation, name) = (int(row, 2)?, int(row, 3)?, int(row, 4)?);
            self.calls.push(Call { start, end, thread, correlation, name });
            Ok(())
        });
        coverage.incomplete.extend(ended);
        self.calls.sort_by_key(|call| (call.start, call.end));
    }

    fn read_ranges(&mut self, trace: &Trace, names: &mut Names<'_>, coverage: &mut Coverage) {
        let typed = trace.schema.has_column(RANGES, "eventType");
        let columns = ["start", "end", "eventType", "text", "textId", "globalTid"];
        let mut not_utf8 = 0;
        let ended = scan(&trace.connection, &trace.schema, RANGES, &columns, &mut |row| {
            let kind = int(row, 2)?;
            // 59 and 70: pushed and popped; 60 and 71: started and ended; 34: a mark.
            let of_thread = !typed || matches!(kind, Some(59 | 70));
            if !of_thread && !matches!(kind, Some(60 | 71 | 34)) {
                coverage.other_nvtx_events += 1;
                return Ok(());
            }
            let (start, end) = (int(row, 0)?, int(row, 1)?);
            let (start, end) = match (start, end) {
                (Some(start), None) => (start, None),
                (start, end) => match coverage.usable(RANGES, Times::of(start, end)) {
                    Some((start, end)) => (start, Some(end)),
                    None => return Ok(()),
                },
            };
            let id = int(row, 4)?;
            let name = text(row.get_ref(3)?, &mut not_utf8)
                .or_else(|| id.and_then(|id| names.get(id)))
                .unwrap_or_else(|| unnamed(id));
            let step = end.and_then(|_| step(&name));
            self.ranges.push(Named { start, end, thread: int(row, 5)?, name, step, of_thread });
            Ok(())
        });
        coverage.incomplete.extend(ended);
        coverage.texts_not_utf8 += not_utf8;
        self.ranges.sort_by(|a, b| (a.start, a.end, &a.name).cmp(&(b.start, b.end, &b.name)));
    }

    /// The call that launched each of these, by process and correlation; the earliest where several share both.
    pub(super) fn launches(&self, trace: &Trace, ran: &[Ran]) -> Vec<Option<u32>> {
        let by_process = trace.schema.has_column(CALLS, "globalTid") && trace.schema.has_column(KERNELS, "globalPid");
        let of = |global: Option<i64>| if by_process { global.map(process) } else { Some(0) };
        let mut index: Vec<(i64, i64, u32)> = self
            .calls
            .iter()
            .enumerate()
            .filter_map(|(at, call)| Some((of(call.thread)?, call.correlation?, u32::try_from(at).ok()?)))
            .collect();
        index.sort_unstable();
        ran.iter()
            .map(|ran| {
                let wanted = (of(ran.process)?, ran.correlation?);
                let at = index.partition_point(|(process, number, _)| (*process, *number) < wanted);
                index.get(at).filter(|(process, number, _)| (*process, *number) == wanted).map(|(.., call)| *call)
            })
            .collect()
    }
}

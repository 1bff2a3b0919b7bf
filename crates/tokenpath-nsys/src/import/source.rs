//! The rows of an export that a run is made from.

use std::collections::BTreeSet;

use rusqlite::types::ValueRef;

use super::steps::{Step, step};
use crate::coverage::Coverage;
use crate::ids::Distinct;
use crate::launches::{Launches, unnamed};
use crate::names::{Names, text};
use crate::open::Trace;
use crate::rows::{Times, int, scan};
use crate::schema::{CALLS, COPIES, GRAPHS, KERNELS, RANGES, SETS};

/// A CUDA call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) correlation: Option<i64>,
    /// In [`Source::threads`].
    pub(super) thread: u32,
    /// In [`Source::call_names`].
    pub(super) name: u32,
}

/// Stands for no call.
const NO_CALL: u32 = u32::MAX;

/// A kernel, or the launch of a whole graph. An export may hold many millions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ran {
    pub(super) start: i64,
    pub(super) end: i64,
    call: u32,
    /// In [`Source::queues`].
    pub(super) queue: u32,
    /// In [`Source::kernel_names`].
    pub(super) kernel: u32,
}

impl Ran {
    /// The call that launched it, in [`Source::calls`]: of its process and with its correlation number, and the earliest
    /// of several.
    pub(super) fn call(&self) -> Option<u32> {
        Some(self.call).filter(|call| *call != NO_CALL)
    }
}

/// A copy or a memory set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) start: i64,
    pub(super) end: i64,
    /// In [`Source::queues`].
    pub(super) queue: u32,
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
    /// Context and stream of each queue.
    pub(super) queues: Distinct<(Option<i64>, Option<i64>)>,
    /// The numbers of the full and the short name of each kernel.
    pub(super) kernel_names: Distinct<(Option<i64>, Option<i64>)>,
    /// The `globalTid` of each thread that called.
    pub(super) threads: Distinct<Option<i64>>,
    /// The number of the name of each call.
    pub(super) call_names: Distinct<Option<i64>>,
    /// The device.
    pub(super) device: Option<i64>,
    /// All devices of the export.
    pub(super) devices: BTreeSet<i64>,
    /// Kernels, copies, sets and graphs of other devices.
    pub(super) elsewhere: u64,
    pub(super) on_graph_nodes: bool,
    /// Nanoseconds that were added to every time, so that the first is 0 where some lie before the clock's zero: bundles
    /// have no times below it.
    pub(super) shift: i64,
}

impl Source {
    /// Reads what concerns a device, without a wanted one the lowest that ran kernels.
    pub(super) fn read(trace: &Trace, wanted: Option<i64>, names: &mut Names<'_>, coverage: &mut Coverage) -> Source {
        let mut source = Source { device: wanted, ..Source::default() };
        let launches = source.read_calls(trace, coverage);
        source.read_ran(trace, KERNELS, &launches, wanted.is_none(), coverage);
        if source.device.is_none() {
            source.device = lowest_without_kernels(trace);
        }
        source.read_ran(trace, GRAPHS, &launches, false, coverage);
        drop(launches);
        source.read_moved(trace, coverage);
        source.read_ranges(trace, names, coverage);
        source.kernels.sort_by_key(|ran| (ran.start, ran.end));
        source.graphs.sort_by_key(|ran| (ran.start, ran.end));
        source.moved.sort_by_key(|moved| (moved.start, moved.end));
        source.begin_at_zero();
        source
    }

    /// Reads kernels or launches of whole graphs. With `lowest` the device is the lowest in the table: a table of
    /// millions is not read twice to find that out.
    fn read_ran(
        &mut self,
        trace: &Trace,
        table: &'static str,
        launches: &Launches<u32>,
        lowest: bool,
        coverage: &mut Coverage,
    ) {
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
        // Rows of the device so far, the unusable ones too.
        let mut rows = 0;
        let mut cursor = 0;
        let ended = scan(&trace.connection, &trace.schema, table, &columns, &mut |row| {
            let device = int(row, 2)?.unwrap_or(0);
            if self.device != Some(device) {
                self.devices.insert(device);
                if !lowest || self.device.is_some_and(|chosen| chosen < device) {
                    self.elsewhere += 1;
                    return Ok(());
                }
                // What was kept so far is of a higher device.
                self.elsewhere += rows;
                coverage.start_over(table);
                self.kernels.clear();
                self.on_graph_nodes = false;
                self.queues = Distinct::default();
                self.kernel_names = Distinct::default();
                self.device = Some(device);
                rows = 0;
            }
            rows += 1;
            self.on_graph_nodes |= matches!(row.get_ref(9)?, ValueRef::Integer(node) if node != 0);
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(table, times) else { return Ok(()) };
            let launch = match int(row, 5)? {
                Some(correlation) => launches.find(correlation, int(row, 6)?, &mut cursor),
                None => None,
            };
            let queue = self.queues.number((int(row, 3)?, int(row, 4)?));
            let kernel = self.kernel_names.number((int(row, 7)?, int(row, 8)?));
            let ran = Ran { start, end, call: launch.unwrap_or(NO_CALL), queue, kernel };
            if table == GRAPHS {
                self.graphs.push(ran)
            } else {
                self.kernels.push(ran)
            }
            Ok(())
        });
        self.devices.extend(self.device.filter(|_| rows > 0));
        coverage.incomplete.extend(ended);
    }

    fn read_moved(&mut self, trace: &Trace, coverage: &mut Coverage) {
        let columns = ["start", "end", "deviceId", "contextId", "streamId", "bytes", "copyKind"];
        for table in [COPIES, SETS] {
            let ended = scan(&trace.connection, &trace.schema, table, &columns, &mut |row| {
                let device = int(row, 2)?.unwrap_or(0);
                self.devices.insert(device);
                if self.device != Some(device) {
                    self.elsewhere += 1;
                    return Ok(());
                }
                let times = Times::of(int(row, 0)?, int(row, 1)?);
                let Some((start, end)) = coverage.usable(table, times) else { return Ok(()) };
                self.moved.push(Moved {
                    start,
                    end,
                    queue: self.queues.number((int(row, 3)?, int(row, 4)?)),
                    bytes: int(row, 5)?,
                    kind: if table == COPIES { Some(int(row, 6)?) } else { None },
                });
                Ok(())
            });
            coverage.incomplete.extend(ended);
        }
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

    /// Reads the calls, and returns them by what joins them with kernels.
    fn read_calls(&mut self, trace: &Trace, coverage: &mut Coverage) -> Launches<u32> {
        let columns = ["start", "end", "globalTid", "correlationId", "nameId"];
        let ended = scan(&trace.connection, &trace.schema, CALLS, &columns, &mut |row| {
            let times = Times::of(int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(CALLS, times) else { return Ok(()) };
            let thread = self.threads.number(int(row, 2)?);
            let name = self.call_names.number(int(row, 4)?);
            self.calls.push(Call { start, end, correlation: int(row, 3)?, thread, name });
            Ok(())
        });
        coverage.incomplete.extend(ended);
        self.calls.sort_by_key(|call| (call.start, call.end));
        let mut launches = Launches::new(trace);
        for (at, call) in (0..NO_CALL).zip(&self.calls) {
            if let Some(correlation) = call.correlation {
                launches.add(self.threads.get(call.thread).flatten(), correlation, at);
            }
        }
        launches.sort();
        launches
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
}

/// The lowest device of which something other than kernels is recorded.
fn lowest_without_kernels(trace: &Trace) -> Option<i64> {
    let mut lowest: Option<i64> = None;
    for table in [COPIES, SETS, GRAPHS] {
        // What ends this scan ends the one that reads the rows, which says so.
        let _ = scan(&trace.connection, &trace.schema, table, &["deviceId"], &mut |row| {
            let device = int(row, 0)?.unwrap_or(0);
            lowest = Some(lowest.map_or(device, |lowest| lowest.min(device)));
            Ok(())
        });
    }
    lowest
}

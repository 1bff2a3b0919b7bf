//! CUDA calls: their time by name, and which of them launched a kernel.
//!
//! A kernel and its launch share a correlation number within one process; numbers of different processes collide.

use std::collections::HashMap;

use crate::coverage::Coverage;
use crate::ids::IdMap;
use crate::names::Names;
use crate::open::Trace;
use crate::rows::{Times, Window, int, scan};
use crate::schema::{CALLS, KERNELS};

/// The process in a `globalTid` or `globalPid`: all but the 24 bits of the thread.
pub(crate) fn process(global: i64) -> i64 {
    global & !0xFF_FFFF
}

/// Launches by process and correlation number, each with what is wanted of it.
#[derive(Debug)]
pub(crate) struct Launches<T> {
    sorted: Vec<(i64, i64, T)>,
    /// Whether calls and kernels both say their process.
    by_process: bool,
}

impl<T: Copy + Ord> Launches<T> {
    pub(crate) fn new(trace: &Trace) -> Launches<T> {
        let by_process = trace.schema.has_column(CALLS, "globalTid") && trace.schema.has_column(KERNELS, "globalPid");
        Launches { sorted: Vec::new(), by_process }
    }

    /// Adds a call of a thread. Afterwards they have to be sorted.
    pub(crate) fn add(&mut self, global_tid: Option<i64>, correlation: i64, of: T) {
        let process = if self.by_process { global_tid.map_or(0, process) } else { 0 };
        self.sorted.push((process, correlation, of));
    }

    pub(crate) fn sort(&mut self) {
        self.sorted.sort_unstable();
    }

    /// How many share correlation and process with the one before them.
    fn sharing(&self) -> u64 {
        let same = |pair: &[(i64, i64, T)]| matches!(pair, [a, b] if (a.0, a.1) == (b.0, b.1));
        self.sorted.windows(2).filter(|pair| same(pair)).count() as u64
    }

    /// What is wanted of a kernel's launch; `None` when the export does not hold it. The first of equal numbers counts.
    /// The cursor is where the last one was found: most kernels follow the launch of the one before them.
    pub(crate) fn find(&self, correlation: i64, global_pid: Option<i64>, cursor: &mut usize) -> Option<T> {
        let process = if self.by_process { process(global_pid?) } else { 0 };
        let wanted = (process, correlation);
        let key = |at: usize| self.sorted.get(at).map(|(known, number, _)| (*known, *number));
        let near = (*cursor..=cursor.saturating_add(2))
            .find(|at| key(*at) == Some(wanted) && at.checked_sub(1).and_then(key) != Some(wanted));
        let at = near.unwrap_or_else(|| self.sorted.partition_point(|(known, number, _)| (*known, *number) < wanted));
        let (known, number, of) = self.sorted.get(at)?;
        *cursor = at;
        ((*known, *number) == wanted).then_some(*of)
    }
}

/// The calls of an export.
#[derive(Debug)]
pub(crate) struct Calls {
    /// When each launch started.
    pub(crate) launches: Launches<i64>,
    /// Name to number of calls and nanoseconds, longest first.
    pub(crate) by_name: Vec<(String, u64, i64)>,
}

impl Calls {
    /// Reads all calls; sums only those that start within the window.
    pub(crate) fn read(trace: &Trace, window: Window, names: &mut Names<'_>, coverage: &mut Coverage) -> Calls {
        let schema = &trace.schema;
        let mut launches = Launches::new(trace);
        let mut sums: IdMap<(u64, i64)> = IdMap::default();
        let columns = ["start", "end", "correlationId", "globalTid", "nameId"];
        let ended = scan(&trace.connection, schema, CALLS, &columns, &mut |row| {
            let (start, end) = (int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(CALLS, Times::of(start, end)) else { return Ok(()) };
            if let Some(correlation) = int(row, 2)? {
                launches.add(int(row, 3)?, correlation, start);
            }
            if window.holds(start) {
                let (count, sum) = sums.entry(int(row, 4)?).or_default();
                *count += 1;
                *sum = sum.saturating_add(end.saturating_sub(start));
            }
            Ok(())
        });
        coverage.incomplete.extend(ended);
        launches.sort();
        if schema.has(CALLS) {
            coverage.calls_sharing_a_correlation = Some(launches.sharing());
        }
        let mut by_name: HashMap<String, (u64, i64)> = HashMap::new();
        for (id, (count, sum)) in sums {
            let name = id.and_then(|id| names.get(id)).unwrap_or_else(|| unnamed(id));
            let entry = by_name.entry(name).or_default();
            entry.0 += count;
            entry.1 = entry.1.saturating_add(sum);
        }
        let mut by_name: Vec<_> = by_name.into_iter().map(|(name, (count, sum))| (name, count, sum)).collect();
        by_name.sort_unstable_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        Calls { launches, by_name }
    }
}

/// What stands for a name that the export does not hold.
pub(crate) fn unnamed(id: Option<i64>) -> String {
    id.map_or_else(|| "(no name)".to_owned(), |id| format!("(text {id} is missing)"))
}

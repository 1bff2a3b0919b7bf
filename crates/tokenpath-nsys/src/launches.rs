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

/// The calls of an export.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Process, correlation and start, sorted.
    launches: Vec<(i64, i64, i64)>,
    /// Whether calls and kernels both say their process.
    by_process: bool,
    /// Name to number of calls and nanoseconds, longest first.
    pub(crate) by_name: Vec<(String, u64, i64)>,
}

impl Calls {
    /// Reads all calls; sums only those that start within the window.
    pub(crate) fn read(trace: &Trace, window: Window, names: &mut Names<'_>, coverage: &mut Coverage) -> Calls {
        let schema = &trace.schema;
        let by_process = schema.has_column(CALLS, "globalTid") && schema.has_column(KERNELS, "globalPid");
        let mut launches = Vec::new();
        let mut sums: IdMap<(u64, i64)> = IdMap::default();
        let columns = ["start", "end", "correlationId", "globalTid", "nameId"];
        let ended = scan(&trace.connection, schema, CALLS, &columns, &mut |row| {
            let (start, end) = (int(row, 0)?, int(row, 1)?);
            let Some((start, end)) = coverage.usable(CALLS, Times::of(start, end)) else { return Ok(()) };
            if let Some(correlation) = int(row, 2)? {
                let process = if by_process { int(row, 3)?.map_or(0, process) } else { 0 };
                launches.push((process, correlation, start));
            }
            if window.holds(start) {
                let (count, sum) = sums.entry(int(row, 4)?).or_default();
                *count += 1;
                *sum = sum.saturating_add(end.saturating_sub(start));
            }
            Ok(())
        });
        coverage.incomplete.extend(ended);
        launches.sort_unstable();
        if schema.has(CALLS) {
            let same = |pair: &[(i64, i64, i64)]| matches!(pair, [a, b] if (a.0, a.1) == (b.0, b.1));
            let shared = launches.windows(2).filter(|pair| same(pair)).count() as u64;
            coverage.calls_sharing_a_correlation = Some(shared);
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
        Calls { launches, by_process, by_name }
    }

    /// When a kernel's launch started; `None` when the export does not hold it. The cursor is where the last one was
    /// found: most kernels follow the launch of the one before them.
    pub(crate) fn launch(&self, correlation: i64, global_pid: Option<i64>, cursor: &mut usize) -> Option<i64> {
        let process = if self.by_process { process(global_pid?) } else { 0 };
        let wanted = (process, correlation);
        let key = |at: usize| self.launches.get(at).map(|(known, number, _)| (*known, *number));
        // The first of equal numbers counts, so the one before must be another.
        let near = (*cursor..=cursor.saturating_add(2))
            .find(|at| key(*at) == Some(wanted) && at.checked_sub(1).and_then(key) != Some(wanted));
        let at = near.unwrap_or_else(|| self.launches.partition_point(|(known, number, _)| (*known, *number) < wanted));
        let (known, number, start) = self.launches.get(at)?;
        *cursor = at;
        ((*known, *number) == wanted).then_some(*start)
    }
}

/// What stands for a name that the export does not hold.
pub(crate) fn unnamed(id: Option<i64>) -> String {
    id.map_or_else(|| "(no name)".to_owned(), |id| format!("(text {id} is missing)"))
}

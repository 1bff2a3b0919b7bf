//! What an export does not hold, and what of it could not be used: counted, never dropped in silence.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::names::{Names, text};
use crate::open::Trace;
use crate::rows::{Times, int, scan};
use crate::schema::DIAGNOSTICS;

/// A figure that is not there, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Absent {
    /// The key of the figure.
    pub figure: String,
    /// Why it is not there.
    pub reason: String,
}

/// A table that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Incomplete {
    /// The table.
    pub table: &'static str,
    /// Rows that were read.
    pub rows: u64,
    /// What ended it, in SQLite's words.
    pub what: String,
}

/// A message of the profiler, as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Nanoseconds on the trace clock; before its zero for what happened while it started.
    pub timestamp_ns: Option<i64>,
    /// The number of the severity, as recorded.
    pub severity: Option<i64>,
    /// The message.
    pub text: String,
}

/// Messages beyond this are counted only.
const KEPT_DIAGNOSTICS: usize = 50;

/// What is missing and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Tables that a figure needs and that the export does not have.
    pub missing_tables: Vec<&'static str>,
    /// Tables that could not be read to their end.
    pub incomplete: Vec<Incomplete>,
    /// Rows whose start and end are both zero, by table: their time was not collected.
    pub times_not_collected: BTreeMap<&'static str, u64>,
    /// Rows that end before they start, by table.
    pub ends_before_start: BTreeMap<&'static str, u64>,
    /// Rows without a start or an end, by table; open ranges and marks are not among them.
    pub times_missing: BTreeMap<&'static str, u64>,
    /// Kernels for which no launch with their correlation and process is in the export.
    pub kernels_without_launch: Option<u64>,
    /// Kernels that start before their launch does: the clocks of host and device disagree.
    pub kernels_before_launch: Option<u64>,
    /// Calls that share correlation and process with another one.
    pub calls_sharing_a_correlation: Option<u64>,
    /// Ranges that were open when recording stopped.
    pub ranges_without_end: u64,
    /// Marks and other NVTX events that are no range.
    pub other_nvtx_events: u64,
    /// Texts that are not UTF-8, shown with replacement characters.
    pub texts_not_utf8: u64,
    /// Numbers of texts that the export does not have.
    pub texts_unknown: u64,
    /// Whether the file is shorter than it states.
    pub cut_off: bool,
    /// The bytes of a write-ahead log beside the file, which was not read.
    pub unread_wal_bytes: Option<u64>,
    /// Messages of the profiler.
    pub diagnostics: Vec<Diagnostic>,
    /// Messages beyond the first fifty.
    pub more_diagnostics: u64,
}

impl Coverage {
    /// Counts a row whose times are no interval; the interval of one whose times are.
    pub(crate) fn usable(&mut self, table: &'static str, times: Times) -> Option<(i64, i64)> {
        let counted = match times {
            Times::Interval(start, end) => return Some((start, end)),
            Times::NotCollected => &mut self.times_not_collected,
            Times::Backwards => &mut self.ends_before_start,
            Times::Missing => &mut self.times_missing,
        };
        *counted.entry(table).or_default() += 1;
        None
    }

    /// Takes back what was counted of a table's rows.
    pub(crate) fn start_over(&mut self, table: &'static str) {
        for counts in [&mut self.times_not_collected, &mut self.ends_before_start, &mut self.times_missing] {
            counts.remove(table);
        }
    }

    /// Whether a table was read whole.
    pub(crate) fn is_complete(&self, table: &str) -> bool {
        self.incomplete.iter().all(|incomplete| incomplete.table != table)
    }

    /// Takes the counts of texts over.
    pub(crate) fn take(&mut self, names: &Names<'_>) {
        self.texts_not_utf8 += names.not_utf8;
        self.texts_unknown += names.unknown;
    }

    /// Reads the profiler's messages.
    pub(crate) fn read_diagnostics(&mut self, trace: &Trace) {
        let mut not_utf8 = 0;
        let mut kept = Vec::new();
        let mut more = 0;
        let columns = ["timestamp", "severity", "text"];
        let ended = scan(&trace.connection, &trace.schema, DIAGNOSTICS, &columns, &mut |row| {
            if kept.len() < KEPT_DIAGNOSTICS {
                let text = text(row.get_ref(2)?, &mut not_utf8).unwrap_or_default();
                kept.push(Diagnostic { timestamp_ns: int(row, 0)?, severity: int(row, 1)?, text });
            } else {
                more += 1;
            }
            Ok(())
        });
        self.incomplete.extend(ended);
        self.texts_not_utf8 += not_utf8;
        self.diagnostics = kept;
        self.more_diagnostics = more;
    }
}

//! NVTX ranges: pushed and popped on a thread, or started and ended anywhere.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use tokenpath_core::derive::host::family;

use crate::coverage::Coverage;
use crate::launches::unnamed;
use crate::names::{Names, text};
use crate::open::Trace;
use crate::rows::{Times, Window, int, scan};
use crate::schema::RANGES;

/// Event types of ranges: push/pop and start/end, and the same imported from a text trace.
const RANGE_TYPES: [i64; 4] = [59, 60, 70, 71];

/// All ranges of one name.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// Each of them, clipped to the window; in the order of the table.
    pub(crate) intervals: Vec<(i64, i64)>,
    /// The starts of those that start within the window.
    pub(crate) starts: Vec<i64>,
    /// The nanoseconds of those.
    pub(crate) sum: i64,
}

/// Reads all ranges, by name, in the order in which each name first starts.
pub(crate) fn read(trace: &Trace, window: Window, names: &mut Names<'_>, coverage: &mut Coverage) -> Vec<Named> {
    let typed = trace.schema.has_column(RANGES, "eventType");
    let mut list: Vec<Named> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut by_id: HashMap<i64, usize> = HashMap::new();
    let mut not_utf8 = 0;
    let columns = ["start", "end", "eventType", "text", "textId"];
    let ended = scan(&trace.connection, &trace.schema, RANGES, &columns, &mut |row| {
        if typed && !int(row, 2)?.is_some_and(|kind| RANGE_TYPES.contains(&kind)) {
            coverage.other_nvtx_events += 1;
            return Ok(());
        }
        let (start, end) = (int(row, 0)?, int(row, 1)?);
        if start.is_some() && end.is_none() {
            coverage.ranges_without_end += 1;
            return Ok(());
        }
        let Some((start, end)) = coverage.usable(RANGES, Times::of(start, end)) else { return Ok(()) };
        let Some(clipped) = window.clip(start, end) else { return Ok(()) };
        let mut place = |name: &str| {
            let name = family(name);
            *by_name.entry(name.to_owned()).or_insert_with(|| {
                list.push(Named { name: name.to_owned(), intervals: Vec::new(), starts: Vec::new(), sum: 0 });
                list.len() - 1
            })
        };
        let at = match (row.get_ref(3)?, int(row, 4)?) {
            (ValueRef::Null, Some(id)) => match by_id.get(&id) {
                Some(at) => *at,
                None => {
                    let at = place(&names.get(id).unwrap_or_else(|| unnamed(Some(id))));
                    by_id.insert(id, at);
                    at
                }
            },
            (value, id) => place(&text(value, &mut not_utf8).unwrap_or_else(|| unnamed(id))),
        };
        if let Some(named) = list.get_mut(at) {
            named.intervals.push(clipped);
            if window.holds(start) {
                named.starts.push(start);
                named.sum = named.sum.saturating_add(end.saturating_sub(start));
            }
        }
        Ok(())
    });
    coverage.incomplete.extend(ended);
    coverage.texts_not_utf8 += not_utf8;
    let first = |named: &Named| named.intervals.iter().map(|(start, _)| *start).min().unwrap_or(i64::MAX);
    let mut keyed: Vec<(i64, Named)> = list.into_iter().map(|named| (first(&named), named)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
    keyed.into_iter().map(|(_, named)| named).collect()
}

//! Going through a table row by row, as far as it can be read.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::coverage::Incomplete;
use crate::schema::Schema;

/// Visits every row of a table, if there is such a table, with these columns in this order. What stops the scan before
/// the end is returned; the rows before it have been visited.
pub(crate) fn scan(
    connection: &Connection,
    schema: &Schema,
    table: &'static str,
    columns: &[&str],
    visit: &mut dyn FnMut(&Row<'_>) -> Result<(), rusqlite::Error>,
) -> Option<Incomplete> {
    if !schema.has(table) {
        return None;
    }
    let mut rows = 0_u64;
    let mut all = || -> Result<(), rusqlite::Error> {
        let mut statement = connection.prepare(&schema.select(table, columns))?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            visit(row)?;
            rows += 1;
        }
        Ok(())
    };
    let ended = all();
    ended.err().map(|error| Incomplete { table, rows, what: error.to_string() })
}

/// A whole number; NULL, texts and fractions are none.
pub(crate) fn int(row: &Row<'_>, column: usize) -> Result<Option<i64>, rusqlite::Error> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(value) => Some(value),
        _ => None,
    })
}

/// Part of the trace, in nanoseconds of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) from: Option<i64>,
    pub(crate) to: Option<i64>,
}

impl Window {
    /// The part of an interval that lies within; `None` when it lies outside.
    pub(crate) fn clip(self, start: i64, end: i64) -> Option<(i64, i64)> {
        let from = self.from.map_or(start, |from| start.max(from));
        let to = self.to.map_or(end, |to| end.min(to));
        let inside = if start == end { self.holds(start) } else { from < to };
        inside.then_some((from, to))
    }

    /// Whether a moment lies within.
    pub(crate) fn holds(self, moment: i64) -> bool {
        self.from.is_none_or(|from| from <= moment) && self.to.is_none_or(|to| moment < to)
    }
}

/// What the times of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    /// An interval; its length may be zero.
    Interval(i64, i64),
    /// Both are zero: the time was not collected.
    NotCollected,
    /// It ends before it starts.
    Backwards,
    /// One of them is not there.
    Missing,
}

impl Times {
    pub(crate) fn of(start: Option<i64>, end: Option<i64>) -> Times {
        match (start, end) {
            (Some(0), Some(0)) => Times::NotCollected,
            (Some(start), Some(end)) if end < start => Times::Backwards,
            (Some(start), Some(end)) => Times::Interval(start, end),
            _ => Times::Missing,
        }
    }
}

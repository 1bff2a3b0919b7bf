//! Facts about whole columns: how many cells hold a value, what they add up to, how strong they are together.

use crate::column::{Column, Refs};
use crate::fact::{Fact, Quantity};
use crate::label::{ColumnLabel, Label, Labels};

/// A count as a 64-bit number.
pub fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The weakest label among the given rows of a column; `None` when the table states none.
pub fn weakest<'a>(labels: &'a Labels, column: &str, rows: impl IntoIterator<Item = usize>) -> Option<&'a Label> {
    match labels.column(column) {
        None => labels.all.as_ref(),
        Some(ColumnLabel::All(label)) => Some(label),
        Some(ColumnLabel::PerRow { values, rows: indices }) => rows
            .into_iter()
            .filter_map(|row| values.get(*indices.get(row)? as usize))
            .reduce(Label::weaker)
            .or_else(|| values.iter().reduce(Label::weaker)),
    }
}

/// How many rows or cells there are. A count is as strong as what it counts, so it carries the label of `column`.
pub fn count(labels: &Labels, column: &str, pointer: &str, rows: &[usize]) -> Fact {
    Fact::stored(Quantity::Count(int(rows.len())), weakest(labels, column, rows.iter().copied()), pointer)
}

/// The same for every row of a table.
pub fn count_all(labels: &Labels, column: &str, pointer: &str, rows: usize) -> Fact {
    Fact::stored(Quantity::Count(int(rows)), weakest(labels, column, 0..rows), pointer)
}

/// Cells of a column that hold neither a value nor the bundle's answer that the chain ends there.
pub fn gaps(column: &dyn Column, ended: Option<&Refs>, rows: usize) -> usize {
    if column.rows() == 0 && ended.is_none_or(|ended| ended.rows() == 0) {
        return rows;
    }
    (0..rows).filter(|row| column.is_null(*row) && ended.is_none_or(|ended| ended.is_null(*row))).count()
}

/// A sum that says when it leaves 64 bits.
pub fn sum(values: impl IntoIterator<Item = i64>) -> Option<i64> {
    values.into_iter().try_fold(0_i64, i64::checked_add)
}

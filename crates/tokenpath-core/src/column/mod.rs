//! Columns: one array per column of a table, nulls as sentinels, so that a million rows are a few vectors.
//!
//! An empty column of a table with rows is a column that the bundle does not hold.

mod ints;
mod lists;
mod refs;
mod texts;

pub(crate) use ints::too_large;
pub(crate) use texts::unknown_word;

pub use ints::Ints;
pub use lists::IntLists;
pub use refs::{RefLists, Refs};
pub use texts::Texts;

use crate::json::{Arrays, Node};
use crate::problem::{Problems, Rule, mismatch};
use crate::record::FieldSpec;

/// What every column can do, whatever it holds.
pub trait Column {
    /// Takes the column out of its JSON value; cells of a wrong type become nulls and problems.
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self
    where
        Self: Sized;

    /// The column as JSON.
    fn encode(&self) -> Node;

    /// Number of cells; 0 when the bundle does not hold the column.
    fn rows(&self) -> usize;

    /// Whether the cell is null, or not there.
    fn is_null(&self, row: usize) -> bool;

    /// Whether the cell is an empty list.
    fn is_empty_list(&self, _row: usize) -> bool {
        false
    }

    /// Calls `each` with (row, target index) for every reference the column holds.
    fn references(&self, _each: &mut dyn FnMut(usize, u32)) {}

    /// Forgets the content: a column that the bundle does not hold.
    fn clear(&mut self);

    /// Makes every cell null; the number of rows stays.
    fn blank(&mut self);

    /// Makes every empty list null.
    fn blank_empty_lists(&mut self) {}
}

/// Reports a cell that is not what its column holds.
fn wrong_cell(pointer: &str, row: usize, expected: &str, found: &Node, problems: &mut Problems) {
    problems.cell(pointer, row, Rule::WrongType, || mismatch(expected, found));
}

/// An array of arrays of integers, or nulls.
fn arrays(node: Node, pointer: &str, problems: &mut Problems) -> Arrays {
    let items = match node {
        Node::Arrays(arrays) => return arrays,
        other => match other.into_items() {
            Ok(items) => items,
            Err(Node::Null) => return Arrays::default(),
            Err(other) => {
                problems.wrong_type(pointer, "an array of arrays", &other);
                return Arrays::default();
            }
        },
    };
    let mut arrays = Arrays::default();
    for (row, item) in items.enumerate() {
        match item {
            Node::Null => arrays.push(None),
            Node::Ints(array) => arrays.push(Some(&array)),
            other => {
                wrong_cell(pointer, row, "an array of integers", &other, problems);
                arrays.push(None);
            }
        }
    }
    arrays
}

//! Columns of integers.

use super::{Column, wrong_cell};
use crate::json::{NULL, Node};
use crate::problem::{Problems, Rule};
use crate::record::FieldSpec;

/// Times, sizes and counts. Never negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ints(Vec<i64>);

impl Ints {
    /// The value of a cell; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).copied().filter(|value| *value != NULL)
    }

    /// Appends a cell.
    pub fn push(&mut self, value: Option<i64>) {
        self.0.push(value.unwrap_or(NULL));
    }

    /// All cells; a null is [`NULL`].
    pub fn raw(&self) -> &[i64] {
        &self.0
    }
}

impl FromIterator<i64> for Ints {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Ints {
        Ints(values.into_iter().collect())
    }
}

impl FromIterator<Option<i64>> for Ints {
    fn from_iter<I: IntoIterator<Item = Option<i64>>>(values: I) -> Ints {
        Ints(values.into_iter().map(|value| value.unwrap_or(NULL)).collect())
    }
}

impl Column for Ints {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Ints {
        let mut cells = cells(node, pointer, problems);
        for (row, cell) in cells.iter_mut().enumerate() {
            if *cell < 0 && *cell != NULL {
                problems.cell(pointer, row, Rule::Negative, || format!("{cell} is below zero; {}", spec.kind.never()));
                *cell = NULL;
            }
        }
        Ints(cells)
    }

    fn encode(&self) -> Node {
        Node::Ints(self.0.clone())
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, row: usize) -> bool {
        self.get(row).is_none()
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn blank(&mut self) {
        self.0.fill(NULL);
    }
}

/// An array of integers and nulls.
pub(super) fn cells(node: Node, pointer: &str, problems: &mut Problems) -> Vec<i64> {
    let items = match node {
        Node::Ints(cells) => return cells,
        other => match other.into_items() {
            Ok(items) => items,
            Err(Node::Null) => return Vec::new(),
            Err(other) => {
                problems.wrong_type(pointer, "an array of integers", &other);
                return Vec::new();
            }
        },
    };
    let mut cells = Vec::new();
    for (row, item) in items.enumerate() {
        cells.push(match item {
            Node::Int(value) => value,
            Node::Null => NULL,
            Node::Large(value) => {
                problems.cell(pointer, row, Rule::Overflow, || too_large(value));
                NULL
            }
            other => {
                wrong_cell(pointer, row, "an integer", &other, problems);
                NULL
            }
        });
    }
    cells
}

/// The sentence for an integer that no field can hold.
pub(crate) fn too_large(value: u64) -> String {
    format!("{value} is more than the largest integer of a bundle, {}", i64::MAX)
}

//! Sums that know what they lack, and sums as inputs of formulas.

use crate::derive::counted::weakest;
use crate::fact::{Fact, Quantity};
use crate::label::Labels;

/// A sum over cells of which some may be unknown. Without unknown cells it is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum of the known cells.
    pub known: i64,
    /// How many cells were added, known or not.
    pub cells: u32,
    /// How many of them hold no value.
    pub unknown: u32,
}

impl Sum {
    /// Adds a cell. Validation refuses tables whose sum leaves 64 bits; here it stops at the largest value.
    pub fn add(&mut self, value: Option<i64>) {
        self.cells += 1;
        match value {
            Some(value) => self.known = self.known.saturating_add(value),
            None => self.unknown += 1,
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Sum) {
        self.known = self.known.saturating_add(other.known);
        self.cells += other.cells;
        self.unknown += other.unknown;
    }

    /// The sum, when no cell is unknown.
    pub fn exact(self) -> Option<i64> {
        (self.unknown == 0).then_some(self.known)
    }
}

/// Many cells of one column as one input of a formula: their sum, as strong as the weakest cell of the column.
///
/// A label for each row costs one look at each distinct label, not at each row.
pub fn input(quantity: Quantity, labels: &Labels, column: &str, pointer: &str) -> Fact {
    Fact::stored(quantity, weakest(labels, column, std::iter::empty()), pointer)
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: 2 + 3 with one unknown cell is not exact; without it it is 5.
    #[test]
    fn a_sum_with_an_unknown_cell_is_not_exact() {
        let mut sum = Sum::default();
        sum.add(Some(2));
        sum.add(Some(3));
        assert_eq!(sum.exact(), Some(5));
        sum.add(None);
        assert_eq!((sum.known, sum.cells, sum.unknown, sum.exact()), (5, 3, 1, None));
    }
}

//! Columns of references to rows of other tables.

use super::ints::cells;
use super::{Column, arrays};
use crate::json::{NULL, Node};
use crate::problem::{Problems, Rule};
use crate::record::FieldSpec;

/// Stands for a null reference.
const NO_REF: u32 = u32::MAX;

/// References to rows of another table, by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refs(Vec<u32>);

impl Refs {
    /// The row that a cell points to; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<u32> {
        self.0.get(row).copied().filter(|target| *target != NO_REF)
    }

    /// Appends a cell.
    pub fn push(&mut self, target: Option<u32>) {
        self.0.push(target.unwrap_or(NO_REF));
    }

    /// All cells; a null is `u32::MAX`.
    pub fn raw(&self) -> &[u32] {
        &self.0
    }
}

impl FromIterator<Option<u32>> for Refs {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(targets: I) -> Refs {
        Refs(targets.into_iter().map(|target| target.unwrap_or(NO_REF)).collect())
    }
}

impl FromIterator<u32> for Refs {
    fn from_iter<I: IntoIterator<Item = u32>>(targets: I) -> Refs {
        Refs(targets.into_iter().collect())
    }
}

impl Column for Refs {
    fn decode(node: Node, pointer: &str, _spec: &FieldSpec, problems: &mut Problems) -> Refs {
        let cells = cells(node, pointer, problems);
        Refs(cells.iter().enumerate().map(|(row, cell)| reference(*cell, pointer, row, problems)).collect())
    }

    fn encode(&self) -> Node {
        Node::Ints(self.0.iter().map(|target| int_of(*target)).collect())
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, row: usize) -> bool {
        self.get(row).is_none()
    }

    fn references(&self, each: &mut dyn FnMut(usize, u32)) {
        for (row, target) in self.0.iter().enumerate() {
            if *target != NO_REF {
                each(row, *target);
            }
        }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn blank(&mut self) {
        self.0.fill(NO_REF);
    }
}

/// For each row a list of references, or null. Stored as one vector of targets and one of ends.
#[derive(Clone, Debug, Default)]
pub struct RefLists {
    ends: Vec<usize>,
    null: Vec<bool>,
    targets: Vec<u32>,
}

impl RefLists {
    /// The list of a row; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<&[u32]> {
        if *self.null.get(row)? {
            return None;
        }
        let start = match row.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.targets.get(start..*self.ends.get(row)?)
    }

    /// Appends a row.
    pub fn push(&mut self, list: Option<&[u32]>) {
        self.null.push(list.is_none());
        self.targets.extend_from_slice(list.unwrap_or(&[]));
        self.ends.push(self.targets.len());
    }
}

impl PartialEq for RefLists {
    fn eq(&self, other: &RefLists) -> bool {
        self.rows() == other.rows() && (0..self.rows()).all(|row| self.get(row) == other.get(row))
    }
}

impl<L: AsRef<[u32]>> FromIterator<Option<L>> for RefLists {
    fn from_iter<I: IntoIterator<Item = Option<L>>>(lists: I) -> RefLists {
        let mut out = RefLists::default();
        for list in lists {
            out.push(list.as_ref().map(AsRef::as_ref));
        }
        out
    }
}

impl Column for RefLists {
    fn decode(node: Node, pointer: &str, _spec: &FieldSpec, problems: &mut Problems) -> RefLists {
        let arrays = arrays(node, pointer, problems);
        let mut out = RefLists::default();
        let mut list = Vec::new();
        for (row, cells) in arrays.iter().enumerate() {
            let Some(cells) = cells else {
                out.push(None);
                continue;
            };
            list.clear();
            for cell in cells {
                if *cell == NULL {
                    problems.cell(pointer, row, Rule::WrongType, || {
                        "the list holds a null; a list is known or null as a whole".to_owned()
                    });
                } else {
                    let target = reference(*cell, pointer, row, problems);
                    list.extend((target != NO_REF).then_some(target));
                }
            }
            out.push(Some(&list));
        }
        out
    }

    fn encode(&self) -> Node {
        if self.null.iter().all(|null| *null) {
            return Node::Ints(vec![NULL; self.rows()]);
        }
        let mut items = Vec::new();
        let mut arrays = crate::json::Arrays::default();
        for row in 0..self.rows() {
            let list = self.get(row).map(|list| {
                items.clear();
                items.extend(list.iter().map(|target| int_of(*target)));
                items.as_slice()
            });
            arrays.push(list);
        }
        Node::Arrays(arrays)
    }

    fn rows(&self) -> usize {
        self.null.len()
    }

    fn is_null(&self, row: usize) -> bool {
        self.null.get(row).copied().unwrap_or(true)
    }

    fn is_empty_list(&self, row: usize) -> bool {
        self.get(row).is_some_and(<[u32]>::is_empty)
    }

    fn references(&self, each: &mut dyn FnMut(usize, u32)) {
        for row in 0..self.rows() {
            for target in self.get(row).unwrap_or(&[]) {
                each(row, *target);
            }
        }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn blank(&mut self) {
        self.null.fill(true);
    }

    fn blank_empty_lists(&mut self) {
        for row in 0..self.rows() {
            if self.is_empty_list(row)
                && let Some(null) = self.null.get_mut(row)
            {
                *null = true;
            }
        }
    }
}

fn int_of(target: u32) -> i64 {
    if target == NO_REF { NULL } else { i64::from(target) }
}

fn reference(cell: i64, pointer: &str, row: usize, problems: &mut Problems) -> u32 {
    match u32::try_from(cell) {
        Ok(target) if target != NO_REF => target,
        _ if cell == NULL => NO_REF,
        _ => {
            problems.cell(pointer, row, Rule::DanglingReference, || format!("{cell} can be no row of any table"));
            NO_REF
        }
    }
}

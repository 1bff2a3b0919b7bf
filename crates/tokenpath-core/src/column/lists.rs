//! Columns of lists of integers.

use super::{Column, arrays};
use crate::json::{Arrays, NULL, Node};
use crate::problem::{Problems, Rule};
use crate::record::FieldSpec;

/// For each row a list of integers (a shape, say), or null.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntLists(Arrays);

impl IntLists {
    /// The list of a row; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<&[i64]> {
        self.0.get(row)
    }

    /// Appends a row.
    pub fn push(&mut self, list: Option<&[i64]>) {
        self.0.push(list);
    }
}

impl<L: AsRef<[i64]>> FromIterator<Option<L>> for IntLists {
    fn from_iter<I: IntoIterator<Item = Option<L>>>(lists: I) -> IntLists {
        IntLists(lists.into_iter().collect())
    }
}

impl Column for IntLists {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> IntLists {
        let mut arrays = arrays(node, pointer, problems);
        for row in 0..arrays.len() {
            let Some(bad) = arrays.get(row).and_then(|list| list.iter().copied().find(|item| *item < 0)) else {
                continue;
            };
            if bad == NULL {
                problems.cell(pointer, row, Rule::WrongType, || {
                    "the list holds a null; a list is known or null as a whole".to_owned()
                });
            } else {
                problems.cell(pointer, row, Rule::Negative, || format!("{bad} is below zero; {}", spec.kind.never()));
            }
            arrays.remove(row);
        }
        IntLists(arrays)
    }

    fn encode(&self) -> Node {
        if self.0.iter().all(|list| list.is_none()) {
            return Node::Ints(vec![NULL; self.0.len()]);
        }
        Node::Arrays(self.0.clone())
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, row: usize) -> bool {
        self.get(row).is_none()
    }

    fn is_empty_list(&self, row: usize) -> bool {
        self.get(row).is_some_and(<[i64]>::is_empty)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    fn blank(&mut self) {
        self.0 = Arrays::nulls(self.0.len());
    }
}

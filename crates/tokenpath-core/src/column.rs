//! Columns: one array per column of a table, nulls as sentinels, so that a million rows are a few vectors.
//!
//! An empty column of a table with rows is a column that the bundle does not hold.

use crate::json::{NULL, Node};
use crate::problem::{Problem, Rule};
use crate::record::{FieldSpec, Kind, Problems};

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

    /// Forgets the content.
    fn clear(&mut self);
}

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
        let mut cells = ints(node, pointer, problems);
        for (row, cell) in cells.iter_mut().enumerate() {
            if *cell < 0 && *cell != NULL {
                problems.cell(pointer, row, Rule::Negative, || {
                    format!("{cell} is below zero; {} cannot be", spec.kind.noun())
                });
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
        self.0.clear();
    }
}

/// References to rows of another table, by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refs(Vec<u32>);

/// Stands for a null reference.
const NO_REF: u32 = u32::MAX;

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
        let cells = ints(node, pointer, problems);
        let mut refs = Vec::with_capacity(cells.len());
        for (row, cell) in cells.iter().enumerate() {
            refs.push(reference(*cell, pointer, row, problems));
        }
        Refs(refs)
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
        self.0.clear();
    }
}

/// For each row a list of references, or null. Stored as one vector of targets and one of ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefLists {
    ends: Vec<u32>,
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
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.targets.get(start..*self.ends.get(row)? as usize)
    }

    /// Appends a row.
    pub fn push(&mut self, list: Option<&[u32]>) {
        self.null.push(list.is_none());
        self.targets.extend_from_slice(list.unwrap_or(&[]));
        self.ends.push(u32::try_from(self.targets.len()).unwrap_or(u32::MAX));
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
        let mut out = RefLists::default();
        let mut list = Vec::new();
        lists(node, pointer, problems, |row, cells, problems| match cells {
            None => out.push(None),
            Some(cells) => {
                list.clear();
                list.extend(
                    cells
                        .iter()
                        .map(|cell| reference(*cell, pointer, row, problems))
                        .filter(|target| *target != NO_REF),
                );
                out.push(Some(&list));
            }
        });
        out
    }

    fn encode(&self) -> Node {
        Node::List(
            (0..self.rows())
                .map(|row| match self.get(row) {
                    None => Node::Null,
                    Some(list) => Node::Ints(list.iter().map(|target| int_of(*target)).collect()),
                })
                .collect(),
        )
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
        *self = RefLists::default();
    }
}

/// For each row a list of integers (a shape, say), or null.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntLists(Vec<Option<Box<[i64]>>>);

impl IntLists {
    /// The list of a row; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<&[i64]> {
        self.0.get(row)?.as_deref()
    }

    /// Appends a row.
    pub fn push(&mut self, list: Option<&[i64]>) {
        self.0.push(list.map(Box::from));
    }
}

impl<L: AsRef<[i64]>> FromIterator<Option<L>> for IntLists {
    fn from_iter<I: IntoIterator<Item = Option<L>>>(lists: I) -> IntLists {
        IntLists(lists.into_iter().map(|list| list.map(|list| Box::from(list.as_ref()))).collect())
    }
}

impl Column for IntLists {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> IntLists {
        let mut out = IntLists::default();
        lists(node, pointer, problems, |row, cells, problems| {
            let bad = cells.is_some_and(|cells| cells.iter().any(|cell| *cell < 0));
            if bad {
                problems.cell(pointer, row, Rule::Negative, || {
                    format!("{} holds a number below zero or null", spec.kind.noun())
                });
            }
            out.push(cells.filter(|_| !bad));
        });
        out
    }

    fn encode(&self) -> Node {
        Node::List(
            self.0.iter().map(|list| list.as_ref().map_or(Node::Null, |list| Node::Ints(list.to_vec()))).collect(),
        )
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
        self.0.clear();
    }
}

/// Strings or nulls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts(Vec<Option<Box<str>>>);

impl Texts {
    /// The string of a cell; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.0.get(row)?.as_deref()
    }

    /// Appends a cell.
    pub fn push(&mut self, text: Option<&str>) {
        self.0.push(text.map(Box::from));
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.0.iter().map(|cell| cell.as_deref())
    }
}

impl<T: AsRef<str>> FromIterator<Option<T>> for Texts {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(texts: I) -> Texts {
        Texts(texts.into_iter().map(|text| text.map(|text| Box::from(text.as_ref()))).collect())
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        Texts(texts.into_iter().map(|text| Some(Box::from(text))).collect())
    }
}

impl Column for Texts {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Texts {
        let cells = match node {
            Node::Ints(cells) => cells.into_iter().map(from_int).collect(),
            Node::List(cells) => cells,
            other => {
                problems.wrong_type(pointer, "an array of strings", &other);
                return Texts::default();
            }
        };
        let mut out = Texts::default();
        for (row, cell) in cells.into_iter().enumerate() {
            match cell {
                Node::Null => out.0.push(None),
                Node::Text(text) => {
                    if let Kind::Word(words) = spec.kind
                        && !words.contains(&text.as_str())
                    {
                        problems.cell(pointer, row, Rule::UnknownWord, || {
                            format!("{:?} is none of {}", clip(&text), words.join(", "))
                        });
                        out.0.push(None);
                    } else {
                        out.0.push(Some(text.into_boxed_str()));
                    }
                }
                other => {
                    problems.cell(pointer, row, Rule::WrongType, || {
                        format!("expected a string, found {} ({})", other.kind(), other.excerpt())
                    });
                    out.0.push(None);
                }
            }
        }
        out
    }

    fn encode(&self) -> Node {
        Node::List(
            self.0.iter().map(|cell| cell.as_ref().map_or(Node::Null, |text| Node::Text(text.to_string()))).collect(),
        )
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn is_null(&self, row: usize) -> bool {
        self.get(row).is_none()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

fn from_int(cell: i64) -> Node {
    if cell == NULL { Node::Null } else { Node::Int(cell) }
}

fn int_of(target: u32) -> i64 {
    if target == NO_REF { NULL } else { i64::from(target) }
}

fn reference(cell: i64, pointer: &str, row: usize, problems: &mut Problems) -> u32 {
    match u32::try_from(cell) {
        Ok(target) if target != NO_REF => target,
        _ if cell == NULL => NO_REF,
        _ => {
            problems.cell(pointer, row, Rule::DanglingReference, || format!("{cell} is no row of the table"));
            NO_REF
        }
    }
}

/// An array of integers and nulls.
fn ints(node: Node, pointer: &str, problems: &mut Problems) -> Vec<i64> {
    match node {
        Node::Ints(cells) => cells,
        Node::List(cells) => cells
            .into_iter()
            .enumerate()
            .map(|(row, cell)| match cell {
                Node::Int(value) => value,
                Node::Null => NULL,
                Node::Float(value) if value.fract() == 0.0 => {
                    problems
                        .cell(pointer, row, Rule::Overflow, || format!("{value:e} does not fit in 64 bits with sign"));
                    NULL
                }
                other => {
                    problems.cell(pointer, row, Rule::WrongType, || {
                        format!("expected an integer, found {} ({})", other.kind(), other.excerpt())
                    });
                    NULL
                }
            })
            .collect(),
        other => {
            problems.wrong_type(pointer, "an array of integers", &other);
            Vec::new()
        }
    }
}

/// An array of arrays of integers, or nulls.
fn lists(
    node: Node,
    pointer: &str,
    problems: &mut Problems,
    mut each: impl FnMut(usize, Option<&[i64]>, &mut Problems),
) {
    let cells = match node {
        Node::Ints(cells) => cells.into_iter().map(from_int).collect(),
        Node::List(cells) => cells,
        other => {
            problems.wrong_type(pointer, "an array of arrays", &other);
            return;
        }
    };
    for (row, cell) in cells.into_iter().enumerate() {
        match cell {
            Node::Null => each(row, None, problems),
            Node::Ints(items) => each(row, Some(&items), problems),
            other => {
                problems.add(Problem::new(
                    format!("{pointer}/{row}"),
                    Rule::WrongType,
                    format!("expected an array of integers, found {} ({})", other.kind(), other.excerpt()),
                ));
                each(row, None, problems);
            }
        }
    }
}

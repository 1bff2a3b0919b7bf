//! Columns of strings.

use super::{Column, wrong_cell};
use crate::json::{NULL, Node, Strings, quoted};
use crate::problem::{Problems, Rule};
use crate::record::{FieldSpec, Kind};

/// Strings or nulls. Equal strings are stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts(Strings);

impl Texts {
    /// The string of a cell; `None` when it is null or not there.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.0.get(row)
    }

    /// Appends a cell.
    pub fn push(&mut self, text: Option<&str>) {
        self.0.push(text);
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.0.iter()
    }
}

impl<T: AsRef<str>> FromIterator<Option<T>> for Texts {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(texts: I) -> Texts {
        Texts(texts.into_iter().collect())
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        texts.into_iter().map(Some).collect()
    }
}

impl Column for Texts {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Texts {
        let mut texts = strings(node, pointer, problems);
        if let Kind::Word(words) = spec.kind {
            for row in 0..texts.len() {
                let Some(text) = texts.get(row).filter(|text| !words.contains(text)) else { continue };
                problems.cell(pointer, row, Rule::UnknownWord, || unknown_word(text, words));
                texts.remove(row);
            }
        }
        Texts(texts)
    }

    fn encode(&self) -> Node {
        if self.iter().all(|text| text.is_none()) {
            return Node::Ints(vec![NULL; self.0.len()]);
        }
        Node::Texts(self.0.clone())
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
        self.0 = Strings::nulls(self.0.len());
    }
}

/// The sentence for a word that a field does not know.
pub(crate) fn unknown_word(text: &str, words: &[&str]) -> String {
    format!("{} is none of {}", quoted(text), words.join(", "))
}

fn strings(node: Node, pointer: &str, problems: &mut Problems) -> Strings {
    let items = match node {
        Node::Texts(texts) => return texts,
        other => match other.into_items() {
            Ok(items) => items,
            Err(Node::Null) => return Strings::default(),
            Err(other) => {
                problems.wrong_type(pointer, "an array of strings", &other);
                return Strings::default();
            }
        },
    };
    let mut texts = Strings::default();
    for (row, item) in items.enumerate() {
        match item {
            Node::Null => texts.push(None),
            Node::Text(text) => texts.push(Some(&text)),
            other => {
                wrong_cell(pointer, row, "a string", &other, problems);
                texts.push(None);
            }
        }
    }
    texts
}

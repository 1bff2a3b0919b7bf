//! Bytes to a tree, by `serde_json`'s tokenizer.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{NULL, Node};

/// Objects with more keys than this are checked for duplicates by a hash set rather than by scanning.
const SCAN_KEYS: usize = 24;

/// The document is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct JsonError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1; 0 at the start of a line.
    pub column: usize,
    /// What is wrong, without the place.
    pub message: String,
}

/// Parses one JSON document. Returns the tree and the pointers of repeated keys, whose first value is kept.
///
/// # Errors
/// With line and column when the bytes are not one JSON document, or nest more than 127 deep.
pub fn parse(bytes: &[u8]) -> Result<(Node, Vec<String>), JsonError> {
    let state = RefCell::new(State { path: Vec::new(), repeated: Vec::new() });
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let node = Seed(&state).deserialize(&mut deserializer).map_err(error)?;
    deserializer.end().map_err(error)?;
    Ok((node, state.into_inner().repeated))
}

fn error(error: serde_json::Error) -> JsonError {
    let full = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = full.strip_suffix(&place).unwrap_or(&full).to_owned();
    JsonError { line: error.line(), column: error.column(), message }
}

enum Part {
    Key(String),
    Index(usize),
}

struct State {
    path: Vec<Part>,
    repeated: Vec<String>,
}

impl State {
    fn pointer(&self, last: &str) -> String {
        let mut out = String::new();
        for part in &self.path {
            out.push('/');
            match part {
                Part::Key(key) => out.push_str(&escape(key)),
                Part::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out.push('/');
        out.push_str(&escape(last));
        out
    }
}

/// One part of a pointer, escaped as RFC 6901 asks.
fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

#[derive(Clone, Copy)]
struct Seed<'a>(&'a RefCell<State>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        // The sentinel cannot be an integer of its own; as a float it is refused where an integer is due.
        Ok(if value == NULL { Node::Float(value as f64) } else { Node::Int(value) })
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(i64::try_from(value).map_or(Node::Float(value as f64), Node::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut ints: Vec<i64> = Vec::new();
        let mut index = 0;
        self.0.borrow_mut().path.push(Part::Index(0));
        let mut list = loop {
            match seq.next_element_seed(self)? {
                None => {
                    self.0.borrow_mut().path.pop();
                    return Ok(Node::Ints(ints));
                }
                Some(Node::Int(value)) => ints.push(value),
                Some(Node::Null) => ints.push(NULL),
                Some(other) => {
                    let mut list: Vec<Node> = ints.iter().map(|value| int_or_null(*value)).collect();
                    list.push(other);
                    break list;
                }
            }
            index += 1;
        };
        loop {
            index += 1;
            if let Some(Part::Index(at)) = self.0.borrow_mut().path.last_mut() {
                *at = index;
            }
            match seq.next_element_seed(self)? {
                None => break,
                Some(node) => list.push(node),
            }
        }
        self.0.borrow_mut().path.pop();
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut object: Vec<(String, Node)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let repeated = if object.len() < SCAN_KEYS {
                object.iter().any(|(known, _)| *known == key)
            } else {
                if seen.is_empty() {
                    seen.extend(object.iter().map(|(known, _)| known.clone()));
                }
                !seen.insert(key.clone())
            };
            if repeated {
                let pointer = self.0.borrow().pointer(&key);
                self.0.borrow_mut().repeated.push(pointer);
            }
            self.0.borrow_mut().path.push(Part::Key(key));
            let value = map.next_value_seed(self)?;
            let key = self.0.borrow_mut().path.pop();
            if let (false, Some(Part::Key(key))) = (repeated, key) {
                object.push((key, value));
            }
        }
        Ok(Node::Object(object))
    }
}

fn int_or_null(value: i64) -> Node {
    if value == NULL { Node::Null } else { Node::Int(value) }
}

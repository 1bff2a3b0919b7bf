//! JSON as a tree with compact arrays, so that a column of a million integers is one vector.
//!
//! Knows nothing of bundles. Remembers duplicate keys, refuses documents nested more than 127 deep
//! (the limit of `serde_json`, which keeps the call stack bounded) and never panics.

mod parse;
mod write;

pub use parse::{JsonError, parse};
pub use write::write;

/// Stands for `null` in [`Node::Ints`]. No time, size, count or index is negative, so the value is free.
pub const NULL: i64 = i64::MIN;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits in 64 bits with sign.
    Int(i64),
    /// Any other number: a fraction, or an integer too large for [`Node::Int`].
    Float(f64),
    /// A string.
    Text(String),
    /// An array of integers and nulls (as [`NULL`]); also the empty array.
    Ints(Vec<i64>),
    /// Any other array.
    List(Vec<Node>),
    /// An object, keys in the order of the document.
    Object(Object),
}

/// Keys and values in the order of the document; keys are unique.
pub type Object = Vec<(String, Node)>;

impl Node {
    /// What this is, for messages: "an integer", "an array" and so on.
    pub fn kind(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "a boolean",
            Node::Int(_) => "an integer",
            Node::Float(_) => "a number that is no 64-bit integer",
            Node::Text(_) => "a string",
            Node::Ints(_) | Node::List(_) => "an array",
            Node::Object(_) => "an object",
        }
    }

    /// The value in short, for messages: at most about 40 characters.
    pub fn excerpt(&self) -> String {
        match self {
            Node::Null => "null".to_owned(),
            Node::Bool(b) => b.to_string(),
            Node::Int(i) => i.to_string(),
            Node::Float(x) => x.to_string(),
            Node::Text(text) => {
                let short: String = text.chars().take(32).collect();
                if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
            }
            Node::Ints(items) => format!("an array of {}", items.len()),
            Node::List(items) => format!("an array of {}", items.len()),
            Node::Object(fields) => format!("an object of {}", fields.len()),
        }
    }
}

/// Removes the value of `key` from `object`, keeping the order of the rest.
pub fn take(object: &mut Object, key: &str) -> Option<Node> {
    let at = object.iter().position(|(name, _)| name == key)?;
    Some(object.remove(at).1)
}

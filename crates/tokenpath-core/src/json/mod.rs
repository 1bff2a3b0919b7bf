//! JSON as a tree with compact arrays, so that a column of a million cells is a few vectors.
//!
//! Knows nothing of bundles. Remembers duplicate keys and never panics. What a document may cost is bounded:
//! [`MAX_DEPTH`] keeps the call stack small, [`MAX_LOOSE`] the tree.

mod arrays;
mod pack;
mod parse;
mod strings;
mod write;

pub use arrays::Arrays;
pub use pack::{PACKED, PackError, pack, unpack};
pub use parse::{JsonError, Repeated, parse};
pub use strings::Strings;
pub use write::write;

/// Stands for `null` in [`Node::Ints`]. No time, size, count or index is negative, so the value is free.
pub const NULL: i64 = i64::MIN;

/// Arrays and objects may nest this deep. A bundle needs 7; each level costs some hundred bytes of stack, and a
/// browser's worker has about a megabyte of it.
pub const MAX_DEPTH: usize = 100;

/// So many values may stand outside compact arrays. Each takes some 50 bytes besides its text, so that a document made
/// of nothing else needs some hundred megabytes and says so before it needs more. A bundle of a million intervals has a
/// few hundred of them, and four more for each entry of its absence list.
pub const MAX_LOOSE: usize = 1 << 22;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits in 64 bits with sign.
    Int(i64),
    /// A larger integer that fits in 64 bits without sign.
    Large(u64),
    /// Any other number: with a fraction or an exponent, or too large for 64 bits.
    Float(f64),
    /// A string.
    Text(String),
    /// An array of integers and nulls (as [`NULL`]); also the empty array.
    Ints(Vec<i64>),
    /// An array of strings and nulls, with at least one string.
    Texts(Strings),
    /// An array of arrays of integers, and nulls, with at least one array.
    Arrays(Arrays),
    /// Any other array.
    List(Vec<Node>),
    /// An object, keys in the order of the document.
    Object(Object),
}

/// Keys and values in the order of the document; keys are unique.
pub type Object = Vec<(String, Node)>;

impl Node {
    /// What this is, for messages: "null", "an object", "the integer 7", "the string \"abc\"". A long string is cut.
    pub fn described(&self) -> String {
        match self {
            Node::Null => "null".to_owned(),
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => format!("the integer {value}"),
            Node::Large(value) => format!("the integer {value}"),
            Node::Float(value) => format!("the number {value:?}"),
            Node::Text(text) => format!("the string {}", quoted(text)),
            Node::Ints(items) if items.is_empty() => "an empty array".to_owned(),
            Node::Ints(_) => "an array of integers".to_owned(),
            Node::Texts(_) => "an array of strings".to_owned(),
            Node::Arrays(_) => "an array of arrays".to_owned(),
            Node::List(_) => "an array".to_owned(),
            Node::Object(_) => "an object".to_owned(),
        }
    }

    /// The items of an array, whichever form it has, one by one.
    ///
    /// # Errors
    /// Gives back a value that is no array.
    pub fn into_items(self) -> Result<Box<dyn Iterator<Item = Node>>, Node> {
        Ok(match self {
            Node::Ints(items) => Box::new(items.into_iter().map(int_or_null)),
            Node::Texts(items) => Box::new((0..items.len()).map(move |at| text_or_null(items.get(at)))),
            Node::Arrays(items) => Box::new((0..items.len()).map(move |at| array_or_null(items.get(at)))),
            Node::List(items) => Box::new(items.into_iter()),
            other => return Err(other),
        })
    }
}

fn int_or_null(value: i64) -> Node {
    if value == NULL { Node::Null } else { Node::Int(value) }
}

fn text_or_null(text: Option<&str>) -> Node {
    text.map_or(Node::Null, |text| Node::Text(text.to_owned()))
}

fn array_or_null(array: Option<&[i64]>) -> Node {
    array.map_or(Node::Null, |array| Node::Ints(array.to_vec()))
}

/// A string of a document in quotes, cut after 32 characters; control characters are escaped.
pub fn quoted(text: &str) -> String {
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(32).collect();
    if characters.next().is_none() { format!("{short:?}") } else { format!("{short:?}…") }
}

/// One part of a pointer for a message: escaped, and cut after 80 characters.
pub fn escape_short(part: &str) -> String {
    let mut characters = part.chars();
    let mut short: String = characters.by_ref().take(80).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    escape(&short)
}

/// One part of a pointer, escaped as RFC 6901 asks.
pub fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Removes the value of `key` from `object`, keeping the order of the rest.
pub fn take(object: &mut Object, key: &str) -> Option<Node> {
    let at = object.iter().position(|(name, _)| name == key)?;
    Some(object.remove(at).1)
}

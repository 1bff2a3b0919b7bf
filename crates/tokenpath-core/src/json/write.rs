//! A tree to bytes: compact, keys in the order of the tree.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::{NULL, Node};

/// The document as UTF-8 JSON without white space.
pub fn write(node: &Node) -> Vec<u8> {
    // Serialising to memory fails only for maps whose keys are no strings; ours are.
    serde_json::to_vec(node).unwrap_or_default()
}

/// Integers of which [`NULL`] stands for null.
struct Items<'a>(&'a [i64]);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|item| (*item != NULL).then_some(*item)))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Int(value) => serializer.serialize_i64(*value),
            Node::Large(value) => serializer.serialize_u64(*value),
            Node::Float(value) => serializer.serialize_f64(*value),
            Node::Text(value) => serializer.serialize_str(value),
            Node::Ints(items) => Items(items).serialize(serializer),
            Node::Texts(items) => serializer.collect_seq(items.iter()),
            Node::Arrays(items) => serializer.collect_seq(items.iter().map(|array| array.map(Items))),
            Node::List(items) => items.serialize(serializer),
            Node::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (key, value) in fields {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

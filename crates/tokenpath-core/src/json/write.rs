//! A tree to bytes: compact, keys in the order of the tree.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use super::{NULL, Node};

/// The document as UTF-8 JSON without white space.
pub fn write(node: &Node) -> Vec<u8> {
    // Serialising to memory fails only for maps whose keys are no strings; ours are.
    serde_json::to_vec(node).unwrap_or_default()
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Int(value) => serializer.serialize_i64(*value),
            Node::Float(value) => serializer.serialize_f64(*value),
            Node::Text(value) => serializer.serialize_str(value),
            Node::Ints(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(&(*item != NULL).then_some(*item))?;
                }
                seq.end()
            }
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

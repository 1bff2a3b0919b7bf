//! The index of a sharded safetensors model: which shard each tensor is in.

use std::collections::HashMap;

use tokenpath_core::json::{self, JsonError, Node, Object};

/// Larger indices are refused; one of a model with 100,000 tensors has some ten megabytes.
pub const MAX_INDEX: u64 = 64 << 20;

/// What an index states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Names of shards, in the order in which they are first named.
    pub shards: Vec<String>,
    /// Tensors in the order of the index, each with the row of its shard.
    pub tensors: Vec<(String, u32)>,
    /// Bytes of all tensors together, as stated.
    pub total_bytes: Option<i64>,
    /// Number of parameters, as stated.
    pub total_parameters: Option<i64>,
    /// What is odd about it, a sentence each.
    pub remarks: Vec<String>,
}

/// Why an index cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It is not JSON.
    #[error("it is no JSON: {0}")]
    Json(JsonError),
    /// There is no table of tensors.
    #[error("it lacks the field weight_map, an object from tensor to shard")]
    NoMap,
}

/// Reads an index.
///
/// # Errors
/// When it is not JSON or has no `weight_map`.
pub fn read(bytes: &[u8]) -> Result<Index, IndexError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (node, repeated) = json::parse(bytes).map_err(IndexError::Json)?;
    let Node::Object(mut object) = node else { return Err(IndexError::NoMap) };
    let Some(Node::Object(map)) = json::take(&mut object, "weight_map") else { return Err(IndexError::NoMap) };
    let mut index = Index::default();
    if repeated.count > 0 {
        index.remarks.push(format!("{} keys stand twice; the first value of each is kept.", repeated.count));
    }
    if let Some(Node::Object(metadata)) = json::take(&mut object, "metadata") {
        index.total_bytes = number(&metadata, "total_size");
        index.total_parameters = number(&metadata, "total_parameters");
    }
    let mut rows: HashMap<String, u32> = HashMap::new();
    let mut odd = 0_u64;
    for (name, node) in map {
        let Node::Text(shard) = node else {
            odd += 1;
            continue;
        };
        let next = u32::try_from(index.shards.len()).unwrap_or(u32::MAX);
        let row = *rows.entry(shard).or_insert_with_key(|shard| {
            index.shards.push(shard.clone());
            next
        });
        index.tensors.push((name, row));
    }
    if odd > 0 {
        index.remarks.push(format!("{odd} tensors of the index name no shard and are left out."));
    }
    Ok(index)
}

/// A whole number, which some tools write as a text or with a fraction of zero.
fn number(object: &Object, key: &str) -> Option<i64> {
    let value = match &object.iter().find(|(known, _)| known == key)?.1 {
        Node::Int(value) => *value,
        Node::Text(text) => text.parse().ok()?,
        Node::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => *value as i64,
        _ => return None,
    };
    (value >= 0).then_some(value)
}

//! The header: metadata and tensor table.

use std::collections::HashSet;

use super::bytes::Bytes;
use super::types::{Type, by_id};
use crate::read_at::{ReadAt, ReadFailed};

/// Longest key, name or text that is read; the format's own limit on keys is 65,535.
const MAX_TEXT: u64 = 16 << 20;
/// Arrays of numbers up to this length are kept (per-layer parameters); longer ones are walked.
const KEPT_ITEMS: u64 = 1024;
/// Arrays may nest; deeper ones than this are refused.
const MAX_DEPTH: u32 = 4;
/// The fewest bytes that a metadata entry takes: length and one byte of key, type, one byte of value.
const MIN_ENTRY: u64 = 14;
/// The fewest bytes that a tensor's entry takes in any version.
const MIN_TENSOR: u64 = 21;
/// ggml's limit of dimensions.
const MAX_DIMENSIONS: u32 = 4;

/// Why a GGUF file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GgufError {
    /// The first four bytes are not `GGUF`.
    #[error("it does not begin with GGUF")]
    Magic,
    /// A version that is not known.
    #[error("GGUF version {0}; versions 1 to 3 are known")]
    Version(u32),
    /// The file ends inside the header.
    #[error("the file ends in {what} at byte {offset}: it has {length} bytes")]
    Ends {
        /// What was being read.
        what: &'static str,
        /// Where.
        offset: u64,
        /// The file's length.
        length: u64,
    },
    /// A count that the rest of the file cannot hold.
    #[error("the header states {count} {what}, and the {left} bytes after it cannot hold them")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        count: u64,
        /// Bytes left.
        left: u64,
    },
    /// A text longer than any sensible one.
    #[error("{what} at byte {offset} is stated to be {length} bytes long; up to {MAX_TEXT} are read")]
    TooLong {
        /// What.
        what: &'static str,
        /// Where.
        offset: u64,
        /// The stated length.
        length: u64,
    },
    /// A metadata value of an unknown type.
    #[error("the value of {key:?} has type {found}; types 0 to 12 are known")]
    ValueType {
        /// The key.
        key: String,
        /// The type's number.
        found: u32,
    },
    /// Arrays within arrays within arrays.
    #[error("the value of {key:?} nests arrays more than {MAX_DEPTH} deep")]
    Nested {
        /// The key.
        key: String,
    },
    /// A tensor with more dimensions than ggml knows.
    #[error("tensor {name:?} has {found} dimensions; up to {MAX_DIMENSIONS} are known")]
    Dimensions {
        /// The tensor.
        name: String,
        /// How many.
        found: u32,
    },
    /// The source failed.
    #[error(transparent)]
    Read(ReadFailed),
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number of any width.
    Int(i64),
    /// A whole number above what 64 bits with sign hold.
    Large(u64),
    /// A floating-point number of either width.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
    /// A short array of whole numbers or booleans.
    Ints(Vec<i64>),
    /// Any other array: its length only.
    Array(u64),
}

/// One entry of the tensor table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name.
    pub name: String,
    /// Sizes, the fastest-moving first.
    pub sizes: Vec<u64>,
    /// The number of its type.
    pub type_id: u32,
    /// The type, if it is known.
    pub dtype: Option<Type>,
    /// Offset in the data section.
    pub offset: u64,
    /// Its bytes: by type and sizes; of an unknown type, the gap to the next tensor, which includes padding.
    pub bytes: Option<u64>,
}

/// What a GGUF header states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The version of the format.
    pub version: u32,
    /// Whether the file is in big-endian order.
    pub big_endian: bool,
    /// Metadata in the file's order.
    pub metadata: Vec<(String, Value)>,
    /// The tensor table in the file's order.
    pub tensors: Vec<Tensor>,
    /// Where tensor data begins.
    pub data_offset: u64,
    /// The file's length.
    pub file_bytes: u64,
    /// Parts of a split model that were not given; `file_bytes` is then that of the given ones.
    pub missing_parts: u64,
    /// What is odd about the file and does not keep it from being shown, a sentence each.
    pub remarks: Vec<String>,
}

impl Model {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The whole number under a key.
    pub fn int(&self, key: &str) -> Option<i64> {
        match self.get(key) {
            Some(Value::Int(value)) => Some(*value),
            _ => None,
        }
    }
}

/// Reads the header.
///
/// # Errors
/// When the header ends early, contradicts the file's length or is of an unknown version. A tensor of an unknown type
/// or past the end of the file is a remark, not an error.
pub fn read(source: &dyn ReadAt) -> Result<Model, GgufError> {
    let mut bytes = Bytes::new(source);
    if bytes.text(4, "the magic number")? != "GGUF" {
        return Err(GgufError::Magic);
    }
    let mut version = bytes.u32("the version")?;
    // A big-endian file read in little-endian order has its version in the upper half.
    if version & 0xffff == 0 && version != 0 {
        bytes.big_endian = true;
        version = version.swap_bytes();
    }
    if !(1..=3).contains(&version) {
        return Err(GgufError::Version(version));
    }
    let mut header = Header { bytes, version };
    let tensors = header.count("tensors", MIN_TENSOR)?;
    let entries = header.count("metadata entries", MIN_ENTRY)?;
    let mut model =
        Model { version, big_endian: header.bytes.big_endian, file_bytes: source.len(), ..Model::default() };
    for _ in 0..entries {
        let key = header.text("a metadata key")?;
        let kind = header.bytes.u32("a metadata type")?;
        let value = header.value(kind, &key, 0)?;
        model.metadata.push((key, value));
    }
    for _ in 0..tensors {
        model.tensors.push(header.tensor()?);
    }
    let end = header.bytes.offset();
    let alignment = match model.int("general.alignment") {
        Some(stated) if stated > 0 => u64::try_from(stated).unwrap_or(32),
        Some(stated) => {
            model.remarks.push(format!("The stated alignment of {stated} is none; 32 is taken."));
            32
        }
        None => 32,
    };
    model.data_offset = end.checked_next_multiple_of(alignment).unwrap_or(end);
    repeated_names(&mut model);
    unknown_sizes(&mut model);
    past_the_end(&mut model);
    Ok(model)
}

/// A name stands for one tensor; of two the first is kept.
fn repeated_names(model: &mut Model) {
    let mut names: HashSet<String> = HashSet::new();
    let before = model.tensors.len();
    model.tensors.retain(|tensor| names.insert(tensor.name.clone()));
    let dropped = before - model.tensors.len();
    if dropped > 0 {
        model.remarks.push(format!("{dropped} tensors have the name of one before them and are left out."));
    }
}

/// A tensor of an unknown type reaches to the next one, or to the end of the file.
fn unknown_sizes(model: &mut Model) {
    if model.tensors.iter().all(|tensor| tensor.bytes.is_some()) {
        return;
    }
    let data = model.file_bytes.saturating_sub(model.data_offset);
    let mut offsets: Vec<u64> = model.tensors.iter().map(|tensor| tensor.offset).collect();
    offsets.push(data);
    offsets.sort_unstable();
    for tensor in model.tensors.iter_mut().filter(|tensor| tensor.bytes.is_none()) {
        let next = offsets.get(offsets.partition_point(|offset| *offset <= tensor.offset));
        tensor.bytes = next.and_then(|next| next.checked_sub(tensor.offset));
        let what = match tensor.dtype {
            None => format!("has the unknown type {}", tensor.type_id),
            Some(known) => format!("is no whole number of {} blocks", known.name),
        };
        model.remarks.push(format!("Tensor {:?} {what}; its bytes are the gap to the next tensor.", tensor.name));
    }
}

fn past_the_end(model: &mut Model) {
    let past = model
        .tensors
        .iter()
        .filter(|tensor| {
            let end = model
                .data_offset
                .checked_add(tensor.offset)
                .and_then(|start| start.checked_add(tensor.bytes.unwrap_or(0)));
            end.is_none_or(|end| end > model.file_bytes)
        })
        .count();
    if past > 0 {
        model.remarks.push(format!(
            "{past} of {} tensors reach past the end of the file, which has {} bytes.",
            model.tensors.len(),
            model.file_bytes
        ));
    }
}

struct Header<'a> {
    bytes: Bytes<'a>,
    version: u32,
}

impl Header<'_> {
    /// A count or length: 32 bits in version 1, 64 bits after it.
    fn word(&mut self, what: &'static str) -> Result<u64, GgufError> {
        if self.version == 1 { self.bytes.u32(what).map(u64::from) } else { self.bytes.u64(what) }
    }

    /// A count of things of at least `least` bytes each.
    fn count(&mut self, what: &'static str, least: u64) -> Result<u64, GgufError> {
        let count = self.word(what)?;
        let left = self.bytes.left();
        match count.checked_mul(least) {
            Some(needed) if needed <= left => Ok(count),
            _ => Err(GgufError::Count { what, count, left }),
        }
    }

    fn text(&mut self, what: &'static str) -> Result<String, GgufError> {
        let offset = self.bytes.offset();
        let length = self.word(what)?;
        if length > MAX_TEXT {
            return Err(GgufError::TooLong { what, offset, length });
        }
        self.bytes.text(length, what)
    }

    fn value(&mut self, kind: u32, key: &str, depth: u32) -> Result<Value, GgufError> {
        const WHAT: &str = "a metadata value";
        let bytes = &mut self.bytes;
        Ok(match kind {
            0 => Value::Int(i64::from(bytes.u8(WHAT)?)),
            1 => Value::Int(i64::from(bytes.u8(WHAT)? as i8)),
            2 => Value::Int(i64::from(bytes.u16(WHAT)?)),
            3 => Value::Int(i64::from(bytes.u16(WHAT)? as i16)),
            4 => Value::Int(i64::from(bytes.u32(WHAT)?)),
            5 => Value::Int(i64::from(bytes.u32(WHAT)? as i32)),
            6 => Value::Float(f64::from(f32::from_bits(bytes.u32(WHAT)?))),
            7 => Value::Bool(bytes.u8(WHAT)? != 0),
            8 => Value::Text(self.text(WHAT)?),
            9 => self.list(key, depth)?,
            10 => {
                let value = bytes.u64(WHAT)?;
                i64::try_from(value).map_or(Value::Large(value), Value::Int)
            }
            11 => Value::Int(bytes.u64(WHAT)?.cast_signed()),
            12 => Value::Float(f64::from_bits(bytes.u64(WHAT)?)),
            found => return Err(GgufError::ValueType { key: key.to_owned(), found }),
        })
    }

    fn list(&mut self, key: &str, depth: u32) -> Result<Value, GgufError> {
        const WHAT: &str = "a metadata array";
        if depth >= MAX_DEPTH {
            return Err(GgufError::Nested { key: key.to_owned() });
        }
        let kind = self.bytes.u32(WHAT)?;
        let width = match kind {
            0 | 1 | 7 => Some(1),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            8 | 9 => None,
            found => return Err(GgufError::ValueType { key: key.to_owned(), found }),
        };
        let least = width.unwrap_or(if self.version == 1 { 4 } else { 8 });
        let length = self.count("array items", least)?;
        match (kind, width) {
            (8, _) => {
                for _ in 0..length {
                    let size = self.word(WHAT)?;
                    self.bytes.skip(size, "a text of an array")?;
                }
                Ok(Value::Array(length))
            }
            (9, _) => {
                for _ in 0..length {
                    self.list(key, depth + 1)?;
                }
                Ok(Value::Array(length))
            }
            (6 | 10 | 12, Some(width)) => {
                self.bytes.skip(length * width, WHAT)?;
                Ok(Value::Array(length))
            }
            (_, Some(width)) if length > KEPT_ITEMS => {
                self.bytes.skip(length * width, WHAT)?;
                Ok(Value::Array(length))
            }
            _ => {
                let mut items = Vec::new();
                for _ in 0..length {
                    match self.value(kind, key, depth + 1)? {
                        Value::Int(item) => items.push(item),
                        Value::Bool(item) => items.push(i64::from(item)),
                        _ => {}
                    }
                }
                Ok(Value::Ints(items))
            }
        }
    }

    fn tensor(&mut self) -> Result<Tensor, GgufError> {
        const WHAT: &str = "the tensor table";
        let name = self.text("a tensor's name")?;
        let dimensions = self.bytes.u32(WHAT)?;
        if dimensions > MAX_DIMENSIONS {
            return Err(GgufError::Dimensions { name, found: dimensions });
        }
        let mut sizes = Vec::new();
        for _ in 0..dimensions {
            sizes.push(self.word(WHAT)?);
        }
        let type_id = self.bytes.u32(WHAT)?;
        let offset = self.bytes.u64(WHAT)?;
        let dtype = by_id(type_id);
        let bytes = dtype.and_then(|dtype| dtype.size(&sizes));
        Ok(Tensor { name, sizes, type_id, dtype, offset, bytes })
    }
}

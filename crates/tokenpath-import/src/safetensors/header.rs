//! The header of a safetensors file: 8 bytes of length, then JSON. Nothing behind it is read.

use tokenpath_core::json::{self, JsonError, NULL, Node, Object};

use super::types::{Dtype, by_spelling};
use crate::read_at::{ReadAt, ReadFailed};

/// The library's own limit of a header, in bytes. What a file states is checked against it, and against the file's
/// length, before anything is allocated.
pub const MAX_HEADER: u64 = 100_000_000;

/// Why a safetensors file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SafetensorsError {
    /// Too short for the 8 bytes of the header's length.
    #[error("it has {length} bytes, and the header's length alone takes 8")]
    Short {
        /// The file's length.
        length: u64,
    },
    /// The header would be longer than the format allows.
    #[error("the header is stated to be {stated} bytes long; the format allows {MAX_HEADER}")]
    TooLong {
        /// The stated length.
        stated: u64,
    },
    /// The file ends inside the header.
    #[error("the header is stated to be {stated} bytes long, and only {left} bytes follow: the file is cut off")]
    Ends {
        /// The stated length.
        stated: u64,
        /// Bytes that follow.
        left: u64,
    },
    /// The header is not JSON.
    #[error("the header is no JSON: {0}")]
    Json(JsonError),
    /// The header is JSON of another kind.
    #[error("the header is {found}, not an object of tensors")]
    NotAnObject {
        /// What it is.
        found: String,
    },
    /// The source failed.
    #[error(transparent)]
    Read(ReadFailed),
}

/// One tensor as the header states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The name.
    pub name: String,
    /// The element type as the file spells it; empty when it states none.
    pub spelling: String,
    /// The element type, if it is known.
    pub dtype: Option<Dtype>,
    /// Sizes, the fastest-moving first: the reverse of the file's order. `None` when the file states no shape.
    pub sizes: Option<Vec<u64>>,
    /// Offsets of its first byte and of the first one behind it, from the end of the header.
    pub offsets: Option<(u64, u64)>,
}

impl Tensor {
    /// Its bytes, by its offsets.
    pub fn bytes(&self) -> Option<u64> {
        self.offsets.and_then(|(begin, end)| end.checked_sub(begin))
    }
}

/// What a header states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Tensors in the order of their data.
    pub tensors: Vec<Tensor>,
    /// Texts under `__metadata__`.
    pub metadata: Vec<(String, String)>,
    /// Bytes before the first tensor's data.
    pub header_bytes: u64,
    /// The file's length.
    pub file_bytes: u64,
    /// What is odd about the file and does not keep it from being shown, a sentence each.
    pub remarks: Vec<String>,
}

/// Reads the header.
///
/// # Errors
/// When the stated length is impossible or the header is not JSON. Tensors that overlap, lie past the end or contradict
/// their own shape are remarks, not errors.
pub fn read(source: &dyn ReadAt) -> Result<Header, SafetensorsError> {
    let length = source.len();
    let left = length.checked_sub(8).ok_or(SafetensorsError::Short { length })?;
    let mut word = [0; 8];
    source.read_at(0, &mut word).map_err(SafetensorsError::Read)?;
    let stated = u64::from_le_bytes(word);
    if stated > MAX_HEADER {
        return Err(SafetensorsError::TooLong { stated });
    }
    if stated > left {
        return Err(SafetensorsError::Ends { stated, left });
    }
    let mut text = vec![0; usize::try_from(stated).unwrap_or(0)];
    source.read_at(8, &mut text).map_err(SafetensorsError::Read)?;
    let (node, repeated) = json::parse(&text).map_err(SafetensorsError::Json)?;
    drop(text);
    let object = match node {
        Node::Object(object) => object,
        other => return Err(SafetensorsError::NotAnObject { found: other.described() }),
    };
    let mut header = Header { header_bytes: 8 + stated, file_bytes: length, ..Header::default() };
    if repeated.count > 0 {
        let first = repeated.pointers.first().map_or("", String::as_str);
        header.remarks.push(format!(
            "{} keys of the header stand twice, the first at {first}; the first value of each is kept.",
            repeated.count
        ));
    }
    for (name, node) in object {
        match node {
            Node::Object(fields) if name == "__metadata__" => header.metadata = texts(fields),
            Node::Object(fields) => header.tensors.push(tensor(name, &fields)),
            other => header.remarks.push(format!(
                "{} is {}, not a tensor, and is left out.",
                json::quoted(&name),
                other.described()
            )),
        }
    }
    header.tensors.sort_by_key(|tensor| tensor.offsets);
    check(&mut header);
    Ok(header)
}

fn texts(fields: Object) -> Vec<(String, String)> {
    let text = |(key, node)| match node {
        Node::Text(text) => Some((key, text)),
        _ => None,
    };
    fields.into_iter().filter_map(text).collect()
}

fn tensor(name: String, fields: &Object) -> Tensor {
    let get = |key: &str| fields.iter().find(|(known, _)| known == key).map(|(_, node)| node);
    let whole = |items: &[i64]| items.iter().map(|item| u64::try_from(*item).ok().filter(|_| *item != NULL)).collect();
    let numbers = |key: &str| -> Option<Vec<u64>> {
        match get(key)? {
            Node::Ints(items) => whole(items),
            // Numbers above 63 bits make a list of its own kind.
            Node::List(items) => items
                .iter()
                .map(|item| match item {
                    Node::Int(value) => u64::try_from(*value).ok(),
                    Node::Large(value) => Some(*value),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    };
    let spelling = match get("dtype") {
        Some(Node::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let offsets = match numbers("data_offsets").as_deref() {
        Some([begin, end]) if begin <= end => Some((*begin, *end)),
        _ => None,
    };
    let sizes = numbers("shape").map(|mut sizes| {
        sizes.reverse();
        sizes
    });
    Tensor { name, dtype: by_spelling(&spelling), spelling, sizes, offsets }
}

/// What the library refuses and a viewer shows with a remark.
fn check(header: &mut Header) {
    let all = header.tensors.len();
    let data = header.file_bytes.saturating_sub(header.header_bytes);
    let mut remark = |names: &[&str], text: &str| {
        if let Some(first) = names.first() {
            header.remarks.push(format!(
                "{} of {all} tensors {text}; the first is {}.",
                names.len(),
                json::quoted(first)
            ));
        }
    };
    let tensors = &header.tensors;
    let named = |test: &dyn Fn(&Tensor) -> bool| -> Vec<&str> {
        tensors.iter().filter(|tensor| test(tensor)).map(|tensor| tensor.name.as_str()).collect()
    };
    remark(&named(&|tensor| tensor.dtype.is_none()), "have an element type that the format does not know");
    remark(&named(&|tensor| tensor.sizes.is_none()), "state no shape");
    remark(&named(&|tensor| tensor.offsets.is_none()), "state no offsets that a file could have");
    let contradicts = |tensor: &Tensor| match (tensor.dtype, &tensor.sizes, tensor.bytes()) {
        (Some(dtype), Some(sizes), Some(bytes)) => dtype.size(sizes) != Some(bytes),
        _ => false,
    };
    remark(&named(&contradicts), "have other bytes by their offsets than by type and shape; their offsets are taken");
    let past = |tensor: &Tensor| tensor.offsets.is_some_and(|(_, end)| end > data);
    remark(&named(&past), &format!("reach past the end of the file, which has {} bytes", header.file_bytes));
    let (mut reached, mut gaps) = (0_u64, 0_u64);
    let mut overlap: Vec<&str> = Vec::new();
    for tensor in tensors {
        let Some((begin, end)) = tensor.offsets else { continue };
        if begin < reached {
            overlap.push(&tensor.name);
        }
        gaps = gaps.saturating_add(begin.saturating_sub(reached));
        reached = reached.max(end);
    }
    remark(&overlap, "begin inside the one before them");
    let behind = data.saturating_sub(reached);
    if gaps > 0 {
        header.remarks.push(format!("{gaps} bytes between tensors belong to none."));
    }
    if behind > 0 {
        header.remarks.push(format!("{behind} bytes behind the last tensor belong to none."));
    }
}

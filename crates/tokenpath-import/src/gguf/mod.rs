//! GGUF model files: header, metadata and tensor table. The tensors' data is never read.
//!
//! Metadata is untrusted: every count and length is checked against what is left of the file before anything is
//! allocated for it; long arrays (the tokenizer's) are walked and not kept.

mod bytes;
mod header;
mod layers;
pub mod names;
mod section;
mod split;
pub mod types;

pub use header::{GgufError, Model, Tensor, Value, read};
pub(crate) use section::{components, parameters, placed, section};
pub(crate) use split::{SPLIT, merge};

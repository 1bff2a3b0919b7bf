//! GGUF model files: header, metadata and tensor table. The tensors' data is never read.
//!
//! Metadata is untrusted: every count and length is checked against what is left of the file before anything is
//! allocated for it; long arrays (the tokenizer's) are walked and not kept.

mod alone;
mod bytes;
mod header;
pub mod names;
mod section;
pub mod types;

pub(crate) use alone::run;
pub use header::{GgufError, Model, Tensor, Value, read};
pub(crate) use section::{components, parameters, placed, section};

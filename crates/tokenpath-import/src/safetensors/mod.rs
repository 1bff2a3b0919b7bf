//! safetensors: headers of one file or of shards, and the index of a sharded model. Tensor data is never read.

mod header;
mod index;
pub mod names;
mod section;
mod set;
pub mod types;

pub use header::{Header, MAX_HEADER, SafetensorsError, Tensor, read};
pub use index::{Index, IndexError, MAX_INDEX, read as read_index};
pub(crate) use section::section;
pub(crate) use set::{Set, belongs, join};

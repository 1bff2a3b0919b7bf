//! What the browser's two workers share: the bytes of a file, read in slices, and what goes between the
//! engine's and the one that reads traces.
//!
//! Must never contain: a decision about what is shown, or anything of one file format.

#[cfg(target_arch = "wasm32")]
mod blob;
mod report;

#[cfg(target_arch = "wasm32")]
pub use blob::{BlobBytes, message_of};
pub use report::{TraceOrder, TraceReport};

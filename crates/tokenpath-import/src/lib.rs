//! Foreign recordings to a run: what a file is, how it is read, and which files belong together.
//!
//! Design constraints, each tested:
//! - Bytes come in through [`ReadAt`] and no other way: no path, no clock, no browser. A file's name is for
//!   messages and labels; it never decides what the file is.
//! - Every reader ends in a [`tokenpath_core::Run`] that [`tokenpath_core::bundle::validate`] has nothing to say
//!   about; what a reader dropped is counted in the result.
//! - No byte string makes this crate panic or allocate more than it has read; every limit is a named constant.
//!
//! Must never contain: derived figures, text of numbers for pages, HTML.
//!
//! Reading order: [`read_at`], [`mod@sniff`], [`open()`], then the readers.

mod absent;
mod alone;
mod components;
pub mod config;
mod digest;
mod error;
pub mod gguf;
pub mod llamacpp;
mod load;
mod open;
pub mod read_at;
pub mod request;
pub mod safetensors;

pub mod sniff;
mod wall;
mod with_run;

pub use error::OpenError;
pub use open::{Continue, Imported, JoinNote, LeftOutNote, OpenOptions, Progress, Remark, open};
pub use read_at::{ReadAt, ReadFailed};
pub use sniff::{Format, sniff};

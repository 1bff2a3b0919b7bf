//! The browser's worker that reads traces in SQLite and makes bundles of them, which the engine opens as it opens others.
//!
//! It is a module of its own, because SQLite is large and most files need none; it is loaded when a trace is opened and
//! ended when that is read. The file stays where it is: blocks of it are read as SQLite asks for them, so the memory that
//! is used depends on what is kept of it and not on its length.
//!
//! Must never contain: a decision about what is shown, or about what a trace means (that is tokenpath-nsys).
//! On any target but a browser's only [`Blocks`] is there.

mod blocks;
#[cfg(target_arch = "wasm32")]
mod convert;
#[cfg(target_arch = "wasm32")]
mod vfs;
#[cfg(target_arch = "wasm32")]
mod worker;

pub use blocks::{Blocks, states_log};
#[cfg(target_arch = "wasm32")]
pub use convert::{Converted, convert};
#[cfg(target_arch = "wasm32")]
pub use worker::worker;

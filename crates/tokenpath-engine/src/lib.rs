//! The session behind both shells: files in, then messages in and effects out.
//!
//! A shell hands files to [`Engine::open`] and messages to [`Engine::update`], and carries out the effects it gets
//! back. Everything that is shown is decided here and tested natively; a shell only forwards and places.
//!
//! Must never contain: I/O, a clock, a browser. Bytes come through [`ReadAt`], which shells implement.

mod engine;
mod failure;
pub mod message;
mod shown;
mod timeline;
mod told;

pub use engine::{Engine, File, Opened};
pub use failure::of as failure_of;
pub use tokenpath_import::{ReadAt, ReadFailed};
pub use tokenpath_pages::errors::Failure;
pub use tokenpath_pages::lens::Lens;
pub use tokenpath_pages::view::View;

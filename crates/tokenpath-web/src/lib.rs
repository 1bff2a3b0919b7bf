//! The browser's main thread: it forwards what a person does, puts strings into regions, and keeps focus, scroll and
//! history.
//!
//! It holds no model and no engine: those run in a worker (`tokenpath-worker`), a module that loads when a file is
//! opened.
//!
//! Must never contain: a decision about what is shown (that is the engine's), text of a lens, or arithmetic on a run.
//! On any target but a browser's it compiles and does nothing.
#![cfg(target_arch = "wasm32")]

mod page;

pub use page::page;
// For the tests in a browser.
#[doc(hidden)]
pub use page::set_region;

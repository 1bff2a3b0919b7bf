//! The browser shell: one module for both sides of the page.
//!
//! The main thread runs `page`: it forwards what a person does, puts strings into regions, and keeps focus, scroll
//! and history. A worker runs `worker`: the engine, alone with the run. The main thread holds no model, so nothing
//! that a file does can freeze the page, and a cancelled opening is a worker that is ended.
//!
//! Must never contain: a decision about what is shown (that is the engine's), text of a lens, or arithmetic on a run.
//! On any target but a browser's it compiles and does nothing.
#![cfg(target_arch = "wasm32")]

mod page;
mod worker;

pub use page::page;
// For the tests in a browser.
#[doc(hidden)]
pub use page::set_region;
pub use worker::worker;
#[doc(hidden)]
pub use worker::BlobBytes;

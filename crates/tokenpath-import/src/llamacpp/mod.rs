//! Recordings of llama.cpp: captures by its evaluation callback, by abort stamps, by a preloaded recorder.
//!
//! The readers ([`capture`], [`stamps`], [`preload`]) end in a [`recording::Recording`]; the rules that decide what
//! the runtime does not say (layer, kernel, executed list) stand in [`layers`], [`kernels`] and [`topology`] and
//! name themselves in the labels; `tables` alone builds the run.

pub mod capture;
pub mod ends;
mod identity;
mod intervals;
pub(crate) mod join;
pub mod kernels;
pub mod layers;
mod log;
mod model;
mod nodes;

pub mod preload;
mod raw;
pub(crate) mod recorders;
pub mod recording;
pub mod stamps;
mod tables;
pub mod topology;
pub(crate) mod with_model;
pub(crate) mod with_request;

pub(crate) use identity::slug;
pub(crate) use tables::{Shared, run};

//! The run of one LLM inference, and what can honestly be said of it.
//!
//! Design constraints, each tested:
//! - No I/O, no clock, no browser, no HTML, no rounding of numbers to text. Bytes in, values out.
//! - No byte string makes this crate panic; a flawed bundle gives a [`Run`] and its problems.
//! - A value is never separated from its [`Label`]; a missing one never from its reason.
//!
//! Reading order: [`label`], [`absence`], [`mod@column`], [`model`], [`bundle`], then what is computed
//! from a run: [`fact`] and the modules that use it, and [`traverse`].

pub mod absence;
pub mod bundle;
pub mod column;
pub mod derive;
pub mod fact;
pub mod item;
pub mod json;
pub mod label;
pub mod model;
pub mod problem;
pub mod record;
mod table;
pub mod traverse;

pub use absence::{Absence, ReasonCode};
pub use item::Item;
pub use label::{Label, LabelKind, Labels};
pub use model::Run;
pub use problem::{Problem, Rule};

//! What a model of a stated architecture is made of, block by block, and what one decode step of it must do.
//!
//! Everything computed here is an estimate: it follows from the fields that a source states and from a table of
//! families, one line each, and no weight was read. Where tensors are at hand, they are what counts.
//!
//! Must never contain: a measurement, or a default for a field that the family does not fix.

pub mod architecture;
mod assemble;
pub mod blocks;
pub mod stated;
mod totals;
pub mod weight;

pub use assemble::{Refused, assemble};
pub use totals::{Share, Totals, totals};

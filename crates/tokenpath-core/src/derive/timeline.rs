//! The trace clock as rows: what of a run lies on which row of a timeline, where reading starts, and what a selection
//! marks.
//!
//! Building costs n log n in the rows of the run and is done once; after that a pixel column costs a few binary searches
//! ([`lane`]), whatever the number of intervals.

pub mod lane;
mod marks;
mod start;
mod tint;
mod track;

pub use lane::{Columns, Event, Lane, Met, Span, pack};
pub use marks::{Flow, Marks, Place};
pub use start::{Start, pass_extent, pass_of, time_of};
pub use tint::Tint;
pub use track::{Attribution, TimelineRows, Track, TrackKind};

#[cfg(test)]
mod tests;

//! The minimal bundle, broken in every way the format knows: what each fault says, and that the rest stays usable.
//!
//! The variants are derived from the format's declarations, so that a new column is broken without anybody thinking
//! of it. The messages are snapshots to be read by people; the properties that hold for each variant are asserted in
//! [`harness::outcome`].

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod absences;
mod cost;
mod documents;
mod fields;
mod harness;
mod labels;
mod times;

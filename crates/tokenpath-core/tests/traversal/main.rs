//! Walks through small worlds: verdicts, opened chains, rows, relations to follow, the token under test.
//!
//! What is expected was counted by hand from the world's text.

#![allow(clippy::unwrap_used, reason = "a world's text is part of the test")]

mod chains;
mod output;
mod token;
mod verdicts;
mod world;

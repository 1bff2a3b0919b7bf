//! Walks through small worlds: verdicts, opened chains, rows, relations to follow, the token under test.
//!
//! What is expected was counted by hand from the world's text.

mod chains;
mod output;
mod token;
mod verdicts;
mod world;

//! What the tests that cross crates share: the repository's files and the paths that Rust source
//! names. It holds nothing that the product uses.

pub mod repository;
pub mod rust_paths;

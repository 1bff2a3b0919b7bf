//! One block a file: what it holds.

pub mod attention;
pub mod delta;
pub mod dense;
pub mod embedding;
pub mod experts;
pub mod latent;
pub mod norm;
pub mod side;
pub mod state;

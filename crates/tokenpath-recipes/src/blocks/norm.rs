//! Normalisation of a vector: by its root mean square, or around its mean.

use crate::weight::Weight;

/// Which normalisation, and whether it learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Root mean square with a learned scale.
    Rms,
    /// Root mean square without a scale (Llama 4 on queries and keys).
    Bare,
    /// Mean and variance, with a learned scale and a learned shift.
    Layer,
}

impl Norm {
    /// The weights, for a vector of `width` values.
    pub fn weights(self, role: &'static str, width: u64) -> Vec<Weight> {
        match self {
            Norm::Rms => vec![Weight::vector(role, width)],
            Norm::Bare => Vec::new(),
            Norm::Layer => vec![Weight::vector(role, width), Weight::vector(bias(role), width)],
        }
    }
}

/// The role of a normalisation's shift.
fn bias(role: &'static str) -> &'static str {
    match role {
        "attention_norm" => "attention_norm_bias",
        "feed_forward_norm" => "feed_forward_norm_bias",
        "output_norm" => "output_norm_bias",
        _ => "norm_bias",
    }
}

//! A feed-forward network, with or without a gate.

use crate::weight::Weight;

/// A feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Its inner width.
    pub inner: u64,
    /// Whether one matrix gates another.
    pub gated: bool,
    /// Whether its matrices add a bias.
    pub bias: bool,
}

impl Dense {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let inputs: &[_] =
            &[("feed_forward_gate", "feed_forward_gate_bias"), ("feed_forward_up", "feed_forward_up_bias")];
        let inputs = if self.gated { inputs } else { inputs.get(1..).unwrap_or(inputs) };
        let mut weights = Vec::new();
        for (role, bias) in inputs {
            weights.push(Weight::matrix(role, width, self.inner));
            if self.bias {
                weights.push(Weight::vector(bias, self.inner));
            }
        }
        weights.push(Weight::matrix("feed_forward_down", self.inner, width));
        if self.bias {
            weights.push(Weight::vector("feed_forward_down_bias", width));
        }
        weights
    }
}

//! A gated delta rule: a matrix a head is decayed, corrected and read at each token.

use super::norm::Norm;
use crate::weight::Weight;

/// A gated DeltaNet mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatedDelta {
    /// Heads of queries and keys.
    pub key_heads: u64,
    /// Values of a query or key head.
    pub key_width: u64,
    /// Heads of values, of the state and of the output gate.
    pub value_heads: u64,
    /// Values of a value head.
    pub value_width: u64,
    /// Tokens that the convolution sees.
    pub convolution: u64,
}

impl GatedDelta {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let keys = self.key_heads.saturating_mul(self.key_width);
        let values = self.value_heads.saturating_mul(self.value_width);
        let mixed = keys.saturating_mul(2).saturating_add(values);
        let mut weights = vec![
            Weight::matrix("state_input", width, mixed),
            Weight::matrix("attention_gate", width, values),
            Weight::matrix("state_beta_alpha", width, self.value_heads.saturating_mul(2)),
            Weight::matrix("state_convolution", self.convolution, mixed),
            Weight::vector("state_decay", self.value_heads),
            Weight::vector("state_time_step_bias", self.value_heads),
        ];
        weights.extend(Norm::Rms.weights("state_norm", self.value_width));
        weights.push(Weight::matrix("state_output", values, width));
        weights
    }
}

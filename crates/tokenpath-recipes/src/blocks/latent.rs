//! Attention over a compressed latent (MLA): keys and values are kept as one low-rank vector a token.

use super::norm::Norm;
use crate::weight::Weight;

/// Multi-head latent attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latent {
    /// Heads.
    pub heads: u64,
    /// Rank through which queries pass; `None` when they are projected at once.
    pub query_rank: Option<u64>,
    /// Rank of what is kept of keys and values.
    pub kept_rank: u64,
    /// Values of a query or key head without position.
    pub plain_width: u64,
    /// Values of a query or key head that carry position; the key's are shared by all heads.
    pub rotary_width: u64,
    /// Values of a value head.
    pub value_width: u64,
    /// Whether the projections down and the output add a bias.
    pub bias: bool,
}

impl Latent {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let query = self.heads.saturating_mul(self.plain_width.saturating_add(self.rotary_width));
        let given = self.heads.saturating_mul(self.plain_width.saturating_add(self.value_width));
        let kept = self.kept_rank.saturating_add(self.rotary_width);
        let mut weights = Vec::new();
        match self.query_rank {
            Some(rank) => {
                weights.push(Weight::matrix("attention_query_down", width, rank));
                if self.bias {
                    weights.push(Weight::vector("attention_query_down_bias", rank));
                }
                weights.extend(Norm::Rms.weights("attention_query_down_norm", rank));
                weights.push(Weight::matrix("attention_query_up", rank, query));
            }
            None => weights.push(Weight::matrix("attention_query", width, query)),
        }
        weights.push(Weight::matrix("attention_key_value_down", width, kept));
        if self.bias {
            weights.push(Weight::vector("attention_key_value_down_bias", kept));
        }
        weights.extend(Norm::Rms.weights("attention_key_value_down_norm", self.kept_rank));
        weights.push(Weight::matrix("attention_key_value_up", self.kept_rank, given));
        weights.push(Weight::matrix("attention_output", self.heads.saturating_mul(self.value_width), width));
        if self.bias {
            weights.push(Weight::vector("attention_output_bias", width));
        }
        weights
    }
}

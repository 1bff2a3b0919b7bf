//! Attention whose key and value heads are shared by groups of query heads.

use super::norm::Norm;
use crate::weight::Weight;

/// How queries and keys are normalised before they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadNorm {
    /// Not at all.
    None,
    /// Each head on its own, all heads with one scale.
    Head(Norm),
    /// All heads as one vector.
    Whole(Norm),
    /// Each head on its own, and the values too, without a scale (Gemma 3n and 4).
    HeadAndValue(Norm),
}

/// Which of the tokens before it a token sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// All of them.
    All,
    /// The newest, as many as this.
    Newest(u64),
    /// Those of its own chunk of this many.
    Chunk(u64),
    /// The source does not say.
    Open,
}

/// Grouped-query attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attention {
    /// Query heads.
    pub heads: u64,
    /// Key and value heads.
    pub kv_heads: u64,
    /// Values of a query or key head.
    pub head_width: u64,
    /// Which tokens a token sees.
    pub window: Window,
    /// Whether queries, keys and values add a bias.
    pub input_bias: bool,
    /// Whether the output adds a bias.
    pub output_bias: bool,
    /// Normalisation of queries and keys.
    pub norm: HeadNorm,
    /// Whether the query matrix gives a gate as wide as the queries (Qwen3-Next).
    pub gate: bool,
    /// Whether each head has a learned sink (gpt-oss).
    pub sinks: bool,
    /// Whether keys serve as values too (Gemma 4's global layers).
    pub keys_are_values: bool,
    /// Whether keys and values are those of an earlier layer (Gemma 3n's last layers).
    pub borrowed: bool,
}

impl Attention {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let queries = self.heads.saturating_mul(self.head_width);
        let keys = self.kv_heads.saturating_mul(self.head_width);
        let asked = if self.gate { queries.saturating_mul(2) } else { queries };
        let mut parts = vec![("attention_query", "attention_query_bias", asked)];
        if !self.borrowed {
            parts.push(("attention_key", "attention_key_bias", keys));
            if !self.keys_are_values {
                parts.push(("attention_value", "attention_value_bias", keys));
            }
        }
        let mut weights = Vec::new();
        for (role, bias, output) in parts {
            weights.push(Weight::matrix(role, width, output));
            if self.input_bias {
                weights.push(Weight::vector(bias, output));
            }
        }
        weights.push(Weight::matrix("attention_output", queries, width));
        if self.output_bias {
            weights.push(Weight::vector("attention_output_bias", width));
        }
        let (norm, query_width, key_width) = match self.norm {
            HeadNorm::None => (Norm::Bare, 0, 0),
            HeadNorm::Head(norm) | HeadNorm::HeadAndValue(norm) => (norm, self.head_width, self.head_width),
            HeadNorm::Whole(norm) => (norm, queries, keys),
        };
        weights.extend(norm.weights("attention_query_norm", query_width));
        if !self.borrowed {
            weights.extend(norm.weights("attention_key_norm", key_width));
        }
        if self.sinks {
            weights.push(Weight::vector("attention_sinks", self.heads));
        }
        weights
    }
}

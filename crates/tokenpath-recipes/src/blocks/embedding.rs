//! From a token to the stream.

use super::side::PerLayer;
use crate::weight::Weight;

/// The token embedding and what is added to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedding {
    /// Rows of a learned table of positions; 0 where positions are rotated in.
    pub positions: u64,
    /// What is looked up for each layer beside the stream.
    pub per_layer: Option<PerLayer>,
}

impl Embedding {
    /// The weights, for a stream of `width` values and `layers` layers.
    pub fn weights(&self, width: u64, vocabulary: u64, layers: u64) -> Vec<Weight> {
        let mut weights = vec![Weight::matrix("token_embedding", width, vocabulary)];
        if self.positions > 0 {
            weights.push(Weight::matrix("position_embedding", width, self.positions));
        }
        if let Some(per_layer) = &self.per_layer {
            weights.extend(per_layer.weights_of_model(width, layers));
        }
        weights
    }
}

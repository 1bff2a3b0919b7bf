//! What runs beside the stream in Gemma 3n and 4: rows looked up for each layer, and parallel streams (AltUp, LAuReL).

use super::norm::Norm;
use crate::weight::Weight;

/// A second embedding with a part for each layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerLayer {
    /// Values of a layer's part.
    pub width: u64,
    /// Rows of the table.
    pub vocabulary: u64,
}

impl PerLayer {
    /// The weights before the layers, for a stream of `width` values.
    pub fn weights_of_model(&self, width: u64, layers: u64) -> Vec<Weight> {
        let all = self.width.saturating_mul(layers);
        let mut weights = vec![
            Weight::matrix("per_layer_token_embedding", all, self.vocabulary),
            Weight::matrix("per_layer_projection", width, all),
        ];
        weights.extend(Norm::Rms.weights("per_layer_projection_norm", self.width));
        weights
    }

    /// The weights of one layer.
    pub fn weights_of_layer(&self, width: u64) -> Vec<Weight> {
        let mut weights = vec![
            Weight::matrix("per_layer_gate", width, self.width),
            Weight::matrix("per_layer_projection", self.width, width),
        ];
        weights.extend(Norm::Rms.weights("per_layer_norm", width));
        weights
    }
}

/// Parallel streams that each layer predicts and corrects, and a low-rank path around the attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    /// Streams, the main one among them.
    pub count: u64,
    /// Rank of the path around the attention.
    pub rank: u64,
}

impl Streams {
    /// The weights that make the streams from the embedding and one vector from the streams.
    pub fn weights_of_model(&self, width: u64) -> Vec<Weight> {
        let others = self.count.saturating_sub(1);
        vec![
            Weight::matrix("stream_projection", width, width).each(others, others),
            Weight::matrix("stream_output_projection", width, width).each(others, others),
        ]
    }

    /// The weights of one layer.
    pub fn weights_of_layer(&self, width: u64) -> Vec<Weight> {
        let mut weights = vec![
            Weight::vector("stream_correction_scale", width),
            Weight::matrix("stream_correction", self.count, self.count),
            Weight::matrix("stream_prediction", self.count, self.count.saturating_mul(self.count)),
            Weight::matrix("stream_router", width, self.count),
            Weight::matrix("low_rank_down", width, self.rank),
            Weight::matrix("low_rank_up", self.rank, width),
        ];
        weights.extend(Norm::Rms.weights("stream_router_norm", width));
        weights.extend(Norm::Rms.weights("low_rank_norm", width));
        weights
    }
}

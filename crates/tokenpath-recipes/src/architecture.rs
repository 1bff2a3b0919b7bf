//! A model as a list of blocks in the order in which a token meets them.

use crate::blocks::attention::Attention;
use crate::blocks::delta::GatedDelta;
use crate::blocks::dense::Dense;
use crate::blocks::embedding::Embedding;
use crate::blocks::experts::Experts;
use crate::blocks::latent::Latent;
use crate::blocks::norm::Norm;
use crate::blocks::side::{PerLayer, Streams};
use crate::blocks::state::{Mamba, Mamba2};
use crate::weight::Weight;

/// A model.
#[derive(Clone, Debug, PartialEq)]
pub struct Architecture {
    /// The family by whose line it was assembled.
    pub family: &'static str,
    /// Values of the stream that runs through the layers.
    pub width: u64,
    /// Rows of the token embedding and of the head.
    pub vocabulary: u64,
    /// Whether the head reads the embedding's matrix.
    pub tied: bool,
    /// What turns a token into the stream.
    pub embedding: Embedding,
    /// The layers.
    pub layers: Vec<Layer>,
    /// What is between the last layer and the head.
    pub output_norm: Norm,
    /// Whether the head adds a bias.
    pub head_bias: bool,
    /// Streams beside the main one, and what is looked up for each layer (Gemma 3n).
    pub streams: Option<Streams>,
}

/// A decoder layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// What mixes the tokens; `None` for a layer that is a network alone.
    pub mixer: Option<Mixer>,
    /// Networks after it: none, one, or a dense one beside the experts.
    pub networks: Vec<Network>,
    /// Normalisations of the stream, with their roles.
    pub norms: Vec<(&'static str, Norm)>,
    /// What is looked up for this layer alone.
    pub per_layer: Option<PerLayer>,
    /// Mixing of parallel streams in this layer.
    pub streams: Option<Streams>,
    /// A scalar by which the layer's output is multiplied.
    pub scale: bool,
}

/// What mixes the tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Mixer {
    /// Attention with grouped key and value heads.
    Attention(Attention),
    /// Attention over a compressed latent (MLA).
    Latent(Latent),
    /// A gated delta rule over a recurrent state.
    Delta(GatedDelta),
    /// A selective state space (Mamba).
    Mamba(Mamba),
    /// A state space by heads (Mamba-2).
    Mamba2(Mamba2),
}

/// What follows the mixer.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// One network for all tokens.
    Dense(Dense),
    /// A choice of networks for each token.
    Experts(Experts),
}

impl Layer {
    /// The weights of the layer, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let mut weights: Vec<Weight> = self.norms.iter().flat_map(|(role, norm)| norm.weights(role, width)).collect();
        match &self.mixer {
            Some(Mixer::Attention(block)) => weights.extend(block.weights(width)),
            Some(Mixer::Latent(block)) => weights.extend(block.weights(width)),
            Some(Mixer::Delta(block)) => weights.extend(block.weights(width)),
            Some(Mixer::Mamba(block)) => weights.extend(block.weights(width)),
            Some(Mixer::Mamba2(block)) => weights.extend(block.weights(width)),
            None => {}
        }
        for network in &self.networks {
            match network {
                Network::Dense(block) => weights.extend(block.weights(width)),
                Network::Experts(block) => weights.extend(block.weights(width)),
            }
        }
        if let Some(block) = &self.per_layer {
            weights.extend(block.weights_of_layer(width));
        }
        if let Some(block) = &self.streams {
            weights.extend(block.weights_of_layer(width));
        }
        if self.scale {
            weights.push(Weight::vector("layer_output_scale", 1));
        }
        weights
    }
}

impl Architecture {
    /// The weights before the layers.
    pub fn embedding_weights(&self) -> Vec<Weight> {
        self.embedding.weights(self.width, self.vocabulary, self.layers.len() as u64)
    }

    /// The weights after the layers; without the head's matrix where it is the embedding's.
    pub fn head_weights(&self) -> Vec<Weight> {
        let mut weights = self.output_norm.weights("output_norm", self.width);
        if let Some(streams) = &self.streams {
            weights.extend(streams.weights_of_model(self.width));
        }
        if !self.tied {
            weights.push(Weight::matrix("output_projection", self.width, self.vocabulary));
        }
        if self.head_bias {
            weights.push(Weight::vector("output_projection_bias", self.vocabulary));
        }
        weights
    }
}

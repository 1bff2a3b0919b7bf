//! Selective state spaces: Mamba, with a state a channel, and Mamba-2, with a state a head.

use super::norm::Norm;
use crate::weight::Weight;

/// A Mamba mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mamba {
    /// Channels.
    pub inner: u64,
    /// Values of the state of a channel.
    pub state: u64,
    /// Tokens that the convolution sees.
    pub convolution: u64,
    /// Rank of the time step.
    pub time_step_rank: u64,
    /// Whether the projections in and out add a bias.
    pub bias: bool,
    /// Whether the convolution adds a bias.
    pub convolution_bias: bool,
    /// How time step, input and output of the state are normalised (Jamba learns a scale, Falcon Mamba does not).
    pub norm: Norm,
}

impl Mamba {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let selected = self.time_step_rank.saturating_add(self.state.saturating_mul(2));
        let mut weights = vec![
            Weight::matrix("state_input", width, self.inner.saturating_mul(2)),
            Weight::matrix("state_convolution", self.convolution, self.inner),
            Weight::matrix("state_selection", self.inner, selected),
            Weight::matrix("state_time_step", self.time_step_rank, self.inner),
            Weight::vector("state_time_step_bias", self.inner),
            Weight::matrix("state_decay", self.state, self.inner),
            Weight::vector("state_skip", self.inner),
            Weight::matrix("state_output", self.inner, width),
        ];
        weights.extend(self.norm.weights("state_time_step_norm", self.time_step_rank));
        weights.extend(self.norm.weights("state_input_norm", self.state));
        weights.extend(self.norm.weights("state_output_norm", self.state));
        if self.bias {
            weights.push(Weight::vector("state_input_bias", self.inner.saturating_mul(2)));
            weights.push(Weight::vector("state_output_bias", width));
        }
        if self.convolution_bias {
            weights.push(Weight::vector("state_convolution_bias", self.inner));
        }
        weights
    }
}

/// A Mamba-2 mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mamba2 {
    /// Heads.
    pub heads: u64,
    /// Channels of a head.
    pub head_width: u64,
    /// Groups of heads that share what goes in and out of the state.
    pub groups: u64,
    /// Values of the state of a channel.
    pub state: u64,
    /// Tokens that the convolution sees.
    pub convolution: u64,
    /// Whether the projections in and out add a bias.
    pub bias: bool,
    /// Whether the convolution adds a bias.
    pub convolution_bias: bool,
}

impl Mamba2 {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let inner = self.heads.saturating_mul(self.head_width);
        let mixed = inner.saturating_add(self.groups.saturating_mul(self.state).saturating_mul(2));
        let input = inner.saturating_add(mixed).saturating_add(self.heads);
        let mut weights = vec![
            Weight::matrix("state_input", width, input),
            Weight::matrix("state_convolution", self.convolution, mixed),
            Weight::vector("state_time_step_bias", self.heads),
            Weight::vector("state_decay", self.heads),
            Weight::vector("state_skip", self.heads),
        ];
        weights.extend(Norm::Rms.weights("state_norm", inner));
        weights.push(Weight::matrix("state_output", inner, width));
        if self.bias {
            weights.push(Weight::vector("state_input_bias", input));
            weights.push(Weight::vector("state_output_bias", width));
        }
        if self.convolution_bias {
            weights.push(Weight::vector("state_convolution_bias", mixed));
        }
        weights
    }
}

//! A mixture of experts: a router chooses some networks for each token.

use crate::weight::Weight;

/// What every token passes beside the chosen experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Inner width of all shared experts together.
    pub inner: u64,
    /// Whether a scalar, computed for each token, scales their output.
    pub gate: bool,
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experts {
    /// Experts to choose from.
    pub count: u64,
    /// Experts that one token uses.
    pub used: u64,
    /// Inner width of one expert.
    pub inner: u64,
    /// Whether one matrix of an expert gates another.
    pub gated: bool,
    /// Whether the experts' matrices add a bias.
    pub bias: bool,
    /// Whether the router adds a bias.
    pub router_bias: bool,
    /// Whether a stored correction for each expert joins the choice (DeepSeek-V3).
    pub correction: bool,
    /// Whether the router's input and each expert's weight have a learned scale (Gemma 4).
    pub router_scales: bool,
    /// Experts that every token uses.
    pub shared: Option<Shared>,
}

impl Experts {
    /// The weights, for a stream of `width` values.
    pub fn weights(&self, width: u64) -> Vec<Weight> {
        let each = |weight: Weight| weight.each(self.count, self.used.min(self.count));
        let mut weights = vec![Weight::matrix("router", width, self.count)];
        if self.router_bias {
            weights.push(Weight::vector("router_bias", self.count));
        }
        if self.correction {
            weights.push(Weight::vector("router_correction", self.count));
        }
        if self.router_scales {
            weights.push(Weight::vector("router_scale", width));
            weights.push(Weight::vector("expert_scale", self.count));
        }
        if self.gated {
            weights.push(each(Weight::matrix("expert_gate", width, self.inner)));
        }
        weights.push(each(Weight::matrix("expert_up", width, self.inner)));
        weights.push(each(Weight::matrix("expert_down", self.inner, width)));
        if self.bias {
            if self.gated {
                weights.push(each(Weight::vector("expert_gate_bias", self.inner)));
            }
            weights.push(each(Weight::vector("expert_up_bias", self.inner)));
            weights.push(each(Weight::vector("expert_down_bias", width)));
        }
        if let Some(shared) = &self.shared {
            if self.gated {
                weights.push(Weight::matrix("shared_expert_gate", width, shared.inner));
            }
            weights.push(Weight::matrix("shared_expert_up", width, shared.inner));
            weights.push(Weight::matrix("shared_expert_down", shared.inner, width));
            if shared.gate {
                weights.push(Weight::matrix("shared_expert_router", width, 1));
            }
        }
        weights
    }
}

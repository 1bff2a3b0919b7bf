//! What the role of a tensor says, read from the words of the role.
//!
//! Roles are written by importers (`attention_query`, `feed_forward_gate`, `expert_up`); a role that no rule
//! knows is `other`, and nothing here guesses from a tensor's name.

/// Whether the role has this word between its underscores.
pub fn has(role: &str, word: &str) -> bool {
    role.split('_').any(|part| part == word)
}

/// A normalisation's scale or shift.
pub fn is_norm(role: &str) -> bool {
    has(role, "norm")
}

/// The matrix that scores experts, not one of the experts.
pub fn is_router(role: &str) -> bool {
    has(role, "router")
}

/// Part of the expert that every token passes.
pub fn is_shared_expert(role: &str) -> bool {
    has(role, "shared")
}

/// Part of the routed experts: stored for all of them, addressed for the chosen ones.
pub fn is_expert(role: &str) -> bool {
    (has(role, "expert") || has(role, "experts")) && !is_shared_expert(role) && !is_router(role)
}

/// Part of a mixer with a recurrent state (state space, gated delta net).
pub fn is_recurrent(role: &str) -> bool {
    role.starts_with("state_") && !is_norm(role)
}

/// Part of attention.
pub fn is_attention(role: &str) -> bool {
    role.starts_with("attention") && !is_norm(role)
}

/// Part of latent attention: the low-rank matrix through which keys and values pass.
pub fn is_latent(role: &str) -> bool {
    is_attention(role) && has(role, "key") && has(role, "value") && has(role, "down")
}

/// Part of a dense feed-forward network.
pub fn is_feed_forward(role: &str) -> bool {
    role.starts_with("feed_forward") && !is_norm(role)
}

/// The token embedding.
pub fn is_embedding(role: &str) -> bool {
    role == "token_embedding"
}

/// A convolution's kernel, whose sizes are no projection.
pub fn is_convolution(role: &str) -> bool {
    has(role, "convolution")
}

/// An addend, whose single size is no projection.
pub fn is_bias(role: &str) -> bool {
    has(role, "bias")
}

/// Where a role stands among others of its part, in the order in which a token meets them.
pub fn rank(role: &str) -> usize {
    const ORDER: [&str; 16] = [
        "router",
        "query",
        "key",
        "value",
        "gate",
        "beta",
        "alpha",
        "decay",
        "time",
        "convolution",
        "skip",
        "output",
        "up",
        "activation",
        "down",
        "scale",
    ];
    ORDER.iter().position(|word| has(role, word)).unwrap_or(ORDER.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand from the words.
    #[test]
    fn shared_experts_and_routers_are_not_routed_experts() {
        assert!(is_expert("expert_gate") && is_expert("feed_forward_experts_up"));
        assert!(!is_expert("shared_expert_gate") && !is_expert("router") && !is_expert("expert_router"));
        assert!(is_norm("attention_query_norm") && !is_attention("attention_query_norm"));
    }
}

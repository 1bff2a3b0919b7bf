//! Rule `gguf-names`: from a tensor's name in a GGUF file to its component and role. One table for all architectures.

use crate::components::layer_number;
pub use crate::components::{Component, Place};

/// Names outside the layers.
const OUTSIDE: [(&str, Component, &str); 13] = [
    ("token_embd", Component::Embedding, "token_embedding"),
    ("token_embd_norm", Component::Embedding, "embedding_norm"),
    ("token_types", Component::Embedding, "token_type_embedding"),
    ("position_embd", Component::Embedding, "position_embedding"),
    ("per_layer_token_embd", Component::Embedding, "per_layer_token_embedding"),
    ("per_layer_model_proj", Component::Embedding, "per_layer_projection"),
    ("per_layer_proj_norm", Component::Embedding, "per_layer_projection_norm"),
    ("output", Component::Head, "output_projection"),
    ("output_norm", Component::Head, "output_norm"),
    ("rope_freqs", Component::Other, "rotary_frequencies"),
    ("rope_factors_long", Component::Other, "rotary_frequencies"),
    ("rope_factors_short", Component::Other, "rotary_frequencies"),
    ("cls", Component::Head, "classifier"),
];

/// Names within a layer.
const INSIDE: [(&str, &str); 79] = [
    ("attn_norm", "attention_norm"),
    ("attn_norm_2", "attention_norm"),
    ("attn_q", "attention_query"),
    ("attn_k", "attention_key"),
    ("attn_v", "attention_value"),
    ("attn_qkv", "attention_query_key_value"),
    ("attn_kv", "attention_key_value"),
    ("attn_output", "attention_output"),
    ("attn_out_norm", "attention_output_norm"),
    ("attn_output_norm", "attention_output_norm"),
    ("attn_sub_norm", "attention_output_norm"),
    ("attn_q_norm", "attention_query_norm"),
    ("attn_k_norm", "attention_key_norm"),
    ("attn_gate", "attention_gate"),
    ("attn_sinks", "attention_sinks"),
    ("attn_rot_embd", "rotary_frequencies"),
    ("rope_freqs", "rotary_frequencies"),
    ("rope_factors_long", "rotary_frequencies"),
    ("rope_factors_short", "rotary_frequencies"),
    ("attn_q_a", "attention_query_down"),
    ("attn_q_b", "attention_query_up"),
    ("attn_q_a_norm", "attention_query_down_norm"),
    ("attn_kv_a_mqa", "attention_key_value_down"),
    ("attn_kv_a_norm", "attention_key_value_down_norm"),
    ("attn_kv_b", "attention_key_value_up"),
    ("attn_k_b", "attention_key_up"),
    ("attn_v_b", "attention_value_up"),
    ("attn_post_norm", "post_attention_norm"),
    ("post_attention_norm", "post_attention_norm"),
    ("post_ffw_norm", "post_feed_forward_norm"),
    ("ffn_post_norm", "post_feed_forward_norm"),
    ("layer_output_norm", "layer_output_norm"),
    ("layer_out_scale", "layer_output_scale"),
    ("ffn_norm", "feed_forward_norm"),
    ("ffn_norm_exps", "feed_forward_norm"),
    ("pre_ffw_norm", "feed_forward_norm"),
    ("ffn_sub_norm", "feed_forward_inner_norm"),
    ("ffn_gate", "feed_forward_gate"),
    ("ffn_up", "feed_forward_up"),
    ("ffn_down", "feed_forward_down"),
    ("ffn_act", "feed_forward_activation"),
    ("ffn_gate_inp", "router"),
    ("ffn_gate_inp_shexp", "shared_expert_router"),
    ("exp_probs_b", "router_correction"),
    ("ffn_gate_exps", "expert_gate"),
    ("ffn_up_exps", "expert_up"),
    ("ffn_gate_up_exps", "expert_gate_up"),
    ("ffn_down_exps", "expert_down"),
    ("ffn_gate_shexp", "shared_expert_gate"),
    ("ffn_up_shexp", "shared_expert_up"),
    ("ffn_down_shexp", "shared_expert_down"),
    ("ffn_gate_chexps", "expert_gate"),
    ("ffn_up_chexps", "expert_up"),
    ("ffn_down_chexps", "expert_down"),
    ("ssm_in", "state_input"),
    ("ssm_conv1d", "state_convolution"),
    ("ssm_conv1d_q", "state_convolution"),
    ("ssm_conv1d_k", "state_convolution"),
    ("ssm_conv1d_v", "state_convolution"),
    ("ssm_x", "state_selection"),
    ("ssm_dt", "state_time_step"),
    ("ssm_dt_norm", "state_time_step_norm"),
    ("ssm_b_norm", "state_input_norm"),
    ("ssm_c_norm", "state_output_norm"),
    ("ssm_a", "state_decay"),
    ("ssm_d", "state_skip"),
    ("ssm_ba", "state_beta_alpha"),
    ("ssm_beta", "state_beta"),
    ("ssm_alpha", "state_alpha"),
    ("ssm_beta_alpha", "state_beta_alpha"),
    ("ssm_norm", "state_norm"),
    ("ssm_out", "state_output"),
    ("ssm_f_a", "state_decay_down"),
    ("ssm_f_b", "state_decay_up"),
    ("ssm_g_a", "state_gate_down"),
    ("ssm_g_b", "state_gate_up"),
    ("inp_gate", "per_layer_gate"),
    ("proj", "per_layer_projection"),
    ("post_norm", "per_layer_norm"),
];

/// Places a tensor by its name.
pub fn place(name: &str) -> Place {
    let (base, suffix) = match name.rsplit_once('.') {
        Some((base, suffix @ ("weight" | "bias" | "scale"))) => (base, suffix),
        _ => (name, "weight"),
    };
    let role = |known: &str| match suffix {
        "weight" => known.to_owned(),
        suffix => format!("{known}_{suffix}"),
    };
    if let Some(inner) = base.strip_prefix("blk.")
        && let Some((digits, inner)) = inner.split_once('.')
        && let Some(layer) = layer_number(digits)
    {
        let known = INSIDE.iter().find(|(known, _)| *known == inner);
        return Place {
            component: Component::Layer(layer),
            role: known.map_or_else(|| "other".to_owned(), |(_, known)| role(known)),
        };
    }
    match OUTSIDE.iter().find(|(known, _, _)| *known == base) {
        Some((_, component, known)) => Place { component: *component, role: role(known) },
        None => Place { component: Component::Other, role: "other".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let table = [
            ("token_embd.weight", Component::Embedding, "token_embedding"),
            ("output.weight", Component::Head, "output_projection"),
            ("blk.12.attn_q.weight", Component::Layer(12), "attention_query"),
            ("blk.0.attn_q.bias", Component::Layer(0), "attention_query_bias"),
            ("blk.3.ssm_a", Component::Layer(3), "state_decay"),
            ("blk.3.ssm_dt.bias", Component::Layer(3), "state_time_step_bias"),
            ("blk.1.something_new.weight", Component::Layer(1), "other"),
            ("blk.x.attn_q.weight", Component::Other, "other"),
            ("v.patch_embd.weight", Component::Other, "other"),
        ];
        for (name, component, role) in table {
            assert_eq!(place(name), Place { component, role: role.to_owned() }, "{name}");
        }
    }
}

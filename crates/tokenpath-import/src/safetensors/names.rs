//! Rule `hf-names`: from a tensor's name in a Hugging Face checkpoint to its component and role. One table for each naming
//! scheme; a name that no line knows is `other`.
//!
//! A name is compared after three steps: the path before the layer and the number of the layer go, numbers of experts
//! become `#`, and the suffix (`weight`, `bias`, scales of quantised weights) is told apart from the path.

use crate::components::{Component, Place, layer_number};

/// The rule's name.
pub const RULE: &str = "hf-names";

/// Path segments before a layer's number.
const LAYERS: [&str; 4] = ["layers", "h", "blocks", "layer"];

/// Towers beside the language model, and heads that predict further tokens: a layer number in them counts no decoder
/// layer.
const TOWERS: [&str; 17] = [
    "vision_tower",
    "vision_model",
    "vision_encoder",
    "visual",
    "vision_embed_tokens",
    "audio_tower",
    "audio_model",
    "audio_encoder",
    "embed_vision",
    "embed_audio",
    "image_newline",
    "multi_modal_projector",
    "mm_projector",
    "connector",
    "patch_merger",
    "encoder",
    "mtp",
];

/// The scheme most checkpoints share: Llama, Mistral, Mixtral, Qwen, Gemma, Phi, DeepSeek, GLM, Kimi, GPT-OSS.
const LLAMA_LIKE: &[(&str, &str)] = &[
    ("input_layernorm", "attention_norm"),
    ("post_attention_layernorm", "feed_forward_norm"),
    ("pre_feedforward_layernorm", "feed_forward_norm"),
    ("pre_feedforward_layernorm_2", "feed_forward_norm"),
    ("post_feedforward_layernorm", "post_feed_forward_norm"),
    ("post_feedforward_layernorm_1", "post_feed_forward_norm"),
    ("post_feedforward_layernorm_2", "post_feed_forward_norm"),
    ("post_self_attn_layernorm", "post_attention_norm"),
    ("post_mlp_layernorm", "post_feed_forward_norm"),
    ("self_attn.q_proj", "attention_query"),
    ("self_attn.k_proj", "attention_key"),
    ("self_attn.v_proj", "attention_value"),
    ("self_attn.o_proj", "attention_output"),
    ("self_attn.out_proj", "attention_output"),
    ("self_attn.dense", "attention_output"),
    ("self_attn.qkv_proj", "attention_query_key_value"),
    ("self_attn.W_pack", "attention_query_key_value"),
    ("self_attn.q_norm", "attention_query_norm"),
    ("self_attn.k_norm", "attention_key_norm"),
    ("self_attn.q_layernorm", "attention_query_norm"),
    ("self_attn.k_layernorm", "attention_key_norm"),
    ("self_attn.sinks", "attention_sinks"),
    ("self_attn.g_proj", "attention_gate"),
    ("self_attn.rotary_emb.inv_freq", "rotary_frequencies"),
    ("self_attn.q_a_proj", "attention_query_down"),
    ("self_attn.q_a_layernorm", "attention_query_down_norm"),
    ("self_attn.q_b_proj", "attention_query_up"),
    ("self_attn.kv_a_proj_with_mqa", "attention_key_value_down"),
    ("self_attn.kv_a_layernorm", "attention_key_value_down_norm"),
    ("self_attn.kv_b_proj", "attention_key_value_up"),
    ("mlp.gate_proj", "feed_forward_gate"),
    ("mlp.up_proj", "feed_forward_up"),
    ("mlp.down_proj", "feed_forward_down"),
    ("mlp.gate_up_proj", "feed_forward_gate_up"),
    ("mlp.fc1", "feed_forward_up"),
    ("mlp.fc2", "feed_forward_down"),
    ("feed_forward.gate_proj", "feed_forward_gate"),
    ("feed_forward.up_proj", "feed_forward_up"),
    ("feed_forward.down_proj", "feed_forward_down"),
];

/// Mixtures of experts, one tensor for each expert or one for all.
const EXPERTS: &[(&str, &str)] = &[
    ("mlp.gate", "router"),
    ("mlp.router", "router"),
    ("mlp.gate.e_score_correction_bias", "router_correction"),
    ("mlp.gate.wg", "router"),
    ("mlp.shared_expert_gate", "shared_expert_router"),
    ("mlp.experts.#.gate_proj", "expert_gate"),
    ("mlp.experts.#.up_proj", "expert_up"),
    ("mlp.experts.#.down_proj", "expert_down"),
    ("mlp.experts.gate_up_proj", "expert_gate_up"),
    ("mlp.experts.gate_proj", "expert_gate"),
    ("mlp.experts.up_proj", "expert_up"),
    ("mlp.experts.down_proj", "expert_down"),
    ("mlp.switch_mlp.gate_proj", "expert_gate"),
    ("mlp.switch_mlp.up_proj", "expert_up"),
    ("mlp.switch_mlp.down_proj", "expert_down"),
    ("mlp.shared_expert.gate_proj", "shared_expert_gate"),
    ("mlp.shared_expert.up_proj", "shared_expert_up"),
    ("mlp.shared_expert.down_proj", "shared_expert_down"),
    ("mlp.shared_experts.gate_proj", "shared_expert_gate"),
    ("mlp.shared_experts.up_proj", "shared_expert_up"),
    ("mlp.shared_experts.down_proj", "shared_expert_down"),
    ("block_sparse_moe.gate", "router"),
    ("block_sparse_moe.experts.#.w1", "expert_gate"),
    ("block_sparse_moe.experts.#.w3", "expert_up"),
    ("block_sparse_moe.experts.#.w2", "expert_down"),
    ("feed_forward.router", "router"),
    ("feed_forward.experts.gate_up_proj", "expert_gate_up"),
    ("feed_forward.experts.down_proj", "expert_down"),
    ("feed_forward.experts.#.gate_proj", "expert_gate"),
    ("feed_forward.experts.#.up_proj", "expert_up"),
    ("feed_forward.experts.#.down_proj", "expert_down"),
    ("feed_forward.shared_expert.gate_proj", "shared_expert_gate"),
    ("feed_forward.shared_expert.up_proj", "shared_expert_up"),
    ("feed_forward.shared_expert.down_proj", "shared_expert_down"),
    ("router.proj", "router"),
    ("router.per_expert", "router"),
    ("router", "router"),
    ("experts.gate_up_proj", "expert_gate_up"),
    ("experts.down_proj", "expert_down"),
];

/// Mixers with a recurrent state: Mamba and Mamba 2, Jamba, Falcon Mamba, gated delta net, and the hybrids of Nemotron.
const RECURRENT: &[(&str, &str)] = &[
    ("norm", "attention_norm"),
    ("mixer.in_proj", "state_input"),
    ("mixer.conv1d", "state_convolution"),
    ("mixer.x_proj", "state_selection"),
    ("mixer.dt_proj", "state_time_step"),
    ("mixer.dt", "state_time_step"),
    ("mixer.A_log", "state_decay"),
    ("mixer.D", "state_skip"),
    ("mixer.norm", "state_norm"),
    ("mixer.out_proj", "state_output"),
    ("mixer.q_proj", "attention_query"),
    ("mixer.k_proj", "attention_key"),
    ("mixer.v_proj", "attention_value"),
    ("mixer.o_proj", "attention_output"),
    ("mixer.up_proj", "feed_forward_up"),
    ("mixer.down_proj", "feed_forward_down"),
    ("mixer.gate", "router"),
    ("mixer.gate.e_score_correction_bias", "router_correction"),
    ("mixer.experts.#.up_proj", "expert_up"),
    ("mixer.experts.#.down_proj", "expert_down"),
    ("mixer.shared_experts.up_proj", "shared_expert_up"),
    ("mixer.shared_experts.down_proj", "shared_expert_down"),
    ("mamba.in_proj", "state_input"),
    ("mamba.conv1d", "state_convolution"),
    ("mamba.x_proj", "state_selection"),
    ("mamba.dt_proj", "state_time_step"),
    ("mamba.A_log", "state_decay"),
    ("mamba.D", "state_skip"),
    ("mamba.out_proj", "state_output"),
    ("mamba.dt_layernorm", "state_time_step_norm"),
    ("mamba.b_layernorm", "state_input_norm"),
    ("mamba.c_layernorm", "state_output_norm"),
    ("pre_ff_layernorm", "feed_forward_norm"),
    ("feed_forward.experts.#.gate_proj", "expert_gate"),
    ("linear_attn.in_proj_qkvz", "state_input"),
    ("linear_attn.in_proj_qkv", "state_input"),
    ("linear_attn.in_proj_z", "state_gate"),
    ("linear_attn.in_proj_ba", "state_beta_alpha"),
    ("linear_attn.in_proj_b", "state_beta"),
    ("linear_attn.in_proj_a", "state_alpha"),
    ("linear_attn.conv1d", "state_convolution"),
    ("linear_attn.dt", "state_time_step"),
    ("linear_attn.A_log", "state_decay"),
    ("linear_attn.norm", "state_norm"),
    ("linear_attn.out_proj", "state_output"),
];

/// GPT-2 and what descends from it: GPT-NeoX, Falcon, Bloom, MPT, the first Qwen and GLM.
const GPT_LIKE: &[(&str, &str)] = &[
    ("ln_1", "attention_norm"),
    ("ln_2", "feed_forward_norm"),
    ("ln_attn", "attention_norm"),
    ("ln_mlp", "feed_forward_norm"),
    ("norm_1", "attention_norm"),
    ("norm_2", "feed_forward_norm"),
    ("attn.c_attn", "attention_query_key_value"),
    ("attn.c_proj", "attention_output"),
    ("attn.Wqkv", "attention_query_key_value"),
    ("attn.out_proj", "attention_output"),
    ("attn.attention.q_proj", "attention_query"),
    ("attn.attention.k_proj", "attention_key"),
    ("attn.attention.v_proj", "attention_value"),
    ("attn.attention.out_proj", "attention_output"),
    ("attn.masked_bias", "attention_mask"),
    ("attn", "attention_mask"),
    ("attention.query_key_value", "attention_query_key_value"),
    ("attention.dense", "attention_output"),
    ("attention.rotary_emb.inv_freq", "rotary_frequencies"),
    ("attention", "attention_mask"),
    ("self_attention.query_key_value", "attention_query_key_value"),
    ("self_attention.dense", "attention_output"),
    ("mlp.c_fc", "feed_forward_up"),
    ("mlp.c_proj", "feed_forward_down"),
    ("mlp.w1", "feed_forward_up"),
    ("mlp.w2", "feed_forward_gate"),
    ("mlp.dense_h_to_4h", "feed_forward_up"),
    ("mlp.dense_4h_to_h", "feed_forward_down"),
    ("ffn.up_proj", "feed_forward_up"),
    ("ffn.down_proj", "feed_forward_down"),
];

/// The names of Meta's and Mistral's own checkpoints.
const ORIGINAL: &[(&str, &str)] = &[
    ("attention_norm", "attention_norm"),
    ("ffn_norm", "feed_forward_norm"),
    ("attention.wq", "attention_query"),
    ("attention.wk", "attention_key"),
    ("attention.wv", "attention_value"),
    ("attention.wo", "attention_output"),
    ("attention.wqkv", "attention_query_key_value"),
    ("feed_forward.w1", "feed_forward_gate"),
    ("feed_forward.w3", "feed_forward_up"),
    ("feed_forward.w2", "feed_forward_down"),
    ("feed_forward.gate", "router"),
    ("feed_forward.experts.#.w1", "expert_gate"),
    ("feed_forward.experts.#.w3", "expert_up"),
    ("feed_forward.experts.#.w2", "expert_down"),
];

/// Names outside the layers, after the path before them.
const OUTSIDE: &[(&str, Component, &str)] = &[
    ("embed_tokens", Component::Embedding, "token_embedding"),
    ("embed_in", Component::Embedding, "token_embedding"),
    ("tok_embeddings", Component::Embedding, "token_embedding"),
    ("word_embeddings", Component::Embedding, "token_embedding"),
    ("word_embeddings_layernorm", Component::Embedding, "embedding_norm"),
    ("embeddings", Component::Embedding, "token_embedding"),
    ("embedding", Component::Embedding, "token_embedding"),
    ("wte", Component::Embedding, "token_embedding"),
    ("wpe", Component::Embedding, "position_embedding"),
    ("embed_tokens_per_layer", Component::Embedding, "per_layer_token_embedding"),
    ("lm_head", Component::Head, "output_projection"),
    ("embed_out", Component::Head, "output_projection"),
    ("output", Component::Head, "output_projection"),
    ("norm", Component::Head, "output_norm"),
    ("norm_f", Component::Head, "output_norm"),
    ("ln_f", Component::Head, "output_norm"),
    ("final_layernorm", Component::Head, "output_norm"),
    ("final_layer_norm", Component::Head, "output_norm"),
    ("rotary_emb.inv_freq", Component::Other, "rotary_frequencies"),
];

/// What a path may begin with outside the layers.
const PREFIXES: [&str; 7] =
    ["model.", "language_model.", "transformer.", "backbone.", "gpt_neox.", "text_model.", "decoder."];

/// Last segments that say what of a weight a tensor holds; the role gets the second text.
const SUFFIXES: [(&str, &str); 20] = [
    ("weight", ""),
    ("bias", "_bias"),
    ("weight_scale_inv", "_scale"),
    ("weight_scale", "_scale"),
    ("weight_scale_2", "_scale"),
    ("input_scale", "_scale"),
    ("scale", "_scale"),
    ("scales", "_scale"),
    ("k_scale", "_scale"),
    ("v_scale", "_scale"),
    ("biases", "_zero_point"),
    ("qweight", ""),
    ("qzeros", "_zero_point"),
    ("g_idx", "_order"),
    ("weight_packed", ""),
    ("weight_shape", "_shape"),
    ("weight_zero_point", "_zero_point"),
    ("weight_g_idx", "_order"),
    ("blocks", ""),
    ("e_score_correction_bias", "_correction"),
];

/// Endings joined by an underscore where the parameter has no module of its own (`dt_bias`, `gate_up_proj_blocks`).
const JOINED: [(&str, &str); 5] =
    [("_bias", "_bias"), ("_blocks", ""), ("_scales", "_scale"), ("_scale_inv", "_scale"), ("_scale", "_scale")];

/// Places the tensors of one checkpoint. In the schemes of Gemma 2 and 3 the norm behind attention has the name that
/// elsewhere the norm before the feed-forward network has; which one it is shows in the names beside it.
pub fn places<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<Place> {
    let sandwich = names.clone().any(|name| name.contains(".pre_feedforward_layernorm."));
    names
        .map(|name| {
            let mut place = place(name);
            if sandwich && name.contains(".post_attention_layernorm.") {
                place.role = place.role.replacen("feed_forward_norm", "post_attention_norm", 1);
            }
            place
        })
        .collect()
}

/// Places a tensor by its name alone.
pub fn place(name: &str) -> Place {
    let other = |component| Place { component, role: "other".to_owned() };
    let segments: Vec<&str> = name.split('.').collect();
    if segments.iter().any(|segment| TOWERS.contains(segment)) {
        return other(Component::Other);
    }
    let layer = segments.windows(2).enumerate().find_map(|(at, pair)| match pair {
        [name, digits] if LAYERS.contains(name) => layer_number(digits).map(|layer| (at + 2, layer)),
        _ => None,
    });
    match layer {
        Some((from, layer)) => {
            let inner: Vec<&str> = segments
                .iter()
                .skip(from)
                .map(|segment| if layer_number(segment).is_some() { "#" } else { segment })
                .collect();
            let tables = [LLAMA_LIKE, EXPERTS, RECURRENT, GPT_LIKE, ORIGINAL];
            let find = |path: &str| {
                tables.iter().flat_map(|table| table.iter()).find(|(known, _)| *known == path).map(|(_, role)| *role)
            };
            let role = role(&inner.join("."), &find);
            Place { component: Component::Layer(layer), role: role.unwrap_or_else(|| "other".to_owned()) }
        }
        None => {
            let mut path = name;
            while let Some(rest) = PREFIXES.iter().find_map(|prefix| path.strip_prefix(prefix)) {
                path = rest;
            }
            let line = |path: &str| OUTSIDE.iter().find(|(known, ..)| *known == path);
            let role = role(path, &|path| line(path).map(|(_, _, role)| *role));
            let (base, _) = path.rsplit_once('.').unwrap_or((path, ""));
            match (role, line(base).or_else(|| line(path))) {
                (Some(role), Some((_, component, _))) => Place { component: *component, role },
                _ => other(Component::Other),
            }
        }
    }
}

/// The role of a path with its suffix; `None` when the table has no line for it.
fn role(path: &str, find: &dyn Fn(&str) -> Option<&'static str>) -> Option<String> {
    if let Some(role) = find(path) {
        return Some(role.to_owned());
    }
    if let Some((base, last)) = path.rsplit_once('.')
        && let Some((_, suffix)) = SUFFIXES.iter().find(|(known, _)| *known == last)
    {
        return find(base).map(|role| format!("{role}{suffix}"));
    }
    JOINED.iter().find_map(|(ending, suffix)| {
        let base = path.strip_suffix(ending)?;
        find(base).map(|role| format!("{role}{suffix}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Names as the published checkpoints have them; places by hand from the modules' meaning.
    #[test]
    fn names_of_each_scheme() {
        use Component::{Embedding, Head, Layer, Other};
        let table = [
            ("model.embed_tokens.weight", Embedding, "token_embedding"),
            ("model.norm.weight", Head, "output_norm"),
            ("lm_head.weight", Head, "output_projection"),
            ("model.layers.11.self_attn.q_proj.weight", Layer(11), "attention_query"),
            ("model.layers.0.self_attn.q_proj.bias", Layer(0), "attention_query_bias"),
            ("model.layers.3.mlp.experts.63.down_proj.weight", Layer(3), "expert_down"),
            ("model.layers.3.mlp.experts.63.down_proj.weight_scale_inv", Layer(3), "expert_down_scale"),
            ("model.layers.5.mlp.gate.e_score_correction_bias", Layer(5), "router_correction"),
            ("model.layers.5.self_attn.kv_a_proj_with_mqa.weight", Layer(5), "attention_key_value_down"),
            ("model.layers.7.mlp.experts.gate_up_proj_blocks", Layer(7), "expert_gate_up"),
            ("model.layers.7.mlp.experts.gate_up_proj_scales", Layer(7), "expert_gate_up_scale"),
            ("model.layers.7.mlp.experts.gate_up_proj_bias", Layer(7), "expert_gate_up_bias"),
            ("model.layers.7.self_attn.sinks", Layer(7), "attention_sinks"),
            ("model.layers.2.block_sparse_moe.experts.7.w2.weight", Layer(2), "expert_down"),
            ("model.layers.2.linear_attn.A_log", Layer(2), "state_decay"),
            ("model.layers.2.linear_attn.dt_bias", Layer(2), "state_time_step_bias"),
            ("model.language_model.layers.2.self_attn.k_proj.weight", Layer(2), "attention_key"),
            ("language_model.model.layers.2.self_attn.k_proj.weight", Layer(2), "attention_key"),
            ("language_model.lm_head.weight", Head, "output_projection"),
            ("transformer.h.5.attn.c_attn.weight", Layer(5), "attention_query_key_value"),
            ("h.5.mlp.c_fc.bias", Layer(5), "feed_forward_up_bias"),
            ("wpe.weight", Embedding, "position_embedding"),
            ("transformer.h.5.self_attention.query_key_value.weight", Layer(5), "attention_query_key_value"),
            ("transformer.word_embeddings.weight", Embedding, "token_embedding"),
            ("gpt_neox.layers.4.attention.dense.weight", Layer(4), "attention_output"),
            ("gpt_neox.final_layer_norm.bias", Head, "output_norm_bias"),
            ("embed_out.weight", Head, "output_projection"),
            ("backbone.layers.23.mixer.A_log", Layer(23), "state_decay"),
            ("backbone.embeddings.weight", Embedding, "token_embedding"),
            ("backbone.layers.1.mixer.experts.9.up_proj.weight", Layer(1), "expert_up"),
            ("backbone.norm_f.weight", Head, "output_norm"),
            ("layers.0.attention.wq.weight", Layer(0), "attention_query"),
            ("model.layers.0.self_attn.q_proj.qweight", Layer(0), "attention_query"),
            ("model.layers.0.self_attn.q_proj.qzeros", Layer(0), "attention_query_zero_point"),
            ("vision_tower.vision_model.encoder.layers.0.self_attn.q_proj.weight", Other, "other"),
            ("model.visual.blocks.0.attn.qkv.weight", Other, "other"),
            ("multi_modal_projector.linear_1.weight", Other, "other"),
            ("mtp.layers.0.mlp.gate.weight", Other, "other"),
            ("model.layers.0.self_attn.something_new.weight", Layer(0), "other"),
            ("something.weight", Other, "other"),
        ];
        for (name, component, role) in table {
            assert_eq!(place(name), Place { component, role: role.to_owned() }, "{name}");
        }
    }

    #[test]
    fn the_norm_behind_attention_is_told_by_its_neighbours() {
        let plain = ["model.layers.0.post_attention_layernorm.weight"];
        assert_eq!(places(plain.into_iter()).first().unwrap().role, "feed_forward_norm");
        let sandwich = [plain[0], "model.layers.0.pre_feedforward_layernorm.weight"];
        let roles: Vec<String> = places(sandwich.into_iter()).into_iter().map(|place| place.role).collect();
        assert_eq!(roles, ["post_attention_norm", "feed_forward_norm"]);
    }
}

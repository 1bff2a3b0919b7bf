//! The metadata of GGUF files under the names of Hugging Face's configurations.
//!
//! GGUF states no flags: that a family member has biases shows in its tensors' roles alone.

use tokenpath_core::derive::anatomy::layers::{Mixer, Network};

use super::Kind;

/// Names of architectures in GGUF with the `model_type` of the same architecture.
const MODEL_TYPES: [(&str, &str); 15] = [
    ("qwen2moe", "qwen2_moe"),
    ("qwen3moe", "qwen3_moe"),
    ("qwen3next", "qwen3_next"),
    ("qwen35", "qwen3_5_text"),
    ("qwen35moe", "qwen3_5_moe_text"),
    ("glm4moe", "glm4_moe"),
    ("gemma3", "gemma3_text"),
    ("gemma3n", "gemma3n_text"),
    ("gemma4", "gemma4_text"),
    ("gpt-oss", "gpt_oss"),
    ("llama4", "llama4_text"),
    ("nemotron_h_moe", "nemotron_h"),
    ("phi2", "phi"),
    ("mistral3", "mistral"),
    ("deepseek2", "deepseek_v2"),
];

/// Fields with the keys, after `ARCHITECTURE.`, that state the same; the first that a file has counts.
const KEYS: [(&str, &[&str]); 33] = [
    ("hidden_size", &["embedding_length"]),
    ("intermediate_size", &["feed_forward_length"]),
    ("intermediate_size_mlp", &["feed_forward_length"]),
    ("n_inner", &["feed_forward_length"]),
    ("ffn_hidden_size", &["feed_forward_length"]),
    ("moe_intermediate_size", &["expert_feed_forward_length"]),
    ("shared_expert_intermediate_size", &["expert_shared_feed_forward_length", "expert_feed_forward_length"]),
    ("moe_shared_expert_intermediate_size", &["expert_shared_feed_forward_length"]),
    ("n_shared_experts", &["expert_shared_count"]),
    ("num_experts", &["expert_count"]),
    ("num_local_experts", &["expert_count"]),
    ("n_routed_experts", &["expert_count"]),
    ("num_experts_per_tok", &["expert_used_count"]),
    ("num_attention_heads", &["attention.head_count"]),
    ("num_key_value_heads", &["attention.head_count_kv"]),
    ("num_kv_heads", &["attention.head_count_kv"]),
    ("q_lora_rank", &["attention.q_lora_rank"]),
    ("kv_lora_rank", &["attention.kv_lora_rank"]),
    ("qk_rope_head_dim", &["rope.dimension_count"]),
    ("v_head_dim", &["attention.value_length_mla", "attention.value_length"]),
    ("sliding_window", &["attention.sliding_window"]),
    ("n_positions", &["context_length"]),
    ("state_size", &["ssm.state_size"]),
    ("ssm_state_size", &["ssm.state_size"]),
    ("mamba_d_state", &["ssm.state_size"]),
    ("linear_key_head_dim", &["ssm.state_size"]),
    ("conv_kernel", &["ssm.conv_kernel"]),
    ("mamba_d_conv", &["ssm.conv_kernel"]),
    ("linear_conv_kernel_dim", &["ssm.conv_kernel"]),
    ("n_groups", &["ssm.group_count"]),
    ("linear_num_key_heads", &["ssm.group_count"]),
    ("time_step_rank", &["ssm.time_step_rank"]),
    ("mamba_dt_rank", &["ssm.time_step_rank"]),
];

/// The `model_type` of a GGUF architecture; `corrects` tells whether the routers have a stored correction, and
/// `chooses` whether there are experts.
pub(super) fn model_type(architecture: &str, corrects: bool, chooses: bool) -> &str {
    match architecture {
        // Mixtral goes by the name of the family whose other parts it has.
        "llama" if chooses => "mixtral",
        "deepseek2" if corrects => "deepseek_v3",
        name => MODEL_TYPES.iter().find(|(known, _)| *known == name).map_or(name, |(_, model_type)| model_type),
    }
}

/// A field, from what the keys of the architecture state.
pub(super) fn int(architecture: &str, key: &str, stated: &dyn Fn(&str) -> Option<u64>) -> Option<u64> {
    if let Some((_, keys)) = KEYS.iter().find(|(known, _)| *known == key) {
        return keys.iter().find_map(|key| stated(key));
    }
    let heads_of_state = || stated("ssm.time_step_rank");
    let of_each_head = || stated("ssm.inner_size")?.checked_div(heads_of_state()?);
    match (architecture, key) {
        ("mamba2", "num_heads") | (_, "mamba_num_heads" | "linear_num_value_heads") => heads_of_state(),
        ("mamba2", "head_dim") | (_, "mamba_head_dim" | "linear_value_head_dim") => of_each_head(),
        ("mamba", "expand") | (_, "mamba_expand") => stated("ssm.inner_size")?.checked_div(stated("embedding_length")?),
        (_, "head_dim") => stated("attention.key_length"),
        (_, "qk_nope_head_dim") => stated("attention.key_length_mla")
            .or_else(|| stated("attention.key_length"))?
            .checked_sub(stated("rope.dimension_count")?),
        _ => None,
    }
}

/// The roles whose presence is what a flag of a configuration states.
pub(super) fn roles_of_flag(key: &str) -> &'static [&'static str] {
    match key {
        "attention_bias" | "qkv_bias" => &["attention_query_bias"],
        "mlp_bias" => &["feed_forward_up_bias"],
        "bias" | "use_bias" => &["attention_output_bias", "state_input_bias"],
        "use_conv_bias" | "mamba_conv_bias" => &["state_convolution_bias"],
        "use_qk_norm" => &["attention_query_norm"],
        _ => &[],
    }
}

/// What a layer is by the roles of its tensors. Which window attention has is open where the file states one.
pub(super) fn kind(architecture: &str, mixer: Mixer, network: Network, windows: bool) -> Kind {
    let delta = architecture.starts_with("qwen3");
    Kind {
        mixer: match mixer {
            Mixer::Attention | Mixer::LatentAttention => (!windows).then_some("full_attention"),
            Mixer::Recurrent if delta => Some("linear_attention"),
            Mixer::Recurrent => Some("state_space"),
            Mixer::Unknown => Some("none"),
        },
        network: Some(match network {
            Network::Dense => "dense",
            Network::Experts | Network::ExpertsWithShared => "experts",
            Network::Unknown => "none",
        }),
    }
}

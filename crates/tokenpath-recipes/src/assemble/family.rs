//! The families of decoders, one line each: what an architecture fixes that its configuration does not state.
//!
//! Names are those of `model_type` in Hugging Face's configurations. What a line says was read from the published
//! definition of the architecture; the parameter counts in `tests/parameters.rs` hold each line to it.

use crate::blocks::norm::Norm;

/// Whether a part is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flag {
    /// Never.
    No,
    /// Always.
    Yes,
    /// As the field says; not when it is not stated.
    Stated(&'static str),
    /// As the field says; when it is not stated, it is.
    UnlessStated(&'static str),
}

/// How queries and keys are normalised.
#[derive(Clone, Copy, Debug)]
pub(super) enum Heads {
    Plain,
    EachHead,
    EachHeadIf(&'static str),
    EachHeadBareIf(&'static str),
    EachHeadAndValue,
    Whole,
}

/// The normalisations of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Norms {
    /// One, before attention and network side by side.
    Parallel,
    /// One before the attention and one before the network.
    Before,
    /// One after the attention and one after the network.
    After,
    /// Before and after each.
    Around,
    /// One for a layer that is a single part.
    Single,
}

/// What a state space is.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Mamba with these fields: inner factor, state, convolution, rank of the time step; and its inner normalisation.
    Channels {
        expand: &'static str,
        state: &'static str,
        convolution: &'static str,
        rank: &'static str,
        norm: Option<Norm>,
    },
    /// Mamba-2 with these fields: heads, head width, state.
    Heads { heads: &'static str, width: &'static str, state: &'static str },
}

/// What every token passes beside the chosen experts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Beside {
    Nothing,
    /// A network of the stated width, scaled by a gate.
    Gated(&'static str),
    /// A network of the stated width.
    Wide(&'static str),
    /// As many experts as the field says, as one network.
    Count(&'static str),
    /// One more expert.
    One,
}

/// The experts of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixture {
    pub(super) count: &'static str,
    pub(super) inner: &'static str,
    pub(super) used: &'static [&'static str],
    pub(super) beside: Beside,
    pub(super) bias: bool,
    pub(super) router_bias: bool,
    pub(super) correction: bool,
    /// The dense network runs beside the experts in the same layer.
    pub(super) and_dense: bool,
}

/// A family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) model_types: &'static [&'static str],
    pub(super) norm: Norm,
    pub(super) norms: Norms,
    pub(super) heads: Heads,
    pub(super) input_bias: Flag,
    pub(super) output_bias: Flag,
    pub(super) gate: bool,
    pub(super) sinks: bool,
    pub(super) latent: bool,
    /// Field of the inner width of dense networks, and of the layers that have no experts where it is another.
    pub(super) inner: &'static [&'static str],
    pub(super) gated: bool,
    pub(super) inner_bias: Flag,
    /// Inner width of dense networks as a multiple of the model's width, where it is not stated.
    pub(super) inner_factor: Option<u64>,
    pub(super) mixture: Option<Mixture>,
    pub(super) state: Option<State>,
    /// Whether a head reads the embedding where that is not stated.
    pub(super) tied: bool,
    /// Field of the number of learned positions.
    pub(super) positions: Option<&'static str>,
    pub(super) head_bias: bool,
}

/// The plainest decoder: what other lines differ from.
const PLAIN: Family = Family {
    name: "Llama",
    model_types: &["llama", "mistral", "smollm3", "granite", "ministral"],
    norm: Norm::Rms,
    norms: Norms::Before,
    heads: Heads::Plain,
    input_bias: Flag::Stated("attention_bias"),
    output_bias: Flag::Stated("attention_bias"),
    gate: false,
    sinks: false,
    latent: false,
    inner: &["intermediate_size"],
    gated: true,
    inner_bias: Flag::Stated("mlp_bias"),
    inner_factor: None,
    mixture: None,
    state: None,
    tied: false,
    positions: None,
    head_bias: false,
};

const USED: &[&str] = &["num_experts_per_tok", "experts_per_token", "top_k_experts"];

/// The plainest mixture.
const CHOICE: Mixture = Mixture {
    count: "num_local_experts",
    inner: "intermediate_size",
    used: USED,
    beside: Beside::Nothing,
    bias: false,
    router_bias: false,
    correction: false,
    and_dense: false,
};

const QWEN_CHOICE: Mixture = Mixture { count: "num_experts", inner: "moe_intermediate_size", ..CHOICE };
const QWEN_SHARED: Mixture = Mixture { beside: Beside::Gated("shared_expert_intermediate_size"), ..QWEN_CHOICE };
const DEEPSEEK_CHOICE: Mixture = Mixture {
    count: "n_routed_experts",
    inner: "moe_intermediate_size",
    beside: Beside::Count("n_shared_experts"),
    ..CHOICE
};

const MAMBA: State = State::Channels {
    expand: "expand",
    state: "state_size",
    convolution: "conv_kernel",
    rank: "time_step_rank",
    norm: None,
};

#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    PLAIN,
    Family { name: "Mixtral", model_types: &["mixtral"], mixture: Some(CHOICE), ..PLAIN },
    Family { name: "Qwen2", model_types: &["qwen2"], input_bias: Flag::Yes, output_bias: Flag::No, ..PLAIN },
    Family { name: "Qwen2 MoE", model_types: &["qwen2_moe"], input_bias: Flag::UnlessStated("qkv_bias"), output_bias: Flag::No, mixture: Some(QWEN_SHARED), ..PLAIN },
    Family { name: "Qwen3", model_types: &["qwen3"], heads: Heads::EachHead, ..PLAIN },
    Family { name: "Qwen3 MoE", model_types: &["qwen3_moe"], heads: Heads::EachHead, mixture: Some(QWEN_CHOICE), ..PLAIN },
    Family { name: "Qwen3-Next", model_types: &["qwen3_next", "qwen3_5_moe_text", "qwen3_5_moe"], heads: Heads::EachHead, gate: true, mixture: Some(QWEN_SHARED), ..PLAIN },
    Family { name: "Qwen3.5", model_types: &["qwen3_5_text", "qwen3_5"], heads: Heads::EachHead, gate: true, ..PLAIN },
    Family { name: "DeepSeek-V2", model_types: &["deepseek_v2"], latent: true, mixture: Some(DEEPSEEK_CHOICE), ..PLAIN },
    Family { name: "DeepSeek-V3", model_types: &["deepseek_v3", "kimi_k2"], latent: true, mixture: Some(Mixture { correction: true, ..DEEPSEEK_CHOICE }), ..PLAIN },
    Family { name: "GLM-4 MoE", model_types: &["glm4_moe"], heads: Heads::EachHeadIf("use_qk_norm"), output_bias: Flag::No, mixture: Some(Mixture { correction: true, ..DEEPSEEK_CHOICE }), ..PLAIN },
    Family { name: "Gemma", model_types: &["gemma"], tied: true, ..PLAIN },
    Family { name: "Gemma 2", model_types: &["gemma2"], norms: Norms::Around, tied: true, ..PLAIN },
    Family { name: "Gemma 3", model_types: &["gemma3_text", "gemma3"], norms: Norms::Around, heads: Heads::EachHead, tied: true, ..PLAIN },
    Family { name: "Gemma 3n", model_types: &["gemma3n_text", "gemma3n"], norms: Norms::Around, heads: Heads::EachHeadAndValue, tied: true, ..PLAIN },
    Family { name: "Gemma 4", model_types: &["gemma4_text", "gemma4"], norms: Norms::Around, heads: Heads::EachHeadAndValue, tied: true, mixture: Some(Mixture { and_dense: true, ..QWEN_CHOICE }), ..PLAIN },
    Family { name: "gpt-oss", model_types: &["gpt_oss"], input_bias: Flag::UnlessStated("attention_bias"), output_bias: Flag::UnlessStated("attention_bias"), sinks: true, mixture: Some(Mixture { bias: true, router_bias: true, ..CHOICE }), ..PLAIN },
    Family { name: "Phi-3", model_types: &["phi3"], input_bias: Flag::No, output_bias: Flag::No, ..PLAIN },
    Family { name: "Phi", model_types: &["phi"], norm: Norm::Layer, norms: Norms::Parallel, input_bias: Flag::Yes, output_bias: Flag::Yes, gated: false, inner_bias: Flag::Yes, head_bias: true, ..PLAIN },
    Family { name: "Llama 4", model_types: &["llama4_text", "llama4"], heads: Heads::EachHeadBareIf("use_qk_norm"), inner: &["intermediate_size_mlp"], mixture: Some(Mixture { beside: Beside::One, ..CHOICE }), ..PLAIN },
    Family { name: "OLMo 2", model_types: &["olmo2"], norms: Norms::After, heads: Heads::Whole, ..PLAIN },
    Family { name: "OLMoE", model_types: &["olmoe"], heads: Heads::Whole, mixture: Some(Mixture { count: "num_experts", ..CHOICE }), ..PLAIN },
    Family { name: "StarCoder 2", model_types: &["starcoder2"], norm: Norm::Layer, input_bias: Flag::UnlessStated("use_bias"), output_bias: Flag::UnlessStated("use_bias"), gated: false, inner_bias: Flag::UnlessStated("use_bias"), tied: true, ..PLAIN },
    Family { name: "GPT-2", model_types: &["gpt2"], norm: Norm::Layer, input_bias: Flag::Yes, output_bias: Flag::Yes, inner: &["n_inner"], inner_factor: Some(4), gated: false, inner_bias: Flag::Yes, tied: true, positions: Some("n_positions"), ..PLAIN },
    Family { name: "Falcon", model_types: &["falcon"], norm: Norm::Layer, norms: Norms::Parallel, input_bias: Flag::Stated("bias"), output_bias: Flag::Stated("bias"), inner: &["ffn_hidden_size"], inner_factor: Some(4), gated: false, inner_bias: Flag::Stated("bias"), tied: true, ..PLAIN },
    Family { name: "Mamba", model_types: &["mamba"], norms: Norms::Single, state: Some(MAMBA), tied: true, ..PLAIN },
    Family { name: "Falcon Mamba", model_types: &["falcon_mamba"], norms: Norms::Single, state: Some(MAMBA), tied: true, ..PLAIN },
    Family { name: "Mamba-2", model_types: &["mamba2"], norms: Norms::Single, state: Some(State::Heads { heads: "num_heads", width: "head_dim", state: "state_size" }), ..PLAIN },
    Family { name: "Nemotron-H", model_types: &["nemotron_h"], norms: Norms::Single, gated: false, state: Some(State::Heads { heads: "mamba_num_heads", width: "mamba_head_dim", state: "ssm_state_size" }), mixture: Some(Mixture { count: "n_routed_experts", inner: "moe_intermediate_size", beside: Beside::Wide("moe_shared_expert_intermediate_size"), correction: true, ..CHOICE }), ..PLAIN },
    Family { name: "Jamba", model_types: &["jamba"], state: Some(State::Channels { expand: "mamba_expand", state: "mamba_d_state", convolution: "mamba_d_conv", rank: "mamba_dt_rank", norm: Some(Norm::Rms) }), mixture: Some(Mixture { count: "num_experts", ..CHOICE }), input_bias: Flag::No, output_bias: Flag::No, ..PLAIN },
];

/// The family that a `model_type` names.
pub(super) fn family(model_type: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.model_types.contains(&model_type))
}

/// The `model_type`s that are known, for messages.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.model_types.iter().copied())
}

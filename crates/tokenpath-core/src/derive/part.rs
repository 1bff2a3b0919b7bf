//! Which part of a model a node or tensor belongs to: the classes that have a colour and texture of their own.
//!
//! The rule, named `part-of-node`, decides by the role of the tensors that a node reads, else by its operation.

use crate::model::Run;

/// The rule's name, for labels.
pub const RULE: &str = "part-of-node";

/// A part of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Token embedding and output head.
    Embedding,
    /// Attention and its projections; recurrent mixers stand in its place.
    Attention,
    /// Feed-forward network and experts.
    FeedForward,
    /// Normalisation.
    Normalisation,
    /// Writes to the KV cache or recurrent state.
    CacheWrite,
    /// Rotary position.
    Rotary,
    /// Residual adds and other element-wise work.
    Elementwise,
    /// Not attributed.
    Unattributed,
}

impl Part {
    /// Every part in the order of legends.
    pub const ALL: [Part; 8] = [
        Part::Embedding,
        Part::Attention,
        Part::FeedForward,
        Part::Normalisation,
        Part::CacheWrite,
        Part::Rotary,
        Part::Elementwise,
        Part::Unattributed,
    ];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Part::Embedding => "embedding and head",
            Part::Attention => "attention",
            Part::FeedForward => "feed-forward",
            Part::Normalisation => "normalisation",
            Part::CacheWrite => "cache write",
            Part::Rotary => "rotary position",
            Part::Elementwise => "residual and element-wise",
            Part::Unattributed => "not attributed",
        }
    }
}

/// The part that a tensor of this role belongs to.
pub fn of_role(role: &str) -> Part {
    if role.ends_with("norm") {
        Part::Normalisation
    } else if role.contains("embedding") || role.starts_with("output_projection") {
        Part::Embedding
    } else if role.starts_with("rotary") {
        Part::Rotary
    } else if role.starts_with("attention") || role.starts_with("state_") {
        Part::Attention
    } else if role.starts_with("feed_forward")
        || role.starts_with("expert")
        || role.starts_with("router")
        || role.starts_with("shared_expert")
    {
        Part::FeedForward
    } else {
        Part::Unattributed
    }
}

/// The part of a tensor.
pub fn of_tensor(run: &Run, tensor: usize) -> Part {
    run.model.tensors.role.get(tensor).map_or(Part::Unattributed, of_role)
}

/// The part of a node.
pub fn of_node(run: &Run, node: usize) -> Part {
    let nodes = &run.graph.nodes;
    let from_tensors = nodes
        .tensors
        .get(node)
        .unwrap_or(&[])
        .iter()
        .map(|tensor| of_tensor(run, *tensor as usize))
        .find(|part| *part != Part::Unattributed);
    from_tensors.unwrap_or_else(|| nodes.operation.get(node).map_or(Part::Unattributed, of_operation))
}

/// The rule that decides for a kernel which no node names, for labels.
pub const KERNEL_RULE: &str = "kernel-name-family";

/// What decided the part of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelPart {
    /// All nodes that may run as it belong to this part, by the rule [`RULE`].
    ByNodes(Part),
    /// No node names it; its name's family belongs to this part, by the rule [`KERNEL_RULE`].
    ByName(Part),
}

impl KernelPart {
    /// The part.
    pub fn part(self) -> Part {
        match self {
            KernelPart::ByNodes(part) | KernelPart::ByName(part) => part,
        }
    }
}

/// The part of every kernel: that of all nodes which may run as it, where they agree; of a kernel that no node names,
/// that of its name's family. Matrix products and copies serve several parts, so their names decide nothing.
pub fn of_kernels(run: &Run) -> Vec<KernelPart> {
    let mut named: Vec<Option<Part>> = vec![None; run.kernels.rows()];
    for node in 0..run.graph.nodes.rows() {
        let part = of_node(run, node);
        for kernel in run.graph.nodes.kernels.get(node).unwrap_or(&[]) {
            if let Some(known) = named.get_mut(*kernel as usize) {
                *known = match known {
                    None => Some(part),
                    Some(before) if *before == part => Some(part),
                    Some(_) => Some(Part::Unattributed),
                };
            }
        }
    }
    let by_name = |kernel| run.kernels.name.get(kernel).map_or(Part::Unattributed, of_kernel_name);
    let decide = |(kernel, part): (usize, Option<Part>)| match part {
        Some(part) => KernelPart::ByNodes(part),
        None => KernelPart::ByName(by_name(kernel)),
    };
    named.into_iter().enumerate().map(decide).collect()
}

/// The part that a kernel's name tells by the word its family is known for.
pub fn of_kernel_name(name: &str) -> Part {
    const FAMILIES: [(&[&str], Part); 6] = [
        (&["rmsnorm", "rms_norm", "layernorm", "layer_norm", "rmsnormtwopass"], Part::Normalisation),
        (&["rotary", "rope"], Part::Rotary),
        (&["reshape_and_cache", "kv_cache", "kvcache", "set_kv", "cache_kernel", "concat_and_cache"], Part::CacheWrite),
        (
            &["flash", "fmha", "paged_attention", "attention", "attn", "mla_", "softmax", "pa_kernel", "gated_delta"],
            Part::Attention,
        ),
        (&["silu", "swiglu", "act_and_mul", "gelu", "topk_gating", "moe", "expert"], Part::FeedForward),
        (&["embedding"], Part::Embedding),
    ];
    let name = name.to_ascii_lowercase();
    FAMILIES
        .iter()
        .find(|(words, _)| words.iter().any(|word| name.contains(word)))
        .map_or(Part::Unattributed, |(_, part)| *part)
}

/// The part that an operation which reads no known tensor belongs to.
pub fn of_operation(operation: &str) -> Part {
    match operation.to_ascii_uppercase().as_str() {
        "FLASH_ATTN_EXT" | "SOFT_MAX" | "SSM_CONV" | "SSM_SCAN" | "GATED_DELTA_NET" | "RWKV_WKV6" | "RWKV_WKV7" => {
            Part::Attention
        }
        "GLU" | "SWIGLU" | "GEGLU" | "REGLU" | "SWIGLU_OAI" | "MUL_MAT_ID" | "ARGSORT" | "TOP_K" => Part::FeedForward,
        "RMS_NORM" | "NORM" | "GROUP_NORM" | "L2_NORM" => Part::Normalisation,
        "SET_ROWS" | "CPY" => Part::CacheWrite,
        "ROPE" | "ROPE_BACK" => Part::Rotary,
        "ADD" | "SUB" | "MUL" | "DIV" | "SCALE" | "UNARY" | "SILU" | "SIGMOID" | "SOFTPLUS" | "CLAMP" | "SUM_ROWS"
        | "CONCAT" | "REPEAT" | "CONT" => Part::Elementwise,
        _ => Part::Unattributed,
    }
}

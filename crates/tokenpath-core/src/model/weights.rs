//! The model: components and tensors.

use crate::column::{IntLists, Ints, Refs, Texts};
use crate::record::{Kind, Null};
use crate::table::{record, table};

/// The kinds of component.
pub const COMPONENT_KINDS: [&str; 4] = ["token_embedding", "decoder_layer", "output_head", "other"];

/// What mixes the tokens in a layer, as the source states it.
pub const MIXERS: [&str; 6] =
    ["full_attention", "sliding_attention", "chunked_attention", "linear_attention", "state_space", "none"];

/// What follows the mixer in a layer, as the source states it.
pub const NETWORKS: [&str; 3] = ["dense", "experts", "none"];

record! {
    /// The model as its file, or the runtime, states it.
    pub struct Weights at "/model" {
        /// The architecture's name in the file (`llama`, `qwen3moe`).
        architecture: Option<String> = Kind::Text, Null::Explained;
        /// Number of decoder layers.
        layers: Option<i64> = Kind::Count, Null::Explained;
        /// The file's size, in bytes.
        file_bytes: Option<i64> = Kind::Bytes, Null::Explained;
        /// The part of the file before the first tensor's data, in bytes.
        header_bytes: Option<i64> = Kind::Bytes, Null::Free;
        /// Number of parameters that the source states.
        stated_parameters: Option<i64> = Kind::Count, Null::Free;
        /// Whether the output head reads the token embedding's matrix.
        tied_embedding: Option<bool> = Kind::Flag, Null::Free;
    }
    parts {
        /// Parameters of the architecture, as stated.
        parameters: Parameters, Null::Explained;
        /// Components.
        components: Components, Null::Never;
        /// Tensors.
        tensors: Tensors, Null::Explained;
    }
}

table! {
    /// Parameters of the architecture, under the names of `spec/02-bundle.md`: embedding_length, feed_forward_length,
    /// head_count, head_count_kv, head_width, context_length, vocabulary, expert_count, expert_used_count and so on.
    pub struct Parameters at "/model/parameters" {
        /// The parameter.
        name: Texts = Kind::Text, Null::Never;
        /// Its value when it is a whole number.
        value: Ints = Kind::Count, Null::Free;
        /// Its value when it is anything else.
        text: Texts = Kind::Text, Null::Free;
        /// The name of the parameter in the source.
        source: Texts = Kind::Text, Null::Free;
    }
}

table! {
    /// Components: what the tensors belong to.
    pub struct Components at "/model/components" {
        /// Which kind.
        kind: Texts = Kind::Word(&COMPONENT_KINDS), Null::Never;
        /// A name for people.
        name: Texts = Kind::Text, Null::Never;
        /// The decoder layer it is, from 0.
        layer: Ints = Kind::Count, Null::EndedBy("layer_end");
        /// Why it belongs to no layer.
        layer_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// What mixes the tokens in the layer, where the source states it; attention without a stated window is full.
        mixer: Texts = Kind::Word(&MIXERS), Null::Free;
        /// What follows the mixer in the layer, where the source states it.
        network: Texts = Kind::Word(&NETWORKS), Null::Free;
    }
}

table! {
    /// Tensors in the order of the source.
    pub struct Tensors at "/model/tensors" {
        /// The name in the file.
        name: Texts = Kind::Text, Null::Never;
        /// The component it belongs to.
        component: Refs = Kind::Ref("/model/components"), Null::Explained;
        /// What it is for: attention_query, feed_forward_gate, attention_norm, router and so on; `other` when no rule knows.
        role: Texts = Kind::Text, Null::Explained;
        /// The element or block type (`f32`, `q4_1`).
        dtype: Texts = Kind::Text, Null::Explained;
        /// Sizes, the fastest-moving dimension first (the order of GGUF).
        shape: IntLists = Kind::Sizes, Null::Explained;
        /// Bytes in the file.
        bytes: Ints = Kind::Bytes, Null::Explained;
        /// Where the runtime keeps it, in the runtime's words.
        buffer: Texts = Kind::Text, Null::Free;
    }
}

//! Fields of a configuration as parameters of the architecture: synonyms under one name, the rest under their own.

use tokenpath_core::json::{NULL, Node};

use super::Config;

/// Synonyms of the number of layers.
pub(super) const LAYERS: &[&str] = &["num_hidden_layers", "n_layer", "n_layers", "num_layers"];
/// Synonyms of the model's width.
pub(super) const WIDTH: &[&str] = &["hidden_size", "n_embd", "n_embed", "d_model"];

/// Names of bundles with the fields that state them, the most usual first.
pub(super) const NAMES: &[(&str, &[&str])] = &[
    ("layer_count", LAYERS),
    ("context_length", &["max_position_embeddings", "n_positions", "max_sequence_length", "seq_length", "max_seq_len"]),
    ("embedding_length", WIDTH),
    ("feed_forward_length", &["intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size"]),
    ("expert_feed_forward_length", &["moe_intermediate_size", "expert_intermediate_size"]),
    ("shared_expert_feed_forward_length", &["shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"]),
    ("shared_expert_count", &["n_shared_experts", "num_shared_experts"]),
    ("expert_count", &["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"]),
    (
        "expert_used_count",
        &[
            "num_experts_per_tok",
            "num_experts_per_token",
            "experts_per_token",
            "top_k_experts",
            "moe_topk",
            "moe_top_k",
        ],
    ),
    ("leading_dense_layer_count", &["first_k_dense_replace"]),
    ("head_count", &["num_attention_heads", "n_head", "n_heads"]),
    ("head_count_kv", &["num_key_value_heads", "num_kv_heads", "n_head_kv"]),
    ("head_width", &["head_dim", "kv_channels"]),
    ("head_width_value", &["v_head_dim"]),
    ("head_width_without_rotary", &["qk_nope_head_dim"]),
    ("rotary_width", &["qk_rope_head_dim"]),
    ("query_rank", &["q_lora_rank"]),
    ("key_value_rank", &["kv_lora_rank"]),
    ("sliding_window", &["sliding_window", "sliding_window_size"]),
    ("attention_chunk", &["attention_chunk_size"]),
    ("full_attention_interval", &["full_attention_interval"]),
    ("vocabulary", &["vocab_size"]),
    ("state_width", &["state_size", "ssm_state_size", "mamba_d_state"]),
    ("state_convolution_width", &["conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim"]),
    ("state_expansion", &["expand", "mamba_expand"]),
    ("state_time_step_rank", &["time_step_rank", "mamba_dt_rank"]),
    ("state_head_count", &["mamba_num_heads", "mamba_n_heads"]),
    ("state_head_width", &["mamba_head_dim", "mamba_d_head"]),
    ("linear_key_head_count", &["linear_num_key_heads"]),
    ("linear_value_head_count", &["linear_num_value_heads"]),
    ("linear_key_head_width", &["linear_key_head_dim"]),
    ("linear_value_head_width", &["linear_value_head_dim"]),
    ("dtype", &["dtype", "torch_dtype"]),
];

/// Fields that say nothing of the architecture: where the file came from, how text is generated, training.
const LEFT_OUT: &[&str] = &[
    "_name_or_path",
    "name_or_path",
    "transformers_version",
    "architectures",
    "model_type",
    "auto_map",
    "id2label",
    "label2id",
    "quantization_config",
    "quantization",
    "tie_word_embeddings",
    "bad_words_ids",
    "begin_suppress_tokens",
    "suppress_tokens",
    "diversity_penalty",
    "do_sample",
    "early_stopping",
    "exponential_decay_length_penalty",
    "finetuning_task",
    "length_penalty",
    "max_length",
    "min_length",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_scores",
    "prefix",
    "problem_type",
    "repetition_penalty",
    "return_dict",
    "return_dict_in_generate",
    "remove_invalid_values",
    "temperature",
    "tokenizer_class",
    "top_k",
    "top_p",
    "typical_p",
    "torchscript",
    "use_bfloat16",
    "use_cache",
    "chunk_size_feed_forward",
    "pruned_heads",
    "task_specific_params",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "is_encoder_decoder",
    "is_decoder",
    "add_cross_attention",
    "cross_attention_hidden_size",
    "initializer_range",
    "initializer_factor",
];

/// A parameter: name, whole number or text, and the path of the field.
pub(crate) type Row = (String, Option<i64>, Option<String>, String);

/// Longest list of whole numbers that is written out; longer ones are told by their length.
const WRITTEN: usize = 512;
/// Longest text of a field that is kept.
const LONGEST: usize = 200;

/// All parameters, those with a name of bundles first.
pub(crate) fn rows(config: &Config) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut used: Vec<&str> = Vec::new();
    for (name, keys) in NAMES {
        let Some((key, (node, path))) = keys.iter().find_map(|key| Some((*key, config.node(key)?))) else { continue };
        if let Some((value, text)) = plain(node) {
            used.push(key);
            rows.push(((*name).to_owned(), value, text, path));
        }
    }
    if let Some(row) = quantisation(config) {
        rows.push(row);
    }
    for (key, node, path) in config.fields() {
        let known = used.contains(&key) || LEFT_OUT.contains(&key) || key.ends_with("_token_id");
        if known || rows.iter().any(|(name, ..)| name == key) {
            continue;
        }
        if let Some((value, text)) = plain(node) {
            rows.push((key.to_owned(), value, text, path));
        }
    }
    rows
}

/// A number, a flag or a short text or list; objects and what is longer are no parameter.
fn plain(node: &Node) -> Option<(Option<i64>, Option<String>)> {
    let text = |text: String| Some((None, Some(text)));
    match node {
        Node::Int(value) if *value >= 0 => Some((Some(*value), None)),
        Node::Int(value) => text(value.to_string()),
        Node::Large(value) => text(value.to_string()),
        Node::Float(value) => text(value.to_string()),
        Node::Bool(value) => text(value.to_string()),
        Node::Text(value) if value.len() <= LONGEST => text(value.clone()),
        Node::Ints(items) if !items.is_empty() && items.iter().all(|item| *item != NULL) => match items.first() {
            Some(first) if items.iter().all(|item| item == first) && items.len() > 1 => {
                text(format!("{first} in each of {}", items.len()))
            }
            _ if items.len() <= WRITTEN => text(items.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
            _ => text(format!("{} numbers", items.len())),
        },
        _ => None,
    }
}

/// How weights are quantised, in the words of the configuration.
fn quantisation(config: &Config) -> Option<Row> {
    let (node, path) = config.node("quantization_config").or_else(|| config.node("quantization"))?;
    let Node::Object(fields) = node else { return None };
    let get = |key: &str| fields.iter().find(|(known, _)| known == key).map(|(_, node)| node);
    let mut words: Vec<String> = Vec::new();
    for key in ["quant_method", "quant_algo", "fmt", "format"] {
        if let Some(Node::Text(text)) = get(key)
            && text.len() <= LONGEST
        {
            words.push(text.clone());
        }
    }
    for key in ["bits", "group_size"] {
        if let Some(Node::Int(value)) = get(key) {
            words.push(format!("{key} {value}"));
        }
    }
    if let Some(Node::Ints(sizes)) = get("weight_block_size") {
        words.push(format!("blocks of {}", sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" by ")));
    }
    (!words.is_empty()).then(|| ("quantisation".to_owned(), None, Some(words.join(", ")), path))
}

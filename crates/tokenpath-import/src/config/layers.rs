//! What mixes the tokens in each layer and what follows it, where the configuration says so.

use tokenpath_core::Label;

use super::Config;
use super::parameters::NAMES;

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A list, pattern or interval of the configuration, by the field's name.
    Field(&'static str),
    /// The configuration states no other kind; a named rule decides.
    Rule(&'static str),
}

impl By {
    /// The label of what was decided so, for the configuration `file`.
    pub fn label(self, file: &str) -> Label {
        match self {
            By::Field(_) => Label::read(file),
            By::Rule(rule) => Label::inferred(rule),
        }
    }
}

/// One layer: the words of [`tokenpath_core::model::MIXERS`] and [`tokenpath_core::model::NETWORKS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerKind {
    /// What mixes the tokens; `None` when the configuration leaves it open.
    pub mixer: Option<&'static str>,
    /// What follows; `None` when the configuration leaves it open.
    pub network: Option<&'static str>,
}

const FULL: &str = "full_attention";
const SLIDING: &str = "sliding_attention";
const STATE: &str = "state_space";
const LINEAR: &str = "linear_attention";

/// Layers beyond this are not told apart one by one; no published model has as many.
const MAX_LAYERS: i64 = 10_000;

/// The layers in order, and who says what mixes the tokens.
pub fn layers(config: &Config) -> (Vec<LayerKind>, By) {
    let count = config.layers().unwrap_or(0).min(MAX_LAYERS);
    if let Some(pattern) = config.text("hybrid_override_pattern") {
        let kind = |letter: char| match letter {
            'M' => (Some(STATE), Some("none")),
            '*' => (Some(FULL), Some("none")),
            'E' => (Some("none"), Some("experts")),
            '-' => (Some("none"), Some("dense")),
            _ => (None, None),
        };
        let list = pattern.chars().map(kind).map(|(mixer, network)| LayerKind { mixer, network }).collect();
        return (list, By::Field("hybrid_override_pattern"));
    }
    let (mixers, by) = mixers(config, count);
    // In lists that name experts or networks as layers of their own, a layer is one part.
    let parts = config.texts("layers_block_type").filter(|list| list.iter().any(|kind| matches!(*kind, "moe" | "mlp")));
    let list = (0..count)
        .map(|layer| {
            let at = usize::try_from(layer).unwrap_or(0);
            if let Some(kind) = parts.as_ref().and_then(|list| list.get(at)) {
                let (mixer, network) = match *kind {
                    "moe" => (Some("none"), Some("experts")),
                    "mlp" => (Some("none"), Some("dense")),
                    other => (named(other), Some("none")),
                };
                return LayerKind { mixer, network };
            }
            LayerKind { mixer: mixers.get(at).copied().flatten(), network: network(config, layer) }
        })
        .collect();
    (list, by)
}

/// The mixer that a list of layers calls so.
fn named(word: &str) -> Option<&'static str> {
    Some(match word {
        "full_attention" | "attention" | "global" => FULL,
        "sliding_attention" | "local" => SLIDING,
        "chunked_attention" => "chunked_attention",
        "linear_attention" | "gated_delta_net" => LINEAR,
        "mamba" | "mamba2" => STATE,
        _ => return None,
    })
}

fn mixers(config: &Config, count: i64) -> (Vec<Option<&'static str>>, By) {
    let each = |kind: &dyn Fn(i64) -> Option<&'static str>| (0..count).map(kind).collect::<Vec<_>>();
    for field in ["layers_block_type", "layer_types"] {
        if let Some(list) = config.texts(field) {
            return (list.into_iter().map(named).collect(), By::Field(field));
        }
    }
    if let Some(interval) = config.int("full_attention_interval").filter(|interval| *interval > 0) {
        let kind = |layer: i64| Some(if (layer + 1) % interval == 0 { FULL } else { LINEAR });
        return (each(&kind), By::Field("full_attention_interval"));
    }
    if let Some(period) = config.int("attn_layer_period").filter(|period| *period > 0) {
        let offset = config.int("attn_layer_offset").unwrap_or(0);
        let kind = |layer: i64| Some(if layer % period == offset { FULL } else { STATE });
        return (each(&kind), By::Field("attn_layer_period"));
    }
    if config.model_type.contains("mamba") {
        return (each(&|_| Some(STATE)), By::Rule("model_type names no attention"));
    }
    let window = config.int("sliding_window").filter(|_| config.flag("use_sliding_window") != Some(false));
    if window.is_some() {
        for field in ["sliding_window_pattern", "_sliding_window_pattern"] {
            if let Some(pattern) = config.int(field).filter(|pattern| *pattern > 0) {
                let kind = |layer: i64| Some(if (layer + 1) % pattern == 0 { FULL } else { SLIDING });
                return (each(&kind), By::Field(field));
            }
        }
        // Some families use the window in every layer, some in every other one; the field alone does not tell.
        return match config.model_type.as_str() {
            "mistral" | "mixtral" | "phi3" | "starcoder2" => {
                (each(&|_| Some(SLIDING)), By::Rule("sliding_window without a pattern"))
            }
            _ => (each(&|_| None), By::Rule("sliding_window without a pattern")),
        };
    }
    if config.int("attention_chunk_size").is_some() {
        return (each(&|_| None), By::Rule("attention_chunk_size without a list of layers"));
    }
    let heads = NAMES.iter().find(|(name, _)| *name == "head_count").and_then(|(_, keys)| config.first(keys));
    let kind = heads.filter(|heads| *heads > 0).map(|_| FULL);
    (each(&|_| kind), By::Rule("no window, pattern or state is stated"))
}

/// What follows the mixer.
fn network(config: &Config, layer: i64) -> Option<&'static str> {
    let field = |name: &str| NAMES.iter().find(|(known, _)| *known == name).and_then(|(_, keys)| config.first(keys));
    if field("expert_count").is_some_and(|count| count > 1) {
        let number = usize::try_from(layer).unwrap_or(usize::MAX);
        let every = |key: &str| config.int(key).filter(|step| *step > 1);
        let dense = field("leading_dense_layer_count").is_some_and(|first| layer < first)
            || config.ints("mlp_only_layers").is_some_and(|list| list.contains(&layer))
            || every("decoder_sparse_step").is_some_and(|step| (layer + 1) % step != 0)
            || every("interleave_moe_layer_step").is_some_and(|step| (layer + 1) % step != 0)
            || every("moe_layer_freq").is_some_and(|step| layer % step != 0)
            || config.ints("moe_layer_freq").is_some_and(|list| list.get(number).is_some_and(|each| *each == 0))
            || every("expert_layer_period")
                .is_some_and(|period| layer % period != config.int("expert_layer_offset").unwrap_or(0));
        return Some(if dense { "dense" } else { "experts" });
    }
    if config.model_type.contains("mamba") {
        return Some("none");
    }
    let heads = field("head_count").is_some();
    (field("feed_forward_length").is_some() || heads).then_some("dense")
}

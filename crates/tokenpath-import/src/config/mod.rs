//! Hugging Face `config.json`: what the architecture states, and nothing that it does not.
//!
//! A configuration holds no tensor. Its fields become parameters labelled `read`.

mod layers;
mod parameters;
mod section;

pub use layers::{By, LayerKind, layers};
pub(crate) use parameters::rows;
pub(crate) use section::{apply, section};

use tokenpath_core::json::{self, JsonError, Node, Object};

/// Larger configurations are refused; lists of modules that are not quantised reach some three megabytes.
pub const MAX_CONFIG: u64 = 16 << 20;

/// Why a configuration gives no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It is not JSON.
    #[error("it is no JSON: {0}")]
    Json(JsonError),
    /// It is JSON of another kind.
    #[error("it is {found}, not an object of fields")]
    NotAnObject {
        /// What it is.
        found: String,
    },
    /// It states how weights are quantised and nothing else.
    #[error(
        "it holds only the settings of a quantiser and lacks the field model_type; the config.json beside it has that"
    )]
    OnlyQuantisation,
    /// A field without which there is no model.
    #[error("it lacks the field {field}")]
    Lacks {
        /// The field, with its synonyms.
        field: &'static str,
    },
}

/// A configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `model_type` of the language model.
    pub model_type: String,
    /// Fields of the whole.
    root: Object,
    /// Fields of the language model where they are nested, and the name under which they are.
    text: Option<(&'static str, Object)>,
    /// What is odd about it, a sentence each.
    pub remarks: Vec<String>,
}

/// Where wrappers of several modalities nest the language model.
const NESTED: [&str; 5] = ["text_config", "llm_config", "language_config", "thinker_config", "text_model_config"];

/// Reads a configuration.
///
/// # Errors
/// When it is not JSON, names no architecture, or lacks the number of layers or the model's width.
pub fn read(bytes: &[u8]) -> Result<Config, ConfigError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut remarks = Vec::new();
    let (plain, replaced) = without_bare_numbers(bytes);
    if replaced > 0 {
        remarks.push(format!("{replaced} values are NaN or Infinity, which JSON does not have; they are left out."));
    }
    let (node, repeated) = json::parse(&plain).map_err(ConfigError::Json)?;
    if repeated.count > 0 {
        remarks.push(format!("{} fields stand twice; the first value of each is kept.", repeated.count));
    }
    let mut root = match node {
        Node::Object(object) => object,
        other => return Err(ConfigError::NotAnObject { found: other.described() }),
    };
    // One wrapper may lie in another (`thinker_config.text_config`); a few turns find the innermost.
    let mut text = None;
    for _ in 0..3 {
        let inner = match &mut text {
            None => &mut root,
            Some((_, object)) => object,
        };
        let found = NESTED.into_iter().find_map(|name| match json::take(inner, name) {
            Some(Node::Object(object)) => Some((name, object)),
            _ => None,
        });
        match found {
            Some(found) => text = Some(found),
            None => break,
        }
    }
    let mut config = Config { model_type: String::new(), root, text, remarks };
    let architectures = matches!(config.node("architectures"), Some((Node::Texts(_), _)));
    match config.text("model_type") {
        Some(name) => config.model_type = name.to_owned(),
        None if architectures => {}
        None if config.node("quantization").is_some() && config.node("producer").is_some() => {
            return Err(ConfigError::OnlyQuantisation);
        }
        None => return Err(ConfigError::Lacks { field: "model_type" }),
    }
    if config.layers().is_none() {
        return Err(ConfigError::Lacks {
            field: "num_hidden_layers (or n_layer, n_layers, num_layers, a list of layers)",
        });
    }
    if config.first(parameters::WIDTH).is_none() {
        return Err(ConfigError::Lacks { field: "hidden_size (or n_embd, n_embed, d_model)" });
    }
    Ok(config)
}

impl Config {
    /// A field that is not null, and its path: of the language model, else of the whole.
    pub fn node(&self, key: &str) -> Option<(&Node, String)> {
        let of = |object: &'_ Object| -> Option<usize> {
            object.iter().position(|(known, node)| known == key && *node != Node::Null)
        };
        if let Some((name, object)) = &self.text
            && let Some((_, node)) = of(object).and_then(|at| object.get(at))
        {
            return Some((node, format!("{name}.{key}")));
        }
        of(&self.root).and_then(|at| self.root.get(at)).map(|(_, node)| (node, key.to_owned()))
    }

    /// The text of a field.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.node(key)?.0 {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number of a field, not negative.
    pub fn int(&self, key: &str) -> Option<i64> {
        match self.node(key)?.0 {
            Node::Int(value) if *value >= 0 => Some(*value),
            Node::Float(value) if value.fract() == 0.0 && (0.0..9e15).contains(value) => Some(*value as i64),
            _ => None,
        }
    }

    /// Whether a flag is set; `None` when it is not stated.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.node(key)?.0 {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Option<Vec<&str>> {
        match self.node(key)?.0 {
            Node::Texts(items) => items.iter().collect(),
            _ => None,
        }
    }

    /// A list of whole numbers; empty lists count.
    pub fn ints(&self, key: &str) -> Option<&[i64]> {
        match self.node(key)?.0 {
            Node::Ints(items) => Some(items),
            _ => None,
        }
    }

    /// The first of synonyms that is stated as a whole number.
    pub fn first(&self, keys: &[&str]) -> Option<i64> {
        keys.iter().find_map(|key| self.int(key))
    }

    /// The number of layers: stated, or the length of the list that names each.
    pub fn layers(&self) -> Option<i64> {
        let length = |count: usize| i64::try_from(count).ok();
        self.first(parameters::LAYERS)
            .or_else(|| self.texts("layers_block_type").and_then(|list| length(list.len())))
            .or_else(|| self.texts("layer_types").and_then(|list| length(list.len())))
            .or_else(|| self.text("hybrid_override_pattern").and_then(|text| length(text.chars().count())))
            .or_else(|| match self.node("block_configs")?.0 {
                Node::List(list) => length(list.len()),
                _ => None,
            })
    }

    /// Whether the head reads the embedding's matrix, where it is stated.
    pub fn tied(&self) -> Option<bool> {
        self.flag("tie_word_embeddings")
    }

    /// The architecture: `model_type`, else the class.
    pub fn architecture(&self) -> Option<String> {
        if !self.model_type.is_empty() {
            return Some(self.model_type.clone());
        }
        self.texts("architectures").and_then(|list| list.first().map(|name| (*name).to_owned()))
    }

    /// Fields of the language model, then those of the whole that it does not have, with their paths.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Node, String)> {
        let nested = self.text.as_ref();
        let inner = nested.into_iter().flat_map(|(name, object)| {
            object.iter().map(move |(key, node)| (key.as_str(), node, format!("{name}.{key}")))
        });
        let outer = self.root.iter().filter(move |(key, _)| {
            nested.is_none_or(|(_, object)| !object.iter().any(|(known, node)| known == key && *node != Node::Null))
        });
        inner.chain(outer.map(|(key, node)| (key.as_str(), node, key.clone())))
    }
}

/// Python writes `NaN` and `Infinity` bare, and published configurations have them. They become `null` outside strings;
/// the number of places is counted.
fn without_bare_numbers(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut count = 0;
    let (mut string, mut escaped) = (false, false);
    let mut rest = bytes;
    while let Some((byte, tail)) = rest.split_first() {
        if string {
            string = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        } else if let Some(after) =
            [b"-Infinity".as_slice(), b"Infinity", b"NaN"].into_iter().find_map(|word| rest.strip_prefix(word))
        {
            out.extend_from_slice(b"null");
            count += 1;
            rest = after;
            continue;
        } else {
            string = *byte == b'"';
        }
        out.push(*byte);
        rest = tail;
    }
    (out, count)
}

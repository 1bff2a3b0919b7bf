//! The fields that a source states, under the names of Hugging Face's `config.json`.

mod gguf;
mod run;

pub use run::StatedByRun;

/// What a source states of an architecture. A field that it does not state is `None`, never a default.
pub trait Stated {
    /// The name of the architecture: `model_type` of the language model.
    fn model_type(&self) -> Option<&str>;
    /// A whole number, not negative.
    fn int(&self, key: &str) -> Option<u64>;
    /// A flag.
    fn flag(&self, key: &str) -> Option<bool>;
    /// A whole number for each layer.
    fn ints(&self, key: &str) -> Option<Vec<u64>>;
    /// What each layer is, as far as it is stated.
    fn layers(&self) -> &[Kind];
    /// Whether the head reads the embedding's matrix.
    fn tied(&self) -> Option<bool>;
}

/// What a layer is: the words of [`tokenpath_core::model::MIXERS`] and [`tokenpath_core::model::NETWORKS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kind {
    /// What mixes the tokens; `None` when it is left open.
    pub mixer: Option<&'static str>,
    /// What follows; `None` when it is left open.
    pub network: Option<&'static str>,
}

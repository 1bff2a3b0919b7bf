//! From places of tensors to the components of a run: embedding, layers, head, other.

use std::collections::BTreeSet;

use tokenpath_core::model::Components;
use tokenpath_core::{Label, Labels};

use crate::llamacpp::ends::{EMBEDDING, End, HEAD, OUTSIDE};

/// The component a tensor belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The token embedding.
    Embedding,
    /// A decoder layer.
    Layer(i64),
    /// The output head, the final norm included.
    Head,
    /// Anything else.
    Other,
}

/// Where a tensor belongs and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The component.
    pub component: Component,
    /// The role; `other` when no line of the table knows the name.
    pub role: String,
}

/// A hostile header may state any number of layers; those without a tensor are listed up to what names can count.
const MAX_LAYERS: i64 = 10_000;

/// The layer that digits in a name count, from 0.
pub(crate) fn layer_number(digits: &str) -> Option<i64> {
    (digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// The components of a model, in the order embedding, layers, head, other; and which of them each name belongs to.
pub(crate) struct Placed {
    pub(crate) kinds: Vec<(&'static str, String, Option<i64>, Option<End>)>,
    pub(crate) component: Vec<u32>,
    pub(crate) roles: Vec<String>,
}

impl Placed {
    /// Components for tensors at these places; `layers` is how many the source states, so that a layer without tensors
    /// shows. `ends` lists embedding and head even where no tensor is theirs.
    pub(crate) fn new(places: Vec<Place>, layers: Option<i64>, ends: bool) -> Placed {
        let mut layer_numbers: BTreeSet<i64> = places
            .iter()
            .filter_map(|place| match place.component {
                Component::Layer(layer) => Some(layer),
                _ => None,
            })
            .collect();
        layer_numbers.extend(0..layers.unwrap_or(0).min(MAX_LAYERS));
        let layer_numbers: Vec<i64> = layer_numbers.into_iter().collect();
        let has = |component: Component| places.iter().any(|place| place.component == component);
        let mut kinds: Vec<(&'static str, String, Option<i64>, Option<End>)> = Vec::new();
        let mut keys: Vec<Component> = Vec::new();
        if ends || has(Component::Embedding) {
            kinds.push(("token_embedding", "Token embedding".to_owned(), None, Some(EMBEDDING)));
            keys.push(Component::Embedding);
        }
        let first_layer = keys.len();
        for layer in &layer_numbers {
            kinds.push(("decoder_layer", format!("Layer {layer}"), Some(*layer), None));
            keys.push(Component::Layer(*layer));
        }
        if ends || has(Component::Head) {
            kinds.push(("output_head", "Output head".to_owned(), None, Some(HEAD)));
            keys.push(Component::Head);
        }
        if has(Component::Other) {
            kinds.push(("other", "Other".to_owned(), None, Some(OUTSIDE)));
            keys.push(Component::Other);
        }
        let outside: Vec<(Component, usize)> = keys
            .iter()
            .enumerate()
            .filter(|(_, key)| !matches!(key, Component::Layer(_)))
            .map(|(at, key)| (*key, at))
            .collect();
        let index = |component: Component| match component {
            Component::Layer(layer) => layer_numbers.binary_search(&layer).map_or(0, |at| first_layer + at),
            other => outside.iter().find(|(key, _)| *key == other).map_or(0, |(_, at)| *at),
        };
        let component =
            places.iter().map(|place| u32::try_from(index(place.component)).unwrap_or(u32::MAX)).collect::<Vec<_>>();
        Placed { kinds, component, roles: places.into_iter().map(|place| place.role).collect() }
    }

    /// The components table; `end` gives the row of an end, `label` says who placed them.
    pub(crate) fn table(&self, label: Label, end: &mut dyn FnMut(End) -> u32) -> Components {
        Components {
            given: true,
            kind: self.kinds.iter().map(|(kind, ..)| *kind).collect(),
            name: self.kinds.iter().map(|(_, name, ..)| name.as_str()).collect(),
            layer: self.kinds.iter().map(|(_, _, layer, _)| *layer).collect(),
            layer_end: self.kinds.iter().map(|(_, _, _, why)| why.map(&mut *end)).collect(),
            labels: Labels::all(label),
            ..Components::default()
        }
    }
}

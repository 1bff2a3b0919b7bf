//! A configuration in the model section of a run: alone, or beside tensors of the same model.

use tokenpath_core::model::{Parameters, Weights};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::{Config, layers, rows};
use crate::absent::Absences;
use crate::components::Placed;
use crate::llamacpp::ends::End;

/// The model section of a configuration alone: what the architecture states, and no tensor.
pub(crate) fn section(config: &Config, name: &str, absent: &mut Absences, end: &mut dyn FnMut(End) -> u32) -> Weights {
    const REASON: &str = "A configuration holds no tensors; open the safetensors files or their index with it.";
    absent.add("/model/tensors", ReasonCode::NotSupplied, REASON);
    absent.add("/model/file_bytes", ReasonCode::NotSupplied, REASON);
    let placed = Placed::new(Vec::new(), config.layers(), true);
    let mut weights = Weights {
        given: true,
        components: placed.table(Label::read(name), end),
        labels: Labels::all(Label::read(name)),
        ..Weights::default()
    };
    apply(&mut weights, config, name);
    if weights.architecture.is_none() {
        absent.add("/model/architecture", ReasonCode::NotReported, "The configuration has no model_type.");
    }
    weights
}

/// Adds what the configuration states to a section; its values keep the configuration's label.
pub(crate) fn apply(weights: &mut Weights, config: &Config, name: &str) {
    let read = Label::read(name);
    let stated = rows(config);
    weights.architecture = config.architecture();
    weights.layers = config.layers();
    weights.tied_embedding = config.tied();
    for field in ["architecture", "layers", "tied_embedding"] {
        weights.labels.columns.retain(|(known, _)| known != field);
        weights.labels = std::mem::take(&mut weights.labels).with(field, read.clone());
    }
    weights.parameters = Parameters {
        given: true,
        name: stated.iter().map(|(name, ..)| name.as_str()).collect(),
        value: stated.iter().map(|(_, value, ..)| *value).collect(),
        text: stated.iter().map(|(_, _, text, _)| text.as_deref()).collect(),
        source: stated.iter().map(|(.., source)| source.as_str()).collect(),
        labels: Labels::all(read.clone()),
        ..Parameters::default()
    };
    let (kinds, by) = layers(config);
    let table = &mut weights.components;
    let kind = |row: usize| table.layer.get(row).and_then(|layer| kinds.get(usize::try_from(layer).ok()?));
    let rows = table.kind.iter().count();
    let mixer = (0..rows).map(|row| kind(row).and_then(|kind| kind.mixer)).collect();
    let network = (0..rows).map(|row| kind(row).and_then(|kind| kind.network)).collect();
    table.mixer = mixer;
    table.network = network;
    table.labels = std::mem::take(&mut table.labels).with("mixer", by.label(name)).with("network", by.label(name));
}

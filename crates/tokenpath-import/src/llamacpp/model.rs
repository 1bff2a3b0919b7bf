//! The model section of a run without a model file: the weights that the graph names, as the runtime reports them.

use std::collections::BTreeMap;

use tokenpath_core::model::{Tensors, Weights};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::ends::End;
use super::recording::Recording;
use super::topology::Source;
use crate::absent::Absences;
use crate::gguf::Value;
use crate::gguf::{components, parameters, placed};

/// The weights of all graphs in the order in which nodes first read them, and the index of each by name.
pub(super) fn weights(recording: &Recording) -> (Vec<&Source>, BTreeMap<&str, u32>) {
    let mut list: Vec<&Source> = Vec::new();
    let mut index: BTreeMap<&str, u32> = BTreeMap::new();
    for graph in &recording.graphs {
        for weight in graph.topology.nodes.iter().flat_map(|node| node.weights()) {
            let next = u32::try_from(list.len()).unwrap_or(u32::MAX);
            index.entry(&weight.name).or_insert_with(|| {
                list.push(weight);
                next
            });
        }
    }
    (list, index)
}

/// The model section; `None` when no graph names a weight.
pub(super) fn section(
    recording: &Recording,
    reporter: &str,
    absent: &mut Absences,
    end: &mut dyn FnMut(End) -> u32,
) -> Option<Weights> {
    let (list, _) = weights(recording);
    if list.is_empty() {
        return None;
    }
    let reported = Label::reported(reporter);
    let placed = placed(list.iter().map(|weight| weight.name.as_str()), recording.layers);
    let tensors = Tensors {
        given: true,
        name: list.iter().map(|weight| weight.name.as_str()).collect(),
        component: placed.component.iter().copied().collect(),
        role: placed.roles.iter().map(String::as_str).collect(),
        dtype: list.iter().map(|weight| weight.dtype.as_str()).collect(),
        shape: list.iter().map(|weight| (!weight.shape.is_empty()).then_some(weight.shape.as_slice())).collect(),
        bytes: list.iter().map(|weight| weight.bytes).collect(),
        buffer: list.iter().map(|weight| weight.buffer.as_deref()).collect(),
        labels: Labels::all(reported.clone())
            .with("component", Label::inferred("gguf-names"))
            .with("role", Label::inferred("gguf-names")),
        ..Tensors::default()
    };
    if list.iter().any(|weight| weight.shape.is_empty()) {
        let reason = "This recorder states a weight's type and bytes, not its sizes.";
        absent.add("/model/tensors/shape", ReasonCode::NotRecorded, reason);
    }
    if list.iter().any(|weight| weight.bytes.is_none()) {
        absent.add("/model/tensors/bytes", ReasonCode::NotRecorded, "The recorder states no bytes for this weight.");
    }
    let file = match recording.tensor_bytes {
        Some(bytes) => format!(
            "The model file was not given. The runtime states {bytes} bytes for all tensors together, which is less \
             than the file: header and padding are not counted."
        ),
        None => "The model file was not given, and the recorder states no size.".to_owned(),
    };
    absent.add("/model/file_bytes", ReasonCode::NotSupplied, file);
    if recording.architecture.is_none() {
        absent.add("/model/architecture", ReasonCode::NotRecorded, "The recorder does not state the architecture.");
    }
    let named_layers = placed.kinds.iter().filter_map(|(_, _, layer, _)| *layer).max().map(|last| last + 1);
    let layers = recording.layers.or(named_layers);
    if layers.is_none() {
        absent.add("/model/layers", ReasonCode::NotRecorded, "The recorder does not state the number of layers.");
    }
    let metadata: Vec<(String, Value)> = stated(recording);
    let parameters = if metadata.is_empty() {
        let reason = "The recorder states no parameters of the architecture; a model file would.";
        absent.add("/model/parameters", ReasonCode::NotRecorded, reason);
        Default::default()
    } else {
        parameters(
            metadata.iter().map(|(key, value)| (key.as_str(), value)),
            Label::reported("the runtime's load log and model functions"),
        )
    };
    let has_head = list.iter().any(|weight| weight.name == "output.weight");
    let has_embedding = list.iter().any(|weight| weight.name == "token_embd.weight");
    let layers_label = if recording.layers.is_some() {
        reported.clone()
    } else {
        Label::inferred("highest layer that a weight names")
    };
    Some(Weights {
        given: true,
        architecture: recording.architecture.clone(),
        layers,
        stated_parameters: recording.parameters,
        tied_embedding: has_embedding.then_some(!has_head),
        parameters,
        components: components(&placed, end),
        tensors,
        labels: Labels::all(reported)
            .with("layers", layers_label)
            .with("tied_embedding", Label::inferred("no node reads output.weight")),
        ..Weights::default()
    })
}

/// What log and model functions state, in the form of GGUF metadata.
fn stated(recording: &Recording) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    for (key, kind, text) in &recording.metadata {
        let value = match kind.as_str() {
            "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" => text.parse().ok().map(Value::Int),
            "f32" | "f64" => text.parse().ok().map(Value::Float),
            "bool" => text.parse().ok().map(Value::Bool),
            "str" => Some(Value::Text(text.clone())),
            kind => length(kind).map(Value::Array),
        };
        if let Some(value) = value {
            out.push((key.clone(), value));
        }
    }
    if let Some(architecture) = &recording.architecture {
        if !out.iter().any(|(key, _)| key == "general.architecture") {
            out.push(("general.architecture".to_owned(), Value::Text(architecture.clone())));
        }
        let key = format!("{architecture}.embedding_length");
        if let Some(length) = recording.embedding_length
            && !out.iter().any(|(known, _)| *known == key)
        {
            out.push((key, Value::Int(length)));
        }
    }
    out
}

/// The length in an array's type as the log prints it: `arr[str,512]`.
fn length(kind: &str) -> Option<u64> {
    kind.strip_prefix("arr[")?.strip_suffix(']')?.rsplit_once(',')?.1.parse().ok()
}

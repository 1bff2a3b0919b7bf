//! A GGUF header as the model section of a run.

use std::collections::HashSet;

use tokenpath_core::model::{Components, Parameters, Tensors, Weights};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::header::{Model, Value};
use super::layers;
use super::names::place;
use crate::absent::Absences;
use crate::components::Placed;
use crate::llamacpp::ends::End;

/// The rule by which names are placed, for labels.
const RULE: &str = "gguf-names";

/// Places tensors by their names; `layers` is how many the source states, so that a layer without tensors shows.
pub(crate) fn placed<'a>(names: impl Iterator<Item = &'a str>, layers: Option<i64>) -> Placed {
    Placed::new(names.map(place).collect(), layers, false)
}

/// The components table; `end` gives the row of an end.
pub(crate) fn components(placed: &Placed, end: &mut dyn FnMut(End) -> u32) -> Components {
    placed.table(Label::inferred(RULE), end)
}

/// The model section of a GGUF file called `name`.
pub(crate) fn section(model: &Model, name: &str, absent: &mut Absences, end: &mut dyn FnMut(End) -> u32) -> Weights {
    let read = Label::read(name);
    let architecture = model.text("general.architecture").map(str::to_owned);
    let of_architecture =
        |key: &str| architecture.as_deref().and_then(|architecture| model.int(&format!("{architecture}.{key}")));
    let layer_count = of_architecture("block_count").filter(|layers| *layers >= 0);
    let placed = placed(model.tensors.iter().map(|tensor| tensor.name.as_str()), layer_count);
    let sizes = sizes(model);
    for (row, tensor) in model.tensors.iter().enumerate() {
        if tensor.dtype.is_none() {
            let reason = format!("The file gives the type by the number {}, which is unknown.", tensor.type_id);
            absent.add(format!("/model/tensors/dtype/{row}"), ReasonCode::Undecided, reason);
        }
        if sizes.get(row).is_none_or(Option::is_none) {
            let reason =
                "The tensor's type and sizes, or where the next one begins, give no size that a file could have.";
            absent.add(format!("/model/tensors/bytes/{row}"), ReasonCode::Undecided, reason);
        }
    }
    if architecture.is_none() {
        absent.add("/model/architecture", ReasonCode::NotReported, "The file has no general.architecture.");
    }
    if layer_count.is_none() {
        absent.add("/model/layers", ReasonCode::NotReported, "The file states no number of layers.");
    }
    if model.missing_parts > 0 {
        let reason =
            format!("{} parts of the split model are not given, so its size is not known.", model.missing_parts);
        absent.add("/model/file_bytes", ReasonCode::NotSupplied, reason);
    }
    let has_output = model.tensors.iter().any(|tensor| tensor.name == "output.weight");
    let has_embedding = model.tensors.iter().any(|tensor| tensor.name == "token_embd.weight");
    let tensors = Tensors {
        given: true,
        name: model.tensors.iter().map(|tensor| tensor.name.as_str()).collect(),
        component: placed.component.iter().copied().collect(),
        role: placed.roles.iter().map(String::as_str).collect(),
        dtype: model.tensors.iter().map(|tensor| tensor.dtype.map(|dtype| dtype.name)).collect(),
        shape: model
            .tensors
            .iter()
            .map(|tensor| tensor.sizes.iter().map(|size| i64::try_from(*size).ok()).collect::<Option<Vec<i64>>>())
            .collect(),
        bytes: sizes.into_iter().collect(),
        labels: Labels::all(read.clone()).with("component", Label::inferred(RULE)).with("role", Label::inferred(RULE)),
        ..Tensors::default()
    };
    for row in 0..tensors.rows() {
        if tensors.shape.get(row).is_none() {
            let reason = "A stated size does not fit in 64 bits with sign.";
            absent.add(format!("/model/tensors/shape/{row}"), ReasonCode::Undecided, reason);
        }
    }
    let mut components = components(&placed, end);
    if let Some(architecture) = &architecture {
        layers::apply(&mut components, model, architecture, name);
    }
    Weights {
        given: true,
        architecture,
        layers: layer_count,
        file_bytes: i64::try_from(model.file_bytes).ok().filter(|_| model.missing_parts == 0),
        header_bytes: i64::try_from(model.data_offset.min(model.file_bytes)).ok(),
        stated_parameters: model.int("general.parameter_count").filter(|count| *count >= 0),
        tied_embedding: (has_embedding && model.missing_parts == 0).then_some(!has_output),
        parameters: parameters(model.metadata.iter().map(|(key, value)| (key.as_str(), value)), read.clone()),
        components,
        tensors,
        labels: Labels::all(read).with("tied_embedding", Label::inferred("no tensor output.weight")),
        ..Weights::default()
    }
}

/// The tensors' sizes; none for those with which the sum would leave 64 bits with sign, which only a made-up header does.
fn sizes(model: &Model) -> Vec<Option<i64>> {
    let mut sum = 0_i64;
    model
        .tensors
        .iter()
        .map(|tensor| {
            let bytes = i64::try_from(tensor.bytes?).ok()?;
            sum = sum.checked_add(bytes)?;
            Some(bytes)
        })
        .collect()
}

/// The keys after `ARCHITECTURE.` with their names in bundles; all other numbers keep the key as name.
const NAMES: [(&str, &str); 22] = [
    ("block_count", "layer_count"),
    ("context_length", "context_length"),
    ("embedding_length", "embedding_length"),
    ("feed_forward_length", "feed_forward_length"),
    ("expert_feed_forward_length", "expert_feed_forward_length"),
    ("expert_shared_feed_forward_length", "shared_expert_feed_forward_length"),
    ("expert_shared_count", "shared_expert_count"),
    ("expert_count", "expert_count"),
    ("expert_used_count", "expert_used_count"),
    ("leading_dense_block_count", "leading_dense_layer_count"),
    ("attention.head_count", "head_count"),
    ("attention.head_count_kv", "head_count_kv"),
    ("attention.key_length", "head_width"),
    ("attention.value_length", "head_width_value"),
    ("attention.sliding_window", "sliding_window"),
    ("attention.q_lora_rank", "query_rank"),
    ("attention.kv_lora_rank", "key_value_rank"),
    ("rope.dimension_count", "rotary_width"),
    ("full_attention_interval", "full_attention_interval"),
    ("vocab_size", "vocabulary"),
    ("ssm.state_size", "state_width"),
    ("ssm.inner_size", "state_inner_width"),
];

/// The shortest text that gives the number back; most are 32 bits wide and would else show digits that were never stated.
fn float(number: f64) -> String {
    let narrow = number as f32;
    if f64::from(narrow) == number { narrow.to_string() } else { number.to_string() }
}

/// Metadata as parameters: those of the architecture, and the vocabulary's size.
pub(crate) fn parameters<'a>(metadata: impl Iterator<Item = (&'a str, &'a Value)>, label: Label) -> Parameters {
    let metadata: Vec<(&str, &Value)> = metadata.collect();
    let architecture = metadata.iter().find_map(|(key, value)| match value {
        Value::Text(text) if *key == "general.architecture" => Some(text.as_str()),
        _ => None,
    });
    let mut rows: Vec<(String, Option<i64>, Option<String>, &str)> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    let mut add = |name: &str, value: Option<i64>, text: Option<String>, source| {
        if names.insert(name.to_owned()) {
            rows.push((name.to_owned(), value, text, source));
        }
    };
    for (key, value) in &metadata {
        let Some(short) = architecture
            .and_then(|architecture| key.strip_prefix(architecture))
            .and_then(|rest| rest.strip_prefix('.'))
        else {
            continue;
        };
        let name = NAMES.iter().find(|(known, _)| *known == short).map_or(short, |(_, name)| name);
        match value {
            Value::Int(number) if *number >= 0 => add(name, Some(*number), None, *key),
            Value::Int(number) => add(name, None, Some(number.to_string()), *key),
            Value::Large(number) => add(name, None, Some(number.to_string()), *key),
            Value::Float(number) => add(name, None, Some(float(*number)), *key),
            Value::Bool(flag) => add(name, None, Some(flag.to_string()), *key),
            Value::Text(text) => add(name, None, Some(text.clone()), *key),
            Value::Ints(items) => {
                let list = items.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                add(name, None, Some(list), *key);
            }
            Value::Array(_) => {}
        }
    }
    for (key, value) in &metadata {
        if let ("tokenizer.ggml.tokens", Value::Array(length)) = (*key, value) {
            add("vocabulary", i64::try_from(*length).ok(), None, key);
        }
    }
    // More experts used than there are cannot be; the number stays as text, which nothing computes with.
    let value = |name: &str| rows.iter().find(|(known, ..)| known == name).and_then(|(_, value, ..)| *value);
    if let (Some(used), Some(count)) = (value("expert_used_count"), value("expert_count"))
        && used > count
    {
        for row in rows.iter_mut().filter(|row| row.0 == "expert_used_count") {
            row.1 = None;
            row.2 = Some(format!("{used} of {count}, as stated"));
        }
    }
    Parameters {
        given: true,
        name: rows.iter().map(|(name, ..)| name.as_str()).collect(),
        value: rows.iter().map(|(_, value, ..)| *value).collect(),
        text: rows.iter().map(|(_, _, text, _)| text.as_deref()).collect(),
        source: rows.iter().map(|(.., source)| *source).collect(),
        labels: Labels::all(label),
        ..Parameters::default()
    }
}

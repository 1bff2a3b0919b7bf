//! Derivations of the lens Model anatomy: bytes by component, part and type; layers that are alike; projection
//! widths; experts. Shares are shares of the file, never of time.
//!
//! Must never contain: a guess at what the file does not state (head counts from widths, say).

pub mod elements;
pub mod experts;
pub mod layers;
pub mod role;
pub mod stated;
pub mod tensors;
pub mod widths;

use crate::derive::part::{self, Part};
use crate::derive::sum::{Sum, input};
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// Where a component stands between input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The token embedding.
    Embedding,
    /// A decoder layer.
    Layer(u32),
    /// Anything else: final normalisation, rotary factors, what no rule knows.
    Other,
    /// The output head.
    Head,
    /// Tensors whose component is not known.
    Unknown,
}

/// Tensors of one component that share role and type: one band of the byte stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The part of the model.
    pub part: Part,
    /// The role; `None` when it is not known.
    pub role: Option<String>,
    /// The type; `None` when it is not known.
    pub dtype: Option<String>,
    /// Their bytes.
    pub bytes: Sum,
    /// The first of them, for links.
    pub first: u32,
}

/// A component with its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentBytes {
    /// Its row in `/model/components`; `None` for tensors without a known one.
    pub component: Option<u32>,
    /// Where it stands.
    pub place: Place,
    /// Its bytes.
    pub bytes: Sum,
    /// Its bands, attention before feed-forward, each in the order in which a token meets them.
    pub bands: Vec<Band>,
}

/// Bytes of one part and type.
#[derive(Clone, Debug, PartialEq)]
pub struct PartBytes {
    /// The part of the model.
    pub part: Part,
    /// The type; `None` when it is not known.
    pub dtype: Option<String>,
    /// Their bytes.
    pub bytes: Sum,
}

/// The bytes of a model, by component and by part.
#[derive(Clone, Debug, PartialEq)]
pub struct Anatomy {
    /// The components from input to output.
    pub components: Vec<ComponentBytes>,
    /// Bytes by part and type, parts in the order of legends, the largest type first.
    pub parts: Vec<PartBytes>,
    /// Bytes of all tensors.
    pub bytes: Sum,
    /// The layers, compared with each other.
    pub layers: layers::Layers,
    /// Whether tensors and header add up to more than the stated size of the file.
    pub exceeds: bool,
}

/// Computes the anatomy. Cost: linear in tensors, apart from sorting them.
pub fn anatomy(run: &Run) -> Anatomy {
    let tensors = &run.model.tensors;
    let table = &run.model.components;
    let mut components: Vec<ComponentBytes> = (0..table.rows())
        .map(|row| ComponentBytes {
            component: u32::try_from(row).ok(),
            place: match table.kind.get(row) {
                Some("token_embedding") => Place::Embedding,
                Some("decoder_layer") => {
                    table.layer.get(row).and_then(|layer| u32::try_from(layer).ok()).map_or(Place::Other, Place::Layer)
                }
                Some("output_head") => Place::Head,
                _ => Place::Other,
            },
            bytes: Sum::default(),
            bands: Vec::new(),
        })
        .collect();
    let known = components.len();
    components.push(ComponentBytes {
        component: None,
        place: Place::Unknown,
        bytes: Sum::default(),
        bands: Vec::new(),
    });
    let mut parts: Vec<PartBytes> = Vec::new();
    let mut bytes = Sum::default();
    for row in 0..tensors.rows() {
        let size = tensors.bytes.get(row);
        let (part, role, dtype) = (part::of_tensor(run, row), tensors.role.get(row), tensors.dtype.get(row));
        bytes.add(size);
        match parts.iter_mut().find(|known| known.part == part && known.dtype.as_deref() == dtype) {
            Some(known) => known.bytes.add(size),
            None => {
                let mut sum = Sum::default();
                sum.add(size);
                parts.push(PartBytes { part, dtype: dtype.map(str::to_owned), bytes: sum });
            }
        }
        let at = tensors.component.get(row).map_or(known, |component| component as usize);
        let Some(component) = components.get_mut(at) else { continue };
        component.bytes.add(size);
        let same =
            |band: &&mut Band| band.part == part && band.role.as_deref() == role && band.dtype.as_deref() == dtype;
        match component.bands.iter_mut().find(same) {
            Some(band) => band.bytes.add(size),
            None => {
                let mut sum = Sum::default();
                sum.add(size);
                let first = u32::try_from(row).unwrap_or(u32::MAX);
                let (role, dtype) = (role.map(str::to_owned), dtype.map(str::to_owned));
                component.bands.push(Band { part, role, dtype, bytes: sum, first });
            }
        }
    }
    components.retain(|component| component.bytes.cells > 0);
    components.sort_by_key(|component| component.place);
    for component in &mut components {
        component.bands.sort_by_key(|band| (band.part, band.role.as_deref().map(role::rank)));
    }
    parts.sort_by_key(|part| (part.part, std::cmp::Reverse(part.bytes.known)));
    let layers = layers::layers(run, &components);
    let header = run.model.header_bytes.unwrap_or(0);
    let exceeds = run.model.file_bytes.is_some_and(|file| bytes.known.saturating_add(header) > file);
    Anatomy { components, parts, bytes, layers, exceeds }
}

/// A sum of tensor bytes as a reading: exact, or the reason of the first cell that lacks a value.
pub fn tensor_bytes(run: &Run, sum: Sum, what: &str) -> Reading {
    let tensors = &run.model.tensors;
    let pointer = "/model/tensors/bytes";
    match sum.exact() {
        Some(bytes) if sum.cells > 0 => {
            let cells = input(Quantity::Bytes(bytes), &tensors.labels, "bytes", pointer);
            Ok(Fact::derived(
                Quantity::Bytes(bytes),
                format!("sum of the bytes of {what}"),
                vec![(what.to_owned(), cells)],
            ))
        }
        Some(_) => Err(run.missing("/model/tensors")),
        None => {
            let row = (0..tensors.rows()).find(|row| tensors.bytes.get(*row).is_none()).unwrap_or(0);
            let missing = run.missing(&format!("{pointer}/{row}"));
            Err(Missing {
                reason: format!("{} of {} byte counts are missing. {}", sum.unknown, sum.cells, missing.reason),
                ..missing
            })
        }
    }
}

/// The file's size as the bundle states it.
pub fn file_bytes(run: &Run) -> Reading {
    let model = &run.model;
    run.reading(model.file_bytes.map(Quantity::Bytes), model.label("file_bytes"), "/model/file_bytes")
}

/// A sum of tensor bytes as a share of the file; only where every byte count and the file's size are known, and the
/// parts do not exceed it.
pub fn share_of_file(run: &Run, anatomy: &Anatomy, sum: Sum, what: &str) -> Reading {
    let file = file_bytes(run)?;
    let part = tensor_bytes(run, sum, what)?;
    match (&part.quantity, &file.quantity) {
        (Quantity::Bytes(bytes), Quantity::Bytes(total)) if *total > 0 && !anatomy.exceeds => {
            let share = *bytes as f64 / *total as f64;
            let inputs = vec![(what.to_owned(), part), ("file".to_owned(), file)];
            Ok(Fact::derived(Quantity::Share(share), format!("bytes of {what} ÷ bytes of the file"), inputs))
        }
        _ => Err(Missing {
            pointer: "/model/file_bytes".to_owned(),
            reason: "The parts exceed the stated size of the file, so no share of it can be given.".to_owned(),
        }),
    }
}

/// What the file holds besides tensors and, where it is stated, the header. Negative when the parts exceed the
/// stated size, which the page says and does not repair.
pub fn remainder(run: &Run, anatomy: &Anatomy) -> Reading {
    let file = file_bytes(run)?;
    let tensors = tensor_bytes(run, anatomy.bytes, "all tensors")?;
    let mut left = match (&file.quantity, &tensors.quantity) {
        (Quantity::Bytes(file), Quantity::Bytes(tensors)) => file.saturating_sub(*tensors),
        _ => 0,
    };
    let mut text = "bytes of the file − bytes of all tensors".to_owned();
    let mut inputs = vec![("file".to_owned(), file), ("all tensors".to_owned(), tensors)];
    if let Some(header) = run.model.header_bytes {
        left = left.saturating_sub(header);
        text.push_str(" − header");
        let label = run.model.label("header_bytes");
        inputs.push(("header".to_owned(), Fact::stored(Quantity::Bytes(header), label, "/model/header_bytes")));
    }
    Ok(Fact::derived(Quantity::Bytes(left), text, inputs))
}

/// A parameter of the architecture as the source states it; `None` when it states none of that name.
pub fn parameter(run: &Run, name: &str) -> Option<Fact> {
    let table = &run.model.parameters;
    let row = (0..table.rows()).find(|row| table.name.get(*row) == Some(name))?;
    let (quantity, column) = match table.value.get(row) {
        Some(value) => (Quantity::Count(value), "value"),
        None => (Quantity::Text(table.text.get(row)?.to_owned()), "text"),
    };
    Some(Fact::stored(quantity, table.label(column, row), format!("/model/parameters/{column}/{row}")))
}

#[cfg(test)]
mod tests;

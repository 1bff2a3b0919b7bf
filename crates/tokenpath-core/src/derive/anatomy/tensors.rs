//! The tensor table: every tensor, those of one layer, or equal ones of all layers folded into one row.

use std::collections::HashMap;

use crate::column::Texts;
use crate::derive::search::Needle;
use crate::derive::sum::Sum;
use crate::model::Run;

/// Which rows the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// One row for tensors that differ in nothing but their layer.
    Folded,
    /// One row for each tensor.
    All,
    /// The tensors of one layer.
    Layer(u32),
}

/// What the table is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The order of the file.
    File,
    /// The name.
    Name,
    /// The type.
    Dtype,
    /// The bytes; unknown ones last.
    Bytes,
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The tensor, or the first of the folded ones.
    pub tensor: u32,
    /// The layers it stands for; empty for a tensor of no layer.
    pub layers: Vec<u32>,
    /// Bytes of all tensors it stands for.
    pub bytes: Sum,
}

/// The rows that match, sorted, and the sum of their bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The rows.
    pub rows: Vec<Row>,
    /// Bytes of all of them.
    pub bytes: Sum,
}

/// What tensors have in common that fold into one row: starred name, role, shape, type, where the runtime keeps them.
type Alike<'a> = (String, Option<&'a str>, Option<&'a [i64]>, Option<&'a str>, Option<&'a str>);

/// Builds the table. `needle` is looked for in name, role and type.
pub fn table(run: &Run, show: Show, needle: &Needle, key: Key, descending: bool) -> Table {
    let tensors = &run.model.tensors;
    let components = &run.model.components;
    let mut rows: Vec<Row> = Vec::new();
    let mut folded: HashMap<Alike<'_>, usize> = HashMap::new();
    let mut bytes = Sum::default();
    for row in 0..tensors.rows() {
        let (name, role, dtype) = (tensors.name.get(row), tensors.role.get(row), tensors.dtype.get(row));
        if ![name, role, dtype].into_iter().flatten().any(|text| needle.is_in(text)) {
            continue;
        }
        let layer = tensors
            .component
            .get(row)
            .and_then(|component| components.layer.get(component as usize))
            .and_then(|layer| u32::try_from(layer).ok());
        if matches!(show, Show::Layer(wanted) if layer != Some(wanted)) {
            continue;
        }
        let size = tensors.bytes.get(row);
        bytes.add(size);
        let at = match (show, layer) {
            (Show::Folded, Some(_)) => {
                let pattern = starred(name.unwrap_or(""));
                *folded
                    .entry((pattern, role, tensors.shape.get(row), dtype, tensors.buffer.get(row)))
                    .or_insert(rows.len())
            }
            _ => rows.len(),
        };
        if let Some(known) = rows.get_mut(at) {
            known.bytes.add(size);
            // Experts stored one by one fold too: several tensors of one layer.
            if known.layers.last().copied() != layer {
                known.layers.extend(layer);
            }
        } else {
            let mut sum = Sum::default();
            sum.add(size);
            rows.push(Row {
                tensor: u32::try_from(row).unwrap_or(u32::MAX),
                layers: layer.into_iter().collect(),
                bytes: sum,
            });
        }
    }
    for row in &mut rows {
        // A file may list its layers in any order.
        row.layers.sort_unstable();
        row.layers.dedup();
    }
    match key {
        Key::File => {}
        Key::Name => rows.sort_by(|a, b| text(&tensors.name, a).cmp(&text(&tensors.name, b))),
        Key::Dtype => rows.sort_by(|a, b| text(&tensors.dtype, a).cmp(&text(&tensors.dtype, b))),
        Key::Bytes => rows.sort_by_key(|row| row.bytes.known),
    }
    if descending {
        rows.reverse();
    }
    if key == Key::Bytes {
        // Unknown sizes stand last whichever way the known ones run.
        rows.sort_by_key(|row| row.bytes.exact().is_none());
    }
    Table { rows, bytes }
}

fn text<'a>(column: &'a Texts, row: &Row) -> Option<&'a str> {
    column.get(row.tensor as usize)
}

/// A dotted name with its numbers starred: `blk.*.attn_q.weight`, `layers.*.mlp.experts.*.up_proj.weight`.
pub fn starred(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (i, part) in name.split('.').enumerate() {
        if i > 0 {
            out.push('.');
        }
        let number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        out.push_str(if number { "*" } else { part });
    }
    out
}

//! Headers of safetensors as the model section of a run.

use std::collections::HashSet;

use tokenpath_core::model::{Tensors, Weights};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::names::{RULE, places};
use super::{Set, Tensor};
use crate::absent::Absences;
use crate::components::Placed;
use crate::llamacpp::ends::End;

/// One tensor: its name, what its shard states where that is given, and the file that names it.
struct Row<'a> {
    name: &'a str,
    tensor: Option<&'a Tensor>,
    file: &'a str,
}

/// The model section; `layers` is how many a configuration states.
pub(crate) fn section(
    set: &Set,
    layers: Option<i64>,
    absent: &mut Absences,
    end: &mut dyn FnMut(End) -> u32,
) -> Weights {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (file, header) in &set.files {
        rows.extend(header.tensors.iter().map(|tensor| Row { name: &tensor.name, tensor: Some(tensor), file }));
    }
    if let Some((file, index)) = &set.index {
        let known: HashSet<&str> = rows.iter().map(|row| row.name).collect();
        let more = index.tensors.iter().filter(|(name, _)| !known.contains(name.as_str()));
        rows.extend(more.map(|(name, _)| Row { name, tensor: None, file }));
    }
    let places = places(rows.iter().map(|row| row.name));
    let placed = Placed::new(places, layers, false);
    let shapes: Vec<Option<Vec<i64>>> = rows
        .iter()
        .map(|row| row.tensor?.sizes.as_ref()?.iter().map(|size| i64::try_from(*size).ok()).collect())
        .collect();
    // The sum stays within 64 bits with sign; only a made-up header leaves them.
    let mut sum = 0_i64;
    let bytes: Vec<Option<i64>> = rows
        .iter()
        .map(|row| {
            let bytes = row.tensor?.bytes().and_then(|bytes| i64::try_from(bytes).ok())?;
            sum = sum.checked_add(bytes)?;
            Some(bytes)
        })
        .collect();
    let dtypes: Vec<Option<&str>> = rows
        .iter()
        .map(|row| {
            let tensor = row.tensor?;
            tensor.dtype.map(|dtype| dtype.name).or(Some(tensor.spelling.as_str()).filter(|text| !text.is_empty()))
        })
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let cells = [
            ("dtype", dtypes.get(at).is_some_and(Option::is_some)),
            ("shape", shapes.get(at).is_some_and(Option::is_some)),
            ("bytes", bytes.get(at).is_some_and(Option::is_some)),
        ];
        for (column, _) in cells.iter().filter(|(_, there)| !there) {
            let pointer = format!("/model/tensors/{column}/{at}");
            match row.tensor {
                None => absent.add(pointer, ReasonCode::NotSupplied, NOT_GIVEN),
                Some(_) => absent.add(pointer, ReasonCode::Undecided, "The header states none that a file could have."),
            }
        }
    }
    let labels = || rows.iter().map(|row| Label::read(row.file));
    let tensors = Tensors {
        given: true,
        name: rows.iter().map(|row| row.name).collect(),
        component: placed.component.iter().copied().collect(),
        role: placed.roles.iter().map(String::as_str).collect(),
        dtype: dtypes.into_iter().collect(),
        shape: shapes.into_iter().collect(),
        bytes: bytes.into_iter().collect(),
        labels: Labels::all(Label::inferred(RULE))
            .with_rows("name", labels())
            .with_rows("dtype", labels())
            .with_rows("shape", labels())
            .with_rows("bytes", labels()),
        ..Tensors::default()
    };
    let whole = set.missing.is_empty();
    let total = |each: &dyn Fn(&super::Header) -> u64| {
        let sum = set.files.iter().try_fold(0_u64, |sum, (_, header)| sum.checked_add(each(header)))?;
        i64::try_from(sum).ok().filter(|_| whole)
    };
    let file_bytes = total(&|header| header.file_bytes);
    if file_bytes.is_none() {
        let stated = set.index.as_ref().and_then(|(_, index)| index.total_bytes).map_or_else(String::new, |bytes| {
            format!(" The index states {bytes} bytes for all tensors together, headers not counted.")
        });
        let reason =
            format!("{} shards are not given, so the size of all files is not known.{stated}", set.missing.len());
        absent.add("/model/file_bytes", ReasonCode::NotSupplied, reason);
    }
    let reason = "safetensors state no architecture; the config.json beside them does.";
    absent.add("/model/architecture", ReasonCode::NotReported, reason);
    absent.add("/model/parameters", ReasonCode::NotReported, reason);
    if layers.is_none() {
        absent.add("/model/layers", ReasonCode::NotReported, reason);
    }
    let stated = set.index.as_ref().and_then(|(name, index)| Some((name, index.total_parameters?)));
    let source = set.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    let source = match (source.as_slice(), &set.index) {
        ([one], _) => (*one).to_owned(),
        ([], Some((index, _))) => index.clone(),
        (many, _) => format!("{} shards", many.len()),
    };
    let mut labels = Labels::all(Label::read(source));
    if let Some((name, _)) = stated {
        labels = labels.with("stated_parameters", Label::read(name.as_str()));
    }
    Weights {
        given: true,
        file_bytes,
        header_bytes: total(&|header| header.header_bytes),
        stated_parameters: stated.map(|(_, count)| count),
        components: placed.table(Label::inferred(RULE), end),
        tensors,
        labels,
        ..Weights::default()
    }
}

/// Why a tensor of which only the index is known has no type, shape or bytes.
const NOT_GIVEN: &str = "Only the index names this tensor: types, shapes and bytes are in the headers of the shards.";

//! Split GGUF models: parts that state their number and how many there are become one table of tensors.

use std::collections::HashMap;

use super::header::Model;

/// Rule that puts parts together.
pub(crate) const SPLIT: &str = "split-parts";

impl Model {
    /// The part's number, from 0, and how many parts there are; `None` for a file that is a whole model.
    pub fn split(&self) -> Option<(i64, i64)> {
        let count = self.int("split.count").filter(|count| *count > 1)?;
        self.int("split.no").filter(|number| (0..count).contains(number)).map(|number| (number, count))
    }
}

/// The name of the first part, the whole model, and a sentence where there were several parts.
pub(crate) type Merged = (String, Model, Option<String>);

/// Puts the given parts together in their order; with a sentence where there are several. Two that do not fit are given
/// back with the reason.
pub(crate) fn merge(mut parts: Vec<(String, Model)>) -> Result<Merged, (String, String, String)> {
    parts.sort_by_key(|(_, model)| model.split());
    let given = parts.len();
    let mut parts = parts.into_iter();
    let Some((name, mut whole)) = parts.next() else { return Ok((String::new(), Model::default(), None)) };
    let count = whole.split().map_or(0, |(_, count)| count);
    let mut numbers = vec![whole.split().map_or(0, |(number, _)| number)];
    let mut owners: HashMap<String, String> =
        whole.tensors.iter().map(|tensor| (tensor.name.clone(), name.clone())).collect();
    for (other, part) in parts {
        let apart = |first: &str, reason: String| Err((first.to_owned(), other.clone(), reason));
        let (number, of) = part.split().unwrap_or((0, 0));
        if of != count {
            return apart(&name, format!("one is of {count} parts, the other of {of}"));
        }
        if numbers.last() == Some(&number) {
            return apart(&name, format!("both are part {} of {count}", number + 1));
        }
        for tensor in &part.tensors {
            if let Some(first) = owners.insert(tensor.name.clone(), other.clone()) {
                return apart(&first, format!("both hold the tensor {:?}", tensor.name));
            }
        }
        numbers.push(number);
        whole.tensors.extend(part.tensors);
        whole.file_bytes = whole.file_bytes.saturating_add(part.file_bytes);
        whole.data_offset = whole.data_offset.saturating_add(part.data_offset);
        whole.remarks.extend(part.remarks.into_iter().map(|remark| format!("{other}: {remark}")));
        let known: Vec<String> = whole.metadata.iter().map(|(key, _)| key.clone()).collect();
        whole.metadata.extend(part.metadata.into_iter().filter(|(key, _)| !known.contains(key)));
    }
    let missing: Vec<String> = (0..count.min(10_000))
        .filter(|number| !numbers.contains(number))
        .map(|number| (number + 1).to_string())
        .collect();
    if !missing.is_empty() {
        whole.missing_parts = missing.len() as u64;
        whole.remarks.push(format!("Of {count} parts these are not given: {}.", missing.join(", ")));
    }
    if let Some(stated) = whole.int("split.tensors.count")
        && missing.is_empty()
        && i64::try_from(whole.tensors.len()).ok() != Some(stated)
    {
        whole.remarks.push(format!("The parts state {stated} tensors together and hold {}.", whole.tensors.len()));
    }
    let note = (given > 1)
        .then(|| format!("{given} of {count} parts, by the numbers that they state; no tensor is in two of them."));
    Ok((name, whole, note))
}

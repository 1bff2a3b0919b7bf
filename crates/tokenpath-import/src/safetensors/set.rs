//! Shards to one model: by the index, which names the shard of each tensor, else by the numbers in their names.

use std::collections::{HashMap, HashSet};

use super::names::place;
use super::{Header, Index};
use crate::components::Component;
use crate::config::Config;

/// Rule that finds the shard of an index that a file is, by the names of its tensors.
pub(crate) const BY_INDEX: &str = "shards-of-the-index";
/// Rule that takes files without an index for shards of one model.
pub(crate) const BY_NUMBER: &str = "shard-numbers";

/// Files of one model.
pub(crate) struct Set {
    /// The given files in the order of their shards.
    pub(crate) files: Vec<(String, Header)>,
    /// The index, if it was given.
    pub(crate) index: Option<(String, Index)>,
    /// Shards that were not given; names or numbers.
    pub(crate) missing: Vec<String>,
}

/// Two files that do not belong together, the rule and why.
pub(crate) struct Apart {
    pub(crate) first: String,
    pub(crate) second: String,
    pub(crate) rule: &'static str,
    pub(crate) reason: String,
}

/// A set, and the rule that joined it with what it found.
pub(crate) type Joined = (Set, Option<(&'static str, String)>);

/// Joins files and index; with the rule and what it found where there is more than one.
pub(crate) fn join(mut files: Vec<(String, Header)>, index: Option<(String, Index)>) -> Result<Joined, Apart> {
    if let Some((index_name, index)) = index {
        return by_index(files, index_name, index);
    }
    if files.len() < 2 {
        let missing = files.first().and_then(|(name, _)| numbered(name)).map_or_else(Vec::new, |(_, _, count)| {
            let given = files.first().and_then(|(name, _)| numbered(name)).map(|(_, number, _)| number);
            (1..=count).filter(|number| Some(*number) != given).map(|number| format!("{number} of {count}")).collect()
        });
        return Ok((Set { files, index: None, missing }, None));
    }
    let apart = |first: &str, second: &str, reason: String| Apart {
        first: first.to_owned(),
        second: second.to_owned(),
        rule: BY_NUMBER,
        reason,
    };
    let first = files.first().map_or("", |(name, _)| name.as_str()).to_owned();
    let mut numbers: HashMap<u32, String> = HashMap::new();
    let stem = numbered(&first).map(|(stem, _, count)| (stem.to_owned(), count));
    for (name, _) in &files {
        let found = numbered(name).map(|(stem, number, count)| ((stem.to_owned(), count), number));
        let (Some((key, number)), Some(wanted)) = (found, &stem) else {
            let reason = "without the index, only names numbered as 1 of N tell that files are shards of one model; \
                          give model.safetensors.index.json as well";
            let other = files.iter().map(|(name, _)| name).find(|other| *other != name).unwrap_or(&first);
            return Err(apart(other, name, reason.to_owned()));
        };
        if key != *wanted {
            return Err(apart(&first, name, "their names number the shards of different models".to_owned()));
        }
        if let Some(other) = numbers.insert(number, name.clone()) {
            return Err(apart(&other, name, format!("both are shard {number}")));
        }
    }
    let mut names: HashMap<&str, &str> = HashMap::new();
    for (file, header) in &files {
        for tensor in &header.tensors {
            if let Some(other) = names.insert(&tensor.name, file)
                && other != file
            {
                return Err(apart(other, file, format!("both hold the tensor {:?}", tensor.name)));
            }
        }
    }
    files.sort_by_key(|(name, _)| numbered(name).map(|(_, number, _)| number));
    let count = stem.map_or(0, |(_, count)| count);
    let missing: Vec<String> = (1..=count)
        .filter(|number| !numbers.contains_key(number))
        .map(|number| format!("{number} of {count}"))
        .collect();
    let text =
        format!("{} of {count} shards, by the numbers in their names; no tensor is in two of them.", files.len());
    Ok((Set { files, index: None, missing }, Some((BY_NUMBER, text))))
}

fn by_index(mut files: Vec<(String, Header)>, index_name: String, index: Index) -> Result<Joined, Apart> {
    let rows: HashMap<&str, u32> = index.tensors.iter().map(|(name, shard)| (name.as_str(), *shard)).collect();
    let apart = |first: &str, second: &str, reason: String| Apart {
        first: first.to_owned(),
        second: second.to_owned(),
        rule: BY_INDEX,
        reason,
    };
    let mut given: HashMap<u32, String> = HashMap::new();
    let mut matched = 0_usize;
    for (file, header) in &files {
        let shards: HashSet<Option<u32>> =
            header.tensors.iter().map(|tensor| rows.get(tensor.name.as_str()).copied()).collect();
        let shard = match shards.iter().next() {
            Some(Some(shard)) if shards.len() == 1 => *shard,
            _ => {
                let unknown = header.tensors.iter().filter(|tensor| !rows.contains_key(tensor.name.as_str())).count();
                let reason = format!(
                    "{unknown} of its {} tensors are not in the index, the others in {} of its shards",
                    header.tensors.len(),
                    shards.iter().flatten().count()
                );
                return Err(apart(&index_name, file, reason));
            }
        };
        matched += header.tensors.len();
        if let Some(other) = given.insert(shard, file.clone()) {
            return Err(apart(&other, file, "both hold tensors of the same shard".to_owned()));
        }
    }
    let missing =
        (0_u32..).zip(&index.shards).filter(|(row, _)| !given.contains_key(row)).map(|(_, name)| name.clone());
    let missing: Vec<String> = missing.collect();
    let order: HashMap<String, u32> = given.into_iter().map(|(shard, name)| (name, shard)).collect();
    files.sort_by_key(|(name, _)| order.get(name).copied());
    let text = format!(
        "{} of {} shards of the index are given, with {matched} of its {} tensors.",
        files.len(),
        index.shards.len(),
        index.tensors.len()
    );
    let note = (!files.is_empty()).then_some((BY_INDEX, text));
    Ok((Set { files, index: Some((index_name, index)), missing }, note))
}

/// Whether tensors and configuration are of one model: every layer that a tensor names is one the configuration has, and
/// the embedding, where its shape is known, is as wide as stated. The sentence says what was compared.
pub(crate) fn belongs(set: &Set, config: &Config) -> Result<String, String> {
    let stated = config.layers().unwrap_or(0);
    // Heads that predict further tokens are stored as layers after the last.
    let most = stated.saturating_add(config.int("num_nextn_predict_layers").unwrap_or(0));
    let of_files = set.files.iter().flat_map(|(_, header)| header.tensors.iter().map(|tensor| tensor.name.as_str()));
    let of_index = set.index.iter().flat_map(|(_, index)| index.tensors.iter().map(|(name, _)| name.as_str()));
    let mut highest = None;
    for name in of_files.chain(of_index) {
        if let Component::Layer(layer) = place(name).component {
            highest = highest.max(Some(layer));
        }
    }
    let Some(highest) = highest else {
        return Err("no tensor names a layer, so nothing can be compared".to_owned());
    };
    if highest >= most {
        return Err(format!("tensors name a layer {highest}, and the configuration has {stated} layers"));
    }
    let width = config.first(&["hidden_size", "n_embd", "n_embed", "d_model"]);
    let tensors = set.files.iter().flat_map(|(_, header)| &header.tensors);
    let embedding = tensors
        .filter(|tensor| place(&tensor.name).role == "token_embedding")
        .find_map(|tensor| i64::try_from(*tensor.sizes.as_ref()?.first()?).ok());
    match (width, embedding) {
        (Some(width), Some(found)) if width != found => {
            Err(format!("the embedding is {found} wide, and the configuration states {width}"))
        }
        (Some(width), Some(_)) => Ok(format!(
            "The highest layer that a tensor names is {highest} of {stated} layers stated, and the embedding is {width} wide as stated."
        )),
        _ => Ok(format!("The highest layer that a tensor names is {highest} of {stated} layers stated.")),
    }
}

/// Stem, number and count of a name that ends in `-00001-of-00003.safetensors`.
fn numbered(name: &str) -> Option<(&str, u32, u32)> {
    let stem = name.strip_suffix(".safetensors")?;
    let (stem, count) = stem.rsplit_once("-of-")?;
    let (stem, number) = stem.rsplit_once('-')?;
    let number: u32 = number.parse().ok()?;
    // A name may count anything; no model has as many shards.
    let count: u32 = count.parse().ok().filter(|count| *count <= 10_000)?;
    (number >= 1 && number <= count).then_some((stem, number, count))
}

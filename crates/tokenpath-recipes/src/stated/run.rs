//! What a run's model section states, as its configuration or its GGUF file stated it.

use tokenpath_core::Run;
use tokenpath_core::derive::anatomy::layers::LayerKind;
use tokenpath_core::model::{MIXERS, NETWORKS};

use super::{Kind, Stated, gguf};

/// The model section of a run.
#[derive(Clone, Debug)]
pub struct StatedByRun<'a> {
    run: &'a Run,
    /// The architecture's name in GGUF, where the parameters came from such a file.
    gguf: Option<&'a str>,
    layers: Vec<Kind>,
}

impl<'a> StatedByRun<'a> {
    /// Reads what the run states. `kinds` are the kinds of its layers as its tensors tell them
    /// ([`tokenpath_core::derive::anatomy`]). Cost: linear in tensors.
    pub fn new(run: &'a Run, kinds: &[LayerKind]) -> Self {
        let architecture = run.model.architecture.as_deref();
        let sources = &run.model.parameters.source;
        let gguf = architecture.filter(|name| {
            sources.iter().flatten().any(|source| source.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
        });
        let mut stated = StatedByRun { run, gguf, layers: Vec::new() };
        stated.layers = match gguf {
            Some(architecture) => stated.by_tensors(architecture, kinds),
            None => stated.in_words().into_iter().map(|(_, kind)| kind).collect(),
        };
        stated
    }

    /// The row of the parameter whose source is this field, nested or not.
    fn row(&self, key: &str) -> Option<usize> {
        let table = &self.run.model.parameters;
        (0..table.rows()).find(|row| {
            table.source.get(*row).is_some_and(|source| source.rsplit('.').next().is_some_and(|last| last == key))
        })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.run.model.parameters.text.get(self.row(key)?)
    }

    /// The number of a parameter by its whole source.
    fn of_source(&self, wanted: &str) -> Option<u64> {
        let table = &self.run.model.parameters;
        let row = (0..table.rows()).find(|row| table.source.get(*row) == Some(wanted))?;
        u64::try_from(table.value.get(row)?).ok()
    }

    fn has_role(&self, roles: &[&str]) -> bool {
        self.run.model.tensors.role.iter().flatten().any(|role| roles.contains(&role))
    }

    /// The layers in the words of the source, with their numbers.
    fn in_words(&self) -> Vec<(i64, Kind)> {
        let table = &self.run.model.components;
        let word =
            |known: &[&'static str], word: Option<&str>| known.iter().copied().find(|known| Some(*known) == word);
        let mut layers: Vec<(i64, Kind)> = (0..table.rows())
            .filter(|row| table.kind.get(*row) == Some("decoder_layer"))
            .filter_map(|row| {
                let kind = Kind {
                    mixer: word(&MIXERS, table.mixer.get(row)),
                    network: word(&NETWORKS, table.network.get(row)),
                };
                Some((table.layer.get(row)?, kind))
            })
            .collect();
        layers.sort_by_key(|(layer, _)| *layer);
        layers
    }

    /// The layers by the roles of their tensors, with the mixer that the source states where it does.
    fn by_tensors(&self, architecture: &str, kinds: &[LayerKind]) -> Vec<Kind> {
        let words = self.in_words();
        let windows = self.of_source(&format!("{architecture}.attention.sliding_window")).is_some();
        let mut layers: Vec<(u32, Kind)> = kinds
            .iter()
            .flat_map(|kind| {
                let what = gguf::kind(architecture, kind.mixer, kind.network, windows);
                kind.layers.iter().map(move |layer| (*layer, what.clone()))
            })
            .collect();
        for (layer, kind) in &mut layers {
            let stated = words.binary_search_by_key(&i64::from(*layer), |(number, _)| *number);
            let stated = stated.ok().and_then(|at| words.get(at)).and_then(|(_, kind)| kind.mixer);
            kind.mixer = stated.or(kind.mixer);
        }
        layers.sort_by_key(|(layer, _)| *layer);
        layers.into_iter().map(|(_, kind)| kind).collect()
    }
}

impl Stated for StatedByRun<'_> {
    fn model_type(&self) -> Option<&str> {
        let architecture = self.run.model.architecture.as_deref()?;
        Some(match self.gguf {
            Some(name) => gguf::model_type(
                name,
                self.has_role(&["router_correction", "router_correction_bias"]),
                self.of_source(&format!("{name}.expert_count")).is_some_and(|count| count > 0),
            ),
            None => architecture,
        })
    }

    fn int(&self, key: &str) -> Option<u64> {
        if let Some(architecture) = self.gguf {
            if key == "vocab_size" {
                let table = &self.run.model.parameters;
                let row = (0..table.rows()).find(|row| table.name.get(*row) == Some("vocabulary"))?;
                return u64::try_from(table.value.get(row)?).ok();
            }
            return gguf::int(architecture, key, &|key| self.of_source(&format!("{architecture}.{key}")));
        }
        u64::try_from(self.run.model.parameters.value.get(self.row(key)?)?).ok()
    }

    fn flag(&self, key: &str) -> Option<bool> {
        if self.gguf.is_some() {
            let roles = gguf::roles_of_flag(key);
            return (!roles.is_empty()).then(|| self.has_role(roles));
        }
        match self.text(key)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Lists stand as text: the numbers with commas, or `7 in each of 3`.
    fn ints(&self, key: &str) -> Option<Vec<u64>> {
        let text = self.text(key)?;
        if let Some((value, count)) = text.split_once(" in each of ") {
            let count: usize = count.parse().ok()?;
            // A list has a value a layer; what claims more layers than the run has is not one.
            let layers = usize::try_from(self.run.model.layers?).ok()?;
            return (count == layers).then(|| value.parse().ok().map(|value| vec![value; count]))?;
        }
        text.split(", ").map(|value| value.parse().ok()).collect()
    }

    fn layers(&self) -> &[Kind] {
        &self.layers
    }

    fn tied(&self) -> Option<bool> {
        self.run.model.tied_embedding
    }
}

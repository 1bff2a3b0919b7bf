//! What a run's model section states, as its configuration stated it.

use tokenpath_core::Run;
use tokenpath_core::model::{MIXERS, NETWORKS};

use super::{Kind, Stated};

/// The model section of a run.
#[derive(Clone, Copy, Debug)]
pub struct StatedByRun<'a>(pub &'a Run);

impl StatedByRun<'_> {
    /// The row of the parameter whose source is this field, nested or not.
    fn row(&self, key: &str) -> Option<usize> {
        let table = &self.0.model.parameters;
        (0..table.rows()).find(|row| {
            table.source.get(*row).is_some_and(|source| source.rsplit('.').next().is_some_and(|last| last == key))
        })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.model.parameters.text.get(self.row(key)?)
    }
}

impl Stated for StatedByRun<'_> {
    fn model_type(&self) -> Option<&str> {
        self.0.model.architecture.as_deref()
    }

    fn int(&self, key: &str) -> Option<u64> {
        u64::try_from(self.0.model.parameters.value.get(self.row(key)?)?).ok()
    }

    fn flag(&self, key: &str) -> Option<bool> {
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
            let layers = usize::try_from(self.0.model.layers?).ok()?;
            return (count == layers).then(|| value.parse().ok().map(|value| vec![value; count]))?;
        }
        text.split(", ").map(|value| value.parse().ok()).collect()
    }

    fn layers(&self) -> Vec<Kind> {
        let table = &self.0.model.components;
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
        layers.into_iter().map(|(_, kind)| kind).collect()
    }

    fn tied(&self) -> Option<bool> {
        self.0.model.tied_embedding
    }
}

//! What the lens draws that depends on the run alone: computed once for a run, not for each keystroke in a field.

use tokenpath_core::Run;
use tokenpath_core::derive::anatomy::elements::{Elements, elements};
use tokenpath_core::derive::anatomy::{self, Anatomy};
use tokenpath_recipes::architecture::Architecture;
use tokenpath_recipes::stated::StatedByRun;
use tokenpath_recipes::{Refused, Totals, assemble, totals};

/// A recipe's counts.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) architecture: Architecture,
    pub(super) totals: Totals,
}

/// What the lens Model anatomy needs of a run whatever is selected, searched or sorted.
#[derive(Clone, Debug)]
pub struct ModelFacts {
    pub(super) anatomy: Anatomy,
    /// Elements counted in the tensors, by place.
    pub(super) counted: Vec<Elements>,
    /// The recipe of the stated architecture, or why there is none.
    pub(super) recipe: Result<Recipe, Refused>,
    /// Tensors whose name no rule knows.
    pub(super) others: usize,
    /// Whether the runtime named the buffer of any tensor.
    pub(super) buffers: bool,
    /// The largest tensor and its bytes; the last of equal ones.
    pub(super) largest: Option<(usize, i64)>,
}

impl ModelFacts {
    /// Computes them. Cost: that of [`anatomy::anatomy`].
    pub fn new(run: &Run) -> ModelFacts {
        let tensors = &run.model.tensors;
        let anatomy = anatomy::anatomy(run);
        let stated = StatedByRun::new(run, &anatomy.layers.kinds);
        let recipe = assemble(&stated).map(|architecture| Recipe { totals: totals(&architecture), architecture });
        ModelFacts {
            counted: elements(run),
            recipe,
            others: tensors.role.iter().filter(|role| *role == Some("other")).count(),
            buffers: (0..tensors.rows()).any(|row| tensors.buffer.get(row).is_some()),
            largest: (0..tensors.rows())
                .filter_map(|row| Some((row, tensors.bytes.get(row)?)))
                .max_by_key(|(_, bytes)| *bytes),
            anatomy,
        }
    }
}

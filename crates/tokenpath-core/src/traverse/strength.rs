//! Labels by number, ordered by strength: the weaker of two is the larger number.

use std::cmp::Reverse;

use crate::label::{ColumnLabel, Label, LabelKind, Labels};
use crate::model::Run;

/// A label's number; larger is weaker.
pub(super) type LabelId = u32;

/// The formula by which candidate nodes are computed where the producer does not supply them.
const CANDIDATES: &str = "nodes of the submission's node set that may run as the interval's kernel";

/// All labels that a walk can meet, from the strongest to the weakest.
///
/// Of two labels of one kind the one whose detail comes first in the alphabet counts as the weaker, so that which label
/// a chain ends up with does not depend on the order of rows.
pub(super) struct Strengths {
    sorted: Vec<Label>,
    /// The label of a value without one.
    pub(super) unlabelled: LabelId,
    /// The label of computed candidates.
    pub(super) candidates: LabelId,
}

impl Strengths {
    pub(super) fn new(run: &Run) -> Strengths {
        let unlabelled = Label::new(LabelKind::Estimated, "no label in the bundle");
        let candidates = Label::derived(CANDIDATES);
        let mut sorted = vec![unlabelled.clone(), candidates.clone()];
        let tables = [
            &run.passes.rows.labels,
            &run.timeline.segments.labels,
            &run.timeline.submissions.labels,
            &run.timeline.node_sets.labels,
            &run.timeline.intervals.labels,
            &run.graph.nodes.labels,
            &run.model.components.labels,
            &run.model.tensors.labels,
        ];
        for labels in tables {
            sorted.extend(labels.all.iter().cloned());
            for (_, column) in &labels.columns {
                match column {
                    ColumnLabel::All(label) => sorted.push(label.clone()),
                    ColumnLabel::PerRow { values, .. } => sorted.extend(values.iter().cloned()),
                }
            }
        }
        sorted.sort_by(order);
        sorted.dedup();
        let mut strengths = Strengths { sorted, unlabelled: 0, candidates: 0 };
        strengths.unlabelled = strengths.id(&unlabelled);
        strengths.candidates = strengths.id(&candidates);
        strengths
    }

    fn id(&self, label: &Label) -> LabelId {
        let at = self.sorted.binary_search_by(|known| order(known, label)).unwrap_or_else(|at| at);
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The label with this number.
    pub(super) fn label(&self, id: LabelId) -> Label {
        let found = self.sorted.get(id as usize).or_else(|| self.sorted.last());
        found.cloned().unwrap_or_else(|| Label::new(LabelKind::Estimated, ""))
    }

    /// All labels, each at its number.
    pub(super) fn all(&self) -> &[Label] {
        &self.sorted
    }

    /// The labels of one column, by number.
    pub(super) fn cells<'r>(&self, labels: &'r Labels, column: &str) -> CellLabels<'r> {
        match labels.column(column) {
            Some(ColumnLabel::All(label)) => CellLabels::All(self.id(label)),
            Some(ColumnLabel::PerRow { values, rows }) => CellLabels::PerRow {
                values: values.iter().map(|label| self.id(label)).collect(),
                rows,
                unlabelled: self.unlabelled,
            },
            None => CellLabels::All(labels.all.as_ref().map_or(self.unlabelled, |label| self.id(label))),
        }
    }
}

fn order(a: &Label, b: &Label) -> std::cmp::Ordering {
    (a.kind, Reverse(&a.detail)).cmp(&(b.kind, Reverse(&b.detail)))
}

/// The labels of one column's cells, by number.
pub(super) enum CellLabels<'r> {
    /// One for all rows.
    All(LabelId),
    /// Rows differ.
    PerRow {
        /// The distinct labels.
        values: Vec<LabelId>,
        /// For each row, its index in `values`.
        rows: &'r [u32],
        /// For rows that have none.
        unlabelled: LabelId,
    },
}

impl CellLabels<'_> {
    /// The label of one row.
    pub(super) fn at(&self, row: usize) -> LabelId {
        match self {
            CellLabels::All(id) => *id,
            CellLabels::PerRow { values, rows, unlabelled } => {
                rows.get(row).and_then(|index| values.get(*index as usize)).copied().unwrap_or(*unlabelled)
            }
        }
    }

    /// The weakest label of any row.
    pub(super) fn weakest(&self) -> LabelId {
        match self {
            CellLabels::All(id) => *id,
            CellLabels::PerRow { values, unlabelled, .. } => values.iter().max().copied().unwrap_or(*unlabelled),
        }
    }
}

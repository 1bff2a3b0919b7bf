//! Where a hop ends without a target: at a gap of the bundle, or at an answer.
//!
//! Both are small copies here, so that a walk over a million intervals makes no text; text is made when a verdict or an
//! opened chain is put together.

use std::borrow::Cow;

use crate::ReasonCode;
use crate::model::Run;

/// A place of the bundle that holds no relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    /// A section, table, record field or whole column.
    Whole(&'static str),
    /// One cell of a column.
    Cell(&'static str, u32),
}

impl Place {
    /// RFC 6901 pointer.
    pub(super) fn pointer(self) -> String {
        match self {
            Place::Whole(pointer) => pointer.to_owned(),
            Place::Cell(column, row) => format!("{column}/{row}"),
        }
    }

    /// The pointer with the row starred.
    pub(super) fn starred(self) -> String {
        match self {
            Place::Whole(pointer) => pointer.to_owned(),
            Place::Cell(column, _) => format!("{column}/*"),
        }
    }

    /// The pointer of the section, table or column; equal for all cells of a column.
    pub(super) fn column(self) -> &'static str {
        match self {
            Place::Whole(pointer) | Place::Cell(pointer, _) => pointer,
        }
    }
}

/// Why a place holds no relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Why {
    /// The bundle says: an entry of the absence list.
    Entry(u32),
    /// The bundle gives no reason.
    Unexplained,
    /// The cell points past the end of the table at this pointer.
    Dangling(&'static str),
    /// A list is empty and the companion column does not say why.
    EmptyList,
    /// Several cells of one column, for different reasons.
    Mixed,
    /// A stretch that the instrument did not record: a row of `/timeline/unrecorded`.
    Unrecorded(u32),
    /// A sentence of this module.
    Said(&'static str),
}

/// A relation that the bundle does not supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) place: Place,
    pub(super) why: Why,
}

impl Gap {
    /// The reason in words: the bundle's own where it gives one. Holds no row number, so that equal gaps group.
    pub(super) fn reason(self, run: &Run) -> Cow<'_, str> {
        let unexplained =
            || Cow::Owned(format!("The bundle holds no value at {} and gives no reason.", self.place.starred()));
        match self.why {
            Why::Entry(entry) => {
                let entry = run.absent.get(entry as usize);
                entry.map_or_else(unexplained, |absence| Cow::Borrowed(absence.reason.as_str()))
            }
            Why::Unexplained => unexplained(),
            Why::Dangling(table) => Cow::Owned(format!("The reference points past the end of {table}.")),
            Why::EmptyList => Cow::Borrowed("The list is empty, and the bundle does not say why."),
            Why::Mixed => Cow::Borrowed("Several cells of the column are null, for different reasons."),
            Why::Unrecorded(row) => {
                let reason = run.timeline.unrecorded.reason.get(row as usize);
                Cow::Borrowed(reason.unwrap_or("The instrument did not record part of this pass."))
            }
            Why::Said(sentence) => Cow::Borrowed(sentence),
        }
    }

    /// Whether a whole section, table or column is away because the capture mode does not reach that depth.
    pub(super) fn is_depth(self, run: &Run) -> bool {
        match (self.place, self.why) {
            (Place::Whole(_), Why::Entry(entry)) => {
                run.absent.get(entry as usize).is_some_and(|absence| absence.code == ReasonCode::Depth)
            }
            _ => false,
        }
    }
}

/// An answer with which a chain ends: the bundle's, or one that follows from a relation that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum End {
    /// A row of `/traversal/ends`.
    Stored(u32),
    /// No tensor names the component.
    NoTensor,
    /// No node of the pass's graph reads the tensor.
    NoReader,
    /// Intervals of the pass fit the node as another of its kernels.
    OtherKernel,
    /// No interval of the pass fits the node.
    NotRun,
    /// The instrument records only some executions.
    Sparse,
    /// The instrument is not said to record every execution.
    NotComplete,
}

impl End {
    /// A short code: the bundle's own, or one of this module.
    pub(super) fn code(self, run: &Run) -> Option<&str> {
        match self {
            End::Stored(row) => run.traversal.ends.code.get(row as usize),
            End::NoTensor => Some("component-without-tensors"),
            End::NoReader => Some("tensor-not-read"),
            End::OtherKernel => Some("ran-as-other-kernel"),
            End::NotRun => Some("not-executed"),
            End::Sparse => Some("sparse-instrument"),
            End::NotComplete => Some("timing-not-complete"),
        }
    }

    /// The answer in words.
    pub(super) fn text(self, run: &Run) -> &str {
        match self {
            End::Stored(row) => {
                let ends = &run.traversal.ends;
                let text = ends.text.get(row as usize).or_else(|| ends.code.get(row as usize));
                text.unwrap_or("The bundle says that the chain ends here and gives no reason.")
            }
            End::NoTensor => "No tensor belongs to the component, and every tensor says what it belongs to.",
            End::NoReader => "No node of this pass's graph reads the tensor, and every node says what it reads.",
            End::OtherKernel => {
                "Intervals of this pass fit the node as another of the kernels it may run as, none as this one."
            }
            End::NotRun => {
                "No interval of this pass fits the node as this kernel, and every interval says what it ran."
            }
            End::Sparse => {
                "The instrument records only some executions; in this pass no interval fits the node as this kernel."
            }
            End::NotComplete => {
                "In this pass no interval fits the node as this kernel; the instrument is not said to record every execution."
            }
        }
    }
}

/// Gaps of one relation that may each hide what is looked for: one gap for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nulls {
    first: Option<Gap>,
    several: bool,
    mixed: bool,
    count: u32,
}

impl Nulls {
    /// Adds a gap of the same column.
    pub(super) fn add(&mut self, gap: Gap, run: &Run) {
        self.count = self.count.saturating_add(1);
        let Some(first) = self.first else {
            self.first = Some(gap);
            return;
        };
        self.several |= first.place != gap.place;
        self.mixed |= first.why != gap.why && first.reason(run) != gap.reason(run);
    }

    /// How many were added.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The gap that stands for all: a single cell by itself, several by their column; no row of several is singled out.
    pub(super) fn gap(&self) -> Option<Gap> {
        let first = self.first?;
        let place = if self.several { Place::Whole(first.place.column()) } else { first.place };
        let why = if self.mixed { Why::Mixed } else { first.why };
        Some(Gap { place, why })
    }
}

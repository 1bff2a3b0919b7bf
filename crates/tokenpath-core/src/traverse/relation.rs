//! Stored relations: one column of references, read cell by cell to a target, an answer or a gap.

use super::gap::{End, Gap, Place, Why};
use super::strength::{CellLabels, LabelId, Strengths};
use crate::absence::{AbsenceIndex, ColumnAbsences, prefixes};
use crate::column::{Column, Ints, RefLists, Refs};
use crate::label::Labels;
use crate::model::Run;

/// What one cell of a relation says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Read<T> {
    /// It leads on.
    To(T, LabelId),
    /// The bundle answers that the chain ends here.
    End(End, LabelId),
    /// The bundle does not say.
    Gap(Gap),
}

impl<T> Read<T> {
    /// The target, if there is one.
    pub(super) fn target(self) -> Option<T> {
        match self {
            Read::To(target, _) => Some(target),
            Read::End(..) | Read::Gap(_) => None,
        }
    }

    /// The gap, if it is one.
    pub(super) fn gap(&self) -> Option<Gap> {
        match self {
            Read::Gap(gap) => Some(*gap),
            Read::To(..) | Read::End(..) => None,
        }
    }
}

/// Why nothing stands at `pointer`: its own entry, or that of the table or section it lies in.
pub(super) fn why(absences: &AbsenceIndex<'_>, pointer: &str) -> Why {
    let entry = prefixes(pointer).filter_map(|at| absences.at(at)).last();
    entry.and_then(|entry| u32::try_from(entry).ok()).map_or(Why::Unexplained, Why::Entry)
}

/// The first of the `levels` (section, then table) that the bundle does not hold, as a gap.
pub(super) fn missing_level(absences: &AbsenceIndex<'_>, levels: &[(&'static str, bool)]) -> Option<Gap> {
    let (pointer, _) = levels.iter().find(|(_, given)| !given)?;
    Some(Gap { place: Place::Whole(pointer), why: why(absences, pointer) })
}

/// The table that targets are rows of, and its number of rows.
pub(super) type Target = (&'static str, usize);

/// A companion column that says why chains end, and its pointer.
pub(super) type Companion<'r> = Option<(&'static str, &'r Refs)>;

/// A table whose columns are relations.
pub(super) struct Source<'r, 's> {
    pub(super) run: &'r Run,
    pub(super) absences: &'r AbsenceIndex<'r>,
    pub(super) strengths: &'s Strengths,
    /// Its section and itself, with whether the bundle holds them.
    pub(super) levels: [(&'static str, bool); 2],
    /// Its number of rows.
    pub(super) rows: usize,
    /// Its labels.
    pub(super) labels: &'r Labels,
}

impl<'r> Source<'r, '_> {
    /// A relation from a row to at most one row of another table.
    pub(super) fn one(&self, column: &'static str, refs: &'r Refs, end: Companion<'r>, to: Target) -> One<'r> {
        One { head: self.head(column, refs, end, to), cells: Cells::Refs(refs) }
    }

    /// A relation from a row to a numbered thing without a table of its own: a layer.
    pub(super) fn numbers(&self, column: &'static str, numbers: &'r Ints, end: Companion<'r>) -> One<'r> {
        let to = ("the layers", u32::MAX as usize);
        One { head: self.head(column, numbers, end, to), cells: Cells::Numbers(numbers) }
    }

    /// A relation from a row to several rows of another table.
    pub(super) fn many(&self, column: &'static str, lists: &'r RefLists, end: Companion<'r>, to: Target) -> Many<'r> {
        Many { head: self.head(column, lists, end, to), lists }
    }

    /// The gap when the bundle does not hold the table.
    pub(super) fn missing(&self) -> Option<Gap> {
        missing_level(self.absences, &self.levels)
    }

    fn head(
        &self,
        pointer: &'static str,
        column: &dyn Column,
        end: Companion<'r>,
        (table, targets): Target,
    ) -> Head<'r> {
        let (end_column, end) = end.unzip();
        let mut whole = why(self.absences, pointer);
        if let Some(end) = end_column
            && self.absences.at(pointer).is_none()
            && self.absences.at(end).is_some()
        {
            whole = why(self.absences, end);
        }
        let cells = self.absences.column(pointer);
        let ended = |row: usize| end.is_some_and(|end| !end.is_null(row));
        let missing = self.missing().or_else(|| {
            let mut rows = 0..self.rows;
            let away = if column.rows() == 0 {
                rows.any(|row| !ended(row))
            } else {
                // A column of nothing but nulls for one reason says as little as one that is not there.
                self.rows > 0 && rows.all(|row| column.is_null(row) && !ended(row) && cells.cell(row).is_none())
            };
            away.then_some(Gap { place: Place::Whole(pointer), why: whole })
        });
        let name = |pointer: &'static str| pointer.rsplit('/').next().unwrap_or(pointer);
        let end_labels = end_column
            .filter(|end| self.labels.column(name(end)).is_some())
            .map(|end| self.strengths.cells(self.labels, name(end)));
        Head {
            column: pointer,
            end_column: end_column.unwrap_or(pointer),
            end,
            ends: self.run.traversal.ends.rows(),
            table,
            targets,
            missing,
            whole,
            cells,
            labels: self.strengths.cells(self.labels, name(pointer)),
            end_labels,
        }
    }
}

/// What relations of all shapes share.
struct Head<'r> {
    column: &'static str,
    end_column: &'static str,
    end: Option<&'r Refs>,
    ends: usize,
    table: &'static str,
    targets: usize,
    missing: Option<Gap>,
    whole: Why,
    cells: ColumnAbsences<'r, 'r>,
    labels: CellLabels<'r>,
    end_labels: Option<CellLabels<'r>>,
}

impl Head<'_> {
    fn dangling(&self, row: u32) -> Gap {
        Gap { place: Place::Cell(self.column, row), why: Why::Dangling(self.table) }
    }

    fn in_range(&self, target: u32) -> bool {
        (target as usize) < self.targets
    }

    /// A cell without a target: ended by the bundle's answer, or a gap.
    fn ended<T>(&self, row: u32, empty_list: bool) -> Read<T> {
        match self.end.and_then(|end| end.get(row as usize)) {
            Some(end) if (end as usize) < self.ends => {
                let label = self.end_labels.as_ref().unwrap_or(&self.labels).at(row as usize);
                Read::End(End::Stored(end), label)
            }
            Some(_) => {
                Read::Gap(Gap { place: Place::Cell(self.end_column, row), why: Why::Dangling("/traversal/ends") })
            }
            None if empty_list => Read::Gap(Gap { place: Place::Cell(self.end_column, row), why: Why::EmptyList }),
            None => Read::Gap(self.null(row)),
        }
    }

    fn null(&self, row: u32) -> Gap {
        let cell = self.cells.cell(row as usize).and_then(|entry| u32::try_from(entry).ok());
        match (cell, self.missing) {
            (Some(entry), _) => Gap { place: Place::Cell(self.column, row), why: Why::Entry(entry) },
            (None, Some(missing)) => missing,
            (None, None) => Gap { place: Place::Cell(self.column, row), why: self.whole },
        }
    }
}

enum Cells<'r> {
    Refs(&'r Refs),
    Numbers(&'r Ints),
}

/// A relation from one row to at most one target.
pub(super) struct One<'r> {
    head: Head<'r>,
    cells: Cells<'r>,
}

impl One<'_> {
    /// What the cell of `row` says.
    pub(super) fn read(&self, row: u32) -> Read<u32> {
        let target = match self.cells {
            Cells::Refs(refs) => refs.get(row as usize),
            Cells::Numbers(numbers) => match numbers.get(row as usize) {
                None => None,
                Some(number) => match u32::try_from(number) {
                    Ok(number) => Some(number),
                    Err(_) => return Read::Gap(self.head.dangling(row)),
                },
            },
        };
        match target {
            Some(target) if self.head.in_range(target) => Read::To(target, self.head.labels.at(row as usize)),
            Some(_) => Read::Gap(self.head.dangling(row)),
            None => self.head.ended(row, false),
        }
    }

    /// The gap when the whole relation is away.
    pub(super) fn missing(&self) -> Option<Gap> {
        self.head.missing
    }

    /// The weakest label of any of its cells.
    pub(super) fn weakest(&self) -> LabelId {
        self.head.labels.weakest()
    }
}

/// A relation from one row to several targets.
pub(super) struct Many<'r> {
    head: Head<'r>,
    lists: &'r RefLists,
}

impl<'r> Many<'r> {
    /// What the cell of `row` says. A list with a target that does not exist is a gap as a whole.
    pub(super) fn read(&self, row: u32) -> Read<&'r [u32]> {
        match self.lists.get(row as usize) {
            Some([]) => self.head.ended(row, true),
            Some(list) if list.iter().all(|target| self.head.in_range(*target)) => {
                Read::To(list, self.head.labels.at(row as usize))
            }
            Some(_) => Read::Gap(self.head.dangling(row)),
            None => self.head.ended(row, false),
        }
    }

    /// The gap when the whole relation is away.
    pub(super) fn missing(&self) -> Option<Gap> {
        self.head.missing
    }

    /// The gap that the null cell of `row` is.
    pub(super) fn null(&self, row: u32) -> Gap {
        self.head.null(row)
    }

    /// The weakest label of any of its cells.
    pub(super) fn weakest(&self) -> LabelId {
        self.head.labels.weakest()
    }
}

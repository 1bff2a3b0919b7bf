//! Absences: why a value is not there. Absent is not zero, not idle, not empty.

use std::collections::{BTreeMap, HashMap};

use crate::json::Object;

/// Why something is absent. The text beside the code is the bundle's own and is what pages show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The capture mode does not reach this depth.
    Depth,
    /// The instrument does not record this.
    NotRecorded,
    /// The source has the table, and it has no rows at all.
    EmptyTable,
    /// The source has rows, none of them of this process.
    NoRowOfProcess,
    /// The source file that would hold it was not given.
    NotSupplied,
    /// There is no such thing on this backend or for this kind of run.
    NoSuchThing,
    /// Something was recorded and lost, cut or dropped.
    Lost,
    /// The runtime or server does not report it.
    NotReported,
    /// The sources do not decide it.
    Undecided,
    /// Something stood there and a reader could not use it, because it breaks the format. Written by readers, never
    /// by producers; it excuses even a field that may not be missing.
    SetAside,
}

impl ReasonCode {
    /// Every code with its spelling in bundles.
    pub const ALL: [(ReasonCode, &'static str); 10] = [
        (ReasonCode::Depth, "depth"),
        (ReasonCode::NotRecorded, "not_recorded"),
        (ReasonCode::EmptyTable, "empty_table"),
        (ReasonCode::NoRowOfProcess, "no_row_of_process"),
        (ReasonCode::NotSupplied, "not_supplied"),
        (ReasonCode::NoSuchThing, "no_such_thing"),
        (ReasonCode::Lost, "lost"),
        (ReasonCode::NotReported, "not_reported"),
        (ReasonCode::Undecided, "undecided"),
        (ReasonCode::SetAside, "set_aside"),
    ];

    /// The spelling in bundles.
    pub fn word(self) -> &'static str {
        ReasonCode::ALL.iter().find(|(code, _)| *code == self).map_or("undecided", |(_, word)| word)
    }

    /// The code spelt `word`.
    pub fn from_word(word: &str) -> Option<ReasonCode> {
        ReasonCode::ALL.iter().find(|(_, known)| *known == word).map(|(code, _)| *code)
    }
}

/// One entry of the absence list.
#[derive(Clone, Debug, PartialEq)]
pub struct Absence {
    /// RFC 6901 pointer to a section, record field, table column or table cell. A column's pointer
    /// covers every null of the column.
    pub pointer: String,
    /// The kind of reason.
    pub code: ReasonCode,
    /// The reason in words, shown wherever the value would stand.
    pub reason: String,
    /// Fields this version does not know, kept as they are.
    pub extra: Object,
}

impl Absence {
    /// An entry for `pointer`.
    pub fn new(pointer: impl Into<String>, code: ReasonCode, reason: impl Into<String>) -> Absence {
        Absence { pointer: pointer.into(), code, reason: reason.into(), extra: Object::new() }
    }
}

/// The absence list, indexed: for whoever asks about many places. Built once, in linear time.
#[derive(Clone, Debug, Default)]
pub struct AbsenceIndex<'a> {
    entries: &'a [Absence],
    /// The first entry of each pointer.
    by_pointer: HashMap<&'a str, usize>,
    /// The first entry of each cell, by column and row.
    cells: HashMap<&'a str, HashMap<usize, usize>>,
}

impl<'a> AbsenceIndex<'a> {
    /// Indexes a list.
    pub fn new(entries: &'a [Absence]) -> AbsenceIndex<'a> {
        let mut index = AbsenceIndex { entries, ..AbsenceIndex::default() };
        for (at, entry) in entries.iter().enumerate() {
            index.by_pointer.entry(&entry.pointer).or_insert(at);
            if let Some((column, row)) = split_cell(&entry.pointer) {
                index.cells.entry(column).or_default().entry(row).or_insert(at);
            }
        }
        index
    }

    /// The place in the list of the entry for exactly this pointer.
    pub fn at(&self, pointer: &str) -> Option<usize> {
        self.by_pointer.get(pointer).copied()
    }

    /// The entry that covers `pointer`: its own, or that of the column, table or section it lies in.
    pub fn covering(&self, pointer: &str) -> Option<&'a Absence> {
        let nearest = prefixes(pointer).filter_map(|at| self.at(at)).last()?;
        self.entries.get(nearest)
    }

    /// The entries that concern one column, for asking row by row.
    pub fn column(&self, pointer: &str) -> ColumnAbsences<'_, 'a> {
        ColumnAbsences { entries: self.entries, cells: self.cells.get(pointer), whole: self.covering(pointer) }
    }
}

/// The entries that concern one column.
#[derive(Clone, Copy, Debug)]
pub struct ColumnAbsences<'i, 'a> {
    entries: &'a [Absence],
    cells: Option<&'i HashMap<usize, usize>>,
    whole: Option<&'a Absence>,
}

impl<'a> ColumnAbsences<'_, 'a> {
    /// The entry that covers a cell: its own, or that of the column, table or section.
    pub fn of(&self, row: usize) -> Option<&'a Absence> {
        let cell = self.cell(row).and_then(|at| self.entries.get(at));
        cell.or(self.whole)
    }

    /// The place in the list of the cell's own entry.
    pub fn cell(&self, row: usize) -> Option<usize> {
        self.cells?.get(&row).copied()
    }
}

/// The places a pointer leads through, from the section on, itself last. A pointer may be as long as a document, a
/// place of the format has at most four parts (section, table, column, row) and one to spare.
pub(crate) fn prefixes(pointer: &str) -> impl Iterator<Item = &str> {
    let ends = pointer.match_indices('/').map(|(at, _)| at).skip(1).chain([pointer.len()]);
    ends.take(5).filter_map(|end| pointer.get(..end))
}

/// A cell's pointer as column and row; `None` when the last part is no row as pointers write it.
pub fn split_cell(pointer: &str) -> Option<(&str, usize)> {
    let (column, row) = pointer.rsplit_once('/')?;
    // "03" and "+3" are other keys than "3".
    let canonical = row == "0" || (row.bytes().all(|byte| byte.is_ascii_digit()) && !row.starts_with('0'));
    row.parse().ok().filter(|_| canonical).map(|row| (column, row))
}

/// A pointer with its numeric parts replaced by `*`, for grouping.
pub fn starred(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for (i, part) in pointer.split('/').enumerate() {
        if i > 0 {
            out.push('/');
        }
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            out.push('*');
        } else {
            out.push_str(part);
        }
    }
    out
}

/// Absences that share a reason and a starred pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsenceGroup {
    /// The pointer with numeric parts starred.
    pub pointer: String,
    /// The shared kind of reason.
    pub code: ReasonCode,
    /// The shared reason.
    pub reason: String,
    /// Indices in the absence list, in its order.
    pub members: Vec<usize>,
}

/// Groups by (reason, starred pointer), in the order of first appearance.
pub fn group(absences: &[Absence]) -> Vec<AbsenceGroup> {
    let mut index: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut groups: Vec<AbsenceGroup> = Vec::new();
    for (i, absence) in absences.iter().enumerate() {
        let pointer = starred(&absence.pointer);
        let at = *index.entry((pointer.clone(), absence.reason.as_str())).or_insert_with(|| {
            groups.push(AbsenceGroup {
                pointer,
                code: absence.code,
                reason: absence.reason.clone(),
                members: Vec::new(),
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(at) {
            group.members.push(i);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_entry_covers() {
        let list = [
            Absence::new("/timeline", ReasonCode::Depth, "section"),
            Absence::new("/timeline/intervals/duration", ReasonCode::NotRecorded, "column"),
            Absence::new("/timeline/intervals/duration/3", ReasonCode::Lost, "cell"),
            Absence::new("/timeline/intervals/duration/3", ReasonCode::Lost, "second"),
            Absence::new("/timeline/intervals/duration/04", ReasonCode::Lost, "not a row"),
        ];
        let index = AbsenceIndex::new(&list);
        let reason = |pointer: &str| index.covering(pointer).map(|entry| entry.reason.as_str());
        assert_eq!(reason("/timeline/intervals/duration/3"), Some("cell"));
        assert_eq!(reason("/timeline/intervals/duration/4"), Some("column"));
        assert_eq!(reason("/timeline/intervals/start/3"), Some("section"));
        assert_eq!(reason("/passes/rows/start"), None);
        let column = index.column("/timeline/intervals/duration");
        assert_eq!([3, 4].map(|row| column.of(row).map(|entry| entry.reason.as_str())), [Some("cell"), Some("column")]);
    }
}

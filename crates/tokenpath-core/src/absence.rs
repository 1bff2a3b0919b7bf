//! Absences: why a value is not there. Absent is not zero, not idle, not empty.

use std::collections::BTreeMap;

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
}

impl ReasonCode {
    /// Every code with its spelling in bundles.
    pub const ALL: [(ReasonCode, &'static str); 9] = [
        (ReasonCode::Depth, "depth"),
        (ReasonCode::NotRecorded, "not_recorded"),
        (ReasonCode::EmptyTable, "empty_table"),
        (ReasonCode::NoRowOfProcess, "no_row_of_process"),
        (ReasonCode::NotSupplied, "not_supplied"),
        (ReasonCode::NoSuchThing, "no_such_thing"),
        (ReasonCode::Lost, "lost"),
        (ReasonCode::NotReported, "not_reported"),
        (ReasonCode::Undecided, "undecided"),
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// RFC 6901 pointer to a section, record field, table column or table cell. A column's pointer
    /// covers every null of the column.
    pub pointer: String,
    /// The kind of reason.
    pub code: ReasonCode,
    /// The reason in words, shown wherever the value would stand.
    pub reason: String,
}

impl Absence {
    /// An entry for `pointer`.
    pub fn new(pointer: impl Into<String>, code: ReasonCode, reason: impl Into<String>) -> Absence {
        Absence { pointer: pointer.into(), code, reason: reason.into() }
    }
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

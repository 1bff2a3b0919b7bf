//! One table or record at a time: what must be there, lengths, labels, nulls, references.

use std::collections::{HashMap, HashSet};

use crate::absence::{AbsenceIndex, ReasonCode};
use crate::column::Column;
use crate::label::{ColumnLabel, Labels};
use crate::model::{RESERVED_SECTION, Run};
use crate::problem::{Problem, Problems, Rule, counted};
use crate::record::{FieldSpec, Kind, Null, PartView};

const UNEXPLAINED: &str = "it is missing and no absence entry says why";
const LOST_LIST: &str = "The bundle's absence list could not be used, so that the reason is not known.";

pub(super) struct Check<'a> {
    run: &'a Run,
    index: &'a AbsenceIndex<'a>,
    /// For each entry of the absence list, whether it explains something.
    pub(super) used: Vec<bool>,
    rows: HashMap<&'static str, usize>,
    /// Tables that the bundle should hold and does not, or holds in part: told already, and references into them
    /// cannot be judged.
    pub(super) uncertain: HashSet<&'static str>,
    absent_is_lost: bool,
    pub(super) without_reason: Vec<(String, &'static str)>,
}

impl<'a> Check<'a> {
    pub(super) fn new(
        run: &'a Run,
        index: &'a AbsenceIndex<'a>,
        parts: &[PartView<'a>],
        decoding: &Problems,
    ) -> Check<'a> {
        let mut rows = HashMap::new();
        for part in parts {
            if let PartView::Table { pointer, rows: count, given, columns, .. } = part {
                // A column that is no array at all takes its rows with it.
                let cut = columns.iter().any(|(spec, column)| {
                    column.rows() == 0 && decoding.is_spoiled(&format!("{pointer}/{}", spec.name))
                });
                if *given && !(*count == 0 && cut) {
                    rows.insert(*pointer, *count);
                }
            }
        }
        let mut uncertain = HashSet::new();
        Run::declare(&mut |part| {
            if part.is_table && !rows.contains_key(part.pointer) {
                // Explained as absent, it has no rows for certain.
                let set_aside = index.covering(part.pointer).is_none_or(|absence| absence.code == ReasonCode::SetAside);
                if part.null != Null::Free && set_aside || decoding.is_spoiled_above(part.pointer) {
                    uncertain.insert(part.pointer);
                }
            }
        });
        Check {
            run,
            index,
            used: vec![false; run.absent.len()],
            rows,
            uncertain,
            absent_is_lost: decoding.is_spoiled("/absent"),
            without_reason: Vec::new(),
        }
    }

    /// The code of the entry for exactly this pointer; marks the entry as used.
    fn entry(&mut self, pointer: &str) -> Option<ReasonCode> {
        let at = self.index.at(pointer)?;
        self.mark(at);
        self.run.absent.get(at).map(|absence| absence.code)
    }

    fn mark(&mut self, at: usize) {
        if let Some(used) = self.used.get_mut(at) {
            *used = true;
        }
    }

    /// Whether a place that asks `null` may be empty; says so if not.
    fn empty(&mut self, pointer: &str, null: Null, problems: &mut Problems, missing: &str) {
        let code = self.entry(pointer);
        match (null, code) {
            (Null::Free, _) | (_, Some(ReasonCode::SetAside)) => {}
            (Null::Explained | Null::EndedBy(_), Some(_)) => {}
            (Null::Explained | Null::EndedBy(_), None) if self.absent_is_lost => {
                self.without_reason.push((pointer.to_owned(), LOST_LIST));
            }
            (Null::Explained | Null::EndedBy(_), None) => {
                problems.add(Problem::new(pointer, Rule::UnexplainedNull, UNEXPLAINED));
            }
            (Null::Never, _) => problems.add(Problem::new(pointer, Rule::MissingField, missing)),
        }
    }

    /// Whether the part is there and is to be looked into.
    pub(super) fn presence(&mut self, pointer: &str, given: bool, null: Null, problems: &mut Problems) -> bool {
        if !given && !problems.is_spoiled(pointer) {
            let section = pointer.matches('/').count() == 1;
            let missing = if section {
                "the section is missing; every bundle must have it"
            } else {
                "the part is missing; a section that is there must have it"
            };
            self.empty(pointer, null, problems, missing);
        }
        given
    }

    pub(super) fn record(
        &mut self,
        pointer: &str,
        fields: &[(FieldSpec, bool, Option<i64>)],
        labels: &Labels,
        problems: &mut Problems,
    ) {
        for (spec, has_value, target) in fields {
            let at = format!("{pointer}/{}", spec.name);
            if !*has_value {
                if !problems.is_spoiled(&at) {
                    self.empty(&at, spec.null, problems, "the field is missing; a record that is there must have it");
                }
                continue;
            }
            if labels.field(spec.name).is_none() && needs_label(pointer, spec.name) {
                problems.add(Problem::new(&at, Rule::MissingLabel, no_label("value", pointer)));
            }
            if let (Kind::Ref(table), Some(target)) = (spec.kind, target)
                && !self.uncertain.contains(table)
            {
                let rows = self.rows.get(table).copied();
                if usize::try_from(*target).map_or(true, |target| target >= rows.unwrap_or(0)) {
                    problems.add(Problem::new(&at, Rule::DanglingReference, dangling(*target, table, rows)));
                }
            }
        }
    }

    pub(super) fn table(
        &mut self,
        pointer: &str,
        columns: &[(FieldSpec, &'a dyn Column)],
        labels: &Labels,
        rows: usize,
        problems: &mut Problems,
    ) {
        if rows == 0 {
            // An entry may say why there are no rows.
            self.entry(pointer);
        }
        for (spec, column) in columns {
            let at = format!("{pointer}/{}", spec.name);
            if column.rows() != 0 && column.rows() != rows {
                let text =
                    format!("the column has {}, the table {}", counted(column.rows(), "cell"), counted(rows, "row"));
                problems.add(Problem::new(&at, Rule::RaggedTable, text));
                continue;
            }
            let end = end_of(spec, columns);
            self.nulls(&at, spec, *column, end, rows, problems);
            if (0..column.rows()).any(|row| !column.is_null(row)) {
                label(&at, pointer, spec, labels, rows, problems);
            }
            self.references(&at, spec, *column, problems);
        }
    }

    fn nulls(
        &mut self,
        at: &str,
        spec: &FieldSpec,
        column: &dyn Column,
        end: Option<(String, &dyn Column)>,
        rows: usize,
        problems: &mut Problems,
    ) {
        if rows == 0 {
            self.entry(at);
            return;
        }
        let index = self.index;
        let cells = index.column(at);
        let whole = index.at(at);
        let whole_code = whole.and_then(|at| self.run.absent.get(at)).map(|absence| absence.code);
        // An end that cannot be read is told at its own place.
        let end_unknown = end.as_ref().is_some_and(|(_, column)| {
            problems.is_spoiled(&format!("{at}_end")) || column.rows() != 0 && column.rows() != rows
        });
        let mut nulls = 0_usize;
        let mut unexplained = 0_usize;
        let mut first = None;
        for row in 0..rows {
            let ended = end.as_ref().is_some_and(|(_, end)| !end.is_null(row));
            if column.is_null(row) {
                nulls += 1;
                let cell = cells.cell(row);
                if let Some(cell) = cell {
                    self.mark(cell);
                }
                let code = cell.and_then(|at| self.run.absent.get(at)).map(|absence| absence.code).or(whole_code);
                let explained = end_unknown
                    || match spec.null {
                        Null::Free => true,
                        Null::Never => code == Some(ReasonCode::SetAside),
                        Null::Explained => code.is_some(),
                        Null::EndedBy(_) => ended || code.is_some(),
                    };
                if !explained {
                    unexplained += 1;
                    first = first.or(Some(row));
                }
            } else if let Some((end_name, _)) = &end {
                let empty = column.is_empty_list(row);
                if empty && !ended && !end_unknown {
                    problems.cell(at, row, Rule::UnexplainedEnd, || {
                        format!("the list is empty and {end_name} does not say why the chain ends here")
                    });
                } else if ended && !empty {
                    problems.cell(at, row, Rule::Contradiction, || {
                        format!("there is a value although {end_name} says that the chain ends here")
                    });
                }
            }
        }
        if nulls > 0
            && let Some(whole) = whole
        {
            self.mark(whole);
        }
        let Some(first) = first.filter(|_| !problems.is_spoiled(at)) else { return };
        if spec.null != Null::Never && self.absent_is_lost {
            self.without_reason.push((at.to_owned(), LOST_LIST));
            return;
        }
        let column_is_missing = column.rows() == 0;
        let place = if column_is_missing { at.to_owned() } else { format!("{at}/{first}") };
        let others = match unexplained {
            1 => String::new(),
            more => format!(" (so are {} more cells of the column)", more - 1),
        };
        let (rule, text) = match (column_is_missing, spec.null) {
            (true, Null::Never) => {
                (Rule::MissingField, "the column is missing; a table with rows must have it".to_owned())
            }
            (true, _) => (Rule::UnexplainedNull, "the column is missing and no absence entry says why".to_owned()),
            (false, Null::Never) => (Rule::MissingField, format!("null, in a column that may hold none{others}")),
            (false, _) => (Rule::UnexplainedNull, format!("null, and no absence entry says why{others}")),
        };
        problems.add(Problem::new(place, rule, text));
    }

    fn references(&self, at: &str, spec: &FieldSpec, column: &dyn Column, problems: &mut Problems) {
        let (Kind::Ref(table) | Kind::Refs(table)) = spec.kind else { return };
        if self.uncertain.contains(table) {
            return;
        }
        let rows = self.rows.get(table).copied();
        column.references(&mut |row, target| {
            if target as usize >= rows.unwrap_or(0) {
                problems.cell(at, row, Rule::DanglingReference, || dangling(i64::from(target), table, rows));
            }
        });
    }

    pub(super) fn reserved(&mut self, run: &Run, problems: &mut Problems) {
        if !run.extra.iter().any(|(name, _)| name == RESERVED_SECTION) {
            self.empty(&format!("/{RESERVED_SECTION}"), Null::Explained, problems, UNEXPLAINED);
        }
    }
}

fn dangling(target: i64, table: &str, rows: Option<usize>) -> String {
    match rows {
        None => format!("row {target} of {table}, which the bundle does not hold"),
        Some(0) => format!("row {target} of {table}, which has no rows"),
        Some(rows) => format!("row {target} of {table}, which has {} (the first is row 0)", counted(rows, "row")),
    }
}

/// The companion column that says why a chain ends, with its name.
fn end_of<'b>(spec: &FieldSpec, columns: &[(FieldSpec, &'b dyn Column)]) -> Option<(String, &'b dyn Column)> {
    let name = format!("{}_end", spec.name);
    columns.iter().find(|(other, _)| other.name == name).map(|(_, end)| (name, *end))
}

fn label(at: &str, pointer: &str, spec: &FieldSpec, labels: &Labels, rows: usize, problems: &mut Problems) {
    match labels.column(spec.name) {
        Some(ColumnLabel::PerRow { rows: given, .. }) if given.len() != rows => {
            let text = format!(
                "there are labels for {}, and the table has {}",
                counted(given.len(), "row"),
                counted(rows, "row")
            );
            problems.add(Problem::new(format!("{pointer}/labels/{}", spec.name), Rule::RaggedTable, text));
        }
        Some(_) => {}
        // Why a chain ends is an answer of its own, not a value with a source.
        None if labels.all.is_some() || spec.name.ends_with("_end") => {}
        None => problems.add(Problem::new(at, Rule::MissingLabel, no_label("column", pointer))),
    }
}

fn no_label(what: &str, pointer: &str) -> String {
    format!("the {what} has no label: {pointer}/labels has neither its name nor \"*\"")
}

/// Identity's plain statements name themselves; everything else says where it comes from.
fn needs_label(pointer: &str, field: &str) -> bool {
    !(pointer == "/identity"
        && matches!(field, "id" | "title" | "capture_mode" | "synthetic" | "scenario" | "recorded_at"))
        && pointer != "/identity/instrument"
}

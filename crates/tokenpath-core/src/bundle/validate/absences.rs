//! The absence list: whether each entry explains a place that is empty.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::absence::{prefixes, split_cell};
use crate::column::Column;
use crate::json::{escape, quoted};
use crate::model::{RESERVED_SECTION, Run};
use crate::problem::{Problem, Problems, Rule, counted};
use crate::record::PartView;

/// Reports entries that explain nothing, and returns their places in the list.
///
/// `places` says where each entry stands in the document, if not where it stands in the run.
pub(super) fn check(
    run: &Run,
    parts: &[PartView<'_>],
    used: &[bool],
    uncertain: &HashSet<&'static str>,
    places: &[usize],
    problems: &mut Problems,
) -> BTreeSet<usize> {
    let place = |at: usize| places.get(at).copied().unwrap_or(at);
    let known = Places::new(run, parts, uncertain);
    let mut faulty = BTreeSet::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, entry) in run.absent.iter().enumerate() {
        let fault = match seen.get(entry.pointer.as_str()) {
            Some(first) => {
                Some((Rule::Duplicate, format!("entry {} is for {} too", place(*first), shown(&entry.pointer))))
            }
            None => {
                seen.insert(&entry.pointer, at);
                if used.get(at).copied().unwrap_or(false) { None } else { known.fault(&entry.pointer) }
            }
        };
        if let Some((rule, text)) = fault {
            problems.add(Problem::new(format!("/absent/{}", place(at)), rule, text));
            faulty.insert(at);
        }
    }
    faulty
}

/// Every place that the format knows, and what the run holds there.
struct Places<'a> {
    held: HashMap<&'static str, &'a PartView<'a>>,
    /// Tables whose being away is told already.
    uncertain: &'a HashSet<&'static str>,
    /// Parts as declared, held or not.
    parts: HashSet<&'static str>,
    /// Fields and columns as declared: their part.
    fields: HashMap<String, &'static str>,
    /// What the run holds and this version does not know.
    unknown: HashSet<String>,
}

impl<'a> Places<'a> {
    fn new(run: &'a Run, parts: &'a [PartView<'a>], uncertain: &'a HashSet<&'static str>) -> Places<'a> {
        let mut places = Places {
            held: HashMap::new(),
            uncertain,
            parts: HashSet::new(),
            fields: HashMap::new(),
            unknown: run.extra.iter().map(|(name, _)| format!("/{}", escape(name))).collect(),
        };
        Run::declare(&mut |part| {
            places.parts.insert(part.pointer);
            for spec in part.fields {
                places.fields.insert(format!("{}/{}", part.pointer, spec.name), part.pointer);
            }
        });
        for part in parts {
            let (PartView::Table { given, extra, .. } | PartView::Record { given, extra, .. }) = part;
            if *given {
                places.held.insert(part.pointer(), part);
                let at = part.pointer();
                places.unknown.extend(extra.iter().map(|(name, _)| format!("{at}/{}", escape(name))));
            }
        }
        places
    }

    /// What is wrong with an entry for `pointer` that no empty place has asked for.
    fn fault(&self, pointer: &str) -> Option<(Rule, String)> {
        let present = |what: &str| Some((Rule::AbsenceOfPresent, format!("{pointer} is not absent: {what}")));
        if self.unknown.contains(pointer) {
            return present("the bundle holds it");
        }
        if self.parts.contains(pointer) {
            return match self.held.get(pointer) {
                None => None,
                Some(PartView::Table { rows, .. }) => {
                    present(&format!("the bundle holds the table, with {}", counted(*rows, "row")))
                }
                Some(PartView::Record { .. }) => present("the bundle holds it"),
            };
        }
        if let Some(part) = self.fields.get(pointer) {
            return match self.held.get(part) {
                // In a part that is missing itself, or in a table without rows: a reason in more detail is welcome.
                None => None,
                Some(PartView::Table { rows, .. }) if *rows == 0 => None,
                Some(PartView::Table { columns, .. }) => {
                    let name = pointer.rsplit('/').next().unwrap_or("");
                    let column = columns.iter().find(|(spec, _)| spec.name == name).map(|(_, column)| *column);
                    // A null that asks for no entry, or for more than one, is told elsewhere.
                    match column {
                        Some(column) if has_null(column) => None,
                        _ => present("no cell of the column is null"),
                    }
                }
                Some(PartView::Record { fields, .. }) => {
                    let name = pointer.rsplit('/').next().unwrap_or("");
                    let value = fields.iter().any(|(spec, has_value, _)| spec.name == name && *has_value);
                    if value { present("there is a value") } else { None }
                }
            };
        }
        if let Some((column, row)) = split_cell(pointer)
            && let Some(part) = self.fields.get(column)
            && self.is_table(part)
        {
            return match self.held.get(part) {
                Some(PartView::Table { rows, columns, .. }) if row < *rows => {
                    let name = column.rsplit('/').next().unwrap_or("");
                    let null = columns.iter().any(|(spec, cells)| spec.name == name && cells.is_null(row));
                    if null { None } else { present("the cell holds a value") }
                }
                Some(PartView::Table { rows, .. }) => Some((
                    Rule::AbsenceOfNothing,
                    format!("{pointer} is no cell: {part} has {}", counted(*rows, "row")),
                )),
                _ if self.uncertain.contains(part) => None,
                _ => Some((Rule::AbsenceOfNothing, format!("{pointer} is no cell: the bundle does not hold {part}"))),
            };
        }
        if self.lies_in_unknown(pointer) {
            return None;
        }
        let text = format!("{} is no place in a bundle", shown(pointer));
        Some((Rule::AbsenceOfNothing, text))
    }

    fn is_table(&self, part: &str) -> bool {
        let mut table = false;
        Run::declare(&mut |spec| table |= spec.is_table && spec.pointer == part);
        table
    }

    /// Whether the pointer leads into a field that this version does not know: a later one may explain its nulls.
    fn lies_in_unknown(&self, pointer: &str) -> bool {
        prefixes(pointer).any(|at| self.unknown.contains(at) || at.strip_prefix('/') == Some(RESERVED_SECTION))
    }
}

fn has_null(column: &dyn Column) -> bool {
    column.rows() == 0 || (0..column.rows()).any(|row| column.is_null(row))
}

/// A pointer as somebody wrote it; quoted and cut where it is long or odd.
fn shown(pointer: &str) -> String {
    let plain = pointer.starts_with('/') && pointer.len() <= 80 && pointer.chars().all(|c| c.is_ascii_graphic());
    if plain { pointer.to_owned() } else { quoted(pointer) }
}

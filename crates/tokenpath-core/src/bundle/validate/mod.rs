//! Checks beyond types. [`parts`] looks at one table or record at a time, [`absences`] at the absence list,
//! [`times`] at starts and ends, [`relations`] at what must agree across tables.
//!
//! Every check is linear in what the bundle holds.

mod absences;
mod parts;
mod relations;
mod times;

use std::collections::{BTreeSet, HashMap};

use crate::model::Run;
use crate::problem::{Problem, Problems};
use crate::record::PartView;

use parts::Check;

/// Everything that is wrong with a run.
pub fn validate(run: &Run) -> Vec<Problem> {
    check(run, Problems::default(), &[]).1
}

/// What validation found beside the problems it lists.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: HashMap<String, usize>,
    /// Entries of the absence list that explain nothing, by their place in it.
    pub(super) faulty_entries: BTreeSet<usize>,
    /// Places without a reason because the absence list as a whole is unusable, and a reason that says so.
    pub(super) without_reason: Vec<(String, &'static str)>,
}

impl Findings {
    /// Number of errors of a section.
    pub(super) fn errors_of(&self, section: &str) -> usize {
        self.errors.get(section).copied().unwrap_or(0)
    }

    /// Whether there is anything to set aside.
    pub(super) fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.without_reason.is_empty()
    }
}

/// Checks a run, after problems met while decoding it. `entries` says where each entry of the absence list stands in
/// the document, if not where it stands in the run.
pub(super) fn check(run: &Run, mut problems: Problems, entries: &[usize]) -> (Findings, Vec<Problem>) {
    let mut parts = Vec::new();
    run.visit(&mut |part| parts.push(part));
    let index = run.absences();
    let mut check = Check::new(run, &index, &parts, &problems);
    for part in &parts {
        match part {
            PartView::Table { pointer, given, null, columns, labels, rows, .. } => {
                if check.presence(pointer, *given, *null, &mut problems) {
                    check.table(pointer, columns, labels, *rows, &mut problems);
                }
            }
            PartView::Record { pointer, given, null, fields, labels, .. } => {
                if check.presence(pointer, *given, *null, &mut problems) {
                    check.record(pointer, fields, labels, &mut problems);
                }
            }
        }
    }
    check.reserved(run, &mut problems);
    let faulty_entries = absences::check(run, &parts, &check.used, &check.uncertain, entries, &mut problems);
    let without_reason = check.without_reason;
    times::check(run, &mut problems);
    relations::check(run, &mut problems);
    let errors = problems.errors();
    (Findings { errors, faulty_entries, without_reason }, problems.finish())
}

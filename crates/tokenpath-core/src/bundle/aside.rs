//! Setting aside what has errors, so that the rest of a flawed bundle can be shown and written.
//!
//! A section with an error is emptied; its absence entry says why. What refers into it is blanked, with an entry of
//! its own. The identity is never emptied as a whole, only the fields that have errors: who ran what on which
//! machine stays readable. The run that is left satisfies the specification.

use std::collections::{BTreeMap, BTreeSet};

use super::validate::Findings;
use crate::absence::{Absence, ReasonCode, prefixes};
use crate::model::{Graph, Kernels, Passes, RESERVED_SECTION, Request, Run, SECTIONS, Timeline, Traversal, Weights};
use crate::problem::Problem;
use crate::record::{Blank, Kind};

/// Takes out of `run` what the findings make unusable. Returns the sections that were emptied.
pub(super) fn set_aside(run: &mut Run, findings: &Findings, problems: &[Problem]) -> Vec<&'static str> {
    drop_faulty_entries(run, findings);
    for (pointer, reason) in &findings.without_reason {
        run.absent.push(Absence::new(pointer.clone(), ReasonCode::SetAside, *reason));
    }
    let mut emptied = Vec::new();
    for section in SECTIONS {
        let errors = findings.errors_of(section);
        if errors == 0 {
            continue;
        }
        if section == "identity" {
            set_aside_identity(run, problems);
        } else {
            empty(run, section, errors);
            emptied.push(section);
        }
    }
    if findings.errors_of(RESERVED_SECTION) > 0 {
        let reason = "The bundle holds no such section and does not say why.";
        run.absent.push(Absence::new(format!("/{RESERVED_SECTION}"), ReasonCode::SetAside, reason));
    }
    emptied
}

fn empty(run: &mut Run, section: &'static str, errors: usize) {
    match section {
        "request" => run.request = Request::default(),
        "passes" => run.passes = Passes::default(),
        "model" => run.model = Weights::default(),
        "graph" => run.graph = Graph::default(),
        "kernels" => run.kernels = Kernels::default(),
        "timeline" => run.timeline = Timeline::default(),
        _ => run.traversal = Traversal::default(),
    }
    let pointer = format!("/{section}");
    forget_entries(run, &BTreeSet::from([pointer.clone()]));
    let noun = if errors == 1 { "error" } else { "errors" };
    let reason = format!("The section is set aside: it has {errors} {noun}.");
    run.absent.push(Absence::new(pointer, ReasonCode::SetAside, reason));
    blank_references(run, section);
}

/// Blanks every column and field that refers into `section`, and what leant on it.
fn blank_references(run: &mut Run, section: &str) {
    let mut blanked: BTreeMap<String, String> = BTreeMap::new();
    let into_section = |kind: Kind| match kind {
        Kind::Ref(table) | Kind::Refs(table) => table.split('/').nth(1) == Some(section),
        _ => false,
    };
    let reason = format!("What stood here refers to the section {section}, which is set aside because it has errors.");
    run.blank(&mut |pointer, spec| {
        if !into_section(spec.kind) {
            return Blank::Nothing;
        }
        blanked.insert(pointer.to_owned(), reason.clone());
        Blank::All
    });
    // A null or empty list whose end is gone has lost its reason, and an empty list said nothing but that end.
    let reason =
        format!("Why the chain ends here stood in the section {section}, which is set aside because it has errors.");
    let ended: BTreeSet<String> =
        blanked.keys().filter_map(|pointer| pointer.strip_suffix("_end")).map(str::to_owned).collect();
    run.blank(&mut |pointer, _| if ended.contains(pointer) { Blank::EmptyLists } else { Blank::Nothing });
    forget_entries(run, &blanked.keys().cloned().collect());
    let explained: BTreeSet<&str> = run.absent.iter().map(|absence| absence.pointer.as_str()).collect();
    let mut added: Vec<Absence> = Vec::new();
    for pointer in
        ended.iter().filter(|pointer| !blanked.contains_key(*pointer) && !explained.contains(pointer.as_str()))
    {
        if has_null(run, pointer) {
            added.push(Absence::new(pointer.clone(), ReasonCode::SetAside, reason.clone()));
        }
    }
    added.extend(blanked.into_iter().map(|(pointer, reason)| Absence::new(pointer, ReasonCode::SetAside, reason)));
    run.absent.extend(added);
}

/// Whether the column at `pointer` is held and has a null.
fn has_null(run: &Run, pointer: &str) -> bool {
    let mut found = false;
    run.visit(&mut |part| {
        if let crate::record::PartView::Table { pointer: table, columns, rows, .. } = part
            && let Some(name) = pointer.strip_prefix(table).and_then(|rest| rest.strip_prefix('/'))
            && let Some((_, column)) = columns.iter().find(|(spec, _)| spec.name == name)
        {
            found |= (0..rows).any(|row| column.is_null(row));
        }
    });
    found
}

/// Takes away the fields of the identity that have errors; each gets an entry that says which.
fn set_aside_identity(run: &mut Run, problems: &[Problem]) {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    let mut places: BTreeSet<&'static str> = BTreeSet::new();
    Run::declare(&mut |part| {
        places.insert(part.pointer);
    });
    for problem in problems.iter().filter(|problem| !problem.rule.is_notice() && problem.section() == "identity") {
        let reason = || format!("What stood here is set aside: {}.", problem.text);
        if places.contains(problem.pointer.as_str()) {
            fields.entry(problem.pointer.clone()).or_insert_with(reason);
            continue;
        }
        // A field, or a place in one: the field is what has its record before it.
        let mut at = problem.pointer.as_str();
        while let Some((before, _)) = at.rsplit_once('/') {
            if places.contains(before) {
                if !at.ends_with("/labels") {
                    fields.entry(at.to_owned()).or_insert_with(reason);
                }
                break;
            }
            at = before;
        }
    }
    run.blank(&mut |pointer, _| if fields.contains_key(pointer) { Blank::All } else { Blank::Nothing });
    let identity = &mut run.identity;
    for part in fields.keys() {
        match part.as_str() {
            "/identity/runtime" => identity.runtime = Default::default(),
            "/identity/model" => identity.model = Default::default(),
            "/identity/host" => identity.host = Default::default(),
            "/identity/device" => identity.device = Default::default(),
            "/identity/instrument" => identity.instrument = Default::default(),
            _ => {}
        }
    }
    forget_entries(run, &fields.keys().cloned().collect());
    run.absent.extend(fields.into_iter().map(|(pointer, reason)| Absence::new(pointer, ReasonCode::SetAside, reason)));
}

/// Forgets the entries for these places and for everything in them.
fn forget_entries(run: &mut Run, places: &BTreeSet<String>) {
    run.absent.retain(|absence| !prefixes(&absence.pointer).any(|at| places.contains(at)));
}

/// Drops the entries that explain nothing.
fn drop_faulty_entries(run: &mut Run, findings: &Findings) {
    let mut at = 0;
    run.absent.retain(|_| {
        at += 1;
        !findings.faulty_entries.contains(&(at - 1))
    });
}

impl Run {
    /// Blanks every field and column that `chosen` picks by its pointer and specification.
    fn blank(&mut self, chosen: &mut dyn FnMut(&'static str, &crate::record::FieldSpec) -> Blank) {
        self.identity.blank(chosen);
        self.request.blank(chosen);
        self.passes.blank(chosen);
        self.model.blank(chosen);
        self.graph.blank(chosen);
        self.kernels.blank(chosen);
        self.timeline.blank(chosen);
        self.traversal.blank(chosen);
    }
}

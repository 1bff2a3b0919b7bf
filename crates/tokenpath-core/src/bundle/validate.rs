//! Checks beyond types: lengths, references, nulls against absences, labels, order of times.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::absence::Absence;
use crate::column::Column;
use crate::label::{ColumnLabel, Labels};
use crate::model::{RESERVED_SECTION, Run, SECTIONS};
use crate::problem::{Problem, Rule};
use crate::record::{FieldSpec, Kind, Null, PartView, Problems};

/// Everything that is wrong with a run.
pub fn validate(run: &Run) -> Vec<Problem> {
    finish(run, Problems::default())
}

/// The same, after problems met while decoding.
pub(super) fn finish(run: &Run, mut problems: Problems) -> Vec<Problem> {
    let mut check = Check::new(run);
    let mut parts = Vec::new();
    run.visit(&mut |part| parts.push(part));
    for part in &parts {
        match part {
            PartView::Table { pointer, given, null, columns, labels, rows } => {
                if check.presence(pointer, *given, *null, &mut problems) {
                    check.table(pointer, columns, labels, *rows, &mut problems);
                }
            }
            PartView::Record { pointer, given, null, fields, labels } => {
                if check.presence(pointer, *given, *null, &mut problems) {
                    check.record(pointer, fields, labels, &mut problems);
                }
            }
        }
    }
    check.reserved(run, &mut problems);
    check.unused_absences(&mut problems);
    times(run, &mut problems);
    wholes(run, &mut problems);
    uniqueness(run, &mut problems);
    relations(run, &mut problems);
    problems.finish()
}

struct Check<'a> {
    absent: HashMap<&'a str, usize>,
    /// Entries for single cells, by column and row.
    cells: HashMap<&'a str, HashMap<usize, usize>>,
    entries: &'a [Absence],
    used: HashSet<usize>,
    /// Pointers the format knows, for telling "holds a value" from "matches nothing".
    known: HashSet<String>,
    rows: HashMap<&'static str, usize>,
}

impl<'a> Check<'a> {
    fn new(run: &'a Run) -> Check<'a> {
        let mut rows = HashMap::new();
        run.visit(&mut |part| {
            if let PartView::Table { pointer, rows: count, .. } = part {
                rows.insert(pointer, count);
            }
        });
        let absent = run.absent.iter().enumerate().map(|(i, entry)| (entry.pointer.as_str(), i)).collect();
        let mut cells: HashMap<&str, HashMap<usize, usize>> = HashMap::new();
        for (i, entry) in run.absent.iter().enumerate() {
            if let Some((column, row)) = entry.pointer.rsplit_once('/')
                && let Ok(row) = row.parse()
            {
                cells.entry(column).or_default().insert(row, i);
            }
        }
        Check { absent, cells, entries: &run.absent, used: HashSet::new(), known: HashSet::new(), rows }
    }

    /// Whether an entry explains `pointer`; marks it as used.
    fn explained(&mut self, pointer: &str) -> bool {
        match self.absent.get(pointer) {
            Some(i) => {
                self.used.insert(*i);
                true
            }
            None => false,
        }
    }

    fn presence(&mut self, pointer: &str, given: bool, null: Null, problems: &mut Problems) -> bool {
        self.known.insert(pointer.to_owned());
        if given || problems.is_spoiled(pointer) {
            return given;
        }
        match null {
            Null::Never => problems.add(Problem::new(pointer, Rule::MissingField, "a bundle must have it")),
            Null::Free => {
                self.explained(pointer);
            }
            Null::Explained | Null::EndedBy(_) => {
                if !self.explained(pointer) {
                    problems.add(Problem::new(
                        pointer,
                        Rule::UnexplainedNull,
                        "it is missing and no absence entry says why",
                    ));
                }
            }
        }
        false
    }

    fn record(
        &mut self,
        pointer: &str,
        fields: &[(FieldSpec, bool, Option<i64>)],
        labels: &Labels,
        problems: &mut Problems,
    ) {
        for (spec, has_value, target) in fields {
            let at = format!("{pointer}/{}", spec.name);
            self.known.insert(at.clone());
            if *has_value {
                if labels.field(spec.name).is_none() && needs_label(pointer, spec.name) {
                    problems.add(Problem::new(&at, Rule::MissingLabel, "the value has no label"));
                }
                if let (Kind::Ref(table), Some(target)) = (spec.kind, target) {
                    let rows = self.rows.get(table).copied().unwrap_or(0);
                    if usize::try_from(*target).map_or(true, |target| target >= rows) {
                        problems.add(Problem::new(
                            &at,
                            Rule::DanglingReference,
                            format!("row {target} of {table}, which has {rows}"),
                        ));
                    }
                }
            } else if !problems.is_spoiled(&at) {
                match spec.null {
                    Null::Never => problems.add(Problem::new(&at, Rule::MissingField, "it may not be missing")),
                    Null::Explained => {
                        if !self.explained(&at) {
                            problems.add(Problem::new(
                                &at,
                                Rule::UnexplainedNull,
                                "it is missing and no absence entry says why",
                            ));
                        }
                    }
                    Null::EndedBy(_) | Null::Free => {
                        self.explained(&at);
                    }
                }
            }
        }
    }

    fn table(
        &mut self,
        pointer: &str,
        columns: &[(FieldSpec, &'a dyn Column)],
        labels: &Labels,
        rows: usize,
        problems: &mut Problems,
    ) {
        for (spec, column) in columns {
            let at = format!("{pointer}/{}", spec.name);
            self.known.insert(at.clone());
            if column.rows() != 0 && column.rows() != rows {
                let text = format!("the column has {} cells, the table {rows} rows", column.rows());
                problems.add(Problem::new(&at, Rule::RaggedTable, text));
                continue;
            }
            if column.rows() > 0 {
                self.label(&at, spec, labels, rows, problems);
            }
            self.nulls(&at, spec, *column, columns, rows, problems);
            self.references(&at, spec, *column, problems);
        }
    }

    fn label(&self, at: &str, spec: &FieldSpec, labels: &Labels, rows: usize, problems: &mut Problems) {
        match labels.column(spec.name) {
            Some(ColumnLabel::PerRow { rows: given, .. }) if given.len() != rows => {
                let text = format!("there are labels for {} rows, the table has {rows}", given.len());
                problems.add(Problem::new(at, Rule::RaggedTable, text));
            }
            Some(_) => {}
            None if labels.all.is_some() || spec.name.ends_with("_end") => {}
            None => problems.add(Problem::new(at, Rule::MissingLabel, "the column has no label")),
        }
    }

    fn nulls(
        &mut self,
        at: &str,
        spec: &FieldSpec,
        column: &dyn Column,
        columns: &[(FieldSpec, &'a dyn Column)],
        rows: usize,
        problems: &mut Problems,
    ) {
        let end_name = format!("{}_end", spec.name);
        let end = columns.iter().find(|(other, _)| other.name == end_name).map(|(_, end)| *end);
        let mut nulls = 0_usize;
        let mut unexplained = 0_usize;
        let mut first = None;
        let whole = self.absent.get(at).copied();
        let cells = self.cells.get(at).cloned().unwrap_or_default();
        for row in 0..rows {
            let ended = end.is_some_and(|end| !end.is_null(row));
            if column.is_null(row) {
                nulls += 1;
                let cell = cells.get(&row).copied();
                if let Some(i) = cell {
                    self.used.insert(i);
                }
                let excused = match spec.null {
                    Null::Free => true,
                    Null::EndedBy(_) => ended,
                    Null::Never | Null::Explained => false,
                };
                let explained = excused || (spec.null != Null::Never && (cell.is_some() || whole.is_some()));
                if !explained {
                    unexplained += 1;
                    first = first.or(Some(row));
                }
            } else if column.is_empty_list(row) && end.is_some() && !ended {
                problems.cell(at, row, Rule::UnexplainedEnd, || {
                    format!("the list is empty and {end_name} does not say why the chain ends here")
                });
            } else if ended && !column.is_empty_list(row) {
                problems.cell(at, row, Rule::Contradiction, || {
                    format!("there is a value although {end_name} says that the chain ends here")
                });
            }
        }
        if let Some(i) = whole
            && nulls > 0
        {
            self.used.insert(i);
        }
        if rows == 0 {
            self.explained(at);
        }
        if let Some(first) = first
            && !problems.is_spoiled(at)
        {
            let missing = column.rows() == 0;
            let (place, rule) = match (missing, spec.null) {
                (true, Null::Never) => (at.to_owned(), Rule::MissingField),
                (true, _) => (at.to_owned(), Rule::UnexplainedNull),
                (false, Null::Never) => (format!("{at}/{first}"), Rule::MissingField),
                (false, _) => (format!("{at}/{first}"), Rule::UnexplainedNull),
            };
            let text = match (missing, spec.null) {
                (true, Null::Never) => "the table must have the column".to_owned(),
                (true, _) => "the column is missing and no absence entry says why".to_owned(),
                (false, Null::Never) => format!("null; this column may have none ({unexplained} in all)"),
                (false, _) => format!("null, and no absence entry says why ({unexplained} such cells in all)"),
            };
            problems.add(Problem::new(place, rule, text));
        }
    }

    fn references(&self, at: &str, spec: &FieldSpec, column: &dyn Column, problems: &mut Problems) {
        let (Kind::Ref(table) | Kind::Refs(table)) = spec.kind else { return };
        let rows = self.rows.get(table).copied().unwrap_or(0);
        column.references(&mut |row, target| {
            if target as usize >= rows {
                problems
                    .cell(at, row, Rule::DanglingReference, || format!("row {target} of {table}, which has {rows}"));
            }
        });
    }

    fn reserved(&mut self, run: &Run, problems: &mut Problems) {
        let pointer = format!("/{RESERVED_SECTION}");
        self.known.insert(pointer.clone());
        let present = run.extra.iter().any(|(name, _)| name == RESERVED_SECTION);
        if !present && !self.explained(&pointer) {
            problems.add(Problem::new(pointer, Rule::UnexplainedNull, "it is missing and no absence entry says why"));
        }
    }

    fn unused_absences(&self, problems: &mut Problems) {
        let mut seen: HashSet<&str> = HashSet::new();
        for (i, entry) in self.entries.iter().enumerate() {
            let at = format!("/absent/{i}");
            if !seen.insert(&entry.pointer) {
                problems.add(Problem::new(&at, Rule::Duplicate, format!("a second entry for {}", entry.pointer)));
            } else if !self.used.contains(&i) && !self.inside_missing(&entry.pointer) {
                let (rule, text) = if self.is_known(&entry.pointer) {
                    (
                        Rule::AbsenceOfPresent,
                        format!("the entry says that {} is absent, and it holds a value", entry.pointer),
                    )
                } else {
                    (
                        Rule::AbsenceOfNothing,
                        format!("{:?} is no place in a bundle", entry.pointer.chars().take(80).collect::<String>()),
                    )
                };
                problems.add(Problem::new(&at, rule, text));
            }
        }
    }

    /// Whether the pointer lies in a section or part that is itself explained as absent: more detailed reasons are welcome there.
    fn inside_missing(&self, pointer: &str) -> bool {
        let mut at = pointer;
        while let Some((before, _)) = at.rsplit_once('/') {
            if before.is_empty() {
                return false;
            }
            if self.absent.get(before).is_some_and(|i| self.used.contains(i))
                && SECTIONS.contains(&pointer.split('/').nth(1).unwrap_or(""))
            {
                return true;
            }
            at = before;
        }
        false
    }

    fn is_known(&self, pointer: &str) -> bool {
        if self.known.contains(pointer) {
            return true;
        }
        let Some((column, row)) = pointer.rsplit_once('/') else { return false };
        let Some((table, _)) = column.rsplit_once('/') else { return false };
        let rows = self.rows.get(table).copied().unwrap_or(0);
        self.known.contains(column) && row.parse::<usize>().is_ok_and(|row| row < rows)
    }
}

/// Identity's plain statements name themselves; everything else says where it comes from.
fn needs_label(pointer: &str, field: &str) -> bool {
    !(pointer == "/identity"
        && matches!(field, "id" | "title" | "capture_mode" | "synthetic" | "scenario" | "recorded_at"))
        && pointer != "/identity/instrument"
}

/// Ends that overflow, lie before their start, or lie outside what holds them.
fn times(run: &Run, problems: &mut Problems) {
    let timeline = &run.timeline;
    let capture = (timeline.start, timeline.end);
    if let (Some(start), Some(end)) = capture
        && end < start
    {
        problems.add(Problem::new(
            "/timeline/end",
            Rule::EndBeforeStart,
            format!("{end} ns lies before the start at {start} ns"),
        ));
        return;
    }
    let inside = |at: &str, row: usize, start: Option<i64>, end: Option<i64>, problems: &mut Problems| {
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            problems.cell(at, row, Rule::EndBeforeStart, || {
                format!("the end at {end} ns lies before the start at {start} ns")
            });
        }
        for time in [start, end].into_iter().flatten() {
            if capture.0.is_some_and(|from| time < from) || capture.1.is_some_and(|to| time > to) {
                problems.cell(at, row, Rule::OutsideCapture, || {
                    format!(
                        "{time} ns lies outside the capture, {} to {} ns",
                        capture.0.unwrap_or(0),
                        capture.1.unwrap_or(i64::MAX)
                    )
                });
                return;
            }
        }
    };
    let rows = &run.passes.rows;
    for row in 0..rows.rows() {
        inside("/passes/rows/start", row, rows.start.get(row), rows.end.get(row), problems);
    }
    let submissions = &timeline.submissions;
    for row in 0..submissions.rows() {
        inside("/timeline/submissions/start", row, submissions.start.get(row), submissions.end.get(row), problems);
    }
    let segments = &timeline.segments;
    for row in 0..segments.rows() {
        inside("/timeline/segments/start", row, segments.start.get(row), segments.end.get(row), problems);
    }
    let unrecorded = &timeline.unrecorded;
    for row in 0..unrecorded.rows() {
        inside("/timeline/unrecorded/start", row, unrecorded.start.get(row), unrecorded.end.get(row), problems);
    }
    let intervals = &timeline.intervals;
    for row in 0..intervals.rows() {
        let start = intervals.start.get(row);
        let end = end_of("/timeline/intervals/duration", row, start, intervals.duration.get(row), problems);
        inside("/timeline/intervals/start", row, start, end.or(start), problems);
        let segment = intervals.segment.get(row).map(|segment| segment as usize);
        if let (Some(segment), Some(start)) = (segment, start) {
            let from = segments.start.get(segment);
            let to = segments.end.get(segment);
            let end = end.unwrap_or(start);
            if from.is_some_and(|from| start < from) || to.is_some_and(|to| end > to) {
                problems.cell("/timeline/intervals/segment", row, Rule::OutsideSegment, || {
                    format!("{start} to {end} ns lies outside segment {segment}")
                });
            }
        }
    }
    let calls = &timeline.calls;
    for row in 0..calls.rows() {
        let start = calls.start.get(row);
        let end = end_of("/timeline/calls/duration", row, start, calls.duration.get(row), problems);
        inside("/timeline/calls/start", row, start, end.or(start), problems);
    }
    let copies = &timeline.copies;
    for row in 0..copies.rows() {
        let start = copies.start.get(row);
        let end = end_of("/timeline/copies/duration", row, start, copies.duration.get(row), problems);
        inside("/timeline/copies/start", row, start, end.or(start), problems);
    }
    let ranges = &timeline.ranges;
    for row in 0..ranges.rows() {
        let start = ranges.start.get(row);
        let end = end_of("/timeline/ranges/duration", row, start, ranges.duration.get(row), problems);
        inside("/timeline/ranges/start", row, start, end.or(start), problems);
    }
}

fn end_of(at: &str, row: usize, start: Option<i64>, duration: Option<i64>, problems: &mut Problems) -> Option<i64> {
    let (start, duration) = (start?, duration?);
    let end = start.checked_add(duration);
    if end.is_none() {
        problems
            .cell(at, row, Rule::Overflow, || format!("{start} ns and {duration} ns add up to more than 64 bits hold"));
    }
    end
}

/// Parts that exceed their stated whole.
fn wholes(run: &Run, problems: &mut Problems) {
    let counter = |name: &str| {
        let counters = &run.request.counters;
        (0..counters.rows())
            .find(|row| counters.name.get(*row) == Some(name))
            .and_then(|row| Some((row, counters.value.get(row)?)))
    };
    if let (Some((_, prompt)), Some((row, cached))) = (counter("prompt_tokens"), counter("cached_tokens"))
        && cached > prompt
    {
        problems.add(Problem::new(
            format!("/request/counters/value/{row}"),
            Rule::PartsExceedWhole,
            format!("{cached} cached tokens of {prompt} prompt tokens"),
        ));
    }
    let tensors = &run.model.tensors;
    let mut sum = 0_i64;
    for row in 0..tensors.rows() {
        let Some(bytes) = tensors.bytes.get(row) else { continue };
        match sum.checked_add(bytes) {
            Some(next) => sum = next,
            None => {
                problems.add(Problem::new(
                    format!("/model/tensors/bytes/{row}"),
                    Rule::Overflow,
                    "the tensors' bytes add up to more than 64 bits hold",
                ));
                return;
            }
        }
    }
}

/// Names that must be unique.
fn uniqueness(run: &Run, problems: &mut Problems) {
    let mut unique = |at: &str, names: &crate::column::Texts| {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (row, name) in names.iter().enumerate() {
            if let Some(name) = name
                && let Some(first) = seen.insert(name, row)
            {
                let name: String = name.chars().take(60).collect();
                problems.cell(at, row, Rule::Duplicate, || format!("{name:?} stands in row {first} too"));
            }
        }
    };
    unique("/request/events/name", &run.request.events.name);
    unique("/request/counters/name", &run.request.counters.name);
    unique("/model/tensors/name", &run.model.tensors.name);
    unique("/model/parameters/name", &run.model.parameters.name);
    unique("/kernels/name", &run.kernels.name);
    unique("/traversal/ends/code", &run.traversal.ends.code);
}

/// Relations that must agree with each other.
fn relations(run: &Run, problems: &mut Problems) {
    let rows = &run.passes.rows;
    let mut last: Option<i64> = None;
    for row in 0..rows.rows() {
        let start = rows.start.get(row);
        if let (Some(before), Some(start)) = (last, start)
            && start < before
        {
            problems.cell("/passes/rows/start", row, Rule::Contradiction, || {
                format!("{start} ns lies before the pass above it, at {before} ns")
            });
        }
        last = start.or(last);
    }
    let intervals = &run.timeline.intervals;
    let submissions = &run.timeline.submissions;
    let sets = &run.timeline.node_sets;
    let mut members: HashMap<u32, HashSet<u32>> = HashMap::new();
    for row in 0..intervals.rows() {
        let submission = intervals.submission.get(row).map(|submission| submission as usize);
        if let (Some(submission), Some(pass)) = (submission, intervals.pass.get(row))
            && let Some(of) = submissions.pass.get(submission)
            && of != pass
        {
            problems.cell("/timeline/intervals/pass", row, Rule::Contradiction, || {
                format!("pass {pass}, and its submission {submission} belongs to pass {of}")
            });
        }
        let set = submission.and_then(|submission| submissions.node_set.get(submission));
        if let (Some(set), Some(nodes)) = (set, intervals.nodes.get(row)) {
            let known = members
                .entry(set)
                .or_insert_with(|| sets.nodes.get(set as usize).unwrap_or(&[]).iter().copied().collect());
            if let Some(node) = nodes.iter().find(|node| !known.contains(node)) {
                problems.cell("/timeline/intervals/nodes", row, Rule::Contradiction, || {
                    format!("node {node} is not in node set {set} of its submission")
                });
            }
        }
    }
}

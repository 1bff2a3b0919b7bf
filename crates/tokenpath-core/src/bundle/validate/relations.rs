//! What must agree across rows and tables: unique names, parts and wholes, relations told twice.

use std::collections::HashMap;

use crate::column::Texts;
use crate::json::quoted;
use crate::model::Run;
use crate::problem::{Problem, Problems, Rule};

pub(super) fn check(run: &Run, problems: &mut Problems) {
    uniqueness(run, problems);
    wholes(run, problems);
    passes_of_intervals(run, problems);
    nodes_of_intervals(run, problems);
    token_under_test(run, problems);
}

/// Names that must be unique.
fn uniqueness(run: &Run, problems: &mut Problems) {
    let mut unique = |at: &str, names: &Texts| {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (row, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            let first = *seen.entry(name).or_insert(row);
            if first != row {
                problems.cell(at, row, Rule::Duplicate, || format!("{} stands in row {first} too", quoted(name)));
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

/// Parts that exceed their whole.
fn wholes(run: &Run, problems: &mut Problems) {
    let counters = &run.request.counters;
    let parameters = &run.model.parameters;
    let value = |names: &Texts, values: &crate::column::Ints, name: &str| {
        let row = names.iter().position(|known| known == Some(name))?;
        Some((row, values.get(row)?))
    };
    let mut part = |at: &str, part: Option<(usize, i64)>, whole: Option<(usize, i64)>, text: &str| {
        if let (Some((row, part)), Some((_, whole))) = (part, whole)
            && part > whole
        {
            problems.cell(at, row, Rule::PartsExceedWhole, || format!("{part} {text} {whole}"));
        }
    };
    let counter = |name| value(&counters.name, &counters.value, name);
    let at = "/request/counters/value";
    part(at, counter("cached_tokens"), counter("prompt_tokens"), "cached tokens, more than the prompt tokens:");
    part(at, counter("draft_accepted"), counter("draft_tokens"), "accepted draft tokens, more than the draft tokens:");
    let parameter = |name| value(&parameters.name, &parameters.value, name);
    let at = "/model/parameters/value";
    part(
        at,
        parameter("expert_used_count"),
        parameter("expert_count"),
        "experts used for a token, more than there are:",
    );
    let model = &run.model;
    if let (Some(header), Some(file)) = (model.header_bytes, model.file_bytes)
        && header > file
    {
        let text = format!("{header} bytes before the first tensor, more than the file's {file} bytes");
        problems.add(Problem::new("/model/header_bytes", Rule::PartsExceedWhole, text));
    }
    let mut sum = 0_i64;
    for (row, _) in model.tensors.bytes.raw().iter().enumerate() {
        let Some(bytes) = model.tensors.bytes.get(row) else { continue };
        let Some(next) = sum.checked_add(bytes) else {
            problems.cell("/model/tensors/bytes", row, Rule::Overflow, || {
                format!(
                    "with this tensor's {bytes} bytes the sum of all is more than the largest size of a bundle, {}",
                    i64::MAX
                )
            });
            return;
        };
        sum = next;
    }
    // The file's size and its tensors' sizes are two statements; a lens shows both and the negative remainder.
    if let Some(file) = model.file_bytes
        && sum > file
    {
        let text = format!("the tensors add up to {sum} bytes, more than the file's {file} bytes");
        problems.add(Problem::new("/model/file_bytes", Rule::Disagreement, text));
    }
}

/// An interval and its submission name the same pass.
fn passes_of_intervals(run: &Run, problems: &mut Problems) {
    let (intervals, submissions) = (&run.timeline.intervals, &run.timeline.submissions);
    for row in 0..intervals.rows() {
        let (Some(submission), Some(pass)) = (intervals.submission.get(row), intervals.pass.get(row)) else { continue };
        if let Some(of) = submissions.pass.get(submission as usize)
            && of != pass
        {
            problems.cell("/timeline/intervals/pass", row, Rule::Contradiction, || {
                format!("pass {pass}, and its submission {submission} belongs to pass {of}")
            });
        }
    }
}

/// The nodes an interval executed are among those of its submission.
fn nodes_of_intervals(run: &Run, problems: &mut Problems) {
    let timeline = &run.timeline;
    let (intervals, submissions, sets) = (&timeline.intervals, &timeline.submissions, &timeline.node_sets);
    // Each set sorted once: a set may be as large as the graph, and any interval may name any set.
    let mut sorted: Vec<Option<Box<[u32]>>> = vec![None; sets.rows()];
    for row in 0..intervals.rows() {
        let submission = intervals.submission.get(row);
        let set = submission.and_then(|submission| submissions.node_set.get(submission as usize));
        let (Some(set), Some(nodes)) = (set, intervals.nodes.get(row)) else { continue };
        let (Some(listed), Some(members)) = (sets.nodes.get(set as usize), sorted.get_mut(set as usize)) else {
            continue;
        };
        let members = members.get_or_insert_with(|| {
            let mut members: Box<[u32]> = listed.into();
            members.sort_unstable();
            members
        });
        if let Some(node) = nodes.iter().find(|node| members.binary_search(node).is_err()) {
            problems.cell("/timeline/intervals/nodes", row, Rule::Contradiction, || {
                format!("node {node} is not in node set {set} of its submission")
            });
        }
    }
}

/// The token under test is a decode pass's.
fn token_under_test(run: &Run, problems: &mut Problems) {
    let Some(pass) = run.traversal.pass else { return };
    let kind = usize::try_from(pass).ok().and_then(|pass| run.passes.rows.kind.get(pass));
    if kind == Some("prefill") {
        let text = format!("pass {pass} is a prefill pass; the token under test is a decode pass's");
        problems.add(Problem::new("/traversal/pass", Rule::Contradiction, text));
    }
}

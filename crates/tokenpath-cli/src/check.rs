//! `tokenpath check`: what is wrong with a recording, and the verdict on its token under test.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::json;
use tokenpath_core::traverse::{ChainCounts, ComputedBy, Outcome, Verdict, verdict, verdicts_all};

use crate::Done;
use crate::args::Check;
use crate::files;
use crate::output::print;
use crate::run::{Opened, open};

/// Exits with 1 when the bundle has errors or a walked pass fails.
pub(crate) fn run(check: &Check) -> Done {
    let opened = open(&check.files, true, check.of)?;
    let token = verdict(&opened.run, None, ComputedBy::CommandLine);
    let passes = if check.all_passes { verdicts_all(&opened.run, ComputedBy::CommandLine) } else { Vec::new() };
    let errors = opened.problems.iter().filter(|problem| !problem.rule.is_notice()).count();
    let failed = errors > 0 || token.is_fail() || passes.iter().any(Verdict::is_fail);
    let text = if check.json {
        as_json(&opened, &token, check.all_passes.then_some(&passes))
    } else {
        as_text(&opened, &token, &passes)
    };
    print(&text)?;
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn as_json(opened: &Opened, token: &Verdict, passes: Option<&Vec<Verdict>>) -> String {
    let problems: Vec<_> = opened
        .problems
        .iter()
        .map(|problem| {
            json!({
                "pointer": problem.pointer, "rule": problem.rule.word(), "text": problem.text,
                "notice": problem.rule.is_notice(),
            })
        })
        .collect();
    let left_out: Vec<_> = opened
        .left_out
        .iter()
        .map(|left| json!({ "file": left.file, "what": left.what, "count": left.count, "reason": left.reason }))
        .collect();
    let mut document = json!({
        "files": opened.files,
        "title": opened.run.identity.title,
        "capture_mode": opened.run.identity.capture_mode,
        "joined": opened.joins.iter().map(|join| json!({ "rule": join.rule, "text": join.text })).collect::<Vec<_>>(),
        "left_out": left_out,
        "remarks": opened.remarks.iter().map(|remark| json!({ "file": remark.file, "text": remark.text })).collect::<Vec<_>>(),
        "problems": problems,
        "set_aside": opened.set_aside,
        "verdict": token,
    });
    if let (Some(passes), Some(object)) = (passes, document.as_object_mut()) {
        object.insert("passes".to_owned(), json!(passes));
    }
    format!("{document:#}\n")
}

fn as_text(opened: &Opened, token: &Verdict, passes: &[Verdict]) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}", opened.run.identity.title.as_deref().unwrap_or("A run without a title"));
    for join in &opened.joins {
        let _ = writeln!(out, "  joined by {}: {}", join.rule, join.text);
    }
    for remark in &opened.remarks {
        let _ = writeln!(out, "  {}: {}", remark.file, remark.text);
    }
    for left in &opened.left_out {
        let count = if left.count > 0 { format!("{} ", left.count) } else { String::new() };
        let _ = writeln!(out, "  left out of {}: {count}{}. {}", left.file, left.what, left.reason);
    }
    let errors = opened.problems.iter().filter(|problem| !problem.rule.is_notice()).count();
    let _ = writeln!(out, "bundle: {}", files::plural(errors, "error", "errors"));
    for problem in &opened.problems {
        let kind = if problem.rule.is_notice() { "notice" } else { "error" };
        let _ = writeln!(out, "  {kind}: {problem}");
    }
    if !opened.set_aside.is_empty() {
        let _ = writeln!(out, "  set aside: {}", opened.set_aside.join(", "));
    }
    describe(&mut out, "verdict", token);
    if !passes.is_empty() {
        let failing = passes.iter().filter(|verdict| verdict.is_fail()).count();
        let _ = writeln!(out, "all passes: {} walked, {failing} with gaps", passes.len());
        for verdict in passes.iter().filter(|verdict| verdict.is_fail()) {
            describe(&mut out, "  verdict", verdict);
        }
    }
    out
}

fn describe(out: &mut String, caption: &str, verdict: &Verdict) {
    let outcome = match &verdict.outcome {
        Outcome::Pass => "pass".to_owned(),
        Outcome::Fail => format!("fail, {}", files::plural(verdict.gap_count() as usize, "gap", "gaps")),
        Outcome::NotApplicable { reason } => format!("not applicable: {reason}"),
    };
    let pass = verdict.pass.map(|pass| {
        let chosen = verdict.pass_label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
        format!(", pass {pass}{chosen}")
    });
    let _ = writeln!(out, "{caption}: {outcome}{}", pass.unwrap_or_default());
    for (direction, counts) in [("up from intervals", &verdict.up), ("down from components", &verdict.down)] {
        if counts.total > 0 {
            let ChainCounts { total, resolved, terminal, gap } = counts;
            let _ = writeln!(
                out,
                "  {direction}: {total} chains; {resolved} resolved, {terminal} end at a stated answer, {gap} meet a gap"
            );
        }
    }
    for group in &verdict.gaps {
        let _ = writeln!(
            out,
            "  gap: {} at {} ({} times): {}",
            group.hop.title(),
            group.pointer,
            group.members.len(),
            group.reason
        );
    }
    for (what, left) in [
        ("intervals in no pass", &verdict.intervals_in_no_pass),
        ("nodes no interval reaches", &verdict.nodes_no_interval_reaches),
        ("kernels no node names", &verdict.kernels_no_node_names),
    ] {
        if let Some(count @ 1..) = left.count {
            let of = left.of.map(|of| format!(" of {of}")).unwrap_or_default();
            let _ = writeln!(out, "  {what}: {count}{of}");
        }
    }
}

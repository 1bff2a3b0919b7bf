//! What the instrument saw of the token under test, and of the whole run.

use std::collections::BTreeSet;

use crate::derive::counted::{count, count_all};
use crate::derive::passes::{PassTable, pass_under_test};
use crate::fact::{Fact, Missing, Reading};
use crate::model::Run;

/// So many of so many.
#[derive(Clone, Debug, PartialEq)]
pub struct OfHowMany {
    /// What is counted, in words.
    pub what: &'static str,
    /// How many; or why none can be.
    pub count: Reading,
    /// Of how many.
    pub of: Option<Fact>,
}

/// What the instrument saw of the token under test, and of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct InstrumentCoverage {
    /// The pass of the token under test, if there is one.
    pub pass: Option<u32>,
    /// What it saw of that pass.
    pub of_token: Vec<OfHowMany>,
    /// What it saw of the whole run.
    pub of_run: Vec<OfHowMany>,
}

/// Counts what the instrument saw.
pub fn instrument_coverage(run: &Run, table: &PassTable<'_>) -> InstrumentCoverage {
    let intervals = &run.timeline.intervals;
    let pass = pass_under_test(run);
    let labels = &intervals.labels;
    let counted = |column: &str, rows: &[usize]| {
        if intervals.given {
            Ok(count(labels, column, &format!("/timeline/intervals/{column}"), rows))
        } else {
            Err(run.missing("/timeline/intervals"))
        }
    };
    let mut of_token = Vec::new();
    if let Some(pass) = pass {
        let rows: Vec<usize> = table.intervals(pass).iter().map(|row| *row as usize).collect();
        let timed: Vec<usize> = rows.iter().copied().filter(|row| intervals.duration.get(*row).is_some()).collect();
        of_token.push(OfHowMany {
            what: "intervals with a duration",
            count: counted("duration", &timed),
            of: counted("pass", &rows).ok(),
        });
        of_token.push(nodes_reached(run, pass, &rows));
    }
    let passes = &run.passes.rows;
    let seen: Vec<usize> =
        (0..passes.rows()).filter(|row| !table.intervals(u32::try_from(*row).unwrap_or(u32::MAX)).is_empty()).collect();
    let all: Vec<usize> = (0..intervals.rows()).collect();
    let in_pass: Vec<usize> = all.iter().copied().filter(|row| intervals.pass.get(*row).is_some()).collect();
    let of_run = vec![
        OfHowMany {
            what: "passes with intervals",
            count: if intervals.given {
                Ok(count(&passes.labels, "start", "/passes/rows", &seen))
            } else {
                Err(run.missing("/timeline/intervals"))
            },
            of: passes.given.then(|| count_all(&passes.labels, "start", "/passes/rows", passes.rows())),
        },
        OfHowMany { what: "intervals in a pass", count: counted("pass", &in_pass), of: counted("start", &all).ok() },
    ];
    InstrumentCoverage { pass, of_token, of_run }
}

/// Nodes of the pass's graph that an interval is known to execute.
fn nodes_reached(run: &Run, pass: u32, rows: &[usize]) -> OfHowMany {
    let what = "nodes that do work, with an interval";
    let intervals = &run.timeline.intervals;
    let nodes = &run.graph.nodes;
    let graph = run.passes.rows.graph.get(pass as usize);
    let working: Vec<usize> = (0..nodes.rows())
        .filter(|node| graph.is_some() && nodes.graph.get(*node) == graph && nodes.view.get(*node) != Some(1))
        .collect();
    if working.is_empty() {
        let pointer = if nodes.given { "/passes/rows/graph" } else { "/graph/nodes" };
        return OfHowMany { what, count: Err(run.missing(pointer)), of: None };
    }
    let of = count(&nodes.labels, "name", "/graph/nodes", &working);
    let known = rows.iter().any(|row| intervals.nodes.get(*row).is_some());
    if !known {
        let reason =
            "The intervals do not name the nodes they executed; candidates come from their kernels.".to_owned();
        let missing = Missing { pointer: "/timeline/intervals/nodes".to_owned(), reason };
        return OfHowMany { what, count: Err(missing), of: Some(of) };
    }
    let reached: BTreeSet<u32> = rows.iter().filter_map(|row| intervals.nodes.get(*row)).flatten().copied().collect();
    let seen: Vec<usize> =
        working.iter().copied().filter(|node| reached.contains(&u32::try_from(*node).unwrap_or(u32::MAX))).collect();
    let mut fact = count(&nodes.labels, "name", "/timeline/intervals/nodes", &seen);
    if let Some(label) = intervals.label("nodes", rows.first().copied().unwrap_or(0)) {
        fact.label = fact.label.weaker(label).clone();
    }
    OfHowMany { what, count: Ok(fact), of: Some(of) }
}

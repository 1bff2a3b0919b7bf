//! The token under test: the pass whose intervals are walked.

use std::collections::BTreeMap;

use crate::fact::Missing;
use crate::label::{Label, LabelKind};
use crate::model::Run;

/// The token under test, by the decode pass that computes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenUnderTest {
    /// Row of `/passes/rows`.
    pub pass: u32,
    /// As stored when the bundle names the pass; derived when it is the middle decode pass.
    pub label: Label,
}

/// The formula by which a pass is taken when the bundle names none.
const MIDDLE: &str = "middle decode pass";

/// The token under test: the pass that `/traversal/pass` names, else the middle decode pass.
///
/// The middle of n decode passes in order of their start is the one with n / 2 before it, so the later of two. A run that
/// was joined from several recordings has several executions, of which one may have no intervals at all: the middle is
/// taken among the passes of the execution with the most intervals per decode pass, and of two equal ones among those of
/// the execution that starts first.
///
/// # Errors
/// With the pointer that would have supplied it and the reason: the bundle names a pass that it does not hold, it holds no
/// passes, or it says of none that it is a decode pass.
pub fn token_under_test(run: &Run) -> Result<TokenUnderTest, Missing> {
    let rows = &run.passes.rows;
    if let Some(named) = run.traversal.pass {
        let label = run.traversal.label("pass").cloned();
        return match u32::try_from(named) {
            Ok(pass) if (pass as usize) < rows.rows() => Ok(TokenUnderTest {
                pass,
                label: label.unwrap_or_else(|| Label::new(LabelKind::Estimated, "no label in the bundle")),
            }),
            _ => Err(Missing {
                pointer: "/traversal/pass".to_owned(),
                reason: format!("The bundle names pass {named}, and it holds {} passes.", rows.rows()),
            }),
        };
    }
    for (pointer, given) in [("/passes", run.passes.given), ("/passes/rows", rows.given)] {
        if !given {
            return Err(run.missing(pointer));
        }
    }
    match middle(run) {
        Some(pass) => Ok(TokenUnderTest { pass, label: Label::derived(MIDDLE) }),
        None => Err(no_decode_pass(run)),
    }
}

fn no_decode_pass(run: &Run) -> Missing {
    let rows = &run.passes.rows;
    let unknown = (0..rows.rows()).find(|row| rows.kind.get(*row).is_none());
    match unknown {
        Some(row) => {
            let pointer = "/passes/rows/kind";
            // The kind of one pass may have a reason of its own; then it is that pass that could have been the one.
            let reason = run.reason(&format!("{pointer}/{row}"));
            Missing { pointer: pointer.to_owned(), reason }
        }
        None => Missing {
            pointer: "/traversal/pass".to_owned(),
            reason: "The bundle names no token under test, and no pass of the run is a decode pass.".to_owned(),
        },
    }
}

/// Decode passes that were executed alike, and how many intervals fell in them.
#[derive(Default)]
struct Group {
    passes: Vec<(i64, u32)>,
    intervals: u64,
}

fn middle(run: &Run) -> Option<u32> {
    let rows = &run.passes.rows;
    let mut groups: BTreeMap<Option<u32>, Group> = BTreeMap::new();
    for row in (0..rows.rows()).filter(|row| rows.kind.get(*row) == Some("decode")) {
        let group = groups.entry(rows.execution.get(row)).or_default();
        group.passes.push((rows.start.get(row).unwrap_or(i64::MAX), u32::try_from(row).ok()?));
    }
    if groups.len() > 1 {
        for pass in run.timeline.intervals.pass.raw() {
            let row = *pass as usize;
            if rows.kind.get(row) == Some("decode")
                && let Some(group) = groups.get_mut(&rows.execution.get(row))
            {
                group.intervals += 1;
            }
        }
    }
    let mut best: Option<Group> = None;
    for (_, mut group) in groups {
        group.passes.sort_unstable();
        if best.as_ref().is_none_or(|best| better(&group, best)) {
            best = Some(group);
        }
    }
    let group = best?;
    group.passes.get(group.passes.len() / 2).map(|(_, pass)| *pass)
}

fn better(a: &Group, b: &Group) -> bool {
    // a / n > b / m without a division: whole numbers compare exactly.
    let left = u128::from(a.intervals) * b.passes.len() as u128;
    let right = u128::from(b.intervals) * a.passes.len() as u128;
    let start = |group: &Group| group.passes.first().copied();
    left > right || (left == right && start(a) < start(b))
}

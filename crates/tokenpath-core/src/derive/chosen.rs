//! The pass a lens speaks of, where it needs one: the selection's, else the token under test's.

use crate::fact::Missing;
use crate::item::Item;
use crate::model::Run;
use crate::traverse::token_under_test;

/// Why this pass was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The selection is the pass, or something that belongs to it.
    Selected,
    /// It is the pass of the token under test.
    UnderTest,
}

/// A pass and why it was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenPass {
    /// Its row in `/passes/rows`.
    pub pass: u32,
    /// Why it and no other.
    pub why: Why,
}

/// The pass that `item` belongs to, else that of the token under test.
///
/// # Errors
/// As [`token_under_test`], when the selection belongs to no pass.
pub fn chosen_pass(run: &Run, item: Option<Item>) -> Result<ChosenPass, Missing> {
    if let Some(pass) = item.and_then(|item| pass_of(run, item))
        && (pass as usize) < run.passes.rows.rows()
    {
        return Ok(ChosenPass { pass, why: Why::Selected });
    }
    token_under_test(run).map(|token| ChosenPass { pass: token.pass, why: Why::UnderTest })
}

/// The pass that an item belongs to by a stored relation.
fn pass_of(run: &Run, item: Item) -> Option<u32> {
    match item {
        Item::Pass(pass) => Some(pass),
        Item::Interval(row) => run.timeline.intervals.pass.get(row as usize),
        Item::Submission(row) => run.timeline.submissions.pass.get(row as usize),
        Item::Segment(row) => {
            let submission = run.timeline.segments.submission.get(row as usize)?;
            run.timeline.submissions.pass.get(submission as usize)
        }
        Item::Chunk(row) => run.request.chunks.pass.get(row as usize),
        _ => None,
    }
}

/// The execution of a pass; `None` in runs that know only one.
pub fn execution_of(run: &Run, pass: u32) -> Option<u32> {
    run.passes.rows.execution.get(pass as usize)
}

//! The verdict on one pass, as plain data. How it is computed stands in [`super::walk`].

use serde::Serialize;

use super::hop::Hop;
use super::walk::Walker;
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// Who computed a verdict. Everybody uses the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputedBy {
    /// The generator of a static site, from a committed run.
    Generator,
    /// The page's script, from a file.
    Page,
    /// The command line, from a file.
    CommandLine,
}

/// Whether every relation that the walk needs is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// No hop of any chain, for any candidate, is a gap.
    Pass,
    /// At least one is.
    Fail,
    /// The levels that would be walked are absent because the capture mode does not reach them: neither pass nor fail.
    NotApplicable {
        /// The bundle's own reason.
        reason: String,
    },
}

/// How chains end. `gap` + `terminal` + `resolved` = `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChainCounts {
    /// Chains that were walked: up, one for each interval; down, one for each component. A walk that cannot begin at all
    /// counts as one.
    pub total: u64,
    /// No gap, and a branch reaches the last hop: up a layer, down an interval.
    pub resolved: u64,
    /// No gap, and every branch ends at an answer before.
    pub terminal: u64,
    /// A hop of some branch is a gap.
    pub gap: u64,
}

/// Gaps of one hop that share a starred pointer and a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GapGroup {
    /// The hop that is not supplied.
    pub hop: Hop,
    /// The pointer with rows starred.
    pub pointer: String,
    /// The shared reason: the bundle's own where it gives one.
    pub reason: String,
    /// Chains that meet a gap of the group.
    pub chains: u64,
    /// The gaps, in order of their place.
    pub members: Vec<GapMember>,
}

/// One gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GapMember {
    /// What would have supplied the relation: a cell, or a column, table, section that is away or in which several nulls
    /// may each hide what is looked for.
    pub pointer: String,
    /// Chains that meet it.
    pub chains: u64,
    /// Where the first chain that meets it starts: an interval or a component; the pass when the walk cannot begin.
    pub first: Option<Item>,
}

/// Answers of one hop that share their words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerminalGroup {
    /// The hop at which chains end.
    pub hop: Hop,
    /// The short code of the answer.
    pub code: Option<String>,
    /// The answer in words.
    pub reason: String,
    /// Chains of which a branch ends so. A chain with several candidates may count in several groups.
    pub chains: u64,
    /// Where the first of them starts.
    pub first: Option<Item>,
}

/// What a walk leaves over, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// How many are left over; none when it cannot be told.
    pub count: Option<u64>,
    /// Of how many.
    pub of: Option<u64>,
    /// Why it cannot be told.
    pub reason: Option<String>,
    /// The left over by reason, in the reasons' alphabetical order.
    pub groups: Vec<LeftoverGroup>,
}

/// Left over for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftoverGroup {
    /// Why: the bundle's own reason or answer where it gives one.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// Which rows, in order. Empty for intervals, of which there can be millions; [`intervals_in_no_pass`] lists them.
    pub rows: Vec<u32>,
}

/// The verdict on one pass, and what the walk leaves over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Pass, fail, or not applicable.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Who computed it.
    pub computed_by: ComputedBy,
    /// The pass that was walked; none when there is no token under test.
    pub pass: Option<u32>,
    /// How the pass was chosen, when it is the token under test's; none when the caller chose it.
    pub pass_label: Option<Label>,
    /// Chains from intervals up.
    pub up: ChainCounts,
    /// Chains up of which a branch reaches a tensor.
    pub reach_tensor: u64,
    /// Chains from components down.
    pub down: ChainCounts,
    /// The weakest label of any hop; none when no hop was read.
    pub weakest: Option<Label>,
    /// Every gap, by hop, starred pointer and reason.
    pub gaps: Vec<GapGroup>,
    /// Every answer at which a chain ends, by hop and reason.
    pub terminals: Vec<TerminalGroup>,
    /// Intervals of the whole run that fell in no pass.
    pub intervals_in_no_pass: Leftover,
    /// Nodes of the pass's graph that no interval of the pass reaches.
    pub nodes_no_interval_reaches: Leftover,
    /// Kernels of the whole run that no node names.
    pub kernels_no_node_names: Leftover,
}

impl Verdict {
    /// Number of distinct gaps: hop and place.
    pub fn gap_count(&self) -> u64 {
        self.gaps.iter().map(|group| group.members.len() as u64).sum()
    }

    /// Whether the outcome is [`Outcome::Pass`].
    pub fn is_pass(&self) -> bool {
        self.outcome == Outcome::Pass
    }

    /// Whether the outcome is [`Outcome::Fail`].
    pub fn is_fail(&self) -> bool {
        self.outcome == Outcome::Fail
    }
}

/// The verdict on `pass`, or on the pass of the token under test.
///
/// A run in user mode, and a lab run whose only gaps are levels absent by depth, give [`Outcome::NotApplicable`]. A lab run
/// without a token under test fails with one gap, at [`Hop::TokenPass`]: the bundle does not say which pass to walk. A pass
/// without intervals fails with a gap at [`Hop::IntervalPass`]: an empty walk shows nothing.
pub fn verdict(run: &Run, pass: Option<u32>, by: ComputedBy) -> Verdict {
    if let Some(verdict) = beneath_user_mode(run, by) {
        return verdict;
    }
    Walker::new(run, &run.absences()).verdict(pass, by)
}

/// The verdict on each of these passes, in their order; none in user mode. Costs one look at the run, then each pass's walk.
pub fn verdicts(run: &Run, passes: &[u32], by: ComputedBy) -> Vec<Verdict> {
    if run.is_user_mode() || passes.is_empty() {
        return Vec::new();
    }
    let absences = run.absences();
    let mut walker = Walker::new(run, &absences);
    passes.iter().map(|pass| walker.verdict(Some(*pass), by)).collect()
}

/// The verdict on every pass of the run, in order; empty for a run without passes or in user mode.
pub fn verdicts_all(run: &Run, by: ComputedBy) -> Vec<Verdict> {
    if run.is_user_mode() {
        return Vec::new();
    }
    let absences = run.absences();
    let mut walker = Walker::new(run, &absences);
    let passes = u32::try_from(run.passes.rows.rows()).unwrap_or(u32::MAX);
    (0..passes).map(|pass| walker.verdict(Some(pass), by)).collect()
}

/// The intervals of the whole run that fell in no pass, in order: the bundle says so, or does not say of which pass they are.
pub fn intervals_in_no_pass(run: &Run) -> Vec<u32> {
    let rows = run.timeline.intervals.rows();
    let passes = run.passes.rows.rows();
    let inside = |row: u32| run.timeline.intervals.pass.get(row as usize).is_some_and(|pass| (pass as usize) < passes);
    (0..u32::try_from(rows).unwrap_or(u32::MAX)).filter(|row| !inside(*row)).collect()
}

/// The levels beneath the request, the outermost first.
const LEVELS: [&str; 4] = ["/passes", "/timeline", "/kernels", "/graph"];

fn beneath_user_mode(run: &Run, by: ComputedBy) -> Option<Verdict> {
    if !run.is_user_mode() {
        return None;
    }
    let stated = LEVELS.iter().find_map(|level| run.absent.iter().find(|absence| absence.pointer == *level));
    let reason = stated.map_or_else(
        || "The capture mode is user: it does not reach the levels beneath the request.".to_owned(),
        |absence| absence.reason.clone(),
    );
    let untold = Leftover { reason: Some(reason.clone()), ..Leftover::default() };
    Some(Verdict {
        outcome: Outcome::NotApplicable { reason },
        computed_by: by,
        pass: None,
        pass_label: None,
        up: ChainCounts::default(),
        reach_tensor: 0,
        down: ChainCounts::default(),
        weakest: None,
        gaps: Vec::new(),
        terminals: Vec::new(),
        intervals_in_no_pass: untold.clone(),
        nodes_no_interval_reaches: untold.clone(),
        kernels_no_node_names: untold,
    })
}

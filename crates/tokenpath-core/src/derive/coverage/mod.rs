//! Coverage: which levels of the stack a recording holds, how much of each, and what is missing with the bundle's
//! reason. From it follow the states of the lenses.

mod device;
mod instrument;
mod levels;
mod unattributed;

pub use device::{DeviceTime, device_time};
pub use instrument::{InstrumentCoverage, OfHowMany, instrument_coverage};
pub use levels::levels;
pub use unattributed::{PartOfIntervals, Unattributed, unattributed};

use crate::derive::counted::gaps;
use crate::fact::{Fact, Missing};
use crate::model::Run;

/// How much of something a recording holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing of it.
    Absent,
    /// A part; what is missing is said beside it.
    Partial,
    /// All that its instrument could have recorded.
    Present,
}

/// A level of the stack, from the request down to the tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The request clock.
    Request,
    /// Passes.
    Passes,
    /// CPU submissions.
    Submissions,
    /// GPU segments.
    Segments,
    /// Intervals.
    Intervals,
    /// Kernels.
    Kernels,
    /// The runtime graph.
    Graph,
    /// Weight tensors.
    Tensors,
}

/// A count beside what it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// How many, or how much.
    pub fact: Fact,
    /// What of, for one.
    pub one: &'static str,
    /// What of, for any other number.
    pub many: &'static str,
}

/// The coverage of one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// The level.
    pub level: Level,
    /// How much of it there is.
    pub state: State,
    /// What is recorded, counted.
    pub recorded: Result<Counted, Missing>,
    /// Of how many, where that is known.
    pub of: Option<Fact>,
    /// What else there is to say in numbers.
    pub notes: Vec<Counted>,
    /// What is missing, each reason once.
    pub missing: Vec<Missing>,
}

/// The states of the nine lenses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LensStates {
    /// Run: there is always something to say of a run.
    pub run: State,
    /// Request timing.
    pub request: State,
    /// Passes.
    pub passes: State,
    /// Model anatomy.
    pub model: State,
    /// Transformer block.
    pub block: State,
    /// Graph nodes.
    pub nodes: State,
    /// Kernels.
    pub kernels: State,
    /// Ranges and API.
    pub host: State,
    /// Timeline.
    pub timeline: State,
    /// Traversal; before a verdict is known, as far as the levels allow.
    pub traversal: State,
}

/// The states of the lenses, from the coverage of the levels.
pub fn lens_states(run: &Run, levels: &[Coverage]) -> LensStates {
    let of = |level: Level| levels.iter().find(|row| row.level == level).map_or(State::Absent, |row| row.state);
    let timeline = &run.timeline;
    let (submissions, segments, intervals) = (of(Level::Submissions), of(Level::Segments), of(Level::Intervals));
    let others = timeline.calls.rows() + timeline.copies.rows() + timeline.ranges.rows() > 0;
    let drawn = [submissions, segments, intervals];
    let on_timeline = if drawn.iter().all(|state| *state == State::Present) {
        State::Present
    } else if others || drawn.iter().any(|state| *state != State::Absent) {
        State::Partial
    } else {
        State::Absent
    };
    let walked = [of(Level::Passes), submissions, intervals, of(Level::Kernels), of(Level::Graph), of(Level::Tensors)];
    let traversal = if intervals == State::Absent || of(Level::Passes) == State::Absent {
        State::Absent
    } else {
        // A missing level below leaves gaps, not nothing.
        walked.into_iter().min().unwrap_or(State::Absent).max(State::Partial)
    };
    let nodes = &run.graph.nodes;
    let layered = gaps(&nodes.layer, Some(&nodes.layer_end), nodes.rows()) == 0;
    LensStates {
        run: State::Present,
        request: of(Level::Request),
        passes: of(Level::Passes),
        // A configuration holds no tensor and still states the structure.
        model: match of(Level::Tensors) {
            State::Absent if run.model.given && run.model.components.rows() > 0 => State::Partial,
            state => state,
        },
        block: match of(Level::Graph) {
            State::Present if !layered => State::Partial,
            state => state,
        },
        nodes: of(Level::Graph),
        kernels: of(Level::Kernels),
        host: match (timeline.ranges.rows() > 0, timeline.calls.rows() > 0) {
            (true, true) => State::Present,
            (false, false) => State::Absent,
            _ => State::Partial,
        },
        timeline: on_timeline,
        traversal,
    }
}

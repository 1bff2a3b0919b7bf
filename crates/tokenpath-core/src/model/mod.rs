//! The run: sections, tables and columns, as the bundle format has them. Plain data with public fields.
//!
//! Indices are the identity of rows: names repeat (three nodes of one layer may share one), indices do not.
//! Must never contain: derivation, text for people beyond documentation, knowledge of any foreign format.

mod graph;
mod identity;
mod kernels;
mod passes;
mod request;
mod timeline;
mod traversal;
mod weights;

pub use graph::{Choices, Graph, Graphs, Nodes};
pub use identity::{CAPTURE_MODES, Device, Host, Identity, Instrument, ModelFile, Runtime};
pub use kernels::Kernels;
pub use passes::{Classification, ClockJoin, Executions, PassRows, Passes};
pub use request::{CHANNELS, Chunks, Counters, Events, REQUEST_EVENTS, Request};
pub use timeline::{
    Calls, Copies, Intervals, LeftOut, NodeSets, Queues, Ranges, Segments, Submissions, Timeline, Unrecorded,
};
pub use traversal::{Ends, Traversal};
pub use weights::{COMPONENT_KINDS, Components, MIXERS, NETWORKS, Parameters, Tensors, Weights};

use crate::absence::{Absence, AbsenceIndex, starred};
use crate::json::Object;
use crate::record::{Null, PartSpec, PartView};

/// One recorded run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// What this recording is.
    pub identity: Identity,
    /// The request clock: events, chunk arrivals, the server's counters.
    pub request: Request,
    /// The passes and how they were classified and joined to the request clock.
    pub passes: Passes,
    /// Components and tensors.
    pub model: Weights,
    /// The runtime graph.
    pub graph: Graph,
    /// Kernel names.
    pub kernels: Kernels,
    /// Submissions, GPU segments, intervals and what else lies on the trace clock.
    pub timeline: Timeline,
    /// The token under test and where chains end.
    pub traversal: Traversal,
    /// What this run could not measure, and why.
    pub absent: Vec<Absence>,
    /// Top-level fields this version does not know, kept as they are.
    pub extra: Object,
}

/// The names of the sections in the order of a bundle.
pub const SECTIONS: [&str; 8] = ["identity", "request", "passes", "model", "graph", "kernels", "timeline", "traversal"];

/// A section that later versions define; until then a bundle says why it has none.
pub const RESERVED_SECTION: &str = "instruments";

impl Run {
    /// Calls `each` for every table and record, whether the bundle holds it or not.
    pub fn visit<'a>(&'a self, each: &mut dyn FnMut(PartView<'a>)) {
        self.identity.visit(Null::Never, each);
        self.request.visit(Null::Explained, each);
        self.passes.visit(Null::Explained, each);
        self.model.visit(Null::Explained, each);
        self.graph.visit(Null::Explained, each);
        self.kernels.visit(Null::Explained, each);
        self.timeline.visit(Null::Explained, each);
        self.traversal.visit(Null::Free, each);
    }

    /// Calls `each` with every table and record of the format as it is declared, in the order of a bundle.
    pub fn declare(each: &mut dyn FnMut(PartSpec)) {
        Identity::declare(Null::Never, each);
        Request::declare(Null::Explained, each);
        Passes::declare(Null::Explained, each);
        Weights::declare(Null::Explained, each);
        Graph::declare(Null::Explained, each);
        Kernels::declare(Null::Explained, each);
        Timeline::declare(Null::Explained, each);
        Traversal::declare(Null::Free, each);
    }

    /// The absence list, indexed. Whoever asks about more than a few places builds it once and keeps it.
    pub fn absences(&self) -> AbsenceIndex<'_> {
        AbsenceIndex::new(&self.absent)
    }

    /// The absence entry that covers `pointer`: its own, or that of the column, table or section it lies in.
    ///
    /// Reads the whole list; see [`Run::absences`] for asking often.
    pub fn absence(&self, pointer: &str) -> Option<&Absence> {
        // The longest pointer that covers is the nearest; of equal ones the first stands.
        let covers = |absence: &&Absence| {
            let rest = pointer.strip_prefix(absence.pointer.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.absent.iter().rev().filter(covers).max_by_key(|absence| absence.pointer.len())
    }

    /// The bundle's own reason for the value missing at `pointer`.
    ///
    /// Validation makes sure that there is one; a run that was not validated answers with a sentence that says so.
    pub fn reason(&self, pointer: &str) -> String {
        self.absence(pointer).map_or_else(
            || format!("The bundle holds no value at {} and gives no reason.", starred(pointer)),
            |absence| absence.reason.clone(),
        )
    }

    /// Whether a model is all there is: its files were opened, and no run was recorded.
    pub fn is_model_alone(&self) -> bool {
        let recorded = [self.request.given, self.passes.given, self.graph.given, self.timeline.given];
        self.model.given && !recorded.contains(&true)
    }

    /// Whether the recording reaches only the request clock (capture mode `user`).
    pub fn is_user_mode(&self) -> bool {
        self.identity.capture_mode.as_deref() == Some("user")
    }
}

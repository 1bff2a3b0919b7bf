//! What single chains come to, before they are counted.

use super::strength::LabelId;
use super::tally::EventId;
use super::verdict::ChainCounts;

/// What the branches from one node, or from all candidates of an interval, come to.
#[derive(Clone, Default)]
pub(super) struct Branches {
    /// Where they end, each once.
    pub(super) events: Vec<EventId>,
    pub(super) gap: bool,
    pub(super) tensor: bool,
    pub(super) layer: bool,
    pub(super) weakest: LabelId,
}

impl Branches {
    /// Adds the branches of another candidate. An event of both then stands twice.
    pub(super) fn join(&mut self, other: &Branches) {
        self.events.extend_from_slice(&other.events);
        self.gap |= other.gap;
        self.tensor |= other.tensor;
        self.layer |= other.layer;
        self.weakest = self.weakest.max(other.weakest);
    }
}

/// One chain while it is walked.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) gap: bool,
    pub(super) reached: bool,
    pub(super) tensor: bool,
    pub(super) read: bool,
    pub(super) weakest: LabelId,
}

impl Chain {
    /// A hop was read with this label.
    pub(super) fn label(&mut self, label: LabelId) {
        self.read = true;
        self.weakest = self.weakest.max(label);
    }

    /// Goes on with the branches from a candidate, or from all of them.
    pub(super) fn join(&mut self, branches: &Branches) {
        self.label(branches.weakest);
        self.gap |= branches.gap;
        self.reached |= branches.layer;
        self.tensor |= branches.tensor;
    }

    /// Counts the chain, or `chains` alike.
    pub(super) fn count(&self, chains: u64, counts: &mut ChainCounts) {
        counts.total += chains;
        if self.gap {
            counts.gap += chains;
        } else if self.reached {
            counts.resolved += chains;
        } else {
            counts.terminal += chains;
        }
    }
}

/// What was read over all chains: the weakest label of any hop.
#[derive(Default)]
pub(super) struct Weakest(pub(super) Option<LabelId>);

impl Weakest {
    /// Adds a chain.
    pub(super) fn join(&mut self, chain: &Chain) {
        if chain.read {
            self.0 = Some(self.0.map_or(chain.weakest, |label| label.max(chain.weakest)));
        }
    }
}

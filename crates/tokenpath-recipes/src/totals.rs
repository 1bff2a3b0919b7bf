//! How many parameters an architecture has, and how many of them one token addresses.

use crate::architecture::Architecture;
use crate::weight::Weight;

/// Parameters of one part of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// All of them.
    pub total: u64,
    /// Those that one token addresses: all but the experts that it does not use.
    pub addressed: u64,
}

impl Share {
    fn add(&mut self, weights: &[Weight]) {
        for weight in weights {
            self.total = self.total.saturating_add(weight.total());
            self.addressed = self.addressed.saturating_add(weight.addressed());
        }
    }
}

/// Parameters of a model. A matrix that embedding and head share counts once, with the embedding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The tables in which a token is looked up, and what stands beside them. One token reads a row of each table; the
    /// whole table is counted as addressed, as model cards mostly do.
    pub embedding: Share,
    /// The layers, each.
    pub layers: Vec<Share>,
    /// The last normalisation and the head.
    pub head: Share,
}

impl Totals {
    /// The whole model.
    pub fn all(&self) -> Share {
        self.layers.iter().chain([&self.embedding, &self.head]).fold(Share::default(), |sum, part| Share {
            total: sum.total.saturating_add(part.total),
            addressed: sum.addressed.saturating_add(part.addressed),
        })
    }
}

/// Counts the parameters of an architecture: the sum over its blocks.
pub fn totals(architecture: &Architecture) -> Totals {
    let share = |weights: &[Weight]| {
        let mut share = Share::default();
        share.add(weights);
        share
    };
    Totals {
        embedding: share(&architecture.embedding_weights()),
        layers: architecture.layers.iter().map(|layer| share(&layer.weights(architecture.width))).collect(),
        head: share(&architecture.head_weights()),
    }
}

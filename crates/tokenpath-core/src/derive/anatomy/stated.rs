//! Kinds of layer as the source states them in words, which tensors alone cannot always tell: a sliding window has the
//! same matrices as full attention.

use super::layers::period;
use crate::label::Label;
use crate::model::Run;

/// Layers of which the source says the same.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedKind<'a> {
    /// What mixes the tokens: one of [`crate::model::MIXERS`].
    pub mixer: Option<&'a str>,
    /// What follows: one of [`crate::model::NETWORKS`].
    pub network: Option<&'a str>,
    /// Where the first of them gets its mixer from.
    pub label: Option<&'a Label>,
    /// The layers, in the order of the components.
    pub layers: Vec<u32>,
}

/// The kinds, in the order of their first layer; empty when the source states neither mixer nor network of any layer.
pub fn kinds(run: &Run) -> Vec<StatedKind<'_>> {
    let components = &run.model.components;
    let mut out: Vec<StatedKind<'_>> = Vec::new();
    for row in 0..components.rows() {
        let layer = components.layer.get(row).and_then(|layer| u32::try_from(layer).ok());
        let Some(layer) = layer.filter(|_| components.kind.get(row) == Some("decoder_layer")) else { continue };
        let (mixer, network) = (components.mixer.get(row), components.network.get(row));
        if mixer.is_none() && network.is_none() {
            continue;
        }
        match out.iter_mut().find(|kind| kind.mixer == mixer && kind.network == network) {
            Some(kind) => kind.layers.push(layer),
            None => {
                let label = components.label("mixer", row).or_else(|| components.label("network", row));
                out.push(StatedKind { mixer, network, label, layers: vec![layer] });
            }
        }
    }
    out
}

/// The layers in order, as stretches of consecutive ones of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Index of the kind, first and last layer; of the first round where the order repeats.
    pub stretches: Vec<(usize, u32, u32)>,
    /// How often the order stands; 1 when it does not repeat.
    pub times: usize,
}

/// The order of the kinds, once where it repeats.
pub fn sequence(kinds: &[StatedKind<'_>]) -> Sequence {
    let mut all: Vec<(u32, usize)> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        all.extend(kind.layers.iter().map(|layer| (*layer, at)));
    }
    all.sort_unstable();
    let order: Vec<usize> = all.iter().map(|(_, kind)| *kind).collect();
    let round = period(&order).filter(|round| *round > 1);
    let mut stretches: Vec<(usize, u32, u32)> = Vec::new();
    for (layer, kind) in all.into_iter().take(round.unwrap_or(order.len())) {
        match stretches.last_mut() {
            Some((known, _, last)) if *known == kind && last.checked_add(1) == Some(layer) => *last = layer,
            _ => stretches.push((kind, layer, layer)),
        }
    }
    Sequence { stretches, times: round.map_or(1, |round| order.len() / round) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Components, Weights};

    // Counted by hand: three layers with a window and one without, twice; the last but one without experts.
    #[test]
    fn layers_of_which_the_same_is_said_are_one_kind() {
        let mixers =
            ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"];
        let networks = ["dense", "experts", "experts", "experts", "dense"];
        let run = Run {
            model: Weights {
                given: true,
                components: Components {
                    given: true,
                    kind: ["token_embedding"].into_iter().chain(["decoder_layer"; 5]).map(Some).collect(),
                    name: ["Embedding", "0", "1", "2", "3", "4"].into_iter().map(Some).collect(),
                    layer: [None, Some(0), Some(1), Some(2), Some(3), Some(4)].into_iter().collect(),
                    mixer: [None].into_iter().chain(mixers.map(Some)).collect(),
                    network: [None].into_iter().chain(networks.map(Some)).collect(),
                    ..Components::default()
                },
                ..Weights::default()
            },
            ..Run::default()
        };
        let kinds = kinds(&run);
        let layers: Vec<_> = kinds.iter().map(|kind| kind.layers.clone()).collect();
        assert_eq!(layers, [vec![0], vec![1, 3], vec![2], vec![4]]);
        let order = sequence(&kinds);
        assert_eq!((order.stretches, order.times), (vec![(0, 0, 0), (1, 1, 1), (2, 2, 2), (1, 3, 3), (3, 4, 4)], 1));
    }

    // By hand: three of one and one of another, three times.
    #[test]
    fn an_order_that_repeats_is_told_once() {
        let kind = |mixer, layers| StatedKind { mixer: Some(mixer), network: None, label: None, layers };
        let kinds =
            [kind("linear_attention", vec![0, 1, 2, 4, 5, 6, 8, 9, 10]), kind("full_attention", vec![3, 7, 11])];
        let order = sequence(&kinds);
        assert_eq!((order.stretches, order.times), (vec![(0, 0, 2), (1, 3, 3)], 3));
    }
}

//! Decoder layers compared with each other: which are alike, where types differ, which mixer each has.

use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use super::{ComponentBytes, Place, role};
use crate::derive::sum::Sum;
use crate::model::Run;

/// What mixes tokens in a layer, by the roles of its tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mixer {
    /// Attention over a cache of keys and values.
    Attention,
    /// Attention whose keys and values pass through a low-rank latent.
    LatentAttention,
    /// A recurrent state: state space, gated delta net.
    Recurrent,
    /// No tensor of the layer has a role that tells.
    Unknown,
}

/// What follows the mixer, by the roles of the layer's tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// One feed-forward network.
    Dense,
    /// Routed experts.
    Experts,
    /// Routed experts and one that every token passes.
    ExpertsWithShared,
    /// No tensor of the layer has a role that tells.
    Unknown,
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Its number.
    pub layer: u32,
    /// Its class by roles and shapes: index in [`Layers::kinds`].
    pub kind: usize,
    /// Its class by roles, shapes and types: index in [`Layers::variants`].
    pub variant: usize,
    /// Its bytes.
    pub bytes: Sum,
}

/// Layers with equal roles and shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerKind {
    /// What mixes tokens.
    pub mixer: Mixer,
    /// What follows.
    pub network: Network,
    /// The layers, ascending.
    pub layers: Vec<u32>,
}

/// Layers with equal roles, shapes and types.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The kind it refines.
    pub kind: usize,
    /// The layers, ascending.
    pub layers: Vec<u32>,
}

/// A role whose type differs among layers of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The role, or the name where no role is known.
    pub role: String,
    /// Each type with its layers, the most frequent first.
    pub types: TypesByLayer,
}

/// The decoder layers of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// In ascending order.
    pub list: Vec<Layer>,
    /// Classes by roles and shapes, in the order of their first layer.
    pub kinds: Vec<LayerKind>,
    /// Classes by types too, in the order of their first layer.
    pub variants: Vec<Variant>,
    /// Where types differ.
    pub differences: Vec<Difference>,
}

impl Layers {
    /// The number of layers after which the sequence of kinds repeats, when it repeats at least once.
    pub fn period(&self) -> Option<usize> {
        period(&self.list.iter().map(|layer| layer.kind).collect::<Vec<_>>())
    }

    /// Consecutive layers of one kind among the first `count` layers: kind, first and last layer.
    pub fn stretches(&self, count: usize) -> Vec<(usize, u32, u32)> {
        let mut out: Vec<(usize, u32, u32)> = Vec::new();
        for layer in self.list.iter().take(count) {
            match out.last_mut() {
                Some((kind, _, last)) if *kind == layer.kind && *last + 1 == layer.layer => *last = layer.layer,
                _ => out.push((layer.kind, layer.layer, layer.layer)),
            }
        }
        out
    }
}

/// The number of members after which a sequence repeats, when it repeats at least once.
pub(super) fn period(sequence: &[usize]) -> Option<usize> {
    let length = sequence.len();
    (1..=length / 2).find(|period| {
        length.is_multiple_of(*period) && sequence.iter().zip(sequence.iter().skip(*period)).all(|(a, b)| a == b)
    })
}

/// Ascending numbers as ranges of consecutive ones.
pub fn ranges(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*number) => *last = *number,
            _ => out.push((*number, *number)),
        }
    }
    out
}

/// What one tensor contributes to the class of its layer.
type Trait<'a> = (Option<&'a str>, Option<&'a [i64]>, Option<&'a str>);

/// A kind of layer and a role in it.
type RoleOfKind<'a> = (usize, &'a str);

/// Each type with the layers that have it.
pub type TypesByLayer = Vec<(String, Vec<u32>)>;

/// A role of a kind, and each of its types with the layers that have it.
type Typed<'a> = (RoleOfKind<'a>, Vec<(&'a str, Vec<u32>)>);

/// Compares the layers. Tensors of one layer are compared in the order of the file.
pub(super) fn layers(run: &Run, components: &[ComponentBytes]) -> Layers {
    let tensors = &run.model.tensors;
    let mut members: HashMap<u32, Vec<usize>> = HashMap::new();
    for row in 0..tensors.rows() {
        if let Some(component) = tensors.component.get(row) {
            members.entry(component).or_default().push(row);
        }
    }
    // Where no role is known, the name without its numbers stands for it.
    let role = |row| tensors.role.get(row).filter(|role| *role != "other");
    let mut out = Layers::default();
    let mut kinds: Classes<Vec<Trait<'_>>> = Classes::default();
    let mut variants: Classes<(usize, Vec<Option<&str>>)> = Classes::default();
    // In the order of first appearance.
    let mut types: Vec<Typed<'_>> = Vec::new();
    let mut type_index: HashMap<RoleOfKind<'_>, usize> = HashMap::new();
    // For each variant the places in `types` of what its tensors have.
    let mut places: Vec<Vec<(usize, usize)>> = Vec::new();
    for component in components {
        let (Place::Layer(layer), Some(id)) = (component.place, component.component) else { continue };
        let rows = members.get(&id).map_or(&[][..], Vec::as_slice);
        let traits: Vec<Trait<'_>> = rows
            .iter()
            .map(|row| {
                let role = role(*row);
                let name = tensors.name.get(*row).filter(|_| role.is_none()).map(after_number);
                (role, tensors.shape.get(*row), name)
            })
            .collect();
        let dtypes: Vec<Option<&str>> = rows.iter().map(|row| tensors.dtype.get(*row)).collect();
        let kind = kinds.of(traits);
        if kind == out.kinds.len() {
            let (mixer, network) = classify(rows.iter().filter_map(|row| tensors.role.get(*row)));
            out.kinds.push(LayerKind { mixer, network, layers: Vec::new() });
        }
        let variant = variants.of((kind, dtypes));
        if variant == out.variants.len() {
            out.variants.push(Variant { kind, layers: Vec::new() });
            let mut found = Vec::new();
            for row in rows {
                let key = role(*row).or_else(|| tensors.name.get(*row).map(after_number));
                let (Some(key), Some(dtype)) = (key, tensors.dtype.get(*row)) else { continue };
                let at = *type_index.entry((kind, key)).or_insert_with(|| {
                    types.push(((kind, key), Vec::new()));
                    types.len() - 1
                });
                let Some((_, seen)) = types.get_mut(at) else { continue };
                let of = seen.iter().position(|(known, _)| *known == dtype).unwrap_or_else(|| {
                    seen.push((dtype, Vec::new()));
                    seen.len() - 1
                });
                found.push((at, of));
            }
            found.sort_unstable();
            found.dedup();
            places.push(found);
        }
        for (at, of) in places.get(variant).into_iter().flatten() {
            let layers = types.get_mut(*at).and_then(|(_, seen)| seen.get_mut(*of)).map(|(_, layers)| layers);
            if let Some(layers) = layers.filter(|layers| layers.last() != Some(&layer)) {
                layers.push(layer);
            }
        }
        if let (Some(kind), Some(variant)) = (out.kinds.get_mut(kind), out.variants.get_mut(variant)) {
            kind.layers.push(layer);
            variant.layers.push(layer);
        }
        out.list.push(Layer { layer, kind, variant, bytes: component.bytes });
    }
    out.differences = types
        .into_iter()
        .filter(|(_, types)| types.len() > 1)
        .map(|((_, role), mut types)| {
            types.sort_by_key(|(_, layers)| std::cmp::Reverse(layers.len()));
            let types = types.into_iter().map(|(dtype, layers)| (dtype.to_owned(), layers)).collect();
            Difference { role: role.to_owned(), types }
        })
        .collect();
    out
}

/// Equal things by number, numbered as they first appear. Layers mostly equal the one before, which is looked at first:
/// to compare is cheaper than to hash.
#[derive(Default)]
struct Classes<T> {
    numbers: HashMap<Rc<T>, usize>,
    last: Option<(Rc<T>, usize)>,
}

impl<T: Eq + Hash> Classes<T> {
    /// The number of the things that equal this one.
    fn of(&mut self, thing: T) -> usize {
        if let Some((last, number)) = &self.last
            && **last == thing
        {
            return *number;
        }
        let thing = Rc::new(thing);
        let next = self.numbers.len();
        let number = *self.numbers.entry(Rc::clone(&thing)).or_insert(next);
        self.last = Some((thing, number));
        number
    }
}

/// What stands after the last number in a dotted name: `ffn_up.weight` of `blk.3.ffn_up.weight`.
fn after_number(name: &str) -> &str {
    let mut rest = name;
    let mut at = name;
    while let Some((part, after)) = at.split_once('.') {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            rest = after;
        }
        at = after;
    }
    rest
}

fn classify<'a>(roles: impl Iterator<Item = &'a str>) -> (Mixer, Network) {
    let (mut attention, mut latent, mut recurrent) = (false, false, false);
    let (mut dense, mut experts, mut shared) = (false, false, false);
    for role in roles {
        attention |= role::is_attention(role);
        latent |= role::is_latent(role);
        recurrent |= role::is_recurrent(role);
        dense |= role::is_feed_forward(role);
        experts |= role::is_expert(role);
        shared |= role::is_shared_expert(role);
    }
    let mixer = match (recurrent, latent, attention) {
        (true, ..) => Mixer::Recurrent,
        (_, true, _) => Mixer::LatentAttention,
        (_, _, true) => Mixer::Attention,
        _ => Mixer::Unknown,
    };
    let network = match (experts, shared, dense) {
        (true, true, _) => Network::ExpertsWithShared,
        (true, false, _) => Network::Experts,
        (_, _, true) => Network::Dense,
        _ => Network::Unknown,
    };
    (mixer, network)
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand.
    #[test]
    fn numbers_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), [(0, 2), (5, 5), (7, 8)]);
        assert_eq!(ranges(&[]), []);
        assert_eq!(after_number("blk.12.ffn_up.weight"), "ffn_up.weight");
        assert_eq!(after_number("output.weight"), "output.weight");
        assert_eq!(after_number("model.layers.3.mlp.experts.7.up_proj.weight"), "up_proj.weight");
    }

    #[test]
    fn a_period_needs_a_whole_number_of_repetitions() {
        let of = |kinds: &[usize]| {
            let list =
                (0..).zip(kinds).map(|(layer, kind)| Layer { layer, kind: *kind, variant: 0, bytes: Sum::default() });
            Layers { list: list.collect(), ..Layers::default() }.period()
        };
        assert_eq!(of(&[0, 0, 0, 1, 0, 0, 0, 1]), Some(4));
        assert_eq!(of(&[0, 0, 0]), Some(1));
        assert_eq!(of(&[1, 0, 0, 0]), None);
    }
}

//! Rule `layer-of-node`: which decoder layer a node works for.
//!
//! In this order: the layer in the node's own name (`Qcur-3`, which the runtime put there), the layer in the name of a
//! cache it touches (`cache_k_l3`), the layer of a weight it reads (`blk.3.`), the layer of what it takes. What follows
//! the last layer is found backwards from the output, so that the final norm isn't given to the last layer.

use tokenpath_core::Label;

use super::ends::{EMBEDDING, End, FINAL_NORM, HEAD, SHARED};
use super::topology::{Origin, Topology};
use crate::gguf::names::{Component, place};

/// Where a node belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// To this layer, by this evidence.
    Of(i64, Evidence),
    /// To none.
    None(End),
    /// No rule decides it.
    Undecided,
}

/// What decided a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The node's own name.
    Name,
    /// The name of the cache that it reads or writes.
    Cache,
    /// A weight that it reads.
    Weight,
    /// The layer of an operand.
    Producer,
}

impl Evidence {
    /// The label of a layer found by it.
    pub fn label(self) -> Label {
        match self {
            Evidence::Name => Label::reported("the layer in the node's name"),
            Evidence::Cache => Label::reported("the layer in the cache's name"),
            Evidence::Weight => Label::inferred("layer-of-node, by the weight it reads"),
            Evidence::Producer => Label::inferred("layer-of-node, by what it takes"),
        }
    }
}

/// The layer of each node.
pub fn layers(topology: &Topology) -> Vec<Layer> {
    let mut found: Vec<Layer> = topology
        .nodes
        .iter()
        .map(|node| {
            if let Some(layer) = suffix(&node.name) {
                return layer;
            }
            for source in node.weights() {
                match place(&source.name).component {
                    Component::Layer(layer) => return Layer::Of(layer, Evidence::Weight),
                    // A tied head reads the same matrix as the look-up, by another operation.
                    Component::Embedding if node.operation == "GET_ROWS" => return Layer::None(EMBEDDING),
                    Component::Embedding => return Layer::None(HEAD),
                    Component::Head if node.operation == "MUL_MAT" => return Layer::None(HEAD),
                    Component::Head => return Layer::None(FINAL_NORM),
                    Component::Other => {}
                }
            }
            Layer::Undecided
        })
        .collect();
    backwards_from_output(topology, &mut found);
    forwards(topology, &mut found);
    shared_inputs(topology, &mut found);
    found
}

/// The layer in a name: `Qcur-3`, `Qcur-3 (view)`, `cache_k_l3 (view)`.
fn suffix(name: &str) -> Option<Layer> {
    let base = name.split(" (").next().unwrap_or(name);
    if let Some((_, digits)) = base.rsplit_once("_l")
        && base.starts_with("cache_")
        && let Some(layer) = number(digits)
    {
        return Some(Layer::Of(layer, Evidence::Cache));
    }
    let (_, digits) = base.rsplit_once('-')?;
    Some(Layer::Of(number(digits)?, Evidence::Name))
}

fn number(digits: &str) -> Option<i64> {
    (!digits.is_empty() && digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// A node all of whose users come after the layers, and what passes the final norm on to the head.
fn backwards_from_output(topology: &Topology, found: &mut [Layer]) {
    let users = topology.users();
    for index in (0..topology.nodes.len()).rev() {
        if found.get(index) != Some(&Layer::Undecided) {
            continue;
        }
        let Some(users) = users.get(index).filter(|users| !users.is_empty()) else { continue };
        let after = |user: &u32| matches!(found.get(*user as usize), Some(Layer::None(end)) if *end == HEAD || *end == FINAL_NORM);
        if users.iter().all(after)
            && let Some(place) = found.get_mut(index)
        {
            *place = Layer::None(FINAL_NORM);
        }
    }
}

fn forwards(topology: &Topology, found: &mut [Layer]) {
    for (index, node) in topology.nodes.iter().enumerate() {
        if found.get(index) != Some(&Layer::Undecided) {
            continue;
        }
        let from = node.sources.iter().find_map(|source| match source.origin {
            Origin::Node(from) => match found.get(from as usize) {
                Some(Layer::Of(layer, _)) => Some(Layer::Of(*layer, Evidence::Producer)),
                Some(Layer::None(end)) if *end == HEAD || *end == FINAL_NORM => Some(Layer::None(*end)),
                _ => None,
            },
            Origin::State => match suffix(&source.name) {
                Some(Layer::Of(layer, _)) => Some(Layer::Of(layer, Evidence::Cache)),
                _ => None,
            },
            Origin::Weight | Origin::Input => None,
        });
        if let (Some(from), Some(place)) = (from, found.get_mut(index)) {
            *place = from;
        }
    }
}

/// What takes graph inputs only, or what such nodes prepare.
fn shared_inputs(topology: &Topology, found: &mut [Layer]) {
    for (index, node) in topology.nodes.iter().enumerate() {
        if found.get(index) != Some(&Layer::Undecided) {
            continue;
        }
        let prepares = node.sources.iter().all(|source| match source.origin {
            Origin::Input => true,
            Origin::Node(from) => found.get(from as usize) == Some(&Layer::None(SHARED)),
            Origin::Weight | Origin::State => false,
        });
        if prepares && let Some(place) = found.get_mut(index) {
            *place = Layer::None(SHARED);
        }
    }
}

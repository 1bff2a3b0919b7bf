//! Derivations of the lens Transformer block: the nodes of one layer in encode order, and the known pattern that
//! they match, if they match one.
//!
//! Must never contain: a decision by the name of a node; an arrow that the graph does not record, unless it is
//! marked as explaining.

mod matching;
pub mod patterns;

pub use matching::{Arrow, ArrowKind, Match, Matched, MatchedGroup, Mismatch, Terminal, match_layer};

use crate::derive::chosen::chosen_pass;
use crate::item::Item;
use crate::model::Run;

/// Operations that only rearrange, for nodes whose `view` mark the bundle does not hold.
const REARRANGING: [&str; 5] = ["NONE", "VIEW", "RESHAPE", "PERMUTE", "TRANSPOSE"];

/// Whether a node only rearranges and does no work.
pub fn is_view(run: &Run, node: usize) -> bool {
    let nodes = &run.graph.nodes;
    match nodes.view.get(node) {
        Some(mark) => mark == 1,
        None => nodes
            .operation
            .get(node)
            .is_some_and(|operation| REARRANGING.iter().any(|word| operation.eq_ignore_ascii_case(word))),
    }
}

/// The graph to show: that of the selected node, else that of the chosen pass, else the first.
pub fn chosen_graph(run: &Run, item: Option<Item>) -> Option<u32> {
    let nodes = &run.graph.nodes;
    if let Some(Item::Node(node)) = item
        && let Some(graph) = nodes.graph.get(node as usize)
    {
        return Some(graph);
    }
    chosen_pass(run, item)
        .ok()
        .and_then(|chosen| run.passes.rows.graph.get(chosen.pass as usize))
        .or_else(|| (nodes.rows() > 0).then(|| nodes.graph.get(0).unwrap_or(0)))
}

/// The layer that an item belongs to by stored relations; `None` when it belongs to none, or to several.
pub fn layer_of(run: &Run, item: Item) -> Option<u32> {
    let of_component = |component: u32| run.model.components.layer.get(component as usize);
    let layer = match item {
        Item::Layer(layer) => Some(i64::from(layer)),
        Item::Node(node) => run.graph.nodes.layer.get(node as usize),
        Item::Tensor(tensor) => run.model.tensors.component.get(tensor as usize).and_then(of_component),
        Item::Component(component) => of_component(component),
        Item::Interval(interval) => {
            let nodes = run.timeline.intervals.nodes.get(interval as usize)?;
            run.graph.nodes.layer.get(*nodes.first()? as usize)
        }
        _ => None,
    };
    layer.and_then(|layer| u32::try_from(layer).ok())
}

/// The layers that nodes of a graph work for, ascending, and how many nodes each has.
pub fn layers(run: &Run, graph: u32) -> Vec<(u32, u32)> {
    let nodes = &run.graph.nodes;
    let mut counts = std::collections::BTreeMap::new();
    for node in 0..nodes.rows() {
        if nodes.graph.get(node) == Some(graph)
            && let Some(layer) = nodes.layer.get(node).and_then(|layer| u32::try_from(layer).ok())
        {
            *counts.entry(layer).or_insert(0) += 1;
        }
    }
    counts.into_iter().collect()
}

/// The nodes of one layer in encode order.
pub fn nodes_of(run: &Run, graph: u32, layer: u32) -> Vec<u32> {
    let nodes = &run.graph.nodes;
    (0..u32::try_from(nodes.rows()).unwrap_or(u32::MAX))
        .filter(|node| {
            nodes.graph.get(*node as usize) == Some(graph) && nodes.layer.get(*node as usize) == Some(i64::from(layer))
        })
        .collect()
}

/// Nodes of a graph that belong to no layer, grouped by the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layerless {
    /// Row of `/traversal/ends` when the bundle answers that they belong to none; `None` when it does not say.
    pub end: Option<u32>,
    /// Where the bundle's reason stands when it does not say: index in the absence list.
    pub absence: Option<usize>,
    /// The nodes, in encode order.
    pub nodes: Vec<u32>,
}

/// The nodes of a graph that belong to no layer, in the order of their first node.
pub fn layerless(run: &Run, graph: u32) -> Vec<Layerless> {
    let nodes = &run.graph.nodes;
    let absences = run.absences();
    let column = absences.column("/graph/nodes/layer");
    let mut out: Vec<Layerless> = Vec::new();
    for node in 0..nodes.rows() {
        if nodes.graph.get(node) != Some(graph) || nodes.layer.get(node).is_some() {
            continue;
        }
        let end = nodes.layer_end.get(node);
        let id = u32::try_from(node).unwrap_or(u32::MAX);
        let absence = if end.is_some() { None } else { column.cell(node) };
        match out.iter_mut().find(|group| group.end == end && group.absence == absence) {
            Some(group) => group.nodes.push(id),
            None => out.push(Layerless { end, absence, nodes: vec![id] }),
        }
    }
    out
}

/// What stands in the list of a layer's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A node that works.
    Node(u32),
    /// Consecutive nodes that only rearrange.
    Views(Vec<u32>),
}

/// Nodes in encode order with consecutive views folded.
pub fn entries(run: &Run, nodes: &[u32]) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for node in nodes {
        if !is_view(run, *node as usize) {
            out.push(Entry::Node(*node));
        } else if let Some(Entry::Views(views)) = out.last_mut() {
            views.push(*node);
        } else {
            out.push(Entry::Views(vec![*node]));
        }
    }
    out
}

#[cfg(test)]
mod tests;

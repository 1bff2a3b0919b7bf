//! What a selection touches in the model, graph and kernels, by stored relations only, so that each lens can show
//! its part of the same selection.

use std::collections::BTreeSet;

use crate::item::Item;
use crate::model::Run;

/// The things that a selection is or is directly related to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Decoder layers.
    pub layers: BTreeSet<u32>,
    /// Components.
    pub components: BTreeSet<u32>,
    /// Tensors.
    pub tensors: BTreeSet<u32>,
    /// Nodes.
    pub nodes: BTreeSet<u32>,
    /// Kernels.
    pub kernels: BTreeSet<u32>,
}

/// What `item` touches. Cost: linear in nodes for tensors, layers and kernels; constant for the rest.
pub fn touched(run: &Run, item: Option<Item>) -> Touched {
    let mut out = Touched::default();
    let nodes = &run.graph.nodes;
    let rows = u32::try_from(nodes.rows()).unwrap_or(u32::MAX);
    match item {
        Some(Item::Node(node)) => node_and_relations(run, node, &mut out),
        Some(Item::Interval(interval)) => {
            let intervals = &run.timeline.intervals;
            out.kernels.extend(intervals.kernel.get(interval as usize));
            for node in intervals.nodes.get(interval as usize).unwrap_or(&[]) {
                node_and_relations(run, *node, &mut out);
            }
        }
        Some(Item::Kernel(kernel)) => {
            out.kernels.insert(kernel);
            out.nodes.extend(super::kernels::nodes_of(run, kernel));
        }
        Some(Item::Tensor(tensor)) => {
            out.tensors.insert(tensor);
            tensor_place(run, tensor, &mut out);
            for node in 0..rows {
                if nodes.tensors.get(node as usize).is_some_and(|list| list.contains(&tensor)) {
                    out.nodes.insert(node);
                    out.kernels.extend(nodes.kernels.get(node as usize).unwrap_or(&[]));
                }
            }
        }
        Some(Item::Layer(layer)) => {
            out.layers.insert(layer);
            for node in 0..rows {
                if nodes.layer.get(node as usize) == Some(i64::from(layer)) {
                    out.nodes.insert(node);
                }
            }
        }
        Some(Item::Component(component)) => {
            out.components.insert(component);
            out.layers.extend(layer_of_component(run, component));
        }
        _ => {}
    }
    out
}

fn node_and_relations(run: &Run, node: u32, out: &mut Touched) {
    let nodes = &run.graph.nodes;
    out.nodes.insert(node);
    out.kernels.extend(nodes.kernels.get(node as usize).unwrap_or(&[]));
    out.layers.extend(nodes.layer.get(node as usize).and_then(|layer| u32::try_from(layer).ok()));
    for tensor in nodes.tensors.get(node as usize).unwrap_or(&[]) {
        out.tensors.insert(*tensor);
        tensor_place(run, *tensor, out);
    }
}

fn tensor_place(run: &Run, tensor: u32, out: &mut Touched) {
    if let Some(component) = run.model.tensors.component.get(tensor as usize) {
        out.components.insert(component);
        out.layers.extend(layer_of_component(run, component));
    }
}

fn layer_of_component(run: &Run, component: u32) -> Option<u32> {
    run.model.components.layer.get(component as usize).and_then(|layer| u32::try_from(layer).ok())
}

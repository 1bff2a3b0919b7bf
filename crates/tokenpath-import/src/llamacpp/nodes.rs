//! The nodes of the graphs, each with its layer, weights and kernels by the rules of this folder.

use std::collections::{BTreeMap, HashSet};

use tokenpath_core::model::Nodes;
use tokenpath_core::{Label, Labels, ReasonCode};

use super::ends::{VIEW_RUNS_NOTHING, reads_none};
use super::kernels;
use super::layers::{Layer, layers};
use super::model;
use super::recording::{Recording, Timing};
use super::tables::{Ends, KernelNames, Shared};
use super::topology::{Origin, Topology};
use crate::absent::Absences;

/// The nodes of all graphs.
pub(super) fn nodes(
    recording: &Recording,
    shared: &Shared<'_>,
    absent: &mut Absences,
    ends: &mut Ends,
    names: &mut KernelNames,
) -> Nodes {
    let reported = Label::reported(shared.recorder.reporter);
    let tensors = tensor_rows(recording, shared);
    let mut out = Nodes { given: true, ..Nodes::default() };
    let mut layer_labels: Vec<Label> = Vec::new();
    let timed = timed(recording);
    let one_split = recording.graphs.iter().all(|graph| graph.topology.splits == Some(1));
    for (number, graph) in (0_u32..).zip(&recording.graphs) {
        let topology = &graph.topology;
        let offset = u32::try_from(layer_labels.len()).unwrap_or(u32::MAX);
        let candidates = kernel_candidates(&timed, number, topology);
        for ((node, layer), kernels) in topology.nodes.iter().zip(layers(topology)).zip(candidates) {
            let row = layer_labels.len();
            out.graph.push(Some(number));
            out.name.push(Some(&node.name));
            out.operation.push(Some(&node.detail));
            if one_split {
                out.subgraph.push(Some(0));
            }
            out.fused.push(Some(1));
            out.view.push(Some(i64::from(node.is_view())));
            match layer {
                Layer::Of(layer, evidence) => {
                    out.layer.push(Some(layer));
                    out.layer_end.push(None);
                    layer_labels.push(evidence.label());
                }
                Layer::None(end) => {
                    out.layer.push(None);
                    out.layer_end.push(Some(ends.row(end)));
                    layer_labels.push(Label::inferred("layer-of-node"));
                }
                Layer::Undecided => {
                    out.layer.push(None);
                    out.layer_end.push(None);
                    layer_labels.push(Label::inferred("layer-of-node"));
                    let reason = "Neither the node's name, nor a cache or weight that it touches, nor what it takes \
                                  tells a layer.";
                    absent.add(format!("/graph/nodes/layer/{row}"), ReasonCode::Undecided, reason);
                }
            }
            let read: Vec<u32> =
                node.weights().filter_map(|weight| tensors.get(weight.name.as_str()).copied()).collect();
            out.tensors_end.push(read.is_empty().then(|| ends.row(reads_none(node))));
            out.tensors.push(Some(&read));
            if node.is_view() {
                out.kernels.push(Some(&[]));
                out.kernels_end.push(Some(ends.row(VIEW_RUNS_NOTHING)));
            } else {
                let rows: Vec<u32> = kernels.into_iter().map(|name| names.row(name)).collect();
                out.kernels.push(Some(&rows));
                out.kernels_end.push(None);
            }
            let mut sources: Vec<u32> = Vec::new();
            let mut inputs: Vec<&str> = Vec::new();
            for source in &node.sources {
                match source.origin {
                    Origin::Node(from) => sources.push(offset + from),
                    Origin::Input | Origin::State => inputs.push(&source.name),
                    Origin::Weight => {}
                }
            }
            out.sources.push(Some(&sources));
            out.inputs.push((!inputs.is_empty()).then(|| inputs.join(", ")).as_deref());
            out.dtype.push(Some(&node.dtype));
            out.shape.push((!node.shape.is_empty()).then_some(node.shape.as_slice()));
            out.buffer.push(node.buffer.as_deref());
        }
    }
    if !one_split {
        let stated = recording.graphs.iter().find_map(|graph| graph.topology.splits);
        let reason = match stated {
            Some(splits) => format!(
                "The runtime states {splits} scheduler splits; the recorder does not say which node lies in which."
            ),
            None => "The recording does not state the scheduler's splits.".to_owned(),
        };
        absent.add("/graph/nodes/subgraph", ReasonCode::NotRecorded, reason);
    }
    let sources = if shared.recorder.sources_by_index { reported.clone() } else { Label::inferred("source-by-name") };
    out.labels = Labels::all(reported)
        .with("subgraph", Label::reported("the scheduler's number of splits, which is 1"))
        .with("view", Label::inferred("ggml's operations that do nothing"))
        .with("kernels", Label::inferred(kernels::RULE))
        .with("sources", sources)
        .with_rows("layer", layer_labels);
    out
}

/// The graphs whose passes were timed node by node, and those whose passes were stamped.
struct Timed {
    nodes: HashSet<u32>,
    stamps: HashSet<u32>,
}

fn timed(recording: &Recording) -> Timed {
    let mut out = Timed { nodes: HashSet::new(), stamps: HashSet::new() };
    for pass in &recording.passes {
        match (&pass.timing, pass.graph) {
            (Timing::Nodes(_), Some(graph)) => out.nodes.insert(graph),
            (Timing::Stamps(_), Some(graph)) => out.stamps.insert(graph),
            _ => false,
        };
    }
    out
}

/// For each node the names of the kernels it may run as, by the ways in which its graph was timed.
fn kernel_candidates(timed: &Timed, graph: u32, topology: &Topology) -> Vec<Vec<String>> {
    let stamped = timed.stamps.contains(&graph);
    let alone = !stamped || timed.nodes.contains(&graph);
    let mut out: Vec<Vec<String>> = topology
        .nodes
        .iter()
        .map(|node| if alone && !node.is_view() { vec![kernels::of_node(node)] } else { Vec::new() })
        .collect();
    if stamped {
        for (position, entry) in topology.executed().iter().enumerate() {
            let name = if position == 0 {
                kernels::of_first_entry(topology, entry)
            } else {
                kernels::of_entry(topology, entry)
            };
            for node in entry {
                if let Some(list) = out.get_mut(*node as usize)
                    && !list.contains(&name)
                {
                    list.push(name.clone());
                }
            }
        }
    }
    out
}

/// Which row of the model's tensors each name has.
fn tensor_rows<'a>(recording: &'a Recording, shared: &Shared<'a>) -> BTreeMap<&'a str, u32> {
    match shared.gguf {
        Some((_, file)) => (0_u32..).zip(&file.tensors).map(|(row, tensor)| (tensor.name.as_str(), row)).collect(),
        None => model::weights(recording).1,
    }
}

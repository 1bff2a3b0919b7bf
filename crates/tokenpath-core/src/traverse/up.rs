//! Up: from an interval to its candidate nodes, and from a node to layers.

use std::ops::Range;

use super::gap::{End, Gap, Nulls, Place, Why};
use super::hop::Hop;
use super::relation::Read;
use super::relations::Relations;
use super::strength::LabelId;

/// A node that names a kernel: (kernel, node, label of the naming).
pub(super) type Naming = (u32, u32, LabelId);

/// The nodes of one node set, by kernel.
struct SetIndex<'r> {
    /// What the set says of its nodes.
    nodes: Read<&'r [u32]>,
    /// Its namings, a stretch of [`Up::namings`].
    namings: Range<usize>,
    /// Nodes of the set that do not say which kernels they run as.
    nulls: Nulls,
}

/// The candidate nodes of one interval.
#[derive(Clone, Copy)]
pub(super) enum Nodes<'r> {
    /// Supplied by the producer.
    Stored(&'r [u32], LabelId),
    /// Nodes of the node set that may run as the kernel; at least one.
    Fit { set: u32, kernel: u32 },
    /// Neither.
    Gap(Gap),
    /// A relation before this one ended the walk.
    NotReached,
}

/// The hops of one interval up to its candidate nodes.
#[derive(Clone, Copy)]
pub(super) struct Trunk<'r> {
    pub(super) submission: Read<u32>,
    /// The set, when there is a submission.
    pub(super) node_set: Option<Read<u32>>,
    pub(super) kernel: Read<u32>,
    pub(super) nodes: Nodes<'r>,
}

/// One hop of a branch from a node to a layer.
pub(super) enum BranchHop {
    /// An item without a further relation.
    Ends(Hop, End, LabelId),
    /// An item whose relation the bundle does not supply.
    Gap(Hop, Gap),
    /// A tensor that the node reads.
    Tensor(u32, LabelId),
    /// The component of a tensor.
    Component(u32, LabelId),
    /// The layer of a component.
    Layer(u32, LabelId),
}

/// Stands for a node set that was not indexed yet.
const NOT_INDEXED: u32 = u32::MAX;

/// Reads upward hops, and remembers node sets.
pub(super) struct Up<'r> {
    pub(super) relations: Relations<'r>,
    /// For each node set its place in `indexed`.
    places: Vec<u32>,
    indexed: Vec<SetIndex<'r>>,
    /// The namings of all indexed sets, one stretch each, sorted: a kernel's candidates are a part of it. One vector for
    /// all, because there can be as many sets as intervals.
    namings: Vec<Naming>,
}

impl<'r> Up<'r> {
    pub(super) fn new(relations: Relations<'r>) -> Up<'r> {
        let places = vec![NOT_INDEXED; relations.run.timeline.node_sets.rows()];
        Up { relations, places, indexed: Vec::new(), namings: Vec::new() }
    }

    /// The hops of `interval` up to its candidate nodes.
    pub(super) fn trunk(&mut self, interval: u32) -> Trunk<'r> {
        let submission = self.relations.interval_submission.read(interval);
        let node_set = submission.target().map(|submission| self.node_set(submission));
        let kernel = self.relations.interval_kernel.read(interval);
        let nodes = match self.relations.interval_nodes.read(interval) {
            Read::To(nodes, label) => Nodes::Stored(nodes, label),
            Read::Gap(gap @ Gap { why: Why::Dangling(_), .. }) => Nodes::Gap(gap),
            // Null or an empty list: the producer does not supply the nodes.
            Read::End(..) | Read::Gap(_) => match (node_set.and_then(Read::target), kernel.target()) {
                (Some(set), Some(kernel)) => self.fit(interval, set, kernel),
                _ => Nodes::NotReached,
            },
        };
        Trunk { submission, node_set, kernel, nodes }
    }

    /// Submission → node set: the set, and that it says which nodes it holds.
    pub(super) fn node_set(&mut self, submission: u32) -> Read<u32> {
        let read = self.relations.submission_node_set.read(submission);
        let Read::To(set, label) = read else { return read };
        match self.set(set).map(|index| index.nodes) {
            Some(Read::To(_, of_nodes)) => Read::To(set, label.max(of_nodes)),
            Some(Read::End(end, label)) => Read::End(end, label),
            Some(Read::Gap(gap)) => Read::Gap(gap),
            None => read,
        }
    }

    /// The nodes of a set.
    pub(super) fn nodes_of(&mut self, set: u32) -> &'r [u32] {
        self.set(set).and_then(|index| index.nodes.target()).unwrap_or(&[])
    }

    /// The nodes of the set that may run as the kernel, in order of their rows.
    pub(super) fn candidates(&mut self, set: u32, kernel: u32) -> &[Naming] {
        let Some(stretch) = self.set(set).map(|index| index.namings.clone()) else { return &[] };
        let namings = self.namings.get(stretch).unwrap_or(&[]);
        let from = namings.partition_point(|(of, ..)| *of < kernel);
        let rest = namings.get(from..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|(of, ..)| *of == kernel)).unwrap_or(&[])
    }

    /// The index of a set, built on first use. `None` for a set that does not exist.
    fn set(&mut self, set: u32) -> Option<&SetIndex<'r>> {
        let place = self.places.get_mut(set as usize)?;
        if *place == NOT_INDEXED {
            *place = u32::try_from(self.indexed.len()).unwrap_or(NOT_INDEXED);
            let index = index_set(&self.relations, set, &mut self.namings);
            self.indexed.push(index);
        }
        self.indexed.get(*place as usize)
    }

    /// The label of the candidates that were found by kernel and node set: derived, or as weak as the weakest input.
    pub(super) fn fit_label(&mut self, trunk: &Trunk<'_>, set: u32, kernel: u32) -> LabelId {
        let mut label = self.relations.strengths.candidates;
        for read in [Some(trunk.submission), trunk.node_set, Some(trunk.kernel)].into_iter().flatten() {
            if let Read::To(_, of) = read {
                label = label.max(of);
            }
        }
        label.max(self.mapping_label(set, kernel))
    }

    /// The weakest label with which a candidate of the set names the kernel.
    pub(super) fn mapping_label(&mut self, set: u32, kernel: u32) -> LabelId {
        let computed = self.relations.strengths.candidates;
        self.candidates(set, kernel).iter().map(|(.., label)| *label).fold(computed, LabelId::max)
    }

    fn fit(&mut self, interval: u32, set: u32, kernel: u32) -> Nodes<'r> {
        if !self.candidates(set, kernel).is_empty() {
            return Nodes::Fit { set, kernel };
        }
        let nulls = self.set(set).and_then(|index| index.nulls.gap());
        Nodes::Gap(nulls.unwrap_or_else(|| {
            // Every node of the set says which kernels it runs as, none names this one: only the producer can know.
            let Gap { why, .. } = self.relations.interval_nodes.null(interval);
            let said = Why::Said("No node of the submission's node set names the kernel of the interval.");
            let why = if matches!(why, Why::Entry(_)) { why } else { said };
            Gap { place: Place::Cell("/timeline/intervals/nodes", interval), why }
        }))
    }
}

fn index_set<'r>(relations: &Relations<'r>, set: u32, namings: &mut Vec<Naming>) -> SetIndex<'r> {
    let nodes = relations.node_set_nodes.read(set);
    let from = namings.len();
    let mut nulls = Nulls::default();
    for node in nodes.target().unwrap_or(&[]) {
        match relations.node_kernels.read(*node) {
            Read::To(kernels, label) => namings.extend(kernels.iter().map(|kernel| (*kernel, *node, label))),
            Read::End(..) => {}
            Read::Gap(gap) => nulls.add(gap, relations.run),
        }
    }
    if let Some(stretch) = namings.get_mut(from..) {
        stretch.sort_unstable();
        // A set that lists a node twice holds it once.
        let mut kept = 0;
        for at in 1..stretch.len() {
            if stretch.get(at) != stretch.get(kept) {
                kept += 1;
                stretch.swap(kept, at);
            }
        }
        let count = if stretch.is_empty() { 0 } else { kept + 1 };
        namings.truncate(from + count);
    }
    SetIndex { nodes, namings: from..namings.len(), nulls }
}

/// Calls `each` for every hop from `node` to layers, depth first.
pub(super) fn branches(relations: &Relations<'_>, node: u32, each: &mut dyn FnMut(BranchHop)) {
    match relations.node_tensors.read(node) {
        Read::End(end, label) => each(BranchHop::Ends(Hop::NodeTensors, end, label)),
        Read::Gap(gap) => each(BranchHop::Gap(Hop::NodeTensors, gap)),
        Read::To(tensors, label) => {
            for tensor in tensors {
                each(BranchHop::Tensor(*tensor, label));
                match relations.tensor_component.read(*tensor) {
                    Read::End(end, label) => each(BranchHop::Ends(Hop::TensorComponent, end, label)),
                    Read::Gap(gap) => each(BranchHop::Gap(Hop::TensorComponent, gap)),
                    Read::To(component, label) => {
                        each(BranchHop::Component(component, label));
                        match relations.component_layer.read(component) {
                            Read::End(end, label) => each(BranchHop::Ends(Hop::ComponentLayer, end, label)),
                            Read::Gap(gap) => each(BranchHop::Gap(Hop::ComponentLayer, gap)),
                            Read::To(layer, label) => each(BranchHop::Layer(layer, label)),
                        }
                    }
                }
            }
        }
    }
}

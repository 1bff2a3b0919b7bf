//! Up: from an interval to its candidate nodes, and from a node to layers.

use super::gap::{End, Gap, Nulls, Place, Why};
use super::hop::Hop;
use super::relation::Read;
use super::relations::Relations;
use super::strength::LabelId;

/// The nodes of one node set, by kernel.
pub(super) struct SetIndex<'r> {
    /// What the set says of its nodes.
    nodes: Read<&'r [u32]>,
    /// (kernel, node, label of the naming), sorted: a kernel's candidates are a slice.
    named: Vec<(u32, u32, LabelId)>,
    /// Nodes of the set that do not say which kernels they run as.
    nulls: Nulls,
}

impl SetIndex<'_> {
    /// The nodes of the set that may run as the kernel, in order of their rows.
    pub(super) fn candidates(&self, kernel: u32) -> &[(u32, u32, LabelId)] {
        let from = self.named.partition_point(|(of, ..)| *of < kernel);
        let rest = self.named.get(from..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|(of, ..)| *of == kernel)).unwrap_or(&[])
    }

    /// Whether the node is among the kernel's candidates.
    pub(super) fn fits(&self, kernel: u32, node: u32) -> bool {
        self.named.binary_search_by_key(&(kernel, node), |(of, node, _)| (*of, *node)).is_ok()
    }
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

/// Reads upward hops, and remembers node sets.
pub(super) struct Up<'r> {
    pub(super) relations: Relations<'r>,
    sets: Vec<Option<Box<SetIndex<'r>>>>,
}

impl<'r> Up<'r> {
    pub(super) fn new(relations: Relations<'r>) -> Up<'r> {
        let sets = relations.run.timeline.node_sets.rows();
        Up { relations, sets: std::iter::repeat_with(|| None).take(sets).collect() }
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

    /// The index of a set, built on first use. `None` for a set that does not exist.
    pub(super) fn set(&mut self, set: u32) -> Option<&SetIndex<'r>> {
        let slot = self.sets.get_mut(set as usize)?;
        Some(slot.get_or_insert_with(|| Box::new(index_set(&self.relations, set))))
    }

    /// The nodes of the set that may run as the kernel.
    pub(super) fn candidates(&mut self, set: u32, kernel: u32) -> Vec<u32> {
        let Some(index) = self.set(set) else { return Vec::new() };
        index.candidates(kernel).iter().map(|(_, node, _)| *node).collect()
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
        let Some(index) = self.set(set) else { return computed };
        index.candidates(kernel).iter().map(|(.., label)| *label).fold(computed, LabelId::max)
    }

    fn fit(&mut self, interval: u32, set: u32, kernel: u32) -> Nodes<'r> {
        let Some(index) = self.set(set) else { return Nodes::NotReached };
        if !index.candidates(kernel).is_empty() {
            return Nodes::Fit { set, kernel };
        }
        let nulls = index.nulls.gap();
        Nodes::Gap(nulls.unwrap_or_else(|| {
            // Every node of the set says which kernels it runs as, none names this one: only the producer can know.
            let Gap { why, .. } = self.relations.interval_nodes.null(interval);
            let said = Why::Said("No node of the submission's node set names the kernel of the interval.");
            let why = if matches!(why, Why::Entry(_)) { why } else { said };
            Gap { place: Place::Cell("/timeline/intervals/nodes", interval), why }
        }))
    }
}

fn index_set<'r>(relations: &Relations<'r>, set: u32) -> SetIndex<'r> {
    let nodes = relations.node_set_nodes.read(set);
    let mut named = Vec::new();
    let mut nulls = Nulls::default();
    for node in nodes.target().unwrap_or(&[]) {
        match relations.node_kernels.read(*node) {
            Read::To(kernels, label) => named.extend(kernels.iter().map(|kernel| (*kernel, *node, label))),
            Read::End(..) => {}
            Read::Gap(gap) => nulls.add(gap, relations.run),
        }
    }
    named.sort_unstable();
    named.dedup();
    SetIndex { nodes, named, nulls }
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

//! One chain opened: every hop from an interval up to layers, and back down to the intervals of its pass.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::down::{GraphIndex, ModelIndex, NoInterval, Reached, Unknown};
use super::gap::Nulls;
use super::hop::Hop;
use super::relation::Read;
use super::relations::Relations;
use super::strength::LabelId;
use super::tally::Event;
use super::up::{BranchHop, Nodes, Trunk, Up, branches};
use super::walk::executed;
use crate::absence::AbsenceIndex;
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// How one hop ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum HopEnd {
    /// It leads on.
    Resolved {
        /// Where to; at least one, in order of rows.
        targets: Vec<Item>,
        /// The label of the relation that was read.
        label: Label,
    },
    /// The bundle answers that the chain ends here.
    Terminal {
        /// The answer in words.
        reason: String,
        /// Its short code.
        code: Option<String>,
    },
    /// The bundle does not supply the relation.
    Gap {
        /// What would have supplied it.
        pointer: String,
        /// The bundle's own reason where it gives one.
        reason: String,
    },
}

/// One hop of a chain, from one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Which hop.
    pub hop: Hop,
    /// From which item.
    pub from: Item,
    /// How it ends.
    #[serde(flatten)]
    pub end: HopEnd,
}

/// How a whole chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainState {
    /// No gap, and a branch reaches a layer.
    Resolved,
    /// No gap, and every branch ends at an answer before.
    Terminal,
    /// A hop of some branch is a gap.
    Gap,
}

/// One chain: an interval's hops up, and the way back down.
///
/// The hops form a tree: a step follows from another when its `from` is among the other's targets. An item that is reached
/// twice (a tensor that two candidates read) has its step once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// The interval.
    pub interval: u32,
    /// Its pass, when it has one.
    pub pass: Option<u32>,
    /// How the hops up end.
    pub state: ChainState,
    /// The label of the weakest hop up; none when no hop was read.
    pub label: Option<Label>,
    /// The hops up, in the order of the walk.
    pub up: Vec<Step>,
    /// The hops down: from the components that the chain reached, followed through the chain's own tensors and candidate
    /// nodes only. Empty when there is no pass to go down to.
    pub down: Vec<Step>,
    /// Whether the way down comes back to the interval.
    pub returns: bool,
}

/// The chain of one interval; `None` when the run has no such interval.
pub fn chain(run: &Run, interval: u32) -> Option<Chain> {
    if !Item::Interval(interval).exists(run) {
        return None;
    }
    let absences = run.absences();
    let mut opened = Opened::new(run, &absences);
    let trunk = opened.up.trunk(interval);
    let pass = opened.up.relations.interval_pass.read(interval);
    opened.trunk(interval, pass, &trunk);
    let candidates = opened.candidates(interval, &trunk);
    for node in &candidates {
        opened.branches(*node);
    }
    let pass = pass.target();
    let (up, state) = (opened.steps(), opened.state());
    let label = opened.weakest.map(|label| opened.up.relations.strengths.label(label));
    let mut returns = false;
    let mut down = Vec::new();
    if let Some(pass) = pass {
        returns = opened.down(interval, pass, &candidates.into_iter().collect());
        down = opened.steps();
    }
    Some(Chain { interval, pass, state, label, up, down, returns })
}

/// A chain while it is opened. Reads hop by hop without the sharing of a verdict, so that each checks the other in tests.
struct Opened<'r> {
    up: Up<'r>,
    steps: Vec<Step>,
    seen: BTreeSet<(Hop, Item)>,
    gap: bool,
    layer: bool,
    weakest: Option<LabelId>,
    tensors: BTreeSet<u32>,
    components: BTreeSet<u32>,
}

impl<'r> Opened<'r> {
    fn new(run: &'r Run, absences: &'r AbsenceIndex<'r>) -> Opened<'r> {
        Opened {
            up: Up::new(Relations::new(run, absences)),
            steps: Vec::new(),
            seen: BTreeSet::new(),
            gap: false,
            layer: false,
            weakest: None,
            tensors: BTreeSet::new(),
            components: BTreeSet::new(),
        }
    }

    fn run(&self) -> &'r Run {
        self.up.relations.run
    }

    fn steps(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.steps)
    }

    fn state(&self) -> ChainState {
        match (self.gap, self.layer) {
            (true, _) => ChainState::Gap,
            (false, true) => ChainState::Resolved,
            (false, false) => ChainState::Terminal,
        }
    }

    fn read_label(&mut self, label: LabelId) {
        self.weakest = Some(self.weakest.map_or(label, |weakest| weakest.max(label)));
    }

    fn resolved(&mut self, hop: Hop, from: Item, targets: Vec<Item>, label: LabelId) {
        self.read_label(label);
        if self.seen.insert((hop, from)) {
            let label = self.up.relations.strengths.label(label);
            self.steps.push(Step { hop, from, end: HopEnd::Resolved { targets, label } });
        }
    }

    fn ended(&mut self, hop: Hop, from: Item, event: Event) {
        self.gap |= matches!(event, Event::Gap(_));
        if self.seen.insert((hop, from)) {
            let end = self.hop_end(event);
            self.steps.push(Step { hop, from, end });
        }
    }

    fn hop_end(&self, event: Event) -> HopEnd {
        hop_end(event, self.run())
    }

    fn read<T>(&mut self, hop: Hop, from: Item, read: Read<T>, targets: impl FnOnce(T) -> Vec<Item>) {
        match read {
            Read::To(target, label) => self.resolved(hop, from, targets(target), label),
            Read::End(end, label) => {
                self.read_label(label);
                self.ended(hop, from, Event::End(end));
            }
            Read::Gap(gap) => self.ended(hop, from, Event::Gap(gap)),
        }
    }

    fn trunk(&mut self, interval: u32, pass: Read<u32>, trunk: &Trunk<'r>) {
        let from = Item::Interval(interval);
        self.read(Hop::IntervalPass, from, pass, |pass| vec![Item::Pass(pass)]);
        self.read(Hop::IntervalSubmission, from, trunk.submission, |submission| vec![Item::Submission(submission)]);
        if let (Some(node_set), Some(submission)) = (trunk.node_set, trunk.submission.target()) {
            self.read(Hop::SubmissionNodeSet, Item::Submission(submission), node_set, |set| vec![Item::NodeSet(set)]);
        }
        self.read(Hop::IntervalKernel, from, trunk.kernel, |kernel| vec![Item::Kernel(kernel)]);
    }

    fn candidates(&mut self, interval: u32, trunk: &Trunk<'r>) -> Vec<u32> {
        let from = Item::Interval(interval);
        let (nodes, label) = match trunk.nodes {
            Nodes::Stored(nodes, label) => (nodes.to_vec(), label),
            Nodes::Fit { set, kernel } => {
                let label = self.up.fit_label(trunk, set, kernel);
                (self.up.candidates(set, kernel), label)
            }
            Nodes::Gap(gap) => {
                self.ended(Hop::IntervalNodes, from, Event::Gap(gap));
                return Vec::new();
            }
            Nodes::NotReached => return Vec::new(),
        };
        let targets = nodes.iter().map(|node| Item::Node(*node)).collect();
        self.resolved(Hop::IntervalNodes, from, targets, label);
        nodes
    }

    fn branches(&mut self, node: u32) {
        let mut hops = Vec::new();
        branches(&self.up.relations, node, &mut |hop| hops.push(hop));
        let tensors: Vec<Item> = hops
            .iter()
            .filter_map(|hop| match hop {
                BranchHop::Tensor(tensor, _) => Some(Item::Tensor(*tensor)),
                _ => None,
            })
            .collect();
        let mut from = Item::Node(node);
        for hop in hops {
            match hop {
                BranchHop::Ends(hop, end, label) => {
                    self.read_label(label);
                    self.ended(hop, from, Event::End(end));
                }
                BranchHop::Gap(hop, gap) => self.ended(hop, from, Event::Gap(gap)),
                BranchHop::Tensor(tensor, label) => {
                    self.resolved(Hop::NodeTensors, Item::Node(node), tensors.clone(), label);
                    self.tensors.insert(tensor);
                    from = Item::Tensor(tensor);
                }
                BranchHop::Component(component, label) => {
                    self.resolved(Hop::TensorComponent, from, vec![Item::Component(component)], label);
                    self.components.insert(component);
                    from = Item::Component(component);
                }
                BranchHop::Layer(layer, label) => {
                    self.layer = true;
                    self.resolved(Hop::ComponentLayer, from, vec![Item::Layer(layer)], label);
                }
            }
        }
    }

    /// The way back down; whether it comes back to the interval.
    fn down(&mut self, interval: u32, pass: u32, candidates: &BTreeSet<u32>) -> bool {
        let components = std::mem::take(&mut self.components);
        if components.is_empty() {
            return false;
        }
        let model = ModelIndex::new(&self.up.relations);
        for component in &components {
            let from = Item::Component(*component);
            match model.tensors(*component) {
                Ok(tensors) => {
                    let label = self.weakest_of(tensors, |relations, tensor| relations.tensor_component.read(tensor));
                    let targets = tensors.iter().map(|tensor| Item::Tensor(*tensor)).collect();
                    self.resolved(Hop::ComponentTensors, from, targets, label);
                }
                Err(event) => self.ended(Hop::ComponentTensors, from, event),
            }
        }
        let graph = match self.up.relations.pass_graph.read(pass) {
            Read::To(graph, _) => Ok(GraphIndex::new(&self.up.relations, graph)),
            Read::End(end, _) => Err(Event::End(end)),
            Read::Gap(gap) => Err(Event::Gap(gap)),
        };
        let mut nodes: BTreeSet<u32> = BTreeSet::new();
        for tensor in std::mem::take(&mut self.tensors) {
            let readers = match &graph {
                Ok(graph) => graph.readers(tensor),
                Err(event) => Err(*event),
            };
            match readers {
                Ok(readers) => {
                    let readers: Vec<u32> = readers.iter().map(|(_, node)| *node).collect();
                    let label = self.weakest_of(&readers, |relations, node| relations.node_tensors.read(node));
                    nodes.extend(readers.iter().filter(|node| candidates.contains(node)));
                    let targets = readers.iter().map(|node| Item::Node(*node)).collect();
                    self.resolved(Hop::TensorNodes, Item::Tensor(tensor), targets, label);
                }
                Err(event) => self.ended(Hop::TensorNodes, Item::Tensor(tensor), event),
            }
        }
        self.executions(interval, pass, &nodes)
    }

    fn executions(&mut self, interval: u32, pass: u32, nodes: &BTreeSet<u32>) -> bool {
        let executions = Executions::new(&mut self.up, pass, nodes);
        let mut by_kernel: BTreeMap<u32, OfKernel> = BTreeMap::new();
        for node in nodes {
            let kernels = self.up.relations.node_kernels.read(*node);
            self.read(Hop::NodeKernels, Item::Node(*node), kernels, |kernels| {
                kernels.iter().map(|kernel| Item::Kernel(*kernel)).collect()
            });
            for kernel in kernels.target().unwrap_or(&[]) {
                let OfKernel { intervals, label, events } = by_kernel.entry(*kernel).or_default();
                match executed(&executions.reached, &executions.none, *node, *kernel) {
                    Ok(()) => {
                        for (of, weakest) in executions.of(*node, *kernel) {
                            intervals.insert(of);
                            *label = Some(label.map_or(weakest, |label| label.max(weakest)));
                        }
                    }
                    Err(more) => events.extend(more),
                }
            }
        }
        let mut returns = false;
        for (kernel, OfKernel { intervals, label, events }) in by_kernel {
            let from = Item::Kernel(kernel);
            returns |= intervals.contains(&interval);
            // Of several nodes that run as the kernel one with intervals is enough to lead on.
            match label {
                Some(label) => {
                    let targets = intervals.into_iter().map(Item::Interval).collect();
                    self.resolved(Hop::KernelIntervals, from, targets, label);
                }
                None => {
                    let gap = events.iter().find(|event| matches!(event, Event::Gap(_)));
                    if let Some(event) = gap.or_else(|| events.first()) {
                        self.ended(Hop::KernelIntervals, from, *event);
                    }
                }
            }
        }
        returns
    }

    fn weakest_of<T>(&self, rows: &[u32], read: impl Fn(&Relations<'r>, u32) -> Read<T>) -> LabelId {
        let label = |row: &u32| match read(&self.up.relations, *row) {
            Read::To(_, label) => Some(label),
            Read::End(..) | Read::Gap(_) => None,
        };
        rows.iter().filter_map(label).max().unwrap_or(self.up.relations.strengths.unlabelled)
    }
}

/// Where the nodes of a chain that run as one kernel lead.
#[derive(Default)]
struct OfKernel {
    intervals: BTreeSet<u32>,
    label: Option<LabelId>,
    events: Vec<Event>,
}

/// An event as plain data.
pub(super) fn hop_end(event: Event, run: &Run) -> HopEnd {
    match event {
        Event::End(end) => {
            HopEnd::Terminal { reason: end.text(run).to_owned(), code: end.code(run).map(str::to_owned) }
        }
        Event::Gap(gap) => HopEnd::Gap { pointer: gap.place.pointer(), reason: gap.reason(run).into_owned() },
    }
}

/// The intervals of one pass that executed one of a few nodes.
struct Executions {
    reached: Reached,
    none: NoInterval,
    /// (node, kernel where it is known, interval, label), sorted.
    seen: Vec<(u32, Option<u32>, u32, LabelId)>,
}

impl Executions {
    fn new(up: &mut Up<'_>, pass: u32, nodes: &BTreeSet<u32>) -> Executions {
        let run = up.relations.run;
        let mut reached = Reached::new(run.graph.nodes.rows());
        let mut unknown = Unknown::default();
        let mut undecided = Nulls::default();
        let mut seen = Vec::new();
        for interval in 0..u32::try_from(run.timeline.intervals.rows()).unwrap_or(u32::MAX) {
            match up.relations.interval_pass.read(interval) {
                Read::To(of, _) if of == pass => {}
                Read::Gap(gap) => {
                    if up.relations.interval_pass.missing().is_none() {
                        undecided.add(gap, run);
                    }
                    continue;
                }
                Read::To(..) | Read::End(..) => continue,
            }
            let trunk = up.trunk(interval);
            unknown.note(&trunk, run);
            let mut mark = |node: u32, kernel: Option<u32>, label: LabelId| {
                if nodes.contains(&node) {
                    reached.mark(node, kernel);
                    seen.push((node, kernel, interval, label));
                }
            };
            match trunk.nodes {
                Nodes::Stored(list, label) => list.iter().for_each(|node| mark(*node, trunk.kernel.target(), label)),
                Nodes::Fit { set, kernel } => {
                    let label = up.relations.strengths.candidates;
                    let Some(index) = up.set(set) else { continue };
                    index.candidates(kernel).iter().for_each(|(_, node, _)| mark(*node, Some(kernel), label));
                    // Weaker inputs make the found interval as weak as they are.
                    let inputs = [Some(trunk.submission), trunk.node_set, Some(trunk.kernel)];
                    for read in inputs.into_iter().flatten() {
                        if let Read::To(_, of) = read {
                            for (.., label) in seen.iter_mut().rev().take_while(|(.., found, _)| *found == interval) {
                                *label = (*label).max(of);
                            }
                        }
                    }
                }
                Nodes::Gap(_) | Nodes::NotReached => {}
            }
        }
        let none = NoInterval::new(&up.relations, pass, &undecided, unknown);
        seen.sort_unstable();
        Executions { reached, none, seen }
    }

    /// The intervals of the node as this kernel, each with its label.
    fn of(&self, node: u32, kernel: u32) -> impl Iterator<Item = (u32, LabelId)> {
        let from = self.seen.partition_point(|(of, ..)| *of < node);
        self.seen
            .get(from..)
            .unwrap_or(&[])
            .iter()
            .take_while(move |(of, ..)| *of == node)
            .filter(move |(_, as_kernel, ..)| as_kernel.is_none_or(|as_kernel| as_kernel == kernel))
            .map(|(_, _, interval, label)| (*interval, *label))
    }
}

//! Walking all chains of a pass, each node, node set and relation looked at once.
//!
//! Cost: the intervals of the pass, plus the candidates the producer supplies for each, plus the nodes of each node set,
//! once. Intervals that share node set and kernel share their candidates, so they are counted by that key and the
//! candidates are walked once for all of them.

use std::collections::HashMap;
use std::rc::Rc;

use super::account::{Branches, Chain, Weakest};
use super::down::{GraphIndex, Inverse, ModelIndex, NoInterval, Reached, Unknown};
use super::gap::{Gap, Nulls, Place, Why};
use super::hop::Hop;
use super::leftover::{self, Reasons};
use super::relation::Read;
use super::relations::Relations;
use super::tally::{Event, Events, Tally};
use super::token::token_under_test;
use super::up::{BranchHop, Nodes, Up, branches};
use super::verdict::{ChainCounts, ComputedBy, GapGroup, GapMember, Leftover, Outcome, Verdict};
use crate::absence::AbsenceIndex;
use crate::fact::Missing;
use crate::item::Item;
use crate::model::Run;
use crate::{Label, ReasonCode};

/// Intervals of one pass that share node set and kernel.
struct Shared {
    intervals: u64,
    first: u32,
}

/// Walks the passes of one run. What does not depend on the pass is kept from one to the next.
pub(super) struct Walker<'r> {
    up: Up<'r>,
    events: Events<'r>,
    tally: Tally,
    reached: Reached,
    nodes: Vec<Option<Rc<Branches>>>,
    keys: HashMap<(u32, u32), Rc<Branches>>,
    model: ModelIndex,
    graphs: HashMap<u32, Rc<GraphIndex>>,
    by_pass: Inverse,
    /// Intervals of which the bundle does not say whether they belong to a pass.
    undecided: Nulls,
    no_pass: Leftover,
    no_node: Leftover,
}

impl<'r> Walker<'r> {
    pub(super) fn new(run: &'r Run, absences: &'r AbsenceIndex<'r>) -> Walker<'r> {
        let relations = Relations::new(run, absences);
        let intervals = u32::try_from(run.timeline.intervals.rows()).unwrap_or(u32::MAX);
        let by_pass = Inverse::new(run.passes.rows.rows(), |sink| {
            for interval in 0..intervals {
                if let Read::To(pass, _) = relations.interval_pass.read(interval) {
                    sink(pass, interval);
                }
            }
        });
        let mut undecided = Nulls::default();
        if relations.interval_pass.missing().is_none() {
            for interval in 0..intervals {
                if let Read::Gap(gap) = relations.interval_pass.read(interval) {
                    undecided.add(gap, run);
                }
            }
        }
        let no_pass = leftover::intervals(&relations);
        let no_node = leftover::kernels(&relations);
        Walker {
            model: ModelIndex::new(&relations),
            events: Events::default(),
            tally: Tally::default(),
            reached: Reached::new(run.graph.nodes.rows()),
            nodes: std::iter::repeat_with(|| None).take(run.graph.nodes.rows()).collect(),
            keys: HashMap::new(),
            graphs: HashMap::new(),
            by_pass,
            undecided,
            no_pass,
            no_node,
            up: Up::new(relations),
        }
    }

    fn run(&self) -> &'r Run {
        self.up.relations.run
    }

    /// The verdict on `pass`, or on the token under test's.
    pub(super) fn verdict(&mut self, pass: Option<u32>, by: ComputedBy) -> Verdict {
        let run = self.run();
        let (pass, pass_label) = match pass {
            Some(pass) if (pass as usize) < run.passes.rows.rows() => (pass, None),
            Some(pass) => {
                let holds = run.passes.rows.rows();
                let missing = if run.passes.given && run.passes.rows.given {
                    Missing {
                        pointer: "/passes/rows".to_owned(),
                        reason: format!("There is no pass {pass}: the bundle holds {holds} passes."),
                    }
                } else {
                    run.missing(if run.passes.given { "/passes/rows" } else { "/passes" })
                };
                return self.without_pass(Some(pass), missing, by);
            }
            None => match token_under_test(run) {
                Ok(token) => (token.pass, Some(token.label)),
                Err(missing) => return self.without_pass(None, missing, by),
            },
        };
        self.walk(pass, pass_label, by)
    }

    fn walk(&mut self, pass: u32, pass_label: Option<Label>, by: ComputedBy) -> Verdict {
        let run = self.run();
        let mut weakest = Weakest::default();
        let mut unknown = Unknown::default();
        let (up, reach_tensor) = self.walk_up(pass, &mut unknown, &mut weakest);
        let none = NoInterval::new(&self.up.relations, pass, &self.undecided, unknown);
        let graph = self.graph_of(pass);
        let down = self.walk_down(pass, &graph, &none, &mut weakest);
        let nodes = match &graph {
            Ok(graph) => self.unreached(graph, &none),
            Err(gap) => Leftover { reason: Some(gap.reason(run).into_owned()), ..Leftover::default() },
        };
        self.reached.clear();
        let ending = self.tally.finish(&self.events, run);
        let outcome = match ending.depth {
            Some(gap) => Outcome::NotApplicable { reason: gap.reason(run).into_owned() },
            None if ending.gaps.is_empty() => Outcome::Pass,
            None => Outcome::Fail,
        };
        Verdict {
            outcome,
            computed_by: by,
            pass: Some(pass),
            pass_label,
            up,
            reach_tensor,
            down,
            weakest: weakest.0.map(|label| self.up.relations.strengths.label(label)),
            gaps: ending.gaps,
            terminals: ending.terminals,
            intervals_in_no_pass: self.no_pass.clone(),
            nodes_no_interval_reaches: nodes,
            kernels_no_node_names: self.no_node.clone(),
        }
    }

    /// The verdict when there is no pass to walk: one gap, from the token to its pass.
    fn without_pass(&self, pass: Option<u32>, missing: Missing, by: ComputedBy) -> Verdict {
        let run = self.run();
        let by_depth = run.absence(&missing.pointer).is_some_and(|absence| absence.code == ReasonCode::Depth);
        let outcome = if by_depth { Outcome::NotApplicable { reason: missing.reason.clone() } } else { Outcome::Fail };
        let group = GapGroup {
            hop: Hop::TokenPass,
            pointer: missing.pointer.clone(),
            reason: missing.reason.clone(),
            chains: 1,
            members: vec![GapMember { pointer: missing.pointer, chains: 1, first: None }],
        };
        Verdict {
            outcome,
            computed_by: by,
            pass,
            pass_label: None,
            up: ChainCounts { total: 1, gap: 1, ..ChainCounts::default() },
            reach_tensor: 0,
            down: ChainCounts::default(),
            weakest: None,
            gaps: vec![group],
            terminals: Vec::new(),
            intervals_in_no_pass: self.no_pass.clone(),
            nodes_no_interval_reaches: Leftover { reason: Some(missing.reason), ..Leftover::default() },
            kernels_no_node_names: self.no_node.clone(),
        }
    }

    fn meet(&mut self, hop: Hop, event: Event, start: Item, chain: &mut Chain) {
        let id = self.events.id(hop, event, self.up.relations.run);
        self.tally.meet(&self.events, id, 1, start);
        chain.gap |= matches!(event, Event::Gap(_));
    }

    /// Counts one hop of a chain.
    fn hop<T>(&mut self, hop: Hop, read: &Read<T>, start: Item, chain: &mut Chain) {
        match read {
            Read::To(_, label) => chain.label(*label),
            Read::End(end, label) => {
                chain.label(*label);
                self.meet(hop, Event::End(*end), start, chain);
            }
            Read::Gap(gap) => self.meet(hop, Event::Gap(*gap), start, chain),
        }
    }

    fn walk_up(&mut self, pass: u32, unknown: &mut Unknown, weakest: &mut Weakest) -> (ChainCounts, u64) {
        let run = self.run();
        let mut counts = ChainCounts::default();
        let mut reach_tensor = 0;
        let mut shared: HashMap<(u32, u32), Shared> = HashMap::new();
        let intervals = self.by_pass.of(pass).to_vec();
        for interval in &intervals {
            let start = Item::Interval(*interval);
            let mut chain = Chain::default();
            self.tally.begin();
            let trunk = self.up.trunk(*interval);
            unknown.note(&trunk, run);
            let of_pass = self.up.relations.interval_pass.read(*interval);
            self.hop(Hop::IntervalPass, &of_pass, start, &mut chain);
            self.hop(Hop::IntervalSubmission, &trunk.submission, start, &mut chain);
            if let Some(node_set) = &trunk.node_set {
                self.hop(Hop::SubmissionNodeSet, node_set, start, &mut chain);
            }
            self.hop(Hop::IntervalKernel, &trunk.kernel, start, &mut chain);
            match trunk.nodes {
                Nodes::Stored(nodes, label) => {
                    chain.label(label);
                    for node in nodes {
                        let branches = self.branches(*node);
                        for id in &branches.events {
                            self.tally.meet(&self.events, *id, 1, start);
                        }
                        self.reached.mark(*node, trunk.kernel.target());
                        chain.label(branches.weakest);
                        chain.gap |= branches.gap;
                        chain.reached |= branches.layer;
                        chain.tensor |= branches.tensor;
                    }
                }
                Nodes::Fit { set, kernel } => {
                    // Its hops up to here all resolve: the chain ends as the candidates' branches end.
                    weakest.join(&chain);
                    let shared = shared.entry((set, kernel)).or_insert(Shared { intervals: 0, first: *interval });
                    shared.intervals += 1;
                    continue;
                }
                Nodes::Gap(gap) => self.meet(Hop::IntervalNodes, Event::Gap(gap), start, &mut chain),
                Nodes::NotReached => {}
            }
            reach_tensor += u64::from(chain.tensor);
            chain.count(1, &mut counts);
            weakest.join(&chain);
        }
        for ((set, kernel), Shared { intervals, first }) in shared {
            self.tally.begin();
            let branches = self.shared_branches(set, kernel);
            for id in &branches.events {
                self.tally.meet(&self.events, *id, intervals, Item::Interval(first));
            }
            if let Some(index) = self.up.set(set) {
                for (_, node, _) in index.candidates(kernel) {
                    self.reached.mark(*node, Some(kernel));
                }
            }
            let chain = Chain {
                gap: branches.gap,
                reached: branches.layer,
                tensor: branches.tensor,
                read: true,
                weakest: branches.weakest,
            };
            if chain.tensor {
                reach_tensor += intervals;
            }
            chain.count(intervals, &mut counts);
            weakest.join(&chain);
        }
        self.undecided_chains(pass, intervals.is_empty(), &mut counts);
        (counts, reach_tensor)
    }

    /// Intervals that may or may not belong to the pass, and a pass without any: gaps at the first hop.
    fn undecided_chains(&mut self, pass: u32, empty: bool, counts: &mut ChainCounts) {
        let run = self.run();
        let (gap, chains) = match (self.up.relations.interval_pass.missing(), self.undecided.gap()) {
            (Some(missing), _) => (missing, 1),
            (None, Some(undecided)) => (undecided, u64::from(self.undecided.count())),
            (None, None) if empty => {
                let why = Why::Said("No interval of the run falls in this pass.");
                (Gap { place: Place::Whole("/timeline/intervals/pass"), why }, 1)
            }
            (None, None) => return,
        };
        self.tally.begin();
        let id = self.events.id(Hop::IntervalPass, Event::Gap(gap), run);
        self.tally.meet(&self.events, id, chains, Item::Pass(pass));
        Chain { gap: true, ..Chain::default() }.count(chains, counts);
    }

    /// The branches from one node to layers, walked once.
    fn branches(&mut self, node: u32) -> Rc<Branches> {
        if let Some(Some(known)) = self.nodes.get(node as usize) {
            return Rc::clone(known);
        }
        let run = self.up.relations.run;
        let mut out = Branches::default();
        let events = &mut self.events;
        branches(&self.up.relations, node, &mut |hop| match hop {
            BranchHop::Ends(hop, end, label) => {
                out.events.push(events.id(hop, Event::End(end), run));
                out.weakest = out.weakest.max(label);
            }
            BranchHop::Gap(hop, gap) => {
                out.events.push(events.id(hop, Event::Gap(gap), run));
                out.gap = true;
            }
            BranchHop::Tensor(_, label) => {
                out.tensor = true;
                out.weakest = out.weakest.max(label);
            }
            BranchHop::Component(_, label) => out.weakest = out.weakest.max(label),
            BranchHop::Layer(_, label) => {
                out.layer = true;
                out.weakest = out.weakest.max(label);
            }
        });
        out.events.sort_unstable();
        out.events.dedup();
        let out = Rc::new(out);
        if let Some(slot) = self.nodes.get_mut(node as usize) {
            *slot = Some(Rc::clone(&out));
        }
        out
    }

    /// The branches from all candidates of a node set and kernel, walked once.
    fn shared_branches(&mut self, set: u32, kernel: u32) -> Rc<Branches> {
        if let Some(known) = self.keys.get(&(set, kernel)) {
            return Rc::clone(known);
        }
        let candidates = self.up.candidates(set, kernel);
        let mut out = Branches { weakest: self.up.mapping_label(set, kernel), ..Branches::default() };
        for node in candidates {
            let branches = self.branches(node);
            out.events.extend_from_slice(&branches.events);
            out.join(&branches);
        }
        out.events.sort_unstable();
        out.events.dedup();
        let out = Rc::new(out);
        self.keys.insert((set, kernel), Rc::clone(&out));
        out
    }

    /// The graph that the pass executes.
    fn graph_of(&mut self, pass: u32) -> Result<Rc<GraphIndex>, Gap> {
        let relations = &self.up.relations;
        match relations.pass_graph.read(pass) {
            Read::To(graph, _) => {
                let index = self.graphs.entry(graph);
                Ok(Rc::clone(index.or_insert_with(|| Rc::new(GraphIndex::new(relations, graph)))))
            }
            Read::Gap(gap) => Err(gap),
            // The column has no companion for answers; kept as a gap should it get one.
            Read::End(..) => Err(Gap { place: Place::Cell("/passes/rows/graph", pass), why: Why::Unexplained }),
        }
    }

    fn walk_down(
        &mut self,
        pass: u32,
        graph: &Result<Rc<GraphIndex>, Gap>,
        none: &NoInterval,
        weakest: &mut Weakest,
    ) -> ChainCounts {
        let mut counts = ChainCounts::default();
        let components = u32::try_from(self.run().model.components.rows()).unwrap_or(u32::MAX);
        if components == 0 {
            let why = Why::Said("The model has no components.");
            let gap = self.up.relations.no_components;
            let gap = gap.unwrap_or(Gap { place: Place::Whole("/model/components"), why });
            self.tally.begin();
            let id = self.events.id(Hop::ModelComponents, Event::Gap(gap), self.run());
            self.tally.meet(&self.events, id, 1, Item::Pass(pass));
            Chain { gap: true, ..Chain::default() }.count(1, &mut counts);
        }
        for component in 0..components {
            self.tally.begin();
            let mut chain = Chain::default();
            self.component(component, graph, none, &mut chain);
            chain.count(1, &mut counts);
            weakest.join(&chain);
        }
        counts
    }

    fn component(&mut self, component: u32, graph: &Result<Rc<GraphIndex>, Gap>, none: &NoInterval, chain: &mut Chain) {
        let start = Item::Component(component);
        let tensors = match self.model.tensors(component) {
            Ok(tensors) => tensors.to_vec(),
            Err(event) => {
                if matches!(event, Event::End(_)) {
                    chain.label(self.up.relations.tensor_component.weakest());
                }
                return self.meet(Hop::ComponentTensors, event, start, chain);
            }
        };
        for tensor in tensors {
            if let Read::To(_, label) = self.up.relations.tensor_component.read(tensor) {
                chain.label(label);
            }
            let graph = match graph {
                Ok(graph) => graph,
                Err(gap) => {
                    self.meet(Hop::TensorNodes, Event::Gap(*gap), start, chain);
                    continue;
                }
            };
            match graph.readers(tensor) {
                Ok(readers) => {
                    for (_, node) in readers {
                        self.executions(*node, none, start, chain);
                    }
                }
                Err(event) => {
                    if matches!(event, Event::End(_)) {
                        chain.label(self.up.relations.node_tensors.weakest());
                    }
                    self.meet(Hop::TensorNodes, event, start, chain);
                }
            }
        }
    }

    /// Node → kernels → intervals of the pass.
    fn executions(&mut self, node: u32, none: &NoInterval, start: Item, chain: &mut Chain) {
        if let Read::To(_, label) = self.up.relations.node_tensors.read(node) {
            chain.label(label);
        }
        let kernels = self.up.relations.node_kernels.read(node);
        self.hop(Hop::NodeKernels, &kernels, start, chain);
        for kernel in kernels.target().unwrap_or(&[]) {
            match executed(&self.reached, none, node, *kernel) {
                Ok(()) => chain.reached = true,
                Err(events) => {
                    for event in events {
                        self.meet(Hop::KernelIntervals, event, start, chain);
                    }
                }
            }
        }
    }

    /// The nodes of the graph that no interval of the pass reached, each with why.
    fn unreached(&self, graph: &GraphIndex, none: &NoInterval) -> Leftover {
        let run = self.run();
        let mut reasons = Reasons::default();
        for node in graph.nodes.iter().filter(|node| !self.reached.reached(**node)) {
            match self.up.relations.node_kernels.read(*node) {
                Read::End(end, _) => reasons.add(end.text(run), *node),
                Read::Gap(gap) => reasons.add(&gap.reason(run), *node),
                Read::To(kernels, _) => {
                    let kernel = kernels.first().copied().unwrap_or(u32::MAX);
                    match none.events(kernel).first() {
                        Some(Event::Gap(gap)) => reasons.add(&gap.reason(run), *node),
                        Some(Event::End(end)) => reasons.add(end.text(run), *node),
                        None => {}
                    }
                }
            }
        }
        reasons.leftover(graph.nodes.len())
    }
}

/// Whether an interval of the pass executed the node as the kernel; else how the hop ends.
pub(super) fn executed(reached: &Reached, none: &NoInterval, node: u32, kernel: u32) -> Result<(), Vec<Event>> {
    if reached.ran_as(node, kernel) {
        return Ok(());
    }
    if reached.reached(node) {
        return Err(vec![Event::End(super::gap::End::OtherKernel)]);
    }
    Err(none.events(kernel))
}

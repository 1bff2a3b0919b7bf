//! The relations of one item, to follow from wherever it is selected.

use serde::Serialize;

use super::chain::{HopEnd, hop_end};
use super::gap::Nulls;
use super::relation::{Many, One, Read};
use super::relations::Relations;
use super::strength::LabelId;
use super::tally::Event;
use super::up::{Nodes, Up};
use crate::item::Item;
use crate::label::Label;
use crate::model::Run;

/// One relation of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Relation {
    /// What the targets are to the item: `pass`, `submission`, `node_set`, `segment`, `kernel`, `intervals`, `nodes`,
    /// `tensors` and so on.
    pub name: &'static str,
    /// Where the relation leads, or why nowhere. A relation that is read backwards and finds nothing is a terminal when
    /// the column is complete, a gap when it has nulls.
    #[serde(flatten)]
    pub end: HopEnd,
}

/// Every relation of an item that the format has. One that the format leaves free and the bundle does not hold is left out.
/// Costs a look at the tables that point to the item. Empty for an item that the run does not hold.
pub fn neighbours(run: &Run, item: Item) -> Vec<Relation> {
    if !item.exists(run) {
        return Vec::new();
    }
    let absences = run.absences();
    let mut seen = Neighbours { up: Up::new(Relations::new(run, &absences)), relations: Vec::new() };
    match item {
        Item::Pass(pass) => seen.pass(pass),
        Item::Submission(submission) => seen.submission(submission),
        Item::NodeSet(set) => seen.node_set(set),
        Item::Segment(segment) => seen.segment(segment),
        Item::Interval(interval) => seen.interval(interval),
        Item::Kernel(kernel) => seen.kernel(kernel),
        Item::Node(node) => seen.node(node),
        Item::Tensor(tensor) => seen.tensor(tensor),
        Item::Component(component) => seen.component(component),
        Item::Layer(layer) => seen.layer(layer),
        Item::Call(call) => seen.call(call),
        Item::Chunk(chunk) => seen.chunk(chunk),
        // No column relates named ranges and copies to anything.
        Item::Range(_) | Item::Copy(_) => {}
    }
    seen.relations
}

struct Neighbours<'r> {
    up: Up<'r>,
    relations: Vec<Relation>,
}

/// What a column that is read backwards found.
#[derive(Default)]
struct Found {
    targets: Vec<Item>,
    label: Option<LabelId>,
    nulls: Nulls,
}

impl Found {
    fn add(&mut self, target: Item, label: LabelId) {
        self.targets.push(target);
        self.label = self.label.max(Some(label));
    }
}

impl Neighbours<'_> {
    fn run(&self) -> &Run {
        self.up.relations.run
    }

    fn rows(&self, count: usize) -> std::ops::Range<u32> {
        0..u32::try_from(count).unwrap_or(u32::MAX)
    }

    fn push(&mut self, name: &'static str, end: HopEnd) {
        self.relations.push(Relation { name, end });
    }

    fn resolved(&mut self, name: &'static str, targets: Vec<Item>, label: LabelId) {
        let label = self.up.relations.strengths.label(label);
        self.push(name, HopEnd::Resolved { targets, label });
    }

    fn read<T>(&mut self, name: &'static str, read: Read<T>, targets: impl FnOnce(T) -> Vec<Item>) {
        match read {
            Read::To(target, label) => self.resolved(name, targets(target), label),
            Read::End(end, _) => self.push(name, hop_end(Event::End(end), self.run())),
            Read::Gap(gap) => self.push(name, hop_end(Event::Gap(gap), self.run())),
        }
    }

    /// A relation read backwards; `none` is what it means when the column is complete and names the item nowhere.
    fn found(&mut self, name: &'static str, found: Found, none: &str) {
        match (found.label, found.nulls.gap()) {
            (Some(label), _) => self.resolved(name, found.targets, label),
            (None, Some(gap)) => self.push(name, hop_end(Event::Gap(gap), self.run())),
            (None, None) => self.push(name, HopEnd::Terminal { reason: none.to_owned(), code: None }),
        }
    }

    fn backwards(&self, rows: usize, relation: &One<'_>, target: u32, item: fn(u32) -> Item) -> Found {
        let mut found = Found::default();
        if let Some(gap) = relation.missing() {
            found.nulls.add(gap, self.run());
        }
        for row in self.rows(rows) {
            match relation.read(row) {
                Read::To(of, label) if of == target => found.add(item(row), label),
                Read::Gap(gap) => found.nulls.add(gap, self.run()),
                Read::To(..) | Read::End(..) => {}
            }
        }
        found
    }

    fn backwards_many(&self, rows: usize, relation: &Many<'_>, target: u32, item: fn(u32) -> Item) -> Found {
        let mut found = Found::default();
        if let Some(gap) = relation.missing() {
            found.nulls.add(gap, self.run());
        }
        for row in self.rows(rows) {
            match relation.read(row) {
                Read::To(of, label) if of.contains(&target) => found.add(item(row), label),
                Read::Gap(gap) => found.nulls.add(gap, self.run()),
                Read::To(..) | Read::End(..) => {}
            }
        }
        found
    }

    fn pass(&mut self, pass: u32) {
        let run = self.up.relations.run;
        let rows = run.timeline.submissions.rows();
        let found = self.backwards(rows, &self.up.relations.submission_pass, pass, Item::Submission);
        self.found(
            "submissions",
            found,
            "No submission belongs to the pass, and every submission says to which it belongs.",
        );
        let rows = run.timeline.intervals.rows();
        let found = self.backwards(rows, &self.up.relations.interval_pass, pass, Item::Interval);
        self.found("intervals", found, "No interval falls in the pass, and every interval says in which it falls.");
        match self.up.relations.pass_graph.read(pass) {
            Read::To(graph, label) => {
                let rows = run.graph.nodes.rows();
                let mut found = self.backwards(rows, &self.up.relations.node_graph, graph, Item::Node);
                found.label = found.label.map(|of| of.max(label));
                self.found("nodes", found, "The pass's graph has no nodes.");
            }
            other => self.read("nodes", other, |_| Vec::new()),
        }
    }

    fn submission(&mut self, submission: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.submission_pass.read(submission);
        self.read("pass", read, |pass| vec![Item::Pass(pass)]);
        let read = self.up.node_set(submission);
        self.read("node_set", read, |set| vec![Item::NodeSet(set)]);
        if let Read::To(set, label) = read {
            let nodes = self.up.nodes_of(set).iter().map(|node| Item::Node(*node)).collect();
            self.resolved("nodes", nodes, label);
        }
        let rows = run.timeline.segments.rows();
        let found = self.backwards(rows, &self.up.relations.segment_submission, submission, Item::Segment);
        self.found("segments", found, "No GPU segment is of the submission, and every segment says of which it is.");
        let rows = run.timeline.intervals.rows();
        let found = self.backwards(rows, &self.up.relations.interval_submission, submission, Item::Interval);
        self.found("intervals", found, "The submission caused no interval, and every interval says what caused it.");
    }

    fn node_set(&mut self, set: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.node_set_nodes.read(set);
        self.read("nodes", read, |nodes| nodes.iter().map(|node| Item::Node(*node)).collect());
        let rows = run.timeline.submissions.rows();
        let found = self.backwards(rows, &self.up.relations.submission_node_set, set, Item::Submission);
        self.found(
            "submissions",
            found,
            "No submission carries the node set, and every submission says which it carries.",
        );
    }

    fn segment(&mut self, segment: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.segment_submission.read(segment);
        self.read("submission", read, |submission| vec![Item::Submission(submission)]);
        let rows = run.timeline.intervals.rows();
        let found = self.backwards(rows, &self.up.relations.interval_segment, segment, Item::Interval);
        self.found("intervals", found, "No interval lies in the segment, and every interval says in which it lies.");
    }

    fn interval(&mut self, interval: u32) {
        let read = self.up.relations.interval_pass.read(interval);
        self.read("pass", read, |pass| vec![Item::Pass(pass)]);
        let trunk = self.up.trunk(interval);
        self.read("submission", trunk.submission, |submission| vec![Item::Submission(submission)]);
        let read = self.up.relations.interval_segment.read(interval);
        self.read("segment", read, |segment| vec![Item::Segment(segment)]);
        self.read("kernel", trunk.kernel, |kernel| vec![Item::Kernel(kernel)]);
        match trunk.nodes {
            Nodes::Stored(nodes, label) => {
                self.resolved("nodes", nodes.iter().map(|node| Item::Node(*node)).collect(), label);
            }
            Nodes::Fit { set, kernel } => {
                let label = self.up.fit_label(&trunk, set, kernel);
                let nodes = self.up.candidates(set, kernel);
                self.resolved("candidate_nodes", nodes.into_iter().map(Item::Node).collect(), label);
            }
            Nodes::Gap(gap) => self.push("candidate_nodes", hop_end(Event::Gap(gap), self.run())),
            // The relation that ended the walk is told above, or is the submission's.
            Nodes::NotReached => {
                if let Some(Read::Gap(gap)) = trunk.node_set {
                    self.push("candidate_nodes", hop_end(Event::Gap(gap), self.run()));
                }
            }
        }
    }

    fn kernel(&mut self, kernel: u32) {
        let run = self.up.relations.run;
        let rows = run.graph.nodes.rows();
        let found = self.backwards_many(rows, &self.up.relations.node_kernels, kernel, Item::Node);
        self.found("nodes", found, "No node names the kernel, and every node says which kernels it runs as.");
        let rows = run.timeline.intervals.rows();
        let found = self.backwards(rows, &self.up.relations.interval_kernel, kernel, Item::Interval);
        self.found("intervals", found, "No interval ran the kernel, and every interval says what it ran.");
    }

    fn node(&mut self, node: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.node_layer.read(node);
        self.read("layer", read, |layer| vec![Item::Layer(layer)]);
        let read = self.up.relations.node_tensors.read(node);
        self.read("tensors", read, |tensors| tensors.iter().map(|tensor| Item::Tensor(*tensor)).collect());
        let read = self.up.relations.node_kernels.read(node);
        self.read("kernels", read, |kernels| kernels.iter().map(|kernel| Item::Kernel(*kernel)).collect());
        // The column is free: a bundle without it is asked for no reason, and a node may take nothing from other nodes.
        if let Read::To(sources, label) = self.up.relations.node_sources.read(node) {
            self.resolved("sources", sources.iter().map(|source| Item::Node(*source)).collect(), label);
        }
        let rows = run.graph.nodes.rows();
        let takers = self.backwards_many(rows, &self.up.relations.node_sources, node, Item::Node);
        if let Some(label) = takers.label {
            self.resolved("consumers", takers.targets, label);
        }
        let found = self.intervals_of(node);
        self.found("intervals", found, "No interval fits the node, and every interval says what it ran.");
    }

    /// The intervals of the whole run that executed the node, or may have.
    fn intervals_of(&mut self, node: u32) -> Found {
        let run = self.up.relations.run;
        let mut found = Found::default();
        for interval in self.rows(run.timeline.intervals.rows()) {
            let trunk = self.up.trunk(interval);
            match trunk.nodes {
                Nodes::Stored(nodes, label) if nodes.contains(&node) => found.add(Item::Interval(interval), label),
                Nodes::Fit { set, kernel } => {
                    let fits = self.up.set(set).is_some_and(|index| index.fits(kernel, node));
                    if fits {
                        let label = self.up.relations.strengths.candidates;
                        found.add(Item::Interval(interval), label);
                    }
                }
                Nodes::Stored(..) => {}
                Nodes::Gap(_) | Nodes::NotReached => {
                    let gap = trunk.kernel.gap().or_else(|| trunk.submission.gap());
                    if let Some(gap) = gap.or_else(|| trunk.node_set.and_then(|node_set| node_set.gap())) {
                        found.nulls.add(gap, run);
                    }
                }
            }
        }
        if let Some(gap) = self.up.relations.interval_kernel.missing() {
            found.nulls.add(gap, run);
        }
        // The node's own naming of its kernel is an input of every interval that was found through it.
        if let (Some(label), Read::To(_, of)) = (found.label, self.up.relations.node_kernels.read(node)) {
            found.label = Some(label.max(of));
        }
        found
    }

    fn tensor(&mut self, tensor: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.tensor_component.read(tensor);
        self.read("component", read, |component| vec![Item::Component(component)]);
        let rows = run.graph.nodes.rows();
        let found = self.backwards_many(rows, &self.up.relations.node_tensors, tensor, Item::Node);
        self.found("nodes", found, "No node reads the tensor, and every node says what it reads.");
    }

    fn component(&mut self, component: u32) {
        let run = self.up.relations.run;
        let read = self.up.relations.component_layer.read(component);
        self.read("layer", read, |layer| vec![Item::Layer(layer)]);
        let rows = run.model.tensors.rows();
        let found = self.backwards(rows, &self.up.relations.tensor_component, component, Item::Tensor);
        self.found("tensors", found, "No tensor belongs to the component, and every tensor says what it belongs to.");
    }

    fn layer(&mut self, layer: u32) {
        let run = self.up.relations.run;
        let rows = run.model.components.rows();
        let found = self.backwards(rows, &self.up.relations.component_layer, layer, Item::Component);
        self.found("components", found, "No component is the layer, and every component says whether it is one.");
        let rows = run.graph.nodes.rows();
        let found = self.backwards(rows, &self.up.relations.node_layer, layer, Item::Node);
        self.found("nodes", found, "No node works for the layer, and every node says for which it works.");
    }

    /// What a call made is free information: left out where the bundle does not hold it.
    fn call(&mut self, call: u32) {
        let run = self.run();
        let table = &run.timeline.calls;
        let target = table.submission.get(call as usize).map(Item::Submission);
        self.free("submission", target, table.label("submission", call as usize).cloned());
    }

    fn chunk(&mut self, chunk: u32) {
        let run = self.run();
        let table = &run.request.chunks;
        let target = table.pass.get(chunk as usize).map(Item::Pass);
        self.free("pass", target, table.label("pass", chunk as usize).cloned());
    }

    fn free(&mut self, name: &'static str, target: Option<Item>, label: Option<Label>) {
        let Some(target) = target.filter(|target| target.exists(self.run())) else { return };
        let label = label.unwrap_or_else(|| self.up.relations.strengths.label(self.up.relations.strengths.unlabelled));
        self.push(name, HopEnd::Resolved { targets: vec![target], label });
    }
}

//! Down: from a component to the intervals of one pass, through the stored relations read backwards.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::gap::{End, Gap, Nulls, Place, Why};
use super::relation::Read;
use super::relations::Relations;
use super::tally::Event;
use super::up::{Nodes, Trunk};
use crate::model::Run;

/// Rows by what they point to: for each target the rows that name it, in their order.
pub(super) struct Inverse {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Inverse {
    /// From (target, row) pairs; `each` is called twice with a sink for them and must give the same both times.
    pub(super) fn new(targets: usize, each: impl Fn(&mut dyn FnMut(u32, u32))) -> Inverse {
        let mut starts = vec![0_u32; targets + 1];
        each(&mut |target, _| {
            if let Some(count) = starts.get_mut(target as usize + 1) {
                *count += 1;
            }
        });
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut rows = vec![0_u32; sum as usize];
        each(&mut |target, row| {
            if (target as usize) < targets
                && let Some(at) = next.get_mut(target as usize)
                && let Some(cell) = rows.get_mut(*at as usize)
            {
                *cell = row;
                *at += 1;
            }
        });
        Inverse { starts, rows }
    }

    /// The rows that name the target.
    pub(super) fn of(&self, target: u32) -> &[u32] {
        let at = target as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => self.rows.get(*from as usize..*to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// Component → tensors, for the whole model.
pub(super) struct ModelIndex {
    tensors: Inverse,
    /// What a component without tensors ends in.
    none: Event,
}

impl ModelIndex {
    pub(super) fn new(relations: &Relations<'_>) -> ModelIndex {
        let model = &relations.run.model;
        let count = u32::try_from(model.tensors.rows()).unwrap_or(u32::MAX);
        let tensors = Inverse::new(model.components.rows(), |sink| {
            for tensor in 0..count {
                if let Read::To(component, _) = relations.tensor_component.read(tensor) {
                    sink(component, tensor);
                }
            }
        });
        let mut nulls = Nulls::default();
        for tensor in 0..count {
            if let Read::Gap(gap) = relations.tensor_component.read(tensor) {
                nulls.add(gap, relations.run);
            }
        }
        let gap = relations.tensor_component.missing().or_else(|| nulls.gap());
        ModelIndex { tensors, none: gap.map_or(Event::End(End::NoTensor), Event::Gap) }
    }

    /// The tensors of a component, or how the hop ends.
    pub(super) fn tensors(&self, component: u32) -> Result<&[u32], Event> {
        match self.tensors.of(component) {
            [] => Err(self.none),
            tensors => Ok(tensors),
        }
    }
}

/// Tensor → nodes, for the nodes of one graph.
pub(super) struct GraphIndex {
    /// The graph's nodes.
    pub(super) nodes: Vec<u32>,
    /// (tensor, node), sorted.
    readers: Vec<(u32, u32)>,
    /// What a tensor that no node reads ends in.
    none: Event,
}

impl GraphIndex {
    pub(super) fn new(relations: &Relations<'_>, graph: u32) -> GraphIndex {
        let count = u32::try_from(relations.run.graph.nodes.rows()).unwrap_or(u32::MAX);
        let nodes: Vec<u32> =
            (0..count).filter(|node| relations.node_graph.read(*node).target() == Some(graph)).collect();
        let mut readers = Vec::new();
        let mut nulls = Nulls::default();
        for node in &nodes {
            match relations.node_tensors.read(*node) {
                Read::To(tensors, _) => readers.extend(tensors.iter().map(|tensor| (*tensor, *node))),
                Read::End(..) => {}
                Read::Gap(gap) => nulls.add(gap, relations.run),
            }
        }
        readers.sort_unstable();
        readers.dedup();
        let none = nulls.gap().map_or(Event::End(End::NoReader), Event::Gap);
        GraphIndex { nodes, readers, none }
    }

    /// The nodes that read a tensor, or how the hop ends.
    pub(super) fn readers(&self, tensor: u32) -> Result<&[(u32, u32)], Event> {
        let from = self.readers.partition_point(|(of, _)| *of < tensor);
        let rest = self.readers.get(from..).unwrap_or(&[]);
        match rest.get(..rest.partition_point(|(of, _)| *of == tensor)) {
            None | Some([]) => Err(self.none),
            Some(readers) => Ok(readers),
        }
    }
}

/// A node that no interval reached.
const NOT_REACHED: u32 = u32::MAX;
/// A node that an interval reached whose kernel is not known.
const ANY_KERNEL: u32 = u32::MAX - 1;

/// Which nodes the intervals of one pass executed, and as which kernels. Reused from pass to pass.
pub(super) struct Reached {
    /// For each node the first kernel it was seen as: a node seldom runs as two.
    first: Vec<u32>,
    more: HashSet<(u32, u32)>,
    touched: Vec<u32>,
}

impl Reached {
    pub(super) fn new(nodes: usize) -> Reached {
        Reached { first: vec![NOT_REACHED; nodes], more: HashSet::new(), touched: Vec::new() }
    }

    /// An interval executed the node, as this kernel where it is known.
    pub(super) fn mark(&mut self, node: u32, kernel: Option<u32>) {
        let kernel = kernel.unwrap_or(ANY_KERNEL);
        let Some(first) = self.first.get_mut(node as usize) else { return };
        if *first == NOT_REACHED {
            *first = kernel;
            self.touched.push(node);
        } else if *first != kernel {
            self.more.insert((node, kernel));
        }
    }

    /// Whether any interval executed the node.
    pub(super) fn reached(&self, node: u32) -> bool {
        self.first.get(node as usize).is_some_and(|first| *first != NOT_REACHED)
    }

    /// Whether an interval executed the node as this kernel, or as one that is not known.
    pub(super) fn ran_as(&self, node: u32, kernel: u32) -> bool {
        // NOT_REACHED is no kernel, so a node that was not reached ran as none.
        let Some(first) = self.first.get(node as usize) else { return false };
        let seen_as = |kernel: u32| *first == kernel || (!self.more.is_empty() && self.more.contains(&(node, kernel)));
        seen_as(kernel) || seen_as(ANY_KERNEL)
    }

    /// Forgets what the last pass left.
    pub(super) fn clear(&mut self) {
        for node in self.touched.drain(..) {
            if let Some(first) = self.first.get_mut(node as usize) {
                *first = NOT_REACHED;
            }
        }
        self.more.clear();
    }
}

/// Intervals of a pass of which it is not known what they executed: any of them could be the one that is looked for.
#[derive(Default)]
pub(super) struct Unknown {
    /// Their kernel is not known: by column.
    any: BTreeMap<&'static str, Nulls>,
    /// Their kernel is known, their nodes are not: by kernel, then by column.
    of_kernel: HashMap<u32, BTreeMap<&'static str, Nulls>>,
}

impl Unknown {
    /// Remembers the interval if its nodes are unknown because of a gap.
    pub(super) fn note(&mut self, trunk: &Trunk<'_>, run: &Run) {
        if matches!(trunk.nodes, Nodes::Stored(..) | Nodes::Fit { .. }) {
            return;
        }
        if let Some(gap) = trunk.kernel.gap() {
            self.any.entry(gap.place.column()).or_default().add(gap, run);
        } else if let (Some(kernel), Some(gap)) = (
            trunk.kernel.target(),
            trunk.submission.gap().or_else(|| trunk.node_set.and_then(|node_set| node_set.gap())),
        ) {
            self.of_kernel.entry(kernel).or_default().entry(gap.place.column()).or_default().add(gap, run);
        }
    }

    fn gaps(&self, kernel: u32) -> Vec<Gap> {
        let of_kernel = self.of_kernel.get(&kernel).into_iter().flat_map(BTreeMap::values);
        self.any.values().chain(of_kernel).filter_map(Nulls::gap).collect()
    }
}

/// How the hop from a kernel to the intervals of a pass ends when there is none.
pub(super) struct NoInterval {
    /// The answer or gaps that hold whatever the kernel.
    always: Vec<Event>,
    unknown: Unknown,
}

impl NoInterval {
    /// For the pass `pass`; `undecided` are the intervals of which it is not known whether they belong to a pass.
    pub(super) fn new(relations: &Relations<'_>, pass: u32, undecided: &Nulls, unknown: Unknown) -> NoInterval {
        let run = relations.run;
        let mut always = Vec::new();
        if let Some(gap) = relations.interval_pass.missing() {
            always.push(Event::Gap(gap));
        } else {
            match run.identity.instrument.kernel_timing.as_deref() {
                Some("complete") => {
                    always.extend(undecided.gap().map(Event::Gap));
                    always.extend(unrecorded(run, pass).map(Event::Gap));
                }
                Some("sparse") => always.push(Event::End(End::Sparse)),
                _ => always.push(Event::End(End::NotComplete)),
            }
        }
        NoInterval { always, unknown }
    }

    /// The gaps, or the one answer.
    pub(super) fn events(&self, kernel: u32) -> Vec<Event> {
        if self.always.iter().any(|event| matches!(event, Event::End(_))) {
            return self.always.clone();
        }
        let mut events = self.always.clone();
        events.extend(self.unknown.gaps(kernel).into_iter().map(Event::Gap));
        if events.is_empty() {
            events.push(Event::End(End::NotRun));
        }
        events
    }
}

/// A stretch without recording that touches the pass: in it an interval may have been lost.
fn unrecorded(run: &Run, pass: u32) -> Option<Gap> {
    let stretches = &run.timeline.unrecorded;
    if stretches.rows() == 0 {
        return None;
    }
    let (rows, row) = (&run.passes.rows, pass as usize);
    let from = rows.start.get(row)?;
    let after = |length: i64| from.saturating_add(length);
    let to = rows.end.get(row).or_else(|| rows.period.get(row).map(after)).or(run.timeline.end).unwrap_or(i64::MAX);
    let mut hits = (0..stretches.rows()).filter(|stretch| {
        let start = stretches.start.get(*stretch).unwrap_or(i64::MAX);
        let end = stretches.end.get(*stretch).unwrap_or(i64::MIN);
        start < to && from < end
    });
    let first = hits.next()?;
    let reason = |stretch: usize| stretches.reason.get(stretch);
    let why = if hits.all(|other| reason(other) == reason(first)) {
        Why::Unrecorded(u32::try_from(first).unwrap_or(u32::MAX))
    } else {
        Why::Said("The instrument did not record several stretches of this pass, for different reasons.")
    };
    Some(Gap { place: Place::Whole("/timeline/intervals"), why })
}

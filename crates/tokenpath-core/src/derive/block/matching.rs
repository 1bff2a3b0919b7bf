//! Matching the nodes of a layer against the known patterns.

use std::collections::{BTreeSet, HashMap};

use super::is_view;
use super::patterns::{Half, IN, MIXERS, NETWORKS, Reads, Step, Times};
use crate::derive::anatomy::role;
use crate::model::Run;

/// A group of a matched pattern, with its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedGroup {
    /// The half it belongs to: 0 the mixer, 1 the network.
    pub half: usize,
    /// What is drawn.
    pub group: super::patterns::Group,
    /// Its nodes in encode order.
    pub nodes: Vec<u32>,
}

/// Whether the graph records an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowKind {
    /// A node of the target takes the result of a node of the source.
    Recorded,
    /// The architecture has the dependency; the graph does not record it.
    Explaining,
}

/// Where an arrow starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// Index of a group.
    Group(usize),
    /// Outside the layer.
    Outside,
}

/// An arrow between groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Where it starts.
    pub from: Terminal,
    /// Where it ends.
    pub to: Terminal,
    /// Whether the graph records it.
    pub kind: ArrowKind,
}

/// A layer that matches a pattern.
#[derive(Clone, Debug)]
pub struct Matched {
    /// The halves.
    pub halves: [&'static Half; 2],
    /// The groups that have nodes.
    pub groups: Vec<MatchedGroup>,
    /// The arrows between them.
    pub arrows: Vec<Arrow>,
    /// Whether fewer heads of keys than of queries are recorded; `None` where shapes do not tell.
    pub grouped_query: Option<bool>,
}

impl Matched {
    /// The pattern's name, for the label of what it decides.
    pub fn name(&self) -> String {
        format!("prenorm-{}-{}", self.halves[0].name, self.halves[1].name)
    }

    /// The index of the group that holds a node.
    pub fn group_of(&self, node: u32) -> Option<usize> {
        self.groups.iter().position(|group| group.nodes.contains(&node))
    }
}

/// Why a layer matches no pattern: how far the nearest one got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The nearest pattern; `None` when none was tried.
    pub nearest: Option<String>,
    /// Nodes that it explains.
    pub fitted: usize,
    /// Nodes that work.
    pub working: usize,
    /// The first node that it does not explain.
    pub left_over: Option<u32>,
    /// Whether the graph records which results its nodes take.
    pub sources_known: bool,
}

/// What comparing a layer with the patterns gives.
#[derive(Clone, Debug)]
pub enum Match {
    /// A pattern explains every node that works.
    Matched(Box<Matched>),
    /// None does.
    Unmatched(Mismatch),
}

/// What a working node takes, looked up through nodes that only rearrange.
struct Taken {
    /// Indices in the list of working nodes.
    inside: BTreeSet<usize>,
    /// Whether it takes a result from outside the layer.
    outside: bool,
}

/// Compares the nodes of a layer, given in encode order, with every pattern.
pub fn match_layer(run: &Run, layer_nodes: &[u32]) -> Match {
    let working: Vec<u32> = layer_nodes.iter().copied().filter(|node| !is_view(run, *node as usize)).collect();
    let index: HashMap<u32, usize> = working.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let taken: Vec<Taken> = working.iter().map(|node| taken_by(run, *node, &index)).collect();
    let sources_known = working.iter().any(|node| run.graph.nodes.sources.get(*node as usize).is_some());
    let mut nearest = Mismatch { nearest: None, fitted: 0, working: working.len(), left_over: None, sources_known };
    for mixer in MIXERS {
        for network in NETWORKS {
            let halves = [mixer, network];
            let (of, complete) = assign(run, halves, &working, &taken);
            let fitted = of.iter().flatten().count();
            if complete && fitted == working.len() && fitted > 0 {
                return Match::Matched(Box::new(matched(run, halves, layer_nodes, &working, &taken, &of)));
            }
            if fitted > nearest.fitted {
                nearest.nearest = Some(format!("prenorm-{}-{}", mixer.name, network.name));
                nearest.fitted = fitted;
                nearest.left_over = of.iter().position(Option::is_none).and_then(|at| working.get(at).copied());
            }
        }
    }
    Match::Unmatched(nearest)
}

fn taken_by(run: &Run, node: u32, index: &HashMap<u32, usize>) -> Taken {
    let nodes = &run.graph.nodes;
    let mut taken = Taken { inside: BTreeSet::new(), outside: false };
    let mut pending: Vec<u32> = nodes.sources.get(node as usize).unwrap_or(&[]).to_vec();
    let mut seen = BTreeSet::new();
    while let Some(source) = pending.pop() {
        // A flawed graph may hold a cycle.
        if !seen.insert(source) {
            continue;
        }
        if let Some(at) = index.get(&source) {
            taken.inside.insert(*at);
        } else if is_view(run, source as usize) {
            pending.extend_from_slice(nodes.sources.get(source as usize).unwrap_or(&[]));
        } else {
            taken.outside = true;
        }
    }
    taken
}

/// Gives each working node its step: (half, step). Complete when every step that must occur has its node.
#[allow(clippy::type_complexity, reason = "the pair is the answer and has no life beyond the caller")]
fn assign(
    run: &Run,
    halves: [&'static Half; 2],
    working: &[u32],
    taken: &[Taken],
) -> (Vec<Option<(usize, usize)>>, bool) {
    let mut of: Vec<Option<(usize, usize)>> = vec![None; working.len()];
    let mut keys: Vec<Option<&'static str>> = vec![None; working.len()];
    let mut complete = true;
    for (h, half) in halves.into_iter().enumerate() {
        for (s, step) in half.steps.iter().enumerate() {
            let mut found = 0;
            for (at, node) in working.iter().enumerate() {
                let free = keys.get(at).is_some_and(Option::is_none);
                let fits =
                    free && taken.get(at).is_some_and(|taken| takes(step, taken, &keys)) && is_step(run, step, *node);
                if !fits {
                    continue;
                }
                if let (Some(of), Some(key)) = (of.get_mut(at), keys.get_mut(at)) {
                    *of = Some((h, s));
                    *key = Some(step.key);
                }
                found += 1;
                if step.times != Times::Any {
                    break;
                }
            }
            complete &= found > 0 || step.times != Times::Once;
        }
    }
    (of, complete)
}

/// Whether a node's operation and the tensors it reads are those of a step.
fn is_step(run: &Run, step: &Step, node: u32) -> bool {
    let nodes = &run.graph.nodes;
    let operation = nodes.operation.get(node as usize).unwrap_or("");
    if !step.operations.iter().any(|known| operation.eq_ignore_ascii_case(known)) {
        return false;
    }
    let read = nodes.tensors.get(node as usize).unwrap_or(&[]);
    let any = |test: &dyn Fn(&str) -> bool| {
        read.iter().any(|tensor| run.model.tensors.role.get(*tensor as usize).is_some_and(test))
    };
    match step.reads {
        Reads::Nothing => read.is_empty(),
        Reads::Anything => true,
        Reads::Norm => any(&role::is_norm),
        Reads::NormOrNothing => read.is_empty() || any(&role::is_norm),
        Reads::Roles(roles) => any(&|role| roles.contains(&role)),
    }
}

/// Whether what a node takes is what a step takes.
fn takes(step: &Step, taken: &Taken, keys: &[Option<&'static str>]) -> bool {
    let mut given: Vec<&str> = Vec::with_capacity(taken.inside.len() + 1);
    for at in &taken.inside {
        match keys.get(*at).copied().flatten() {
            Some(key) => given.push(key),
            // The result of a node that no step explains yet.
            None => return false,
        }
    }
    if taken.outside {
        given.push(IN);
    }
    step.takes.iter().all(|any| any.iter().any(|key| given.contains(key)))
        && given
            .iter()
            .all(|key| step.takes.iter().any(|any| any.contains(key)) || step.may.contains(key) || *key == step.key)
}

fn matched(
    run: &Run,
    halves: [&'static Half; 2],
    layer_nodes: &[u32],
    working: &[u32],
    taken: &[Taken],
    of: &[Option<(usize, usize)>],
) -> Matched {
    let mut groups: Vec<MatchedGroup> = Vec::new();
    for (h, half) in halves.into_iter().enumerate() {
        for group in half.groups {
            groups.push(MatchedGroup { half: h, group: *group, nodes: Vec::new() });
        }
    }
    let mut group_of: Vec<Option<usize>> = vec![None; working.len()];
    for (at, node) in working.iter().enumerate() {
        let Some((h, s)) = of.get(at).copied().flatten() else { continue };
        let key = halves.get(h).and_then(|half| half.steps.get(s)).map_or("", |step| step.group);
        let found = groups.iter().position(|group| group.half == h && group.group.key == key);
        if let Some(group) = found.and_then(|found| groups.get_mut(found)) {
            group.nodes.push(*node);
        }
        if let Some(slot) = group_of.get_mut(at) {
            *slot = found;
        }
    }
    // Groups without nodes go; the indices of the others move up.
    let mut moved: Vec<Option<usize>> = Vec::with_capacity(groups.len());
    let mut kept = 0;
    for group in &groups {
        moved.push((!group.nodes.is_empty()).then_some(kept));
        kept += usize::from(!group.nodes.is_empty());
    }
    groups.retain(|group| !group.nodes.is_empty());
    let place = |at: usize| group_of.get(at).copied().flatten().and_then(|old| moved.get(old).copied().flatten());
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut arrow = |from: Terminal, to: Terminal, kind: ArrowKind| {
        if from != to && !arrows.iter().any(|known| known.from == from && known.to == to) {
            arrows.push(Arrow { from, to, kind });
        }
    };
    for (at, taken) in taken.iter().enumerate() {
        let Some(to) = place(at) else { continue };
        for source in &taken.inside {
            if let Some(from) = place(*source) {
                arrow(Terminal::Group(from), Terminal::Group(to), ArrowKind::Recorded);
            }
        }
        if taken.outside {
            arrow(Terminal::Outside, Terminal::Group(to), ArrowKind::Recorded);
        }
    }
    for from in leaving(run, layer_nodes, working).into_iter().filter_map(place) {
        arrow(Terminal::Group(from), Terminal::Outside, ArrowKind::Recorded);
    }
    for (h, half) in halves.into_iter().enumerate() {
        for (from, to) in half.explained {
            let find = |key: &str| groups.iter().position(|group| group.half == h && group.group.key == key);
            if let (Some(from), Some(to)) = (find(from), find(to)) {
                arrow(Terminal::Group(from), Terminal::Group(to), ArrowKind::Explaining);
            }
        }
    }
    let grouped_query = grouped_query(run, &groups);
    Matched { halves, groups, arrows, grouped_query }
}

/// The working nodes whose result a node outside the layer takes.
fn leaving(run: &Run, layer_nodes: &[u32], working: &[u32]) -> BTreeSet<usize> {
    let nodes = &run.graph.nodes;
    let index: HashMap<u32, usize> = working.iter().enumerate().map(|(i, node)| (*node, i)).collect();
    let inside: BTreeSet<u32> = layer_nodes.iter().copied().collect();
    let mut out = BTreeSet::new();
    // Results are taken by later nodes of the same graph.
    let first = layer_nodes.first().copied().unwrap_or(0) as usize;
    for node in first..nodes.rows() {
        if inside.contains(&u32::try_from(node).unwrap_or(u32::MAX)) {
            continue;
        }
        let sources = nodes.sources.get(node).unwrap_or(&[]);
        if sources.iter().any(|source| inside.contains(source)) {
            out.extend(taken_by(run, u32::try_from(node).unwrap_or(u32::MAX), &index).inside);
        }
    }
    out
}

/// Fewer heads of keys than of queries: the second sizes of the rotated results, which part heads.
fn grouped_query(run: &Run, groups: &[MatchedGroup]) -> Option<bool> {
    let heads = |key: &str| {
        let group = groups.iter().find(|group| group.group.key == key)?;
        run.graph.nodes.shape.get(*group.nodes.last()? as usize)?.get(1).copied()
    };
    Some(heads("kr")? < heads("qr")?)
}

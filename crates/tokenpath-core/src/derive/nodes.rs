//! Derivations of the lens Graph nodes: every node, filtered, sorted and paged at 100,000 rows for each keystroke.
//!
//! Cost: one look at each node; no allocation for a row; of the sorted rows only the shown page is put in order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::search::{Needle, matching};
use super::times::NodeTimes;
use crate::fact::Missing;
use crate::label::LabelKind;
use crate::model::Run;

/// Which nodes are wanted. Conditions that are `None` or empty hold for all.
#[derive(Clone, Debug)]
pub struct Filter<'a> {
    /// Looked for in the name, operation, kernels and tensors.
    pub needle: Needle,
    /// The layer; `Some(None)` for the nodes of no layer.
    pub layer: Option<Option<u32>>,
    /// The operation, exactly.
    pub operation: Option<&'a str>,
    /// A kernel that it may run as.
    pub kernel: Option<u32>,
    /// The kind of label of its kernel mapping.
    pub label: Option<LabelKind>,
    /// The graph.
    pub graph: Option<u32>,
    /// Whether nodes that only rearrange are wanted too.
    pub views: bool,
}

impl Default for Filter<'_> {
    fn default() -> Self {
        Filter {
            needle: Needle::new(""),
            layer: None,
            operation: None,
            kernel: None,
            label: None,
            graph: None,
            views: true,
        }
    }
}

/// What the table is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Encode order.
    Index,
    /// The name.
    Name,
    /// The operation.
    Operation,
    /// The layer; nodes of none last.
    Layer,
    /// The position in its subgraph.
    Position,
    /// Bytes of the tensors it reads; unknown last.
    Bytes,
    /// Interval time in the chosen pass; untimed nodes last.
    Time,
}

/// A page of matching nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The nodes of the page in order.
    pub nodes: Vec<u32>,
    /// How many nodes match.
    pub matching: usize,
    /// How many of them are timed in the chosen pass.
    pub timed: usize,
    /// The sum of their times, in nanoseconds; `None` when a time covers several nodes, so that adding would count it
    /// more than once.
    pub sum: Option<i64>,
    /// How much work it was.
    pub work: Work,
}

/// Work done for a page, for tests that it does not grow faster than the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Nodes looked at.
    pub looked_at: usize,
    /// Comparisons of two nodes.
    pub compared: usize,
}

/// The position of each node in its subgraph, counting fused operations: where the operations that it stands for
/// begin. Without a `subgraph` column there is none.
///
/// # Errors
/// The bundle's reason when subgraphs are not known.
pub fn positions(run: &Run) -> Result<Vec<u32>, Missing> {
    let nodes = &run.graph.nodes;
    let rows = nodes.rows();
    if rows > 0 && nodes.subgraph.raw().is_empty() {
        return Err(run.missing("/graph/nodes/subgraph"));
    }
    let mut next: HashMap<(Option<u32>, Option<i64>), u32> = HashMap::new();
    let mut out = Vec::with_capacity(rows);
    for node in 0..rows {
        let at = next.entry((nodes.graph.get(node), nodes.subgraph.get(node))).or_insert(0);
        out.push(*at);
        // A node stands for one operation unless the bundle says that operations were fused.
        let fused = nodes.fused.get(node).and_then(|fused| u32::try_from(fused).ok()).unwrap_or(1);
        *at = at.saturating_add(fused);
    }
    Ok(out)
}

/// The page of matching nodes that starts at row `from` of the sorted ones.
pub fn page(
    run: &Run,
    filter: &Filter<'_>,
    key: Key,
    descending: bool,
    from: usize,
    length: usize,
    times: Option<&NodeTimes>,
) -> Page {
    let nodes = &run.graph.nodes;
    let kernels = matching(run.kernels.name.iter(), &filter.needle);
    let shorts = matching(run.kernels.short.iter(), &filter.needle);
    let tensors = matching(run.model.tensors.name.iter(), &filter.needle);
    let hit = |set: &[bool], list: Option<&[u32]>| {
        list.is_some_and(|list| list.iter().any(|at| set.get(*at as usize).copied().unwrap_or(false)))
    };
    let rows = u32::try_from(nodes.rows()).unwrap_or(u32::MAX);
    let mut found: Vec<u32> = Vec::new();
    let mut timed = 0;
    let mut sum = Some(0_i64);
    for node in 0..rows {
        let row = node as usize;
        if filter.graph.is_some() && nodes.graph.get(row) != filter.graph {
            continue;
        }
        if let Some(wanted) = filter.layer
            && nodes.layer.get(row) != wanted.map(i64::from)
        {
            continue;
        }
        if !filter.views && super::block::is_view(run, row) {
            continue;
        }
        if let Some(operation) = filter.operation
            && nodes.operation.get(row) != Some(operation)
        {
            continue;
        }
        let list = nodes.kernels.get(row);
        if let Some(kernel) = filter.kernel
            && !list.is_some_and(|list| list.contains(&kernel))
        {
            continue;
        }
        if let Some(wanted) = filter.label {
            let mapped = list.is_some_and(|list| !list.is_empty());
            let kind = nodes.label("kernels", row).map(|label| label.kind);
            if !mapped || kind != Some(wanted) {
                continue;
            }
        }
        let needle = &filter.needle;
        let text = needle.is_empty()
            || nodes.name.get(row).is_some_and(|name| needle.is_in(name))
            || nodes.operation.get(row).is_some_and(|operation| needle.is_in(operation))
            || hit(&kernels, list)
            || hit(&shorts, list)
            || hit(&tensors, nodes.tensors.get(row));
        if !text {
            continue;
        }
        if let Some(time) = times.and_then(|times| times.get(node)) {
            timed += 1;
            sum = sum.filter(|_| !time.shared).and_then(|sum| sum.checked_add(time.nanos));
        }
        found.push(node);
    }
    let matching = found.len();
    let mut work = Work { looked_at: rows as usize, compared: 0 };
    let nodes = ordered(run, found, key, descending, from, length, times, &mut work);
    Page { nodes, matching, timed, sum, work }
}

#[allow(clippy::too_many_arguments, reason = "one call; a struct would only rename the arguments of `page`")]
fn ordered(
    run: &Run,
    mut found: Vec<u32>,
    key: Key,
    descending: bool,
    from: usize,
    length: usize,
    times: Option<&NodeTimes>,
    work: &mut Work,
) -> Vec<u32> {
    let nodes = &run.graph.nodes;
    // Numbers are looked up once for each row; texts are compared where they stand. Missing ones sort last.
    let number = |value: Option<i64>| match value {
        Some(value) if descending => (false, value.saturating_neg()),
        Some(value) => (false, value),
        None => (true, 0),
    };
    let numbers: Vec<(bool, i64)> = match key {
        Key::Layer => (0..nodes.rows()).map(|row| number(nodes.layer.get(row))).collect(),
        Key::Position => {
            let positions = positions(run).unwrap_or_default();
            positions.iter().map(|at| number(Some(i64::from(*at)))).collect()
        }
        Key::Bytes => (0..nodes.rows()).map(|row| number(tensor_bytes(run, row))).collect(),
        Key::Time => (0..u32::try_from(nodes.rows()).unwrap_or(u32::MAX))
            .map(|node| number(times.and_then(|times| times.get(node)).map(|time| time.nanos)))
            .collect(),
        Key::Index | Key::Name | Key::Operation => Vec::new(),
    };
    let text = |a: Option<&str>, b: Option<&str>| match (a, b) {
        (Some(a), Some(b)) if descending => b.cmp(a),
        (Some(a), Some(b)) => a.cmp(b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    let mut compared = 0;
    let mut order = |a: &u32, b: &u32| -> Ordering {
        compared += 1;
        let (at, bt) = (*a as usize, *b as usize);
        let by_key = match key {
            Key::Index => Ordering::Equal,
            Key::Name => text(nodes.name.get(at), nodes.name.get(bt)),
            Key::Operation => text(nodes.operation.get(at), nodes.operation.get(bt)),
            _ => numbers.get(at).cmp(&numbers.get(bt)),
        };
        // Equal ones keep encode order.
        by_key.then(if key == Key::Index && descending { b.cmp(a) } else { a.cmp(b) })
    };
    let from = from.min(found.len());
    let to = from.saturating_add(length).min(found.len());
    // Encode order is the order in which they were found.
    if key != Key::Index || descending {
        if from > 0 && from < found.len() {
            found.select_nth_unstable_by(from, &mut order);
        }
        if let Some(rest) = found.get_mut(from..) {
            let shown = to - from;
            if shown > 0 && shown < rest.len() {
                rest.select_nth_unstable_by(shown - 1, &mut order);
            }
            if let Some(shown) = rest.get_mut(..shown) {
                shown.sort_unstable_by(&mut order);
            }
        }
    }
    work.compared = compared;
    found.get(from..to).unwrap_or(&[]).to_vec()
}

/// Bytes of the tensors that a node reads; `None` when one is unknown or it reads none.
pub fn tensor_bytes(run: &Run, row: usize) -> Option<i64> {
    let tensors = run.graph.nodes.tensors.get(row).filter(|tensors| !tensors.is_empty())?;
    let mut bytes = 0_i64;
    for tensor in tensors {
        bytes = bytes.checked_add(run.model.tensors.bytes.get(*tensor as usize)?)?;
    }
    Some(bytes)
}

/// The values that the table can be filtered by, with how many nodes have each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets<'a> {
    /// Operations, the most frequent first.
    pub operations: Vec<(&'a str, u32)>,
    /// Layers, ascending.
    pub layers: Vec<(u32, u32)>,
    /// Nodes of no layer.
    pub layerless: u32,
    /// Kernels, the most frequent first.
    pub kernels: Vec<(u32, u32)>,
    /// Kinds of label of kernel mappings.
    pub labels: Vec<(LabelKind, u32)>,
    /// Nodes that only rearrange.
    pub views: u32,
    /// Nodes that stand for several fused operations, and how many operations all nodes stand for.
    pub fused: (u32, u64),
}

/// Counts the values that the nodes have.
pub fn facets(run: &Run) -> Facets<'_> {
    let nodes = &run.graph.nodes;
    let mut out = Facets::default();
    let mut operations: HashMap<&str, u32> = HashMap::new();
    let mut layers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut kernels: HashMap<u32, u32> = HashMap::new();
    for row in 0..nodes.rows() {
        if let Some(operation) = nodes.operation.get(row) {
            *operations.entry(operation).or_insert(0) += 1;
        }
        match nodes.layer.get(row).and_then(|layer| u32::try_from(layer).ok()) {
            Some(layer) => *layers.entry(layer).or_insert(0) += 1,
            None => out.layerless += 1,
        }
        let list = nodes.kernels.get(row).unwrap_or(&[]);
        for kernel in list {
            *kernels.entry(*kernel).or_insert(0) += 1;
        }
        if !list.is_empty()
            && let Some(label) = nodes.label("kernels", row)
        {
            match out.labels.iter_mut().find(|(kind, _)| *kind == label.kind) {
                Some((_, count)) => *count += 1,
                None => out.labels.push((label.kind, 1)),
            }
        }
        out.views += u32::from(super::block::is_view(run, row));
        let fused = nodes.fused.get(row).unwrap_or(1);
        out.fused.0 += u32::from(fused > 1);
        out.fused.1 += u64::try_from(fused).unwrap_or(0);
    }
    out.operations = operations.into_iter().collect();
    out.operations.sort_by_key(|(operation, count)| (std::cmp::Reverse(*count), *operation));
    out.layers = layers.into_iter().collect();
    out.kernels = kernels.into_iter().collect();
    out.kernels.sort_by_key(|(kernel, count)| (std::cmp::Reverse(*count), *kernel));
    out
}

#[cfg(test)]
mod tests;

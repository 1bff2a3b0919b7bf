//! Weight bytes of one pass: those its graph names, and those it really addresses.
//!
//! A node that reads a matrix reads all of it. Two kinds of node do not: a lookup takes rows, and a product over
//! experts takes the experts that the router chose. A tensor that one node looks up and another reads whole (a tied
//! output head) counts whole. Views read nothing of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::derive::counted::{count, int, weakest};
use crate::derive::passes::cell_pointer;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::label::{Label, LabelKind};
use crate::model::Run;

/// The rule in words, as the formula of the addressed bytes states it.
const ADDRESSED: &str = "sum over the distinct weight tensors that the pass's nodes read: a lookup counts its rows, an \
                         expert tensor counts bytes × experts used ÷ experts, every other read counts the whole";

/// The rule in words for the bytes named.
const NAMED: &str = "sum of the bytes of the distinct weight tensors that the pass's nodes read";

/// Weight bytes of one pass.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightBytes {
    /// The pass.
    pub pass: u32,
    /// Bytes of the tensors that its graph's nodes name.
    pub named: Reading,
    /// Bytes of them that the pass addresses.
    pub addressed: Reading,
    /// Tensors of which only rows are looked up.
    pub looked_up: usize,
    /// Tensors of which only some experts are used.
    pub routed: usize,
}

/// How much of one tensor a pass reads.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Nothing itself: views hand the tensor on.
    Handed,
    Whole,
    /// So many rows of so many.
    Rows(i64, i64),
    /// These experts of so many.
    Experts(BTreeSet<i64>, i64),
    /// So many experts of so many; which ones is not known.
    ExpertCount(i64, i64),
}

/// The weight bytes of `pass`.
pub fn of_pass(run: &Run, pass: u32) -> WeightBytes {
    match read(run, pass) {
        Ok(tensors) => {
            let named = named(run, &tensors);
            let addressed = addressed(run, pass, &tensors);
            let holds =
                |test: fn(&Part) -> bool| tensors.parts.values().filter(|part| part.as_ref().is_ok_and(test)).count();
            WeightBytes {
                pass,
                named,
                addressed,
                looked_up: holds(|part| matches!(part, Part::Rows(..))),
                routed: holds(|part| matches!(part, Part::Experts(..) | Part::ExpertCount(..))),
            }
        }
        Err(missing) => {
            WeightBytes { pass, named: Err(missing.clone()), addressed: Err(missing), looked_up: 0, routed: 0 }
        }
    }
}

/// The weight bytes that `nodes` address in `pass`: those of one node, or of one interval that executed them. `via` is the
/// relation that led to the nodes, and an input where it is weaker than a computation.
///
/// # Errors
/// When they read no weight, with the bundle's answer; when a byte count or the part that is read is not known.
pub fn of_nodes(run: &Run, pass: u32, nodes: &[u32], via: Option<Fact>) -> Reading {
    let read = read_nodes(run, pass, nodes.iter().map(|node| *node as usize))?;
    if read.parts.is_empty() {
        let answer = nodes.iter().find_map(|node| run.graph.nodes.tensors_end.get(*node as usize));
        let text = answer.and_then(|end| run.traversal.ends.text.get(end as usize));
        return Err(match (text, nodes.first()) {
            (Some(text), _) => Missing { pointer: "/graph/nodes/tensors_end".to_owned(), reason: text.to_owned() },
            (None, Some(node)) => run.missing(&cell_pointer(run, "/graph/nodes/tensors", *node)),
            (None, None) => run.missing("/graph/nodes/tensors"),
        });
    }
    let decided = |label: Option<&Label>| label.is_none_or(|label| label.kind > LabelKind::Derived);
    let via = via.filter(|via| decided(Some(&via.label)));
    let by_rule = decided(weakest(&run.graph.nodes.labels, "tensors", read.nodes.iter().copied()));
    // One tensor that is read whole has its bytes, and nothing is computed or decided.
    if let Some((tensor, Ok(Part::Handed | Part::Whole))) = read.parts.iter().next()
        && read.parts.len() == 1
        && via.is_none()
        && !by_rule
    {
        let bytes = Quantity::Bytes(bytes_of(run, *tensor)?);
        let label = run.model.tensors.label("bytes", *tensor as usize);
        return Ok(Fact::stored(bytes, label, format!("/model/tensors/bytes/{tensor}")));
    }
    let known = addressed(run, pass, &read)?;
    let mut inputs = known.formula.map_or_else(Vec::new, |formula| formula.inputs);
    inputs.extend(via.map(|via| ("nodes that the interval executed".to_owned(), via)));
    Ok(Fact::derived(known.quantity, ADDRESSED, inputs))
}

struct Read {
    /// For each tensor how much of it is read, or what is missing to tell.
    parts: BTreeMap<u32, Result<Part, Missing>>,
    /// The nodes that name a tensor.
    nodes: Vec<usize>,
    /// Whether choices of a router, or a stated number of experts, decide a part.
    by_choice: bool,
    by_stated_number: bool,
}

fn read(run: &Run, pass: u32) -> Result<Read, Missing> {
    let graph = run
        .passes
        .rows
        .graph
        .get(pass as usize)
        .ok_or_else(|| run.missing(&cell_pointer(run, "/passes/rows/graph", pass)))?;
    let nodes = &run.graph.nodes;
    if !nodes.given {
        return Err(run.missing("/graph/nodes"));
    }
    read_nodes(run, pass, (0..nodes.rows()).filter(|node| nodes.graph.get(*node) == Some(graph)))
}

fn read_nodes(run: &Run, pass: u32, which: impl Iterator<Item = usize>) -> Result<Read, Missing> {
    let nodes = &run.graph.nodes;
    let choices = Choices::of(run, pass);
    let mut read = Read { parts: BTreeMap::new(), nodes: Vec::new(), by_choice: false, by_stated_number: false };
    for node in which {
        let Some(tensors) = nodes.tensors.get(node) else {
            if nodes.tensors_end.get(node).is_some() {
                continue;
            }
            let row = u32::try_from(node).unwrap_or(u32::MAX);
            return Err(run.missing(&cell_pointer(run, "/graph/nodes/tensors", row)));
        };
        if tensors.is_empty() {
            continue;
        }
        read.nodes.push(node);
        for tensor in tensors {
            let part = part_read(run, pass, node, *tensor, &choices);
            match &part {
                Ok(Part::Experts(..)) => read.by_choice = true,
                Ok(Part::ExpertCount(..)) => read.by_stated_number = true,
                _ => {}
            }
            // What reads a view's result decides.
            let view = nodes.view.get(node) == Some(1);
            match read.parts.get_mut(tensor) {
                Some(known) if !view => *known = merged(known.clone(), part),
                Some(_) => {}
                None if view => {
                    read.parts.insert(*tensor, Ok(Part::Handed));
                }
                None => {
                    read.parts.insert(*tensor, part);
                }
            }
        }
    }
    // Without a reader among the nodes that name it, all of the tensor is the safe answer.
    for part in read.parts.values_mut() {
        if *part == Ok(Part::Handed) {
            *part = Ok(Part::Whole);
        }
    }
    Ok(read)
}

/// Two reads of one tensor together.
fn merged(a: Result<Part, Missing>, b: Result<Part, Missing>) -> Result<Part, Missing> {
    match (a, b) {
        (Ok(Part::Handed), other) | (other, Ok(Part::Handed)) => other,
        (Ok(Part::Whole), _) | (_, Ok(Part::Whole)) => Ok(Part::Whole),
        (Ok(Part::Rows(a, of)), Ok(Part::Rows(b, _))) => Ok(Part::Rows(a.saturating_add(b).min(of), of)),
        (Ok(Part::Experts(mut a, of)), Ok(Part::Experts(b, _))) => {
            a.extend(b);
            Ok(Part::Experts(a, of))
        }
        (Ok(Part::ExpertCount(a, of)), Ok(Part::ExpertCount(b, _))) => Ok(Part::ExpertCount(a.max(b), of)),
        (Err(missing), _) | (_, Err(missing)) => Err(missing),
        // Different kinds of partial read of one tensor do not occur; if they do, all of it is the safe answer.
        _ => Ok(Part::Whole),
    }
}

fn is_lookup(operation: &str) -> bool {
    matches!(operation, "GET_ROWS" | "embedding" | "aten::embedding" | "Embedding" | "Gather" | "gather")
}

fn part_read(run: &Run, pass: u32, node: usize, tensor: u32, choices: &Choices) -> Result<Part, Missing> {
    let nodes = &run.graph.nodes;
    let tensors = &run.model.tensors;
    let operation = nodes.operation.get(node).unwrap_or("");
    let shape = tensors.shape.get(tensor as usize);
    let role = tensors.role.get(tensor as usize).unwrap_or("");
    if is_lookup(operation) {
        let Some(shape) = shape else { return Err(run.missing(&cell_pointer(run, "/model/tensors/shape", tensor))) };
        let of = product(shape.get(1..).unwrap_or(&[]));
        let rows = match nodes.shape.get(node) {
            Some(result) => product(result.get(1..).unwrap_or(&[])),
            None => run
                .passes
                .rows
                .tokens
                .get(pass as usize)
                .ok_or_else(|| run.missing(&cell_pointer(run, "/passes/rows/tokens", pass)))?,
        };
        return Ok(if rows >= of { Part::Whole } else { Part::Rows(rows, of) });
    }
    let routed = matches!(operation, "MUL_MAT_ID" | "ADD_ID") || role.starts_with("expert");
    if !routed {
        return Ok(Part::Whole);
    }
    let stated = parameter(run, "expert_count");
    let last = shape.and_then(|shape| shape.iter().rev().find(|size| **size != 1).copied());
    let of = match operation {
        "MUL_MAT_ID" => shape.and_then(|shape| shape.get(2).copied()).or(stated),
        "ADD_ID" => shape.and_then(|shape| shape.get(1).copied()).or(stated),
        _ => last.filter(|size| Some(*size) == stated),
    };
    let Some(of) = of.filter(|of| *of > 0) else {
        return Err(Missing {
            pointer: "/model/tensors/shape".to_owned(),
            reason: "How many experts the tensor holds is not stated, so neither is the part that is used.".to_owned(),
        });
    };
    if let Some(used) = choices.at(run, node) {
        return Ok(Part::Experts(used, of));
    }
    let one_token = run.passes.rows.tokens.get(pass as usize) == Some(1);
    match parameter(run, "expert_used_count").filter(|used| one_token && *used <= of) {
        Some(used) => Ok(Part::ExpertCount(used, of)),
        None => {
            let mut missing = run.missing("/graph/choices");
            if run.absence("/graph/choices").is_none() {
                missing.reason = "Which experts the router chose in this pass is not recorded.".to_owned();
            }
            Err(missing)
        }
    }
}

fn product(sizes: &[i64]) -> i64 {
    sizes.iter().copied().fold(1, i64::saturating_mul)
}

/// A stated parameter of the architecture.
pub fn parameter(run: &Run, name: &str) -> Option<i64> {
    let parameters = &run.model.parameters;
    let row = parameters.name.iter().position(|known| known == Some(name))?;
    parameters.value.get(row)
}

/// The experts chosen in one pass, by router node and by layer.
struct Choices {
    by_node: BTreeMap<u32, BTreeSet<i64>>,
    by_layer: BTreeMap<i64, BTreeSet<i64>>,
}

impl Choices {
    fn of(run: &Run, pass: u32) -> Choices {
        let table = &run.graph.choices;
        let mut choices = Choices { by_node: BTreeMap::new(), by_layer: BTreeMap::new() };
        for row in (0..table.rows()).filter(|row| table.pass.get(*row) == Some(pass)) {
            let (Some(node), Some(experts)) = (table.node.get(row), table.experts.get(row)) else { continue };
            choices.by_node.entry(node).or_default().extend(experts);
            if let Some(layer) = run.graph.nodes.layer.get(node as usize) {
                choices.by_layer.entry(layer).or_default().extend(experts);
            }
        }
        choices
    }

    /// The experts a node uses: those of the router node it takes, else those of its layer.
    fn at(&self, run: &Run, node: usize) -> Option<BTreeSet<i64>> {
        let sources = run.graph.nodes.sources.get(node).unwrap_or(&[]);
        if let Some(chosen) = sources.iter().find_map(|source| self.by_node.get(source)) {
            return Some(chosen.clone());
        }
        self.by_layer.get(&run.graph.nodes.layer.get(node)?).cloned()
    }
}

fn bytes_of(run: &Run, tensor: u32) -> Result<i64, Missing> {
    let bytes = run.model.tensors.bytes.get(tensor as usize);
    bytes.ok_or_else(|| run.missing(&cell_pointer(run, "/model/tensors/bytes", tensor)))
}

fn too_large() -> Missing {
    Missing {
        pointer: "/model/tensors/bytes".to_owned(),
        reason: "The tensors' bytes add up to more than 64 bits hold.".to_owned(),
    }
}

fn inputs(run: &Run, read: &Read) -> Vec<(String, Fact)> {
    let tensors: Vec<usize> = read.parts.keys().map(|tensor| *tensor as usize).collect();
    let nodes = &run.graph.nodes;
    vec![
        (
            "distinct weight tensors, by their bytes".to_owned(),
            count(&run.model.tensors.labels, "bytes", "/model/tensors/bytes", &tensors),
        ),
        ("nodes that read them".to_owned(), count(&nodes.labels, "tensors", "/graph/nodes/tensors", &read.nodes)),
    ]
}

fn named(run: &Run, read: &Read) -> Reading {
    let mut total = 0_i64;
    for tensor in read.parts.keys() {
        total = total.checked_add(bytes_of(run, *tensor)?).ok_or_else(too_large)?;
    }
    Ok(Fact::derived(Quantity::Bytes(total), NAMED, inputs(run, read)))
}

fn addressed(run: &Run, pass: u32, read: &Read) -> Reading {
    let mut total = 0_i64;
    for (tensor, part) in &read.parts {
        let bytes = bytes_of(run, *tensor)?;
        let part = match part.as_ref().map_err(Clone::clone)? {
            Part::Handed | Part::Whole => bytes,
            Part::Rows(rows, of) => share(bytes, *rows, *of),
            Part::Experts(used, of) => share(bytes, int(used.len()), *of),
            Part::ExpertCount(used, of) => share(bytes, *used, *of),
        };
        total = total.checked_add(part).ok_or_else(too_large)?;
    }
    let mut inputs = inputs(run, read);
    if read.by_choice {
        let table = &run.graph.choices;
        let rows: Vec<usize> = (0..table.rows()).filter(|row| table.pass.get(*row) == Some(pass)).collect();
        inputs.push((
            "choices of the router in this pass".to_owned(),
            count(&table.labels, "experts", "/graph/choices", &rows),
        ));
    }
    if read.by_stated_number {
        let parameters = &run.model.parameters;
        let used = parameter(run, "expert_used_count").unwrap_or(0);
        let label: Option<&Label> = weakest(&parameters.labels, "value", 0..parameters.rows());
        inputs.push((
            "experts used for a token, as the model states".to_owned(),
            Fact::stored(Quantity::Count(used), label, "/model/parameters"),
        ));
    }
    Ok(Fact::derived(Quantity::Bytes(total), ADDRESSED, inputs))
}

/// `bytes` × `part` ÷ `whole`, rounded down.
fn share(bytes: i64, part: i64, whole: i64) -> i64 {
    if whole <= 0 {
        return bytes;
    }
    let value = i128::from(bytes) * i128::from(part.clamp(0, whole)) / i128::from(whole);
    i64::try_from(value).unwrap_or(bytes)
}

//! The preload recorder's NDJSON: graphs once, and per pass start, return, synchronisation; in node mode spans and experts.
//!
//! Lines: `{"k":"start",…}`, `{"k":"graph","id":…,"nodes":[…]}`, `{"k":"experts","node":…,"ids":[…]}` before the pass they
//! belong to, `{"k":"pass","graph":…,"t0":…,"returned":…,"synced":…,"spans":[…]}`. Spans are pairs of nanoseconds after
//! `t0`, one pair for each node. Sources have names only; the index of a source is inferred.

use std::collections::HashMap;

use serde::Deserialize;
use tokenpath_core::Label;

use super::capture::{Fault, by_token};
use super::recording::{Execution, Graph, Pass, PassKind, Recording, Timing};
use super::topology::{Node, Origin, Source, Topology, trimmed};
use crate::gguf::types::by_name;

/// Recordings larger than this are refused: the whole file is held while it is read.
pub const MAX_BYTES: u64 = 512 << 20;

/// Passes recorded node by node.
pub const NODES: Execution = Execution {
    name: "node by node (preloaded callback)",
    text: "The recorder sets an evaluation callback in an unmodified server: the scheduler runs one node at a time and \
           waits for it, so nothing is fused and nothing overlaps.",
    interval_kind: Some("node"),
};

/// Passes recorded as a whole.
pub const GRAPHS: Execution = Execution {
    name: "whole graph (preloaded hooks)",
    text: "The recorder notes when the server's call to compute a graph begins, returns and is synchronised; within the \
           graph nothing is recorded and nothing changed.",
    interval_kind: None,
};

/// Passes before the request, recorded node by node.
pub const NODES_BEFORE: Execution = Execution {
    name: "before the request, node by node (preloaded callback)",
    text: "Passes that began before the request was sent: the server's warm-up. They serve no token of the request.",
    interval_kind: Some("node"),
};

/// Passes before the request, recorded as a whole.
pub const GRAPHS_BEFORE: Execution = Execution {
    name: "before the request, whole graph (preloaded hooks)",
    text: "Passes that began before the request was sent: the server's warm-up. They serve no token of the request.",
    interval_kind: None,
};

/// Passes after the end of the stream.
pub const AFTER: Execution = Execution {
    name: "after the stream's end",
    text: "Passes that began after the client saw the end of the stream. They serve no token of the request.",
    interval_kind: None,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    k: Option<String>,
    layout_ok: Option<bool>,
    id: Option<i64>,
    n: Option<i64>,
    splits: Option<i64>,
    nodes: Vec<RawNode>,
    node: Option<i64>,
    ids: Vec<Vec<i64>>,
    graph: Option<i64>,
    t0: Option<i64>,
    returned: Option<i64>,
    synced: Option<i64>,
    spans: Vec<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawNode {
    name: String,
    op: String,
    desc: Option<String>,
    #[serde(rename = "type")]
    dtype: String,
    ne: Vec<i64>,
    backend: Option<String>,
    src: Vec<RawSource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawSource {
    name: String,
    w: i64,
    #[serde(rename = "type")]
    dtype: String,
    ne: Vec<i64>,
    bytes: Option<i64>,
    buf: Option<String>,
}

/// Reads a recording.
///
/// # Errors
/// When no pass was recorded, or the recorder says that it did not know the runtime's structures.
pub fn read(bytes: &[u8]) -> Result<Recording, Fault> {
    let mut out = Recording {
        clock: Some("CLOCK_MONOTONIC".to_owned()),
        classification: "Rule tokens-in-pass: a pass whose graph takes in one token is a decode pass, any other a prefill.",
        kind_label: Some(Label::inferred("tokens-in-pass")),
        tool: "preload recorder".to_owned(),
        ..Recording::default()
    };
    let mut ids: HashMap<i64, (u32, Option<i64>)> = HashMap::new();
    let mut experts: Vec<(i64, Vec<Vec<i64>>)> = Vec::new();
    let (mut broken, mut graphless, mut disordered, mut partial) = (0, 0, 0, 0);
    let mut before = 0;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            broken += 1;
            continue;
        };
        let place = format!("line {}", number + 1);
        match line.k.as_deref() {
            Some("start") => {
                if line.layout_ok == Some(false) {
                    let what = "the recorder did not know this runtime's structures, so what follows cannot be trusted";
                    return Err(Fault::new(place, what));
                }
            }
            Some("graph") => {
                let (Some(id), false) = (line.id, line.nodes.is_empty()) else {
                    broken += 1;
                    continue;
                };
                if line.n.is_some_and(|stated| usize::try_from(stated) != Ok(line.nodes.len())) {
                    return Err(Fault::new(
                        place,
                        format!("the graph states {} nodes and lists {}", line.n.unwrap_or(0), line.nodes.len()),
                    ));
                }
                let topology = topology(&line.nodes, line.splits);
                let tokens = tokens(&topology);
                let kind = tokens.map(|tokens| if tokens == 1 { PassKind::Decode } else { PassKind::Prefill });
                let name = match tokens {
                    Some(1) => format!("graph {id} (1 token)"),
                    Some(tokens) => format!("graph {id} ({tokens} tokens)"),
                    None => format!("graph {id}"),
                };
                ids.insert(id, (u32::try_from(out.graphs.len()).unwrap_or(u32::MAX), tokens));
                out.graphs.push(Graph { name, kind, topology });
            }
            Some("experts") => {
                if let Some(node) = line.node {
                    experts.push((node, line.ids));
                }
            }
            Some("pass") => {
                let chosen = std::mem::take(&mut experts);
                let Some((graph, tokens)) = line.graph.and_then(|id| ids.get(&id)).copied() else {
                    graphless += 1;
                    continue;
                };
                let Some(start) = line.t0.filter(|start| *start >= before) else {
                    disordered += 1;
                    continue;
                };
                before = start;
                let Some(topology) = out.graphs.get(graph as usize).map(|graph| &graph.topology) else { continue };
                let count = topology.nodes.len();
                let timing = spans(start, &line.spans, count, &mut partial);
                let mut choices = Vec::new();
                for (node, mut lists) in chosen {
                    lists.retain(|experts| experts.iter().all(|expert| *expert >= 0));
                    if let Ok(node) = u32::try_from(node)
                        && (node as usize) < count
                    {
                        choices.extend(by_token(node, lists, tokens));
                    }
                }
                let later = |time: Option<i64>| time.filter(|time| *time >= start);
                let end = later(line.synced).or(later(line.returned));
                out.passes.push(Pass {
                    kind: out.graphs.get(graph as usize).and_then(|graph| graph.kind),
                    start,
                    returned: later(line.returned),
                    end,
                    last: end,
                    tokens,
                    graph: Some(graph),
                    timing,
                    choices,
                    ..Pass::default()
                });
            }
            _ => broken += 1,
        }
    }
    if out.passes.is_empty() {
        return Err(Fault::new("the end of the file", "no pass was recorded"));
    }
    let timed = out.passes.iter().any(|pass| pass.timing != Timing::None);
    out.executions.push(if timed { NODES } else { GRAPHS });
    let mut leave = |what: &str, count: i64, reason: &str| {
        if count > 0 {
            out.left_out.push((what.to_owned(), count, reason.to_owned()));
        }
    };
    leave("lines", broken, "They are no JSON of a kind that the recorder writes.");
    leave("passes", graphless, "They name a graph that was not recorded before them.");
    leave("passes", disordered, "They have no start, or one before that of the pass above them.");
    leave("times within passes", partial, "They are not one pair, end not before start, for each node of the graph.");
    Ok(out)
}

/// Tokens that a graph takes in: the second size of what the token embedding's look-up gives.
fn tokens(topology: &Topology) -> Option<i64> {
    let lookup = topology.nodes.iter().find(|node| {
        node.operation == "GET_ROWS" && node.weights().any(|weight| weight.name.starts_with("token_embd"))
    })?;
    Some(lookup.shape.get(1).copied().unwrap_or(1))
}

fn spans(start: i64, pairs: &[i64], nodes: usize, partial: &mut i64) -> Timing {
    if pairs.is_empty() {
        return Timing::None;
    }
    let mut out = Vec::with_capacity(nodes);
    for pair in pairs.chunks_exact(2) {
        if let [from, to] = pair
            && *from >= 0
            && from <= to
            && let (Some(from), Some(to)) = (start.checked_add(*from), start.checked_add(*to))
        {
            out.push((from, to));
        }
    }
    if pairs.len() != nodes * 2 || out.len() != nodes {
        *partial += 1;
        return Timing::None;
    }
    Timing::Nodes(out)
}

fn topology(nodes: &[RawNode], splits: Option<i64>) -> Topology {
    let mut out = Topology { nodes: Vec::with_capacity(nodes.len()), splits };
    let mut named: HashMap<&str, Vec<u32>> = HashMap::new();
    let mut used = vec![false; nodes.len()];
    for (index, node) in (0_u32..).zip(nodes) {
        let mut sources = Vec::with_capacity(node.src.len());
        for source in &node.src {
            let origin = if source.w != 0 {
                Origin::Weight
            } else if let Some(from) = producer(source, &named, nodes, &used) {
                if let Some(used) = used.get_mut(from as usize) {
                    *used = true;
                }
                Origin::Node(from)
            } else if source.name.starts_with("cache_") {
                Origin::State
            } else {
                Origin::Input
            };
            sources.push(Source {
                name: source.name.clone(),
                origin,
                dtype: source.dtype.clone(),
                shape: if source.ne.is_empty() { Vec::new() } else { trimmed(&source.ne) },
                bytes: source.bytes.filter(|bytes| *bytes >= 0),
                buffer: source.buf.clone(),
            });
        }
        out.nodes.push(Node {
            name: node.name.clone(),
            operation: node.op.clone(),
            detail: node.desc.clone().unwrap_or_else(|| node.op.clone()),
            dtype: node.dtype.clone(),
            shape: trimmed(&node.ne),
            buffer: node.backend.clone(),
            sources,
        });
        named.entry(&node.name).or_default().push(index);
    }
    out
}

/// So many nodes of one name are looked through, from the latest back; graphs of real models have up to a dozen.
const LOOKED_THROUGH: usize = 64;

/// Rule `source-by-name`: of the nodes before that have the source's name, type and size, the oldest whose result nothing
/// has taken yet, else the latest. Captures by the evaluation callback, which give indices, agree with it on every
/// operand of the four models it was tried on.
fn producer(source: &RawSource, named: &HashMap<&str, Vec<u32>>, nodes: &[RawNode], used: &[bool]) -> Option<u32> {
    let fits = |index: &&u32| {
        nodes.get(**index as usize).is_some_and(|node| {
            node.dtype == source.dtype && source.bytes.zip(bytes(node)).is_none_or(|(one, other)| one == other)
        })
    };
    let recent = named.get(source.name.as_str())?;
    let recent = recent.get(recent.len().saturating_sub(LOOKED_THROUGH)..).unwrap_or(recent);
    let mut candidates = recent.iter().filter(fits);
    candidates
        .clone()
        .find(|index| used.get(**index as usize) == Some(&false))
        .or_else(|| candidates.next_back())
        .copied()
}

/// Bytes of a node's result, where its type and sizes tell.
fn bytes(node: &RawNode) -> Option<i64> {
    let sizes: Option<Vec<u64>> = node.ne.iter().map(|size| u64::try_from(*size).ok()).collect();
    i64::try_from(by_name(&node.dtype)?.size(&sizes?)?).ok()
}

//! A capture by the evaluation callback: every node of every pass with its start and end.
//!
//! The scheduler asks the callback before each node and calls it after; with it, nodes run one at a time and nothing is
//! fused. `spec/` documents the JSON.

use std::collections::HashMap;

use tokenpath_core::Label;

use super::raw::{RawCapture, RawNode, RawPass};
use super::recording::{Execution, Graph, Pass, PassKind, Recording, Timing};
use super::topology::{Node, Origin, Source, Topology, trimmed};
use super::{log, stamps};

/// Captures larger than this are refused: the whole document is held while it is read.
pub const MAX_BYTES: u64 = 512 << 20;

/// Nodes with values that name chosen experts.
pub(super) const CHOICE_NAME: &str = "ffn_moe_topk";

/// How its passes are executed.
pub const EXECUTION: Execution = Execution {
    name: "node by node (evaluation callback)",
    text: "The scheduler runs one node at a time and waits for it, then calls back: nothing is fused, nothing overlaps, \
           and each node pays the callback, a microsecond or so. Between two passes the recorder copies what it saw, so \
           a period is longer than the pass in it.",
    interval_kind: Some("node"),
};

/// What is wrong with a capture, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: line and column, or a pass and a node.
    pub place: String,
    /// What.
    pub what: String,
}

impl Fault {
    pub(super) fn new(place: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { place: place.into(), what: what.into() }
    }
}

/// Reads a capture by evaluation callback or by stamps; which one, its own mode says.
///
/// # Errors
/// When it is no JSON of this shape, or has no pass.
pub fn read(bytes: &[u8]) -> Result<Recording, Fault> {
    let raw: RawCapture = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(format!("line {}, column {}", error.line(), error.column()), error.to_string()))?;
    if raw.passes.is_empty() {
        return Err(Fault::new("passes", "the capture has no pass"));
    }
    if raw.mode.as_deref() == Some("abort") { stamps::recording(raw) } else { recording(raw) }
}

fn recording(raw: RawCapture) -> Result<Recording, Fault> {
    let mut out = common(&raw);
    out.executions.push(EXECUTION);
    let splits = log::splits(&raw.logs);
    let mut other_sizes = 0;
    // By fingerprint, so that many passes of many graphs are not compared each with each.
    let mut by_shape: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, pass) in raw.passes.into_iter().enumerate() {
        let place = format!("pass {index}");
        let mut built = base(&pass, &place)?;
        if pass.nodes.is_empty() {
            return Err(Fault::new(place, "the pass has no nodes"));
        }
        let mut spans = Vec::with_capacity(pass.nodes.len());
        for (row, node) in pass.nodes.iter().enumerate() {
            match (node.t0, node.t1) {
                (Some(start), Some(end)) if start >= 0 && end >= start => spans.push((start, end)),
                (Some(start), Some(_)) if start < 0 => {
                    return Err(Fault::new(
                        format!("{place}, node {row}"),
                        format!("the start at {start} ns is below zero"),
                    ));
                }
                (Some(start), Some(end)) => {
                    return Err(Fault::new(
                        format!("{place}, node {row}"),
                        format!("the end at {end} ns lies before the start at {start} ns"),
                    ));
                }
                _ => return Err(Fault::new(format!("{place}, node {row}"), "a node without start and end")),
            }
        }
        built.choices = choices(&pass);
        let topology = topology(&pass.nodes, splits, &place)?;
        let shape = topology.fingerprint();
        let known = by_shape.get(&shape).and_then(|candidates: &Vec<usize>| {
            candidates.iter().copied().find(|candidate| {
                out.graphs
                    .get(*candidate)
                    .is_some_and(|graph| graph.kind == built.kind && graph.topology.same_but_for_sizes(&topology))
            })
        });
        let graph = match known {
            Some(known) => {
                other_sizes += i64::from(out.graphs.get(known).is_some_and(|graph| graph.topology != topology));
                known
            }
            None => {
                let number = out.graphs.len();
                let name = match built.kind {
                    Some(kind) => format!("{} graph", kind.word()),
                    None => format!("graph {number}"),
                };
                out.graphs.push(Graph { name, kind: built.kind, topology });
                by_shape.entry(shape).or_default().push(number);
                number
            }
        };
        built.graph = u32::try_from(graph).ok();
        built.timing = Timing::Nodes(spans);
        built.execution = 0;
        out.passes.push(built);
    }
    if other_sizes > 0 {
        out.left_out.push((
            "sizes of results in later passes".to_owned(),
            other_sizes,
            "A graph is stored once, with the sizes of its first pass; in so many later passes some sizes differ."
                .to_owned(),
        ));
    }
    finish(&mut out);
    Ok(out)
}

/// What both kinds of capture state of themselves.
pub(super) fn common(raw: &RawCapture) -> Recording {
    let mut conditions = Vec::new();
    if let Some(load) = &raw.loadavg_at_start
        && let &[one, five, fifteen] = load.as_slice()
    {
        conditions.push(format!(
            "Load average at the start of the recording by {}: {one:.2} (1 minute), {five:.2} (5), {fifteen:.2} (15).",
            if raw.mode.as_deref() == Some("abort") { "stamps" } else { "the evaluation callback" }
        ));
    }
    if let Some(info) = &raw.system_info {
        conditions.push(format!("The runtime's own line on the machine: {}", info.trim().trim_end_matches('|').trim()));
    }
    let counted = |value: Option<i64>| value.filter(|value| *value >= 0);
    let steps = raw.passes.iter().rev().find_map(|pass| pass.perf.as_ref()?.n_eval);
    let metadata = log::metadata(&raw.logs);
    Recording {
        tool: raw.tool.clone().unwrap_or_default(),
        model: raw.model.clone(),
        architecture: raw.arch.clone(),
        tensor_bytes: counted(raw.model_bytes),
        parameters: counted(raw.params),
        layers: counted(raw.n_layer),
        embedding_length: counted(raw.n_embd),
        runtime_version: raw.llama_cpp_python.as_ref().map(|version| format!("llama-cpp-python {version}")),
        cpu: raw.cpu.clone(),
        threads: counted(raw.threads),
        conditions,
        clock: raw.clock.clone(),
        classification: "The recorder calls the decode function itself and says of each call whether it passed the \
                         prompt or one generated token.",
        kind_label: Some(Label::reported("the recorder")),
        // The runtime's counter is at least 1 even before the first decode pass.
        runtime_decode_steps: counted(steps)
            .filter(|_| raw.passes.iter().any(|pass| pass.kind.as_deref() == Some("decode"))),
        metadata,
        ..Recording::default()
    }
}

/// A pass without its graph and times within.
pub(super) fn base(pass: &RawPass, place: &str) -> Result<Pass, Fault> {
    let Some(start) = pass.t_begin.filter(|start| *start >= 0) else {
        return Err(Fault::new(place, "a pass without t_begin, the start of the decode call"));
    };
    let after = |time: Option<i64>, what: &str| match time {
        Some(time) if time < start => {
            Err(Fault::new(place, format!("{what} at {time} ns lies before t_begin at {start} ns")))
        }
        time => Ok(time),
    };
    let returned = after(pass.t_decode_returned, "t_decode_returned")?;
    let end = after(pass.t_logits, "t_logits")?.or(returned);
    Ok(Pass {
        kind: pass.kind.as_deref().and_then(PassKind::from_word),
        start,
        returned,
        end,
        last: after(pass.t_sampled, "t_sampled")?.or(end),
        tokens: pass.n_tokens.filter(|tokens| *tokens >= 0),
        token_ids: pass.tokens.clone(),
        position: pass.pos.filter(|position| *position >= 0),
        token_text: pass.sampled_piece.clone(),
        cpu_time: pass.cpu_ns.filter(|time| *time >= 0),
        ..Pass::default()
    })
}

/// Orders passes and notes the time between them.
pub(super) fn finish(recording: &mut Recording) {
    const BETWEEN_CALLS: &str =
        "Between two calls of the decode function the recorder does not record: sampling, and its own work.";
    const BETWEEN_RECORDINGS: &str = "Between two recordings of the same prompt nothing was recorded.";
    recording.passes.sort_by_key(|pass| pass.start);
    recording.unrecorded.clear();
    let ends: Vec<(i64, Option<i64>, u32)> =
        recording.passes.iter().map(|pass| (pass.start, pass.end.or(pass.returned), pass.execution)).collect();
    for pair in ends.windows(2) {
        if let [(_, Some(end), before), (next, _, after)] = pair
            && end < next
        {
            let why = if before == after { BETWEEN_CALLS } else { BETWEEN_RECORDINGS };
            recording.unrecorded.push((*end, *next, why));
        }
    }
}

fn topology(nodes: &[RawNode], splits: Option<i64>, place: &str) -> Result<Topology, Fault> {
    let mut out = Topology { nodes: Vec::with_capacity(nodes.len()), splits };
    for (row, node) in nodes.iter().enumerate() {
        let mut sources = Vec::with_capacity(node.src.len());
        for source in &node.src {
            let origin = match (source.node, source.kind.as_deref()) {
                (Some(from), _) => match u32::try_from(from) {
                    Ok(from) if (from as usize) < row => Origin::Node(from),
                    _ => {
                        return Err(Fault::new(
                            format!("{place}, node {row}"),
                            format!("it takes the result of node {from}, which does not come before it"),
                        ));
                    }
                },
                (None, Some("weight")) => Origin::Weight,
                (None, Some("state")) => Origin::State,
                (None, _) => Origin::Input,
            };
            sources.push(Source {
                name: source.name.clone(),
                origin,
                dtype: source.dtype.clone(),
                shape: trimmed(&source.ne),
                bytes: source.nbytes.filter(|bytes| *bytes >= 0),
                buffer: source.buffer.clone(),
            });
        }
        out.nodes.push(Node {
            name: node.name.clone(),
            operation: node.op.clone(),
            detail: node.desc.clone().unwrap_or_else(|| node.op.clone()),
            dtype: node.dtype.clone(),
            shape: trimmed(&node.ne),
            buffer: node.buffer.clone(),
            sources,
        });
    }
    Ok(out)
}

/// The experts that the router chose, from the values of the choice nodes: a list for each token.
fn choices(pass: &RawPass) -> Vec<(u32, i64, Vec<i64>)> {
    let mut out = Vec::new();
    for (row, node) in (0_u32..).zip(&pass.nodes) {
        if !node.name.starts_with(CHOICE_NAME) {
            continue;
        }
        let Some(lists) = node.value.as_ref().and_then(serde_json::Value::as_array) else { continue };
        let lists: Vec<Vec<i64>> = lists
            .iter()
            .filter_map(|list| {
                list.as_array()?.iter().map(|expert| expert.as_i64().filter(|expert| *expert >= 0)).collect()
            })
            .collect();
        out.extend(by_token(row, lists, pass.n_tokens));
    }
    out
}

/// Numbers the lists of one choice node by token. A node that has fewer lists than the pass has tokens works for the last
/// of them only: llama.cpp drops the others before the last layer's experts.
pub(super) fn by_token(node: u32, lists: Vec<Vec<i64>>, tokens: Option<i64>) -> Vec<(u32, i64, Vec<i64>)> {
    let count = i64::try_from(lists.len()).unwrap_or(i64::MAX);
    let first = tokens.map_or(0, |tokens| (tokens - count).max(0));
    (0..count).zip(lists).map(|(index, experts)| (node, first.saturating_add(index), experts)).collect()
}

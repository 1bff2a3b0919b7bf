//! A recording as a run: identity, passes, graph and kernels; the timeline is built in [`super::intervals`].

use std::collections::BTreeMap;

use tokenpath_core::column::Ints;
use tokenpath_core::model::{
    Choices, Classification, Executions, Graph, Graphs, Kernels, PassRows, Passes, Traversal, Weights,
};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use super::ends::End;
use super::identity::{backend, identity};
use super::intervals::timeline;
use super::kernels;
use super::model;
use super::nodes::nodes;
use super::recording::{PassKind, Recording};
use crate::absent::Absences;
use crate::gguf;

/// What one recorder is, and what holds for every capture by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorder {
    /// The instrument's name.
    pub(crate) name: &'static str,
    /// Who reports what the callback or hook sees, for labels.
    pub(crate) reporter: &'static str,
    /// Whether sources of nodes are given by index.
    pub(crate) sources_by_index: bool,
    /// The statements.
    pub(crate) statement: &'static [&'static str],
    /// Why there is no wall-clock time.
    pub(crate) no_wall_time: &'static str,
    /// Why there is no request.
    pub(crate) no_request: (ReasonCode, &'static str),
    /// Where the backend is known from.
    pub(crate) backend: fn() -> Label,
    /// What one submission is.
    pub(crate) submission: &'static str,
}

/// What a run is built from besides the recording.
pub(crate) struct Shared<'a> {
    pub(crate) keep_text: bool,
    pub(crate) recorder: Recorder,
    /// The model file: its name and header.
    pub(crate) gguf: Option<(&'a str, &'a gguf::Model)>,
}

/// End rows, numbered as they are first used.
#[derive(Default)]
pub(super) struct Ends(Vec<End>);

impl Ends {
    pub(super) fn row(&mut self, end: End) -> u32 {
        let at = self.0.iter().position(|known| known.code == end.code).unwrap_or_else(|| {
            self.0.push(end);
            self.0.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }
}

/// Kernel rows, numbered as they are first named.
#[derive(Default)]
pub(super) struct KernelNames {
    names: Vec<String>,
    rows: BTreeMap<String, u32>,
}

impl KernelNames {
    pub(super) fn row(&mut self, name: String) -> u32 {
        if let Some(row) = self.rows.get(&name) {
            return *row;
        }
        let row = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone());
        self.rows.insert(name, row);
        row
    }
}

/// Builds the run.
pub(crate) fn run(recording: &Recording, shared: &Shared<'_>) -> Run {
    let mut absent = Absences::default();
    let mut ends = Ends::default();
    let mut names = KernelNames::default();
    let clock = recording.clock.as_deref().map_or("CLOCK_MONOTONIC", |clock| clock.trim_end_matches(" ns")).to_owned();
    let backend = backend(recording);
    let identity = identity(recording, shared, backend.as_deref(), &clock, &mut absent);
    let model = model_section(recording, shared, &mut absent, &mut ends);
    let graph = graph(recording, shared, &mut absent, &mut ends, &mut names);
    let offsets = node_offsets(recording);
    let timeline = timeline(
        recording,
        shared,
        &clock,
        backend.as_deref(),
        &offsets,
        &mut absent,
        &mut |end| ends.row(end),
        &mut |name| names.row(name),
    );
    let passes = passes(recording, shared, &clock, &mut absent);
    let kernels = if names.names.is_empty() {
        let reason = "The stamps name neither nodes nor kernels; a capture by the evaluation callback of the same model \
                      and prompt would.";
        absent.add("/kernels", ReasonCode::NotSupplied, reason);
        Kernels::default()
    } else {
        Kernels {
            given: true,
            name: names.names.iter().map(String::as_str).collect(),
            labels: Labels::all(Label::inferred(kernels::RULE)),
            ..Kernels::default()
        }
    };
    absent.add("/request", shared.recorder.no_request.0, shared.recorder.no_request.1);
    absent.add(
        "/instruments",
        ReasonCode::NotRecorded,
        "The recorder does not sample memory, storage or caches during the run.",
    );
    Run {
        identity,
        passes,
        model,
        graph,
        kernels,
        timeline,
        traversal: Traversal {
            given: true,
            ends: tokenpath_core::model::Ends {
                given: true,
                code: ends.0.iter().map(|end| end.code).collect(),
                text: ends.0.iter().map(|end| end.text).collect(),
                labels: Labels::all(Label::inferred("the importer's rules")),
                ..Default::default()
            },
            ..Traversal::default()
        },
        absent: absent.into_list(),
        ..Run::default()
    }
}

/// The first row of each graph's nodes in the table of nodes.
pub(super) fn node_offsets(recording: &Recording) -> Vec<u32> {
    let mut offset = 0_u32;
    let mut offsets = Vec::with_capacity(recording.graphs.len());
    for graph in &recording.graphs {
        offsets.push(offset);
        offset = offset.saturating_add(u32::try_from(graph.topology.nodes.len()).unwrap_or(u32::MAX));
    }
    offsets
}

fn model_section(recording: &Recording, shared: &Shared<'_>, absent: &mut Absences, ends: &mut Ends) -> Weights {
    let mut row = |end| ends.row(end);
    if let Some((name, file)) = shared.gguf {
        let mut section = gguf::section(file, name, absent, &mut row);
        let (list, index) = model::weights(recording);
        let buffers: BTreeMap<&str, &str> =
            index.iter().filter_map(|(name, at)| Some((*name, list.get(*at as usize)?.buffer.as_deref()?))).collect();
        section.tensors.buffer = section.tensors.name.iter().map(|name| buffers.get(name?).copied()).collect();
        section.tensors.labels =
            std::mem::take(&mut section.tensors.labels).with("buffer", Label::reported(shared.recorder.reporter));
        return section;
    }
    match model::section(recording, shared.recorder.reporter, absent, &mut row) {
        Some(section) => section,
        None => {
            let reason = "The recording names no weights, and the model file was not given.";
            absent.add("/model", ReasonCode::NotSupplied, reason);
            Weights::default()
        }
    }
}

fn graph(
    recording: &Recording,
    shared: &Shared<'_>,
    absent: &mut Absences,
    ends: &mut Ends,
    names: &mut KernelNames,
) -> Graph {
    if recording.graphs.is_empty() {
        let reason = "Stamps name no nodes; a capture by the evaluation callback of the same model and prompt would.";
        absent.add("/graph", ReasonCode::NotSupplied, reason);
        return Graph::default();
    }
    let reported = Label::reported(shared.recorder.reporter);
    let kinds = recording.graphs.iter().map(|graph| graph.kind.map(PassKind::word));
    if recording.graphs.iter().any(|graph| graph.kind.is_none()) {
        let reason = "The recorder does not say which kind of pass executes this graph.";
        absent.add("/graph/graphs/pass_kind", ReasonCode::Undecided, reason);
    }
    let graphs = Graphs {
        given: true,
        name: recording.graphs.iter().map(|graph| graph.name.as_str()).collect(),
        pass_kind: kinds.collect(),
        labels: Labels::all(reported.clone())
            .with("pass_kind", recording.kind_label.clone().unwrap_or_else(|| reported.clone())),
        ..Graphs::default()
    };
    Graph {
        given: true,
        graphs,
        nodes: nodes(recording, shared, absent, ends, names),
        choices: choices(recording, &node_offsets(recording), reported),
        ..Graph::default()
    }
}

fn choices(recording: &Recording, offsets: &[u32], label: Label) -> Choices {
    let mut out = Choices::default();
    for (row, pass) in (0_u32..).zip(&recording.passes) {
        let Some(offset) = pass.graph.and_then(|graph| offsets.get(graph as usize)) else { continue };
        for (node, token, experts) in &pass.choices {
            out.given = true;
            out.pass.push(Some(row));
            out.node.push(Some(offset + node));
            out.token.push(Some(*token));
            out.experts.push(Some(experts));
        }
    }
    if out.given {
        out.labels = Labels::all(label).with("token", Label::inferred("fewer choices than tokens: the last tokens"));
    }
    out
}

/// A column that may be left out: none when no row has a value.
fn column(cells: impl Iterator<Item = Option<i64>> + Clone) -> Ints {
    if cells.clone().any(|cell| cell.is_some()) { cells.collect() } else { Ints::default() }
}

fn passes(recording: &Recording, shared: &Shared<'_>, clock: &str, absent: &mut Absences) -> Passes {
    let measured = Label::measured(clock);
    let reported = Label::reported(shared.recorder.reporter);
    let rows = &recording.passes;
    let mut periods: Vec<Option<i64>> = Vec::with_capacity(rows.len());
    for (row, pass) in rows.iter().enumerate() {
        let next = rows.iter().skip(row + 1).find(|later| later.execution == pass.execution);
        periods.push(next.map(|next| next.start - pass.start));
        if next.is_none() {
            let reason = "The last pass of its execution has no next start, so it has no period.";
            absent.add(format!("/passes/rows/period/{row}"), ReasonCode::NoSuchThing, reason);
        }
    }
    let mut explain = |column: &str, missing: bool, code: ReasonCode, reason: &str| {
        if missing {
            absent.add(format!("/passes/rows/{column}"), code, reason);
        }
    };
    explain(
        "kind",
        rows.iter().any(|pass| pass.kind.is_none()),
        ReasonCode::Undecided,
        "The recording does not tell prefill from decode for this pass.",
    );
    explain(
        "end",
        rows.iter().any(|pass| pass.end.is_none()),
        ReasonCode::NotRecorded,
        "The recorder did not stamp the end of this pass.",
    );
    explain(
        "tokens",
        rows.iter().any(|pass| pass.tokens.is_none()),
        ReasonCode::NotRecorded,
        "The recorder does not say how many tokens this pass takes in.",
    );
    explain(
        "graph",
        rows.iter().any(|pass| pass.graph.is_none()),
        ReasonCode::NotSupplied,
        "No graph was recorded for this pass.",
    );
    if recording.runtime_decode_steps.is_none() {
        absent.add(
            "/passes/classification/runtime_decode_steps",
            ReasonCode::NotReported,
            "The recording holds no count of decode steps by the runtime.",
        );
    }
    absent.add(
        "/passes/clock_join",
        shared.recorder.no_request.0,
        "There is no request clock to join the trace clock with.",
    );
    let executions = Executions {
        given: true,
        name: recording.executions.iter().map(|execution| execution.name).collect(),
        text: recording.executions.iter().map(|execution| execution.text).collect(),
        interval_kind: recording.executions.iter().map(|execution| execution.interval_kind).collect(),
        labels: Labels::all(reported.clone()),
        ..Executions::default()
    };
    let keep = |text: &Option<String>| text.clone().filter(|_| shared.keep_text);
    let table = PassRows {
        given: true,
        kind: rows.iter().map(|pass| pass.kind.map(PassKind::word)).collect(),
        start: rows.iter().map(|pass| pass.start).collect(),
        end: rows.iter().map(|pass| pass.end).collect(),
        period: periods.into_iter().collect(),
        tokens: rows.iter().map(|pass| pass.tokens).collect(),
        position: column(rows.iter().map(|pass| pass.position)),
        token_text: if shared.keep_text {
            rows.iter().map(|pass| keep(&pass.token_text)).collect()
        } else {
            Default::default()
        },
        graph: rows.iter().map(|pass| pass.graph).collect(),
        execution: rows.iter().map(|pass| Some(pass.execution)).collect(),
        cpu_time: column(rows.iter().map(|pass| pass.cpu_time)),
        labels: Labels::all(measured)
            .with("kind", recording.kind_label.clone().unwrap_or_else(|| reported.clone()))
            .with("period", Label::derived("start of the next pass of the same execution - start"))
            .with("tokens", reported.clone())
            .with("position", reported.clone())
            .with("token_text", reported.clone())
            .with("graph", reported.clone())
            .with("execution", reported.clone())
            .with("cpu_time", Label::measured("process CPU time")),
        ..PassRows::default()
    };
    Passes {
        given: true,
        rows: table,
        executions,
        classification: Classification {
            given: true,
            method: Some(recording.classification.to_owned()),
            runtime_decode_steps: recording.runtime_decode_steps,
            labels: Labels::all(Label::reported("the runtime's performance counters")).with("method", reported),
            ..Classification::default()
        },
        ..Passes::default()
    }
}

//! A recording as a run: identity, passes, graph and kernels; the timeline is built in [`super::intervals`].

use std::collections::BTreeMap;

use tokenpath_core::column::Ints;
use tokenpath_core::model::{
    Choices, Classification, Device, Executions, Graph, Graphs, Host, Identity, Instrument, Kernels, ModelFile, Nodes,
    PassRows, Passes, Runtime, Traversal, Weights,
};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use super::ends::{End, VIEW_RUNS_NOTHING, reads_none};
use super::intervals::timeline;
use super::kernels;
use super::layers::{Layer, layers};
use super::model;
use super::recording::{PassKind, Recording, Timing};
use super::topology::{Origin, Topology};
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

/// The backend, if every result lies in buffers of the same one.
fn backend(recording: &Recording) -> Option<String> {
    let mut found: Option<&str> = None;
    for node in recording.graphs.iter().flat_map(|graph| &graph.topology.nodes) {
        let buffer = node.buffer.as_deref()?;
        let name = buffer.split('_').next().unwrap_or(buffer).trim_end_matches(|c: char| c.is_ascii_digit());
        if found.is_some_and(|known| known != name) {
            return None;
        }
        found = Some(name);
    }
    found.map(str::to_owned)
}

fn identity(
    recording: &Recording,
    shared: &Shared<'_>,
    backend: Option<&str>,
    clock: &str,
    absent: &mut Absences,
) -> Identity {
    let recorder = shared.recorder;
    let reported = Label::reported(recorder.reporter);
    let count = |kind| recording.passes.iter().filter(|pass| pass.kind == Some(kind)).count();
    let model = recording
        .model
        .clone()
        .or_else(|| shared.gguf.and_then(|(_, gguf)| gguf.text("general.name").map(str::to_owned)));
    let start = recording.passes.first().map_or(0, |pass| pass.start);
    let plural = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let title = format!(
        "{}: {} and {}",
        model.as_deref().unwrap_or("A llama.cpp run"),
        plural(count(PassKind::Prefill), "prefill pass", "prefill passes"),
        plural(count(PassKind::Decode), "decode pass", "decode passes"),
    );
    absent.add("/identity/recorded_at", ReasonCode::NotRecorded, recorder.no_wall_time);
    absent.add("/identity/scenario", ReasonCode::NotSupplied, "Whoever recorded the run stated no scenario.");
    if recording.runtime_version.is_none() {
        let reason = "The recorder does not state the runtime's version.";
        absent.add("/identity/runtime/version", ReasonCode::NotRecorded, reason);
    }
    if backend.is_none() {
        let reason = "The recorder does not name one backend for all nodes.";
        absent.add("/identity/runtime/backend", ReasonCode::Undecided, reason);
        absent.add("/identity/device", ReasonCode::NotRecorded, reason);
    }
    if model.is_none() {
        absent.add("/identity/model/name", ReasonCode::NotRecorded, "The recorder does not name the model.");
    }
    absent.add(
        "/identity/model/digest",
        ReasonCode::NotSupplied,
        match shared.gguf {
            Some(_) => "Only the header of the model file is read, so no digest of the whole file is computed.",
            None => "The model file was not given.",
        },
    );
    absent.add("/identity/host/os", ReasonCode::NotRecorded, "The recorder does not state the operating system.");
    if recording.cpu.is_none() {
        absent.add("/identity/host/cpu", ReasonCode::NotRecorded, "The recorder does not state the processor.");
    }
    if recording.threads.is_none() {
        let reason = "The recorder does not state the number of threads.";
        absent.add("/identity/host/threads", ReasonCode::NotRecorded, reason);
    }
    let device = backend.map(|backend| Device {
        given: true,
        name: Some(backend.to_owned()),
        labels: Labels::all((recorder.backend)()),
        ..Device::default()
    });
    if device.is_some() {
        let reason = "The recorder does not state the device's memory.";
        absent.add("/identity/device/memory", ReasonCode::NotRecorded, reason);
    }
    let timed = recording.passes.iter().any(|pass| pass.timing != Timing::None);
    let stem = model.as_deref().unwrap_or("llama.cpp");
    let name_label = match &recording.model {
        Some(_) => recording.model_reporter.map_or_else(|| reported.clone(), Label::reported),
        None => Label::read(shared.gguf.map_or("", |(name, _)| name)),
    };
    Identity {
        given: true,
        id: Some(format!("{}-{start}", slug(stem))),
        title: Some(title),
        capture_mode: Some("lab".to_owned()),
        runtime: Runtime {
            given: true,
            name: Some("llama.cpp".to_owned()),
            version: recording.runtime_version.clone(),
            backend: backend.map(str::to_owned),
            labels: Labels::all(reported.clone()).with("backend", (recorder.backend)()),
            ..Runtime::default()
        },
        model: ModelFile { given: true, name: model, labels: Labels::all(name_label), ..ModelFile::default() },
        host: Host {
            given: true,
            cpu: recording.cpu.clone(),
            threads: recording.threads,
            conditions: Some(recording.conditions.clone()),
            labels: Labels::all(reported),
            ..Host::default()
        },
        device: device.unwrap_or_default(),
        instrument: Instrument {
            given: true,
            name: Some(recorder.name.to_owned()),
            version: (!recording.tool.is_empty()).then(|| recording.tool.clone()),
            clock: Some(clock.to_owned()),
            kernel_timing: Some(if timed { "complete" } else { "none" }.to_owned()),
            interval_kind: timed.then(|| "node".to_owned()),
            hardware_counters: Some(false),
            graphs: Some("none".to_owned()),
            statement: Some(recorder.statement.iter().map(|sentence| (*sentence).to_owned()).collect()),
            ..Instrument::default()
        },
        ..Identity::default()
    }
}

/// Letters, digits, dots and hyphens of a name; a suffix `.gguf` goes.
pub(crate) fn slug(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let name = name.strip_suffix(".gguf").unwrap_or(name);
    let kept: String = name
        .chars()
        .take(80)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
        .collect();
    if kept.is_empty() { "run".to_owned() } else { kept }
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

/// Which row of the model's tensors each name has.
fn tensor_rows<'a>(recording: &'a Recording, shared: &Shared<'a>) -> BTreeMap<&'a str, u32> {
    match shared.gguf {
        Some((_, file)) => (0_u32..).zip(&file.tensors).map(|(row, tensor)| (tensor.name.as_str(), row)).collect(),
        None => model::weights(recording).1,
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

fn nodes(
    recording: &Recording,
    shared: &Shared<'_>,
    absent: &mut Absences,
    ends: &mut Ends,
    names: &mut KernelNames,
) -> Nodes {
    let reported = Label::reported(shared.recorder.reporter);
    let tensors = tensor_rows(recording, shared);
    let mut out = Nodes { given: true, ..Nodes::default() };
    let mut layer_labels: Vec<Label> = Vec::new();
    let one_split = recording.graphs.iter().all(|graph| graph.topology.splits == Some(1));
    for (number, graph) in (0_u32..).zip(&recording.graphs) {
        let topology = &graph.topology;
        let offset = u32::try_from(layer_labels.len()).unwrap_or(u32::MAX);
        let candidates = kernel_candidates(recording, number, topology);
        for ((node, layer), kernels) in topology.nodes.iter().zip(layers(topology)).zip(candidates) {
            let row = layer_labels.len();
            out.graph.push(Some(number));
            out.name.push(Some(&node.name));
            out.operation.push(Some(&node.detail));
            if one_split {
                out.subgraph.push(Some(0));
            }
            out.fused.push(Some(1));
            out.view.push(Some(i64::from(node.is_view())));
            match layer {
                Layer::Of(layer, evidence) => {
                    out.layer.push(Some(layer));
                    out.layer_end.push(None);
                    layer_labels.push(evidence.label());
                }
                Layer::None(end) => {
                    out.layer.push(None);
                    out.layer_end.push(Some(ends.row(end)));
                    layer_labels.push(Label::inferred("layer-of-node"));
                }
                Layer::Undecided => {
                    out.layer.push(None);
                    out.layer_end.push(None);
                    layer_labels.push(Label::inferred("layer-of-node"));
                    let reason = "Neither the node's name, nor a cache or weight that it touches, nor what it takes \
                                  tells a layer.";
                    absent.add(format!("/graph/nodes/layer/{row}"), ReasonCode::Undecided, reason);
                }
            }
            let read: Vec<u32> =
                node.weights().filter_map(|weight| tensors.get(weight.name.as_str()).copied()).collect();
            out.tensors_end.push(read.is_empty().then(|| ends.row(reads_none(node))));
            out.tensors.push(Some(&read));
            if node.is_view() {
                out.kernels.push(Some(&[]));
                out.kernels_end.push(Some(ends.row(VIEW_RUNS_NOTHING)));
            } else {
                let rows: Vec<u32> = kernels.into_iter().map(|name| names.row(name)).collect();
                out.kernels.push(Some(&rows));
                out.kernels_end.push(None);
            }
            let mut sources: Vec<u32> = Vec::new();
            let mut inputs: Vec<&str> = Vec::new();
            for source in &node.sources {
                match source.origin {
                    Origin::Node(from) => sources.push(offset + from),
                    Origin::Input | Origin::State => inputs.push(&source.name),
                    Origin::Weight => {}
                }
            }
            out.sources.push(Some(&sources));
            out.inputs.push((!inputs.is_empty()).then(|| inputs.join(", ")).as_deref());
            out.dtype.push(Some(&node.dtype));
            out.shape.push((!node.shape.is_empty()).then_some(node.shape.as_slice()));
            out.buffer.push(node.buffer.as_deref());
        }
    }
    if !one_split {
        let stated = recording.graphs.iter().find_map(|graph| graph.topology.splits);
        let reason = match stated {
            Some(splits) => format!(
                "The runtime states {splits} scheduler splits; the recorder does not say which node lies in which."
            ),
            None => "The recording does not state the scheduler's splits.".to_owned(),
        };
        absent.add("/graph/nodes/subgraph", ReasonCode::NotRecorded, reason);
    }
    let sources = if shared.recorder.sources_by_index { reported.clone() } else { Label::inferred("source-by-name") };
    out.labels = Labels::all(reported)
        .with("subgraph", Label::reported("the scheduler's number of splits, which is 1"))
        .with("view", Label::inferred("ggml's operations that do nothing"))
        .with("kernels", Label::inferred(kernels::RULE))
        .with("sources", sources)
        .with_rows("layer", layer_labels);
    out
}

/// For each node the names of the kernels it may run as, by the ways in which its graph was timed.
fn kernel_candidates(recording: &Recording, graph: u32, topology: &Topology) -> Vec<Vec<String>> {
    let of_graph = || recording.passes.iter().filter(|pass| pass.graph == Some(graph));
    let stamped = of_graph().any(|pass| matches!(pass.timing, Timing::Stamps(_)));
    let alone = !stamped || of_graph().any(|pass| matches!(pass.timing, Timing::Nodes(_)));
    let mut out: Vec<Vec<String>> = topology
        .nodes
        .iter()
        .map(|node| if alone && !node.is_view() { vec![kernels::of_node(node)] } else { Vec::new() })
        .collect();
    if stamped {
        for (position, entry) in topology.executed().iter().enumerate() {
            let name = if position == 0 {
                kernels::of_first_entry(topology, entry)
            } else {
                kernels::of_entry(topology, entry)
            };
            for node in entry {
                if let Some(list) = out.get_mut(*node as usize)
                    && !list.contains(&name)
                {
                    list.push(name.clone());
                }
            }
        }
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

//! The start page's derivations: what the recording is, the recorded stack in six steps, the derived figures.

use crate::Label;
use crate::derive::counted::{count, count_all};
use crate::derive::passes::{Group, PassTable, group_under_test, groups, in_request, pass_under_test};
use crate::derive::request::{self, RequestTiming};
use crate::derive::weight_bytes::{self, WeightBytes};
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;
use crate::traverse::token_under_test;

/// A caption in words and what stands beside it.
pub type Captioned = (String, Reading);

/// What stands in the bundle without a label of its own: a statement of who made the bundle.
pub fn stated(text: &str, pointer: &str) -> Fact {
    Fact::stored(Quantity::Text(text.to_owned()), Some(&Label::reported("the bundle's producer")), pointer)
}

/// What this recording is, caption by caption.
pub fn identity(run: &Run) -> Vec<Captioned> {
    let identity = &run.identity;
    let plain = |text: &Option<String>, pointer: &str| match text {
        Some(text) => Ok(stated(text, pointer)),
        None => Err(run.missing(pointer)),
    };
    let text = |text: Option<String>, label: Option<&Label>, pointer: &str| {
        run.reading(text.map(Quantity::Text), label, pointer)
    };
    let (runtime, model, host, device) = (&identity.runtime, &identity.model, &identity.host, &identity.device);
    vec![
        ("Capture mode".to_owned(), plain(&identity.capture_mode, "/identity/capture_mode")),
        ("Runtime".to_owned(), text(runtime.name.clone(), runtime.label("name"), "/identity/runtime/name")),
        (
            "Runtime version".to_owned(),
            text(runtime.version.clone(), runtime.label("version"), "/identity/runtime/version"),
        ),
        ("Backend".to_owned(), text(runtime.backend.clone(), runtime.label("backend"), "/identity/runtime/backend")),
        ("Model".to_owned(), text(model.name.clone(), model.label("name"), "/identity/model/name")),
        ("Device".to_owned(), text(device.name.clone(), device.label("name"), "/identity/device/name")),
        ("Processor".to_owned(), text(host.cpu.clone(), host.label("cpu"), "/identity/host/cpu")),
        (
            "Threads".to_owned(),
            run.reading(host.threads.map(Quantity::Count), host.label("threads"), "/identity/host/threads"),
        ),
        ("Instrument".to_owned(), plain(&identity.instrument.name, "/identity/instrument/name")),
        ("Recorded".to_owned(), plain(&identity.recorded_at, "/identity/recorded_at")),
        ("Scenario".to_owned(), plain(&identity.scenario, "/identity/scenario")),
    ]
}

/// What the instrument is said to record: durations and hardware counters. How it sees graphs is coverage.
pub fn instrument_words(run: &Run) -> Vec<Captioned> {
    let instrument = &run.identity.instrument;
    let read = |text: Option<String>, field: &str| {
        let pointer = format!("/identity/instrument/{field}");
        match text {
            Some(text) => Ok(stated(&text, &pointer)),
            None => Err(run.missing(&pointer)),
        }
    };
    let counters = instrument.hardware_counters.map(|read| if read { "read" } else { "not read" }.to_owned());
    vec![
        ("Durations of executions".to_owned(), read(instrument.kernel_timing.clone(), "kernel_timing")),
        ("Hardware counters".to_owned(), read(counters, "hardware_counters")),
    ]
}

/// A step of the recorded stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The request on the client's clock.
    Request,
    /// The passes that take in the prompt.
    Prefill,
    /// The passes that take in one token each.
    Decode,
    /// One layer of the model.
    Block,
    /// The kernels that execute its nodes.
    Kernels,
    /// The GPU's segments.
    Gpu,
}

/// A step with its one to three readings.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Which step.
    pub kind: StepKind,
    /// Readings and their captions, in lower case.
    pub readings: Vec<Captioned>,
}

/// The recorded stack, from the request to the GPU.
pub fn guide(run: &Run, timing: &RequestTiming, groups: &[Group], table: &PassTable<'_>) -> Vec<Step> {
    let group = group_under_test(run, groups).or_else(|| groups.first());
    let step = |kind, readings: Vec<(&str, Reading)>| Step {
        kind,
        readings: readings.into_iter().map(|(caption, reading)| (caption.to_owned(), reading)).collect(),
    };
    let arrived = match &timing.arrivals.tokens {
        Ok(tokens) => ("tokens arrived", Ok(tokens.clone())),
        Err(_) => ("chunks with text arrived", timing.arrivals.carrying_count.clone()),
    };
    vec![
        step(StepKind::Request, vec![("to the first token", timing.first_token.clone()), arrived]),
        step(StepKind::Prefill, prefill(run, group, table)),
        step(StepKind::Decode, decode(run, group)),
        step(StepKind::Block, block(run)),
        step(StepKind::Kernels, kernels(run)),
        step(StepKind::Gpu, gpu(run)),
    ]
}

fn prefill(run: &Run, group: Option<&Group>, table: &PassTable<'_>) -> Vec<(&'static str, Reading)> {
    let passes: Vec<u32> =
        group.into_iter().flat_map(|group| &group.prefill).copied().filter(|pass| in_request(run, *pass)).collect();
    let prompt = ("prompt tokens", request::counter(run, "prompt_tokens"));
    match passes.as_slice() {
        [] if run.passes.rows.given => {
            let reason = "No pass of the request is a prefill pass.".to_owned();
            vec![prompt, ("passes", Err(Missing { pointer: "/passes/rows/kind".to_owned(), reason }))]
        }
        [] => match prompt.1 {
            Ok(_) => vec![prompt, ("server's prompt time", request::counter(run, "prompt_time"))],
            Err(_) => vec![("passes", Err(run.missing("/passes/rows")))],
        },
        [only] => {
            let row = table.row(*only);
            vec![("tokens taken in", row.tokens), ("start to result", row.span)]
        }
        several => vec![prompt, ("passes", Ok(crate::derive::passes::count_of(run, several)))],
    }
}

fn decode(run: &Run, group: Option<&Group>) -> Vec<(&'static str, Reading)> {
    let Some(group) = group else { return vec![("passes", Err(run.missing("/passes/rows")))] };
    let inside: Vec<u32> = group.decode.iter().copied().filter(|pass| in_request(run, *pass)).collect();
    vec![
        ("passes", Ok(crate::derive::passes::count_of(run, &inside))),
        ("median period", group.decode_periods.as_ref().map(|periods| periods.median.clone()).map_err(Clone::clone)),
    ]
}

fn block(run: &Run) -> Vec<(&'static str, Reading)> {
    let model = &run.model;
    let layers = run.reading(model.layers.map(Quantity::Count), model.label("layers"), "/model/layers");
    vec![("layers", layers), nodes_per_layer(run)]
}

/// Nodes that one layer of the decode graph has, when all have as many; else those of all layers together.
fn nodes_per_layer(run: &Run) -> (&'static str, Reading) {
    let nodes = &run.graph.nodes;
    let graph = pass_under_test(run).and_then(|pass| run.passes.rows.graph.get(pass as usize)).or(Some(0));
    let rows: Vec<usize> =
        (0..nodes.rows()).filter(|row| nodes.graph.get(*row) == graph && nodes.layer.get(*row).is_some()).collect();
    if rows.is_empty() {
        let pointer = if nodes.given && nodes.rows() > 0 { "/graph/nodes/layer" } else { "/graph/nodes" };
        return ("nodes in each", Err(run.missing(pointer)));
    }
    let mut each = std::collections::BTreeMap::<i64, usize>::new();
    for layer in rows.iter().filter_map(|row| nodes.layer.get(*row)) {
        *each.entry(layer).or_default() += 1;
    }
    let first = each.values().next().copied().unwrap_or(0);
    let mut fact = count(&nodes.labels, "layer", "/graph/nodes/layer", &rows);
    if each.values().all(|count| *count == first) {
        fact.quantity = Quantity::Count(crate::derive::counted::int(first));
        ("nodes in each", Ok(fact))
    } else {
        ("nodes in all of them", Ok(fact))
    }
}

fn kernels(run: &Run) -> Vec<(&'static str, Reading)> {
    let (kernels, intervals) = (&run.kernels, &run.timeline.intervals);
    let names = if kernels.given && kernels.rows() > 0 {
        Ok(count_all(&kernels.labels, "name", "/kernels", kernels.rows()))
    } else {
        Err(run.missing("/kernels"))
    };
    if !intervals.given || intervals.rows() == 0 {
        return vec![("kernels", names)];
    }
    let bare: Vec<usize> = (0..intervals.rows())
        .filter(|row| intervals.kernel.get(*row).is_none() && intervals.kernel_end.get(*row).is_none())
        .collect();
    let executed = count_all(&intervals.labels, "start", "/timeline/intervals", intervals.rows());
    let mut readings = vec![("kernels", names), ("intervals", Ok(executed))];
    if !bare.is_empty() {
        let fact = count(&intervals.labels, "kernel", "/timeline/intervals/kernel", &bare);
        readings.push(("of them name no kernel", Ok(fact)));
    }
    readings
}

fn gpu(run: &Run) -> Vec<(&'static str, Reading)> {
    let segments = &run.timeline.segments;
    if !segments.given || segments.rows() == 0 {
        return vec![("segments", Err(run.missing("/timeline/segments")))];
    }
    let mut readings =
        vec![("segments", Ok(count_all(&segments.labels, "start", "/timeline/segments", segments.rows())))];
    let queues = &run.timeline.queues;
    let gpu: Vec<usize> = (0..queues.rows()).filter(|row| queues.side.get(*row) == Some("gpu")).collect();
    if !gpu.is_empty() {
        readings.push(("queues or streams", Ok(count(&queues.labels, "side", "/timeline/queues", &gpu))));
    }
    readings
}

/// The figures of one execution.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionFigures {
    /// Its name, where the run tells executions apart.
    pub name: Option<String>,
    /// What it keeps and what it changes.
    pub text: Option<Fact>,
    /// Whether it is executed node by node, which times stand for.
    pub node_by_node: bool,
    /// Number of decode periods.
    pub periods: usize,
    /// Median decode period.
    pub median: Reading,
    /// Mean decode period.
    pub mean: Reading,
    /// Weight bytes ÷ mean decode period.
    pub bandwidth: Reading,
    /// The same ÷ the peak that the bundle states.
    pub share_of_peak: Reading,
}

impl ExecutionFigures {
    /// Whether the bandwidth is more than the device is stated to have: then one of the two is wrong, or the weights are
    /// not read from its memory once a token.
    pub fn is_above_peak(&self) -> bool {
        self.share_of_peak.as_ref().is_ok_and(|fact| matches!(fact.quantity, Quantity::Share(share) if share > 1.0))
    }
}

/// The derived figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Tokens per second over the generation.
    pub rate: Reading,
    /// Weight bytes of the token under test; why not, where there is no such token.
    pub weights: Result<WeightBytes, Missing>,
    /// One for each execution that has decode passes.
    pub executions: Vec<ExecutionFigures>,
}

/// Derives the figures.
pub fn figures(run: &Run, timing: &RequestTiming, groups: &[Group]) -> Figures {
    let weights = token_under_test(run).map(|token| weight_bytes::of_pass(run, token.pass));
    let executions = groups
        .iter()
        .filter(|group| !group.decode.is_empty())
        .map(|group| {
            let spread = group.decode_periods.as_ref();
            let mean = spread.map(|spread| spread.mean.clone()).map_err(Clone::clone);
            let bandwidth = bandwidth(&weights, &mean);
            ExecutionFigures {
                name: group.name.clone(),
                text: group.text.clone(),
                node_by_node: group.interval_kind.as_deref() == Some("node"),
                periods: spread.map_or(0, crate::derive::spread::Spread::count),
                median: spread.map(|spread| spread.median.clone()).map_err(Clone::clone),
                share_of_peak: share_of_peak(run, &bandwidth),
                mean,
                bandwidth,
            }
        })
        .collect();
    Figures { rate: timing.rate.clone(), weights, executions }
}

fn bandwidth(weights: &Result<WeightBytes, Missing>, mean: &Reading) -> Reading {
    let weights = weights.as_ref().map_err(Clone::clone)?;
    let (bytes, name) = match &weights.addressed {
        Ok(bytes) => (bytes, "weight bytes that the token under test addresses"),
        Err(_) => (weights.named.as_ref().map_err(Clone::clone)?, "weight bytes that the token under test names"),
    };
    let mean = mean.as_ref().map_err(Clone::clone)?;
    match (&bytes.quantity, &mean.quantity) {
        (Quantity::Bytes(bytes_read), Quantity::NanosExact(nanos)) if *nanos > 0.0 => Ok(Fact::derived(
            Quantity::BytesPerSecond(*bytes_read as f64 / nanos * 1e9),
            "weight bytes ÷ mean decode period; the KV cache and activations are not counted",
            vec![(name.to_owned(), bytes.clone()), ("mean decode period".to_owned(), mean.clone())],
        )),
        _ => Err(Missing {
            pointer: "/passes/rows/period".to_owned(),
            reason: "The mean decode period is zero; nothing to divide by.".to_owned(),
        }),
    }
}

fn share_of_peak(run: &Run, bandwidth: &Reading) -> Reading {
    let device = &run.identity.device;
    let Some(peak) = device.peak_bandwidth.filter(|peak| *peak > 0) else {
        return Err(Missing {
            pointer: "/identity/device/peak_bandwidth".to_owned(),
            reason: "The bundle states no peak for this device, and none is looked up.".to_owned(),
        });
    };
    let bandwidth = bandwidth.as_ref().map_err(Clone::clone)?;
    let Quantity::BytesPerSecond(rate) = bandwidth.quantity else {
        return Err(run.missing("/identity/device/peak_bandwidth"));
    };
    let stated = Fact::stored(
        Quantity::BytesPerSecond(peak as f64),
        device.label("peak_bandwidth"),
        "/identity/device/peak_bandwidth",
    );
    Ok(Fact::derived(
        Quantity::Share(rate / peak as f64),
        "effective weight bandwidth ÷ stated peak",
        vec![("effective weight bandwidth".to_owned(), bandwidth.clone()), ("stated peak".to_owned(), stated)],
    ))
}

/// What the start page is drawn from.
#[derive(Clone, Debug)]
pub struct RunFigures {
    /// The request, derived.
    pub timing: RequestTiming,
    /// Passes by execution.
    pub groups: Vec<Group>,
    /// The recorded stack.
    pub guide: Vec<Step>,
    /// The derived figures.
    pub figures: Figures,
    /// Coverage of the levels.
    pub levels: Vec<crate::derive::coverage::Coverage>,
    /// What is attributed to nothing.
    pub unattributed: Result<crate::derive::coverage::Unattributed, Missing>,
    /// How long the device was at work; `None` where the run has no queue of one.
    pub device: Option<crate::derive::coverage::DeviceTime>,
    /// What the instrument saw.
    pub instrument: crate::derive::coverage::InstrumentCoverage,
}

/// Derives everything the start page shows. Linear in the rows of the run.
pub fn overview(run: &Run) -> RunFigures {
    let timing = request::timing(run);
    let groups = groups(run);
    let table = PassTable::new(run);
    RunFigures {
        guide: guide(run, &timing, &groups, &table),
        figures: figures(run, &timing, &groups),
        levels: crate::derive::coverage::levels(run),
        unattributed: crate::derive::coverage::unattributed(run),
        device: crate::derive::coverage::device_time(run),
        instrument: crate::derive::coverage::instrument_coverage(run, &table),
        timing,
        groups,
    }
}

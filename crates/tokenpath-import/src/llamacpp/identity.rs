//! What a llama.cpp recording is: runtime, model, machine, instrument.

use tokenpath_core::model::{Device, Host, Identity, Instrument, ModelFile, Runtime};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::recording::{PassKind, Recording, Timing};
use super::tables::Shared;
use crate::absent::Absences;

/// The backend, if every result lies in buffers of the same one.
pub(super) fn backend(recording: &Recording) -> Option<String> {
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

pub(super) fn identity(
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
            Some(_) => crate::alone::NO_DIGEST,
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

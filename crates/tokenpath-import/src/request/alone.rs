//! A request capture without a recording beneath it: a run of capture mode `user`.

use tokenpath_core::model::{Ends, Identity, Instrument, ModelFile, Runtime, Traversal};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use super::event::Answer;
use super::{Capture, section};
use crate::absent::Absences;
use crate::gguf;
use crate::llamacpp::ends::End;
use crate::wall::rfc3339;

/// The model as the server names it, or else as the request does; and who said so.
pub(crate) fn model_name(capture: &Capture) -> Option<(String, &'static str)> {
    let by_server = capture.events.iter().rev().find_map(|event| match &event.answer {
        Answer::Said(said) => said.model.clone(),
        _ => None,
    });
    by_server
        .map(|name| (name, "the server"))
        .or_else(|| capture.asked_model.clone().map(|name| (name, "the request's body")))
}

/// The server as it names itself in its head.
fn server(capture: &Capture) -> Option<&str> {
    capture.head.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("server").then(|| value.trim()).filter(|value| !value.is_empty())
    })
}

/// The version that the server states in its events.
pub(crate) fn fingerprint(capture: &Capture) -> Option<String> {
    capture.events.iter().find_map(|event| match &event.answer {
        Answer::Said(said) => said.fingerprint.clone().filter(|fingerprint| !fingerprint.is_empty()),
        _ => None,
    })
}

/// The run; with the model section of a GGUF file where one belongs to it.
pub(crate) fn run(capture: &Capture, keep_text: bool, model: Option<(&str, &gguf::Model)>) -> Run {
    const DEPTH: &str = "Capture mode user: the client records when bytes arrive; what the server does in between is beneath its reach.";
    let mut absent = Absences::default();
    let mut ends: Vec<End> = Vec::new();
    let request = section(capture, keep_text, &mut absent);
    absent.all(
        &[
            "/passes",
            "/graph",
            "/kernels",
            "/timeline",
            "/instruments",
            "/identity/runtime/backend",
            "/identity/host",
            "/identity/device",
        ],
        ReasonCode::Depth,
        DEPTH,
    );
    let weights = match model {
        Some((name, file)) => {
            let mut row = |end: End| {
                let at = ends.iter().position(|known| known.code == end.code).unwrap_or_else(|| {
                    ends.push(end);
                    ends.len() - 1
                });
                u32::try_from(at).unwrap_or(u32::MAX)
            };
            gguf::section(file, name, &mut absent, &mut row)
        }
        None => {
            let reason = "Capture mode user, and no model file was given.";
            absent.add("/model", ReasonCode::Depth, reason);
            Default::default()
        }
    };
    let recorded_at = capture.wall.and_then(rfc3339);
    if recorded_at.is_none() {
        absent.add("/identity/recorded_at", ReasonCode::NotRecorded, "The capture holds no date.");
    }
    absent.add("/identity/scenario", ReasonCode::NotSupplied, "Whoever recorded the run stated no scenario.");
    let version = fingerprint(capture);
    if version.is_none() {
        let reason = "The server's answer states no version.";
        absent.add("/identity/runtime/version", ReasonCode::NotReported, reason);
    }
    let name = model_name(capture);
    if name.is_none() {
        absent.add("/identity/model/name", ReasonCode::NotReported, "Neither request nor answer names the model.");
    }
    let reason = match model {
        Some(_) => crate::alone::NO_DIGEST,
        None => "The model file was not given.",
    };
    absent.add("/identity/model/digest", ReasonCode::NotSupplied, reason);
    let (name, by) = name.map_or((None, "the server"), |(name, by)| (Some(name), by));
    let path = capture.path.as_deref().unwrap_or("an unnamed endpoint");
    let (runtime, runtime_label) = match server(capture) {
        Some(server) => (server.to_owned(), Label::reported("the answer's Server header")),
        None => ("not stated".to_owned(), Label::inferred("the answer has no Server header")),
    };
    let statement = [
        "The client stamps bytes as they arrive, before it parses them; it sees nothing beneath the connection.",
        "A stamp holds the server's work, the network's and the operating system's; they cannot be told apart here.",
        "Events are not tokens: an event may carry none, one or several.",
    ];
    Run {
        identity: Identity {
            given: true,
            id: Some(format!("request-{}", capture.origin.unwrap_or(0))),
            title: Some(format!("{}: one request to {path}", name.as_deref().unwrap_or("A model"))),
            capture_mode: Some("user".to_owned()),
            recorded_at,
            runtime: Runtime {
                given: true,
                name: Some(runtime),
                version,
                labels: Labels::all(runtime_label).with("version", Label::reported("the server's system_fingerprint")),
                ..Runtime::default()
            },
            model: ModelFile { given: true, name, labels: Labels::all(Label::reported(by)), ..ModelFile::default() },
            instrument: Instrument {
                given: true,
                name: Some("request recorder".to_owned()),
                clock: Some("CLOCK_MONOTONIC of the client".to_owned()),
                kernel_timing: Some("none".to_owned()),
                hardware_counters: Some(false),
                graphs: Some("none".to_owned()),
                statement: Some(statement.iter().map(|sentence| (*sentence).to_owned()).collect()),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        request,
        model: weights,
        traversal: Traversal {
            given: !ends.is_empty(),
            ends: Ends {
                given: !ends.is_empty(),
                code: ends.iter().map(|end| end.code).collect(),
                text: ends.iter().map(|end| end.text).collect(),
                labels: Labels::all(Label::inferred("the importer's rules")),
                ..Ends::default()
            },
            ..Traversal::default()
        },
        absent: absent.into_list(),
        ..Run::default()
    }
}

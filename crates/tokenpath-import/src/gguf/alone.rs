//! A model file without a recording, as a run of which only the model is known.

use tokenpath_core::model::{Ends, Identity, Instrument, ModelFile, Runtime, Traversal};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use super::header::Model;
use super::section::section;
use crate::absent::Absences;
use crate::llamacpp::ends::End;
use crate::llamacpp::slug;

/// The run of a GGUF file called `name`.
pub(crate) fn run(model: &Model, name: &str) -> Run {
    const REASON: &str = "Only a model file was opened; no run was recorded.";
    let mut absent = Absences::default();
    let mut ends: Vec<End> = Vec::new();
    let mut row = |end: End| {
        let at = ends.iter().position(|known| known.code == end.code).unwrap_or_else(|| {
            ends.push(end);
            ends.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    let weights = section(model, name, &mut absent, &mut row);
    absent.all(
        &[
            "/identity/recorded_at",
            "/identity/scenario",
            "/identity/runtime/version",
            "/identity/runtime/backend",
            "/identity/host",
            "/identity/device",
            "/identity/instrument/clock",
            "/request",
            "/passes",
            "/graph",
            "/kernels",
            "/timeline",
            "/instruments",
        ],
        ReasonCode::NotSupplied,
        REASON,
    );
    let reason = "Only the header of the model file is read, so no digest of the whole file is computed.";
    absent.add("/identity/model/digest", ReasonCode::NotSupplied, reason);
    let stated = model.text("general.name").map(str::to_owned);
    if stated.is_none() {
        absent.add("/identity/model/name", ReasonCode::NotReported, "The file has no general.name.");
    }
    let shown = stated.clone().unwrap_or_else(|| name.to_owned());
    Run {
        identity: Identity {
            given: true,
            id: Some(format!("{}-{}", slug(&shown), model.file_bytes)),
            title: Some(format!("{shown}: a model file, no run")),
            capture_mode: Some("user".to_owned()),
            runtime: Runtime {
                given: true,
                name: Some("none".to_owned()),
                labels: Labels::all(Label::read(name)),
                ..Runtime::default()
            },
            model: ModelFile {
                given: true,
                name: stated,
                labels: Labels::all(Label::read(name)),
                ..ModelFile::default()
            },
            instrument: Instrument {
                given: true,
                name: Some("none".to_owned()),
                kernel_timing: Some("none".to_owned()),
                hardware_counters: Some(false),
                graphs: Some("none".to_owned()),
                statement: Some(vec![
                    "A model file holds no recording: it says what a run reads, not how long it takes.".to_owned(),
                ]),
                ..Instrument::default()
            },
            ..Identity::default()
        },
        model: weights,
        traversal: Traversal {
            given: true,
            ends: Ends {
                given: true,
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

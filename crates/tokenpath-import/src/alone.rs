//! A model file without a recording, as a run of which only the model is known.

use tokenpath_core::model::{Ends, Identity, Instrument, ModelFile, Runtime, Traversal};
use tokenpath_core::{Label, Labels, ReasonCode, Run};

use crate::absent::Absences;
use crate::config::{self, Config};
use crate::gguf;
use crate::llamacpp::ends::End;
use crate::llamacpp::slug;
use crate::safetensors::{self, Set};

/// What a model is known from.
pub(crate) enum Source<'a> {
    /// A GGUF file.
    Gguf(&'a str, &'a gguf::Model),
    /// safetensors, with the configuration beside them if it was given.
    Safetensors(&'a Set, Option<(&'a str, &'a Config)>),
    /// A configuration alone.
    Config(&'a str, &'a Config),
}

/// Why a model file that was given has no digest.
pub(crate) const NO_DIGEST: &str =
    "Only the header of the model file is read, so no digest of the whole file is computed.";

/// The run of model files.
pub(crate) fn run(source: &Source<'_>) -> Run {
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
    let (weights, file, stated, bytes) = match source {
        Source::Gguf(name, model) => {
            let weights = gguf::section(model, name, &mut absent, &mut row);
            (weights, *name, model.text("general.name").map(str::to_owned), model.file_bytes)
        }
        Source::Safetensors(set, config) => {
            let layers = config.and_then(|(_, config)| config.layers());
            let mut weights = safetensors::section(set, layers, &mut absent, &mut row);
            if let Some((name, config)) = config {
                config::apply(&mut weights, config, name);
                absent.remove("/model/architecture");
                absent.remove("/model/parameters");
            }
            let first = set.files.first().map(|(name, _)| name.as_str());
            let file = first.or(set.index.as_ref().map(|(name, _)| name.as_str())).unwrap_or("");
            let bytes = set.files.iter().fold(0_u64, |sum, (_, header)| sum.saturating_add(header.file_bytes));
            (weights, file, None, bytes)
        }
        Source::Config(name, config) => (config::section(config, name, &mut absent, &mut row), *name, None, 0),
    };
    let name = file;
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
    absent.add("/identity/model/digest", ReasonCode::NotSupplied, NO_DIGEST);
    if stated.is_none() {
        let reason = match source {
            Source::Gguf(..) => "The file has no general.name.",
            _ => "Neither safetensors nor a configuration names the model.",
        };
        absent.add("/identity/model/name", ReasonCode::NotReported, reason);
    }
    let shown = stated.clone().unwrap_or_else(|| name.to_owned());
    Run {
        identity: Identity {
            given: true,
            id: Some(format!("{}-{}", slug(&shown), bytes)),
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

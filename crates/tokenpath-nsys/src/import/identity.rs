//! What the recording is. The tables that name user, host, paths and environment are not read.

use tokenpath_core::model::{Device, Identity, Instrument, Runtime};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::source::Source;
use super::{CLOCK, Making, REPORTER};
use crate::names::text;
use crate::rows::{int, scan};
use crate::schema::GraphState;

const GPUS: &str = "TARGET_INFO_GPU";
const CUDA_DEVICES: &str = "TARGET_INFO_CUDA_DEVICE";

impl Making<'_> {
    pub(super) fn identity(&mut self, file: &str, device: Option<i64>, state: GraphState, source: &Source) -> Identity {
        let gpu = device.and_then(|device| self.gpu(device));
        let name = gpu.as_ref().and_then(|(name, _)| name.clone());
        let shown = match (device, &name) {
            (Some(device), Some(name)) => format!("device {device}, {name}"),
            (Some(device), None) => format!("device {device}"),
            (None, _) => "no device".to_owned(),
        };
        for (pointer, reason) in [
            ("/identity/recorded_at", "The export's wall clock is not taken over."),
            ("/identity/scenario", "An export states no scenario."),
            ("/identity/runtime/version", "The export does not name the runtime."),
            ("/identity/host", "The tables that describe the host name its user too, and are not read."),
        ] {
            self.absent(pointer, ReasonCode::NotRecorded, reason);
        }
        self.absent("/identity/model", ReasonCode::NotSupplied, "No model file was given; an export names none.");
        let given = device.is_some();
        if given && name.is_none() {
            let reason = "The export has no row that names this device; trimmed exports lack the table.";
            self.absent("/identity/device/name", ReasonCode::NotRecorded, reason);
        }
        let memory = gpu.and_then(|(_, memory)| memory);
        if given && memory.is_none() {
            self.absent(
                "/identity/device/memory",
                ReasonCode::NotRecorded,
                "The export states no memory for this device.",
            );
        }
        if !given {
            self.absent("/identity/device", ReasonCode::EmptyTable, "The export holds no activity of a GPU.");
        }
        let hidden = !source.graphs.is_empty();
        let timing = match (source.kernels.is_empty(), hidden) {
            (true, _) => "none",
            (false, true) => "sparse",
            (false, false) => "complete",
        };
        let stem: String =
            file.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
        Identity {
            given: true,
            id: Some(format!("nsys-{}-{}-{}", stem.trim_matches('-'), device.unwrap_or(0), source.kernels.len())),
            title: Some(format!("{file}: {shown}")),
            capture_mode: Some("lab".to_owned()),
            runtime: Runtime {
                given: true,
                name: Some("a CUDA program".to_owned()),
                backend: Some("CUDA".to_owned()),
                labels: Labels::all(Label::reported(REPORTER)),
                ..Runtime::default()
            },
            device: if given {
                Device { given: true, name, memory, labels: Labels::all(Label::reported(REPORTER)), ..Device::default() }
            } else {
                Device::default()
            },
            instrument: Instrument {
                given: true,
                name: Some("NVIDIA Nsight Systems".to_owned()),
                clock: Some(match source.shift {
                    0 => CLOCK.to_owned(),
                    shift => format!("{CLOCK}, counted from {shift} ns before its zero, where the first row starts"),
                }),
                kernel_timing: Some(timing.to_owned()),
                interval_kind: (timing != "none").then(|| "kernel".to_owned()),
                hardware_counters: Some(false),
                graphs: Some(
                    match state {
                        GraphState::Node => "node",
                        GraphState::Graph => "graph",
                        GraphState::None => "none",
                    }
                    .to_owned(),
                ),
                statement: Some(
                    [
                        "Intervals are kernels as CUPTI records them; the union of them is not a utilisation counter.",
                        "A kernel's launch is the call with its correlation id in its process.",
                        "It records no graph of the runtime, no weights and no tokens; ranges are what programs annotate.",
                    ]
                    .map(str::to_owned)
                    .to_vec(),
                ),
                labels: Labels::all(Label::reported(REPORTER)),
                ..Instrument::default()
            },
            labels: Labels::all(Label::reported(REPORTER)),
            ..Identity::default()
        }
    }

    /// Name and bytes of memory of a device. The table lists every GPU of the host; another says which of them the
    /// program numbered so.
    fn gpu(&self, device: i64) -> Option<(Option<String>, Option<i64>)> {
        let (connection, schema) = (&self.trace.connection, &self.trace.schema);
        let mut number = None;
        let _ = scan(connection, schema, CUDA_DEVICES, &["gpuId", "cudaId"], &mut |row| {
            if int(row, 1)? == Some(device) {
                number = number.or(int(row, 0)?);
            }
            Ok(())
        });
        let mut found = Vec::new();
        let mut not_utf8 = 0;
        let _ = scan(connection, schema, GPUS, &["id", "name", "totalMemory"], &mut |row| {
            found.push((int(row, 0)?, text(row.get_ref(1)?, &mut not_utf8), int(row, 2)?.filter(|bytes| *bytes >= 0)));
            Ok(())
        });
        let of_number = number.and_then(|number| found.iter().find(|(id, ..)| *id == Some(number)));
        // Without that table the only GPU there is must be it.
        let only = found.first().filter(|_| found.len() == 1 && number.is_none());
        of_number.or(only).map(|(_, name, memory)| (name.clone(), *memory))
    }
}

//! The passes as tables of a run, with what says so.

use tokenpath_core::model::{Classification, PassRows, Passes as PassTables};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::repeats::TIMES;
use super::{Origin, Pass, Passes};
use crate::import::Making;
use crate::import::steps::Step;

impl Pass {
    /// The step that the runtime marks.
    fn step(&self) -> Option<Step> {
        match self.origin {
            Origin::Marked(step) => Some(step),
            Origin::Repeated => None,
        }
    }
}

impl Passes {
    /// The label of what belongs to a pass.
    pub(in crate::import) fn label_of_members(&self) -> Label {
        Label::inferred(match self.list.first().map(|pass| pass.origin) {
            Some(Origin::Repeated) => "the launch is one of those that repeat",
            Some(Origin::Marked(_)) | None => "the launch lies in a step of its thread",
        })
    }
}

impl Making<'_> {
    /// The passes, or why there are none.
    pub(in crate::import) fn passes(&mut self, passes: &Passes) -> PassTables {
        let Some(first) = passes.list.first() else {
            let reason = "No NVTX range of the export is a step of a runtime that is known here, and no thread launches the \
                          same kernels between waits for the device three times in a row, so nothing says where a pass begins.";
            self.absent("/passes", ReasonCode::Undecided, reason);
            return PassTables::default();
        };
        let rows: Vec<(&Pass, Option<Step>)> = passes.list.iter().map(|pass| (pass, pass.step())).collect();
        let (by, method) = match first.origin {
            Origin::Marked(Step { rule, .. }) => (
                format!("step ranges ({rule})"),
                format!(
                    "Steps that the runtime marks itself ({rule}). A pass is from the first start to the last end of the \
                     kernels that were launched within its step, on the step's thread."
                ),
            ),
            Origin::Repeated => (
                "launches that repeat".to_owned(),
                format!(
                    "Launches that repeat: a thread launches the same kernels in the same order, and waits for the device \
                     in the same places, at least {TIMES} times in a row. Each time is a pass, from the first start to the \
                     last end of its kernels. A program that waits in every layer, and whose passes do not repeat as a \
                     whole, looks the same layer by layer. What comes once, as a prefill pass does, is not found so."
                ),
            ),
        };
        let last = rows.len() - 1;
        self.absent(
            &format!("/passes/rows/period/{last}"),
            ReasonCode::NoSuchThing,
            "The last pass has no next start, so it has no period.",
        );
        if rows.iter().any(|(_, step)| step.is_none_or(|step| step.kind.is_none())) {
            let reason = match first.origin {
                Origin::Marked(_) => "The step took in both prompts and tokens, or its name does not say which.",
                Origin::Repeated => "Launches that repeat do not say whether a pass took in a prompt or one token.",
            };
            self.absent("/passes/rows/kind", ReasonCode::Undecided, reason);
        }
        if rows.iter().any(|(_, step)| step.is_none_or(|step| step.tokens.is_none())) {
            let reason = match first.origin {
                Origin::Marked(_) => "The step's name does not say how many tokens.",
                Origin::Repeated => "Launches that repeat do not say how many tokens they took in.",
            };
            self.absent("/passes/rows/tokens", ReasonCode::NotReported, reason);
        }
        self.absent("/passes/rows/graph", ReasonCode::NotRecorded, "The export names no graph of a runtime.");
        let reason = "Nsight Systems does not record what the runtime counted.";
        self.absent("/passes/classification/runtime_decode_steps", ReasonCode::NotRecorded, reason);
        self.absent(
            "/passes/clock_join",
            ReasonCode::NoSuchThing,
            "There is no request clock to join the trace clock with.",
        );
        let next = |at: usize| rows.get(at + 1).map(|(pass, _)| pass.start);
        PassTables {
            given: true,
            rows: PassRows {
                given: true,
                kind: rows.iter().map(|(_, step)| step.and_then(|step| step.kind)).collect(),
                start: rows.iter().map(|(pass, _)| pass.start).collect(),
                end: rows.iter().map(|(pass, _)| Some(pass.end)).collect(),
                period: rows.iter().enumerate().map(|(at, (pass, _))| next(at).map(|next| next - pass.start)).collect(),
                tokens: rows.iter().map(|(_, step)| step.and_then(|step| step.tokens)).collect(),
                position: rows.iter().map(|_| None).collect(),
                token_text: rows.iter().map(|_| None::<&str>).collect(),
                graph: rows.iter().map(|_| None).collect(),
                execution: rows.iter().map(|_| None).collect(),
                cpu_time: rows.iter().map(|_| None).collect(),
                labels: Labels::all(Label::inferred(by.clone())),
                ..PassRows::default()
            },
            classification: Classification {
                given: true,
                method: Some(method),
                labels: Labels::all(Label::inferred(by)),
                ..Classification::default()
            },
            ..PassTables::default()
        }
    }
}

/// Why a launch is in no pass.
pub(in crate::import) fn no_pass(passes: &Passes) -> &'static str {
    match passes.list.first().map(|pass| pass.origin) {
        None => {
            "No NVTX range of the export is a step of a runtime that is known here, and no launches repeat as passes do."
        }
        Some(Origin::Marked(_)) => "Its launch lies in no step of its thread, or is not in the export.",
        Some(Origin::Repeated) => "Its launch is none of those that repeat, or is not in the export.",
    }
}

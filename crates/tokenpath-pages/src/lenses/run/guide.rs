//! The recorded stack as six steps. The arrows between them are conceptual and drawn so.

use tokenpath_core::derive::run::{Step, StepKind};

use tokenpath_core::fact::{Missing, Reading};

use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure};
use crate::value;

fn face(kind: StepKind) -> (&'static str, Lens) {
    match kind {
        StepKind::Request => ("Request", Lens::Request),
        StepKind::Prefill => ("Prefill", Lens::Passes),
        StepKind::Decode => ("Decode", Lens::Passes),
        StepKind::Block => ("Block", Lens::Block),
        StepKind::Kernels => ("Kernels", Lens::Kernels),
        StepKind::Gpu => ("GPU", Lens::Timeline),
    }
}

/// The one reason why a step has no value at all.
fn same_reason(step: &Step) -> Option<&Missing> {
    let (_, first) = step.readings.first()?;
    let first = first.as_ref().err()?;
    let same = |reading: &Reading| reading.as_ref().err().is_some_and(|missing| missing.reason == first.reason);
    step.readings.iter().all(|(_, reading)| same(reading)).then_some(first)
}

/// The figure.
pub(super) fn stack(cx: &Context<'_>, steps: &[Step]) -> Markup {
    figure(
        "The recorded stack",
        &html! { "dotted arrows explain the order of the stack; they are no recorded dependency" },
        &html! {
            ol class="guide" {
                @for (i, step) in steps.iter().enumerate() {
                    @let (name, lens) = face(step.kind);
                    @let held = step.readings.iter().any(|(_, reading)| reading.is_ok());
                    li {
                        svg class="arr" aria-hidden="true" {
                            circle class=(if held { "stop" } else { "stop bare" }) cx="4" cy="11" r="3" {}
                            @if i + 1 < steps.len() { line class="con" x1="12" x2="94%" y1="11" y2="11" marker-end="url(#ch)" {} }
                            @if i == 0 { circle class="dot" cx="16" cy="11" r="2.6" {} }
                        }
                        a class="t" href=(cx.to(lens)) { (name) }
                        @match same_reason(step) {
                            Some(missing) => span class="g" { (value::absent(missing)) small { "not in this recording" } },
                            None => @for (caption, reading) in &step.readings {
                                span class="g" { (value::value(reading)) small { (caption) } }
                            },
                        }
                    }
                }
            }
        },
    )
}

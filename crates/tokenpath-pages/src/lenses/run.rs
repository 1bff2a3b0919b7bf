//! The lens Run, the start page: what the recording is, what it covers, the recorded stack, figures, verdict, absences.

mod absences;
mod covers;
mod figures;
mod guide;
mod recording;
mod verdict;

use tokenpath_core::derive::passes::classification;
use tokenpath_core::derive::run::overview;

use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::naming;
use crate::page::{Context, lens_head};
use crate::stated::{disagreement, int};

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let overview = overview(cx.run);
    let told = classification(cx.run, &overview.groups);
    html! {
        (lens_head(&html! { (title(cx)) }, &lead(cx)))
        @if cx.run.identity.synthetic == Some(true) {
            p class="state" { b { "Made up." } " This bundle was written to exercise a reader. No run stands behind its numbers." }
        }
        (covers::levels(cx, &overview))
        (guide::stack(cx, &overview.guide))
        div class="two" {
            (figures::derived(&overview))
            div {
                (verdict::of_token(cx))
                @if !cx.run.is_user_mode() { (recording::seen(cx, &overview.instrument)) }
            }
        }
        @for found in overview.timing.disagreements.iter().chain(&told.disagreements) { (disagreement(found)) }
        (recording::is(cx))
        (absences::list(cx))
    }
}

/// What was recorded, of what, how finely.
fn title(cx: &Context<'_>) -> String {
    let run = cx.run;
    let passes = run.passes.rows.rows();
    let ways = run.passes.executions.interval_kind.iter().flatten().collect::<std::collections::BTreeSet<_>>().len();
    let finely = match (run.is_user_mode(), run.identity.instrument.interval_kind.as_deref()) {
        (true, _) => ", as the client sees it",
        (false, _) if ways > 1 => ", executed in several ways",
        (false, Some("node")) => ", node by node",
        (false, Some("kernel")) => ", kernel by kernel",
        (false, Some("encoder")) => ", encoder by encoder",
        (false, Some("tick")) => ", by shader ticks",
        (false, _) => "",
    };
    let what = match (run.request.given, passes) {
        (true, _) => "One request".to_owned(),
        (false, 0) => "A recording".to_owned(),
        (false, passes) => format::plural(int(passes), "pass", "passes"),
    };
    match naming::model(run) {
        Some(model) if run.request.given => format!("{what} to {model}{finely}"),
        Some(model) => format!("{what} of {model}{finely}"),
        None => run.identity.title.clone().unwrap_or_else(|| Lens::Run.name().to_owned()),
    }
}

fn lead(cx: &Context<'_>) -> Markup {
    let identity = &cx.run.identity;
    let runtime = identity.runtime.name.as_deref();
    let device = identity.device.name.as_deref().or(identity.runtime.backend.as_deref());
    let instrument = identity.instrument.name.as_deref();
    if cx.run.is_model_alone() {
        return html! { "A model on its own. No run was recorded, so there is a structure and no time." };
    }
    html! {
        @match identity.capture_mode.as_deref() {
            Some(mode) => { "A " (mode) " capture" }
            None => "A capture",
        }
        @if let Some(runtime) = runtime { " of " (runtime) }
        @if let Some(device) = device { " on " (device) }
        @if let Some(instrument) = instrument { ", by " (instrument) }
        @if cx.run.is_user_mode() { ": the request clock and nothing beneath it" }
        ". "
        @match &identity.scenario {
            Some(scenario) => (scenario),
            None => "No scenario text is given.",
        }
        " "
        @if identity.instrument.interval_kind.as_deref() == Some("node") {
            "Counts, order and bytes hold for any run of this model; times hold for this way of running it."
        } @else {
            "Times are this run's own: another load, batch or machine gives others."
        }
    }
}

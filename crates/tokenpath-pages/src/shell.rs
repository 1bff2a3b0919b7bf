//! The frame around a lens: header, navigation, inspector, and the whole document for a page that stands alone.
//!
//! The regions (`header`, `rail`, `lens`, `inspector`) are rendered one by one for the viewer and together for a
//! document, by the same functions. What only a script can do carries the class `live` and stays hidden without one.

use tokenpath_core::Run;
use tokenpath_core::derive::coverage::{LensStates, State, lens_states, levels};
use tokenpath_core::problem::Problem;
use tokenpath_core::traverse::{Outcome, Verdict};

use crate::errors;
use crate::format;
use crate::html::{DOCTYPE, Markup, html, symbol};
use crate::inspector;
use crate::lens::Lens;
use crate::lenses;
use crate::naming;
use crate::page::{Context, symbols};
use crate::value::glyph_id;
use crate::welcome;

/// What a page may load and run: files of its own origin, its own module, workers made from them. No inline script,
/// no inline style, nothing from elsewhere.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self' blob:; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
     form-action 'none'";

/// What a document refers to, relative to itself.
#[derive(Clone, Copy, Debug)]
pub struct Assets<'a> {
    /// The style sheet.
    pub style: &'a str,
    /// The script that starts the viewer on the page; without one the page stays as it is written.
    pub script: Option<&'a str>,
    /// The bundle the page was made from, opened by the script.
    pub bundle: Option<&'a str>,
}

/// The states of the lenses, which the navigation shows. Computed once for a run.
pub fn states(run: &Run, verdict: Option<&Verdict>) -> LensStates {
    let states = lens_states(run, &levels(run));
    let traversal = match verdict.map(|verdict| &verdict.outcome) {
        Some(Outcome::Pass) => State::Present,
        _ => states.traversal,
    };
    LensStates { traversal, ..states }
}

fn state(states: &LensStates, lens: Lens) -> State {
    match lens {
        Lens::Run => states.run,
        Lens::Request => states.request,
        Lens::Passes => states.passes,
        Lens::Model => states.model,
        Lens::Block => states.block,
        Lens::Nodes => states.nodes,
        Lens::Kernels => states.kernels,
        Lens::Host => states.host,
        Lens::Timeline => states.timeline,
        Lens::Traversal => states.traversal,
    }
}

fn word(state: State) -> &'static str {
    match state {
        State::Present => "present",
        State::Partial => "partial",
        State::Absent => "absent",
    }
}

fn mark(state: State) -> Markup {
    let id = match state {
        State::Present => "#s-p",
        State::Partial => "#s-h",
        State::Absent => "#s-a",
    };
    html! { svg class="st" role="img" aria-label=(word(state)) { use href=(id) {} } }
}

/// The name of a run: its model's, or its title.
pub fn run_name(run: &Run) -> &str {
    naming::model(run).or(run.identity.title.as_deref()).unwrap_or("A run without a name")
}

/// The title of a page, for the browser's tab.
pub fn title(cx: &Context<'_>) -> String {
    format!("{}: {}, Tokenpath", cx.view.lens.name(), run_name(cx.run))
}

/// The header: identity, capture mode, verdict, actions.
pub fn header(cx: Option<&Context<'_>>) -> Markup {
    html! {
        a class="brand" id="brand" href="./" { "Tokenpath" }
        @if let Some(cx) = cx {
            div class="ident" {
                b { (run_name(cx.run)) }
                span { (conditions(cx.run)) }
            }
            @if cx.run.is_model_alone() {
                span class="chip mode" title="No run was recorded" { "model alone" }
            } @else if let Some(mode) = &cx.run.identity.capture_mode {
                span class="chip mode" title="Capture mode" { (mode) " capture" }
            }
            @if cx.run.identity.synthetic == Some(true) {
                span class="chip mode" title="Made up to exercise a reader; no run stands behind it" { "synthetic" }
            }
            @if let Some(verdict) = cx.verdict { (chip(cx, verdict)) }
        }
        div class="acts live" {
            button class="btn" id="open" type="button" data-act="open" { "Open" }
            @if cx.is_some() {
                button class="btn wide share" id="share" type="button" data-act="share" { "Share" }
            }
            button class="btn" id="theme" type="button" data-act="theme"
                aria-label="Theme: switch between light and dark" { "Theme" }
        }
    }
}

/// The verdict in a word, with the number of gaps where there is room.
fn chip(cx: &Context<'_>, verdict: &Verdict) -> Markup {
    let gaps = verdict.gap_count();
    let class = if verdict.is_fail() { "chip fail" } else { "chip" };
    let (word, detail) = match &verdict.outcome {
        Outcome::Pass => ("pass", String::new()),
        Outcome::Fail => ("fail", format::plural(i64::try_from(gaps).unwrap_or(i64::MAX), "gap", "gaps")),
        Outcome::NotApplicable { .. } => ("no verdict", "not applicable".to_owned()),
    };
    html! {
        a id="verdict" class=(class) href=(cx.to(Lens::Traversal)) title="Verdict on the token under test" {
            // A failed verdict is a shape before it is a colour.
            @if verdict.is_fail() { (symbol("x-gap", 26, 12, "gapmark")) }
            span { (word) @if !detail.is_empty() { i { ", " (detail) } } }
        }
    }
}

fn conditions(run: &Run) -> String {
    if run.is_model_alone() {
        return run.model.architecture.clone().unwrap_or_default();
    }
    let runtime = &run.identity.runtime;
    let mut parts = Vec::new();
    if let Some(name) = &runtime.name {
        parts.push(match &runtime.version {
            Some(version) => format!("{name} {version}"),
            None => name.clone(),
        });
    }
    parts.extend(runtime.backend.iter().cloned());
    parts.extend(run.identity.device.name.iter().cloned());
    parts.dedup();
    parts.join(", ")
}

/// The navigation: the lenses in the order of the stack with their states, and the legend.
pub fn rail(cx: &Context<'_>, states: &LensStates) -> Markup {
    html! {
        @for (i, lens) in Lens::ALL.into_iter().enumerate() {
            a id={ "to-" (lens.slug()) } href=(cx.to(lens)) aria-keyshortcuts=(i + 1)
                aria-current=[(lens == cx.view.lens).then_some("page")] {
                (mark(state(states, lens))) (lens.name())
            }
        }
        hr;
        ul class="rail-key" aria-label="Labels of values" {
            @for kind in tokenpath_core::LabelKind::ALL {
                li { (symbol(glyph_id(kind), 11, 11, "lb")) (kind.word()) }
            }
            li { span class="ab" aria-hidden="true" { "\u{2014}" } "absent, opens its reason" }
        }
        hr;
        ul class="rail-key" aria-label="States of a lens" {
            @for state in [State::Present, State::Partial, State::Absent] {
                li { (mark(state)) span aria-hidden="true" { (word(state)) } }
            }
        }
    }
}

/// The navigation on narrow screens.
pub fn picker(cx: &Context<'_>, states: &LensStates) -> Markup {
    html! {
        label class="sr" for="pick-lens" { "Lens" }
        select id="pick-lens" data-go {
            @for lens in Lens::ALL {
                option value=(cx.view.to(lens).fragment()) selected[lens == cx.view.lens] {
                    (lens.name()) " (" (word(state(states, lens))) ")"
                }
            }
        }
    }
}

/// The lens; where its sections have errors, these stand in its place.
pub fn lens(cx: &Context<'_>) -> Markup {
    let errors: Vec<&Problem> = cx
        .problems
        .iter()
        .filter(|problem| !problem.rule.is_notice() && cx.view.lens.sections().contains(&problem.section()))
        .collect();
    html! {
        // Who ran what stays readable, so the Run lens is drawn with its errors beneath.
        @if errors.is_empty() || cx.view.lens == Lens::Run {
            (lenses::render(cx.view.lens, cx))
        } @else {
            (errors::in_place(cx.view.lens, &errors))
        }
        @if cx.view.lens == Lens::Run && !cx.problems.is_empty() {
            (errors::all(cx.problems))
        }
    }
}

/// The keys, as the help dialog lists them.
fn keys() -> Markup {
    let rows: [(&[&str], &str); 8] = [
        (&["1", "9"], "the first to the ninth lens"),
        (&["/"], "the filter or search of the lens"),
        (&["Esc"], "give up the selection"),
        (&["o"], "open files"),
        (&["W", "S"], "timeline: zoom in and out"),
        (&["A", "D"], "timeline: move left and right"),
        (&["[", "]"], "timeline: the neighbour on the row"),
        (&["?"], "this list"),
    ];
    html! {
        dialog id="keys" class="keys-list" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            dl class="kv" {
                @for (keys, text) in rows {
                    dt { @for key in keys { kbd { (key) } " " } }
                    dd { (text) }
                }
            }
            form method="dialog" { button class="btn edge" { "Close" } }
        }
    }
}

/// The page of a run that stands alone: complete without scripts, and the viewer's own page once the script runs.
///
/// The links are those of `cx`; a publisher uses [`crate::view::Links::Files`].
pub fn document(cx: &Context<'_>, assets: &Assets<'_>) -> String {
    let states = states(cx.run, cx.verdict);
    let description = format!("{} of {}: {}.", cx.view.lens.name(), run_name(cx.run), conditions(cx.run));
    let regions = Regions {
        header: header(Some(cx)),
        rail: rail(cx, &states),
        picker: picker(cx, &states),
        lens: lens(cx),
        inspector: inspector::content(cx),
    };
    frame(&title(cx), &description, Some(cx.view.lens), &regions, assets).into_string()
}

/// The page before anything is opened.
pub fn start_document(assets: &Assets<'_>) -> String {
    let regions = Regions {
        header: header(None),
        rail: html! {},
        picker: html! {},
        lens: welcome::page(),
        inspector: html! { summary {} },
    };
    frame("Tokenpath", welcome::DESCRIPTION, None, &regions, assets).into_string()
}

struct Regions {
    header: Markup,
    rail: Markup,
    picker: Markup,
    lens: Markup,
    inspector: Markup,
}

fn frame(title: &str, description: &str, lens: Option<Lens>, regions: &Regions, assets: &Assets<'_>) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(CONTENT_SECURITY_POLICY);
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                meta name="description" content=(description);
                // Without an icon of its own a page asks the server for one.
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(assets.style);
                @if let Some(script) = assets.script { script src=(script) defer {} }
            }
            body class=[lens.is_none().then_some("empty")] data-bundle=[assets.bundle]
                data-lens=[lens.map(Lens::slug)] {
                (symbols())
                a class="skip" href="#main" data-act="skip" { "Skip to the lens" }
                header class="top" id="header" { (regions.header) }
                div class="frame" {
                    nav class="rail" id="rail" aria-label="Lenses" { (regions.rail) }
                    nav class="pick" id="picker" aria-label="Lens" { (regions.picker) }
                    main id="main" tabindex="-1" {
                        div id="notice" role="alert" {}
                        div id="lens" class="lens" { (regions.lens) }
                    }
                    aside class="side" aria-label="Inspector" {
                        details class="insp" id="inspector" open { (regions.inspector) }
                    }
                }
                section id="opening" class="opening" aria-label="Opening" hidden {
                    p id="stage" role="status" {}
                    progress id="done" aria-labelledby="stage" {}
                    button class="btn edge" type="button" id="cancel" data-act="cancel" { "Cancel" }
                }
                p id="said" class="said" role="status" {}
                input type="file" id="files" multiple hidden aria-label="Files to open";
                (keys())
            }
        }
    }
}

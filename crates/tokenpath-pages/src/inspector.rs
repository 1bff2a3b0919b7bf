//! The inspector: the evidence for what is selected, what is absent with its reason, and the relations to follow.
//!
//! Must never contain: arithmetic on a run (that is [`tokenpath_core::derive::evidence`]); a relation of its own (those
//! are [`tokenpath_core::traverse::neighbours`]).

use tokenpath_core::derive::chosen::chosen_pass;
use tokenpath_core::derive::evidence::{Evidence, evidence, namesakes, suggestions};
use tokenpath_core::fact::{Fact, Missing};
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{HopEnd, Relation, neighbours};

use crate::format;
use crate::html::{Markup, html, symbol};
use crate::naming;
use crate::page::Context;
use crate::scene::interval_name;
use crate::value;
use crate::view::View;

/// So many targets of a relation are links; the others are counted.
const LINKS: usize = 3;

/// The inspector's content for the view's selection: a summary (the title), then the path and what is known.
pub fn content(cx: &Context<'_>) -> Markup {
    match cx.view.item {
        None => nothing(cx),
        Some(item) if !item.exists(cx.run) => html! {
            summary { h2 { "Not in this run" } }
            p { "The address selects " code { (item) } ", and this run holds no such thing." }
        },
        Some(item) => selected(cx, item),
    }
}

fn nothing(cx: &Context<'_>) -> Markup {
    let suggestions = suggestions(cx.run);
    html! {
        summary { h2 { "Nothing is selected" } }
        p { "Select a pass, a layer, a node, a kernel or a tensor in any lens. What is known about it stands here, and every lens shows its part of it." }
        @if !suggestions.is_empty() {
            h3 { "Worth selecting" }
            ul class="suggest" {
                @for suggestion in &suggestions {
                    li {
                        a href=(cx.follow(naming::lens(suggestion.item), suggestion.item)) { (suggestion.caption) }
                        " " (value::known(&suggestion.fact))
                    }
                }
            }
        }
    }
}

fn selected(cx: &Context<'_>, item: Item) -> Markup {
    let pass = chosen_pass(cx.run, Some(item)).ok().map(|chosen| chosen.pass);
    let evidence = evidence(cx.run, item, pass);
    let relations = neighbours(cx.run, item);
    html! {
        summary { h2 { (title(cx, item)) } }
        p class="crumb" { (crumb(cx, item)) }
        (identity(cx, item))
        (known(&evidence))
        (absent(&evidence, &relations))
        (follow(cx, item, &relations))
        p class="give-up" {
            a href=(cx.href(&View { item: None, ..cx.view.clone() })) { "Give up the selection" }
        }
    }
}

/// Where the thing lies: from the pass or layer down to it.
fn crumb(cx: &Context<'_>, item: Item) -> Markup {
    let run = cx.run;
    let row = item.index() as usize;
    let timeline = &run.timeline;
    let layer_of_component = |component: Option<u32>| {
        let component = component?;
        let layer = run.model.components.layer.get(component as usize).and_then(|layer| u32::try_from(layer).ok());
        Some(layer.map_or(Item::Component(component), Item::Layer))
    };
    let of_submission = |submission: Option<u32>| timeline.submissions.pass.get(submission? as usize).map(Item::Pass);
    let path: Vec<Option<Item>> = match item {
        Item::Interval(_) => {
            vec![
                timeline.intervals.pass.get(row).map(Item::Pass),
                timeline.intervals.submission.get(row).map(Item::Submission),
            ]
        }
        Item::Submission(_) => vec![timeline.submissions.pass.get(row).map(Item::Pass)],
        Item::Segment(_) => {
            let submission = timeline.segments.submission.get(row);
            vec![of_submission(submission), submission.map(Item::Submission)]
        }
        Item::Call(_) => vec![of_submission(timeline.calls.submission.get(row))],
        Item::Chunk(_) => vec![run.request.chunks.pass.get(row).map(Item::Pass)],
        Item::Node(_) => {
            vec![run.graph.nodes.layer.get(row).and_then(|layer| u32::try_from(layer).ok()).map(Item::Layer)]
        }
        Item::Tensor(_) => vec![layer_of_component(run.model.tensors.component.get(row))],
        Item::Component(_) => {
            vec![run.model.components.layer.get(row).and_then(|layer| u32::try_from(layer).ok()).map(Item::Layer)]
        }
        _ => Vec::new(),
    };
    html! {
        @for step in path.into_iter().flatten() {
            a href=(cx.follow(naming::lens(step), step)) { (naming::identity(step)) } " \u{203a} "
        }
        (naming::identity(item))
    }
}

fn title(cx: &Context<'_>, item: Item) -> Markup {
    let run = cx.run;
    let row = item.index() as usize;
    let token = || run.passes.rows.token_text.get(row).map(format::token);
    match item {
        Item::Node(_) => html! {
            code { (run.graph.nodes.name.get(row).unwrap_or("unnamed")) }
            @if let Some(operation) = run.graph.nodes.operation.get(row) { " " (operation) }
        },
        Item::Interval(_) => html! { code { (interval_name(run, row)) } " interval" },
        Item::Pass(pass) => html! {
            "Pass " (pass) @if let Some(kind) = run.passes.rows.kind.get(row) { ", " (kind) }
            @if let Some(token) = token() { ", token " code { (token) } }
        },
        Item::Submission(_) => {
            html! { "Submission " (row) @if let Some(kind) = naming::name(run, item) { ", " (kind) } }
        }
        Item::Layer(layer) => html! { "Layer " (layer) },
        Item::NodeSet(set) => html! { "Node set " (set) },
        Item::Segment(segment) => html! { "GPU segment " (segment) },
        Item::Chunk(chunk) => html! { "Chunk " (chunk) },
        Item::Component(component) => {
            html! { (naming::name(run, item).map_or_else(|| format!("Component {component}"), str::to_owned)) }
        }
        Item::Copy(_) => html! { "Memory copy" @if let Some(kind) = naming::name(run, item) { ", " (kind) } },
        Item::Kernel(_) | Item::Tensor(_) | Item::Range(_) | Item::Call(_) => {
            html! { code { (naming::name(run, item).unwrap_or("unnamed")) } }
        }
    }
}

/// Names repeat; the index does not. Said where it matters.
fn identity(cx: &Context<'_>, item: Item) -> Markup {
    let Item::Node(node) = item else { return html! {} };
    let count = namesakes(cx.run, node);
    html! {
        @if count > 1 {
            p class="aside" { (in_words(count)) " nodes of this graph carry this name. The index, " (node) ", is the identity." }
        }
    }
}

fn in_words(count: usize) -> String {
    const WORDS: [&str; 13] =
        ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];
    WORDS.get(count).map_or_else(|| format::grouped(count as i64), |word| (*word).to_owned())
}

fn known(evidence: &[Evidence]) -> Markup {
    let facts: Vec<(&Evidence, &Fact)> =
        evidence.iter().filter_map(|one| Some((one, one.reading.as_ref().ok()?))).collect();
    // One formula stands open: more would bury the values.
    let open = facts.iter().rev().find(|(one, _)| one.open).map(|(one, fact)| (one.caption.as_str(), *fact));
    html! {
        @if !facts.is_empty() {
            h3 { "Evidence" }
            dl class="kv" {
                @for (one, fact) in &facts {
                    dt { (one.caption) }
                    dd {
                        @if open.is_some_and(|(caption, _)| caption == one.caption) { (value::known(fact)) }
                        @else { (value::opening(&one.reading)) }
                    }
                }
            }
            @if let Some((caption, fact)) = open {
                div class="opened" role="group" aria-label={ "How " (caption) " is computed" } { (value::formula(fact)) }
            }
        }
    }
}

/// What is missing, each reason once with everything that it explains.
fn absent(evidence: &[Evidence], relations: &[Relation]) -> Markup {
    let mut groups: Vec<(Missing, Vec<String>)> = Vec::new();
    let mut add =
        |missing: Missing, caption: String| match groups.iter_mut().find(|(known, _)| known.reason == missing.reason) {
            Some((_, captions)) => captions.push(caption),
            None => groups.push((missing, vec![caption])),
        };
    for one in evidence {
        if let Err(missing) = &one.reading {
            add(missing.clone(), one.caption.clone());
        }
    }
    for relation in relations {
        if let HopEnd::Gap { pointer, reason } = &relation.end {
            add(Missing { pointer: pointer.clone(), reason: reason.clone() }, capital(word(relation.name)));
        }
    }
    html! {
        @if !groups.is_empty() {
            h3 { "Absent" }
            @for (missing, captions) in &groups {
                dl class="kv" {
                    @for caption in captions { dt { (caption) } dd { (value::absent_short(missing)) } }
                }
                (value::why(missing))
            }
        }
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A relation's name in words.
fn word(name: &str) -> &str {
    match name {
        "pass" => "in pass",
        "submission" => "submission",
        "node_set" => "node set",
        "segment" => "GPU segment",
        "segments" => "GPU segments",
        "candidate_nodes" => "candidate nodes",
        "tensors" => "tensors",
        "sources" => "from",
        "consumers" => "used by",
        "layer" => "in layer",
        "component" => "in component",
        other => other,
    }
}

fn follow(cx: &Context<'_>, item: Item, relations: &[Relation]) -> Markup {
    let led: Vec<&Relation> = relations.iter().filter(|relation| !matches!(relation.end, HopEnd::Gap { .. })).collect();
    html! {
        @if !led.is_empty() {
            h3 { "Follow" }
            ul class="rel" {
                @for relation in led {
                    @match &relation.end {
                        HopEnd::Resolved { targets, label } => {
                            li {
                                span { (phrase(item, relation.name)) }
                                span class="to" { (links(cx, targets)) }
                                (value::glyph(label))
                            }
                        },
                        HopEnd::Terminal { reason, .. } => {
                            li {
                                span { (phrase(item, relation.name)) }
                                span class="to term" { (symbol("x-term", 14, 12, "mark")) (reason) }
                            }
                        },
                        HopEnd::Gap { .. } => {},
                    }
                }
            }
        }
    }
}

/// A relation's name in words, as it reads from the item.
fn phrase(item: Item, name: &str) -> &str {
    match (item, name) {
        (Item::Node(_), "tensors") => "reads",
        (Item::Tensor(_), "nodes") => "read by",
        (Item::Node(_), "kernels") => "may run as",
        (Item::Kernel(_), "nodes") => "named by",
        (Item::Node(_), "intervals") => "ran in",
        (Item::Kernel(_), "intervals") => "ran in",
        (Item::Interval(_), "nodes") => "executed",
        (Item::Interval(_), "kernel") => "ran",
        (Item::Interval(_), "submission") => "caused by",
        (Item::Submission(_), "intervals") => "caused",
        (Item::Submission(_) | Item::NodeSet(_), "nodes") => "carries",
        _ => word(name),
    }
}

fn links(cx: &Context<'_>, targets: &[Item]) -> Markup {
    html! {
        @for target in targets.iter().take(LINKS) {
            a class=[naming::is_verbatim(*target).then_some("m")] href=(cx.follow(naming::lens(*target), *target))
                title=(naming::identity(*target)) { (naming::link(cx.run, *target)) }
            " "
        }
        @if targets.len() > LINKS {
            span class="more-of" { "and " (format::grouped((targets.len() - LINKS) as i64)) " more" }
        }
    }
}

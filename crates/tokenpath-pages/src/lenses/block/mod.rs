//! The lens Transformer block: one layer as a schematic where it matches a known pattern, and always as cards.

mod cards;
mod layout;
mod schematic;

use tokenpath_core::derive::block::{self, Entry, Match, Mismatch};
use tokenpath_core::derive::chosen::{Why, chosen_pass};
use tokenpath_core::derive::times::{NodeTimes, node_times};
use tokenpath_core::derive::touched::{Touched, touched};
use tokenpath_core::fact::Missing;
use tokenpath_core::item::Item;

use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::table::choice;
use crate::value::why;

/// What the parts of this lens are drawn from.
struct Layer<'a> {
    cx: &'a Context<'a>,
    touched: Touched,
    /// Times of the nodes in the chosen pass, or the reason why there are none.
    times: Result<NodeTimes, Missing>,
}

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.graph.nodes.given {
        return nothing(Lens::Block, &run.missing(if run.graph.given { "/graph/nodes" } else { "/graph" }));
    }
    let wanted = cx.view.param("graph").and_then(|graph| graph.parse::<u32>().ok());
    let graph = wanted.filter(|graph| (*graph as usize) < run.graph.graphs.rows());
    let Some(graph) = graph.or_else(|| block::chosen_graph(run, cx.view.item)) else {
        return nothing(Lens::Block, &run.missing("/graph/nodes"));
    };
    let layers = block::layers(run, graph);
    let selected = cx.view.item.and_then(|item| block::layer_of(run, item));
    let wanted = cx.view.param("layer").and_then(|layer| layer.parse::<u32>().ok());
    let known = |layer: &u32| layers.iter().any(|(known, _)| known == layer);
    let layer = wanted.filter(known).or(selected.filter(known)).or(layers.first().map(|(layer, _)| *layer));
    let chosen = chosen_pass(run, cx.view.item);
    let times = match chosen.clone() {
        Ok(chosen) if run.passes.rows.graph.get(chosen.pass as usize).is_none_or(|of| of == graph) => {
            node_times(run, chosen.pass)
        }
        Ok(chosen) => Err(Missing {
            pointer: format!("/passes/rows/graph/{}", chosen.pass),
            reason: format!("Pass {} executes another graph.", chosen.pass),
        }),
        Err(missing) => Err(missing),
    };
    let mut drawn = Layer { cx, touched: touched(run, cx.view.item), times };
    if matches!(cx.view.item, Some(Item::Layer(_))) {
        // The whole drawing is the selection; marking each of its nodes would mark nothing.
        drawn.touched.nodes.clear();
    }
    let Some(layer) = layer else {
        return html! {
            (lens_head(&html! { (Lens::Block.name()) }, &html! { "No node of this graph belongs to a layer." }))
            (why(&run.missing("/graph/nodes/layer")))
            (cards::layerless(&drawn, graph))
        };
    };
    let nodes = block::nodes_of(run, graph, layer);
    let found = block::match_layer(run, &nodes);
    let entries = block::entries(run, &nodes);
    let working = entries.iter().filter(|entry| matches!(entry, Entry::Node(_))).count();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let title = html! {
        "Layer " (layer) ": " (format::plural(count(working), "working node", "working nodes"))
        @if working < nodes.len() { " and " (format::plural(count(nodes.len() - working), "view", "views")) }
    };
    html! {
        (lens_head(&title, &intro(&found)))
        (picker(cx, graph, layer, &layers))
        @match &found {
            Match::Matched(matched) => { (schematic::figure(&drawn, matched)) }
            Match::Unmatched(mismatch) => { (unmatched(cx, mismatch)) }
        }
        (cards::figure(&drawn, &entries, chosen.ok().map(|chosen| chosen.why)))
        (cards::layerless(&drawn, graph))
    }
}

fn intro(found: &Match) -> Markup {
    match found {
        Match::Matched(matched) => {
            let [mixer, network] = matched.halves;
            let mixer = match (mixer.name, matched.grouped_query) {
                ("attention", Some(true)) => "grouped-query attention",
                ("attention", Some(false)) => "multi-head attention",
                _ => mixer.title,
            };
            html! {
                "Matched as a pre-norm block with " (mixer) " and a " (network.title) ", from its operations and the tensors they read, never from "
                "names. Solid arrows are results that the graph records as taken. What is dotted only explains: the frames, and an "
                "arrow for which the graph records a read but not the write before it."
            }
        }
        Match::Unmatched(_) => html! {
            "The nodes in encode order. No arrow is drawn, because the layer matches no known pattern; each node's own sources are in the graph."
        },
    }
}

/// Fields and links to other layers and graphs.
fn picker(cx: &Context<'_>, graph: u32, layer: u32, layers: &[(u32, u32)]) -> Markup {
    let run = cx.run;
    let at = layers.iter().position(|(known, _)| *known == layer).unwrap_or(0);
    let neighbour = |at: Option<usize>| at.and_then(|at| layers.get(at)).map(|(layer, _)| *layer);
    let (before, after) = (neighbour(at.checked_sub(1)), neighbour(at.checked_add(1)));
    let options: Vec<(String, String)> =
        layers.iter().map(|(layer, _)| (layer.to_string(), format!("layer {layer}"))).collect();
    let graphs: Vec<(String, String)> = (0..run.graph.graphs.rows())
        .map(|row| (row.to_string(), run.graph.graphs.name.get(row).unwrap_or("unnamed").to_owned()))
        .collect();
    let link = |layer: u32| cx.href(&cx.view.with("layer", "").select(Item::Layer(layer)));
    html! {
        div class="fields" {
            (choice("block-layer", "Layer", "layer", &layer.to_string(), &options))
            @if graphs.len() > 1 { (choice("block-graph", "Graph", "graph", &graph.to_string(), &graphs)) }
            p class="pager" {
                @if let Some(before) = before { a rel="prev" href=(link(before)) { "Layer " (before) } }
                @if let Some(after) = after { a rel="next" href=(link(after)) { "Layer " (after) } }
                a href=(cx.follow(Lens::Model, Item::Layer(layer))) { "Its tensors" }
                a href=(cx.href(&cx.view.to(Lens::Nodes).with("layer", &layer.to_string()))) { "Its nodes as a table" }
            }
        }
    }
}

/// Why there is no schematic.
fn unmatched(cx: &Context<'_>, mismatch: &Mismatch) -> Markup {
    let run = cx.run;
    let count = |count: usize| format::grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let body = html! {
        p { "No schematic: the layer matches no known block pattern, so only its cards are shown." }
        @if !mismatch.sources_known {
            (why(&Missing {
                pointer: "/graph/nodes/sources".to_owned(),
                reason: "The graph does not record which results its nodes take; a pattern is decided from operations, tensors and sources.".to_owned(),
            }))
        } @else if let Some(nearest) = &mismatch.nearest {
            p class="note" {
                "The nearest pattern, " code { (nearest) } ", explains " (count(mismatch.fitted)) " of " (count(mismatch.working)) " working nodes."
                @if let Some(node) = mismatch.left_over {
                    " The first that it does not explain is "
                    a href=(cx.select(Item::Node(node))) { "node " (node) " " code { (run.graph.nodes.operation.get(node as usize).unwrap_or("")) } }
                    "."
                }
            }
        }
    };
    figure("The block", &html! {}, &body)
}

/// Why a pass was chosen, in words.
fn chosen_words(why: Why) -> &'static str {
    match why {
        Why::Selected => "selected",
        Why::UnderTest => "of the token under test",
    }
}

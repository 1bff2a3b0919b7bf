//! The lens Graph nodes: every node in one table, filtered and sorted over all rows, drawn a page at a time.

use tokenpath_core::absence::AbsenceIndex;
use tokenpath_core::derive::chosen::chosen_pass;
use tokenpath_core::derive::nodes::{self, Facets, Filter, Key};
use tokenpath_core::derive::part;
use tokenpath_core::derive::search::Needle;
use tokenpath_core::derive::times::{self, NodeTimes, node_times};
use tokenpath_core::derive::touched::{Touched, touched};
use tokenpath_core::fact::{Fact, Missing, Quantity};
use tokenpath_core::item::Item;
use tokenpath_core::{Label, LabelKind};

use crate::format;
use crate::html::{Markup, html, part_class, symbol};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::stated::{ROWS, pager};
use crate::table::{self as long, Sort};
use crate::value::{absent_short, glyph, known, value, why};

const POSITION: &str = "operations of the nodes before it in its subgraph, fused ones counted";

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    let run = cx.run;
    if !run.graph.nodes.given {
        return nothing(Lens::Nodes, &run.missing(if run.graph.given { "/graph/nodes" } else { "/graph" }));
    }
    let facets = nodes::facets(run);
    let rows = run.graph.nodes.rows();
    let chosen = chosen_pass(run, cx.view.item);
    let timed = chosen.as_ref().map_err(Clone::clone).and_then(|chosen| node_times(run, chosen.pass));
    let positions = nodes::positions(run);
    let filter = filter(cx);
    let sort = Sort::of(cx);
    let key = match sort.key {
        "name" => Key::Name,
        "operation" => Key::Operation,
        "layer" => Key::Layer,
        "position" => Key::Position,
        "bytes" => Key::Bytes,
        "time" => Key::Time,
        _ => Key::Index,
    };
    let wanted = cx.view.param("from").and_then(|from| from.parse::<usize>().ok()).unwrap_or(0);
    let from = wanted / ROWS * ROWS;
    let times = timed.as_ref().ok();
    let first = nodes::page(run, &filter, key, sort.descending, from, ROWS, times);
    // An address may ask for a page past the end of what matches now.
    let (page, from) = if first.nodes.is_empty() && first.matching > 0 {
        let from = (first.matching - 1) / ROWS * ROWS;
        (nodes::page(run, &filter, key, sort.descending, from, ROWS, times), from)
    } else {
        (first, from)
    };
    let table = Table { cx, touched: touched(run, cx.view.item), positions, timed, absences: run.absences() };
    let views = usize::try_from(facets.views).unwrap_or(0);
    let title = html! {
        (format::plural(whole(rows), "node", "nodes"))
        @if views > 0 { ", " (format::grouped(whole(rows - views))) " of them working" }
    };
    let text = html! {
        "Every node of the runtime graph in encode order. The index is the identity; names repeat. A position counts the operations "
        "of a subgraph, fused ones included. A time is that of one pass, as the instrument saw it."
    };
    html! {
        (lens_head(&title, &text))
        (fields(cx, &facets))
        (table.figure(&page, from, chosen.ok().map(|chosen| chosen.pass)))
        (figure("Operations", &html! { "of all nodes" }, &operations(cx, &facets)))
    }
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The filter of the view's parameters.
fn filter<'a>(cx: &Context<'a>) -> Filter<'a> {
    let number = |name: &str| cx.view.param(name).and_then(|text| text.parse::<u32>().ok());
    Filter {
        needle: Needle::new(cx.view.param("q").unwrap_or("")),
        layer: match cx.view.param("layer") {
            Some("none") => Some(None),
            _ => number("layer").map(Some),
        },
        operation: cx.view.param("operation"),
        kernel: number("kernel"),
        label: cx.view.param("label").and_then(|word| LabelKind::ALL.into_iter().find(|kind| kind.word() == word)),
        graph: number("graph"),
        views: cx.view.param("views") != Some("no"),
    }
}

/// The filter fields.
fn fields(cx: &Context<'_>, facets: &Facets<'_>) -> Markup {
    let run = cx.run;
    let now = |name: &str| cx.view.param(name).unwrap_or("").to_owned();
    let counted = |text: String, count: u32| format!("{text} ({})", format::grouped(i64::from(count)));
    let any = || ("".to_owned(), "any".to_owned());
    let mut layers = vec![any()];
    layers.extend(
        facets.layers.iter().map(|(layer, count)| (layer.to_string(), counted(format!("layer {layer}"), *count))),
    );
    if facets.layerless > 0 {
        layers.push(("none".to_owned(), counted("no layer".to_owned(), facets.layerless)));
    }
    let mut operations = vec![any()];
    operations.extend(
        facets.operations.iter().map(|(name, count)| ((*name).to_owned(), counted((*name).to_owned(), *count))),
    );
    let mut kernels = vec![any()];
    kernels.extend(facets.kernels.iter().map(|(kernel, count)| {
        let name = kernel_name(cx, *kernel);
        let short: String = name.chars().take(60).collect();
        (kernel.to_string(), counted(short, *count))
    }));
    let mut labels = vec![any()];
    labels.extend(
        facets.labels.iter().map(|(kind, count)| (kind.word().to_owned(), counted(kind.word().to_owned(), *count))),
    );
    let mut graphs = vec![any()];
    graphs.extend(
        (0..run.graph.graphs.rows())
            .map(|row| (row.to_string(), run.graph.graphs.name.get(row).unwrap_or("unnamed").to_owned())),
    );
    html! {
        div class="fields" {
            (long::search(cx, "nodes-q", "Name, operation, kernel or tensor"))
            (long::choice("nodes-layer", "Layer", "layer", &now("layer"), &layers))
            (long::choice("nodes-operation", "Operation", "operation", &now("operation"), &operations))
            (long::choice("nodes-kernel", "Kernel", "kernel", &now("kernel"), &kernels))
            (long::choice("nodes-label", "Label of the mapping", "label", &now("label"), &labels))
            @if graphs.len() > 2 { (long::choice("nodes-graph", "Graph", "graph", &now("graph"), &graphs)) }
            @if facets.views > 0 {
                (long::choice("nodes-views", "Views", "views", &now("views"), &[
                    (String::new(), "shown".to_owned()),
                    ("no".to_owned(), "left out".to_owned()),
                ]))
            }
        }
    }
}

fn kernel_name<'a>(cx: &Context<'a>, kernel: u32) -> &'a str {
    let kernels = &cx.run.kernels;
    kernels.short.get(kernel as usize).or(kernels.name.get(kernel as usize)).unwrap_or("")
}

/// What the rows are drawn from.
struct Table<'a> {
    cx: &'a Context<'a>,
    touched: Touched,
    positions: Result<Vec<u32>, Missing>,
    timed: Result<NodeTimes, Missing>,
    /// Looked up for each absent cell, so indexed once.
    absences: AbsenceIndex<'a>,
}

impl Table<'_> {
    fn figure(&self, page: &nodes::Page, from: usize, pass: Option<u32>) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let aside = html! {
            (format::plural(whole(page.matching), "node matches", "nodes match"))
            @if let (Some(pass), Ok(_)) = (pass, &self.timed) {
                "; time "
                @if let Some(label) = run.timeline.intervals.label("duration", 0) { (glyph(label)) }
                "in pass " a href=(cx.follow(Lens::Passes, Item::Pass(pass))) { (pass) }
            }
        };
        let body = html! {
            (self.elsewhere(page))
            div class="tw nodes" tabindex="0" role="region" aria-label="Nodes" { table class="tight" {
                thead { tr {
                    (long::sort_head(cx, "Node", "", true, false))
                    (long::sort_head(cx, "Operation", "operation", false, false))
                    (long::sort_head(cx, "Name", "name", false, false))
                    (long::sort_head(cx, "Layer", "layer", true, false))
                    (long::sort_head_labelled(cx, "Position", "position", &Label::derived(POSITION)))
                    (long::head("Kernel", false))
                    (long::sort_head(cx, "Tensors read", "bytes", false, true))
                    (long::head("Result", false))
                    (long::sort_head(cx, "Time", "time", true, true))
                } }
                tbody { @for node in &page.nodes { (self.row(*node)) } }
                @if page.timed > 1 {
                    tfoot { tr {
                        th scope="row" colspan="8" { "Sum of the " (format::grouped(whole(page.timed))) " matching nodes that are timed" }
                        td class="n" {
                            @match page.sum {
                                Some(sum) => { (known(&self.sum(sum))) }
                                None => { (absent_short(&Missing {
                                    pointer: "/timeline/intervals/nodes".to_owned(),
                                    reason: "Some times cover several nodes; adding them up would count them more than once.".to_owned(),
                                })) }
                            }
                        }
                    } }
                }
            } }
            @if page.nodes.is_empty() { p class="note" { "No node matches. " a href=(cx.href(&crate::view::View { params: Vec::new(), ..cx.view.clone() })) { "Show all" } } }
            (pager(cx, &(from..from + page.nodes.len()), page.matching, "nodes"))
            @if let Err(missing) = &self.timed { (why(missing)) }
            @if let Err(missing) = &self.positions { (why(missing)) }
        };
        figure("Nodes", &aside, &body)
    }

    /// The sum of the matching nodes' times.
    fn sum(&self, sum: i64) -> Fact {
        let intervals = &self.cx.run.timeline.intervals;
        let total = Quantity::Nanos(sum);
        let input = tokenpath_core::derive::sum::input(
            total.clone(),
            &intervals.labels,
            "duration",
            "/timeline/intervals/duration",
        );
        Fact::derived(total, "sum of the times of the matching nodes", vec![("their times".to_owned(), input)])
    }

    /// The bundle's reason for an absent cell.
    fn missing(&self, column: &str, at: usize) -> Missing {
        let pointer = format!("/graph/nodes/{column}/{at}");
        let reason = match self.absences.covering(&pointer) {
            Some(absence) => absence.reason.clone(),
            None => "The bundle holds no value here and gives no reason.".to_owned(),
        };
        Missing { pointer, reason }
    }

    /// A way to the selected node when it is not on this page.
    fn elsewhere(&self, page: &nodes::Page) -> Markup {
        let cx = self.cx;
        let Some(Item::Node(node)) = cx.view.item else { return html! {} };
        if page.nodes.contains(&node) || node as usize >= cx.run.graph.nodes.rows() {
            return html! {};
        }
        let from = node as usize / ROWS * ROWS;
        let from = if from == 0 { String::new() } else { from.to_string() };
        let view = crate::view::View { params: Vec::new(), ..cx.view.clone() }.with("from", &from);
        html! { p class="note" { "The selected node " (node) " is not on this page. " a href=(cx.href(&view)) { "Show it among all nodes" } } }
    }

    fn row(&self, node: u32) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let nodes = &run.graph.nodes;
        let at = node as usize;
        let absent = |column: &str| absent_short(&self.missing(column, at));
        let view = tokenpath_core::derive::block::is_view(run, at);
        let on = self.touched.nodes.contains(&node);
        html! {
            tr class=[match (on, view) { (true, _) => Some("on"), (_, true) => Some("view"), _ => None }] {
                td class="n" { a href=(cx.select(Item::Node(node))) { (node) } }
                td class="w" {
                    svg class="edge" width="4" height="12" aria-hidden="true" { rect class=(part_class(part::of_node(run, at))) width="4" height="12" {} }
                    @match nodes.operation.get(at) { Some(operation) => { code { (operation) } } None => { (absent("operation")) } }
                    @if let Some(fused) = nodes.fused.get(at).filter(|fused| *fused > 1) { span class="q" { " fuses " (format::grouped(fused)) } }
                }
                td class="w" { code { (nodes.name.get(at).unwrap_or("")) } }
                td class="n" {
                    @match nodes.layer.get(at) {
                        Some(layer) => { a href=(cx.follow(Lens::Block, Item::Node(node))) { (layer) } }
                        None => { (self.ended(nodes.layer_end.get(at), "layer", at)) }
                    }
                }
                td class="n" { @match &self.positions {
                    Ok(positions) => { @if let Some(position) = positions.get(at) { (position) } }
                    Err(missing) => { (absent_short(missing)) }
                } }
                td class="w" { (self.kernel(at)) }
                td class="w" { (self.tensors(at)) }
                td class="w q" {
                    (nodes.dtype.get(at).unwrap_or("")) " "
                    @if let Some(shape) = nodes.shape.get(at) { (format::sizes(shape)) }
                }
                td class="n" { (self.time(node, view)) }
            }
        }
    }

    fn time(&self, node: u32, view: bool) -> Markup {
        match &self.timed {
            Ok(timed) if view && timed.get(node).is_none() => html! {},
            Ok(timed) => html! {
                (value(&times::reading(self.cx.run, &self.timed, node)))
                @if timed.get(node).is_some_and(|time| time.shared) { span title="covers nodes that ran together" { "\u{2009}\u{2295}" } }
            },
            Err(missing) => absent_short(missing),
        }
    }

    /// Where a chain ends, by the bundle's answer, or that the relation is not supplied.
    fn ended(&self, end: Option<u32>, column: &str, at: usize) -> Markup {
        let run = self.cx.run;
        match end.and_then(|end| run.traversal.ends.text.get(end as usize)) {
            Some(text) => {
                html! { span class="end" role="img" aria-label=(text) title=(text) { (symbol("x-term", 14, 12, "ends")) } }
            }
            None => {
                let missing = self.missing(column, at);
                html! { span class="gap" role="img" aria-label={ "gap: " (missing.reason) } title=(missing.reason) { (symbol("x-gap", 26, 12, "torn")) } }
            }
        }
    }

    fn kernel(&self, at: usize) -> Markup {
        let cx = self.cx;
        let nodes = &cx.run.graph.nodes;
        match nodes.kernels.get(at) {
            Some([first, rest @ ..]) => html! {
                @if let Some(label) = nodes.label("kernels", at) { (glyph(label)) }
                a href=(cx.follow(Lens::Kernels, Item::Kernel(*first))) title=(cx.run.kernels.name.get(*first as usize).unwrap_or("")) {
                    code class="clip" { (kernel_name(cx, *first)) }
                }
                @if !rest.is_empty() { span class="q" { " or " (rest.len()) " more" } }
            },
            _ => self.ended(nodes.kernels_end.get(at), "kernels", at),
        }
    }

    fn tensors(&self, at: usize) -> Markup {
        let cx = self.cx;
        let run = cx.run;
        let nodes = &run.graph.nodes;
        match nodes.tensors.get(at) {
            Some([first, rest @ ..]) => html! {
                a href=(cx.follow(Lens::Model, Item::Tensor(*first))) { code class="clip" { (run.model.tensors.name.get(*first as usize).unwrap_or("")) } }
                @if let Some(bytes) = nodes::tensor_bytes(run, at) { span class="q" { " " (format::bytes(bytes)) } }
                @if !rest.is_empty() { span class="q" { " and " (rest.len()) " more" } }
            },
            _ => self.ended(nodes.tensors_end.get(at), "tensors", at),
        }
    }
}

/// How many nodes have each operation.
fn operations(cx: &Context<'_>, facets: &Facets<'_>) -> Markup {
    html! {
        ul class="tally" {
            @for (operation, count) in &facets.operations {
                li {
                    a href=(cx.href(&cx.view.with("from", "").with("operation", operation))) { code { (operation) } }
                    " " (format::grouped(i64::from(*count)))
                }
            }
        }
        @if facets.fused.0 > 0 {
            p class="note" {
                (format::plural(i64::from(facets.fused.0), "node stands", "nodes stand")) " for several fused operations; all nodes stand for "
                (format::grouped(i64::try_from(facets.fused.1).unwrap_or(i64::MAX))) "."
            }
        }
    }
}

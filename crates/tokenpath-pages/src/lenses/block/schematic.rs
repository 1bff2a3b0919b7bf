//! The schematic of a matched layer: groups that one can select, arrows that the graph records, and dotted ones that
//! only explain.

use tokenpath_core::derive::block::{ArrowKind, Matched, MatchedGroup, Terminal};
use tokenpath_core::item::Item;
use tokenpath_core::{Label, LabelKind};

use super::Layer;
use super::layout::{BOX, Layout, Line, Rect, layout};
use crate::html::{Markup, html, part_class, px};
use crate::page::figure as titled;
use crate::value::glyph;

/// Draws the schematic.
pub(super) fn figure(layer: &Layer<'_>, matched: &Matched) -> Markup {
    let laid = layout(matched);
    let rule = Label::new(LabelKind::Inferred, "block-pattern");
    let aside = html! { (glyph(&rule)) "pattern: " code { (matched.name()) } };
    let body = html! {
        div class="scroll" tabindex="0" role="group" aria-label="Schematic of the layer; the table beneath says the same" {
            svg role="group" aria-label="Layer schematic" width=(px(laid.width)) height=(px(laid.height)) {
                @for (frame, half) in laid.frames.iter().zip(matched.halves) { (frame_box(*frame, half.frame)) }
                @for line in &laid.lines { (arrow(line)) }
                text class="q" x="0" y=(px(laid.enter.1 - 7.0)) { "input" }
                @for (rect, group) in laid.boxes.iter().zip(&matched.groups) { (group_box(layer, *rect, group)) }
            }
        }
        (untold(matched, &laid))
        (table(layer, matched))
    };
    titled("The block", &aside, &body)
}

fn frame_box(rect: Rect, name: &str) -> Markup {
    html! {
        rect class="con" x=(px(rect.x)) y=(px(rect.y)) width=(px(rect.width)) height=(px(rect.height)) rx="5" {}
        text class="q" x=(px(rect.x + 10.0)) y=(px(rect.y + 16.0)) { (name) }
    }
}

fn arrow(line: &Line) -> Markup {
    let mut path = String::new();
    // A head reaches the box it points to; the line stops short of it.
    for (i, (x, y)) in line.corners.iter().enumerate() {
        path.push(if i == 0 { 'M' } else { 'L' });
        path.push_str(&format!("{} {}", px(*x), px(*y)));
    }
    let (class, marker) = match line.kind {
        ArrowKind::Recorded => ("rec", "url(#ah)"),
        ArrowKind::Explaining => ("con", "url(#ch)"),
    };
    html! { path class=(class) d=(path) marker-end=(marker) {} }
}

fn group_box(layer: &Layer<'_>, rect: Rect, group: &MatchedGroup) -> Markup {
    let on = group.nodes.iter().any(|node| layer.touched.nodes.contains(node));
    let Some(first) = group.nodes.first() else { return html! {} };
    let (x, y) = (px(rect.x), px(rect.y));
    html! {
        a href=(layer.cx.select(Item::Node(*first))) aria-label={ (group.group.label) ", " (nodes_words(group)) } {
            rect class="gbox" x=(x) y=(y) width=(px(rect.width)) height=(px(BOX)) rx="3" {}
            rect class=(part_class(group.group.part)) x=(x) y=(y) width="6" height=(px(BOX)) {}
            @if on { rect class="sel" x=(px(rect.x - 1.0)) y=(px(rect.y - 1.0)) width=(px(rect.width + 2.0)) height=(px(BOX + 2.0)) rx="4" {} }
            text class="gtext" x=(px(rect.x + 12.0)) y=(px(rect.y + 17.0)) { (group.group.label) }
        }
    }
}

fn nodes_words(group: &MatchedGroup) -> String {
    match group.nodes.as_slice() {
        [only] => format!("node {only}"),
        nodes => format!("nodes {}", nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Arrows that enter or leave where no line is drawn.
fn untold(matched: &Matched, laid: &Layout) -> Markup {
    let name = |group: usize| matched.groups.get(group).map_or("", |group| group.group.label);
    html! {
        @if !laid.untold.is_empty() {
            p class="note" {
                @for (group, entering) in &laid.untold {
                    @if *entering { (name(*group)) " also takes a result from outside the layer. " }
                    @else { "The result of " (name(*group)) " is also taken outside the layer. " }
                }
            }
        }
    }
}

/// The table behind the drawing.
fn table(layer: &Layer<'_>, matched: &Matched) -> Markup {
    let operations = &layer.cx.run.graph.nodes.operation;
    let name = |terminal: Terminal| match terminal {
        Terminal::Group(group) => matched.groups.get(group).map_or("", |group| group.group.label),
        Terminal::Outside => "outside the layer",
    };
    html! {
        details class="behind" {
            summary { "The same as a table" }
            div class="tw" tabindex="0" role="region" aria-label="Groups and what they take" { table class="tight" {
                thead { tr {
                    th scope="col" { "Group" }
                    th scope="col" { "Half" }
                    th scope="col" { "Nodes" }
                    th scope="col" { "Takes, as recorded" }
                    th scope="col" { "Takes, as explained" }
                } }
                tbody {
                    @for (at, group) in matched.groups.iter().enumerate() {
                        @let taken = |kind: ArrowKind| {
                            let arrows = matched.arrows.iter().filter(|arrow| arrow.to == Terminal::Group(at) && arrow.kind == kind);
                            arrows.map(|arrow| name(arrow.from)).collect::<Vec<_>>().join(", ")
                        };
                        tr {
                            td { (group.group.label) }
                            td { (matched.halves.get(group.half).map_or("", |half| half.frame)) }
                            td {
                                @for (i, node) in group.nodes.iter().enumerate() {
                                    @if i > 0 { ", " }
                                    a href=(layer.cx.select(Item::Node(*node))) { (node) } " " code { (operations.get(*node as usize).unwrap_or("")) }
                                }
                            }
                            td { (taken(ArrowKind::Recorded)) }
                            td { (taken(ArrowKind::Explaining)) }
                        }
                    }
                }
            } }
        }
    }
}

//! How chains end: gaps first, then the answers, then what resolves; and what the walk leaves over.

use tokenpath_core::fact::{Fact, Missing, Quantity};
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{ComputedBy, GapGroup, Leftover, Outcome, TerminalGroup, Verdict};

use super::{chip, end_mark, gap_mark, int};
use crate::format;
use crate::html::{Markup, html};
use crate::naming;
use crate::page::Context;
use crate::value;

/// So many places of a group are listed; the others are counted.
const LISTED: usize = 40;

/// The verdict and how its chains end.
pub(super) fn figure(cx: &Context<'_>, verdict: &Verdict) -> Markup {
    let by = match verdict.computed_by {
        ComputedBy::Generator => "computed by the generator from a committed run",
        ComputedBy::Page => "computed by this page from the file",
        ComputedBy::CommandLine => "computed by the command line from the file",
    };
    html! {
        section class="fig" {
            h2 { span { (chip(verdict)) } small { (by) } }
            @if let Outcome::NotApplicable { reason } = &verdict.outcome {
                p class="note" { (reason) }
            } @else {
                div class="tw txt" {
                    table {
                        thead { tr {
                            th scope="col" class="n" { "Chains" } th scope="col" { "How they end" } th scope="col" { "Where and why" }
                        } }
                        tbody {
                            @for group in &verdict.gaps { (gap(cx, group)) }
                            (terminals(cx, verdict))
                            (resolved(verdict))
                        }
                    }
                }
                @if verdict.down.total > 0 { (down(verdict)) }
            }
        }
    }
}

fn gap(cx: &Context<'_>, group: &GapGroup) -> Markup {
    html! {
        tr {
            td class="n" { (format::grouped(int(group.chains))) }
            td class="w" { span class="gap" { (gap_mark()) "gap" } }
            td {
                (group.hop.title()) ", " code { (group.pointer) } ": " (group.reason)
                @if let Some(first) = group.members.first().and_then(|member| member.first) {
                    " " a href=(cx.select(first)) { "First: " (naming::identity(first)) }
                }
                @if group.members.len() > 1 {
                    details class="more" {
                        summary { (format::plural(group.members.len() as i64, "place", "places")) }
                        ul {
                            @for member in group.members.iter().take(LISTED) {
                                li {
                                    code { (member.pointer) }
                                    @if let Some(first) = member.first {
                                        " " a href=(cx.select(first)) { (naming::identity(first)) }
                                    }
                                }
                            }
                            @if group.members.len() > LISTED {
                                li { "and " (format::grouped((group.members.len() - LISTED) as i64)) " more" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn terminals(cx: &Context<'_>, verdict: &Verdict) -> Markup {
    let (up, down): (Vec<&TerminalGroup>, Vec<&TerminalGroup>) =
        verdict.terminals.iter().partition(|group| !group.hop.is_down());
    let listed = |groups: &[&TerminalGroup]| {
        html! {
            ul {
                @for group in groups {
                    li {
                        (format::grouped(int(group.chains))) " at " (group.hop.title()) ": " (group.reason)
                        @if let Some(first) = group.first { " " a href=(cx.select(first)) { "First: " (naming::identity(first)) } }
                    }
                }
            }
        }
    };
    html! {
        tr {
            td class="n" { (format::grouped(int(verdict.up.terminal))) }
            td class="w" { (end_mark()) "terminal" }
            td {
                "the bundle answers that they end before a layer"
                @if !up.is_empty() {
                    details class="more" {
                        summary { (format::plural(up.len() as i64, "answer", "answers")) ", by hop" }
                        (listed(&up))
                    }
                }
                @if !down.is_empty() {
                    details class="more" {
                        summary { (format::plural(down.len() as i64, "answer", "answers")) " on the way down" }
                        (listed(&down))
                    }
                }
            }
        }
    }
}

fn resolved(verdict: &Verdict) -> Markup {
    html! {
        tr {
            td class="n" { (format::grouped(int(verdict.up.resolved))) }
            td class="w" { (dot()) "resolved" }
            td {
                "reach a layer; " (format::plural(int(verdict.reach_tensor), "chain reaches", "chains reach")) " a tensor"
                @if let Some(weakest) = &verdict.weakest {
                    ". The weakest label met: " span class="v" { (value::glyph(weakest)) (value::label_text(weakest)) }
                }
            }
        }
    }
}

/// The mark of a hop that leads on.
fn dot() -> Markup {
    html! {
        svg class="mark" width="14" height="10" aria-hidden="true" { circle cx="6" cy="5" r="3.5" fill="var(--ink2)" {} }
    }
}

fn down(verdict: &Verdict) -> Markup {
    let down = &verdict.down;
    html! {
        p class="note" {
            "Down, from " (format::plural(int(down.total), "component", "components")) ": "
            (format::grouped(int(down.resolved))) " reach intervals of the pass, "
            (format::grouped(int(down.terminal))) " end at an answer, "
            (format::grouped(int(down.gap))) " meet a gap."
        }
    }
}

/// A caption, what is left over, the kind of its rows, and the column that would have reached them.
type LeftRow<'a> = (&'a str, &'a Leftover, fn(u32) -> Item, &'a str);

/// What the walk leaves over: counts that open to their reasons.
pub(super) fn left_over(cx: &Context<'_>, verdict: &Verdict) -> Markup {
    let rows: [LeftRow<'_>; 3] = [
        ("Intervals in no pass", &verdict.intervals_in_no_pass, Item::Interval, "/timeline/intervals/pass"),
        ("Nodes no interval reaches", &verdict.nodes_no_interval_reaches, Item::Node, "/timeline/intervals/nodes"),
        ("Kernels no node names", &verdict.kernels_no_node_names, Item::Kernel, "/graph/nodes/kernels"),
    ];
    html! {
        section class="fig" {
            h2 { "Left over" }
            dl class="kv leftover" {
                @for (caption, left, item, pointer) in rows {
                    dt { (caption) }
                    dd { (count(left, pointer)) }
                    @if !left.groups.is_empty() {
                        dd class="wide" {
                            @for group in &left.groups {
                                details class="more" {
                                    summary { (format::grouped(int(group.count))) ": " (group.reason) }
                                    @if !group.rows.is_empty() {
                                        p {
                                            @for row in group.rows.iter().take(LISTED) {
                                                @let each = item(*row);
                                                a class=[naming::is_verbatim(each).then_some("m")]
                                                    href=(cx.follow(naming::lens(each), each)) { (naming::link(cx.run, each)) }
                                                " "
                                            }
                                            @if group.rows.len() > LISTED {
                                                "and " (format::grouped((group.rows.len() - LISTED) as i64)) " more"
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn count(left: &Leftover, pointer: &str) -> Markup {
    match left.count {
        Some(count) => {
            let fact = Fact::derived(Quantity::Count(int(count)), "rows that the walk leaves over", Vec::new());
            html! {
                (value::known(&fact))
                @if let Some(of) = left.of { " of " (format::grouped(int(of))) }
            }
        }
        None => {
            let reason = left.reason.clone().unwrap_or_else(|| "The walk cannot tell.".to_owned());
            value::absent(&Missing { pointer: pointer.to_owned(), reason })
        }
    }
}

//! One chain opened: the tree of its hops up, and the way back down, as a drawing.
//!
//! A resolved hop is a solid line with a filled head; an answer is a line that meets a thick bar; a gap is a line torn
//! open before a dashed box that names what would have supplied the relation.

use std::collections::BTreeSet;

use tokenpath_core::Label;
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{Chain, HopEnd, Step, chain};

use crate::format;
use crate::html::{Markup, html, px};
use crate::naming;
use crate::page::Context;
use crate::value::{glyph_id, label_text};

/// Heights and gaps of the drawing in pixels.
const BOX: f64 = 38.0;
const ROW: f64 = 48.0;
const ARROW: f64 = 20.0;

/// Estimated widths of a character of monospace names and of quiet text.
const MONO: f64 = 6.75;
const QUIET: f64 = 6.4;

/// So many targets of one hop are drawn; the others are counted.
const TARGETS: usize = 4;

/// The chain of an interval.
pub(super) fn figure(cx: &Context<'_>, interval: u32) -> Markup {
    let Some(chain) = chain(cx.run, interval) else { return html! {} };
    let mut drawing = Drawing::new(cx, &chain);
    let up = drawing.heading("Up", 0.0);
    let top = drawing.tree(&chain.up, &[Item::Interval(interval)], up);
    let down = drawing.heading("Down", top + 6.0);
    let roots: Vec<Item> = {
        let targets: BTreeSet<Item> = chain.down.iter().flat_map(|step| targets(&step.end)).copied().collect();
        let mut seen = BTreeSet::new();
        chain.down.iter().map(|step| step.from).filter(|from| !targets.contains(from) && seen.insert(*from)).collect()
    };
    let bottom = if roots.is_empty() {
        drawing.text(0.0, down + 14.0, "q", "No tensor leads to a component, so no walk down meets this interval.");
        down + 24.0
    } else {
        drawing.tree(&chain.down, &roots, down)
    };
    let width = drawing.width.max(320.0);
    html! {
        div class="scroll chain-scroll" tabindex="0" role="region" aria-label={ "Chain of interval " (interval) } {
            svg role="group" aria-label={ "Chain of interval " (interval) } width=(px(width)) height=(px(bottom + 4.0)) {
                @for part in &drawing.parts { (part) }
            }
        }
        p class="note" {
            @match &chain.label {
                Some(label) => { "As strong as its weakest hop: " (crate::value::glyph(label)) (label_text(label)) ". " },
                None => "",
            }
            @if !roots.is_empty() {
                @if chain.returns { "The way down comes back to the interval." }
                @else { "The way down does not come back to the interval." }
            }
        }
    }
}

fn targets(end: &HopEnd) -> &[Item] {
    match end {
        HopEnd::Resolved { targets, .. } => targets,
        _ => &[],
    }
}

/// A sentence in at most two lines; what does not fit is cut, and stands whole in the table above.
fn wrapped(text: &str) -> Vec<String> {
    const LINE: usize = 72;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let full = lines.len() == 2;
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= LINE {
            line.push(' ');
            line.push_str(word);
        } else if full {
            line.push_str(" \u{2026}");
            break;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

struct Drawing<'a> {
    cx: &'a Context<'a>,
    interval: u32,
    parts: Vec<Markup>,
    width: f64,
}

/// Where a box stands: left, top, width.
type Place = (f64, f64, f64);

impl<'a> Drawing<'a> {
    fn new(cx: &'a Context<'a>, chain: &Chain) -> Drawing<'a> {
        Drawing { cx, interval: chain.interval, parts: Vec::new(), width: 0.0 }
    }

    fn heading(&mut self, text: &str, y: f64) -> f64 {
        self.text(0.0, y + 12.0, "b", text);
        y + 20.0
    }

    fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let wide = if class == "m" { MONO } else { QUIET };
        self.width = self.width.max(x + text.chars().count() as f64 * wide);
        self.parts.push(html! { text class=(class) x=(px(x)) y=(px(y)) { (text) } });
    }

    /// Draws the trees of `steps` that start at `roots`, from `top` on; the y beneath them.
    fn tree(&mut self, steps: &[Step], roots: &[Item], top: f64) -> f64 {
        let mut drawn = BTreeSet::new();
        let mut y = top;
        for root in roots {
            // A pixel of room keeps the frame of the first box whole.
            y = self.branch(steps, *root, None, (1.0, y), &mut drawn);
        }
        y
    }

    /// Draws an item at `x`, `y` and everything that follows from it to its right and beneath; the y beneath it all.
    fn branch(
        &mut self,
        steps: &[Step],
        item: Item,
        label: Option<&Label>,
        (x, y): (f64, f64),
        drawn: &mut BTreeSet<Item>,
    ) -> f64 {
        let place = self.node(item, label, (x, y));
        // What a thing leads to is drawn where the thing stands first.
        if !drawn.insert(item) {
            return y + ROW;
        }
        let mut next = y;
        for step in steps.iter().filter(|step| step.from == item) {
            next = self.step(steps, step, place, next, drawn);
        }
        next.max(y + ROW)
    }

    fn step(&mut self, steps: &[Step], step: &Step, place: Place, y: f64, drawn: &mut BTreeSet<Item>) -> f64 {
        let x = place.0 + place.2 + ARROW;
        match &step.end {
            HopEnd::Resolved { targets, label } => {
                // What the walk follows comes first, then the interval it came from, then the others.
                let mut order: Vec<Item> = targets.clone();
                let from: BTreeSet<Item> = steps.iter().map(|step| step.from).collect();
                order.sort_by_key(|item| (!from.contains(item) && *item != Item::Interval(self.interval), *item));
                let followed =
                    order.iter().filter(|item| from.contains(item) || **item == Item::Interval(self.interval));
                let most = followed.count().clamp(1, TARGETS);
                let mut at = y;
                for target in order.iter().take(most) {
                    self.arrow(place, (x, at));
                    at = self.branch(steps, *target, Some(label), (x, at), drawn);
                }
                let more = order.len().saturating_sub(most);
                if more > 0 {
                    let what = order.last().map_or("", |item| item.word()).replace('_', " ");
                    let plural = if more == 1 { "" } else { "s" };
                    let text = format!("and {} more {what}{plural}", format::grouped(more as i64));
                    self.text(x, at - ROW + BOX + 12.0, "q", &text);
                    at += 8.0;
                }
                at
            }
            HopEnd::Terminal { reason, .. } => {
                self.end(place, (x, y), reason);
                y + ROW
            }
            HopEnd::Gap { pointer, reason } => {
                self.gap(place, (x, y), step, pointer, reason);
                y + ROW + 26.0
            }
        }
    }

    /// A line from a box to what stands at `x`, `y`: straight on where it is beside, else down and across.
    fn line(place: Place, (x, y): (f64, f64)) -> String {
        let (left, top, width) = place;
        let middle = y + BOX / 2.0;
        if (y - top).abs() < 1.0 {
            format!("M{} {}H{}", px(left + width), px(middle), px(x))
        } else {
            format!("M{} {}V{}H{}", px(left + 14.0), px(top + BOX), px(middle), px(x))
        }
    }

    fn arrow(&mut self, place: Place, (x, y): (f64, f64)) {
        let d = Self::line(place, (x - 2.0, y));
        self.parts.push(html! { path class="rec" d=(d) marker-end="url(#ah)" {} });
    }

    fn node(&mut self, item: Item, label: Option<&Label>, (x, y): (f64, f64)) -> Place {
        let (title, under) = self.words(item);
        let label = label.cloned().or_else(|| self.own_label(item));
        let wide = (title.chars().count() as f64 * MONO).max(under.chars().count() as f64 * QUIET + 15.0) + 16.0;
        self.width = self.width.max(x + wide + 2.0);
        let href = self.cx.follow(naming::lens(item), item);
        let selected = self.cx.is_selected(item);
        self.parts.push(html! {
            a href=(href) {
                rect class={ "hop" @if selected { " on" } } x=(px(x)) y=(px(y)) width=(px(wide)) height=(px(BOX)) rx="3" {
                    title { (naming::identity(item)) }
                }
                text class="m" x=(px(x + 8.0)) y=(px(y + 16.0)) { (title) }
                @if let Some(label) = &label {
                    svg class="lb" role="img" aria-label=(label_text(label)) x=(px(x + 8.0)) y=(px(y + 22.0)) width="11" height="11" {
                        title { (label_text(label)) }
                        use href={ "#" (glyph_id(label.kind)) } {}
                    }
                }
                text class="q" x=(px(x + 23.0)) y=(px(y + 31.0)) { (under) }
            }
        });
        (x, y, wide)
    }

    /// The label of what a chain starts with: that of the interval's duration, or of the component's kind.
    fn own_label(&self, item: Item) -> Option<Label> {
        let row = item.index() as usize;
        match item {
            Item::Interval(_) => self.cx.run.timeline.intervals.label("duration", row).cloned(),
            Item::Component(_) => self.cx.run.model.components.label("kind", row).cloned(),
            _ => None,
        }
    }

    /// What a box says: kind and index, and one thing about it.
    fn words(&self, item: Item) -> (String, String) {
        let run = self.cx.run;
        let row = item.index() as usize;
        let text = |text: Option<&str>| text.map_or_else(String::new, |text| naming::short(text, 26));
        let under = match item {
            Item::Interval(_) => match run.timeline.intervals.duration.get(row) {
                Some(duration) => format::nanos(duration),
                None => "a tick".to_owned(),
            },
            Item::Pass(_) => text(run.passes.rows.kind.get(row)),
            Item::Submission(_) => text(run.timeline.submissions.kind.get(row)),
            Item::NodeSet(_) => {
                let nodes = run.timeline.node_sets.nodes.get(row).map_or(0, <[u32]>::len);
                format::plural(nodes as i64, "node", "nodes")
            }
            Item::Kernel(_) => text(naming::name(run, item)),
            Item::Node(_) => {
                let operation = run.graph.nodes.operation.get(row).unwrap_or("");
                let name = run.graph.nodes.name.get(row).unwrap_or("");
                naming::short(&format!("{name} {operation}"), 30)
            }
            Item::Tensor(_) => text(run.model.tensors.name.get(row)),
            Item::Component(_) => text(run.model.components.name.get(row)),
            Item::Layer(_) => "decoder layer".to_owned(),
            _ => String::new(),
        };
        (naming::identity(item), under)
    }

    fn end(&mut self, place: Place, (x, y): (f64, f64), reason: &str) {
        let bar = x + 14.0;
        let d = Self::line(place, (bar, y));
        let middle = y + BOX / 2.0;
        self.parts.push(html! {
            path class="term-line" d=(d) {}
            path class="term-bar" d={ "M" (px(bar)) " " (px(middle - 11.0)) "v22" } {}
        });
        self.text(bar + 10.0, y + 9.0, "i", "ends here");
        for (line, at) in wrapped(reason).iter().zip([22.0, 34.0]) {
            self.text(bar + 10.0, y + at, "q", line);
        }
    }

    fn gap(&mut self, place: Place, (x, y): (f64, f64), step: &Step, pointer: &str, reason: &str) {
        let middle = y + BOX / 2.0;
        let (torn, on) = (x + 6.0, x + 52.0);
        // The line is whole until it is torn: what stands above it on the same line may well resolve.
        let d = Self::line(place, (torn - 14.0, y));
        let first = format!("{}: the bundle does not supply this relation", step.hop.title());
        let reason = wrapped(reason);
        let longest = |text: &str, wide: f64| text.chars().count() as f64 * wide;
        let texts = reason.iter().map(|line| longest(line, QUIET));
        let wide = texts.fold(longest(&first, MONO).max(longest(pointer, MONO)), f64::max) + 24.0;
        let left = on + 20.0;
        let height = 42.0 + 13.0 * reason.len() as f64;
        self.parts.push(html! {
            path class="rec" d=(d) {}
            path class="gap-line" d={ "M" (px(torn - 14.0)) " " (px(middle)) "H" (px(torn)) } {}
            path class="gap-line" d={ "M" (px(on)) " " (px(middle)) "H" (px(left)) } {}
            path class="gap-line" d={
                "M" (px(torn + 5.0)) " " (px(middle - 8.0)) "l-5 8 5 8M" (px(on - 5.0)) " " (px(middle - 8.0)) "l5 8-5 8"
            } {}
            rect class="gap-box" x=(px(left)) y=(px(y - 4.0)) width=(px(wide)) height=(px(height)) rx="3" {}
            text class="gap-text" x=(px(left + 12.0)) y=(px(y + 11.0)) { (first) }
            text class="m" x=(px(left + 12.0)) y=(px(y + 27.0)) { (pointer) }
            @for (at, line) in reason.iter().enumerate() {
                text class="q" x=(px(left + 12.0)) y=(px(y + 42.0 + 13.0 * at as f64)) { (line) }
            }
        });
        self.width = self.width.max(left + wide + 2.0);
    }
}

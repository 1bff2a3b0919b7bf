//! A scene as SVG, for pages without scripts and for goldens.
//!
//! Places are written as shares of the width, so that the drawing fills its column and its text keeps its size; what is
//! too narrow to be read one by one shares a path for each fill.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tokenpath_core::derive::part::Part;
use tokenpath_core::item::Item;

use super::{Anchor, Bar, Fill, Line, Of, Role, Scene, Stroke};
use crate::html::{Markup, html, part_class, px};

/// A bar at least so wide is an element of its own, which can be pointed at and followed.
const OWN: u32 = 4;

/// Draws a scene. `href` gives the address with an item selected, `title` what a bar says when pointed at.
pub fn to_svg(scene: &Scene, caption: &str, href: &dyn Fn(Item) -> String, title: &dyn Fn(&Bar) -> String) -> Markup {
    let (width, height) = (scene.view.width, scene.view.height);
    let share = |x: f64| format!("{}%", px(x / f64::from(width) * 100.0));
    let mut merged: BTreeMap<&'static str, String> = BTreeMap::new();
    let mut own: Vec<&Bar> = Vec::new();
    for bar in scene.map.iter().chain(&scene.bars) {
        if bar.width >= OWN && matches!(bar.of, Of::One { .. }) {
            own.push(bar);
        } else {
            rectangle(merged.entry(class(bar.fill)).or_default(), bar.x, bar.y, bar.width, bar.height);
        }
    }
    let mut hatched = String::new();
    for hatch in scene.map_hatches.iter().chain(&scene.hatches) {
        rectangle(&mut hatched, hatch.x, hatch.y, hatch.width, hatch.height);
    }
    let (grid, flows): (Vec<&Line>, Vec<&Line>) = scene.lines.iter().partition(|line| line.stroke == Stroke::Grid);
    html! {
        svg class="tl" role="group" aria-label=(caption) width="100%" height=(height) {
            svg width="100%" height=(height) viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none"
                aria-hidden="true" {
                @if !hatched.is_empty() { path class="hatch" d=(hatched) {} }
            }
            @for line in grid {
                line class="gr" x1=(share(line.from.0)) y1=(px(line.from.1)) x2=(share(line.to.0)) y2=(px(line.to.1)) {}
            }
            svg width="100%" height=(height) viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none"
                aria-hidden="true" {
                @for (class, path) in &merged { path class=(class) d=(path) {} }
            }
            @for bar in own {
                // The last pixel stays free, so that neighbours of one fill stay apart.
                @let rect = html! {
                    rect class=(class(bar.fill)) x=(share(f64::from(bar.x))) y=(bar.y)
                        width=(share(f64::from(bar.width) - 1.0)) height=(bar.height) { title { (title(bar)) } }
                };
                @match bar.of {
                    Of::One { item, .. } => a href=(href(item)) tabindex="-1" { (rect) },
                    Of::Many { .. } => (rect),
                }
            }
            @for line in flows {
                line class="rec" x1=(share(line.from.0)) y1=(px(line.from.1)) x2=(share(line.to.0)) y2=(px(line.to.1))
                    marker-end="url(#ah)" {}
            }
            @for frame in &scene.outlines {
                rect class="sel" x=(share(f64::from(frame.x))) y=(frame.y) width=(share(f64::from(frame.width)))
                    height=(frame.height) {}
            }
            (texts(scene, &share, 1.0))
        }
    }
}

/// The texts of a scene alone, to lie over its pixels: they stay text that can be selected and read aloud.
pub fn labels(scene: &Scene) -> Markup {
    // Pixels are the device's, the places of SVG are CSS pixels.
    let scale = scene.view.scale;
    html! {
        svg class="tl" width="100%" height="100%" { (texts(scene, &|x| px(x / scale), scale)) }
    }
}

fn texts(scene: &Scene, place: &dyn Fn(f64) -> String, scale: f64) -> Markup {
    html! {
        @for text in &scene.texts {
            text class=[role(text.role)] x=(place(text.x)) y=(px(f64::from(text.y) / scale))
                text-anchor=[anchor(text.anchor)] {
                (text.text)
                @if let Some(whole) = &text.whole { title { (whole) } }
            }
        }
    }
}

fn rectangle(path: &mut String, x: u32, y: u32, width: u32, height: u32) {
    // Writing to a string cannot fail.
    let _ = write!(path, "M{x} {y}h{width}v{height}h-{width}z");
}

/// The class of a fill.
pub(super) fn class(fill: Fill) -> &'static str {
    match fill {
        Fill::Part(part) => part_class(part),
        Fill::Prefill => "f-pre",
        Fill::Bar => "f-bar",
        Fill::Ink => "f-ink",
        Fill::Well => "f-well",
        Fill::Boxed => "f-boxed",
    }
}

impl Scene {
    /// The parts that are drawn, in the order of legends.
    pub fn parts(&self) -> Vec<Part> {
        let used = |part: &Part| self.bars.iter().any(|bar| bar.fill == Fill::Part(*part));
        Part::ALL.into_iter().filter(used).collect()
    }

    /// Whether an interval without duration and part is drawn by itself.
    pub fn has_loose_ticks(&self) -> bool {
        let loose = |bar: &Bar| bar.fill == Fill::Bar && matches!(bar.of, Of::One { item: Item::Interval(_), .. });
        self.bars.iter().any(loose)
    }
}

fn role(role: Role) -> Option<&'static str> {
    match role {
        Role::Track | Role::OnWell => None,
        Role::Which | Role::Tick => Some("q"),
        Role::Reason => Some("q clear"),
        Role::OnInk => Some("on-ink"),
        Role::OnBar => Some("on-bar"),
        Role::Under => Some("m clear"),
    }
}

fn anchor(anchor: Anchor) -> Option<&'static str> {
    match anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("middle"),
        Anchor::End => Some("end"),
    }
}

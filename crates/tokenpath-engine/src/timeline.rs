//! The timeline while it is used: a viewport, what the pointer holds, and the last frame as pixels.
//!
//! A page that has a drawing surface says so ([`Hand::Surface`]); from then on every change comes back as one frame:
//! pixels, and the texts that lie over them. Without a surface the lens's static drawing stands.

use tokenpath_core::Run;
use tokenpath_core::derive::timeline::{Marks, Start, TimelineRows};
use tokenpath_core::item::Item;
use tokenpath_pages::html::Markup;
use tokenpath_pages::raster::{Palette, Raster};
use tokenpath_pages::scene::{self, Gesture, Hit, Scene, Source, Viewport};
use tokenpath_pages::view::View;

use crate::message::{Band, Effect, Hand};

/// A press that moves less than this many CSS pixels is a click.
const CLICK: f64 = 4.0;

/// What a gesture leads to beyond another frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leads {
    /// Nothing.
    Nowhere,
    /// Another selection.
    Select(Item),
    /// A viewport to keep in the address.
    Settled,
}

/// The timeline of one run.
#[derive(Debug)]
pub(crate) struct Timeline {
    rows: TimelineRows,
    marks: Marks,
    marked: Option<Item>,
    start: Start,
    surface: Option<Surface>,
    held: Held,
    /// Whether the next press begins a measurement.
    measuring: bool,
    /// The two times of a measurement.
    measured: Option<(i64, i64)>,
}

#[derive(Debug)]
struct Surface {
    view: Viewport,
    raster: Raster,
    dark: bool,
    scene: Option<Scene>,
    pixels: Vec<u8>,
}

/// What the pressed pointer does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Nothing,
    /// Moves what is shown; where it was pressed, where it is, whether it has moved beyond a click.
    Pan {
        pressed: (f64, f64),
        at: (f64, f64),
        moved: bool,
    },
    /// Spans a box.
    Box {
        from: f64,
        to: f64,
    },
    /// Drags the minimap's window.
    Map,
    /// Spans a measurement.
    Measure {
        from: i64,
    },
}

impl Timeline {
    pub(crate) fn new(run: &Run, selected: Option<Item>, token: Option<u32>) -> Timeline {
        let rows = TimelineRows::new(run);
        let start = rows.start(run, selected, token);
        Timeline {
            rows,
            marks: Marks::default(),
            marked: None,
            start,
            surface: None,
            held: Held::Nothing,
            measuring: false,
            measured: None,
        }
    }

    /// What lies on which row.
    pub(crate) fn rows(&self) -> &TimelineRows {
        &self.rows
    }

    /// The page no longer shows the timeline.
    pub(crate) fn leave(&mut self) {
        self.surface = None;
        self.held = Held::Nothing;
        self.measuring = false;
    }

    /// Another selection: what it marks, and what times count from. `reveal` brings it into view.
    pub(crate) fn select(&mut self, run: &Run, item: Option<Item>, token: Option<u32>, reveal: bool) {
        if self.marked == item {
            return;
        }
        self.marked = item;
        self.marks = item.map(|item| self.rows.marks(run, item)).unwrap_or_default();
        self.start = self.rows.start(run, item, token);
        if let (true, Some(item)) = (reveal, item) {
            self.apply(run, &Gesture::Reveal { item: item.to_string() });
        }
    }

    /// The range in the address changed by other means than the surface.
    pub(crate) fn show_range(&mut self, run: &Run, range: Option<&str>) {
        let Some(surface) = &self.surface else { return };
        if range == Some(surface.view.range().as_str()) {
            return;
        }
        match range.and_then(scene::parse_range) {
            Some((from, to)) => self.apply(run, &Gesture::Show { from, to }),
            None => self.apply(run, &Gesture::Home),
        }
    }

    /// The value of the view's parameter `range`, while a surface is there.
    pub(crate) fn range(&self) -> Option<String> {
        self.surface.as_ref().map(|surface| surface.view.range())
    }

    fn source<'a>(&'a self, run: &'a Run) -> Source<'a> {
        Source { run, rows: &self.rows, marks: &self.marks, start: self.start, only: None }
    }

    fn apply(&mut self, run: &Run, gesture: &Gesture) {
        let Some(view) = self.surface.as_ref().map(|surface| surface.view) else { return };
        let view = gesture.apply(&self.source(run), &view);
        if let Some(surface) = &mut self.surface {
            surface.view = view;
        }
    }

    /// Something was done on the surface.
    pub(crate) fn hand(&mut self, run: &Run, view: &View, hand: &Hand) -> Leads {
        match *hand {
            Hand::Surface { width, height, scale, dark } => {
                self.surface(run, view, (width, height), scale, dark);
                Leads::Nowhere
            }
            Hand::Wheel { x, dx, dy, zoom } => {
                if zoom {
                    // A notch of a wheel is about 100; it zooms by a quarter.
                    self.apply(run, &Gesture::Zoom { x: Some(x), factor: (-dy / 450.0).exp() });
                } else if dy != 0.0 {
                    self.apply(run, &Gesture::Scroll { dy });
                }
                if dx != 0.0 {
                    self.apply(run, &Gesture::Move { dx });
                }
                Leads::Settled
            }
            Hand::Down { x, y, boxing } => {
                self.down(run, x, y, boxing);
                Leads::Nowhere
            }
            Hand::Drag { x, y } => {
                self.drag(run, x, y);
                Leads::Nowhere
            }
            Hand::Up { x, y } => {
                self.drag(run, x, y);
                self.up(run)
            }
            Hand::Hover { .. } | Hand::Leave => Leads::Nowhere,
        }
    }

    fn surface(&mut self, run: &Run, view: &View, size: (u32, u32), scale: f64, dark: bool) {
        if let Some(surface) = &mut self.surface {
            let same_scale = (surface.view.scale - scale).abs() < f64::EPSILON;
            if surface.dark != dark || !same_scale {
                surface.raster = Raster::new(palette(dark), scale);
                surface.dark = dark;
            }
            self.apply(run, &Gesture::Resize { width: size.0, height: size.1, scale });
            return;
        }
        let shown = scene::initial(&self.rows, &self.start, view.param("range"), size, scale);
        self.surface = Some(Surface {
            view: shown,
            raster: Raster::new(palette(dark), scale),
            dark,
            scene: None,
            pixels: Vec::new(),
        });
    }

    fn down(&mut self, run: &Run, x: f64, y: f64, boxing: bool) {
        let Some(surface) = &self.surface else { return };
        let hit = surface.scene.as_ref().map_or(Hit::Nothing, |scene| scene.hit(x, y));
        let time = surface.view.time(x);
        self.held = match hit {
            Hit::Map { time } => {
                self.apply(run, &Gesture::Centre { time });
                Held::Map
            }
            _ if self.measuring => {
                self.measured = Some((time, time));
                Held::Measure { from: time }
            }
            _ if boxing => Held::Box { from: x, to: x },
            _ => Held::Pan { pressed: (x, y), at: (x, y), moved: false },
        };
    }

    fn drag(&mut self, run: &Run, x: f64, y: f64) {
        let Some(surface) = &self.surface else { return };
        match self.held {
            Held::Nothing => {}
            Held::Pan { pressed, at, moved } => {
                let moved = moved || (x - pressed.0).hypot(y - pressed.1) >= CLICK * surface.view.scale;
                if moved {
                    self.apply(run, &Gesture::Move { dx: at.0 - x });
                    self.apply(run, &Gesture::Scroll { dy: at.1 - y });
                }
                self.held = Held::Pan { pressed, at: (x, y), moved };
            }
            Held::Box { from, .. } => self.held = Held::Box { from, to: x },
            Held::Map => {
                if let Some(time) = surface.scene.as_ref().map(|scene| scene.map_time(x)) {
                    self.apply(run, &Gesture::Centre { time });
                }
            }
            Held::Measure { from } => self.measured = Some((from, surface.view.time(x))),
        }
    }

    fn up(&mut self, run: &Run) -> Leads {
        let held = std::mem::replace(&mut self.held, Held::Nothing);
        let Some(surface) = &self.surface else { return Leads::Nowhere };
        match held {
            Held::Pan { pressed: (x, y), moved: false, .. } => {
                let hit = surface.scene.as_ref().map_or(Hit::Nothing, |scene| scene.hit(x, y));
                if let Some((from, to)) = hit.times() {
                    self.apply(run, &Gesture::Show { from, to });
                    return Leads::Settled;
                }
                match hit.item() {
                    Some(item) => Leads::Select(item),
                    None => Leads::Nowhere,
                }
            }
            Held::Box { from, to } => {
                if (to - from).abs() >= CLICK * surface.view.scale {
                    self.apply(run, &Gesture::Box { from, to });
                }
                Leads::Settled
            }
            Held::Measure { .. } => {
                self.measuring = false;
                Leads::Nowhere
            }
            Held::Pan { .. } | Held::Map => Leads::Settled,
            Held::Nothing => Leads::Nowhere,
        }
    }

    /// A button of the lens or a key. `None` when it is none of the timeline's.
    pub(crate) fn act(&mut self, run: &Run, act: &str) -> Option<Leads> {
        let gesture = match act {
            "timeline-in" => Gesture::Zoom { x: None, factor: 1.5 },
            "timeline-out" => Gesture::Zoom { x: None, factor: 1.0 / 1.5 },
            "timeline-left" => Gesture::Shift { part: -0.25 },
            "timeline-right" => Gesture::Shift { part: 0.25 },
            "timeline-home" => Gesture::Home,
            "timeline-fit" => Gesture::Fit,
            "timeline-previous" | "timeline-next" => {
                let (selected, view) = (self.marked?, self.surface.as_ref()?.view);
                let backward = act == "timeline-previous";
                let next = scene::neighbour(&self.source(run), selected, view.from, backward);
                return Some(next.map_or(Leads::Nowhere, Leads::Select));
            }
            "timeline-measure" => {
                self.measuring = !self.measuring || self.measured.is_some();
                self.measured = None;
                return Some(Leads::Nowhere);
            }
            _ => return None,
        };
        self.apply(run, &gesture);
        Some(Leads::Settled)
    }

    /// Gives up a measurement or box under way; whether there was one.
    pub(crate) fn give_up(&mut self) -> bool {
        let had = self.measuring || self.measured.is_some() || self.held != Held::Nothing;
        self.measuring = false;
        self.measured = None;
        self.held = Held::Nothing;
        had
    }

    /// The next thing whose name contains `query`, and which of how many it is.
    pub(crate) fn find(&self, run: &Run, query: &str, again: bool, backward: bool) -> Option<scene::Found> {
        let from = self.surface.as_ref()?.view.from;
        let selected = self.marked.and_then(|item| tokenpath_core::derive::timeline::time_of(run, item));
        // A first search looks from the left edge on; a repeated one from what it found.
        let time = match (again, selected) {
            (true, Some((start, _))) => start,
            _ => from.saturating_sub(1),
        };
        scene::find(&self.source(run), query, time, backward)
    }

    /// Draws the frame. No effect without a surface.
    pub(crate) fn frame(&mut self, run: &Run) -> Vec<Effect> {
        let Some(view) = self.surface.as_ref().map(|surface| surface.view) else { return Vec::new() };
        let scene = scene::build(&self.source(run), view);
        let labels = scene::labels(&scene).into_string();
        let band = self.band(run, &view);
        let Some(surface) = &mut self.surface else { return Vec::new() };
        surface.pixels.clear();
        surface.pixels.extend_from_slice(surface.raster.draw(&scene));
        let (width, height) = (scene.view.width, scene.view.height);
        surface.scene = Some(scene);
        vec![Effect::Frame { width, height, labels, band, measuring: self.measuring }]
    }

    /// The pixels of the last frame: four bytes each, row by row.
    pub(crate) fn pixels(&self) -> &[u8] {
        self.surface.as_ref().map_or(&[], |surface| &surface.pixels)
    }

    fn band(&self, run: &Run, view: &Viewport) -> Option<Band> {
        if let Held::Box { from, to } = self.held {
            return Some(Band { from: from.min(to), to: from.max(to), html: String::new() });
        }
        let (a, b) = self.measured?;
        let (from, to) = (view.x(a.min(b)), view.x(a.max(b)));
        let html = scene::measure(&self.source(run), a, b).into_string();
        Some(Band { from, to, html })
    }

    /// What stands under a pixel.
    pub(crate) fn tip(&self, run: &Run, x: f64, y: f64) -> Markup {
        match self.surface.as_ref().and_then(|surface| surface.scene.as_ref()) {
            Some(drawn) if self.held == Held::Nothing => scene::tip(&self.source(run), &drawn.hit(x, y)),
            _ => Markup::default(),
        }
    }
}

fn palette(dark: bool) -> Palette {
    if dark { Palette::dark() } else { Palette::light() }
}

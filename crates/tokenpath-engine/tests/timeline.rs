//! The timeline under a hand: pixels, movement, selection, search, measurement, all without a browser.

// A helper that fails should fail its test.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use tokenpath_engine::message::{Effect, Hand, Message, Opening};
use tokenpath_engine::{Engine, File};

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 400;
/// A time inside the fixture's capture, whose clock starts with the machine.
const BASE: i64 = 2_517_500_000_000;

struct Timeline {
    engine: Engine,
    effects: Vec<Effect>,
}

impl Timeline {
    fn new(fragment: &str) -> Timeline {
        let path = format!("{}/../../fixtures/smollm2/run.json.gz", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let files = [File::new("run.json.gz", &bytes)];
        let mut engine = Engine::default();
        let opening = Opening { fragment: fragment.to_owned(), keeps: false, ..Opening::default() };
        engine.open(&files, &opening, &mut |_| {}).unwrap();
        let mut timeline = Timeline { engine, effects: Vec::new() };
        timeline.hand(Hand::Surface { width: WIDTH, height: HEIGHT, scale: 1.0, dark: false });
        timeline
    }

    fn send(&mut self, message: Message) {
        self.effects = self.engine.update(&message);
    }

    fn hand(&mut self, hand: Hand) {
        self.send(Message::Timeline { hand });
    }

    fn act(&mut self, act: &str) {
        self.send(Message::Act { act: act.to_owned(), id: String::new() });
    }

    /// The stretch that is shown, as the address names it once the drawing rests.
    fn range(&mut self) -> (i64, i64) {
        self.send(Message::Settle);
        let fragment = self.fragment().expect("the range changed");
        let range = fragment.split("range=").nth(1).expect("a range").split('&').next().unwrap();
        tokenpath_pages::scene::parse_range(range).unwrap()
    }

    fn fragment(&self) -> Option<String> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::Fragment { text, .. } => Some(text.clone()),
            _ => None,
        })
    }

    fn has_frame(&self) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Frame { .. }))
    }

    fn tip(&mut self, x: f64, y: f64) -> String {
        self.hand(Hand::Hover { x, y });
        match self.effects.as_slice() {
            [Effect::Tip { html }] => html.clone(),
            other => panic!("a tip: {other:?}"),
        }
    }

    /// A place where one interval lies, found as a pointer finds it.
    fn interval(&mut self) -> (f64, f64, String) {
        for y in (60..HEIGHT).step_by(4) {
            for x in (130..WIDTH).step_by(3) {
                let tip = self.tip(f64::from(x), f64::from(y));
                if let Some(at) = tip.find("interval:") {
                    let item: String =
                        tip.chars().skip(tip.get(..at).unwrap().chars().count()).take_while(|c| *c != '<').collect();
                    return (f64::from(x), f64::from(y), item);
                }
            }
        }
        panic!("no single interval under any pixel")
    }
}

#[test]
fn a_surface_gets_a_frame_of_its_size() {
    let timeline = Timeline::new("#timeline");
    let Some(Effect::Frame { width, height, labels, .. }) =
        timeline.effects.iter().find(|effect| matches!(effect, Effect::Frame { .. }))
    else {
        panic!("a frame: {:?}", timeline.effects)
    };
    assert_eq!((*width, *height), (WIDTH, HEIGHT));
    let pixels = timeline.engine.pixels();
    assert_eq!(pixels.len(), (WIDTH * HEIGHT * 4) as usize);
    // The light theme's background (--bg: #fdfdfc) and something else.
    assert!(pixels.chunks(4).any(|pixel| pixel == [0xfd, 0xfd, 0xfc, 255]));
    assert!(pixels.chunks(4).any(|pixel| pixel != [0xfd, 0xfd, 0xfc, 255]));
    assert!(labels.contains("passes"), "rows are named in text: {labels}");
}

#[test]
fn the_dark_theme_has_other_pixels() {
    let mut timeline = Timeline::new("#timeline");
    timeline.hand(Hand::Surface { width: WIDTH, height: HEIGHT, scale: 1.0, dark: true });
    // --bg of the dark theme: #131517.
    assert!(timeline.engine.pixels().chunks(4).any(|pixel| pixel == [0x13, 0x15, 0x17, 255]));
}

#[test]
fn dragging_moves_time_the_other_way_and_the_wheel_zooms() {
    let mut timeline = Timeline::new(&format!("#timeline?range={BASE}-{}", BASE + 8_840_000));
    let before = (BASE, BASE + 8_840_000);
    timeline.hand(Hand::Down { x: 600.0, y: 200.0, boxing: false });
    timeline.hand(Hand::Drag { x: 500.0, y: 200.0 });
    assert!(timeline.has_frame());
    timeline.hand(Hand::Up { x: 500.0, y: 200.0 });
    let moved = timeline.range();
    // 884 of 1000 pixels are plot (116 are names): 100 pixels are 1 ms of 8.84 ms.
    assert_eq!((moved.0 - before.0, moved.1 - before.1), (1_000_000, 1_000_000));
    timeline.hand(Hand::Wheel { x: 600.0, dx: 0.0, dy: -450.0, zoom: true });
    let zoomed = timeline.range();
    let factor = (moved.1 - moved.0) as f64 / (zoomed.1 - zoomed.0) as f64;
    assert!((factor - std::f64::consts::E).abs() < 1e-3, "a turn of 450 zooms by e: {factor}");
}

#[test]
fn a_box_shows_what_it_spans() {
    let mut timeline = Timeline::new(&format!("#timeline?range={BASE}-{}", BASE + 8_840_000));
    timeline.hand(Hand::Down { x: 216.0, y: 200.0, boxing: true });
    timeline.hand(Hand::Drag { x: 316.0, y: 210.0 });
    let band = timeline.effects.iter().find_map(|effect| match effect {
        Effect::Frame { band, .. } => band.clone(),
        _ => None,
    });
    assert_eq!(band.map(|band| (band.from, band.to)), Some((216.0, 316.0)));
    timeline.hand(Hand::Up { x: 316.0, y: 210.0 });
    // 116 pixels are names, 10 µs a pixel: 100 and 200 pixels into the plot.
    assert_eq!(timeline.range(), (BASE + 1_000_000, BASE + 2_000_000));
}

#[test]
fn a_click_selects_what_lies_there_and_keys_go_to_its_neighbours() {
    let mut timeline = Timeline::new("#timeline?sel=pass:8");
    // Close enough for single intervals to show.
    for _ in 0..6 {
        timeline.act("timeline-in");
    }
    let (x, y, item) = timeline.interval();
    timeline.hand(Hand::Down { x, y, boxing: false });
    timeline.hand(Hand::Up { x: x + 1.0, y });
    let fragment = timeline.fragment().expect("a selection changes the address");
    assert!(fragment.contains(&format!("sel={item}")), "{item}: {fragment}");
    timeline.act("timeline-next");
    let next = timeline.fragment().expect("the neighbour is selected");
    assert!(next.contains("sel=interval:") && !next.contains(&format!("sel={item}&")), "{next}");
    timeline.act("timeline-previous");
    assert!(timeline.fragment().is_some_and(|fragment| fragment.contains(&format!("sel={item}"))));
}

#[test]
fn searching_selects_shows_and_counts() {
    let mut timeline = Timeline::new("#timeline");
    let find = |query: &str, again| Message::Find { query: query.to_owned(), again, backward: false };
    timeline.send(find("flash_attn", false));
    assert!(timeline.fragment().is_some_and(|fragment| fragment.contains("sel=interval:")));
    let said = |timeline: &Timeline| {
        timeline.effects.iter().find_map(|effect| match effect {
            Effect::Text { id, text } if id == "timeline-said" => Some(text.clone()),
            _ => None,
        })
    };
    let first = said(&timeline).unwrap();
    timeline.send(find("flash_attn", true));
    let second = said(&timeline).unwrap();
    let (number, total) = first.split_once(" of ").unwrap();
    let number: u32 = number.parse().unwrap();
    assert_eq!(second, format!("{} of {total}", number + 1));
    timeline.send(find("no such name", false));
    assert_eq!(said(&timeline).as_deref(), Some("nothing has this name"));
}

#[test]
fn measuring_marks_a_stretch_and_escape_ends_it() {
    let mut timeline = Timeline::new(&format!("#timeline?range={BASE}-{}", BASE + 8_840_000));
    timeline.act("timeline-measure");
    timeline.hand(Hand::Down { x: 216.0, y: 200.0, boxing: false });
    timeline.hand(Hand::Up { x: 316.0, y: 200.0 });
    let band = |timeline: &Timeline| {
        timeline.effects.iter().find_map(|effect| match effect {
            Effect::Frame { band, .. } => Some(band.clone()),
            _ => None,
        })
    };
    let html = band(&timeline).flatten().expect("a band").html;
    // 100 pixels of 10 µs each.
    assert!(html.contains("1.00\u{202f}ms"), "{html}");
    timeline.act("clear");
    assert_eq!(band(&timeline), Some(None));
}

#[test]
fn another_lens_ends_the_surface() {
    let mut timeline = Timeline::new("#timeline");
    timeline.send(Message::Navigate { fragment: "#run".to_owned() });
    assert!(!timeline.has_frame());
    timeline.send(Message::Settle);
    assert!(timeline.effects.is_empty());
    assert!(timeline.engine.pixels().is_empty());
}

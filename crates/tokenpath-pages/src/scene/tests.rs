//! A small timeline drawn by hand; right values are counted from the picture beside it.

use std::fmt::Write as _;

use tokenpath_core::Run;
use tokenpath_core::column::{Ints, RefLists, Refs, Texts};
use tokenpath_core::derive::timeline::{Marks, Start, TimelineRows};
use tokenpath_core::item::Item;
use tokenpath_core::model::{
    Calls, Copies, Intervals, Kernels, Nodes, PassRows, Queues, Segments, Submissions, Unrecorded,
};

use super::*;

/// Two passes of 400 ns, 200 ns apart that the instrument does not record:
///
/// ```text
/// time      0        100       200       300       400       500       600 ... 1000
/// passes    |-------------------- 0 -----------------|               |--- 1 ---|
/// encode    |--- 0 (0..150) ---|                                     |0..|
/// segment       |------------ 0: 50..400 ------------|               |- 1 -|
/// interval      aaaaaaaaaa b c d eeeeeeeeeeeeeeeeeeee                 ffffff
///               50..150    150,160,170 (each 5 long) 200..400         620..720
/// ```
fn run() -> Run {
    let mut run = Run::default();
    run.passes.given = true;
    run.passes.rows = PassRows {
        given: true,
        kind: ["prefill", "decode"].into_iter().collect(),
        start: [0_i64, 600].into_iter().collect(),
        end: [400_i64, 1000].into_iter().collect(),
        ..PassRows::default()
    };
    let timeline = &mut run.timeline;
    timeline.given = true;
    timeline.start = Some(0);
    timeline.end = Some(1000);
    timeline.queues = Queues {
        given: true,
        name: ["stream 7"].into_iter().collect(),
        side: ["gpu"].into_iter().collect(),
        ..Queues::default()
    };
    timeline.submissions = Submissions {
        given: true,
        kind: ["graph launch", "graph launch"].into_iter().collect(),
        start: [0_i64, 600].into_iter().collect(),
        end: [150_i64, 650].into_iter().collect(),
        pass: [0_u32, 1].into_iter().collect(),
        ..Submissions::default()
    };
    timeline.segments = Segments {
        given: true,
        submission: [0_u32, 1].into_iter().collect(),
        start: [50_i64, 620].into_iter().collect(),
        end: [400_i64, 720].into_iter().collect(),
        queue: [0_u32, 0].into_iter().collect(),
        ..Segments::default()
    };
    timeline.intervals = Intervals {
        given: true,
        start: [50_i64, 150, 160, 170, 200, 620].into_iter().collect(),
        duration: [100_i64, 5, 5, 5, 200, 100].into_iter().collect(),
        pass: [0_u32, 0, 0, 0, 0, 1].into_iter().collect(),
        submission: [0_u32, 0, 0, 0, 0, 1].into_iter().collect(),
        segment: [0_u32, 0, 0, 0, 0, 1].into_iter().collect(),
        kernel: [0_u32, 1, 1, 1, 0, 0].into_iter().collect(),
        nodes: RefLists::from_iter([Some(vec![0_u32]), Some(vec![1]), None, None, None, None]),
        ..Intervals::default()
    };
    timeline.unrecorded = Unrecorded {
        given: true,
        start: [400_i64].into_iter().collect(),
        end: [600_i64].into_iter().collect(),
        reason: ["Between passes nothing is recorded."].into_iter().collect(),
        ..Unrecorded::default()
    };
    timeline.calls = Calls { given: true, ..Calls::default() };
    timeline.copies = Copies::default();
    run.kernels = Kernels {
        given: true,
        name: ["flash_attn_fwd", "rms_norm_kernel"].into_iter().collect(),
        ..Kernels::default()
    };
    run.graph.given = true;
    run.graph.nodes = Nodes {
        given: true,
        name: ["attend", "norm"].into_iter().collect(),
        operation: ["FLASH_ATTN_EXT", "RMS_NORM"].into_iter().collect(),
        layer: [0_i64, 0].into_iter().collect::<Ints>(),
        ..Nodes::default()
    };
    run
}

const ZERO: Start = Start { from: 0, to: 1000, zero: 0, pass: None };

fn source<'a>(run: &'a Run, rows: &'a TimelineRows, marks: &'a Marks) -> Source<'a> {
    Source { run, rows, marks, start: ZERO, only: None }
}

/// 116 pixels of names and 1000 of plot: one nanosecond a pixel when it shows 0 to 1000.
fn view(from: i64, to: i64) -> Viewport {
    Viewport::new(from, to, 1116, 500, 1.0)
}

fn listed(scene: &Scene) -> String {
    let mut out = String::new();
    for (at, (place, from)) in scene.lanes.iter().enumerate() {
        let until = scene.lanes.get(at + 1).map_or(scene.bars.len(), |(_, until)| *until);
        let lane = scene.layout.lanes[*place];
        let track = scene.layout.tracks.iter().find(|track| track.track == lane.track).unwrap();
        writeln!(out, "{} {}: top {}", track.name, lane.lane, lane.top).unwrap();
        for bar in &scene.bars[*from..until] {
            let what = match bar.of {
                Of::One { item, .. } => item.to_string(),
                Of::Many { count, busy, .. } => format!("{count} merged, busy {busy:?}"),
            };
            writeln!(out, "  {}+{} y {}+{} {:?} {what}", bar.x, bar.width, bar.y, bar.height, bar.fill).unwrap();
        }
    }
    for hatch in &scene.hatches {
        writeln!(out, "hatch {}+{} y {}+{}", hatch.x, hatch.width, hatch.y, hatch.height).unwrap();
    }
    for text in &scene.texts {
        writeln!(out, "text {:.0},{} {:?} {}", text.x, text.y, text.role, text.text).unwrap();
    }
    out
}

#[test]
fn a_scene_lists_what_the_picture_shows() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let scene = build(&source(&run, &rows, &Marks::default()), view(0, 1000));
    insta::assert_snapshot!(listed(&scene));
}

#[test]
fn crowded_columns_merge() {
    let run = run();
    let rows = TimelineRows::new(&run);
    // 50 ns a pixel over 20 pixels: by hand, 150..200 meets b, c and d, 15 of 50 ns.
    let narrow = Viewport::new(0, 1000, 104, 500, 1.0);
    assert_eq!((narrow.plot_left(), narrow.plot_width()), (84, 20));
    let scene = build(&source(&run, &rows, &Marks::default()), narrow);
    #[allow(clippy::type_complexity)]
    let merged: Vec<(u32, u32, Option<f64>, (i64, i64), u32)> = scene
        .bars
        .iter()
        .filter_map(|bar| match bar.of {
            Of::Many { count, busy, times, .. } => Some((bar.x - 84, count, busy, times, bar.height)),
            Of::One { .. } => None,
        })
        .collect();
    // The interval lane is 32 high, 30 % of which are 10.
    assert_eq!(merged, [(3, 3, Some(0.3), (150, 200), 10)]);
}

#[test]
fn no_two_bars_share_a_column_of_a_lane() {
    let run = run();
    let rows = TimelineRows::new(&run);
    for (from, to, width) in [(0, 1000, 300), (0, 1000, 1116), (100, 500, 700), (-50, 2000, 150)] {
        let scene = build(&source(&run, &rows, &Marks::default()), Viewport::new(from, to, width, 900, 1.0));
        for (at, (_, first)) in scene.lanes.iter().enumerate() {
            let last = scene.lanes.get(at + 1).map_or(scene.bars.len(), |(_, last)| *last);
            for pair in scene.bars[*first..last].windows(2) {
                assert!(pair[0].x + pair[0].width <= pair[1].x);
            }
            assert!(scene.bars[*first..last].iter().all(|bar| bar.x + bar.width <= scene.view.width));
        }
    }
}

#[test]
fn hits() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let scene = build(&source(&run, &rows, &Marks::default()), view(0, 1000));
    let middle = |kind: &str| {
        let track = scene.layout.tracks.iter().find(|track| track.name == kind).unwrap();
        f64::from(scene.layout.body + track.top + 5)
    };
    let at = |time: f64| 116.0 + time + 0.5;
    assert_eq!(scene.hit(at(60.0), middle("intervals")).item(), Some(Item::Interval(0)));
    assert_eq!(scene.hit(at(172.0), middle("intervals")).item(), Some(Item::Interval(3)));
    assert_eq!(scene.hit(at(620.0), middle("GPU segments")).item(), Some(Item::Segment(1)));
    assert_eq!(scene.hit(at(10.0), middle("passes")).item(), Some(Item::Pass(0)));
    assert_eq!(scene.hit(at(500.0), middle("intervals")), Hit::Unrecorded { row: Some(0) });
    assert!(matches!(scene.hit(at(900.0), middle("intervals")), Hit::Blank { time: 900, .. }));
    assert!(matches!(scene.hit(20.0, middle("passes")), Hit::Name { .. }));
    // The minimap shows the extent and a twentieth on either side: 1100 ns on 1000 pixels, from -50.
    assert_eq!(scene.hit(116.0 + 500.0, 10.0), Hit::Map { time: 500 });
    assert_eq!(scene.hit(-1.0, 10.0), Hit::Nothing);
    assert_eq!(scene.hit(116.0, 499.0), Hit::Nothing);
}

#[test]
fn a_scrolled_scene_hides_rows_above_and_keeps_hits() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let empty = Marks::default();
    let source = source(&run, &rows, &empty);
    let low = Viewport { height: 160, ..view(0, 1000) };
    let scrolled = Gesture::Scroll { dy: 60.0 }.apply(&source, &low);
    assert_eq!(scrolled.scroll, 60);
    let scene = build(&source, scrolled);
    assert!(scene.bars.iter().all(|bar| bar.y >= scene.layout.body && bar.y + bar.height <= 160));
    let first = scene.layout.tracks.iter().find(|track| track.name == "CPU encode").unwrap();
    let y = f64::from(scene.layout.body + first.top - 60 + 3);
    assert_eq!(scene.hit(116.0 + 10.0, y).item(), Some(Item::Submission(0)));
    // No further than the last row.
    let content = scene.layout.content;
    let end = Gesture::Scroll { dy: 1e9 }.apply(&source, &low);
    assert_eq!(end.scroll, content - (160 - scene.layout.body));
}

#[test]
fn selections_are_framed_and_flow() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let framed = |item: Item| {
        let marks = rows.marks(&run, item);
        let scene = build(&source(&run, &rows, &marks), view(0, 1000));
        // The last frame is the minimap's window.
        let frames: Vec<(u32, u32)> = scene.outlines.iter().map(|frame| (frame.x - 116, frame.width)).collect();
        (frames[..frames.len() - 1].to_vec(), scene.marked, scene.flows)
    };
    assert_eq!(framed(Item::Interval(4)), (vec![(200, 200)], 1, (2, 2)));
    // The segment stands for its five intervals.
    assert_eq!(framed(Item::Submission(0)), (vec![(0, 150)], 1, (1, 1)));
    assert_eq!(framed(Item::Kernel(1)), (vec![(150, 5), (160, 5), (170, 5)], 3, (0, 0)));
    assert_eq!(framed(Item::Node(0)), (vec![(50, 100)], 1, (0, 0)));
    // A layer has a strip and the two intervals of its nodes.
    let (frames, marked, _) = framed(Item::Layer(0));
    assert_eq!((frames.len(), marked), (2, 3));
}

#[test]
fn search_and_neighbours() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let empty = Marks::default();
    let source = source(&run, &rows, &empty);
    let item = |found: Option<Found>| found.map(|found| (found.item, found.before, found.total));
    // "norm" names the kernel of intervals 1, 2 and 3.
    assert_eq!(item(find(&source, "NORM", 0, false)), Some((Item::Interval(1), 0, 3)));
    assert_eq!(item(find(&source, "norm", 150, false)), Some((Item::Interval(2), 1, 3)));
    assert_eq!(item(find(&source, "norm", 170, false)), Some((Item::Interval(1), 0, 3)));
    assert_eq!(item(find(&source, "norm", 160, true)), Some((Item::Interval(1), 0, 3)));
    assert_eq!(item(find(&source, "graph", 10, false)), Some((Item::Submission(1), 1, 2)));
    assert_eq!(find(&source, "  ", 0, false), None);
    assert_eq!(find(&source, "nothing of that name", 0, false), None);

    assert_eq!(neighbour(&source, Item::Interval(1), 0, false), Some(Item::Interval(2)));
    assert_eq!(neighbour(&source, Item::Interval(0), 0, true), None);
    let marks = rows.marks(&run, Item::Kernel(1));
    let of_kernel = Source { marks: &marks, ..source };
    assert_eq!(neighbour(&of_kernel, Item::Kernel(1), 155, false), Some(Item::Interval(2)));
    assert_eq!(neighbour(&of_kernel, Item::Kernel(1), 155, true), Some(Item::Interval(1)));
}

#[test]
fn gestures_reveal_what_is_asked_for() {
    let run = run();
    let rows = TimelineRows::new(&run);
    let empty = Marks::default();
    let source = source(&run, &rows, &empty);
    let low = Viewport { height: 120, ..view(-50, 1050) };
    let revealed = Gesture::Reveal { item: "interval:5".to_owned() }.apply(&source, &low);
    let scene = build(&source, revealed);
    let shown = |item: Item| scene.bars.iter().any(|bar| matches!(bar.of, Of::One { item: of, .. } if of == item));
    assert!(shown(Item::Interval(5)), "{}", listed(&scene));
    let same = Gesture::Reveal { item: "nonsense".to_owned() }.apply(&source, &low);
    assert_eq!(same, low);
}

#[test]
fn gestures_are_small_messages() {
    let message = r#"{"zoom":{"x":300.0,"factor":1.5}}"#;
    let gesture: Gesture = serde_json::from_str(message).unwrap();
    assert_eq!(gesture, Gesture::Zoom { x: Some(300.0), factor: 1.5 });
    assert_eq!(serde_json::to_string(&gesture).unwrap(), message);
    let run = run();
    let rows = TimelineRows::new(&run);
    let scene = build(&source(&run, &rows, &Marks::default()), view(0, 1000));
    let overlay = serde_json::to_string(&scene.overlay()).unwrap();
    assert!(overlay.contains(r#""range":"0-1000""#) && overlay.contains(r#""role":"track""#), "{overlay}");
}

#[test]
fn tips_say_what_lies_there_and_from_where() {
    let mut run = run();
    run.timeline.intervals.labels = tokenpath_core::Labels::all(tokenpath_core::Label::measured("GPU clock"));
    let rows = TimelineRows::new(&run);
    let empty = Marks::default();
    let source = source(&run, &rows, &empty);
    let intervals = rows.tracks.iter().position(|track| track.lanes.iter().any(|lane| lane.len() == 6)).unwrap();
    let one = tip(&source, &Hit::One { item: Item::Interval(4), track: intervals }).into_string();
    assert!(
        one.contains("flash_attn_fwd") && one.contains("measured by GPU clock") && one.contains("200\u{202f}ns"),
        "{one}"
    );
    let merged =
        Hit::Many { track: intervals, lane: 0, count: 3, busy: Some(0.3), times: (150, 200), first: Item::Interval(1) };
    let many = tip(&source, &merged).into_string();
    assert!(many.contains("3 intervals") && many.contains("30.0\u{202f}%"), "{many}");
    let gap = tip(&source, &Hit::Unrecorded { row: Some(0) }).into_string();
    assert!(gap.contains("Between passes nothing is recorded."), "{gap}");
    // 140..260 meets a, b, c, d and e: 10 + 15 + 60 ns by hand.
    let measured = measure(&source, 260, 140).into_string();
    assert!(
        measured.contains("120\u{202f}ns")
            && measured.contains("5 intervals")
            && measured.contains("85\u{202f}ns filled"),
        "{measured}"
    );
}

#[test]
fn the_svg_is_well_formed() {
    let mut run = run();
    run.kernels.name = Texts::from_iter(["a<b>&\"'</svg>", "rms_norm_kernel"]);
    run.timeline.intervals.nodes = RefLists::default();
    run.passes.rows.execution = Refs::default();
    let rows = TimelineRows::new(&run);
    let marks = rows.marks(&run, Item::Interval(4));
    let source = source(&run, &rows, &marks);
    let scene = build(&source, view(0, 1000));
    let svg = to_svg(&scene, "A <timeline>", &|item| format!("#timeline?sel={item}"), &|bar| caption(&source, bar))
        .into_string();
    assert!(!svg.contains("style="), "inline styles are refused by the page's policy");
    balanced(&svg);
    assert!(svg.contains("a&lt;b&gt;&amp;&quot;"), "{svg}");
}

/// Checks that tags nest and attributes are quoted, as XML asks for.
fn balanced(text: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap().to_owned());
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, Vec::<String>::new());
}

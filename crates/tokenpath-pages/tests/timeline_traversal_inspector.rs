//! The lenses Timeline and Traversal and the inspector on the reference captures: what they say, as reviewable text, and
//! what holds for every page they draw.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::path::Path;

use tokenpath_core::bundle::{self, Opened};
use tokenpath_core::column::{Refs, Texts};
use tokenpath_core::item::Item;
use tokenpath_core::model::{Calls, Copies, Ranges};
use tokenpath_core::{Absence, Label, Labels, ReasonCode, Run};
use tokenpath_pages::inspector;
use tokenpath_pages::lens::Lens;
use tokenpath_pages::lenses;
use tokenpath_pages::page::Context;
use tokenpath_pages::view::{Links, View};

const FIXTURES: [&str; 8] = [
    "smollm2",
    "smollm2-server",
    "synthetic-metal",
    "tiny-dense",
    "tiny-hybrid",
    "tiny-moe",
    "user-chat",
    "user-chat-no-usage",
];

fn open(name: &str) -> Opened {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name).join("run.json.gz");
    bundle::read(&std::fs::read(path).unwrap()).unwrap()
}

fn with<T>(run: &Run, view: &View, draw: impl Fn(&Context<'_>) -> T) -> T {
    draw(&Context { run, problems: &[], view, links: Links::Fragment, verdict: None, timeline: None, model: None })
}

fn lens(run: &Run, fragment: &str) -> String {
    let view = View::parse(fragment);
    with(run, &view, |cx| lenses::render(view.lens, cx).into_string())
}

fn inspected(run: &Run, item: Option<Item>) -> String {
    let view = View { item, ..View::of(Lens::Run) };
    with(run, &view, |cx| inspector::content(cx).into_string())
}

/// What a reader sees: text without markup, a line for each block; the label of a value in angle quotes before it, and the
/// marks of terminals and gaps in words.
fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        rest = after;
        if tag == "title" {
            let (name, after) = after.split_once("</title>").unwrap();
            out.push_str(&format!("\u{2039}{}\u{203a}", name.split(' ').next().unwrap_or("")));
            rest = after;
            continue;
        }
        if tag.contains("#x-gap") {
            out.push_str("\u{2039}torn\u{203a}");
        } else if tag.contains("#x-term") {
            out.push_str("\u{2039}bar\u{203a}");
        }
        match tag.trim_start_matches('/').split(' ').next().unwrap_or("") {
            "h1" | "h2" | "h3" | "p" | "tr" | "li" | "dt" | "section" | "header" | "summary" | "nav" | "text"
            | "div" => out.push('\n'),
            "td" | "th" | "dd" | "small" => out.push_str(" | "),
            _ => {}
        }
    }
    out.push_str(rest);
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines = lines.map(|line| line.replace("| |", "|").replace("| |", "|").trim_matches([' ', '|']).to_owned());
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"")
}

/// The first lines: the rest of a table of hundreds of rows tells nothing more.
fn top(html: &str, lines: usize) -> String {
    text(html).lines().take(lines).collect::<Vec<_>>().join("\n")
}

#[test]
fn timeline_of_a_served_request() {
    insta::assert_snapshot!(top(&lens(&open("smollm2-server").run, "timeline"), 110));
}

#[test]
fn timeline_of_a_sparse_capture() {
    insta::assert_snapshot!(top(&lens(&open("synthetic-metal").run, "timeline?rows=segments"), 80));
}

#[test]
fn timeline_of_a_user_capture() {
    insta::assert_snapshot!(text(&lens(&open("user-chat").run, "timeline")));
}

#[test]
fn traversal_of_a_served_request() {
    insta::assert_snapshot!(top(&lens(&open("smollm2-server").run, "traversal"), 70));
}

#[test]
fn traversal_of_a_sparse_capture() {
    insta::assert_snapshot!(top(&lens(&open("synthetic-metal").run, "traversal"), 70));
}

#[test]
fn traversal_of_a_user_capture() {
    insta::assert_snapshot!(text(&lens(&open("user-chat").run, "traversal")));
}

/// The served capture without the kernels of attention, as if the recorder had not stamped inside it.
fn gapped() -> Run {
    let mut run = open("smollm2-server").run;
    let attention = run.kernels.name.iter().position(|name| name == Some("FLASH_ATTN_EXT f16"));
    let attention = u32::try_from(attention.unwrap()).unwrap();
    let kernels = &run.timeline.intervals.kernel;
    let kept: Vec<Option<u32>> =
        (0..run.timeline.intervals.rows()).map(|row| kernels.get(row).filter(|kernel| *kernel != attention)).collect();
    run.timeline.intervals.kernel = Refs::from_iter(kept);
    run.absent.push(Absence::new(
        "/timeline/intervals/kernel",
        ReasonCode::NotRecorded,
        "Which routine attention takes is decided inside it and is not stamped.",
    ));
    run
}

/// Thirty layers, one attention node each: thirty gaps by hand.
#[test]
fn gaps_come_first_and_never_look_like_answers() {
    let run = gapped();
    let html = lens(&run, "traversal?ends=gap");
    let said = text(&html);
    assert!(said.contains("936 chains walked, 30 gaps"), "{}", top(&html, 12));
    assert!(said.contains("fail, 30 gaps in 1 group"));
    assert!(said.contains("30 of 936 rows"));
    let gap = said.find("\u{2039}torn\u{203a}gap").unwrap();
    assert!(gap < said.find("\u{2039}bar\u{203a}terminal").unwrap());
    // Every row of this list has a torn line at its kernel, and its answer further on a bar.
    let rows: Vec<&str> = said.lines().filter(|line| line.contains(" | \u{2039}torn\u{203a}gap | ")).collect();
    assert_eq!(rows.len(), 30 + 1, "thirty rows and the group");
    assert!(rows.iter().skip(1).all(|row| row.contains("\u{2039}bar\u{203a}attention reads cache")), "{rows:#?}");
}

#[test]
fn an_opened_chain_draws_gap_and_answer_apart() {
    let run = gapped();
    let first = lens(&run, "traversal?ends=gap");
    let id = first.split("id=\"interval-").nth(1).unwrap().split('"').next().unwrap();
    let html = lens(&run, &format!("traversal?ends=gap&open={id}"));
    let chain = html.split("class=\"chain\"").nth(1).unwrap();
    for shape in ["class=\"gap-line\"", "class=\"gap-box\"", "class=\"term-line\"", "class=\"term-bar\""] {
        assert!(chain.contains(shape), "{shape}");
    }
    assert!(chain.contains("/timeline/intervals/kernel/"), "the box names the pointer");
    insta::assert_snapshot!(text(chain).lines().take(40).collect::<Vec<_>>().join("\n"));
}

#[test]
fn an_opened_chain_goes_up_to_the_layer_and_comes_back() {
    let html = lens(&open("smollm2-server").run, "traversal?sel=interval:13107");
    let chain = html.split("class=\"chain\"").nth(1).unwrap();
    insta::assert_snapshot!(text(chain).lines().take(64).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_selection_decides_the_pass_and_the_page() {
    let run = open("smollm2-server").run;
    // Interval 0 fell in the first pass; the token under test is that of pass 14.
    let said = text(&lens(&run, "traversal?sel=interval:0"));
    assert!(said.contains("The token under test is that of pass 14"), "{said}");
    // The last of 936 intervals is on the tenth page of a hundred.
    let last = text(&lens(&run, "traversal?sel=interval:14039"));
    assert!(last.contains("901 to 936 of 936"), "{last}");
    let timeline = text(&lens(&run, "timeline?sel=interval:13500"));
    // Interval 13500 is the 397th of its pass, which begins with interval 13104: on the fourth page of a hundred.
    assert!(timeline.contains("301 to 400 of"), "{timeline}");
}

#[test]
fn the_inspector_tells_what_each_kind_is() {
    let mut run = open("smollm2-server").run;
    // The recording has none of these three; made up, one each.
    let labels = Labels::all(Label::measured("a made-up clock"));
    let start = run.timeline.start.unwrap();
    run.timeline.calls = Calls {
        given: true,
        name: ["cudaGraphLaunch"].into_iter().collect(),
        start: [start + 10].into_iter().collect(),
        duration: [1500_i64].into_iter().collect(),
        thread: [77_i64].into_iter().collect(),
        submission: [14_u32].into_iter().collect(),
        labels: labels.clone(),
        ..Calls::default()
    };
    run.timeline.ranges = Ranges {
        given: true,
        name: ["decode <step>"].into_iter().collect(),
        start: [start + 20].into_iter().collect(),
        duration: [2500_i64].into_iter().collect(),
        labels: labels.clone(),
        ..Ranges::default()
    };
    run.timeline.copies = Copies {
        given: true,
        kind: ["host to device"].into_iter().collect(),
        start: [start + 30].into_iter().collect(),
        duration: [1000_i64].into_iter().collect(),
        bytes: [4000_i64].into_iter().collect(),
        labels,
        ..Copies::default()
    };
    let mut said = String::new();
    for item in [
        Item::Pass(14),
        Item::Submission(14),
        Item::NodeSet(0),
        Item::Interval(13107),
        Item::Kernel(3),
        Item::Node(1875),
        Item::Tensor(8),
        Item::Component(1),
        Item::Layer(0),
        Item::Range(0),
        Item::Call(0),
        Item::Chunk(5),
        Item::Copy(0),
    ] {
        said.push_str(&format!("# {item}\n{}\n\n", text(&inspected(&run, Some(item)))));
    }
    said.push_str(&format!("# nothing\n{}\n\n", text(&inspected(&run, None))));
    said.push_str(&format!("# not there\n{}\n", text(&inspected(&run, Some(Item::Node(u32::MAX))))));
    insta::assert_snapshot!(said);
}

#[test]
fn the_inspector_tells_of_gpu_work() {
    let run = open("synthetic-metal").run;
    let said = [Item::Segment(3), Item::Interval(230)]
        .map(|item| format!("# {item}\n{}\n", text(&inspected(&run, Some(item)))))
        .join("\n");
    insta::assert_snapshot!(said);
}

/// Tags nest, attributes are quoted, and nothing stands in them that the page's policy refuses.
fn sound(html: &str, of: &str) {
    const VOID: [&str; 5] = ["input", "br", "hr", "img", "meta"];
    assert!(!html.contains(" style="), "{of} has an inline style");
    assert!(
        !html.contains("<script") && !html.contains("javascript:") && !html.contains(" onclick"),
        "{of} has a script"
    );
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let end = at + rest[at..].find('>').unwrap();
        let tag = &rest[at + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{of}: {tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{of}");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{of}: {open:?}");
    // An id stands once in a document.
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "{of} has an id twice");
}

#[test]
fn every_page_of_every_fixture_is_sound() {
    for fixture in FIXTURES {
        let opened = open(fixture);
        let run = &opened.run;
        let items = [
            Item::Pass(1),
            Item::Submission(1),
            Item::NodeSet(0),
            Item::Segment(1),
            Item::Interval(3),
            Item::Kernel(1),
            Item::Node(5),
            Item::Tensor(2),
            Item::Component(1),
            Item::Layer(1),
            Item::Chunk(2),
        ];
        for item in std::iter::once(None).chain(items.into_iter().map(Some)) {
            let selected = item.map_or_else(String::new, |item| format!("?sel={item}"));
            for slug in ["timeline", "traversal"] {
                sound(&lens(run, &format!("{slug}{selected}")), &format!("{fixture}: {slug}{selected}"));
            }
            sound(&inspected(run, item), &format!("{fixture}: inspector{selected}"));
        }
        for view in [
            "timeline?rows=submissions&from=1",
            "timeline?range=0-1000",
            "timeline?range=5-5&from=99999999",
            "traversal?q=attn&ends=resolved",
            "traversal?from=77777&open=4294967295",
            "traversal?pass=0",
        ] {
            sound(&lens(run, view), &format!("{fixture}: {view}"));
        }
    }
}

#[test]
fn names_from_the_file_stay_text() {
    const PAYLOAD: &str = "\"><img src=x onerror=alert(1)><script>alert(2)</script>";
    let mut run = open("tiny-dense").run;
    let all = |rows: usize| -> Texts { std::iter::repeat_n(Some(PAYLOAD), rows).collect() };
    run.kernels.name = all(run.kernels.rows());
    run.kernels.short = all(run.kernels.rows());
    run.graph.nodes.name = all(run.graph.nodes.rows());
    run.graph.nodes.operation = all(run.graph.nodes.rows());
    run.model.tensors.name = all(run.model.tensors.rows());
    run.model.components.name = all(run.model.components.rows());
    run.timeline.submissions.kind = all(run.timeline.submissions.rows());
    run.timeline.unrecorded.reason = all(run.timeline.unrecorded.rows());
    run.traversal.ends.text = all(run.traversal.ends.rows());
    run.traversal.ends.code = all(run.traversal.ends.rows());
    run.passes.rows.token_text = all(run.passes.rows.rows());
    for absence in &mut run.absent {
        absence.reason = PAYLOAD.to_owned();
    }
    for item in
        [Item::Pass(1), Item::Submission(1), Item::Interval(30), Item::Kernel(1), Item::Node(5), Item::Tensor(2)]
    {
        for html in [
            lens(&run, &format!("timeline?sel={item}")),
            lens(&run, &format!("traversal?sel={item}")),
            inspected(&run, Some(item)),
        ] {
            assert!(!html.contains("<img") && !html.contains("<script"), "{item}");
            assert!(html.contains("&lt;img"), "{item} does not show the name at all");
        }
    }
}

//! The lenses Run, Request timing and Passes on the reference captures: what they say, as reviewable text, and what
//! holds for every page they draw.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::path::Path;
use std::sync::LazyLock;

use tokenpath_core::bundle::{self, Opened};
use tokenpath_core::item::Item;
use tokenpath_core::traverse::{ComputedBy, Verdict, verdict};
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

fn html(opened: &Opened, view: &View) -> String {
    draw(opened, view, &verdict(&opened.run, None, ComputedBy::Page))
}

fn draw(opened: &Opened, view: &View, verdict: &Verdict) -> String {
    let context = Context {
        run: &opened.run,
        problems: &opened.problems,
        view,
        links: Links::Fragment,
        verdict: Some(verdict),
        timeline: None,
        model: None,
    };
    lenses::render(view.lens, &context).into_string()
}

/// What a reader sees: text without markup, a line for each block; the label of a value in angle brackets before it.
fn text(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        if tag == "title" {
            // The glyph's name: measured, derived and so on.
            let (name, after) = after.split_once("</title>").unwrap();
            out.push_str(&format!("\u{2039}{}\u{203a}", name.split(' ').next().unwrap_or("")));
            rest = after;
            continue;
        }
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or("");
        match name {
            "h1" | "h2" | "h3" | "p" | "tr" | "li" | "dt" | "section" | "header" | "summary" | "nav" | "text" => {
                out.push('\n')
            }
            "td" | "th" | "dd" | "small" => out.push_str(" | "),
            _ => {}
        }
        rest = after;
    }
    out.push_str(rest);
    let lines = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines = lines.map(|line| line.replace("| |", "|").replace("| |", "|").trim_matches([' ', '|']).to_owned());
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"")
}

fn lens(name: &str, fragment: &str) -> String {
    text(&html(&open(name), &View::parse(fragment)))
}

#[test]
fn run_of_a_served_request() {
    insta::assert_snapshot!(lens("smollm2-server", "run"));
}

#[test]
fn run_of_a_mixture_of_experts() {
    insta::assert_snapshot!(lens("tiny-moe", "run"));
}

#[test]
fn run_of_a_sparse_capture() {
    insta::assert_snapshot!(lens("synthetic-metal", "run"));
}

#[test]
fn run_of_a_user_capture() {
    insta::assert_snapshot!(lens("user-chat", "run"));
}

#[test]
fn request_of_a_served_run() {
    insta::assert_snapshot!(lens("smollm2-server", "request"));
}

#[test]
fn request_of_a_user_capture() {
    insta::assert_snapshot!(lens("user-chat", "request"));
}

#[test]
fn request_without_counters() {
    insta::assert_snapshot!(lens("user-chat-no-usage", "request"));
}

#[test]
fn passes_of_a_served_request() {
    insta::assert_snapshot!(lens("smollm2-server", "passes?sel=pass:14"));
}

#[test]
fn passes_of_a_sparse_capture() {
    insta::assert_snapshot!(lens("synthetic-metal", "passes"));
}

#[test]
fn passes_whose_kind_is_not_known_are_not_counted_as_none() {
    let mut opened = open("synthetic-metal");
    let passes = opened.run.passes.rows.rows();
    opened.run.passes.rows.kind = std::iter::repeat_n(None::<&str>, passes).collect();
    let page = text(&html(&opened, &View::parse("passes")));
    assert!(page.contains(&format!("{passes} passes, prefill and decode not told apart")), "{page}");
    let counts = page.split("Prefill passes").nth(1).unwrap().split("Decode steps").next().unwrap();
    assert!(!counts.contains('0') && counts.contains('—'), "{counts}");
}

#[test]
fn passes_are_absent_by_depth_once() {
    let opened = open("user-chat");
    let page = lens("user-chat", "passes");
    assert_eq!(page.matches(&opened.run.reason("/passes")).count(), 1, "{page}");
}

#[test]
fn user_mode_says_the_depth_of_the_levels_beneath_once_in_the_coverage() {
    let opened = open("user-chat");
    let page = lens("user-chat", "run");
    let covers = page.split("The recorded stack").next().unwrap();
    assert_eq!(covers.matches(&opened.run.reason("/passes")).count(), 1, "{covers}");
}

/// Every page these lenses draw of the reference captures, by what it is.
static PAGES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut pages = Vec::new();
    for name in FIXTURES {
        let opened = open(name);
        let verdict = verdict(&opened.run, None, ComputedBy::Page);
        for lens in [Lens::Run, Lens::Request, Lens::Passes] {
            for item in [None, Some(Item::Pass(2)), Some(Item::Chunk(3)), Some(Item::Pass(4_000_000))] {
                // The start page shows no selection of its own.
                if lens == Lens::Run && item.is_some() {
                    continue;
                }
                let view = View { item, ..View::of(lens) };
                pages.push((format!("{name} {}", view.fragment()), draw(&opened, &view, &verdict)));
            }
        }
    }
    pages
});

#[test]
fn no_page_carries_inline_style_or_script() {
    for (name, page) in PAGES.iter() {
        for banned in [" style=", "<script", "javascript:", " onclick", "#010000", "#030000"] {
            assert!(!page.contains(banned), "{banned} in {name}");
        }
    }
}

#[test]
fn every_value_has_a_label_with_a_name() {
    for (name, page) in PAGES.iter() {
        for (at, _) in page.match_indices("class=\"v\"") {
            let value: String = page[at..].chars().take(200).collect();
            assert!(value.contains("class=\"lb\""), "{name}: {value}");
        }
        assert_eq!(page.matches("class=\"lb\" role=\"img\" aria-label=\"\"").count(), 0, "{name}");
    }
}

#[test]
fn every_drawing_has_a_name() {
    for (name, page) in PAGES.iter() {
        for (at, _) in page.match_indices("<svg") {
            let tag = page[at..].split('>').next().unwrap();
            let named =
                tag.contains("aria-label=\"") && (tag.contains("role=\"img\"") || tag.contains("role=\"group\""));
            assert!(named || tag.contains("aria-hidden=\"true\""), "{name}: {tag}");
        }
    }
}

#[test]
fn ids_are_unique() {
    for (name, page) in PAGES.iter() {
        let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{name}");
    }
}

#[test]
fn a_selected_pass_is_marked_and_leads_to_the_timeline() {
    let opened = open("smollm2-server");
    let page = html(&opened, &View::parse("passes?sel=pass:14"));
    assert_eq!(page.matches("<tr class=\"on\">").count(), 1);
    assert!(page.contains("class=\"selw\"") && page.contains("class=\"sel\""));
    assert!(page.contains("href=\"#timeline?sel=pass:14\""));
    // A pass of the other execution brings that execution forward.
    let other = text(&html(&opened, &View::parse("passes?sel=pass:0")));
    assert!(other.starts_with("2 prefill passes and 0 decode passes"), "{other}");
}

#[test]
fn a_selected_chunk_is_marked_in_drawing_and_table() {
    let page = html(&open("smollm2-server"), &View::parse("request?sel=chunk:5"));
    assert_eq!(page.matches("<tr class=\"on\">").count(), 1);
    assert!(page.contains("<details class=\"fig data\" open>"));
    assert!(page.contains("class=\"sel\""));
}

/// A payload in every text that a bundle can carry; it may reach a page escaped only.
#[test]
fn texts_of_a_bundle_cannot_inject_markup() {
    let payload = "<img src=x onerror=alert(1)>\"'&";
    for name in ["smollm2-server", "synthetic-metal", "user-chat"] {
        let mut opened = open(name);
        let run = &mut opened.run;
        let hostile = || Some(payload.to_owned());
        run.identity.title = hostile();
        run.identity.scenario = hostile();
        run.identity.runtime.name = hostile();
        run.identity.runtime.version = hostile();
        run.identity.model.name = hostile();
        run.identity.device.name = hostile();
        run.identity.host.conditions = Some(vec![payload.to_owned()]);
        run.identity.instrument.name = hostile();
        run.identity.instrument.clock = hostile();
        run.identity.instrument.statement = Some(vec![payload.to_owned()]);
        run.request.clock = hostile();
        run.passes.classification.method = hostile();
        run.passes.classification.disagreement = hostile();
        run.passes.clock_join.method = hostile();
        run.passes.executions.name = (0..run.passes.executions.rows()).map(|_| payload).collect();
        run.passes.executions.text = (0..run.passes.executions.rows()).map(|_| payload).collect();
        run.passes.rows.token_text = (0..run.passes.rows.rows()).map(|_| payload).collect();
        run.request.chunks.text = (0..run.request.chunks.rows()).map(|_| payload).collect();
        run.request.counters.source = (0..run.request.counters.rows()).map(|_| payload).collect();
        run.timeline.left_out.what = (0..run.timeline.left_out.rows()).map(|_| payload).collect();
        for absence in &mut run.absent {
            absence.reason = payload.to_owned();
        }
        for fragment in ["run", "request?sel=chunk:3", "passes?sel=pass:3"] {
            let page = html(&opened, &View::parse(fragment));
            assert!(!page.contains("<img"), "{name} {fragment}");
            assert!(page.contains("&lt;img"), "{name} {fragment} shows no text of the bundle at all");
        }
    }
}

/// A peak below what the weights alone ask for is stated, not hidden and not clamped: 1 MB/s against some 100 MB/s.
#[test]
fn a_bandwidth_above_the_stated_peak_says_so() {
    let mut opened = open("smollm2");
    opened.run.identity.device.given = true;
    opened.run.identity.device.peak_bandwidth = Some(1_000_000_000_000_000);
    assert!(!html(&opened, &View::parse("run")).contains("above the stated peak"));
    opened.run.identity.device.peak_bandwidth = Some(1_000_000);
    let page = html(&opened, &View::parse("run"));
    assert!(page.contains("above the stated peak"), "it is said");
    let share = page.split("Share of the stated peak").nth(1).unwrap();
    let shown = share.split('%').next().unwrap().rsplit('>').next().unwrap();
    let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
    assert!(digits.parse::<f64>().unwrap() > 100.0, "the share stands as it is: {shown}");
}

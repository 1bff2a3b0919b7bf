//! What every rendering must keep, whatever it shows.

use std::collections::BTreeSet;

use crate::{fixture, render};

const CASES: [&str; 4] = ["smollm2", "tiny-hybrid", "synthetic-metal", "user-chat"];

const VIEWS: [&str; 16] = [
    "model",
    "model?sel=tensor:3",
    "model?show=all&sort=-bytes",
    "model?sel=component:0",
    "block",
    "block?sel=layer:1",
    "block?sel=kernel:0",
    "block?layer=999&graph=999",
    "nodes",
    "nodes?sel=node:40&sort=-time",
    "nodes?q=none-of-them",
    "nodes?from=100000&layer=none&views=no",
    "kernels",
    "kernels?sel=interval:3",
    "kernels?sort=-median&kind=prefill",
    "kernels?sel=kernel:4000&exec=9",
];

fn attribute<'a>(html: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let marker = [" ", name, "=\""].concat();
    let parts: Vec<&str> = html.split(marker.as_str()).skip(1).collect();
    parts.into_iter().map(|part| part.split('"').next().unwrap_or(""))
}

/// No inline style or script (the content policy forbids them), no address but of a view, no broken number in a drawing.
fn check_policy(html: &str, of: &str) {
    assert!(!html.contains(" style=") && !html.contains("<style"), "{of}");
    assert!(!html.contains("<script") && !html.contains("javascript:"), "{of}");
    assert!(!html.contains("NaN") && !html.contains("\"inf%"), "{of}");
    for href in attribute(html, "href") {
        assert!(href.starts_with('#'), "{of}: {href}");
    }
}

/// Ids are unique; symbols and markers that are used are defined.
fn check_ids(html: &str, defined: &BTreeSet<&str>, of: &str) {
    let mut seen = BTreeSet::new();
    for id in attribute(html, "id") {
        assert!(seen.insert(id), "{of}: id {id} twice");
    }
    for used in html.split("<use href=\"#").skip(1).map(|part| part.split('"').next().unwrap_or("")) {
        assert!(defined.contains(used), "{of}: symbol {used}");
    }
    for used in attribute(html, "marker-end") {
        let id = used.trim_start_matches("url(#").trim_end_matches(')');
        assert!(defined.contains(id), "{of}: marker {id}");
    }
}

#[test]
fn every_view_keeps_the_policy_and_its_ids() {
    let symbols = tokenpath_pages::page::symbols().into_string();
    let defined: BTreeSet<&str> = attribute(&symbols, "id").collect();
    for case in CASES {
        let run = fixture(case);
        for view in VIEWS {
            let html = render(&run, view);
            let of = format!("{case} {view}");
            check_policy(&html, &of);
            check_ids(&html, &defined, &of);
        }
    }
}

#[test]
fn a_selection_shows_in_each_lens() {
    let run = fixture("smollm2");
    // Node 3 of the prefill graph reads attn_q of layer 0, which is tensor 8 of the file's alphabetical list.
    assert_eq!(run.graph.nodes.tensors.get(3), Some(&[8_u32][..]));
    for (view, mark) in [
        ("model?sel=node:3", "class=\"on\""),
        ("model?sel=node:3", "class=\"sel\""),
        ("block?sel=node:3", "class=\"nc on\""),
        ("nodes?sel=node:3", "class=\"on\""),
        ("kernels?sel=node:3", "class=\"on\""),
        ("kernels?sel=tensor:8", "class=\"on\""),
        ("block?sel=tensor:8", "class=\"nc on\""),
        ("nodes?sel=kernel:2", "class=\"on\""),
    ] {
        assert!(render(&run, view).contains(mark), "{view} {mark}");
    }
    for view in ["model", "nodes", "kernels"] {
        assert!(!render(&run, view).contains("class=\"on\""), "{view}");
    }
}

#[test]
fn a_lens_without_its_level_says_why() {
    let run = fixture("user-chat");
    for lens in ["model", "block", "nodes", "kernels"] {
        let html = render(&run, lens);
        assert!(html.contains("This recording does not reach this level."), "{lens}");
        assert!(html.contains("class=\"why\""), "{lens}");
        assert!(!html.contains("gives no reason"), "{lens}: {html}");
    }
}

//! A hand-made layer: matched by what it does, whatever its nodes are called.

use super::*;
use crate::derive::block::patterns::{MIXED, OUT};
use crate::label::{Label, Labels};
use crate::model::{Nodes, Tensors};

/// Operation, the tensor it reads, the nodes whose results it takes, whether it only rearranges.
type Row = (&'static str, Option<u32>, &'static [u32], bool);

/// Node 0 is the embedding, outside the layer. Nodes 1 to 16 are one pre-norm layer: norm and scale, Q, K (turned and
/// written), V (written), attention, output, add, norm with its scale fused, up, gate, GLU, down, add; 17 takes the
/// layer's result. Node 4 is a view between Q and its rotation.
const LAYER: &[Row] = &[
    ("GET_ROWS", Some(9), &[], false),
    ("RMS_NORM", None, &[0], false),
    ("MUL", Some(0), &[1], false),
    ("MUL_MAT", Some(1), &[2], false),
    ("RESHAPE", None, &[3], true),
    ("ROPE", None, &[4], false),
    ("MUL_MAT", Some(2), &[2], false),
    ("ROPE", None, &[6], false),
    ("SET_ROWS", None, &[7], false),
    ("MUL_MAT", Some(3), &[2], false),
    ("SET_ROWS", None, &[9], false),
    ("FLASH_ATTN_EXT", None, &[5], false),
    ("MUL_MAT", Some(4), &[11], false),
    ("ADD", None, &[12, 0], false),
    ("RMS_NORM", Some(5), &[13], false),
    ("MUL_MAT", Some(7), &[14], false),
    ("MUL_MAT", Some(6), &[14], false),
    ("GLU", None, &[16, 15], false),
    ("MUL_MAT", Some(8), &[17], false),
    ("ADD", None, &[18, 13], false),
    ("RMS_NORM", None, &[19], false),
];

const ROLES: [&str; 10] = [
    "attention_norm",
    "attention_query",
    "attention_key",
    "attention_value",
    "attention_output",
    "feed_forward_norm",
    "feed_forward_gate",
    "feed_forward_up",
    "feed_forward_down",
    "token_embedding",
];

fn run_of(rows: &[Row]) -> Run {
    let mut run = Run::default();
    let last = rows.len() - 1;
    run.model.tensors = Tensors {
        given: true,
        name: (0..ROLES.len()).map(|row| Some(format!("t{row}"))).collect(),
        role: ROLES.into_iter().collect(),
        ..Tensors::default()
    };
    run.graph.given = true;
    run.graph.nodes = Nodes {
        given: true,
        graph: rows.iter().map(|_| 0_u32).collect(),
        name: rows.iter().map(|_| "x").collect(),
        operation: rows.iter().map(|row| row.0).collect(),
        view: rows.iter().map(|row| i64::from(row.3)).collect(),
        layer: (0..rows.len()).map(|row| (row > 0 && row < last).then_some(0_i64)).collect(),
        tensors: rows.iter().map(|row| Some(row.1.into_iter().collect::<Vec<u32>>())).collect(),
        sources: rows.iter().map(|row| Some(row.2)).collect(),
        labels: Labels::all(Label::reported("callback")),
        ..Nodes::default()
    };
    run
}

fn matched(run: &Run) -> Option<Matched> {
    match match_layer(run, &nodes_of(run, 0, 0)) {
        Match::Matched(matched) => Some(*matched),
        Match::Unmatched(_) => None,
    }
}

fn group<'a>(matched: &'a Matched, key: &str) -> &'a MatchedGroup {
    matched.groups.iter().find(|group| group.group.key == key).unwrap()
}

#[test]
fn a_layer_is_matched_and_its_arrows_are_those_of_the_graph() {
    let run = run_of(LAYER);
    let found = matched(&run).unwrap();
    assert_eq!(found.name(), "prenorm-attention-gated-ffn");
    for (key, nodes) in [
        ("norm", vec![1, 2]),
        ("q", vec![3]),
        ("qr", vec![5]),
        ("cache", vec![8, 10]),
        ("attend", vec![11]),
        (MIXED, vec![13]),
        ("fn", vec![14]),
        ("gate_", vec![16]),
        ("up", vec![15]),
        (OUT, vec![19]),
    ] {
        assert_eq!(group(&found, key).nodes, nodes, "{key}");
    }
    let at = |key: &str| Terminal::Group(found.groups.iter().position(|group| group.group.key == key).unwrap());
    let has = |from, to, kind| found.arrows.contains(&Arrow { from, to, kind });
    // Through the view from Q to its rotation; the embedding both to the norm and past it to the add.
    assert!(has(at("q"), at("qr"), ArrowKind::Recorded));
    assert!(has(Terminal::Outside, at("norm"), ArrowKind::Recorded));
    assert!(has(Terminal::Outside, at(MIXED), ArrowKind::Recorded));
    assert!(has(at(MIXED), at(OUT), ArrowKind::Recorded));
    assert!(has(at(OUT), Terminal::Outside, ArrowKind::Recorded));
    // The graph records no arrow from the write to the read of the cache.
    assert!(has(at("cache"), at("attend"), ArrowKind::Explaining));
    assert!(!has(at("cache"), at("attend"), ArrowKind::Recorded));
    // Each other arrow is recorded: 2 in, norm to Q K V, Q and K to rotate, K and V to the cache, rotate to attend,
    // attend to out, out to add, add to norm and to the last add, norm to gate and up, both to GLU, GLU to down, down
    // to add, 1 out: 2 + 3 + 2 + 2 + 1 + 1 + 1 + 2 + 2 + 2 + 1 + 1 + 1 = 21.
    assert_eq!(found.arrows.iter().filter(|arrow| arrow.kind == ArrowKind::Recorded).count(), 21);
    assert_eq!(found.arrows.len(), 22);
}

#[test]
fn an_arrow_from_the_cache_that_the_graph_records_is_solid() {
    let mut rows = LAYER.to_vec();
    rows[11].2 = &[5, 8, 10];
    let found = matched(&run_of(&rows)).unwrap();
    let at = |key: &str| Terminal::Group(found.groups.iter().position(|group| group.group.key == key).unwrap());
    let arrows: Vec<ArrowKind> = found
        .arrows
        .iter()
        .filter(|arrow| arrow.from == at("cache") && arrow.to == at("attend"))
        .map(|arrow| arrow.kind)
        .collect();
    assert_eq!(arrows, [ArrowKind::Recorded]);
}

#[test]
fn what_a_layer_does_decides() {
    let mut unlike: Vec<(&str, Vec<Row>)> = Vec::new();
    let mut change = |what, edit: &dyn Fn(&mut Vec<Row>)| {
        let mut rows = LAYER.to_vec();
        edit(&mut rows);
        unlike.push((what, rows));
    };
    change("another operation", &|rows| rows[17].0 = "MUL");
    change("another weight", &|rows| rows[12].1 = Some(8));
    change("no residual", &|rows| rows[19].2 = &[18]);
    change("the norm is passed by", &|rows| rows[9].2 = &[0]);
    change("one node too many", &|rows| rows.insert(20, ("SCALE", None, &[19], false)));
    for (what, rows) in unlike {
        let run = run_of(&rows);
        assert!(matched(&run).is_none(), "{what}");
    }
    let mut run = run_of(LAYER);
    run.graph.nodes.sources = crate::column::RefLists::default();
    let Match::Unmatched(mismatch) = match_layer(&run, &nodes_of(&run, 0, 0)) else {
        panic!("matched without sources")
    };
    assert!(!mismatch.sources_known);
}

#[test]
fn a_near_miss_names_what_it_does_not_explain() {
    let mut rows = LAYER.to_vec();
    rows.insert(20, ("SCALE", None, &[19], false));
    let run = run_of(&rows);
    let Match::Unmatched(mismatch) = match_layer(&run, &nodes_of(&run, 0, 0)) else { panic!("matched") };
    // 18 working nodes and the scale; the scale is left over.
    assert_eq!((mismatch.fitted, mismatch.working, mismatch.left_over), (18, 19, Some(20)));
    assert_eq!(mismatch.nearest.as_deref(), Some("prenorm-attention-gated-ffn"));
}

#[test]
fn a_cycle_of_views_ends() {
    let mut rows = LAYER.to_vec();
    rows[4].2 = &[4, 3];
    assert!(matched(&run_of(&rows)).is_some());
}

#[test]
fn views_fold_and_layerless_nodes_stand_apart() {
    let run = run_of(LAYER);
    assert_eq!(layers(&run, 0), [(0, 19)]);
    let entries = entries(&run, &[2, 4, 4, 5]);
    assert_eq!(entries, [Entry::Node(2), Entry::Views(vec![4, 4]), Entry::Node(5)]);
    let apart = layerless(&run, 0);
    assert_eq!(apart, [Layerless { end: None, absence: None, nodes: vec![0, 20] }]);
}

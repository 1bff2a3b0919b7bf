//! Hand-worked models: every right value is worked out in the comments.

#![allow(clippy::field_reassign_with_default)]

use super::experts::experts;
use super::layers::{Mixer, Network};
use super::tensors::{Key, Show, table};
use super::*;
use crate::absence::{Absence, ReasonCode};
use crate::derive::search::Needle;
use crate::label::{Label, Labels};
use crate::model::{Components, Parameters, Tensors, Weights};

/// Name, component, role, type, shape, bytes.
type Row = (&'static str, u32, &'static str, &'static str, &'static [i64], Option<i64>);

fn run_of(rows: &[Row], layers: i64, file_bytes: Option<i64>, header_bytes: Option<i64>) -> Run {
    let read = Labels::all(Label::read("m.gguf"));
    let last = u32::try_from(layers).unwrap() + 1;
    let kinds = (0..=last).map(|row| match row {
        0 => "token_embedding",
        row if row == last => "output_head",
        _ => "decoder_layer",
    });
    let mut run = Run::default();
    run.model = Weights {
        given: true,
        file_bytes,
        header_bytes,
        tied_embedding: Some(false),
        components: Components {
            given: true,
            kind: kinds.collect(),
            name: (0..=last).map(|row| Some(format!("component {row}"))).collect(),
            layer: (0..=last).map(|row| (row > 0 && row < last).then(|| i64::from(row) - 1)).collect(),
            labels: read.clone(),
            ..Components::default()
        },
        tensors: Tensors {
            given: true,
            name: rows.iter().map(|row| row.0).collect(),
            component: rows.iter().map(|row| row.1).collect(),
            role: rows.iter().map(|row| row.2).collect(),
            dtype: rows.iter().map(|row| row.3).collect(),
            shape: rows.iter().map(|row| Some(row.4)).collect(),
            bytes: rows.iter().map(|row| row.5).collect(),
            labels: read.clone().with("role", Label::inferred("names")),
            ..Tensors::default()
        },
        labels: read,
        ..Weights::default()
    };
    run
}

/// An embedding of 8 × 10, two layers, a head. Layer 1 has its down projection in another type.
/// Bytes: embedding 160; each layer q 64, norm 32, up 128; down 128 and 96; head 320.
/// Layers: 64 + 32 + 128 + 128 = 352 and 64 + 32 + 128 + 96 = 320. All: 160 + 352 + 320 + 320 = 1152.
const DENSE: &[Row] = &[
    ("token_embd.weight", 0, "token_embedding", "f16", &[8, 10], Some(160)),
    ("blk.0.attn_q.weight", 1, "attention_query", "q8_0", &[8, 8], Some(64)),
    ("blk.0.attn_norm.weight", 1, "attention_norm", "f32", &[8], Some(32)),
    ("blk.0.ffn_up.weight", 1, "feed_forward_up", "q8_0", &[8, 16], Some(128)),
    ("blk.0.ffn_down.weight", 1, "feed_forward_down", "q8_0", &[16, 8], Some(128)),
    ("blk.1.attn_q.weight", 2, "attention_query", "q8_0", &[8, 8], Some(64)),
    ("blk.1.attn_norm.weight", 2, "attention_norm", "f32", &[8], Some(32)),
    ("blk.1.ffn_up.weight", 2, "feed_forward_up", "q8_0", &[8, 16], Some(128)),
    ("blk.1.ffn_down.weight", 2, "feed_forward_down", "q6_k", &[16, 8], Some(96)),
    ("output.weight", 3, "output_projection", "f32", &[8, 10], Some(320)),
];

fn bytes(reading: &Reading) -> i64 {
    match reading.as_ref().unwrap().quantity {
        Quantity::Bytes(bytes) => bytes,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn bytes_by_component_part_and_type() {
    let run = run_of(DENSE, 2, Some(1300), Some(100));
    let anatomy = anatomy(&run);
    let of: Vec<(Place, i64)> = anatomy.components.iter().map(|known| (known.place, known.bytes.known)).collect();
    assert_eq!(of, [(Place::Embedding, 160), (Place::Layer(0), 352), (Place::Layer(1), 320), (Place::Head, 320)]);
    assert_eq!(bytes(&tensor_bytes(&run, anatomy.bytes, "all tensors")), 1152);
    // Attention before feed-forward, up before down, the norm last: 64, 128, 128, 32.
    let bands: Vec<i64> = anatomy.components[1].bands.iter().map(|band| band.bytes.known).collect();
    assert_eq!(bands, [64, 128, 128, 32]);
    // q8_0 feed-forward: 128 + 128 + 128 = 384; q6_k: 96.
    let forward: Vec<(Option<&str>, i64)> = anatomy
        .parts
        .iter()
        .filter(|part| part.part == Part::FeedForward)
        .map(|part| (part.dtype.as_deref(), part.bytes.known))
        .collect();
    assert_eq!(forward, [(Some("q8_0"), 384), (Some("q6_k"), 96)]);
    // 1300 − 1152 − 100 = 48 bytes that no tensor claims; 352 ÷ 1300 is layer 0's share.
    assert_eq!(bytes(&remainder(&run, &anatomy)), 48);
    let share = share_of_file(&run, &anatomy, anatomy.components[1].bytes, "layer 0").unwrap();
    assert_eq!(share.quantity, Quantity::Share(352.0 / 1300.0));
}

#[test]
fn layers_are_compared_by_shape_and_by_type() {
    let run = run_of(DENSE, 2, Some(1300), None);
    let layers = anatomy(&run).layers;
    assert_eq!(layers.kinds.len(), 1);
    assert_eq!((layers.kinds[0].mixer, layers.kinds[0].network), (Mixer::Attention, Network::Dense));
    assert_eq!(layers.variants.iter().map(|variant| variant.layers.clone()).collect::<Vec<_>>(), [vec![0], vec![1]]);
    let [difference] = layers.differences.as_slice() else { panic!("{:?}", layers.differences) };
    assert_eq!(difference.role, "feed_forward_down");
    assert_eq!(difference.types, [("q8_0".to_owned(), vec![0]), ("q6_k".to_owned(), vec![1])]);
}

// Header unknown: 1300 − 1152 = 148. Stated size 1000: 1000 − 1152 − 100 = −252, and no share of the file.
#[test]
fn parts_that_exceed_the_whole_leave_a_negative_remainder() {
    let run = run_of(DENSE, 2, Some(1300), None);
    assert_eq!(bytes(&remainder(&run, &anatomy(&run))), 148);
    let run = run_of(DENSE, 2, Some(1000), Some(100));
    let all = anatomy(&run);
    assert_eq!(bytes(&remainder(&run, &all)), -252);
    assert!(share_of_file(&run, &all, all.bytes, "all").is_err());
}

#[test]
fn a_missing_byte_count_leaves_no_sum_and_says_why() {
    let mut rows = DENSE.to_vec();
    rows[7].5 = None;
    let mut run = run_of(&rows, 2, Some(1300), Some(100));
    run.absent.push(Absence::new("/model/tensors/bytes/7", ReasonCode::Undecided, "The type is not known."));
    let all = anatomy(&run);
    let missing = tensor_bytes(&run, all.bytes, "all tensors").unwrap_err();
    assert_eq!(missing.pointer, "/model/tensors/bytes/7");
    assert_eq!(missing.reason, "1 of 10 byte counts are missing. The type is not known.");
    assert!(share_of_file(&run, &all, all.bytes, "all").is_err() && remainder(&run, &all).is_err());
    // Layer 0 lacks nothing.
    assert_eq!(bytes(&tensor_bytes(&run, all.components[1].bytes, "layer 0")), 352);
}

#[test]
fn equal_tensors_fold_over_layers() {
    let run = run_of(DENSE, 2, Some(1300), None);
    let all = |show, text, key, descending| table(&run, show, &Needle::new(text), key, descending);
    let folded = all(Show::Folded, "", Key::File, false);
    // q, norm and up fold; the two down projections differ in type: 1 + 3 + 2 + 1 rows.
    let rows: Vec<(u32, Vec<u32>, i64)> =
        folded.rows.iter().map(|row| (row.tensor, row.layers.clone(), row.bytes.known)).collect();
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[1], (1, vec![0, 1], 128));
    assert_eq!(rows[4], (4, vec![0], 128));
    assert_eq!(folded.bytes.exact(), Some(1152));
    // Largest first: 320, 160, then rows of 128 in the order of the file.
    let sorted = all(Show::All, "", Key::Bytes, true);
    assert_eq!(sorted.rows.iter().take(2).map(|row| row.tensor).collect::<Vec<_>>(), [9, 0]);
    // By role and name: three tensors hold "FFN_up" or "feed_forward_up"; two do.
    let found = all(Show::All, "FFN_UP", Key::File, false);
    assert_eq!((found.rows.len(), found.bytes.exact()), (2, Some(256)));
    assert_eq!(all(Show::Layer(1), "", Key::File, false).bytes.exact(), Some(320));
}

/// One layer with four experts of which a token takes one. Embedding 160 (10 rows of 16), mixer 64, router 32,
/// experts 4 × 50 = 200 stacked in one tensor, head 320.
const EXPERTS: &[Row] = &[
    ("token_embd.weight", 0, "token_embedding", "f16", &[8, 10], Some(160)),
    ("blk.0.attn_q.weight", 1, "attention_query", "q8_0", &[8, 8], Some(64)),
    ("blk.0.ffn_gate_inp.weight", 1, "router", "f32", &[8, 4], Some(32)),
    ("blk.0.ffn_up_exps.weight", 1, "expert_up", "q4_0", &[8, 4, 4], Some(200)),
    ("output.weight", 2, "output_projection", "f32", &[8, 10], Some(320)),
];

fn with_experts(tied: bool, used: i64) -> Run {
    let mut run = run_of(EXPERTS, 1, Some(776), None);
    run.model.tied_embedding = Some(tied);
    run.model.parameters = Parameters {
        given: true,
        name: ["expert_count", "expert_used_count"].into_iter().collect(),
        value: [4_i64, used].into_iter().collect(),
        labels: Labels::all(Label::read("m.gguf")),
        ..Parameters::default()
    };
    run
}

// Untied: 16 (one row) + 64 + 32 + 50 (one expert) + 320 = 482. Tied, the embedding counts whole: 160 in place of 16.
// Two experts: 50 more.
#[test]
fn bytes_addressed_by_the_stated_counts() {
    for (tied, used, expected) in [(false, 1, 482), (true, 1, 626), (false, 2, 532)] {
        let run = with_experts(tied, used);
        let found = experts(&run, &anatomy(&run), None).unwrap();
        assert_eq!(bytes(&found.addressed), expected);
        assert_eq!(found.layers.len(), 1);
        assert_eq!((found.layers[0].always.known, found.layers[0].experts.known), (96, 200));
    }
}

#[test]
fn experts_that_cannot_be_right_give_no_figure() {
    // More taken than there are.
    let run = with_experts(false, 5);
    assert!(experts(&run, &anatomy(&run), None).unwrap().addressed.is_err());
    // A dense model has none.
    let run = run_of(DENSE, 2, None, None);
    assert!(experts(&run, &anatomy(&run), None).is_none());
}

// The second size of each shape; norms and single sizes are no projections.
#[test]
fn widths_are_read_from_shapes() {
    let run = run_of(DENSE, 2, None, None);
    let found: Vec<(&str, i64)> = widths::widths(&run, 1).iter().map(|width| (width.role, width.width)).collect();
    assert_eq!(found, [("attention_query", 8), ("feed_forward_up", 16), ("feed_forward_down", 8)]);
    assert_eq!(widths::head_width(&run).unwrap().quantity, Quantity::Count(10));
    // A stack of four experts is one bar of width 4.
    let run = with_experts(false, 1);
    let found: Vec<(i64, Option<i64>)> =
        widths::widths(&run, 1).iter().map(|width| (width.width, width.stacked)).collect();
    assert_eq!(found, [(8, None), (4, None), (4, Some(4))]);
}

#[test]
fn a_share_is_no_stronger_than_an_inferred_size() {
    let mut run = run_of(DENSE, 2, Some(1300), None);
    run.model.tensors.labels = Labels::all(Label::inferred("block size"));
    let all = anatomy(&run);
    let share = share_of_file(&run, &all, all.bytes, "all").unwrap();
    assert_eq!(share.label, Label::inferred("block size"));
}

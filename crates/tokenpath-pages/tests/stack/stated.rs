//! Cases where a drawing must give way to a statement.

use crate::text::text;
use crate::{fixture, render};

#[test]
fn no_proportional_stack_without_every_byte_count() {
    let mut run = fixture("smollm2");
    assert!(render(&run, "model").contains("class=\"bytes\""));
    let bytes = &run.model.tensors.bytes;
    run.model.tensors.bytes = (0..272).map(|row| bytes.get(row).filter(|_| row != 5)).collect();
    let html = render(&run, "model");
    assert!(!html.contains("class=\"bytes\""));
    let text = text(&html);
    assert!(text.contains("No proportional stack"), "{text}");
    assert!(text.contains("1 of 272 byte counts are missing."));
    // Without the sum there is no share, so the title tells only what is stated.
    assert!(text.starts_with("30 layers are stated\n"), "{text}");
}

#[test]
fn parts_that_exceed_the_file_are_stated_and_not_rescaled() {
    let mut run = fixture("smollm2");
    // The tensors are 96 576 768 bytes, and the header 1 785 664 more: 98 362 432, of which 90 000 000 are stated.
    run.model.file_bytes = Some(90_000_000);
    let html = render(&run, "model");
    let text = text(&html);
    assert!(text.contains("The parts exceed the stated size of the file."), "{text}");
    assert!(text.contains("(derived) \u{2212}8.36 MB"), "{text}");
    assert!(text.starts_with("30 layers are stated\n") && html.contains("stated size"));
}

#[test]
fn a_type_that_differs_among_layers_is_told() {
    let mut run = fixture("tiny-dense");
    let tensors = &run.model.tensors;
    let row = (0..tensors.rows()).find(|row| tensors.role.get(*row) == Some("feed_forward_down")).unwrap();
    run.model.tensors.dtype = (0..tensors.rows())
        .map(|at| tensors.dtype.get(at).map(|dtype| if at == row { "q8_0".to_owned() } else { dtype.to_owned() }))
        .collect();
    let html = render(&run, "model");
    let text = text(&html);
    assert!(text.contains("6 layers of one shape in 2 mixes of types"), "{text}");
    assert!(text.contains("feed forward down: q5_1 in layers 1 to 5; q8_0 in layer 0"), "{text}");
    assert!(html.contains("class=\"odd\""));
}

#[test]
fn a_graph_without_sources_shows_cards_only() {
    let mut run = fixture("smollm2");
    run.graph.nodes.sources = Default::default();
    let html = render(&run, "block");
    assert!(!html.contains("Layer schematic") && html.contains("class=\"nc\""));
    assert!(text(&html).contains("The graph does not record which results its nodes take"));
}

#[test]
fn times_that_cover_several_nodes_are_marked_and_not_added_up() {
    let run = fixture("smollm2");
    // Passes 7 and later are those of the stamps, whose norm and scale share an interval.
    let text = text(&render(&run, "nodes?sel=pass:9&layer=0&graph=1&operation=RMS_NORM"));
    assert!(text.contains('\u{2295}'), "{text}");
    assert!(
        text.contains("Sum of the 2 matching nodes that are timed [absent: Some times cover several nodes"),
        "{text}"
    );
}

//! What items are called for people, and which lens shows them.
//!
//! The name never replaces the identity: where names repeat, the kind and index stand beside them.

use tokenpath_core::Run;
use tokenpath_core::item::Item;

use crate::format;
use crate::lens::Lens;
use crate::scene::kernel_name;

/// The kind and index in words: `node 12`, `layer 3`.
pub fn identity(item: Item) -> String {
    let word = match item {
        Item::NodeSet(_) => "node set",
        other => other.word(),
    };
    format!("{word} {}", item.index())
}

/// The name the run gives it, if it gives one.
pub fn name(run: &Run, item: Item) -> Option<&str> {
    let row = item.index() as usize;
    match item {
        Item::Pass(_) => run.passes.rows.kind.get(row),
        Item::Submission(_) => run.timeline.submissions.kind.get(row),
        Item::Kernel(_) => (row < run.kernels.rows()).then(|| kernel_name(run, row)),
        Item::Node(_) => run.graph.nodes.name.get(row),
        Item::Tensor(_) => run.model.tensors.name.get(row),
        Item::Component(_) => run.model.components.name.get(row),
        Item::Range(_) => run.timeline.ranges.name.get(row),
        Item::Call(_) => run.timeline.calls.name.get(row),
        Item::Copy(_) => run.timeline.copies.kind.get(row),
        Item::Layer(_) | Item::NodeSet(_) | Item::Segment(_) | Item::Interval(_) | Item::Chunk(_) => None,
    }
}

/// The model's name without folders and without the suffix of its file.
pub fn model(run: &Run) -> Option<&str> {
    let name = run.identity.model.name.as_deref()?;
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = [".gguf", ".safetensors"].iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    (!stem.is_empty()).then_some(stem)
}

/// What a link to it says: its name where names are telling, else kind and index.
pub fn link(run: &Run, item: Item) -> String {
    match (item, name(run, item)) {
        (Item::Pass(pass), Some(kind)) => format!("{pass}, {kind}"),
        (Item::Pass(pass), None) => pass.to_string(),
        (Item::Submission(row), Some(kind)) => format!("{row}, {kind}"),
        (Item::Node(row), Some(name)) => format!("{row} {name}"),
        (Item::NodeSet(set), _) => match run.timeline.node_sets.nodes.get(set as usize) {
            Some(nodes) => format!("{set}, {}", format::plural(nodes.len() as i64, "node", "nodes")),
            None => set.to_string(),
        },
        (_, Some(name)) => name.to_owned(),
        (item, None) => item.index().to_string(),
    }
}

/// Whether its names are the runtime's or the file's own, and so stand in monospace.
pub fn is_verbatim(item: Item) -> bool {
    matches!(item, Item::Kernel(_) | Item::Node(_) | Item::Tensor(_) | Item::Range(_) | Item::Call(_) | Item::Copy(_))
}

/// The lens that shows an item best.
pub fn lens(item: Item) -> Lens {
    match item {
        Item::Pass(_) => Lens::Passes,
        Item::Chunk(_) => Lens::Request,
        Item::Submission(_) | Item::Segment(_) | Item::Interval(_) | Item::Range(_) | Item::Call(_) | Item::Copy(_) => {
            Lens::Timeline
        }
        Item::Kernel(_) => Lens::Kernels,
        Item::Node(_) | Item::NodeSet(_) => Lens::Nodes,
        Item::Tensor(_) | Item::Component(_) => Lens::Model,
        Item::Layer(_) => Lens::Block,
    }
}

/// The text, cut to so many characters by an ellipsis.
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(most.saturating_sub(1)).collect();
    out.push('\u{2026}');
    out
}

//! Items: what can be selected and what relations lead to. One row of one table, or a layer.
//!
//! An item prints as `kind:number` (`node:12`); that is its spelling in links, in the address of a selection and in
//! command output. Must never contain: names for people, which are the pages' business.

use std::fmt;
use std::str::FromStr;

use crate::model::Run;

/// One row of one table by its index, or a decoder layer by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A row of `/passes/rows`.
    Pass(u32),
    /// A row of `/timeline/submissions`.
    Submission(u32),
    /// A row of `/timeline/node_sets`.
    NodeSet(u32),
    /// A row of `/timeline/segments`.
    Segment(u32),
    /// A row of `/timeline/intervals`.
    Interval(u32),
    /// A row of `/kernels`.
    Kernel(u32),
    /// A row of `/graph/nodes`.
    Node(u32),
    /// A row of `/model/tensors`.
    Tensor(u32),
    /// A row of `/model/components`.
    Component(u32),
    /// A decoder layer, from 0, as `/model/components/layer` numbers them.
    Layer(u32),
    /// A row of `/timeline/ranges`.
    Range(u32),
    /// A row of `/timeline/calls`.
    Call(u32),
    /// A row of `/request/chunks`.
    Chunk(u32),
    /// A row of `/timeline/copies`.
    Copy(u32),
}

impl Item {
    /// The word before the colon.
    pub fn word(self) -> &'static str {
        match self {
            Item::Pass(_) => "pass",
            Item::Submission(_) => "submission",
            Item::NodeSet(_) => "node_set",
            Item::Segment(_) => "segment",
            Item::Interval(_) => "interval",
            Item::Kernel(_) => "kernel",
            Item::Node(_) => "node",
            Item::Tensor(_) => "tensor",
            Item::Component(_) => "component",
            Item::Layer(_) => "layer",
            Item::Range(_) => "range",
            Item::Call(_) => "call",
            Item::Chunk(_) => "chunk",
            Item::Copy(_) => "copy",
        }
    }

    /// The index after the colon.
    pub fn index(self) -> u32 {
        match self {
            Item::Pass(index)
            | Item::Submission(index)
            | Item::NodeSet(index)
            | Item::Segment(index)
            | Item::Interval(index)
            | Item::Kernel(index)
            | Item::Node(index)
            | Item::Tensor(index)
            | Item::Component(index)
            | Item::Layer(index)
            | Item::Range(index)
            | Item::Call(index)
            | Item::Chunk(index)
            | Item::Copy(index) => index,
        }
    }

    /// Parses exactly what [`Item`] prints; `None` for anything else, so that an item has one spelling.
    pub fn parse(text: &str) -> Option<Item> {
        let (word, number) = text.split_once(':')?;
        let index: u32 = number.parse().ok()?;
        let item = match word {
            "pass" => Item::Pass(index),
            "submission" => Item::Submission(index),
            "node_set" => Item::NodeSet(index),
            "segment" => Item::Segment(index),
            "interval" => Item::Interval(index),
            "kernel" => Item::Kernel(index),
            "node" => Item::Node(index),
            "tensor" => Item::Tensor(index),
            "component" => Item::Component(index),
            "layer" => Item::Layer(index),
            "range" => Item::Range(index),
            "call" => Item::Call(index),
            "chunk" => Item::Chunk(index),
            "copy" => Item::Copy(index),
            _ => return None,
        };
        // Parsing a number accepts "+3" and "03"; the canonical spelling does not.
        (item.to_string() == text).then_some(item)
    }

    /// Whether the run holds the item: the row is there; the layer is one of the model's, or a component or node names it.
    pub fn exists(self, run: &Run) -> bool {
        let row = self.index() as usize;
        match self {
            Item::Pass(_) => row < run.passes.rows.rows(),
            Item::Submission(_) => row < run.timeline.submissions.rows(),
            Item::NodeSet(_) => row < run.timeline.node_sets.rows(),
            Item::Segment(_) => row < run.timeline.segments.rows(),
            Item::Interval(_) => row < run.timeline.intervals.rows(),
            Item::Kernel(_) => row < run.kernels.rows(),
            Item::Node(_) => row < run.graph.nodes.rows(),
            Item::Tensor(_) => row < run.model.tensors.rows(),
            Item::Component(_) => row < run.model.components.rows(),
            Item::Range(_) => row < run.timeline.ranges.rows(),
            Item::Call(_) => row < run.timeline.calls.rows(),
            Item::Chunk(_) => row < run.request.chunks.rows(),
            Item::Copy(_) => row < run.timeline.copies.rows(),
            Item::Layer(layer) => {
                let layer = i64::from(layer);
                run.model.layers.is_some_and(|layers| layer < layers)
                    || run.model.components.layer.raw().contains(&layer)
                    || run.graph.nodes.layer.raw().contains(&layer)
            }
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.word(), self.index())
    }
}

/// The text is no item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no item; an item is a kind and an index, such as node:12")]
pub struct NoItem(pub String);

impl FromStr for Item {
    type Err = NoItem;

    fn from_str(text: &str) -> Result<Item, NoItem> {
        Item::parse(text).ok_or_else(|| NoItem(text.chars().take(60).collect()))
    }
}

impl serde::Serialize for Item {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Item;

    #[test]
    fn an_item_has_one_spelling() {
        let cases = [
            ("pass:3", Some(Item::Pass(3))),
            ("submission:0", Some(Item::Submission(0))),
            ("node_set:9", Some(Item::NodeSet(9))),
            ("segment:1", Some(Item::Segment(1))),
            ("interval:4294967295", Some(Item::Interval(u32::MAX))),
            ("kernel:2", Some(Item::Kernel(2))),
            ("node:12", Some(Item::Node(12))),
            ("tensor:7", Some(Item::Tensor(7))),
            ("component:5", Some(Item::Component(5))),
            ("layer:0", Some(Item::Layer(0))),
            ("range:1", Some(Item::Range(1))),
            ("call:8", Some(Item::Call(8))),
            ("chunk:4", Some(Item::Chunk(4))),
            ("copy:6", Some(Item::Copy(6))),
            ("node:012", None),
            ("node:+1", None),
            ("node: 1", None),
            ("node:-1", None),
            ("node:4294967296", None),
            ("node", None),
            ("node:", None),
            ("Node:1", None),
            ("queue:1", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Item::parse(text), expected, "{text}");
            if let Some(item) = expected {
                assert_eq!(item.to_string(), text);
            }
        }
    }
}

//! Items: what a person can select and follow. One spelling everywhere, `kind:index`.

use std::fmt;
use std::str::FromStr;

/// One thing in a run, by its index in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A row of `/passes/rows`.
    Pass(u32),
    /// A row of `/timeline/submissions`.
    Submission(u32),
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
    /// A decoder layer, from 0.
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
        let no_item = || NoItem(text.chars().take(60).collect());
        let (word, index) = text.split_once(':').ok_or_else(no_item)?;
        let index: u32 = index.parse().map_err(|_| no_item())?;
        Ok(match word {
            "pass" => Item::Pass(index),
            "submission" => Item::Submission(index),
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
            _ => return Err(no_item()),
        })
    }
}

//! The runtime graph as llama.cpp has it: nodes in order, each with what it takes.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The result of the node at this index of the same graph.
    Node(u32),
    /// A weight of the model.
    Weight,
    /// A graph input: tokens, positions, masks.
    Input,
    /// Cache or recurrent state.
    State,
}

/// One operand of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Its element or block type.
    pub dtype: String,
    /// Its sizes, the fastest-moving first; empty when the recorder does not say.
    pub shape: Vec<i64>,
    /// Its size in bytes.
    pub bytes: Option<i64>,
    /// The buffer it lies in.
    pub buffer: Option<String>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its name; names repeat within a graph.
    pub name: String,
    /// The operation (`GLU`).
    pub operation: String,
    /// The operation where it is told more closely (`SWIGLU`), else the same.
    pub detail: String,
    /// Element type of the result.
    pub dtype: String,
    /// Sizes of the result, the fastest-moving first.
    pub shape: Vec<i64>,
    /// Where the result is kept: buffer or backend, in the runtime's words.
    pub buffer: Option<String>,
    /// What it takes.
    pub sources: Vec<Source>,
}

/// A graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Nodes in encode order.
    pub nodes: Vec<Node>,
    /// Number of scheduler splits, where the runtime states it.
    pub splits: Option<i64>,
}

/// Operations that only say how to read another result. The list is that of ggml's `ggml_op_is_empty`.
const VIEWS: [&str; 5] = ["NONE", "RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE"];

impl Node {
    /// Whether it does no work.
    pub fn is_view(&self) -> bool {
        VIEWS.contains(&self.operation.as_str())
    }

    /// Its weights.
    pub fn weights(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.origin == Origin::Weight)
    }

    /// Whether some source comes from cache or recurrent state.
    pub fn takes_state(&self) -> bool {
        self.sources.iter().any(|source| source.origin == Origin::State)
    }
}

impl Topology {
    /// For each node, the nodes that take its result.
    pub fn users(&self) -> Vec<Vec<u32>> {
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (index, node) in (0_u32..).zip(&self.nodes) {
            for source in &node.sources {
                if let Origin::Node(from) = source.origin
                    && let Some(list) = users.get_mut(from as usize)
                    && list.last() != Some(&index)
                {
                    list.push(index);
                }
            }
        }
        users
    }

    /// Rule `executed-list`: what the CPU backend runs, in order.
    ///
    /// Views are dropped; an RMS_NORM is joined with a MUL that comes next among the nodes that are left and is its
    /// only user. Nodes without elements stay: the backend steps over them one by one and stamps each.
    pub fn executed(&self) -> Vec<Vec<u32>> {
        let users = self.users();
        let mut list: Vec<Vec<u32>> = Vec::new();
        for (index, node) in (0_u32..).zip(&self.nodes) {
            if node.is_view() {
                continue;
            }
            if node.operation == "MUL"
                && let Some(entry) = list.last_mut()
                && let &[before] = entry.as_slice()
                && self.nodes.get(before as usize).is_some_and(|before| before.operation == "RMS_NORM")
                && users.get(before as usize).is_some_and(|users| users.as_slice() == [index])
            {
                entry.push(index);
                continue;
            }
            list.push(vec![index]);
        }
        list
    }

    /// Equal for graphs that are the same but for sizes of results.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for node in &self.nodes {
            (&node.name, &node.detail, &node.dtype, node.sources.len()).hash(&mut hasher);
            for source in &node.sources {
                (&source.name, source.origin, &source.dtype).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// Whether two graphs are the same but for sizes of results.
    pub fn same_but_for_sizes(&self, other: &Topology) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(a, b)| {
                a.name == b.name
                    && a.detail == b.detail
                    && a.dtype == b.dtype
                    && a.sources.len() == b.sources.len()
                    && a.sources.iter().zip(&b.sources).all(|(a, b)| {
                        a.name == b.name
                            && a.origin == b.origin
                            && a.dtype == b.dtype
                            && (a.origin != Origin::Weight || a.shape == b.shape)
                    })
            })
    }
}

/// Sizes without the trailing ones that ggml pads to four dimensions; at least one size stays. Of sizes below zero, which
/// cannot be, none is kept.
pub fn trimmed(sizes: &[i64]) -> Vec<i64> {
    if sizes.iter().any(|size| *size < 0) {
        return Vec::new();
    }
    let kept = sizes.iter().rposition(|size| *size != 1).map_or(1, |last| last + 1);
    sizes.iter().take(kept).copied().collect()
}

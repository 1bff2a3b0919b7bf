//! The runtime graph: nodes in encode order.

use crate::column::{IntLists, Ints, RefLists, Refs, Texts};
use crate::record::{Kind, Null};
use crate::table::{record, table};

record! {
    /// The runtime graph.
    pub struct Graph at "/graph" {}
    parts {
        /// The distinct graphs.
        graphs: Graphs, Null::Never;
        /// Their nodes.
        nodes: Nodes, Null::Never;
        /// Experts that a router chose.
        choices: Choices, Null::Free;
    }
}

table! {
    /// Distinct graphs. Topology is stored once; passes refer to it.
    pub struct Graphs at "/graph/graphs" {
        /// A name for people.
        name: Texts = Kind::Text, Null::Never;
        /// The kind of pass it belongs to.
        pass_kind: Texts = Kind::Word(&["prefill", "decode"]), Null::Explained;
    }
}

table! {
    /// Nodes of all graphs, each graph's in encode order. The index is the identity; names repeat.
    pub struct Nodes at "/graph/nodes" {
        /// The graph.
        graph: Refs = Kind::Ref("/graph/graphs"), Null::Never;
        /// The name the runtime gives it.
        name: Texts = Kind::Text, Null::Never;
        /// The operation, in the runtime's words (`MUL_MAT`).
        operation: Texts = Kind::Text, Null::Explained;
        /// Which subgraph (scheduler split, command buffer's share) of its graph it lies in, from 0.
        subgraph: Ints = Kind::Count, Null::Explained;
        /// Runtime operations that it stands for: 1 unless operations were fused.
        fused: Ints = Kind::Count, Null::Free;
        /// 1 when it only rearranges and does no work (view, reshape, permute), else 0.
        view: Ints = Kind::Count, Null::Free;
        /// The decoder layer it works for, from 0.
        layer: Ints = Kind::Count, Null::EndedBy("layer_end");
        /// Why it belongs to no layer.
        layer_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The weight tensors it reads.
        tensors: RefLists = Kind::Refs("/model/tensors"), Null::Explained;
        /// Why it reads none.
        tensors_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The kernels it may run as.
        kernels: RefLists = Kind::Refs("/kernels"), Null::Explained;
        /// Why it runs as none.
        kernels_end: Refs = Kind::Ref("/traversal/ends"), Null::Free;
        /// The nodes whose results it takes.
        sources: RefLists = Kind::Refs("/graph/nodes"), Null::Free;
        /// Names of what else it takes: graph inputs, cache and state, comma-separated.
        inputs: Texts = Kind::Text, Null::Free;
        /// Element type of its result.
        dtype: Texts = Kind::Text, Null::Free;
        /// Sizes of its result, the fastest-moving first.
        shape: IntLists = Kind::Sizes, Null::Free;
        /// Where its result is kept, in the runtime's words.
        buffer: Texts = Kind::Text, Null::Free;
    }
}

table! {
    /// Experts that a router chose, one row for each pass, router node and token.
    pub struct Choices at "/graph/choices" {
        /// The pass.
        pass: Refs = Kind::Ref("/passes/rows"), Null::Never;
        /// The node that holds the choice.
        node: Refs = Kind::Ref("/graph/nodes"), Null::Never;
        /// The token's index in the pass.
        token: Ints = Kind::Count, Null::Never;
        /// The experts, the most heavily weighted first.
        experts: IntLists = Kind::Sizes, Null::Never;
    }
}

//! Rule `operation-and-type`: which kernel a node runs as. The recorders name nodes, never kernels.

use super::topology::{Node, Topology};

/// The rule's name, for labels.
pub const RULE: &str = "operation-and-type";

/// What precedes the first stamp of a pass and is in no node.
const BEFORE_FIRST: &str = "host preparation";

/// The kernel of one node: the operation, and the type of the operand by which ggml chooses the code for it: the first
/// of a product or look-up, the keys of attention.
pub fn of_node(node: &Node) -> String {
    let operand = match node.operation.as_str() {
        "MUL_MAT" | "MUL_MAT_ID" | "GET_ROWS" => node.sources.first(),
        "FLASH_ATTN_EXT" => node.sources.get(1),
        _ => None,
    };
    match operand {
        Some(source) => format!("{} {}", node.detail, source.dtype),
        None => node.detail.clone(),
    }
}

/// The kernel of an entry of the executed list: of one node as [`of_node`], of several the operations joined.
pub fn of_entry(topology: &Topology, entry: &[u32]) -> String {
    let nodes: Vec<&Node> = entry.iter().filter_map(|index| topology.nodes.get(*index as usize)).collect();
    match nodes.as_slice() {
        [node] => of_node(node),
        nodes => nodes.iter().map(|node| node.detail.as_str()).collect::<Vec<_>>().join("+"),
    }
}

/// The kernel of the first entry of a stamped pass, whose interval begins with the decode call itself. It has a name of
/// its own so that the host's time is not counted as the operation's.
pub fn of_first_entry(topology: &Topology, entry: &[u32]) -> String {
    format!("{BEFORE_FIRST}+{}", of_entry(topology, entry))
}

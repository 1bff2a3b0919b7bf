//! Answers with which chains end in a llama.cpp run, and the rules that choose them.

use super::topology::Node;

/// A code and its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// A short code.
    pub code: &'static str,
    /// The answer in words.
    pub text: &'static str,
}

/// Why a view runs as no kernel.
pub const VIEW_RUNS_NOTHING: End =
    End { code: "view-runs-no-kernel", text: "A view only says how to read another result: it runs no kernel." };
/// The token embedding is before the layers.
pub const EMBEDDING: End =
    End { code: "before-layers", text: "The token embedding is looked up before the first layer; it belongs to none." };
/// The last norm is after the layers.
pub const FINAL_NORM: End =
    End { code: "final-norm", text: "The final norm comes after the last layer; it belongs to none." };
/// The head is after the layers.
pub const HEAD: End =
    End { code: "output-head", text: "The output head comes after the last layer; it belongs to none." };
/// An input that several layers share.
pub const SHARED: End =
    End { code: "shared-by-layers", text: "It prepares a graph input that several layers share; it belongs to none." };
/// A tensor outside the layers that is neither embedding nor head.
pub const OUTSIDE: End = End { code: "outside-layers", text: "It serves the whole model; it belongs to no layer." };

const VIEW_READS_NOTHING: End =
    End { code: "view-reads-no-weight", text: "A view only says how to read another result: it reads no weight." };
const ROTARY: End = End {
    code: "rotary-reads-no-weight",
    text: "The rotary embedding turns queries and keys by angles that follow from the position: it reads no weight.",
};
const CACHE_WRITE: End =
    End { code: "cache-write", text: "It writes results into the cache or the recurrent state: it reads no weight." };
const ADD: End = End {
    code: "sum-reads-no-weight",
    text: "It adds results (the residual, or the shares of experts): it reads no weight.",
};
const ACTIVATION: End =
    End { code: "activation-reads-no-weight", text: "An activation is applied to results: it reads no weight." };
const ATTENTION: End = End {
    code: "attention-reads-cache",
    text: "Attention takes queries, keys and values of the tokens so far from results and cache: it reads no weight.",
};
const NORM: End = End {
    code: "norm-reads-no-weight",
    text: "A plain norm divides by the size of its operand; its scale, if it has one, is multiplied in by another node.",
};
const ROUTING: End = End {
    code: "routing-reads-no-weight",
    text: "It turns the router's scores into choices and shares: the router's weight is read by another node.",
};
const RECURRENCE: End = End {
    code: "recurrence-reads-state",
    text: "The recurrence takes results and the state of the tokens so far: it reads no weight.",
};
const SELECTION: End =
    End { code: "selection-reads-no-weight", text: "It selects rows of results or of the state: it reads no weight." };
const OTHER: End = End {
    code: "reads-no-weight",
    text: "All that it takes are results of other nodes, graph inputs or state: it reads no weight.",
};

/// Why a node reads no weight, by its operation. Call it for nodes without weights only.
pub fn reads_none(node: &Node) -> End {
    if node.is_view() {
        return VIEW_READS_NOTHING;
    }
    match node.operation.as_str() {
        "ROPE" | "ROPE_BACK" => ROTARY,
        "SET_ROWS" => CACHE_WRITE,
        "CPY" if node.takes_state() || node.name.starts_with("cache_") => CACHE_WRITE,
        "ADD" | "ADD1" | "ADD_ID" | "SUB" => ADD,
        "UNARY" | "GLU" | "LEAKY_RELU" => ACTIVATION,
        "FLASH_ATTN_EXT" | "MUL_MAT" => ATTENTION,
        "RMS_NORM" | "NORM" | "L2_NORM" | "GROUP_NORM" => NORM,
        "SOFT_MAX" if node.name.starts_with("kq") => ATTENTION,
        "SOFT_MAX" | "ARGSORT" | "TOP_K" | "SUM_ROWS" | "CLAMP" | "DIV" => ROUTING,
        "GATED_DELTA_NET" | "SSM_SCAN" | "SSM_CONV" | "RWKV_WKV6" | "RWKV_WKV7" | "GATED_LINEAR_ATTN" => RECURRENCE,
        "GET_ROWS" => SELECTION,
        _ => OTHER,
    }
}

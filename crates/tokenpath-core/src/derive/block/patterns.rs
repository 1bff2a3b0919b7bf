//! Known block patterns, as data. A layer is a mixer half and a network half, each between a norm and a residual add.
//!
//! A step says which operation, reading which tensors, takes results of which other steps; names of nodes appear
//! nowhere. To add a pattern, add a [`Half`].

use crate::derive::part::Part;

/// What the tensors read by a step's node must be.
#[derive(Clone, Copy, Debug)]
pub enum Reads {
    /// The node reads no tensor.
    Nothing,
    /// A tensor with one of these roles.
    Roles(&'static [&'static str]),
    /// A tensor that scales or shifts a normalised vector.
    Norm,
    /// Such a tensor, or nothing: a runtime may fuse the scale into the norm.
    NormOrNothing,
    /// Whatever it reads.
    Anything,
}

/// How many nodes a step stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// Exactly one.
    Once,
    /// One or none.
    Maybe,
    /// Any number.
    Any,
}

/// One step of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its key in `takes` and `may` of other steps.
    pub key: &'static str,
    /// The group that shows it.
    pub group: &'static str,
    /// The operations it may be, in capitals.
    pub operations: &'static [&'static str],
    /// What it reads.
    pub reads: Reads,
    /// From each of these lists at least one step, whose result the node takes.
    pub takes: &'static [&'static [&'static str]],
    /// Further steps whose results it may take.
    pub may: &'static [&'static str],
    /// How often it occurs.
    pub times: Times,
}

/// A group of the schematic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Its key.
    pub key: &'static str,
    /// What stands in its box.
    pub label: &'static str,
    /// Its part.
    pub part: Part,
    /// Its column within the half; empty columns close up.
    pub column: u8,
    /// Its row, 0 in the middle, −1 above; [`RESIDUAL`] for a box on the line that passes the half by.
    pub row: i8,
}

/// One half of a layer.
#[derive(Clone, Copy, Debug)]
pub struct Half {
    /// Its name in the pattern's name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What stands on its frame.
    pub frame: &'static str,
    /// Its steps, in the order in which they are looked for.
    pub steps: &'static [Step],
    /// Its groups.
    pub groups: &'static [Group],
    /// Pairs of groups between which the architecture has a dependency that a graph need not record.
    pub explained: &'static [(&'static str, &'static str)],
}

/// The row of the line that carries the residual past a half.
pub const RESIDUAL: i8 = i8::MAX;
/// The key of what comes from outside the layer.
pub const IN: &str = "in";
/// The key of the first residual add, which every mixer half ends with.
pub const MIXED: &str = "mixed";
/// The key of the last residual add, which every network half ends with.
pub const OUT: &str = "out";
/// The key of a selection of rows from the layer's result, which a runtime may do before the next layer takes it.
pub const OUT_ROWS: &str = "outrows";

const NORM: &[&str] = &["RMS_NORM", "NORM"];
const MATRIX: &[&str] = &["MUL_MAT"];
const EXPERT_MATRIX: &[&str] = &["MUL_MAT_ID"];
const GLU: &[&str] = &["GLU", "SWIGLU", "GEGLU", "REGLU", "SWIGLU_OAI", "GEGLU_ERF", "GEGLU_QUICK"];
const UNARY: &[&str] = &["UNARY", "SILU", "GELU", "RELU", "SIGMOID", "SOFTPLUS"];
const WRITE: &[&str] = &["SET_ROWS", "CPY"];

const NOTHING: Reads = Reads::Nothing;

const fn step(
    key: &'static str,
    group: &'static str,
    operations: &'static [&'static str],
    reads: Reads,
    takes: &'static [&'static [&'static str]],
    times: Times,
) -> Step {
    Step { key, group, operations, reads, takes, may: &[], times }
}

const fn may(step: Step, may: &'static [&'static str]) -> Step {
    Step { may, ..step }
}

const fn group(key: &'static str, label: &'static str, part: Part, column: u8, row: i8) -> Group {
    Group { key, label, part, column, row }
}

use Times::{Any, Maybe, Once};

/// Grouped-query attention with rotary position; norms of query and key, biases and an output gate may be there.
const ATTENTION: Half = Half {
    name: "attention",
    title: "attention",
    frame: "attention",
    steps: &[
        step("n", "norm", NORM, Reads::NormOrNothing, &[&[IN]], Once),
        step("nw", "norm", &["MUL"], Reads::Norm, &[&["n"]], Maybe),
        step("q", "q", MATRIX, Reads::Roles(&["attention_query"]), &[&["n", "nw"]], Once),
        step("k", "k", MATRIX, Reads::Roles(&["attention_key"]), &[&["n", "nw"]], Once),
        step("v", "v", MATRIX, Reads::Roles(&["attention_value"]), &[&["n", "nw"]], Once),
        step("qb", "q", &["ADD"], Reads::Roles(&["attention_query_bias"]), &[&["q"]], Maybe),
        step("kb", "k", &["ADD"], Reads::Roles(&["attention_key_bias"]), &[&["k"]], Maybe),
        step("vb", "v", &["ADD"], Reads::Roles(&["attention_value_bias"]), &[&["v"]], Maybe),
        step("qn", "qn", NORM, Reads::NormOrNothing, &[&["q", "qb"]], Maybe),
        step("qnw", "qn", &["MUL"], Reads::Roles(&["attention_query_norm"]), &[&["qn"]], Maybe),
        step("kn", "kn", NORM, Reads::NormOrNothing, &[&["k", "kb"]], Maybe),
        step("knw", "kn", &["MUL"], Reads::Roles(&["attention_key_norm"]), &[&["kn"]], Maybe),
        step("qr", "qr", &["ROPE"], Reads::Anything, &[&["q", "qb", "qn", "qnw"]], Maybe),
        step("kr", "kr", &["ROPE"], Reads::Anything, &[&["k", "kb", "kn", "knw"]], Maybe),
        step("kw", "cache", WRITE, NOTHING, &[&["k", "kb", "kn", "knw", "kr"]], Maybe),
        step("vw", "cache", WRITE, NOTHING, &[&["v", "vb"]], Maybe),
        may(
            step("fa", "attend", &["FLASH_ATTN_EXT", "FLASH_ATTN"], Reads::Anything, &[QUERY], Maybe),
            &["k", "kb", "knw", "kr", "kw", "v", "vb", "vw"],
        ),
        may(step("kq", "attend", MATRIX, NOTHING, &[QUERY], Maybe), &["k", "kb", "knw", "kr", "kw"]),
        step("scale", "attend", &["SCALE"], NOTHING, &[&["kq"]], Maybe),
        step("soft", "attend", &["SOFT_MAX"], Reads::Anything, &[&["kq", "scale"]], Maybe),
        may(step("kqv", "attend", MATRIX, NOTHING, &[&["soft"]], Maybe), &["v", "vb", "vw"]),
        step("joined", "attend", &["CONT", "CPY"], NOTHING, &[&["kqv", "fa"]], Maybe),
        step("gc", "gate", &["CONT"], NOTHING, &[&["q"]], Maybe),
        step("gs", "gate", UNARY, NOTHING, &[&["q", "gc"]], Maybe),
        step("gm", "gate", &["MUL"], NOTHING, &[&["fa", "kqv", "joined"], &["gs"]], Maybe),
        step("o", "o", MATRIX, Reads::Roles(&["attention_output"]), &[&["fa", "kqv", "joined", "gm"]], Once),
        step("ob", "o", &["ADD"], Reads::Roles(&["attention_output_bias"]), &[&["o"]], Maybe),
        step("pn", "pn", NORM, Reads::NormOrNothing, &[&["o", "ob"]], Maybe),
        step("pnw", "pn", &["MUL"], Reads::Norm, &[&["pn"]], Maybe),
        step("rows", "rows", &["GET_ROWS"], NOTHING, &[&["o", "ob", "pn", "pnw"]], Maybe),
        step("inrows", "inrows", &["GET_ROWS"], NOTHING, &[&[IN]], Maybe),
        step(MIXED, MIXED, &["ADD"], NOTHING, &[&["o", "ob", "pn", "pnw", "rows"], &[IN, "inrows"]], Once),
    ],
    groups: &[
        group("norm", "norm", Part::Normalisation, 0, 0),
        group("q", "Q", Part::Attention, 1, -1),
        group("k", "K", Part::Attention, 1, 0),
        group("v", "V", Part::Attention, 1, 1),
        group("qn", "norm", Part::Normalisation, 2, -1),
        group("kn", "norm", Part::Normalisation, 2, 0),
        group("qr", "rotate", Part::Rotary, 3, -1),
        group("kr", "rotate", Part::Rotary, 3, 0),
        group("cache", "cache", Part::CacheWrite, 4, 0),
        group("attend", "attend", Part::Attention, 5, 0),
        group("gate", "gate", Part::Attention, 6, 0),
        group("o", "out", Part::Attention, 7, 0),
        group("pn", "norm", Part::Normalisation, 8, 0),
        group("rows", "rows", Part::Elementwise, 9, 0),
        group("inrows", "rows", Part::Elementwise, 9, RESIDUAL),
        group(MIXED, "+", Part::Elementwise, 10, 0),
    ],
    explained: &[("cache", "attend")],
};

/// The same with one matrix for query, key and value, whose results are parted by views.
const JOINT_ATTENTION: Half = Half {
    name: "joint-attention",
    title: "attention with one projection for query, key and value",
    frame: "attention",
    steps: &[
        step("n", "norm", NORM, Reads::NormOrNothing, &[&[IN]], Once),
        step("nw", "norm", &["MUL"], Reads::Norm, &[&["n"]], Maybe),
        step("nb", "norm", &["ADD"], Reads::Norm, &[&["n", "nw"]], Maybe),
        step("qkv", "qkv", MATRIX, Reads::Roles(&["attention_query_key_value"]), &[&["n", "nw", "nb"]], Once),
        step("qkvb", "qkv", &["ADD"], Reads::Roles(&["attention_query_key_value_bias"]), &[&["qkv"]], Maybe),
        step(
            "normed",
            "normed",
            &["RMS_NORM", "NORM", "MUL", "CONT"],
            Reads::Anything,
            &[&["qkv", "qkvb", "normed"]],
            Any,
        ),
        step("turned", "turned", &["ROPE"], Reads::Anything, &[&["qkv", "qkvb", "normed"]], Any),
        step("kept", "cache", WRITE, NOTHING, &[PROJECTED], Any),
        may(step("fa", "attend", &["FLASH_ATTN_EXT", "FLASH_ATTN"], Reads::Anything, &[PROJECTED], Maybe), &["kept"]),
        may(step("kq", "attend", MATRIX, NOTHING, &[PROJECTED], Maybe), &["kept"]),
        step("scale", "attend", &["SCALE"], NOTHING, &[&["kq"]], Maybe),
        step("soft", "attend", &["SOFT_MAX"], Reads::Anything, &[&["kq", "scale"]], Maybe),
        may(step("kqv", "attend", MATRIX, NOTHING, &[&["soft"]], Maybe), &["kept", "qkv", "qkvb", "normed"]),
        step("joined", "attend", &["CONT", "CPY"], NOTHING, &[&["kqv", "fa"]], Maybe),
        step("o", "o", MATRIX, Reads::Roles(&["attention_output"]), &[&["fa", "kqv", "joined"]], Once),
        step("ob", "o", &["ADD"], Reads::Roles(&["attention_output_bias"]), &[&["o"]], Maybe),
        step("rows", "rows", &["GET_ROWS"], NOTHING, &[&["o", "ob"]], Maybe),
        step("inrows", "inrows", &["GET_ROWS"], NOTHING, &[&[IN]], Maybe),
        step(MIXED, MIXED, &["ADD"], NOTHING, &[&["o", "ob", "rows"], &[IN, "inrows"]], Once),
    ],
    groups: &[
        group("norm", "norm", Part::Normalisation, 0, 0),
        group("qkv", "QKV", Part::Attention, 1, 0),
        group("normed", "norm", Part::Normalisation, 2, 0),
        group("turned", "rotate", Part::Rotary, 3, 0),
        group("cache", "cache", Part::CacheWrite, 4, 1),
        group("attend", "attend", Part::Attention, 5, 0),
        group("o", "out", Part::Attention, 6, 0),
        group("rows", "rows", Part::Elementwise, 7, 0),
        group("inrows", "rows", Part::Elementwise, 7, RESIDUAL),
        group(MIXED, "+", Part::Elementwise, 8, 0),
    ],
    explained: &[("cache", "attend")],
};

/// The steps of joint attention whose results are queries, keys and values.
const PROJECTED: &[&str] = &["qkv", "qkvb", "normed", "turned"];

/// The steps whose result may serve as the query of attention.
const QUERY: &[&str] = &["q", "qb", "qn", "qnw", "qr"];

/// The gated delta net: a convolution, a recurrent state updated by a delta rule, a gated norm.
const GATED_DELTA_NET: Half = Half {
    name: "gated-delta-net",
    title: "gated delta net",
    frame: "gated delta net",
    steps: &[
        step("n", "norm", NORM, Reads::NormOrNothing, &[&[IN]], Once),
        step("nw", "norm", &["MUL"], Reads::Norm, &[&["n"]], Maybe),
        step("qkv", "qkv", MATRIX, Reads::Roles(&["attention_query_key_value"]), &[&["n", "nw"]], Once),
        step("z", "z", MATRIX, Reads::Roles(&["attention_gate"]), &[&["n", "nw"]], Once),
        step("ba", "ba", MATRIX, Reads::Anything, &[&["n", "nw"]], Any),
        may(step("state", "state", &["GET_ROWS", "SCALE", "CPY"], NOTHING, &[], Any), &["state"]),
        may(step("window", "conv", &["CONCAT"], NOTHING, &[&["qkv"]], Once), &["state"]),
        step("conv", "conv", &["SSM_CONV"], Reads::Anything, &[&["window"]], Once),
        step("act", "conv", UNARY, NOTHING, &[&["conv"]], Maybe),
        step("save", "save", WRITE, NOTHING, &[&["window"]], Maybe),
        step("qk", "qk", &["RMS_NORM", "L2_NORM", "SCALE", "REPEAT", "CONT"], NOTHING, &[&["conv", "act", "qk"]], Any),
        step(
            "decay",
            "ba",
            &["CONT", "ADD", "UNARY", "SOFTPLUS", "SIGMOID", "MUL", "EXP"],
            Reads::Anything,
            &[&["ba", "decay"]],
            Any,
        ),
        may(
            step("delta", "delta", &["GATED_DELTA_NET"], NOTHING, &[&["decay", "ba"], &["qk", "act", "conv"]], Once),
            &["state"],
        ),
        step("keep", "save", WRITE, NOTHING, &[&["delta"]], Maybe),
        step("on", "on", NORM, Reads::NormOrNothing, &[&["delta"]], Once),
        step("onw", "on", &["MUL"], Reads::Norm, &[&["on"]], Maybe),
        step("zs", "z", UNARY, NOTHING, &[&["z"]], Maybe),
        step("om", "on", &["MUL"], NOTHING, &[&["on", "onw"], &["z", "zs"]], Once),
        step("o", "o", MATRIX, Reads::Anything, &[&["om"]], Once),
        step("rows", "rows", &["GET_ROWS"], NOTHING, &[&["o"]], Maybe),
        step("inrows", "inrows", &["GET_ROWS"], NOTHING, &[&[IN]], Maybe),
        step(MIXED, MIXED, &["ADD"], NOTHING, &[&["o", "rows"], &[IN, "inrows"]], Once),
    ],
    groups: &[
        group("norm", "norm", Part::Normalisation, 0, 0),
        group("z", "gate", Part::Attention, 1, -2),
        group("qkv", "QKV", Part::Attention, 1, 0),
        group("ba", "β, decay", Part::Attention, 1, -1),
        group("state", "state read", Part::CacheWrite, 1, 1),
        group("conv", "convolve", Part::Attention, 2, 0),
        group("qk", "norm q, k", Part::Normalisation, 3, 0),
        group("delta", "delta rule", Part::Attention, 4, 0),
        group("save", "state write", Part::CacheWrite, 5, 2),
        group("on", "gated norm", Part::Normalisation, 6, 0),
        group("o", "out", Part::Attention, 7, 0),
        group("rows", "rows", Part::Elementwise, 8, 0),
        group("inrows", "rows", Part::Elementwise, 8, RESIDUAL),
        group(MIXED, "+", Part::Elementwise, 9, 0),
    ],
    explained: &[],
};

/// A gated feed-forward network: two projections, a gate, a third projection.
const GATED_NETWORK: Half = Half {
    name: "gated-ffn",
    title: "gated feed-forward network",
    frame: "feed-forward",
    steps: &[
        step("fn", "fn", NORM, Reads::NormOrNothing, &[&[MIXED]], Once),
        step("fnw", "fn", &["MUL"], Reads::Norm, &[&["fn"]], Maybe),
        step("gate", "gate_", MATRIX, Reads::Roles(&["feed_forward_gate"]), &[&["fn", "fnw"]], Maybe),
        step("up", "up", MATRIX, Reads::Roles(&["feed_forward_up"]), &[&["fn", "fnw"]], Once),
        step("glu", "glu", GLU, NOTHING, &[&["gate", "up"]], Maybe),
        step("act_", "glu", UNARY, NOTHING, &[&["gate"]], Maybe),
        step("times", "glu", &["MUL"], NOTHING, &[&["act_"], &["up"]], Maybe),
        step("down", "down", MATRIX, Reads::Roles(&["feed_forward_down"]), &[&["glu", "times"]], Once),
        step("fpn", "fpn", NORM, Reads::NormOrNothing, &[&["down"]], Maybe),
        step("fpnw", "fpn", &["MUL"], Reads::Norm, &[&["fpn"]], Maybe),
        step(OUT, OUT, &["ADD"], NOTHING, &[&["down", "fpn", "fpnw"], &[MIXED]], Once),
        step(OUT_ROWS, OUT_ROWS, &["GET_ROWS"], NOTHING, &[&[OUT]], Maybe),
    ],
    groups: &[
        group("fn", "norm", Part::Normalisation, 0, 0),
        group("gate_", "gate", Part::FeedForward, 1, -1),
        group("up", "up", Part::FeedForward, 1, 1),
        group("glu", "GLU", Part::FeedForward, 2, 0),
        group("down", "down", Part::FeedForward, 3, 0),
        group("fpn", "norm", Part::Normalisation, 4, 0),
        group(OUT, "+", Part::Elementwise, 5, 0),
        group(OUT_ROWS, "rows", Part::Elementwise, 6, 1),
    ],
    explained: &[],
};

/// Routed experts; one shared by every token may stand beside them.
const EXPERTS: Half = Half {
    name: "moe",
    title: "mixture of experts",
    frame: "mixture of experts",
    steps: &[
        step("fn", "fn", NORM, Reads::NormOrNothing, &[&[MIXED]], Once),
        step("fnw", "fn", &["MUL"], Reads::Norm, &[&["fn"]], Maybe),
        step("sr", "shared", MATRIX, Reads::Roles(&["shared_expert_router"]), &[&["fn", "fnw"]], Maybe),
        step("router", "router", MATRIX, Reads::Roles(&["router"]), &[&["fn", "fnw"]], Once),
        step("probs", "router", &["SOFT_MAX", "UNARY", "SIGMOID"], NOTHING, &[&["router"]], Maybe),
        step("offset", "router", &["ADD"], Reads::Anything, &[&["probs", "router"]], Maybe),
        step("top", "top", &["ARGSORT", "TOP_K"], NOTHING, &[&["probs", "router", "offset"]], Once),
        step("pick", "weights", &["GET_ROWS"], NOTHING, &[&["probs", "router"], &["top"]], Once),
        step(
            "norms",
            "weights",
            &["SOFT_MAX", "SUM_ROWS", "CLAMP", "DIV", "SCALE"],
            NOTHING,
            &[&["pick", "norms"]],
            Any,
        ),
        step("eg", "eg", EXPERT_MATRIX, Reads::Roles(&["expert_gate"]), &[&["fn", "fnw"], &["top"]], Maybe),
        step(
            "eu",
            "eu",
            EXPERT_MATRIX,
            Reads::Roles(&["expert_up", "expert_gate_up"]),
            &[&["fn", "fnw"], &["top"]],
            Once,
        ),
        step("eglu", "eglu", GLU, NOTHING, &[&["eg", "eu"]], Maybe),
        step("eact", "eglu", UNARY, NOTHING, &[&["eg"]], Maybe),
        step("etimes", "eglu", &["MUL"], NOTHING, &[&["eact"], &["eu"]], Maybe),
        step("ed", "ed", EXPERT_MATRIX, Reads::Roles(&["expert_down"]), &[&["eglu", "etimes"], &["top"]], Once),
        step("weigh", "join", &["MUL"], NOTHING, &[&["ed"], &["pick", "norms"]], Once),
        step("sum", "join", &["ADD", "SUM_ROWS", "CONT"], NOTHING, &[&["weigh", "sum"]], Any),
        step("sg", "shared", MATRIX, Reads::Roles(&["shared_expert_gate"]), &[&["fn", "fnw"]], Maybe),
        step("su", "shared", MATRIX, Reads::Roles(&["shared_expert_up"]), &[&["fn", "fnw"]], Maybe),
        step("sglu", "shared", GLU, NOTHING, &[&["sg", "su"]], Maybe),
        step("sd", "shared", MATRIX, Reads::Roles(&["shared_expert_down"]), &[&["sglu"]], Maybe),
        step("ss", "shared", UNARY, NOTHING, &[&["sr"]], Maybe),
        step("sm", "shared", &["MUL"], NOTHING, &[&["sd"], &["ss"]], Maybe),
        step("both", "both", &["ADD"], NOTHING, &[&["weigh", "sum"], &["sd", "sm"]], Maybe),
        step(OUT, OUT, &["ADD"], NOTHING, &[&["weigh", "sum", "both"], &[MIXED]], Once),
        step(OUT_ROWS, OUT_ROWS, &["GET_ROWS"], NOTHING, &[&[OUT]], Maybe),
    ],
    groups: &[
        group("fn", "norm", Part::Normalisation, 0, 0),
        group("router", "router", Part::FeedForward, 1, -1),
        group("top", "top-k", Part::FeedForward, 2, -1),
        group("weights", "weights", Part::FeedForward, 4, -1),
        group("eg", "gate", Part::FeedForward, 3, 0),
        group("eu", "up", Part::FeedForward, 3, 1),
        group("eglu", "GLU", Part::FeedForward, 4, 0),
        group("ed", "down", Part::FeedForward, 5, 0),
        group("join", "weigh, sum", Part::FeedForward, 6, 0),
        group("shared", "shared expert", Part::FeedForward, 4, 2),
        group("both", "+", Part::Elementwise, 7, 0),
        group(OUT, "+", Part::Elementwise, 8, 0),
        group(OUT_ROWS, "rows", Part::Elementwise, 9, 1),
    ],
    explained: &[],
};

/// The mixer halves, in the order in which they are tried.
pub const MIXERS: &[Half] = &[ATTENTION, JOINT_ATTENTION, GATED_DELTA_NET];
/// The network halves, in the order in which they are tried.
pub const NETWORKS: &[Half] = &[GATED_NETWORK, EXPERTS];

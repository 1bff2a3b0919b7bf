//! Makes `fixtures/synthetic-metal/run.json.gz`: a run that never happened, in the shape of a sparse Metal recording.
//!
//! `cargo run -p tokenpath-import --example make_synthetic`
//!
//! No figure in it is a measurement. It exists because no public recording shows at once what a reader must cope with:
//! ticks without duration, GPU segments that are missing, unrecorded time, several candidate nodes for one kernel,
//! an interval in no pass, and planted gaps, so that the verdict on its token under test is `fail`.

use std::error::Error;
use std::fs;
use std::path::Path;

use tokenpath_core::bundle::{self, validate};
use tokenpath_core::model::{
    Chunks, Classification, ClockJoin, Components, Copies, Counters, Device, Ends, Events, Graph, Graphs, Host,
    Identity, Instrument, Intervals, Kernels, LeftOut, ModelFile, NodeSets, Nodes, Parameters, PassRows, Passes,
    Queues, Request, Runtime, Segments, Submissions, Tensors, Timeline, Traversal, Unrecorded, Weights,
};
use tokenpath_core::{Absence, Label, Labels, ReasonCode, Run};

const LAYERS: u32 = 4;
const DECODES: u32 = 8;
/// Reading of the trace clock at the start of the request.
const ORIGIN: i64 = 50_000_000_000;
const MS: i64 = 1_000_000;
const US: i64 = 1000;
/// The pass of the token under test.
const UNDER_TEST: u32 = 4;
const SYNTHETIC: &str = "synthetic";

/// Kernels in the order of the table; the last one no node names.
const KERNELS: [&str; 10] = [
    "kernel_get_rows_q6_K",
    "kernel_rms_norm_mul_f32",
    "kernel_mul_mv_q4_K_f32",
    "kernel_mul_mv_q6_K_f32",
    "kernel_rope_norm_f32",
    "kernel_flash_attn_ext_vec_f16",
    "kernel_add_f32",
    "kernel_swiglu_f32",
    "kernel_set_rows_f16",
    "kernel_fill_blit",
];

/// Ends in the order of the table.
const ENDS: [(&str, &str); 8] = [
    ("before-layers", "The token embedding is looked up before the first layer; it belongs to none."),
    ("after-layers", "The final norm and the output head come after the last layer; they belong to none."),
    ("rotary-reads-no-weight", "The rotary embedding follows from the position: it reads no weight."),
    ("attention-reads-cache", "Attention takes queries, keys and values from results and cache: it reads no weight."),
    ("sum-reads-no-weight", "It adds two results: it reads no weight."),
    ("activation-reads-no-weight", "An activation is applied to results: it reads no weight."),
    ("between-passes", "The tick fell between two passes; it belongs to none."),
    ("cache-write", "It writes keys or values into the cache: it reads no weight."),
];

/// One node of a layer: name, operation, role of the tensor it reads or the end, kernel candidates.
struct Step {
    name: &'static str,
    operation: &'static str,
    reads: Result<&'static str, u32>,
    kernels: &'static [u32],
}

const fn step(
    name: &'static str,
    operation: &'static str,
    reads: Result<&'static str, u32>,
    kernels: &'static [u32],
) -> Step {
    Step { name, operation, reads, kernels }
}

const BLOCK: [Step; 16] = [
    step("attn_norm", "RMS_NORM", Ok("attention_norm"), &[1]),
    step("Qcur", "MUL_MAT", Ok("attention_query"), &[2]),
    step("Kcur", "MUL_MAT", Ok("attention_key"), &[2]),
    // Two types of quantisation occur in this role, and the rule cannot tell which kernel ran.
    step("Vcur", "MUL_MAT", Ok("attention_value"), &[2, 3]),
    step("Qcur_rope", "ROPE", Err(2), &[4]),
    step("Kcur_rope", "ROPE", Err(2), &[4]),
    step("k_cache", "SET_ROWS", Err(7), &[8]),
    step("kqv", "FLASH_ATTN_EXT", Err(3), &[5]),
    step("attn_out", "MUL_MAT", Ok("attention_output"), &[2]),
    step("ffn_inp", "ADD", Err(4), &[6]),
    step("ffn_norm", "RMS_NORM", Ok("feed_forward_norm"), &[1]),
    step("ffn_gate", "MUL_MAT", Ok("feed_forward_gate"), &[2]),
    step("ffn_up", "MUL_MAT", Ok("feed_forward_up"), &[2]),
    step("ffn_swiglu", "SWIGLU", Err(5), &[7]),
    step("ffn_down", "MUL_MAT", Ok("feed_forward_down"), &[2, 3]),
    step("l_out", "ADD", Err(4), &[6]),
];

/// Roles of a layer's tensors with type, sizes and bytes of a width of 512 and a feed-forward width of 1536.
const TENSORS: [(&str, &str, &str, [i64; 2], i64); 9] = [
    ("attention_norm", "attn_norm", "f32", [512, 1], 2048),
    ("attention_query", "attn_q", "q4_K", [512, 512], 147_456),
    ("attention_key", "attn_k", "q4_K", [512, 128], 36_864),
    ("attention_value", "attn_v", "q6_K", [512, 128], 53_760),
    ("attention_output", "attn_output", "q4_K", [512, 512], 147_456),
    ("feed_forward_norm", "ffn_norm", "f32", [512, 1], 2048),
    ("feed_forward_gate", "ffn_gate", "q4_K", [512, 1536], 442_368),
    ("feed_forward_up", "ffn_up", "q4_K", [512, 1536], 442_368),
    ("feed_forward_down", "ffn_down", "q6_K", [1536, 512], 645_120),
];

/// A tensor: name, component, role, type, sizes, bytes.
type Tensor = (String, u32, &'static str, &'static str, Vec<i64>, i64);

/// A tick: when, pass, submission, segment, kernel.
type Tick = (i64, Option<u32>, Option<u32>, Option<u32>, Option<u32>);

/// Absences as they arise.
struct Absent(Vec<Absence>);

impl Absent {
    fn add(&mut self, pointer: impl Into<String>, code: ReasonCode, reason: &str) {
        self.0.push(Absence::new(pointer, code, reason));
    }
}

fn label() -> Label {
    Label::reported(SYNTHETIC)
}

fn clock() -> Label {
    Label::measured("mach_absolute_time (synthetic)")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut absent = Absent(Vec::new());
    let nodes_of_graph = 1 + LAYERS * 16 + 2;
    let run = Run {
        identity: identity(&mut absent),
        request: request(&mut absent),
        passes: passes(&mut absent),
        model: model(),
        graph: graph(&mut absent),
        kernels: kernels(),
        timeline: timeline(nodes_of_graph, &mut absent),
        traversal: Traversal {
            given: true,
            pass: Some(i64::from(UNDER_TEST)),
            ends: Ends {
                given: true,
                code: ENDS.iter().map(|(code, _)| *code).collect(),
                text: ENDS.iter().map(|(_, text)| *text).collect(),
                labels: Labels::all(label()),
                ..Ends::default()
            },
            labels: Labels::all(label()),
            ..Traversal::default()
        },
        absent: {
            absent.add("/instruments", ReasonCode::NotRecorded, "The instrument samples no memory, storage or caches.");
            absent.0
        },
        ..Run::default()
    };
    let problems = validate(&run);
    if let Some(problem) = problems.first() {
        for problem in &problems {
            eprintln!("{problem}");
        }
        return Err(format!("{} problems, the first: {problem}", problems.len()).into());
    }
    let bytes = bundle::write_gzip(&run);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/synthetic-metal");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("run.json.gz"), &bytes)?;
    eprintln!("synthetic-metal: {} bytes", bytes.len());
    Ok(())
}

fn identity(absent: &mut Absent) -> Identity {
    absent.add("/identity/recorded_at", ReasonCode::NoSuchThing, "The run is synthetic; it was never recorded.");
    absent.add("/identity/model/digest", ReasonCode::NoSuchThing, "The model is synthetic; there is no file.");
    absent.add("/identity/host/cpu", ReasonCode::NoSuchThing, "The run is synthetic; there is no machine.");
    absent.add("/identity/host/os", ReasonCode::NoSuchThing, "The run is synthetic; there is no machine.");
    absent.add("/identity/host/threads", ReasonCode::NoSuchThing, "The run is synthetic; there is no machine.");
    absent.add("/identity/device/memory", ReasonCode::NoSuchThing, "The run is synthetic; there is no device.");
    let statement = [
        "Synthetic: the content was made up to exercise a reader; no run stands behind it.",
        "A sparse shader profiler ticks while kernels run: a tick says which kernel ran at a moment, not for how long.",
        "It reads no hardware counters and records no launch geometry.",
    ];
    Identity {
        given: true,
        id: Some("synthetic-metal".to_owned()),
        title: Some("Synthetic: the shape of a sparse Metal recording, with planted gaps".to_owned()),
        capture_mode: Some("lab".to_owned()),
        synthetic: Some(true),
        scenario: Some("Made up to show what a sparse instrument leaves open.".to_owned()),
        runtime: Runtime {
            given: true,
            name: Some("synthetic runtime".to_owned()),
            version: Some("0".to_owned()),
            backend: Some("Metal".to_owned()),
            labels: Labels::all(label()),
            ..Runtime::default()
        },
        model: ModelFile {
            given: true,
            name: Some("synthetic 4-layer model".to_owned()),
            labels: Labels::all(label()),
            ..ModelFile::default()
        },
        host: Host { given: true, labels: Labels::all(label()), ..Host::default() },
        device: Device {
            given: true,
            name: Some("synthetic GPU".to_owned()),
            labels: Labels::all(label()),
            ..Device::default()
        },
        instrument: Instrument {
            given: true,
            name: Some("synthetic sparse Metal instrument".to_owned()),
            clock: Some("mach_absolute_time (synthetic)".to_owned()),
            kernel_timing: Some("sparse".to_owned()),
            interval_kind: Some("tick".to_owned()),
            hardware_counters: Some(false),
            graphs: Some("none".to_owned()),
            statement: Some(statement.iter().map(|sentence| (*sentence).to_owned()).collect()),
            ..Instrument::default()
        },
        ..Identity::default()
    }
}

/// Start of a pass after the start of the request.
fn pass_start(pass: u32) -> i64 {
    if pass == 0 { 6 * MS } else { 48 * MS + i64::from(pass - 1) * 9 * MS + i64::from(pass * 37 % 11) * 100 * US }
}

/// Chunks: the channel, the tokens, the characters and the delay after the end of their pass.
fn request(absent: &mut Absent) -> Request {
    // The first two tokens are reasoning, which the server sends on a channel of its own; one is sent without text.
    let channels = [
        "none",
        "reasoning",
        "reasoning",
        "content",
        "content",
        "content",
        "content",
        "content",
        "content",
        "content",
        "none",
    ];
    let tokens = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0];
    let characters = [0, 4, 0, 3, 5, 2, 6, 4, 1, 7, 0];
    let mut at = vec![47 * MS];
    at.extend((0..=DECODES).map(|pass| pass_start(pass) + 8 * MS + i64::from(pass % 3) * 90 * US));
    at[1] = 47 * MS + 300 * US;
    at.push(at[9] + 400 * US);
    let events = [
        ("sent", Some(120 * US)),
        ("handed_to_runner", Some(2 * MS)),
        ("first_encode", Some(6 * MS)),
        ("first_byte", Some(46 * MS)),
        ("first_event", Some(47 * MS)),
        ("first_token", Some(at[1])),
        ("first_content_token", Some(at[3])),
        ("end_of_generation", Some(at[10])),
        ("stream_end", None),
    ];
    absent.add("/request/events/at/8", ReasonCode::Lost, "Synthetic: the connection broke before the stream ended.");
    let counters = [
        ("prompt_tokens", 24, "tokens"),
        ("cached_tokens", 8, "tokens"),
        ("generated_tokens", 10, "tokens"),
        ("prompt_time", 38 * MS, "ns"),
        ("generation_time", 74 * MS, "ns"),
    ];
    let client = Label::measured("client clock (synthetic)");
    Request {
        given: true,
        clock: Some("client clock (synthetic)".to_owned()),
        api: Some("openai-chat".to_owned()),
        finish: Some("length".to_owned()),
        token_count: Some("per_chunk".to_owned()),
        events: Events {
            given: true,
            name: events.iter().map(|(name, _)| *name).collect(),
            at: events.iter().map(|(_, at)| *at).collect(),
            labels: Labels::all(client.clone()),
            ..Events::default()
        },
        chunks: Chunks {
            given: true,
            at: at.iter().copied().collect(),
            characters: characters.into_iter().collect(),
            tokens: tokens.into_iter().collect(),
            channel: channels.into_iter().collect(),
            pass: std::iter::once(None).chain((0..=DECODES).map(Some)).chain(std::iter::once(None)).collect(),
            labels: Labels::all(client.clone())
                .with("tokens", label())
                .with("channel", Label::inferred("channel-of-delta"))
                .with("pass", Label::inferred("token-order")),
            ..Chunks::default()
        },
        counters: Counters {
            given: true,
            name: counters.iter().map(|(name, ..)| *name).collect(),
            value: counters.iter().map(|(_, value, _)| *value).collect(),
            unit: counters.iter().map(|(.., unit)| *unit).collect(),
            labels: Labels::all(label()),
            ..Counters::default()
        },
        labels: Labels::all(client).with("api", label()).with("finish", label()).with("token_count", label()),
        ..Request::default()
    }
}

fn passes(absent: &mut Absent) -> Passes {
    let count = DECODES + 1;
    let start = |pass| ORIGIN + pass_start(pass);
    absent.add(
        format!("/passes/rows/period/{DECODES}"),
        ReasonCode::NoSuchThing,
        "The last pass has no next start, so it has no period.",
    );
    absent.add(
        "/passes/rows/end/7",
        ReasonCode::Lost,
        "Synthetic: the completion of this pass was lost with a full ring buffer.",
    );
    Passes {
        given: true,
        rows: PassRows {
            given: true,
            kind: (0..count).map(|pass| Some(if pass == 0 { "prefill" } else { "decode" })).collect(),
            start: (0..count).map(start).collect(),
            end: (0..count)
                .map(|pass| match pass {
                    0 => Some(start(0) + 38 * MS),
                    7 => None,
                    pass => Some(start(pass) + 7 * MS),
                })
                .collect(),
            period: (0..count).map(|pass| (pass < DECODES).then(|| start(pass + 1) - start(pass))).collect(),
            tokens: (0..count).map(|pass| if pass == 0 { 16 } else { 1 }).collect(),
            position: (0..count).map(|pass| if pass == 0 { 8 } else { 23 + i64::from(pass) }).collect(),
            graph: (0..count).map(|pass| u32::from(pass > 0)).collect(),
            labels: Labels::all(clock())
                .with("kind", Label::inferred("tokens-in-pass"))
                .with("period", Label::derived("start of the next pass - start"))
                .with("tokens", label())
                .with("position", label())
                .with("graph", label()),
            ..PassRows::default()
        },
        classification: Classification {
            given: true,
            method: Some("A pass that takes in one token is a decode pass.".to_owned()),
            runtime_decode_steps: Some(i64::from(DECODES) + 1),
            disagreement: Some(
                "The trace has 8 decode passes, the runtime counted 9: the recording may have ended before the last one."
                    .to_owned(),
            ),
            labels: Labels::all(label()).with("disagreement", Label::derived("8 decode passes against 9")),
            ..Classification::default()
        },
        clock_join: ClockJoin {
            given: true,
            method: Some("first encode of the runtime's log against the first submission of the trace".to_owned()),
            offset: Some(ORIGIN),
            residual: Some(180 * US),
            uncertainty: Some(250 * US),
            labels: Labels::all(Label::inferred("first-encode")),
            ..ClockJoin::default()
        },
        ..Passes::default()
    }
}

/// Index of a layer's tensor of this role.
fn tensor(layer: u32, role: &str) -> Option<u32> {
    let at = TENSORS.iter().position(|(known, ..)| *known == role)?;
    Some(1 + layer * 9 + u32::try_from(at).ok()?)
}

fn model() -> Weights {
    let mut rows: Vec<Tensor> =
        vec![("token_embd.weight".to_owned(), 0, "token_embedding", "q6_K", vec![512, 4096], 1_720_320)];
    for layer in 0..LAYERS {
        for (role, name, dtype, shape, bytes) in TENSORS {
            let shape = if shape[1] == 1 { vec![shape[0]] } else { shape.to_vec() };
            rows.push((format!("blk.{layer}.{name}.weight"), 1 + layer, role, dtype, shape, bytes));
        }
    }
    rows.push(("output_norm.weight".to_owned(), LAYERS + 1, "output_norm", "f32", vec![512], 2048));
    rows.push(("rope_freqs.weight".to_owned(), LAYERS + 2, "rotary_frequencies", "f32", vec![32], 128));
    let tensors_total: i64 = rows.iter().map(|(.., bytes)| bytes).sum();
    let mut kinds = vec![("token_embedding", "Token embedding".to_owned(), None, Some(0))];
    kinds.extend((0..LAYERS).map(|layer| ("decoder_layer", format!("Layer {layer}"), Some(i64::from(layer)), None)));
    kinds.push(("output_head", "Output head".to_owned(), None, Some(1)));
    kinds.push(("other", "Other".to_owned(), None, Some(1)));
    let parameters = [
        ("embedding_length", 512),
        ("feed_forward_length", 1536),
        ("head_count", 8),
        ("head_count_kv", 2),
        ("head_width", 64),
        ("vocabulary", 4096),
    ];
    Weights {
        given: true,
        architecture: Some("llama".to_owned()),
        layers: Some(i64::from(LAYERS)),
        file_bytes: Some(tensors_total + 65_536),
        header_bytes: Some(65_536),
        tied_embedding: Some(true),
        parameters: Parameters {
            given: true,
            name: parameters.iter().map(|(name, _)| *name).collect(),
            value: parameters.iter().map(|(_, value)| *value).collect(),
            labels: Labels::all(label()),
            ..Parameters::default()
        },
        components: Components {
            given: true,
            kind: kinds.iter().map(|(kind, ..)| *kind).collect(),
            name: kinds.iter().map(|(_, name, ..)| name.as_str()).collect(),
            layer: kinds.iter().map(|(_, _, layer, _)| *layer).collect(),
            layer_end: kinds.iter().map(|(.., end)| *end).collect::<Vec<Option<u32>>>().into_iter().collect(),
            labels: Labels::all(label()),
            ..Components::default()
        },
        tensors: Tensors {
            given: true,
            name: rows.iter().map(|(name, ..)| name.as_str()).collect(),
            component: rows.iter().map(|(_, component, ..)| *component).collect(),
            role: rows.iter().map(|(_, _, role, ..)| *role).collect(),
            dtype: rows.iter().map(|(_, _, _, dtype, ..)| *dtype).collect(),
            shape: rows.iter().map(|(_, _, _, _, shape, _)| Some(shape.as_slice())).collect(),
            bytes: rows.iter().map(|(.., bytes)| *bytes).collect(),
            labels: Labels::all(label()),
            ..Tensors::default()
        },
        labels: Labels::all(label()),
        ..Weights::default()
    }
}

fn graph(absent: &mut Absent) -> Graph {
    let mut nodes = Nodes { given: true, ..Nodes::default() };
    let mut mapping: Vec<Label> = Vec::new();
    let mut row = 0_u32;
    for graph in 0..2_u32 {
        let first = row;
        let width = if graph == 0 { 16 } else { 1 };
        let mut push = |name: String,
                        operation: &str,
                        layer: Result<u32, u32>,
                        reads: Result<u32, u32>,
                        kernels: &[u32],
                        shape: &[i64],
                        fused: i64| {
            nodes.graph.push(Some(graph));
            nodes.name.push(Some(&name));
            nodes.operation.push(Some(operation));
            // The first half of the layers and the look-up are the first command buffer's share.
            let second = matches!(layer, Ok(layer) if layer >= LAYERS / 2) || layer == Err(1);
            nodes.subgraph.push(Some(i64::from(second)));
            nodes.fused.push(Some(fused));
            nodes.view.push(Some(0));
            nodes.layer.push(layer.ok().map(i64::from));
            nodes.layer_end.push(layer.err());
            nodes.tensors.push(Some(&reads.map_or_else(|_| Vec::new(), |tensor| vec![tensor])));
            nodes.tensors_end.push(reads.err());
            nodes.kernels.push(Some(kernels));
            nodes.kernels_end.push(None);
            nodes.sources.push(Some(&row.checked_sub(1).filter(|before| *before >= first).map_or(vec![], |b| vec![b])));
            nodes.dtype.push(Some("f32"));
            nodes.shape.push(Some(shape));
            mapping.push(match kernels {
                // The pipeline's label names the kernel of these outright.
                [1 | 5] => Label::reported("pipeline label (synthetic)"),
                [_] => Label::inferred("operation-and-type"),
                _ => Label::inferred("operation, type undecided"),
            });
            row += 1;
        };
        push("embd".to_owned(), "GET_ROWS", Err(0), Ok(0), &[0], &[512, width], 1);
        for layer in 0..LAYERS {
            for step in &BLOCK {
                let reads = step.reads.map(|role| tensor(layer, role).unwrap_or(0));
                let fused = if step.operation == "RMS_NORM" { 2 } else { 1 };
                push(
                    format!("{}-{layer}", step.name),
                    step.operation,
                    Ok(layer),
                    reads,
                    step.kernels,
                    &[512, width],
                    fused,
                );
            }
        }
        push("result_norm".to_owned(), "RMS_NORM", Err(1), Ok(1 + LAYERS * 9), &[1], &[512, 1], 2);
        push("result_output".to_owned(), "MUL_MAT", Err(1), Ok(0), &[3], &[4096, 1], 1);
    }
    nodes.labels = Labels::all(label()).with_rows("kernels", mapping);
    // Planted gaps in the decode graph: a node without layer and one without tensors, both with their reasons.
    let base = 1 + LAYERS * 16 + 2;
    let gap_layer = base + 1 + 2 * 16 + 9;
    let gap_tensors = base + 1 + 3 * 16 + 8;
    let mut layers: Vec<Option<i64>> = (0..row as usize).map(|row| nodes.layer.get(row)).collect();
    if let Some(layer) = layers.get_mut(gap_layer as usize) {
        *layer = None;
    }
    nodes.layer = layers.into_iter().collect();
    absent.add(
        format!("/graph/nodes/layer/{gap_layer}"),
        ReasonCode::Undecided,
        "Synthetic gap: nothing tells the layer of this sum.",
    );
    let tensors: Vec<Option<Vec<u32>>> = (0..row)
        .map(|row| if row == gap_tensors { None } else { nodes.tensors.get(row as usize).map(<[u32]>::to_vec) })
        .collect();
    nodes.tensors = tensors.into_iter().collect();
    absent.add(
        format!("/graph/nodes/tensors/{gap_tensors}"),
        ReasonCode::Lost,
        "Synthetic gap: the operands of this product were lost.",
    );
    Graph {
        given: true,
        graphs: Graphs {
            given: true,
            name: ["prefill graph", "decode graph"].into_iter().collect(),
            pass_kind: [Some("prefill"), Some("decode")].into_iter().collect(),
            labels: Labels::all(label()),
            ..Graphs::default()
        },
        nodes,
        ..Graph::default()
    }
}

fn kernels() -> Kernels {
    Kernels {
        given: true,
        name: KERNELS.into_iter().collect(),
        short: KERNELS.iter().map(|name| Some(name.trim_start_matches("kernel_"))).collect(),
        counted: (0..10_i64).map(|kernel| if kernel == 9 { 3 } else { 40 + kernel * 17 }).collect(),
        labels: Labels::all(label()).with("counted", Label::measured("dispatch counter (synthetic)")),
        ..Kernels::default()
    }
}

fn timeline(nodes_of_graph: u32, absent: &mut Absent) -> Timeline {
    let half = 1 + LAYERS / 2 * 16;
    let sets: Vec<Vec<u32>> = (0..2)
        .flat_map(|graph| {
            let base = graph * nodes_of_graph;
            [(base..base + half).collect(), (base + half..base + nodes_of_graph).collect()]
        })
        .collect();
    let count = (DECODES + 1) * 2;
    let submission_start = |submission: u32| {
        let pass = submission / 2;
        ORIGIN + pass_start(pass) + i64::from(submission % 2) * 600 * US
    };
    // Submission 8 (of the token under test) has lost its node set, 13 its end.
    let lost_set = UNDER_TEST * 2 + 1;
    absent.add(
        format!("/timeline/submissions/node_set/{lost_set}"),
        ReasonCode::Lost,
        "Synthetic gap: which nodes this command buffer carried was lost.",
    );
    absent.add("/timeline/submissions/end/13", ReasonCode::Lost, "Synthetic: the end of encoding was lost.");
    let submissions = Submissions {
        given: true,
        kind: (0..count).map(|_| "Metal command buffer").collect(),
        start: (0..count).map(submission_start).collect(),
        end: (0..count).map(|row| (row != 13).then(|| submission_start(row) + 550 * US)).collect(),
        pass: (0..count).map(|row| row / 2).collect(),
        node_set: (0..count).map(|row| (row != lost_set).then_some(if row < 2 { row } else { 2 + row % 2 })).collect(),
        handle: (0..count).map(|row| 4096 + i64::from(row) * 3).collect(),
        labels: Labels::all(clock())
            .with("kind", label())
            .with("pass", Label::inferred("order-of-command-buffers"))
            .with("node_set", label())
            .with("handle", label()),
        ..Submissions::default()
    };
    // The GPU begins a submission 0.9 ms after its encode began and works on it for 2.6 ms, in the prefill for 18 ms.
    let gpu = |submission: u32| {
        let (delay, work) = if submission < 2 { (900 * US, 18 * MS) } else { (900 * US, 2600 * US) };
        let start = ORIGIN + pass_start(submission / 2) + delay + i64::from(submission % 2) * (work + 60 * US);
        (start, start + work)
    };
    // Submissions whose segment was not recorded.
    let missing = [5, 12];
    let with_segment: Vec<u32> = (0..count).filter(|row| !missing.contains(row)).collect();
    absent.add(
        "/timeline/segments/end/3",
        ReasonCode::Lost,
        "Synthetic: the GPU's completion stamp of this segment was lost.",
    );
    let segments = Segments {
        given: true,
        submission: with_segment.iter().copied().collect(),
        start: with_segment.iter().map(|row| gpu(*row).0).collect(),
        end: with_segment.iter().enumerate().map(|(at, row)| (at != 3).then(|| gpu(*row).1)).collect(),
        queue: with_segment.iter().map(|_| 0_u32).collect(),
        labels: Labels::all(clock()).with("submission", label()).with("queue", label()),
        ..Segments::default()
    };
    let intervals = ticks(count, gpu, &with_segment, absent);
    for (table, reason) in
        [("calls", "The instrument records no API calls."), ("ranges", "The instrument records no signposts.")]
    {
        absent.add(format!("/timeline/{table}"), ReasonCode::NotRecorded, reason);
    }
    absent.add("/timeline/copies/bytes/1", ReasonCode::Lost, "Synthetic: the size of this copy was lost.");
    let last = ORIGIN + pass_start(DECODES) + 20 * MS;
    Timeline {
        given: true,
        start: Some(ORIGIN),
        end: Some(last),
        queues: Queues {
            given: true,
            name: ["synthetic GPU queue", "encoding thread"].into_iter().collect(),
            side: ["gpu", "cpu"].into_iter().collect(),
            labels: Labels::all(label()),
            ..Queues::default()
        },
        node_sets: NodeSets {
            given: true,
            nodes: sets.into_iter().map(Some).collect(),
            labels: Labels::all(label()),
            ..NodeSets::default()
        },
        submissions,
        segments,
        intervals,
        unrecorded: Unrecorded {
            given: true,
            start: [ORIGIN + pass_start(2) + 5 * MS, ORIGIN + pass_start(6)].into_iter().collect(),
            end: [ORIGIN + pass_start(2) + 6 * MS, ORIGIN + pass_start(6) + 1500 * US].into_iter().collect(),
            reason: ["Synthetic: the ring buffer was full.", "Synthetic: the profiler paused."].into_iter().collect(),
            labels: Labels::all(clock()).with("reason", label()),
            ..Unrecorded::default()
        },
        copies: Copies {
            given: true,
            kind: ["host to device", "device to host"].into_iter().collect(),
            start: [ORIGIN + 6 * MS + 100 * US, ORIGIN + 46 * MS].into_iter().collect(),
            duration: [40 * US, 12 * US].into_iter().collect(),
            bytes: [Some(32_768), None].into_iter().collect(),
            labels: Labels::all(clock()).with("kind", label()).with("bytes", label()),
            ..Copies::default()
        },
        left_out: LeftOut {
            given: true,
            what: ["ticks before the capture"].into_iter().collect(),
            count: [2].into_iter().collect(),
            reason: ["Synthetic: they lie before the start of the capture."].into_iter().collect(),
            labels: Labels::all(label()),
            ..LeftOut::default()
        },
        labels: Labels::all(clock()),
        ..Timeline::default()
    }
}

/// A tick every 230 us of GPU work, its kernel cycling through a list that products dominate.
fn ticks(count: u32, gpu: impl Fn(u32) -> (i64, i64), with_segment: &[u32], absent: &mut Absent) -> Intervals {
    const CYCLE: [u32; 12] = [2, 3, 2, 5, 2, 1, 2, 7, 3, 4, 2, 6];
    let mut rows: Vec<Tick> = Vec::new();
    for submission in 0..count {
        let (start, end) = gpu(submission);
        let pass = submission / 2;
        let segment = with_segment.iter().position(|row| *row == submission).and_then(|at| u32::try_from(at).ok());
        let mut at = start + 15 * US + i64::from(submission * 53 % 7) * 10 * US;
        let mut turn = submission as usize * 5;
        while at < end {
            let kernel = CYCLE.get(turn % CYCLE.len()).copied();
            // The profiler paused in pass 6, and the buffer was full in pass 2.
            let hidden = (pass == 6 && at < ORIGIN + pass_start(6) + 1500 * US)
                || (pass == 2 && (5 * MS..6 * MS).contains(&(at - ORIGIN - pass_start(2))));
            if !hidden {
                rows.push((at, Some(pass), Some(submission), segment, kernel));
            }
            at += 230 * US;
            turn += 1;
        }
    }
    // A kernel that no node names, in the pass of the token under test.
    let (start, _) = gpu(UNDER_TEST * 2);
    let segment = with_segment.iter().position(|row| *row == UNDER_TEST * 2).and_then(|at| u32::try_from(at).ok());
    rows.push((start + 5 * US, Some(UNDER_TEST), Some(UNDER_TEST * 2), segment, Some(9)));
    // A tick between two passes, and one whose pass and submission are not known.
    rows.push((ORIGIN + pass_start(1) - 500 * US, None, None, None, Some(9)));
    rows.push((ORIGIN + pass_start(DECODES) + 12 * MS, None, None, None, Some(2)));
    rows.sort_by_key(|row| row.0);
    let between = ORIGIN + pass_start(1) - 500 * US;
    let mut lost_kernel = None;
    for (row, (at, pass, _, segment, _)) in rows.iter().enumerate() {
        if segment.is_none() {
            let reason = "Synthetic: no GPU segment was recorded around this tick.";
            absent.add(format!("/timeline/intervals/segment/{row}"), ReasonCode::Lost, reason);
        }
        if pass.is_none() && *at != between {
            let reason = "Synthetic gap: nothing tells which pass this tick belongs to.";
            absent.add(format!("/timeline/intervals/pass/{row}"), ReasonCode::Undecided, reason);
            let reason = "Synthetic gap: nothing tells which command buffer this tick belongs to.";
            absent.add(format!("/timeline/intervals/submission/{row}"), ReasonCode::Undecided, reason);
        }
        if *pass == Some(UNDER_TEST) {
            lost_kernel = Some(row);
        }
    }
    if let Some(row) = lost_kernel {
        let reason = "Synthetic gap: the shader of this tick is not in the shader list.";
        absent.add(format!("/timeline/intervals/kernel/{row}"), ReasonCode::Lost, reason);
    }
    absent.add(
        "/timeline/intervals/duration",
        ReasonCode::NotRecorded,
        "A shader tick is a moment: the instrument does not record how long the kernel ran.",
    );
    Intervals {
        given: true,
        start: rows.iter().map(|row| row.0).collect(),
        pass: rows.iter().map(|row| row.1).collect(),
        pass_end: rows.iter().map(|row| (row.0 == between).then_some(6)).collect(),
        submission: rows.iter().map(|row| row.2).collect(),
        submission_end: rows.iter().map(|row| (row.0 == between).then_some(6)).collect(),
        segment: rows.iter().map(|row| row.3).collect(),
        kernel: rows.iter().enumerate().map(|(at, row)| row.4.filter(|_| Some(at) != lost_kernel)).collect(),
        labels: Labels::all(clock())
            .with("pass", Label::inferred("time within the pass"))
            .with("submission", Label::inferred("time within the segment"))
            .with("segment", Label::inferred("time within the segment"))
            .with("kernel", label()),
        ..Intervals::default()
    }
}

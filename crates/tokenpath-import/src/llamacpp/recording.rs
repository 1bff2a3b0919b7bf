//! What any of the llama.cpp recorders saw, before it becomes a run.

use tokenpath_core::Label;

use super::topology::Topology;

/// The kind of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassKind {
    /// Takes in the prompt.
    Prefill,
    /// Takes in one generated token.
    Decode,
}

impl PassKind {
    /// The word in bundles.
    pub fn word(self) -> &'static str {
        match self {
            PassKind::Prefill => "prefill",
            PassKind::Decode => "decode",
        }
    }

    /// The kind called `word`.
    pub fn from_word(word: &str) -> Option<PassKind> {
        [PassKind::Prefill, PassKind::Decode].into_iter().find(|kind| kind.word() == word)
    }
}

/// How the work within a pass was timed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Not at all.
    #[default]
    None,
    /// Start and end of each node, on the trace clock.
    Nodes(Vec<(i64, i64)>),
    /// The end of each entry of the executed list, on the trace clock.
    Stamps(Vec<i64>),
}

/// One pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// Its kind.
    pub kind: Option<PassKind>,
    /// Start of the call that computes it.
    pub start: i64,
    /// When that call returned.
    pub returned: Option<i64>,
    /// When its result was there.
    pub end: Option<i64>,
    /// The last time recorded for it.
    pub last: Option<i64>,
    /// Tokens it takes in.
    pub tokens: Option<i64>,
    /// Their ids, where recorded.
    pub token_ids: Vec<i64>,
    /// Position of the first of them.
    pub position: Option<i64>,
    /// Text of the token sampled from its result.
    pub token_text: Option<String>,
    /// Index of its graph in [`Recording::graphs`].
    pub graph: Option<u32>,
    /// Index in [`Recording::executions`].
    pub execution: u32,
    /// Processor time in nanoseconds.
    pub cpu_time: Option<i64>,
    /// The work within it.
    pub timing: Timing,
    /// Experts chosen: node, token, experts.
    pub choices: Vec<(u32, i64, Vec<i64>)>,
}

/// One distinct graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// A name for people.
    pub name: String,
    /// The kind of pass it belongs to.
    pub kind: Option<PassKind>,
    /// The graph.
    pub topology: Topology,
}

/// A way of executing passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// A short name.
    pub name: &'static str,
    /// What it keeps and what it changes.
    pub text: &'static str,
    /// What one interval is.
    pub interval_kind: Option<&'static str>,
}

/// What a recorder saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The recorder's own name for itself.
    pub tool: String,
    /// The distinct graphs.
    pub graphs: Vec<Graph>,
    /// The passes in order of their start.
    pub passes: Vec<Pass>,
    /// The ways of executing them.
    pub executions: Vec<Execution>,
    /// The model as the runtime names it.
    pub model: Option<String>,
    /// Who names the model, where that is not the recorder.
    pub model_reporter: Option<&'static str>,
    /// The architecture as the runtime names it.
    pub architecture: Option<String>,
    /// The sum of the tensors' bytes as the runtime states it.
    pub tensor_bytes: Option<i64>,
    /// Number of parameters.
    pub parameters: Option<i64>,
    /// Number of layers.
    pub layers: Option<i64>,
    /// Width of the embedding.
    pub embedding_length: Option<i64>,
    /// The runtime's version.
    pub runtime_version: Option<String>,
    /// The processor.
    pub cpu: Option<String>,
    /// Threads the runtime computed with.
    pub threads: Option<i64>,
    /// Conditions that matter to times, a sentence each.
    pub conditions: Vec<String>,
    /// The trace clock.
    pub clock: Option<String>,
    /// How passes were classified.
    pub classification: &'static str,
    /// The label of the pass kind.
    pub kind_label: Option<Label>,
    /// Decode steps that the runtime counted.
    pub runtime_decode_steps: Option<i64>,
    /// Metadata lines of the load log: key, type and value.
    pub metadata: Vec<(String, String, String)>,
    /// Stretches between recordings and passes that were not recorded: start, end, why.
    pub unrecorded: Vec<(i64, i64, &'static str)>,
    /// What the file held and the recording leaves out: what, how many, why.
    pub left_out: Vec<(String, i64, String)>,
}

//! The JSON of evaluation-callback and stamp captures as it stands in the file.

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawCapture {
    pub(super) tool: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) model: Option<String>,
    pub(super) arch: Option<String>,
    pub(super) model_bytes: Option<i64>,
    pub(super) params: Option<i64>,
    pub(super) n_layer: Option<i64>,
    pub(super) n_embd: Option<i64>,
    pub(super) llama_cpp_python: Option<String>,
    pub(super) system_info: Option<String>,
    pub(super) cpu: Option<String>,
    pub(super) threads: Option<i64>,
    pub(super) loadavg_at_start: Option<Vec<f64>>,
    pub(super) clock: Option<String>,
    pub(super) passes: Vec<RawPass>,
    pub(super) logs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawPass {
    pub(super) kind: Option<String>,
    pub(super) n_tokens: Option<i64>,
    pub(super) pos: Option<i64>,
    pub(super) tokens: Vec<i64>,
    pub(super) sampled_piece: Option<String>,
    pub(super) t_begin: Option<i64>,
    pub(super) t_decode_returned: Option<i64>,
    pub(super) cpu_ns: Option<i64>,
    pub(super) t_logits: Option<i64>,
    pub(super) t_sampled: Option<i64>,
    pub(super) perf: Option<RawPerf>,
    pub(super) nodes: Vec<RawNode>,
    pub(super) stamps: Vec<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawPerf {
    pub(super) n_eval: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawNode {
    pub(super) name: String,
    pub(super) op: String,
    pub(super) desc: Option<String>,
    #[serde(rename = "type")]
    pub(super) dtype: String,
    pub(super) ne: Vec<i64>,
    pub(super) buffer: Option<String>,
    pub(super) t0: Option<i64>,
    pub(super) t1: Option<i64>,
    pub(super) src: Vec<RawSource>,
    pub(super) value: Option<serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawSource {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) dtype: String,
    pub(super) ne: Vec<i64>,
    pub(super) nbytes: Option<i64>,
    pub(super) node: Option<i64>,
    pub(super) buffer: Option<String>,
    pub(super) kind: Option<String>,
}

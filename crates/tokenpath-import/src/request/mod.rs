//! Request captures: one streamed request as NDJSON with arrival times.
//!
//! Lines: `{"k":"req",…}` with the clock at time zero, `{"k":"head",…}`, one `{"k":"ev",…}` for each server-sent event with
//! its arrival in nanoseconds after time zero, `{"k":"end",…}`. Arrivals were stamped before anything was parsed.

mod alone;
mod event;
mod section;
mod tokens;

use serde::Deserialize;

pub(crate) use alone::{fingerprint, model_name, run};
pub use event::{Answer, Api, Channel, Event};
pub(crate) use section::section;

/// Request captures larger than this are refused: the whole capture is held while it is read.
pub const MAX_BYTES: u64 = 256 << 20;

/// A request as it was captured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// Reading of the client's monotonic clock at time zero.
    pub origin: Option<i64>,
    /// Unix time at time zero, in seconds.
    pub wall: Option<f64>,
    /// When the request was sent, in nanoseconds after time zero.
    pub sent: Option<i64>,
    /// The path of the endpoint.
    pub path: Option<String>,
    /// The model that the request asks for.
    pub asked_model: Option<String>,
    /// The prompt as the request's body has it.
    pub prompt: Option<String>,
    /// When the first byte of the answer came.
    pub first_byte: Option<i64>,
    /// Lines of the answer's head.
    pub head: Vec<String>,
    /// Events in order of arrival.
    pub events: Vec<Event>,
    /// When the stream ended.
    pub end: Option<i64>,
    /// What the file held and the capture leaves out: what, how many, why.
    pub left_out: Vec<(String, i64, String)>,
}

/// What is wrong with a capture as a whole, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What.
    pub what: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    k: Option<String>,
    t0_mono_ns: Option<i64>,
    wall: Option<f64>,
    sent_ns: Option<i64>,
    path: Option<String>,
    body: Option<serde_json::Value>,
    t_ns: Option<i64>,
    head: Vec<String>,
    read: Option<i64>,
    raw: Option<String>,
}

/// Reads a request capture. A broken line costs that line; a cut file is a stream without an end.
///
/// # Errors
/// When there is no request, or a second one.
pub fn read(bytes: &[u8]) -> Result<Capture, Fault> {
    let mut out = Capture::default();
    let mut begun = false;
    let mut broken = 0;
    let mut disordered = 0;
    let mut untimed = 0;
    let mut before = 0;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            broken += 1;
            continue;
        };
        let time = line.t_ns.filter(|time| *time >= 0);
        match line.k.as_deref() {
            Some("req") if begun => {
                let what = "a second request begins; a run has one".to_owned();
                return Err(Fault { line: number + 1, what });
            }
            Some("req") => {
                begun = true;
                out.origin = line.t0_mono_ns.filter(|origin| *origin >= 0);
                out.wall = line.wall;
                out.sent = line.sent_ns.filter(|sent| *sent >= 0);
                out.path = line.path;
                if let Some(body) = &line.body {
                    out.asked_model = body.get("model").and_then(|model| model.as_str()).map(str::to_owned);
                    out.prompt = prompt(body);
                }
            }
            Some("head") => {
                out.first_byte = time;
                out.head = line.head;
            }
            Some("ev") => match (time, line.raw) {
                (Some(time), Some(_)) if time < before => disordered += 1,
                (Some(time), Some(raw)) => {
                    before = time;
                    out.events.push(event::read(time, line.read.filter(|read| *read >= 0), &raw));
                }
                _ => untimed += 1,
            },
            Some("end") => out.end = time,
            _ => broken += 1,
        }
    }
    if !begun {
        return Err(Fault { line: 1, what: "no line says what was requested".to_owned() });
    }
    let mut leave = |what: &str, count: i64, reason: &str| {
        if count > 0 {
            out.left_out.push((what.to_owned(), count, reason.to_owned()));
        }
    };
    leave("lines", broken, "They are no JSON of a kind that a request capture has.");
    leave("events", untimed, "They have no arrival time or no content.");
    leave("events", disordered, "Their arrival lies before that of the event above them.");
    let unreadable = out.events.iter().filter(|event| event.answer == Answer::Broken).count();
    let mut leave = |what: &str, count: usize, reason: &str| {
        if count > 0 {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            out.left_out.push((what.to_owned(), count, reason.to_owned()));
        }
    };
    leave("contents of events", unreadable, "What the event holds is no JSON; its arrival is kept.");
    let others = out.events.iter().map(|event| event.other_choices).sum();
    leave("choices", others, "The request asked for several answers; the first is followed.");
    Ok(out)
}

/// The prompt of any of the dialects: a text, or messages one after the other.
fn prompt(body: &serde_json::Value) -> Option<String> {
    if let Some(text) = body.get("prompt").and_then(|prompt| prompt.as_str()) {
        return Some(text.to_owned());
    }
    let messages = body.get("messages")?.as_array()?;
    let mut out = String::new();
    for message in messages {
        let role = message.get("role").and_then(|role| role.as_str()).unwrap_or("");
        let content = match message.get("content") {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Array(parts)) => {
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(role);
        out.push_str(": ");
        out.push_str(&content);
    }
    Some(out)
}

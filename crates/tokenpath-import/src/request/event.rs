//! One server-sent event, or one line of a stream of JSON lines: its framing, and what it says in any of the dialects.

use serde_json::Value;

/// The dialect an event is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenAI chat completions.
    OpenAiChat,
    /// OpenAI completions.
    OpenAiCompletions,
    /// llama.cpp's own `/completion`.
    LlamaCompletion,
    /// Ollama's chat or generate.
    Ollama,
}

impl Api {
    /// The word in bundles.
    pub fn word(self) -> &'static str {
        match self {
            Api::OpenAiChat => "openai-chat",
            Api::OpenAiCompletions => "openai-completions",
            Api::LlamaCompletion => "llama.cpp-completion",
            Api::Ollama => "ollama",
        }
    }
}

/// The channel of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The answer.
    Content,
    /// Reasoning before it.
    Reasoning,
    /// A call of a tool.
    Tool,
}

impl Channel {
    /// The word in bundles.
    pub fn word(self) -> &'static str {
        match self {
            Channel::Content => "content",
            Channel::Reasoning => "reasoning",
            Channel::Tool => "tool",
        }
    }
}

/// What an event is.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A comment, as servers send to keep a connection open.
    Comment,
    /// `[DONE]`.
    Done,
    /// An object of one of the dialects.
    Said(Box<Said>),
    /// No JSON.
    Broken,
}

/// What an object says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// The dialect, where the object shows it.
    pub api: Option<Api>,
    /// Texts it carries, by channel; an empty text stands where the field is there and empty.
    pub texts: Vec<(Channel, String)>,
    /// Why generation ended.
    pub finish: Option<String>,
    /// The model as the server names it.
    pub model: Option<String>,
    /// The server's version as it states it.
    pub fingerprint: Option<String>,
    /// An error that the server reports.
    pub error: Option<String>,
    /// Tokens generated so far, by `tokens_predicted`.
    pub tokens_predicted: Option<i64>,
    /// Tokens generated so far, by `timings.predicted_n`.
    pub predicted_n: Option<i64>,
    /// Tokens generated so far, by `usage.completion_tokens`.
    pub completion_tokens: Option<i64>,
    /// Number of ids in `tokens` or `token_ids`.
    pub token_ids: Option<i64>,
    /// Number of entries in `logprobs`.
    pub logprobs: Option<i64>,
    /// Whether it only reports the prompt's progress.
    pub progress: bool,
    /// Counters: the name in bundles, the value, its unit, the server's own name.
    pub counters: Vec<(&'static str, i64, &'static str, &'static str)>,
}

/// One event with its arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Arrival in nanoseconds after time zero.
    pub at: i64,
    /// Which read of the socket brought it.
    pub read: Option<i64>,
    /// What it is.
    pub answer: Answer,
    /// Choices besides the first.
    pub other_choices: usize,
}

/// Reads one event as it came, framing included.
pub(super) fn read(at: i64, read: Option<i64>, raw: &str) -> Event {
    let mut data: Option<String> = None;
    let mut other = false;
    for line in raw.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(rest) = line.strip_prefix("data:") {
            let rest = rest.strip_prefix(' ').unwrap_or(rest);
            match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(rest);
                }
                None => data = Some(rest.to_owned()),
            }
        } else if line.starts_with('{') && data.is_none() {
            // A stream of JSON lines has no framing.
            data = Some(line.to_owned());
        } else if !line.is_empty()
            && !line.starts_with(':')
            && !["event:", "id:", "retry:"].iter().any(|field| line.starts_with(field))
        {
            other = true;
        }
    }
    let mut other_choices = 0;
    let answer = match data.as_deref().map(str::trim) {
        None if other => Answer::Broken,
        None => Answer::Comment,
        Some("[DONE]") => Answer::Done,
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(object @ Value::Object(_)) => {
                other_choices = choices(&object).iter().filter(|choice| index(choice) != 0).count();
                Answer::Said(Box::new(said(&object)))
            }
            _ => Answer::Broken,
        },
    };
    Event { at, read, answer, other_choices }
}

fn choices(object: &Value) -> &[Value] {
    object.get("choices").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn index(choice: &Value) -> i64 {
    choice.get("index").and_then(Value::as_i64).unwrap_or(0)
}

fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn count(object: &Value, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64).filter(|count| *count >= 0)
}

fn length(object: &Value, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_array).and_then(|list| i64::try_from(list.len()).ok())
}

fn said(object: &Value) -> Said {
    let mut out = Said {
        model: text(object, "model"),
        fingerprint: text(object, "system_fingerprint"),
        progress: object.get("prompt_progress").is_some_and(Value::is_object),
        ..Said::default()
    };
    if let Some(error) = object.get("error").filter(|error| !error.is_null()) {
        let message = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
        out.error = Some(message.map_or_else(|| error.to_string(), str::to_owned));
    }
    match text(object, "object").as_deref() {
        Some("chat.completion.chunk" | "chat.completion") => out.api = Some(Api::OpenAiChat),
        Some("text_completion") => out.api = Some(Api::OpenAiCompletions),
        _ => {}
    }
    if object.get("choices").is_some() {
        openai(object, &mut out);
    } else if object.get("content").is_some() && (object.get("stop").is_some() || object.get("id_slot").is_some()) {
        llama(object, &mut out);
    } else if object.get("done").is_some() {
        ollama(object, &mut out);
    }
    if let Some(usage) = object.get("usage").filter(|usage| usage.is_object()) {
        usage_counters(usage, &mut out);
    }
    if let Some(timings) = object.get("timings").filter(|timings| timings.is_object()) {
        timing_counters(timings, &mut out);
    }
    out
}

fn openai(object: &Value, out: &mut Said) {
    let Some(choice) = choices(object).iter().find(|choice| index(choice) == 0) else { return };
    out.finish = text(choice, "finish_reason");
    out.token_ids = length(choice, "token_ids");
    out.logprobs = choice.get("logprobs").and_then(|logprobs| length(logprobs, "content"));
    if let Some(said) = text(choice, "text") {
        out.api = out.api.or(Some(Api::OpenAiCompletions));
        out.texts.push((Channel::Content, said));
    }
    let Some(delta) = choice.get("delta") else { return };
    out.api = out.api.or(Some(Api::OpenAiChat));
    // A server that sends reasoning under two names sends the same text twice.
    let reasoning = ["reasoning_content", "reasoning", "thinking"].iter().find_map(|key| text(delta, key));
    if let Some(said) = reasoning {
        out.texts.push((Channel::Reasoning, said));
    }
    if let Some(said) = text(delta, "content") {
        out.texts.push((Channel::Content, said));
    }
    if let Some(calls) = delta.get("tool_calls").and_then(Value::as_array) {
        let mut said = String::new();
        for function in calls.iter().filter_map(|call| call.get("function")) {
            said.push_str(&text(function, "name").unwrap_or_default());
            said.push_str(&text(function, "arguments").unwrap_or_default());
        }
        out.texts.push((Channel::Tool, said));
    }
}

fn llama(object: &Value, out: &mut Said) {
    out.api = Some(Api::LlamaCompletion);
    if let Some(said) = text(object, "content") {
        out.texts.push((Channel::Content, said));
    }
    out.tokens_predicted = count(object, "tokens_predicted");
    out.token_ids = length(object, "tokens");
    if object.get("stop").and_then(Value::as_bool) == Some(true) {
        out.finish = Some(text(object, "stop_type").unwrap_or_else(|| "stop".to_owned()));
        if let Some(evaluated) = count(object, "tokens_evaluated") {
            out.counters.push(("prompt_tokens", evaluated, "tokens", "tokens_evaluated"));
        }
        if let Some(predicted) = out.tokens_predicted {
            out.counters.push(("generated_tokens", predicted, "tokens", "tokens_predicted"));
        }
    }
}

fn ollama(object: &Value, out: &mut Said) {
    out.api = Some(Api::Ollama);
    if let Some(message) = object.get("message") {
        if let Some(said) = text(message, "thinking") {
            out.texts.push((Channel::Reasoning, said));
        }
        if let Some(said) = text(message, "content") {
            out.texts.push((Channel::Content, said));
        }
    }
    if let Some(said) = text(object, "response") {
        out.texts.push((Channel::Content, said));
    }
    if object.get("done").and_then(Value::as_bool) == Some(true) {
        out.finish = Some(text(object, "done_reason").unwrap_or_else(|| "done".to_owned()));
        const NAMES: [(&str, &str, &str); 7] = [
            ("prompt_eval_count", "prompt_tokens", "tokens"),
            ("prompt_eval_cached_count", "cached_tokens", "tokens"),
            ("eval_count", "generated_tokens", "tokens"),
            ("prompt_eval_duration", "prompt_time", "ns"),
            ("eval_duration", "generation_time", "ns"),
            ("load_duration", "load_time", "ns"),
            ("total_duration", "total_time", "ns"),
        ];
        for (key, name, unit) in NAMES {
            if let Some(value) = count(object, key) {
                out.counters.push((name, value, unit, key));
            }
        }
    }
}

fn usage_counters(usage: &Value, out: &mut Said) {
    if let Some(tokens) = count(usage, "prompt_tokens") {
        out.counters.push(("prompt_tokens", tokens, "tokens", "usage.prompt_tokens"));
    }
    if let Some(tokens) = usage.get("prompt_tokens_details").and_then(|details| count(details, "cached_tokens")) {
        out.counters.push(("cached_tokens", tokens, "tokens", "usage.prompt_tokens_details.cached_tokens"));
    }
    out.completion_tokens = count(usage, "completion_tokens");
    if let Some(tokens) = out.completion_tokens {
        out.counters.push(("generated_tokens", tokens, "tokens", "usage.completion_tokens"));
    }
    const DETAILS: [(&str, &str, &str); 2] = [
        ("reasoning_tokens", "reasoning_tokens", "usage.completion_tokens_details.reasoning_tokens"),
        ("accepted_prediction_tokens", "draft_accepted", "usage.completion_tokens_details.accepted_prediction_tokens"),
    ];
    if let Some(details) = usage.get("completion_tokens_details") {
        for (key, name, source) in DETAILS {
            if let Some(tokens) = count(details, key) {
                out.counters.push((name, tokens, "tokens", source));
            }
        }
    }
}

fn timing_counters(timings: &Value, out: &mut Said) {
    out.predicted_n = count(timings, "predicted_n");
    let (cached, prompt) = (count(timings, "cache_n"), count(timings, "prompt_n"));
    // prompt_n leaves out the cached prefix; a server too old to report it counts none.
    if let (Some(cached), Some(prompt)) = (cached, prompt)
        && let Some(sum) = cached.checked_add(prompt)
    {
        out.counters.push(("prompt_tokens", sum, "tokens", "timings.cache_n + timings.prompt_n"));
    }
    if let Some(cached) = cached {
        out.counters.push(("cached_tokens", cached, "tokens", "timings.cache_n"));
    }
    if let Some(tokens) = out.predicted_n {
        out.counters.push(("generated_tokens", tokens, "tokens", "timings.predicted_n"));
    }
    const COUNTS: [(&str, &str, &str); 2] = [
        ("draft_n", "draft_tokens", "timings.draft_n"),
        ("draft_n_accepted", "draft_accepted", "timings.draft_n_accepted"),
    ];
    for (key, name, source) in COUNTS {
        if let Some(tokens) = count(timings, key) {
            out.counters.push((name, tokens, "tokens", source));
        }
    }
    const TIMES: [(&str, &str, &str); 2] = [
        ("prompt_ms", "prompt_time", "timings.prompt_ms"),
        ("predicted_ms", "generation_time", "timings.predicted_ms"),
    ];
    for (key, name, source) in TIMES {
        // The server prints milliseconds with three decimals or fewer; beyond 2^53 ns a double would not hold them.
        if let Some(millis) = timings.get(key).and_then(Value::as_f64)
            && (0.0..9e9).contains(&millis)
        {
            out.counters.push((name, (millis * 1e6).round() as i64, "ns", source));
        }
    }
}

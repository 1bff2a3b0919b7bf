//! Traps that real streams set, as small captures: role-only chunks, empty deltas, several tokens in a chunk, and so on.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly and says what it skips")]

mod support;

use support::{extra, file, opened};
use tokenpath_core::Run;

/// A capture of one request whose events are `events`, 1 ms apart from 10 ms on.
fn capture(events: &[&str], end: bool) -> Run {
    let mut lines = vec![
        r#"{"k":"req","t0_mono_ns":1000,"wall":0.0,"sent_ns":5,"path":"/v1/chat/completions","body":{"model":"m"}}"#
            .to_owned(),
        r#"{"k":"head","t_ns":9000000,"head":["HTTP/1.1 200 OK"]}"#.to_owned(),
    ];
    for (row, event) in events.iter().enumerate() {
        let raw = serde_json::Value::String((*event).to_owned());
        lines.push(format!(r#"{{"k":"ev","t_ns":{},"read":{row},"raw":{raw}}}"#, (10 + row) * 1_000_000));
    }
    if end {
        lines.push(r#"{"k":"end","t_ns":99000000}"#.to_owned());
    }
    opened(&[("capture".to_owned(), lines.join("\n").into_bytes())]).run
}

fn chat(delta: &str) -> String {
    format!(
        r#"data: {{"object":"chat.completion.chunk","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#
    )
}

/// When an event happened, in ms.
fn at(run: &Run, name: &str) -> Option<i64> {
    let events = &run.request.events;
    let row = (0..events.rows()).find(|row| events.name.get(*row) == Some(name))?;
    Some(events.at.get(row)? / 1_000_000)
}

fn channels(run: &Run) -> Vec<String> {
    run.request.chunks.channel.iter().map(|channel| channel.unwrap_or("").to_owned()).collect()
}

fn tokens(run: &Run) -> Option<Vec<i64>> {
    let chunks = &run.request.chunks;
    (run.request.token_count.as_deref() == Some("per_chunk"))
        .then(|| (0..chunks.rows()).map(|row| chunks.tokens.get(row).unwrap()).collect())
}

#[test]
fn role_only_and_empty_deltas_are_no_tokens() {
    let run = capture(
        &[
            &chat(r#"{"role":"assistant","content":null}"#),
            &chat(r#"{"content":""}"#),
            &chat("{}"),
            &chat(r#"{"content":"a"}"#),
            "data: [DONE]",
        ],
        true,
    );
    assert_eq!(channels(&run), ["none", "none", "none", "content", "none"]);
    assert_eq!((at(&run, "first_event"), at(&run, "first_token")), (Some(10), Some(13)));
    assert_eq!(tokens(&run), None, "a chunk with text is not counted as a token");
}

#[test]
fn reasoning_is_the_first_token_and_not_the_first_content() {
    for key in ["reasoning_content", "reasoning", "thinking"] {
        let run = capture(&[&chat(&format!(r#"{{"{key}":"hm"}}"#)), &chat(r#"{"content":"a"}"#)], true);
        assert_eq!(channels(&run), ["reasoning", "content"], "{key}");
        assert_eq!((at(&run, "first_token"), at(&run, "first_content_token")), (Some(10), Some(11)), "{key}");
    }
}

#[test]
fn one_event_may_carry_reasoning_and_content() {
    let run = capture(&[&chat(r#"{"reasoning_content":"so","content":"a"}"#)], true);
    assert_eq!(channels(&run), ["reasoning", "content"]);
}

#[test]
fn tool_calls_are_a_channel() {
    let run = capture(&[&chat(r#"{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}"#)], true);
    assert_eq!(channels(&run), ["tool"]);
    assert_eq!(at(&run, "first_content_token"), None);
}

#[test]
fn several_tokens_in_a_chunk_by_a_running_count() {
    let event = |text: &str, total: i64| {
        format!(r#"data: {{"index":0,"content":"{text}","tokens":[1],"stop":false,"tokens_predicted":{total}}}"#)
    };
    let run = capture(&[&event("a", 1), &event("bcd", 4), &event("", 4), &event("e", 5)], true);
    assert_eq!(tokens(&run), Some(vec![1, 3, 0, 1]));
    assert_eq!(run.request.api.as_deref(), Some("llama.cpp-completion"));
}

#[test]
fn a_partial_character_is_a_token_without_text() {
    let event = |text: &str, total: i64| {
        format!(r#"data: {{"index":0,"content":"{text}","tokens":[1],"stop":false,"tokens_predicted":{total}}}"#)
    };
    let run = capture(&[&event("", 1), &event("é", 2)], true);
    assert_eq!(tokens(&run), Some(vec![1, 1]));
    assert_eq!(channels(&run), ["content", "content"]);
    assert_eq!(run.request.chunks.characters.raw(), [0, 1]);
    assert_eq!(at(&run, "first_token"), Some(10), "the token came with the first event, its text with the second");
}

#[test]
fn progress_reports_carry_a_placeholder_and_no_token() {
    let run = capture(
        &[
            r#"data: {"index":0,"content":"","tokens":[0],"stop":false,"id_slot":0,"prompt_progress":{"total":4}}"#,
            r#"data: {"index":0,"content":"a","tokens":[7],"stop":false,"id_slot":0}"#,
        ],
        true,
    );
    assert_eq!(tokens(&run), Some(vec![0, 1]));
    assert_eq!(channels(&run), ["none", "content"]);
}

#[test]
fn usage_after_the_last_token() {
    let run = capture(
        &[
            &chat(r#"{"content":"a"}"#),
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            r#"data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}}"#,
            "data: [DONE]",
        ],
        true,
    );
    let counters = &run.request.counters;
    let value = |name: &str| {
        (0..counters.rows()).find(|row| counters.name.get(*row) == Some(name)).and_then(|row| counters.value.get(row))
    };
    assert_eq!(
        (value("prompt_tokens"), value("cached_tokens"), value("generated_tokens")),
        (Some(9), Some(4), Some(1))
    );
    assert_eq!(value("prompt_time"), None);
    assert_eq!(at(&run, "end_of_generation"), Some(11));
    assert_eq!(run.request.finish.as_deref(), Some("stop"));
    assert_eq!(tokens(&run), None, "a total at the end says nothing of single chunks");
}

#[test]
fn timings_alone_give_the_prompt_with_its_cached_prefix() {
    let run = capture(
        &[
            r#"data: {"choices":[],"timings":{"cache_n":23780,"prompt_n":1037,"prompt_ms":1.5,"predicted_n":2,"predicted_ms":0.25}}"#,
        ],
        true,
    );
    let counters = &run.request.counters;
    let row = (0..counters.rows()).find(|row| counters.name.get(*row) == Some("prompt_tokens")).unwrap();
    // 24,817 = 23,780 cached and 1,037 evaluated: the sum that such a server's usage states.
    assert_eq!(counters.value.get(row), Some(24_817));
    assert_eq!(counters.label("value", row).unwrap().kind.word(), "derived");
    let time = (0..counters.rows()).find(|row| counters.name.get(*row) == Some("prompt_time")).unwrap();
    assert_eq!(counters.value.get(time), Some(1_500_000));
}

#[test]
fn a_stream_may_end_without_done_or_end() {
    let run = capture(&[&chat(r#"{"content":"a"}"#)], false);
    assert_eq!((at(&run, "end_of_generation"), at(&run, "stream_end")), (None, None));
    assert!(run.reason("/request/events/at/8").contains("ends before"));
}

#[test]
fn comments_and_carriage_returns() {
    let run = capture(
        &[
            ": ping",
            ": OPENROUTER PROCESSING\r",
            &format!("{}\r", chat(r#"{"content":"a"}"#)),
            "event: x\r\ndata: [DONE]\r",
        ],
        true,
    );
    assert_eq!(channels(&run), ["none", "none", "content", "none"]);
    assert_eq!(run.request.chunks.characters.raw(), [0, 0, 1, 0]);
}

#[test]
fn a_broken_event_keeps_its_arrival_and_ends_no_token_count_as_known() {
    let run = capture(&[&chat(r#"{"content":"a"}"#), "data: {\"choices\":[{", &chat(r#"{"content":"b"}"#)], true);
    assert_eq!(channels(&run), ["content", "unknown", "content"]);
}

#[test]
fn an_error_in_the_stream_is_how_it_finished() {
    let run = capture(&[&chat(r#"{"content":"a"}"#), r#"data: {"error":{"message":"out of memory"}}"#], true);
    assert_eq!(run.request.finish.as_deref(), Some("error: out of memory"));
    assert_eq!(at(&run, "end_of_generation"), Some(11));
}

#[test]
fn ollama_lines_have_no_framing() {
    let run = capture(
        &[
            r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":"a"},"done":false}"#,
            r#"{"model":"m","created_at":"t","message":{"content":""},"done":true,"done_reason":"stop","eval_count":1,"prompt_eval_count":3,"eval_duration":50}"#,
        ],
        true,
    );
    assert_eq!(run.request.api.as_deref(), Some("ollama"));
    assert_eq!(channels(&run), ["content", "none"]);
    assert_eq!(run.request.finish.as_deref(), Some("stop"));
}

#[test]
fn two_requests_are_refused() {
    let line = r#"{"k":"req","t0_mono_ns":1}"#;
    let error =
        support::open_all(&[("x".to_owned(), format!("{line}\n{line}\n").into_bytes())]).unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("second request"), "{error}");
}

/// Right values: the recorder's own count of tokens, which the servers' closing objects state too.
#[test]
fn real_streams() {
    let Some(data) = extra("llamacpp") else { return };
    for (name, total) in [("x_chat_rich.jsonl", Some(24)), ("x_completion.jsonl", Some(24)), ("x_chat.jsonl", None)] {
        let run = opened(&[file(&data, name)]).run;
        assert_eq!(tokens(&run).map(|tokens| tokens.iter().sum::<i64>()), total, "{name}");
        assert!(run.is_user_mode(), "{name}");
        for section in ["/passes", "/graph", "/timeline", "/model"] {
            assert_eq!(run.absence(section).map(|absence| absence.code.word()), Some("depth"), "{name} {section}");
        }
    }
}

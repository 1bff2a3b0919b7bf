//! A request capture as the request section of a run.

use tokenpath_core::model::{Chunks, Counters, Events, REQUEST_EVENTS, Request};
use tokenpath_core::{Label, Labels, ReasonCode};

use super::Capture;
use super::event::{Answer, Api, Said};
use super::tokens::tokens;
use crate::absent::Absences;

/// The client's clock.
const CLOCK: &str = "CLOCK_MONOTONIC";

/// One row of the table of chunks.
struct Chunk<'a> {
    at: i64,
    read: Option<i64>,
    channel: &'static str,
    text: Option<&'a str>,
    tokens: Option<i64>,
}

/// The section, and for each chunk row the number of tokens carried before it, where tokens are known.
pub(crate) fn section(capture: &Capture, keep_text: bool, absent: &mut Absences) -> Request {
    let measured = Label::measured(CLOCK);
    let reported = Label::reported("the server");
    let found = tokens(&capture.events);
    let chunks = chunks(capture, found.as_ref().map(|(_, tokens)| tokens.as_slice()));
    let events = events(capture, &chunks, absent);
    let token_count = if found.is_some() { "per_chunk" } else { "unknown" };
    let count_label = match &found {
        Some((method, _)) => Label::derived(method.formula()),
        None => Label::inferred("not every event with text says how many tokens it carries"),
    };
    if found.is_none() {
        let reason = "The server does not say how many tokens a chunk carries, and chunks are not tokens.";
        absent.add("/request/chunks/tokens", ReasonCode::NotReported, reason);
    }
    let table = Chunks {
        given: true,
        at: chunks.iter().map(|chunk| chunk.at).collect(),
        characters: chunks
            .iter()
            .map(|chunk| i64::try_from(chunk.text.map_or(0, |text| text.chars().count())).unwrap_or(i64::MAX))
            .collect(),
        tokens: if found.is_some() { chunks.iter().map(|chunk| chunk.tokens).collect() } else { Default::default() },
        channel: chunks.iter().map(|chunk| chunk.channel).collect(),
        read: if chunks.iter().any(|chunk| chunk.read.is_some()) {
            chunks.iter().map(|chunk| chunk.read).collect()
        } else {
            Default::default()
        },
        text: if keep_text { chunks.iter().map(|chunk| chunk.text).collect() } else { Default::default() },
        labels: Labels::all(measured.clone())
            .with("characters", Label::derived("count of Unicode characters"))
            .with("tokens", count_label.clone())
            .with("channel", Label::inferred("channel-of-delta"))
            .with("text", reported.clone()),
        ..Chunks::default()
    };
    Request {
        given: true,
        clock: Some(format!("{CLOCK} of the client")),
        origin: capture.origin,
        api: api(capture).map(|api| api.word().to_owned()),
        finish: finish(capture),
        prompt: capture.prompt.clone().filter(|_| keep_text),
        token_count: Some(token_count.to_owned()),
        events,
        chunks: table,
        counters: counters(capture, absent),
        labels: Labels::all(measured)
            .with("api", Label::inferred("shape-of-events"))
            .with("finish", reported)
            .with("prompt", Label::reported("the request's body"))
            .with("token_count", count_label),
        ..Request::default()
    }
}

fn said(capture: &Capture) -> impl DoubleEndedIterator<Item = &Said> {
    capture.events.iter().filter_map(|event| match &event.answer {
        Answer::Said(said) => Some(&**said),
        _ => None,
    })
}

fn api(capture: &Capture) -> Option<Api> {
    said(capture).find_map(|said| said.api)
}

fn finish(capture: &Capture) -> Option<String> {
    said(capture)
        .rev()
        .find_map(|said| said.error.as_ref().map(|error| format!("error: {error}")).or_else(|| said.finish.clone()))
}

fn chunks<'a>(capture: &'a Capture, tokens: Option<&[i64]>) -> Vec<Chunk<'a>> {
    let mut out = Vec::new();
    for (row, event) in capture.events.iter().enumerate() {
        let carried = tokens.and_then(|tokens| tokens.get(row)).copied();
        let base = Chunk { at: event.at, read: event.read, channel: "none", text: None, tokens: carried };
        let Answer::Said(said) = &event.answer else {
            // What was not understood may have been a token.
            let channel = if event.answer == Answer::Broken { "unknown" } else { "none" };
            out.push(Chunk { channel, ..base });
            continue;
        };
        let mut texts = said.texts.iter().filter(|(_, text)| !text.is_empty()).peekable();
        if texts.peek().is_none() {
            // A token whose bytes are the beginning of a character comes without text.
            let partial = carried.is_some_and(|carried| carried > 0);
            let channel = said.texts.first().map_or("unknown", |(channel, _)| channel.word());
            out.push(Chunk { channel: if partial { channel } else { "none" }, ..base });
            continue;
        }
        // One event may carry the end of the reasoning and the beginning of the answer; its tokens are told with the first.
        let mut left = carried;
        for (channel, text) in texts {
            out.push(Chunk { channel: channel.word(), text: Some(text), tokens: left, ..base });
            left = left.map(|_| 0);
        }
    }
    out
}

fn events(capture: &Capture, chunks: &[Chunk<'_>], absent: &mut Absences) -> Events {
    let finished = capture.events.iter().find(|event| match &event.answer {
        Answer::Said(said) => said.finish.is_some() || said.error.is_some(),
        _ => false,
    });
    let mut at: Vec<Option<i64>> = Vec::with_capacity(REQUEST_EVENTS.len());
    for (row, name) in REQUEST_EVENTS.iter().enumerate() {
        let (time, code, reason) = match *name {
            "sent" => (capture.sent, ReasonCode::NotRecorded, "The recorder did not stamp the sending."),
            "handed_to_runner" => {
                (None, ReasonCode::Depth, "The client does not see when the server hands the request to its runner.")
            }
            "first_encode" => (None, ReasonCode::Depth, "The client does not see when the server begins to compute."),
            "first_byte" => (
                capture.first_byte.or(capture.events.first().map(|event| event.at)),
                ReasonCode::Lost,
                "No byte of an answer was captured.",
            ),
            "first_event" => (capture.events.first().map(|event| event.at), ReasonCode::Lost, "No event was captured."),
            "first_token" => (
                chunks.iter().find(|chunk| !matches!(chunk.channel, "none" | "unknown")).map(|chunk| chunk.at),
                ReasonCode::NotReported,
                "No chunk carries a token.",
            ),
            "first_content_token" => (
                chunks.iter().find(|chunk| chunk.channel == "content").map(|chunk| chunk.at),
                ReasonCode::NotReported,
                "No chunk carries a token of the answer.",
            ),
            "end_of_generation" => (
                finished.map(|event| event.at),
                ReasonCode::NotReported,
                "The stream ended without saying why generation ended.",
            ),
            _ => (capture.end, ReasonCode::Lost, "The capture ends before the stream does."),
        };
        at.push(time);
        if time.is_none() {
            absent.add(format!("/request/events/at/{row}"), code, reason);
        }
    }
    Events {
        given: true,
        name: REQUEST_EVENTS.into_iter().collect(),
        at: at.into_iter().collect(),
        labels: Labels::all(Label::measured(CLOCK)),
        ..Events::default()
    }
}

/// Counters that a reader looks for, with their units.
const EXPECTED: [(&str, &str); 5] = [
    ("prompt_tokens", "tokens"),
    ("cached_tokens", "tokens"),
    ("generated_tokens", "tokens"),
    ("prompt_time", "ns"),
    ("generation_time", "ns"),
];

/// The last statement of each counter; within one event `usage` goes before `timings`.
fn counters(capture: &Capture, absent: &mut Absences) -> Counters {
    let mut rows: Vec<(&str, Option<i64>, &str, Option<&str>)> = Vec::new();
    for said in said(capture).rev() {
        for (name, value, unit, source) in &said.counters {
            if !rows.iter().any(|(known, ..)| known == name) {
                rows.push((name, Some(*value), unit, Some(source)));
            }
        }
    }
    if rows.is_empty() {
        let reason = "The server sent no counters: neither usage nor timings nor a closing object with counts.";
        absent.add("/request/counters", ReasonCode::NotReported, reason);
        return Counters::default();
    }
    for (part, whole, text) in [
        ("cached_tokens", "prompt_tokens", "cached tokens of"),
        ("draft_accepted", "draft_tokens", "accepted draft tokens of"),
    ] {
        let value = |name: &str| rows.iter().find(|(known, ..)| *known == name).and_then(|(_, value, ..)| *value);
        let (Some(of), Some(part_of)) = (value(whole), value(part)) else { continue };
        if part_of <= of {
            continue;
        }
        // Both cannot be; the part is withdrawn, and what was stated stands in the reason.
        for (at, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.0 == part) {
            row.1 = None;
            let reason = format!("The server states {part_of} {text} {of}; both cannot be.");
            absent.add(format!("/request/counters/value/{at}"), ReasonCode::Undecided, reason);
        }
    }
    for (name, unit) in EXPECTED {
        if !rows.iter().any(|(known, ..)| *known == name) {
            let reason = "The server's counters do not include it.";
            absent.add(format!("/request/counters/value/{}", rows.len()), ReasonCode::NotReported, reason);
            rows.push((name, None, unit, None));
        }
    }
    let label = |source: Option<&str>| match source {
        Some(source) if source.contains(" + ") => Label::derived(source),
        _ => Label::reported("the server"),
    };
    Counters {
        given: true,
        name: rows.iter().map(|(name, ..)| *name).collect(),
        value: rows.iter().map(|(_, value, ..)| *value).collect(),
        unit: rows.iter().map(|(_, _, unit, _)| *unit).collect(),
        source: rows.iter().map(|(.., source)| *source).collect(),
        labels: Labels::all(Label::reported("the server"))
            .with_rows("value", rows.iter().map(|(.., source)| label(*source))),
        ..Counters::default()
    }
}

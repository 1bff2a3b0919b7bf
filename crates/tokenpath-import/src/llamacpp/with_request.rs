//! Joining a preload recording with the request that drove it: both read the same monotonic clock.

use tokenpath_core::column::{Ints, Refs, Texts};
use tokenpath_core::model::ClockJoin;
use tokenpath_core::{Absence, Label, ReasonCode, Run};

use super::join::{Refusal, SAME_CLOCK};
use super::preload::{AFTER, GRAPHS_BEFORE, NODES_BEFORE};
use super::recording::{PassKind, Recording, Timing};
use crate::absent::Absences;
use crate::request::{self, Capture};
use crate::wall::rfc3339;

/// What the request and the recording have in common.
pub(crate) struct Served {
    /// What the join found, a sentence.
    pub(crate) text: String,
    /// Rows of the passes that serve the request.
    passes: std::ops::Range<usize>,
    /// Of those, the rows from whose result a token is sampled: the last prefill pass and the decode passes.
    sampled: Vec<usize>,
    /// Reading of the clock at the request's time zero.
    origin: i64,
}

/// Marks the passes before and after the request as executions of their own.
pub(crate) fn mark(recording: &mut Recording, capture: &Capture) -> Result<Served, Refusal> {
    let Some(origin) = capture.origin else {
        return Err((SAME_CLOCK, "the request capture does not give the clock's reading at its start".to_owned()));
    };
    let end = capture.end.or(capture.events.last().map(|event| event.at)).unwrap_or(0);
    let stream_end = origin.saturating_add(end);
    let first = recording.passes.partition_point(|pass| pass.start < origin);
    let past = recording.passes.partition_point(|pass| pass.start <= stream_end);
    if first >= past {
        let (from, to) = (
            recording.passes.first().map_or(0, |pass| pass.start),
            recording.passes.last().map_or(0, |pass| pass.start),
        );
        return Err((
            SAME_CLOCK,
            format!(
                "no pass begins within the request, which lasts from {origin} to {stream_end} ns; passes begin from {from} \
                 to {to} ns"
            ),
        ));
    }
    let timed = recording.passes.iter().any(|pass| pass.timing != Timing::None);
    let count = recording.passes.len();
    let mut execution = |rows: std::ops::Range<usize>, added| {
        if !rows.is_empty() {
            let index = u32::try_from(recording.executions.len()).unwrap_or(u32::MAX);
            recording.executions.push(added);
            recording.passes.get_mut(rows).unwrap_or(&mut []).iter_mut().for_each(|pass| pass.execution = index);
        }
    };
    execution(0..first, if timed { NODES_BEFORE } else { GRAPHS_BEFORE });
    execution(past..count, AFTER);
    let kinds: Vec<Option<PassKind>> = recording.passes.iter().map(|pass| pass.kind).collect();
    let last_prefill = (first..past).rev().find(|row| kinds.get(*row) == Some(&Some(PassKind::Prefill)));
    let sampled = (first..past)
        .filter(|row| Some(*row) == last_prefill || kinds.get(*row) == Some(&Some(PassKind::Decode)))
        .collect();
    if let Some((model, by)) = request::model_name(capture) {
        recording.model = Some(model.rsplit(['/', '\\']).next().unwrap_or(&model).to_owned());
        recording.model_reporter = Some(by);
    }
    let text = format!(
        "The recorder and the client read CLOCK_MONOTONIC of one machine: {} of {count} passes begin within the request, \
         {first} before it, {} after its stream's end.",
        past - first,
        count - past
    );
    Ok(Served { text, passes: first..past, sampled, origin })
}

/// Adds the request to the run.
pub(crate) fn overlay(run: &mut Run, served: &Served, capture: &Capture, keep_text: bool) {
    let mut absent = Absences::default();
    run.request = request::section(capture, keep_text, &mut absent);
    let replaced = ["/request", "/passes/clock_join", "/identity/recorded_at", "/identity/runtime/version"];
    run.absent.retain(|absence| !replaced.contains(&absence.pointer.as_str()));
    run.absent.extend(absent.into_list());
    first_encode(run, served);
    identity(run, capture);
    let distances = tokens(run, served, keep_text);
    clock_join(run, served, distances);
    decode_steps(run, served);
    if let Some(statement) = &mut run.identity.instrument.statement {
        statement.push("The client stamps bytes as they arrive, before it parses them.".to_owned());
    }
}

/// The first pass of the request is the first work it caused; the server's queue before it was not recorded.
fn first_encode(run: &mut Run, served: &Served) {
    const NOT_SEEN: &str =
        "The recorder hooks the scheduler: when the server hands the request to its runner it does not see.";
    let start = run.passes.rows.start.get(served.passes.start).map(|start| start - served.origin);
    let events = &mut run.request.events;
    let rows: Vec<(Option<String>, Option<i64>)> = events
        .name
        .iter()
        .map(|name| name.map(str::to_owned))
        .enumerate()
        .map(|(row, name)| (name, events.at.get(row)))
        .collect();
    let mut at = Ints::default();
    for (row, (name, time)) in rows.into_iter().enumerate() {
        let pointer = format!("/request/events/at/{row}");
        match name.as_deref() {
            Some("first_encode") if start.is_some() => {
                run.absent.retain(|absence| absence.pointer != pointer);
                at.push(start);
            }
            Some("handed_to_runner") => {
                run.absent.retain(|absence| absence.pointer != pointer);
                run.absent.push(Absence::new(pointer, ReasonCode::NotRecorded, NOT_SEEN));
                at.push(None);
            }
            _ => at.push(time),
        }
    }
    events.at = at;
}

fn identity(run: &mut Run, capture: &Capture) {
    run.identity.recorded_at = capture.wall.and_then(rfc3339);
    if run.identity.recorded_at.is_none() {
        let reason = "Neither the recording nor the request capture holds a date.";
        run.absent.push(Absence::new("/identity/recorded_at", ReasonCode::NotRecorded, reason));
    }
    run.identity.runtime.version = request::fingerprint(capture);
    match run.identity.runtime.version {
        Some(_) => {
            let labels = std::mem::take(&mut run.identity.runtime.labels);
            run.identity.runtime.labels = labels.with("version", Label::reported("the server's system_fingerprint"));
        }
        None => {
            let reason = "Neither the recorder nor the server's answer states the version.";
            run.absent.push(Absence::new("/identity/runtime/version", ReasonCode::NotReported, reason));
        }
    }
}

/// Rule `token-order`: the n-th token that the chunks carry was sampled from the n-th pass that samples one, if there are as
/// many of both. Gives the distances from the end of a pass to the arrival of its token.
fn tokens(run: &mut Run, served: &Served, keep_text: bool) -> Option<Vec<i64>> {
    let chunks = &run.request.chunks;
    let count = chunks.at.raw().len();
    let carried: Vec<i64> = (0..count).map(|row| chunks.tokens.get(row).unwrap_or(0)).collect();
    let total: i64 = carried.iter().sum();
    if usize::try_from(total) != Ok(served.sampled.len()) || total == 0 {
        return None;
    }
    let mut passes = Refs::default();
    let mut texts: Vec<Option<String>> = vec![None; run.passes.rows.start.raw().len()];
    let mut distances = Vec::with_capacity(served.sampled.len());
    let mut done = 0_usize;
    for (row, carried) in carried.into_iter().enumerate() {
        done += usize::try_from(carried).unwrap_or(0);
        let pass =
            if carried > 0 { done.checked_sub(1).and_then(|last| served.sampled.get(last)).copied() } else { None };
        passes.push(pass.and_then(|pass| u32::try_from(pass).ok()));
        let Some(pass) = pass else { continue };
        if let (Some(at), Some(end)) = (chunks.at.get(row), run.passes.rows.end.get(pass)) {
            distances.push(at.saturating_add(served.origin) - end);
        }
        if carried == 1
            && let (Some(text), Some(cell)) = (chunks.text.get(row), texts.get_mut(pass))
        {
            *cell = Some(text.to_owned());
        }
    }
    run.request.chunks.pass = passes;
    let labels = std::mem::take(&mut run.request.chunks.labels);
    run.request.chunks.labels = labels.with("pass", Label::inferred("token-order"));
    if keep_text {
        run.passes.rows.token_text = texts.iter().map(Option::as_deref).collect::<Texts>();
        let labels = std::mem::take(&mut run.passes.rows.labels);
        run.passes.rows.labels = relabel(labels, "token_text", Label::inferred("token-order"));
    }
    Some(distances)
}

fn relabel(mut labels: tokenpath_core::Labels, column: &str, label: Label) -> tokenpath_core::Labels {
    labels.columns.retain(|(known, _)| known != column);
    labels.with(column, label)
}

fn clock_join(run: &mut Run, served: &Served, distances: Option<Vec<i64>>) {
    let residual = distances.as_ref().and_then(|distances| distances.iter().map(|distance| distance.abs()).max());
    if residual.is_none() {
        let reason =
            "Tokens and passes cannot be paired, so no distance between a pass and its token's arrival is known.";
        run.absent.push(Absence::new("/passes/clock_join/residual", ReasonCode::Undecided, reason));
    }
    run.absent.push(Absence::new(
        "/passes/clock_join/uncertainty",
        ReasonCode::NoSuchThing,
        "Both sides read the same clock, so the offset is a reading, not an estimate. The residual is no error of it: \
         sampling, sending and receiving lie between the end of a pass and the arrival of its token.",
    ));
    let measured = Label::measured("CLOCK_MONOTONIC");
    run.passes.clock_join = ClockJoin {
        given: true,
        method: Some("same_clock".to_owned()),
        offset: Some(served.origin),
        residual,
        labels: tokenpath_core::Labels::all(measured).with(
            "residual",
            Label::derived("largest distance from the end of a pass to the arrival of the token sampled from it"),
        ),
        ..ClockJoin::default()
    };
}

/// The server's count of generated tokens tells its decode steps: the first token comes from the prefill pass.
fn decode_steps(run: &mut Run, served: &Served) {
    let counters = &run.request.counters;
    let stated = (0..counters.value.raw().len())
        .find(|row| counters.name.get(*row) == Some("generated_tokens"))
        .and_then(|row| counters.value.get(row))
        .filter(|tokens| *tokens > 0);
    let Some(tokens) = stated else { return };
    let steps = tokens - 1;
    let rows = &run.passes.rows;
    let seen = served.passes.clone().filter(|row| rows.kind.get(*row) == Some("decode")).count();
    run.absent.retain(|absence| absence.pointer != "/passes/classification/runtime_decode_steps");
    let classification = &mut run.passes.classification;
    classification.runtime_decode_steps = Some(steps);
    let labels = std::mem::take(&mut classification.labels);
    classification.labels = relabel(labels, "runtime_decode_steps", Label::derived("generated_tokens - 1"));
    if i64::try_from(seen) != Ok(steps) {
        classification.disagreement = Some(format!(
            "The trace has {seen} decode passes of the request, the server's {tokens} generated tokens mean {steps}: \
             passes may serve another request, verify drafts or run ahead of the answer's end."
        ));
        let labels = std::mem::take(&mut classification.labels);
        classification.labels =
            labels.with("disagreement", Label::derived("decode passes of the request against generated_tokens - 1"));
    }
}

//! Joining a capture by the evaluation callback with one by stamps: the same model, the same prompt, one clock.

use super::capture::finish;
use super::recording::{Recording, Timing};

/// Why two recordings, or a recording and a model file, do not belong together: the rule and what it found.
pub(crate) type Refusal = (&'static str, String);

/// Rule that checks names and sizes of the model.
pub(crate) const SAME_MODEL: &str = "same-model-name";
/// Rule that checks the tokens of each pass.
pub(crate) const SAME_TOKENS: &str = "same-tokens";
/// Rule that checks the clock's name.
pub(crate) const SAME_CLOCK: &str = "same-clock";
/// Rule that checks the number of stamps.
pub(crate) const EXECUTED_LIST: &str = "executed-list";

/// What the join found, a sentence for each rule.
pub(crate) type Notes = Vec<(&'static str, String)>;

/// Adds the passes of `stamps` to those of `capture` as a second execution.
pub(crate) fn with_stamps(mut capture: Recording, stamps: Recording) -> Result<(Recording, Notes), Refusal> {
    let mut notes = same_model(&capture, &stamps)?;
    if capture.clock != stamps.clock {
        let name = |clock: &Option<String>| clock.clone().unwrap_or_else(|| "a clock without a name".to_owned());
        return Err((SAME_CLOCK, format!("one reads {}, the other {}", name(&capture.clock), name(&stamps.clock))));
    }
    notes.push((
        SAME_CLOCK,
        format!(
            "Both recordings read {}; that the machine was not restarted between them is taken from the order of times.",
            capture.clock.as_deref().unwrap_or("the same clock")
        ),
    ));
    notes.push(same_tokens(&capture, &stamps)?);
    let mut stamped = Vec::with_capacity(stamps.passes.len());
    let mut counts: Vec<usize> = Vec::new();
    for (number, mut pass) in stamps.passes.into_iter().enumerate() {
        let graph = capture.graphs.iter().position(|graph| graph.kind == pass.kind);
        let Some((row, graph)) = graph.and_then(|row| Some((row, capture.graphs.get(row)?))) else {
            let kind = pass.kind.map_or("unknown", |kind| kind.word());
            return Err((EXECUTED_LIST, format!("stamped pass {number} is of kind {kind}, and no graph is")));
        };
        let executed = graph.topology.executed().len();
        if let Timing::Stamps(stamps) = &pass.timing
            && stamps.len() != executed
        {
            let reason = format!(
                "stamped pass {number} has {} stamps, and the executed list of the {} has {executed} entries",
                stamps.len(),
                graph.name
            );
            return Err((EXECUTED_LIST, reason));
        }
        if !counts.contains(&executed) {
            counts.push(executed);
        }
        pass.graph = u32::try_from(row).ok();
        pass.execution = u32::try_from(capture.executions.len()).unwrap_or(u32::MAX);
        stamped.push(pass);
    }
    let counts = counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ");
    notes.push((
        EXECUTED_LIST,
        format!(
            "Each of {} stamped passes has {counts} stamps, as many as the executed list has entries: views dropped, an \
             RMS_NORM joined with the MUL that alone uses it.",
            stamped.len()
        ),
    ));
    capture.passes.extend(stamped);
    capture.executions.extend(stamps.executions);
    capture.conditions.extend(stamps.conditions.into_iter().filter(|condition| condition.starts_with("Load average")));
    capture.runtime_decode_steps = match (capture.runtime_decode_steps, stamps.runtime_decode_steps) {
        (Some(one), Some(other)) => one.checked_add(other),
        _ => None,
    };
    capture.left_out.extend(stamps.left_out);
    finish(&mut capture);
    Ok((capture, notes))
}

fn same_model(one: &Recording, other: &Recording) -> Result<Notes, Refusal> {
    let differs = |what: &str, a: String, b: String| Err((SAME_MODEL, format!("{what}: {a} and {b}")));
    let text = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
    let number = |value: Option<i64>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
    if one.model != other.model {
        return differs("the models' names are", text(&one.model), text(&other.model));
    }
    if one.architecture != other.architecture {
        return differs("the architectures are", text(&one.architecture), text(&other.architecture));
    }
    if one.tensor_bytes != other.tensor_bytes {
        return differs("the tensors' bytes are", number(one.tensor_bytes), number(other.tensor_bytes));
    }
    if one.parameters != other.parameters {
        return differs("the parameters number", number(one.parameters), number(other.parameters));
    }
    Ok(vec![(SAME_MODEL, format!("Both recordings name {}, with the same bytes and parameters.", text(&one.model)))])
}

fn same_tokens(one: &Recording, other: &Recording) -> Result<(&'static str, String), Refusal> {
    if one.passes.len() != other.passes.len() {
        let reason = format!("one has {} passes, the other {}", one.passes.len(), other.passes.len());
        return Err((SAME_TOKENS, reason));
    }
    for (number, (a, b)) in one.passes.iter().zip(&other.passes).enumerate() {
        if a.kind != b.kind || a.tokens != b.tokens || a.token_ids != b.token_ids || a.position != b.position {
            return Err((SAME_TOKENS, format!("pass {number} takes in other tokens")));
        }
    }
    Ok((SAME_TOKENS, format!("All {} passes take in the same tokens at the same positions.", one.passes.len())))
}

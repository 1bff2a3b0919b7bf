//! What the request clock says: segments, times to the first token, gaps between chunks and tokens, the server's
//! counters beside it, and where the two differ.
//!
//! A chunk is not a token. Gaps between tokens exist only where the bundle holds the tokens of every chunk.

use crate::derive::counted::{count, int, sum, weakest};
use crate::derive::disagreement::Disagreement;
use crate::derive::spread::Spread;
use crate::fact::{Fact, Missing, Quantity, Reading};
use crate::model::Run;

/// The request, derived.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestTiming {
    /// The three segments in their order.
    pub segments: [Segment; 3],
    /// Time zero to the first byte of the answer.
    pub first_byte: Reading,
    /// Time zero to the first token of any channel.
    pub first_token: Reading,
    /// Time zero to the first token of the content.
    pub first_content_token: Reading,
    /// Time zero to the end of the generation or, without it, of the stream.
    pub end: Reading,
    /// What arrived.
    pub arrivals: Arrivals,
    /// Gaps between neighbouring chunks that carry text or tokens.
    pub chunk_gaps: Result<Spread, Missing>,
    /// Gaps between neighbouring tokens, each arriving with its chunk.
    pub token_gaps: Result<Spread, Missing>,
    /// First token to end, ÷ (tokens − 1): the field's mean inter-token latency.
    pub mean_token_gap: Reading,
    /// (tokens − 1) ÷ first token to end.
    pub rate: Reading,
    /// The server's counters in reading order.
    pub counters: Vec<Counter>,
    /// Prompt tokens less those from the cache.
    pub processed_prompt_tokens: Reading,
    /// Where client and server differ.
    pub disagreements: Vec<Disagreement>,
}

/// A stretch between two events.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The event it starts with.
    pub from: &'static str,
    /// The event it ends with.
    pub to: &'static str,
    /// When it starts, after time zero.
    pub start: Reading,
    /// When it ends, after time zero.
    pub end: Reading,
    /// How long it is; only when both ends are known.
    pub duration: Reading,
}

/// What arrived, counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// All chunks.
    pub chunks: Reading,
    /// Rows of the chunks that carry text or tokens.
    pub carrying: Vec<usize>,
    /// Their number.
    pub carrying_count: Reading,
    /// Reads of the socket that brought the chunks, where known.
    pub reads: Option<Fact>,
    /// Tokens that the chunks carry together.
    pub tokens: Reading,
}

/// One counter of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Its name in the bundle.
    pub name: String,
    /// The server's own name for it.
    pub source: Option<String>,
    /// Its value.
    pub value: Reading,
}

/// The counters that every reader looks for, in reading order.
const EXPECTED: [&str; 6] =
    ["prompt_tokens", "cached_tokens", "prompt_time", "generated_tokens", "generation_time", "draft_tokens"];

/// Derives everything.
pub fn timing(run: &Run) -> RequestTiming {
    let arrivals = arrivals(run);
    let end_name = if event(run, "end_of_generation").is_err() && event(run, "stream_end").is_ok() {
        "stream_end"
    } else {
        "end_of_generation"
    };
    let segments = [
        segment(run, "sent", "handed_to_runner"),
        segment(run, "first_encode", "first_token"),
        segment(run, "first_token", end_name),
    ];
    let [_, _, last] = &segments;
    let tokens = arrivals.tokens.clone().or_else(|missing| counter(run, "generated_tokens").map_err(|_| missing));
    let mean_token_gap = mean_token_gap(last, &tokens);
    let rate = rate(last, &tokens);
    RequestTiming {
        first_byte: event(run, "first_byte"),
        first_token: event(run, "first_token"),
        first_content_token: event(run, "first_content_token"),
        end: event(run, end_name),
        chunk_gaps: chunk_gaps(run, &arrivals),
        token_gaps: token_gaps(run, &arrivals),
        mean_token_gap,
        rate,
        counters: counters(run),
        processed_prompt_tokens: processed(run),
        disagreements: disagreements(run, &arrivals, last),
        segments,
        arrivals,
    }
}

/// When an event was, after time zero.
pub fn event(run: &Run, name: &str) -> Reading {
    let events = &run.request.events;
    let Some(row) = events.name.iter().position(|known| known == Some(name)) else {
        let mut missing = run.missing("/request/events");
        if events.given {
            missing.reason = "The recording lists no event of this name.".to_owned();
        }
        return Err(missing);
    };
    run.reading(events.at.get(row).map(Quantity::Nanos), events.label("at", row), &format!("/request/events/at/{row}"))
}

/// A counter as the server reported it.
pub fn counter(run: &Run, name: &str) -> Reading {
    let counters = &run.request.counters;
    let Some(row) = counters.name.iter().position(|known| known == Some(name)) else {
        let mut missing = run.missing("/request/counters");
        if counters.given {
            missing.reason = "The server reports no such counter.".to_owned();
        }
        return Err(missing);
    };
    let value = counters.value.get(row).map(|value| match counters.unit.get(row) {
        Some("ns") => Quantity::Nanos(value),
        Some("bytes") => Quantity::Bytes(value),
        _ => Quantity::Count(value),
    });
    run.reading(value, counters.label("value", row), &format!("/request/counters/value/{row}"))
}

fn nanos(fact: &Fact) -> Option<i64> {
    match fact.quantity {
        Quantity::Nanos(value) => Some(value),
        _ => None,
    }
}

fn number(fact: &Fact) -> Option<i64> {
    match fact.quantity {
        Quantity::Count(value) => Some(value),
        _ => None,
    }
}

/// An event's name in words.
pub fn event_words(name: &str) -> String {
    name.replace('_', " ")
}

fn segment(run: &Run, from: &'static str, to: &'static str) -> Segment {
    let (start, end) = (event(run, from), event(run, to));
    let duration = match (&start, &end) {
        (Ok(a), Ok(b)) => between((event_words(from), a), (event_words(to), b)),
        (Err(missing), _) | (_, Err(missing)) => Err(missing.clone()),
    };
    Segment { from, to, start, end, duration }
}

fn between(start: (String, &Fact), end: (String, &Fact)) -> Reading {
    let difference = nanos(start.1).zip(nanos(end.1)).and_then(|(a, b)| b.checked_sub(a));
    match difference {
        Some(length) if length >= 0 => Ok(Fact::derived(
            Quantity::Nanos(length),
            format!("{} − {}", end.0, start.0),
            vec![(end.0, end.1.clone()), (start.0, start.1.clone())],
        )),
        _ => Err(Missing {
            pointer: end.1.pointer.clone(),
            reason: format!("The recording puts {} before {}; no stretch lies between them.", end.0, start.0),
        }),
    }
}

/// Whether a chunk carries text or a token. Where its tokens are known they decide, else its channel.
fn carries(run: &Run, row: usize) -> bool {
    let chunks = &run.request.chunks;
    match chunks.tokens.get(row) {
        Some(tokens) if tokens > 0 => true,
        Some(_) | None => chunks.channel.get(row).is_some_and(|channel| channel != "none"),
    }
}

fn arrivals(run: &Run) -> Arrivals {
    let chunks = &run.request.chunks;
    let rows: Vec<usize> = (0..chunks.rows()).collect();
    let carrying: Vec<usize> = rows.iter().copied().filter(|row| carries(run, *row)).collect();
    let missing = || run.missing("/request/chunks");
    let counted = |rows: &[usize]| {
        if chunks.given { Ok(count(&chunks.labels, "at", "/request/chunks", rows)) } else { Err(missing()) }
    };
    let mut reads: Vec<i64> = rows.iter().filter_map(|row| chunks.read.get(*row)).collect();
    let reads_known = !rows.is_empty() && reads.len() == rows.len();
    reads.sort_unstable();
    reads.dedup();
    Arrivals {
        chunks: counted(&rows),
        carrying_count: counted(&carrying),
        reads: reads_known
            .then(|| Fact::stored(Quantity::Count(int(reads.len())), chunks.label("read", 0), "/request/chunks/read")),
        tokens: tokens(run, &carrying),
        carrying,
    }
}

/// The tokens of all chunks together; absent when one of them is not known.
fn tokens(run: &Run, carrying: &[usize]) -> Reading {
    let chunks = &run.request.chunks;
    if !chunks.given {
        return Err(run.missing("/request/chunks"));
    }
    if let Some(unknown) = carrying.iter().find(|row| chunks.tokens.get(**row).is_none()) {
        let cell = format!("/request/chunks/tokens/{unknown}");
        let pointer = if run.absence(&cell).is_some_and(|absence| absence.pointer == cell) {
            cell
        } else {
            "/request/chunks/tokens".to_owned()
        };
        return Err(run.missing(&pointer));
    }
    let total = sum(carrying.iter().filter_map(|row| chunks.tokens.get(*row)));
    let Some(total) = total else {
        return Err(Missing {
            pointer: "/request/chunks/tokens".to_owned(),
            reason: "The chunks' tokens add up to more than 64 bits hold.".to_owned(),
        });
    };
    let source = count(&chunks.labels, "tokens", "/request/chunks/tokens", carrying);
    Ok(Fact::derived(
        Quantity::Count(total),
        "sum of the tokens of all chunks",
        vec![("chunks that carry text or tokens".to_owned(), source)],
    ))
}

/// Differences of neighbours; an error when one is negative.
fn gaps(arrivals: &[i64]) -> Result<Vec<i64>, Missing> {
    let gaps: Option<Vec<i64>> =
        arrivals.iter().zip(arrivals.iter().skip(1)).map(|(a, b)| b.checked_sub(*a).filter(|gap| *gap >= 0)).collect();
    gaps.ok_or_else(|| Missing {
        pointer: "/request/chunks/at".to_owned(),
        reason: "The chunks do not stand in order of arrival; their gaps mean nothing.".to_owned(),
    })
}

fn spread(arrivals: &[i64], source: &Fact, what: &str, too_few: &str) -> Result<Spread, Missing> {
    Spread::of(gaps(arrivals)?, what, source)
        .ok_or_else(|| Missing { pointer: "/request/chunks".to_owned(), reason: too_few.to_owned() })
}

fn chunk_gaps(run: &Run, arrivals: &Arrivals) -> Result<Spread, Missing> {
    let chunks = &run.request.chunks;
    if !chunks.given {
        return Err(run.missing("/request/chunks"));
    }
    let times: Vec<i64> = arrivals.carrying.iter().filter_map(|row| chunks.at.get(*row)).collect();
    let too_few = "Fewer than two chunks carry text; no gap lies between them.";
    let source = count(&chunks.labels, "at", "/request/chunks/at", &arrivals.carrying);
    spread(&times, &source, "gaps between chunks", too_few)
}

fn token_gaps(run: &Run, arrivals: &Arrivals) -> Result<Spread, Missing> {
    let total = arrivals.tokens.as_ref().map_err(Clone::clone).map(number)?;
    let chunks = &run.request.chunks;
    // A chunk's tokens arrive together, so all but its first follow after nothing.
    let most = usize::try_from(total.unwrap_or(0)).unwrap_or(0).min(MAX_TOKENS);
    let mut times: Vec<i64> = Vec::with_capacity(most);
    for row in &arrivals.carrying {
        let (Some(at), Some(tokens)) = (chunks.at.get(*row), chunks.tokens.get(*row)) else { continue };
        let tokens = usize::try_from(tokens).unwrap_or(0);
        if times.len().saturating_add(tokens) > MAX_TOKENS {
            return Err(Missing {
                pointer: "/request/chunks/tokens".to_owned(),
                reason: format!("The chunks claim more than {MAX_TOKENS} tokens; their gaps are not listed."),
            });
        }
        times.extend(std::iter::repeat_n(at, tokens));
    }
    let too_few = "Fewer than two tokens arrived; no gap lies between them.";
    let mut source = count(&chunks.labels, "at", "/request/chunks/at", &arrivals.carrying);
    if let Some(tokens) = weakest(&chunks.labels, "tokens", arrivals.carrying.iter().copied()) {
        source.label = source.label.weaker(tokens).clone();
    }
    spread(&times, &source, "gaps between tokens", too_few)
}

/// So many token arrivals are listed at most: far above any answer, and a bound on what a false count can ask for.
const MAX_TOKENS: usize = 4_000_000;

/// What follows the first token: its length in nanoseconds, its tokens, and the inputs that both come from.
struct Generation {
    nanos: i64,
    steps: i64,
    inputs: Vec<(String, Fact)>,
}

fn generation(generation: &Segment, tokens: &Reading) -> Result<Generation, Missing> {
    let length = generation.duration.as_ref().map_err(Clone::clone)?;
    let tokens = tokens.as_ref().map_err(Clone::clone)?;
    let (Some(nanos), Some(count)) = (nanos(length), number(tokens)) else {
        return Err(Missing { pointer: tokens.pointer.clone(), reason: "Its inputs are no numbers.".to_owned() });
    };
    if count < 2 {
        return Err(Missing {
            pointer: "/request/chunks/tokens".to_owned(),
            reason: "Undefined below two tokens: nothing lies between them.".to_owned(),
        });
    }
    let inputs = vec![
        (format!("first token to {}", event_words(generation.to)), length.clone()),
        ("tokens".to_owned(), tokens.clone()),
    ];
    Ok(Generation { nanos, steps: count - 1, inputs })
}

fn mean_token_gap(segment: &Segment, tokens: &Reading) -> Reading {
    let Generation { nanos, steps, inputs } = generation(segment, tokens)?;
    let text = format!("first token to {} ÷ (tokens − 1)", event_words(segment.to));
    Ok(Fact::derived(Quantity::NanosExact(nanos as f64 / steps as f64), text, inputs))
}

fn rate(segment: &Segment, tokens: &Reading) -> Reading {
    let Generation { nanos, steps, inputs } = generation(segment, tokens)?;
    if nanos == 0 {
        let reason = "First token and end carry the same stamp; nothing to divide by.".to_owned();
        return Err(Missing { pointer: "/request/events/at".to_owned(), reason });
    }
    let text = format!(
        "(tokens − 1) ÷ first token to {}; the first token opens the stretch and is not made in it",
        event_words(segment.to)
    );
    Ok(Fact::derived(Quantity::PerSecond(steps as f64 / nanos as f64 * 1e9), text, inputs))
}

fn counters(run: &Run) -> Vec<Counter> {
    let table = &run.request.counters;
    let row_of = |name: &str| table.name.iter().position(|known| known == Some(name));
    let entry = |name: &str| Counter {
        name: name.to_owned(),
        source: row_of(name).and_then(|row| table.source.get(row)).map(str::to_owned),
        value: counter(run, name),
    };
    let others = table.name.iter().flatten().filter(|name| !EXPECTED.contains(name));
    EXPECTED.into_iter().chain(others).map(entry).collect()
}

fn processed(run: &Run) -> Reading {
    let (prompt, cached) = (counter(run, "prompt_tokens")?, counter(run, "cached_tokens")?);
    match (number(&prompt), number(&cached)) {
        (Some(whole), Some(part)) if part <= whole => Ok(Fact::derived(
            Quantity::Count(whole - part),
            "prompt tokens − cached tokens",
            vec![("prompt tokens".to_owned(), prompt), ("cached tokens".to_owned(), cached)],
        )),
        _ => Err(Missing {
            pointer: cached.pointer,
            reason: "The server reports more cached tokens than prompt tokens.".to_owned(),
        }),
    }
}

fn disagreements(run: &Run, arrivals: &Arrivals, generation: &Segment) -> Vec<Disagreement> {
    let mut found = Vec::new();
    if let (Ok(client), Ok(server)) = (&generation.duration, counter(run, "generation_time"))
        && let (Some(a), Some(b)) = (nanos(client), nanos(&server))
        && a != b
    {
        let client_says = format!("the client sees, first token to {}", event_words(generation.to));
        let may_mean = if b > a {
            "The server's count may start before the first token leaves it, or end after the last."
        } else {
            "Time may pass between the server and the client: sending, buffering, the reading side."
        };
        found.push(Disagreement {
            what: "The generation's time".to_owned(),
            difference: Some(apart(Quantity::Nanos(a.abs_diff(b).try_into().unwrap_or(i64::MAX)), client, &server)),
            readings: vec![("the server reports".to_owned(), server), (client_says, client.clone())],
            may_mean: may_mean.to_owned(),
        });
    }
    if let Ok(server) = counter(run, "generated_tokens")
        && let Some(reported) = number(&server)
    {
        let mut compare = |what: &str, says: &str, ours: &Fact, may_mean: &str| {
            if let Some(counted) = number(ours)
                && counted != reported
            {
                let difference = Quantity::Count(counted.abs_diff(reported).try_into().unwrap_or(i64::MAX));
                found.push(Disagreement {
                    what: what.to_owned(),
                    difference: Some(apart(difference, ours, &server)),
                    readings: vec![
                        ("the server reports generated tokens".to_owned(), server.clone()),
                        (says.to_owned(), ours.clone()),
                    ],
                    may_mean: may_mean.to_owned(),
                });
            }
        };
        match (&arrivals.tokens, &arrivals.carrying_count) {
            (Ok(tokens), _) => compare(
                "The number of tokens",
                "the chunks carry tokens",
                tokens,
                "The closing token may carry no text and so no chunk, or chunks may be missing.",
            ),
            (Err(_), Ok(chunks)) => compare(
                "The number of chunks and of tokens",
                "the client sees chunks",
                chunks,
                "A chunk is no token: one may carry several, or a part of a character, and the closing token none.",
            ),
            _ => {}
        }
    }
    if let (Ok(first), Ok(server)) = (event(run, "first_token"), counter(run, "prompt_time"))
        && let (Some(client), Some(reported)) = (nanos(&first), nanos(&server))
        && reported > client
    {
        found.push(Disagreement {
            what: "The prompt's time".to_owned(),
            difference: Some(apart(Quantity::Nanos(reported - client), &first, &server)),
            readings: vec![
                ("the server reports".to_owned(), server),
                ("the client has its first token after".to_owned(), first),
            ],
            may_mean: "The two clocks may run at different rates, or the server may count work done before the \
                       request's time zero."
                .to_owned(),
        });
    }
    found
}

fn apart(quantity: Quantity, client: &Fact, server: &Fact) -> Fact {
    let inputs = vec![("client".to_owned(), client.clone()), ("server".to_owned(), server.clone())];
    Fact::derived(quantity, "|client − server|", inputs)
}

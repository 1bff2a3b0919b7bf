//! The request's derivations against small runs worked by hand; the numbers stand in the comments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use tokenpath_core::derive::request::{RequestTiming, timing};
use tokenpath_core::fact::{Fact, Quantity, Reading};
use tokenpath_core::model::{Chunks, Counters, Events, Request};
use tokenpath_core::{Absence, Label, LabelKind, Labels, ReasonCode, Run};

const CLOCK: &str = "client";

/// Events by name and time; a time that is none is a row with a null.
fn events(rows: &[(&'static str, Option<i64>)]) -> Events {
    Events {
        given: true,
        name: rows.iter().map(|(name, _)| *name).collect(),
        at: rows.iter().map(|(_, at)| *at).collect(),
        labels: Labels::all(Label::measured(CLOCK)),
        ..Events::default()
    }
}

/// Chunks by arrival, tokens and channel.
fn chunks(rows: &[(i64, Option<i64>, &'static str)]) -> Chunks {
    Chunks {
        given: true,
        at: rows.iter().map(|(at, ..)| *at).collect(),
        characters: rows.iter().map(|_| 1).collect(),
        tokens: rows.iter().map(|(_, tokens, _)| *tokens).collect(),
        channel: rows.iter().map(|(.., channel)| *channel).collect(),
        labels: Labels::all(Label::measured(CLOCK)),
        ..Chunks::default()
    }
}

fn counters(rows: &[(&'static str, i64, &'static str)]) -> Counters {
    Counters {
        given: true,
        name: rows.iter().map(|(name, ..)| *name).collect(),
        value: rows.iter().map(|(_, value, _)| *value).collect(),
        unit: rows.iter().map(|(.., unit)| *unit).collect(),
        labels: Labels::all(Label::reported("the server")),
        ..Counters::default()
    }
}

const FULL: [(&str, Option<i64>); 9] = [
    ("sent", Some(10)),
    ("handed_to_runner", Some(30)),
    ("first_encode", Some(40)),
    ("first_byte", Some(50)),
    ("first_event", Some(60)),
    ("first_token", Some(100)),
    ("first_content_token", Some(160)),
    ("end_of_generation", Some(300)),
    ("stream_end", Some(310)),
];

fn run(events: Events, chunks: Chunks, counters: Counters) -> Run {
    Run { request: Request { given: true, events, chunks, counters, ..Request::default() }, ..Run::default() }
}

fn quantity(reading: &Reading) -> Quantity {
    reading.as_ref().unwrap().quantity.clone()
}

fn reason(reading: &Reading) -> &str {
    &reading.as_ref().unwrap_err().reason
}

fn input<'a>(fact: &'a Fact, name: &str) -> &'a Fact {
    &fact.formula.as_ref().unwrap().inputs.iter().find(|(known, _)| known == name).unwrap().1
}

// 30 − 10, 100 − 40, 300 − 100.
#[test]
fn three_segments_each_between_its_own_ends() {
    let timing = timing(&run(events(&FULL), Chunks::default(), Counters::default()));
    let lengths: Vec<Quantity> = timing.segments.iter().map(|segment| quantity(&segment.duration)).collect();
    assert_eq!(lengths, [Quantity::Nanos(20), Quantity::Nanos(60), Quantity::Nanos(200)]);
    let [first, ..] = &timing.segments;
    let fact = first.duration.as_ref().unwrap();
    assert_eq!(fact.label.kind, LabelKind::Derived);
    assert_eq!(input(fact, "handed to runner").quantity, Quantity::Nanos(30));
    assert_eq!(input(fact, "sent").label, Label::measured(CLOCK));
}

#[test]
fn the_three_times_to_the_first_are_stored_stamps() {
    let timing = timing(&run(events(&FULL), Chunks::default(), Counters::default()));
    for (reading, nanos) in [(&timing.first_byte, 50), (&timing.first_token, 100), (&timing.first_content_token, 160)] {
        let fact = reading.as_ref().unwrap();
        assert_eq!((fact.quantity.clone(), &fact.label), (Quantity::Nanos(nanos), &Label::measured(CLOCK)));
    }
}

#[test]
fn a_segment_with_an_unknown_end_carries_the_bundles_reason_and_the_others_stand() {
    let mut rows = FULL;
    rows[2].1 = None;
    let mut run = run(events(&rows), Chunks::default(), Counters::default());
    run.absent.push(Absence::new("/request/events/at/2", ReasonCode::Depth, "The client does not see it."));
    let timing = timing(&run);
    let [first, second, third] = &timing.segments;
    assert_eq!(quantity(&first.duration), Quantity::Nanos(20));
    assert_eq!(reason(&second.duration), "The client does not see it.");
    assert_eq!(quantity(&second.end), Quantity::Nanos(100), "the known end stands alone");
    assert_eq!(quantity(&third.duration), Quantity::Nanos(200));
}

#[test]
fn an_end_before_its_start_is_no_segment() {
    let timing = timing(&run(
        events(&[("first_token", Some(100)), ("end_of_generation", Some(90))]),
        Chunks::default(),
        Counters::default(),
    ));
    let [.., third] = &timing.segments;
    assert!(reason(&third.duration).contains("puts end of generation before first token"));
}

#[test]
fn without_an_end_of_generation_the_stream_ends_the_last_segment_and_says_so() {
    let timing = timing(&run(
        events(&[("first_token", Some(100)), ("stream_end", Some(310))]),
        Chunks::default(),
        Counters::default(),
    ));
    let [.., third] = &timing.segments;
    assert_eq!((third.to, quantity(&third.duration)), ("stream_end", Quantity::Nanos(210)));
}

/// A role chunk, then chunks of one, two and one tokens at 100, 160 and 300.
fn bundled() -> Chunks {
    chunks(&[
        (60, Some(0), "none"),
        (100, Some(1), "content"),
        (160, Some(2), "content"),
        (300, Some(1), "content"),
        (310, Some(0), "none"),
    ])
}

// Chunks arrive at 100 160 300: gaps 60 140, median 100, p95 60 + 0.95 × 80 = 136, longest 140 (the second).
// Tokens arrive at 100 160 160 300: gaps 60 0 140, median 60. Mean (300 − 100) ÷ (4 − 1) = 66.67; rate 3 ÷ 200 ns.
#[test]
fn gaps_between_chunks_are_not_gaps_between_tokens() {
    let timing = timing(&run(events(&FULL), bundled(), Counters::default()));
    let chunks = timing.chunk_gaps.as_ref().unwrap();
    assert_eq!(chunks.values, [60, 140]);
    assert_eq!(chunks.median.quantity, Quantity::NanosExact(100.0));
    assert_eq!(chunks.p95.quantity, Quantity::NanosExact(136.0));
    assert_eq!((chunks.longest.quantity.clone(), chunks.longest_at), (Quantity::Nanos(140), 1));
    let tokens = timing.token_gaps.as_ref().unwrap();
    assert_eq!(tokens.values, [60, 0, 140]);
    assert_eq!(tokens.median.quantity, Quantity::NanosExact(60.0));
    assert_eq!(tokens.zeros(), 1);
    assert_eq!(quantity(&timing.mean_token_gap), Quantity::NanosExact(200.0 / 3.0));
    assert_eq!(quantity(&timing.rate), Quantity::PerSecond(3.0 / 200.0 * 1e9));
    assert_eq!(quantity(&timing.arrivals.chunks), Quantity::Count(5));
    assert_eq!(timing.arrivals.carrying, [1, 2, 3]);
    assert_eq!(quantity(&timing.arrivals.tokens), Quantity::Count(4));
}

// A character split over two tokens: its first token comes without text and still counts.
#[test]
fn a_chunk_without_text_may_carry_a_token() {
    let split = chunks(&[(100, Some(1), "none"), (150, Some(1), "content")]);
    let timing = timing(&run(events(&FULL), split, Counters::default()));
    assert_eq!(timing.token_gaps.unwrap().values, [50]);
}

#[test]
fn gaps_between_tokens_are_no_stronger_than_the_count_of_tokens() {
    let mut chunks = bundled();
    chunks.labels = Labels::all(Label::measured(CLOCK)).with("tokens", Label::inferred("one token per chunk"));
    let timing = timing(&run(events(&FULL), chunks, Counters::default()));
    assert_eq!(timing.token_gaps.unwrap().median.label.kind, LabelKind::Inferred);
    assert_eq!(timing.chunk_gaps.unwrap().median.label.kind, LabelKind::Derived);
}

#[test]
fn one_token_has_no_gap_and_no_mean() {
    let one = chunks(&[(100, Some(1), "content")]);
    let timing = timing(&run(events(&FULL), one, Counters::default()));
    assert!(timing.token_gaps.unwrap_err().reason.contains("Fewer than two tokens"));
    assert!(reason(&timing.mean_token_gap).contains("Undefined below two tokens"));
    assert!(reason(&timing.rate).contains("Undefined below two tokens"));
}

/// Chunks whose tokens the server does not tell.
fn untold() -> Run {
    let arrivals = chunks(&[(100, None, "content"), (160, None, "reasoning"), (300, None, "content")]);
    let mut run = run(
        events(&FULL),
        arrivals,
        counters(&[("generated_tokens", 5, "tokens"), ("generation_time", 230, "ns"), ("prompt_time", 90, "ns")]),
    );
    run.absent.push(Absence::new("/request/chunks/tokens", ReasonCode::NotReported, "The server does not say."));
    run
}

// The server counts 5 tokens: (300 − 100) ÷ 4 = 50, by the server's count.
#[test]
fn without_tokens_per_chunk_only_the_mean_by_the_servers_count_stands() {
    let timing = timing(&untold());
    assert_eq!(timing.token_gaps.unwrap_err().reason, "The server does not say.");
    assert_eq!(timing.chunk_gaps.unwrap().values, [60, 140]);
    let mean = timing.mean_token_gap.as_ref().unwrap();
    assert_eq!(mean.quantity, Quantity::NanosExact(50.0));
    assert_eq!(input(mean, "tokens").label.kind, LabelKind::Reported);
}

#[test]
fn one_chunk_of_unknown_tokens_makes_the_sum_unknown() {
    let some = chunks(&[(100, Some(1), "content"), (160, None, "content"), (300, Some(1), "content")]);
    let timing = timing(&run(events(&FULL), some, Counters::default()));
    assert_eq!(timing.arrivals.tokens.unwrap_err().pointer, "/request/chunks/tokens");
}

// Client 300 − 100 = 200, server 230: 30 apart. Three chunks, five tokens: 2 apart.
#[test]
fn disagreements_keep_both_values() {
    let timing = timing(&untold());
    let [time, count] = timing.disagreements.as_slice() else { panic!("{:?}", timing.disagreements) };
    assert_eq!(time.difference.as_ref().unwrap().quantity, Quantity::Nanos(30));
    let values: Vec<&Quantity> = time.readings.iter().map(|(_, fact)| &fact.quantity).collect();
    assert_eq!(values, [&Quantity::Nanos(230), &Quantity::Nanos(200)]);
    assert_eq!(count.difference.as_ref().unwrap().quantity, Quantity::Count(2));
    assert!(count.may_mean.contains("no token"));
}

#[test]
fn a_prompt_time_beyond_the_first_token_is_a_disagreement() {
    let slow = counters(&[("prompt_time", 140, "ns")]);
    let timing = timing(&run(events(&FULL), Chunks::default(), slow));
    let [found] = timing.disagreements.as_slice() else { panic!("{:?}", timing.disagreements) };
    assert_eq!(found.difference.as_ref().unwrap().quantity, Quantity::Nanos(40));
}

#[test]
fn agreement_is_silent() {
    let same =
        counters(&[("generated_tokens", 4, "tokens"), ("generation_time", 200, "ns"), ("prompt_time", 90, "ns")]);
    assert_eq!(timing(&run(events(&FULL), bundled(), same)).disagreements, []);
}

// 40 prompt tokens, 24 of them cached: 16 processed.
#[test]
fn the_cached_prefix_lies_inside_the_prompt() {
    let told = counters(&[("prompt_tokens", 40, "tokens"), ("cached_tokens", 24, "tokens"), ("slots", 2, "count")]);
    let timing: RequestTiming = timing(&run(events(&FULL), Chunks::default(), told));
    assert_eq!(quantity(&timing.processed_prompt_tokens), Quantity::Count(16));
    let names: Vec<&str> = timing.counters.iter().map(|counter| counter.name.as_str()).collect();
    assert_eq!(names.last(), Some(&"slots"), "unknown counters follow the known ones");
    let draft = timing.counters.iter().find(|counter| counter.name == "draft_tokens").unwrap();
    assert_eq!(reason(&draft.value), "The server reports no such counter.");
}

#[test]
fn arrivals_out_of_order_have_no_gaps() {
    let wild = chunks(&[(160, Some(1), "content"), (100, Some(1), "content")]);
    let timing = timing(&run(events(&FULL), wild, Counters::default()));
    assert!(timing.chunk_gaps.unwrap_err().reason.contains("order of arrival"));
}

#[test]
fn a_false_count_of_tokens_asks_for_no_memory() {
    let wild = chunks(&[(100, Some(i64::MAX), "content"), (160, Some(1), "content")]);
    let timing = timing(&run(events(&FULL), wild, Counters::default()));
    assert!(timing.token_gaps.is_err());
    assert!(timing.arrivals.tokens.unwrap_err().reason.contains("64 bits"));
}

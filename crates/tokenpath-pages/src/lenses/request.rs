//! The lens Request timing: the client's clock, every definition beside its number; the server's counters apart.

mod clock;
mod tables;

use tokenpath_core::derive::histogram::Histogram;
use tokenpath_core::derive::request::{RequestTiming, timing};
use tokenpath_core::derive::spread::Spread;
use tokenpath_core::fact::{Fact, Quantity};

use crate::chart::{self, Mark};
use crate::format;
use crate::html::{Markup, html};
use crate::lens::Lens;
use crate::page::{Context, figure, lens_head, nothing};
use crate::stated::{disagreement, int};

/// Draws the lens.
pub(super) fn page(cx: &Context<'_>) -> Markup {
    if !cx.run.request.given {
        return nothing(Lens::Request, &cx.run.missing("/request"));
    }
    let timing = timing(cx.run);
    html! {
        (lens_head(&html! { (title(&timing)) }, &lead(&timing)))
        (clock::segments(cx, &timing))
        (tables::first_tokens(&timing))
        @for found in &timing.disagreements { (disagreement(found)) }
        (tables::gaps(&timing))
        div class="two" {
            (spread_figure(&timing))
            (tables::counters(cx, &timing))
        }
        (tables::arrivals(cx, &timing))
    }
}

/// What the request came to, in one sentence; the lens's name when the first token has no time.
fn title(timing: &RequestTiming) -> String {
    let Ok(first) = &timing.first_token else { return Lens::Request.name().to_owned() };
    let first = format::quantity(&first.quantity);
    let every = |fact: &Fact| format::quantity(&fact.quantity);
    match (&timing.token_gaps, &timing.chunk_gaps) {
        (Ok(gaps), _) => format!("The first token takes {first}; then one every {}", every(&gaps.median)),
        (_, Ok(gaps)) => format!("The first token takes {first}; then a chunk every {}", every(&gaps.median)),
        _ => format!("The first token takes {first}"),
    }
}

fn lead(timing: &RequestTiming) -> Markup {
    html! {
        "What the client sees, on its own clock; work inside the server is not visible here. "
        @match &timing.arrivals.tokens {
            Ok(_) => "Chunks are not tokens: here the tokens of each chunk are known, so both counts stand.",
            Err(_) => "Chunks are not tokens: here the tokens of a chunk are not known, so gaps are between chunks.",
        }
    }
}

/// The spread of the finest gaps that are known.
fn spread_figure(timing: &RequestTiming) -> Markup {
    let (name, what, gaps) = match &timing.token_gaps {
        Ok(gaps) => ("Gaps between tokens", "gaps between tokens", Ok(gaps)),
        Err(_) => ("Gaps between chunks", "gaps between chunks", timing.chunk_gaps.as_ref()),
    };
    let gaps = match gaps {
        Ok(gaps) => gaps,
        Err(missing) => return figure(name, &html! {}, &crate::value::why(missing)),
    };
    let drawn =
        Histogram::of(&gaps.values).map(|bins| chart::histogram(&bins, &marks(gaps), "gaps", &alternative(name, gaps)));
    figure(
        name,
        &html! { (format::plural(int(gaps.count()), "gap", "gaps")) ", client's clock" },
        &html! {
            @if let Some(drawn) = drawn { (drawn) }
            p class="note" {
                "How the " (what) " spread. It does not show compute time: a gap includes sampling, sending and the reading side."
            }
        },
    )
}

fn marks(gaps: &Spread) -> Vec<Mark> {
    let exact = |fact: &Fact| match fact.quantity {
        Quantity::NanosExact(value) => Some(value),
        _ => None,
    };
    [("median", &gaps.median), ("p95", &gaps.p95)]
        .into_iter()
        .filter_map(|(name, fact)| {
            Some(Mark { at: exact(fact)?, text: format!("{name} {}", format::quantity(&fact.quantity)) })
        })
        .collect()
}

fn alternative(name: &str, gaps: &Spread) -> String {
    format!(
        "Histogram. {name}: median {}, 95th percentile {}, longest {}.",
        format::quantity(&gaps.median.quantity),
        format::quantity(&gaps.p95.quantity),
        format::quantity(&gaps.longest.quantity),
    )
}

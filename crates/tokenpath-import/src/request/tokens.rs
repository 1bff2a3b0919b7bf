//! How many tokens each event carries, where the server says so. Events are never counted as tokens.

use super::event::{Answer, Event, Said};

/// Where the server says how many tokens an event carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// `tokens_predicted`, counted from the start.
    TokensPredicted,
    /// `timings.predicted_n`, counted from the start.
    PredictedN,
    /// `usage.completion_tokens`, counted from the start.
    CompletionTokens,
    /// The ids that come with the text.
    TokenIds,
    /// The log-probabilities that come with the text.
    Logprobs,
}

impl Method {
    /// In the order in which they are tried: a count from the start also covers events whose text came later.
    const ALL: [Method; 5] =
        [Method::TokensPredicted, Method::PredictedN, Method::CompletionTokens, Method::TokenIds, Method::Logprobs];

    /// How a chunk's tokens follow from it, for labels.
    pub(super) fn formula(self) -> &'static str {
        match self {
            Method::TokensPredicted => "difference of tokens_predicted between events",
            Method::PredictedN => "difference of timings.predicted_n between events",
            Method::CompletionTokens => "difference of usage.completion_tokens between events",
            Method::TokenIds => "number of token ids in the event",
            Method::Logprobs => "number of log-probabilities in the event",
        }
    }

    fn cumulative(self) -> bool {
        matches!(self, Method::TokensPredicted | Method::PredictedN | Method::CompletionTokens)
    }

    fn stated(self, said: &Said) -> Option<i64> {
        match self {
            Method::TokensPredicted => said.tokens_predicted,
            Method::PredictedN => said.predicted_n,
            Method::CompletionTokens => said.completion_tokens,
            // Progress reports come with a placeholder id.
            Method::TokenIds => {
                if said.progress {
                    Some(0)
                } else {
                    said.token_ids
                }
            }
            Method::Logprobs => said.logprobs,
        }
    }
}

/// The tokens of each event, and how they were found; `None` when the server does not say for every event with text.
pub(super) fn tokens(events: &[Event]) -> Option<(Method, Vec<i64>)> {
    Method::ALL.into_iter().find_map(|method| Some((method, by(method, events)?)))
}

fn by(method: Method, events: &[Event]) -> Option<Vec<i64>> {
    let mut out = Vec::with_capacity(events.len());
    let mut before = 0;
    let mut any = false;
    for event in events {
        let Answer::Said(said) = &event.answer else {
            out.push(0);
            continue;
        };
        let has_text = said.texts.iter().any(|(_, text)| !text.is_empty());
        let stated = method.stated(said);
        if has_text && stated.is_none() {
            return None;
        }
        any |= has_text;
        let carried = match stated {
            None => 0,
            Some(total) if method.cumulative() => {
                let carried = total.checked_sub(before).filter(|carried| *carried >= 0)?;
                // The closing event repeats the total; a token counted only there was carried by no event.
                let closes = !has_text && (said.finish.is_some() || said.texts.is_empty());
                if closes {
                    0
                } else {
                    before = total;
                    carried
                }
            }
            Some(count) => count,
        };
        // Text without a token cannot be: the counter counts something else.
        if has_text && carried == 0 {
            return None;
        }
        out.push(carried);
    }
    any.then_some(out)
}

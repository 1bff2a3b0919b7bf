//! The request clock: what the client saw, and what the server said of it.

use crate::column::{Ints, Refs, Texts};
use crate::record::{Kind, Null};
use crate::table::{record, table};

/// The events of a request in their natural order.
pub const REQUEST_EVENTS: [&str; 9] = [
    "sent",
    "handed_to_runner",
    "first_encode",
    "first_byte",
    "first_event",
    "first_token",
    "first_content_token",
    "end_of_generation",
    "stream_end",
];

/// The channels of a chunk. A chunk with `none` carries no token (role, keep-alive, usage).
pub const CHANNELS: [&str; 5] = ["content", "reasoning", "tool", "none", "unknown"];

record! {
    /// The request, on the client's clock. Time zero is the start of the request.
    pub struct Request at "/request" {
        /// The client's clock.
        clock: Option<String> = Kind::Text, Null::Never;
        /// The reading of that clock at time zero, in nanoseconds, where the trace clock can be compared with it.
        origin: Option<i64> = Kind::Ns, Null::Free;
        /// The endpoint's dialect: openai-chat, openai-completions, llama.cpp-completion, ollama and so on.
        api: Option<String> = Kind::Text, Null::Free;
        /// Why the stream ended.
        finish: Option<String> = Kind::Text, Null::Free;
        /// The prompt; private.
        prompt: Option<String> = Kind::Private, Null::Free;
        /// How many tokens each chunk carries is known (`one_per_chunk`, `per_chunk`) or not (`unknown`).
        token_count: Option<String> = Kind::Word(&["per_chunk", "unknown"]), Null::Never;
    }
    parts {
        /// Events of the request.
        events: Events, Null::Never;
        /// Chunk arrivals.
        chunks: Chunks, Null::Explained;
        /// Counters as the server reported them.
        counters: Counters, Null::Explained;
    }
}

table! {
    /// Events of the request, each at most once.
    pub struct Events at "/request/events" {
        /// Which event.
        name: Texts = Kind::Word(&REQUEST_EVENTS), Null::Never;
        /// When, in nanoseconds after time zero.
        at: Ints = Kind::Ns, Null::Explained;
    }
}

table! {
    /// Chunks (server-sent events, lines) in order of arrival.
    pub struct Chunks at "/request/chunks" {
        /// Arrival in nanoseconds after time zero, stamped before parsing.
        at: Ints = Kind::Ns, Null::Never;
        /// Characters of text it carries.
        characters: Ints = Kind::Count, Null::Never;
        /// Tokens it carries.
        tokens: Ints = Kind::Count, Null::Explained;
        /// Which channel the text belongs to.
        channel: Texts = Kind::Word(&CHANNELS), Null::Never;
        /// Which read of the socket brought it; chunks of one read share their arrival.
        read: Ints = Kind::Count, Null::Free;
        /// The text; private.
        text: Texts = Kind::Private, Null::Free;
        /// The pass whose sampled token it carries, where that is known.
        pass: Refs = Kind::Ref("/passes/rows"), Null::Free;
    }
}

table! {
    /// Counters as the server reported them, apart from the client's clock.
    pub struct Counters at "/request/counters" {
        /// The counter's meaning: prompt_tokens (cached prefix included), cached_tokens, generated_tokens,
        /// draft_tokens, draft_accepted, prompt_time, generation_time, load_time, total_time.
        name: Texts = Kind::Text, Null::Never;
        /// Its value, in the unit beside it.
        value: Ints = Kind::Count, Null::Explained;
        /// Its unit.
        unit: Texts = Kind::Word(&["tokens", "ns", "bytes", "count"]), Null::Never;
        /// The server's own name for it.
        source: Texts = Kind::Text, Null::Free;
    }
}

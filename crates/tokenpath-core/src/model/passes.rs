//! Passes: one execution of the model's graph each.

use crate::column::{Ints, Refs, Texts};
use crate::record::{Kind, Null};
use crate::table::{record, table};

record! {
    /// The passes of the run.
    pub struct Passes at "/passes" {}
    parts {
        /// The passes in order of their start.
        rows: PassRows, Null::Never;
        /// The ways in which passes were executed; a run joined from several recordings has several.
        executions: Executions, Null::Free;
        /// How passes were classified, and whether that agrees with the runtime.
        classification: Classification, Null::Never;
        /// How the trace clock was joined to the request clock.
        clock_join: ClockJoin, Null::Explained;
    }
}

table! {
    /// Passes in order of their start, on the trace clock.
    pub struct PassRows at "/passes/rows" {
        /// `prefill` or `decode`.
        kind: Texts = Kind::Word(&["prefill", "decode"]), Null::Explained;
        /// Start, in nanoseconds on the trace clock.
        start: Ints = Kind::Ns, Null::Never;
        /// When its result was there, in nanoseconds on the trace clock.
        end: Ints = Kind::Ns, Null::Explained;
        /// Start to the next start of the same execution, in nanoseconds; the last has none.
        period: Ints = Kind::Ns, Null::Explained;
        /// Tokens it takes in.
        tokens: Ints = Kind::Count, Null::Explained;
        /// Position of its first token in the context.
        position: Ints = Kind::Count, Null::Free;
        /// The token sampled from its result; private.
        token_text: Texts = Kind::Private, Null::Free;
        /// The graph it executes.
        graph: Refs = Kind::Ref("/graph/graphs"), Null::Explained;
        /// How it was executed.
        execution: Refs = Kind::Ref("/passes/executions"), Null::Free;
        /// Processor time of the runtime's process during the pass, in nanoseconds.
        cpu_time: Ints = Kind::Ns, Null::Free;
    }
}

table! {
    /// Ways in which passes were executed.
    pub struct Executions at "/passes/executions" {
        /// A short name.
        name: Texts = Kind::Text, Null::Never;
        /// What it keeps and what it changes, in a sentence.
        text: Texts = Kind::Text, Null::Never;
        /// What one interval of these passes is.
        interval_kind: Texts = Kind::Word(&["kernel", "node", "encoder", "tick"]), Null::Free;
    }
}

record! {
    /// How passes were classified as prefill or decode.
    pub struct Classification at "/passes/classification" {
        /// The rule or the source, in words.
        method: Option<String> = Kind::Text, Null::Never;
        /// Decode steps that the runtime or server counted.
        runtime_decode_steps: Option<i64> = Kind::Count, Null::Explained;
        /// If the trace and that count differ: what it may mean, in words.
        disagreement: Option<String> = Kind::Text, Null::Free;
    }
    parts {}
}

record! {
    /// How trace clock and request clock were joined: trace = request + offset.
    pub struct ClockJoin at "/passes/clock_join" {
        /// `same_clock`, or the name of the method.
        method: Option<String> = Kind::Text, Null::Never;
        /// Reading of the trace clock at the request's time zero, in nanoseconds.
        offset: Option<i64> = Kind::SignedNs, Null::Never;
        /// Largest distance left after joining, in nanoseconds.
        residual: Option<i64> = Kind::Ns, Null::Explained;
        /// Uncertainty of the offset, in nanoseconds.
        uncertainty: Option<i64> = Kind::Ns, Null::Explained;
    }
    parts {}
}

//! What is wrong with a bundle: each problem names the pointer, the rule and the value.

use std::fmt;

/// The rules a bundle is checked against. Their words are part of the format's specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A field that must be there is not.
    MissingField,
    /// The value is not of the field's type.
    WrongType,
    /// The value is none of those the field may have.
    UnknownWord,
    /// A reference points past the end of its table.
    DanglingReference,
    /// The columns of a table differ in length.
    RaggedTable,
    /// A null (or a missing section, field or column) has no absence entry.
    UnexplainedNull,
    /// An absence entry points at a value that is there.
    AbsenceOfPresent,
    /// An absence entry points at nothing the format knows.
    AbsenceOfNothing,
    /// A time, count or size below zero.
    Negative,
    /// A number, or an end computed from it, does not fit in 64 bits.
    Overflow,
    /// An interval lies outside its segment.
    OutsideSegment,
    /// A segment, submission or interval lies outside the capture.
    OutsideCapture,
    /// An end lies before its start.
    EndBeforeStart,
    /// The same id or name twice where each must be unique.
    Duplicate,
    /// The same key twice in one object; the first is kept.
    DuplicateKey,
    /// Parts add up to more than their stated whole.
    PartsExceedWhole,
    /// A value without a label.
    MissingLabel,
    /// A label that is none of the six kinds.
    UnknownLabel,
    /// A field this version does not know; kept and reported, not an error.
    UnknownField,
    /// An empty relation that does not say why the chain ends there.
    UnexplainedEnd,
    /// Two stored values contradict each other.
    Contradiction,
}

impl Rule {
    /// The word used in output and in the specification.
    pub fn word(self) -> &'static str {
        match self {
            Rule::MissingField => "missing-field",
            Rule::WrongType => "wrong-type",
            Rule::UnknownWord => "unknown-word",
            Rule::DanglingReference => "dangling-reference",
            Rule::RaggedTable => "ragged-table",
            Rule::UnexplainedNull => "unexplained-null",
            Rule::AbsenceOfPresent => "absence-of-present",
            Rule::AbsenceOfNothing => "absence-of-nothing",
            Rule::Negative => "negative",
            Rule::Overflow => "overflow",
            Rule::OutsideSegment => "outside-segment",
            Rule::OutsideCapture => "outside-capture",
            Rule::EndBeforeStart => "end-before-start",
            Rule::Duplicate => "duplicate",
            Rule::DuplicateKey => "duplicate-key",
            Rule::PartsExceedWhole => "parts-exceed-whole",
            Rule::MissingLabel => "missing-label",
            Rule::UnknownLabel => "unknown-label",
            Rule::UnknownField => "unknown-field",
            Rule::UnexplainedEnd => "unexplained-end",
            Rule::Contradiction => "contradiction",
        }
    }

    /// Whether a problem of this rule only informs: the bundle still satisfies the specification.
    pub fn is_notice(self) -> bool {
        self == Rule::UnknownField
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// RFC 6901 pointer into the bundle.
    pub pointer: String,
    /// The rule that is broken.
    pub rule: Rule,
    /// What stands there, and what should; one sentence without a final full stop.
    pub text: String,
}

impl Problem {
    /// A problem at `pointer`.
    pub fn new(pointer: impl Into<String>, rule: Rule, text: impl Into<String>) -> Problem {
        Problem { pointer: pointer.into(), rule, text: text.into() }
    }

    /// The top-level section the problem lies in (`timeline` of `/timeline/intervals/start/3`).
    pub fn section(&self) -> &str {
        self.pointer.split('/').nth(1).unwrap_or("")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "(whole document)" } else { &self.pointer };
        write!(f, "{pointer}: {}: {}", self.rule.word(), self.text)
    }
}

//! What is wrong with a bundle: each problem names the pointer, the rule and the value.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use crate::absence::{prefixes, starred};
use crate::json::Node;

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
    /// An absence entry points at nothing that the format knows or the bundle holds.
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
    /// A row starts before the row above it, in a table that is kept in order.
    OutOfOrder,
    /// Two sources differ and both are kept; stated, not an error.
    Disagreement,
}

impl Rule {
    /// Every rule, in the order of the specification.
    pub const ALL: [Rule; 23] = [
        Rule::MissingField,
        Rule::WrongType,
        Rule::UnknownWord,
        Rule::DanglingReference,
        Rule::RaggedTable,
        Rule::UnexplainedNull,
        Rule::UnexplainedEnd,
        Rule::AbsenceOfPresent,
        Rule::AbsenceOfNothing,
        Rule::Negative,
        Rule::Overflow,
        Rule::OutsideSegment,
        Rule::OutsideCapture,
        Rule::EndBeforeStart,
        Rule::OutOfOrder,
        Rule::Duplicate,
        Rule::DuplicateKey,
        Rule::PartsExceedWhole,
        Rule::Contradiction,
        Rule::MissingLabel,
        Rule::UnknownLabel,
        Rule::Disagreement,
        Rule::UnknownField,
    ];

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
            Rule::OutOfOrder => "out-of-order",
            Rule::Disagreement => "disagreement",
        }
    }

    /// Whether a problem of this rule only informs: the bundle still satisfies the specification.
    pub fn is_notice(self) -> bool {
        matches!(self, Rule::UnknownField | Rule::Disagreement)
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
        // A key of the document may hold anything; what reaches a terminal may not.
        for character in pointer.chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        write!(f, ": {}: {}", self.rule.word(), self.text)
    }
}

/// The sentence for a value that is not what its place holds.
pub(crate) fn mismatch(expected: &str, found: &Node) -> String {
    let hint = match found {
        Node::Float(_) if expected == "an integer" => "; an integer has no fraction and no exponent",
        _ => "",
    };
    format!("expected {expected}, found {}{hint}", found.described())
}

/// A number with its noun: "1 row", "3 rows".
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Problems collected while decoding and validating. Bounded, so that a million bad cells stay readable.
#[derive(Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    /// Per place and rule, how many problems there are. The place of a cell is its column, of anything else what
    /// it lies in, numbers starred.
    groups: BTreeMap<String, BTreeMap<Rule, usize>>,
    /// Errors of each section, those that are not listed included.
    errors: HashMap<String, usize>,
    spoiled: BTreeSet<String>,
    unlisted: usize,
}

/// So many cells of one column are listed for one rule; the rest are counted.
const LISTED_CELLS: usize = 8;

/// So many problems of one rule are listed for the fields or entries of one place; the rest are counted.
const LISTED_PLACES: usize = 32;

/// So many problems are listed in all: more than a person reads, few enough for any page.
const LISTED: usize = 1000;

impl Problems {
    /// Adds a problem; beyond the first of one place and rule only their number is kept.
    pub fn add(&mut self, problem: Problem) {
        let place = problem.pointer.rsplit_once('/').map_or("", |(before, _)| before);
        let place = starred(place);
        self.count(&place, problem.rule, problem.section());
        if self.listed(&place, problem.rule) <= LISTED_PLACES {
            self.push(problem);
        }
    }

    /// Adds a problem of one cell; beyond the first few of a column and rule only their number is kept.
    pub fn cell(&mut self, column: &str, row: usize, rule: Rule, text: impl FnOnce() -> String) {
        self.spoil(column);
        self.count(column, rule, column.split('/').nth(1).unwrap_or(""));
        if self.listed(column, rule) <= LISTED_CELLS {
            self.push(Problem::new(format!("{column}/{row}"), rule, text()));
        }
    }

    /// Adds a wrong-type problem.
    pub fn wrong_type(&mut self, pointer: &str, expected: &str, found: &Node) {
        self.spoil(pointer);
        self.add(Problem::new(pointer, Rule::WrongType, mismatch(expected, found)));
    }

    /// Marks a place whose nulls are consequences of a problem that is already told.
    pub fn spoil(&mut self, pointer: &str) {
        if !self.spoiled.contains(pointer) {
            self.spoiled.insert(pointer.to_owned());
        }
    }

    /// Whether the place is marked by [`Problems::spoil`].
    pub fn is_spoiled(&self, pointer: &str) -> bool {
        self.spoiled.contains(pointer)
    }

    /// Whether the place or one that it lies in is marked by [`Problems::spoil`].
    pub fn is_spoiled_above(&self, pointer: &str) -> bool {
        prefixes(pointer).any(|at| self.spoiled.contains(at))
    }

    /// Number of errors of each section that has any, those that are not listed included.
    pub fn errors(&self) -> HashMap<String, usize> {
        self.errors.clone()
    }

    /// All problems; places with more of them than are listed end with their number.
    pub fn finish(mut self) -> Vec<Problem> {
        for (place, rules) in std::mem::take(&mut self.groups) {
            // A cell's place is a column, which holds no star; see `add` and `cell`.
            let is_column = self.spoiled.contains(&place);
            for (rule, count) in rules {
                let listed = if is_column { LISTED_CELLS } else { LISTED_PLACES };
                let Some(more) = count.checked_sub(listed).filter(|more| *more > 0) else { continue };
                let text = match (is_column, more) {
                    (true, 1) => "1 more cell of this column breaks this rule".to_owned(),
                    (true, more) => format!("{more} more cells of this column break this rule"),
                    (false, 1) => "1 more place in this one breaks this rule".to_owned(),
                    (false, more) => format!("{more} more places in this one break this rule"),
                };
                let pointer = place.split("/*").next().unwrap_or("").to_owned();
                self.push(Problem::new(pointer, rule, text));
            }
        }
        if self.unlisted > 0 {
            let text = format!("{} not listed", counted(self.unlisted, "more problem"));
            let rule = self.list.last().map_or(Rule::WrongType, |problem| problem.rule);
            self.list.push(Problem::new("", rule, text));
        }
        self.list
    }

    fn count(&mut self, place: &str, rule: Rule, section: &str) {
        if !rule.is_notice() {
            match self.errors.get_mut(section) {
                Some(count) => *count += 1,
                None => {
                    self.errors.insert(section.to_owned(), 1);
                }
            }
        }
        match self.groups.get_mut(place) {
            Some(rules) => *rules.entry(rule).or_insert(0) += 1,
            None => {
                self.groups.insert(place.to_owned(), BTreeMap::from([(rule, 1)]));
            }
        }
    }

    fn listed(&self, place: &str, rule: Rule) -> usize {
        self.groups.get(place).and_then(|rules| rules.get(&rule)).copied().unwrap_or(0)
    }

    fn push(&mut self, problem: Problem) {
        if self.list.len() < LISTED {
            self.list.push(problem);
        } else {
            self.unlisted += 1;
        }
    }
}

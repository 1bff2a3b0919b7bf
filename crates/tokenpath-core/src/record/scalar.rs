//! Single values of records.

use super::{FieldSpec, Kind};
use crate::column::{too_large, unknown_word};
use crate::json::{Node, quoted};
use crate::problem::{Problem, Problems, Rule, mismatch};

/// A single value of a record.
pub trait Scalar: Default {
    /// Takes the value out of its JSON form.
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self;
    /// The JSON form; `None` when there is no value.
    fn encode(&self) -> Option<Node>;
    /// Whether there is a value.
    fn is_given(&self) -> bool;
    /// The row this points to, for references.
    fn target(&self) -> Option<i64> {
        None
    }
}

/// Adds a problem of one field, and marks the field so that its being null is no second problem.
fn fault(pointer: &str, rule: Rule, text: String, problems: &mut Problems) {
    problems.spoil(pointer);
    problems.add(Problem::new(pointer, rule, text));
}

impl Scalar for Option<String> {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self {
        let text = match node {
            Node::Text(text) => text,
            other => {
                problems.wrong_type(pointer, "a string", &other);
                return None;
            }
        };
        match spec.kind {
            Kind::Word(words) if !words.contains(&text.as_str()) => {
                fault(pointer, Rule::UnknownWord, unknown_word(&text, words), problems);
                None
            }
            Kind::Moment if !is_moment(&text) => {
                let text = format!("expected a moment like 2025-01-31T23:59:59Z, found {}", quoted(&text));
                fault(pointer, Rule::WrongType, text, problems);
                None
            }
            Kind::Digest if !is_digest(&text) => {
                let text = format!("expected 64 hexadecimal digits, found {}", quoted(&text));
                fault(pointer, Rule::WrongType, text, problems);
                None
            }
            _ => Some(text),
        }
    }

    fn encode(&self) -> Option<Node> {
        self.clone().map(Node::Text)
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }
}

/// Whether the text is a moment as bundles write it: RFC 3339 with `Z`, fractions of a second allowed.
pub(super) fn is_moment(text: &str) -> bool {
    // What follows the shape is checked as numbers: 99 is no month.
    let Some((date, time)) = text.strip_suffix('Z').and_then(|text| text.split_once('T')) else { return false };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let numbers = |text: &str, separator: char, widths: [usize; 3]| -> Option<[u32; 3]> {
        let mut parts = text.split(separator);
        let mut out = [0; 3];
        for (number, width) in out.iter_mut().zip(widths) {
            let part = parts.next().filter(|part| part.len() == width && part.bytes().all(|b| b.is_ascii_digit()))?;
            *number = part.parse().ok()?;
        }
        parts.next().is_none().then_some(out)
    };
    let (Some([_, month, day]), Some([hour, minute, second])) =
        (numbers(date, '-', [4, 2, 2]), numbers(time, ':', [2, 2, 2]))
    else {
        return false;
    };
    // A leap second is second 60.
    (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Scalar for Option<i64> {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self {
        match node {
            Node::Int(value) if value < 0 && matches!(spec.kind, Kind::Ref(_)) => {
                fault(pointer, Rule::DanglingReference, format!("{value} can be no row of any table"), problems);
                None
            }
            Node::Int(value) if value < 0 && spec.kind != Kind::SignedNs => {
                let text = format!("{value} is below zero; {}", spec.kind.never());
                fault(pointer, Rule::Negative, text, problems);
                None
            }
            Node::Int(value) => Some(value),
            Node::Large(value) => {
                fault(pointer, Rule::Overflow, too_large(value), problems);
                None
            }
            other => {
                problems.wrong_type(pointer, "an integer", &other);
                None
            }
        }
    }

    fn encode(&self) -> Option<Node> {
        self.map(Node::Int)
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }

    fn target(&self) -> Option<i64> {
        *self
    }
}

impl Scalar for Option<bool> {
    fn decode(node: Node, pointer: &str, _spec: &FieldSpec, problems: &mut Problems) -> Self {
        match node {
            Node::Bool(value) => Some(value),
            other => {
                problems.wrong_type(pointer, "true or false", &other);
                None
            }
        }
    }

    fn encode(&self) -> Option<Node> {
        self.map(Node::Bool)
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }
}

impl Scalar for Option<Vec<String>> {
    fn decode(node: Node, pointer: &str, _spec: &FieldSpec, problems: &mut Problems) -> Self {
        let items = match node.into_items() {
            Ok(items) => items,
            Err(other) => {
                problems.wrong_type(pointer, "an array of strings", &other);
                return None;
            }
        };
        let mut texts = Vec::new();
        for (i, item) in items.enumerate() {
            match item {
                Node::Text(text) => texts.push(text),
                other => {
                    let text = mismatch("a string", &other);
                    problems.add(Problem::new(format!("{pointer}/{i}"), Rule::WrongType, text));
                }
            }
        }
        Some(texts)
    }

    fn encode(&self) -> Option<Node> {
        self.as_ref().map(|texts| Node::Texts(texts.iter().map(Some).collect())).map(|node| match node {
            // An array without a string has one form only.
            Node::Texts(texts) if texts.is_empty() => Node::Ints(Vec::new()),
            node => node,
        })
    }

    fn is_given(&self) -> bool {
        self.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_rfc_3339_in_utc() {
        for good in ["2025-01-31T23:59:59Z", "2016-12-31T23:59:60Z", "2025-01-31T00:00:00.123456789Z"] {
            assert!(is_moment(good), "{good}");
        }
        for bad in [
            "",
            "Z",
            "2025-01-31",
            "2025-01-31 23:59:59Z",
            "2025-01-31T23:59:59",
            "2025-01-31T23:59:59+01:00",
            "2025-13-31T23:59:59Z",
            "2025-01-00T23:59:59Z",
            "2025-01-31T24:00:00Z",
            "2025-1-31T23:59:59Z",
            "2025-01-31T23:59:59.Z",
            "2025-01-31-01T23:59:59Z",
            "+025-01-31T23:59:59Z",
        ] {
            assert!(!is_moment(bad), "{bad}");
        }
    }
}

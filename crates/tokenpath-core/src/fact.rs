//! Facts: a value together with its label, its place and, when it was computed, its formula.
//!
//! Everything that is shown to a person passes through [`Reading`]: a known fact or an absence with its reason.

use crate::label::{Label, LabelKind};
use crate::model::Run;

/// A value with its unit. Rounding and text are the pages' business.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A duration, or a time after a stated zero, in nanoseconds.
    Nanos(i64),
    /// A duration that is the result of a division, in nanoseconds.
    NanosExact(f64),
    /// A size in bytes.
    Bytes(i64),
    /// A count; what of, the caption says.
    Count(i64),
    /// Bytes per second.
    BytesPerSecond(f64),
    /// Something per second.
    PerSecond(f64),
    /// A part of a whole, from 0 to 1.
    Share(f64),
    /// A range from what is known to what is possible, in nanoseconds.
    NanosRange(i64, i64),
    /// A range of parts of a whole, from what is known to what is possible.
    ShareRange(f64, f64),
    /// Sizes of a tensor, the fastest-moving first.
    Sizes(Vec<i64>),
    /// A name or word.
    Text(String),
}

/// A known value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The value.
    pub quantity: Quantity,
    /// Where it comes from.
    pub label: Label,
    /// Where it stands in the bundle; empty for a computed value.
    pub pointer: String,
    /// How it was computed, for a derived value.
    pub formula: Option<Formula>,
}

/// How a derived value was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The formula in words and symbols.
    pub text: String,
    /// Its inputs, named.
    pub inputs: Vec<(String, Fact)>,
}

impl Formula {
    /// The label of the weakest input, which is as strong as the result can be.
    pub fn weakest(&self) -> Option<&Label> {
        let mut labels = self.inputs.iter().map(|(_, fact)| fact.weakest_label());
        let first = labels.next()?;
        Some(labels.fold(first, Label::weaker))
    }
}

impl Fact {
    /// A value that stands in the bundle.
    pub fn stored(quantity: Quantity, label: Option<&Label>, pointer: impl Into<String>) -> Fact {
        // Validation reports a value without a label; shown, it is no stronger than the weakest kind.
        let label = label.cloned().unwrap_or_else(|| Label::new(LabelKind::Estimated, "no label in the bundle"));
        Fact { quantity, label, pointer: pointer.into(), formula: None }
    }

    /// A value computed from others. It is derived, or weaker when an input is weaker.
    pub fn derived(quantity: Quantity, text: impl Into<String>, inputs: Vec<(String, Fact)>) -> Fact {
        let formula = Formula { text: text.into(), inputs };
        let label = match formula.weakest() {
            Some(weakest) if weakest.kind > LabelKind::Derived => weakest.clone(),
            _ => Label::derived(formula.text.clone()),
        };
        Fact { quantity, label, pointer: String::new(), formula: Some(formula) }
    }

    fn weakest_label(&self) -> &Label {
        match self.formula.as_ref().and_then(Formula::weakest) {
            Some(weakest) => self.label.weaker(weakest),
            None => &self.label,
        }
    }
}

/// Why a value is missing, and where it would stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Where the value would stand; for a computed value, where the input it lacks would stand.
    pub pointer: String,
    /// The bundle's own reason, or what the computation lacks.
    pub reason: String,
}

/// A value or the reason why there is none.
pub type Reading = Result<Fact, Missing>;

impl Run {
    /// A reading of a value that stands at `pointer`: the fact, or the bundle's reason for its absence.
    pub fn reading(&self, quantity: Option<Quantity>, label: Option<&Label>, pointer: &str) -> Reading {
        match quantity {
            Some(quantity) => Ok(Fact::stored(quantity, label, pointer)),
            None => Err(self.missing(pointer)),
        }
    }

    /// The bundle's reason for the value missing at `pointer`.
    pub fn missing(&self, pointer: &str) -> Missing {
        Missing { pointer: pointer.to_owned(), reason: self.reason(pointer) }
    }
}

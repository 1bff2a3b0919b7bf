//! Labels: where a value comes from. Every value in a run carries one.
//!
//! In a bundle a label is a string, `kind` or `kind:detail`. The detail of a measured value names
//! the clock or counter, of an inferred one the rule, of a derived one the formula.

use std::collections::HashMap;
use std::fmt;

use crate::json::Object;

/// The six kinds, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LabelKind {
    /// Read from the model file.
    Read,
    /// An instrument's clock or counter.
    Measured,
    /// The runtime or the server said so.
    Reported,
    /// Computed from other values by a stated formula.
    Derived,
    /// Decided by a named rule.
    Inferred,
    /// An analytical model; no run stands behind it.
    Estimated,
}

impl LabelKind {
    /// All kinds in the order in which legends list them.
    pub const ALL: [LabelKind; 6] = [
        LabelKind::Measured,
        LabelKind::Reported,
        LabelKind::Read,
        LabelKind::Derived,
        LabelKind::Inferred,
        LabelKind::Estimated,
    ];

    /// The word used in bundles and on pages.
    pub fn word(self) -> &'static str {
        match self {
            LabelKind::Measured => "measured",
            LabelKind::Reported => "reported",
            LabelKind::Read => "read",
            LabelKind::Derived => "derived",
            LabelKind::Inferred => "inferred",
            LabelKind::Estimated => "estimated",
        }
    }

    /// What a label of this kind must name in its detail: a measured value its clock or counter, a derived one its
    /// formula, an inferred one its rule. The others may leave it out.
    pub fn must_name(self) -> Option<&'static str> {
        match self {
            LabelKind::Measured => Some("clock or counter"),
            LabelKind::Derived => Some("formula"),
            LabelKind::Inferred => Some("rule"),
            LabelKind::Reported | LabelKind::Read | LabelKind::Estimated => None,
        }
    }

    fn from_word(word: &str) -> Option<LabelKind> {
        LabelKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The label of one value: its kind and, where it matters, which clock, rule or formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// Which of the six kinds.
    pub kind: LabelKind,
    /// The clock, counter, rule or formula; empty when none is named.
    pub detail: String,
}

impl Label {
    /// A label of `kind` whose detail is `detail`.
    pub fn new(kind: LabelKind, detail: impl Into<String>) -> Label {
        Label { kind, detail: detail.into() }
    }

    /// Measured by the named clock or counter.
    pub fn measured(clock: impl Into<String>) -> Label {
        Label::new(LabelKind::Measured, clock)
    }

    /// Said by the runtime or server; the detail says by which of its outputs.
    pub fn reported(by: impl Into<String>) -> Label {
        Label::new(LabelKind::Reported, by)
    }

    /// Read from the named model file.
    pub fn read(file: impl Into<String>) -> Label {
        Label::new(LabelKind::Read, file)
    }

    /// Computed by the stated formula.
    pub fn derived(formula: impl Into<String>) -> Label {
        Label::new(LabelKind::Derived, formula)
    }

    /// Decided by the named rule.
    pub fn inferred(rule: impl Into<String>) -> Label {
        Label::new(LabelKind::Inferred, rule)
    }

    /// Parses `kind` or `kind:detail`; `None` when the kind is not one of the six.
    pub fn parse(text: &str) -> Option<Label> {
        let (kind, detail) = text.split_once(':').unwrap_or((text, ""));
        LabelKind::from_word(kind).map(|kind| Label::new(kind, detail))
    }

    /// The weaker of two labels; of two equally strong ones the first.
    pub fn weaker<'a>(&'a self, other: &'a Label) -> &'a Label {
        if other.kind > self.kind { other } else { self }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.word())?;
        if !self.detail.is_empty() {
            write!(f, ":{}", self.detail)?;
        }
        Ok(())
    }
}

/// As in bundles: `kind` or `kind:detail`.
impl serde::Serialize for Label {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The label of one column or field.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnLabel {
    /// One label for all rows.
    All(Label),
    /// Rows differ: `rows[i]` is the index in `values` of row i's label.
    PerRow {
        /// The distinct labels.
        values: Vec<Label>,
        /// For each row, its index in `values`.
        rows: Vec<u32>,
    },
}

/// The labels of one table or record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// The label of every column that has none of its own (`"*"` in a bundle).
    pub all: Option<Label>,
    /// Columns with a label of their own, by column name.
    pub columns: Vec<(String, ColumnLabel)>,
    /// What this version does not know, kept as it is: labels of unknown columns, and unknown fields beside the labels of
    /// a column's rows.
    pub extra: Object,
}

impl Labels {
    /// One label for every column.
    pub fn all(label: Label) -> Labels {
        Labels { all: Some(label), ..Labels::default() }
    }

    /// The same with one more column labelled on its own.
    pub fn with(mut self, column: &str, label: Label) -> Labels {
        self.columns.push((column.to_owned(), ColumnLabel::All(label)));
        self
    }

    /// The same with a label for each row of `column`. Equal labels are stored once.
    pub fn with_rows(mut self, column: &str, labels: impl IntoIterator<Item = Label>) -> Labels {
        let mut values: Vec<Label> = Vec::new();
        let mut rows = Vec::new();
        let mut known: HashMap<Label, u32> = HashMap::new();
        for label in labels {
            let next = u32::try_from(values.len()).unwrap_or(u32::MAX);
            let index = *known.entry(label).or_insert_with_key(|label| {
                values.push(label.clone());
                next
            });
            rows.push(index);
        }
        self.columns.push((column.to_owned(), ColumnLabel::PerRow { values, rows }));
        self
    }

    /// The label of `column`, if the table states one.
    pub fn column(&self, column: &str) -> Option<&ColumnLabel> {
        self.columns.iter().find(|(name, _)| name == column).map(|(_, label)| label)
    }

    /// The label of one cell; `None` when the table states none (a problem that validation reports).
    pub fn cell(&self, column: &str, row: usize) -> Option<&Label> {
        match self.column(column) {
            Some(ColumnLabel::All(label)) => Some(label),
            Some(ColumnLabel::PerRow { values, rows }) => rows.get(row).and_then(|index| values.get(*index as usize)),
            None => self.all.as_ref(),
        }
    }

    /// The label of one field of a record.
    pub fn field(&self, field: &str) -> Option<&Label> {
        self.cell(field, 0)
    }
}

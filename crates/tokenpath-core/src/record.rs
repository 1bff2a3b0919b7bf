//! Field specifications, and the macros' common ground: how fields and columns are declared, decoded and described.
//!
//! One declaration per field drives decoding, validation and the JSON Schema, so that the three cannot drift apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Node, Object, take};
use crate::label::{ColumnLabel, Label, Labels};
use crate::problem::{Problem, Rule};

/// What a field or a column's cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any string.
    Text,
    /// A string that may carry private content (prompt, tokens, paths, names of people or machines).
    Private,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Nanoseconds, not negative.
    Ns,
    /// Nanoseconds, of either sign.
    SignedNs,
    /// Bytes.
    Bytes,
    /// A count or an index that is no reference.
    Count,
    /// True or false.
    Flag,
    /// The index of a row in the table at this pointer.
    Ref(&'static str),
    /// A list of such indices.
    Refs(&'static str),
    /// A list of sizes or ids.
    Sizes,
    /// A list of strings.
    Texts,
}

impl Kind {
    /// For messages: "a time in nanoseconds", "a size in bytes".
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Text | Kind::Private => "a string",
            Kind::Word(_) => "a word",
            Kind::Ns | Kind::SignedNs => "a time in nanoseconds",
            Kind::Bytes => "a size in bytes",
            Kind::Count => "a count",
            Kind::Flag => "a boolean",
            Kind::Ref(_) => "a reference",
            Kind::Refs(_) => "a list of references",
            Kind::Sizes => "a list of sizes",
            Kind::Texts => "a list of strings",
        }
    }
}

/// What a null in this place asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Null {
    /// May not be null.
    Never,
    /// Needs an absence entry.
    Explained,
    /// Needs an absence entry unless the named companion column says that the chain ends here.
    EndedBy(&'static str),
    /// May be null without a reason: the field is an addition, not a value somebody would look for.
    Free,
}

/// One field of a record or one column of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSpec {
    /// The name in bundles.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What a null asks for.
    pub null: Null,
    /// What it means, with its unit.
    pub doc: &'static [&'static str],
}

/// Problems collected while decoding and validating; bounded, so that a million bad cells stay readable.
#[derive(Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    per_column: BTreeMap<(String, Rule), usize>,
    spoiled: BTreeSet<String>,
}

/// So many cells of one column are listed for one rule; the rest are counted.
const LISTED_CELLS: usize = 8;

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, problem: Problem) {
        self.list.push(problem);
    }

    /// Adds a problem of one cell; beyond the first few of a column and rule only their number is kept.
    pub fn cell(&mut self, column: &str, row: usize, rule: Rule, text: impl FnOnce() -> String) {
        self.spoil(column);
        let count = self.per_column.entry((column.to_owned(), rule)).or_insert(0);
        *count += 1;
        if *count <= LISTED_CELLS {
            self.list.push(Problem::new(format!("{column}/{row}"), rule, text()));
        }
    }

    /// Adds a wrong-type problem.
    pub fn wrong_type(&mut self, pointer: &str, expected: &str, found: &Node) {
        self.spoil(pointer);
        self.add(Problem::new(
            pointer,
            Rule::WrongType,
            format!("expected {expected}, found {} ({})", found.kind(), found.excerpt()),
        ));
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

    /// All problems; columns with more bad cells than are listed end with their number.
    pub fn finish(self) -> Vec<Problem> {
        let mut list = self.list;
        for ((column, rule), count) in self.per_column {
            if count > LISTED_CELLS {
                let more = count - LISTED_CELLS;
                list.push(Problem::new(column, rule, format!("{more} more cells of this column break this rule")));
            }
        }
        list
    }
}

/// A single value of a record.
pub trait Scalar: Default {
    /// Takes the value out of its JSON form.
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self;
    /// The JSON form; `None` when there is no value.
    fn encode(&self) -> Option<Node>;
    /// The row this points to, for references.
    fn target(&self) -> Option<i64> {
        None
    }
}

impl Scalar for Option<String> {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self {
        match node {
            Node::Text(text) => {
                if let Kind::Word(words) = spec.kind
                    && !words.contains(&text.as_str())
                {
                    problems.spoil(pointer);
                    let text =
                        format!("{:?} is none of {}", text.chars().take(40).collect::<String>(), words.join(", "));
                    problems.add(Problem::new(pointer, Rule::UnknownWord, text));
                    return None;
                }
                Some(text)
            }
            other => {
                problems.wrong_type(pointer, "a string", &other);
                None
            }
        }
    }

    fn encode(&self) -> Option<Node> {
        self.clone().map(Node::Text)
    }
}

impl Scalar for Option<i64> {
    fn decode(node: Node, pointer: &str, spec: &FieldSpec, problems: &mut Problems) -> Self {
        match node {
            Node::Int(value) if value < 0 && spec.kind != Kind::SignedNs => {
                problems.spoil(pointer);
                let text = format!("{value} is below zero; {} cannot be", spec.kind.noun());
                problems.add(Problem::new(pointer, Rule::Negative, text));
                None
            }
            Node::Int(value) => Some(value),
            Node::Float(value) if value.fract() == 0.0 => {
                problems.spoil(pointer);
                let text = format!("{value:e} does not fit in 64 bits with sign");
                problems.add(Problem::new(pointer, Rule::Overflow, text));
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
}

impl Scalar for Option<Vec<String>> {
    fn decode(node: Node, pointer: &str, _spec: &FieldSpec, problems: &mut Problems) -> Self {
        let cells = match node {
            Node::List(cells) => cells,
            Node::Ints(cells) if cells.is_empty() => Vec::new(),
            other => {
                problems.wrong_type(pointer, "an array of strings", &other);
                return None;
            }
        };
        let mut texts = Vec::with_capacity(cells.len());
        for (i, cell) in cells.into_iter().enumerate() {
            match cell {
                Node::Text(text) => texts.push(text),
                other => problems.wrong_type(&format!("{pointer}/{i}"), "a string", &other),
            }
        }
        Some(texts)
    }

    fn encode(&self) -> Option<Node> {
        self.as_ref().map(|texts| Node::List(texts.iter().cloned().map(Node::Text).collect()))
    }
}

/// A table or record seen without its type: what validation, the schema and exports walk over.
pub enum PartView<'a> {
    /// Columns of equal length.
    Table {
        /// Where the table stands.
        pointer: &'static str,
        /// Whether the bundle holds it.
        given: bool,
        /// What its being away asks for.
        null: Null,
        /// Its columns: specification and content.
        columns: Vec<(FieldSpec, &'a dyn crate::column::Column)>,
        /// Its labels.
        labels: &'a Labels,
        /// Number of rows.
        rows: usize,
    },
    /// Single values.
    Record {
        /// Where the record stands.
        pointer: &'static str,
        /// Whether the bundle holds it.
        given: bool,
        /// What its being away asks for.
        null: Null,
        /// Its fields: specification, whether there is a value, and the row that a reference points to.
        fields: Vec<(FieldSpec, bool, Option<i64>)>,
        /// Its labels.
        labels: &'a Labels,
    },
}

/// Decodes the `labels` object of the part at `pointer`.
pub(crate) fn decode_labels(object: &mut Object, pointer: &str, problems: &mut Problems) -> Labels {
    let mut labels = Labels::default();
    let pointer = format!("{pointer}/labels");
    let fields = match take(object, "labels") {
        None => return labels,
        Some(Node::Object(fields)) => fields,
        Some(other) => {
            problems.wrong_type(&pointer, "an object of labels", &other);
            return labels;
        }
    };
    for (name, node) in fields {
        let at = format!("{pointer}/{name}");
        match node {
            Node::Text(text) => {
                if let Some(label) = decode_label(&text, &at, problems) {
                    if name == "*" {
                        labels.all = Some(label);
                    } else {
                        labels.columns.push((name, ColumnLabel::All(label)));
                    }
                }
            }
            Node::Object(mut per_row) => {
                let values: Vec<Label> = match take(&mut per_row, "values") {
                    Some(Node::List(values)) => values
                        .into_iter()
                        .enumerate()
                        .filter_map(|(i, value)| match value {
                            Node::Text(text) => decode_label(&text, &format!("{at}/values/{i}"), problems),
                            other => {
                                problems.wrong_type(&format!("{at}/values/{i}"), "a label", &other);
                                None
                            }
                        })
                        .collect(),
                    other => {
                        problems.wrong_type(
                            &format!("{at}/values"),
                            "an array of labels",
                            &other.unwrap_or(Node::Null),
                        );
                        continue;
                    }
                };
                let rows: Vec<u32> = match take(&mut per_row, "rows") {
                    Some(Node::Ints(rows)) => {
                        rows.into_iter().map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect()
                    }
                    other => {
                        problems.wrong_type(
                            &format!("{at}/rows"),
                            "an array of integers",
                            &other.unwrap_or(Node::Null),
                        );
                        continue;
                    }
                };
                if let Some(row) = rows.iter().position(|index| *index as usize >= values.len()) {
                    let text = format!("row {row} points past the {} labels", values.len());
                    problems.add(Problem::new(format!("{at}/rows/{row}"), Rule::DanglingReference, text));
                }
                labels.columns.push((name, ColumnLabel::PerRow { values, rows }));
            }
            other => problems.wrong_type(&at, "a label", &other),
        }
    }
    labels
}

fn decode_label(text: &str, pointer: &str, problems: &mut Problems) -> Option<Label> {
    let label = Label::parse(text);
    if label.is_none() {
        let text = format!(
            "{:?} is none of measured, reported, read, derived, inferred, estimated",
            text.chars().take(40).collect::<String>()
        );
        problems.add(Problem::new(pointer, Rule::UnknownLabel, text));
    }
    label
}

/// The JSON form of `labels`, or `None` when there are none.
pub(crate) fn encode_labels(labels: &Labels) -> Option<Node> {
    let mut fields: Object = Vec::new();
    if let Some(label) = &labels.all {
        fields.push(("*".to_owned(), Node::Text(label.to_string())));
    }
    for (name, label) in &labels.columns {
        let node = match label {
            ColumnLabel::All(label) => Node::Text(label.to_string()),
            ColumnLabel::PerRow { values, rows } => Node::Object(vec![
                ("values".to_owned(), Node::List(values.iter().map(|label| Node::Text(label.to_string())).collect())),
                ("rows".to_owned(), Node::Ints(rows.iter().map(|row| i64::from(*row)).collect())),
            ]),
        };
        fields.push((name.clone(), node));
    }
    (!fields.is_empty()).then_some(Node::Object(fields))
}

/// Takes the object at `pointer`, or reports what stands there instead.
pub(crate) fn expect_object(node: Node, pointer: &str, problems: &mut Problems) -> Option<Object> {
    match node {
        Node::Object(object) => Some(object),
        other => {
            problems.wrong_type(pointer, "an object", &other);
            None
        }
    }
}

/// Reports what is left of an object as unknown fields.
pub(crate) fn report_unknown(extra: &Object, pointer: &str, problems: &mut Problems) {
    for (name, node) in extra {
        problems.add(Problem::new(
            format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")),
            Rule::UnknownField,
            format!("this version does not know the field; it is kept as it is ({})", node.kind()),
        ));
    }
}

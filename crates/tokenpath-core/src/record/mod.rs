//! Field specifications: how fields and columns are declared, decoded and described.
//!
//! One declaration per field drives decoding, validation, the JSON Schema and the specification's tables, so that
//! they cannot drift apart.

mod labels;
mod scalar;

pub(crate) use labels::{decode_labels, encode_labels};
pub use scalar::Scalar;

use crate::column::Column;
use crate::json::{Node, Object, escape_short};
use crate::label::Labels;
use crate::problem::{Problem, Problems, Rule, counted};

/// What a field or a column's cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any string.
    Text,
    /// A string that may carry private content (prompt, tokens, paths, names of people or machines).
    Private,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A moment, as RFC 3339 in UTC.
    Moment,
    /// A SHA-256 digest in hexadecimal.
    Digest,
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
    /// For messages: that it cannot be below zero.
    pub fn never(self) -> &'static str {
        match self {
            Kind::Ns => "a time never is",
            Kind::Bytes => "a size never is",
            Kind::Sizes => "a size or an id never is",
            Kind::Ref(_) | Kind::Refs(_) => "a reference never is",
            _ => "a count never is",
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

/// A table or record as declared, without a run: what the schema and the specification walk over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartSpec {
    /// Where it stands in a bundle.
    pub pointer: &'static str,
    /// Whether it is a table, whose fields are columns.
    pub is_table: bool,
    /// What its being away asks for.
    pub null: Null,
    /// What it holds.
    pub doc: &'static [&'static str],
    /// Its fields or columns; the parts nested in a record follow it as specifications of their own.
    pub fields: &'static [FieldSpec],
}

/// A table or record seen without its type: what validation and exports walk over.
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
        columns: Vec<(FieldSpec, &'a dyn Column)>,
        /// Its labels.
        labels: &'a Labels,
        /// Fields this version does not know.
        extra: &'a Object,
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
        /// Fields this version does not know.
        extra: &'a Object,
    },
}

impl PartView<'_> {
    /// Where the part stands in a bundle.
    pub fn pointer(&self) -> &'static str {
        match self {
            PartView::Table { pointer, .. } | PartView::Record { pointer, .. } => pointer,
        }
    }
}

/// What to blank of a field or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// Nothing.
    Nothing,
    /// Every value.
    All,
    /// The empty lists of a column of lists.
    EmptyLists,
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
            format!("{pointer}/{}", escape_short(name)),
            Rule::UnknownField,
            format!("this version does not know the field; it is kept as it is ({})", node.described()),
        ));
    }
}

/// Reports columns that are there and empty although the table has rows.
pub(crate) fn report_empty(empty: &[&'static str], rows: usize, problems: &mut Problems) {
    if rows == 0 {
        return;
    }
    for pointer in empty {
        problems.spoil(pointer);
        problems.add(Problem::new(
            *pointer,
            Rule::RaggedTable,
            format!(
                "the column has no cells, the table {}; a column that is not known is left out",
                counted(rows, "row")
            ),
        ));
    }
}

//! The `labels` object of a table or record.

use super::FieldSpec;
use crate::json::{NULL, Node, Object, escape_short, quoted, take};
use crate::label::{ColumnLabel, Label, LabelKind, Labels};
use crate::problem::{Problem, Problems, Rule};

/// Decodes the `labels` object of the part at `pointer`, which has these fields or columns.
pub(crate) fn decode_labels(
    object: &mut Object,
    pointer: &str,
    specs: &[FieldSpec],
    per_row_allowed: bool,
    problems: &mut Problems,
) -> Labels {
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
        let at = format!("{pointer}/{}", escape_short(&name));
        if name != "*" && !specs.iter().any(|spec| spec.name == name) {
            let text = "the label of a field that this version does not know; it is kept as it is";
            problems.add(Problem::new(at, Rule::UnknownField, text));
            labels.extra.push((name, node));
            continue;
        }
        match node {
            Node::Text(text) => {
                let Some(label) = decode_label(&text, &at, problems) else { continue };
                if name == "*" {
                    labels.all = Some(label);
                } else {
                    labels.columns.push((name, ColumnLabel::All(label)));
                }
            }
            Node::Object(per_row) if per_row_allowed && name != "*" => {
                if let Some((label, extra)) = decode_per_row(per_row, &at, problems) {
                    if !extra.is_empty() {
                        labels.extra.push((name.clone(), Node::Object(extra)));
                    }
                    labels.columns.push((name, label));
                }
            }
            other => problems.wrong_type(&at, "a label", &other),
        }
    }
    labels
}

/// The label of a column whose rows differ, and the fields of its object that this version does not know.
fn decode_per_row(mut object: Object, at: &str, problems: &mut Problems) -> Option<(ColumnLabel, Object)> {
    let missing = ["values", "rows"].into_iter().find(|key| !object.iter().any(|(name, _)| name == key));
    if let Some(missing) = missing {
        let text =
            "labels that differ by row have values (the distinct labels) and rows (for each row an index in values)";
        problems.add(Problem::new(format!("{at}/{missing}"), Rule::MissingField, text));
        return None;
    }
    let values_at = format!("{at}/values");
    let mut values = Vec::new();
    match take(&mut object, "values").unwrap_or(Node::Null).into_items() {
        Ok(items) => {
            for (i, item) in items.enumerate() {
                let at = format!("{values_at}/{i}");
                match item {
                    Node::Text(text) => values.push(decode_label(&text, &at, problems)?),
                    other => {
                        problems.wrong_type(&at, "a label", &other);
                        return None;
                    }
                }
            }
        }
        Err(other) => {
            problems.wrong_type(&values_at, "an array of labels", &other);
            return None;
        }
    }
    let rows_at = format!("{at}/rows");
    let rows = match take(&mut object, "rows").unwrap_or(Node::Null) {
        Node::Ints(rows) => rows,
        other => {
            problems.wrong_type(&rows_at, "an array of integers", &other);
            return None;
        }
    };
    super::report_unknown(&object, at, problems);
    let mut indices = Vec::with_capacity(rows.len());
    for (row, index) in rows.iter().enumerate() {
        let within = u32::try_from(*index).ok().filter(|index| (*index as usize) < values.len());
        if within.is_none() {
            problems.cell(&rows_at, row, Rule::DanglingReference, || {
                let index = if *index == NULL { "null".to_owned() } else { index.to_string() };
                format!("{index} is no index of the {} labels in values", values.len())
            });
        }
        indices.push(within?);
    }
    Some((ColumnLabel::PerRow { values, rows: indices }, object))
}

fn decode_label(text: &str, pointer: &str, problems: &mut Problems) -> Option<Label> {
    let label = Label::parse(text);
    let Some(label) = label else {
        let kinds = LabelKind::ALL.map(LabelKind::word).join(", ");
        let text = format!("{} is no label; it begins with none of {kinds}", quoted(text));
        problems.add(Problem::new(pointer, Rule::UnknownLabel, text));
        return None;
    };
    if let Some(what) = label.kind.must_name()
        && label.detail.is_empty()
    {
        let word = label.kind.word();
        let text = format!("a value that is {word} names its {what}, as in \"{word}:NAME\"");
        problems.add(Problem::new(pointer, Rule::UnknownLabel, text));
        return None;
    }
    Some(label)
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
            ColumnLabel::PerRow { values, rows } => {
                let mut object = vec![
                    ("values".to_owned(), Node::Texts(values.iter().map(|label| Some(label.to_string())).collect())),
                    ("rows".to_owned(), Node::Ints(rows.iter().map(|row| i64::from(*row)).collect())),
                ];
                if let Some((_, Node::Object(extra))) = labels.extra.iter().find(|(known, _)| known == name) {
                    object.extend(extra.iter().cloned());
                }
                Node::Object(object)
            }
        };
        fields.push((name.clone(), node));
    }
    let named = |name: &str| labels.columns.iter().any(|(known, _)| known == name);
    fields.extend(labels.extra.iter().filter(|(name, _)| !named(name)).cloned());
    (!fields.is_empty()).then_some(Node::Object(fields))
}

//! The tables of `spec/02-bundle.md`, from the declarations that drive decoding: what the format holds, as Markdown.

use super::schema::sentence;
use crate::model::Run;
use crate::record::{FieldSpec, Kind, Null, PartSpec};

/// The line of `spec/02-bundle.md` after which the generated tables begin.
pub const REFERENCE_BEGINS: &str = "<!-- generated from the declarations: begin -->";

/// The line before which they end.
pub const REFERENCE_ENDS: &str = "<!-- generated from the declarations: end -->";

/// Every section, table and column with its type, unit, null rule and meaning, as Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    Run::declare(&mut |part| write_part(&part, &mut out));
    out
}

fn write_part(part: &PartSpec, out: &mut String) {
    let level = if part.pointer.matches('/').count() == 1 { "##" } else { "###" };
    let what = if part.is_table { "table" } else { "record" };
    out.push_str(&format!("{level} `{}`\n\n", part.pointer));
    out.push_str(&format!("A {what}; {}. {}\n\n", presence(part.null), sentence(part.doc)));
    if part.fields.is_empty() {
        return;
    }
    let heading = if part.is_table { "column" } else { "field" };
    out.push_str(&format!("| {heading} | holds | may be null | meaning |\n| --- | --- | --- | --- |\n"));
    for spec in part.fields {
        out.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            spec.name,
            holds(spec.kind),
            nullable(spec),
            // A bar ends a cell of the table.
            sentence(spec.doc).replace('|', "\\|"),
        ));
    }
    out.push('\n');
}

fn presence(null: Null) -> &'static str {
    match null {
        Null::Never => "always there",
        Null::Explained | Null::EndedBy(_) => "an absence entry says why when it is missing",
        Null::Free => "may be missing without a reason",
    }
}

fn holds(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Private => "text, private".to_owned(),
        Kind::Word(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        }
        Kind::Moment => "moment, RFC 3339 with `Z`".to_owned(),
        Kind::Digest => "64 hexadecimal digits".to_owned(),
        Kind::Ns => "ns".to_owned(),
        Kind::SignedNs => "ns, either sign".to_owned(),
        Kind::Bytes => "bytes".to_owned(),
        Kind::Count => "integer from 0".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Ref(table) => format!("row of `{table}`"),
        Kind::Refs(table) => format!("list of rows of `{table}`"),
        Kind::Sizes => "list of integers from 0".to_owned(),
        Kind::Texts => "list of texts".to_owned(),
    }
}

fn nullable(spec: &FieldSpec) -> String {
    match spec.null {
        Null::Never => "no".to_owned(),
        Null::Explained => "with an absence entry".to_owned(),
        Null::EndedBy(end) => format!("with `{end}`, or an absence entry"),
        Null::Free => "yes".to_owned(),
    }
}

//! The JSON Schema of bundles (draft 2020-12), from the declarations that drive decoding.
//!
//! Every valid bundle satisfies it. The reverse does not hold: a schema cannot follow a reference, compare two
//! columns or look a null up in the absence list; [`super::validate`] does.
//!
//! It has two layers. What every bundle satisfies allows null in every field. What a bundle that nothing was set
//! aside from satisfies besides (`$defs/complete`) says what may not be missing.

use crate::absence::ReasonCode;
use crate::json::Node;
use crate::label::LabelKind;
use crate::model::{RESERVED_SECTION, Run, SECTIONS};
use crate::record::{FieldSpec, Kind, Null, PartSpec};

use super::{MARK, VERSION};

/// The schema as a JSON document, indented, with a line end.
pub fn schema() -> String {
    let mut out = String::new();
    indented(&document(), 0, &mut out);
    out.push('\n');
    out
}

/// A value fits on one line up to this column.
const LINE: usize = 120;

/// Appends a value: on one line where it fits, else one item or field a line.
fn indented(node: &Node, depth: usize, out: &mut String) {
    let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    let short = inline(node);
    let pad = |depth| format!("\n{}", "  ".repeat(depth));
    match node {
        _ if column + short.len() <= LINE => out.push_str(&short),
        Node::Object(fields) => {
            for (i, (key, value)) in fields.iter().enumerate() {
                out.push_str(if i == 0 { "{" } else { "," });
                out.push_str(&format!("{}{}: ", pad(depth + 1), inline(&text(key))));
                indented(value, depth + 1, out);
            }
            out.push_str(&format!("{}}}", pad(depth)));
        }
        Node::List(items) => {
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "[" } else { "," });
                out.push_str(&pad(depth + 1));
                indented(item, depth + 1, out);
            }
            out.push_str(&format!("{}]", pad(depth)));
        }
        // A string or a list of strings does not get shorter by breaking it.
        _ => out.push_str(&short),
    }
}

fn inline(node: &Node) -> String {
    match node {
        Node::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", inline(&text(key)), inline(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Node::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Node::Texts(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(&item.map_or(Node::Null, text))).collect();
            format!("[{}]", items.join(", "))
        }
        other => String::from_utf8(crate::json::write(other)).unwrap_or_default(),
    }
}

fn document() -> Node {
    let mut parts = Vec::new();
    Run::declare(&mut |part| parts.push(part));
    let mut properties = vec![(
        MARK.to_owned(),
        object([("const", Node::Int(VERSION)), ("description", text("The version of the format."))]),
    )];
    let mut complete = Vec::new();
    for section in SECTIONS {
        let pointer = format!("/{section}");
        if let Some(part) = parts.iter().find(|part| part.pointer == pointer) {
            properties.push((section.to_owned(), shape(part, &parts)));
            complete.extend(rules_for(part, &parts).map(|rules| (section.to_owned(), rules)));
        }
    }
    let reserved = "A section that a later version defines; until then an absence entry says why there is none.";
    properties.push((RESERVED_SECTION.to_owned(), object([("description", text(reserved))])));
    properties.push(("absent".to_owned(), absent()));
    let required = parts.iter().filter(|part| part.null == Null::Never && is_section(part)).map(name_of);
    let set_aside = object([("properties", object([("code", object([("const", text("set_aside"))]))]))]);
    let with_set_aside = object([
        ("required", texts(["absent"])),
        ("properties", object([("absent", object([("type", text("array")), ("contains", set_aside)]))])),
    ]);
    object([
        ("$schema", text("https://json-schema.org/draft/2020-12/schema")),
        ("$id", text(&format!("urn:tokenpath:bundle:{VERSION}"))),
        ("title", text("Tokenpath run bundle")),
        (
            "description",
            text(
                "One recorded run of an LLM inference. Generated from the reader's own declarations; spec/02-bundle.md says \
                 what each field means and which rules a schema cannot express.",
            ),
        ),
        ("type", text("object")),
        ("required", texts([MARK])),
        ("properties", Node::Object(properties)),
        ("if", with_set_aside),
        ("else", object([("$ref", text("#/$defs/complete"))])),
        (
            "$defs",
            object([
                ("label", label()),
                ("columnLabel", column_label()),
                ("filled", object([("items", object([("not", null())]))])),
                (
                    "complete",
                    object([
                        ("description", text("What may not be missing, unless a reader has set something aside.")),
                        ("required", Node::Texts(required.map(Some).collect())),
                        ("properties", Node::Object(complete)),
                    ]),
                ),
            ]),
        ),
    ])
}

/// Types and ranges of one table or record and of what is nested in it.
fn shape(part: &PartSpec, parts: &[PartSpec]) -> Node {
    let label = if part.is_table { "columnLabel" } else { "label" };
    let names: Vec<&str> = part.fields.iter().map(|spec| spec.name).collect();
    let named = vec![(format!("^({})$", names.join("|")), reference(label))];
    let labels = object([
        ("type", text("object")),
        ("properties", object([("*", reference("label"))])),
        ("patternProperties", Node::Object(named)),
    ]);
    let mut properties = vec![("labels".to_owned(), labels)];
    for spec in part.fields {
        properties.push((spec.name.to_owned(), field(spec, part.is_table)));
    }
    for nested in children(part, parts) {
        properties.push((name_of(nested).to_owned(), shape(nested, parts)));
    }
    object([
        ("description", text(&sentence(part.doc))),
        ("type", texts(["object", "null"])),
        ("properties", Node::Object(properties)),
    ])
}

/// What may not be missing in one table or record and in what is nested in it; `None` when everything may.
///
/// Null is an object that is not there: the rules for one that is say nothing about null.
fn completeness(part: &PartSpec, parts: &[PartSpec]) -> Option<Node> {
    let never = part.fields.iter().filter(|spec| spec.null == Null::Never).map(|spec| spec.name);
    if part.is_table {
        let columns: Vec<&str> = never.collect();
        let names: Vec<&str> = part.fields.iter().map(|spec| spec.name).collect();
        let any = format!("^({})$", names.join("|"));
        let filled = columns.iter().map(|name| ((*name).to_owned(), reference("filled"))).collect();
        return (!columns.is_empty()).then(|| {
            object([
                // A table without rows has no columns, or empty ones.
                (
                    "if",
                    object([("patternProperties", Node::Object(vec![(any, object([("maxItems", Node::Int(0))]))]))]),
                ),
                ("else", object([("required", texts(columns.iter().copied()))])),
                ("properties", Node::Object(filled)),
            ])
        });
    }
    let mut required: Vec<&str> = never.collect();
    let mut properties: Vec<(String, Node)> = required.iter().map(|name| ((*name).to_owned(), not_null())).collect();
    for nested in children(part, parts) {
        if nested.null == Null::Never {
            required.push(name_of(nested));
        }
        properties.extend(rules_for(nested, parts).map(|rules| (name_of(nested).to_owned(), rules)));
    }
    let mut rules = Vec::new();
    if !required.is_empty() {
        rules.push(("required".to_owned(), texts(required)));
    }
    if !properties.is_empty() {
        rules.push(("properties".to_owned(), Node::Object(properties)));
    }
    (!rules.is_empty()).then_some(Node::Object(rules))
}

/// The same, and that the part itself is no null where it may not be missing.
fn rules_for(part: &PartSpec, parts: &[PartSpec]) -> Option<Node> {
    match (part.null, completeness(part, parts)) {
        (Null::Never, Some(Node::Object(mut rules))) => {
            rules.insert(0, ("not".to_owned(), null()));
            Some(Node::Object(rules))
        }
        (Null::Never, _) => Some(not_null()),
        (_, rules) => rules,
    }
}

fn field(spec: &FieldSpec, is_column: bool) -> Node {
    let cell = cell(spec.kind);
    let mut out = vec![("description".to_owned(), text(&sentence(spec.doc)))];
    if is_column {
        out.push(("type".to_owned(), texts(["array", "null"])));
        out.push(("items".to_owned(), cell));
    } else if let Node::Object(cell) = cell {
        out.extend(cell);
    }
    if let Some(unit) = unit(spec.kind) {
        out.push(("x-unit".to_owned(), text(unit)));
    }
    match spec.kind {
        Kind::Ref(table) | Kind::Refs(table) => out.push(("x-refers-to".to_owned(), text(table))),
        Kind::Private => out.push(("x-private".to_owned(), Node::Bool(true))),
        _ => {}
    }
    if let Null::EndedBy(end) = spec.null {
        out.push(("x-ended-by".to_owned(), text(end)));
    }
    Node::Object(out)
}

/// One value or null.
fn cell(kind: Kind) -> Node {
    let integer = |from: i64, to: i64| {
        object([("type", texts(["integer", "null"])), ("minimum", Node::Int(from)), ("maximum", Node::Int(to))])
    };
    match kind {
        Kind::Text | Kind::Private => object([("type", texts(["string", "null"]))]),
        Kind::Word(words) => {
            let words = words.iter().copied().map(text).chain([Node::Null]);
            object([("enum", Node::List(words.collect()))])
        }
        Kind::Moment => object([
            ("type", texts(["string", "null"])),
            ("format", text("date-time")),
            ("pattern", text(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$")),
        ]),
        Kind::Digest => object([("type", texts(["string", "null"])), ("pattern", text("^[0-9a-fA-F]{64}$"))]),
        Kind::Ns | Kind::Bytes | Kind::Count => integer(0, i64::MAX),
        Kind::SignedNs => integer(-i64::MAX, i64::MAX),
        Kind::Flag => object([("type", texts(["boolean", "null"]))]),
        Kind::Ref(_) => integer(0, i64::from(u32::MAX) - 1),
        Kind::Refs(_) => list(i64::from(u32::MAX) - 1),
        Kind::Sizes => list(i64::MAX),
        Kind::Texts => object([("type", texts(["array", "null"])), ("items", object([("type", text("string"))]))]),
    }
}

fn list(largest: i64) -> Node {
    let item = object([("type", text("integer")), ("minimum", Node::Int(0)), ("maximum", Node::Int(largest))]);
    object([("type", texts(["array", "null"])), ("items", item)])
}

fn unit(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Ns | Kind::SignedNs => Some("ns"),
        Kind::Bytes => Some("bytes"),
        _ => None,
    }
}

fn absent() -> Node {
    let filled = object([("type", text("string")), ("minLength", Node::Int(1))]);
    let pointer = object([("type", text("string")), ("pattern", text("^(/([^/~]|~[01])*)+$"))]);
    let entry = object([
        ("type", text("object")),
        ("required", texts(["pointer", "code", "reason"])),
        (
            "properties",
            object([
                ("pointer", pointer),
                ("code", object([("enum", texts(ReasonCode::ALL.map(|(_, word)| word)))])),
                ("reason", filled),
            ]),
        ),
    ]);
    object([
        ("description", text("What this run could not measure, and why.")),
        ("type", texts(["array", "null"])),
        ("items", entry),
    ])
}

fn label() -> Node {
    let kinds = |must_name: bool| {
        let kinds = LabelKind::ALL.into_iter().filter(|kind| kind.must_name().is_some() == must_name);
        kinds.map(LabelKind::word).collect::<Vec<_>>().join("|")
    };
    let pattern = format!(r"^(({})(:[\s\S]+)|({})(:[\s\S]*)?)$", kinds(true), kinds(false));
    object([
        ("description", text("Where a value comes from: one of six kinds, and which clock, rule, formula or source.")),
        ("type", text("string")),
        ("pattern", Node::Text(pattern)),
    ])
}

fn column_label() -> Node {
    let index = object([("type", text("integer")), ("minimum", Node::Int(0))]);
    let per_row = object([
        ("type", text("object")),
        ("required", texts(["values", "rows"])),
        (
            "properties",
            object([
                ("values", object([("type", text("array")), ("items", reference("label"))])),
                ("rows", object([("type", text("array")), ("items", index)])),
            ]),
        ),
    ]);
    object([
        ("description", text("One label for all rows; or the distinct labels, and for each row an index into them.")),
        ("oneOf", Node::List(vec![reference("label"), per_row])),
    ])
}

fn children<'a>(part: &PartSpec, parts: &'a [PartSpec]) -> Vec<&'a PartSpec> {
    parts
        .iter()
        .filter(|other| other.pointer.rsplit_once('/').is_some_and(|(above, _)| above == part.pointer))
        .collect()
}

fn is_section(part: &PartSpec) -> bool {
    part.pointer.matches('/').count() == 1
}

fn name_of(part: &PartSpec) -> &'static str {
    part.pointer.rsplit('/').next().unwrap_or("")
}

/// Documentation as one text.
pub(super) fn sentence(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn null() -> Node {
    object([("type", text("null"))])
}

fn not_null() -> Node {
    object([("not", null())])
}

fn reference(name: &str) -> Node {
    object([("$ref", Node::Text(format!("#/$defs/{name}")))])
}

fn object<const N: usize>(fields: [(&str, Node); N]) -> Node {
    Node::Object(fields.into_iter().map(|(name, node)| (name.to_owned(), node)).collect())
}

fn text(text: &str) -> Node {
    Node::Text(text.to_owned())
}

fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> Node {
    Node::Texts(items.into_iter().map(Some).collect())
}

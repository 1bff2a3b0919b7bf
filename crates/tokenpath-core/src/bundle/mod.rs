//! The bundle format: bytes to a run and back.
//!
//! `spec/` states the format normatively; [`crate::model`] declares its fields, this module the document around them.

mod aside;
mod gzip;
mod redact;
mod reference;
mod schema;
mod upgrade;
mod validate;

use crate::absence::{Absence, ReasonCode};
use crate::column::unknown_word;
use crate::json::{self, JsonError, Node, Object, take};
use crate::model::{Graph, Identity, Kernels, Passes, Request, Run, SECTIONS, Timeline, Traversal, Weights};
use crate::problem::{Problem, Problems, Rule, counted, mismatch};
use crate::record::report_unknown;

pub use gzip::{MAX_INFLATED, inflate, is_gzip};
pub use redact::{Removed, redact};
pub use reference::{REFERENCE_BEGINS, REFERENCE_ENDS, reference};
pub use schema::schema;
pub use validate::validate;

/// The bundle version this crate writes; it reads this one and every earlier one.
pub const VERSION: i64 = 1;

/// The key that makes a JSON object a bundle; its value is the version.
pub const MARK: &str = "tokenpath";

/// A bundle that cannot be opened at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The document is not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] JsonError),
    /// The document begins as a packed one does, and is none.
    #[error(transparent)]
    Packed(#[from] json::PackError),
    /// The gzip stream is broken.
    #[error("the gzip stream is broken after {inflated} bytes of document: {message}")]
    Gzip {
        /// Bytes inflated before the fault.
        inflated: u64,
        /// What the decoder says.
        message: String,
    },
    /// The document, inflated if it is compressed, is larger than a reader takes.
    #[error("the document has more than {limit} bytes, the most this reader takes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The document holds nothing but white space.
    #[error("the document is empty{}", if *bytes == 0 { "" } else { ": it holds nothing but white space" })]
    Blank {
        /// The document's length in bytes.
        bytes: u64,
    },
    /// The document is JSON and no bundle.
    #[error("not a Tokenpath bundle: {found}")]
    NotABundle {
        /// What it is instead.
        found: String,
    },
    /// The bundle was written for a later version of the format.
    #[error("the bundle is of version {found} of the format; the newest that this reader knows is {known}")]
    NewerVersion {
        /// The bundle's version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
}

/// An opened bundle.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The run, without the sections that were set aside.
    pub run: Run,
    /// What is wrong with the bundle; empty when it satisfies the specification.
    pub problems: Vec<Problem>,
    /// The sections that were set aside because they have errors.
    pub set_aside: Vec<&'static str>,
}

impl Opened {
    /// The problems that are errors (unknown fields are notices).
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| !problem.rule.is_notice())
    }

    /// The errors of one section.
    pub fn errors_of<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a Problem> {
        self.errors().filter(move |problem| problem.section() == section)
    }
}

/// Reads a bundle: JSON, plain or gzip, or packed.
///
/// # Errors
/// When nothing can be shown: not JSON, a broken gzip stream, more than [`MAX_INFLATED`] bytes of document, no bundle,
/// a newer version. Every other fault is a problem beside the run, and the section it lies in is set aside.
pub fn read(bytes: &[u8]) -> Result<Opened, ReadError> {
    if is_gzip(bytes) {
        return read_json(&inflate(bytes, MAX_INFLATED)?);
    }
    if bytes.len() as u64 > MAX_INFLATED {
        return Err(ReadError::TooLarge { limit: MAX_INFLATED });
    }
    if bytes.starts_with(json::PACKED) {
        return read_node(json::unpack(bytes)?, &json::Repeated::default());
    }
    read_json(bytes)
}

fn read_json(bytes: &[u8]) -> Result<Opened, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Blank { bytes: bytes.len() as u64 });
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(ReadError::NotABundle { found: "the document is UTF-16 text; a bundle is UTF-8".to_owned() });
    }
    let (node, repeated) = json::parse(bytes)?;
    read_node(node, &repeated)
}

fn read_node(node: Node, repeated: &json::Repeated) -> Result<Opened, ReadError> {
    let mut document = match node {
        Node::Object(document) => document,
        other => return Err(ReadError::NotABundle { found: format!("the document is {}", other.described()) }),
    };
    let version = version(&mut document)?;
    if version > VERSION {
        return Err(ReadError::NewerVersion { found: version, known: VERSION });
    }
    let document = upgrade::to_current(document, version);
    let mut problems = Problems::default();
    for pointer in &repeated.pointers {
        let text = "the key stands more than once in its object; the first value is kept";
        problems.add(Problem::new(pointer.clone(), Rule::DuplicateKey, text));
    }
    if let Some(more) = repeated.count.checked_sub(repeated.pointers.len()).filter(|more| *more > 0) {
        let text = format!("keys stand more than once in their object {} besides", counted(more, "time"));
        problems.add(Problem::new("", Rule::DuplicateKey, text));
    }
    let (mut run, entries) = decode(document, &mut problems);
    let (mut findings, problems) = validate::check(&run, problems, &entries);
    let mut emptied = Vec::new();
    let mut met = problems.clone();
    // Setting one section aside can cost another what it leant on; each round empties at least one more.
    for _ in 0..=SECTIONS.len() {
        if findings.is_clean() {
            break;
        }
        emptied.extend(aside::set_aside(&mut run, &findings, &met));
        (findings, met) = validate::check(&run, Problems::default(), &[]);
    }
    let set_aside = SECTIONS.into_iter().filter(|section| emptied.contains(section)).collect();
    Ok(Opened { run, problems, set_aside })
}

/// Takes the version out of the document.
fn version(document: &mut Object) -> Result<i64, ReadError> {
    let found = match take(document, MARK) {
        Some(Node::Int(version)) if version >= 1 => return Ok(version),
        Some(other) => format!("its version should be a whole number from 1, found {}", other.described()),
        None if document.is_empty() => "the object is empty".to_owned(),
        None => {
            let keys: Vec<String> = document.iter().take(4).map(|(key, _)| json::quoted(key)).collect();
            format!("it has no key {MARK:?}; its first keys are {}", keys.join(", "))
        }
    };
    Err(ReadError::NotABundle { found })
}

/// The run, and where in the document each entry of its absence list stands.
fn decode(mut document: Object, problems: &mut Problems) -> (Run, Vec<usize>) {
    let mut run = Run::default();
    let mut section = |name: &str| take(&mut document, name).filter(|node| *node != Node::Null);
    if let Some(node) = section("identity") {
        run.identity = Identity::decode(node, problems);
    }
    if let Some(node) = section("request") {
        run.request = Request::decode(node, problems);
    }
    if let Some(node) = section("passes") {
        run.passes = Passes::decode(node, problems);
    }
    if let Some(node) = section("model") {
        run.model = Weights::decode(node, problems);
    }
    if let Some(node) = section("graph") {
        run.graph = Graph::decode(node, problems);
    }
    if let Some(node) = section("kernels") {
        run.kernels = Kernels::decode(node, problems);
    }
    if let Some(node) = section("timeline") {
        run.timeline = Timeline::decode(node, problems);
    }
    if let Some(node) = section("traversal") {
        run.traversal = Traversal::decode(node, problems);
    }
    let mut entries = Vec::new();
    if let Some(node) = section("absent") {
        (run.absent, entries) = decode_absent(node, problems);
    }
    report_unknown(&document, "", problems);
    run.extra = document;
    (run, entries)
}

fn decode_absent(node: Node, problems: &mut Problems) -> (Vec<Absence>, Vec<usize>) {
    let entries = match node.into_items() {
        Ok(entries) => entries,
        Err(other) => {
            problems.wrong_type("/absent", "an array of absence entries", &other);
            return (Vec::new(), Vec::new());
        }
    };
    let mut absent = Vec::new();
    let mut places = Vec::new();
    for (i, entry) in entries.enumerate() {
        let at = format!("/absent/{i}");
        let Node::Object(mut object) = entry else {
            let text = mismatch("an object", &entry);
            problems.add(Problem::new(at, Rule::WrongType, text));
            continue;
        };
        let mut text = |field: &str| {
            let fault = match take(&mut object, field) {
                Some(Node::Text(text)) if text.is_empty() => (Rule::MissingField, "the text is empty".to_owned()),
                Some(Node::Text(text)) => return Some(text),
                Some(other) => (Rule::WrongType, mismatch("a string", &other)),
                None => (Rule::MissingField, "an absence entry has pointer, code and reason".to_owned()),
            };
            problems.add(Problem::new(format!("{at}/{field}"), fault.0, fault.1));
            None
        };
        let (pointer, code, reason) = (text("pointer"), text("code"), text("reason"));
        report_unknown(&object, &at, problems);
        let known = code.as_deref().and_then(ReasonCode::from_word);
        if let (Some(code), None) = (&code, known) {
            let words = ReasonCode::ALL.map(|(_, word)| word);
            problems.add(Problem::new(format!("{at}/code"), Rule::UnknownWord, unknown_word(code, &words)));
        }
        // The reason stands even if its kind cannot be told; a place without any would be one more error.
        if let Some(pointer) = pointer {
            let reason =
                reason.unwrap_or_else(|| "The bundle's entry for this place gives no usable reason.".to_owned());
            absent.push(Absence { pointer, code: known.unwrap_or(ReasonCode::Undecided), reason, extra: object });
            places.push(i);
        }
    }
    (absent, places)
}

/// The run as a bundle of the current version: compact JSON.
pub fn write(run: &Run) -> Vec<u8> {
    json::write(&document(run))
}

/// The same in the packed form, which [`read`] takes too: for handing a run on, not for keeping it. It comes in many small
/// writes.
///
/// # Errors
/// When `out` fails.
pub fn write_packed(run: &Run, out: impl std::io::Write) -> std::io::Result<()> {
    json::pack(&document(run), out)
}

fn document(run: &Run) -> Node {
    let mut document: Object = vec![(MARK.to_owned(), Node::Int(VERSION))];
    let mut section = |name: &str, node: Option<Node>| {
        if let Some(node) = node {
            document.push((name.to_owned(), node));
        }
    };
    section("identity", run.identity.encode());
    section("request", run.request.encode());
    section("passes", run.passes.encode());
    section("model", run.model.encode());
    section("graph", run.graph.encode());
    section("kernels", run.kernels.encode());
    section("timeline", run.timeline.encode());
    section("traversal", run.traversal.encode());
    let absent = run
        .absent
        .iter()
        .map(|absence| {
            let mut entry = vec![
                ("pointer".to_owned(), Node::Text(absence.pointer.clone())),
                ("code".to_owned(), Node::Text(absence.code.word().to_owned())),
                ("reason".to_owned(), Node::Text(absence.reason.clone())),
            ];
            entry.extend(absence.extra.iter().cloned());
            Node::Object(entry)
        })
        .collect();
    section("absent", Some(Node::List(absent)));
    document.extend(run.extra.iter().cloned());
    Node::Object(document)
}

/// The run as a gzip-compressed bundle. Equal runs give equal bytes.
pub fn write_gzip(run: &Run) -> Vec<u8> {
    gzip::deflate(&write(run))
}

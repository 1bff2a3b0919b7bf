//! The bundle format: bytes to a run and back.
//!
//! `spec/` states the format normatively; [`crate::model`] declares its fields, this module the document around them.

mod gzip;
mod upgrade;
mod validate;

use crate::absence::{Absence, ReasonCode};
use crate::json::{self, JsonError, Node, Object, take};
use crate::model::{Graph, Identity, Kernels, Passes, Request, Run, SECTIONS, Timeline, Traversal, Weights};
use crate::problem::{Problem, Rule};
use crate::record::{Problems, expect_object, report_unknown};

pub use gzip::{MAX_INFLATED, inflate, is_gzip};
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
    /// The gzip stream is broken.
    #[error("the gzip stream is broken after {inflated} inflated bytes: {message}")]
    Gzip {
        /// Bytes inflated before the fault.
        inflated: u64,
        /// What the decoder says.
        message: String,
    },
    /// The inflated document is larger than [`MAX_INFLATED`].
    #[error("the gzip stream inflates to more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The document holds nothing but white space.
    #[error("the document holds no JSON value, only {bytes} bytes of white space")]
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
    #[error("the bundle has version {found}; this reader knows versions 1 to {known}")]
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

/// Reads a bundle, plain or gzip.
///
/// # Errors
/// When nothing can be shown: not JSON, a broken or oversized gzip stream, no bundle, a newer version. Every other
/// fault is a problem beside the run, and the section it lies in is set aside.
pub fn read(bytes: &[u8]) -> Result<Opened, ReadError> {
    if is_gzip(bytes) {
        return read_json(&inflate(bytes, MAX_INFLATED)?);
    }
    read_json(bytes)
}

fn read_json(bytes: &[u8]) -> Result<Opened, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ReadError::Blank { bytes: bytes.len() as u64 });
    }
    let (node, repeated) = json::parse(bytes)?;
    let mut document = match node {
        Node::Object(document) => document,
        other => return Err(ReadError::NotABundle { found: format!("the document is {}", other.kind()) }),
    };
    let version = match take(&mut document, MARK) {
        Some(Node::Int(version)) if version >= 1 => version,
        Some(other) => {
            return Err(ReadError::NotABundle {
                found: format!("its version should be a whole number from 1, found {}", other.excerpt()),
            });
        }
        None => {
            let keys: Vec<String> = document.iter().take(4).map(|(key, _)| format!("{key:?}")).collect();
            let found = if keys.is_empty() {
                "the object is empty".to_owned()
            } else {
                format!("its first keys are {}", keys.join(", "))
            };
            return Err(ReadError::NotABundle { found: format!("{found}; a bundle has the key {MARK:?}") });
        }
    };
    if version > VERSION {
        return Err(ReadError::NewerVersion { found: version, known: VERSION });
    }
    let document = upgrade::to_current(document, version);
    let mut problems = Problems::default();
    for pointer in repeated {
        problems.add(Problem::new(
            pointer,
            Rule::DuplicateKey,
            "the key stands twice in its object; the first value is kept",
        ));
    }
    let mut run = decode(document, &mut problems);
    let problems = validate::finish(&run, problems);
    let set_aside = set_aside(&mut run, &problems);
    Ok(Opened { run, problems, set_aside })
}

fn decode(mut document: Object, problems: &mut Problems) -> Run {
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
    if let Some(node) = section("absent") {
        run.absent = decode_absent(node, problems);
    }
    report_unknown(&document, "", problems);
    run.extra = document;
    run
}

fn decode_absent(node: Node, problems: &mut Problems) -> Vec<Absence> {
    let entries = match node {
        Node::List(entries) => entries,
        Node::Ints(entries) if entries.is_empty() => Vec::new(),
        other => {
            problems.wrong_type("/absent", "an array of absence entries", &other);
            return Vec::new();
        }
    };
    let mut absent = Vec::with_capacity(entries.len());
    for (i, entry) in entries.into_iter().enumerate() {
        let at = format!("/absent/{i}");
        let Some(mut object) = expect_object(entry, &at, problems) else { continue };
        let mut text = |field: &str| match take(&mut object, field) {
            Some(Node::Text(text)) => Some(text),
            Some(other) => {
                problems.wrong_type(&format!("{at}/{field}"), "a string", &other);
                None
            }
            None => {
                problems.add(Problem::new(
                    format!("{at}/{field}"),
                    Rule::MissingField,
                    "an absence entry has pointer, code and reason",
                ));
                None
            }
        };
        let (pointer, code, reason) = (text("pointer"), text("code"), text("reason"));
        let code = code.and_then(|word| {
            let code = ReasonCode::from_word(&word);
            if code.is_none() {
                let words: Vec<&str> = ReasonCode::ALL.iter().map(|(_, word)| *word).collect();
                let word: String = word.chars().take(40).collect();
                problems.add(Problem::new(
                    format!("{at}/code"),
                    Rule::UnknownWord,
                    format!("{word:?} is none of {}", words.join(", ")),
                ));
            }
            code
        });
        report_unknown(&object, &at, problems);
        if let (Some(pointer), Some(code), Some(reason)) = (pointer, code, reason) {
            absent.push(Absence { pointer, code, reason });
        }
    }
    absent
}

/// Empties the sections that have errors, and every column that refers into one of them.
fn set_aside(run: &mut Run, problems: &[Problem]) -> Vec<&'static str> {
    let mut aside: Vec<&'static str> = Vec::new();
    for section in SECTIONS {
        let errors =
            problems.iter().filter(|problem| !problem.rule.is_notice() && problem.section() == section).count();
        if errors == 0 {
            continue;
        }
        let tables = tables_of(run, section);
        match section {
            // Who ran what stays readable: a run without a name cannot be told from another.
            "identity" => continue,
            "request" => run.request = Request::default(),
            "passes" => run.passes = Passes::default(),
            "model" => run.model = Weights::default(),
            "graph" => run.graph = Graph::default(),
            "kernels" => run.kernels = Kernels::default(),
            "timeline" => run.timeline = Timeline::default(),
            _ => run.traversal = Traversal::default(),
        }
        aside.push(section);
        let pointer = format!("/{section}");
        let under = format!("{pointer}/");
        run.absent.retain(|absence| absence.pointer != pointer && !absence.pointer.starts_with(&under));
        let reason =
            format!("The section is set aside: it has {errors} {}.", if errors == 1 { "error" } else { "errors" });
        run.absent.push(Absence::new(pointer, ReasonCode::Lost, reason));
        for table in tables {
            for column in run.forget_references(table) {
                run.absent
                    .retain(|absence| absence.pointer != column && !absence.pointer.starts_with(&format!("{column}/")));
                let reason =
                    format!("The column refers to the section {section}, which is set aside because it has errors.");
                run.absent.push(Absence::new(column, ReasonCode::Lost, reason));
            }
        }
    }
    aside
}

fn tables_of(run: &Run, section: &str) -> Vec<&'static str> {
    let mut tables = Vec::new();
    run.visit(&mut |part| {
        if let crate::record::PartView::Table { pointer, .. } = part
            && pointer.split('/').nth(1) == Some(section)
        {
            tables.push(pointer);
        }
    });
    tables
}

impl Run {
    fn forget_references(&mut self, table: &str) -> Vec<&'static str> {
        let mut forgotten = self.identity.forget_references(table);
        forgotten.extend(self.request.forget_references(table));
        forgotten.extend(self.passes.forget_references(table));
        forgotten.extend(self.model.forget_references(table));
        forgotten.extend(self.graph.forget_references(table));
        forgotten.extend(self.kernels.forget_references(table));
        forgotten.extend(self.timeline.forget_references(table));
        forgotten.extend(self.traversal.forget_references(table));
        if table == "/passes/rows" {
            self.traversal.pass = None;
        }
        forgotten
    }
}

/// The run as a bundle of the current version: compact JSON.
pub fn write(run: &Run) -> Vec<u8> {
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
            Node::Object(vec![
                ("pointer".to_owned(), Node::Text(absence.pointer.clone())),
                ("code".to_owned(), Node::Text(absence.code.word().to_owned())),
                ("reason".to_owned(), Node::Text(absence.reason.clone())),
            ])
        })
        .collect();
    section("absent", Some(Node::List(absent)));
    document.extend(run.extra.iter().cloned());
    json::write(&Node::Object(document))
}

/// The run as a gzip-compressed bundle. Equal runs give equal bytes.
pub fn write_gzip(run: &Run) -> Vec<u8> {
    gzip::deflate(&write(run))
}

//! Removing private text: every field of the kind [`Kind::Private`](crate::record::Kind::Private), and no other.

use crate::absence::{Absence, ReasonCode};
use crate::column::Texts;
use crate::model::Run;

/// The reason that stands where a private text stood.
const REASON: &str = "Private text: it was removed before this was written.";

/// Private text that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The field or column.
    pub pointer: &'static str,
    /// How many values it held.
    pub values: usize,
}

/// Removes all private text; what stood where is said, and its absence has a reason.
pub fn redact(run: &mut Run) -> Vec<Removed> {
    let removed: Vec<Removed> = [
        ("/identity/scenario", field(&mut run.identity.scenario)),
        ("/identity/host/name", field(&mut run.identity.host.name)),
        ("/request/prompt", field(&mut run.request.prompt)),
        ("/request/chunks/text", column(&mut run.request.chunks.text)),
        ("/passes/rows/token_text", column(&mut run.passes.rows.token_text)),
    ]
    .into_iter()
    .filter(|(_, values)| *values > 0)
    .map(|(pointer, values)| Removed { pointer, values })
    .collect();
    for Removed { pointer, .. } in &removed {
        run.absent.retain(|absence| !absence.pointer.starts_with(pointer));
        run.absent.push(Absence::new(*pointer, ReasonCode::NotSupplied, REASON));
    }
    removed
}

fn field(text: &mut Option<String>) -> usize {
    usize::from(text.take().is_some())
}

fn column(texts: &mut Texts) -> usize {
    let values = texts.iter().flatten().count();
    if values > 0 {
        *texts = texts.iter().map(|_| None::<&str>).collect();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{read, schema, validate, write};
    use crate::json::{Node, parse};

    /// Every field that the schema marks as private, by pointer.
    fn private(node: &Node, pointer: &str, out: &mut Vec<String>) {
        let Node::Object(fields) = node else { return };
        if fields.iter().any(|(name, _)| name == "x-private") {
            out.push(pointer.to_owned());
        }
        for (name, inner) in fields {
            match (name.as_str(), inner) {
                ("properties", Node::Object(fields)) => {
                    fields.iter().for_each(|(name, inner)| private(inner, &format!("{pointer}/{name}"), out));
                }
                ("items", inner) => private(inner, pointer, out),
                _ => {}
            }
        }
    }

    #[test]
    fn every_private_field_is_removed_and_no_other() {
        const SECRET: &str = "ZETA-7 the prompt";
        let mut run = Run::default();
        run.identity.scenario = Some(SECRET.to_owned());
        run.identity.host.given = true;
        run.identity.host.name = Some(SECRET.to_owned());
        run.request.prompt = Some(SECRET.to_owned());
        run.request.chunks.text = [Some(SECRET), None, Some(SECRET)].into_iter().collect();
        run.passes.rows.token_text = [None, Some(SECRET)].into_iter().collect();
        let removed = redact(&mut run);
        let pointers: Vec<String> = removed.iter().map(|removed| removed.pointer.to_owned()).collect();
        assert_eq!(removed.iter().map(|removed| removed.values).collect::<Vec<_>>(), [1, 1, 1, 2, 1]);
        let (schema, _) = parse(schema().as_bytes()).unwrap();
        let mut known = Vec::new();
        private(&schema, "", &mut known);
        known.sort();
        let mut found = pointers.clone();
        found.sort();
        assert_eq!(found, known, "the schema's private fields");
        assert!(!String::from_utf8(write(&run)).unwrap().contains(SECRET));
        assert!(pointers.iter().all(|pointer| run.reason(pointer) == REASON));
        assert_eq!(redact(&mut run), [], "nothing is left");
    }

    #[test]
    fn a_capture_stays_valid() {
        let bytes = include_bytes!("../../../../fixtures/user-chat/run.json.gz");
        let mut run = read(bytes).unwrap().run;
        redact(&mut run);
        assert_eq!(validate(&run), []);
        assert_eq!(read(&write(&run)).unwrap().run, run);
    }
}

//! Making a variant, and saying what a reader makes of it.

use serde_json::Value;
use tokenpath_core::bundle::{Opened, read, validate, write};
use tokenpath_core::model::Run;
use tokenpath_core::record::PartSpec;

pub(crate) const MINIMAL: &str = include_str!("../../../../fixtures/minimal/run.json");

/// The minimal bundle as a tree.
pub(crate) fn minimal() -> Value {
    serde_json::from_str(MINIMAL).unwrap()
}

/// Every table and record of the format.
pub(crate) fn parts() -> Vec<PartSpec> {
    let mut parts = Vec::new();
    Run::declare(&mut |part| parts.push(part));
    parts
}

/// The minimal bundle with one place changed.
pub(crate) fn with(pointer: &str, value: impl Into<Value>) -> Value {
    let mut bundle = minimal();
    set(&mut bundle, pointer, value.into());
    bundle
}

/// Puts a value at a place, which may be new in its object.
pub(crate) fn set(bundle: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = bundle.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer} has no parent"));
    match parent {
        Value::Object(fields) => {
            fields.insert(key.to_owned(), value);
        }
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
        other => panic!("{pointer} lies in {other}"),
    }
}

/// One place changed: how, and what a reader makes of it.
pub(crate) fn changed(pointer: &str, value: impl Into<Value>) -> String {
    let value = value.into();
    let title = format!("{pointer} = {value}");
    format!("{title}\n{}", outcome(&with(pointer, value)))
}

/// The minimal bundle without one place.
pub(crate) fn without(pointer: &str) -> Value {
    let mut bundle = minimal();
    remove(&mut bundle, pointer);
    bundle
}

pub(crate) fn remove(bundle: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = bundle.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    assert!(parent.remove(key).is_some(), "{pointer} is not in the minimal bundle");
}

/// Adds an absence entry.
pub(crate) fn explain(bundle: &mut Value, pointer: &str) {
    let entry = serde_json::json!({"pointer": pointer, "code": "lost", "reason": "Lost."});
    bundle["absent"].as_array_mut().unwrap().push(entry);
}

/// What a reader makes of a variant, one line each; panics when the run it leaves is not usable.
pub(crate) fn outcome(bundle: &Value) -> String {
    outcome_of_bytes(&serde_json::to_vec(bundle).unwrap())
}

/// The same for bytes.
pub(crate) fn outcome_of_bytes(bytes: &[u8]) -> String {
    match read(bytes) {
        Err(error) => format!("  refused: {error}\n"),
        Ok(opened) => {
            assert_usable(&opened);
            let mut out: String = opened.problems.iter().map(|problem| format!("  {problem}\n")).collect();
            if opened.problems.is_empty() {
                out.push_str("  no problem\n");
            }
            if !opened.set_aside.is_empty() {
                out.push_str(&format!("  set aside: {}\n", opened.set_aside.join(", ")));
            }
            out
        }
    }
}

/// Whatever was wrong: what is left satisfies the specification, and writing it loses nothing.
pub(crate) fn assert_usable(opened: &Opened) {
    let left: Vec<String> =
        validate(&opened.run).iter().filter(|problem| !problem.rule.is_notice()).map(ToString::to_string).collect();
    assert_eq!(left, Vec::<String>::new(), "after setting aside {:?} for {:?}", opened.set_aside, opened.problems);
    let again = read(&write(&opened.run)).unwrap();
    assert_eq!(again.set_aside, Vec::<&str>::new(), "{:?}", again.problems);
    assert_eq!(again.run, opened.run);
}

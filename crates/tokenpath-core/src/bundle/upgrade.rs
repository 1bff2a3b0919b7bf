//! Earlier versions to the current one: the only code that knows them. Version 1 is the first.

use crate::json::Object;

/// Brings a document of `version` to the current version, one step at a time.
pub(super) fn to_current(document: Object, version: i64) -> Object {
    // A step from n to n + 1 goes here when version n + 1 is defined.
    debug_assert!(version <= super::VERSION);
    document
}

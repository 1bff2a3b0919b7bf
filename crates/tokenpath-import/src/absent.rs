//! Building the absence list of a run.

use std::collections::HashSet;

use tokenpath_core::{Absence, ReasonCode};

/// Absences in the order in which they were found, one for each pointer.
#[derive(Debug, Default)]
pub(crate) struct Absences {
    list: Vec<Absence>,
    pointers: HashSet<String>,
}

impl Absences {
    /// Adds an entry, unless the pointer has one.
    pub(crate) fn add(&mut self, pointer: impl Into<String>, code: ReasonCode, reason: impl Into<String>) {
        let pointer = pointer.into();
        if self.pointers.insert(pointer.clone()) {
            self.list.push(Absence::new(pointer, code, reason));
        }
    }

    /// Adds the same reason at several places.
    pub(crate) fn all(&mut self, pointers: &[&str], code: ReasonCode, reason: &str) {
        for pointer in pointers {
            self.add(*pointer, code, reason);
        }
    }

    /// Takes back the entry of a pointer whose value was found after all.
    pub(crate) fn remove(&mut self, pointer: &str) {
        if self.pointers.remove(pointer) {
            self.list.retain(|absence| absence.pointer != pointer);
        }
    }

    pub(crate) fn into_list(self) -> Vec<Absence> {
        self.list
    }
}

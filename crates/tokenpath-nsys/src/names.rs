//! Texts by number. Numbers are sparse in trimmed exports, and texts need not be UTF-8.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Statement};

use crate::schema::{STRINGS, Schema};

/// Looks texts up as they are needed; an export holds many more than a summary names.
pub(crate) struct Names<'a> {
    lookup: Option<Statement<'a>>,
    known: HashMap<i64, Option<String>>,
    /// Texts that are not UTF-8 and are shown with replacement characters.
    pub(crate) not_utf8: u64,
    /// Numbers that stand for no text.
    pub(crate) unknown: u64,
}

impl<'a> Names<'a> {
    pub(crate) fn new(connection: &'a Connection, schema: &Schema) -> Names<'a> {
        let usable = schema.has_column(STRINGS, "id") && schema.has_column(STRINGS, "value");
        let lookup = usable.then(|| connection.prepare("SELECT value FROM StringIds WHERE id = ?1").ok()).flatten();
        Names { lookup, known: HashMap::new(), not_utf8: 0, unknown: 0 }
    }

    /// The text of a number; `None` when there is none.
    pub(crate) fn get(&mut self, id: i64) -> Option<String> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let mut lossy = 0;
        let found = self.lookup.as_mut().and_then(|lookup| {
            lookup.query_row([id], |row| Ok(text(row.get_ref(0)?, &mut lossy))).optional().ok().flatten().flatten()
        });
        self.not_utf8 += lossy;
        self.unknown += u64::from(found.is_none());
        self.known.insert(id, found.clone());
        found
    }
}

/// A cell as text; counts what is not UTF-8.
pub(crate) fn text(value: ValueRef<'_>, not_utf8: &mut u64) -> Option<String> {
    let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value else { return None };
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.to_owned()),
        Err(_) => {
            *not_utf8 += 1;
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

//! Texts by number. Numbers are sparse in trimmed exports, and texts need not be UTF-8.

use std::collections::HashMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Statement};

use crate::rows::{int, scan};
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
        let mut names = Names { lookup: None, known: HashMap::new(), not_utf8: 0, unknown: 0 };
        if !schema.has_column(STRINGS, "id") || !schema.has_column(STRINGS, "value") {
            return names;
        }
        if has_index(connection) {
            names.lookup = connection.prepare("SELECT value FROM StringIds WHERE id = ?1").ok();
        } else {
            // Each look would go through the whole table.
            let _ = scan(connection, schema, STRINGS, &["id", "value"], &mut |row| {
                let text = text(row.get_ref(1)?, &mut names.not_utf8);
                if let Some(id) = int(row, 0)? {
                    names.known.entry(id).or_insert(text);
                }
                Ok(())
            });
        }
        names
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

/// Whether a text can be found by its number without reading the others: exports of some versions, and tables that other
/// tools have copied, have no key.
fn has_index(connection: &Connection) -> bool {
    connection
        .query_row("EXPLAIN QUERY PLAN SELECT value FROM StringIds WHERE id = 1", [], |row| {
            row.get::<_, String>("detail")
        })
        .is_ok_and(|plan| plan.starts_with("SEARCH"))
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_with_a_key_and_without() {
        for key in ["PRIMARY KEY", ""] {
            let connection = Connection::open_in_memory().unwrap();
            let rows = "INSERT INTO StringIds VALUES (7, 'a'), (1007, CAST(X'62ff' AS TEXT))";
            connection.execute_batch(&format!("CREATE TABLE StringIds(id INTEGER {key}, value TEXT); {rows}")).unwrap();
            assert_eq!(has_index(&connection), !key.is_empty());
            let schema = Schema::read(&connection).unwrap();
            let mut names = Names::new(&connection, &schema);
            let found = [7, 1007, 8, 7].map(|id| names.get(id));
            assert_eq!(
                found.each_ref().map(Option::as_deref),
                [Some("a"), Some("b\u{fffd}"), None, Some("a")],
                "{key}"
            );
            assert_eq!((names.not_utf8, names.unknown), (1, 1), "{key}");
        }
    }
}

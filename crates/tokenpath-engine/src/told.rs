//! What opening has to say about files that became a run: which rule joined them, and what was left out.

use tokenpath_import::{Imported, JoinNote};
use tokenpath_pages::html::Markup;
use tokenpath_pages::notes::{self, Note};

/// The panel; `None` when one file became the run as it is.
pub(crate) fn panel(imported: &Imported) -> Option<Markup> {
    let joins: Vec<Note> = imported
        .joins
        .iter()
        .map(|JoinNote { rule, text }| Note { name: (*rule).to_owned(), text: text.clone() })
        .collect();
    let left_out: Vec<Note> = imported
        .left_out
        .iter()
        .map(|note| {
            let count = if note.count > 0 { format!("{} ", note.count) } else { String::new() };
            Note { name: note.file.clone(), text: format!("{count}{}. {}", note.what, note.reason) }
        })
        .collect();
    (!joins.is_empty()).then(|| notes::panel(&joins, &left_out))
}

//! What opening has to say about files that became a run: which rule joined them, what is odd about them, and what was
//! left out.

use tokenpath_import::Imported;
use tokenpath_pages::html::Markup;
use tokenpath_pages::notes::{Note, Notes};

/// The panel; `None` when one file became the run as it is and no other device could be shown instead.
pub(crate) fn panel(imported: &Imported, other_devices: Vec<i64>) -> Option<Markup> {
    let notes = Notes {
        other_devices,
        joins: imported.joins.iter().map(|join| Note { name: join.rule.to_owned(), text: join.text.clone() }).collect(),
        remarks: imported
            .remarks
            .iter()
            .map(|remark| Note { name: remark.file.clone(), text: remark.text.clone() })
            .collect(),
        left_out: imported
            .left_out
            .iter()
            .map(|left| {
                let count = if left.count > 0 { format!("{} ", left.count) } else { String::new() };
                Note { name: left.file.clone(), text: format!("{count}{}. {}", left.what, left.reason) }
            })
            .collect(),
    };
    notes.panel()
}

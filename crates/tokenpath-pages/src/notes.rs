//! What opening several files has to say: the rules that joined them, and what was left out.

use crate::html::{Markup, html};

/// A sentence about a rule or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule or the file.
    pub name: String,
    /// What there is to say.
    pub text: String,
}

/// The panel over the lens.
pub fn panel(joins: &[Note], left_out: &[Note]) -> Markup {
    let list = |notes: &[Note]| {
        html! { ul class="dash" { @for note in notes { li { (note.text) " " code { (note.name) } } } } }
    };
    html! {
        div class="notice told" {
            h2 { "Joined into one run" }
            (list(joins))
            @if !left_out.is_empty() {
                p { "Left out:" }
                (list(left_out))
            }
            button class="btn edge" type="button" id="dismiss" data-act="dismiss" { "Close" }
        }
    }
}

//! What opening has to say: the rules that joined several files, what is odd about a file, and what was left out.

use crate::html::{Markup, html};

/// A sentence about a rule or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The rule or the file.
    pub name: String,
    /// What there is to say.
    pub text: String,
}

/// All there is to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// By which rules files were joined.
    pub joins: Vec<Note>,
    /// What is odd about files.
    pub remarks: Vec<Note>,
    /// What the files held and the run leaves out.
    pub left_out: Vec<Note>,
    /// Of a trace, the devices whose run can be opened instead.
    pub other_devices: Vec<i64>,
}

impl Notes {
    /// The panel over the lens; `None` when there is nothing to say.
    pub fn panel(&self) -> Option<Markup> {
        let nothing = self.joins.is_empty() && self.remarks.is_empty() && self.left_out.is_empty();
        if nothing && self.other_devices.is_empty() {
            return None;
        }
        let list = |notes: &[Note]| {
            html! { ul class="dash" { @for note in notes { li { (note.text) " " code { (note.name) } } } } }
        };
        Some(html! {
            div class="notice told" {
                @if self.joins.is_empty() { h2 { "What reading it found" } }
                @else { h2 { "Joined into one run" } (list(&self.joins)) }
                (list(&self.remarks))
                @if !self.left_out.is_empty() {
                    p { "Left out:" }
                    (list(&self.left_out))
                }
                @for device in &self.other_devices {
                    button class="btn go" type="button" id={ "device-" (device) } data-act="device" data-id=(device) {
                        "Open device " (device)
                    }
                }
                button class="btn edge" type="button" id="dismiss" data-act="dismiss" { "Close" }
            }
        })
    }
}

//! The keyboard. Keys act only where they do not mean text, and never with a modifier that the browser uses.

use std::rc::Rc;

use tokenpath_engine::Lens;
use tokenpath_engine::View;
use tokenpath_engine::message::Message;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlElement, HtmlInputElement, KeyboardEvent};

use super::Page;

/// What a key does on the timeline.
fn timeline_act(key: &str) -> Option<&'static str> {
    Some(match key {
        "w" | "W" => "timeline-in",
        "s" | "S" => "timeline-out",
        "a" | "A" => "timeline-left",
        "d" | "D" => "timeline-right",
        "[" => "timeline-previous",
        "]" => "timeline-next",
        "m" | "M" => "timeline-measure",
        "Home" => "timeline-home",
        _ => return None,
    })
}

impl Page {
    /// A key was pressed.
    pub(super) fn key(self: &Rc<Self>, event: &KeyboardEvent) {
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing()
        {
            return;
        }
        let key = event.key();
        if key == "Enter"
            && let Some(query) = self.find_query(event)
        {
            self.send(Message::Find { query, again: true, backward: event.shift_key() });
            event.prevent_default();
            return;
        }
        if self.writes_text() || self.element("keys").is_some_and(|keys| keys.has_attribute("open")) {
            return;
        }
        let handled = match key.as_str() {
            "?" => self.show_keys(),
            "/" => self.focus_filter(),
            "o" => self.choose_files(),
            "Escape" => self.escape(),
            key if self.has_stage() && timeline_act(key).is_some() => {
                let act = timeline_act(key).unwrap_or_default().to_owned();
                self.send(Message::Act { act, id: String::new() });
                true
            }
            digit => self.go_to_lens(digit),
        };
        if handled {
            event.prevent_default();
        }
    }

    fn find_query(&self, event: &KeyboardEvent) -> Option<String> {
        let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
        input.has_attribute("data-find").then(|| input.value())
    }

    fn writes_text(&self) -> bool {
        let Some(active) = self.document.active_element() else { return false };
        match active.tag_name().as_str() {
            "INPUT" => active
                .dyn_ref::<HtmlInputElement>()
                .is_none_or(|input| !matches!(input.type_().as_str(), "checkbox" | "radio" | "button" | "range")),
            "TEXTAREA" | "SELECT" => true,
            _ => false,
        }
    }

    fn show_keys(&self) -> bool {
        let dialog = self.element("keys").and_then(|keys| keys.dyn_into::<HtmlDialogElement>().ok());
        dialog.is_some_and(|dialog| dialog.show_modal().is_ok())
    }

    fn focus_filter(&self) -> bool {
        let Ok(Some(filter)) = self.document.query_selector("#lens input[type=search]") else { return false };
        let filter = filter.unchecked_into::<HtmlInputElement>();
        let _ = filter.focus();
        filter.select();
        true
    }

    fn escape(self: &Rc<Self>) -> bool {
        if self.opening.borrow().is_some() {
            self.cancel();
        } else {
            self.send(Message::Act { act: "clear".to_owned(), id: String::new() });
        }
        true
    }

    fn go_to_lens(&self, digit: &str) -> bool {
        let lens = digit.parse::<usize>().ok().and_then(|digit| {
            // The key after 9 is 0.
            let at = if digit == 0 { 9 } else { digit - 1 };
            Lens::ALL.get(at).copied()
        });
        let (Some(lens), false) = (lens, self.current.borrow().is_none()) else { return false };
        let view = View::parse(&self.fragment()).to(lens);
        let _ = self.window.location().set_hash(&view.fragment());
        true
    }

    /// Opens the browser's dialog for files.
    pub(super) fn choose_files(&self) -> bool {
        let Some(input) = self.element("files") else { return false };
        HtmlElement::click(&input);
        true
    }
}

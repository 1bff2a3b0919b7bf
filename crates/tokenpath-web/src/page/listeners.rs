//! One listener for each kind of event, on the document: what is drawn anew needs no listeners of its own.

use std::cell::Cell;
use std::rc::Rc;

use tokenpath_engine::message::Message;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::prelude::*;
use web_sys::{
    DataTransfer, DragEvent, Element, Event, EventTarget, HtmlInputElement, HtmlSelectElement, KeyboardEvent,
    MouseEvent,
};

use super::Page;

/// So long after the last scrolling its position is kept, in milliseconds.
const SCROLL_SETTLES_MS: i32 = 120;

/// Puts the listeners in place.
pub(super) fn start(page: &Rc<Page>) -> Result<(), JsValue> {
    let document: &EventTarget = page.document.as_ref();
    let window: &EventTarget = page.window.as_ref();

    listen(page, document, "click", |page, event: MouseEvent| page.clicked(&event))?;
    listen(page, document, "input", |page, event: Event| page.input(&event))?;
    listen(page, document, "change", |page, event: Event| page.changed(&event))?;
    listen(page, document, "keydown", |page, event: KeyboardEvent| page.key(&event))?;
    listen(page, window, "hashchange", |page, _: Event| page.navigated())?;
    listen(page, window, "popstate", |page, _: Event| page.check_bundle_address())?;

    for kind in ["dragenter", "dragover"] {
        listen(page, document, kind, |page, event: DragEvent| page.dragged(&event))?;
    }
    listen(page, document, "dragleave", |page, event: DragEvent| {
        // Leaving the window, not merely one element for the next.
        if event.related_target().is_none() {
            page.mark_drop(false);
        }
    })?;
    listen(page, document, "drop", |page, event: DragEvent| page.dropped(&event))?;

    let pending = Rc::new(Cell::new(0));
    let settled = {
        let page = Rc::clone(page);
        Closure::<dyn FnMut()>::new(move || page.save_scroll())
    };
    listen(page, window, "scroll", move |page, _: Event| {
        page.window.clear_timeout_with_handle(pending.get());
        let callback = settled.as_ref().unchecked_ref();
        let handle = page.window.set_timeout_with_callback_and_timeout_and_arguments_0(callback, SCROLL_SETTLES_MS);
        pending.set(handle.unwrap_or(0));
    })
}

/// Listeners live as long as the page.
fn listen<E: FromWasmAbi + 'static>(
    page: &Rc<Page>,
    target: &EventTarget,
    kind: &str,
    act: impl Fn(&Rc<Page>, E) + 'static,
) -> Result<(), JsValue> {
    let page = Rc::clone(page);
    // What a listener does may cause the same event again before it returns (a click that clicks, a change of focus
    // that changes an input), so it must be callable while it runs.
    let closure = Closure::<dyn Fn(E)>::new(move |event| act(&page, event));
    target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref())?;
    closure.forget();
    Ok(())
}

impl Page {
    fn clicked(self: &Rc<Self>, event: &MouseEvent) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(target) = target.and_then(|target| target.closest("[data-act]").ok().flatten()) else { return };
        let act = target.get_attribute("data-act").unwrap_or_default();
        match act.as_str() {
            "open" => {
                self.choose_files();
            }
            "share" => self.share(),
            "theme" => self.switch_theme(),
            "cancel" => self.cancel(),
            "dismiss" => self.dismiss(),
            "reopen" => self.reopen(),
            "alone" => self.open_alone(),
            "device" => self.open_device(target.get_attribute("data-id").and_then(|id| id.parse().ok())),
            "skip" => self.focus("main"),
            _ => {
                let id = target.get_attribute("data-id").unwrap_or_default();
                self.send(Message::Act { act, id });
            }
        }
        event.prevent_default();
    }

    fn input(&self, event: &Event) {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        if let Some(find) = target.dyn_ref::<HtmlInputElement>().filter(|input| input.has_attribute("data-find")) {
            self.send(Message::Find { query: find.value(), again: false, backward: false });
            return;
        }
        let Some(name) = target.get_attribute("data-param") else { return };
        let value = if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
            match input.type_().as_str() {
                "checkbox" if !input.checked() => String::new(),
                _ => input.value(),
            }
        } else if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
            select.value()
        } else {
            return;
        };
        self.send(Message::SetParam { name, value });
    }

    /// Opens what was chosen or dropped before the module had started: the input holds it.
    pub(super) fn open_chosen(self: &Rc<Self>) {
        let input = self.element("files").and_then(|input| input.dyn_into::<HtmlInputElement>().ok());
        if let Some(input) = input {
            self.take_files(&input);
        }
    }

    fn take_files(self: &Rc<Self>, input: &HtmlInputElement) {
        if let Some(files) = input.files() {
            self.open_list(files);
        }
        // The same file chosen again is a change again.
        input.set_value("");
    }

    fn changed(self: &Rc<Self>, event: &Event) {
        let Some(target) = event.target() else { return };
        if let Some(select) = target.dyn_ref::<HtmlSelectElement>().filter(|select| select.has_attribute("data-go")) {
            let _ = self.window.location().set_hash(&select.value());
        }
        if let Some(input) = target.dyn_ref::<HtmlInputElement>().filter(|input| input.id() == "files") {
            self.take_files(input);
        }
    }

    fn dragged(&self, event: &DragEvent) {
        if event.data_transfer().is_some_and(|data| has_files(&data)) {
            event.prevent_default();
            self.mark_drop(true);
        }
    }

    fn dropped(self: &Rc<Self>, event: &DragEvent) {
        self.mark_drop(false);
        let Some(data) = event.data_transfer().filter(has_files) else { return };
        event.prevent_default();
        if let Some(files) = data.files() {
            self.open_list(files);
        }
    }

    fn open_list(self: &Rc<Self>, files: web_sys::FileList) {
        let files: Vec<web_sys::File> = (0..files.length()).filter_map(|i| files.get(i)).collect();
        if !files.is_empty() {
            self.open_files(files);
        }
    }

    fn mark_drop(&self, on: bool) {
        if let Some(body) = self.document.body() {
            let _ = body.class_list().toggle_with_force("dropping", on);
        }
    }
}

fn has_files(data: &DataTransfer) -> bool {
    data.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
}

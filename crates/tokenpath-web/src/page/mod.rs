//! The main thread: events out, strings in. It holds handles of what is on the page and nothing about the run.

mod address;
mod keys;
mod listeners;
mod opening;
mod queue;
mod region;
mod sheet;
mod stage;
mod theme;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use tokenpath_engine::message::{Effect, Message, Order, Region};
use tokenpath_pages::errors;
use wasm_bindgen::prelude::*;
use web_sys::{Document, HtmlElement, Window};

use opening::{Running, Source};
pub use region::set as set_region;
use stage::Stage;

/// So long the status line says something, in milliseconds.
const SAID_FOR_MS: i32 = 4000;

/// The page. Each field is borrowed for a moment only: a change of the document may call back into a listener.
struct Page {
    window: Window,
    document: Document,
    /// Makes a worker that has the module; the loading script knows how.
    spawn: js_sys::Function,
    /// The worker that holds the run.
    current: RefCell<Option<Running>>,
    /// The worker that reads other files meanwhile.
    opening: RefCell<Option<Running>>,
    /// Messages that wait until the engine has answered the last one.
    waiting: RefCell<VecDeque<Message>>,
    /// Whether the engine has a message that it has not answered.
    busy: Cell<bool>,
    /// The fragment of the address that the page last heard of or wrote, as the browser spells it.
    heard: RefCell<String>,
    /// Where to scroll once the lens is there: Back returns to where one was.
    scroll_to: Cell<Option<f64>>,
    /// What the crashed worker had open.
    crashed: RefCell<Option<Source>>,
    /// What was refused beside the open run.
    refused: RefCell<Option<Source>>,
    /// The timeline's drawing surface, while its lens is shown.
    stage: RefCell<Option<Stage>>,
    /// The pixels of the frame that a report names, until they are drawn.
    frame_pixels: RefCell<Option<js_sys::ArrayBuffer>>,
    /// Ends the time for which the status line speaks.
    saying: Cell<i32>,
    /// Ends the wait until the timeline counts as at rest.
    settling: Cell<i32>,
}

/// Takes over the page. `spawn` returns a new worker that runs [`crate::worker()`] on the same module.
///
/// # Errors
/// When called where there is no document.
#[wasm_bindgen]
pub fn page(spawn: js_sys::Function) -> Result<(), JsValue> {
    let window = web_sys::window().ok_or("there is no window")?;
    let document = window.document().ok_or("there is no document")?;
    let hook_document = document.clone();
    std::panic::set_hook(Box::new(move |info| {
        web_sys::console::error_1(&JsValue::from_str(&info.to_string()));
        if let Some(notice) = hook_document.get_element_by_id(Region::Notice.id()) {
            notice.set_inner_html(&errors::crash(&info.to_string(), false).into_string());
        }
    }));
    let page = Rc::new(Page {
        window,
        document,
        spawn,
        current: RefCell::new(None),
        opening: RefCell::new(None),
        waiting: RefCell::new(VecDeque::new()),
        busy: Cell::new(false),
        heard: RefCell::new(String::new()),
        scroll_to: Cell::new(None),
        crashed: RefCell::new(None),
        refused: RefCell::new(None),
        stage: RefCell::new(None),
        frame_pixels: RefCell::new(None),
        saying: Cell::new(0),
        settling: Cell::new(0),
    });
    theme::start(&page);
    listeners::start(&page)?;
    sheet::start(&page);
    address::start(&page);
    page.open_chosen();
    page.root().class_list().add_1("live")?;
    Ok(())
}

impl Page {
    fn root(&self) -> web_sys::Element {
        // A document without a root element cannot hold the script that runs this.
        self.document.document_element().unwrap_or_else(|| JsValue::NULL.unchecked_into())
    }

    fn element(&self, id: &str) -> Option<HtmlElement> {
        self.document.get_element_by_id(id)?.dyn_into().ok()
    }

    fn is_empty(&self) -> bool {
        self.document.body().is_none_or(|body| body.class_list().contains("empty"))
    }

    /// Hands a message to the engine, in turn. What a newer message makes pointless is not sent.
    fn send(&self, message: Message) {
        if self.current.borrow().is_none() {
            return;
        }
        if self.busy.get() {
            queue::push(&mut self.waiting.borrow_mut(), message);
            return;
        }
        self.busy.set(true);
        if let Some(current) = &*self.current.borrow() {
            current.send(&Order::Update { message }, &[]);
        }
    }

    /// The engine has answered: the next message is due.
    fn answered(&self) {
        self.busy.set(false);
        let next = self.waiting.borrow_mut().pop_front();
        if let Some(next) = next {
            self.send(next);
        }
    }

    fn carry_out(self: &Rc<Self>, effects: Vec<Effect>) {
        let had_focus = self.has_focus();
        for effect in effects {
            match effect {
                Effect::Region { region, html, fresh } => {
                    let Some(element) = self.element(region.id()) else { continue };
                    region::set(&self.document, &element, &html, fresh);
                    if region == Region::Lens {
                        if fresh {
                            self.scroll(self.scroll_to.take().unwrap_or(0.0));
                        }
                        self.set_stage();
                    }
                }
                Effect::Title { text } => self.document.set_title(&text),
                Effect::Fragment { text, push } => self.set_fragment(&text, push),
                Effect::Frame { width, height, labels, band, measuring } => {
                    self.draw(width, height, &labels, band.as_ref(), measuring);
                }
                Effect::Tip { html } => self.tip(&html),
                Effect::Text { id, text } => {
                    if let Some(element) = self.element(&id) {
                        element.set_text_content(Some(&text));
                    }
                }
                Effect::Say { text } => self.say(&text),
            }
        }
        if let Some(y) = self.scroll_to.take() {
            self.scroll(y);
        }
        // Focus that went with what was replaced goes to the lens: the keyboard stays where the reading is.
        if had_focus && !self.has_focus() {
            self.focus("main");
        }
    }

    /// Whether anything in particular has the focus.
    fn has_focus(&self) -> bool {
        self.document.active_element().is_some_and(|active| active.tag_name() != "BODY")
    }

    fn focus(&self, id: &str) {
        if let Some(element) = self.element(id) {
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = element.focus_with_options(&options);
        }
    }

    /// Says something in the status line, which then falls silent by itself.
    fn say(self: &Rc<Self>, text: &str) {
        let Some(said) = self.element("said") else { return };
        said.set_text_content(Some(text));
        self.window.clear_timeout_with_handle(self.saying.get());
        let silence = Closure::once_into_js(move || said.set_text_content(None));
        let callback = silence.unchecked_ref();
        let handle = self.window.set_timeout_with_callback_and_timeout_and_arguments_0(callback, SAID_FOR_MS);
        self.saying.set(handle.unwrap_or(0));
    }

    fn notice(&self, html: &str) {
        if let Some(notice) = self.element(Region::Notice.id()) {
            notice.set_inner_html(html);
        }
    }
}

//! Opening files: each opening has a worker of its own. When it succeeds, its worker holds the run from then on and
//! the former one is ended, which frees its memory; when it fails or is cancelled, its worker is ended and the former
//! one stays.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Array;
use tokenpath_engine::View;
use tokenpath_engine::message::{Message, Opening, Order, Progress, Report};
use tokenpath_pages::{errors, format};
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlElement, HtmlProgressElement, MessageEvent, Worker};

use super::Page;

/// An opening that is done sooner shows no progress: it would only flash.
const PROGRESS_AFTER_MS: i32 = 150;

/// Where a run comes from: an address of this origin, then files that were chosen or dropped.
#[derive(Clone, Default)]
pub(super) struct Source {
    pub(super) address: Option<String>,
    pub(super) files: Vec<web_sys::File>,
    /// Of which device a trace among them is the run, if not of the lowest that ran kernels.
    pub(super) device: Option<i64>,
}

impl Source {
    /// What it is called, for people.
    fn name(&self) -> String {
        let address = self.address.iter().map(|address| {
            let path = address.split(['?', '#']).next().unwrap_or(address);
            path.rsplit('/').next().unwrap_or(path).to_owned()
        });
        address.chain(self.files.iter().map(web_sys::File::name)).collect::<Vec<_>>().join(", ")
    }

    fn count(&self) -> usize {
        self.files.len() + usize::from(self.address.is_some())
    }

    /// This, and files after it.
    fn and(mut self, files: &[web_sys::File]) -> Source {
        self.files.extend_from_slice(files);
        self
    }
}

/// A worker and its listeners, which live as long as it does.
pub(super) struct Running {
    worker: Worker,
    pub(super) source: Source,
    /// What was asked for without the files of the run that was open, when those were sent with it.
    fresh: Option<Source>,
    /// The view that the opening was asked for.
    asked: String,
    said_why: Rc<Cell<bool>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Running {
    pub(super) fn send(&self, order: &Order, files: &[web_sys::File]) {
        let parts = Array::new();
        // Orders are plain data of our own: they always have a JSON form.
        parts.push(&JsValue::from_str(&serde_json::to_string(order).unwrap_or_default()));
        for file in files {
            parts.push(file);
        }
        let _ = self.worker.post_message(&parts);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Which of the two workers speaks.
type Token = Rc<Cell<bool>>;

impl Page {
    /// Starts opening chosen or dropped files, in place of an opening under way. The files of the open run go with
    /// them: a model that it read joins it.
    pub(super) fn open_files(self: &Rc<Self>, files: Vec<web_sys::File>) {
        let fresh = Source { files, ..Source::default() };
        let open = self.current.borrow().as_ref().map(|running| running.source.clone());
        match open {
            Some(open) => self.open_as(open.clone().and(&fresh.files), Some((open.count(), fresh))),
            None => self.open(fresh),
        }
    }

    /// Starts opening, in place of an opening under way.
    pub(super) fn open(self: &Rc<Self>, source: Source) {
        self.open_as(source, None);
    }

    fn open_as(self: &Rc<Self>, source: Source, beside: Option<(usize, Source)>) {
        self.close_opening();
        self.refused.borrow_mut().take();
        match self.start(source) {
            Ok(mut running) => {
                let earlier = beside.as_ref().map_or(0, |(earlier, _)| *earlier);
                let device = running.source.device;
                let opening = Opening { fragment: self.fragment_to_open(), keeps: !self.is_empty(), earlier, device };
                running.asked.clone_from(&opening.fragment);
                running.fresh = beside.map(|(_, fresh)| fresh);
                let order = match &running.source.address {
                    Some(address) => Order::Fetch { address: address.clone(), opening },
                    None => Order::Open(opening),
                };
                running.send(&order, &running.source.files);
                *self.opening.borrow_mut() = Some(running);
                self.show_progress_later();
            }
            Err(error) => {
                let what = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
                let what = what.unwrap_or_else(|| "The browser starts no worker.".to_owned());
                self.notice(&errors::crash(&what, false).into_string());
            }
        }
    }

    /// Ends the opening under way; what was open stays.
    pub(super) fn cancel(self: &Rc<Self>) {
        if self.opening.borrow().is_some() {
            self.close_opening();
            self.say("Cancelled. Nothing was opened.");
        }
    }

    /// Opens what was refused beside the open run in its place.
    pub(super) fn open_alone(self: &Rc<Self>) {
        let source = self.refused.borrow_mut().take();
        if let Some(source) = source {
            self.notice("");
            self.open(source);
        }
    }

    /// Opens what is open as the run of another device.
    pub(super) fn open_device(self: &Rc<Self>, device: Option<i64>) {
        let source = self.current.borrow().as_ref().map(|running| running.source.clone());
        if let Some(source) = source {
            self.notice("");
            self.open(Source { device, ..source });
        }
    }

    /// Opens again what the ended worker had open.
    pub(super) fn reopen(self: &Rc<Self>) {
        let source = self.crashed.borrow_mut().take();
        if let Some(source) = source {
            self.notice("");
            self.open(source);
        }
    }

    /// The view to open on. An address that was just followed says it; after another run only its lens is kept,
    /// since the selection and the filters belong to the run that goes.
    fn fragment_to_open(&self) -> String {
        let fragment = self.fragment();
        if self.current.borrow().is_none() {
            return fragment;
        }
        View::of(View::parse(&fragment).lens).fragment()
    }

    fn start(self: &Rc<Self>, source: Source) -> Result<Running, JsValue> {
        let worker: Worker = self.spawn.call0(&JsValue::NULL)?.dyn_into()?;
        let said_why: Token = Rc::new(Cell::new(false));
        let (page, token) = (Rc::downgrade(self), Rc::clone(&said_why));
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let parts = Array::from(&event.data());
            let report = parts.get(0).as_string().and_then(|json| serde_json::from_str::<Report>(&json).ok());
            if let (Some(page), Some(report)) = (page.upgrade(), report) {
                *page.frame_pixels.borrow_mut() = parts.get(1).dyn_into().ok();
                page.reported(&token, report);
            }
        });
        let (page, token) = (Rc::downgrade(self), Rc::clone(&said_why));
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            // The page says what happened; the console need not.
            event.prevent_default();
            if let Some(page) = page.upgrade() {
                page.failed(&token, &event);
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Running {
            worker,
            source,
            fresh: None,
            asked: String::new(),
            said_why,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    fn reported(self: &Rc<Self>, token: &Token, report: Report) {
        match report {
            Report::Progress(progress) => self.show_progress(&progress),
            Report::Opened { effects, joined } => self.opened(effects, joined),
            Report::Refused { effects } => {
                let fresh = self.opening.borrow_mut().as_mut().and_then(|running| running.fresh.take());
                *self.refused.borrow_mut() = fresh;
                later(self, Self::close_opening);
                self.hide_progress();
                self.carry_out(effects);
            }
            Report::Updated { effects } => {
                self.carry_out(effects);
                self.answered();
            }
            Report::Stopped { what } => {
                token.set(true);
                self.stopped(token, &what);
            }
        }
    }

    fn opened(self: &Rc<Self>, effects: Vec<tokenpath_engine::message::Effect>, joined: bool) {
        let Some(mut running) = self.opening.borrow_mut().take() else { return };
        let fresh = running.fresh.take();
        let said = match &fresh {
            Some(fresh) if joined => format!("Joined {} with the open run", fresh.name()),
            Some(fresh) => format!("Opened {}", fresh.name()),
            None => format!("Opened {}", running.source.name()),
        };
        if let Some(fresh) = fresh.filter(|_| !joined) {
            running.source = fresh;
        }
        // A link of a published page may have been followed while the run was read.
        let followed = Some(self.fragment()).filter(|now| self.current.borrow().is_none() && *now != running.asked);
        let fragment = self.fragment_to_open();
        let had_run = self.current.borrow().is_some();
        if !running.source.files.is_empty() {
            let fragment = View::parse(&fragment).fragment();
            self.leave_bundle_address(&fragment, had_run || self.address_names_bundle());
        }
        self.hide_progress();
        self.waiting.borrow_mut().clear();
        self.busy.set(false);
        // The former worker is dropped outside its own callbacks: this callback is the new one's.
        let former = self.current.borrow_mut().replace(running);
        drop(former);
        if let Some(body) = self.document.body() {
            let _ = body.class_list().remove_1("empty");
        }
        self.carry_out(effects);
        if let Some(fragment) = followed {
            self.set_fragment(&fragment, false);
            self.send(Message::Navigate { fragment });
        }
        self.say(&said);
    }

    /// The worker trapped. If it did not say why, memory is what it ran out of: every other fault is reported by the
    /// panic hook before the trap.
    fn failed(self: &Rc<Self>, token: &Token, event: &Event) {
        if token.get() {
            return;
        }
        let message = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message).unwrap_or_default();
        let what = if message.contains("unreachable") || message.contains("memory") {
            "The browser gave the viewer no more memory. A page can hold 4 GB at most, often less; close other tabs, \
             or open the file with the command line."
                .to_owned()
        } else {
            format!("The worker failed: {message}")
        };
        self.stopped(token, &what);
    }

    fn stopped(self: &Rc<Self>, token: &Token, what: &str) {
        let is = |running: &RefCell<Option<Running>>| {
            running.borrow().as_ref().is_some_and(|running| Rc::ptr_eq(&running.said_why, token))
        };
        if is(&self.opening) {
            later(self, Self::close_opening);
            self.hide_progress();
            self.notice(&errors::crash(what, false).into_string());
        } else if is(&self.current) {
            *self.crashed.borrow_mut() = self.current.borrow().as_ref().map(|running| running.source.clone());
            self.notice(&errors::crash(what, true).into_string());
            later(self, |page| drop(page.current.borrow_mut().take()));
        }
    }

    fn close_opening(&self) {
        let opening = self.opening.borrow_mut().take();
        drop(opening);
        self.hide_progress();
    }

    fn show_progress_later(self: &Rc<Self>) {
        let page = Rc::downgrade(self);
        let show = Closure::once_into_js(move || {
            if let Some(page) = page.upgrade()
                && page.opening.borrow().is_some()
                && let Some(section) = page.element("opening")
            {
                section.set_hidden(false);
            }
        });
        if let Some(stage) = self.element("stage") {
            stage.set_text_content(Some("Opening"));
        }
        let _ =
            self.window.set_timeout_with_callback_and_timeout_and_arguments_0(show.unchecked_ref(), PROGRESS_AFTER_MS);
    }

    fn show_progress(&self, progress: &Progress) {
        let count = |value: u64| {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            if progress.unit == "bytes" { format::bytes(value) } else { format::grouped(value) }
        };
        let of = if progress.total > 0 { format!(" of {}", count(progress.total)) } else { String::new() };
        let unit = if progress.unit == "bytes" { String::new() } else { format!(" {}", progress.unit) };
        if let Some(stage) = self.element("stage") {
            let counted = match progress.unit.as_str() {
                "" => String::new(),
                _ => format!(": {}{of}{unit}", count(progress.done)),
            };
            stage.set_text_content(Some(&format!("{}{counted}", progress.stage)));
        }
        if let Some(bar) = self.element("done").and_then(|bar| bar.dyn_into::<HtmlProgressElement>().ok()) {
            if progress.total > 0 {
                bar.set_max(progress.total as f64);
                bar.set_value(progress.done as f64);
            } else {
                let _ = bar.remove_attribute("value");
            }
        }
    }

    fn hide_progress(&self) {
        if let Some(section) = self.element("opening") {
            let focused = self.document.active_element().is_some_and(|active| section.contains(Some(&active)));
            section.set_hidden(true);
            if focused && let Some(main) = self.document.get_element_by_id("main") {
                let _ = main.unchecked_into::<HtmlElement>().focus();
            }
        }
    }
}

/// Runs `act` once the present callback has returned: a closure must not be dropped while it runs.
fn later(page: &Rc<Page>, act: fn(&Page)) {
    let page = Rc::clone(page);
    wasm_bindgen_futures::spawn_local(async move { act(&page) });
}

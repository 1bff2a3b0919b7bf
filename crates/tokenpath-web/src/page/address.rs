//! The address: the fragment is the view, `?open=` a bundle of this site. Back and Forward undo and redo.

use std::rc::Rc;

use js_sys::Reflect;
use tokenpath_engine::message::Message;
use tokenpath_pages::errors;
use wasm_bindgen::JsValue;
use web_sys::{ScrollRestoration, ScrollToOptions, Url};

use super::Page;
use super::opening::Source;

/// Opens what the address or the document names.
pub(super) fn start(page: &Rc<Page>) {
    if let Ok(history) = page.window.history() {
        // The browser would restore before the lens is there.
        let _ = history.set_scroll_restoration(ScrollRestoration::Manual);
    }
    page.hear();
    page.scroll_to.set(page.saved_scroll());
    match page.named_bundle() {
        Some(Ok(address)) => page.open(Source { address: Some(address), ..Source::default() }),
        Some(Err(address)) => page.notice(&errors::foreign(&address).into_string()),
        None if page.is_empty() && !page.fragment().is_empty() => page.notice(&errors::not_open().into_string()),
        None => {}
    }
}

impl Page {
    /// The view that the address names: its fragment without `#`, or where it has none the lens of a published page.
    pub(super) fn fragment(&self) -> String {
        match self.hash().trim_start_matches('#') {
            "" => self.document.body().and_then(|body| body.get_attribute("data-lens")).unwrap_or_default(),
            fragment => fragment.to_owned(),
        }
    }

    /// The bundle that the address or the document names; `Err` when it is of another origin.
    fn named_bundle(&self) -> Option<Result<String, String>> {
        let of_page = || self.document.body()?.get_attribute("data-bundle");
        let here = self.here()?;
        self.resolve(&here.search_params().get("open").or_else(of_page)?)
    }

    fn here(&self) -> Option<Url> {
        Url::new(&self.window.location().href().ok()?).ok()
    }

    fn resolve(&self, named: &str) -> Option<Result<String, String>> {
        let here = self.here()?;
        let address = Url::new_with_base(named, &here.href()).ok()?;
        Some(if address.origin() == here.origin() { Ok(address.href()) } else { Err(address.href()) })
    }

    fn hash(&self) -> String {
        self.window.location().hash().unwrap_or_default()
    }

    /// Takes note of the fragment as it is now.
    fn hear(&self) {
        *self.heard.borrow_mut() = self.hash();
    }

    /// Gives the address the fragment of the engine's view.
    ///
    /// The browser changes the address at once and tells of it later. In between, an answer of the engine is one to
    /// what was asked before: it must not take the place of where a person has just gone.
    pub(super) fn set_fragment(&self, fragment: &str, push: bool) {
        if self.hash() != *self.heard.borrow() {
            return;
        }
        let Ok(history) = self.window.history() else { return };
        let url = format!("#{fragment}");
        let _ = if push {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url))
        } else {
            let state = history.state().unwrap_or(JsValue::NULL);
            history.replace_state_with_url(&state, "", Some(&url))
        };
        self.hear();
    }

    /// The run comes from files now: the address no longer names a bundle, only the view.
    pub(super) fn leave_bundle_address(&self, fragment: &str, push: bool) {
        let (Ok(history), Ok(path)) = (self.window.history(), self.window.location().pathname()) else { return };
        let url = format!("{path}#{fragment}");
        let _ = if push {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url))
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
        };
        self.hear();
    }

    /// Whether the address names a bundle itself.
    pub(super) fn address_names_bundle(&self) -> bool {
        self.window.location().search().is_ok_and(|search| !search.is_empty())
    }

    /// The fragment changed: by a link, by Back or Forward, or by hand.
    pub(super) fn navigated(&self) {
        self.hear();
        self.scroll_to.set(self.saved_scroll());
        self.send(Message::Navigate { fragment: self.fragment() });
    }

    /// Back or Forward may lead to an entry of another bundle. The page then starts again, with that one.
    pub(super) fn check_bundle_address(&self) {
        let loaded = match &*self.current.borrow() {
            Some(running) => running.source.address.clone().filter(|_| running.source.files.is_empty()),
            None => return,
        };
        let named = self.here().and_then(|here| here.search_params().get("open"));
        let named = named.and_then(|named| self.resolve(&named)?.ok());
        if named.is_some() && named != loaded {
            let _ = self.window.location().reload();
        }
    }

    /// Keeps the scroll position in the history entry, for Back.
    pub(super) fn save_scroll(&self) {
        let Ok(history) = self.window.history() else { return };
        let y = self.window.scroll_y().unwrap_or(0.0);
        let _ = history.replace_state(&JsValue::from_f64(y), "");
    }

    fn saved_scroll(&self) -> Option<f64> {
        self.window.history().ok()?.state().ok()?.as_f64()
    }

    pub(super) fn scroll(&self, y: f64) {
        let options = ScrollToOptions::new();
        options.set_top(y);
        // A smooth scroll would show motion that means nothing.
        let _ = Reflect::set(options.as_ref(), &"behavior".into(), &"instant".into());
        self.window.scroll_to_with_scroll_to_options(&options);
    }

    /// Puts the address on the clipboard.
    pub(super) fn share(self: &Rc<Self>) {
        let from_files = self.current.borrow().as_ref().is_some_and(|running| !running.source.files.is_empty());
        let said = if from_files {
            "Address copied. It names this view; whoever opens it needs the same file."
        } else {
            "Address copied."
        };
        let Ok(address) = self.window.location().href() else { return };
        let page = Rc::clone(self);
        let clipboard = self.window.navigator().clipboard();
        wasm_bindgen_futures::spawn_local(async move {
            let written = if clipboard.is_undefined() {
                // Browsers offer the clipboard on secure origins only.
                Err(JsValue::NULL)
            } else {
                wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&address)).await
            };
            page.say(if written.is_ok() { said } else { "The browser refuses the clipboard. Copy the address bar." });
        });
    }

    pub(super) fn dismiss(&self) {
        self.notice("");
        self.focus("main");
    }
}

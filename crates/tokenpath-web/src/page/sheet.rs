//! The inspector on a narrow screen: a sheet that rests closed at the bottom, so that the lens is seen first.

use std::rc::Rc;

use tokenpath_engine::message::Region;
use wasm_bindgen::prelude::*;

use super::Page;

/// As in `www/style/09-narrow.css`.
const NARROW: &str = "(max-width: 900px)";

/// Closes the sheet where the screen is narrow, and opens it where there is room beside the lens.
pub(super) fn start(page: &Rc<Page>) {
    let Ok(Some(query)) = page.window.match_media(NARROW) else { return };
    page.set_sheet(!query.matches());
    let page = Rc::clone(page);
    let watched = query.clone();
    let changed = Closure::<dyn Fn()>::new(move || page.set_sheet(!watched.matches()));
    let _ = query.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
    changed.forget();
}

impl Page {
    fn set_sheet(&self, open: bool) {
        if let Some(sheet) = self.element(Region::Inspector.id()) {
            let _ = sheet.toggle_attribute_with_force("open", open);
        }
    }
}

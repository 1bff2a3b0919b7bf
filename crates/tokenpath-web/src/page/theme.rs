//! Light and dark: the system's unless the person chose. The choice is the one thing kept between visits.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::Storage;

use super::Page;

const KEY: &str = "tokenpath-theme";
const DARK: &str = "(prefers-color-scheme: dark)";

/// What is drawn in pixels follows the system's theme. The loading script has set the class of an earlier choice.
pub(super) fn start(page: &Rc<Page>) {
    let Ok(Some(query)) = page.window.match_media(DARK) else { return };
    let page = Rc::clone(page);
    let changed = Closure::<dyn Fn()>::new(move || page.tell_surface());
    let _ = query.add_event_listener_with_callback("change", changed.as_ref().unchecked_ref());
    changed.forget();
}

impl Page {
    /// Whether the page is dark now.
    pub(super) fn is_dark(&self) -> bool {
        let classes = self.root().class_list();
        classes.contains("dark") || (!classes.contains("light") && self.system_is_dark())
    }

    fn system_is_dark(&self) -> bool {
        self.window.match_media(DARK).ok().flatten().is_some_and(|query| query.matches())
    }

    /// Switches to the other theme. Choosing the system's own follows the system again.
    pub(super) fn switch_theme(self: &Rc<Self>) {
        let dark = !self.is_dark();
        let classes = self.root().class_list();
        let _ = classes.remove_2("dark", "light");
        let choice = (dark != self.system_is_dark()).then_some(if dark { "dark" } else { "light" });
        if let Some(choice) = choice {
            let _ = classes.add_1(choice);
        }
        // A browser may refuse storage; the choice then lasts as long as the page.
        if let Some(storage) = self.storage() {
            let _ = match choice {
                Some(choice) => storage.set_item(KEY, choice),
                None => storage.remove_item(KEY),
            };
        }
        self.tell_surface();
        self.say(if dark { "Dark theme" } else { "Light theme" });
    }

    fn storage(&self) -> Option<Storage> {
        self.window.local_storage().ok().flatten()
    }
}

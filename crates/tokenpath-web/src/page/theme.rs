//! Light and dark: the system's unless the person chose. The choice is the one thing kept between visits.

use web_sys::Storage;

use super::Page;

const KEY: &str = "tokenpath-theme";

/// Nothing to do yet: the loading script has set the class of an earlier choice before the first paint.
pub(super) fn start(_page: &Page) {}

impl Page {
    /// Whether the page is dark now.
    pub(super) fn is_dark(&self) -> bool {
        let classes = self.root().class_list();
        classes.contains("dark") || (!classes.contains("light") && self.system_is_dark())
    }

    fn system_is_dark(&self) -> bool {
        self.window.match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|query| query.matches())
    }

    /// Switches to the other theme. Choosing the system's own follows the system again.
    pub(super) fn switch_theme(&self) {
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
        self.say(if dark { "Dark theme" } else { "Light theme" });
    }

    fn storage(&self) -> Option<Storage> {
        self.window.local_storage().ok().flatten()
    }
}

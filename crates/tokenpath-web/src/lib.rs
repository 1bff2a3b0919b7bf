//! The browser shell: what the page's scripts call. It must hold no decision about a run.

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of this build.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

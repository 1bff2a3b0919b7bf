//! The module loads and answers in a real browser.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_version_is_a_cargo_version() {
    let version = tokenpath_web::version();
    assert_eq!(version.split('.').count(), 3, "{version}");
}

//! The module loads in a real browser, and its worker's side answers an order in the words of the engine.
#![cfg(target_arch = "wasm32")]
// A test of the browser that cannot go on should fail.
#![allow(clippy::unwrap_used)]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn a_worker_takes_messages_once_it_has_started() {
    tokenpath_web::worker().unwrap();
    let handler = js_sys::Reflect::get(&js_sys::global(), &"onmessage".into()).unwrap();
    assert!(handler.is_function(), "the worker listens: {handler:?}");
}

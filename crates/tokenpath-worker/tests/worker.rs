//! The engine's side in a real worker: bytes of a Blob, read in slices.
#![cfg(target_arch = "wasm32")]
// A test of the browser that cannot go on should fail.
#![allow(clippy::unwrap_used)]

use js_sys::{Array, Uint8Array};
use tokenpath_engine::message::{Effect, Opening, Region};
use tokenpath_engine::{Engine, File};
use tokenpath_files::BlobBytes;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn blob(bytes: &[u8]) -> BlobBytes {
    let parts = Array::of1(&Uint8Array::from(bytes));
    BlobBytes::new(web_sys::Blob::new_with_u8_array_sequence(&parts).unwrap())
}

#[wasm_bindgen_test]
fn a_capture_opens_from_a_blob_as_it_does_natively() {
    let source = blob(include_bytes!("../../../fixtures/user-chat/run.json.gz"));
    let files = [File::new("run.json.gz", &source)];
    let effects = Engine::default().open(&files, &Opening::default(), &mut |_| {}).unwrap();
    let header = effects.effects.iter().find_map(|effect| match effect {
        Effect::Region { region: Region::Header, html, .. } => Some(html.as_str()),
        _ => None,
    });
    assert!(header.is_some_and(|html| html.contains("user capture")));
}

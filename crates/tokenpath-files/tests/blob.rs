//! Bytes of a Blob in a real worker, read in slices.
#![cfg(target_arch = "wasm32")]
// A test of the browser that cannot go on should fail.
#![allow(clippy::unwrap_used)]

use js_sys::{Array, Uint8Array};
use tokenpath_files::BlobBytes;
use tokenpath_import::ReadAt;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn blob(bytes: &[u8]) -> BlobBytes {
    let parts = Array::of1(&Uint8Array::from(bytes));
    BlobBytes::new(web_sys::Blob::new_with_u8_array_sequence(&parts).unwrap())
}

#[wasm_bindgen_test]
fn any_part_of_a_blob_can_be_read() {
    let bytes: Vec<u8> = (0..=255).collect();
    let source = blob(&bytes);
    assert_eq!(source.len(), 256);
    let mut part = [0; 4];
    source.read_at(100, &mut part).unwrap();
    assert_eq!(part, [100, 101, 102, 103]);
    source.read_at(252, &mut part).unwrap();
    assert_eq!(part, [252, 253, 254, 255]);
}

#[wasm_bindgen_test]
fn reading_beyond_the_end_fails_with_its_place() {
    let failed = blob(&[1, 2, 3]).read_at(2, &mut [0; 4]).unwrap_err();
    assert_eq!((failed.offset, failed.wanted), (2, 4));
}

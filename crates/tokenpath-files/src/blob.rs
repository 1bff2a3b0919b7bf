//! Bytes of a Blob or File, read synchronously in slices, as only a worker can.

use std::cell::OnceCell;

use gloo_file::Blob;
use tokenpath_import::{ReadAt, ReadFailed};
use wasm_bindgen::JsValue;
use web_sys::FileReaderSync;

/// A Blob as a source of bytes. Nothing is held: each read is a slice of the Blob.
pub struct BlobBytes {
    blob: Blob,
    reader: OnceCell<FileReaderSync>,
}

impl BlobBytes {
    /// The bytes of `blob`.
    pub fn new(blob: web_sys::Blob) -> BlobBytes {
        BlobBytes { blob: blob.into(), reader: OnceCell::new() }
    }

    /// The Blob, to be sent elsewhere.
    pub fn blob(&self) -> &web_sys::Blob {
        self.blob.as_ref()
    }

    fn reader(&self) -> Result<&FileReaderSync, JsValue> {
        if self.reader.get().is_none() {
            let _ = self.reader.set(FileReaderSync::new()?);
        }
        self.reader.get().ok_or(JsValue::NULL)
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), JsValue> {
        let slice = self.blob.slice(offset, offset + buffer.len() as u64);
        let bytes = self.reader()?.read_as_array_buffer(slice.as_ref())?;
        let bytes = js_sys::Uint8Array::new(&bytes);
        if bytes.length() as usize != buffer.len() {
            return Err(js_sys::Error::new("the file ended early; it may have changed since it was chosen").into());
        }
        bytes.copy_to(buffer);
        Ok(())
    }
}

impl ReadAt for BlobBytes {
    fn len(&self) -> u64 {
        self.blob.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        self.read(offset, buffer).map_err(|error| ReadFailed {
            offset,
            wanted: buffer.len(),
            message: message_of(&error),
        })
    }
}

/// What an error or the event of one says.
pub fn message_of(error: &JsValue) -> String {
    let message = js_sys::Reflect::get(error, &JsValue::from_str("message")).ok().and_then(|text| text.as_string());
    message.unwrap_or_else(|| "the browser gives no reason".to_owned())
}

//! gzip around a document, by `flate2`.

use std::io::{ErrorKind, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};

use super::ReadError;
use crate::problem::counted;

/// Documents larger than this are refused: a wasm module's memory ends at 4 GiB, and a column of one-digit numbers
/// takes four times its text. A bundle of a million intervals is some tens of megabytes.
pub const MAX_INFLATED: u64 = 1 << 29;

/// Whether the bytes begin a gzip stream, whatever the file is called.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Inflates a gzip stream of one or several members, up to `limit` bytes. Zeros after it are padding.
///
/// # Errors
/// When the stream is broken, cut or followed by something else, or inflates to more than `limit`.
pub fn inflate(bytes: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    loop {
        let mut member = GzDecoder::new(rest);
        // Reading one byte beyond the limit tells a document of exactly the limit from a larger one.
        let left = limit.saturating_sub(out.len() as u64).saturating_add(1);
        let result = member.by_ref().take(left).read_to_end(&mut out);
        let inflated = out.len() as u64;
        if let Err(error) = result {
            let message = match error.kind() {
                ErrorKind::UnexpectedEof => "the stream is cut off".to_owned(),
                _ => error.to_string(),
            };
            return Err(ReadError::Gzip { inflated, message });
        }
        if inflated > limit {
            return Err(ReadError::TooLarge { limit });
        }
        rest = member.into_inner();
        if rest.iter().all(|byte| *byte == 0) {
            return Ok(out);
        }
        if !is_gzip(rest) {
            let message = format!("{} after its end", counted(rest.len(), "byte"));
            return Err(ReadError::Gzip { inflated, message });
        }
    }
}

/// Deflates without a time stamp or file name, so that equal input gives equal output.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

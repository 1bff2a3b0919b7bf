//! gzip around a document, by `flate2`.

use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};

use super::ReadError;

/// Documents larger than this are refused: a wasm module's memory ends at 4 GiB, and a column of one-digit numbers
/// takes four times its text. A bundle of a million intervals is some tens of megabytes.
pub const MAX_INFLATED: u64 = 1 << 29;

/// Whether the bytes begin a gzip stream, whatever the file is called.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Inflates a gzip stream of one or several members, up to `limit` bytes.
///
/// # Errors
/// When the stream is broken or cut, or inflates to more than `limit`.
pub fn inflate(bytes: &[u8], limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut out = Vec::new();
    // Reading one byte beyond the limit tells a document of exactly the limit from a larger one.
    let result = MultiGzDecoder::new(bytes).take(limit.saturating_add(1)).read_to_end(&mut out);
    match result {
        Err(error) => {
            let message = match error.kind() {
                std::io::ErrorKind::UnexpectedEof => "the stream is cut off".to_owned(),
                _ => error.to_string(),
            };
            Err(ReadError::Gzip { inflated: out.len() as u64, message })
        }
        Ok(_) if out.len() as u64 > limit => Err(ReadError::TooLarge { limit }),
        Ok(_) => Ok(out),
    }
}

/// Deflates without a time stamp or file name, so that equal input gives equal output.
pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

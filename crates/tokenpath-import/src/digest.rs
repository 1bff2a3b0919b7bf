//! The SHA-256 of a whole file, read in pieces: computed only where a run states one to compare it with.

use sha2::{Digest as _, Sha256};

use crate::error::OpenError;
use crate::open::{Continue, Progress};
use crate::read_at::ReadAt;

/// Bytes read between two reports of progress.
const PIECE: usize = 4 << 20;

/// The digest in hexadecimal.
///
/// # Errors
/// When the source fails, or the caller wants no more.
pub(crate) fn of(
    name: &str,
    source: &dyn ReadAt,
    progress: &mut dyn FnMut(Progress) -> Continue,
) -> Result<String, OpenError> {
    let total = source.len();
    let mut hasher = Sha256::new();
    let mut piece = vec![0; usize::try_from(total).unwrap_or(PIECE).min(PIECE)];
    let mut bytes = 0_u64;
    while bytes < total {
        let left = usize::try_from(total - bytes).unwrap_or(PIECE).min(PIECE);
        let part = piece.get_mut(..left).unwrap_or(&mut []);
        source.read_at(bytes, part).map_err(|failed| OpenError::Read { name: name.to_owned(), failed })?;
        hasher.update(&*part);
        bytes += left as u64;
        if progress(Progress { file: name.to_owned(), bytes, total }) != Continue::Yes {
            return Err(OpenError::Stopped { bytes });
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

//! The only way in: bytes at an offset, from a file, a Blob or a slice. Shells implement it.

/// Bytes that can be read at any offset.
pub trait ReadAt {
    /// The length in bytes.
    fn len(&self) -> u64;

    /// Whether there are no bytes at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills the whole of `buffer` from `offset`.
    ///
    /// # Errors
    /// When fewer bytes are there, or the source fails.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed>;
}

/// A read that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading {wanted} bytes at {offset} failed: {message}")]
pub struct ReadFailed {
    /// Where the read began.
    pub offset: u64,
    /// How many bytes were wanted.
    pub wanted: usize,
    /// What the source says.
    pub message: String,
}

impl ReadAt for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let failed =
            |wanted| ReadFailed { offset, wanted, message: format!("the source ends at {} bytes", <[u8]>::len(self)) };
        let start = usize::try_from(offset).map_err(|_| failed(buffer.len()))?;
        let end = start.checked_add(buffer.len()).ok_or_else(|| failed(buffer.len()))?;
        let bytes = self.get(start..end).ok_or_else(|| failed(buffer.len()))?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        (**self).read_at(offset, buffer)
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        ReadAt::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        self.as_slice().read_at(offset, buffer)
    }
}

/// The first bytes, up to `limit`.
///
/// # Errors
/// When the source fails.
pub fn head(source: &dyn ReadAt, limit: usize) -> Result<Vec<u8>, ReadFailed> {
    let wanted = usize::try_from(source.len()).unwrap_or(usize::MAX).min(limit);
    let mut buffer = vec![0; wanted];
    source.read_at(0, &mut buffer)?;
    Ok(buffer)
}

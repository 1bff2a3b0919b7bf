//! The only way in: named bytes at an offset.

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailed {
    /// Where the read began.
    pub offset: u64,
    /// How many bytes were wanted.
    pub wanted: usize,
    /// What the source says.
    pub message: String,
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let wanted = buffer.len();
        let bytes = usize::try_from(offset).ok().and_then(|from| self.get(from..from.checked_add(wanted)?));
        let bytes = bytes.ok_or_else(|| ReadFailed { offset, wanted, message: "the source ends before".to_owned() })?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

//! Reading forward through a source in bounded pieces, in either byte order.

use super::header::GgufError;
use crate::read_at::ReadAt;

/// Bytes asked of the source at once: large enough that a header of a few megabytes is a few dozen reads.
const PIECE: usize = 256 * 1024;

pub(super) struct Bytes<'a> {
    source: &'a dyn ReadAt,
    length: u64,
    /// Offset of the first byte of `piece`.
    base: u64,
    piece: Vec<u8>,
    at: usize,
    pub(super) big_endian: bool,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(source: &'a dyn ReadAt) -> Bytes<'a> {
        Bytes { source, length: source.len(), base: 0, piece: Vec::new(), at: 0, big_endian: false }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(super) fn left(&self) -> u64 {
        self.length.saturating_sub(self.offset())
    }

    /// Makes `count` bytes available and returns them.
    fn take(&mut self, count: usize, what: &'static str) -> Result<&[u8], GgufError> {
        if self.piece.len() - self.at < count {
            let offset = self.offset();
            if self.left() < count as u64 {
                return Err(GgufError::Ends { what, offset, length: self.length });
            }
            let wanted = usize::try_from(self.left()).unwrap_or(usize::MAX).min(PIECE.max(count));
            let mut piece = std::mem::take(&mut self.piece);
            piece.resize(wanted, 0);
            self.source.read_at(offset, &mut piece).map_err(GgufError::Read)?;
            self.piece = piece;
            self.base = offset;
            self.at = 0;
        }
        let start = self.at;
        self.at += count;
        Ok(self.piece.get(start..self.at).unwrap_or(&[]))
    }

    /// Steps over `count` bytes without reading them.
    pub(super) fn skip(&mut self, count: u64, what: &'static str) -> Result<(), GgufError> {
        if self.left() < count {
            return Err(GgufError::Ends { what, offset: self.offset(), length: self.length });
        }
        let ahead = (self.piece.len() - self.at) as u64;
        if count <= ahead {
            self.at += usize::try_from(count).unwrap_or(0);
        } else {
            self.base = self.offset() + count;
            self.piece.clear();
            self.at = 0;
        }
        Ok(())
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], GgufError> {
        let big_endian = self.big_endian;
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        if big_endian {
            out.reverse();
        }
        Ok(out)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, GgufError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, GgufError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// A text of `count` bytes; bytes that are no UTF-8 are replaced.
    pub(super) fn text(&mut self, count: u64, what: &'static str) -> Result<String, GgufError> {
        if count > self.left() {
            return Err(GgufError::Ends { what, offset: self.offset(), length: self.length });
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Ok(String::from_utf8_lossy(self.take(count, what)?).into_owned())
    }
}

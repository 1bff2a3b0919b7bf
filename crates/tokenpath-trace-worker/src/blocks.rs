//! The blocks of a file that were read last.

use tokenpath_import::{ReadAt, ReadFailed};

/// The bytes of a block. A browser needs about as long for 4 KiB of a file as for a mebibyte, and SQLite asks for
/// pages of 4 KiB, most often one after the other.
const BLOCK: usize = 1 << 20;

/// So many blocks are kept: 32 MiB, which holds the inner pages of several tables beside those that are being read.
const KEPT: usize = 32;

/// Where the header of a database states the versions that are needed for writing and for reading, and what they are
/// where a write-ahead log is used and where none is: <https://sqlite.org/fileformat2.html>, 1.3.3.
const VERSIONS: std::ops::Range<usize> = 18..20;
const WITH_LOG: u8 = 2;
const WITHOUT_LOG: u8 = 1;

/// A database's file, of which only the latest blocks are in memory.
pub struct Blocks<S> {
    source: S,
    /// By their number; the one used last stands last.
    kept: Vec<(u64, Vec<u8>)>,
    /// Which blocks have been read at least once, by their number.
    touched: Vec<bool>,
    read: u64,
    progress: Box<dyn FnMut(u64, u64)>,
}

impl<S: ReadAt> Blocks<S> {
    /// The blocks of `source`. After each block that is read for the first time, `progress` is told how many bytes have
    /// been, and of how many.
    pub fn new(source: S, progress: Box<dyn FnMut(u64, u64)>) -> Blocks<S> {
        Blocks { source, kept: Vec::new(), touched: Vec::new(), read: 0, progress }
    }

    /// The file's length in bytes.
    pub fn len(&self) -> u64 {
        self.source.len()
    }

    /// Whether the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Fills as much of `buffer` as there are bytes from `offset`, and tells how many. In the bytes of a header that
    /// states a write-ahead log, it states none: there is no such file here, and SQLite would look for it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, ReadFailed> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = offset + filled as u64;
            let block = self.block(at / BLOCK as u64)?;
            // Below the size of a block, so it is exact.
            let from = (at % BLOCK as u64) as usize;
            let Some(bytes) = block.get(from..).filter(|bytes| !bytes.is_empty()) else { break };
            let count = bytes.len().min(rest.len());
            for (to, byte) in rest.iter_mut().zip(bytes) {
                *to = *byte;
            }
            filled += count;
        }
        Ok(filled)
    }

    /// The bytes of a block; fewer than [`BLOCK`] at the end of the file, and none behind it.
    fn block(&mut self, number: u64) -> Result<&[u8], ReadFailed> {
        if let Some(at) = self.kept.iter().rposition(|(kept, _)| *kept == number) {
            let last = self.kept.len() - 1;
            if at < last {
                let found = self.kept.remove(at);
                self.kept.push(found);
            }
        } else {
            let bytes = self.load(number)?;
            if self.kept.len() == KEPT {
                self.kept.remove(0);
            }
            self.kept.push((number, bytes));
        }
        Ok(self.kept.last().map_or(&[], |(_, bytes)| bytes))
    }

    fn load(&mut self, number: u64) -> Result<Vec<u8>, ReadFailed> {
        let offset = number.saturating_mul(BLOCK as u64);
        let length = self.source.len().saturating_sub(offset).min(BLOCK as u64) as usize;
        let mut bytes = vec![0; length];
        if length > 0 {
            self.source.read_at(offset, &mut bytes)?;
            self.count(number, length);
        }
        if number == 0
            && let Some(versions) = bytes.get_mut(VERSIONS)
        {
            versions.iter_mut().filter(|version| **version == WITH_LOG).for_each(|version| *version = WITHOUT_LOG);
        }
        Ok(bytes)
    }

    fn count(&mut self, number: u64, length: usize) {
        let Ok(at) = usize::try_from(number) else { return };
        if self.touched.len() <= at {
            self.touched.resize(at + 1, false);
        }
        if let Some(touched) = self.touched.get_mut(at).filter(|touched| !**touched) {
            *touched = true;
            self.read += length as u64;
            (self.progress)(self.read, self.source.len());
        }
    }
}

/// Whether the header at the beginning of a database states that a write-ahead log may lie beside it.
pub fn states_log(head: &[u8]) -> bool {
    head.get(VERSIONS).is_some_and(|versions| versions.contains(&WITH_LOG))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::*;

    /// A file whose byte at `n` is `n` times 31 above 251, and which counts how often it is read.
    struct Counted {
        length: u64,
        reads: Rc<Cell<usize>>,
    }

    fn byte(at: u64) -> u8 {
        (at.wrapping_mul(31) % 251) as u8
    }

    impl ReadAt for Counted {
        fn len(&self) -> u64 {
            self.length
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
            assert!(offset + buffer.len() as u64 <= self.length, "nothing is asked for behind the end");
            self.reads.set(self.reads.get() + 1);
            for (at, place) in buffer.iter_mut().enumerate() {
                *place = byte(offset + at as u64);
            }
            Ok(())
        }
    }

    type Told = Rc<RefCell<Vec<(u64, u64)>>>;

    fn counted(length: u64) -> (Blocks<Counted>, Rc<Cell<usize>>, Told) {
        let reads = Rc::new(Cell::new(0));
        let told = Rc::new(RefCell::new(Vec::new()));
        let tells = Rc::clone(&told);
        let progress = Box::new(move |read, total| tells.borrow_mut().push((read, total)));
        (Blocks::new(Counted { length, reads: Rc::clone(&reads) }, progress), reads, told)
    }

    #[test]
    fn any_part_is_read_across_blocks_and_short_at_the_end() {
        let length = 3 * BLOCK as u64 + 100;
        let (mut blocks, reads, told) = counted(length);
        for (offset, wanted, filled) in [
            (1000, 4096, 4096),
            (BLOCK as u64 - 10, 20, 20),
            (BLOCK as u64 - 10, 2 * BLOCK, 2 * BLOCK),
            (length - 50, 4096, 50),
            (length, 16, 0),
            (length + 5 * BLOCK as u64, 16, 0),
        ] {
            let mut buffer = vec![0; wanted];
            assert_eq!(blocks.read(offset, &mut buffer).unwrap(), filled, "from {offset}");
            assert!((0..filled).all(|at| buffer[at] == byte(offset + at as u64)), "from {offset}");
        }
        assert_eq!(reads.get(), 4, "each block once");
        let mib = BLOCK as u64;
        assert_eq!(*told.borrow(), [mib, 2 * mib, 3 * mib, length].map(|read| (read, length)));
    }

    #[test]
    fn only_so_many_blocks_are_kept_and_the_one_not_used_longest_goes() {
        let (mut blocks, reads, told) = counted(100 * BLOCK as u64);
        let mut page = [0; 16];
        let mut read = |number: usize| blocks.read((number * BLOCK) as u64, &mut page).unwrap();
        (0..KEPT).for_each(|number| assert_eq!(read(number), 16));
        read(0);
        assert_eq!(reads.get(), KEPT);
        read(KEPT);
        read(0);
        assert_eq!(reads.get(), KEPT + 1, "block 0 was used after block 1");
        read(1);
        assert_eq!(reads.get(), KEPT + 2);
        assert_eq!(told.borrow().len(), KEPT + 1, "what is read again is not told again");
        assert_eq!(blocks.kept.len(), KEPT);
    }

    #[test]
    fn a_header_that_states_a_log_states_none() {
        let mut file = b"SQLite format 3\0\x10\0\x02\x02rest".to_vec();
        assert!(states_log(&file) && !states_log(&file[..18]) && !states_log(b""));
        let mut blocks = Blocks::new(file.clone(), Box::new(|_, _| {}));
        let mut head = [0; 24];
        assert_eq!(blocks.read(0, &mut head).unwrap(), 24);
        file[18] = 1;
        file[19] = 1;
        assert_eq!(head, file[..]);
        assert!(!states_log(&head));
    }
}

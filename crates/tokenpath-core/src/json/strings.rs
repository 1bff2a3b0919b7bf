//! Strings and nulls, each distinct string stored once: a column of a million names of twenty kernels is small.

use std::collections::HashMap;

/// Stands for a null cell.
const NO_TEXT: u32 = u32::MAX;

/// An array of strings and nulls.
#[derive(Clone, Default)]
pub struct Strings {
    /// For each cell the index of its string, or [`NO_TEXT`].
    cells: Vec<u32>,
    /// The distinct strings, one after the other.
    arena: String,
    /// Where in `arena` each distinct string ends.
    ends: Vec<usize>,
    /// The distinct string of each hash. A second string of the same hash is not indexed: it is stored anew each
    /// time, so that made-up collisions cost memory in proportion to their text and never a search.
    by_hash: HashMap<u64, u32>,
}

impl Strings {
    /// So many nulls.
    pub fn nulls(count: usize) -> Strings {
        Strings { cells: vec![NO_TEXT; count], ..Strings::default() }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The string of a cell; `None` when it is null or not there.
    pub fn get(&self, cell: usize) -> Option<&str> {
        self.distinct(*self.cells.get(cell)?)
    }

    /// Appends a cell.
    pub fn push(&mut self, text: Option<&str>) {
        let id = text.map_or(NO_TEXT, |text| self.intern(text));
        self.cells.push(id);
    }

    /// Makes a cell null.
    pub fn remove(&mut self, cell: usize) {
        if let Some(id) = self.cells.get_mut(cell) {
            *id = NO_TEXT;
        }
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.cells.iter().map(|id| self.distinct(*id))
    }

    /// These distinct strings, and so far no cells; room is made for `cells` of them.
    pub(super) fn of(distinct: &[&str], cells: usize) -> Strings {
        let mut out = Strings { cells: Vec::with_capacity(cells), ..Strings::default() };
        for text in distinct {
            out.arena.push_str(text);
            out.ends.push(out.arena.len());
        }
        for (id, text) in (0..NO_TEXT).zip(distinct) {
            out.by_hash.entry(fold(text)).or_insert(id);
        }
        out
    }

    /// Appends a cell with one of the distinct strings, by its place among them.
    pub(super) fn push_distinct(&mut self, at: Option<usize>) {
        self.cells.push(at.and_then(|at| u32::try_from(at).ok()).unwrap_or(NO_TEXT));
    }

    /// How many distinct strings there are.
    pub(super) fn distinct_count(&self) -> usize {
        self.ends.len()
    }

    /// A distinct string by its place among them.
    pub(super) fn distinct_at(&self, at: usize) -> Option<&str> {
        self.distinct(u32::try_from(at).ok()?)
    }

    /// The place of each cell's string among the distinct ones; `None` for a null.
    pub(super) fn cells(&self) -> impl Iterator<Item = Option<u32>> {
        self.cells.iter().map(|id| Some(*id).filter(|id| *id != NO_TEXT))
    }

    fn distinct(&self, id: u32) -> Option<&str> {
        let end = *self.ends.get(id as usize)?;
        let start = match (id as usize).checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.arena.get(start..end)
    }

    fn intern(&mut self, text: &str) -> u32 {
        let hash = fold(text);
        let known = self.by_hash.get(&hash).copied();
        if let Some(known) = known
            && self.distinct(known) == Some(text)
        {
            return known;
        }
        let id = u32::try_from(self.ends.len()).unwrap_or(NO_TEXT);
        self.arena.push_str(text);
        self.ends.push(self.arena.len());
        if known.is_none() {
            self.by_hash.insert(hash, id);
        }
        id
    }
}

/// A number of the string, fast and easy to make collide; see [`Strings::by_hash`].
fn fold(text: &str) -> u64 {
    let mut hash = text.len() as u64;
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        // An odd constant of mixed bits, the golden ratio's, spreads neighbouring names.
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash
}

impl PartialEq for Strings {
    fn eq(&self, other: &Strings) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Strings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: AsRef<str>> FromIterator<Option<T>> for Strings {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(texts: I) -> Strings {
        let mut out = Strings::default();
        for text in texts {
            out.push(text.as_ref().map(AsRef::as_ref));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_stored_once_and_cells_keep_their_own() {
        let texts = [Some("b"), None, Some("a"), Some("b"), Some(""), None, Some("")];
        let strings: Strings = texts.into_iter().collect();
        assert_eq!(strings.iter().collect::<Vec<_>>(), texts);
        assert_eq!(strings.arena, "ba");
        assert_eq!(strings.get(7), None);
    }

    #[test]
    fn a_second_string_of_one_hash_is_kept_apart() {
        let mut strings = Strings::default();
        strings.push(Some("first"));
        // Pretend that "second" has the hash of "first".
        strings.by_hash.insert(fold("second"), 0);
        strings.push(Some("second"));
        strings.push(Some("second"));
        strings.push(Some("first"));
        assert_eq!(strings.iter().collect::<Vec<_>>(), [Some("first"), Some("second"), Some("second"), Some("first")]);
    }
}

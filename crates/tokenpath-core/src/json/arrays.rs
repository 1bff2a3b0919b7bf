//! Arrays of integers, and nulls, in three vectors: a million short lists are no million allocations.

/// An array whose items are arrays of integers, or null.
#[derive(Clone, Default)]
pub struct Arrays {
    ends: Vec<usize>,
    null: Vec<bool>,
    items: Vec<i64>,
}

impl Arrays {
    /// So many nulls.
    pub fn nulls(count: usize) -> Arrays {
        Arrays { ends: vec![0; count], null: vec![true; count], items: Vec::new() }
    }

    /// Number of arrays and nulls.
    pub fn len(&self) -> usize {
        self.null.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.null.is_empty()
    }

    /// The array at `index`; `None` when it is null or not there. A null inside it is [`super::NULL`].
    pub fn get(&self, index: usize) -> Option<&[i64]> {
        if *self.null.get(index)? {
            return None;
        }
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.items.get(start..*self.ends.get(index)?)
    }

    /// Appends an array or a null.
    pub fn push(&mut self, array: Option<&[i64]>) {
        self.null.push(array.is_none());
        self.items.extend_from_slice(array.unwrap_or(&[]));
        self.ends.push(self.items.len());
    }

    /// Makes one of them null.
    pub fn remove(&mut self, index: usize) {
        if let Some(null) = self.null.get_mut(index) {
            *null = true;
        }
    }

    /// All arrays and nulls.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[i64]>> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl PartialEq for Arrays {
    fn eq(&self, other: &Arrays) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Arrays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<A: AsRef<[i64]>> FromIterator<Option<A>> for Arrays {
    fn from_iter<I: IntoIterator<Item = Option<A>>>(arrays: I) -> Arrays {
        let mut out = Arrays::default();
        for array in arrays {
            out.push(array.as_ref().map(AsRef::as_ref));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_nulls_keep_their_place() {
        let mut arrays = Arrays::nulls(1);
        for array in [Some(&[1, 2][..]), Some(&[]), None, Some(&[3])] {
            arrays.push(array);
        }
        let all: Vec<Option<&[i64]>> = arrays.iter().collect();
        assert_eq!(all, [None, Some(&[1, 2][..]), Some(&[]), None, Some(&[3])]);
        arrays.remove(1);
        assert_eq!((arrays.get(1), arrays.get(4)), (None, Some(&[3][..])));
        // What was removed does not tell two arrays apart.
        assert_eq!(arrays, [None, None, Some(vec![]), None, Some(vec![3])].into_iter().collect());
    }
}

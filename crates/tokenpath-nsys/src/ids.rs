//! Maps from the numbers of an export: looked up once a row, so the standard hasher would be a tenth of the time.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// A map from numbers.
pub(crate) type IdMap<V> = HashMap<Option<i64>, V, Seeded>;

/// Values that rows repeat, each kept once; a row holds the number of its own.
#[derive(Clone, Debug)]
pub(crate) struct Distinct<V> {
    numbers: HashMap<V, u32, Seeded>,
    values: Vec<V>,
    /// That of the row before, which is most often that of the next.
    last: u32,
}

impl<V> Default for Distinct<V> {
    fn default() -> Distinct<V> {
        Distinct { numbers: HashMap::default(), values: Vec::new(), last: 0 }
    }
}

impl<V: Copy + Eq + Hash> Distinct<V> {
    /// The number of a value, a new one if it is new.
    pub(crate) fn number(&mut self, value: V) -> u32 {
        if self.get(self.last) != Some(value) {
            // A table of 2^32 different values would not fit the memory before.
            let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
            self.last = *self.numbers.entry(value).or_insert(next);
            if self.last == next {
                self.values.push(value);
            }
        }
        self.last
    }

    /// The value of a number.
    pub(crate) fn get(&self, number: u32) -> Option<V> {
        self.values.get(number as usize).copied()
    }

    /// All values, in the order of their numbers.
    pub(crate) fn values(&self) -> &[V] {
        &self.values
    }
}

/// Hashes numbers by one multiplication, with a seed of its own for each map, so that no file can be made to collide.
#[derive(Clone, Debug)]
pub(crate) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Seeded {
        Seeded(RandomState::new().build_hasher().finish())
    }
}

impl BuildHasher for Seeded {
    type Hasher = Multiplied;

    fn build_hasher(&self) -> Multiplied {
        Multiplied(self.0)
    }
}

/// The state.
#[derive(Clone, Debug)]
pub(crate) struct Multiplied(u64);

impl Multiplied {
    fn mix(&mut self, value: u64) {
        // The product's upper half depends on all bits of both factors; the constant is odd and without a pattern.
        let product = u128::from(self.0 ^ value) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for Multiplied {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.mix(u64::from(*byte));
        }
    }

    fn write_i64(&mut self, value: i64) {
        self.mix(value.cast_unsigned());
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_isize(&mut self, value: isize) {
        self.mix(value as u64);
    }
}

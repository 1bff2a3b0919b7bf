//! The tensor types of ggml: name, elements in a block, bytes of a block. From ggml's `type_traits`.

/// A tensor type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Its number in files.
    pub id: u32,
    /// Its name as ggml spells it.
    pub name: &'static str,
    /// Elements in a block.
    pub block: u64,
    /// Bytes of a block.
    pub bytes: u64,
}

const fn of(id: u32, name: &'static str, block: u64, bytes: u64) -> Type {
    Type { id, name, block, bytes }
}

/// Every type that has not been removed again; the numbers 4, 5, 31 to 33 and 36 to 38 were.
pub const TYPES: [Type; 34] = [
    of(0, "f32", 1, 4),
    of(1, "f16", 1, 2),
    of(2, "q4_0", 32, 18),
    of(3, "q4_1", 32, 20),
    of(6, "q5_0", 32, 22),
    of(7, "q5_1", 32, 24),
    of(8, "q8_0", 32, 34),
    of(9, "q8_1", 32, 40),
    of(10, "q2_K", 256, 84),
    of(11, "q3_K", 256, 110),
    of(12, "q4_K", 256, 144),
    of(13, "q5_K", 256, 176),
    of(14, "q6_K", 256, 210),
    of(15, "q8_K", 256, 292),
    of(16, "iq2_xxs", 256, 66),
    of(17, "iq2_xs", 256, 74),
    of(18, "iq3_xxs", 256, 98),
    of(19, "iq1_s", 256, 50),
    of(20, "iq4_nl", 32, 18),
    of(21, "iq3_s", 256, 110),
    of(22, "iq2_s", 256, 82),
    of(23, "iq4_xs", 256, 136),
    of(24, "i8", 1, 1),
    of(25, "i16", 1, 2),
    of(26, "i32", 1, 4),
    of(27, "i64", 1, 8),
    of(28, "f64", 1, 8),
    of(29, "iq1_m", 256, 56),
    of(30, "bf16", 1, 2),
    of(34, "tq1_0", 256, 54),
    of(35, "tq2_0", 256, 66),
    of(39, "mxfp4", 32, 17),
    of(40, "nvfp4", 64, 36),
    of(41, "q1_0", 128, 18),
];

/// The type with this number.
pub fn by_id(id: u32) -> Option<Type> {
    TYPES.iter().copied().find(|known| known.id == id)
}

/// The type of this name.
pub fn by_name(name: &str) -> Option<Type> {
    TYPES.iter().copied().find(|known| known.name == name)
}

impl Type {
    /// Bytes of a tensor of these sizes; `None` when the first is no whole number of blocks or the product overflows.
    pub fn size(self, sizes: &[u64]) -> Option<u64> {
        let first = sizes.first().copied().unwrap_or(1);
        if first % self.block != 0 {
            return None;
        }
        let row = (first / self.block).checked_mul(self.bytes)?;
        sizes.iter().skip(1).try_fold(row, |bytes, size| bytes.checked_mul(*size))
    }
}

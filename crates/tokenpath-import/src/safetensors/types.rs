//! The element types of safetensors and their bits. From the format's documentation.

/// An element type: its spelling in files and the bits of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// As files spell it.
    pub spelling: &'static str,
    /// As bundles spell it.
    pub name: &'static str,
    /// Bits of one element; several elements may share a byte.
    pub bits: u64,
}

const fn of(spelling: &'static str, name: &'static str, bits: u64) -> Dtype {
    Dtype { spelling, name, bits }
}

/// Every type that the library knows.
pub const DTYPES: [Dtype; 22] = [
    of("BOOL", "bool", 8),
    of("F4", "f4", 4),
    of("F6_E2M3", "f6_e2m3", 6),
    of("F6_E3M2", "f6_e3m2", 6),
    of("U8", "u8", 8),
    of("I8", "i8", 8),
    of("F8_E5M2", "f8_e5m2", 8),
    of("F8_E4M3", "f8_e4m3", 8),
    of("F8_E8M0", "f8_e8m0", 8),
    of("F8_E4M3FNUZ", "f8_e4m3fnuz", 8),
    of("F8_E5M2FNUZ", "f8_e5m2fnuz", 8),
    of("I16", "i16", 16),
    of("U16", "u16", 16),
    of("F16", "f16", 16),
    of("BF16", "bf16", 16),
    of("I32", "i32", 32),
    of("U32", "u32", 32),
    of("F32", "f32", 32),
    of("C64", "c64", 64),
    of("F64", "f64", 64),
    of("I64", "i64", 64),
    of("U64", "u64", 64),
];

/// The type with this spelling.
pub fn by_spelling(spelling: &str) -> Option<Dtype> {
    DTYPES.iter().copied().find(|known| known.spelling == spelling)
}

impl Dtype {
    /// Bytes of a tensor of these sizes; `None` when the product overflows or is no whole number of bytes.
    pub fn size(self, sizes: &[u64]) -> Option<u64> {
        let bits = sizes.iter().try_fold(self.bits, |product, size| product.checked_mul(*size))?;
        (bits % 8 == 0).then_some(bits / 8)
    }
}

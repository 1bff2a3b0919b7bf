//! One matrix, vector or table that a block holds.

/// A weight of a block, or several of one shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// What it is for, in the words of the bundle's column `/model/tensors/role`.
    pub role: &'static str,
    /// Sizes in elements, the fastest-moving dimension first: for a matrix, what it reads, then what it gives.
    pub shape: Vec<u64>,
    /// How many of them there are: 1, or the number of experts.
    pub copies: u64,
    /// How many of them one token addresses.
    pub used: u64,
}

impl Weight {
    /// A matrix from `input` to `output` values.
    pub fn matrix(role: &'static str, input: u64, output: u64) -> Self {
        Weight { role, shape: vec![input, output], copies: 1, used: 1 }
    }

    /// A vector.
    pub fn vector(role: &'static str, width: u64) -> Self {
        Weight { role, shape: vec![width], copies: 1, used: 1 }
    }

    /// The same once for each of `copies` experts, of which a token addresses `used`.
    pub fn each(mut self, copies: u64, used: u64) -> Self {
        self.copies = copies;
        self.used = used;
        self
    }

    /// Elements of one of them; saturates, as hostile fields reach any size.
    pub fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |product: u64, size| product.saturating_mul(*size))
    }

    /// Elements of all of them.
    pub fn total(&self) -> u64 {
        self.elements().saturating_mul(self.copies)
    }

    /// Elements of those that one token addresses.
    pub fn addressed(&self) -> u64 {
        self.elements().saturating_mul(self.used)
    }
}

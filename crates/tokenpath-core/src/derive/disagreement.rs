//! Disagreements: two sources that speak of one thing and differ. Both stand; nothing is repaired.

use crate::fact::Fact;

/// Two or more readings of one thing that differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// What they speak of, in words that can begin a sentence ("The generation's time").
    pub what: String,
    /// Each source in words and what it says.
    pub readings: Vec<(String, Fact)>,
    /// How far apart they are, where that is one number.
    pub difference: Option<Fact>,
    /// What it may mean, a sentence or two.
    pub may_mean: String,
}

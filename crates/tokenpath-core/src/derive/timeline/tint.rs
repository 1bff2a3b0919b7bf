//! Tints: the ways in which things on a timeline are filled. Colours are the pages' business.

use crate::derive::part::Part;

/// How a thing on a timeline is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tint {
    /// Neither a part nor a pass: a plain bar.
    #[default]
    Plain,
    /// A prefill pass.
    Prefill,
    /// A decode pass.
    Decode,
    /// A part of the model.
    Part(Part),
}

impl Tint {
    /// How many there are.
    pub const COUNT: usize = 3 + Part::ALL.len();

    /// Every tint, in the order in which ties are decided.
    pub const ALL: [Tint; Tint::COUNT] = {
        let mut all = [Tint::Plain; Tint::COUNT];
        all[1] = Tint::Prefill;
        all[2] = Tint::Decode;
        let mut part = 0;
        while part < Part::ALL.len() {
            all[3 + part] = Tint::Part(Part::ALL[part]);
            part += 1;
        }
        all
    };

    /// Its place in [`Tint::ALL`].
    pub fn index(self) -> usize {
        match self {
            Tint::Plain => 0,
            Tint::Prefill => 1,
            Tint::Decode => 2,
            Tint::Part(part) => 3 + part as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tint;

    #[test]
    fn the_index_is_the_place_in_the_list() {
        for (place, tint) in Tint::ALL.into_iter().enumerate() {
            assert_eq!(tint.index(), place);
        }
    }
}

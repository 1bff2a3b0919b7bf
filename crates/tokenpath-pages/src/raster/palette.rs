//! The colours of a raster: those of the style sheet's tokens, in both themes.

use tokenpath_core::derive::part::Part;

/// An opaque colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

/// What scenes are drawn with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The page: `--bg`.
    pub background: Colour,
    /// Quiet strips: `--well`.
    pub well: Colour,
    /// Work of the CPU, flows: `--ink2`.
    pub ink2: Colour,
    /// Grid lines: `--rule`.
    pub rule: Colour,
    /// Outlines of segments: `--line`.
    pub line: Colour,
    /// What is selected: `--accent`.
    pub accent: Colour,
    /// Time without a record: `--hatch`.
    pub hatch: Colour,
    /// Prefill passes: `--pre`.
    pub prefill: Colour,
    /// Decode passes and plain bars: `--bar`.
    pub bar: Colour,
    /// For each part, in the order of [`Part::ALL`], its colour and the ink of its texture.
    pub parts: [(Colour, Colour); Part::ALL.len()],
}

impl Colour {
    /// The colour `0xRRGGBB`.
    pub const fn hex(value: u32) -> Colour {
        let [_, red, green, blue] = value.to_be_bytes();
        Colour { red, green, blue }
    }

    /// As a pixel.
    pub fn opaque(self) -> [u8; 4] {
        [self.red, self.green, self.blue, 255]
    }

    /// This colour under `share` of another.
    pub fn under(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Colour { red: mix(self.red, other.red), green: mix(self.green, other.green), blue: mix(self.blue, other.blue) }
    }
}

impl Palette {
    /// The light theme.
    pub fn light() -> Palette {
        Palette {
            background: Colour::hex(0xfdfdfc),
            well: Colour::hex(0xecece8),
            ink2: Colour::hex(0x474c53),
            rule: Colour::hex(0xdfdfda),
            line: Colour::hex(0x85898f),
            accent: Colour::hex(0x1d4fc4),
            hatch: Colour::hex(0xa0a49f),
            prefill: Colour::hex(0x43484f),
            bar: Colour::hex(0x8d939b),
            parts: [
                (Colour::hex(0x1e2739), Colour::hex(0x4b5a78)),
                (Colour::hex(0x00715f), Colour::hex(0x2c9482)),
                (Colour::hex(0xc68b18), Colour::hex(0xa87208)),
                (Colour::hex(0x878c95), Colour::hex(0x5c6169)),
                (Colour::hex(0x99b9bb), Colour::hex(0x35686b)),
                (Colour::hex(0x7e37a6), Colour::hex(0xb98bd3)),
                (Colour::hex(0x673200), Colour::hex(0xa9794c)),
                (Colour::hex(0xdededc), Colour::hex(0x8c9096)),
            ],
        }
    }

    /// The dark theme.
    pub fn dark() -> Palette {
        Palette {
            background: Colour::hex(0x131517),
            well: Colour::hex(0x24282c),
            ink2: Colour::hex(0xb9bdc2),
            rule: Colour::hex(0x2b2f33),
            line: Colour::hex(0x70757c),
            accent: Colour::hex(0x8fb1ff),
            hatch: Colour::hex(0x565b60),
            prefill: Colour::hex(0xc9cdd2),
            bar: Colour::hex(0x5d646c),
            parts: [
                (Colour::hex(0xb9c8dc), Colour::hex(0x94a6bf)),
                (Colour::hex(0x56b09b), Colour::hex(0x3b8c79)),
                (Colour::hex(0xd8a435), Colour::hex(0xb8861f)),
                (Colour::hex(0x757c80), Colour::hex(0x4a5054)),
                (Colour::hex(0x165e64), Colour::hex(0x6fbcc3)),
                (Colour::hex(0xb877e2), Colour::hex(0x7d47a3)),
                (Colour::hex(0x8f5f20), Colour::hex(0xd0a05c)),
                (Colour::hex(0x333639), Colour::hex(0x686e75)),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The style sheet is where the colours are decided; a raster that differs from it would not match its legend.
    const TOKENS: &str = include_str!("../../../../www/style/01-tokens.css");

    fn token(theme: &str, name: &str) -> Colour {
        let at = theme.find(&format!("--{name}:#")).unwrap_or_else(|| panic!("no token {name}"));
        let hex = &theme[at + name.len() + 4..][..6];
        Colour::hex(u32::from_str_radix(hex, 16).unwrap())
    }

    #[test]
    fn palettes_are_the_style_sheets() {
        let (light, dark) = TOKENS.split_once(":root.dark").unwrap();
        for (theme, palette) in [(light, Palette::light()), (dark, Palette::dark())] {
            for (name, colour) in [
                ("bg", palette.background),
                ("well", palette.well),
                ("ink2", palette.ink2),
                ("rule", palette.rule),
                ("line", palette.line),
                ("accent", palette.accent),
                ("hatch", palette.hatch),
                ("pre", palette.prefill),
                ("bar", palette.bar),
            ] {
                assert_eq!(token(theme, name), colour, "{name}");
            }
            for (part, name) in Part::ALL.into_iter().zip(["emb", "att", "ffn", "nrm", "kv", "pos", "elt", "un"]) {
                let (fill, ink) = palette.parts[part as usize];
                assert_eq!(token(theme, name), fill, "{name}");
                assert_eq!(token(theme, &format!("{name}-t")), ink, "{name}-t");
            }
        }
    }
}

//! Tiny scenes compared with pixels worked out by hand from the palette and the textures of `symbols.svg`.

use tokenpath_core::derive::part::Part;
use tokenpath_core::item::Item;

use super::{Palette, Raster};
use crate::scene::{Bar, Fill, Hatch, Layout, Line, Of, Outline, Scene, Stroke, Viewport};

/// An empty scene of 110 by 12 pixels.
fn scene() -> Scene {
    let view = Viewport::new(0, 1000, 110, 12, 1.0);
    assert_eq!((view.width, view.height), (110, 12));
    Scene {
        view,
        layout: Layout::default(),
        hatches: Vec::new(),
        bars: Vec::new(),
        lanes: Vec::new(),
        map_range: (0, 1000),
        map: Vec::new(),
        map_hatches: Vec::new(),
        lines: Vec::new(),
        outlines: Vec::new(),
        texts: Vec::new(),
        marked: 0,
        flows: (0, 0),
    }
}

fn bar(x: u32, width: u32, y: u32, height: u32, fill: Fill) -> Bar {
    Bar { x, width, y, height, fill, of: Of::One { item: Item::Interval(0), start: 0, end: None } }
}

/// The drawing as rows of letters: one for each colour, in the order of `known`.
fn letters(scene: &Scene, known: &[(char, u32)]) -> Vec<String> {
    let mut raster = Raster::new(Palette::light(), 1.0);
    let pixels = raster.draw(scene);
    assert_eq!(pixels.len(), 110 * 12 * 4);
    let letter = |pixel: &[u8]| {
        assert_eq!(pixel[3], 255, "every pixel is opaque");
        let colour = u32::from_be_bytes([0, pixel[0], pixel[1], pixel[2]]);
        known.iter().find(|(_, of)| *of == colour).map_or_else(|| panic!("{colour:06x} is not expected"), |(c, _)| *c)
    };
    pixels.chunks_exact(110 * 4).map(|row| row.chunks_exact(4).take(24).map(letter).collect()).collect()
}

const PAGE: (char, u32) = ('.', 0xfdfdfc);

#[test]
fn plain_fills_by_hand() {
    let mut scene = scene();
    // Wide bars leave their last pixel free, narrow ones do not.
    scene.bars = vec![
        bar(1, 6, 1, 3, Fill::Part(Part::FeedForward)),
        bar(7, 3, 2, 2, Fill::Prefill),
        bar(10, 1, 0, 5, Fill::Ink),
        bar(12, 8, 1, 4, Fill::Boxed),
        bar(22, 4, 9, 9, Fill::Bar),
    ];
    let known =
        [PAGE, ('f', 0xc68b18), ('p', 0x43484f), ('i', 0x474c53), ('w', 0xecece8), ('l', 0x85898f), ('b', 0x8d939b)];
    let drawn = letters(&scene, &known);
    let right = [
        "..........i.............",
        ".fffff....i.lllllll.....",
        ".fffff.pppi.lwwwwwl.....",
        ".fffff.pppi.lwwwwwl.....",
        "..........i.lllllll.....",
        "........................",
        "........................",
        "........................",
        "........................",
        "......................bb",
        "......................bb",
        "......................bb",
    ];
    assert_eq!(drawn, right);
}

#[test]
fn textures_by_hand() {
    let mut scene = scene();
    scene.bars = vec![bar(0, 13, 0, 12, Fill::Part(Part::Attention))];
    // The line of the texture is 0.9 wide in the middle of every sixth row. Eight samples a pixel lie at 1/16, 3/16 and
    // so on: all eight are within 0.45 of its middle, so the whole row takes the ink.
    let known = [PAGE, ('a', 0x00715f), ('t', 0x2c9482)];
    let drawn = letters(&scene, &known);
    for (y, row) in drawn.iter().enumerate() {
        let letter = if y % 6 == 5 { "t" } else { "a" };
        assert_eq!(*row, format!("{}{}", letter.repeat(12), ".".repeat(12)), "row {y}");
    }
}

#[test]
fn the_hatch_is_lines_at_45_degrees() {
    let mut scene = scene();
    scene.hatches = vec![Hatch { x: 0, width: 24, y: 0, height: 12, row: None }];
    let mut raster = Raster::new(Palette::light(), 1.0);
    let pixels: Vec<[u8; 4]> =
        raster.draw(&scene).chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
    let at = |x: usize, y: usize| pixels[y * 110 + x];
    for y in 0..11 {
        for x in 1..23 {
            // One pixel down is one to the left.
            assert_eq!(at(x, y), at(x - 1, y + 1));
        }
    }
    // Ten pixels from line to line, and most of the ground between them is the page.
    assert_eq!(at(0, 0), at(10, 0));
    assert_ne!(at(0, 0), [0xfd, 0xfd, 0xfc, 255]);
    assert_eq!(at(5, 0), [0xfd, 0xfd, 0xfc, 255]);
}

#[test]
fn frames_lie_around_and_lines_have_heads() {
    let mut scene = scene();
    scene.outlines = vec![Outline { x: 4, width: 3, y: 3, height: 3 }];
    scene.lines = vec![
        Line { from: (12.0, 0.0), to: (12.0, 11.0), stroke: Stroke::Grid },
        Line { from: (18.0, 0.0), to: (18.0, 9.0), stroke: Stroke::Flow },
    ];
    let known = [PAGE, ('s', 0x1d4fc4), ('g', 0xdfdfda), ('i', 0x474c53)];
    let drawn = letters(&scene, &known);
    // Two pixels of frame, one outside and one inside.
    assert_eq!(&drawn[2][..10], "...sssss..");
    assert_eq!(&drawn[3][..10], "...sssss..");
    assert_eq!(&drawn[4][..10], "...ss.ss..");
    assert_eq!(&drawn[6][..10], "...sssss..");
    assert_eq!(&drawn[7][..10], "..........");
    assert!(drawn.iter().all(|row| &row[12..13] == "g"));
    // The head widens backwards from the line's end.
    let width = |y: usize| drawn[y].matches('i').count();
    assert_eq!(width(0), 1);
    assert!(width(4) > width(7) && width(7) >= width(9) && width(9) >= 1, "{drawn:#?}");
    assert_eq!(width(11), 0);
}

#[test]
fn nothing_is_drawn_outside() {
    let mut scene = scene();
    scene.bars = vec![bar(100, 5000, 8, 5000, Fill::Ink), bar(5000, 3, 5000, 3, Fill::Ink)];
    scene.outlines = vec![Outline { x: 0, width: 4000, y: 0, height: 4000 }];
    scene.lines = vec![
        Line { from: (-50.0, -50.0), to: (9000.0, 9000.0), stroke: Stroke::Flow },
        Line { from: (0.0, 0.0), to: (f64::NAN, 1e300), stroke: Stroke::Flow },
    ];
    for scale in [0.5, 1.0, 1.5, 3.0] {
        let mut raster = Raster::new(Palette::dark(), scale);
        assert_eq!(raster.draw(&scene).len(), 110 * 12 * 4);
    }
}

//! Where the boxes of a schematic stand and how its arrows run. Plain geometry in pixels; draws nothing.

use tokenpath_core::derive::block::patterns::{MIXED, OUT, OUT_ROWS, RESIDUAL};
use tokenpath_core::derive::block::{Arrow, ArrowKind, Matched, Terminal};

/// Height of a box.
pub(super) const BOX: f64 = 26.0;
/// From one row of boxes to the next.
const ROW: f64 = 38.0;
/// Between columns.
const GAP: f64 = 22.0;
/// From a frame to the boxes in it.
const INSET: f64 = 12.0;
/// Where the first frame begins, right of the arrow that enters.
const ENTER: f64 = 46.0;
/// Space for a frame's name.
const NAME: f64 = 22.0;

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Rect {
    fn right(self) -> f64 {
        self.x + self.width
    }

    fn bottom(self) -> f64 {
        self.y + self.height
    }

    fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// An arrow as a line through corners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) corners: Vec<(f64, f64)>,
    pub(super) kind: ArrowKind,
}

/// A schematic laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    /// One for each group of the match.
    pub(super) boxes: Vec<Rect>,
    /// One for each half.
    pub(super) frames: [Rect; 2],
    pub(super) lines: Vec<Line>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Where the arrow that enters the layer begins.
    pub(super) enter: (f64, f64),
    /// Arrows from or to the outside that have no line, by group: they are told in words.
    pub(super) untold: Vec<(usize, bool)>,
}

/// About the width of a text of 11 px.
fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.3
}

fn box_width(label: &str) -> f64 {
    (text_width(label) + 20.0).max(26.0)
}

/// Lays out a match.
pub(super) fn layout(matched: &Matched) -> Layout {
    let rows = || matched.groups.iter().map(|group| group.group.row).filter(|row| *row != RESIDUAL);
    let (top, low) = (rows().min().unwrap_or(0), rows().max().unwrap_or(0));
    let centre = |row: i8| NAME + 18.0 + f64::from(row - top) * ROW + BOX / 2.0;
    let residual = centre(low) + BOX / 2.0 + 34.0;
    let mut boxes = vec![Rect { x: 0.0, y: 0.0, width: 0.0, height: BOX }; matched.groups.len()];
    let mut frames = [Rect { x: 0.0, y: 6.0, width: 0.0, height: 0.0 }; 2];
    let mut x = ENTER;
    for (half, frame) in frames.iter_mut().enumerate() {
        frame.x = x;
        x += INSET;
        let of_half = || matched.groups.iter().enumerate().filter(|(_, group)| group.half == half);
        let of_frame =
            of_half().map(|(_, group)| group.group).filter(|group| ![MIXED, OUT, OUT_ROWS].contains(&group.key));
        let lowest = of_frame.map(|group| group.row).filter(|row| *row != RESIDUAL).max().unwrap_or(0);
        frame.height = centre(lowest) + BOX / 2.0 + 12.0 - frame.y;
        let mut columns: Vec<u8> = of_half().map(|(_, group)| group.group.column).collect();
        columns.sort_unstable();
        columns.dedup();
        for column in columns {
            let in_column = || of_half().filter(|(_, group)| group.group.column == column);
            let joins = in_column().any(|(_, group)| [MIXED, OUT].contains(&group.group.key));
            if joins {
                // The residual add stands outside the frame.
                frame.width = x - GAP + INSET - frame.x;
                x += INSET;
            }
            let width = in_column().map(|(_, group)| box_width(group.group.label)).fold(0.0, f64::max);
            for (at, group) in in_column() {
                let middle = if group.group.row == RESIDUAL { residual } else { centre(group.group.row) };
                if let Some(rect) = boxes.get_mut(at) {
                    let own = box_width(group.group.label);
                    *rect = Rect { x, y: middle - BOX / 2.0, width: own, height: BOX };
                }
            }
            x += width + GAP;
        }
    }
    let enter = (0.0, centre(0));
    let width = x + 2.0;
    let height = residual + 14.0;
    let plan = Plan { matched, boxes: &boxes, residual, width };
    let mut untold = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut used: Vec<(f64, f64, f64)> = Vec::new();
    for arrow in &matched.arrows {
        match plan.route(arrow, &mut used) {
            Some(corners) => lines.push(Line { corners, kind: arrow.kind }),
            None => match (arrow.from, arrow.to) {
                (Terminal::Outside, Terminal::Group(group)) => untold.push((group, true)),
                (Terminal::Group(group), Terminal::Outside) => untold.push((group, false)),
                _ => {}
            },
        }
    }
    spread(&mut lines);
    Layout { boxes, frames, lines, width, height, enter, untold }
}

struct Plan<'a> {
    matched: &'a Matched,
    boxes: &'a [Rect],
    residual: f64,
    width: f64,
}

impl Plan<'_> {
    fn key(&self, group: usize) -> (&'static str, usize) {
        self.matched.groups.get(group).map_or(("", 0), |group| (group.group.key, group.half))
    }

    fn rect(&self, group: usize) -> Option<Rect> {
        self.boxes.get(group).copied()
    }

    /// Whether a horizontal stretch crosses no box; its ends may touch `from` and `to`.
    fn free_across(&self, y: f64, x1: f64, x2: f64, skip: &[usize]) -> bool {
        self.boxes.iter().enumerate().all(|(at, rect)| {
            skip.contains(&at)
                || y < rect.y - 2.0
                || y > rect.bottom() + 2.0
                || x2 < rect.x - 2.0
                || x1 > rect.right() + 2.0
        })
    }

    /// Whether a vertical stretch crosses no box.
    fn free_down(&self, x: f64, y1: f64, y2: f64, skip: &[usize]) -> bool {
        let (y1, y2) = (y1.min(y2), y1.max(y2));
        self.boxes.iter().enumerate().all(|(at, rect)| {
            skip.contains(&at)
                || x < rect.x - 2.0
                || x > rect.right() + 2.0
                || y2 < rect.y - 2.0
                || y1 > rect.bottom() + 2.0
        })
    }

    /// The corners of an arrow; `None` for one that enters or leaves where no line is drawn.
    fn route(&self, arrow: &Arrow, used: &mut Vec<(f64, f64, f64)>) -> Option<Vec<(f64, f64)>> {
        match (arrow.from, arrow.to) {
            (Terminal::Outside, Terminal::Group(to)) => self.entering(to),
            (Terminal::Group(from), Terminal::Outside) => {
                let rect = self.rect(from).filter(|_| [OUT, OUT_ROWS].contains(&self.key(from).0))?;
                Some(vec![(rect.right(), rect.middle().1), (self.width, rect.middle().1)])
            }
            (Terminal::Group(from), Terminal::Group(to)) => self.between(from, to, used),
            (Terminal::Outside, Terminal::Outside) => None,
        }
    }

    fn entering(&self, to: usize) -> Option<Vec<(f64, f64)>> {
        let rect = self.rect(to)?;
        let (key, half) = self.key(to);
        let first = self.matched.groups.iter().position(|group| group.half == 0 && group.group.column == 0)?;
        let middle = self.rect(first)?.middle().1;
        let branch = ENTER - 16.0;
        match (key, half) {
            _ if to == first => Some(vec![(0.0, middle), (rect.x, middle)]),
            (MIXED, _) => Some(vec![
                (branch, middle),
                (branch, self.residual),
                (rect.middle().0, self.residual),
                (rect.middle().0, rect.bottom()),
            ]),
            ("inrows", 0) => Some(vec![(branch, middle), (branch, self.residual), (rect.x, self.residual)]),
            _ => None,
        }
    }

    fn between(&self, from: usize, to: usize, used: &mut Vec<(f64, f64, f64)>) -> Option<Vec<(f64, f64)>> {
        let (a, b) = (self.rect(from)?, self.rect(to)?);
        let ((ax, ay), (bx, by)) = (a.middle(), b.middle());
        let skip = [from, to];
        if self.key(from).0 == MIXED && self.key(to).0 == OUT {
            let branch = a.right() + 7.0;
            return Some(vec![(branch, ay), (branch, self.residual), (bx, self.residual), (bx, b.bottom())]);
        }
        let same_row = (ay - by).abs() < 1.0;
        if same_row && b.x > a.x && self.free_across(ay, a.right(), b.x, &skip) {
            return Some(vec![(a.right(), ay), (b.x, by)]);
        }
        if !same_row && b.x > a.x {
            let lane = a.right() + GAP / 2.0;
            let end = if by > ay { b.y } else { b.bottom() };
            let across_first = self.free_across(ay, a.right(), bx, &skip) && self.free_down(bx, ay, end, &skip);
            let down_first = self.free_down(lane, ay, by, &skip) && self.free_across(by, lane, b.x, &skip);
            let fans_out = self.matched.arrows.iter().filter(|arrow| arrow.from == Terminal::Group(from)).count() > 1;
            if across_first && !(fans_out && down_first) {
                return Some(vec![(a.right(), ay), (bx, ay), (bx, end)]);
            }
            if down_first {
                return Some(vec![(a.right(), ay), (lane, ay), (lane, by), (b.x, by)]);
            }
        }
        // Over what lies between, on a lane of its own above the higher of the two rows.
        let mut lane = a.y.min(b.y) - 8.0;
        let (x1, x2) = (ax.min(bx), ax.max(bx));
        while used.iter().any(|(y, from, to)| (y - lane).abs() < 3.0 && x1 < *to && x2 > *from) {
            lane -= 5.0;
        }
        used.push((lane, x1, x2));
        Some(vec![(ax, a.y), (ax, lane), (bx, lane), (bx, b.y)])
    }
}

/// Moves lines that would end in the same point apart.
fn spread(lines: &mut [Line]) {
    for i in 0..lines.len() {
        let Some((&(x, y), &(before, _))) = lines.get(i).and_then(|line| {
            let mut corners = line.corners.iter().rev();
            Some((corners.next()?, corners.next()?))
        }) else {
            continue;
        };
        // Only lines that end in the top or bottom of a box: those from the left may share their last stretch.
        if (before - x).abs() > 0.5 {
            continue;
        }
        let earlier = lines.iter().take(i).filter(|line| {
            line.corners.last().is_some_and(|(other, at)| (at - y).abs() < 0.5 && (other - x).abs() < 9.0)
        });
        let shift = match earlier.count() {
            0 => continue,
            odd if odd % 2 == 1 => 8.0,
            _ => -8.0,
        };
        if let Some(line) = lines.get_mut(i) {
            let last = line.corners.len();
            for corner in line.corners.iter_mut().skip(last.saturating_sub(2)) {
                corner.0 += shift;
            }
        }
    }
}

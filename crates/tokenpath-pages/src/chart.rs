//! Statistical charts. The only user of plotters; what it draws is made to follow the theme.
//!
//! plotters writes colours into its SVG. Each role here is drawn in a colour that stands for it, and the colour is
//! replaced by the theme's variable afterwards, so that charts follow light, dark and print like everything else.

use plotters::coord::Shift;
use plotters::prelude::{
    ChartBuilder, Color, DrawingArea, IntoDrawingArea, IntoFont, PathElement, RGBColor, Rectangle, SVGBackend, Text,
    TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tokenpath_core::derive::histogram::Histogram;

use crate::format;
use crate::html::{Markup, PreEscaped, html};

const BAR: RGBColor = RGBColor(1, 0, 0);
const TAIL: RGBColor = RGBColor(2, 0, 0);
const AXIS: RGBColor = RGBColor(3, 0, 0);
const GRID: RGBColor = RGBColor(4, 0, 0);
const INK: RGBColor = RGBColor(5, 0, 0);
const QUIET: RGBColor = RGBColor(6, 0, 0);
const MARK: RGBColor = RGBColor(7, 0, 0);

/// What stands in plotters' output for each role, and what the theme has in its place.
const THEME: [(&str, &str); 9] = [
    ("fill=\"#010000\" stroke=\"none\"", "class=\"f-bar\""),
    ("fill=\"#020000\" stroke=\"none\"", "class=\"f-well tail\""),
    ("stroke=\"#030000\"", "class=\"ax\""),
    ("stroke=\"#040000\"", "class=\"gr\""),
    ("stroke=\"#070000\"", "class=\"mark\""),
    ("fill=\"#030000\"", "class=\"q\""),
    ("fill=\"#050000\"", ""),
    ("fill=\"#060000\"", "class=\"q\""),
    ("opacity=\"1\" ", ""),
];

const WIDTH: u32 = 460;
const HEIGHT: u32 = 212;

/// A value marked on the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, in nanoseconds.
    pub at: f64,
    /// What it is, with its value.
    pub text: String,
}

/// A histogram of durations: how many of `what` fall into each bin.
///
/// `name` is what a screen reader says; the bins stand in a table behind the drawing.
pub fn histogram(histogram: &Histogram, marks: &[Mark], what: &str, name: &str) -> Markup {
    let mut svg = String::new();
    let drawn = draw(&mut svg, histogram, marks, what);
    html! {
        @match drawn {
            Ok(()) => (PreEscaped(themed(&svg, name))),
            Err(error) => p class="note" { "The chart could not be drawn: " (error) }
        }
        details class="data" {
            summary { "Bins as a table" }
            (table(histogram, what))
        }
    }
}

type DrawError = plotters::drawing::DrawingAreaErrorKind<std::io::Error>;

fn draw(svg: &mut String, histogram: &Histogram, marks: &[Mark], what: &str) -> Result<(), DrawError> {
    let bins = histogram.counts.len();
    let longest = histogram.edge(bins);
    let (scale, unit) = format::time_unit(longest as f64);
    let at = |nanos: i64| nanos as f64 / scale;
    let (from, width) = (at(histogram.start), at(histogram.width));
    // The tail's bar stands one bin beyond the last, two wide.
    let to = at(longest) + if histogram.beyond.is_some() { 3.0 * width } else { 0.0 };
    let root: DrawingArea<SVGBackend<'_>, Shift> = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    let label = TextStyle::from(("sans-serif", 11).into_font()).color(&QUIET);
    let mut chart = ChartBuilder::on(&root)
        .margin_left(2)
        .margin_right(14)
        .margin_top(if marks.is_empty() { 18 } else { 46 })
        .x_label_area_size(40)
        .y_label_area_size(40)
        .build_cartesian_2d(from..to, 0_u32..histogram.highest().max(1))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(7)
        .y_labels(4)
        .x_desc(format!("{unit}, in bins of {} {unit}", format::tick(at(histogram.width))))
        .y_desc(what)
        .axis_style(AXIS)
        .bold_line_style(GRID)
        .light_line_style(GRID.mix(0.0))
        .label_style(label.clone())
        .axis_desc_style(label.clone())
        .x_label_formatter(&|value| format::tick(*value))
        .draw()?;
    let inset = width * 0.06;
    chart.draw_series(histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(bin, count)| {
        let left = at(histogram.edge(bin));
        Rectangle::new([(left + inset, 0), (left + width - inset, *count)], BAR.filled())
    }))?;
    if let Some((count, _)) = histogram.beyond {
        let left = at(longest) + width;
        chart.draw_series([Rectangle::new([(left, 0), (left + 2.0 * width, count)], TAIL.filled())])?;
    }
    let tail_label = label.pos(Pos::new(HPos::Right, VPos::Bottom));
    let centred = label.pos(Pos::new(HPos::Center, VPos::Bottom));
    let above = |middle: f64, count: u32| Text::new(count.to_string(), (middle, count), centred.clone());
    // Counts above bars are read where there are few bars; else the axis tells.
    if histogram.counts.len() <= 24 {
        chart.draw_series(
            histogram
                .counts
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
                .map(|(bin, count)| above(at(histogram.edge(bin)) + width / 2.0, *count)),
        )?;
    }
    if let Some((count, _)) = histogram.beyond {
        let text = format!("{count} longer");
        chart.draw_series([Text::new(text, (at(longest) + 3.0 * width, count), tail_label)])?;
    }
    let top = histogram.highest().max(1);
    for (line, mark) in marks.iter().enumerate() {
        let x = (mark.at / scale).clamp(from, to);
        let (pixel, _) = chart.plotting_area().map_coordinate(&(x, top));
        let y = 8 + 14 * i32::try_from(line).unwrap_or(0);
        // A mark ends above the count of the bar that it would run through.
        let bin = usize::try_from((mark.at as i64).saturating_sub(histogram.start) / histogram.width.max(1)).ok();
        let count = bin.and_then(|bin| histogram.counts.get(bin)).copied().unwrap_or(0);
        let foot = chart.plotting_area().map_coordinate(&(x, count)).1;
        let bottom = if count > 0 { (foot - 15).max(y + 4) } else { foot };
        root.draw(&PathElement::new(vec![(pixel, y), (pixel, bottom)], MARK))?;
        let right = pixel > i32::try_from(WIDTH / 2).unwrap_or(0);
        let (anchor, shift) = if right { (HPos::Right, -5) } else { (HPos::Left, 5) };
        let style = TextStyle::from(("sans-serif", 11).into_font()).color(&INK).pos(Pos::new(anchor, VPos::Center));
        root.draw(&Text::new(mark.text.clone(), (pixel + shift, y), style))?;
    }
    root.present()?;
    drop(chart);
    Ok(())
}

/// plotters' SVG in the theme's colours, named for those who do not see it.
fn themed(svg: &str, name: &str) -> String {
    let mut out = svg.to_owned();
    for (drawn, theme) in THEME {
        out = out.replace(drawn, theme);
    }
    // Type is the style sheet's business.
    out = without_attribute(&without_attribute(&out, "font-family"), "font-size");
    let head = format!(
        "<svg class=\"chart\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">",
        html! { (name) }.into_string()
    );
    match out.find('>') {
        Some(end) => head + out.get(end + 1..).unwrap_or(""),
        None => out,
    }
}

fn without_attribute(svg: &str, name: &str) -> String {
    let start = format!(" {name}=\"");
    let mut out = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some((before, after)) = rest.split_once(&start) {
        out.push_str(before);
        rest = after.split_once('"').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

fn table(histogram: &Histogram, what: &str) -> Markup {
    html! {
        div class="tw" {
            table class="tight" {
                thead { tr { th scope="col" class="n" { "From" } th scope="col" class="n" { "To, excluded" } th scope="col" class="n" { (what) } } }
                tbody {
                    @for (bin, count) in histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                        tr {
                            td class="n" { (format::nanos(histogram.edge(bin))) }
                            td class="n" { (format::nanos(histogram.edge(bin + 1))) }
                            td class="n" { (count) }
                        }
                    }
                    @if let Some((count, longest)) = histogram.beyond {
                        tr {
                            td class="n" { (format::nanos(histogram.edge(histogram.counts.len()))) }
                            td class="n" { "longest " (format::nanos(longest)) }
                            td class="n" { (count) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_follows_the_theme_and_the_content_policy() {
        let bins = Histogram::of(&[10_000_000, 12_000_000, 12_100_000, 35_000_000]).unwrap();
        let marks = [Mark { at: 12.05e6, text: "median <12>".to_owned() }];
        let svg = histogram(&bins, &marks, "gaps", "Histogram of \"gaps\"").into_string();
        for banned in ["style=", "#0", "rgb(", "font-family", "<script", "median <12>"] {
            assert!(!svg.contains(banned), "{banned} in {svg}");
        }
        for needed in
            ["class=\"f-bar\"", "class=\"ax\"", "class=\"mark\"", "median &lt;12&gt;", "&quot;gaps&quot;", "gaps"]
        {
            assert!(svg.contains(needed), "{needed} in {svg}");
        }
    }
}

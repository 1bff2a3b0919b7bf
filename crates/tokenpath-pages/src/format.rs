//! Numbers to text: the only place that rounds. Three significant digits by default, the exact value beside them.
//!
//! Decimal units throughout (kB = 1000 B). A narrow no-break space stands between number and unit and between
//! groups of digits.

use tokenpath_core::fact::Quantity;

/// The narrow no-break space.
pub const THIN: char = '\u{202f}';

/// A whole number with its digits grouped by three.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        out.push('\u{2212}');
    }
    for (i, digit) in digits.chars().enumerate() {
        // Four-digit numbers read well without a group.
        if i > 0 && digits.len() > 4 && (digits.len() - i).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    out
}

/// Three significant digits without an exponent: 1.23, 12.3, 123, 1230.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    let magnitude = value.abs().log10().floor();
    // Rounding may carry into the next decade: 9.996 is 10.0, not 10.00.
    let decimals_for = |magnitude: f64| (2.0 - magnitude).clamp(0.0, 12.0) as usize;
    let decimals = decimals_for(magnitude);
    let text = format!("{value:.decimals$}");
    let rounded: f64 = text.parse().unwrap_or(value);
    let again = decimals_for(rounded.abs().log10().floor());
    let text = if again == decimals { text } else { format!("{value:.again$}") };
    match text.strip_prefix('-') {
        Some(rest) => format!("\u{2212}{rest}"),
        None => text,
    }
}

fn scaled(value: f64, steps: &[(f64, &str)]) -> String {
    let magnitude = value.abs();
    // The largest unit whose three-digit rounding does not fall below 1; 999.6 of a unit shows as 1.00 of the next.
    let (scale, unit) = steps
        .iter()
        .rev()
        .find(|(scale, _)| magnitude >= scale * 0.9995)
        .or_else(|| steps.first())
        .copied()
        .unwrap_or((1.0, ""));
    format!("{}{THIN}{unit}", significant(value / scale))
}

const TIMES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
const SIZES: [(f64, &str); 5] = [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")];
const RATES: [(f64, &str); 5] = [(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s"), (1e12, "TB/s")];

/// A duration.
pub fn nanos(value: i64) -> String {
    if value.unsigned_abs() < 1000 { format!("{}{THIN}ns", grouped(value)) } else { scaled(value as f64, &TIMES) }
}

/// The unit in which an axis that reaches `nanos` reads best: how many nanoseconds it has, and its name.
pub fn time_unit(nanos: f64) -> (f64, &'static str) {
    let reached = TIMES.iter().rev().find(|(scale, _)| nanos.abs() >= *scale);
    reached.or_else(|| TIMES.first()).copied().unwrap_or((1.0, "ns"))
}

/// A number on an axis: as short as it is exact to nine digits.
pub fn tick(value: f64) -> String {
    let text = format!("{value:.9}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "" | "-0" => "0".to_owned(),
        _ => text.replace('-', "\u{2212}"),
    }
}

/// A time on an axis with ticks `step` apart: in the unit in which the step is at least a tenth, so that neighbours differ.
pub fn axis(value: i64, step: i64) -> String {
    let (scale, unit) =
        TIMES.iter().rev().find(|(scale, _)| step as f64 * 10.0 >= *scale).copied().unwrap_or((1.0, "ns"));
    let whole = value.unsigned_abs() / scale as u64;
    let rest = value.unsigned_abs() % scale as u64;
    let sign = if value < 0 { "\u{2212}" } else { "" };
    let tenth = rest as f64 / scale * 10.0;
    let whole = grouped(i64::try_from(whole).unwrap_or(i64::MAX));
    if step as f64 >= scale {
        format!("{sign}{whole}{THIN}{unit}")
    } else {
        format!("{sign}{whole}.{tenth:.0}{THIN}{unit}")
    }
}

/// An identifier that happens to be a number, digit by digit.
pub fn plain(value: i64) -> String {
    value.to_string()
}

/// A size.
pub fn bytes(value: i64) -> String {
    if value.unsigned_abs() < 1000 { format!("{}{THIN}B", grouped(value)) } else { scaled(value as f64, &SIZES) }
}

/// A share of a whole, in per cent.
pub fn share(value: f64) -> String {
    format!("{}{THIN}%", significant(value * 100.0))
}

/// A count in words where words read better.
pub fn plural(count: i64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Sizes of a tensor.
pub fn sizes(sizes: &[i64]) -> String {
    let used = sizes.iter().rposition(|size| *size != 1).map_or(1, |last| last + 1).min(sizes.len());
    sizes.iter().take(used).map(|size| grouped(*size)).collect::<Vec<_>>().join(" × ")
}

/// A quantity for reading.
pub fn quantity(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Nanos(value) => nanos(*value),
        Quantity::NanosExact(value) => {
            if value.abs() < 1.0 {
                format!("{}{THIN}ns", significant(*value))
            } else {
                scaled(*value, &TIMES)
            }
        }
        Quantity::Bytes(value) => bytes(*value),
        Quantity::Count(value) => grouped(*value),
        Quantity::BytesPerSecond(value) => scaled(*value, &RATES),
        Quantity::PerSecond(value) => format!("{}{THIN}/s", significant(*value)),
        Quantity::Share(value) => share(*value),
        Quantity::NanosRange(from, to) => format!("{} to {}", nanos(*from), nanos(*to)),
        Quantity::ShareRange(from, to) => format!("{} to {}", share(*from), share(*to)),
        Quantity::Sizes(value) => sizes(value),
        Quantity::Text(text) => text.clone(),
    }
}

/// The exact value, for hovering and copies; `None` where reading and exact value are the same.
pub fn exact(quantity: &Quantity) -> Option<String> {
    match quantity {
        Quantity::Nanos(value) if value.unsigned_abs() >= 1000 => Some(format!("{}{THIN}ns", grouped(*value))),
        Quantity::Bytes(value) if value.unsigned_abs() >= 1000 => Some(format!("{}{THIN}B", grouped(*value))),
        Quantity::NanosExact(value) => Some(format!("{value:.3}{THIN}ns")),
        Quantity::BytesPerSecond(value) => Some(format!("{}{THIN}B/s", grouped(value.round() as i64))),
        Quantity::PerSecond(value) => Some(format!("{value:.6}{THIN}/s")),
        Quantity::Share(value) => Some(format!("{value:.9}")),
        Quantity::ShareRange(from, to) => Some(format!("{from:.9} to {to:.9}")),
        Quantity::NanosRange(from, to) => Some(format!("{}{THIN}ns to {}{THIN}ns", grouped(*from), grouped(*to))),
        _ => None,
    }
}

/// A token's text for people: a leading space made visible, line ends spelt.
pub fn token(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' if out.is_empty() => out.push('\u{2423}'),
            '\n' => out.push('\u{21b5}'),
            '\t' => out.push('\u{21e5}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // Right values by hand.
    #[test]
    fn three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1234.0, "1234"),
            (0.001_234, "0.00123"),
            (-5.0, "\u{2212}5.00"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn axis_labels_differ_from_their_neighbours() {
        for (value, step, text) in [
            (2_000_000, 2_000_000, "2\u{202f}ms"),
            (11_500_000, 500_000, "11.5\u{202f}ms"),
            (11_000_000, 500_000, "11.0\u{202f}ms"),
            (50_000, 50_000, "50\u{202f}µs"),
            (464_010_000, 10_000, "464\u{202f}010\u{202f}µs"),
            (-5, 5, "\u{2212}5\u{202f}ns"),
            (3_000_000_000, 1_000_000_000, "3\u{202f}s"),
        ] {
            assert_eq!(axis(value, step), text);
        }
    }

    #[test]
    fn units() {
        assert_eq!(nanos(999), "999\u{202f}ns");
        assert_eq!(nanos(33_791), "33.8\u{202f}µs");
        assert_eq!(nanos(999_700), "1.00\u{202f}ms");
        assert_eq!(bytes(98_362_432), "98.4\u{202f}MB");
        assert_eq!(grouped(1234), "1234");
        assert_eq!(grouped(-98_362_432), "\u{2212}98\u{202f}362\u{202f}432");
        assert_eq!(sizes(&[576, 49152, 1, 1]), "576 × 49\u{202f}152");
        assert_eq!(sizes(&[1, 1]), "1");
        assert_eq!(share(0.676), "67.6\u{202f}%");
    }
}

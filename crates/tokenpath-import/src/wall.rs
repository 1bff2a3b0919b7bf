//! Seconds since 1970 as RFC 3339 text in UTC.

/// The text of a Unix time, to the millisecond; `None` outside the years 1970 to 9999.
pub(crate) fn rfc3339(seconds: f64) -> Option<String> {
    if !seconds.is_finite() || !(0.0..253_402_300_800.0).contains(&seconds) {
        return None;
    }
    let millis = (seconds * 1000.0).floor() as i64;
    let (days, of_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hour, minute, second, milli) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1000 % 60, of_day % 1000);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
}

/// Days since 1970-01-01 as year, month and day of the Gregorian calendar (years counted from March, in eras of 400).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    /// Right values from `date -u -d @SECONDS`.
    #[test]
    fn known_dates() {
        assert_eq!(rfc3339(0.0).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(rfc3339(951_782_400.0).as_deref(), Some("2000-02-29T00:00:00.000Z"));
        assert_eq!(rfc3339(1_735_689_599.5).as_deref(), Some("2024-12-31T23:59:59.500Z"));
        assert_eq!(rfc3339(f64::NAN), None);
    }
}

//! Texts for values that JSON lacks: dates, times, bytes. They are defined for any value.

use std::fmt::Write;

use jiff::civil;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use polars::prelude::TimeUnit;

use crate::domain::{Json, Number};

fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Microseconds => 1_000,
        TimeUnit::Milliseconds => 1_000_000,
    }
}

/// `2024-10-04`; days before or after all known years stay a number of days since 1970.
pub(super) fn date(days: i32) -> Json {
    match civil::date(1970, 1, 1).checked_add(SignedDuration::from_hours(24 * i64::from(days))) {
        Ok(date) => Json::from(date.to_string()),
        Err(_) => integer(days),
    }
}

/// `2024-10-04T12:00:00.5`, and where the column has a zone the time there, with its offset: `2024-10-04T14:00:00.5+02:00`.
pub(super) fn datetime(since_1970: i64, unit: TimeUnit, zone: Option<&str>) -> Json {
    let at = Timestamp::from_nanosecond(i128::from(since_1970) * nanoseconds(unit));
    match (at, zone) {
        (Ok(at), Some(zone)) => Json::from(in_zone(at, zone)),
        (Ok(at), None) => Json::from(at.to_string().trim_end_matches('Z')),
        (Err(_), _) => integer(since_1970),
    }
}

/// The time in a zone; UTC, and a zone that is not known, are a `Z`.
fn in_zone(at: Timestamp, zone: &str) -> String {
    let is_utc = ["UTC", "Etc/UTC", "Z", "+00:00"].contains(&zone);
    match zone_of(zone).filter(|_| !is_utc) {
        Some(zone) => at.display_with_offset(zone.to_offset(at)).to_string(),
        None => at.to_string(),
    }
}

/// A zone by its name, or by its offset: `+02:00`.
fn zone_of(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok().or_else(|| {
        let at: jiff::Zoned = format!("1970-01-01T00:00:00{name}[{name}]").parse().ok()?;
        Some(at.time_zone().clone())
    })
}

/// `23:59:59.25`, of nanoseconds since midnight.
pub(super) fn time(nanoseconds: i64) -> Json {
    let midnight = civil::Time::midnight();
    let within_day = (0..86_400_000_000_000).contains(&nanoseconds);
    match midnight.checked_add(SignedDuration::from_nanos(nanoseconds)) {
        Ok(time) if within_day => Json::from(time.to_string()),
        _ => integer(nanoseconds),
    }
}

/// `PT1H30M0.5S` (ISO 8601).
pub(super) fn duration(length: i64, unit: TimeUnit) -> Json {
    let length = i128::from(length) * nanoseconds(unit);
    match SignedDuration::try_from_nanos_i128(length) {
        Some(length) => Json::from(length.to_string()),
        None => integer(length),
    }
}

/// `-1.20`, of the digits and how many of them stand after the point.
pub(super) fn decimal(digits: i128, scale: usize) -> Json {
    let sign = if digits < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    number(&format!("{sign}{whole}{point}{fraction}"))
}

/// Text where the bytes are such, otherwise `\x` and two digits for each byte.
pub(super) fn bytes(bytes: &[u8]) -> Json {
    match std::str::from_utf8(bytes) {
        Ok(text) => Json::from(text),
        Err(_) => Json::from(bytes.iter().fold("\\x".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })),
    }
}

pub(super) fn integer(value: impl ToString) -> Json {
    number(&value.to_string())
}

/// Null for numbers that JSON has no word for.
pub(super) fn number(text: &str) -> Json {
    Number::parse(text).map_or(Json::Null, Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_values() {
        let second = 1_000_000_000;
        for (value, expected) in [
            (date(20_000), r#""2024-10-04""#),
            (date(-719_162), r#""0001-01-01""#),
            (date(i32::MAX), "2147483647"),
            (
                datetime(1_700_000_000_123, TimeUnit::Milliseconds, Some("UTC")),
                r#""2023-11-14T22:13:20.123Z""#,
            ),
            (
                datetime(1_700_000_000_123, TimeUnit::Milliseconds, Some("Europe/Oslo")),
                r#""2023-11-14T23:13:20.123+01:00""#,
            ),
            (
                datetime(1_700_000_000_123, TimeUnit::Milliseconds, Some("-05:00")),
                r#""2023-11-14T17:13:20.123-05:00""#,
            ),
            (
                datetime(1_700_000_000_123, TimeUnit::Milliseconds, Some("no zone")),
                r#""2023-11-14T22:13:20.123Z""#,
            ),
            (datetime(0, TimeUnit::Microseconds, None), r#""1970-01-01T00:00:00""#),
            (datetime(-1, TimeUnit::Nanoseconds, None), r#""1969-12-31T23:59:59.999999999""#),
            (datetime(i64::MAX, TimeUnit::Milliseconds, None), "9223372036854775807"),
            (time(86_399 * second + second / 4), r#""23:59:59.25""#),
            (time(-1), "-1"),
            (time(i64::MAX), "9223372036854775807"),
            (duration(90_000, TimeUnit::Milliseconds), r#""PT1M30S""#),
            (duration(-5, TimeUnit::Milliseconds), r#""-PT0.005S""#),
            (duration(i64::MIN, TimeUnit::Milliseconds), r#""-PT2562047788015H12M55.808S""#),
            (decimal(120, 2), "1.20"),
            (decimal(-5, 3), "-0.005"),
            (decimal(7, 0), "7"),
            (decimal(i128::MIN, 38), "-1.70141183460469231731687303715884105728"),
            (bytes(b"ok"), r#""ok""#),
            (bytes(b"\x00\xff"), r#""\\x00ff""#),
        ] {
            assert_eq!(value.to_string(), expected);
        }
    }
}

//! The days and times of day of the calls, held against those that the request names.

use super::counts::leaves;
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::schema::folded_of;
use crate::domain::{Json, Role, Sample, ToolCall};
use crate::reading::calendar::Day;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::words::{fold, fold_identifier, words};

/// Bounds the work on hostile rows: calls, values of each argument, moments in all, bytes of a value and of a message.
const MAX_CALLS: usize = 16;
const MAX_LEAVES: usize = 24;
const MAX_MOMENTS: usize = 64;
const MAX_VALUE: usize = 400;
const MAX_MESSAGE: usize = 4_000;
/// User messages before the question in which a time is looked for.
const MAX_EARLIER: usize = 6;
/// Values that are looked for in results, and bytes of a record on either side of one.
const MAX_SOUGHT: usize = 12;
const MAX_RECORD: usize = 300;
/// Stands for no day, or no today to count from.
const NO_DAY: f32 = -30.0;

/// A day or a time of day that a call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    day: Option<Day>,
    /// Since midnight.
    minute: Option<u32>,
    /// Whether it names its time zone: it then need not be the time that was said.
    zoned: bool,
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    features.set(Feature::time_away, NO_DAY);
    let mut moments = Vec::new();
    let mut turned = false;
    for call in calls.iter().take(MAX_CALLS) {
        let Some(arguments) = call.parsed() else { continue };
        let (mut ends, mut others): (Vec<Moment>, Vec<Moment>) = (Vec::new(), Vec::new());
        for (name, value) in arguments.iter() {
            let mut parts = Vec::new();
            leaves(value, MAX_LEAVES, &mut parts);
            let found: Vec<Moment> = parts.iter().filter_map(|part| part.as_str()).flat_map(moments_of).collect();
            if found.len() == 1 {
                if is_end(name) { ends.extend(&found) } else { others.extend(&found) }
            }
            if moments.len() < MAX_MOMENTS {
                moments.extend(found);
            }
        }
        turned |= ends.iter().any(|end| {
            let earlier = |other: &Moment| end.day.zip(other.day).is_some_and(|(end, other)| end < other);
            !others.is_empty() && others.iter().all(earlier)
        });
    }
    features.set(Feature::time_turned, f32::from(u8::from(turned)));
    let dated = sample.messages.iter().any(|message| message.role == Role::Tool);
    if moments.is_empty() && !dated {
        return;
    }
    let system = times_of(sample.messages.iter().filter(|own| own.role == Role::System).map(|own| &*own.content));
    let full = |times: &Times| {
        times.dates().iter().find_map(|date| Day::of(date.year?, date.month, date.day?))
    };
    let today = assessor.evidence.times.today().or_else(|| full(&system));
    let asked = asked(sample, today);
    days(features, &moments, &asked, &sample.question, today);
    clocks(features, &moments, &asked, &system);
    records(features, sample, calls, &asked);
}

/// What the last user message that speaks of a time says.
fn asked(sample: &Sample, today: Option<Day>) -> Times {
    let users = sample.messages.iter().rev().filter(|message| message.role == Role::User);
    let earlier = users.map(|message| &*message.content).filter(|text| *text != sample.question);
    let mut times = Times::default();
    for text in std::iter::once(sample.question.as_str()).chain(earlier.take(MAX_EARLIER)) {
        times = times_of(std::iter::once(text));
        if times.is_exact() || times.is_relative() || times.says_length() {
            break;
        }
    }
    if let Some(today) = today {
        times.suppose_today(today);
    }
    times
}

fn times_of<'a>(texts: impl Iterator<Item = &'a str>) -> Times {
    let mut times = Times::default();
    for text in texts.take(MAX_EARLIER) {
        let text = &text[..text.floor_char_boundary(MAX_MESSAGE)];
        times.read(text, &fold(text));
    }
    times
}

/// Days against the days, days of the week and months that were named.
fn days(features: &mut Features, moments: &[Moment], asked: &Times, question: &str, today: Option<Day>) {
    let days: Vec<Day> = moments.iter().filter_map(|moment| moment.day).collect();
    if days.is_empty() {
        return;
    }
    let share = |of: &dyn Fn(&Day) -> bool| days.iter().filter(|day| of(day)).count() as f32 / days.len() as f32;
    let way = |day: &Day| asked.explain_day(*day);
    let other = share(&|day| way(day) == Some(TimeMatch::Other));
    features.set(Feature::time_told, share(&|day| way(day) == Some(TimeMatch::Told)));
    features.set(Feature::time_other, other);
    features.set(Feature::time_all_other, f32::from(u8::from(other == 1.0)));
    features.set(Feature::time_weekday, share(&|day| asked.names_weekday_of(*day) == Some(true)));
    let off = days.iter().all(|day| asked.names_weekday_of(*day) == Some(false));
    features.set(Feature::time_weekday_other, f32::from(u8::from(off)));
    let months = asked.dates();
    let in_month = |day: &Day| months.iter().any(|date| date.month == day.date().1);
    features.set(Feature::time_month, share(&in_month));
    features.set(Feature::time_month_other, f32::from(u8::from(!months.is_empty() && !days.iter().any(in_month))));
    let numbers: Vec<u32> = question
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| (1..=2).contains(&digits.len()))
        .take(MAX_MOMENTS)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    features.set(Feature::time_day_number, share(&|day| numbers.contains(&day.date().2)));
    if let Some(today) = today {
        let away = days[0].since(today) as f32;
        features.set(Feature::time_away, away.signum() * away.abs().ln_1p());
    }
}

/// Times of day against those that were named, or that follow from now and a length of time.
fn clocks(features: &mut Features, moments: &[Moment], asked: &Times, system: &Times) {
    // The start and the end of a day go without saying.
    let telling = |moment: &&Moment| !moment.zoned && !(moment.day.is_some() && is_edge(moment.minute));
    let minutes: Vec<u32> = moments.iter().filter(telling).filter_map(|moment| moment.minute).collect();
    let told: Vec<bool> = minutes.iter().filter_map(|minute| asked.tells_minute(*minute, system)).collect();
    if told.is_empty() {
        return;
    }
    let yes = told.iter().filter(|told| **told).count() as f32 / told.len() as f32;
    features.set(Feature::time_clock, yes);
    features.set(Feature::time_clock_other, 1.0 - yes);
}

fn is_edge(minute: Option<u32>) -> bool {
    matches!(minute, Some(0 | 1_439))
}

/// The days of what results tell of the things that the calls name.
fn records(features: &mut Features, sample: &Sample, calls: &[ToolCall], asked: &Times) {
    let results: Vec<&str> = sample
        .messages
        .iter()
        .rev()
        .filter(|message| message.role == Role::Tool)
        .map(|message| &message.content[..message.content.floor_char_boundary(4 * MAX_MESSAGE)])
        .take(MAX_EARLIER)
        .collect();
    if results.is_empty() || !(asked.is_exact() || asked.is_relative()) {
        return;
    }
    let mut parts: Vec<&Json> = Vec::new();
    let objects = calls.iter().take(MAX_CALLS).filter_map(|call| call.parsed());
    objects.flat_map(|object| object.values()).for_each(|value| leaves(value, MAX_SOUGHT, &mut parts));
    for part in parts.into_iter().take(MAX_SOUGHT) {
        let text = match part {
            Json::String(text) => text.clone(),
            Json::Number(_) => folded_of(part).trim().to_owned(),
            _ => continue,
        };
        if !(2..=64).contains(&text.len()) || !moments_of(&text).is_empty() {
            continue;
        }
        let Some(record) = results.iter().find_map(|result| record_of(result, &text)) else { continue };
        let days: Vec<Day> = moments_of(record).into_iter().filter_map(|moment| moment.day).collect();
        let ways: Vec<TimeMatch> = days.iter().filter_map(|day| asked.explain_day(*day)).collect();
        if ways.contains(&TimeMatch::Told) {
            features.set(Feature::time_record, 1.0);
        } else if !ways.is_empty() && ways.iter().all(|way| *way == TimeMatch::Other) {
            features.set(Feature::time_record_other, 1.0);
        }
    }
}

/// The line or the object of a result in which a value stands.
fn record_of<'a>(result: &'a str, value: &str) -> Option<&'a str> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let (at, _) = result.match_indices(value).take(8).find(|(at, _)| {
        !joins(result[..*at].chars().next_back()) && !joins(result[at + value.len()..].chars().next())
    })?;
    let before = &result[result.floor_char_boundary(at.saturating_sub(MAX_RECORD))..at];
    let behind = &result[at..result.floor_char_boundary(at + value.len() + MAX_RECORD)];
    let start = before.rfind(['{', '\n']).map_or(before.len(), |start| before.len() - start);
    let end = behind.find(['{', '}', '\n']).unwrap_or(behind.len());
    Some(&result[at - start..at + end])
}

/// Whether a parameter takes the end of a span, by its name.
fn is_end(name: &str) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&str] = &[
        "end", "ends", "ending", "to", "until", "till", "before", "return", "returning", "checkout", "return_date", "due", "hasta", "fin", "vuelta",
        "bis", "ende", "rueckfahrt", "fino", "fine", "ritorno", "do", "koniec", "konec", "tot", "einde", "ate", "fim", "volta", "retour",
        "slut", "loppu", "bitis", "do_dnia", "до", "по", "конец", "έως", "終了", "结束", "종료",
    ];
    let folded = fold_identifier(name);
    words(&folded).any(|word| ENDS.contains(&word))
}

/// The days and times of day that a text gives in figures: `2027-03-01T17:30`, or `09:20` alone.
fn moments_of(text: &str) -> Vec<Moment> {
    let bytes = &text.as_bytes()[..text.len().min(2 * MAX_VALUE)];
    let mut found = Vec::new();
    if let Some(minute) = clock_at(bytes, 0).filter(|_| bytes.len() <= 8) {
        return vec![Moment { day: None, minute: Some(minute), zoned: false }];
    }
    let mut at = 0;
    while at + 10 <= bytes.len() && found.len() < MAX_LEAVES {
        let digit_before = at > 0 && bytes[at - 1].is_ascii_digit();
        let Some(day) = day_at(bytes, at).filter(|_| !digit_before) else {
            at += 1;
            continue;
        };
        at += 10;
        let parted = matches!(bytes.get(at), Some(b'T' | b' '));
        let minute = if parted { clock_at(bytes, at + 1) } else { None };
        let rest = bytes.get(at + 6..).unwrap_or_default();
        let zone = rest.iter().take(8).find(|b| !(b.is_ascii_digit() || matches!(b, b':' | b'.')));
        let zoned = minute.is_some() && matches!(zone, Some(b'Z' | b'+' | b'-'));
        found.push(Moment { day: Some(day), minute, zoned });
    }
    found
}

/// `2027-03-01` at a place.
fn day_at(bytes: &[u8], at: usize) -> Option<Day> {
    let own = bytes.get(at..at + 10)?;
    if own[4] != b'-' || own[7] != b'-' || bytes.get(at + 10).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    Day::of(number(&own[..4])? as i32, number(&own[5..7])?, number(&own[8..])?)
}

/// `17:30` at a place, in minutes since midnight.
fn clock_at(bytes: &[u8], at: usize) -> Option<u32> {
    let own = bytes.get(at..at + 5).filter(|own| own[2] == b':')?;
    let (hour, minute) = (number(&own[..2])?, number(&own[3..])?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_from_figures() {
        let day = Day::of(2031, 5, 9);
        for (text, expected) in [
            ("2031-05-09", vec![(day, None, false)]),
            ("2031-05-09T07:05", vec![(day, Some(425), false)]),
            ("2031-05-09 07:05:30Z", vec![(day, Some(425), true)]),
            ("2031-05-09T07:05:00+02:00", vec![(day, Some(425), true)]),
            ("07:05", vec![(None, Some(425), false)]),
            ("between '2031-05-09' and '2031-05-09'", vec![(day, None, false), (day, None, false)]),
            ("12031-05-091", vec![]),
            ("2031-15-09", vec![]),
            ("25:00", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<_> = moments_of(text).iter().map(|own| (own.day, own.minute, own.zoned)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_record_is_the_line_or_object_of_a_value() {
        let result = r#"[{"id":"k7","on":"2031-05-09"},{"id":"k71","on":"2031-05-10"}]"#;
        assert_eq!(record_of(result, "k71"), Some(r#"{"id":"k71","on":"2031-05-10""#));
        assert_eq!(record_of("k7 first\nk8 second", "k8"), Some("\nk8 second"));
        assert_eq!(record_of("k7 first", "k9"), None);
    }
}

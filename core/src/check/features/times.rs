//! Days and times of day in the calls compared with those in the request.

use super::counts::leaves;
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::domain::{Role, Sample, ToolCall};
use crate::reading;
use crate::reading::calendar::Day;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::numbers::Figures;
use crate::reading::words::fold;

/// Bounds the work on hostile rows: calls, values of each argument, moments in all, bytes of a value and of a message.
const MAX_CALLS: usize = 16;
const MAX_LEAVES: usize = 24;
const MAX_MOMENTS: usize = 64;
const MAX_VALUE: usize = 400;
const MAX_MESSAGE: usize = 4_000;
/// User messages before the question in which a time is looked for.
const MAX_EARLIER: usize = 6;
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
    let mut parts = Vec::new();
    let objects = calls.iter().take(MAX_CALLS).filter_map(|call| call.parsed());
    objects.flat_map(|object| object.values()).for_each(|value| leaves(value, MAX_MOMENTS, &mut parts));
    let texts = parts.iter().filter_map(|part| part.as_str());
    let moments: Vec<Moment> = texts.flat_map(moments_of).take(MAX_MOMENTS).collect();
    if moments.is_empty() {
        return;
    }
    let mut system = Said::default();
    let rules = sample.messages.iter().filter(|message| message.role == Role::System);
    rules.take(MAX_EARLIER).for_each(|message| system.read(&message.content));
    let full =
        |times: &Times| times.dates().iter().find_map(|date| Day::of(date.year?, date.month, date.day?));
    let today = assessor.evidence.times.today().or_else(|| full(&system.times));
    let named = asked(assessor, sample, today, |times| times.has_dates() || times.is_relative());
    days(features, &moments, &named.times, &sample.question, today);
    let timed = asked(assessor, sample, today, |times| {
        times.is_exact() || times.is_relative() || !times.steps().is_empty() || !times.lengths().is_empty()
    });
    clocks(features, &moments, &timed, &system.times);
}

/// The numbers and times of some text.
#[derive(Default)]
struct Said {
    figures: Figures,
    times: Times,
    /// Whether it is the question itself.
    asked: bool,
}

impl Said {
    fn read(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(MAX_MESSAGE)];
        reading::read(text, &fold(text), &mut self.figures, &mut self.times);
    }

    /// Whether a time of day was named, if only by its hour, or follows by a length of time; `None` where neither was said.
    fn tells_minute(&self, minute: u32, now: &Times) -> Option<bool> {
        let told = self.times.tells_minute(minute, now)?;
        let hour = |minute: i32| {
            let minute = minute.rem_euclid(1_440);
            minute % 60 == 0
                && [minute / 60, minute / 60 % 12, minute / 60 + 12]
                    .iter()
                    .any(|hour| self.figures.contains(f64::from(*hour)))
        };
        let minute = minute as i32;
        Some(told || hour(minute) || self.times.steps().iter().any(|step| hour(minute - step)))
    }
}

/// What the last user message that speaks of such times says.
fn asked(assessor: &Assessor, sample: &Sample, today: Option<Day>, speaks: impl Fn(&Times) -> bool) -> Said {
    let users = sample.messages.iter().rev().filter(|message| message.role == Role::User);
    let earlier = users.map(|message| &*message.content).filter(|text| *text != sample.question);
    let mut said = Said::default();
    for text in std::iter::once(sample.question.as_str()).chain(earlier.take(MAX_EARLIER)) {
        said = Said::default();
        said.figures.hear(assessor.evidence.figures.languages());
        said.read(text);
        said.asked = text == sample.question;
        if speaks(&said.times) {
            break;
        }
    }
    if let Some(today) = today {
        said.times.suppose_today(today);
    }
    said
}

/// Days against the days, days of the week and months that were named.
fn days(features: &mut Features, moments: &[Moment], asked: &Times, question: &str, today: Option<Day>) {
    let days: Vec<Day> = moments.iter().filter_map(|moment| moment.day).collect();
    if days.is_empty() {
        return;
    }
    let share =
        |of: &dyn Fn(&Day) -> bool| days.iter().filter(|day| of(day)).count() as f32 / days.len() as f32;
    let numbers: Vec<u32> = question
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| (1..=2).contains(&digits.len()))
        .take(MAX_MOMENTS)
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let way = |day: &Day| asked.explain_day(*day);
    let is_told = |day: &Day| way(day) == Some(TimeMatch::Told);
    let told = share(&is_told);
    // A bound that is left out itself: the day behind the last one that is meant.
    let is_bound = |day: &Day| {
        days.len() > 1 && is_told(&day.plus(-1)) && days.iter().any(|own| own < day && is_told(own))
    };
    // The other end of a span, told only by its number or its day of the week, or a length before what was told.
    let is_end = |day: &Day| {
        let (_, month, of_month) = day.date();
        let by_number = numbers.contains(&of_month) && asked.dates().iter().any(|date| date.month == month);
        let by_weekday = told > 0.0 && asked.names_weekday_of(*day) == Some(true);
        by_number || by_weekday || asked.lengths().iter().any(|length| is_told(&day.plus(*length)))
    };
    let other = share(&|day| way(day) == Some(TimeMatch::Other) && !is_bound(day) && !is_end(day));
    features.set(Feature::time_told, told);
    features.set(Feature::time_other, other);
    features.set(Feature::time_all_other, f32::from(u8::from(other == 1.0)));
    features.set(Feature::time_weekday, share(&|day| asked.names_weekday_of(*day) == Some(true)));
    let off = told == 0.0 && days.iter().all(|day| asked.names_weekday_of(*day) == Some(false));
    features.set(Feature::time_weekday_other, f32::from(u8::from(off)));
    let months = asked.dates();
    let in_month = |day: &Day| months.iter().any(|date| date.month == day.date().1);
    features.set(Feature::time_month, share(&in_month));
    features.set(
        Feature::time_month_other,
        f32::from(u8::from(told == 0.0 && !months.is_empty() && !days.iter().any(in_month))),
    );
    features.set(Feature::time_day_number, share(&|day| numbers.contains(&day.date().2)));
    if let Some(today) = today {
        let away = days[0].since(today) as f32;
        features.set(Feature::time_away, away.signum() * away.abs().ln_1p());
    }
}

/// Times of day against those that were named, or that follow from now and a length of time.
fn clocks(features: &mut Features, moments: &[Moment], asked: &Said, system: &Times) {
    // The start and the end of a day go without saying.
    let telling = |moment: &&Moment| !(moment.zoned || moment.day.is_some() && is_edge(moment.minute));
    let minutes: Vec<u32> = moments.iter().filter(telling).filter_map(|moment| moment.minute).collect();
    let mut told: Vec<bool> =
        minutes.iter().filter_map(|minute| asked.tells_minute(*minute, system)).collect();
    // Between the ends of a span a length may come again and again: every two hours from 8 to 20.
    if told.len() == minutes.len() {
        let ends: Vec<u32> =
            minutes.iter().zip(&told).filter(|(_, told)| **told).map(|(minute, _)| *minute).collect();
        let recurs = |minute: u32| {
            let mut steps =
                asked.times.steps().iter().map(|step| step.unsigned_abs()).filter(|step| *step > 0);
            let is_between = ends.iter().any(|end| *end < minute) && ends.iter().any(|end| *end > minute);
            is_between && steps.any(|step| ends.iter().any(|end| end.abs_diff(minute) % step == 0))
        };
        told.iter_mut().zip(&minutes).for_each(|(told, minute)| *told |= recurs(*minute));
    }
    // A time that was said earlier may have been changed since.
    if told.is_empty() || !asked.asked {
        return;
    }
    let yes = told.iter().filter(|told| **told).count() as f32 / told.len() as f32;
    features.set(Feature::time_clock, yes);
    features.set(Feature::time_clock_other, 1.0 - yes);
}

fn is_edge(minute: Option<u32>) -> bool {
    matches!(minute, Some(0 | 1_439))
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

/// `2027-03-01` or `01.03.2027` at a place.
fn day_at(bytes: &[u8], at: usize) -> Option<Day> {
    let own = bytes.get(at..at + 10)?;
    if own[2] == b'.' && own[5] == b'.' && !bytes.get(at + 10).is_some_and(u8::is_ascii_digit) {
        return Day::of(number(&own[6..])? as i32, number(&own[3..5])?, number(&own[..2])?);
    }
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
    use super::super::measured;
    use super::*;

    #[test]
    fn times_that_follow_are_no_others() {
        let tools = r#"[{"name": "remind", "parameters": {"type": "object", "properties": {
            "times": {"type": "array", "items": {"type": "string"}}, "day": {"type": "string"}}}}]"#;
        let called = |feature, text: &str, own: &str| {
            let calls = format!(r#"[{{"name": "remind", "arguments": {{{own}}}}}]"#);
            measured(feature, text, tools, &calls) > 0.0
        };
        for (times, other) in [
            (r#""times": ["08:00", "10:00", "12:00", "14:00", "16:00", "18:00", "20:00"]"#, false),
            (r#""times": ["08:00", "11:00", "20:00"]"#, true),
        ] {
            let text = "remind me every 2 hours from 8:00 to 20:00";
            assert_eq!(called(Feature::time_clock_other, text, times), other, "{times}");
        }
        let text = "Today is 2026-10-22. Send the June report tomorrow";
        for (day, other) in [("2026-10-23", false), ("2026-12-23", true)] {
            let own = format!(r#""day": "{day}""#);
            assert_eq!(called(Feature::time_month_other, text, &own), other, "{day}");
        }
    }

    #[test]
    fn moments_are_read_from_figures() {
        let day = Day::of(2031, 5, 9);
        for (text, expected) in [
            ("2031-05-09", vec![(day, None, false)]),
            ("2031-05-09T07:05", vec![(day, Some(425), false)]),
            ("2031-05-09 07:05:30Z", vec![(day, Some(425), true)]),
            ("2031-05-09T07:05:00+02:00", vec![(day, Some(425), true)]),
            ("09.05.2031", vec![(day, None, false)]),
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
}

//! The values in an answer (numbers, dates, times, codes and ids) with the words beside them.

use crate::check::literals::literals;
use crate::check::observation::Literal;
use crate::reading::dates::Times;
use crate::reading::numbers::Figures;
use crate::reading::units::Unit;
use crate::reading::words::fold;

/// A value of an answer; `text` is how the answer has it.
pub(super) enum Value {
    Number {
        text: String,
        value: f64,
        unit: Option<Unit>,
        percent: bool,
        /// The words before and behind it, folded.
        beside: [String; 2],
    },
    Time {
        text: String,
        times: Times,
    },
    /// Digits that are no quantity, as of a telephone.
    Digits {
        text: String,
        number: String,
    },
    Id(String),
    /// A time of day.
    Clock(String),
}

pub(super) fn values(answer: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let (times, places) = dates(answer);
    values.extend(times);
    let inside = |at: usize| places.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut spared = answer.to_owned();
    for (at, token) in tokens(answer) {
        if is_clock(token) {
            values.push(Value::Clock(token.to_owned()));
        } else if is_id(token) && !inside(at) {
            values.push(Value::Id(token.to_owned()));
        }
        if is_clock(token) || is_id(token) || inside(at) {
            // Its digits are no quantities.
            spared.replace_range(at..at + token.len(), &" ".repeat(token.len()));
        }
    }
    for (from, to) in long_numbers(&spared) {
        let number: String = spared[from..to].chars().filter(char::is_ascii_digit).collect();
        values.push(Value::Digits { text: spared[from..to].trim().to_owned(), number });
        spared.replace_range(from..to, &" ".repeat(to - from));
    }
    let figures = Figures::of(&spared);
    for span in literals(&spared, &figures).into_iter().filter(|span| span.kind == Literal::Number) {
        let Some(value) = span.value else { continue };
        let own = figures.iter().find(|figure| figure.place.is_some() && figure.value == value);
        let (unit, percent) = own.map_or((None, false), |figure| (figure.unit, figure.percent));
        let beside =
            own.and_then(|figure| figure.place).map(|place| beside(&spared, place)).unwrap_or_default();
        values.push(Value::Number { text: span.text, value, unit, percent, beside });
    }
    values
}

/// The word before a place of a text, and the one behind it; both folded.
fn beside(text: &str, (from, to): (usize, usize)) -> [String; 2] {
    let (before, behind) = (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    let before = before.split_whitespace().next_back().map(fold).unwrap_or_default();
    let behind = behind.split_whitespace().next().map(fold).unwrap_or_default();
    [before.trim().to_owned(), behind.trim().to_owned()]
}

/// Where groups of digits stand side by side that are one number: a `+` before them, or at least nine digits in three groups.
fn long_numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() || at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let (mut end, mut groups, mut digits) = (at, 0, 0);
        loop {
            let run = bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
            (end, groups, digits) = (end + run, groups + 1, digits + run);
            let gap =
                bytes[end..].iter().take_while(|b| matches!(b, b' ' | b'-' | b'/' | b'(' | b')')).count();
            if gap == 0 || gap > 2 || !bytes.get(end + gap).is_some_and(u8::is_ascii_digit) {
                break;
            }
            end += gap;
        }
        let plus = at > 0 && bytes[at - 1] == b'+';
        if digits >= 9 && groups >= 3 || plus && digits >= 7 {
            found.push((at, end));
        }
        at = end;
    }
    found
}

/// The words of a text, with their places.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |token| {
        let inner = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
        (inner.as_ptr() as usize - text.as_ptr() as usize, inner)
    })
}

/// Whether a word is a name that only records have: letters and digits in one, such as `W2378156` or `flight_0071`.
fn is_id(token: &str) -> bool {
    let digits = token.chars().filter(char::is_ascii_digit).count();
    let letters = token.chars().filter(char::is_ascii_alphabetic).count();
    let own = |c: char| c.is_ascii_alphanumeric() || matches!(c, '#' | '-' | '_');
    let starts = token.trim_start_matches('#').starts_with(|c: char| c.is_ascii_alphabetic());
    let is_record = digits >= 3 && letters >= 1 && starts;
    // A code such as `QX7P4Z`.
    let is_code =
        digits >= 1 && letters >= 3 && token.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    token.chars().all(own) && (is_record || is_code) && token.len() >= 5
}

/// Dates in figures (`2024-05-03`) and the places where they stand. Dates in words are read as numbers and words.
fn dates(text: &str) -> (Vec<Value>, Vec<(usize, usize)>) {
    let (mut values, mut places) = (Vec::new(), Vec::new());
    for (at, token) in tokens(text) {
        let is_date = token.bytes().filter(|b| matches!(b, b'-' | b'/' | b'.')).count() == 2
            && token.starts_with(|c: char| c.is_ascii_digit())
            && token.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/' | b'.'));
        if !is_date {
            continue;
        }
        let mut times = Times::default();
        times.read(token, &fold(token));
        if times.has_dates() {
            values.push(Value::Time { text: token.to_owned(), times });
            places.push((at, at + token.len()));
        }
    }
    (values, places)
}

/// Whether a word is a time of day in figures: `07:35`.
fn is_clock(token: &str) -> bool {
    let Some((hour, minute)) = token.split_once(':') else { return false };
    let is_number = |text: &str, most: u32| {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_short && text.parse::<u32>().is_ok_and(|number| number <= most)
    };
    is_number(hour, 23) && minute.len() == 2 && is_number(minute, 59)
}

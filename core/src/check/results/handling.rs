//! Whether an answer is faithful to what came back: each number, date and id in it must stand in a result, in the conversation or
//! in a definition, and a failure must not be passed off as a success.
//!
//! A value that is left out or given to the wrong thing is not seen here: only what stands nowhere is.

use std::sync::LazyLock;

use super::failure::{Ending, ending};
use super::{Fault, Ruling, sober, speaks_of_failure};
use crate::check::evidence::Evidence;
use crate::check::literals::literals;
use crate::check::observation::Literal;
use crate::domain::{Calls, Json, Lack, Message, Messages, Role, Sample, ToolCall};
use crate::language::phrases;
use crate::reading::aliases;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::numbers::{Figures, Measured, NumberMatch};
use crate::reading::units::Unit;
use crate::reading::words::{fold, words};

/// How a value of the answer is borne out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Found,
    /// It could have been worked out, or be another word for something.
    Possible,
    Nowhere,
}

/// With more numbers than these, two of them give nearly any third.
const FEW_FIGURES: usize = 12;
/// Numbers that are looked at two by two.
const MAX_IN_PAIRS: usize = 60;
/// A count of things needs no source.
const SMALL: f64 = 3.0;
/// Bounds the work on long answers.
const MAX_ANSWER_BYTES: usize = 16 * 1024;
/// Values that an explanation names.
const MAX_NAMED: usize = 3;

pub(super) fn rule(sample: &Sample) -> Ruling {
    let results = &sample.after.results;
    if results.is_empty() {
        return Ruling::Missing("no result was logged".to_owned());
    }
    let Some(answer) = answer(sample) else {
        return Ruling::Missing("no words of the agent's followed the results".to_owned());
    };
    let failures: Vec<String> = results
        .iter()
        .filter_map(|result| match ending(result) {
            Ending::Failed(why) => Some(why),
            _ => None,
        })
        .collect();
    let calls_on = sample.after.next.as_ref().is_some_and(|next| !next.tool_calls.is_empty());
    if failures.len() == results.len() {
        return match (speaks_of_failure(&answer), claims_success(&answer)) {
            _ if calls_on => {
                Ruling::Open(Lack::Step, "the call failed and the agent called again".to_owned())
            }
            (false, true) => {
                let why = format!("The call failed ({}), and the answer says that it worked.", failures[0]);
                Ruling::Fails(Fault { why, call: None, quotes: Vec::new() })
            }
            (true, false) => Ruling::Passes("The call failed, and the answer says so.".to_owned()),
            _ => Ruling::Open(
                Lack::Balance,
                "the call failed; whether the answer says so in words of its own takes a model".to_owned(),
            ),
        };
    }
    let known = Known::of(sample, &answer);
    let mut sources: Vec<(String, Source)> =
        values(&answer).into_iter().map(|value| known.source(value)).collect();
    sources.dedup_by(|a, b| a.0 == b.0);
    let with =
        |source: Source| sources.iter().filter(move |(_, own)| *own == source).map(|(text, _)| text.as_str());
    let nowhere: Vec<String> =
        with(Source::Nowhere).take(MAX_NAMED).map(|text| format!("`{text}`")).collect();
    if !nowhere.is_empty() {
        let why = format!(
            "The answer says {}, which stands in no result, message or definition.",
            nowhere.join(", ")
        );
        let quotes = with(Source::Nowhere).map(str::to_owned).collect();
        return Ruling::Fails(Fault { why, call: None, quotes });
    }
    match (with(Source::Found).count(), with(Source::Possible).count()) {
        (0, _) => Ruling::Open(
            Lack::Balance,
            "the answer holds no value whose source could be looked for".to_owned(),
        ),
        (1, 0) => {
            Ruling::Passes("The one value of the answer stands in what the agent had before it.".to_owned())
        }
        (found, 0) => {
            Ruling::Passes(format!("All {found} values of the answer stand in what the agent had before it."))
        }
        (_, 1) => Ruling::Open(Lack::Source, "one value of the answer may have been worked out".to_owned()),
        (_, open) => {
            Ruling::Open(Lack::Source, format!("{open} values of the answer may have been worked out"))
        }
    }
}

/// What the agent said once it had the results.
fn answer(sample: &Sample) -> Option<String> {
    let next = sample.after.next.as_ref().map(|next| next.content.as_str());
    let said = next.or_else(|| sample.after.response())?;
    let mut end = said.len().min(MAX_ANSWER_BYTES);
    while !said.is_char_boundary(end) {
        end -= 1;
    }
    Some(said[..end].to_owned()).filter(|said| !said.trim().is_empty())
}

/// Whether the answer says that what was asked for is done: in words for that, and without a word that takes something back.
fn claims_success(answer: &str) -> bool {
    let folded = sober(answer);
    let says = |phrases: &[String]| phrases.iter().any(|phrase| folded.contains(phrase.as_str()));
    says(&DONE) && !says(&BUT) && !answer.contains('?')
}

/// Phrases by which an answer says that something is done.
static DONE: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.done));

/// Words by which an answer takes something back.
static BUT: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.but));

/// A value of an answer.
enum Value {
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

fn values(answer: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let (times, places) = dates(answer);
    values.extend(times);
    values.extend(clocks(answer));
    let inside = |at: usize| places.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut spared = answer.to_owned();
    for (at, token) in tokens(answer) {
        if is_id(token) && !inside(at) {
            values.push(Value::Id(token.to_owned()));
        }
        if is_id(token) || inside(at) {
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

/// Times of day in figures: `07:35`.
fn clocks(text: &str) -> impl Iterator<Item = Value> {
    tokens(text).filter_map(|(_, token)| {
        let (hour, minute) = token.split_once(':')?;
        let is_number = |text: &str, max: u32| {
            let is_short = text.len() <= 2 && !text.is_empty();
            is_short && text.parse::<u32>().is_ok_and(|number| number <= max)
        };
        (is_number(hour, 23) && minute.len() == 2 && is_number(minute, 59))
            .then(|| Value::Clock(token.to_owned()))
    })
}

/// What the agent had before it when it answered.
struct Known {
    evidence: Evidence,
    /// How many things there are in each list of the results.
    counts: Vec<f64>,
    /// All digits, one after another, as telephone numbers have them however they are parted.
    digits: String,
    /// Whether the answer speaks of arithmetic.
    calculates: bool,
    /// The numbers that were there, each once.
    numbers: Vec<f64>,
    /// The digits of numbers of the results that the answer does not name.
    unnamed: Vec<Vec<u8>>,
}

impl Known {
    fn of(sample: &Sample, answer: &str) -> Known {
        let mut messages: Vec<Message> = Vec::new();
        if let Some(tools) = &sample.raw.tool_definitions {
            messages.push(Message::new(Role::System, &**tools));
        }
        messages.extend(sample.messages.iter().cloned());
        if messages.iter().all(|message| message.content != sample.question) {
            messages.push(Message::new(Role::User, sample.question.as_str()));
        }
        // Arguments of earlier calls were said too.
        let made: Vec<String> = sample
            .messages
            .iter()
            .flat_map(|message| &message.tool_calls)
            .map(|call| call.to_json().to_string())
            .collect();
        let own = match &sample.calls {
            Calls::Parsed(calls) => {
                calls.iter().map(ToolCall::to_json).map(|call| call.to_string()).collect()
            }
            Calls::Unparsed => Vec::from_iter(sample.raw.tool_call.clone()),
        };
        messages.extend(made.into_iter().chain(own).map(|text| Message::new(Role::Assistant, text)));
        let mut counts = vec![sample.after.results.len() as f64];
        for result in &sample.after.results {
            messages.push(Message::new(Role::Tool, result.content.as_str()));
            if let Ok(json) = Json::parse(&result.content) {
                count(&json, &mut counts);
            }
        }
        let heard = Sample { messages: Messages::from(messages), ..sample.clone() };
        let digits = sample
            .after
            .results
            .iter()
            .map(|result| result.content.as_str())
            .chain([sample.question.as_str()]);
        let digits = digits.map(|text| text.chars().filter(char::is_ascii_digit).collect::<String>());
        let digits = digits.collect::<Vec<_>>().join("|");
        let answer = fold(answer);
        let calculates = SUMS.iter().any(|word| answer.contains(word.as_str()));
        let evidence = Evidence::new(&heard);
        let mut numbers: Vec<f64> = Vec::new();
        for figure in evidence.figures.iter() {
            if numbers.len() < MAX_OPERANDS && figure.value != 0.0 && !numbers.contains(&figure.value) {
                numbers.push(figure.value);
            }
        }
        let results = sample.after.results.iter().map(|result| result.content.as_str());
        let named = numbers_in(&answer);
        let mut unnamed: Vec<Vec<u8>> = results.flat_map(numbers_in).collect();
        unnamed.retain(|number| !named.contains(number));
        unnamed.truncate(MAX_IN_PAIRS);
        Known { evidence, counts, digits, calculates, numbers, unnamed }
    }

    /// Where a value comes from.
    fn source(&self, value: Value) -> (String, Source) {
        match value {
            Value::Number { text, value, unit, percent, beside: [before, behind] } => {
                let explained = || {
                    self.is_worked_out(value, unit, percent)
                        || self.is_derived(value, places(&text))
                        || BOUNDS.contains(&before.as_str())
                        || self.is_of_another_kind(&behind)
                };
                let source = match self.of_number(&text, value) {
                    Source::Nowhere if self.is_end_of_a_number(&text) => Source::Found,
                    Source::Possible | Source::Nowhere if self.is_altered(&text) => Source::Nowhere,
                    Source::Nowhere if explained() => Source::Possible,
                    source => source,
                };
                (text, source)
            }
            Value::Time { text, times } => {
                let source = match self.evidence.times.explain(&times) {
                    Some(TimeMatch::Told) => Source::Found,
                    Some(TimeMatch::Other) if !self.evidence.times.is_relative() => Source::Nowhere,
                    _ => Source::Possible,
                };
                (text, source)
            }
            Value::Clock(text) => {
                let mut times = Times::default();
                times.read(&text, &fold(&text));
                let source = match self.evidence.times.explain(&times) {
                    Some(TimeMatch::Told) => Source::Found,
                    // Times are worked out as well, and told in other zones.
                    _ if self.is_altered(&text) => Source::Nowhere,
                    _ => Source::Possible,
                };
                (text, source)
            }
            Value::Digits { text, number } => {
                // A prefix may be written in another way: +49 or 0.
                let stands = self.digits.contains(number.trim_start_matches('0'));
                (text, if stands { Source::Found } else { Source::Nowhere })
            }
            Value::Id(text) => {
                let folded = fold(text.trim_start_matches('#'));
                let stands = self.evidence.text.contains(folded.trim());
                (text, if stands { Source::Found } else { Source::Nowhere })
            }
        }
    }

    /// Whether a number follows from others in a way that an answer need not show: another unit, a change in percent, or arithmetic that
    /// its words speak of.
    fn is_worked_out(&self, value: f64, unit: Option<Unit>, percent: bool) -> bool {
        let figures = &self.evidence.figures;
        let converted = unit.is_some_and(|unit| {
            matches!(figures.in_unit(value, || Some(unit)), Some(Measured::Same | Measured::Converted(_)))
        });
        let own: Vec<f64> =
            figures.iter().filter(|figure| figure.place.is_some()).map(|figure| figure.value).collect();
        let changed = percent
            && own.iter().take(MAX_IN_PAIRS).any(|from| {
                own.iter().take(MAX_IN_PAIRS).any(|to| {
                    *from != 0.0
                        && ((to - from) / from * 100.0).abs() > 0.0
                        && (((to - from) / from * 100.0).abs() - value.abs()).abs() < 0.51
                })
            });
        converted || changed || self.calculates
    }

    /// Whether one step of arithmetic gives a number of so many places from the numbers that were there.
    fn is_derived(&self, value: f64, places: i32) -> bool {
        let half = 0.5 * 10f64.powi(-places) * (1.0 + 1e-9);
        let is_it = |own: f64| (own - value).abs() <= half;
        let of_two = |a: f64, b: f64| {
            let share = b / 100.0;
            [a + b, a - b, a * b, a / b, a * share, a * (1.0 + share), a * (1.0 - share), 100.0 * a / b]
        };
        let with = |a: f64, constant: f64| [a * constant, a / constant];
        self.numbers.iter().any(|a| {
            self.numbers.iter().any(|b| of_two(*a, *b).into_iter().any(is_it))
                || CONSTANTS.iter().any(|constant| with(*a, *constant).into_iter().any(is_it))
                || is_it(1.0 / a)
                // Celsius and Fahrenheit.
                || is_it(a * 1.8 + 32.0)
                || is_it((a - 32.0) / 1.8)
        })
    }

    /// Whether so many digits are the last of a longer number: `ending in 1784`.
    fn is_end_of_a_number(&self, text: &str) -> bool {
        let is_long = text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_long && words(&self.evidence.text).any(|word| word.ends_with(text))
    }

    /// Whether a number is one of a result but for a digit, or for two that changed places, and the answer does not name that one: then
    /// it was altered, and not worked out.
    fn is_altered(&self, text: &str) -> bool {
        let own: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
        let is_it = |other: &Vec<u8>| match altered(&own, other) {
            Some(Alteration::Swapped) => true,
            Some(Alteration::Digit) => !self.calculates,
            None => false,
        };
        own.len() >= 3 && self.unnamed.iter().any(is_it)
    }

    /// Whether a number is of a kind that none of those is that were there: `27 kWh` of watts and hours.
    fn is_of_another_kind(&self, behind: &str) -> bool {
        let is_unit = behind.chars().all(char::is_alphabetic) && (2..=4).contains(&behind.len());
        is_unit && aliases::is_unit(behind) && !self.evidence.has_phrase(&format!(" {behind} "))
    }

    fn of_number(&self, text: &str, value: f64) -> Source {
        let evidence = &self.evidence;
        let is_few = evidence.figures.iter().count() <= FEW_FIGURES;
        match evidence.figures.explain(value) {
            Some(NumberMatch::Same | NumberMatch::FromPercent | NumberMatch::KeptPercent) => {
                return Source::Found;
            }
            Some(NumberMatch::Negated) => return Source::Possible,
            _ if evidence.times.uses(value) || self.counts.contains(&value) => return Source::Found,
            _ if value.fract() == 0.0 && value.abs() <= SMALL => return Source::Possible,
            Some(NumberMatch::Scaled) => return Source::Possible,
            Some(NumberMatch::Combined) if is_few => return Source::Possible,
            _ => {}
        }
        // As many digits as it has: 21.46 is 21.5, and 21.
        let half = 0.5 * 10f64.powi(-places(text)) * (1.0 + 1e-9);
        let rounded = evidence.figures.iter().any(|figure| {
            [figure.value, figure.value * 100.0]
                .iter()
                .any(|own| own.fract() != 0.0 && (own - value).abs() <= half)
        });
        let sums = evidence
            .figures
            .iter()
            .filter(|figure| figure.place.is_some())
            .map(|figure| figure.value)
            .sum::<f64>();
        // 291,940 is about 292,000.
        let zeros = text.chars().rev().filter(char::is_ascii_digit).take_while(|c| *c == '0').count();
        let step = 0.5 * 10f64.powi(zeros as i32);
        let is_round =
            zeros > 1 && evidence.figures.iter().any(|figure| (figure.value - value).abs() <= step);
        match rounded {
            true => Source::Found,
            false if is_round => Source::Possible,
            false if (sums - value).abs() < 0.005 => Source::Possible,
            false if words(&evidence.text).any(|word| word == text) => Source::Found,
            false => Source::Nowhere,
        }
    }
}

/// The digits of each number of a text.
fn numbers_in(text: &str) -> Vec<Vec<u8>> {
    let numbers = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | ':'));
    let digits = numbers.map(|number| number.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>());
    digits.filter(|digits| digits.len() >= 3).collect()
}

/// How a number may come out of another by a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alteration {
    /// One digit is another.
    Digit,
    /// Two digits that stand side by side changed places.
    Swapped,
}

/// How a number differs from another of as many digits, if it is by a slip.
fn altered(a: &[u8], b: &[u8]) -> Option<Alteration> {
    if a.len() != b.len() {
        return None;
    }
    let apart: Vec<usize> = (0..a.len()).filter(|at| a[*at] != b[*at]).take(3).collect();
    match apart[..] {
        [_] => Some(Alteration::Digit),
        [x, y] if y == x + 1 && a[x] == b[y] && a[y] == b[x] => Some(Alteration::Swapped),
        _ => None,
    }
}

/// The places behind the point of a number as it is written.
fn places(text: &str) -> i32 {
    let digits = text.rsplit_once(['.', ',']).map_or("", |(_, digits)| digits);
    digits.chars().filter(char::is_ascii_digit).count().min(9) as i32
}

/// Words before a number that is a bound of the answer's own: `above 4.5`.
const BOUNDS: [&str; 10] =
    ["above", "over", "under", "below", "exceeding", "beyond", "than", "per", "uber", "unter"];

/// Numbers that a reckoning takes from nowhere.
const CONSTANTS: [f64; 9] = [2.0, 7.0, 12.0, 24.0, 30.0, 60.0, 100.0, 1_000.0, 1_048_576.0];
/// Numbers that arithmetic is tried on.
const MAX_OPERANDS: usize = 24;

/// Words by which an answer says that it has worked something out.
static SUMS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.sums));

/// The lengths of all lists in a value.
fn count(json: &Json, counts: &mut Vec<f64>) {
    match json {
        Json::Array(items) => {
            counts.push(items.len() as f64);
            items.iter().for_each(|item| count(item, counts));
        }
        Json::Object(object) => {
            counts.push(object.len() as f64);
            object.iter().for_each(|(_, value)| count(value, counts));
        }
        _ => {}
    }
}

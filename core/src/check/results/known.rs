//! Sources of an answer's values: what the agent had seen before, and what follows from it by arithmetic.

use std::sync::LazyLock;

use super::head;
use super::values::Value;
use crate::check::evidence::Evidence;
use crate::domain::{Calls, Json, Message, Messages, Role, Sample, ToolCall};
use crate::language::phrases;
use crate::reading::aliases;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::numbers::{Measured, NumberMatch};
use crate::reading::units::Unit;
use crate::reading::words::{fold, words};

/// How a value of the answer is borne out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
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
/// What the agent had before it when it answered.
pub(super) struct Known {
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
    pub(super) fn of(sample: &Sample, answer: &str) -> Known {
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
        let results = sample.after.results.iter().map(|result| head(&result.content));
        let named = numbers_in(&answer);
        let mut unnamed: Vec<Vec<u8>> = results.flat_map(numbers_in).collect();
        unnamed.truncate(MAX_UNNAMED);
        unnamed.retain(|number| !named.contains(number));
        Known { evidence, counts, digits, calculates, numbers, unnamed }
    }

    pub(super) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Where a value comes from.
    pub(super) fn source(&self, value: Value) -> (String, Source) {
        match value {
            Value::Number { text, value, unit, percent, beside: [before, behind] } => {
                let explained = || {
                    self.numbers.iter().any(|own| MOMENTS.contains(own) || MOMENTS.contains(&(own / 1e3)))
                        || self.is_worked_out(value, unit, percent)
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
            // Whoever converts, rounds: 42.2 km are roughly 26 miles.
            let near = |own: f64| (own - value).abs() <= ROUNDED * value.abs();
            let rounded = || {
                let like = figures.iter().filter_map(|figure| Some((figure.value, figure.unit?)));
                like.filter(|(_, own)| own.is_like(unit)).any(|(own, from)| near(from.convert(own, unit)))
            };
            let exact = figures.in_unit(value, || Some(unit));
            matches!(exact, Some(Measured::Same | Measured::Converted(_))) || rounded()
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

    /// Whether a number is one of a result but for two digits that changed places, and the answer does not name that one: a slip, and
    /// hardly ever what arithmetic or rounding gives.
    fn is_altered(&self, text: &str) -> bool {
        let own: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
        own.len() >= 3 && self.unnamed.iter().any(|other| are_swapped(&own, other))
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
        let digits = format!("{value:.0}");
        let zeros = digits.bytes().rev().take_while(|byte| *byte == b'0').count();
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

/// Numbers of results that are looked at for slips.
const MAX_UNNAMED: usize = 500;

/// The digits of each number of a text.
fn numbers_in(text: &str) -> Vec<Vec<u8>> {
    let numbers = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | ':'));
    let digits = numbers.map(|number| number.bytes().filter(u8::is_ascii_digit).collect::<Vec<u8>>());
    digits.filter(|digits| digits.len() >= 3).collect()
}

/// Whether two numbers differ only in the order of two digits that stand side by side.
fn are_swapped(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let apart: Vec<usize> = (0..a.len()).filter(|at| a[*at] != b[*at]).take(3).collect();
    matches!(apart[..], [x, y] if y == x + 1 && a[x] == b[y] && a[y] == b[x])
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
/// The share by which a converted amount may be off.
const ROUNDED: f64 = 0.015;
/// Numbers that may be moments in seconds since 1970: their years and days stand nowhere else.
const MOMENTS: std::ops::Range<f64> = 1e9..2.2e9;
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

//! What was said last counts: values that the user took back or said anew, and calls that still go by the old ones.

use std::sync::LazyLock;

use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::domain::{Json, Role, Sample, ToolCall};
use crate::language;
use crate::reading::numbers::Figures;
use crate::reading::words::fold;

/// Bounds of the work on hostile rows: calls and their values, earlier messages, bytes of one, values of one.
const MAX_CALLS: usize = 8;
const MAX_VALUES: usize = 32;
const MAX_MESSAGES: usize = 4;
const MAX_BYTES: usize = 4 * 1024;
const MAX_SAID: usize = 100;
/// A longer word is no value.
const MAX_VALUE: usize = 40;
/// Letters behind the digits of an amount: `45min`.
const MAX_UNIT: usize = 3;

/// A value that somebody said.
#[derive(Debug, PartialEq)]
struct Said {
    at: usize,
    /// Folded.
    value: String,
    /// What kind of value it is, by its form: the same for all numbers, and for all codes written alike.
    form: String,
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    if calls.is_empty() {
        return;
    }
    let question = head(&sample.question);
    let last = said(question);
    let taken_back = corrections(head(&assessor.evidence.question));
    let earlier = earlier(sample);
    if earlier.is_empty() && taken_back.is_empty() {
        return;
    }
    let before: Vec<Said> = earlier.iter().flat_map(|text| said(text)).collect();
    let unused: Vec<&Said> = last.iter().filter(|own| !is_used(assessor, own)).collect();
    let is_old = |own: &&Said| !is_used(assessor, own) && !last.iter().any(|new| new.value == own.value);
    let old_unused: Vec<&Said> = before.iter().filter(is_old).collect();
    let (mut stale, mut corrected, mut latest) = (0, 0, 0);
    let values: Vec<String> = values(calls);
    for value in &values {
        let here: Vec<&Said> = last.iter().filter(|own| own.value == *value).collect();
        match here.last() {
            Some(own) => {
                let place = |own: &Said| fold(&question[..own.at]).len();
                let later = |other: &&&Said| other.form == own.form && other.at > own.at;
                let replaced = |other: &Said| {
                    let between = place(own)..place(other);
                    taken_back.iter().any(|mark| between.contains(mark))
                };
                let is_corrected =
                    !taken_back.is_empty() && unused.iter().filter(later).any(|other| replaced(other));
                corrected += usize::from(is_corrected);
                latest += usize::from(old_unused.iter().any(|other| other.form == own.form));
            }
            None => {
                let form = before.iter().rev().find(|own| own.value == *value).map(|own| &own.form);
                // Where the calls hold one of the new values, that one may be what took its place.
                let is_stale = |form: &String| {
                    let new = || last.iter().filter(|own| own.form == *form);
                    new().next().is_some() && new().all(|own| unused.contains(&own))
                };
                stale += usize::from(form.is_some_and(is_stale));
            }
        }
    }
    features.set(Feature::same_stale, stale.min(3) as f32);
    features.set(Feature::same_corrected, corrected.min(3) as f32);
    features.set(Feature::same_latest, latest.min(3) as f32);
    if !earlier.is_empty() {
        amounts(features, assessor, question, &earlier, calls);
    }
}

/// Numbers in words and with units: those of the calls that were said before and no more, while the last message says others.
fn amounts(
    features: &mut Features,
    assessor: &Assessor,
    question: &str,
    earlier: &[&str],
    calls: &[ToolCall],
) {
    let mut now = Figures::default();
    earlier.iter().for_each(|text| now.hear(crate::reading::spoken::Languages::of(&fold(text))));
    now.read(question, &fold(question));
    let new = || now.iter().map(|own| own.value).filter(|value| *value > 1.0);
    let left = new().next().is_some() && new().all(|value| !assessor.used.numbers.contains(value));
    let mut then = Figures::default();
    earlier.iter().for_each(|text| then.read(text, &fold(text)));
    let arguments = calls.iter().take(MAX_CALLS).filter_map(ToolCall::parsed);
    let numbers = arguments.flat_map(|own| own.values().take(MAX_VALUES)).filter_map(|value| match value {
        Json::Number(number) => Some(number.as_f64()),
        _ => None,
    });
    let old = numbers.filter(|value| then.contains(*value) && now.explain(*value).is_none()).count();
    features.set(Feature::same_stale_amount, if left { old.min(3) as f32 } else { 0.0 });
}

/// What the user said before the last message, the newest first.
fn earlier(sample: &Sample) -> Vec<&str> {
    let before = sample.before_turn();
    let last = before.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    let users = before[..last].iter().rev().filter(|message| message.role == Role::User);
    users.take(MAX_MESSAGES).map(|message| head(&message.content)).collect()
}

/// The calls' values as texts, each once.
fn values(calls: &[ToolCall]) -> Vec<String> {
    let mut all = Vec::new();
    for arguments in calls.iter().take(MAX_CALLS).filter_map(ToolCall::parsed) {
        for value in arguments.values().take(MAX_VALUES) {
            let items = value.as_array().unwrap_or(std::slice::from_ref(value));
            let texts = items.iter().take(MAX_VALUES).filter_map(|item| match item {
                Json::String(text) if text.len() <= MAX_VALUE => Some(fold(text)),
                Json::Number(number) => Some(fold(&number.plain())),
                _ => None,
            });
            all.extend(texts);
        }
    }
    all.sort_unstable();
    all.dedup();
    all.truncate(MAX_SAID);
    all
}

/// The values with digits that a text says.
fn said(text: &str) -> Vec<Said> {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || "-_./:@#,".contains(c);
    let mut all = Vec::new();
    let mut at = 0;
    for part in text.split(|c: char| !is_inner(c)) {
        let start = at;
        at += part.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
        let word = part.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if word.len() > MAX_VALUE || !word.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let (value, form) = read(word);
        all.push(Said { at: start, value: fold(&value), form });
        if all.len() >= MAX_SAID {
            break;
        }
    }
    all
}

/// A word with a digit as a value, and its form.
fn read(word: &str) -> (String, String) {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let unit = &word[digits..];
    if digits > 0 && unit.len() <= MAX_UNIT && unit.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return (word[..digits].to_owned(), "9".to_owned());
    }
    if word.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte)) {
        let grouped = word.split([',', '.']).skip(1).all(|part| part.len() == 3);
        let plain = if grouped { word.replace([',', '.'], "") } else { word.replace(',', ".") };
        return (plain, "9".to_owned());
    }
    let mut form = String::new();
    for c in word.chars() {
        let sign = if c.is_ascii_digit() {
            '9'
        } else if c.is_ascii_alphabetic() {
            'a'
        } else {
            c
        };
        if !form.ends_with(sign) {
            form.push(sign);
        }
    }
    (word.to_owned(), form)
}

/// Whether the calls hold a value, by itself or within another.
fn is_used(assessor: &Assessor, own: &Said) -> bool {
    let plain = own.value.trim();
    assessor.used.text.contains(plain)
        || plain.parse().is_ok_and(|value| assessor.used.numbers.contains(value))
        || squeezed_contains(&assessor.used.text, plain)
}

/// Whether a folded text holds a folded value with other spaces.
fn squeezed_contains(text: &str, value: &str) -> bool {
    let without = |text: &str| -> String { text.chars().filter(|c| *c != ' ').take(MAX_BYTES).collect() };
    let value = without(value);
    value.len() > 2 && without(text).contains(&value)
}

/// Where in a folded text a phrase takes back what was said before it.
fn corrections(folded: &str) -> Vec<usize> {
    let found = |phrase: &'static String| folded.match_indices(phrase.as_str()).take(MAX_MESSAGES);
    let mut places: Vec<usize> = CORRECTIONS.iter().flat_map(found).map(|(at, _)| at).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Phrases that take back what was said, between spaces.
static CORRECTIONS: LazyLock<Vec<String>> = LazyLock::new(|| language::phrases(|of| &of.request.corrections));

/// The start of a text.
fn head(text: &str) -> &str {
    &text[..(0..=text.len().min(MAX_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_alike_by_their_form() {
        for (one, two, alike) in [
            ("T-720", "D-41", true),
            ("3391", "3319", true),
            ("45min", "30", true),
            ("T-720", "720", false),
            ("14:30", "9:15", true),
            ("1,200", "900", true),
        ] {
            assert_eq!(read(one).1 == read(two).1, alike, "{one} {two}");
        }
        assert_eq!(read("1,200").0, "1200");
    }

    #[test]
    fn corrections_are_whole_words() {
        assert_eq!(corrections(&fold("order 12, sorry, 21")), [9]);
        assert!(corrections(&fold("a sorrysome look")).is_empty());
    }
}

//! Corrections by the user: values that were taken back or replaced, and calls that still use the old ones.

use std::sync::LazyLock;

use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::domain::{Json, Role, Sample, ToolCall};
use crate::language;
use crate::reading::numbers::{Figures, same};
use crate::reading::units::Unit;
use crate::reading::words::{Stem, fold, is_content, stem};

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
/// Characters of a word behind a number.
const MAX_WORD: usize = 24;

/// A value that somebody said.
#[derive(Debug, PartialEq)]
struct Said {
    at: usize,
    /// Folded.
    value: String,
    /// What kind of value it is, by its form: the same for all numbers, and for all codes written alike.
    form: String,
    /// What it counts, if it is a number.
    kind: Kind,
}

impl Said {
    /// Whether one may have been said in the other's place: numbers only of the same, codes only with about as many letters.
    fn is_like(&self, other: &Said) -> bool {
        let count = |own: &Said, is: fn(&u8) -> bool| own.value.bytes().filter(is).count();
        let differ = |is| count(self, is).abs_diff(count(other, is));
        let is_whole = |own: &Said| own.value.trim().bytes().all(|byte| byte.is_ascii_digit());
        // `9004` may be an order, where `12` is a number of things.
        let is_of_length = self.kind != Kind::Bare || !is_whole(self) || !is_whole(other);
        self.form == other.form
            && match self.form == NUMBER {
                true => self.kind.is_like(other.kind) && (is_of_length || differ(u8::is_ascii_digit) < 2),
                false => differ(u8::is_ascii_alphabetic) < 2,
            }
    }
}

/// The form of a number.
const NUMBER: &str = "9";

/// What a number counts, by the sign or word beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Bare,
    Percent,
    Money,
    Of(Unit),
    /// A word that is no unit of measure: `4 guests`.
    Things(Stem),
}

impl Kind {
    fn is_like(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Of(one), Kind::Of(two)) => one.is_like(two),
            (one, two) => one == two,
        }
    }

    fn of_unit(unit: Unit) -> Kind {
        if unit.is_money() { Kind::Money } else { Kind::Of(unit) }
    }

    fn of_word(word: &str) -> Option<Kind> {
        let folded = fold(word);
        Unit::of_word(folded.trim()).map(Kind::of_unit)
    }

    /// By what stands around the place of a number.
    fn around(text: &str, start: usize, end: usize) -> Kind {
        const MONEY: [char; 8] = ['$', '€', '£', '¥', '₹', '₩', '₽', '₺'];
        let behind = text.get(end..).unwrap_or_default();
        let is_money = text.get(..start).is_some_and(|front| front.trim_end().ends_with(MONEY));
        let next = behind.trim_start_matches([' ', '-']);
        if next.starts_with(['%', '％', '٪']) {
            return Kind::Percent;
        }
        if is_money || next.starts_with(MONEY) {
            return Kind::Money;
        }
        let length =
            next.char_indices().take(MAX_WORD).take_while(|(_, c)| c.is_alphabetic() || *c == '°').last();
        let Some((last, c)) = length else { return Kind::Bare };
        let word = &next[..last + c.len_utf8()];
        if let Some(kind) = Kind::of_word(word) {
            return kind;
        }
        // Where no spaces part words, the first sign is what is counted.
        let own = match word.chars().next().filter(|c| next.len() == behind.len() && !c.is_ascii()) {
            Some(first) => &word[..first.len_utf8()],
            None => word,
        };
        let folded = fold(own);
        let own = folded.trim();
        Kind::of_word(own).unwrap_or(if is_content(own) { Kind::Things(stem(own)) } else { Kind::Bare })
    }
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
                let later = |other: &&&Said| own.is_like(other) && other.at > own.at;
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
                let old = before.iter().rev().find(|own| own.value == *value);
                // Where the calls hold one of the new values, that one may be what took its place.
                let is_stale = |old: &Said| {
                    let new = || last.iter().filter(|own| own.is_like(old));
                    new().next().is_some() && new().all(|own| unused.contains(&own))
                };
                stale += usize::from(old.is_some_and(is_stale));
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
    let new: Vec<(f64, Kind)> = amounts_of(question, &now).filter(|(value, _)| *value > 1.0).collect();
    if new.is_empty() {
        return;
    }
    let mut then: Vec<(f64, Kind)> = Vec::new();
    for text in earlier {
        let mut own = Figures::default();
        own.hear(now.languages());
        own.read(text, &fold(text));
        then.extend(amounts_of(text, &own).take(MAX_SAID));
    }
    let is_used = |value: f64| assessor.used.numbers.contains(value);
    // New amounts of the same that the calls all leave out.
    let is_replaced = |kind: Kind| {
        let like = || new.iter().filter(|(_, own)| own.is_like(kind));
        like().next().is_some() && !like().any(|(value, _)| is_used(*value))
    };
    let arguments = calls.iter().take(MAX_CALLS).filter_map(ToolCall::parsed);
    let numbers = arguments.flat_map(|own| own.values().take(MAX_VALUES)).filter_map(|value| match value {
        Json::Number(number) => Some(number.as_f64()),
        _ => None,
    });
    let is_old = |value: &f64| {
        let told = then.iter().find(|(own, _)| same(*own, *value));
        told.is_some_and(|(_, kind)| is_replaced(*kind)) && now.explain(*value).is_none()
    };
    features.set(Feature::same_stale_amount, numbers.filter(is_old).count().min(3) as f32);
}

/// The amounts of a text, each with what it counts; the digits of codes are none.
fn amounts_of<'a>(text: &'a str, figures: &'a Figures) -> impl Iterator<Item = (f64, Kind)> + 'a {
    let is_code = |start: usize| {
        text.get(..start)
            .and_then(|front| front.chars().next_back())
            .is_some_and(|c| c.is_alphanumeric() && c.is_ascii() || matches!(c, '-' | '#' | '_' | '/'))
    };
    figures.iter().take(MAX_SAID).filter_map(move |figure| match (figure.place, figure.unit) {
        (Some((start, _)), _) if is_code(start) => None,
        _ if figure.percent => Some((figure.value, Kind::Percent)),
        (_, Some(unit)) => Some((figure.value, Kind::of_unit(unit))),
        (Some((start, end)), None) => Some((figure.value, Kind::around(text, start, end))),
        // Of a number in words it is not known what it counts.
        (None, None) => None,
    })
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
        let from = start + part.find(word).unwrap_or_default();
        let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || b".,".contains(byte)).count();
        let kind = if form == NUMBER { Kind::around(text, from, from + digits) } else { Kind::Bare };
        all.push(Said { at: start, value: fold(&value), form, kind });
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
        return (word[..digits].to_owned(), NUMBER.to_owned());
    }
    if word.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte)) {
        let grouped = word.split([',', '.']).skip(1).all(|part| part.len() == 3);
        let plain = if grouped { word.replace([',', '.'], "") } else { word.replace(',', ".") };
        return (plain, NUMBER.to_owned());
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
    use super::super::measured;
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
    fn numbers_take_the_place_of_their_like() {
        for (earlier, later, alike) in [
            ("for 30 minutes", "no, 45 min", true),
            ("45min please", "1 hour", true),
            ("30분 뒤에", "45분으로 하고", true),
            ("room 12", "for 30 minutes", false),
            ("a 80 euro lamp", "for 15% back", false),
            ("4 guests", "in 12 rooms", false),
            ("4 guests", "12 guests", true),
            ("order 9004", "make it 12", false),
            ("order 3391", "sorry, 3319", true),
            ("$1,200", "€900", true),
            ("D-40", "41", false),
            ("D-40", "D-41", true),
            ("BK-101", "voucher: learn-27", false),
        ] {
            assert_eq!(said(earlier)[0].is_like(&said(later)[0]), alike, "{earlier}; {later}");
        }
    }

    #[test]
    fn amounts_are_replaced_by_their_like() {
        let tools = r#"[{"name": "rates", "parameters": {"type": "object", "properties": {
            "guests": {"type": "number"}, "minutes": {"type": "number"}}}}]"#;
        for (last, call, stale) in [
            ("let's do it seven days after", r#""guests": 3"#, false),
            ("ok the LC-2 came in", r#""guests": 3"#, false),
            ("on second thoughts four degrees lower", r#""guests": 3"#, false),
            ("5 guests then", r#""guests": 3"#, true),
            ("no, 45 minutes", r#""minutes": 30"#, true),
            ("no, 45 minutes", r#""minutes": 45"#, false),
        ] {
            let messages = format!(
                r#"[{{"role": "user", "content": "rates for 3 guests, 30 minutes"}},
                    {{"role": "assistant", "content": "Fine."}}, {{"role": "user", "content": "{last}"}}]"#
            );
            let calls = format!(r#"[{{"name": "rates", "arguments": {{{call}}}}}]"#);
            assert_eq!(
                measured(Feature::same_stale_amount, &messages, tools, &calls) > 0.0,
                stale,
                "{last} {call}"
            );
        }
    }

    #[test]
    fn corrections_are_whole_words() {
        assert_eq!(corrections(&fold("order 12, sorry, 21")), [9]);
        assert!(corrections(&fold("a sorrysome look")).is_empty());
    }
}

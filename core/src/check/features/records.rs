//! Values from one record of a list: whether the request means that record or another one.

use std::sync::LazyLock;

use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::domain::{Json, Object, Role, Sample, ToolCall};
use crate::language;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::words::{
    EMPTY_HASH, Stem, WordSet, fold, fold_identifier, hash_on, is_content, stem, words,
};

/// Bounds of the work on hostile rows: messages and bytes of one, lists, records of one, nesting, values of calls.
const MAX_MESSAGES: usize = 6;
const MAX_BYTES: usize = 16 * 1024;
const MAX_LISTS: usize = 8;
const MAX_RECORDS: usize = 60;
const MAX_DEPTH: usize = 4;
const MAX_CALLS: usize = 8;
const MAX_VALUES: usize = 32;
/// Units of meaning kept of a record and of the request.
const MAX_UNITS: usize = 60;
/// Bytes of a date and a time of day, and how many of a record are read.
const MAX_TIME: usize = 30;
const MAX_TIMES: usize = 2;
/// Bytes of a question that are read for times.
const MAX_QUESTION: usize = 2 * 1024;
/// A larger lead says nothing more.
const MAX_LEAD: usize = 3;
/// Smaller integers are counts, unless their parameter is for an identifier.
const SMALLEST_IDENTIFIER: i64 = 100;

/// One thing of a list.
#[derive(Default)]
struct Record {
    /// Its fields' names and values, folded; lines of text have no names.
    values: Vec<(String, String)>,
    /// What its texts say.
    units: Vec<Stem>,
    /// Its dates and times of day, each by itself.
    times: Vec<Times>,
}

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    let lists = if calls.is_empty() { Vec::new() } else { lists(sample) };
    if lists.is_empty() {
        return;
    }
    let (wanted, _) = asked(head(&sample.question));
    let mut when = Times::default();
    when.read(head(&sample.question), head(&assessor.evidence.question));
    let used = &assessor.used.text[..assessor.used.text.floor_char_boundary(MAX_BYTES)];
    let (mut best, mut worst) = (0, 0);
    for (name, value) in
        calls.iter().take(MAX_CALLS).filter_map(ToolCall::parsed).flat_map(single_values).take(MAX_VALUES)
    {
        let folded = fold(value_text(value).as_str());
        if folded.trim().is_empty() || assessor.evidence.question.contains(&folded) || is_count(name, value) {
            continue;
        }
        for list in &lists {
            let mut holders = list.iter().enumerate().filter(|(_, record)| record.holds(&folded));
            let (Some((at, own)), None) = (holders.next(), holders.next()) else { continue };
            let key = own.key_of(&folded);
            let rivals = list.iter().enumerate().filter(|(other, record)| {
                *other != at && record.value_of(key).is_none_or(|value| !used.contains(value))
            });
            let Some(rival) = rivals.map(|(_, record)| record.told_with_time(&wanted, &when)).max() else {
                continue;
            };
            let told = own.told_with_time(&wanted, &when);
            best = best.max(told.saturating_sub(rival));
            worst = worst.max(rival.saturating_sub(told));
        }
    }
    features.set(Feature::same_record, best.min(MAX_LEAD) as f32);
    features.set(Feature::same_other_record, worst.min(MAX_LEAD) as f32);
}

impl Record {
    fn of(fields: &Object) -> Record {
        let mut record = Record::default();
        for (name, value) in fields.iter().take(MAX_VALUES) {
            record.add(name, value);
            if let Json::Object(inner) = value {
                inner.iter().take(MAX_VALUES).for_each(|(name, value)| record.add(name, value));
            }
            if let Json::Array(items) = value {
                items.iter().take(MAX_VALUES).for_each(|item| record.add(name, item));
            }
        }
        record.settle()
    }

    fn of_line(line: &str) -> Record {
        let mut record = Record::default();
        let text = fold(line);
        let parts = line.split([' ', '\t', ',', '|', '(', ')']).filter(|part| !part.is_empty());
        record.values = parts.take(MAX_VALUES).map(|part| (String::new(), fold(part))).collect();
        record.units = units(&text);
        record.settle()
    }

    fn add(&mut self, name: &str, value: &Json) {
        let folded = match value {
            Json::String(text) if text.len() <= MAX_BYTES / 16 => fold(text),
            Json::Number(number) => fold(number.as_str()),
            // What is true of a thing is said by the field's name.
            Json::Bool(true) => return self.units.extend(units(&fold_identifier(name))),
            _ => return,
        };
        // Numbers are prices and sizes: that the request names the same number is chance.
        if let Json::String(text) = value {
            self.units.extend(units(&folded));
            self.add_time(text, &folded);
        }
        self.values.push((name.to_owned(), folded));
    }

    /// Reads a text that may be a date or a time of day.
    fn add_time(&mut self, text: &str, folded: &str) {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        if text.len() <= MAX_TIME && digits >= 3 && text.contains([':', '-']) && self.times.len() < MAX_TIMES
        {
            let mut times = Times::default();
            times.read(text, folded);
            self.times.push(times);
        }
    }

    fn settle(mut self) -> Record {
        self.units.sort_unstable();
        self.units.dedup();
        self.units.truncate(MAX_UNITS);
        self
    }

    fn holds(&self, folded: &str) -> bool {
        self.values.iter().any(|(_, value)| value == folded)
    }

    fn key_of(&self, folded: &str) -> &str {
        self.values.iter().find(|(_, value)| value == folded).map_or("", |(name, _)| name)
    }

    /// The value of a field that has a name.
    fn value_of(&self, key: &str) -> Option<&str> {
        let named = self.values.iter().find(|(name, _)| !key.is_empty() && name == key);
        named.map(|(_, value)| value.as_str())
    }

    /// How much of what is asked for stands in the record.
    fn told(&self, asked: &[Stem]) -> usize {
        asked.iter().filter(|unit| self.units.binary_search(unit).is_ok()).count()
    }

    /// The same, with a day or a time of day that was asked for.
    fn told_with_time(&self, asked: &[Stem], when: &Times) -> usize {
        let is_told = |own: &Times| when.explain(own) == Some(TimeMatch::Told);
        self.told(asked) + usize::from(self.times.iter().any(is_told))
    }
}

/// The lists of records that results and the system text hold.
fn lists(sample: &Sample) -> Vec<Vec<Record>> {
    let mut lists = Vec::new();
    let holders = |role: Role| matches!(role, Role::Tool | Role::System);
    let messages = sample.before_turn().iter().rev().filter(|message| holders(message.role));
    for message in messages.take(MAX_MESSAGES).filter(|message| message.content.len() <= MAX_BYTES) {
        let text = message.content.trim();
        match Json::parse(text) {
            Ok(json) if text.starts_with(['{', '[']) => collect(&json, 0, &mut lists),
            _ => lists.extend(lines(text)),
        }
    }
    lists.truncate(MAX_LISTS);
    lists
}

/// Adds the lists of objects in a value.
fn collect(json: &Json, depth: usize, lists: &mut Vec<Vec<Record>>) {
    if depth > MAX_DEPTH || lists.len() >= MAX_LISTS {
        return;
    }
    match json {
        Json::Array(items) => {
            let objects = items.iter().filter_map(Json::as_object).take(MAX_RECORDS);
            let records: Vec<Record> = objects.map(Record::of).collect();
            if records.len() > 1 {
                lists.push(records);
            }
            items.iter().take(MAX_RECORDS).for_each(|item| collect(item, depth + 1, lists));
        }
        Json::Object(fields) => {
            fields.values().take(MAX_RECORDS).for_each(|value| collect(value, depth + 1, lists));
        }
        _ => {}
    }
}

/// The lines of a text as records; none where there is but one.
fn lines(text: &str) -> Option<Vec<Record>> {
    let lines = text.split(['\n', ';']).filter(|line| !line.trim().is_empty());
    let records: Vec<Record> = lines.take(MAX_RECORDS).map(Record::of_line).collect();
    (records.len() > 1).then_some(records)
}

/// The arguments that are single values, or lists of one: a longer list may take many records.
fn single_values(arguments: &Object) -> impl Iterator<Item = (&str, &Json)> {
    let single = |value: &&Json| matches!(value, Json::String(_) | Json::Number(_));
    arguments.iter().take(MAX_VALUES).filter_map(move |(name, value)| match value {
        Json::Array(items) if items.len() == 1 => items.first().filter(single).map(|item| (name, item)),
        value => Some(value).filter(single).map(|value| (name, value)),
    })
}

fn value_text(value: &Json) -> String {
    match value {
        Json::String(text) if text.len() <= MAX_BYTES / 16 => text.clone(),
        Json::Number(number) => number.as_str().to_owned(),
        _ => String::new(),
    }
}

/// Whether a value is a number that need not come out of the record, or a time.
fn is_count(name: &str, value: &Json) -> bool {
    let for_identifier = || words(&fold_identifier(name)).any(|word| word == "id" || word == "ids");
    match value {
        Json::Number(number) => {
            number.as_i64().is_none_or(|own| own < SMALLEST_IDENTIFIER) && !for_identifier()
        }
        Json::String(text) => {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            text.contains([':', '-']) && digits >= 4 && !text.bytes().any(|byte| byte.is_ascii_alphabetic())
        }
        _ => true,
    }
}

/// The start of a text.
fn head(text: &str) -> &str {
    &text[..(0..=text.len().min(MAX_QUESTION)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}

/// What a request asks for, and what it refuses: in a clause, all behind a negation.
fn asked(question: &str) -> (Vec<Stem>, Vec<Stem>) {
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    let ends =
        [',', '.', ';', ':', '!', '?', '\n', '(', ')', '–', '—', '،', '؟', '。', '，', '、', '！', '？'];
    for clause in question.split(ends).take(MAX_UNITS) {
        let folded = fold(clause);
        let negated = words(&folded).position(|word| NEGATIONS.has(word));
        let at = negated.map_or(folded.len(), |nth| {
            words(&folded)
                .nth(nth)
                .map_or(folded.len(), |word| word.as_ptr() as usize - folded.as_ptr() as usize)
        });
        wanted.extend(units(&folded[..at]));
        refused.extend(units(&folded[at..]));
    }
    for list in [&mut wanted, &mut refused] {
        list.sort_unstable();
        list.dedup();
        list.truncate(MAX_UNITS * 4);
    }
    wanted.retain(|unit| refused.binary_search(unit).is_err());
    (wanted, refused)
}

/// What a folded text says: its content words, longer numbers, and pairs of signs of languages without spaces.
fn units(folded: &str) -> Vec<Stem> {
    let mut units = Vec::new();
    let mut sign = None;
    for word in words(folded).take(MAX_UNITS * 4) {
        let mut chars = word.chars();
        let alone = chars.next().filter(|c| is_ideograph(*c) && chars.next().is_none());
        if let (Some(one), Some(two)) = (sign, alone) {
            units.push(hash_on(hash_on(EMPTY_HASH, one), two));
        }
        sign = alone;
        let number = word.bytes().all(|byte| byte.is_ascii_digit());
        if alone.is_none() && (number && word.len() > 2 || is_content(word) && word.len() > 1) {
            units.push(stem(word));
        }
    }
    units
}

/// A sign that carries meaning: the small words of Japanese are written in others.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{30a0}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// Words behind which stands what is not wanted.
static NEGATIONS: LazyLock<WordSet> = LazyLock::new(|| {
    let mut phrases = language::phrases(|of| &of.request.except);
    phrases.extend(language::phrases(|of| &of.request.without));
    phrases.extend(language::words(|of| &of.request.negations).map(str::to_owned));
    WordSet::of(phrases.iter().map(|phrase| phrase.trim()).filter(|phrase| !phrase.contains(' ')))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_a_negation_is_refused() {
        let (wanted, refused) = asked("the green bicycle, not the blue scooter");
        assert!(wanted.contains(&stem("bicycle")) && !wanted.contains(&stem("scooter")));
        assert!(refused.contains(&stem("scooter")));
    }

    #[test]
    fn lists_are_found_within_results() {
        let json = Json::parse(r#"{"found": [{"id": 1, "name": "Oak"}, {"id": 2, "name": "Elm"}]}"#).unwrap();
        let mut lists = Vec::new();
        collect(&json, 0, &mut lists);
        assert_eq!(lists.len(), 1);
        assert!(lists[0][1].holds(&fold("Elm")) && lists[0][0].told(&[stem("oak")]) == 1);
    }
}

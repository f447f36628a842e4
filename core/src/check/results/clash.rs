//! What an answer says of times, amounts and records that is not as the results have it, though each value stands in them somewhere.
//!
//! None of it is sure: days are worked out, and two records may be told in one sentence. So it leaves open, and fails nothing.

use std::sync::LazyLock;

use super::head;
use crate::check::evidence::Evidence;
use crate::domain::{Json, Object, Sample};
use crate::language::phrases;
use crate::reading::calendar::Day;
use crate::reading::date::Date;
use crate::reading::dates::{TimeMatch, Times};
use crate::reading::numbers::Figures;
use crate::reading::units::Unit;
use crate::reading::words::{fold, fold_identifier, words};

/// Bounds of the work on long results: records, their entries, and amounts with a unit.
const MAX_RECORDS: usize = 100;
const MAX_ENTRIES: usize = 24;
const MAX_AMOUNTS: usize = 200;
/// Bytes of a text that is a value, not a story.
const SHORT: usize = 40;
/// A count up to this is no value, unless of something measured.
const SMALL: f64 = 3.0;
/// Beyond it words belong to figures: `4.2 million`.
const LARGE: f64 = 100.0;

/// What in the answer may be otherwise than the results have it; `evidence` holds all that the agent had before it.
pub(super) fn clash(sample: &Sample, answer: &str, evidence: &Evidence) -> Option<&'static str> {
    let folded = fold(answer);
    let mut told = Times::default();
    told.read(answer, &folded);
    if is_another_time(&told, evidence) || is_of_the_other_half(answer, sample) {
        return Some("a date or time of the answer may have been worked out");
    }
    if names_another_weekday(&told, evidence) {
        return Some("the answer names a day of the week that is none of the dates'");
    }
    if holds_other_words_for_numbers(answer, evidence) {
        return Some("a number in words stands nowhere");
    }
    let results: Vec<Json> =
        sample.after.results.iter().filter_map(|result| Json::parse(head(&result.content)).ok()).collect();
    let mut amounts = Vec::new();
    let mut lists = Vec::new();
    results.iter().for_each(|json| collect(json, &mut amounts, &mut lists));
    if is_in_another_unit(answer, &amounts) {
        return Some("an amount of the answer has another unit in the result");
    }
    for records in &lists {
        if RANKS.iter().any(|phrase| folded.contains(phrase.as_str())) {
            return Some("the answer ranks or counts records, which takes a model to check");
        }
        if mixes(records, &folded, &told) {
            return Some("the answer may tell of one record what stands in another");
        }
    }
    None
}

/// Phrases that rank things or say how many of them are what: `cheapest`, `most of`.
static RANKS: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.ranks));

/// Whether a date of the answer is none of those that were there, which have its year, or its time of day none of theirs.
fn is_another_time(told: &Times, evidence: &Evidence) -> bool {
    let known = &evidence.times;
    // `03/04/2024` reads as two dates, and lists of numbers as one.
    let is_turned = |date: &Date| {
        let turned =
            |own: &Date| own.year == date.year && own.day == Some(date.month) && date.day == Some(own.month);
        told.dates().iter().any(|own| turned(own) && known.dates().iter().any(|known| known.agrees(*own)))
    };
    let is_of_a_year = |date: &&Date| {
        let year = |own: &Date| own.day.is_some() && own.year.is_some() && own.year == date.year;
        date.day.is_some() && known.dates().iter().any(year)
    };
    let is_known = |date: &Date| known.dates().iter().any(|own| own.agrees(*date)) || is_turned(date);
    let other_date =
        !known.is_relative() && told.dates().iter().filter(is_of_a_year).any(|date| !is_known(date));
    other_date || known.has_clock_of(told) && !matches!(known.explain(told), None | Some(TimeMatch::Told))
}

/// Whether the answer puts a time behind noon that a result has in figures before it: services write 24 hours.
fn is_of_the_other_half(answer: &str, sample: &Sample) -> bool {
    let results = || sample.after.results.iter().map(|result| head(&result.content));
    let lower = answer.to_lowercase();
    let mut words = lower.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let time = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let half = word[time.len()..].trim_matches('.');
        let is_late = |half: &str| half.starts_with("pm") || half.starts_with("p.m");
        let is_behind = is_late(half) || half.is_empty() && words.peek().is_some_and(|next| is_late(next));
        let Some((hour, minute)) = time.split_once(':').filter(|_| is_behind) else { continue };
        let Some(hour) = hour.parse::<u32>().ok().filter(|hour| (1..12).contains(hour)) else { continue };
        let holds = |time: &str| results().any(|text| text.contains(time));
        let says_half = || results().any(|text| text.to_lowercase().contains("pm"));
        if holds(&format!("{hour:02}:{minute}")) && !holds(&format!("{}:{minute}", hour + 12)) && !says_half()
        {
            return true;
        }
    }
    false
}

/// Whether the answer names days of the week, and none of the dates that were there is one of them.
fn names_another_weekday(told: &Times, evidence: &Evidence) -> bool {
    let day = |date: &Date| Day::of(date.year?, date.month, date.day?);
    let mut days = evidence.times.dates().iter().filter_map(day).chain(evidence.times.today()).peekable();
    let Some(first) = days.peek().copied() else { return false };
    told.names_weekday_of(first).is_some()
        && evidence.times.names_weekday_of(first).is_none()
        && !days.any(|day| told.names_weekday_of(day) == Some(true))
}

/// Whether a number that the answer has in words is none that was there.
fn holds_other_words_for_numbers(answer: &str, evidence: &Evidence) -> bool {
    let spared: String = answer.chars().map(|c| if c.is_numeric() { ' ' } else { c }).collect();
    let known = |value: f64| {
        evidence.figures.contains(value) || evidence.times.uses(value) || evidence.times.spans(value)
    };
    let own = Figures::of(&spared);
    own.iter().any(|figure| {
        let is_value = figure.value.fract() == 0.0
            && figure.value <= LARGE
            && (figure.value > SMALL || figure.unit.is_some() && figure.value > 1.0);
        is_value && !known(figure.value)
    })
}

/// A number of a result and the unit that its key names.
type Amount = (f64, Unit);
/// Objects side by side.
type Records<'a> = Vec<Vec<(&'a str, &'a Json)>>;

/// Finds the amounts and the lists of records in a result.
fn collect<'a>(json: &'a Json, amounts: &mut Vec<Amount>, lists: &mut Vec<Records<'a>>) {
    match json {
        Json::Object(object) => {
            for (key, value) in object.iter() {
                if let Json::Number(number) = value
                    && amounts.len() < MAX_AMOUNTS
                {
                    let unit = words(&fold_identifier(key)).last().and_then(Unit::of_word);
                    amounts.extend(unit.map(|unit| (number.as_f64(), unit)));
                }
                collect(value, amounts, lists);
            }
            lists.extend(by_name(object));
        }
        Json::Array(items) => {
            let object = |item: &'a Json| match item {
                Json::Object(object) => Some(object.iter().take(MAX_ENTRIES).collect::<Vec<_>>()),
                _ => None,
            };
            let records: Records = items.iter().take(MAX_RECORDS).filter_map(object).collect();
            if records.len() > 1 {
                lists.push(records);
            } else if items.len() > 1 {
                // A plain list is ranked and counted as well.
                lists.push(Vec::new());
            }
            items.iter().take(MAX_RECORDS).for_each(|item| collect(item, amounts, lists));
        }
        Json::String(text) if text.len() <= SHORT && amounts.len() < MAX_AMOUNTS => {
            let own = Figures::of(text);
            amounts.extend(own.iter().filter_map(|figure| Some((figure.value, figure.unit?))));
        }
        _ => {}
    }
}

/// An object whose keys are names of things: `{"H. Lindqvist": 410, "P. Osei": 62}`.
fn by_name(object: &Object) -> Option<Records<'_>> {
    let is_name = |key: &str| key.starts_with(char::is_uppercase);
    let all = || {
        object.iter().all(|(key, value)| is_name(key) && matches!(value, Json::Number(_) | Json::String(_)))
    };
    (object.len() > 1 && all()).then(|| object.iter().take(MAX_RECORDS).map(|entry| vec![entry]).collect())
}

/// Whether the answer has an amount of the results in another unit of the same kind.
fn is_in_another_unit(answer: &str, amounts: &[Amount]) -> bool {
    let own = Figures::of(answer);
    own.iter().filter_map(|figure| Some((figure.value, figure.unit?))).any(|(value, unit)| {
        let same = || amounts.iter().filter(|(own, _)| *own == value).map(|(_, unit)| *unit);
        same().any(|own| own.is_like(unit)) && !same().any(|own| own == unit)
    })
}

/// Whether the answer names one record and has a value that only another has, which it does not name.
fn mixes(records: &Records, folded: &str, told: &Times) -> bool {
    let texts = |record: &[(&str, &Json)]| -> Vec<String> {
        let text = |(key, value): &(&str, &Json)| match value {
            Json::String(text) if !text.bytes().any(|byte| byte.is_ascii_digit()) => fold(text),
            _ if key.starts_with(char::is_uppercase) => fold(key),
            _ => String::new(),
        };
        record.iter().map(text).filter(|text| text.trim().len() > 2).collect()
    };
    let is_named = |record: &[(&str, &Json)]| texts(record).iter().any(|text| folded.contains(text.as_str()));
    let values = |record: &[(&str, &Json)]| -> Vec<String> {
        let number = |(_, value): &(&str, &Json)| match value {
            Json::Number(number) => Some(fold(&number.plain())).filter(|text| text.trim().len() > 1),
            Json::String(text) if text.len() <= SHORT && text.bytes().any(|byte| byte.is_ascii_digit()) => {
                Some(fold(text))
            }
            _ => None,
        };
        record.iter().filter_map(number).collect()
    };
    let dates = |record: &[(&str, &Json)]| -> Vec<Date> {
        let mut times = Times::default();
        record.iter().filter_map(|(_, value)| value.as_str()).for_each(|text| times.read(text, &fold(text)));
        times.dates().to_vec()
    };
    let is_told = |at: usize| {
        let own = &records[at];
        let others =
            || records.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, other)| other);
        let number = values(own).into_iter().any(|value| {
            folded.contains(value.as_str()) && !others().any(|other| values(other).contains(&value))
        });
        let date = dates(own)
            .into_iter()
            .any(|date| told.dates().contains(&date) && !others().any(|other| dates(other).contains(&date)));
        number || date
    };
    let named: Vec<bool> = records.iter().map(|record| is_named(record)).collect();
    named.contains(&true)
        && (0..records.len()).any(|at| !named[at] && !texts(&records[at]).is_empty() && is_told(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sample;
    use crate::domain::{Aftermath, Message, Messages, Role, ToolResult};

    #[test]
    fn what_stands_elsewhere_is_left_open() {
        for (result, answer, clashes) in [
            (r#"{"ends": "2026-10-01"}"#, "It ends on Thursday, 1 October 2026.", false),
            (r#"{"ends": "2026-10-01"}"#, "It ends on Wednesday, 1 October 2026.", true),
            (r#"{"ends": "2027-08-02"}"#, "It ends on 2 August 2027.", false),
            (r#"{"ends": "2027-08-02"}"#, "It ends on 8 February 2027.", true),
            (r#"{"kickoff": "10:15"}"#, "Kick-off is at 10:15 am.", false),
            (r#"{"kickoff": "10:15"}"#, "Kick-off is at 10:15 pm.", true),
            (r#"{"start": "2026-04-16T14:30"}"#, "It starts at half past two.", false),
            (r#"{"mm": 14}"#, "14 millimetres fell.", false),
            (r#"{"mm": 14}"#, "14 centimetres fell.", true),
            (r#"{"weight": "70 kg"}"#, "It weighs 70 pounds.", true),
            (r#"{"weight": "70 kg"}"#, "It weighs 70 kg.", false),
            (
                r#"[{"inn": "Astoria", "cost": "120 EUR"}, {"inn": "Bristol", "cost": "95 EUR"}]"#,
                "The Bristol is 120 EUR.",
                true,
            ),
            (r#"{"days": 5}"#, "It takes five days.", false),
            (r#"{"days": 5}"#, "It takes four days.", true),
            (r#"[{"job": "tyre", "cost": 120}, {"job": "oil", "cost": 45}]"#, "The tyre cost 120.", false),
            (r#"[{"job": "tyre", "cost": 120}, {"job": "oil", "cost": 45}]"#, "The tyre cost 45.", true),
            (
                r#"[{"job": "tyre", "cost": 120}, {"job": "oil", "cost": 45}]"#,
                "The cheapest is the oil at 45.",
                true,
            ),
            (r#"{"H. Lind": 410, "P. Osei": 62}"#, "P. Osei wrote 410 lines.", true),
            (r#"{"H. Lind": 410, "P. Osei": 62}"#, "H. Lind wrote 410 lines.", false),
            (r#"{"price": 12, "stock": 40}"#, "The price is 12, and 40 are left.", false),
        ] {
            let mut row = sample("Tell me", vec![], vec![]);
            let content = result.to_owned();
            let given = ToolResult { tool_call_id: None, content, is_error: false };
            row.after = Aftermath { results: vec![given], ..Aftermath::default() };
            let mut messages: Vec<Message> = row.messages.iter().cloned().collect();
            messages.push(Message::new(Role::Tool, result));
            let heard = Sample { messages: Messages::from(messages), ..row.clone() };
            let found = clash(&row, answer, &Evidence::new(&heard));
            assert_eq!(found.is_some(), clashes, "{result}: {answer}: {found:?}");
        }
    }
}

//! Whether an answer is faithful to the results: each number, date and id in it must be in a result, in the conversation or in a
//! definition, and a failure must not be reported as a success.
//!
//! Values that are left out or attributed to the wrong thing are not found here, only values without any source.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::clash::clash;
use super::failure::{Ending, ending};
use super::known::{Known, Source};
use super::values::values;
use super::{DONE, Fault, Ruling, head, speaks_of_failure, without_false_alarms};
use crate::domain::{Json, Lack, Sample};
use crate::language::phrases;
use crate::reading::words::words;

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
            (true, false) if holds_what_stands_nowhere(sample, &answer) => Ruling::Open(
                Lack::Source,
                "the call failed, and the answer holds values that stand nowhere".to_owned(),
            ),
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
    if !speaks_of_failure(&answer) && results.iter().any(|result| may_say_no(&result.content)) {
        return Ruling::Open(
            Lack::Balance,
            "a result may say that something did not work, and the answer does not speak of it".to_owned(),
        );
    }
    match (with(Source::Found).count(), with(Source::Possible).count()) {
        (0, 0) => Ruling::Open(
            Lack::Balance,
            "the answer holds no value whose source could be looked for".to_owned(),
        ),
        (_, 0) if let Some(why) = clash(sample, &answer, known.evidence()) => {
            Ruling::Open(Lack::Source, why.to_owned())
        }
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

/// Whether a value of the answer stands in nothing that the agent had before it.
fn holds_what_stands_nowhere(sample: &Sample, answer: &str) -> bool {
    let known = Known::of(sample, answer);
    values(answer).into_iter().any(|value| known.source(value).1 == Source::Nowhere)
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

/// Whether a result has a word by which services say that something was not done.
fn may_say_no(result: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "not", "cannot", "unable", "refused", "rejected", "denied", "blocked", "discarded", "unchanged", "unknown", "conflict", "locked",
        "declined", "expired", "false", "insufficient", "missing", "down", "abgelehnt", "gesperrt", "refuse", "rechazado", "denegada",
        "recusado", "odrzucono", "rifiutato", "geweigerd",
    ];
    let said = without_empty_reports(result);
    let folded = without_false_alarms(&said);
    words(&folded).any(|word| WORDS.contains(&word)) || speaks_of_failure(&said)
}

/// A result without keys that would hold a failure if there were one: `"errors": []`.
fn without_empty_reports(result: &str) -> Cow<'_, str> {
    #[rustfmt::skip]
    const REPORTS: &[&str] = &[
        "error", "errors", "exception", "exceptions", "failure", "failures", "failed", "rejected", "conflicts", "warnings", "missing",
    ];
    let result = head(result);
    if !result.trim_start().starts_with('{') {
        return Cow::Borrowed(result);
    }
    let Ok(Json::Object(mut object)) = Json::parse(result) else { return Cow::Borrowed(result) };
    let before = object.len();
    let is_nothing = |value: &Json| match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) => false,
        Json::Number(number) => number.as_f64() == 0.0,
        Json::String(text) => text.trim().is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    };
    object.retain(|key, value| !is_nothing(value) || !REPORTS.contains(&key.to_ascii_lowercase().as_str()));
    match object.len() < before {
        true => Cow::Owned(Json::Object(object).to_string()),
        false => Cow::Borrowed(result),
    }
}

/// Whether the answer says that what was asked for is done: in words for that, and without a word that takes something back.
fn claims_success(answer: &str) -> bool {
    let folded = without_false_alarms(answer);
    let says = |phrases: &[String]| phrases.iter().any(|phrase| folded.contains(phrase.as_str()));
    says(&DONE) && !says(&BUT) && !answer.contains('?')
}

/// Words by which an answer takes something back.
static BUT: LazyLock<Vec<String>> = LazyLock::new(|| phrases(|of| &of.request.but));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_failures_are_no_failure() {
        for (result, expected) in [
            (r#"{"id": 4, "errors": []}"#, false),
            (r#"{"id": 4, "error": null, "failed": 0}"#, false),
            (r#"{"id": 4, "errors": ["no such user"]}"#, true),
            (r#"{"id": 4, "failed": 3}"#, true),
            (r#"{"booked": false}"#, true),
            ("the request was rejected", true),
        ] {
            assert_eq!(may_say_no(result), expected, "{result}");
        }
    }
}

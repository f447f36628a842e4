//! Whether a step fits what has happened: failed results, open requests, answers, thanks and rules.

use std::sync::LazyLock;

use super::counts::leaves;
use super::opposites::MARKERS;
use super::tools::{asked, left, made};
use super::{Feature, Features};
use crate::check::assess::Assessor;
use crate::check::prefixes::prefixes;
use crate::check::results::failure::{Ending, ending, holds};
use crate::check::schema::plain_of;
use crate::check::toolbox::stems;
use crate::check::used::Used;
use crate::domain::{Json, Message, Object, Role, Sample, ToolCall, ToolResult};
use crate::language::{self, Talk};
use crate::reading::words::{WordSet, fold, fold_identifier, is_hangul, words};

/// Bounds of the work on hostile rows: calls, results and values looked at, bytes of a result, of a system text.
const MAX_MADE: usize = 16;
const MAX_RESULTS: usize = 8;
const MAX_VALUES: usize = 64;
const MAX_RESULT_BYTES: usize = 2_000;
const MAX_SYSTEM_BYTES: usize = 6_000;

/// A system text of more rules names every tool in one, which says nothing of this step.
const MAX_RULES: usize = 12;

pub(super) fn measure(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    let before = sample.before_turn();
    let results = before.iter().rev().take_while(|message| message.role == Role::Tool).count();
    let (earlier, results) = before.split_at(before.len() - results);
    if results.is_empty() {
        answers(features, sample, earlier, calls);
    } else {
        let last = earlier.last().map_or(&[][..], |message| &message.tool_calls);
        after_results(features, assessor, sample, last, results, calls);
    }
    rules(features, assessor, sample, calls);
}

/// How many reasons speak against the calls, for making none, and against making none: each by itself is too rare to be learned.
pub(super) fn sums(features: &mut Features) {
    use Feature as Of;
    let count = |of: &[Feature]| of.iter().filter(|own| features.get(**own) > 0.0).count() as f32;
    // That a rule speaks of the tool does not say that the call breaks it.
    let against = count(&[Of::step_failed_past, Of::step_thanked_call, Of::step_told_call]);
    let waits = count(&[Of::step_failed_wait, Of::step_thanked_none, Of::step_rule_none, Of::step_told_none]);
    let owed = count(&[Of::step_rest_values, Of::step_rest_tool, Of::step_answered_none]);
    features.set(Of::step_against, against);
    features.set(Of::step_waits, waits);
    features.set(Of::step_owed, owed);
}

fn flag(features: &mut Features, feature: Feature, holds: bool) {
    features.set(feature, f32::from(u8::from(holds)));
}

/// What results that have just come mean for the step.
fn after_results(
    features: &mut Features,
    assessor: &Assessor,
    sample: &Sample,
    last: &[ToolCall],
    results: &[Message],
    calls: &[ToolCall],
) {
    if results.iter().rev().take(MAX_RESULTS).any(|message| has_failed(&result_of(message))) {
        let was_asked = |call: &&ToolCall| last.iter().any(|own| own.name == call.name);
        let past = calls.iter().any(|call| !was_asked(&call) && changes(&call.name));
        flag(features, Feature::step_failed_wait, calls.is_empty());
        flag(features, Feature::step_failed_past, past);
        return;
    }
    if only_asks(&sample.question) {
        flag(features, Feature::step_told_none, calls.is_empty());
        flag(features, Feature::step_told_call, calls.iter().any(|call| changes(&call.name)));
    }
    // Of what was asked for under a condition nothing may be left to do.
    if calls.is_empty() && last.iter().any(|call| changes(&call.name)) && !has_condition(&sample.question) {
        let rest = rest(assessor, sample);
        features.set(Feature::step_rest_values, rest.min(3) as f32);
        let served: Vec<usize> =
            made(sample).take(MAX_MADE).filter_map(|call| assessor.toolbox.find(&call.name)).collect();
        let open = left(assessor, &asked(assessor, sample), made(sample).take(MAX_MADE), &served);
        features.set(Feature::step_rest_tool, open);
    }
}

/// Whether a request has a word by which it depends on something.
fn has_condition(question: &str) -> bool {
    let folded = fold(&question[..question.floor_char_boundary(MAX_RESULT_BYTES)]);
    let own: Vec<&str> = words(&folded).collect();
    let line = MARKERS.line("condition");
    (0..own.len()).any(|at| MARKERS.at(&own, at).iter().any(|hit| hit.line == line))
}

/// Whether the user wants to be told something: the message ends with a question that does not ask to do anything.
fn only_asks(question: &str) -> bool {
    const MARKS: [char; 3] = ['?', '？', '؟'];
    let end = question.trim_end_matches(|c: char| !c.is_alphanumeric() && !MARKS.contains(&c));
    let head = &question[..question.floor_char_boundary(MAX_RESULT_BYTES)];
    end.ends_with(MARKS) && !PLEAS.are_in(&fold(head))
}

/// How many names, numbers and quotations of the request no call since has used.
fn rest(assessor: &Assessor, sample: &Sample) -> usize {
    let mut used = Used::default();
    let mut found: Vec<&Json> = Vec::new();
    let arguments = made(sample).take(MAX_MADE).filter_map(ToolCall::parsed);
    arguments
        .flat_map(|arguments| arguments.values())
        .for_each(|value| leaves(value, MAX_VALUES, &mut found));
    for value in found {
        let text = plain_of(value);
        used.add(&text, &fold(&text));
    }
    let tools = || made(sample).take(MAX_MADE).filter_map(|call| assessor.toolbox.find(&call.name));
    let is_used = |folded: &str, value: Option<f64>| {
        used.text.contains(folded)
            || tools().any(|at| assessor.toolbox.tools[at].text.contains(folded))
            || assessor.evidence.excludes(folded, None)
            || match value {
                Some(value) => {
                    used.numbers.contains(value) || used.numbers.contains(-value) || used.times.uses(value)
                }
                None => stems(folded).iter().any(|stem| used.stems.contains(stem)),
            }
    };
    let literals = assessor.evidence.literals.iter().take(MAX_VALUES);
    literals.filter(|span| !is_used(&span.folded, span.value)).count()
}

/// What a user who has just spoken means for the step.
fn answers(features: &mut Features, sample: &Sample, earlier: &[Message], calls: &[ToolCall]) {
    let Some(at) = earlier.iter().rposition(|message| message.role == Role::User) else { return };
    let Some(told) = at.checked_sub(1).map(|at| &earlier[at]).filter(|own| own.role == Role::Assistant)
    else {
        return;
    };
    let question = &sample.question[..sample.question.floor_char_boundary(MAX_RESULT_BYTES)];
    let thanks = THANKS.are_in(&fold(question));
    if thanks {
        // Thanks for an offer take it.
        let is_all = !asks(&told.content) && only_thanks(question);
        flag(features, Feature::step_thanked_none, calls.is_empty());
        flag(features, Feature::step_thanked_call, is_all && calls.iter().any(|call| changes(&call.name)));
    } else {
        flag(features, Feature::step_answered_none, asks(&told.content) && calls.is_empty());
    }
}

/// Whether a text has a question mark; the Greek one looks like a semicolon, and mostly is one.
fn asks(text: &str) -> bool {
    let is_greek = |c: char| ('\u{0370}'..='\u{03ff}').contains(&c) || ('\u{1f00}'..='\u{1fff}').contains(&c);
    text.contains(['?', '？', '؟', '\u{037e}'])
        || text.match_indices(';').any(|(at, _)| text[..at].chars().next_back().is_some_and(is_greek))
}

/// Whether a message that thanks holds nothing else.
fn only_thanks(question: &str) -> bool {
    let folded = THANKS.without(&fold(question));
    let own: Vec<&str> = words(&folded).collect();
    let line = MARKERS.line("gratitude");
    let mut at = 0;
    while at < own.len() {
        match MARKERS.at(&own, at).iter().find(|hit| hit.line == line) {
            Some(hit) => at += hit.words.max(1),
            None => return false,
        }
    }
    true
}

/// Rules of a short system text that speak of the called tool, or of any where none was called.
fn rules(features: &mut Features, assessor: &Assessor, sample: &Sample, calls: &[ToolCall]) {
    let before = sample.before_turn();
    let changing: Vec<usize> = calls
        .iter()
        .take(MAX_MADE)
        .filter(|call| changes(&call.name))
        .filter_map(|call| assessor.toolbox.find(&call.name))
        .collect();
    if changing.is_empty() && !calls.is_empty() {
        return;
    }
    let system = before.iter().filter(|message| message.role == Role::System);
    let mut count = 0;
    let mut spoken = false;
    for text in system.map(|message| message.content.as_str()).take(MAX_RESULTS) {
        let text = &text[..text.floor_char_boundary(MAX_SYSTEM_BYTES)];
        for sentence in text.split(['.', '!', '?', ';', '\n', '。', '！', '；', '？']) {
            let folded = fold(sentence);
            if !RULES.are_in(&folded) {
                continue;
            }
            count += 1;
            if count > MAX_RULES {
                return;
            }
            let tools = assessor.toolbox.prefixes();
            spoken |= prefixes(&folded).iter().any(|word| match calls.is_empty() {
                true => {
                    (0..assessor.toolbox.tools.len().min(MAX_VALUES)).any(|at| tools.describes(*word, at))
                }
                false => changing.iter().any(|at| tools.describes(*word, *at)),
            });
        }
    }
    flag(features, Feature::step_rule_none, spoken && calls.is_empty());
    flag(features, Feature::step_rule_call, spoken && !calls.is_empty() && !is_answer(before));
}

/// Whether the user has just answered the assistant, who may have asked for what a rule demands.
fn is_answer(before: &[Message]) -> bool {
    let Some(at) = before.iter().rposition(|message| message.role == Role::User) else { return false };
    let told = at.checked_sub(1).map(|at| &before[at]);
    told.is_some_and(|own| own.role == Role::Assistant && asks(&own.content))
}

/// Whether a tool may change something: nothing in its name says that it only reads.
fn changes(name: &str) -> bool {
    #[rustfmt::skip]
    const READS: &[&str] = &[
        "get", "list", "find", "search", "show", "look", "lookup", "check", "query", "read", "view", "fetch", "status", "browse",
        "describe", "count", "retrieve", "see", "compare", "calculate", "compute", "convert", "track", "preview", "estimate", "verify",
        "validate", "inspect", "history", "forecast", "select", "analyze", "balance", "balances",
    ];
    !words(&fold_identifier(name)).any(|word| READS.contains(&word))
}

/// A message that answers a call; one that is too long to be the report of a failure without its text.
fn result_of(message: &Message) -> ToolResult {
    let is_short = message.content.len() <= MAX_RESULT_BYTES;
    let content = if is_short { message.content.clone() } else { String::new() };
    ToolResult { tool_call_id: None, content, is_error: message.is_error }
}

/// Whether a result says that nothing came of the call: it failed, was denied, or found nothing.
fn has_failed(result: &ToolResult) -> bool {
    if result.content.len() > MAX_RESULT_BYTES {
        return result.is_error;
    }
    if matches!(ending(result), Ending::Failed(_)) {
        return true;
    }
    match Json::parse(&result.content) {
        Ok(Json::Object(object)) => object.is_empty() || denies(&object),
        Ok(Json::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// Whether one of an object's own keys says no.
fn denies(object: &Object) -> bool {
    const REFUSALS: &[&str] =
        &["error", "errors", "rejected", "refused", "declined", "denied", "conflict", "failed"];
    #[rustfmt::skip]
    const LEAVES: &[&str] = &[
        "ok", "success", "succeeded", "valid", "available", "booked", "sent", "found", "allowed", "eligible", "approved", "possible",
        "bookable", "in_stock", "delivered", "passed", "saved", "created", "accepted",
    ];
    const COUNTS: &[&str] = &["count", "total", "imported", "found", "hits", "matches"];
    const STATES: &[&str] = &["status", "state", "result", "outcome", "code", "reason"];
    /// Keys of what was looked for.
    const FOUND: &[&str] = &[
        "results",
        "result",
        "items",
        "hits",
        "matches",
        "data",
        "entries",
        "records",
        "rows",
        "list",
        "found",
        "options",
        "offers",
        "slots",
        "available",
    ];
    /// Keys of an object in which an empty list is all that matters.
    const FEW: usize = 3;
    object.iter().take(MAX_VALUES).any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        let of = |keys: &[&str]| keys.contains(&key.as_str());
        match value {
            Json::Bool(true) => of(REFUSALS),
            Json::Bool(false) => of(LEAVES),
            Json::String(text) => (of(REFUSALS) && holds(value)) || (of(STATES) && speaks_of_refusal(text)),
            Json::Array(items) => items.is_empty() && object.len() <= FEW && of(FOUND),
            Json::Number(number) => of(COUNTS) && number.as_f64() == 0.0,
            _ => false,
        }
    })
}

/// Whether the state of something is that it did not come about.
fn speaks_of_refusal(text: &str) -> bool {
    const PHRASES: &[&str] = &[
        " failed ",
        " error ",
        " denied ",
        " declined ",
        " refused ",
        " rejected ",
        " sold out ",
        " full ",
        " unavailable ",
        " not available ",
        " not possible ",
        " not found ",
        " conflict ",
        " offline ",
        " timeout ",
        " insufficient ",
        " expired ",
        " blocked ",
        " forbidden ",
        " invalid ",
        " too late ",
        " not allowed ",
        " unreachable ",
        " taken ",
        " out of stock ",
        " already reserved ",
        " fully booked ",
    ];
    let folded = fold(&text[..text.floor_char_boundary(200)]);
    // How many failed is what was asked for: `41 passed, 1 failed`.
    let is_counted = |at: usize| folded[..at].ends_with(|c: char| c.is_ascii_digit());
    PHRASES.iter().any(|phrase| folded.match_indices(phrase).any(|(at, _)| !is_counted(at)))
}

/// Words and phrases of all languages.
struct Phrases {
    words: WordSet,
    /// Phrases of several words, and words of languages that put no spaces between theirs.
    parts: Vec<String>,
}

impl Phrases {
    fn of(entries: impl Iterator<Item = &'static str>) -> Phrases {
        let folded: Vec<String> = entries.map(|entry| fold(&entry.replace('_', " "))).collect();
        let is_unspaced =
            |entry: &String| entry.chars().any(|c| is_hangul(c) || ('\u{0e00}'..='\u{0e7f}').contains(&c));
        let is_part = |entry: &String| is_unspaced(entry) || entry.trim().contains(' ');
        let parts = folded.iter().filter(|entry| is_part(entry));
        let parts = parts.map(|entry| match is_unspaced(entry) {
            true => entry.trim().to_owned(),
            false => entry.clone(),
        });
        let parts = parts.collect();
        let single = folded.iter().filter(|entry| !is_part(entry)).map(|entry| entry.trim());
        Phrases { words: WordSet::of(single), parts }
    }

    /// A folded text without them.
    fn without(&self, folded: &str) -> String {
        let rest = self.parts.iter().fold(folded.to_owned(), |text, part| text.replace(part.as_str(), " "));
        let others = words(&rest).filter(|word| !self.words.has(word));
        others.fold(String::from(" "), |text, word| text + word + " ")
    }

    /// Whether a folded text has one of them.
    fn are_in(&self, folded: &str) -> bool {
        words(folded).any(|word| self.words.has(word))
            || self.parts.iter().any(|part| folded.contains(part.as_str()))
    }
}

/// Phrases by which a user thanks.
static THANKS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(talks().flat_map(|talk| &talk.thanks).map(String::as_str)));
/// Words that make a sentence a rule.
static RULES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(talks().flat_map(|talk| talk.rules.iter())));

/// Words by which a question asks to do something.
static PLEAS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(talks().flat_map(|talk| talk.pleas.iter())));

fn talks() -> impl Iterator<Item = &'static Talk> {
    language::all().iter().map(|language| &language.talk)
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use super::*;

    #[test]
    fn results_that_came_to_nothing() {
        for (content, failed) in [
            (r#"{"reserved": true, "until": "18:00"}"#, false),
            (r#"{"available": false}"#, true),
            (r#"{"status": "sold_out"}"#, true),
            (r#"{"status": "shipped"}"#, false),
            (r#"{"hits": 0}"#, true),
            (r#"{"conflict": false}"#, false),
            ("[]", true),
            (r#"[{"id": 4}]"#, false),
            (r#"{"conflicts": []}"#, false),
            (r#"{"id": 7, "tags": []}"#, false),
            (r#"{"results": []}"#, true),
            (r#"{"error": "none"}"#, false),
            (r#"{"result": "41 passed, 1 failed"}"#, false),
            (r#"{"result": "failed"}"#, true),
        ] {
            assert_eq!(has_failed(&result_of(&Message::new(Role::Tool, content))), failed, "{content}");
        }
    }

    #[test]
    fn thanks_are_heard_in_many_languages() {
        for (text, heard) in [
            ("Merci beaucoup", true),
            ("どうもありがとうございます", true),
            ("ขอบคุณมากครับ", true),
            ("большое спасибо!", true),
            ("play it again", false),
        ] {
            assert_eq!(THANKS.are_in(&fold(text)), heard, "{text}");
        }
    }

    #[test]
    fn thanks_may_come_with_a_request() {
        for (text, only) in [
            ("Thanks!", true),
            ("ok, thank you so much", true),
            ("Vielen Dank", true),
            ("Great, book it, thanks", false),
            ("do it, thanks", false),
            ("yes thanks", false),
        ] {
            assert_eq!(only_thanks(text), only, "{text}");
        }
    }

    #[test]
    fn question_marks_of_all_scripts() {
        for (text, expected) in
            [("Shall I?", true), ("Done; all is well", false), ("Να το κλείσω;", true), ("终于？", true)]
        {
            assert_eq!(asks(text), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_may_be_what_a_rule_demands() {
        let tools = r#"[{"name": "cancel_order", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}]"#;
        let calls = r#"[{"name": "cancel_order", "arguments": {"id": "W-12"}}]"#;
        for (asked, expected) in [("Shall I cancel order W-12?", 0.0), ("It is order W-12.", 1.0)] {
            let messages = format!(
                r#"[{{"role": "system", "content": "Never cancel an order before it is confirmed."}},
                    {{"role": "user", "content": "I want to get rid of my order W-12"}},
                    {{"role": "assistant", "content": "{asked}"}}, {{"role": "user", "content": "Yes, cancel it please"}}]"#
            );
            assert_eq!(measured(Feature::step_rule_call, &messages, tools, calls), expected, "{asked}");
        }
    }

    #[test]
    fn conditions_leave_open_what_is_due() {
        for (text, expected) in [
            ("Run the tests, and if all is green commit it", true),
            ("falls es regnet, hol die Wäsche rein", true),
            ("Run the tests and commit it", false),
        ] {
            assert_eq!(has_condition(text), expected, "{text}");
        }
    }

    #[test]
    fn names_tell_what_only_reads() {
        for (name, expected) in
            [("car.status", false), ("getUser", false), ("send_mail", true), ("Edit", true)]
        {
            assert_eq!(changes(name), expected, "{name}");
        }
    }
}

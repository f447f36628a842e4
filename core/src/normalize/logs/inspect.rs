//! Inspect AI's evaluation logs: a sample with the events of its models, or a whole log of samples.
//!
//! ```json
//! {"id": "q1", "epoch": 1, "attachments": {"1f": "a long text"},
//!  "events": [{"event": "model", "model": "m", "timestamp": "2025-06-15T15:06:40Z",
//!              "input": [{"role": "user", "content": "attachment://1f"}], "tools": [{"name": "f", "parameters": {}}],
//!              "output": {"choices": [{"message": {"role": "assistant",
//!                         "tool_calls": [{"id": "c1", "function": "f", "arguments": {}}]}}], "time": 1.25}}]}
//! ```
//!
//! Newer logs store each message once, in `events_data.messages`, and events name ranges of it in `input_refs`. A sample may hold
//! hundreds of turns whose conversations repeat each other, so turns are built one at a time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::context::Context;
use super::entry::{Entries, Entry, Skip, chained, one, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::turn::Turn;
use super::value;
use crate::domain::{Flag, Json, Object, RowError, RowErrorCode};
use crate::normalize::ending::Ending;

pub(super) const INSPECT: LogFormat = LogFormat {
    name: "inspect_ai",
    sign: "key `eval` beside `samples`, or `epoch` beside `messages` or `events`",
    matches,
    read,
    unmatched: None,
};

/// The type of what grades an agent's work.
const SCORER: &str = "scorer";

/// Stands before the hash of a text that is kept apart.
const ATTACHMENT: &str = "attachment://";

/// How an image or a file begins that is kept apart. Nobody reads it, and there may be hundreds in a conversation.
const DATA: &str = "data:";

/// Attached text in one turn, in bytes: more than any model reads. A text may be referred to as often as one likes, so a
/// small file could ask for more than there is memory.
const MAX_ATTACHED_BYTES: usize = 16 << 20;

fn matches(record: &Object) -> bool {
    let log = record.get("eval").is_some_and(|eval| eval.as_object().is_some())
        && record.contains_key("version")
        && (record.contains_key("samples") || record.contains_key("status"));
    let sample =
        record.contains_key("epoch") && (record.contains_key("events") || record.contains_key("messages"));
    log || sample
}

fn read(mut record: Object, context: &Context) -> Entries {
    if record.contains_key("epoch") {
        return sample(record, context);
    }
    match value::take(&mut record, "samples") {
        Some(Json::Array(samples)) => chained(samples.into_iter().map(|item| match item {
            Json::Object(object) => sample(object, context),
            _ => skipped(Skip::NoOutput),
        })),
        _ => skipped(Skip::NoOutput),
    }
}

/// What all turns of a sample share.
struct Shared {
    name: String,
    pool: Vec<Json>,
    attachments: HashMap<String, String>,
}

fn sample(mut sample: Object, context: &Context) -> Entries {
    let id = match sample.get("id") {
        Some(Json::String(id)) => id.clone(),
        Some(id) => id.to_string(),
        None => String::new(),
    };
    let epoch = sample.get("epoch").map(Json::to_string).unwrap_or_default();
    let mut pooled = value::take_object(&mut sample, "events_data").unwrap_or_default();
    let pool = value::take(&mut pooled, "messages").or_else(|| value::take(&mut sample, "message_pool"));
    let attachments = value::take_object(&mut sample, "attachments").unwrap_or_default();
    let text = |(hash, text): (String, Json)| match text {
        Json::String(text) => Some((hash, text)),
        _ => None,
    };
    let shared = Arc::new(Shared {
        name: format!("{id}#{epoch}"),
        pool: pool.map(value::messages).unwrap_or_default(),
        attachments: attachments.into_iter().filter_map(text).collect(),
    });
    let events = match value::take(&mut sample, "events") {
        Some(Json::Array(events)) => events,
        _ => Vec::new(),
    };
    let mut scoring = Scoring::default();
    let models: Vec<(Object, bool)> = events
        .into_iter()
        .filter_map(|event| match event {
            Json::Object(event) if event.get("event").and_then(Json::as_str) == Some("model") => {
                let scores = scoring.asks(&event);
                Some((event, scores))
            }
            Json::Object(event) => {
                scoring.learn(&event);
                None
            }
            _ => None,
        })
        .collect();
    if models.is_empty() {
        let messages = value::take(&mut sample, "messages").map(value::messages).unwrap_or_default();
        return from_messages(&shared, &messages, context);
    }
    Box::new(models.into_iter().enumerate().map(move |(index, (event, scores))| match scores {
        true => Entry::Skipped(Skip::Scorer),
        false => model_event(&shared, index, event),
    }))
}

/// Which events belong to a scorer, whose model calls are not the agent's.
#[derive(Default)]
struct Scoring {
    /// The spans of scorers, and those within them.
    spans: HashSet<String>,
    /// Older logs have steps in the place of spans; how deep they are in one of a scorer's.
    steps: usize,
}

impl Scoring {
    /// Takes note of an event that begins or ends something.
    fn learn(&mut self, event: &Object) {
        let word = |key: &str| event.get(key).and_then(Json::as_str);
        match (word("event"), word("action")) {
            (Some("span_begin"), _) => {
                let within = word("parent_id").is_some_and(|parent| self.spans.contains(parent));
                if let Some(id) = word("id").filter(|_| within || word("type") == Some(SCORER)) {
                    self.spans.insert(id.to_owned());
                }
            }
            (Some("step"), Some("begin")) if self.steps > 0 || word("type") == Some(SCORER) => {
                self.steps += 1
            }
            (Some("step"), Some("end")) => self.steps = self.steps.saturating_sub(1),
            _ => {}
        }
    }

    /// Whether a scorer asked the model.
    fn asks(&self, event: &Object) -> bool {
        let word = |key: &str| event.get(key).and_then(Json::as_str);
        self.steps > 0
            || word("role") == Some("grader")
            || word("span_id").is_some_and(|span| self.spans.contains(span))
    }
}

/// The conversation of a sample whose log has no events, with what its calls returned; which tools were on offer is not said.
fn from_messages(shared: &Shared, messages: &[Json], context: &Context) -> Entries {
    let answers =
        messages.iter().filter(|message| message.get("role").and_then(Json::as_str) == Some("assistant"));
    let models: Vec<&str> = answers.clone().filter_map(|message| message.get("model")?.as_str()).collect();
    if answers.count() == 0 {
        return skipped(Skip::NoOutput);
    }
    let model = models.first().filter(|first| models.iter().all(|model| model == *first));
    let mut left = MAX_ATTACHED_BYTES;
    let elements = messages.iter().map(|message| shared.resolved(message, &mut left)).collect();
    let Some(elements) = elements else { return one(too_large()) };
    Transcript {
        id: Some(shared.name.clone()),
        elements,
        model: model.map(|model| (*model).to_owned()),
        ..Transcript::default()
    }
    .entries(context)
}

fn too_large() -> Entry {
    let why = format!("attachments: more than {} MB of text in one turn", MAX_ATTACHED_BYTES >> 20);
    Entry::Unreadable(RowError::new(RowErrorCode::RowTooLarge, why))
}

fn model_event(shared: &Shared, index: usize, mut event: Object) -> Entry {
    let Some(mut output) = value::take_object(&mut event, "output") else {
        return Entry::Skipped(Skip::NoOutput);
    };
    let choices = match value::take(&mut output, "choices") {
        Some(Json::Array(choices)) => choices,
        _ => Vec::new(),
    };
    let Some(message) = choices.first().and_then(|choice| choice.get("message")) else {
        return Entry::Skipped(Skip::NoOutput);
    };
    let mut left = MAX_ATTACHED_BYTES;
    let input = event.get("input").and_then(Json::as_array).filter(|input| !input.is_empty());
    let messages = match input {
        Some(input) => input.iter().map(|message| shared.resolved(message, &mut left)).collect(),
        None => shared.referred(event.get("input_refs"), &mut left),
    };
    let Some(messages) = messages else { return too_large() };
    let Some(answer) = shared.resolved(message, &mut left) else { return too_large() };
    let mut turn = Turn::answering(messages, answer);
    turn.ending = choices.first().and_then(Ending::of);
    if choices.len() > 1 {
        turn.flags.push(Flag::MultipleChoices);
    }
    turn.origin.source_id = Some(format!("{}@{index}", shared.name));
    turn.origin.model = value::text(&event, &["model"]).or_else(|| value::text(&output, &["model"]));
    turn.origin.timestamp = event.get("timestamp").and_then(value::instant);
    turn.origin.latency_s =
        [output.get("time"), event.get("working_time")].into_iter().flatten().find_map(value::number);
    turn.tools = value::tools(value::take(&mut event, "tools"));
    Entry::Turn(Box::new(turn))
}

impl Shared {
    /// The messages in these ranges of the pool, `[[start, end], …]`; ends are exclusive.
    fn referred(&self, ranges: Option<&Json>, left: &mut usize) -> Option<Vec<Json>> {
        let place = |range: &[Json], at: usize| -> Option<usize> {
            let Json::Number(number) = range.get(at)? else { return None };
            usize::try_from(number.as_i64()?).ok()
        };
        let range = |range: &Json| {
            let range = range.as_array()?;
            self.pool.get(place(range, 0)?..place(range, 1)?.min(self.pool.len()))
        };
        let found = ranges.and_then(Json::as_array).unwrap_or_default().iter().filter_map(range).flatten();
        // Ranges may repeat, but a conversation is no longer than all that was ever said.
        found.take(self.pool.len()).map(|message| self.resolved(message, left)).collect()
    }

    /// The value with the texts that its attachments stand for; `None` if they are more than what is `left`. What is
    /// attached is text, and is not looked into.
    fn resolved(&self, json: &Json, left: &mut usize) -> Option<Json> {
        Some(match json {
            Json::String(text) => {
                let attached = text.strip_prefix(ATTACHMENT).and_then(|hash| self.attachments.get(hash));
                let attached = attached.filter(|attached| !attached.starts_with(DATA));
                *left = left.checked_sub(attached.map_or(0, String::len))?;
                Json::from(attached.unwrap_or(text).as_str())
            }
            Json::Array(items) => {
                Json::Array(items.iter().map(|item| self.resolved(item, left)).collect::<Option<_>>()?)
            }
            Json::Object(object) => {
                let members =
                    object.iter().map(|(key, value)| Some((key.to_owned(), self.resolved(value, left)?)));
                Json::Object(members.collect::<Option<_>>()?)
            }
            other => other.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NoRelated, Turns};
    use super::*;
    use crate::normalize::logs::turn::Before;
    use crate::normalize::{Normalizer, Options};

    fn turns(sample: &str) -> Vec<String> {
        let Json::Object(record) = Json::parse(sample).unwrap() else { panic!("{sample}") };
        assert!(matches(&record), "{sample}");
        read(
            record,
            &Context {
                agents: false,
                turns: Turns::All,
                normalizer: &Normalizer::new(Options::default()).unwrap().into(),
                related: &NoRelated,
                source: "",
            },
        )
        .filter_map(|entry| match entry {
            Entry::Turn(turn) => {
                let id = turn.origin.source_id.clone().unwrap_or_default();
                Some(match &turn.before {
                    Before::Messages(messages) => format!("{id} {}", Json::Array(messages.clone())),
                    Before::Transcript(_) => {
                        let read = Normalizer::new(Options::default()).unwrap().turn(*turn);
                        format!("{id} {}", read.unwrap().raw.question)
                    }
                })
            }
            Entry::Transcript(_) => None,
            other => Some(format!("{other:?}")),
        })
        .collect()
    }

    #[test]
    fn events_without_their_own_messages() {
        let output = r#""output":{"choices":[{"message":{"role":"assistant","content":"x"}}]}"#;
        for (sample, expected) in [
            (
                format!(r#"{{"id":7,"epoch":2,"message_pool":["a","b","c"],"events":[{{"event":"model","input":[],"input_refs":[[0,1],[2,9]],{output}}}]}}"#),
                vec![r#"7#2@0 ["a","c"]"#],
            ),
            (
                format!(r#"{{"id":"s","epoch":1,"events_data":{{"messages":["a"]}},"events":[{{"event":"tool"}},{{"event":"model","input_refs":[[0,1],[0,1],[5,2],["x"],7],{output}}}]}}"#),
                vec![r#"s#1@0 ["a"]"#],
            ),
            (
                r#"{"id":"s","epoch":1,"events":[{"event":"model","error":"overloaded","output":{"choices":[]}}]}"#.to_owned(),
                vec!["Skipped(NoOutput)"],
            ),
        ] {
            assert_eq!(turns(&sample), expected);
        }
    }

    #[test]
    fn attachments_are_not_multiplied_without_end() {
        let messages = r#"{"role":"user","content":"attachment://t"},"#.repeat(1 << 10);
        for (attached, expected) in [
            ("t".repeat(1 << 12), "s#1 user: ttt"),
            ("t".repeat(1 << 16), "Unreadable(RowError { code: RowTooLarge"),
            (format!("data:{}", "t".repeat(1 << 16)), "s#1 user: attachment://t"),
        ] {
            let sample = format!(
                r#"{{"id":"s","epoch":1,"attachments":{{"t":"{attached}"}},"messages":[{messages}{{"role":"assistant"}}]}}"#
            );
            let turn = &turns(&sample)[0];
            assert!(turn.starts_with(expected), "{}", turn.chars().take(200).collect::<String>());
        }
    }

    #[test]
    fn samples_without_events_are_judged_by_their_messages() {
        let sample = r#"{"id":"s","epoch":1,"attachments":{"1":"attachment://1"},"messages":[
            {"role":"user","content":"attachment://1"},{"role":"assistant","content":"attachment://2"},
            {"role":"user","content":"B"},{"role":"assistant","content":"b"}]}"#;
        assert_eq!(
            turns(sample),
            ["s#1@1 attachment://1", "s#1@2 user: attachment://1\n\nassistant: attachment://2\n\nuser: B",]
        );
        assert_eq!(turns(r#"{"id":"s","epoch":1,"messages":[]}"#), ["Skipped(NoOutput)"]);
    }
}

//! The metadata of a record: the trace, the session, the user, the release, and whatever a team writes beside its messages. Rows
//! keep it in columns, so that results can be compared by it.

use std::sync::Arc;

use super::entry::{Entries, Entry};
use super::format::LogFormat;
use super::secrets::{LEFT_OUT, without_secrets};
use super::value;
use crate::domain::gold_columns::is_expectation;
use crate::domain::{Flag, Gold, Json, Object, Slot};

/// Formats whose records teams write themselves: all that stands beside the words is theirs, and keeps its name. With each, the keys
/// that its reader takes beside [`TAKEN`].
const OWN: &[(&str, &[&str])] = &[
    ("openai_messages", &[]),
    ("langchain_messages", &[]),
    ("vercel_messages", &["steps"]),
    ("message_items", &["items"]),
    ("sharegpt", &["conversations", "conversation"]),
    ("ragas_sample", &["user_input", "reference_tool_calls"]),
    (
        "langchain_steps",
        &["input", "output", "intermediate_steps", "intermediateSteps", "chat_history", "chatHistory"],
    ),
    (
        "provider_pair",
        &[
            "request",
            "response",
            "request_body",
            "response_body",
            "modelInput",
            "modelOutput",
            "input",
            "output",
            "inputBodyJson",
            "outputBodyJson",
        ],
    ),
];

/// What all their readers take, and what would only say again what a column of every log says.
const TAKEN: &[&str] = &[
    "id",
    "messages",
    "system",
    "system_prompt",
    "systemPrompt",
    "instructions",
    "tools",
    "functions",
    "tool_choice",
    "parallel_tool_calls",
    "model",
];

/// How the keys of a record are called whose names are those of a row's own columns.
const BESIDE: &str = "input_";

/// Of what the log of a product says, values that are longer as JSON, in bytes, do not tell rows apart either: prompts, whole requests.
const LONG: usize = 500;

/// Columns of what other logs say, and where they say it: keys, or the attributes of spans. The first that is there counts.
const COLUMNS: &[(&str, &[&[&str]])] = &[
    (
        "trace_id",
        &[
            &["trace_id"],
            &["traceId"],
            &["context", "trace_id"],
            &["context.trace_id"],
            &["info", "trace_id"],
            &["info", "request_id"],
        ],
    ),
    (
        "session_id",
        &[
            // What LangSmith calls a session itself is a project.
            &["extra", "metadata", "session_id"],
            &["extra", "metadata", "thread_id"],
            &["extra", "metadata", "conversation_id"],
            &["sessionId"],
            &["session_id"],
            &["threadId"],
            &["thread_id"],
            &["session.id"],
            &["gen_ai.conversation.id"],
            &["langfuse.session.id"],
            &["traceloop.association.properties.session_id"],
            &["ai.telemetry.metadata.sessionId"],
            &["mlflow.trace.session"],
            &["trace_metadata", "mlflow.trace.session"],
            &["info", "trace_metadata", "mlflow.trace.session"],
            &["metadata", "session_id"],
            &["metadata", "thread_id"],
        ],
    ),
    (
        "user_id",
        &[
            &["userId"],
            &["user_id"],
            &["end_user"],
            &["wb_user_id"],
            &["user.id"],
            &["enduser.id"],
            &["langfuse.user.id"],
            &["traceloop.association.properties.user_id"],
            &["ai.telemetry.metadata.userId"],
            &["mlflow.trace.user"],
            &["trace_metadata", "mlflow.trace.user"],
            &["info", "trace_metadata", "mlflow.trace.user"],
            &["extra", "metadata", "user_id"],
            &["metadata", "user_id"],
        ],
    ),
    ("name", &[&["name"], &["op_name"]]),
    ("agent", &[&["gen_ai.agent.name"], &["agent.name"]]),
    ("service", &[&["service.name"]]),
    ("release", &[&["release"], &["langfuse.release"], &["service.version"]]),
    ("version", &[&["version"], &["langfuse.version"]]),
    (
        "environment",
        &[
            &["environment"],
            &["langfuse.environment"],
            &["deployment.environment.name"],
            &["deployment.environment"],
        ],
    ),
    ("project", &[&["project_name"], &["project"], &["session_name"]]),
    ("prompt_name", &[&["promptName"], &["prompt_name"]]),
    ("prompt_version", &[&["promptVersion"], &["prompt_version"]]),
    ("tags", &[&["tags"], &["request_tags"], &["tag.tags"], &["langfuse.trace.tags"], &["info", "tags"]]),
    ("metadata", &[&["metadata"], &["extra", "metadata"], &["langfuse.trace.metadata"]]),
];

/// What `record` says beside its words, by column; without nulls.
pub(super) fn of(format: &LogFormat, record: &Object) -> Object {
    let Some((_, taken)) = OWN.iter().find(|(name, _)| *name == format.name) else {
        let mut about = of_product(&[record]);
        // Somebody has written it there for us.
        let gold = record.iter().filter(|(key, value)| is_expectation(key) && !value.is_null());
        gold.for_each(|(key, value)| about.insert(key, value.clone()));
        return about;
    };
    let is_theirs =
        |key: &str, value: &Json| !TAKEN.contains(&key) && !taken.contains(&key) && !value.is_null();
    let theirs = record.iter().filter(|(key, value)| is_theirs(key, value));
    theirs.map(|(key, value)| (name(key, value, record), without_secrets(key, value))).collect()
}

/// What a key of a record is called as a column.
fn name(key: &str, value: &Json, record: &Object) -> String {
    let is_instant = || value::instant(value).is_some();
    if !is_of_the_row(key) && (key != "timestamp" || is_instant()) {
        return key.to_owned();
    }
    let mut name = format!("{BESIDE}{key}");
    while record.contains_key(&name) {
        name.insert_str(0, BESIDE);
    }
    name
}

/// Of the attributes of a service, those that a column shows.
pub(super) fn shown(attributes: Object) -> Object {
    let is_shown = |key: &str| COLUMNS.iter().any(|(_, paths)| paths.iter().any(|path| *path == [key]));
    attributes.into_iter().filter(|(key, value)| is_shown(key) && value.to_string().len() <= LONG).collect()
}

/// What an export says of all its records.
pub fn said_of_all(export: &Object) -> Object {
    const OF_ALL: [&str; 6] = ["session_id", "user_id", "release", "version", "environment", "tags"];
    let trace = export.get("trace").and_then(Json::as_object);
    let said = of_product(&trace.into_iter().chain([export]).collect::<Vec<_>>());
    said.into_iter().filter(|(column, _)| OF_ALL.contains(&column.as_str())).collect()
}

/// Copies what an export says of all its records into one that does not say it itself.
pub fn hand_down(said: &Object, record: &mut Object) {
    if said.is_empty() {
        return;
    }
    let own = of_product(&[record]);
    let is_silent = |column: &str| !own.contains_key(column) && record.get(column).is_none_or(Json::is_null);
    let missing: Vec<_> = said.iter().filter(|(column, _)| is_silent(column)).collect();
    missing.into_iter().for_each(|(column, value)| record.insert(column, value.clone()));
}

/// What the log of a product says at one of some places, the likeliest first: a record, the attributes of its span.
pub(super) fn of_product(places: &[&Object]) -> Object {
    let value = |paths: &[&[&str]]| {
        let found = places.iter().flat_map(|place| paths.iter().filter_map(|path| at(place, path)));
        found.map(value::unfolded).filter_map(brief).next()
    };
    COLUMNS.iter().filter_map(|(column, paths)| Some(((*column).to_owned(), value(paths)?))).collect()
}

/// The value at the end of a path of keys, be it JSON within texts on the way; null counts as absent.
fn at(place: &Object, path: &[&str]) -> Option<Json> {
    let (first, rest) = path.split_first()?;
    let first = place.get(first).filter(|value| !value.is_null())?;
    if rest.is_empty() {
        return Some(first.clone());
    }
    match first {
        Json::Object(inner) => at(inner, rest),
        Json::String(text) if text.trim_start().starts_with('{') => match value::unfolded(first.clone()) {
            Json::Object(inner) => at(&inner, rest),
            _ => None,
        },
        _ => None,
    }
}

/// A value without what is long in it; nothing if nothing is left.
fn brief(value: Json) -> Option<Json> {
    let is_brief = |value: &Json| says(value) && value.to_string().len() <= LONG;
    let value = match value {
        Json::Object(object) => {
            let entries = object.into_iter().map(|(key, value)| {
                let value = without_secrets(&key, &value);
                (key, value)
            });
            Json::Object(entries.filter(|(_, value)| is_brief(value)).collect())
        }
        value => Some(value).filter(is_brief)?,
    };
    says(&value).then_some(value)
}

/// Leaves out what is too long to stand in every row of a conversation.
fn shorten(value: &mut Json) {
    match value {
        Json::Object(object) => {
            let long = object.iter_mut().map(|(_, value)| value).filter(|value| is_longer(value));
            long.for_each(|value| *value = Json::from(LEFT_OUT));
        }
        value if is_longer(value) => *value = Json::from(LEFT_OUT),
        _ => {}
    }
}

/// Whether a value is too long to stand in every row of a conversation.
fn is_longer(value: &Json) -> bool {
    const LONGER: usize = 2_000;
    match value {
        Json::String(text) => text.len() > LONGER,
        Json::Array(_) | Json::Object(_) => value.to_string().len() > LONGER,
        _ => false,
    }
}

fn says(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::String(text) => !text.trim().is_empty(),
        Json::Array(items) => !items.is_empty(),
        Json::Object(object) => !object.is_empty(),
        _ => true,
    }
}

/// Whether a row has a column of that name by itself, reads one as what was said or called, or gets one when it is labelled.
pub fn is_of_the_row(key: &str) -> bool {
    const ROW: &[&str] = &[
        "source_file",
        "record",
        "item",
        "source_id",
        "latency_s",
        "flags",
        "raw",
        "model",
        "transcript_id",
        "turn",
        "turns",
        "episode_reward",
        "episode_reference_calls",
        "skipped",
        "reason",
    ];
    const LABELLED: &[&str] = &[
        "label",
        "score",
        "status",
        "explanation",
        "confidence",
        "p_correct",
        "error",
        "raw_reply",
        "judge",
        "template",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "latency_ms",
        "attempts",
        "cached",
        "calls_judged",
        "calls_correct",
        "call_labels",
        "findings",
    ];
    let is_slot = |slot: &Slot| !EXPECTED.contains(slot) && slot.aliases().contains(&key);
    ROW.contains(&key) || LABELLED.contains(&key) || Slot::ALL.iter().any(is_slot)
}

/// What is said of how a turn should have been; nobody reads it as what was said in it.
const EXPECTED: [Slot; 2] = [Slot::Reference, Slot::ExpectedToolCalls];

/// Gives every turn in `entries` what its record says. What is said of right and wrong is said of one turn: where a record has several,
/// none gets it, and each is flagged.
pub(super) fn given(mut entries: Entries, about: Object) -> Entries {
    if about.is_empty() {
        return entries;
    }
    let (mut gold, mut all) = (Object::new(), Vec::new());
    let (mut timestamp, mut is_long) = (None, false);
    for (key, value) in about {
        if key == "timestamp" {
            timestamp = value::instant(&value);
        } else if is_expectation(&key) {
            gold.insert(key, value);
        } else {
            is_long |= is_longer(&value);
            all.push((key, value));
        }
    }
    let (mut looked_at, mut turns, mut calls) = (Vec::new(), 0, None);
    while (is_long || !gold.is_empty()) && turns < 2 {
        let Some(entry) = entries.next() else { break };
        turns += usize::from(matches!(entry, Entry::Turn(_)));
        looked_at.push(entry);
    }
    if turns < 2 {
        // Under several names, the usual one counts, and the others keep theirs.
        calls = Slot::ExpectedToolCalls.aliases().iter().find_map(|key| gold.remove(key));
        all.extend(std::mem::take(&mut gold));
    } else {
        // Every turn would repeat it.
        all.iter_mut().for_each(|(_, value)| shorten(value));
    }
    let is_ambiguous = !gold.is_empty();
    let all: Arc<Object> = Arc::new(all.into_iter().collect());
    let told = move |mut entry| {
        if let Entry::Turn(turn) = &mut entry {
            let origin = &mut turn.origin;
            origin.about = Some(match origin.about.take() {
                None => Arc::clone(&all),
                Some(own) => {
                    // What is said of a turn itself, before what is said of all; but by the record's name it is found again.
                    let mut both = Object::clone(&own);
                    let others = all.iter().filter(|(key, _)| *key == "trace_id" || !own.contains_key(key));
                    others.for_each(|(key, value)| both.insert(key, value.clone()));
                    Arc::new(both)
                }
            });
            origin.timestamp = origin.timestamp.or(timestamp);
            if let Some(calls) = &calls {
                origin.gold.get_or_insert_with(|| Gold::Calls(calls.clone()));
            }
            if is_ambiguous {
                turn.flags.push(Flag::GoldOfSeveralTurns);
            }
        }
        entry
    };
    Box::new(looked_at.into_iter().chain(entries).map(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Object {
        match Json::parse(json) {
            Ok(Json::Object(object)) => object,
            other => panic!("{json}: {other:?}"),
        }
    }

    fn product(json: &str) -> String {
        Json::Object(of_product(&[&object(json)])).to_string()
    }

    #[test]
    fn products_say_it_in_their_ways() {
        for (record, about) in [
            (
                r#"{"traceId":"t","sessionId":"s","userId":7}"#,
                r#"{"trace_id":"t","session_id":"s","user_id":7}"#,
            ),
            (
                r#"{"extra":{"metadata":{"thread_id":"s","plan":"pro"}}}"#,
                r#"{"session_id":"s","metadata":{"thread_id":"s","plan":"pro"}}"#,
            ),
            (
                r#"{"user.id":"u","gen_ai.agent.name":"a","tag.tags":["x"]}"#,
                r#"{"user_id":"u","agent":"a","tags":["x"]}"#,
            ),
            (r#"{"name":null,"tags":[],"metadata":"{}","release":" "}"#, "{}"),
            (r#"{"metadata":"{\"plan\": 1}"}"#, r#"{"metadata":{"plan":1}}"#),
            (
                r#"{"metadata":{"api_key":"sk","x":1,"deep":{"HF_TOKEN":"hf","max_tokens":7}}}"#,
                r#"{"metadata":{"api_key":"[left out]","x":1,"deep":{"HF_TOKEN":"[left out]","max_tokens":7}}}"#,
            ),
            (
                r#"{"session_id":"project","session_name":"p","extra":{"metadata":{"session_id":"chat"}}}"#,
                r#"{"session_id":"chat","project":"p","metadata":{"session_id":"chat"}}"#,
            ),
            (
                r#"{"info":{"trace_id":"tr-1","trace_metadata":{"mlflow.trace.session":"s","mlflow.trace.user":"u"}}}"#,
                r#"{"trace_id":"tr-1","session_id":"s","user_id":"u"}"#,
            ),
        ] {
            assert_eq!(product(record), about, "{record}");
        }
        let long = "x".repeat(LONG);
        assert_eq!(
            product(&format!(r#"{{"name":"{long}","metadata":{{"prompt":"{long}","x":1}}}}"#)),
            r#"{"metadata":{"x":1}}"#
        );
    }

    #[test]
    fn teams_keep_what_they_write_beside_their_messages() {
        let kept = |format: &str, record: &str| {
            Json::Object(of(LogFormat::named(format).unwrap(), &object(record))).to_string()
        };
        let record = r#"{"id":"c","messages":[],"tools":[],"gold":"correct","plan":{"a":[1]},"x-api-key":"sk","question":"q","note":null,"tags":[],"turn":3}"#;
        assert_eq!(
            kept("openai_messages", record),
            r#"{"gold":"correct","plan":{"a":[1]},"x-api-key":"[left out]","input_question":"q","tags":[],"input_turn":3}"#
        );
        assert_eq!(
            kept("provider_pair", r#"{"request":{},"response":{},"output":1,"user":"u"}"#),
            r#"{"user":"u"}"#
        );
        assert_eq!(kept("openai_messages", r#"{"messages":[],"output":1}"#), r#"{"input_output":1}"#);
    }

    #[test]
    fn what_is_said_of_a_trace_is_said_of_its_records() {
        let mut record = object(r#"{"id":"o","version":"own"}"#);
        let export = object(r#"{"trace":{"sessionId":"s","version":"v"},"userId":"u","observations":[]}"#);
        hand_down(&said_of_all(&export), &mut record);
        assert_eq!(
            Json::Object(record).to_string(),
            r#"{"id":"o","version":"own","session_id":"s","user_id":"u"}"#
        );
    }
}

//! What a record says beside the words that were said: the trace, the session, the user, the release, and whatever a team writes beside
//! its messages. Rows keep it in columns, so that results can be compared by it.

use std::sync::Arc;

use super::entry::{Entries, Entry};
use super::format::LogFormat;
use super::value;
use crate::domain::gold_columns::is_gold;
use crate::domain::{Flag, Gold, Json, Object, Slot};

/// Formats whose records teams write themselves: all that stands beside the words is theirs, and keeps its name.
const OWN: &[&str] = &[
    "openai_messages",
    "langchain_messages",
    "vercel_messages",
    "langchain_steps",
    "provider_pair",
    "message_items",
    "sharegpt",
    "ragas_sample",
];

/// What their readers take, and what would only say again what a column of every log says.
const TAKEN: &[&str] = &[
    "id",
    "transcript_id",
    "conversation_id",
    "thread_id",
    "request_id",
    "requestId",
    "recordId",
    "messages",
    "conversations",
    "conversation",
    "system",
    "system_prompt",
    "systemPrompt",
    "instructions",
    "tools",
    "functions",
    "tool_choice",
    "parallel_tool_calls",
    "model",
    "modelId",
    "request",
    "response",
    "request_body",
    "response_body",
    "modelInput",
    "modelOutput",
    "inputBodyJson",
    "outputBodyJson",
    "input",
    "output",
    "intermediate_steps",
    "choices",
    "usage",
    "steps",
    "user_input",
    "reference_tool_calls",
    "object",
    "schemaType",
    "schemaVersion",
];

/// Parts of keys whose values open doors, and do not tell rows apart.
const SECRET: &[&str] = &[
    "api_key",
    "apikey",
    "api-key",
    "authorization",
    "headers",
    "cookie",
    "password",
    "secret",
    "credential",
    "access_token",
    "bearer",
];

/// Of what the log of a product says, values that are longer as JSON, in bytes, do not tell rows apart either: prompts, whole requests.
const LONG: usize = 500;

/// Columns of what other logs say, and where they say it: keys, or the attributes of spans. The first that is there counts.
const COLUMNS: &[(&str, &[&[&str]])] = &[
    ("trace_id", &[&["trace_id"], &["traceId"], &["context", "trace_id"], &["context.trace_id"]]),
    (
        "session_id",
        &[
            &["sessionId"],
            &["session_id"],
            &["threadId"],
            &["thread_id"],
            &["session.id"],
            &["gen_ai.conversation.id"],
            &["langfuse.session.id"],
            &["extra", "metadata", "session_id"],
            &["extra", "metadata", "thread_id"],
            &["extra", "metadata", "conversation_id"],
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
            &["extra", "metadata", "user_id"],
            &["metadata", "user_id"],
        ],
    ),
    ("name", &[&["name"], &["op_name"]]),
    ("agent", &[&["gen_ai.agent.name"], &["agent.name"]]),
    ("service", &[&["service.name"]]),
    ("release", &[&["release"], &["langfuse.release"], &["service.version"]]),
    ("version", &[&["version"], &["langfuse.version"]]),
    ("environment", &[&["environment"], &["deployment.environment.name"], &["deployment.environment"]]),
    ("project", &[&["project_name"], &["project"], &["session_name"]]),
    ("prompt_name", &[&["promptName"], &["prompt_name"]]),
    ("prompt_version", &[&["promptVersion"], &["prompt_version"]]),
    ("tags", &[&["tags"], &["request_tags"], &["tag.tags"], &["langfuse.trace.tags"]]),
    ("metadata", &[&["metadata"], &["extra", "metadata"], &["langfuse.trace.metadata"]]),
];

/// What `record` says beside its words, by column; without nulls and empty values.
pub(super) fn of(format: &LogFormat, record: &Object) -> Object {
    if !OWN.contains(&format.name) {
        return of_product(&[record]);
    }
    let is_theirs = |key: &str| !TAKEN.contains(&key) && !is_secret(key) && !is_of_the_row(key);
    let theirs = record.iter().filter(|(key, value)| is_theirs(key) && says(value));
    theirs.map(|(key, value)| (key.to_owned(), value.clone())).collect()
}

/// What the log of a product says at one of some places, the likeliest first: a record, the attributes of its span.
pub(super) fn of_product(places: &[&Object]) -> Object {
    let value = |paths: &[&[&str]]| {
        let found = places.iter().flat_map(|place| paths.iter().filter_map(|path| value::at(place, path)));
        found.cloned().map(value::unfolded).filter_map(brief).next()
    };
    COLUMNS.iter().filter_map(|(column, paths)| Some(((*column).to_owned(), value(paths)?))).collect()
}

/// A value without what is long in it; nothing if nothing is left.
fn brief(value: Json) -> Option<Json> {
    let is_brief = |value: &Json| says(value) && value.to_string().len() <= LONG;
    let value = match value {
        Json::Object(object) => {
            let entries = object.into_iter().filter(|(key, value)| !is_secret(key) && is_brief(value));
            Json::Object(entries.collect())
        }
        value => Some(value).filter(is_brief)?,
    };
    says(&value).then_some(value)
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

fn is_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    SECRET.iter().any(|part| key.contains(part))
}

/// Whether a row has a column of that name by itself.
fn is_of_the_row(key: &str) -> bool {
    const ROW: &[&str] = &[
        "record",
        "item",
        "source_id",
        "latency_s",
        "flags",
        "turn",
        "turns",
        "episode_reward",
        "episode_reference_calls",
        "skipped",
    ];
    let is_slot = |slot: &Slot| !EXPECTED.contains(slot) && slot.aliases().contains(&key);
    ROW.contains(&key) || Slot::ALL.iter().any(is_slot)
}

/// What is said of how a turn should have been; nobody reads it as what was said in it.
const EXPECTED: [Slot; 2] = [Slot::Reference, Slot::ExpectedToolCalls];

fn expects_calls(key: &str) -> bool {
    Slot::ExpectedToolCalls.aliases().contains(&key)
}

/// Gives every turn in `entries` what its record says. What is said of right and wrong is said of one turn: where a record has several,
/// none gets it, and each is flagged.
pub(super) fn given(mut entries: Entries, about: Object) -> Entries {
    if about.is_empty() {
        return entries;
    }
    let (mut gold, mut all) = (Object::new(), Object::new());
    let mut timestamp = None;
    for (key, value) in about {
        if key == "timestamp" {
            timestamp = value::instant(&value);
            continue;
        }
        let part = if is_gold(&key) || expects_calls(&key) { &mut gold } else { &mut all };
        part.insert(key, value);
    }
    let (mut looked_at, mut turns, mut calls) = (Vec::new(), 0, None);
    while !gold.is_empty() && turns < 2 {
        let Some(entry) = entries.next() else { break };
        turns += usize::from(matches!(entry, Entry::Turn(_)));
        looked_at.push(entry);
    }
    if turns < 2 {
        for (key, value) in gold {
            if expects_calls(&key) { calls = Some(value) } else { all.insert(key, value) }
        }
    }
    let all = Arc::new(all);
    let told = move |mut entry| {
        if let Entry::Turn(turn) = &mut entry {
            turn.origin.about.get_or_insert_with(|| Arc::clone(&all));
            turn.origin.timestamp = turn.origin.timestamp.or(timestamp);
            if turns > 1 {
                turn.flags.push(Flag::GoldOfSeveralTurns);
            }
            if let Some(calls) = &calls {
                turn.origin.gold.get_or_insert_with(|| Gold::Calls(calls.clone()));
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
            (r#"{"metadata":{"api_key":"sk","x":1,"headers":{"a":"b"}}}"#, r#"{"metadata":{"x":1}}"#),
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
        let format = LogFormat::named("openai_messages").unwrap();
        let record = r#"{"id":"c","messages":[],"tools":[],"gold":"correct","plan":{"a":[1]},"x-api-key":"sk","question":"q","note":null,"timestamp":1}"#;
        let about = Json::Object(of(format, &object(record))).to_string();
        assert_eq!(about, r#"{"gold":"correct","plan":{"a":[1]},"timestamp":1}"#);
    }
}

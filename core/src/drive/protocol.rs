//! The protocol with a user's own agent: JSON objects with a `type`, in both directions.
//!
//! ```text
//! we:    {"type": "case", "version": 1, "id": "now#1", "messages": […], "tools": […]}
//! agent: {"type": "call", "id": "1", "name": "get_weather", "arguments": {"city": "Oslo"}}
//! we:    {"type": "result", "id": "1", "name": "get_weather", "content": "{\"temperature\": 4}", "is_error": false}
//! agent: {"type": "answer", "text": "It is 4 degrees."}
//! ```
//!
//! `calls` holds several calls at once. After an answer, the user's next message comes as `user`. Unknown fields are ignored.
//! Unknown types are errors, because we would wait forever for a misspelled answer.

use std::collections::HashSet;

use super::episode::{Episode, Heard};
use super::record::definitions;
use super::script::arguments;
use crate::domain::{Arguments, Json, Message, Object, Role, Stop, ToolCall, Turn, did_you_mean};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// What an agent may say.
const TYPES: [&str; 3] = ["call", "calls", "answer"];
/// Enough of a line to recognize it by, in characters.
const EXCERPT: usize = 80;

/// What an agent says: calls, or an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The same as an episode hears it.
    pub heard: Heard,
    /// The case that it names.
    pub case: Option<String>,
}

/// The beginning of an episode that is named `id`.
pub fn case(id: &str, episode: &Episode) -> Object {
    let mut case = of_type("case");
    case.insert("version", Json::Number(u64::from(VERSION).into()));
    case.insert("id", id);
    case.insert("messages", Json::Array(episode.stage().messages.iter().map(Message::to_json).collect()));
    case.insert("tools", definitions(episode));
    case
}

/// What an agent has to be told of the messages from `from` on, which it has not seen: the results of its calls, and what the user says.
pub fn news(episode: &Episode, from: usize) -> impl Iterator<Item = Object> {
    let unseen = episode.messages()[from..].iter().filter(|message| message.role != Role::Assistant);
    unseen.flat_map(|message| entries(episode, message))
}

/// All that was said since the case began, by the agent too.
pub fn history(episode: &Episode) -> Json {
    let since = &episode.messages()[episode.stage().messages.len()..];
    Json::Array(since.iter().flat_map(|message| entries(episode, message)).map(Json::Object).collect())
}

fn entries(episode: &Episode, message: &Message) -> Vec<Object> {
    match message.role {
        Role::Tool => {
            let mut result = of_type("result");
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let called = episode.calls().find(|call| call.id.as_deref() == Some(id));
            result.insert("id", id);
            result.insert("name", called.map_or("", |call| call.name.as_str()));
            result.insert("content", message.content.as_str());
            result.insert("is_error", Json::Bool(message.is_error));
            vec![result]
        }
        Role::Assistant if message.tool_calls.is_empty() => {
            let mut answer = of_type("answer");
            answer.insert("text", message.content.as_str());
            vec![answer]
        }
        Role::Assistant => message.tool_calls.iter().map(call_of).collect(),
        Role::User | Role::System => {
            let mut said = of_type(message.role.as_str());
            said.insert("content", message.content.as_str());
            vec![said]
        }
    }
}

fn call_of(call: &ToolCall) -> Object {
    let mut object = of_type("call");
    object.insert("id", call.id.as_deref().unwrap_or_default());
    object.insert("name", call.name.as_str());
    let arguments = match &call.arguments {
        Arguments::Parsed(arguments) => Json::Object(arguments.clone()),
        Arguments::Malformed(text) => Json::from(text.as_str()),
    };
    object.insert("arguments", arguments);
    object
}

fn of_type(name: &str) -> Object {
    let mut object = Object::new();
    object.insert("type", name);
    object
}

/// Reads what an agent says in `episode`.
///
/// # Errors
/// What is wrong with it, in words: it is no JSON object, has an unknown `type`, lacks a field, or uses the id of an earlier call.
pub fn read(text: &str, episode: &Episode) -> Result<Said, String> {
    // A logged conversation before the case has ids of its own.
    let own = &episode.messages()[episode.stage().messages.len()..];
    let earlier = own.iter().flat_map(|message| &message.tool_calls);
    read_after(text, earlier.filter_map(|call| call.id.clone()).collect())
}

fn read_after(text: &str, mut ids: HashSet<String>) -> Result<Said, String> {
    let json = Json::parse(text).map_err(|why| format!("`{}` is not JSON: {why}", excerpt(text)))?;
    let object = json.as_object().ok_or_else(|| format!("`{}` is not a JSON object", excerpt(text)))?;
    if object.has_repeated_key() {
        return Err(format!("`{}` has a key twice", excerpt(text)));
    }
    let mut turn = Turn::default();
    match object.get("type").and_then(Json::as_str) {
        Some("call") => turn.calls.push(call(object, &mut ids)?),
        Some("calls") => {
            let calls = object.get("calls").and_then(Json::as_array).filter(|calls| !calls.is_empty());
            for item in calls.ok_or("`calls` must be a list of one call or more")? {
                let item = item.as_object().ok_or("each of `calls` must be an object")?;
                turn.calls.push(call(item, &mut ids)?);
            }
        }
        Some("answer") => {
            let text = object.get("text").and_then(Json::as_str);
            turn.text = text.ok_or("`text` of an answer must be a text")?.to_owned();
        }
        other => {
            let near = other.map(|other| did_you_mean(other, TYPES)).unwrap_or_default();
            let types = TYPES.join(", ");
            return Err(format!("`type` of `{}` must be one of {types}{near}", excerpt(text)));
        }
    }
    let heard = Heard { message: text.trim().into(), stop: Stop::Finished, turn };
    let case = match object.get("case") {
        None | Some(Json::Null) => None,
        Some(case) => Some(case.as_str().ok_or("`case` must be a text")?.to_owned()),
    };
    Ok(Said { heard, case })
}

/// A call, whose id none of `ids` is.
fn call(object: &Object, ids: &mut HashSet<String>) -> Result<ToolCall, String> {
    let text = |key: &str| object.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let name = text("name").ok_or("`name` of a call must be a text that is not empty")?;
    let id = text("id").ok_or("`id` of a call must be a text that is not empty")?;
    if !ids.insert(id.to_owned()) {
        return Err(format!("the id `{}` was used for an earlier call", excerpt(id)));
    }
    let arguments = arguments(object.get("arguments"));
    let repeats = matches!(&arguments, Arguments::Parsed(object) if object.repeats_a_key());
    if object.has_repeated_key() || repeats {
        return Err(format!("the call `{}` has a key twice", excerpt(id)));
    }
    Ok(ToolCall { name: name.to_owned(), arguments, id: Some(id.to_owned()) })
}

/// The beginning of a text, on one line.
pub fn excerpt(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let mut chars = text.trim().chars();
    let short: String = chars.by_ref().take(EXCERPT).map(shown).collect();
    if chars.next().is_some() { short + "..." } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<Said, String> {
        read_after(text, HashSet::from(["used".to_owned()]))
    }

    #[test]
    fn calls_and_answers_are_read_and_unknown_fields_ignored() {
        let call = said(
            r#"{"type": "call", "id": "1", "name": "f", "arguments": {"a": 1}, "thought": [], "case": "c#1"}"#,
        );
        let call = call.unwrap();
        assert_eq!(call.case.as_deref(), Some("c#1"));
        assert_eq!(call.heard.turn.calls[0].name, "f");
        let calls = r#"{"type": "calls", "calls": [{"id": "1", "name": "f"}, {"id": "2", "name": "g", "arguments": "{bad"}]}"#;
        let calls = said(calls).unwrap().heard.turn.calls;
        assert_eq!(calls[0].arguments, Arguments::Parsed(Object::new()));
        assert_eq!(calls[1].arguments, Arguments::Malformed("{bad".to_owned()));
        assert_eq!(said(r#"{"type": "answer", "text": ""}"#).unwrap().heard.turn, Turn::default());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, why) in [
            ("Thinking...", "`Thinking...` is not JSON: "),
            ("[1]", "`[1]` is not a JSON object"),
            (r#"{"type": "answer", "type": "call"}"#, "has a key twice"),
            (
                r#"{"type": "anser", "text": "x"}"#,
                "must be one of call, calls, answer; did you mean `answer`?",
            ),
            (r#"{"text": "x"}"#, "must be one of call, calls, answer"),
            (r#"{"type": "answer", "text": 1}"#, "`text` of an answer must be a text"),
            (r#"{"type": "call", "id": 1, "name": "f"}"#, "`id` of a call must be a text"),
            (r#"{"type": "call", "id": "1"}"#, "`name` of a call must be a text"),
            (r#"{"type": "call", "id": "used", "name": "f"}"#, "the id `used` was used for an earlier call"),
            (r#"{"type": "calls", "calls": []}"#, "`calls` must be a list of one call or more"),
            (
                r#"{"type": "calls", "calls": [{"id": "1", "name": "f"}, {"id": "1", "name": "f"}]}"#,
                "the id `1` was used",
            ),
            (
                r#"{"type": "calls", "calls": [{"id": "1", "name": "f", "name": "g"}]}"#,
                "the call `1` has a key twice",
            ),
            (
                r#"{"type": "call", "id": "1", "name": "f", "arguments": {"a": [{"b": 1, "b": 2}]}}"#,
                "the call `1` has a key twice",
            ),
            (r#"{"type": "answer", "text": "x", "case": 1}"#, "`case` must be a text"),
        ] {
            let error = said(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}

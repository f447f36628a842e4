//! Chats as one list: files for fine-tuning, LangChain's and Vercel's messages.
//!
//! ```json
//! {"messages": [{"role": "user", "content": "Oslo?"},
//!               {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
//!  "tools": [{"type": "function", "function": {"name": "f"}}]}
//! ```

use super::context::Context;
use super::dialogue::Dialogue;
use super::entry::Entries;
use super::format::LogFormat;
use super::transcript::{Copies, Transcript};
use super::{cline, request, value, vercel_steps};
use crate::domain::{Flag, Json, Object, Role, Slot};
use crate::normalize::question;

pub(super) const OPENAI: LogFormat = LogFormat {
    name: "openai_messages",
    sign: "a list `messages` in which the assistant speaks",
    matches: |record| answers(record, |_| true),
    read,
    unmatched: None,
};

pub(super) const LANGCHAIN: LogFormat = LogFormat {
    name: "langchain_messages",
    sign: "a list `messages` with one of type `ai`",
    matches: |record| {
        answers(record, |message| !message.contains_key("role") && message.contains_key("type"))
    },
    read,
    unmatched: None,
};

pub(super) const VERCEL: LogFormat = LogFormat {
    name: "vercel_messages",
    sign: "a list `messages` in which the assistant speaks, with tools by name or parts of type `tool-call`",
    matches: |record| {
        let is_tool = |tool: &Json| tool.get("inputSchema").or_else(|| tool.get("parameters")).is_some();
        let tools = record.get("tools").and_then(Json::as_object);
        let by_name = tools.is_some_and(|tools| !tools.is_empty() && tools.values().all(is_tool));
        answers(record, |message| by_name || has_vercel_parts(message))
    },
    read,
    unmatched: None,
};

/// Whether the messages are a transcript, whose last message of the assistant's shows a `sign`. A list that goes on after it is
/// one too, unless the record has a column of calls: then the list leads to these.
fn answers(record: &Object, sign: impl Fn(&Object) -> bool) -> bool {
    let Some(logged) = record.get("messages") else { return false };
    let is_answer = |message: &&Object| question::speaker(message) == Some(Role::Assistant);
    let has_calls = || Slot::ToolCall.aliases().iter().any(|key| record.contains_key(key));
    let is_transcript = |messages: &[Json]| {
        let last = messages.iter().rev().filter_map(Json::as_object).find(is_answer);
        let ends = messages.last().and_then(Json::as_object).is_some_and(|last| is_answer(&last));
        last.is_some_and(&sign) && (ends || !has_calls())
    };
    match logged {
        Json::Array(messages) => is_transcript(messages),
        Json::String(text) => {
            question::conversation_in(text).is_some_and(|messages| is_transcript(&messages))
        }
        _ => false,
    }
}

/// Whether a record is a chat in which nobody has answered yet.
pub(super) fn is_unanswered(record: &Object) -> bool {
    let asks = |messages: &[Json]| {
        let speakers: Option<Vec<Role>> =
            messages.iter().map(|message| question::speaker(message.as_object()?)).collect();
        speakers.is_some_and(|all| !all.is_empty() && !all.contains(&Role::Assistant))
    };
    let is_answered =
        ["choices", "candidates", "message", "answer", "reply", "result", "outputs", "new_messages"]
            .iter()
            .any(|key| record.get(key).is_some_and(|value| !value.is_null()));
    record.get("messages").and_then(Json::as_array).is_some_and(asks)
        && !is_answered
        && !Slot::ToolCall.aliases().iter().any(|key| record.contains_key(key))
}

fn has_vercel_parts(message: &Object) -> bool {
    let parts = message.get("content").into_iter().chain(message.get("parts")).filter_map(Json::as_array);
    parts
        .flatten()
        .filter_map(|part| part.get("type")?.as_str())
        .any(|kind| kind.starts_with("tool-") || kind == "dynamic-tool")
}

/// Keys of a conversation's name, the surest first.
const NAMES: &[&str] = &["id", "transcript_id", "conversation_id", "session_id", "thread_id"];

/// Keys that tell a conversation from others. An `id` may be one of each request, which logs the conversation again.
const CONVERSATIONS: &[&str] = &[
    "conversation_id",
    "conversationId",
    "session_id",
    "sessionId",
    "thread_id",
    "threadId",
    "chat_id",
    "chatId",
    "user",
    "user_id",
    "userId",
];

fn read(mut record: Object, context: &Context) -> Entries {
    let messages = value::take(&mut record, "messages").map(value::messages).unwrap_or_default();
    // Some providers take what the system says beside the messages.
    let mut said = Dialogue::default();
    for key in ["system", "system_prompt", "systemPrompt", "instructions"] {
        said.instruct(value::take(&mut record, key).unwrap_or(Json::Null));
    }
    // Some logs repeat it among them.
    let own: Vec<String> = messages.iter().filter_map(instruction).collect();
    said.messages.retain(|said| instruction(said).is_none_or(|said| !own.contains(&said)));
    let elements = said.messages.into_iter().chain(messages);
    // A name of the conversation is its own; it does not say that more was said elsewhere.
    let flags = request::flags(&record).into_iter().filter(|flag| *flag == Flag::ToolChoiceLimited);
    let (elements, written) = cline::spoken(elements.flat_map(vercel_steps::of).collect());
    let flags = flags.chain(written).collect();
    let transcript = Transcript {
        flags,
        id: NAMES.iter().find_map(|key| value::name(&record, key)),
        elements,
        tools: value::tools(value::take_first(&mut record, &["tools", "functions"])),
        model: value::text(&record, &["model"]),
        copies: Copies::Again,
        conversation: CONVERSATIONS.iter().filter_map(|key| value::name(&record, key)).collect(),
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// The words of a message of the system's.
fn instruction(message: &Json) -> Option<String> {
    let is_systems = question::speaker(message.as_object()?) == Some(Role::System);
    let message = question::message_of(message).filter(|_| is_systems)?;
    Some(message.content.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use crate::domain::Json;
    use crate::normalize::logs::{Context, Entry, NoRelated, Print, Turns, detect};
    use crate::normalize::{Normalizer, Options};

    #[test]
    fn the_same_words_of_another_conversation_are_no_copy() {
        let chat = prints(r#""a","user":"amy""#, "Q");
        assert_eq!(prints(r#""a","user":"amy""#, "Q"), chat);
        for other in [r#""a","user":"bob""#, r#""a""#, r#""a","user":"amy","session_id":"2""#] {
            assert_ne!(prints(other, "Q")[0].copied, chat[0].copied, "{other}");
        }
        assert_eq!(prints(r#""a","user":"amy","id":"2""#, "Q")[0].copied, chat[0].copied);
    }

    /// What tells the turns of a chat from those of others.
    fn prints(model: &str, question: &str) -> Vec<Print> {
        let record = format!(
            r#"{{"model":{model},"messages":[{{"role":"user","content":"{question}"}},{{"role":"assistant","tool_calls":[
                {{"id":"call_0","function":{{"name":"f","arguments":"{{}}"}}}}]}},{{"role":"assistant","content":"A"}}]}}"#
        );
        let Json::Object(record) = Json::parse(&record).unwrap() else { panic!("{record}") };
        let normalizer = Normalizer::new(Options::default()).unwrap().into();
        let context = Context {
            agents: false,
            turns: Turns::All,
            normalizer: &normalizer,
            related: &NoRelated,
            source: "",
        };
        let entries = detect(&record).unwrap().read(record, &context);
        let print = |entry| match entry {
            Entry::Turn(turn) => turn.print().map(|(_, print)| print.clone()),
            _ => None,
        };
        entries.filter_map(print).collect()
    }

    #[test]
    fn the_same_words_of_another_model_are_another_chat() {
        let chat = prints(r#""a""#, "Q");
        assert!(chat[0].copied.is_some());
        assert_eq!(prints(r#""a""#, "Q"), chat);
        for (model, question) in [(r#""b""#, "Q"), ("null", "Q"), (r#""a""#, "R")] {
            assert_ne!(prints(model, question)[0].copied, chat[0].copied, "{model}");
        }
    }

    #[test]
    fn chats_are_told_from_rows_and_from_each_other() {
        let asked = r#"{"role":"user","content":"Q"}"#;
        for (record, format) in [
            (
                format!(r#"{{"messages":[{asked},{{"role":"assistant","content":"A"}}]}}"#),
                Some("openai_messages"),
            ),
            (format!(r#"{{"messages":[{asked},{{"role":"model","parts":[]}}]}}"#), Some("openai_messages")),
            (
                r#"{"messages":"[{'role': 'user', 'content': 'Q'}, {'role': 'assistant', 'content': 'A'}]"}"#
                    .to_owned(),
                Some("openai_messages"),
            ),
            (
                format!(r#"{{"messages":[{asked},{{"type":"ai","content":"A"}}]}}"#),
                Some("langchain_messages"),
            ),
            (
                format!(
                    r#"{{"messages":[{asked},{{"lc":1,"type":"constructor","id":["AIMessage"],"kwargs":{{"content":"A"}}}}]}}"#
                ),
                Some("langchain_messages"),
            ),
            (
                format!(r#"{{"messages":[{asked},{{"type":"ai","data":{{"content":"A"}}}}]}}"#),
                Some("langchain_messages"),
            ),
            (
                format!(
                    r#"{{"messages":[{asked},{{"role":"assistant","content":[{{"type":"tool-call","toolName":"f"}}]}}]}}"#
                ),
                Some("vercel_messages"),
            ),
            (
                format!(
                    r#"{{"messages":[{asked},{{"role":"assistant","content":"A"}}],"tools":{{"f":{{"inputSchema":{{}}}}}}}}"#
                ),
                Some("vercel_messages"),
            ),
            (
                format!(r#"{{"messages":[{asked},{{"role":"assistant","content":"A"}}],"tool_calls":null}}"#),
                None,
            ),
            (
                format!(r#"{{"messages":[{asked},{{"role":"assistant","content":"A"}}],"tool_call":"f()"}}"#),
                None,
            ),
            (format!(r#"{{"messages":[{asked}],"output":"f()"}}"#), None),
            (r#"{"messages":[]}"#.to_owned(), None),
            (r#"{"messages":"Who said [1]?"}"#.to_owned(), None),
        ] {
            let Json::Object(object) = Json::parse(&record).unwrap() else { panic!("{record}") };
            assert_eq!(detect(&object).map(|format| format.name), format, "{record}");
        }
    }
}

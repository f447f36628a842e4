//! Chats in one list, the last message being the assistant's: files for fine-tuning, LangChain's and Vercel's messages.
//!
//! ```json
//! {"messages": [{"role": "user", "content": "Oslo?"},
//!               {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
//!  "tools": [{"type": "function", "function": {"name": "f"}}]}
//! ```

use super::{Context, Entries, LogFormat, Skip, Turn, skipped, value};
use crate::domain::{Json, Object};

pub(super) const OPENAI: LogFormat = LogFormat {
    name: "openai_messages",
    sign: "a list `messages` that ends with the assistant's",
    matches,
    read,
    orphans: None,
};

fn matches(record: &Object) -> bool {
    let Some(Json::Array(messages)) = record.get("messages") else { return false };
    messages.last().and_then(Json::as_object).is_some_and(|message| {
        let role = message.get("role").or_else(|| message.get("type")).and_then(Json::as_str);
        role.is_some_and(|role| ["assistant", "ai", "AIMessage", "model"].contains(&role))
    })
}

fn read(mut record: Object, _: &Context) -> Entries {
    let mut messages = value::take(&mut record, "messages").map(value::messages).unwrap_or_default();
    let Some(output) = messages.pop() else { return skipped(Skip::NoOutput) };
    let mut turn = Turn::answering(messages, output);
    turn.tools = value::tools(value::take_first(&mut record, &["tools", "functions"]));
    turn.origin.source_id = value::text(&record, &["id"]);
    turn.origin.model = value::text(&record, &["model"]);
    turn.alone()
}

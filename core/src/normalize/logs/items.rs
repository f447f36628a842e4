//! Conversations with one message or item per record: lists of OpenAI's Agents SDK (`to_input_list()`), older rollouts of Codex,
//! a chat's messages as the elements of an array.
//!
//! ```json
//! {"role": "user", "content": "Oslo?"}
//! {"type": "function_call", "name": "f", "arguments": "{\"city\": \"Oslo\"}", "call_id": "c1"}
//! {"type": "function_call_output", "call_id": "c1", "output": "Sunny."}
//! ```
//!
//! All records of a file are one conversation.

use super::codex::Session;
use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::inserted::{self, Mark};
use super::{found_tools, value, vercel_steps};
use crate::domain::{Json, Object};
use crate::normalize::question;

pub(super) const ITEMS: LogFormat = LogFormat {
    name: "message_items",
    sign: "records that are messages (`role` beside `content` or `parts`, LangChain's) or items (`type` such as `function_call`, `call_id`) themselves",
    matches,
    read,
    unmatched: Some(unmatched),
};

/// Keys of messages and items. A record with any other is something else.
const KEYS: &[&str] = &[
    "role",
    "content",
    "type",
    "id",
    "status",
    "name",
    "call_id",
    "arguments",
    "input",
    "output",
    "summary",
    "encrypted_content",
    "tool_calls",
    "tool_call_id",
    "action",
    "phase",
    "namespace",
    "refusal",
    "annotations",
    "audio",
    "function_call",
    "provider_data",
    "reasoning_content",
    "reasoning",
    "parts",
    "createdAt",
    "metadata",
    "toolInvocations",
];

/// Keys of LangChain's messages, as it serialises them and as dicts.
const LANGCHAIN_KEYS: &[&str] = &["lc", "type", "id", "kwargs", "data"];

/// What Codex, not the user, puts into the user's messages.
const INSERTED: &[Mark] = &[
    ("<environment_context>", "</environment_context>"),
    ("<user_instructions>", "</user_instructions>"),
    ("<permissions instructions>", "</permissions instructions>"),
    ("<collaboration_mode>", "</collaboration_mode>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<skill>", "</skill>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("# AGENTS.md instructions", "</INSTRUCTIONS>"),
];

/// Items of tools that the provider runs, or that have types of their own.
const SERVERS: &[&str] = &[
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "computer_call",
    "shell_call",
    "apply_patch_call",
];

fn matches(record: &Object) -> bool {
    let text = |key: &str| record.get(key).and_then(Json::as_str);
    let has = |key: &str| record.contains_key(key);
    let is_message = text("role").is_some() && (has("content") || has("tool_calls") || has("parts"));
    let is_langchain =
        ["kwargs", "data"].iter().any(|key| record.get(key).is_some_and(|it| it.as_object().is_some()))
            && record.keys().all(|key| LANGCHAIN_KEYS.contains(&key));
    if is_langchain {
        return question::speaker(record).is_some();
    }
    let is_item = match text("type") {
        Some("function_call") => has("call_id") && has("name") && has("arguments"),
        Some("custom_tool_call") => has("call_id") && has("input"),
        Some("local_shell_call") => has("action"),
        Some(kind) => kind.ends_with("_call_output") && has("call_id"),
        None => false,
    };
    let is_reasoning = text("type") == Some("reasoning") && has("summary");
    let is_servers =
        text("type").is_some_and(|kind| SERVERS.contains(&kind)) && (has("id") || has("call_id"));
    let is_spoken = record.keys().all(|key| KEYS.contains(&key)) && question::speaker(record).is_some();
    is_servers || is_reasoning || (is_message || is_item) && is_spoken
}

pub(super) fn key(context: &Context) -> String {
    format!("items {}", context.source)
}

/// An item, as a part of the conversation of its file.
pub(super) fn read(mut item: Object, context: &Context) -> Entries {
    const SILENT: &[&str] = &["local_shell_call", found_tools::TOOLS_OF_SERVER];
    let kind = item.get("type").and_then(Json::as_str).unwrap_or_default();
    if question::speaker(&item).is_none() && !SILENT.contains(&kind) {
        return skipped(Skip::NotAMessage);
    }
    item.remove("encrypted_content");
    one(Entry::Fragment(Fragment { key: key(context), object: item }))
}

/// The turns of the conversation that a file holds.
pub(super) fn unmatched(fragments: Vec<Object>, context: &Context) -> Entries {
    let mut session = Session::default();
    let mut ended: Vec<Entries> = Vec::new();
    for mut fragment in fragments {
        match fragment.remove("note") {
            Some(Json::Object(note)) => ended.push(session.note(note, context)),
            _ => elements(fragment)
                .into_iter()
                .flat_map(|element| vercel_steps::of(Json::Object(element)))
                .for_each(|step| session.push(step)),
        }
    }
    ended.push(session.end(context, Vec::new()));
    Box::new(ended.into_iter().flatten())
}

/// An item as messages are read; two, where Codex put something into what the user said.
pub(super) fn elements(mut item: Object) -> Vec<Object> {
    if item.get("type").and_then(Json::as_str) == Some("local_shell_call") {
        let id = value::text(&item, &["call_id"]).or_else(|| value::text(&item, &["id"])).unwrap_or_default();
        let action = item.remove("action").unwrap_or(Json::Null);
        let call = [
            ("type", Json::from("function_call")),
            ("name", Json::from("local_shell")),
            ("call_id", Json::from(id)),
            ("arguments", action),
        ];
        return vec![call.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()];
    }
    match item.get("role").and_then(Json::as_str) {
        Some("user") => inserted::parted(item, INSERTED),
        _ => vec![item],
    }
}

//! Sessions of Strands Agents: a file for each message, in a folder for each agent.
//!
//! ```json
//! {"message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]}, "message_id": 1,
//!  "redact_message": null, "created_at": "…", "updated_at": "…"}
//! ```
//!
//! The messages of a folder are one transcript, in the order of their numbers.

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};

pub(super) const SESSION: LogFormat = LogFormat {
    name: "strands_session",
    sign: "keys `message`, `message_id` and `created_at`",
    matches,
    read,
    unmatched: Some(unmatched),
};

fn matches(record: &Object) -> bool {
    let has = |key: &str| record.contains_key(key);
    let is_message = has("message") && has("message_id") && has("created_at");
    // Files beside the messages.
    let is_agent = has("agent_id") && has("conversation_manager_state");
    let is_session = has("session_id") && has("session_type");
    is_message || is_agent || is_session
}

fn read(mut record: Object, context: &Context) -> Entries {
    let redacted = record.remove("redact_message").filter(|message| message.as_object().is_some());
    let message = record.remove("message").filter(|message| message.as_object().is_some());
    let Some(message) = redacted.or(message) else { return skipped(Skip::NotAMessage) };
    let folder = context.source.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let mut object = Object::new();
    object.insert("folder", folder);
    object.insert("message_id", record.remove("message_id").unwrap_or(Json::Null));
    object.insert("message", message);
    one(Entry::Fragment(Fragment { key: format!("strands {folder}"), object }))
}

fn unmatched(mut fragments: Vec<Object>, context: &Context) -> Entries {
    let number = |fragment: &Object| fragment.get("message_id").and_then(value::number).unwrap_or_default();
    fragments.sort_by(|a, b| number(a).total_cmp(&number(b)));
    let id = fragments.first().and_then(|fragment| id(&value::text(fragment, &["folder"])?));
    let elements = fragments.into_iter().filter_map(|mut fragment| fragment.remove("message")).collect();
    Transcript { id, elements, ..Transcript::default() }.entries(context)
}

/// `…/session_S/agents/agent_A/messages` is what the agent A said in the session S.
fn id(folder: &str) -> Option<String> {
    let mut parts = folder.split(['/', '\\']).rev();
    let (messages, agent, agents, session) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_one = messages == "messages" && agents == "agents";
    let (session, agent) = (session.strip_prefix("session_")?, agent.strip_prefix("agent_")?);
    is_one.then(|| format!("{session}/{agent}"))
}

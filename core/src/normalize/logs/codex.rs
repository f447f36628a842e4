//! Sessions of Codex: rollout files with one item per line, and the output of `codex exec --json`.
//!
//! ```json
//! {"timestamp": "…", "type": "session_meta", "payload": {"id": "s1", "cwd": "/shop"}}
//! {"timestamp": "…", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it."}]}}
//! {"timestamp": "…", "type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}}
//! {"timestamp": "…", "type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "ok"}}
//! ```
//!
//! Older rollouts have the items without the envelope, after a line `{"id", "timestamp", "instructions"}`; these are the items of
//! [`items`](super::items). Only the first line names the session, so a session is one file.

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, none, one, skipped};
use super::format::LogFormat;
use super::transcript::{Copies, Opening, Transcript};
use super::{cline, items, value};
use crate::domain::{Json, Object, Role, RowError, RowErrorCode};
use crate::normalize::question;

pub(super) const ROLLOUT: LogFormat = LogFormat {
    name: "codex_rollout",
    sign: "keys `timestamp`, `type` and `payload`, or a first line with `id`, `timestamp` and `instructions`",
    matches,
    read,
    unmatched: Some(items::unmatched),
};

pub(super) const EXEC: LogFormat = LogFormat {
    name: "codex_exec",
    sign: "a `type` such as `thread.started` or `item.completed`",
    matches: is_event,
    read: read_event,
    unmatched: Some(without_prompt),
};

fn matches(record: &Object) -> bool {
    let text = |key: &str| record.get(key).and_then(Json::as_str);
    let is_envelope =
        text("type").is_some() && record.get("payload").is_some_and(|it| it.as_object().is_some());
    let is_head = text("id").is_some() && record.contains_key("instructions") && !record.contains_key("type");
    text("timestamp").is_some() && (is_envelope || is_head) || text("record_type") == Some("state")
}

fn read(mut record: Object, context: &Context) -> Entries {
    let kind = value::text(&record, &["type"]);
    let payload = value::take_object(&mut record, "payload");
    let (kind, mut payload) = match (kind, payload) {
        (Some(kind), Some(payload)) => (kind, payload),
        _ if record.contains_key("record_type") => return skipped(Skip::NotAMessage),
        _ => ("session_meta".to_owned(), record),
    };
    let mut note = Object::new();
    match kind.as_str() {
        "response_item" => return items::read(payload, context),
        "session_meta" => {
            let instructions = value::text(&payload, &["base_instructions", "text"])
                .or_else(|| value::text(&payload, &["instructions"]));
            for (key, found) in [
                ("session", value::text(&payload, &["id"])),
                ("forked", value::text(&payload, &["forked_from_id"])),
                ("instructions", instructions),
            ] {
                if let Some(text) = found {
                    note.insert(key, text);
                }
            }
            note.insert("starts", Json::Bool(true));
        }
        "turn_context" => match value::text(&payload, &["model"]) {
            Some(model) => note.insert("model", model),
            None => return skipped(Skip::NotAMessage),
        },
        "compacted" => {
            let history =
                payload.remove("replacement_history").filter(|history| history.as_array().is_some());
            let summary = value::text(&payload, &["message"]).unwrap_or_default();
            note.insert("compacted", history.unwrap_or(Json::from(summary)));
        }
        "event_msg" if value::text(&payload, &["type"]).as_deref() == Some("thread_rolled_back") => {
            note.insert("rolled_back", payload.remove("num_turns").unwrap_or(Json::Null));
        }
        _ => return skipped(Skip::NotAMessage),
    }
    let mut object = Object::new();
    object.insert("note", Json::Object(note));
    let fragment = Entry::Fragment(Fragment { key: items::key(context), object });
    Box::new([fragment, Entry::Skipped(Skip::NotAMessage)].into_iter())
}

/// The events of `codex exec --json`.
fn is_event(record: &Object) -> bool {
    let Some(kind) = record.get("type").and_then(Json::as_str) else { return false };
    let is_item = |key: &str| record.get(key).is_some_and(|value| value.as_object().is_some());
    match kind {
        "thread.started" => record.contains_key("thread_id"),
        "turn.started" => record.len() == 1,
        "turn.completed" => is_item("usage"),
        "turn.failed" => is_item("error"),
        "item.started" | "item.updated" | "item.completed" => is_item("item"),
        _ => false,
    }
}

/// Items of events that are calls.
const CALLS: &[&str] = &["command_execution", "file_change", "mcp_tool_call", "collab_tool_call"];

fn read_event(mut record: Object, context: &Context) -> Entries {
    let kind = value::text(&record, &["type"]).unwrap_or_default();
    let item = value::take_object(&mut record, "item").unwrap_or_default();
    let is_call = value::text(&item, &["type"]).is_some_and(|kind| CALLS.contains(&kind.as_str()));
    if !is_call || kind == "item.updated" {
        return skipped(Skip::NotAMessage);
    }
    let mut object = Object::new();
    object.insert("id", item.get("id").cloned().unwrap_or(Json::Null));
    let key = format!("codex_exec {}", context.source);
    one(Entry::Fragment(Fragment { key, object }))
}

/// What is printed by `codex exec --json` leaves out what the user asked.
fn without_prompt(fragments: Vec<Object>, _: &Context) -> Entries {
    // A call is told when it begins and when it ends.
    let mut ids: Vec<String> = fragments.iter().map(|call| Json::Object(call.clone()).to_string()).collect();
    ids.sort_unstable();
    ids.dedup();
    let calls = ids.len();
    let why = format!(
        "this looks like the output of `codex exec --json`, which leaves out the prompt; nothing to judge of its {calls} calls: \
         give the session's file of ~/.codex/sessions instead"
    );
    let tally = super::entry::Tally { turns: calls, calls, is_episode: false };
    let error = RowError::new(RowErrorCode::NoUserMessage, why);
    Box::new([Entry::Transcript(tally), Entry::Unreadable(error)].into_iter())
}

/// What was said so far in a session, which may begin anew.
#[derive(Default)]
pub(super) struct Session {
    id: Option<String>,
    parts: usize,
    elements: Vec<Json>,
    shared: usize,
    models: Vec<String>,
}

impl Session {
    pub(super) fn push(&mut self, element: Json) {
        self.elements.push(element);
    }

    /// Takes in what is no item; the transcript that ends with it, if one does.
    pub(super) fn note(&mut self, mut note: Object, context: &Context) -> Entries {
        if note.contains_key("starts") {
            let id = value::text(&note, &["session"]);
            // The second head in a file is that of the session from which it was forked.
            let is_origin = self.id.is_some() && self.elements.iter().all(is_instruction);
            if is_origin {
                return none();
            }
            let ended = self.end(context, Vec::new());
            *self = Session { id, ..Session::default() };
            if let Some(instructions) = value::text(&note, &["instructions"]) {
                self.push(value::message("system", instructions));
            }
            return ended;
        }
        if let Some(model) = value::text(&note, &["model"]) {
            if !self.models.contains(&model) {
                self.models.push(model);
            }
            return none();
        }
        let kept = match (note.remove("compacted"), note.remove("rolled_back")) {
            (Some(Json::Array(history)), _) => {
                let elements = |item| match item {
                    Json::Object(item) => items::elements(item).into_iter().map(Json::Object).collect(),
                    other => vec![other],
                };
                history.into_iter().flat_map(elements).collect()
            }
            (Some(summary), _) => {
                let is_kept =
                    |element: &&Json| matches!(role(element), Some("user" | "system" | "developer"));
                let said = self.elements.iter().filter(is_kept).cloned();
                said.chain(summary.as_str().map(|text| value::message("system", text))).collect()
            }
            (_, Some(number)) => {
                let number = value::number(&number).unwrap_or_default().max(0.0) as usize;
                let asked: Vec<usize> =
                    (0..self.elements.len()).filter(|at| role(&self.elements[*at]) == Some("user")).collect();
                let kept = asked.len().checked_sub(number).and_then(|at| asked.get(at)).copied();
                let kept = if number == 0 { self.elements.len() } else { kept.unwrap_or(0) };
                self.elements[..kept].to_vec()
            }
            _ => return none(),
        };
        self.end(context, kept)
    }

    /// The turns so far; what is `kept` is what the next ones see.
    pub(super) fn end(&mut self, context: &Context, kept: Vec<Json>) -> Entries {
        let elements = std::mem::replace(&mut self.elements, kept);
        let shared = std::mem::replace(&mut self.shared, self.elements.len());
        if !elements[shared.min(elements.len())..].iter().any(is_assistants) {
            return none();
        }
        self.parts += 1;
        let id = self.id.clone().map(|id| if self.parts == 1 { id } else { format!("{id}/{}", self.parts) });
        let model = self.models.first().filter(|_| self.models.len() == 1).cloned();
        let opening = Opening::Elsewhere(shared);
        // Whole histories begin nowhere else.
        let (elements, written) = if shared == 0 { cline::spoken(elements) } else { (elements, None) };
        let flags = written.into_iter().collect();
        Transcript { id, elements, opening, copies: Copies::Forked, model, flags, ..Transcript::default() }
            .entries(context)
    }
}

fn role(element: &Json) -> Option<&str> {
    element.get("role")?.as_str()
}

fn is_instruction(element: &Json) -> bool {
    role(element) == Some("system")
}

fn is_assistants(element: &Json) -> bool {
    element.as_object().and_then(question::speaker) == Some(Role::Assistant)
}

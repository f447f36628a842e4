//! Values that only some templates show: results, the agent's answer, expected calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{question, raw_text};
use crate::domain::{Aftermath, Cell, Json, Message, Role, Slot, ToolResult, Variable, conversation_text};

/// Values by their variables. What came after the turn goes to `after`, where a log would have it.
pub(super) fn read(cells: Vec<(Variable, Cell)>, after: &mut Aftermath) -> BTreeMap<Variable, String> {
    let mut extras = BTreeMap::new();
    for (variable, cell) in cells {
        let parsed = structure(&cell);
        let list = parsed.as_ref().and_then(Json::as_array);
        let text = match &variable {
            Variable::Slot(Slot::ToolResult) => {
                // Whatever else it is, it is what came back.
                let only = |content| ToolResult { tool_call_id: None, content, is_error: false };
                let results = list.and_then(results);
                after.results = results.or_else(|| Some(vec![only(raw_text(cell)?)])).unwrap_or_default();
                continue;
            }
            Variable::Slot(Slot::NextMessage) => {
                let said = || raw_text(cell).map(|text| Message::new(Role::Assistant, text));
                after.next = parsed.as_ref().and_then(question::message_of).or_else(said);
                continue;
            }
            Variable::Slot(Slot::Response) => {
                after.final_answer = list.and_then(last_words).or_else(|| raw_text(cell)).map(Arc::from);
                continue;
            }
            Variable::Slot(Slot::Transcript) => list.and_then(conversation).or_else(|| raw_text(cell)),
            _ => raw_text(cell),
        };
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            extras.insert(variable, text);
        }
    }
    extras
}

/// The structure in a cell, written as text or not.
fn structure(cell: &Cell) -> Option<Json> {
    match cell {
        Cell::Text(text) if text.trim_start().starts_with(['[', '{']) => Json::parse(text).ok(),
        Cell::Json(json) => Some(json.clone()),
        _ => None,
    }
}

/// Results, if each of the list's elements is one and nothing else: what a tool found may have a `content` too.
fn results(list: &[Json]) -> Option<Vec<ToolResult>> {
    const KEYS: &[&str] = &["content", "tool_call_id", "is_error", "role", "name"];
    let result = |json: &Json| {
        let is_result = json.as_object()?.keys().all(|key| KEYS.contains(&key));
        let content = match json.as_object().filter(|_| is_result)?.get("content")? {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let id = json.get("tool_call_id").and_then(Json::as_str).map(str::to_owned);
        Some(ToolResult {
            tool_call_id: id,
            content,
            is_error: json.get("is_error") == Some(&Json::Bool(true)),
        })
    };
    list.iter().map(result).collect()
}

/// What the assistant said last in a list of messages.
fn last_words(list: &[Json]) -> Option<String> {
    let messages = question::messages_in(list)?;
    let says = |role, content: &str| role == Role::Assistant && !content.trim().is_empty();
    messages.into_iter().rev().find(|message| says(message.role, &message.content)).map(|last| last.content)
}

fn conversation(list: &[Json]) -> Option<String> {
    question::messages_in(list).map(|messages| conversation_text(&messages))
}

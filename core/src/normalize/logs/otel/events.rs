//! OpenTelemetry's conventions for generative AI up to version 1.36: an event for each message.
//!
//! ```json
//! {"event.name": "gen_ai.user.message", "content": "Oslo?"}
//! {"event.name": "gen_ai.choice", "index": 0, "message": {"tool_calls": […]}, "finish_reason": "tool_calls"}
//! {"event.name": "gen_ai.content.prompt", "gen_ai.prompt": "[{\"role\": \"user\", …"}
//! ```
//!
//! PydanticAI writes all of them into one attribute.

use super::event;
use super::span::Span;
use crate::domain::{Flag, Json, Object};
use crate::normalize::ending::Ending;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::value;

pub(super) fn messages(span: &Span) -> Option<Dialogue> {
    let events: Vec<&Object> = span.events.iter().collect();
    conversation(&events)
}

/// The attribute `events`, which holds a list in JSON.
pub(super) fn pydantic_ai(span: &Span) -> Option<Dialogue> {
    let Json::Array(events) = value::unfolded(span.get("events")?.clone()) else { return None };
    let events: Vec<&Object> = events.iter().filter_map(Json::as_object).collect();
    conversation(&events)
}

/// The oldest form: all of the prompt and all of the completion in one event each, or in one attribute each.
pub(super) fn contents(span: &Span) -> Option<Dialogue> {
    let values = |key: &str| {
        let logged: Vec<Json> = span.events.iter().filter_map(|event| event.get(key)).cloned().collect();
        if logged.is_empty() { span.get(key).cloned().into_iter().collect() } else { logged }
    };
    let (asked, answered) = (values("gen_ai.prompt"), values("gen_ai.completion"));
    if asked.is_empty() && answered.is_empty() {
        return None;
    }
    let mut dialogue = Dialogue::default();
    asked.into_iter().for_each(|asked| dialogue.ask(asked));
    dialogue.answer_first(answered);
    Some(dialogue)
}

fn conversation(events: &[&Object]) -> Option<Dialogue> {
    let mut dialogue = Dialogue::default();
    let mut choices: Vec<(f64, &Object)> = Vec::new();
    for event in events {
        let role = match event::name(event) {
            "gen_ai.system.message" => "system",
            "gen_ai.user.message" => "user",
            "gen_ai.assistant.message" => "assistant",
            "gen_ai.tool.message" => "tool",
            "gen_ai.choice" => {
                choices.push((event.get("index").and_then(value::number).unwrap_or(0.0), event));
                continue;
            }
            _ => continue,
        };
        let said = message(event, role, &mut dialogue.flags);
        dialogue.messages.push(said);
    }
    if dialogue.messages.is_empty() && choices.is_empty() {
        return None;
    }
    if choices.len() > 1 {
        dialogue.flags.push(Flag::MultipleChoices);
    }
    if let Some((_, choice)) = choices.iter().min_by(|(one, _), (other, _)| one.total_cmp(other)) {
        choose(&mut dialogue, choice);
    }
    Some(dialogue)
}

/// A message of the conversation, in the form that chats have.
fn message(event: &Object, role: &str, flags: &mut Vec<Flag>) -> Json {
    let role = event.get("role").and_then(Json::as_str).unwrap_or(role);
    let content = event.get("content").or_else(|| event.get("parts")).cloned().unwrap_or(Json::Null);
    let content = blocks_in(&content).unwrap_or(content);
    let mut message = value::calling(role, content, Vec::new());
    if let Some(calls) = event.get("tool_calls") {
        let calls = value::unfolded(calls.clone());
        if calls.as_str().is_some_and(value::breaks_off) {
            flags.push(Flag::MaybeTruncated);
        }
        message.insert("tool_calls", calls);
    }
    if let Some(id) = event.get("id") {
        message.insert("tool_call_id", id.clone());
    }
    Json::Object(message)
}

/// The blocks of a message in Amazon's form, where Strands writes them as a text: `[{"text": "…"}, {"toolUse": {…}}]`. A list of
/// anything else is what was said.
fn blocks_in(content: &Json) -> Option<Json> {
    const BLOCKS: &[&str] = &[
        "text",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "citationsContent",
        "image",
        "document",
        "video",
        "cachePoint",
        "guardContent",
    ];
    let is_block = |item: &Json| {
        let keys = item.as_object().map(|block| block.keys().collect::<Vec<_>>());
        keys.is_some_and(|keys| keys.len() == 1 && keys.iter().all(|key| BLOCKS.contains(key)))
    };
    match value::unfolded(content.clone()) {
        Json::Array(items) if !items.is_empty() && items.iter().all(is_block) => Some(Json::Array(items)),
        _ => None,
    }
}

/// The answer in a choice. Its calls stand beside its message or within it.
fn choose(dialogue: &mut Dialogue, choice: &Object) {
    dialogue.ending = Ending::of_object(choice);
    let field = |key| choice.get(key).cloned().map(value::unfolded).unwrap_or(Json::Null);
    let mut message = match (field("message"), choice.get("message")) {
        (Json::Object(message), _) => message,
        (Json::String(text), _) if value::is_broken(&text) => return dialogue.answer_broken(text),
        (_, said) => {
            let said = said.or_else(|| choice.get("content")).cloned().unwrap_or(Json::Null);
            let said = blocks_in(&said).unwrap_or(said);
            Object::from_iter([("content".to_owned(), said)])
        }
    };
    message.insert("role", "assistant");
    let calls = match field("tool_calls") {
        Json::Null => message.remove("tool_calls").map(value::unfolded).unwrap_or(Json::Null),
        calls => calls,
    };
    match calls {
        Json::Null => {}
        Json::String(text) if value::is_broken(&text) => return dialogue.answer_broken(text),
        calls => message.insert("tool_calls", calls),
    }
    dialogue.answer(Json::Object(message));
}

//! OpenTelemetry's current conventions for generative AI, in attributes or in one event:
//! `{"gen_ai.input.messages": "[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"Oslo?\"}]}]"}`.

use super::span::Span;
use crate::domain::Json;
use crate::normalize::logs::dialogue::Dialogue;
use crate::normalize::logs::value;

pub(super) fn read(span: &Span) -> Option<Dialogue> {
    let get = |name| span.get(name).cloned();
    let (asked, answered) = (get("gen_ai.input.messages"), get("gen_ai.output.messages"));
    if asked.is_none() && answered.is_none() {
        return None;
    }
    let mut dialogue = Dialogue::default();
    if let Some(instructions) = get("gen_ai.system_instructions") {
        instruct(&mut dialogue, instructions);
    }
    dialogue.ask(asked.unwrap_or(Json::Null));
    match value::unfolded(answered.unwrap_or(Json::Null)) {
        // Every message is a choice where several were asked for; else all are the answer.
        Json::Array(choices) if asks_for_several(span) && !choices.iter().all(is_part) => {
            dialogue.answer_first(choices);
        }
        Json::Array(messages) if !messages.iter().all(is_part) => {
            dialogue.answer_together(Json::Array(messages));
        }
        Json::String(text) if value::is_broken(&text) => dialogue.answer_broken(text),
        other => dialogue.answer(other),
    }
    Some(dialogue)
}

/// Whether the model was asked for several answers to choose from.
fn asks_for_several(span: &Span) -> bool {
    span.get("gen_ai.request.choice.count").and_then(value::number).is_some_and(|count| count > 1.0)
}

/// Instructions are a list of parts; some write messages, or plain text.
fn instruct(dialogue: &mut Dialogue, instructions: Json) {
    match value::unfolded(instructions.clone()) {
        Json::Array(items) if items.iter().all(|item| item.get("role").is_some()) => {
            dialogue.ask(Json::Array(items));
        }
        Json::Array(parts) => dialogue.instruct(Json::Array(parts)),
        _ => dialogue.instruct(instructions),
    }
}

fn is_part(item: &Json) -> bool {
    item.get("type").is_some() && item.get("role").is_none()
}

//! Splits a conversation of several turns and steps into one judged turn per step.

use super::Question;
use crate::domain::{Cell, Json, Object};
use crate::normalize::logs::entry::{Entries, Entry};
use crate::normalize::logs::turn::{Output, Turn};
use crate::normalize::logs::value;

/// One step: what the model answered, and what became of it.
pub(super) struct Step {
    pub(super) answer: Json,
    /// What the tools returned, as messages.
    pub(super) returned: Vec<Json>,
    pub(super) latency_s: Option<f64>,
}

/// The user's messages of one turn, and the model's steps after them.
pub(super) struct TurnOfUser {
    pub(super) asked: Vec<Json>,
    pub(super) steps: Vec<Step>,
}

/// What happens in a conversation, in order.
enum Event {
    Said(Json),
    Answered { answer: Json, latency_s: Option<f64>, source_id: String },
}

/// The judged turns; each is given the conversation up to it.
pub(super) fn entries(id: &str, turns: Vec<TurnOfUser>, tools: Cell) -> Entries {
    let mut events = Vec::new();
    for (number, turn) in turns.into_iter().enumerate() {
        events.extend(turn.asked.into_iter().map(Event::Said));
        for (place, step) in turn.steps.into_iter().enumerate() {
            let source_id = format!("{id}#{number}.{place}");
            events.push(Event::Answered { answer: step.answer, latency_s: step.latency_s, source_id });
            events.extend(step.returned.into_iter().map(Event::Said));
        }
    }
    let mut said = Vec::new();
    Box::new(events.into_iter().filter_map(move |event| match event {
        Event::Said(message) => {
            said.push(message);
            None
        }
        Event::Answered { answer, latency_s, source_id } => {
            let mut turn = Turn::answering(said.clone(), Json::Null);
            said.push(in_history(&answer));
            turn.output = Output::Calls(answer);
            turn.tools = tools.clone();
            turn.origin.source_id = Some(source_id);
            turn.origin.latency_s = latency_s;
            Some(Entry::Turn(Box::new(turn)))
        }
    }))
}

/// An answer as a message of the assistant's, for the steps after it.
fn in_history(answer: &Json) -> Json {
    match answer {
        Json::Array(calls) if calls.iter().all(|call| call.as_object().is_some()) => {
            let mut message = Object::new();
            message.insert("role", "assistant");
            message.insert("tool_calls", answer.clone());
            Json::Object(message)
        }
        Json::String(text) => value::message("assistant", text.as_str()),
        other => value::message("assistant", other.to_string()),
    }
}

/// The only judged turn of a conversation whose answer is not split into steps.
pub(super) fn single(id: String, question: Question, answer: Json) -> Turn {
    let mut turn = Turn::answering(question.turns.into_iter().flatten().collect(), Json::Null);
    turn.output = Output::Calls(answer);
    turn.tools = question.tools;
    turn.origin.source_id = Some(id);
    turn
}

//! LangChain's agent executor with intermediate steps: a run with the result of every call.
//!
//! ```json
//! {"input": "Oslo?", "output": "Sunny.",
//!  "intermediate_steps": [[{"tool": "f", "tool_input": {"city": "Oslo"}, "log": ""}, "sunny"]]}
//! ```

use super::context::Context;
use super::entry::Entries;
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object, Slot};

pub(super) const LANGCHAIN_STEPS: LogFormat = LogFormat {
    name: "langchain_steps",
    sign: "key `intermediate_steps`, or `intermediateSteps`",
    matches,
    read,
    unmatched: None,
};

/// The steps, in Python and in JavaScript.
const STEPS: [&str; 2] = ["intermediate_steps", "intermediateSteps"];

fn matches(record: &Object) -> bool {
    STEPS.iter().any(|key| value::holds_structure(record, key)) && !has_calling_messages(record)
}

/// Whether the messages beside the steps hold the calls, too; those that only ask do not.
fn has_calling_messages(record: &Object) -> bool {
    let calls = |message: &Json| {
        let message = ["kwargs", "data"].iter().find_map(|key| message.get(key)).unwrap_or(message);
        let beside = message.get("additional_kwargs").and_then(|more| more.get("tool_calls"));
        [message.get("tool_calls"), beside]
            .into_iter()
            .flatten()
            .any(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()))
    };
    record.get("messages").and_then(Json::as_array).is_some_and(|messages| messages.iter().any(calls))
}

fn read(mut record: Object, context: &Context) -> Entries {
    let mut elements = value::take_first(&mut record, &["chat_history", "chatHistory"])
        .map(value::messages)
        .unwrap_or_default();
    let question = ["input"].iter().chain(Slot::Question.aliases()).find_map(|key| record.remove(key));
    elements.extend(question.map(value::messages).unwrap_or_default());
    let steps = match value::take_first(&mut record, &STEPS) {
        Some(Json::Array(steps)) => steps,
        Some(other) => vec![other],
        None => Vec::new(),
    };
    let called = !steps.is_empty();
    elements.extend(together(steps).into_iter().flat_map(messages));
    if let Some(answer) = value::text(&record, &["output"]) {
        elements.push(value::message("assistant", answer));
    } else if !called {
        // A run without steps called nothing, whatever it said.
        elements.push(value::message("assistant", ""));
    }
    let transcript = Transcript {
        id: ["id", "run_id"].iter().find_map(|key| value::text(&record, &[key])),
        elements,
        tools: value::tools(value::take(&mut record, "tools")),
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// Calls that one message of the model's makes are in parallel: they carry that message.
fn together(steps: Vec<Json>) -> Vec<Vec<Json>> {
    fn action(step: &Json) -> &Json {
        let action = step.as_array().and_then(<[Json]>::first).or_else(|| step.get("action")).unwrap_or(step);
        action.get("kwargs").unwrap_or(action)
    }
    let said = |step: &Json| {
        let action = action(step);
        let log = action.get("message_log").or_else(|| action.get("messageLog"));
        log.filter(|log| log.as_array().is_some_and(|log| !log.is_empty())).cloned()
    };
    // JavaScript gives the message to the first of its calls alone, and an empty list to the others.
    let is_told_before = |step: &Json| {
        let log = action(step).get("messageLog").and_then(Json::as_array);
        log.is_some_and(<[Json]>::is_empty)
    };
    let mut groups: Vec<Vec<Json>> = Vec::new();
    for step in steps {
        let log = said(&step);
        match groups.last_mut() {
            // The same action once more is another try.
            Some(group) if is_told_before(&step) && group.first().and_then(said).is_some() => {
                group.push(step);
            }
            Some(group)
                if log.is_some()
                    && group.last().and_then(said) == log
                    && group.iter().all(|other| action(other) != action(&step)) =>
            {
                group.push(step);
            }
            _ => groups.push(vec![step]),
        }
    }
    groups
}

/// The message that makes the calls, and what they returned.
fn messages(steps: Vec<Json>) -> Vec<Json> {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for step in steps {
        let (action, observation) = match step {
            Json::Array(pair) if pair.len() == 2 => {
                let mut pair = pair.into_iter();
                (pair.next().unwrap_or(Json::Null), pair.next())
            }
            // As JavaScript has it.
            Json::Object(mut step)
                if step.get("action").is_some_and(|action| action.as_object().is_some()) =>
            {
                (step.remove("action").unwrap_or(Json::Null), step.remove("observation"))
            }
            action => (action, None),
        };
        if let Some(observation) = observation {
            let mut result = Object::new();
            result.insert("role", "tool");
            if let Some(id) = action.get("tool_call_id").or_else(|| action.get("toolCallId")) {
                result.insert("tool_call_id", id.clone());
            }
            result.insert("content", observation);
            results.push(Json::Object(result));
        }
        calls.push(action);
    }
    let message = Json::Object(value::calling("assistant", Json::from(""), calls));
    std::iter::once(message).chain(results).collect()
}

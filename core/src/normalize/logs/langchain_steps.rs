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

pub(super) const LANGCHAIN_STEPS: LogFormat =
    LogFormat { name: "langchain_steps", sign: "key `intermediate_steps`", matches, read, unmatched: None };

fn matches(record: &Object) -> bool {
    value::holds_structure(record, "intermediate_steps")
}

fn read(mut record: Object, context: &Context) -> Entries {
    let mut elements = value::take(&mut record, "chat_history").map(value::messages).unwrap_or_default();
    let question = ["input"].iter().chain(Slot::Question.aliases()).find_map(|key| record.remove(key));
    elements.extend(question.map(value::messages).unwrap_or_default());
    let steps = match value::take(&mut record, "intermediate_steps") {
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
        let action = step.as_array().and_then(<[Json]>::first).unwrap_or(step);
        action.get("kwargs").unwrap_or(action)
    }
    let said = |step: &Json| {
        let action = action(step);
        action.get("message_log").filter(|log| log.as_array().is_some_and(|log| !log.is_empty())).cloned()
    };
    let mut groups: Vec<Vec<Json>> = Vec::new();
    for step in steps {
        let log = said(&step);
        match groups.last_mut() {
            // The same action once more is another try.
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
            action => (action, None),
        };
        if let Some(observation) = observation {
            let mut result = Object::new();
            result.insert("role", "tool");
            if let Some(id) = action.get("tool_call_id") {
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

//! smolagents: the steps in an agent's memory, as one list, as records, or in the result of a run.
//!
//! ```json
//! {"task": "Weather in Oslo?", "task_images": null}
//! {"step_number": 1, "timing": {}, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {}}}],
//!  "error": null, "model_output": "…", "observations": "Rain", "action_output": null}
//! ```

use super::context::Context;
use super::entry::{Entries, Entry, Fragment, Skip, one, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};

pub(super) const MEMORY: LogFormat = LogFormat {
    name: "smolagents",
    sign: "`step_number` beside `tool_calls`, or a list `steps` of such",
    matches,
    read,
    unmatched: Some(unmatched),
};

fn is_step(record: &Object) -> bool {
    let has = |key: &str| record.contains_key(key);
    has("step_number") && has("tool_calls") && (has("timing") || has("model_output") || has("observations"))
        || has("task") && has("task_images")
        || has("plan") && has("model_output_message")
        || has("system_prompt") && record.len() == 1
}

fn matches(record: &Object) -> bool {
    let steps = record.get("steps").and_then(Json::as_array).unwrap_or_default();
    is_step(record) || steps.iter().filter_map(Json::as_object).any(is_step)
}

fn read(mut record: Object, context: &Context) -> Entries {
    if let Some(Json::Array(steps)) = record.remove("steps") {
        let prompt = record.remove("system_prompt").filter(|prompt| !prompt.is_null());
        let prompt = prompt.map(|prompt| match prompt {
            Json::Object(step) => Json::Object(step),
            text => Json::Object(Object::from_iter([("system_prompt".to_owned(), text)])),
        });
        return transcript(prompt.into_iter().chain(steps), context);
    }
    if !is_step(&record) {
        return skipped(Skip::NotAMessage);
    }
    record.remove("model_input_messages");
    one(Entry::Fragment(Fragment { key: format!("smolagents {}", context.source), object: record }))
}

fn unmatched(fragments: Vec<Object>, context: &Context) -> Entries {
    transcript(fragments.into_iter().map(Json::Object), context)
}

fn transcript(steps: impl Iterator<Item = Json>, context: &Context) -> Entries {
    Transcript { elements: steps.flat_map(elements).collect(), ..Transcript::default() }.entries(context)
}

fn elements(step: Json) -> Vec<Json> {
    let Json::Object(mut step) = step else { return vec![step] };
    if let Some(task) = value::text(&step, &["task"]) {
        return vec![value::message("user", task)];
    }
    if let Some(prompt) = value::text(&step, &["system_prompt"]) {
        return vec![value::message("system", prompt)];
    }
    if let Some(plan) = value::text(&step, &["plan"]) {
        // What the agent is told after its plan keeps the plan apart from what it does then.
        return vec![
            value::message("assistant", plan),
            value::message("system", "The agent goes on with its plan."),
        ];
    }
    let calls = match value::take(&mut step, "tool_calls") {
        Some(Json::Array(calls)) => calls.into_iter().map(call).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    // What the model wrote holds the calls too, as text.
    let said = step.remove("model_output").filter(|said| !said.is_null() && calls.is_empty());
    let first = calls.first().and_then(|call| call.get("id").cloned()).filter(|_| calls.len() == 1);
    let mut elements = vec![Json::Object(value::calling("assistant", said.unwrap_or(Json::from("")), calls))];
    let error = value::text(&step, &["error", "message"]).or_else(|| value::text(&step, &["error"]));
    let observed = value::text(&step, &["observations"]);
    if error.is_some() || observed.is_some() {
        let mut result = Object::new();
        result.insert("role", "tool");
        if let Some(id) = first {
            result.insert("tool_call_id", id);
        }
        let is_error = error.is_some();
        let text: Vec<String> = observed.into_iter().chain(error).collect();
        result.insert("content", text.join("\n"));
        if is_error {
            result.insert("is_error", Json::Bool(true));
        }
        elements.push(Json::Object(result));
    }
    elements
}

/// Agents that write code hand it to their interpreter as it is.
fn call(call: Json) -> Json {
    let function = call.get("function");
    let text = |key: &str| function.and_then(|function| function.get(key)?.as_str());
    let (Some("python_interpreter"), Some(code)) = (text("name"), text("arguments")) else { return call };
    let mut custom = Object::new();
    custom.insert("name", "python_interpreter");
    custom.insert("input", code);
    let mut made = Object::new();
    made.insert("id", call.get("id").cloned().unwrap_or(Json::Null));
    made.insert("type", "custom");
    made.insert("custom", Json::Object(custom));
    Json::Object(made)
}

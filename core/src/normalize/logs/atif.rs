//! ATIF, the trajectory format of Harbor and the harnesses around it.
//!
//! ```json
//! {"schema_version": "ATIF-v1.4", "session_id": "s1", "agent": {"name": "a", "version": "1", "model_name": "m"}, "steps": [
//!     {"step_id": 1, "source": "user", "message": "Fix it."},
//!     {"step_id": 2, "source": "agent", "message": "", "tool_calls": [{"tool_call_id": "c1", "function_name": "f", "arguments": {}}],
//!      "observation": {"results": [{"source_call_id": "c1", "content": "ok"}]}}]}
//! ```

use super::context::Context;
use super::entry::{Entries, Skip, chained, skipped};
use super::format::LogFormat;
use super::transcript::{Opening, Transcript};
use super::value;
use crate::domain::{Json, Object};

pub(super) const ATIF: LogFormat = LogFormat {
    name: "atif",
    sign: "a `schema_version` that begins with `ATIF`, and `steps`",
    matches: |record| {
        let version = record.get("schema_version").and_then(Json::as_str);
        version.is_some_and(|version| version.starts_with("ATIF")) && value::holds_structure(record, "steps")
    },
    read,
    unmatched: None,
};

fn read(mut record: Object, context: &Context) -> Entries {
    // What subagents did stands in trajectories within.
    let within = match value::take(&mut record, "subagent_trajectories") {
        Some(Json::Array(items)) => items,
        _ => Vec::new(),
    };
    let subagents = within.into_iter().filter_map(|item| match item {
        Json::Object(inner) => Some(read(inner, context)),
        _ => None,
    });
    let subagents: Vec<Entries> = subagents.collect();
    chained(std::iter::once(trajectory(record, context)).chain(subagents))
}

fn trajectory(mut record: Object, context: &Context) -> Entries {
    let Some(Json::Array(steps)) = value::take(&mut record, "steps") else { return skipped(Skip::NoOutput) };
    let (mut elements, mut shared, mut begun) = (Vec::new(), 0, false);
    for step in steps {
        let is_copy = step.get("is_copied_context") == Some(&Json::Bool(true));
        begun |= !is_copy && step.get("source").and_then(Json::as_str) == Some("agent");
        elements.extend(messages(step));
        // A continued trajectory begins with what the one before it holds.
        if is_copy && !begun {
            shared = elements.len();
        }
    }
    let model = value::text(&record, &["agent", "model_name"]);
    Transcript {
        id: value::text(&record, &["session_id"]).or_else(|| value::text(&record, &["trajectory_id"])),
        elements,
        opening: Opening::Repeated(shared),
        tools: value::tools(value::take_at(&mut record, &["agent", "tool_definitions"])),
        model,
        ..Transcript::default()
    }
    .entries(context)
}

fn messages(step: Json) -> Vec<Json> {
    let Json::Object(mut step) = step else { return vec![step] };
    let source = value::text(&step, &["source"]).unwrap_or_default();
    let role = match source.as_str() {
        "agent" => "assistant",
        other => other,
    };
    let said = step.remove("message").filter(|said| !said.is_null()).unwrap_or(Json::from(""));
    let calls = match value::take(&mut step, "tool_calls") {
        Some(Json::Array(calls)) => calls.into_iter().map(call).collect(),
        _ => Vec::new(),
    };
    let results = match value::take_at(&mut step, &["observation", "results"]) {
        Some(Json::Array(results)) => results,
        _ => Vec::new(),
    };
    let is_silent = role == "system" && said.as_str() == Some("");
    let message = (!is_silent).then(|| Json::Object(value::calling(role, said, calls)));
    message.into_iter().chain(results.into_iter().map(|found| result(found, role))).collect()
}

fn call(call: Json) -> Json {
    let Json::Object(mut call) = call else { return call };
    let mut function = Object::new();
    function.insert("name", call.remove("function_name").unwrap_or(Json::Null));
    function.insert("arguments", call.remove("arguments").unwrap_or(Json::Null));
    let mut made = Object::new();
    made.insert("id", call.remove("tool_call_id").unwrap_or(Json::Null));
    made.insert("type", "function");
    made.insert("function", Json::Object(function));
    Json::Object(made)
}

/// What a call of a step returned; what the system did on its own belongs to no call.
fn result(result: Json, role: &str) -> Json {
    let Json::Object(mut result) = result else { return result };
    let mut message = Object::new();
    let id = value::text(&result, &["source_call_id"]);
    message.insert("role", if id.is_none() && role == "system" { "system" } else { "tool" });
    if let Some(id) = id {
        message.insert("tool_call_id", id);
    }
    let content = value::take_first(&mut result, &["content", "subagent_trajectory_ref"]);
    message.insert("content", content.unwrap_or(Json::from("")));
    Json::Object(message)
}

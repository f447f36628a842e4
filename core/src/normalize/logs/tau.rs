//! Simulated conversations of tau-bench and tau2-bench: an agent, a customer played by a model, and the outcome.
//!
//! ```json
//! {"task_id": 3, "trial": 0, "reward": 1.0, "info": {"task": {"actions": [{"name": "f", "kwargs": {}}]}}, "traj": [{"role": "system", …}]}
//! {"info": {…}, "tasks": […], "simulations": [{"id": "…", "task_id": "3", "trial": 0, "reward_info": {"reward": 1.0}, "messages": […]}]}
//! ```
//!
//! A reward is about the whole episode, not gold for a turn: most turns of a failed episode are right.

use super::context::Context;
use super::entry::{Entries, Entry, Skip, chained, one, unreadable};
use super::format::LogFormat;
use super::transcript::{Episode, Transcript};
use super::value;
use crate::domain::{Cell, Json, Object, RowError, RowErrorCode};

pub(super) const TAU_BENCH: LogFormat = LogFormat {
    name: "tau_bench",
    sign: "keys `task_id` and `traj`",
    matches: |record| record.contains_key("task_id") && value::holds_structure(record, "traj"),
    read: read_tau,
    unmatched: None,
};

pub(super) const TAU2_BENCH: LogFormat = LogFormat {
    name: "tau2_bench",
    sign: "a list `simulations`, or `messages` beside `task_id` and `termination_reason`",
    matches: |record| match record.get("simulations") {
        Some(Json::Array(_)) => record.contains_key("tasks") || record.contains_key("info"),
        _ => {
            record.contains_key("task_id")
                && record.contains_key("termination_reason")
                && value::holds_structure(record, "messages")
        }
    },
    read: read_tau2,
    unmatched: None,
};

fn read_tau(mut record: Object, context: &Context) -> Entries {
    let elements = value::take(&mut record, "traj").map(value::messages).unwrap_or_default();
    if elements.is_empty() {
        return one(Entry::Skipped(Skip::Empty));
    }
    let tools = value::tools(value::take(&mut record, "tools"));
    let asked = [["info", "task", "actions"], ["info", "reward_info", "actions"]];
    let actions = asked.iter().find_map(|path| value::at(&record, path));
    let transcript = Transcript {
        id: Some(id(&record)),
        elements,
        tools,
        episode: Episode {
            reward: record.get("reward").and_then(value::number),
            reference_calls: actions.map(reference_calls),
        },
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// Episodes have no ids of their own; a trial of a task is one.
fn id(record: &Object) -> String {
    let part =
        |key: &str| record.get(key).map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
    [part("task_id"), part("trial")].into_iter().flatten().collect::<Vec<_>>().join("#")
}

/// `{"name": "f", "kwargs": {…}}` as calls are written.
fn reference_calls(actions: &Json) -> Json {
    let call = |action: &Json| {
        let arguments = ["kwargs", "arguments"].iter().find_map(|key| action.get(key)).cloned();
        let mut call = Object::new();
        call.insert("name", action.get("name").cloned().unwrap_or(Json::Null));
        call.insert("arguments", arguments.unwrap_or(Json::Null));
        Json::Object(call)
    };
    Json::Array(actions.as_array().unwrap_or_default().iter().map(call).collect())
}

/// What holds for all simulations of a file.
#[derive(Clone, Default)]
struct Setting {
    /// What the agent is told of its work; the simulations leave it out.
    policy: Option<String>,
    tools: Option<Json>,
    model: Option<String>,
    /// The actions that tasks ask for, by the tasks' ids.
    actions: Vec<(String, Json)>,
}

fn read_tau2(mut record: Object, context: &Context) -> Entries {
    let Some(Json::Array(simulations)) = record.remove("simulations") else {
        return simulation(record, &Setting::default()).entries(context);
    };
    let setting = setting(&record);
    if simulations.is_empty() {
        return one(Entry::Skipped(Skip::Empty));
    }
    let entries = simulations.into_iter().map(|item| match item {
        Json::Object(item) => simulation(item, &setting).entries(context),
        other => {
            let shown = RowError::excerpt(&other.to_string());
            unreadable(RowError::new(
                RowErrorCode::UnrecognisedRecord,
                format!("simulations: none is {shown}"),
            ))
        }
    });
    chained(entries)
}

fn setting(record: &Object) -> Setting {
    let task = |task: &Json| {
        let id = task.get("id")?;
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        Some((id, reference_calls(task.get("evaluation_criteria")?.get("actions")?)))
    };
    let tasks = record.get("tasks").and_then(Json::as_array).unwrap_or_default();
    Setting {
        policy: value::text(record, &["info", "environment_info", "policy"]),
        tools: value::at(record, &["info", "environment_info", "tool_defs"]).and_then(definitions),
        model: value::text(record, &["info", "agent_info", "llm"]),
        actions: tasks.iter().filter_map(task).collect(),
    }
}

/// `{"f": {"name": "f", "doc": "…", "params": {…}}}` as definitions are written.
fn definitions(signatures: &Json) -> Option<Json> {
    let signatures = signatures.as_object()?;
    let tool = |(name, signature): (&str, &Json)| {
        let mut tool = Object::new();
        tool.insert("name", name);
        if let Some(doc) = signature.get("doc") {
            tool.insert("description", doc.clone());
        }
        if let Some(parameters) = signature.get("params").filter(|params| params.as_object().is_some()) {
            tool.insert("parameters", parameters.clone());
        }
        Json::Object(tool)
    };
    (!signatures.is_empty()).then(|| Json::Array(signatures.iter().map(tool).collect()))
}

fn simulation(mut record: Object, setting: &Setting) -> Transcript {
    let task = record.get("task_id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
    let messages = value::take(&mut record, "messages").map(value::messages).unwrap_or_default();
    let mut transcript = Transcript {
        id: value::text(&record, &["id"]).or_else(|| Some(id(&record))),
        tools: setting.tools.clone().map_or(Cell::Missing, Cell::from),
        model: setting.model.clone(),
        episode: Episode {
            reward: value::at(&record, &["reward_info", "reward"]).and_then(value::number),
            reference_calls: task
                .and_then(|task| setting.actions.iter().find(|(id, _)| *id == task))
                .map(|(_, actions)| actions.clone()),
        },
        ..Transcript::default()
    };
    let is_system = |message: &Json| message.get("role").and_then(Json::as_str) == Some("system");
    if let Some(policy) = setting.policy.clone().filter(|_| !messages.first().is_some_and(is_system)) {
        transcript.elements.push(value::message("system", policy));
    }
    for message in messages {
        // Several results stand in one message.
        match message.get("tool_messages").and_then(Json::as_array) {
            Some(results) => results.iter().cloned().for_each(|result| add(&mut transcript, result)),
            None => add(&mut transcript, message),
        }
    }
    transcript
}

/// Adds a message, unless the agent never saw it: the customer has tools too.
fn add(transcript: &mut Transcript, mut message: Json) {
    let says = |key: &str, word: &str| message.get(key).and_then(Json::as_str) == Some(word);
    if says("role", "user") {
        let calls = message.get("tool_calls").and_then(Json::as_array).map_or(0, <[Json]>::len);
        if calls > 0 {
            transcript.not_taken.push((Skip::SimulatedUser, calls));
        }
        if message.get("content").and_then(Json::as_str).is_none_or(|said| said.trim().is_empty()) {
            return;
        }
    }
    if says("role", "tool") && says("requestor", "user") {
        return;
    }
    // The id of a result is its call's.
    if let Json::Object(result) = &mut message
        && result.get("role").and_then(Json::as_str) == Some("tool")
        && !result.contains_key("tool_call_id")
        && let Some(id) = result.remove("id")
    {
        result.insert("tool_call_id", id);
    }
    transcript.elements.push(message);
}

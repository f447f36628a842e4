//! LangSmith's runs, as its API and its exports have them, and as its clients send them.
//!
//! ```json
//! {"id": "…", "run_type": "llm", "start_time": "2025-06-15T15:06:40", "extra": {"invocation_params": {"tools": […]}},
//!  "inputs": {"messages": [[{"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "Oslo?"}}]]},
//!  "outputs": {"generations": [[{"message": {"lc": 1, "kwargs": {"tool_calls": […]}}}]]}}
//! {"post": [{"id": "…", "run_type": "llm", "inputs": {…}}], "patch": [{"id": "…", "outputs": {…}}]}
//! ```

use std::collections::HashMap;

use super::context::Context;
use super::dialogue::Dialogue;
use super::entry::{Entries, Entry, Fragment, Skip, none, one, unreadable};
use super::format::LogFormat;
use super::nesting::{self, Call, Trace};
use super::value;
use crate::domain::{Json, Object, Origin, RowError, RowErrorCode};

pub(super) const RUN: LogFormat = LogFormat {
    name: NAME,
    sign: "keys `run_type` and `inputs`, or lists `post` and `patch`",
    matches,
    read,
    unmatched: Some(unmatched),
};

/// Keys of a run that is sent; of its end not all are.
const RUN_SIGNS: &[&str] = &["id", "dotted_order", "trace_id", "run_type"];

const NAME: &str = "langsmith_run";

fn matches(record: &Object) -> bool {
    let is_run = |run: &Json| RUN_SIGNS.iter().any(|key| run.get(key).is_some());
    let batch = |key| match record.get(key) {
        Some(Json::Array(runs)) => runs.iter().all(is_run),
        _ => false,
    };
    record.contains_key("run_type") && record.contains_key("inputs") || batch("post") || batch("patch")
}

fn read(mut record: Object, context: &Context) -> Entries {
    if record.contains_key("run_type") {
        return Box::new(linked(completed(record, context), context).into_iter());
    }
    let mut runs: Vec<Object> = objects(record.remove("post"));
    let places: HashMap<String, usize> =
        runs.iter().enumerate().filter_map(|(at, run)| Some((id(run)?, at))).collect();
    let mut others = Vec::new();
    for patch in objects(record.remove("patch")) {
        let Some(id) = id(&patch) else {
            let message = "patch: the end of a run without an id";
            others.push(Entry::Unreadable(RowError::new(RowErrorCode::UnrecognisedRecord, message)));
            continue;
        };
        match places.get(&id).and_then(|at| runs.get_mut(*at)) {
            Some(run) => *run = merged(std::mem::take(run), patch),
            None => others.push(Entry::Fragment(Fragment { key: key(&id), object: patch })),
        }
    }
    let runs: Vec<Entry> =
        runs.into_iter().flat_map(|run| linked(completed(run, context), context)).collect();
    Box::new(runs.into_iter().chain(others))
}

/// What is in a run, unless it repeats a model's run around or within it, and what it tells these: a wrapped library within a
/// framework's run logs the same call twice.
fn linked(run: Object, context: &Context) -> Vec<Entry> {
    let is_call = run.get("run_type").is_some_and(is_llm) && value::has(&run, &["outputs"]);
    let Some(id) = id(&run).filter(|_| is_call && !context.agents) else { return vec![entry(run)] };
    let trace = value::text(&run, &["trace_id"]).or_else(|| root(&run)).unwrap_or_default();
    let trace = Trace { format: NAME, id: &trace };
    let mut answered = Dialogue::default();
    answered.answer(run.get("outputs").cloned().map_or(Json::Null, value::unfolded));
    let tools = nesting::tools_in(answered.output.as_ref());
    let call = Call { id, parent: value::text(&run, &["parent_run_id"]), tools };
    let found = match trace.repeats(&call, context) {
        true => Entry::Skipped(Skip::AgentSpan),
        false => entry(run),
    };
    std::iter::once(found).chain(trace.tell(&call)).collect()
}

/// The id of the first run of a trace, by a run's place in it.
fn root(run: &Object) -> Option<String> {
    let order = value::text(run, &["dotted_order"])?;
    let (_, id) = order.split('.').next()?.split_once('Z')?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// Ends of runs of which no beginning was logged.
fn unmatched(fragments: Vec<Object>, _: &Context) -> Entries {
    // What runs tell each other of their place is nothing by itself.
    if fragments.iter().all(Fragment::says_no_more) {
        return none();
    }
    let run = fragments.into_iter().fold(Object::new(), merged);
    if run.contains_key("inputs") || run.get("run_type").is_some_and(|kind| !is_llm(kind)) {
        return one(entry(run));
    }
    let id = id(&run).unwrap_or_default();
    let message = format!("run {}: its end was logged, but not its beginning", RowError::excerpt(&id));
    unreadable(RowError::new(RowErrorCode::NoMatchingQuestion, message))
}

fn objects(list: Option<Json>) -> Vec<Object> {
    let object = |item| match item {
        Json::Object(object) => Some(object),
        _ => None,
    };
    match list {
        Some(Json::Array(items)) => items.into_iter().filter_map(object).collect(),
        _ => Vec::new(),
    }
}

/// The id of a run. Its place in the trace ends with it: `20250615T150640000000Z<id>.20250615T150641000000Z<id>`.
fn id(run: &Object) -> Option<String> {
    let placed = || {
        let order = value::text(run, &["dotted_order"])?;
        let (_, id) = order.rsplit('.').next()?.split_once('Z')?;
        (!id.is_empty()).then(|| id.to_owned())
    };
    value::text(run, &["id"]).or_else(placed)
}

fn key(id: &str) -> String {
    format!("{NAME} {id}")
}

/// A run with what other records say of it.
fn completed(run: Object, context: &Context) -> Object {
    let patches = id(&run).map(|id| context.related.find(&key(&id))).unwrap_or_default();
    patches.into_iter().fold(run, merged)
}

/// A run with a later state of it; what the later one leaves out has not changed.
fn merged(mut run: Object, mut patch: Object) -> Object {
    let known = |(_, value): &(String, Json)| !value.is_null();
    if let Some(before) = value::take_object(&mut run, "extra") {
        let after = value::take_object(&mut patch, "extra").unwrap_or_default();
        let extra: Object = before.into_iter().chain(after.into_iter().filter(known)).collect();
        patch.insert("extra", Json::Object(extra));
    }
    run.into_iter().chain(patch.into_iter().filter(known)).collect()
}

fn is_llm(run_type: &Json) -> bool {
    run_type.as_str() == Some("llm")
}

fn entry(mut run: Object) -> Entry {
    if !run.get("run_type").is_some_and(is_llm) {
        return Entry::Skipped(Skip::NotAnLlmRun);
    }
    let extra = value::take_object(&mut run, "extra").map(Json::Object).unwrap_or(Json::Null);
    let setting = |group: &str, names: &[&str]| {
        let group = value::unfolded(extra.get(group)?.clone());
        names.iter().find_map(|name| group.get(name).filter(|value| !value.is_null()).cloned())
    };
    let mut dialogue = Dialogue::default();
    dialogue.ask(run.remove("inputs").unwrap_or(Json::Null));
    dialogue.answer(run.remove("outputs").unwrap_or(Json::Null));
    dialogue.tools = setting("invocation_params", &["tools", "functions"])
        .or(dialogue.tools.take())
        .or_else(|| setting("metadata", &["tools"]));
    let model = setting("metadata", &["ls_model_name"])
        .or_else(|| setting("invocation_params", &["model", "model_name"]));
    let (start, end) = (instant(&run, "start_time"), instant(&run, "end_time"));
    dialogue.into_entry(Origin {
        source_id: id(&run),
        model: model.and_then(|model| model.as_str().map(str::to_owned)),
        timestamp: start,
        latency_s: value::seconds_between(start, end),
        ..Origin::default()
    })
}

fn instant(run: &Object, key: &str) -> Option<jiff::Timestamp> {
    value::instant(run.get(key)?)
}

//! Google's Agent Development Kit: sessions, eval sets and their results.
//!
//! ```json
//! {"id": "s1", "appName": "shop", "userId": "u", "events": [
//!     {"author": "user", "content": {"role": "user", "parts": [{"text": "Oslo?"}]}},
//!     {"author": "shop", "content": {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {}}}]}}]}
//! {"eval_set_id": "e", "eval_cases": [{"eval_id": "c", "conversation": [{"user_content": {…}, "final_response": {…},
//!     "intermediate_data": {"tool_uses": [{"name": "f", "args": {}}], "tool_responses": []}}]}]}
//! ```
//!
//! The calls of an eval set are the expected ones; the calls of its results are the actual ones.

use super::context::Context;
use super::entry::{Entries, Skip, chained, skipped};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};
use crate::normalize::ending::Ending;

pub(super) const SESSION: LogFormat = LogFormat {
    name: "adk_session",
    sign: "`events` beside `app_name` and `user_id`, or `appName` and `userId`",
    matches: |record| {
        has(record, &["app_name", "appName"])
            && has(record, &["user_id", "userId"])
            && record.get("events").is_some_and(|events| events.as_array().is_some())
    },
    read: read_session,
    unmatched: None,
};

pub(super) const EVAL: LogFormat = LogFormat {
    name: "adk_eval",
    sign: "`eval_cases` of an eval set, or `eval_case_results`",
    matches: |record| CASES.iter().any(|key| record.get(key).is_some_and(|cases| cases.as_array().is_some())),
    read: read_eval,
    unmatched: None,
};

const CASES: &[&str] = &["eval_cases", "evalCases", "eval_case_results", "evalCaseResults"];

fn has(record: &Object, keys: &[&str]) -> bool {
    keys.iter().any(|key| record.contains_key(key))
}

fn take(object: &mut Object, keys: &[&str]) -> Option<Json> {
    value::take_first(object, keys)
}

fn objects(list: Option<Json>) -> Vec<Object> {
    let Some(Json::Array(items)) = list else { return Vec::new() };
    items
        .into_iter()
        .filter_map(|item| if let Json::Object(object) = item { Some(object) } else { None })
        .collect()
}

fn read_session(mut record: Object, context: &Context) -> Entries {
    let events = objects(record.remove("events"));
    // Pieces of an answer come again as a whole.
    let whole = events.into_iter().filter(|event| event.get("partial") != Some(&Json::Bool(true)));
    let elements = whole.filter_map(message).collect();
    Transcript { id: value::text(&record, &["id"]), elements, ..Transcript::default() }.entries(context)
}

/// What an event says, by whoever is its author.
fn message(mut event: Object) -> Option<Json> {
    const ENDINGS: &[&str] = &["finishReason", "finish_reason", "errorCode", "error_code"];
    let author = value::text(&event, &["author"]);
    let ending =
        ENDINGS.iter().filter_map(|key| event.get(key)).find(|reason| Ending::told(reason).is_some());
    let ending = ending.cloned();
    let content = value::take_object(&mut event, "content");
    let mut content = content.or_else(|| ending.is_some().then(Object::new))?;
    let parts = content.get("parts").and_then(Json::as_array).unwrap_or_default();
    // An answer that was stopped may be nothing else.
    if parts.is_empty() && ending.is_none() {
        return None;
    }
    let returns =
        |part: &Json| ["functionResponse", "function_response"].iter().any(|key| part.get(key).is_some());
    let role = match author.as_deref() {
        Some("user") | None => "user",
        _ if !parts.is_empty() && parts.iter().all(returns) => "user",
        _ => "model",
    };
    content.insert("role", role);
    if let Some(reason) = ending {
        content.insert("finishReason", reason);
    }
    Some(Json::Object(content))
}

fn read_eval(mut record: Object, context: &Context) -> Entries {
    let cases = objects(take(&mut record, CASES));
    if cases.is_empty() {
        return skipped(Skip::Empty);
    }
    chained(cases.into_iter().map(|mut case| {
        let id = ["eval_id", "evalId"].iter().find_map(|key| value::text(&case, &[key]));
        let per_invocation = ["eval_metric_result_per_invocation", "evalMetricResultPerInvocation"];
        let invocations = match take(&mut case, &per_invocation) {
            Some(results) => objects(Some(results))
                .into_iter()
                .filter_map(|mut result| {
                    match take(&mut result, &["actual_invocation", "actualInvocation"]) {
                        Some(Json::Object(invocation)) => Some(invocation),
                        _ => None,
                    }
                })
                .collect(),
            None => objects(case.remove("conversation")),
        };
        let elements = invocations.into_iter().flat_map(invocation).collect();
        Transcript { id, elements, ..Transcript::default() }.entries(context)
    }))
}

/// What was asked, what was called for it, what came back, and the answer.
fn invocation(mut invocation: Object) -> Vec<Json> {
    let mut elements = Vec::new();
    let said = |content: Option<Json>, role: &str| match content {
        Some(Json::Object(mut content)) => {
            content.insert("role", role);
            Some(Json::Object(content))
        }
        _ => None,
    };
    elements.extend(said(take(&mut invocation, &["user_content", "userContent"]), "user"));
    let data = take(&mut invocation, &["intermediate_data", "intermediateData"]);
    if let Some(Json::Object(mut data)) = data {
        let events = objects(take(&mut data, &["invocation_events", "invocationEvents"]));
        elements.extend(events.into_iter().filter_map(message));
        let mut responses = objects(take(&mut data, &["tool_responses", "toolResponses"]));
        let uses = objects(take(&mut data, &["tool_uses", "toolUses"]));
        for call in uses {
            let answers = |response: &Object| {
                let same = |key: &str| response.get(key) == call.get(key);
                if call.contains_key("id") && response.contains_key("id") { same("id") } else { same("name") }
            };
            let response = responses.iter().position(answers).map(|at| responses.remove(at));
            elements.push(content("model", "functionCall", call));
            elements.extend(response.map(|response| content("user", "functionResponse", response)));
        }
        elements.extend(responses.into_iter().map(|response| content("user", "functionResponse", response)));
    }
    elements.extend(said(take(&mut invocation, &["final_response", "finalResponse"]), "model"));
    elements
}

fn content(role: &str, key: &str, value: Object) -> Json {
    let part = Object::from_iter([(key.to_owned(), Json::Object(value))]);
    let mut message = Object::new();
    message.insert("role", role);
    message.insert("parts", Json::Array(vec![Json::Object(part)]));
    Json::Object(message)
}

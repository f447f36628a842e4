//! DeepEval's test cases, one per record or all of a test run in one. The expected calls, `expected_tools`, are gold for the
//! whole case and never judged.
//!
//! ```json
//! {"input": "Oslo?", "actual_output": "Sunny.", "tools_called": [{"name": "f", "input_parameters": {}, "output": "Sunny."}]}
//! {"turns": [{"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": "Sunny.", "tools_called": []}]}
//! {"testCases": [{"name": "test_case_0", "input": "Oslo?", "actualOutput": "Sunny.", "toolsCalled": []}]}
//! ```

use super::context::Context;
use super::entry::{Entries, Skip, chained, skipped};
use super::format::LogFormat;
use super::transcript::{Episode, Transcript};
use super::value;
use crate::domain::{Json, Object};

pub(super) const DEEPEVAL: LogFormat = LogFormat {
    name: "deepeval_test_case",
    sign: "`tools_called` beside `input` or in `turns`, or a list `testCases` of such",
    matches,
    read,
    unmatched: None,
};

const CALLED: &[&str] = &["tools_called", "toolsCalled"];
const EXPECTED: &[&str] = &["expected_tools", "expectedTools"];
const ANSWER: &[&str] = &["actual_output", "actualOutput"];
const LISTS: &[&str] = &["testCases", "conversationalTestCases"];

fn matches(record: &Object) -> bool {
    is_case(record)
        || run(record).is_some_and(|run| LISTS.iter().any(|list| first(run, list).is_some_and(belongs)))
}

/// A test run, which the last run's file has in an object of its own.
fn run(record: &Object) -> Option<&Object> {
    match record.get("testRunData") {
        Some(inner) => inner.as_object(),
        None => Some(record),
    }
}

fn first<'a>(run: &'a Object, list: &str) -> Option<&'a Object> {
    run.get(list)?.as_array()?.first()?.as_object()
}

fn has(record: &Object, keys: &[&str]) -> bool {
    keys.iter().any(|key| record.contains_key(key))
}

fn is_case(record: &Object) -> bool {
    let turns = record.get("turns").and_then(Json::as_array).unwrap_or_default();
    record.contains_key("input") && has(record, CALLED)
        || turns.iter().filter_map(Json::as_object).any(|turn| turn.contains_key("role") && has(turn, CALLED))
}

/// Whether a case of a test run is one; cases without tools leave out what they do not have.
fn belongs(case: &Object) -> bool {
    is_case(case) || case.contains_key("input") && has(case, ANSWER) || case.contains_key("turns")
}

fn read(mut record: Object, context: &Context) -> Entries {
    if is_case(&record) {
        return case(record, context);
    }
    let mut run = value::take_object(&mut record, "testRunData").unwrap_or(record);
    let lists = LISTS.iter().filter_map(|list| match run.remove(list) {
        Some(Json::Array(cases)) => Some(cases),
        _ => None,
    });
    let cases: Vec<Json> = lists.flatten().collect();
    chained(cases.into_iter().map(|item| match item {
        Json::Object(object) => case(object, context),
        _ => skipped(Skip::Empty),
    }))
}

fn case(mut case: Object, context: &Context) -> Entries {
    let expected = value::take_first(&mut case, EXPECTED);
    let elements = match case.remove("turns") {
        Some(Json::Array(turns)) => turns.into_iter().flat_map(turn).collect(),
        _ => {
            let asked = value::message("user", case.remove("input").unwrap_or(Json::Null));
            let called = value::take_first(&mut case, CALLED);
            let answer = value::take_first(&mut case, ANSWER).unwrap_or(Json::Null);
            let answer = [value::message("assistant", answer)];
            let said = |message: &Json| !message.get("content").is_some_and(Json::is_null);
            let calls = calling(called);
            let silent = calls.is_empty();
            std::iter::once(asked)
                .chain(calls)
                .chain(answer.into_iter().filter(|answer| silent || said(answer)))
                .collect()
        }
    };
    let transcript = Transcript {
        id: value::text(&case, &["name"]).or_else(|| value::text(&case, &["id"])),
        elements,
        episode: Episode { reward: None, reference_calls: expected.map(reference_calls) },
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// A turn of a conversation: what was called, what came back, and what was said of it.
fn turn(turn: Json) -> Vec<Json> {
    let Json::Object(mut turn) = turn else { return vec![turn] };
    let called = CALLED.iter().find_map(|key| turn.remove(key)).map(value::unfolded);
    let mut elements = calling(called);
    elements.push(Json::Object(turn));
    elements
}

/// The assistant's message that calls tools, and what these returned.
fn calling(called: Option<Json>) -> Vec<Json> {
    let Some(Json::Array(called)) = called else { return Vec::new() };
    if called.is_empty() {
        return Vec::new();
    }
    let mut results = Vec::new();
    let calls = called.into_iter().map(|call| {
        let Json::Object(mut call) = call else { return call };
        if let Some(returned) = call.remove("output").filter(|returned| !returned.is_null()) {
            results.push(value::message("tool", returned));
        }
        plain(call)
    });
    let message = Json::Object(value::calling("assistant", Json::Null, calls.collect()));
    std::iter::once(message).chain(results).collect()
}

/// A call by the usual keys.
fn plain(mut call: Object) -> Json {
    let arguments = value::take_first(&mut call, &["input_parameters", "inputParameters"]);
    let mut plain = Object::new();
    plain.insert("name", call.remove("name").unwrap_or(Json::Null));
    plain.insert("arguments", arguments.unwrap_or_else(|| Json::Object(Object::new())));
    Json::Object(plain)
}

/// The calls that were expected.
fn reference_calls(expected: Json) -> Json {
    match expected {
        Json::Array(calls) => Json::Array(
            calls
                .into_iter()
                .map(|call| match call {
                    Json::Object(call) => plain(call),
                    other => other,
                })
                .collect(),
        ),
        other => other,
    }
}

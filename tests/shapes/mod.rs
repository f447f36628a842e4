//! Whatever is written in any shape that is understood is read back as it was.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

mod calls;
mod definitions;
pub mod exchanges;
mod odd_calls;
mod questions;
pub mod records;
mod schemas;
mod spans;
mod values;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tooljudge::domain::{
    Arguments, Calls, Cell, Definitions, Flag, Json, Object, RawRow, Role, Sample, ToolCall, ToolDefinition,
};
use tooljudge::normalize::{Normalizer, Options};
use tooljudge_core::normalize::logs::{Entry, FORMATS, Turns};

use odd_calls::{FREE_TEXT, MALFORMED};
use values::quoted;

/// What may stand around a text of calls without changing what it says.
const WRAPPERS: &[fn(&str) -> String] = &[
    |text| text.to_owned(),
    |text| format!("```json\n{text}\n```"),
    |text| format!("```\n{text}\n```<|eot_id|>"),
    |text| format!(" {text} </s>\n"),
    |text| quoted(text),
    |text| quoted(&quoted(&quoted(&quoted(text)))),
];

/// Checks cases at random, each in `ways` of writing it: one for every `share` of the usual number of cases, which
/// PROPTEST_CASES says.
pub fn check<S: Strategy>(
    what: &str,
    ways: usize,
    share: u32,
    cases: S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let config = ProptestConfig { cases: usual.cases.div_ceil(share), ..usual };
    println!("{what}: {ways} ways x {} cases", config.cases);
    TestRunner::new(config).run(&cases, law).unwrap_or_else(|error| panic!("{what}: {error}"));
}

fn normalizer(tools: Option<String>) -> Normalizer {
    Normalizer::new(Options { tools, ..Options::default() }).unwrap()
}

fn row() -> RawRow {
    RawRow {
        question: Cell::Text("q".to_owned()),
        tool_call: Cell::Null,
        tool_definitions: Cell::Null,
        ..RawRow::default()
    }
}

fn read(normalizer: &Normalizer, row: RawRow) -> Result<Sample, TestCaseError> {
    let shown = format!("{row:?}");
    normalizer.sample(row).map_err(|error| TestCaseError::fail(format!("{error}: {shown}")))
}

fn calls_in(normalizer: &Normalizer, tool_call: Cell) -> Result<(Vec<ToolCall>, Vec<Flag>), TestCaseError> {
    let sample = read(normalizer, RawRow { tool_call, ..row() })?;
    match sample.calls {
        Calls::Parsed(calls) => Ok((calls, sample.flags)),
        Calls::Unparsed => Err(TestCaseError::fail(format!("not read: {:?}", sample.raw.tool_call))),
    }
}

/// The same, or what differs in words that can be read.
fn same(what: &str, text: &str, found: Json, expected: Json) -> Result<(), TestCaseError> {
    let why = || format!("{what}: found {found}, expected {expected}, in {text}");
    if found == expected { Ok(()) } else { Err(TestCaseError::fail(why())) }
}

fn shown(calls: &[ToolCall]) -> Json {
    Json::Array(calls.iter().map(ToolCall::to_json).collect())
}

#[test]
fn every_way_of_writing_calls_gives_the_same_calls() {
    let normalizer = normalizer(None);
    check("calls", calls::SHAPES.len() * WRAPPERS.len(), 4, values::calls(), |calls| {
        for shape in calls::SHAPES {
            let text = (shape.write)(&calls);
            let expected = shown(&shape.expected(&calls));
            let flags = [shape.flags(&calls), vec![Flag::NoDefinitions]].concat();
            let check = |cell: Cell| {
                let (found, flagged) = calls_in(&normalizer, cell)?;
                prop_assert_eq!(&flagged, &flags, "{}: {}", shape.name, &text);
                let found = if shape.python { calls::in_doubles(&found) } else { found };
                same(shape.name, &text, shown(&found), expected.clone())
            };
            for wrap in WRAPPERS {
                check(Cell::Text(wrap(&text)))?;
            }
            if let Ok(json) = Json::parse(&text) {
                check(Cell::from(json))?;
            }
            if shape.tagged {
                for words in [format!("So:\n{text}\nDone."), text.clone()] {
                    let words = quoted(&words);
                    check(Cell::Text(format!(r#"{{"role":"assistant","content":{words}}}"#)))?;
                    let part = format!(r#"{{"type":"text","text":{words}}}"#);
                    check(Cell::Text(format!(r#"{{"role":"assistant","content":[{part}]}}"#)))?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn arguments_that_are_no_object_keep_their_text() {
    let normalizer = normalizer(None);
    let cases = (values::calls(), values::hostile_text());
    check("malformed arguments", MALFORMED.len(), 4, cases, |(calls, text)| {
        // Nothing that ends in a word is an object.
        let text = format!("{{\"a\": {text} and");
        let call = ToolCall { arguments: Arguments::Malformed(text.clone()), ..calls[0].clone() };
        for (shape, write) in MALFORMED {
            let written = write(&call, &text);
            let (found, flags) = calls_in(&normalizer, Cell::Text(written.clone()))?;
            prop_assert!(flags.contains(&Flag::MalformedArguments));
            same(shape, &written, shown(&found), shown(std::slice::from_ref(&call)))?;
        }
        Ok(())
    });
}

#[test]
fn free_text_is_an_argument() {
    let without = normalizer(None);
    let cases = (values::calls(), values::hostile_text(), values::name());
    check("free text", FREE_TEXT.len() * 2, 4, cases, |(calls, text, parameter)| {
        let text = format!("go {text}");
        let properties = format!(r#"{{"type":"object","properties":{{"{parameter}":{{}}}}}}"#);
        let tool = format!(r#"{{"name":{},"parameters":{properties}}}"#, quoted(&calls[0].name));
        let with = normalizer(Some(tool));
        for (shape, flag, write) in FREE_TEXT {
            let written = write(&calls[0], &text);
            for (normalizer, key) in [(&without, "input"), (&with, parameter.as_str())] {
                // A custom tool has no parameters, so its input is called just that.
                let key = if *flag == Flag::CustomToolInput { "input" } else { key };
                let arguments = Object::from_iter([(key.to_owned(), Json::from(text.as_str()))]);
                let call = ToolCall { arguments: Arguments::Parsed(arguments), ..calls[0].clone() };
                let (found, flags) = calls_in(normalizer, Cell::Text(written.clone()))?;
                prop_assert!(flags.contains(flag), "{}", shape);
                same(shape, &written, shown(&found), shown(&[call]))?;
            }
        }
        Ok(())
    });
}

#[test]
fn arguments_without_names_get_those_of_their_places() {
    let without = normalizer(None);
    check("arguments by place", 2, 4, values::calls(), |calls| {
        let names = calls[0].parsed().unwrap().keys();
        let properties = values::object(names.map(|name| (name.to_owned(), values::object([]))));
        let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
        let with =
            normalizer(Some(format!(r#"{{"name":{},"parameters":{schema}}}"#, quoted(&calls[0].name))));
        let named = ToolCall { id: None, ..calls::in_doubles(&calls)[0].clone() };
        let values = named.parsed().unwrap().values().enumerate();
        let numbered = values.map(|(place, value)| (format!("${place}"), value.clone())).collect();
        let numbered = ToolCall { arguments: Arguments::Parsed(numbered), ..named.clone() };
        let text = odd_calls::by_place(&calls[0]);
        for (normalizer, expected) in [(&with, named), (&without, numbered)] {
            let (found, _) = calls_in(normalizer, Cell::Text(text.clone()))?;
            same("T20 by place", &text, shown(&calls::in_doubles(&found)), shown(&[expected]))?;
        }
        Ok(())
    });
}

#[test]
fn every_way_of_writing_definitions_gives_the_same_definitions() {
    let normalizer = normalizer(None);
    let shown = |tools: &[ToolDefinition]| Json::Array(tools.iter().map(ToolDefinition::to_json).collect());
    check("definitions", definitions::SHAPES.len(), 4, schemas::definitions(), |tools| {
        for shape in definitions::SHAPES {
            let text = (shape.write)(&tools);
            let check = |tool_definitions: Cell| {
                let sample = read(&normalizer, RawRow { tool_definitions, ..row() })?;
                prop_assert_eq!(sample.flags, vec![], "{}: {}", shape.name, text);
                let Definitions::Known(found) = sample.definitions else {
                    return Err(TestCaseError::fail(format!("{}: not read: {text}", shape.name)));
                };
                same(shape.name, &text, shown(&shape.comparable(&found)), shown(&shape.expected(&tools)))
            };
            check(Cell::Text(text.clone()))?;
            check(Cell::Text(format!(" {text}\n")))?;
            if let Ok(json) = Json::parse(&text) {
                check(Cell::from(json))?;
            }
        }
        Ok(())
    });
}

/// Lists may hold tools of several vendors, and tools that a provider runs itself.
#[test]
fn definitions_of_several_shapes_may_stand_in_one_list() {
    let normalizer = normalizer(None);
    let shapes = definitions::SHAPES;
    let cases = (schemas::definitions(), prop::collection::vec(0..shapes.len(), 4));
    check("definitions of several shapes", shapes.len().pow(2), 4, cases, |(tools, places)| {
        let mut written = vec![r#"{"googleSearch":{}}"#.to_owned()];
        let mut expected = Vec::new();
        for (tool, place) in tools.iter().zip(places) {
            let text = (shapes[place].write)(std::slice::from_ref(tool));
            // Lines and Python are no JSON, but may stand in a list as texts.
            written.push(if Json::parse(&text).is_ok() { text } else { quoted(&text) });
            expected.extend(shapes[place].expected(std::slice::from_ref(tool)));
        }
        let text = format!("[{}]", written.join(","));
        let sample = read(&normalizer, RawRow { tool_definitions: Cell::Text(text.clone()), ..row() })?;
        prop_assert_eq!(&sample.flags, &vec![Flag::ServerTool], "{}", text);
        let Definitions::Known(found) = sample.definitions else { panic!("not read: {text}") };
        let shown = |tools: &[ToolDefinition]| {
            Json::Array(tools.iter().map(|tool| values::in_doubles(&tool.to_json())).collect())
        };
        same("mixed", &text, shown(&found[1..]), shown(&expected))
    });
}

#[test]
fn prose_is_not_taken_for_definitions() {
    let normalizer = normalizer(None);
    check("D16 prose", 1, 4, values::hostile_text(), |text| {
        let text = format!("You can use this: {text}");
        let sample = read(&normalizer, RawRow { tool_definitions: Cell::Text(text.clone()), ..row() })?;
        prop_assert_eq!(sample.definitions, Definitions::FreeText);
        prop_assert_eq!(sample.flags, vec![Flag::DefinitionsFreeText]);
        prop_assert_eq!(sample.raw.tool_definitions.as_deref(), Some(text.as_str()));
        Ok(())
    });
}

#[test]
fn every_way_of_writing_a_conversation_gives_the_same_messages() {
    let normalizer = normalizer(None);
    check("conversations", questions::FORMS.len() * 3, 4, questions::conversation(), |messages| {
        let asked = messages.iter().rev().find(|message| message.role == Role::User).unwrap();
        for form in questions::FORMS {
            let text = format!("[{}]", (form.write)(&messages).join(", "));
            let json = Json::parse(&text).unwrap();
            let expected = questions::shown(&form.expected(&messages));
            let in_python = Cell::Text(values::python(&json));
            for question in [Cell::Text(text.clone()), in_python.clone(), Cell::Json(json)] {
                // Python respells floats.
                let comparable =
                    |json: Json| if question == in_python { values::in_doubles(&json) } else { json };
                let sample = read(&normalizer, RawRow { question: question.clone(), ..row() })?;
                let found = questions::shown(&sample.messages);
                same(form.name, &text, comparable(found), comparable(expected.clone()))?;
                prop_assert_eq!(&sample.question, &asked.content);
                prop_assert_eq!(sample.flags, vec![Flag::NoDefinitions], "{}: {}", form.name, &text);
            }
        }
        Ok(())
    });
}

/// Every log of an exchange is told by its keys, and says of it what it has a place for.
#[test]
fn every_log_of_an_exchange_says_the_same() {
    let normalizer = normalizer(None);
    let logs = || records::LOGS.iter().chain(spans::LOGS);
    check("logs", logs().count(), 4, exchanges::exchange(), |exchange| {
        for log in logs().filter(|log| (log.holds)(&exchange)) {
            let text = (log.write)(&exchange);
            let mut found = Vec::new();
            tooljudge_laws::read_log(&text, None, false, Turns::Last, |format, entry| match entry {
                Entry::Turn(turn) => found.push(normalizer.turn(*turn).map(|sample| (format.name, sample))),
                Entry::Fragment(_) | Entry::Transcript(_) | Entry::NotTaken(..) => {}
                Entry::Skipped(why) => panic!("{}: skipped, {}: {text}", log.name, why.as_str()),
                Entry::Unreadable(error) => found.push(Err(error)),
            });
            prop_assert_eq!(found.len(), 1, "{}: {:?}: {}", log.name, &found, &text);
            let found = found
                .remove(0)
                .map_err(|error| TestCaseError::fail(format!("{}: {error}: {text}", log.name)));
            let (format, sample) = found?;
            prop_assert_eq!(format, log.format, "{}: {}", log.name, &text);
            let expected = log.keeps.expected(&exchange, &(log.id)(&exchange));
            same(log.name, &text, exchanges::comparable(&sample), expected)?;
        }
        Ok(())
    });
}

#[test]
fn every_format_is_written_by_some_log() {
    let written: Vec<&str> = records::LOGS.iter().chain(spans::LOGS).map(|log| log.format).collect();
    // Questions are pieces of results, and accepted answers are read only if they are asked for.
    // Those that hold more than an exchange have fixtures of their own.
    let others = [
        "bfcl_question",
        "bfcl_possible_answer",
        "tau2_bench",
        "sharegpt",
        "azure_evaluation",
        "deepeval_test_case",
        "promptfoo_result",
        "ragas_sample",
        "acebench_result",
        "acebench_question",
        "acebench_possible_answer",
        "when2call",
    ];
    // Sessions and trajectories are whole transcripts; their calls are counted in the tests of the core.
    let transcripts = [
        "claude_code",
        "codex_rollout",
        "mcp_jsonrpc",
        "codex_exec",
        "openai_agents_trace",
        "openai_agents_run_state",
        "atif",
        "adk_session",
        "adk_eval",
        "autogen",
        "smolagents",
        "swe_agent",
        "openhands",
        "strands_session",
        "message_items",
        "message_rows",
    ];
    let missing: Vec<&str> = FORMATS
        .iter()
        .map(|format| format.name)
        .filter(|name| !written.contains(name) && !others.contains(name) && !transcripts.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

//! Every way in which models mark calls is read in messages and in cells, and prose that merely speaks of them is not.

use tooljudge_core::domain::{Calls, Cell, Json, Origin, RawRow, RowError, Sample, ToolCall};
use tooljudge_core::normalize::logs::{Before, Output, Turn};
use tooljudge_core::normalize::{Normalizer, Options};

/// Texts of assistants, each with its form and what is read there: calls, `raw` where the marks of a call cannot be read,
/// or `prose`.
const CASES: &str = include_str!("../../tests/cases/call_markup.jsonl");

const TOOLS: &str = r#"[
    {"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}},
    {"name":"get_time","parameters":{"type":"object","properties":{"zone":{"type":"string"},"strict":{"type":"boolean"}}}},
    {"name":"Get News","parameters":{"type":"object","properties":{"topic":{"type":"string"}}}}]"#;

struct Case {
    form: String,
    text: String,
    read: String,
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let case = Json::parse(line).unwrap();
        let part = |key: &str| case.get(key).unwrap().as_str().unwrap().to_owned();
        Case { form: part("form"), text: part("text"), read: part("read") }
    };
    CASES.lines().map(case).collect()
}

fn normalizer(tools: Option<&str>) -> Normalizer {
    Normalizer::new(Options { tools: tools.map(str::to_owned), ..Options::default() }).unwrap()
}

fn in_message(normalizer: &Normalizer, output: Json) -> Result<Sample, RowError> {
    normalizer.turn(Turn {
        before: Before::Messages(vec![Json::parse(r#"{"role":"user","content":"Oslo?"}"#).unwrap()]),
        output: Output::Message(output),
        ending: None,
        tools: Cell::Missing,
        origin: Origin::default(),
        flags: Vec::new(),
        dialect: None,
    })
}

fn in_cell(normalizer: &Normalizer, text: &str) -> Result<Sample, RowError> {
    normalizer.sample(RawRow {
        question: Cell::Text("Oslo?".to_owned()),
        tool_call: Cell::Text(text.to_owned()),
        tool_definitions: Cell::Missing,
        ..RawRow::default()
    })
}

/// `name{arguments}#id` for each call, `raw`, `prose`, or the error's code; behind ` !` the flags.
fn shown(read: Result<Sample, RowError>) -> String {
    let sample = match read {
        Ok(sample) => sample,
        Err(error) => return error.code.as_str().to_owned(),
    };
    let call = |call: &ToolCall| {
        let arguments = call.to_json().get("arguments").map(Json::to_string).unwrap_or_default();
        let id = call.id.as_ref().map(|id| format!("#{id}")).unwrap_or_default();
        format!("{}{arguments}{id}", call.name)
    };
    let calls = match &sample.calls {
        Calls::Parsed(calls) if calls.is_empty() => "prose".to_owned(),
        Calls::Parsed(calls) => calls.iter().map(call).collect::<Vec<_>>().join(" "),
        Calls::Unparsed => "raw".to_owned(),
    };
    let flags = sample.flags.iter().map(|flag| flag.as_str());
    let told = flags.filter(|flag| !matches!(*flag, "raw_tool_call" | "no_definitions"));
    [calls].into_iter().chain(told.map(|flag| format!("!{flag}"))).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn none_wrong(wrong: &[String], seen: usize) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "only {seen} cases");
}

#[test]
fn calls_are_read_in_messages_and_in_cells() {
    let normalizer = normalizer(Some(TOOLS));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for Case { form, text, read } in cases() {
        if matches!(read.as_str(), "raw" | "prose") {
            continue;
        }
        seen += 1;
        let message = Json::parse(&format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":{}}}]}}"#,
            Json::from(text.as_str())
        ));
        for (place, found) in [
            ("an answer", in_message(&normalizer, Json::from(text.as_str()))),
            ("a part of a message", in_message(&normalizer, message.unwrap())),
            ("a cell", in_cell(&normalizer, &text)),
        ] {
            let found = shown(found);
            if found != read {
                wrong.push(format!("{form}, in {place}: {found}, not {read}"));
            }
        }
    }
    none_wrong(&wrong, seen);
}

/// Nor is it an answer that calls nothing.
#[test]
fn markup_that_cannot_be_read_is_shown_as_it_is() {
    let normalizer = normalizer(Some(TOOLS));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for Case { text, .. } in cases().into_iter().filter(|case| case.read == "raw") {
        seen += 1;
        let quoted = Json::from(text.as_str());
        let message = Json::parse(&format!(r#"{{"role":"assistant","content":{quoted}}}"#)).unwrap();
        let parts = format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"So:"}},{{"type":"text","text":{quoted}}}]}}"#
        );
        for (place, found, raw) in [
            ("an answer", in_message(&normalizer, quoted.clone()), text.clone()),
            ("a message", in_message(&normalizer, message.clone()), text.clone()),
            ("parts", in_message(&normalizer, Json::parse(&parts).unwrap()), format!("So:\n{text}")),
            ("a message in a cell", in_cell(&normalizer, &message.to_string()), message.to_string()),
        ] {
            let as_it_is = found.as_ref().is_ok_and(|sample| sample.raw.tool_call.as_ref() == Some(&raw));
            let found = shown(found);
            if found != "raw" || !as_it_is {
                wrong.push(format!("in {place}: {found}: {text}"));
            }
        }
        let found = shown(in_cell(&normalizer, &text));
        if !matches!(found.as_str(), "raw" | "unrecognised_tool_call") {
            wrong.push(format!("in a cell: {found}: {text}"));
        }
    }
    none_wrong(&wrong, seen);
}

#[test]
fn prose_calls_nothing() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for tools in [Some(TOOLS), None] {
        let normalizer = normalizer(tools);
        for Case { text, .. } in cases().into_iter().filter(|case| case.read == "prose") {
            seen += 1;
            let found = shown(in_message(&normalizer, Json::from(text.as_str())));
            if found != "prose" {
                wrong.push(format!("with tools {}: {found}: {text}", tools.is_some()));
            }
        }
    }
    none_wrong(&wrong, seen);
}

/// What users, and tools, say is no call, whatever it looks like.
#[test]
fn only_the_assistant_calls() {
    let normalizer = normalizer(Some(TOOLS));
    for Case { form, text, .. } in cases().into_iter().filter(|case| !case.text.trim().is_empty()) {
        for role in ["user", "tool", "system"] {
            let said = format!(r#"{{"role":"{role}","content":{}}}"#, Json::from(text.as_str()));
            let mut messages = vec![Json::parse(r#"{"role":"user","content":"Oslo?"}"#).unwrap()];
            messages.push(Json::parse(&said).unwrap());
            let turn = Turn {
                before: Before::Messages(messages),
                output: Output::Message(Json::from("It rains.")),
                ending: None,
                tools: Cell::Missing,
                origin: Origin::default(),
                flags: Vec::new(),
                dialect: None,
            };
            let sample = normalizer.turn(turn).unwrap();
            assert_eq!(sample.calls, Calls::Parsed(Vec::new()), "{form} by {role}: {text}");
            assert!(
                sample.messages.iter().all(|message| message.tool_calls.is_empty()),
                "{form} by {role}: {text}"
            );
        }
    }
}

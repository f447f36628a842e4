//! Calls that not every shape can hold: of arguments that are no object, of texts, of arguments without names.

use tooljudge::domain::{Flag, ToolCall};

use super::calls::{id, keyword, otel};
use super::values::{python, python_text, quoted};

/// Writes a call with a text for its arguments.
type Write = fn(&ToolCall, &str) -> String;

/// Ways of writing a call whose arguments are a text that is no JSON object.
pub const MALFORMED: &[(&str, Write)] = &[
    ("normal form", |call, text| {
        let name = quoted(&call.name);
        let id = id("id", call);
        format!(r#"{{{id}"name":{name},"arguments":null,"arguments_raw":{}}}"#, quoted(text))
    }),
    ("T1 OpenAI chat", |call, text| {
        let function = format!(r#"{{"name":{},"arguments":{}}}"#, quoted(&call.name), quoted(text));
        format!(r#"[{{{}"type":"function","function":{function}}}]"#, id("id", call))
    }),
    ("T4 Responses", |call, text| {
        let (id, name) = (id("call_id", call), quoted(&call.name));
        format!(r#"[{{"type":"function_call",{id}"name":{name},"arguments":{}}}]"#, quoted(text))
    }),
    ("T12 LangChain's invalid calls", |call, text| {
        let invalid = format!(
            r#"{{{}"name":{},"args":{},"error":"e"}}"#,
            id("id", call),
            quoted(&call.name),
            quoted(text)
        );
        format!(r#"{{"content":"","type":"ai","tool_calls":[],"invalid_tool_calls":[{invalid}]}}"#)
    }),
    ("T14 Inspect", |call, text| {
        let (id, name) = (id("id", call), quoted(&call.name));
        format!(r#"[{{{id}"function":{name},"arguments":{},"parse_error":"e"}}]"#, quoted(text))
    }),
    ("T17 OpenTelemetry", |call, text| otel(&quoted(text), call)),
    ("T21 Python's dicts", |call, text| {
        let (id, name) = (keyword("id", call).replacen("id=", "'id': ", 1), python_text(&call.name));
        format!("[{{{id}'name': {name}, 'arguments': {}}}]", python_text(text))
    }),
];

/// Ways of writing a call that takes a text, and the flag that says so.
pub const FREE_TEXT: &[(&str, Flag, Write)] = &[
    ("T2 OpenAI's custom tools", Flag::CustomToolInput, |call, text| {
        let custom = format!(r#"{{"name":{},"input":{}}}"#, quoted(&call.name), quoted(text));
        format!(r#"[{{{}"type":"custom","custom":{custom}}}]"#, id("id", call))
    }),
    ("T2 in Responses", Flag::CustomToolInput, |call, text| {
        let (id, name) = (id("call_id", call), quoted(&call.name));
        format!(r#"[{{"type":"custom_tool_call","id":"ctc",{id}"name":{name},"input":{}}}]"#, quoted(text))
    }),
    ("T13 with a plain text", Flag::StringToolInput, |call, text| {
        let (id, name) = (id("tool_call_id", call), quoted(&call.name));
        format!(r#"[[{{"tool":{name},"tool_input":{},{id}"log":""}},"seen"]]"#, quoted(text))
    }),
];

/// T20 with arguments told by their places.
pub fn by_place(call: &ToolCall) -> String {
    let arguments: Vec<String> = call.parsed().unwrap().values().map(python).collect();
    format!("{}({})", call.name, arguments.join(", "))
}

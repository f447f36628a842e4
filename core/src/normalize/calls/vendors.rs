//! One call as a vendor's API writes it: `{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}`.

use super::bare::{id_in, name_in};
use super::{Absent, Reader, Reading, arguments, error, unrecognised};
use crate::domain::{Arguments, Flag, Json, Object, RowErrorCode, ToolCall};

/// Types of items that the provider runs itself, so that the application never sees a call.
const SERVER_TYPES: &[&str] = &[
    "server_tool_use",
    "mcp_tool_use",
    "mcp_call",
    "server_tool_call",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    TOOL_SEARCH,
    "mcp_approval_request",
];
const TOOL_SEARCH: &str = "tool_search_call";

/// Types of items that the application runs, in environments of its own, each with the key of what is to be done.
const CLIENT_TYPES: &[(&str, &str)] = &[
    ("computer_call", "action"),
    ("local_shell_call", "action"),
    ("shell_call", "action"),
    ("apply_patch_call", "operation"),
];

/// Types of calls, each with the key of its id.
const CALL_TYPES: &[(&str, &str)] = &[
    ("function_call", "call_id"),
    ("custom_tool_call", "call_id"),
    ("tool_use", "id"),
    ("tool_call", "id"),
    ("tool-call", "toolCallId"),
    ("dynamic-tool", "toolCallId"),
    ("toolCall", "id"),
    ("toolcall", "id"),
    ("toolUse", "id"),
    ("functionCall", "id"),
];

/// Goose's type of a call.
const TOOL_REQUEST: &str = "toolRequest";

/// Types that begin like a call's, `tool-NAME`, and are what came back.
const RESULT_TYPES: &[&str] = &["tool-result", "tool-error"];

/// Whether an item of this type is a call that the application was asked to make.
pub(super) fn is_call_type(kind: &str) -> bool {
    matches!(kind, "function" | "custom" | TOOL_REQUEST)
        || CALL_TYPES.iter().any(|(call_type, _)| *call_type == kind)
        || ui_tool(kind).is_some()
}

/// The tool's name in a user-interface part's type: `tool-f`.
fn ui_tool(kind: &str) -> Option<&str> {
    let known = RESULT_TYPES.contains(&kind) || CALL_TYPES.iter().any(|(call_type, _)| *call_type == kind);
    if known { None } else { kind.strip_prefix("tool-").filter(|name| !name.trim().is_empty()) }
}

fn kind(object: &Object) -> Option<&str> {
    object.get("type")?.as_str()
}

/// OpenAI's first form, and Gemini's part: `{"function_call":{"name":"f","arguments":"{}"}}`,
/// `{"functionCall":{"name":"f","args":{}}}`. Some logs have a list of calls there.
pub(super) fn function_call(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let value = object.get("function_call").or_else(|| object.get("functionCall"))?;
    match value {
        Json::Null => Some(Ok(Vec::new())),
        Json::Object(call) => one_function_call(reader, call),
        Json::Array(calls) => Some(
            calls
                .iter()
                .map(|item| {
                    let call = item.as_object().and_then(|call| one_function_call(reader, call));
                    call.unwrap_or_else(|| Err(unrecognised(item)))
                })
                .collect::<Result<Vec<_>, _>>()
                .map(|calls| calls.concat()),
        ),
        Json::String(text) if text.trim().is_empty() => Some(Ok(Vec::new())),
        Json::String(text) => match Json::parse(text) {
            Ok(Json::Object(call)) => one_function_call(reader, &call),
            _ => None,
        },
        _ => None,
    }
}

fn one_function_call(reader: &mut Reader, call: &Object) -> Option<Reading> {
    // Some compatible servers send a blank call with every message.
    let blank = |value: Option<&Json>| match value {
        None | Some(Json::Null) => true,
        Some(Json::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    };
    if blank(call.get("name")) && blank(arguments::of(call)) {
        return Some(Ok(Vec::new()));
    }
    // Google leaves out what is empty.
    Some(reader.where_absent_is(Absent::Empty, |reader| reader.call(call, "name", &["id"])))
}

/// `{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}`; a system tool's says that the provider runs it.
pub(super) fn bedrock(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let call = object.get("toolUse").or_else(|| object.get("serverToolUse"))?.as_object()?;
    let is_servers =
        object.contains_key("serverToolUse") || kind(call).is_some_and(|kind| SERVER_TYPES.contains(&kind));
    if is_servers && !reader.server_tools {
        return Some(reader.skip_server_tool());
    }
    Some(reader.call(call, "name", &["toolUseId"]))
}

/// Parts of Gemini's that say what Google ran: `{"executableCode":{"language":"PYTHON","code":"1+1"}}`,
/// `{"toolCall":{"toolType":"GOOGLE_SEARCH_WEB","args":{},"id":"t1"}}`.
pub(super) fn gemini_server(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let under = |keys: &[&str]| keys.iter().find_map(|key| object.get(key)?.as_object());
    let code = under(&["executableCode", "executable_code"]);
    let call = under(&["toolCall", "tool_call"])
        .filter(|call| call.contains_key("toolType") || call.contains_key("tool_type"));
    if code.or(call).is_some() && !reader.server_tools {
        return Some(reader.skip_server_tool());
    }
    if let Some(call) = call {
        let key = if call.contains_key("toolType") { "toolType" } else { "tool_type" };
        return Some(reader.where_absent_is(Absent::Empty, |reader| reader.call(call, key, &["id"])));
    }
    let arguments = Arguments::Parsed(code?.clone());
    Some(Ok(vec![ToolCall { name: "code_execution".to_owned(), arguments, id: id_in(object, &["id"]) }]))
}

/// What Gemini asks of an application while both are connected: `{"toolCall":{"functionCalls":[{"name":"f","args":{}}]}}`.
pub(super) fn gemini_live(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let call = ["toolCall", "tool_call"].iter().find_map(|key| object.get(key)?.as_object())?;
    let calls = call.get("functionCalls").or_else(|| call.get("function_calls"))?.as_array()?;
    let one = |call: &Json| {
        let object = call.as_object().ok_or_else(|| unrecognised(call))?;
        reader.where_absent_is(Absent::Empty, |reader| reader.call(object, "name", &["id"]))
    };
    let calls = calls.iter().map(one);
    Some(calls.collect::<Result<Vec<_>, _>>().map(|calls| calls.concat()))
}

/// Items of the Responses API that the application runs: `{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}`.
pub(super) fn client_tool(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let kind = kind(object)?;
    let (kind, key) = match CLIENT_TYPES.iter().find(|(own, _)| *own == kind) {
        Some(own) => *own,
        // The application may look for tools itself.
        None if kind == TOOL_SEARCH && object.get("execution").and_then(Json::as_str) == Some("client") => {
            (TOOL_SEARCH, "arguments")
        }
        None => return None,
    };
    // Newer computers are given several actions at once.
    let several = || {
        object
            .get("actions")
            .map(|actions| Json::Object(Object::from_iter([("actions".to_owned(), actions.clone())])))
    };
    let asked = object.get(key).cloned().or_else(several)?;
    let name = kind.strip_suffix("_call").unwrap_or(kind).to_owned();
    let arguments = reader.arguments(Some(&asked));
    Some(Ok(vec![ToolCall { name, arguments, id: id_in(object, &["call_id", "id"]) }]))
}

/// `{"id":"c1","type":"custom","custom":{"name":"f","input":"free text"}}`
pub(super) fn openai_custom(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let custom = object.get("custom")?.as_object().filter(|_| kind(object) == Some("custom"))?;
    Some(reader.free_text_call(custom, id_in(object, &["id"])))
}

/// MCP's request: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"f","arguments":{}}}`. Its id numbers
/// the message, not the call.
pub(super) fn json_rpc(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let method = object.get("method").and_then(Json::as_str);
    if !object.contains_key("jsonrpc") && method != Some("tools/call") {
        return None;
    }
    match (method, object.get("params")) {
        // MCP need not say that there are none.
        (Some("tools/call"), Some(Json::Object(call))) => {
            Some(reader.where_absent_is(Absent::Empty, |reader| reader.call(call, "name", &[])))
        }
        _ => Some(Err(unrecognised(object))),
    }
}

/// Chat completions and all who copy them: `{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`.
pub(super) fn openai(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let function = object.get("function")?.as_object()?;
    if function.contains_key("parameters") && !function.contains_key("arguments") {
        let why = "a definition, not a call";
        return Some(Err(error(RowErrorCode::DefinitionInToolCall, why, object)));
    }
    let calls = reader.call(function, "name", &[]);
    Some(calls.map(|mut calls| {
        calls.iter_mut().for_each(|call| call.id = id_in(object, &["id"]));
        calls
    }))
}

/// `{"id":"c1","function":"f","arguments":{},"parse_error":null}`
pub(super) fn inspect(reader: &mut Reader, object: &Object) -> Option<Reading> {
    object.get("function")?.as_str()?;
    let logged = arguments::of(object);
    if object.get("parse_error").is_none_or(Json::is_null) {
        return Some(reader.call(object, "function", &["id"]));
    }
    let text = match logged {
        Some(Json::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let arguments = reader.malformed(text);
    Some(
        name_in(object, "function")
            .map(|name| vec![ToolCall { name, arguments, id: id_in(object, &["id"]) }]),
    )
}

/// A call that the provider ran itself, `{"type":"server_tool_use","name":"web_search","input":{}}`: not for the
/// application, so not for the judge, unless it is wanted.
pub(super) fn server_tool(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let kind = kind(object)?;
    let own_type = SERVER_TYPES.contains(&kind);
    // Other types are a call's as well: Vercel marks them, Inspect says where they ran.
    let marked = object.get("providerExecuted") == Some(&Json::Bool(true))
        || kind == "tool_use" && object.contains_key("tool_type");
    match (own_type || marked, reader.server_tools) {
        (false, _) => None,
        (true, false) => Some(reader.skip_server_tool()),
        (true, true) if own_type => Some(reader.server_call(kind, object)),
        (true, true) => None,
    }
}

/// `{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{}}`
pub(super) fn vercel(reader: &mut Reader, object: &Object) -> Option<Reading> {
    if !object.contains_key("toolName") || kind(object).is_some_and(|kind| RESULT_TYPES.contains(&kind)) {
        return None;
    }
    Some(reader.call(object, "toolName", &["toolCallId"]))
}

/// Older parts for user interfaces: `{"type":"tool-invocation","toolInvocation":{"toolCallId":"c1","toolName":"f","args":{}}}`.
pub(super) fn vercel_invocation(reader: &mut Reader, object: &Object) -> Option<Reading> {
    vercel(reader, object.get("toolInvocation")?.as_object()?)
}

/// Goose's parts: `{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"f","arguments":{}}}}`.
pub(super) fn goose(reader: &mut Reader, object: &Object) -> Option<Reading> {
    kind(object).filter(|kind| *kind == TOOL_REQUEST)?;
    let logged = object.get("toolCall")?;
    let call = logged.get("value").unwrap_or(logged).as_object()?;
    let calls = reader.where_absent_is(Absent::Empty, |reader| reader.call(call, "name", &[]));
    Some(calls.map(|mut calls| {
        calls.iter_mut().for_each(|call| call.id = id_in(object, &["id"]));
        calls
    }))
}

/// Cohere's models in text: `{"tool_name":"f","parameters":{}}`.
pub(super) fn cohere_text(reader: &mut Reader, object: &Object) -> Option<Reading> {
    object.get("tool_name")?.as_str().filter(|_| arguments::may_have_any(object))?;
    Some(reader.call(object, "tool_name", &["tool_call_id"]))
}

/// LangChain's agents: `{"tool":"f","tool_input":{"a":1},"log":"…"}`; the input may be a plain string.
pub(super) fn langchain_action(reader: &mut Reader, object: &Object) -> Option<Reading> {
    if !is_action(object) {
        return None;
    }
    let id = &["tool_call_id"];
    let plain = match object.get("tool_input") {
        Some(Json::String(text)) if !text.trim().is_empty() => {
            Some(text).filter(|text| !matches!(Json::parse(text), Ok(Json::Object(_) | Json::Null)))
        }
        _ => None,
    };
    let Some(text) = plain else {
        return Some(reader.call(object, "tool", id));
    };
    Some(name_in(object, "tool").map(|name| {
        reader.flags.insert(Flag::StringToolInput);
        let mut arguments = Object::new();
        arguments.insert(reader.only_parameter(&name).unwrap_or("input"), text.as_str());
        vec![ToolCall { name, arguments: Arguments::Parsed(arguments), id: id_in(object, id) }]
    }))
}

/// LangChain's chat agents in text: `{"action":"f","action_input":{"a":1}}`. Their last action is the answer.
pub(super) fn chat_action(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let name = object.get("action")?.as_str()?;
    let input = object.get("action_input")?;
    if name.eq_ignore_ascii_case("final answer") {
        return Some(Ok(Vec::new()));
    }
    let plain = input.as_str().filter(|text| !matches!(Json::parse(text), Ok(Json::Object(_) | Json::Null)));
    let arguments = match plain.filter(|text| !text.trim().is_empty()) {
        Some(text) => reader.plain_input(name, text),
        None => reader.arguments(Some(input)),
    };
    Some(name_in(object, "action").map(|name| vec![ToolCall { name, arguments, id: None }]))
}

/// The action of a step, `[action, observation]`.
pub(super) fn action_of_step(items: &[Json]) -> Option<&Object> {
    let [Json::Object(action), observation] = items else { return None };
    // Serialized by LangChain itself, an action is wrapped in its constructor.
    let action = action
        .get("kwargs")
        .and_then(Json::as_object)
        .filter(|_| action.contains_key("lc"))
        .unwrap_or(action);
    (is_action(action) && !observation.as_object().is_some_and(is_action)).then_some(action)
}

fn is_action(object: &Object) -> bool {
    object.get("tool").is_some_and(|tool| tool.as_str().is_some()) && arguments::may_have_any(object)
}

/// Items that say they are calls: Anthropic's `tool_use`, the Responses API's `function_call`, OpenTelemetry's
/// `tool_call`, Vercel's parts.
pub(super) fn typed(reader: &mut Reader, object: &Object) -> Option<Reading> {
    let kind = kind(object)?;
    if let Some(name) = ui_tool(kind) {
        let arguments = reader.arguments_in(object, "type", name);
        return Some(arguments.map(|arguments| {
            vec![ToolCall { name: name.to_owned(), arguments, id: id_in(object, &["toolCallId"]) }]
        }));
    }
    let (_, id_key) = CALL_TYPES.iter().find(|(call_type, _)| *call_type == kind)?;
    if kind == "custom_tool_call" {
        return Some(reader.free_text_call(object, id_in(object, &[id_key])));
    }
    Some(reader.call(object, "name", &[id_key]))
}

impl Reader<'_> {
    fn skip_server_tool(&mut self) -> Reading {
        self.flags.insert(Flag::ServerToolSkipped);
        Ok(Vec::new())
    }

    /// A call of a tool that takes free text: `{"name":"f","input":"free text"}`.
    fn free_text_call(&mut self, call: &Object, id: Option<String>) -> Reading {
        self.flags.insert(Flag::CustomToolInput);
        let mut arguments = Object::new();
        arguments.insert("input", call.get("input").cloned().unwrap_or(Json::Null));
        Ok(vec![ToolCall { name: name_in(call, "name")?, arguments: Arguments::Parsed(arguments), id }])
    }

    /// A call that the provider ran. Items of the Responses API are named by their type and have what was asked for under
    /// keys of their own: `{"type":"web_search_call","id":"w1","action":{"query":"Oslo"}}`.
    fn server_call(&mut self, kind: &str, object: &Object) -> Reading {
        const OWN_ARGUMENTS: &[&str] = &["queries", "code"];
        let name = object.get("name").and_then(Json::as_str);
        let name = name.unwrap_or(kind.strip_suffix("_call").unwrap_or(kind)).to_owned();
        let nested =
            object.get("action").or_else(|| object.get(kind)).filter(|value| value.as_object().is_some());
        let arguments = match arguments::of(object).or(nested) {
            Some(logged) => self.arguments(Some(logged)),
            None => {
                let own = OWN_ARGUMENTS
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), object.get(key)?.clone())));
                Arguments::Parsed(own.collect())
            }
        };
        Ok(vec![ToolCall { name, arguments, id: id_in(object, &["id"]) }])
    }

    /// The parameter of a tool that has exactly one.
    pub(super) fn only_parameter(&self, name: &str) -> Option<&str> {
        let properties = self.definition(name)?.parameters.get("properties")?.as_object()?;
        let mut keys = properties.keys();
        keys.next().filter(|_| keys.next().is_none())
    }
}

//! The borders between calls that models mark, and prose. The forms themselves are in `tests/cases/call_markup.jsonl`.

use super::*;

fn tools() -> Vec<ToolDefinition> {
    let tool = |name: &str, properties: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        parameters: Json::parse(&format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap(),
    };
    vec![
        tool("get_weather", r#"{"city":{"type":"string"},"days":{"type":"integer"}}"#),
        tool("get_time", r#"{"zone":{"type":"string"},"strict":{"type":"boolean"}}"#),
        tool("Get News", r#"{"topic":{"type":"string"}}"#),
    ]
}

/// `name{arguments}`, one a call, `raw`, or the error's code; behind ` !` the flags.
fn listed(calls: Option<&[ToolCall]>, flags: BTreeSet<Flag>) -> String {
    let call = |call: &ToolCall| {
        let arguments = call.to_json().get("arguments").map(Json::to_string).unwrap_or_default();
        let id = call.id.as_ref().map(|id| format!("#{id}")).unwrap_or_default();
        format!("{}{arguments}{id}", call.name)
    };
    let calls = match calls {
        Some([]) => "prose".to_owned(),
        Some(calls) => calls.iter().map(call).collect::<Vec<_>>().join(" "),
        None => "raw".to_owned(),
    };
    let flags = flags.iter().map(|flag| flag.as_str()).filter(|flag| *flag != "raw_tool_call");
    [calls].into_iter().chain(flags.map(|flag| format!("!{flag}"))).collect::<Vec<_>>().join(" ")
}

fn in_message(text: &str, tools: &[ToolDefinition]) -> String {
    let mut reader = Reader::new(tools);
    match reader.output(&Json::from(text)) {
        Ok(Answer::Calls(calls)) => listed(Some(&calls), reader.into_flags()),
        Ok(Answer::Unreadable(shown)) => {
            assert_eq!(shown, text, "a judge is shown the answer as it is");
            listed(None, reader.into_flags())
        }
        Err(error) => error.code.as_str().to_owned(),
    }
}

#[test]
fn a_list_of_calls_needs_names_where_no_tools_are_known() {
    for (text, tools, expected) in [
        ("[f(a=1), g()]", &[][..], "f{\"a\":1} g{}"),
        ("[f(1)]", &[], "prose"),
        ("[get_weather('Oslo')]", &tools(), "get_weather{\"city\":\"Oslo\"} !positional_mapped"),
        ("[get_weather(city='Oslo'), get_rain()]", &tools(), "get_weather{\"city\":\"Oslo\"} get_rain{}"),
        ("[Point(1, 2)]", &tools(), "prose"),
        ("[get_rain(city='Oslo')]", &tools(), "raw"),
        ("f(a=1)", &[], "prose"),
        // The same in JSON, one of which is no call.
        (r#"[{"name": "get_weather", "arguments": {}}, {"name": "Ann"}]"#, &tools(), "raw"),
        (r#"[{"name": "get_weather", "arguments": {}}, {"name": "Ann"}]"#, &[], "prose"),
    ] {
        assert_eq!(in_message(text, tools), expected, "{text}");
    }
}

#[test]
fn a_lone_backtick_hides_no_call() {
    let call =
        "the ` sign: <tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"`x`\"}}</tool_call>";
    assert_eq!(in_message(call, &tools()), "get_weather{\"city\":\"`x`\"}");
    let beside =
        "I'll run `ls`. <tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"x\"}}</tool_call>";
    assert_eq!(in_message(beside, &tools()), "get_weather{\"city\":\"x\"}");
    let fences = "```\nls\n```\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"```\"}}</tool_call>\n```\nls\n```";
    assert_eq!(in_message(fences, &tools()), "get_weather{\"city\":\"```\"}");
    let thought =
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"</think>\"}}</tool_call>";
    assert_eq!(in_message(thought, &tools()), "get_weather{\"city\":\"</think>\"}");
}

#[test]
fn the_key_of_the_arguments_is_known_or_named() {
    let tools = tools();
    let cell = |source: &str| match Reader::new(&tools).cell(&Cell::from(Json::parse(source).unwrap())) {
        Ok(Calls::Parsed(calls)) => listed(Some(&calls), BTreeSet::new()),
        Ok(Calls::Unparsed) => "raw".to_owned(),
        Err(error) => error.message,
    };
    for key in [
        "arguments",
        "Arguments",
        "toolArgs",
        "tool-args",
        "inputs",
        "payload",
        "arguments_json",
        "argument",
        "function_args",
        "kwargs",
        "params",
        "request",
    ] {
        for value in [r#"{"a":1}"#, r#""{\"a\":1}""#] {
            assert_eq!(cell(&format!(r#"{{"name":"f","{key}":{value}}}"#)), r#"f{"a":1}"#, "{key}");
        }
    }
    for (source, expected) in [
        (r#"{"name":"f","id":"c1","type":"tool","result":{"a":1},"description":"d"}"#, "f{}#c1"),
        (r#"{"name":"f","frame":null}"#, "f{}"),
        (r#"{"name":"get_weather","id":"c1","city":"Oslo"}"#, r#"get_weather{"city":"Oslo"}#c1"#),
        (
            r#"{"name":"Bob","age":3}"#,
            "tool_call: unknown key `age` beside the tool `Bob`; name the key of its arguments `arguments`: {\"name\":\"Bob\",\"age\":3}",
        ),
        (
            r#"{"name":"get_weather","city":"Oslo","town":"Oslo"}"#,
            "tool_call: unknown key `town` beside the tool `get_weather`; name the key of its arguments `arguments`: {\"name\":\"get_weather\",\"city\":\"Oslo\",\"town\":\"Oslo\"}",
        ),
        (
            r#"[{"type":"tool_use","id":"t1","name":"f","frame":{"a":1}}]"#,
            "tool_call: unknown key `frame` beside the tool `f`; name the key of its arguments `arguments`: {\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"frame\":{\"a\":1}}",
        ),
        (r#"[{"type":"tool_use","id":"t1","name":"f","status":"done"}]"#, "f{}#t1"),
    ] {
        assert_eq!(cell(source), expected, "{source}");
    }
}

#[test]
fn a_list_of_function_calls() {
    for (source, expected) in [
        (
            r#"{"role":"assistant","function_call":[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{}}]}"#,
            "f{\"a\":1} g{}",
        ),
        (r#"{"role":"assistant","content":"Hi","function_call":[]}"#, "prose"),
        (
            r#"{"role":"assistant","content":"","function_call":"{\"name\":\"f\",\"arguments\":\"{}\"}"}"#,
            "f{}",
        ),
        (r#"{"role":"assistant","function_call":["f"]}"#, "unrecognised_tool_call"),
        (r#"{"role":"assistant","function_call":{"arguments":{"a":1}}}"#, "tool_call_without_name"),
    ] {
        let mut reader = Reader::new(&[]);
        let shown = match reader.output(&Json::parse(source).unwrap()) {
            Ok(Answer::Calls(calls)) => listed(Some(&calls), reader.into_flags()),
            Ok(Answer::Unreadable(_)) => "raw".to_owned(),
            Err(error) => error.code.as_str().to_owned(),
        };
        assert_eq!(shown, expected, "{source}");
    }
}

#[test]
fn hostile_texts_end_soon() {
    for part in [
        "<tool_call>f<arg_key>",
        "<tool_call>f\n",
        "<function=f",
        "<invoke name",
        "<invoke name=\"f\"><parameter name=\"a\">",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{",
        "<|tool_call_begin|>",
        "<|channel|>analysis<|message|>",
        "<|start|>assistant<|channel|>",
        "[TOOL_CALLS]f[ARGS]{}",
        "functions.f:0{",
        "to=functions.f ",
        "functools[{",
        ">>>f\n{}",
        ">>>f\n",
        "Action: f\nAction Input: {}\n",
        "Action: ```json\n[",
        "```tool_code\nprint(",
        "```\n",
        "` ",
        "`a",
        "<think>",
        "</think>",
        "<|tool_call>call:f{a:{",
        "<functioncall> {\"name\":",
    ] {
        let text = part.repeat((1 << 17) / part.len());
        let _ = in_message(&text, &tools());
        let _ = Reader::new(&tools()).cell(&Cell::Text(text));
    }
}

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

fn cell(source: &str, tools: &[ToolDefinition]) -> String {
    let mut reader = Reader::new(tools);
    match reader.cell(&Cell::Text(source.to_owned())) {
        Ok(Calls::Parsed(calls)) => listed(Some(&calls), reader.into_flags()),
        Ok(Calls::Unparsed) => "raw".to_owned(),
        Err(error) => error.code.as_str().to_owned(),
    }
}

#[test]
fn a_value_of_an_element_stays_text_where_it_may_be_one_and_no_number() {
    for (schema, text, expected) in [
        (r#"{"type":"string"}"#, "4711", r#""4711""#),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "4711", r#""4711""#),
        (r##"{"oneOf":[{"type":"null"},{"$ref":"#/$defs/code"}]}"##, "4711", r#""4711""#),
        (r#"{"type":["string","null"]}"#, "4711", r#""4711""#),
        (r#"{"type":["string","null"]}"#, "null", "null"),
        (r#"{"type":["string","null"]}"#, "None", "null"),
        (r#"{"type":["string","null"]}"#, "true", r#""true""#),
        (r#"{"type":["string","boolean"]}"#, "true", "true"),
        (r#"{"type":["string","array"]}"#, r#"["a"]"#, r#"["a"]"#),
        (r#"{"enum":["4711","4712"]}"#, "4711", r#""4711""#),
        (r#"{"const":"4711"}"#, "4711", r#""4711""#),
        (r##"{"$ref":"#/$defs/code"}"##, "4711", r#""4711""#),
        (r##"{"allOf":[{"$ref":"#/$defs/code"},{"maxLength":9}]}"##, "4711", r#""4711""#),
        // A number is allowed, or anything is.
        (r#"{"type":["string","integer"]}"#, "4711", "4711"),
        (r#"{"anyOf":[{"type":"string"},{"type":"number"}]}"#, "4711", "4711"),
        (r#"{"anyOf":[{"type":"string"},{}]}"#, "4711", "4711"),
        (r#"{"enum":["4711",4711]}"#, "4711", "4711"),
        (r##"{"$ref":"#/$defs/nowhere"}"##, "4711", "4711"),
        (r#"{"type":"integer"}"#, "4711", "4711"),
        ("{}", "4711", "4711"),
    ] {
        let parameters = format!(
            r#"{{"type":"object","properties":{{"a":{schema}}},"$defs":{{"code":{{"type":"string"}}}}}}"#
        );
        let parameters = Json::parse(&parameters).unwrap();
        let tool = ToolDefinition { name: "f".to_owned(), description: String::new(), parameters };
        let expected = format!("f{{\"a\":{expected}}} !xml_arguments");
        for form in [
            format!(
                "<tool_call>\n<function=f>\n<parameter=a>\n{text}\n</parameter>\n</function>\n</tool_call>"
            ),
            format!("<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>{text}</arg_value>\n</tool_call>"),
        ] {
            assert_eq!(in_message(&form, std::slice::from_ref(&tool)), expected, "{schema}: {form}");
        }
    }
}

#[test]
fn an_object_as_the_only_argument_may_be_all_of_them() {
    let tool = |name: &str, properties: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        parameters: Json::parse(&format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap(),
    };
    let mut tools = tools();
    tools.push(tool("open", r#"{"options":{"type":"object"}}"#));
    tools.push(tool("send", r#"{"data":{"type":"object"},"to":{"type":"string"}}"#));
    tools.push(tool("any", r#"{"a":{},"b":{}}"#));
    for (text, expected) in [
        ("get_weather({'city': 'Oslo', 'days': 2})", r#"get_weather{"city":"Oslo","days":2}"#),
        ("get_weather({city: 'Oslo', town: 'Oslo'})", r#"get_weather{"city":"Oslo","town":"Oslo"}"#),
        ("get_weather(**{'city': 'Oslo', 'days': 2})", r#"get_weather{"city":"Oslo","days":2}"#),
        ("get_weather(city='Oslo', **{'days': +0x10})", r#"get_weather{"city":"Oslo","days":16}"#),
        ("get_weather('Oslo', 1_000)", r#"get_weather{"city":"Oslo","days":1000} !positional_mapped"#),
        ("get_weather('Oslo', {'a': 1})", r#"get_weather{"city":"Oslo","days":{"a":1}} !positional_mapped"#),
        ("open({'options': 1})", r#"open{"options":{"options":1}} !positional_mapped"#),
        ("open({'host': 'h'})", r#"open{"options":{"host":"h"}} !positional_mapped"#),
        ("send({'host': 'h'})", r#"send{"data":{"host":"h"}} !positional_mapped"#),
        ("send({'data': {}, 'to': 'h'})", r#"send{"data":{},"to":"h"}"#),
        ("any({'a': 1})", r#"any{"a":1}"#),
        ("any({'c': 1})", r#"any{"a":{"c":1}} !positional_mapped"#),
        ("other({'c': 1})", r#"other{"$0":{"c":1}} !positional"#),
    ] {
        assert_eq!(cell(text, &tools), expected, "{text}");
    }
}

#[test]
fn calls_under_other_keys_are_read_or_flagged_beside_words_too() {
    let call = r#"{"name":"get_weather","arguments":{"city":"Oslo"}}"#;
    let read = r#"get_weather{"city":"Oslo"}"#;
    let function = format!(r#"{{"id":"c1","type":"function","function":{call}}}"#);
    for (body, expected) in [
        (format!(r#""content":"ok","tool_call":{call}"#), read),
        (format!(r#""content":"ok","function_calls":[{call}]"#), read),
        (format!(r#""content":"ok","toolUses":[{call}]"#), read),
        (format!(r#""content":"ok","calls":[{function}]"#), r#"get_weather{"city":"Oslo"}#c1"#),
        (format!(r#""content":{call}"#), read),
        (format!(r#""content":{{"tool_calls":[{call}]}}"#), read),
        (format!(r#""content":"ok","tool_calls":{{"0":{function}}}"#), r#"get_weather{"city":"Oslo"}#c1"#),
        (format!(r#""content":[{{"type":"toolCall","id":"c1",{}]"#, &call[1..]), r#"get_weather{"city":"Oslo"}#c1"#),
        (
            format!(
                r#""content":[{{"type":"text","text":"ok"}},{{"type":"toolRequest","id":"x","toolCall":{{"status":"success","value":{call}}}}}]"#
            ),
            r#"get_weather{"city":"Oslo"}#x"#,
        ),
        (format!(r#""content":[{{"type":"text","text":"ok"}},{{"type":"action","action":{call}}}]"#), "raw"),
        (format!(r#""content":[{{"type":"tool_output","of":{call}}}]"#), "prose"),
        (format!(r#""content":"ok","moves":[{call}]"#), "raw"),
        (format!(r#""content":"ok","step":{call}"#), "raw"),
        (r#""content":"ok","moves":[{"tool":"get_weather","to":"Oslo"}]"#.to_owned(), "raw"),
        // These are something else.
        (r#""content":"ok","moves":[{"tool":"hammer","size":3}]"#.to_owned(), "prose"),
        (format!(r#""content":"ok","function_results":[{call}]"#), "prose"),
        (
            r#""content":"ok","on_offer":[{"name":"get_weather","parameters":{"type":"object","properties":{}}}]"#
                .to_owned(),
            "prose",
        ),
        (r#""content":"ok","calls":3"#.to_owned(), "prose"),
    ] {
        let source = format!(r#"{{"role":"assistant",{body}}}"#);
        let tools = tools();
        let mut reader = Reader::new(&tools);
        let shown = match reader.output(&Json::parse(&source).unwrap()) {
            Ok(Answer::Calls(calls)) => listed(Some(&calls), reader.into_flags()),
            Ok(Answer::Unreadable(_)) => "raw".to_owned(),
            Err(error) => error.code.as_str().to_owned(),
        };
        assert_eq!(shown, expected, "{source}");
    }
}

#[test]
fn nothing_of_a_cell_is_lost_without_a_word() {
    for (text, expected) in [
        (r#"{"name":"f","arguments":{},"input":{"q":"x"}}"#, "unrecognised_tool_call"),
        (r#"{"type":"tool_call","name":"f","args":{"q":"x"},"arguments":"{}"}"#, "unrecognised_tool_call"),
        (r#"{"name":"f","args":null,"arguments":{"q":"x"}}"#, r#"f{"q":"x"}"#),
        (r#"{"name":"f","arguments":{"q":"x"},"input":{}}"#, r#"f{"q":"x"}"#),
        (r#"{"name":"f","arguments":{},"input":{}}"#, "f{}"),
        (r#"{"0":{"name":"f","arguments":{}},"1":{"name":"g","arguments":{}}}"#, "f{} g{}"),
        ("[{'name': 'f', 'arguments': {'q': nan}}]", "invalid_json"),
        ("[{'name': 'f', 'arguments': {'q': -inf}}]", "invalid_json"),
        ("[{'name': 'f', 'arguments': {'q': 'nan'}}]", r#"f{"q":"nan"}"#),
    ] {
        assert_eq!(cell(text, &[]), expected, "{text}");
    }
}

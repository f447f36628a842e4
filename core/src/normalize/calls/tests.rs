//! The shapes that no fixture shows, and the borders between shapes.

use super::*;

fn tools() -> Vec<ToolDefinition> {
    let tool = |name: &str, properties: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        parameters: Json::parse(&format!(r#"{{"type":"object","properties":{properties}}}"#)).unwrap(),
    };
    vec![tool("search", r#"{"q":{}}"#), tool("two.fold", r#"{"a":{},"b":{}}"#), tool("AgentAction", "{}")]
}

/// The calls in normal form, or `raw`, or the error's code; behind ` !` the flags.
fn shown(cell: &Cell) -> String {
    let tools = tools();
    read_by(Reader::new(&tools), cell)
}

fn read_by(mut reader: Reader, cell: &Cell) -> String {
    let calls = match reader.cell(cell) {
        Ok(Calls::Parsed(calls)) => Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string(),
        Ok(Calls::Unparsed) => "raw".to_owned(),
        Err(error) => return error.code.as_str().to_owned(),
    };
    let flags: Vec<&str> = reader.into_flags().iter().map(|flag| flag.as_str()).collect();
    if flags.is_empty() { calls } else { format!("{calls} !{}", flags.join(",")) }
}

#[track_caller]
fn check(cases: &[(&str, &str)], cell: fn(&str) -> Cell) {
    for (source, expected) in cases {
        assert_eq!(shown(&cell(source)), *expected, "{source}");
    }
}

fn json(source: &str) -> Cell {
    Cell::from(Json::parse(source).unwrap())
}

fn text(source: &str) -> Cell {
    Cell::Text(source.to_owned())
}

const F: &str = r#"[{"name":"f","arguments":{"a":1}}]"#;
const F_C1: &str = r#"[{"name":"f","arguments":{"a":1},"id":"c1"}]"#;

#[test]
fn arguments_as_lists_of_their_entries() {
    let of = |arguments: &str| format!(r#"{{"name":"f","arguments":{arguments}}}"#);
    let malformed = |arguments: &str| {
        let text = Json::from(arguments).to_string();
        format!(r#"[{{"name":"f","arguments":null,"arguments_raw":{text}}}] !malformed_arguments"#)
    };
    let pairs = |calls: &str| format!("{calls} !arguments_as_pairs");
    for (arguments, expected) in [
        (r#"[{"key":"a","value":1}]"#, pairs(F)),
        (r#"[["a",1]]"#, pairs(F)),
        ("[]", r#"[{"name":"f","arguments":{}}]"#.to_owned()),
        (r#"[{"key":"a"}]"#, pairs(r#"[{"name":"f","arguments":{"a":null}}]"#)),
        (r#"[{"key":"a","value":1,"x":2}]"#, malformed(r#"[{"key":"a","value":1,"x":2}]"#)),
        (r#"["a",1]"#, malformed(r#"["a",1]"#)),
        (r#"[["a",1],["b"]]"#, malformed(r#"[["a",1],["b"]]"#)),
    ] {
        assert_eq!(shown(&json(&of(arguments))), expected, "{arguments}");
    }
}

#[test]
fn single_calls() {
    check(
        &[
            (
                r#"{"id":"c1","type":"custom","custom":{"name":"f","input":"go"}}"#,
                r#"[{"name":"f","arguments":{"input":"go"},"id":"c1"}] !custom_tool_input"#,
            ),
            (
                r#"{"type":"custom_tool_call","call_id":"c1","name":"f","input":"go"}"#,
                r#"[{"name":"f","arguments":{"input":"go"},"id":"c1"}] !custom_tool_input"#,
            ),
            (r#"{"type":"function_call","id":"fc","call_id":"c1","name":"f","arguments":"{\"a\":1}"}"#, F_C1),
            (r#"{"type":"function_call","id":"fc","name":"f","arguments":"{\"a\":1}"}"#, F),
            (r#"{"functionCall":{"id":"c1","name":"f","args":{"a":1}}}"#, F_C1),
            (r#"{"functionCall":{"name":"f"}}"#, r#"[{"name":"f","arguments":{}}]"#),
            (r#"{"function_call":null}"#, "[]"),
            (r#"{"tool_name":"f","parameters":{"a":1}}"#, F),
            (r#"{"type":"tool-call","toolCallId":"c1","toolName":"f","args":{"a":1}}"#, F_C1),
            (r#"{"type":"tool-f","toolCallId":"c1","state":"input-available","input":{"a":1}}"#, F_C1),
            (r#"{"type":"dynamic-tool","toolName":"f","toolCallId":"c1","input":{"a":1}}"#, F_C1),
            (
                r#"{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{}}"#,
                "unrecognised_tool_call",
            ),
            (r#"{"id":"c1","function":"f","arguments":{"a":1},"parse_error":null}"#, F_C1),
            (
                r#"{"id":"c1","function":"f","arguments":{"a":1},"parse_error":"no"}"#,
                r#"[{"name":"f","arguments":null,"arguments_raw":"{\"a\":1}","id":"c1"}] !malformed_arguments"#,
            ),
            (r#"{"method":"tools/call","params":{"name":"f","arguments":{"a":1}}}"#, F),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "unrecognised_tool_call"),
            (r#"{"name":"f","input":null,"parameters":{"a":1}}"#, F),
            (r#"{"name":"f","parameters":{"type":"object","properties":{}}}"#, "definition_in_tool_call"),
            (
                r#"{"name":"f","parameters":{"type":"object","properties":"x"}}"#,
                r#"[{"name":"f","arguments":{"type":"object","properties":"x"}}]"#,
            ),
            (r#"{"function":{"arguments":"{}"}}"#, "tool_call_without_name"),
            (r#"{"f":{"a":1}}"#, F),
            (r#"{"f":null}"#, r#"[{"name":"f","arguments":{}}]"#),
            (r#"{"f":"text"}"#, "unrecognised_tool_call"),
            (r#"{"":{}}"#, "unrecognised_tool_call"),
            (r#"{"name":"","arguments":{"a":1}}"#, r#"[{"name":"","arguments":{"a":1}}]"#),
            (r#"{"type":"tool_use","name":" ","input":{}}"#, r#"[{"name":" ","arguments":{}}]"#),
            (r#"{"type":"tool- ","input":{}}"#, "unrecognised_tool_call"),
            (r#"{"result":{"a":1}}"#, "unrecognised_tool_call"),
            (r#"{" ":{"a":1}}"#, "unrecognised_tool_call"),
            (r#"{"f":{},"g":{}}"#, "unrecognised_tool_call"),
            ("true", "unrecognised_tool_call"),
        ],
        json,
    );
}

#[test]
fn langchain() {
    check(
        &[
            (
                r#"{"tool":"search","tool_input":"cats"}"#,
                r#"[{"name":"search","arguments":{"q":"cats"}}] !string_tool_input"#,
            ),
            (
                r#"{"tool":"f","tool_input":"cats","tool_call_id":"c1"}"#,
                r#"[{"name":"f","arguments":{"input":"cats"},"id":"c1"}] !string_tool_input"#,
            ),
            (r#"{"tool":"f","tool_input":"{\"a\":1}"}"#, F),
            (r#"[{"tool":"f","tool_input":{"a":1}},"seen"]"#, F),
            (
                r#"[{"tool":"f","tool_input":{"a":1}},{"tool":"g","tool_input":{}}]"#,
                r#"[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{}}]"#,
            ),
            (r#"{"intermediate_steps":[[{"tool":"f","tool_input":{"a":1}},"seen"]]}"#, F),
            (
                r#"[[{"lc":1,"type":"constructor","id":["AgentAction"],"kwargs":{"tool":"f","tool_input":{"a":1}}},"seen"]]"#,
                F,
            ),
            (
                r#"{"tool_calls":[],"invalid_tool_calls":[{"name":"f","args":"{\"a\":","id":"c1"}]}"#,
                r#"[{"name":"f","arguments":null,"arguments_raw":"{\"a\":","id":"c1"}] !malformed_arguments"#,
            ),
            (
                r#"{"tool_calls":[],"additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{\"a\":1}"}}]}}"#,
                F_C1,
            ),
            (
                r#"{"tool_calls":[],"additional_kwargs":{"function_call":{"name":"f","arguments":"{\"a\":1}"}}}"#,
                F,
            ),
            (
                r#"{"lc":1,"type":"constructor","id":["AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c1"}]}}"#,
                F_C1,
            ),
        ],
        json,
    );
}

#[test]
fn whole_responses() {
    check(
        &[
            (
                r#"{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}"#,
                F_C1,
            ),
            (
                r#"{"choices":[{"message":{"role":"assistant","content":"Hi"}},{"message":{}}]}"#,
                "[] !multiple_choices",
            ),
            (
                r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"f","args":{"a":1}}}]}}]}"#,
                F,
            ),
            (
                r#"{"output":{"message":{"role":"assistant","content":[{"text":"so"},{"toolUse":{"toolUseId":"c1","name":"f","input":{"a":1}}}]}}}"#,
                F_C1,
            ),
            (
                r#"{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":true}"#,
                F,
            ),
            (
                r#"{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"..."},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]}"#,
                F_C1,
            ),
            (
                r#"{"role":"assistant","content":[{"type":"text","text":"so"}],"tool_calls":[{"name":"f","args":{"a":1},"id":"c1"}]}"#,
                F_C1,
            ),
            (
                r#"{"role":"assistant","content":null,"tool_calls":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}"#,
                F,
            ),
            (
                r#"{"role":"assistant","content":"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>","tool_calls":[]}"#,
                F,
            ),
            (
                r#"{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"text","text":"<function=f>{\"a\":1}</function>"}]}"#,
                F,
            ),
            (r#"{"role":"assistant","content":"{\"name\":\"f\",\"parameters\":{\"a\":1}}"}"#, F),
            (r#"{"role":"assistant","content":"{\"name\":\"Ann\",\"age\":5}"}"#, "[]"),
            (r#"{"role":"assistant","content":"{\"say\":\"<function=f></function>\"}"}"#, "[]"),
            (r#"{"role":"assistant","content":"[{\"name\":\"f\",\"arguments\":{\"a\":1}}]"}"#, F),
            (
                r#"{"role":"assistant","content":"[{\"name\":\"f\",\"arguments\":{}}, {\"name\":\"Ann\"}]"}"#,
                "[]",
            ),
            (r#"{"role":"assistant","content":"f(a=1)"}"#, "[]"),
            (
                r#"[{"type":"text","text":"so","name":"n"},{"type":"new_kind","name":"x","arguments":{}}]"#,
                "raw !raw_tool_call",
            ),
            (
                r#"[{"type":"web_search_call","id":"w"},{"type":"message","role":"assistant","content":[]}]"#,
                "[] !server_tool_skipped",
            ),
            (r#"{"tool_calls":"[{\"name\":\"f\",\"args\":{\"a\":1}}]"}"#, F),
            (
                r#"{"choices":[{"text":"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>","index":0}]}"#,
                F,
            ),
            (
                r#"{"role":"assistant","content":"","parts":[{"type":"tool-f","toolCallId":"c1","input":{"a":1}}]}"#,
                F_C1,
            ),
        ],
        json,
    );
}

#[test]
fn calls_that_the_provider_ran_are_read_if_wanted() {
    for (source, expected) in [
        (
            r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"Oslo"}}"#,
            r#"{"name":"web_search","arguments":{"query":"Oslo"},"id":"s1"}"#,
        ),
        (
            r#"{"type":"mcp_tool_use","id":"s1","name":"f","server_name":"m","input":{"a":1}}"#,
            r#"{"name":"f","arguments":{"a":1},"id":"s1"}"#,
        ),
        (
            r#"{"type":"mcp_call","id":"s1","name":"f","server_label":"m","arguments":"{\"a\":1}","output":"7"}"#,
            r#"{"name":"f","arguments":{"a":1},"id":"s1"}"#,
        ),
        (
            r#"{"type":"web_search_call","id":"s1","status":"completed","action":{"type":"search","query":"Oslo"}}"#,
            r#"{"name":"web_search","arguments":{"type":"search","query":"Oslo"},"id":"s1"}"#,
        ),
        (
            r#"{"type":"file_search_call","id":"s1","queries":["Oslo"],"results":null}"#,
            r#"{"name":"file_search","arguments":{"queries":["Oslo"]},"id":"s1"}"#,
        ),
        (
            r#"{"type":"code_interpreter_call","id":"s1","code":"1+1","outputs":[]}"#,
            r#"{"name":"code_interpreter","arguments":{"code":"1+1"},"id":"s1"}"#,
        ),
        (
            r#"{"type":"image_generation_call","id":"s1","result":"iVBOR"}"#,
            r#"{"name":"image_generation","arguments":{},"id":"s1"}"#,
        ),
        (
            r#"{"type":"server_tool_call","id":"s1","name":"run","server_tool_call":{"code":"1+1"}}"#,
            r#"{"name":"run","arguments":{"code":"1+1"},"id":"s1"}"#,
        ),
        (
            r#"{"type":"tool_search_call","id":"t1","execution":"server","arguments":{"query":"rain"}}"#,
            r#"{"name":"tool_search","arguments":{"query":"rain"},"id":"t1"}"#,
        ),
        (
            r#"{"type":"mcp_approval_request","id":"s1","name":"f","server_label":"m","arguments":"{\"a\":1}"}"#,
            r#"{"name":"f","arguments":{"a":1},"id":"s1"}"#,
        ),
        (
            r#"{"toolUse":{"toolUseId":"s1","name":"nova_grounding","input":{"query":"Oslo"},"type":"server_tool_use"}}"#,
            r#"{"name":"nova_grounding","arguments":{"query":"Oslo"},"id":"s1"}"#,
        ),
        (
            r#"{"executableCode":{"language":"PYTHON","code":"1+1"}}"#,
            r#"{"name":"code_execution","arguments":{"language":"PYTHON","code":"1+1"}}"#,
        ),
        (
            r#"{"toolCall":{"toolType":"GOOGLE_SEARCH_WEB","args":{"queries":["Oslo"]},"id":"s1"}}"#,
            r#"{"name":"GOOGLE_SEARCH_WEB","arguments":{"queries":["Oslo"]},"id":"s1"}"#,
        ),
        (
            r#"{"type":"tool_use","tool_type":"web_search","id":"s1","name":"web_search","arguments":"{\"query\":\"Oslo\"}","result":""}"#,
            r#"{"name":"web_search","arguments":{"query":"Oslo"},"id":"s1"}"#,
        ),
        (
            r#"{"type":"tool-call","toolCallId":"s1","toolName":"f","input":{"a":1},"providerExecuted":true}"#,
            r#"{"name":"f","arguments":{"a":1},"id":"s1"}"#,
        ),
    ] {
        let content = json(&format!(r#"{{"role":"assistant","content":[{source}]}}"#));
        assert_eq!(shown(&content), "[] !server_tool_skipped", "{source}");
        let with = read_by(Reader::new(&[]).with_server_tools(true), &content);
        assert_eq!(with, format!("[{expected}]"), "{source}");
    }
}

#[test]
fn calls_that_the_application_runs_are_calls() {
    for (source, expected) in [
        (
            r#"{"type":"computer_call","id":"i","call_id":"c1","action":{"type":"click","x":1}}"#,
            r#"{"name":"computer","arguments":{"type":"click","x":1},"id":"c1"}"#,
        ),
        (
            r#"{"type":"computer_call","id":"i","call_id":"c1","actions":[{"type":"wait"}]}"#,
            r#"{"name":"computer","arguments":{"actions":[{"type":"wait"}]},"id":"c1"}"#,
        ),
        (
            r#"{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]}}"#,
            r#"{"name":"shell","arguments":{"commands":["ls"]},"id":"c1"}"#,
        ),
        (
            r#"{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["ls"]}}"#,
            r#"{"name":"local_shell","arguments":{"type":"exec","command":["ls"]},"id":"c1"}"#,
        ),
        (
            r#"{"type":"apply_patch_call","call_id":"c1","operation":{"type":"delete_file","path":"a"}}"#,
            r#"{"name":"apply_patch","arguments":{"type":"delete_file","path":"a"},"id":"c1"}"#,
        ),
        (
            r#"{"type":"tool_search_call","call_id":"c1","execution":"client","arguments":{"query":"rain"}}"#,
            r#"{"name":"tool_search","arguments":{"query":"rain"},"id":"c1"}"#,
        ),
        (
            r#"{"toolCall":{"functionCalls":[{"name":"f","args":{"a":1},"id":"c1"}]}}"#,
            r#"{"name":"f","arguments":{"a":1},"id":"c1"}"#,
        ),
    ] {
        let list = format!("[{source}]");
        let response = format!(r#"{{"object":"response","output":[{source}]}}"#);
        let message = format!(r#"{{"role":"assistant","content":[{source}]}}"#);
        for form in [list, response, message] {
            assert_eq!(shown(&json(&form)), format!("[{expected}]"), "{form}");
        }
    }
}

#[test]
fn lists_of_texts() {
    check(
        &[
            (r#"["f(a=1)"]"#, F),
            (r#"["{\"name\":\"f\",\"arguments\":{\"a\":1}}"]"#, F),
            (r#"["call f, please"]"#, "raw !raw_tool_call"),
            (r#"["f(a=1)","and so on"]"#, "unrecognised_tool_call"),
            (r#"[{"name":"f"},null]"#, "unrecognised_tool_call"),
        ],
        json,
    );
}

#[test]
fn argument_values() {
    let malformed = r#"[{"name":"f","arguments":null,"arguments_raw":"x"}] !malformed_arguments"#;
    check(
        &[
            (r#"{"name":"f","arguments":"null"}"#, r#"[{"name":"f","arguments":{}}]"#),
            (r#"{"name":"f","arguments":" "}"#, r#"[{"name":"f","arguments":{}}]"#),
            (r#"{"name":"f","arguments":null,"arguments_raw":"x"}"#, malformed),
            (r#"{"name":"f","arguments":"x"}"#, malformed),
            (
                r#"{"name":"f","arguments":"\"x\""}"#,
                r#"[{"name":"f","arguments":null,"arguments_raw":"\"x\""}] !malformed_arguments"#,
            ),
            (
                r#"{"name":"f","arguments":{"a":{"b":1,"b":2}}}"#,
                r#"[{"name":"f","arguments":{"a":{"b":2}}}] !duplicate_argument"#,
            ),
        ],
        json,
    );
    let cut = format!(r#"{{"name":"f","arguments":"{{\"a\":{}"}}"#, "1".repeat(1000 - 5));
    assert!(shown(&json(&cut)).ends_with("!malformed_arguments,maybe_truncated"));
}

#[test]
fn texts() {
    check(
        &[
            (r#""\"[{\\\"name\\\":\\\"f\\\",\\\"arguments\\\":{\\\"a\\\":1}}]\"""#, F),
            (r#"{"name":"f","arguments":{"a":1}};"#, F),
            ("f\n{\"a\": 1}", F),
            ("f\n{\"a\": \"<function=g>\"}", r#"[{"name":"f","arguments":{"a":"<function=g>"}}]"#),
            ("f(a='<function=g>')", r#"[{"name":"f","arguments":{"a":"<function=g>"}}]"#),
            (
                "[{'name': 'f', 'args': {'a': '<function=g>'}}]",
                r#"[{"name":"f","arguments":{"a":"<function=g>"}}]"#,
            ),
            ("f\n{\"a\": 1} and more", "raw !raw_tool_call"),
            ("Call: f(a=1)", F),
            (
                "two.fold(1, 2, 3)",
                r#"[{"name":"two.fold","arguments":{"a":1,"b":2,"$2":3}}] !positional_mapped,positional"#,
            ),
            ("two_fold(1)", r#"[{"name":"two_fold","arguments":{"a":1}}] !positional_mapped"#),
            (
                "[ToolUseBlock(id='c1', input={'a': 1}, name='f', type='tool_use'), TextBlock(text='so', type='text')]",
                F_C1,
            ),
            (
                "ChatCompletionMessage(content=None, refusal=None, role='assistant', tool_calls=[ChatCompletionMessageFunctionToolCall(\
                 id='c1', function=Function(arguments='{\"a\": 1}', name='f'), type='function')])",
                F_C1,
            ),
            (
                "Message(id='m', content=[ToolUseBlock(id='c1', input={'a': 1}, name='f', type='tool_use')], role='assistant')",
                F_C1,
            ),
            ("Function(arguments='{\"a\": 1}', name='f')", F),
            ("OrderedDict([('name', 'f'), ('arguments', {'a': 1})])", "raw !raw_tool_call"),
            ("AgentAction(x=1)", r#"[{"name":"AgentAction","arguments":{"x":1}}]"#),
            ("[(ToolAgentAction(tool='f', tool_input={'a': 1}, log='', tool_call_id='c1'), 'seen')]", F_C1),
            ("array([{'name': 'f', 'arguments': {'a': 1}}], dtype=object)", F),
            ("{'role': 'assistant', 'tool_calls': [ToolCall(name='f', args={'a': 1})]}", F),
            ("17", "unrecognised_tool_call"),
            ("I called f(a=1) for you", "raw !raw_tool_call"),
            (r#"{"name": "f", "arguments": {"a": "#, "raw !raw_tool_call"),
            (r#"{"answer": 1, "more": 2}"#, "unrecognised_tool_call"),
        ],
        text,
    );
    assert_eq!(shown(&text(&"[".repeat(1 << 20))), "nesting_too_deep");
    assert_eq!(shown(&text(&"(".repeat(1 << 20))), "raw !raw_tool_call");
}

#[test]
fn tags() {
    check(
        &[
            ("<|tool_call_start|>[f(a=1)]<|tool_call_end|>", F),
            ("<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]", F),
            ("<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}", F),
            ("<|python_tag|>f.call(a=1)<|eom_id|>", F),
            (
                "so <invoke name=\"f\"><parameter name=\"a\">1</parameter></invoke> then",
                r#"[{"name":"f","arguments":{"a":1}}] !xml_arguments"#,
            ),
            (
                "<tool_call>\n<function=f>\n<parameter=a>\nOslo, \"N\"\n</parameter>\n</function>\n</tool_call>",
                r#"[{"name":"f","arguments":{"a":"Oslo, \"N\""}}] !xml_arguments"#,
            ),
            ("<function=f></function>", r#"[{"name":"f","arguments":{}}]"#),
            ("<invoke name=\" \"></invoke>", "raw !raw_tool_call"),
            ("the <tool_call> tag", "raw !raw_tool_call"),
            (r#"[{"content":"<function=f>\n<parameter=a>\n1\n</para"#, "raw !raw_tool_call"),
            ("{'content': '<function=f>", "raw !raw_tool_call"),
            (r#"{"thought":"so"}<function=f>{"a":1}</function>"#, F),
            ("{'thought': 'so'}<function=f>{\"a\":1}</function>", F),
            ("<tool_call>{\"name\":\"f\"}</tool_call><tool_call>{\"na", "raw !raw_tool_call"),
        ],
        text,
    );
}

#[test]
fn hostile_texts_end_soon() {
    for part in [
        "<tool_call>",
        "<tool_call>[",
        "<tool_call>{\"a\":\"",
        "<function=f>",
        "<function=f><parameter=a>",
        "<invoke name=\"f\">",
        "[TOOL_CALLS][",
        "<|python_tag|>f(",
        "f\n{",
        "```",
        "</s>",
        "\"",
        "{\"a\":",
        "[\"",
    ] {
        let _ = shown(&text(&part.repeat((1 << 19) / part.len())));
    }
}

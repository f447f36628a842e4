//! Messages in the forms of all vendors.

use super::*;

/// The roles, the prompt's text, the question if that is another, and the flags; or the error's code.
fn shown(cell: Cell) -> String {
    let question = match read(&cell) {
        Ok(question) => question,
        Err(error) => return error.code.as_str().to_owned(),
    };
    let roles: Vec<&str> = question.messages.iter().map(|message| message.role.as_str()).collect();
    let mut shown = format!("<{}> {}", roles.join(" "), question.slot.replace('\n', "/"));
    if question.text != *question.slot {
        shown += &format!(" ?{}", question.text);
    }
    for flag in question.flags {
        shown += &format!(" !{}", flag.as_str());
    }
    shown
}

#[test]
fn reads_messages() {
    for (source, expected) in [
        (r#"[{"role":"user","content":"Hi"}]"#, "<user> Hi"),
        (
            r#"[{"role":"system","content":"S"},{"role":"human","content":" Hi\n"}]"#,
            "<system user> system: S//user:  Hi/ ? Hi\n",
        ),
        (
            r#"[{"role":"user","content":"A"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c2","content":"7"},{"role":"tool","tool_call_id":"c1","content":"8"}]"#,
            r#"<user assistant tool tool> user: A//assistant: [{"name":"f","arguments":{},"id":"c1"},{"name":"f","arguments":{},"id":"c2"}]//tool (c2): 7//tool (c1): 8 ?A"#,
        ),
        (
            r#"[[{"role":"user","content":"A"}],[{"role":"model","content":null},{"type":"HumanMessage","content":"B"}]]"#,
            "<user assistant user> user: A//assistant: //user: B ?B",
        ),
        (
            r#"[{"role":"user","content":"A"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"7"}]"#,
            r#"<user assistant tool> user: A//assistant: [{"name":"f","arguments":{},"id":"c1"}]//tool: 7 ?A"#,
        ),
        (
            r#"[{"role":"user","content":[{"type":"text","text":"A"},{"type":"image_url","image_url":{}},{"text":"B"},"C",{"type":"thinking","thinking":"T"}]}]"#,
            "<user> A/[image]/B/C !non_text_content",
        ),
        (
            r#"[{"role":"user","parts":[{"type":"text","content":"A"},{"inlineData":{"mimeType":"audio/ogg"}},{"fileData":{}}]}]"#,
            "<user> A/[audio]/[file] !non_text_content",
        ),
        (r#"[{"message":{"role":"user","content":"A"}}]"#, "<user> A"),
        (
            r#"[{"role":"user","content":[{"type":"text","value":"A"},{"type":"text","text":{"value":"B"}}]}]"#,
            "<user> A/B",
        ),
        (r#"[{"role":"user","content":[{"message_content":{"type":"text","text":"A"}}]}]"#, "<user> A"),
        (r#"[{"role":"nobody","content":"A"}]"#, "unrecognised_question"),
        (r#"["A"]"#, "unrecognised_question"),
        (r#"[{"role":"system","content":"A"}]"#, "no_user_message"),
        (r#"[{"role":"user","content":" "}]"#, "empty_question"),
        ("[]", "empty_question"),
        ("7", "unrecognised_question"),
        ("null", "missing_question"),
    ] {
        assert_eq!(shown(Cell::from(Json::parse(source).unwrap())), expected, "{source}");
    }
}

#[test]
fn texts_are_lists_only_if_every_element_is_a_message() {
    for (text, expected) in [
        (r#"[{"role": "user", "content": "Hi"}]"#, "<user> Hi"),
        ("[{'role': 'user', 'content': 'Hi'}]", "<user> Hi"),
        ("[1, 2] is what?", "<user> [1, 2] is what?"),
        (r#"[{"role":"user"},1]"#, r#"<user> [{"role":"user"},1]"#),
        ("[]", "<user> []"),
        (" Hi ", "<user>  Hi "),
        (" \n", "empty_question"),
    ] {
        assert_eq!(shown(Cell::Text(text.to_owned())), expected, "{text}");
    }
}

/// Each message on a line of its own: role, id of the call, text, calls.
fn messages(source: &str) -> (Vec<String>, Vec<&'static str>) {
    let Ok(Json::Array(items)) = Json::parse(source) else { panic!("{source}") };
    let question = conversation(&items).unwrap_or_else(|error| panic!("{error}: {source}"));
    let line = |message: &Message| {
        let id = message.tool_call_id.as_ref().map(|id| format!("({id})")).unwrap_or_default();
        let calls: String = message.tool_calls.iter().map(|call| format!(" {}", call.to_json())).collect();
        format!("{}{id}: {}{calls}", message.role.as_str(), message.content.replace('\n', "/"))
    };
    (question.messages.iter().map(line).collect(), question.flags.iter().map(|flag| flag.as_str()).collect())
}

#[test]
fn every_vendors_messages_say_the_same() {
    let expected = [
        "user: Oslo?",
        r#"assistant: Let me see. {"name":"f","arguments":{"city":"Oslo"},"id":"c1"}"#,
        "tool(c1): sunny",
    ];
    for (vendor, source) in [
        (
            "openai",
            r#"[{"role":"user","content":"Oslo?"},
                {"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"}}]},
                {"role":"tool","tool_call_id":"c1","content":"sunny"}]"#,
        ),
        (
            "anthropic",
            r#"[{"role":"user","content":[{"type":"text","text":"Oslo?","cache_control":{"type":"ephemeral"}}]},
                {"role":"assistant","content":[{"type":"thinking","thinking":"?","signature":"s"},{"type":"text","text":"Let me see."},{"type":"tool_use","id":"c1","name":"f","input":{"city":"Oslo"}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"sunny"}]}]}]"#,
        ),
        (
            "bedrock",
            r#"[{"role":"user","content":[{"text":"Oslo?"},{"cachePoint":{"type":"default"}}]},
                {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"?"}}},{"text":"Let me see."},{"toolUse":{"toolUseId":"c1","name":"f","input":{"city":"Oslo"}}}]},
                {"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"sunny"}],"status":"success"}}]}]"#,
        ),
        (
            "gemini with ids",
            r#"[{"parts":[{"text":"Oslo?"}]},
                {"role":"model","parts":[{"text":"Let me see."},{"functionCall":{"id":"c1","name":"f","args":{"city":"Oslo"}}}]},
                {"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":"sunny"}}]}]"#,
        ),
        (
            "langchain's constructor",
            r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Oslo?"}},
                {"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"Let me see.","type":"ai","tool_calls":[{"name":"f","args":{"city":"Oslo"},"id":"c1","type":"tool_call"}],"invalid_tool_calls":[]}},
                {"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"sunny","tool_call_id":"c1","id":"m3"}}]"#,
        ),
        (
            "langchain's type and data",
            r#"[{"type":"human","data":{"content":"Oslo?"}},
                {"type":"ai","data":{"content":"Let me see.","type":"ai","tool_calls":[{"name":"f","args":{"city":"Oslo"},"id":"c1"}]}},
                {"type":"tool","data":{"content":"sunny","tool_call_id":"c1"}}]"#,
        ),
        (
            "responses, the text within the turn",
            r#"[{"role":"user","content":"Oslo?"},
                {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"?"}]},
                {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me see.","annotations":[]},{"type":"tool_use","id":"c1","name":"f","input":{"city":"Oslo"}}]},
                {"type":"function_call_output","id":"fco","call_id":"c1","output":[{"type":"input_text","text":"sunny"}]}]"#,
        ),
        (
            "vercel",
            r#"[{"role":"user","content":[{"type":"text","text":"Oslo?"}]},
                {"role":"assistant","content":[{"type":"reasoning","text":"?"},{"type":"text","text":"Let me see."},{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{"city":"Oslo"}}]},
                {"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"f","output":{"type":"text","value":"sunny"}}]}]"#,
        ),
        (
            "vercel's interface",
            r#"[{"id":"1","role":"user","parts":[{"type":"text","text":"Oslo?"}]},
                {"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"Let me see."},{"type":"tool-f","toolCallId":"c1","state":"output-available","input":{"city":"Oslo"},"output":"sunny"}]}]"#,
        ),
        (
            "vercel's older interface",
            r#"[{"id":"1","role":"user","content":"Oslo?"},
                {"id":"2","role":"assistant","content":"","parts":[{"type":"text","text":"Let me see."},{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"c1","toolName":"f","args":{"city":"Oslo"},"result":"sunny"}}]}]"#,
        ),
        (
            "opentelemetry",
            r#"[{"role":"user","parts":[{"type":"text","content":"Oslo?"}]},
                {"role":"assistant","parts":[{"type":"reasoning","content":"?"},{"type":"text","content":"Let me see."},{"type":"tool_call","id":"c1","name":"f","arguments":{"city":"Oslo"}}],"finish_reason":"tool_call"},
                {"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"sunny"}]}]"#,
        ),
        (
            "cohere",
            r#"[{"role":"user","content":"Oslo?"},
                {"role":"assistant","tool_plan":"Let me see.","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"city\":\"Oslo\"}"}}]},
                {"role":"tool","tool_call_id":"c1","content":[{"type":"document","document":{"data":"sunny"}}]}]"#,
        ),
        (
            "inspect",
            r#"[{"id":"m1","role":"user","source":"input","content":"Oslo?"},
                {"id":"m2","role":"assistant","source":"generate","content":[{"type":"reasoning","reasoning":"?"},{"type":"text","text":"Let me see."}],"tool_calls":[{"id":"c1","function":"f","arguments":{"city":"Oslo"}}]},
                {"id":"m3","role":"tool","content":"sunny","tool_call_id":"c1","function":"f","error":null}]"#,
        ),
    ] {
        assert_eq!(messages(source), (expected.map(str::to_owned).to_vec(), vec![]), "{vendor}");
    }
}

#[test]
fn what_tools_returned_is_shown() {
    for (element, expected, flags) in [
        (r#"{"role":"tool","content":{"n":7}}"#, r#"tool: {"n":7}"#, &[][..]),
        (
            r#"{"role":"tool","content":[{"type":"bar","name":"B"}]}"#,
            r#"tool: [{"type":"bar","name":"B"}]"#,
            &[],
        ),
        (r#"{"role":"tool","content":["a","b"]}"#, r#"tool: ["a","b"]"#, &[]),
        (r#"{"role":"tool","content":""}"#, "tool: ", &[]),
        (r#"{"role":"tool","content":null,"tool_call_id":"c"}"#, "tool(c): ", &[]),
        (
            r#"{"role":"tool","content":"","tool_call_id":"c","error":{"type":"timeout","message":"late"}}"#,
            r#"tool(c): {"type":"timeout","message":"late"}"#,
            &[],
        ),
        (
            r#"{"role":"tool","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},{"type":"text","text":"b"}]}"#,
            "tool: a/[image]/b",
            &["non_text_content"],
        ),
        (r#"{"role":"function","name":"f","content":"7"}"#, "tool: 7", &[]),
        (
            r#"{"role":"function","parts":[{"functionResponse":{"name":"f","response":{"n":[7]}}}]}"#,
            r#"tool: {"n":[7]}"#,
            &[],
        ),
        (r#"{"role":"user","parts":[{"function_response":{"name":"f","response":{}}}]}"#, "tool: {}", &[]),
        (
            r#"{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"json":{"n":300.0}}]}}]}"#,
            r#"tool(t): {"n":300.0}"#,
            &[],
        ),
        (r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}"#, "tool(t): ", &[]),
        (
            r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"t","result":[]}]}"#,
            "tool(t): []",
            &[],
        ),
        (
            r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","toolName":"f","result":{"n":7}}]}"#,
            r#"tool(t): {"n":7}"#,
            &[],
        ),
        (
            r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","output":{"type":"json","value":[7]}}]}"#,
            "tool(t): [7]",
            &[],
        ),
        (
            r#"{"role":"tool","content":[{"type":"tool-error","toolCallId":"t","error":"late"}]}"#,
            "tool(t): late",
            &[],
        ),
        (r#"{"type":"function_call_output","call_id":"t","output":"7"}"#, "tool(t): 7", &[]),
        (r#"{"type":"custom_tool_call_output","call_id":"t","output":"7"}"#, "tool(t): 7", &[]),
        (
            r#"{"type":"computer_call_output","call_id":"t","output":{"type":"computer_screenshot","image_url":"data:"}}"#,
            "tool(t): [image]",
            &["non_text_content"],
        ),
        (
            r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"w","input":{}},{"type":"web_search_tool_result","tool_use_id":"s","content":[]}]}"#,
            "assistant: [tool_result]",
            &["non_text_content"],
        ),
    ] {
        let source = format!(r#"[{{"role":"user","content":"Q"}},{element}]"#);
        let (messages, flagged) = messages(&source);
        assert_eq!((messages[1..].join(" | ").as_str(), flagged.as_slice()), (expected, flags), "{element}");
    }
}

#[test]
fn results_stand_before_what_the_user_adds_and_after_the_assistants_calls() {
    let (messages, flags) = messages(
        r#"[{"role":"user","content":"Q"},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"text","text":"and?"},{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"}]}]"#,
    );
    let calls = r#"assistant:  {"name":"f","arguments":{},"id":"a"} {"name":"f","arguments":{},"id":"b"}"#;
    assert_eq!(messages, ["user: Q", calls, "tool(a): 1", "tool(b): 2", "user: and?"]);
    assert!(flags.is_empty());
}

#[test]
fn calls_of_the_history_are_never_an_error() {
    for (element, expected) in [
        (
            r#"{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}"#,
            r#"assistant:  {"name":"f","arguments":{"a":1}}"#,
        ),
        (
            r#"{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}"#,
            r#"assistant:  {"name":"f","arguments":{},"id":"c"}"#,
        ),
        (
            r#"{"type":"custom_tool_call","call_id":"c","name":"f","input":"x"}"#,
            r#"assistant:  {"name":"f","arguments":{"input":"x"},"id":"c"}"#,
        ),
        (
            r#"{"role":"assistant","content":"T","tool_calls":[{"function":{"arguments":"{}"}},{"id":"c","function":{"name":"f","arguments":"{"}}]}"#,
            r#"assistant: T {"name":"f","arguments":null,"arguments_raw":"{","id":"c"}"#,
        ),
        (
            r#"{"role":"assistant","content":[{"type":"text","text":"T"},7,{"type":"tool_use","name":"f","input":{}}]}"#,
            r#"assistant: T/[file] {"name":"f","arguments":{}}"#,
        ),
        (r#"{"role":"assistant","content":"T","tool_calls":"soon"}"#, "assistant: T"),
        (r#"{"role":"assistant","content":null,"refusal":"No."}"#, "assistant: No."),
        (r#"{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}"#, "assistant: No."),
        (r#"{"role":"model","parts":[{"text":"hm","thought":true},{"text":"T"}]}"#, "assistant: T"),
        (r#"{"type":"web_search_call","id":"w","status":"completed"}"#, ""),
        (r#"{"type":"mcp_list_tools","id":"m","tools":[]}"#, ""),
    ] {
        let source = format!(r#"[{{"role":"user","content":"Q"}},{element}]"#);
        assert_eq!(messages(&source).0[1..].join(" | "), expected, "{element}");
    }
}

//! Texts made to make a reader work too long, too deep or too much, of any size.

/// A name, and a text of about so many bytes.
pub type Input = (&'static str, fn(usize) -> String);

/// Texts for cells.
pub const CELLS: &[Input] = &[
    ("lists in lists", |size| "[".repeat(size)),
    ("lists in lists, closed", |size| "[".repeat(size / 2) + &"]".repeat(size / 2)),
    ("objects in objects", |size| repeated(size, "{\"a\":")),
    ("objects in objects, closed", |size| repeated(size / 6 * 5, "{\"a\":") + "1" + &"}".repeat(size / 6)),
    ("a list of lists", |size| format!("[{}[]]", repeated(size, "[],"))),
    ("dicts in dicts", |size| repeated(size, "{'a': ")),
    ("tuples in tuples", |size| "(".repeat(size)),
    ("tuples in tuples, closed", |size| "(".repeat(size / 2) + &")".repeat(size / 2)),
    ("objects printed in objects", |size| repeated(size, "ToolCall(a=")),
    ("calls in calls", |size| repeated(size, "f(")),
    ("calls in calls, closed", |size| repeated(size / 3 * 2, "f(") + &")".repeat(size / 3)),
    ("lists in a call", |size| format!("f(a={}", "[".repeat(size))),
    ("expressions in a call", |size| format!("f(a={}1)", repeated(size, "1+("))),
    ("calls one after another", |size| repeated(size, "f(a=1)\n")),
    ("calls by place", |size| repeated(size, "f(1);")),
    ("a call of many arguments", |size| format!("f({})", numbered(size, |n| format!("a{n}=1, ")))),
    ("a call of many places", |size| format!("f({})", repeated(size, "1,"))),
    ("texts that join", |size| format!("['x'{}]", repeated(size, " 'x'"))),
    ("a name", |size| "f".repeat(size)),
    ("a name with dots", |size| repeated(size, "a.") + "f()"),
    ("quotes", |size| "\"".repeat(size)),
    ("single quotes", |size| "'".repeat(size)),
    ("back quotes", |size| "`".repeat(size)),
    ("backslashes", |size| "\"".to_owned() + &"\\".repeat(size)),
    ("escapes", |size| format!("\"{}\"", repeated(size, "\\u0001"))),
    ("digits", |size| format!("[{}]", "1".repeat(size))),
    ("digits of a float", |size| format!("f(a=0.{})", "1".repeat(size))),
    ("space", |size| format!("[{}]", " ".repeat(size))),
    ("lines", |size| "\n".repeat(size)),
    ("words", |size| repeated(size, "word ")),
    ("many keys", |size| format!("{{{}\"f\":1}}", numbered(size, |n| format!("\"k{n}\":1,")))),
    ("many arguments", |size| {
        format!(r#"{{"name":"f","arguments":{{{}"a":1}}}}"#, numbered(size, |n| format!("\"k{n}\":1,")))
    }),
    ("one key again and again", |size| format!("{{{}\"f\":1}}", repeated(size, "\"k\":1,"))),
    ("JSON within JSON", encoded),
    ("values one after another", |size| repeated(size, "{\"name\":\"f\"}")),
    ("values separated", |size| repeated(size, "{\"name\":\"f\"},;\n")),
    ("calls in a list", |size| {
        format!("[{}{{\"name\":\"f\"}}]", repeated(size, "{\"name\":\"f\",\"arguments\":\"{}\"},"))
    }),
    ("texts in a list", |size| format!("[{}\"f()\"]", repeated(size, "\"f(1)\","))),
    ("opened calls", |size| repeated(size, "<tool_call>")),
    ("opened calls with space", |size| repeated(size, "<tool_call> \n")),
    ("opened calls and lists", |size| repeated(size, "<tool_call>[")),
    ("tagged calls", |size| repeated(size, "<tool_call>{\"name\":\"f\"}</tool_call>")),
    ("tags without calls", |size| repeated(size, "<tool_call>{}</tool_call>")),
    ("functions", |size| repeated(size, "<function=f>{}</function>")),
    ("functions without an end", |size| repeated(size, "<function=")),
    ("functions in functions", |size| repeated(size, "<function=f><parameter=a>")),
    ("invocations", |size| repeated(size, "<invoke name=\"f\"></invoke>")),
    ("invocations without a name", |size| repeated(size, "<invoke >")),
    ("many parameters", |size| {
        format!(
            "<invoke name=\"f\">{}",
            numbered(size, |n| format!("<parameter name=\"a{n}\">1</parameter>"))
        )
    }),
    ("parameters without an end", |size| {
        format!("<invoke name=\"f\">{}", repeated(size, "<parameter name=\"a\">"))
    }),
    ("brackets and angles", |size| repeated(size, "<[")),
    ("Mistral's token", |size| repeated(size, "[TOOL_CALLS]")),
    ("Mistral's token and lists", |size| repeated(size, "[TOOL_CALLS][")),
    ("Llama's token", |size| repeated(size, "<|python_tag|>f(")),
    ("a name and an open object", |size| format!("f\n{}", repeated(size, "{\"a\":"))),
    ("fences", |size| "```".repeat(size / 3)),
    ("ends", |size| repeated(size, "</s>")),
    ("commas", |size| format!("{{}}{}", ",;".repeat(size / 2))),
    ("lines without parameters", |size| repeated(size, "f: d\n")),
    ("lines without an end", |size| repeated(size, "f: d | Parameters: {")),
    ("lines that break off", |size| repeated(size, "f: d | Parameters: {\"a\": \n")),
    ("lines of lists", |size| repeated(size, "f: d | Parameters: []\n")),
    ("lines with a rest", |size| repeated(size, "f: d | Parameters: {} x\n")),
    ("lines", |size| repeated(size, "f: d | Parameters: {}\n")),
    ("marks", |size| format!("f: {}", repeated(size, " | Parameters: "))),
    ("definitions", |size| {
        format!(
            "[{}{{\"name\":\"f\",\"parameters\":{{}}}}]",
            numbered(size, |n| format!("{{\"name\":\"f{n}\",\"parameters\":{{}}}},"))
        )
    }),
    ("definitions as texts", |size| {
        format!("[{}\"\"]", repeated(size, "\"{\\\"name\\\":\\\"f\\\",\\\"args\\\":{}}\","))
    }),
    ("messages", |size| {
        format!("[{}{}]", repeated(size, "{\"role\":\"assistant\",\"content\":\"x\"},"), USER)
    }),
    ("messages that call", |size| {
        format!("[{}{}]", repeated(size, "{\"role\":\"assistant\",\"tool_calls\":[{\"name\":\"f\"}]},"), USER)
    }),
    ("messages with broken calls", |size| {
        format!(
            "[{}{}]",
            repeated(size, "{\"role\":\"assistant\",\"tool_calls\":[{\"name\":\"f\"},7]},"),
            USER
        )
    }),
    ("calls in one message", |size| {
        format!(r#"[{{"role":"assistant","tool_calls":[{}7]}},{USER}]"#, repeated(size, "{\"name\":\"f\"},"))
    }),
    ("parts", |size| {
        format!(
            r#"[{{"role":"user","content":[{}"x"]}}]"#,
            repeated(size, "{\"type\":\"text\",\"text\":\"x\"},")
        )
    }),
    ("broken parts", |size| {
        format!(
            r#"[{{"role":"assistant","content":[{}7]}},{USER}]"#,
            repeated(size, "{\"type\":\"tool_use\"},")
        )
    }),
    ("turns", |size| format!("[{}[{USER}]]", repeated(size, "[{\"role\":\"user\",\"content\":\"x\"}],"))),
];

/// Texts for whole records.
pub const RECORDS: &[Input] = &[
    ("OTLP attributes", |size| {
        let pairs = numbered(size, |n| format!(r#"{{"key":"llm.x.{n}","value":{{"stringValue":"v"}}}},"#));
        otlp(&pairs)
    }),
    ("OTLP, one attribute again and again", |size| {
        otlp(&repeated(size, r#"{"key":"gen_ai.prompt","value":{"stringValue":"[]"}},"#))
    }),
    ("OTLP values in values", |size| {
        let deep = repeated(size, r#"{"arrayValue":{"values":["#);
        format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"attributes":[{{"key":"a","value":{deep}"#)
    }),
    ("OTLP spans", |size| {
        let span = r#"{"spanId":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]},"#;
        format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}{{}}]}}]}}]}}"#, repeated(size, span))
    }),
    ("OTLP spans and events of one id", |size| {
        let spans = repeated(
            size / 2,
            r#"{"spanId":"1","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}]},"#,
        );
        let events =
            repeated(size / 2, r#"{"spanId":"1","eventName":"gen_ai.user.message","body":{"content":"x"}},"#);
        let spans = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}{{}}]}}]}}],"#);
        format!(r#"{spans}"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{events}{{}}]}}]}}]}}"#)
    }),
    ("events of a span", |size| {
        let events = repeated(size, r#"{"name":"gen_ai.user.message","attributes":{"content":"x"}},"#);
        format!(
            r#"{{"span_id":"1","attributes":{{"gen_ai.operation.name":"chat"}},"events":[{events}{{}}]}}"#
        )
    }),
    ("numbered messages", |size| {
        attributes(&numbered(size, |n| format!(r#""llm.input_messages.{n}.message.content":"x","#)))
    }),
    ("numbered prompts", |size| {
        attributes(&numbered(size, |n| format!(r#""gen_ai.prompt.{n}.content":"x","#)))
    }),
    ("numbered calls", |size| {
        attributes(&numbered(size, |n| format!(r#""gen_ai.completion.0.tool_calls.{n}.name":"f","#)))
    }),
    ("numbered tools", |size| {
        attributes(&numbered(size, |n| format!(r#""llm.tools.{n}.tool.json_schema":"{{","#)))
    }),
    ("dotted names", |size| {
        attributes(&format!(r#""llm.input_messages.{}role":"user","#, repeated(size, "0.")))
    }),
    ("names that share a beginning", |size| {
        attributes(&numbered(size, |n| format!(r#""llm.input_messages.0.1.2.3.4.5.6.7.8.9.10.{n}":"x","#)))
    }),
    ("columns of a dataframe", |size| {
        format!(
            r#"{{"context.span_id":"1",{}"name":"x"}}"#,
            numbered(size, |n| format!(r#""attributes.llm.{n}":"x","#))
        )
    }),
    ("Inspect's messages", |size| {
        format!(
            r#"{{"id":"s","epoch":1,"messages":[{}{USER}]}}"#,
            repeated(size, "{\"role\":\"user\",\"content\":\"x\"},")
        )
    }),
    ("Inspect's attachments", |size| {
        let references = repeated(size / 2, r#""attachment://h","#);
        let attachment = format!(r#""attachments":{{"h":"{}"}}"#, "x".repeat(size / 2));
        let event = format!(
            r#"{{"event":"model","input":[{USER},{{"role":"user","content":[{references}""]}}],"output":{{"choices":[{{"message":{{"role":"assistant","content":"x"}}}}]}}}}"#
        );
        format!(r#"{{"id":"s","epoch":1,{attachment},"events":[{event}]}}"#)
    }),
    ("Inspect's ranges", |size| {
        let ranges = repeated(size / 2, "[0,9999],");
        let pool = repeated(size / 2, "{\"role\":\"user\",\"content\":\"x\"},");
        let event = format!(
            r#"{{"event":"model","input":[],"input_refs":[{ranges}[0,1]],"output":{{"choices":[{{"message":{{"role":"assistant","content":"x"}}}}]}}}}"#
        );
        format!(r#"{{"id":"s","epoch":1,"events_data":{{"messages":[{pool}{USER}]}},"events":[{event}]}}"#)
    }),
    ("LangSmith's patches", |size| {
        let patches = repeated(size, r#"{"id":"r","outputs":{"output":"x"}},"#);
        format!(
            r#"{{"post":[{{"id":"r","run_type":"llm","inputs":{{"messages":[{USER}]}}}}],"patch":[{patches}{{"id":"r"}}]}}"#
        )
    }),
    ("LangSmith's runs", |size| {
        format!(
            r#"{{"post":[{}{{"id":"r"}}]}}"#,
            repeated(size, r#"{"id":"r","run_type":"llm","inputs":{}},"#)
        )
    }),
    ("Langfuse's observations", |size| {
        let observation = r#"{"id":"o","traceId":"t","type":"GENERATION","input":"x","output":"y"},"#;
        format!(r#"{{"trace":{{}},"observations":[{}{{}}]}}"#, repeated(size, observation))
    }),
    ("Langfuse's calls", |size| {
        let calls = repeated(size, r#""{\"arguments\":\"{}\"}","#);
        format!(
            r#"{{"id":"o","traceId":"t","type":"GENERATION","input":"x","output":null,"toolCalls":[{calls}"{{}}"]}}"#
        )
    }),
    ("stored completions", |size| {
        let stored = r#"{"object":"chat.completion","choices":[{"message":{"content":"x"}}]},"#;
        format!(r#"{{"object":"list","data":[{}{{}}]}}"#, repeated(size, stored))
    }),
    ("choices", |size| {
        let choices = repeated(size, r#"{"message":{"role":"assistant","content":"x"}},"#);
        format!(r#"{{"request":{{"messages":[{USER}]}},"response":{{"choices":[{choices}{{}}]}}}}"#)
    }),
    ("keys of a request", |size| {
        let keys = numbered(size, |n| format!(r#""k{n}":1,"#));
        format!(
            r#"{{"request":{{{keys}"messages":[{USER}]}},"response":{{{keys}"choices":[{{"message":{{}}}}]}}}}"#
        )
    }),
    ("a batch of requests", |size| {
        let request = format!(r#"{{"custom_id":"1","params":{{"messages":[{USER}]}}}},"#);
        format!(r#"{{"requests":[{}{{"custom_id":"1","params":{{}}}}]}}"#, repeated(size, &request))
    }),
    ("a chat", |size| {
        let said = repeated(size, r#"{"role":"user","content":"x"},"#);
        format!(r#"{{"messages":[{said}{{"role":"assistant","content":"x"}}]}}"#)
    }),
    ("a chat of calls", |size| {
        let calls = repeated(size, r#"{"name":"f","args":{}},"#);
        format!(r#"{{"messages":[{USER},{{"role":"assistant","tool_calls":[{calls}{{"name":"f"}}]}}]}}"#)
    }),
];

const USER: &str = r#"{"role":"user","content":"q"}"#;

/// The part, as often as it fits into so many bytes.
fn repeated(size: usize, part: &str) -> String {
    part.repeat(size / part.len())
}

/// Parts that are all different, as many as fit into so many bytes.
fn numbered(size: usize, part: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(size);
    let mut number = 0;
    while text.len() < size {
        text += &part(number);
        number += 1;
    }
    text
}

/// JSON in a string in a string, as often as fits: every encoding doubles the backslashes.
fn encoded(size: usize) -> String {
    let mut text = r#"[{"name":"f"}]"#.to_owned();
    while text.len() < size / 2 {
        text = quoted(&text);
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn otlp(attributes: &str) -> String {
    let span = format!(
        r#"{{"spanId":"1","attributes":[{attributes}{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}}]}}"#
    );
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#)
}

fn attributes(members: &str) -> String {
    format!(r#"{{{members}"gen_ai.operation.name":"chat","llm.model_name":"m"}}"#)
}

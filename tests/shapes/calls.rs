//! All ways of writing calls, T1 to T31 of the formats that are read.

use tooljudge::domain::{Arguments, Flag, Json, ToolCall};

use super::values::{members_in_doubles, python, python_text, quoted};

/// One way of writing calls.
pub struct Shape {
    pub name: &'static str,
    pub write: fn(&[ToolCall]) -> String,
    /// Whether it has a place for the calls' ids.
    ids: bool,
    /// Whether it holds no more than one call.
    single: bool,
    /// Whether values are written as Python writes them, who respells floats.
    pub python: bool,
    /// Whether calls so written may stand among prose.
    pub tagged: bool,
    /// Whether arguments are marked as texts by nature.
    xml: bool,
}

impl Shape {
    const fn new(name: &'static str, write: fn(&[ToolCall]) -> String) -> Shape {
        Shape { name, write, ids: false, single: false, python: false, tagged: false, xml: false }
    }

    const fn ids(self) -> Shape {
        Shape { ids: true, ..self }
    }

    const fn single(self) -> Shape {
        Shape { single: true, ..self }
    }

    const fn python(self) -> Shape {
        Shape { python: true, ..self }
    }

    const fn tagged(self) -> Shape {
        Shape { tagged: true, ..self }
    }

    const fn xml(self) -> Shape {
        Shape { xml: true, ..self }
    }

    /// What must be read of `calls`, so written.
    pub fn expected(&self, calls: &[ToolCall]) -> Vec<ToolCall> {
        let most = if self.single { 1 } else { usize::MAX };
        let kept = |call: &ToolCall| ToolCall { id: call.id.clone().filter(|_| self.ids), ..call.clone() };
        let calls: Vec<ToolCall> = calls.iter().take(most).map(kept).collect();
        if self.python { in_doubles(&calls) } else { calls }
    }

    pub fn flags(&self, calls: &[ToolCall]) -> Vec<Flag> {
        let marked = self.xml && calls.iter().any(|call| call.parsed().is_some_and(|args| !args.is_empty()));
        marked.then_some(Flag::XmlArguments).into_iter().collect()
    }
}

pub fn in_doubles(calls: &[ToolCall]) -> Vec<ToolCall> {
    let arguments = |call: &ToolCall| Arguments::Parsed(members_in_doubles(call.parsed().unwrap()));
    calls.iter().map(|call| ToolCall { arguments: arguments(call), ..call.clone() }).collect()
}

pub const SHAPES: &[Shape] = &[
    Shape::new("normal form", |calls| {
        Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string()
    })
    .ids(),
    Shape::new("T1 OpenAI chat", |calls| list(calls, openai)).ids(),
    Shape::new("T1 in a message", |calls| {
        format!(r#"{{"role":"assistant","content":null,"tool_calls":{}}}"#, list(calls, openai))
    })
    .ids(),
    Shape::new("T1 in a response", |calls| {
        let message = format!(r#"{{"role":"assistant","content":"","tool_calls":{}}}"#, list(calls, openai));
        format!(r#"{{"id":"r","object":"chat.completion","choices":[{{"index":0,"message":{message}}}]}}"#)
    })
    .ids(),
    Shape::new("T3 OpenAI's first form", |calls| {
        let (name, args) = (quoted(&calls[0].name), quoted(&arguments(&calls[0])));
        format!(r#"{{"role":"assistant","content":null,"function_call":{{"name":{name},"arguments":{args}}}}}"#)
    })
    .single(),
    Shape::new("T4 Responses", |calls| list(calls, responses)).ids(),
    Shape::new("T4 in a response", |calls| {
        let calls = each(calls, ",", responses);
        let before = r#"{"type":"reasoning","id":"r","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]}"#;
        format!(r#"{{"id":"r","object":"response","output":[{before},{calls}]}}"#)
    })
    .ids(),
    Shape::new("T5 Anthropic", |calls| list(calls, anthropic)).ids(),
    Shape::new("T5 in a message", |calls| {
        let before = r#"{"type":"thinking","thinking":"t"},{"type":"text","text":"so"}"#;
        format!(r#"{{"type":"message","role":"assistant","content":[{before},{}]}}"#, each(calls, ",", anthropic))
    })
    .ids(),
    Shape::new("T6 Gemini", |calls| list(calls, |call| gemini("functionCall", call))).ids(),
    Shape::new("T6 Gemini in Python", |calls| list(calls, |call| gemini("function_call", call))).ids(),
    Shape::new("T6 in a response", |calls| {
        let parts = each(calls, ",", |call| gemini("functionCall", call));
        format!(r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":"so"}},{parts}]}}}}]}}"#)
    })
    .ids(),
    Shape::new("T6 in a content", |calls| {
        format!(r#"{{"content":{{"parts":{},"role":"model"}}}}"#, list(calls, |call| gemini("function_call", call)))
    })
    .ids(),
    Shape::new("T7 Bedrock", |calls| list(calls, bedrock)).ids(),
    Shape::new("T7 in a response", |calls| {
        let content = each(calls, ",", bedrock);
        format!(r#"{{"output":{{"message":{{"role":"assistant","content":[{{"text":"so"}},{content}]}}}}}}"#)
    })
    .ids(),
    Shape::new("T8 Mistral", |calls| {
        list(calls, |call| {
            let (name, args) = named(call);
            format!(r#"{{{}"function":{{"name":{name},"arguments":{args}}}}}"#, id("id", call))
        })
    })
    .ids(),
    Shape::new("T9 Cohere", |calls| {
        format!(r#"{{"role":"assistant","tool_plan":"so","tool_calls":{}}}"#, list(calls, openai))
    })
    .ids(),
    Shape::new("T9 Cohere, version 1", |calls| list(calls, |call| bare("parameters", call))),
    Shape::new("T9 Cohere's text", |calls| {
        list(calls, |call| format!(r#"{{"tool_name":{},"parameters":{}}}"#, named(call).0, named(call).1))
    }),
    Shape::new("T10 Ollama", |calls| {
        let calls = list(calls, |call| {
            format!(r#"{{"function":{{"index":0,"name":{},"arguments":{}}}}}"#, named(call).0, named(call).1)
        });
        format!(r#"{{"model":"m","message":{{"role":"assistant","content":"","tool_calls":{calls}}},"done":true}}"#)
    }),
    Shape::new("T11 Vercel", |calls| list(calls, |call| vercel("input", &arguments(call), call))).ids(),
    Shape::new("T11 Vercel, version 4", |calls| list(calls, |call| vercel("args", &arguments(call), call))).ids(),
    Shape::new("T11 in spans", |calls| list(calls, |call| vercel("input", &quoted(&arguments(call)), call))).ids(),
    Shape::new("T11b for user interfaces", |calls| {
        list(calls, |call| {
            let kind = quoted(&format!("tool-{}", call.name));
            let id = id("toolCallId", call);
            format!(r#"{{"type":{kind},{id}"state":"input-available","input":{}}}"#, arguments(call))
        })
    })
    .ids(),
    Shape::new("T11b dynamic", |calls| {
        list(calls, |call| {
            let (name, args) = named(call);
            format!(r#"{{"type":"dynamic-tool",{}"toolName":{name},"input":{args}}}"#, id("toolCallId", call))
        })
    })
    .ids(),
    Shape::new("T11b invocations", |calls| {
        list(calls, |call| {
            let (name, args) = named(call);
            let id = id("toolCallId", call);
            format!(r#"{{"type":"tool-invocation","toolInvocation":{{{id}"toolName":{name},"args":{args}}}}}"#)
        })
    })
    .ids(),
    Shape::new("T12 LangChain", langchain).ids(),
    Shape::new("T12 in kwargs", |calls| {
        let calls = list(calls, openai);
        format!(r#"{{"content":"","type":"ai","tool_calls":[],"additional_kwargs":{{"tool_calls":{calls}}}}}"#)
    })
    .ids(),
    Shape::new("T12 constructed", |calls| {
        let kwargs = langchain(calls);
        format!(r#"{{"lc":1,"type":"constructor","id":["langchain","AIMessage"],"kwargs":{kwargs}}}"#)
    })
    .ids(),
    Shape::new("T12 in data", |calls| format!(r#"{{"type":"ai","data":{}}}"#, langchain(calls))).ids(),
    Shape::new("T13 steps", |calls| list(calls, |call| format!(r#"[{},"seen"]"#, action(call)))).ids(),
    Shape::new("T13 actions", |calls| list(calls, action)).ids(),
    Shape::new("T13 one step", |calls| format!(r#"[{},{{"seen":1}}]"#, action(&calls[0]))).ids().single(),
    Shape::new("T13 output", |calls| {
        let steps = list(calls, |call| format!(r#"[{},"seen"]"#, action(call)));
        format!(r#"{{"input":"q","output":"a","intermediate_steps":{steps}}}"#)
    })
    .ids(),
    Shape::new("T13 with texts", |calls| {
        list(calls, |call| {
            format!(r#"{{"tool":{},"tool_input":{},"log":""}}"#, named(call).0, quoted(&arguments(call)))
        })
    }),
    Shape::new("T14 Inspect", |calls| {
        list(calls, |call| {
            let (name, args) = named(call);
            format!(r#"{{{}"function":{name},"arguments":{args},"parse_error":null}}"#, id("id", call))
        })
    })
    .ids(),
    Shape::new("T15 DeepEval", |calls| list(calls, |call| bare("input_parameters", call))),
    Shape::new("T15 DeepEval's JSON", |calls| list(calls, |call| bare("inputParameters", call))),
    Shape::new("T16 MCP", |calls| {
        list(calls, |call| {
            let params = bare("arguments", call);
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
        })
    }),
    Shape::new("T17 OpenTelemetry", |calls| list(calls, |call| otel(&arguments(call), call))).ids(),
    Shape::new("T17 in a message", |calls| {
        let parts = each(calls, ",", |call| otel(&quoted(&arguments(call)), call));
        let before = r#"{"type":"text","content":"so"},{"type":"reasoning","content":"t"}"#;
        format!(r#"[{{"role":"assistant","parts":[{before},{parts}],"finish_reason":"tool_call"}}]"#)
    })
    .ids(),
    Shape::new("T18 BFCL, strings", |calls| {
        list(calls, |call| format!("{{{}:{}}}", named(call).0, quoted(&arguments(call))))
    }),
    Shape::new("T19 BFCL, objects", |calls| {
        list(calls, |call| format!("{{{}:{}}}", named(call).0, arguments(call)))
    }),
    Shape::new("T20 call syntax", |calls| format!("[{}]", each(calls, ", ", syntax))).python(),
    Shape::new("T20 a line each", |calls| each(calls, "\n", syntax)).python(),
    Shape::new("T20 with semicolons", |calls| each(calls, "; ", syntax)).python(),
    Shape::new("T20 as texts", |calls| list(calls, |call| quoted(&syntax(call)))).python(),
    Shape::new("T21 Python's dicts", |calls| {
        format!("[{}]", each(calls, ", ", |call| python(&call.to_json())))
    })
    .python()
    .ids(),
    Shape::new("T21 of OpenAI's calls", |calls| python(&Json::parse(&list(calls, openai)).unwrap())).ids(),
    Shape::new("T21 in an array", |calls| {
        format!("array([{}], dtype=object)", each(calls, ",\n ", |call| python(&call.to_json())))
    })
    .python()
    .ids(),
    Shape::new("T22 OpenAI's objects", |calls| {
        let call = |call: &ToolCall| {
            let (id, name, args) = (keyword("id", call), python_text(&call.name), python_text(&arguments(call)));
            format!("ChatCompletionMessageToolCall({id}function=Function(arguments={args}, name={name}), type='function')")
        };
        format!("[{}]", each(calls, ", ", call))
    })
    .ids(),
    Shape::new("T22 Responses' objects", |calls| {
        let call = |call: &ToolCall| {
            let (id, name, args) = (keyword("call_id", call), python_text(&call.name), python_text(&arguments(call)));
            format!("ResponseFunctionToolCall(arguments={args}, {id}name={name}, type='function_call', id='fc')")
        };
        format!("[{}]", each(calls, ", ", call))
    })
    .ids(),
    Shape::new("T22 Anthropic's objects", |calls| {
        let call = |call: &ToolCall| {
            let (id, name, args) = (keyword("id", call), python_text(&call.name), in_python(call));
            format!("ToolUseBlock({id}input={args}, name={name}, type='tool_use')")
        };
        format!("[TextBlock(text='so', type='text'), {}]", each(calls, ", ", call))
    })
    .ids()
    .python(),
    Shape::new("T22 LangChain's objects", |calls| {
        let call = |call: &ToolCall| {
            let (id, name, args) = (keyword("tool_call_id", call), python_text(&call.name), in_python(call));
            format!("(ToolAgentAction(tool={name}, tool_input={args}, {id}log='l'), 'seen')")
        };
        format!("[{}]", each(calls, ", ", call))
    })
    .ids()
    .python(),
    Shape::new("T23 Hermes", |calls| {
        each(calls, "\n", |call| format!("<tool_call>\n{}\n</tool_call>", bare("arguments", call)))
    })
    .tagged(),
    Shape::new("T23 not closed", |calls| {
        each(calls, "</tool_call>", |call| format!("<tool_call>{}", bare("arguments", call)))
    })
    .tagged(),
    Shape::new("T24 Granite", |calls| {
        each(calls, "", |call| format!("<function_call> {}", bare("arguments", call)))
    })
    .tagged(),
    Shape::new("T24 Granite, version 3", |calls| {
        format!("<|tool_call|>{}", list(calls, |call| bare("arguments", call)))
    })
    .tagged(),
    Shape::new("T25 Mistral's text", |calls| {
        let call = |call: &ToolCall| format!(r#"{{{}{}"#, id("id", call), &bare("arguments", call)[1..]);
        format!("[TOOL_CALLS]{}", list(calls, call))
    })
    .ids()
    .tagged(),
    Shape::new("T26 Llama", |calls| {
        format!("<|python_tag|>{}<|eom_id|>", each(calls, "; ", |call| bare("parameters", call)))
    })
    .tagged(),
    Shape::new("T26 Llama's functions", |calls| {
        each(calls, "", |call| format!("<function={}>{}</function>", call.name, arguments(call)))
    })
    .tagged(),
    Shape::new("T26 Llama's own tools", |calls| {
        let call = |call: &ToolCall| syntax(&ToolCall { name: format!("{}.call", call.name), ..call.clone() });
        format!("<|python_tag|>{}<|eom_id|>", each(calls, "; ", call))
    })
    .python()
    .tagged(),
    Shape::new("T27 xLAM", |calls| {
        format!(r#"{{"tool_calls":{}}}"#, list(calls, |call| bare("arguments", call)))
    }),
    Shape::new("T28 GLM", |calls| format!("{}\n{}", calls[0].name, arguments(&calls[0]))).single(),
    Shape::new("T29 LFM2", |calls| {
        format!("<|tool_call_start|>[{}]<|tool_call_end|>", each(calls, ", ", syntax))
    })
    .python()
    .tagged(),
    Shape::new("T30 XML", |calls| {
        each(calls, "\n", |call| {
            let parameter = |name: &str, value: String| format!("<parameter name=\"{name}\">{value}</parameter>");
            format!("<invoke name=\"{}\">\n{}\n</invoke>", call.name, elements(call, parameter))
        })
    })
    .xml()
    .tagged(),
    Shape::new("T30 XML of Qwen", |calls| {
        each(calls, "\n", |call| {
            let parameter = |name: &str, value: String| format!("<parameter={name}>\n{value}\n</parameter>");
            format!("<tool_call>\n<function={}>\n{}\n</function>\n</tool_call>", call.name, elements(call, parameter))
        })
    })
    .xml()
    .tagged(),
    Shape::new("T31 args", |calls| list(calls, |call| with_id("id", &bare("args", call), call))).ids(),
    Shape::new("T31 input", |calls| list(calls, |call| with_id("call_id", &bare("input", call), call))).ids(),
    Shape::new("T31 tool_input", |calls| {
        list(calls, |call| with_id("tool_call_id", &bare("tool_input", call), call))
    })
    .ids(),
    Shape::new("T31 kwargs", |calls| each(calls, "\n", |call| bare("kwargs", call))),
    Shape::new("T31 params", |calls| each(calls, "; ", |call| bare("params", call))),
    Shape::new("T31 rawInput", |calls| each(calls, ", ", |call| bare("rawInput", call))),
];

fn each(calls: &[ToolCall], separator: &str, write: impl Fn(&ToolCall) -> String) -> String {
    calls.iter().map(write).collect::<Vec<_>>().join(separator)
}

/// A JSON list.
fn list(calls: &[ToolCall], write: impl Fn(&ToolCall) -> String) -> String {
    format!("[{}]", each(calls, ", ", write))
}

fn arguments(call: &ToolCall) -> String {
    call.parsed().unwrap().to_string()
}

fn in_python(call: &ToolCall) -> String {
    python(&Json::Object(call.parsed().unwrap().clone()))
}

/// The name and the arguments in JSON.
fn named(call: &ToolCall) -> (String, String) {
    (quoted(&call.name), arguments(call))
}

/// A member that holds the call's id, if it has one, and the comma behind it.
pub fn id(key: &str, call: &ToolCall) -> String {
    call.id.as_ref().map(|id| format!(r#""{key}":{},"#, quoted(id))).unwrap_or_default()
}

/// The object with the call's id in it.
fn with_id(key: &str, object: &str, call: &ToolCall) -> String {
    format!("{{{}{}", id(key, call), &object[1..])
}

/// A keyword argument that holds the call's id, and the comma behind it.
pub fn keyword(key: &str, call: &ToolCall) -> String {
    call.id.as_ref().map(|id| format!("{key}={}, ", python_text(id))).unwrap_or_default()
}

fn bare(key: &str, call: &ToolCall) -> String {
    let (name, args) = named(call);
    format!(r#"{{"name":{name},"{key}":{args}}}"#)
}

fn openai(call: &ToolCall) -> String {
    let (name, args) = (quoted(&call.name), quoted(&arguments(call)));
    format!(r#"{{{}"type":"function","function":{{"name":{name},"arguments":{args}}}}}"#, id("id", call))
}

fn responses(call: &ToolCall) -> String {
    let (name, args) = (quoted(&call.name), quoted(&arguments(call)));
    let id = id("call_id", call);
    format!(
        r#"{{"type":"function_call","id":"fc",{id}"name":{name},"arguments":{args},"status":"completed"}}"#
    )
}

fn anthropic(call: &ToolCall) -> String {
    let (name, args) = named(call);
    format!(r#"{{"type":"tool_use",{}"name":{name},"input":{args}}}"#, id("id", call))
}

fn gemini(key: &str, call: &ToolCall) -> String {
    let (name, args) = named(call);
    format!(r#"{{"{key}":{{{}"name":{name},"args":{args}}}}}"#, id("id", call))
}

fn bedrock(call: &ToolCall) -> String {
    let (name, args) = named(call);
    format!(r#"{{"toolUse":{{{}"name":{name},"input":{args}}}}}"#, id("toolUseId", call))
}

fn vercel(key: &str, args: &str, call: &ToolCall) -> String {
    let id = id("toolCallId", call);
    format!(r#"{{"type":"tool-call",{id}"toolName":{},"{key}":{args}}}"#, quoted(&call.name))
}

fn langchain(calls: &[ToolCall]) -> String {
    let calls = list(calls, |call| {
        with_id("id", &bare("args", call), call).replacen('{', r#"{"type":"tool_call","#, 1)
    });
    format!(
        r#"{{"content":"","type":"ai","tool_calls":{calls},"invalid_tool_calls":[],"additional_kwargs":{{}}}}"#
    )
}

fn action(call: &ToolCall) -> String {
    let (name, args) = named(call);
    format!(r#"{{"tool":{name},"tool_input":{args},{}"log":"l"}}"#, id("tool_call_id", call))
}

pub fn otel(args: &str, call: &ToolCall) -> String {
    format!(r#"{{"type":"tool_call",{}"name":{},"arguments":{args}}}"#, id("id", call), quoted(&call.name))
}

fn syntax(call: &ToolCall) -> String {
    let argument = |(name, value): (&str, &Json)| format!("{name}={}", python(value));
    let arguments: Vec<String> = call.parsed().unwrap().iter().map(argument).collect();
    format!("{}({})", call.name, arguments.join(", "))
}

/// The arguments as XML elements; values are JSON in which nothing can close an element.
fn elements(call: &ToolCall, element: impl Fn(&str, String) -> String) -> String {
    let value = |value: &Json| value.to_string().replace('<', "\\u003c");
    let arguments = call.parsed().unwrap().iter();
    arguments.map(|(name, argument)| element(name, value(argument))).collect::<Vec<_>>().join("\n")
}

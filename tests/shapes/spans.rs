//! Logs of OpenTelemetry's family: the ways of writing an exchange into attributes, and what such attributes stand in.

use tooljudge::domain::{Json, Message, Role, ToolCall};

use super::exchanges::{ALL, Exchange, Keeps, object};
use super::questions::{openai_call, otel, vercel};
use super::records::Log;
use super::values::quoted;

/// Attributes, each a name and a text.
type Attributes = Vec<(String, String)>;

pub const LOGS: &[Log] = &[
    Log::new("GenAI in OTLP", "otlp", ALL, |x| otlp(x, genai(x), "")),
    Log::new("GenAI in a span", "otel_span", ALL, |x| span(x, genai(x))),
    Log::new("GenAI in attributes", "otel_attributes", BARE, |x| bare(genai(x))),
    Log::new("GenAI in columns", "phoenix_dataframe", ALL, |x| columns(x, genai(x))),
    Log::new("OpenInference in OTLP", "otlp", ALL, |x| otlp(x, openinference(x), "")),
    Log::new("OpenInference in a span", "otel_span", ALL, |x| span(x, openinference(x))),
    Log::new("OpenInference in attributes", "otel_attributes", BARE, |x| bare(openinference(x))),
    Log::new("OpenInference in lists", "phoenix_dataframe", ALL, dataframe),
    Log { holds: no_parts, ..Log::new("OpenLLMetry in OTLP", "otlp", ALL, |x| otlp(x, openllmetry(x), "")) },
    Log {
        holds: no_parts,
        ..Log::new("OpenLLMetry in a span", "otel_span", ALL, |x| span(x, openllmetry(x)))
    },
    Log {
        holds: no_parts,
        ..Log::new("OpenLLMetry in attributes", "otel_attributes", BARE, |x| bare(openllmetry(x)))
    },
    Log::new("Vercel in OTLP", "otlp", ALL, |x| otlp(x, vercel_spans(x), "")),
    Log::new("Vercel in a span", "otel_span", ALL, |x| span(x, vercel_spans(x))),
    Log::new("PydanticAI in OTLP", "otlp", ALL, |x| otlp(x, pydantic_ai(x), "")),
    Log::new("PydanticAI in a span", "otel_span", ALL, |x| span(x, pydantic_ai(x))),
    Log::new("events of a span in OTLP", "otlp", Keeps { tools: false, ..ALL }, |x| {
        let event = |event: &Json| {
            let name = event.get("event.name").unwrap().to_string();
            let fields = event.as_object().unwrap().iter().filter(|(key, _)| *key != "event.name");
            let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let fields = fields.map(|(key, value)| (key.to_owned(), text(value))).collect();
            object(&[("name", name), ("attributes", pairs(&fields))])
        };
        otlp(x, operation(x), &each(&events(x), event))
    }),
    Log::new("events of a span beside it", "otlp", Keeps { tools: false, ..ALL }, |x| {
        let record = |event: &Json| {
            let name = event.get("event.name").unwrap().to_string();
            let body = event.as_object().unwrap().iter().filter(|(key, _)| *key != "event.name");
            let body: Vec<String> = body.map(|(key, value)| pair(key, &typed(value))).collect();
            let body = format!(r#"{{"kvlistValue":{{"values":[{}]}}}}"#, body.join(","));
            object(&[("spanId", quoted(&x.id)), ("eventName", name), ("body", body)])
        };
        let records = each(&events(x), record);
        let logs = format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":{records}}}]}}]}}"#);
        format!("{logs}\n{}", otlp(x, operation(x), ""))
    }),
];

const BARE: Keeps = Keeps { id: false, ..Keeps::NO_TIMES };

fn each<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

fn add(attributes: &mut Attributes, name: impl Into<String>, text: impl Into<String>) {
    attributes.push((name.into(), text.into()));
}

/// What all conventions say of a call, but for its words.
fn operation(x: &Exchange) -> Attributes {
    let known = [("gen_ai.operation.name", "chat"), ("gen_ai.response.model", x.model.as_str())];
    known.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec()
}

fn genai(x: &Exchange) -> Attributes {
    let (system, messages) = x.without_system();
    let mut attributes = operation(x);
    if let Some(text) = system {
        let part = object(&[("type", quoted("text")), ("content", quoted(text))]);
        add(&mut attributes, "gen_ai.system_instructions", format!("[{part}]"));
    }
    add(&mut attributes, "gen_ai.input.messages", each(messages, otel));
    add(&mut attributes, "gen_ai.output.messages", format!("[{}]", otel(&x.answer)));
    add(&mut attributes, "gen_ai.tool.definitions", x.tools_in("D2 Responses"));
    attributes
}

fn openinference(x: &Exchange) -> Attributes {
    let mut attributes = Vec::new();
    add(&mut attributes, "openinference.span.kind", "LLM");
    add(&mut attributes, "llm.model_name", &x.model);
    let mut message = |prefix: String, message: &Message| {
        let mut field = |name: &str, text: &str| {
            if !text.is_empty() {
                add(&mut attributes, format!("{prefix}.message.{name}"), text);
            }
        };
        field("role", message.role.as_str());
        field("content", &message.content);
        field("tool_call_id", message.tool_call_id.as_deref().unwrap_or_default());
        for (place, call) in message.tool_calls.iter().enumerate() {
            let mut part =
                |name: &str, text: &str| field(&format!("tool_calls.{place}.tool_call.{name}"), text);
            part("id", call.id.as_deref().unwrap_or_default());
            part("function.name", &call.name);
            part("function.arguments", &call.parsed().unwrap().to_string());
        }
    };
    for (place, said) in x.messages.iter().enumerate() {
        message(format!("llm.input_messages.{place}"), said);
    }
    message("llm.output_messages.0".to_owned(), &x.answer);
    for (place, tool) in x.tools.iter().enumerate() {
        let schema = object(&[("type", quoted("function")), ("function", tool.to_json().to_string())]);
        add(&mut attributes, format!("llm.tools.{place}.tool.json_schema"), schema);
    }
    attributes
}

/// Whether nobody says what looks like the parts of a message, which are written as JSON there.
fn no_parts(x: &Exchange) -> bool {
    let is_part = |item: &Json| item.get("type").is_some_and(|kind| kind.as_str().is_some());
    let are_parts =
        |text: &str| matches!(Json::parse(text), Ok(Json::Array(items)) if items.iter().all(is_part));
    !x.messages.iter().any(|message| are_parts(&message.content))
}

fn openllmetry(x: &Exchange) -> Attributes {
    let mut attributes = operation(x);
    add(&mut attributes, "llm.request.type", "chat");
    let mut message = |prefix: String, message: &Message| {
        let mut field = |name: &str, text: &str| {
            if !text.is_empty() {
                add(&mut attributes, format!("{prefix}.{name}"), text);
            }
        };
        field("role", message.role.as_str());
        field("content", &message.content);
        field("tool_call_id", message.tool_call_id.as_deref().unwrap_or_default());
        for (place, call) in message.tool_calls.iter().enumerate() {
            let mut part = |name: &str, text: &str| field(&format!("tool_calls.{place}.{name}"), text);
            part("id", call.id.as_deref().unwrap_or_default());
            part("name", &call.name);
            part("arguments", &call.parsed().unwrap().to_string());
        }
    };
    for (place, said) in x.messages.iter().enumerate() {
        message(format!("gen_ai.prompt.{place}"), said);
    }
    message("gen_ai.completion.0".to_owned(), &x.answer);
    for (place, tool) in x.tools.iter().enumerate() {
        let mut field = |name: &str, text: &str| {
            add(&mut attributes, format!("llm.request.functions.{place}.{name}"), text)
        };
        field("name", &tool.name);
        field("description", &tool.description);
        field("parameters", &tool.parameters.to_string());
    }
    attributes
}

fn vercel_spans(x: &Exchange) -> Attributes {
    let mut attributes = Vec::new();
    add(&mut attributes, "ai.operationId", "ai.generateText.doGenerate");
    add(&mut attributes, "ai.response.model", &x.model);
    add(&mut attributes, "ai.prompt.messages", each(&x.messages, vercel));
    add(&mut attributes, "ai.prompt.tools", x.tools_in("D10 in spans"));
    if !x.answer.content.is_empty() {
        add(&mut attributes, "ai.response.text", &x.answer.content);
    }
    if !x.answer.tool_calls.is_empty() {
        let call = |call: &ToolCall| {
            object(&[
                ("type", quoted("tool-call")),
                ("toolCallId", call.id.as_deref().map(quoted).unwrap_or_default()),
                ("toolName", quoted(&call.name)),
                ("input", quoted(&call.parsed().unwrap().to_string())),
            ])
        };
        add(&mut attributes, "ai.response.toolCalls", each(&x.answer.tool_calls, call));
    }
    attributes
}

/// An event for each message, and one for the answer.
fn events(x: &Exchange) -> Vec<Json> {
    let event = |message: &Message| {
        let name = match message.role {
            Role::System => "gen_ai.system.message",
            Role::User => "gen_ai.user.message",
            Role::Assistant => "gen_ai.assistant.message",
            Role::Tool => "gen_ai.tool.message",
        };
        object(&[
            ("event.name", quoted(name)),
            (
                "content",
                Some(quoted(&message.content)).filter(|_| !message.content.is_empty()).unwrap_or_default(),
            ),
            (
                "tool_calls",
                if message.tool_calls.is_empty() {
                    String::new()
                } else {
                    each(&message.tool_calls, openai_call)
                },
            ),
            ("id", message.tool_call_id.as_deref().map(quoted).unwrap_or_default()),
        ])
    };
    let answer = &x.answer;
    let message = object(&[
        ("role", quoted("assistant")),
        ("content", Some(quoted(&answer.content)).filter(|_| !answer.content.is_empty()).unwrap_or_default()),
        (
            "tool_calls",
            if answer.tool_calls.is_empty() { String::new() } else { each(&answer.tool_calls, openai_call) },
        ),
    ]);
    let choice = object(&[
        ("event.name", quoted("gen_ai.choice")),
        ("index", "0".to_owned()),
        ("finish_reason", quoted("stop")),
        ("message", message),
    ]);
    x.messages.iter().map(event).chain([choice]).map(|event| Json::parse(&event).unwrap()).collect()
}

fn pydantic_ai(x: &Exchange) -> Attributes {
    let mut attributes = operation(x);
    add(&mut attributes, "events", Json::Array(events(x)).to_string());
    let tools = x.tools_in("D5 Gemini in Python").replacen("function_declarations", "function_tools", 1);
    add(&mut attributes, "model_request_parameters", tools);
    attributes
}

fn pair(name: &str, value: &str) -> String {
    object(&[("key", quoted(name)), ("value", value.to_owned())])
}

fn pairs(attributes: &Attributes) -> String {
    each(attributes, |(name, text)| pair(name, &object(&[("stringValue", quoted(text))])))
}

/// A value with its type, as OTLP has it.
fn typed(value: &Json) -> String {
    match value {
        Json::String(text) => object(&[("stringValue", quoted(text))]),
        Json::Number(number) => object(&[("intValue", quoted(number.as_str()))]),
        Json::Array(items) => object(&[("arrayValue", object(&[("values", each(items, typed))]))]),
        Json::Object(members) => {
            let members: Vec<(&str, &Json)> = members.iter().collect();
            object(&[(
                "kvlistValue",
                object(&[("values", each(&members, |(key, value)| pair(key, &typed(value))))]),
            )])
        }
        Json::Bool(value) => object(&[("boolValue", value.to_string())]),
        Json::Null => "{}".to_owned(),
    }
}

fn otlp(x: &Exchange, attributes: Attributes, events: &str) -> String {
    let span = object(&[
        ("traceId", quoted("0af7651916cd43dd8448eb211c80319c")),
        ("spanId", quoted(&x.id)),
        ("startTimeUnixNano", quoted(&x.start.as_nanosecond().to_string())),
        ("endTimeUnixNano", quoted(&x.end().as_nanosecond().to_string())),
        ("attributes", pairs(&attributes)),
        ("events", events.to_owned()),
    ]);
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#)
}

fn members(attributes: &Attributes, prefix: &str) -> String {
    let named: Vec<(String, String)> =
        attributes.iter().map(|(name, text)| (format!("{prefix}{name}"), quoted(text))).collect();
    let members: Vec<(&str, String)> =
        named.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    object(&members)
}

fn bare(attributes: Attributes) -> String {
    members(&attributes, "")
}

fn span(x: &Exchange, attributes: Attributes) -> String {
    object(&[
        ("context", object(&[("span_id", quoted(&format!("0x{}", x.id)))])),
        ("start_time", quoted(&x.start.to_string())),
        ("end_time", quoted(&x.end().to_string())),
        ("attributes", members(&attributes, "")),
    ])
}

fn columns(x: &Exchange, attributes: Attributes) -> String {
    let row = members(&attributes, "attributes.");
    let known = [
        ("context.span_id", quoted(&x.id)),
        ("start_time", x.start.as_millisecond().to_string()),
        ("end_time", x.end().as_millisecond().to_string()),
    ];
    format!("{},{}", object(&known).trim_end_matches('}'), &row[1..])
}

/// Messages and tools as lists of objects with dotted keys.
fn dataframe(x: &Exchange) -> String {
    let call = |call: &ToolCall| {
        object(&[
            ("tool_call.id", call.id.as_deref().map(quoted).unwrap_or_default()),
            ("tool_call.function.name", quoted(&call.name)),
            ("tool_call.function.arguments", quoted(&call.parsed().unwrap().to_string())),
        ])
    };
    let message = |message: &Message| {
        let calls = Some(each(&message.tool_calls, call)).filter(|_| !message.tool_calls.is_empty());
        object(&[
            ("message.role", quoted(message.role.as_str())),
            (
                "message.content",
                Some(quoted(&message.content)).filter(|_| !message.content.is_empty()).unwrap_or_default(),
            ),
            ("message.tool_call_id", message.tool_call_id.as_deref().map(quoted).unwrap_or_default()),
            ("message.tool_calls", calls.unwrap_or_default()),
        ])
    };
    object(&[
        ("context.span_id", quoted(&x.id)),
        ("span_kind", quoted("LLM")),
        ("start_time", quoted(&x.start.to_string())),
        ("end_time", quoted(&x.end().to_string())),
        ("attributes.llm.model_name", quoted(&x.model)),
        ("attributes.llm.input_messages", each(&x.messages, message)),
        ("attributes.llm.output_messages", format!("[{}]", message(&x.answer))),
        ("attributes.llm.tools", x.tools_in("D11 OpenInference")),
    ])
}

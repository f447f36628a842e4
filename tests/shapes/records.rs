//! All logs but those of OpenTelemetry's family, written from one exchange.

use tooljudge::domain::{Json, Message, Role, ToolCall};

use super::exchanges::{ALL, Exchange, Keeps, object};
use super::questions::{anthropic, bedrock, gemini, langchain, openai, responses, vercel};
use super::values::quoted;

/// One way of logging an exchange.
pub struct Log {
    pub name: &'static str,
    /// What it is found to be.
    pub format: &'static str,
    /// The records, one after another.
    pub write: fn(&Exchange) -> String,
    pub keeps: Keeps,
    /// Where it cannot hold every exchange: which it can.
    pub holds: fn(&Exchange) -> bool,
    /// The id that is read.
    pub id: fn(&Exchange) -> String,
}

impl Log {
    pub const fn new(
        name: &'static str,
        format: &'static str,
        keeps: Keeps,
        write: fn(&Exchange) -> String,
    ) -> Log {
        Log { name, format, write, keeps, holds: |_| true, id: |exchange| exchange.id.clone() }
    }
}

pub const LOGS: &[Log] = &[
    Log::new("OpenAI's pairs", "provider_pair", Keeps::NO_LATENCY, |x| {
        pair(&openai_request(x), &openai_response(x))
    }),
    Log::new("pairs of bodies as texts", "provider_pair", Keeps::NO_LATENCY, |x| {
        let (request, response) = (quoted(&openai_request(x)), quoted(&openai_response(x)));
        object(&[("request_body", request), ("response_body", response)])
    }),
    Log::new("pairs of whole messages of HTTP", "provider_pair", Keeps::NO_LATENCY, |x| {
        let sent = object(&[("method", quoted("POST")), ("url", quoted("u")), ("body", openai_request(x))]);
        pair(&sent, &object(&[("status_code", "200".to_owned()), ("body", quoted(&openai_response(x)))]))
    }),
    Log::new("Responses' pairs", "provider_pair", Keeps { form: "Responses", ..Keeps::NO_LATENCY }, |x| {
        let request = object(&[
            ("model", quoted(&x.model)),
            ("input", x.messages_in("Responses")),
            ("tools", x.tools_in("D2 Responses")),
        ]);
        let response = object(&[
            ("id", quoted(&x.id)),
            ("object", quoted("response")),
            ("created_at", x.start.as_second().to_string()),
            ("model", quoted(&x.model)),
            ("output", list(&responses(&x.answer))),
        ]);
        pair(&request, &response)
    }),
    Log::new("Anthropic's pairs", "provider_pair", Keeps::NO_TIMES, |x| {
        let (system, messages) = x.without_system();
        let request = object(&[
            ("model", quoted(&x.model)),
            ("system", system.map(quoted).unwrap_or_default()),
            ("messages", each(messages, anthropic)),
            ("tools", x.tools_in("D4 Anthropic")),
        ]);
        let known = [("id", quoted(&x.id)), ("type", quoted("message")), ("model", quoted(&x.model))];
        pair(&request, &with(&known, &anthropic(&x.answer)))
    }),
    Log::new("Gemini's pairs", "provider_pair", Keeps { form: "Gemini", ..Keeps::NO_LATENCY }, |x| {
        let (system, messages) = x.without_system();
        let said = |text| object(&[("parts", format!("[{}]", object(&[("text", quoted(text))])))]);
        let request = object(&[
            ("systemInstruction", system.map(said).unwrap_or_default()),
            ("contents", each(messages, gemini)),
            ("tools", x.tools_in("D5 Gemini")),
        ]);
        let response = object(&[
            (
                "candidates",
                format!("[{}]", object(&[("content", gemini(&x.answer)), ("index", "0".to_owned())])),
            ),
            ("modelVersion", quoted(&x.model)),
            ("responseId", quoted(&x.id)),
            ("createTime", quoted(&x.start.to_string())),
        ]);
        pair(&request, &response)
    }),
    Log::new("Bedrock's pairs", "provider_pair", Keeps { id: false, start: false, ..ALL }, |x| {
        let (system, messages) = x.without_system();
        let said = |text| format!("[{}]", object(&[("text", quoted(text))]));
        let request = object(&[
            ("modelId", quoted(&x.model)),
            ("system", system.map(said).unwrap_or_default()),
            ("messages", each(messages, bedrock)),
            ("toolConfig", object(&[("tools", x.tools_in("D7 the list alone"))])),
        ]);
        let response = object(&[
            ("output", object(&[("message", bedrock(&x.answer))])),
            ("stopReason", ending(x, "tool_use", "end_turn")),
            ("metrics", object(&[("latencyMs", x.latency.as_millis().to_string())])),
        ]);
        pair(&request, &response)
    }),
    Log::new("Ollama's pairs", "provider_pair", Keeps { ids: false, id: false, ..ALL }, |x| {
        let call = |call: &ToolCall| {
            let (name, arguments) = (quoted(&call.name), call.parsed().unwrap().to_string());
            object(&[("function", object(&[("name", name), ("arguments", arguments)]))])
        };
        let message = object(&[
            ("role", quoted("assistant")),
            ("content", quoted(&x.answer.content)),
            ("tool_calls", each(&x.answer.tool_calls, call)),
        ]);
        let response = object(&[
            ("model", quoted(&x.model)),
            ("created_at", quoted(&x.start.to_string())),
            ("message", message),
            ("done", "true".to_owned()),
            ("total_duration", x.latency.as_nanos().to_string()),
        ]);
        pair(&openai_request(x), &response)
    }),
    Log::new("Cohere's pairs", "provider_pair", Keeps::NO_TIMES, |x| {
        let response = object(&[
            ("id", quoted(&x.id)),
            ("finish_reason", ending(x, "TOOL_CALL", "COMPLETE")),
            ("message", with(&[("tool_plan", quoted("so"))], &openai(&x.answer))),
        ]);
        pair(&openai_request(x), &response)
    }),
    Log::new("OpenAI's batches", "batch", Keeps::NO_LATENCY, |x| {
        let custom = ("custom_id", quoted(&x.id));
        let asked = object(&[custom.clone(), ("url", quoted("u")), ("body", openai_request(x))]);
        let response = object(&[("status_code", "200".to_owned()), ("body", openai_response(x))]);
        format!("{}\n{asked}", object(&[custom, ("response", response), ("error", "null".to_owned())]))
    }),
    Log::new("Anthropic's batches", "batch", Keeps::NO_TIMES, |x| {
        let custom = ("custom_id", quoted(&x.id));
        let (system, messages) = x.without_system();
        let params = object(&[
            ("system", system.map(quoted).unwrap_or_default()),
            ("messages", each(messages, anthropic)),
            ("tools", x.tools_in("D4 Anthropic")),
        ]);
        let requests =
            object(&[("requests", format!("[{}]", object(&[custom.clone(), ("params", params)])))]);
        let known = [("type", quoted("message")), ("model", quoted(&x.model))];
        let result =
            object(&[("type", quoted("succeeded")), ("message", with(&known, &anthropic(&x.answer)))]);
        format!("{requests}\n{}", object(&[custom, ("result", result)]))
    }),
    Log::new("LiteLLM", "litellm", ALL, |x| {
        object(&[
            ("id", quoted(&x.id)),
            ("call_type", quoted("acompletion")),
            ("startTime", format!("{:.3}", x.start.as_millisecond() as f64 / 1e3)),
            ("endTime", format!("{:.3}", x.end().as_millisecond() as f64 / 1e3)),
            ("model", quoted(&x.model)),
            ("messages", x.messages_in("OpenAI")),
            ("response", openai_response(x)),
            ("model_parameters", object(&[("tools", x.tools_in("D1 OpenAI"))])),
        ])
    }),
    Log::new("BFCL", "bfcl_result", BFCL, |x| bfcl(x, |call| call.parsed().unwrap().to_string())),
    Log::new("BFCL, strings", "bfcl_result", BFCL, |x| {
        bfcl(x, |call| quoted(&call.parsed().unwrap().to_string()))
    }),
    Log::new("stored completions", "openai_stored", Keeps::NO_LATENCY, |x| {
        let asked = [("messages", x.messages_in("OpenAI")), ("tools", x.tools_in("D1 OpenAI"))];
        object(&[("object", quoted("list")), ("data", format!("[{}]", with(&asked, &openai_response(x))))])
    }),
    Log {
        // What a tool returned cannot be an executor's input, and its words are no part of the steps.
        holds: |x| x.messages.last().is_some_and(|last| last.role == Role::User),
        ..Log::new("LangChain's steps", "langchain_steps", Keeps::NO_ORIGIN, |x| {
            let step = |call: &ToolCall| {
                let action = object(&[
                    ("tool", quoted(&call.name)),
                    ("tool_input", call.parsed().unwrap().to_string()),
                    ("log", quoted("l")),
                    // Calls in parallel come out of one message.
                    ("message_log", format!("[{}]", langchain(&x.answer))),
                    ("tool_call_id", call.id.as_deref().map(quoted).unwrap_or_default()),
                ]);
                format!("[{action},{}]", quoted("seen"))
            };
            let (asked, before) = x.messages.split_last().unwrap();
            object(&[
                ("input", quoted(&asked.content)),
                ("chat_history", each(before, langchain)),
                ("intermediate_steps", each(&x.answer.tool_calls, step)),
                ("tools", x.tools_in("D9 LangChain")),
                // What the agent says in the end would be a turn of its own.
                ("output", String::new()),
            ])
        })
    },
    Log {
        id: |x| x.last_turn(&x.id),
        ..Log::new("files for fine-tuning", "openai_messages", Keeps::NO_TIMES, |x| {
            chat(x, openai, &x.tools_in("D1 OpenAI"))
        })
    },
    Log {
        id: |x| x.last_turn(&x.id),
        ..Log::new("LangChain's messages", "langchain_messages", Keeps::NO_TIMES, |x| {
            chat(x, langchain, &x.tools_in("D1 OpenAI"))
        })
    },
    Log {
        id: |x| x.last_turn(&format!("{}#0", x.id)),
        ..Log::new("tau-bench", "tau_bench", Keeps::NO_MODEL, |x| {
            let messages: Vec<String> = x.messages.iter().chain([&x.answer]).map(openai).collect();
            object(&[
                ("task_id", quoted(&x.id)),
                ("trial", "0".to_owned()),
                ("reward", "1.0".to_owned()),
                ("traj", list(&messages)),
                ("tools", x.tools_in("D1 OpenAI")),
            ])
        })
    },
    Log {
        id: |x| x.last_turn(&x.id),
        ..Log::new("Vercel's messages", "vercel_messages", Keeps::NO_TIMES, |x| {
            chat(x, vercel, &x.tools_in("D10 Vercel"))
        })
    },
    Log {
        id: |x| format!("{}#1@0", x.id),
        ..Log::new("Inspect's samples", "inspect_ai", ALL, |x| inspect(x, false))
    },
    Log {
        id: |x| format!("{}#1@0", x.id),
        ..Log::new("Inspect's pools", "inspect_ai", ALL, |x| inspect(x, true))
    },
    Log::new("LangSmith's runs", "langsmith_run", ALL, |x| {
        object(&[langsmith_begin(x), langsmith_end(x)].concat())
    }),
    Log::new("LangSmith's parts of runs", "langsmith_run", ALL, |x| {
        let patch = object(&[vec![("id", quoted(&x.id))], langsmith_end(x)].concat());
        let patch = object(&[("post", "[]".to_owned()), ("patch", format!("[{patch}]"))]);
        format!("{patch}\n{}", object(&[("post", format!("[{}]", object(&langsmith_begin(x))))]))
    }),
    Log::new("Langfuse's observations", "langfuse_observation", ALL, |x| {
        let input = object(&[("messages", x.messages_in("OpenAI")), ("tools", x.tools_in("D1 OpenAI"))]);
        langfuse(x, ["traceId", "startTime", "endTime", "model"], &input, &openai(&x.answer))
    }),
    Log::new("Langfuse's exports", "langfuse_observation", ALL, |x| {
        let input = object(&[("messages", x.messages_in("OpenAI")), ("tools", x.tools_in("D1 OpenAI"))]);
        let (input, output) = (quoted(&input), quoted(&openai(&x.answer)));
        langfuse(x, ["trace_id", "start_time", "end_time", "provided_model_name"], &input, &output)
    }),
    Log::new("MLflow's traces", "mlflow_trace", ALL, |x| {
        let attributes = object(&[
            ("mlflow.spanType", quoted(&quoted("CHAT_MODEL"))),
            ("mlflow.spanInputs", quoted(&openai_request(x))),
            ("mlflow.spanOutputs", quoted(&openai_response(x))),
        ]);
        let span = object(&[
            ("span_id", quoted(&x.id)),
            ("start_time_unix_nano", x.start.as_nanosecond().to_string()),
            ("end_time_unix_nano", x.end().as_nanosecond().to_string()),
            ("attributes", attributes),
        ]);
        object(&[("info", "{}".to_owned()), ("data", object(&[("spans", format!("[{span}]"))]))])
    }),
    Log::new("Weave's calls", "weave_call", ALL, |x| {
        object(&[
            ("id", quoted(&x.id)),
            ("trace_id", quoted("t")),
            ("op_name", quoted("weave:///me/p/op/openai.chat.completions.create:1f")),
            ("started_at", quoted(&x.start.to_string())),
            ("ended_at", quoted(&x.end().to_string())),
            ("inputs", openai_request(x)),
            ("output", openai_response(x)),
        ])
    }),
    Log::new("Opik's spans", "opik_span", ALL, |x| {
        object(&[
            ("id", quoted(&x.id)),
            ("trace_id", quoted("t")),
            ("type", quoted("llm")),
            ("start_time", quoted(&x.start.to_string())),
            ("end_time", quoted(&x.end().to_string())),
            ("input", openai_request(x)),
            ("output", openai_response(x)),
            ("model", quoted(&x.model)),
        ])
    }),
];

const BFCL: Keeps = Keeps { ids: false, model: false, start: false, ..ALL };

fn each<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    list(&items.iter().map(write).collect::<Vec<_>>())
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// The object with these members before its own.
fn with(members: &[(&str, String)], object: &str) -> String {
    let Json::Object(rest) = Json::parse(object).unwrap() else { panic!("{object}") };
    let rest = rest.iter().map(|(key, value)| (key, value.to_string()));
    let all: Vec<(&str, String)> = members.iter().cloned().chain(rest).collect();
    super::exchanges::object(&all)
}

fn pair(request: &str, response: &str) -> String {
    object(&[("request", request.to_owned()), ("response", response.to_owned())])
}

/// The word for how the answer ended: with calls, or by itself.
fn ending(x: &Exchange, calling: &str, done: &str) -> String {
    quoted(if x.answer.tool_calls.is_empty() { done } else { calling })
}

fn openai_request(x: &Exchange) -> String {
    object(&[
        ("model", quoted(&x.model)),
        ("messages", x.messages_in("OpenAI")),
        ("tools", x.tools_in("D1 OpenAI")),
    ])
}

fn openai_response(x: &Exchange) -> String {
    let choice = object(&[
        ("index", "0".to_owned()),
        ("message", openai(&x.answer)),
        ("finish_reason", quoted("stop")),
    ]);
    object(&[
        ("id", quoted(&x.id)),
        ("object", quoted("chat.completion")),
        ("created", x.start.as_second().to_string()),
        ("model", quoted(&x.model)),
        ("choices", format!("[{choice}]")),
    ])
}

fn chat(x: &Exchange, write: fn(&Message) -> String, tools: &str) -> String {
    let messages: Vec<String> = x.messages.iter().chain([&x.answer]).map(write).collect();
    object(&[
        ("id", quoted(&x.id)),
        ("model", quoted(&x.model)),
        ("messages", list(&messages)),
        ("tools", tools.to_owned()),
    ])
}

fn bfcl(x: &Exchange, arguments: fn(&ToolCall) -> String) -> String {
    let call = |call: &ToolCall| object(&[(&call.name, arguments(call))]);
    let result = match x.answer.tool_calls[..] {
        [] => quoted(&x.answer.content),
        _ => each(&x.answer.tool_calls, call),
    };
    let question = object(&[
        ("id", quoted(&x.id)),
        ("question", format!("[{}]", x.messages_in("OpenAI"))),
        ("function", x.tools_in("D8 BFCL")),
    ]);
    let latency = x.latency.as_secs_f64().to_string();
    format!("{}\n{question}", object(&[("id", quoted(&x.id)), ("result", result), ("latency", latency)]))
}

fn inspect(x: &Exchange, pooled: bool) -> String {
    let message = |message: &Message| {
        let call = |call: &ToolCall| {
            object(&[
                ("id", call.id.as_deref().map(quoted).unwrap_or_default()),
                ("function", quoted(&call.name)),
                ("arguments", call.parsed().unwrap().to_string()),
            ])
        };
        let calls = Some(each(&message.tool_calls, call)).filter(|_| !message.tool_calls.is_empty());
        object(&[
            ("role", quoted(message.role.as_str())),
            ("content", quoted(&message.content)),
            ("tool_calls", calls.unwrap_or_default()),
            ("tool_call_id", message.tool_call_id.as_deref().map(quoted).unwrap_or_default()),
        ])
    };
    let messages = each(&x.messages, message);
    let choice = object(&[("message", message(&x.answer))]);
    let output = object(&[("choices", format!("[{choice}]")), ("time", x.latency.as_secs_f64().to_string())]);
    let referred = format!("[[0,1],[1,{}]]", x.messages.len());
    let event = object(&[
        ("event", quoted("model")),
        ("model", quoted(&x.model)),
        ("timestamp", quoted(&x.start.to_string())),
        ("input", if pooled { "[]".to_owned() } else { messages.clone() }),
        ("input_refs", if pooled { referred } else { String::new() }),
        ("tools", x.tools_in("normal form")),
        ("output", output),
    ]);
    let events = format!("[{},{event}]", object(&[("event", quoted("info"))]));
    let pool = if pooled { object(&[("messages", messages)]) } else { String::new() };
    object(&[("id", quoted(&x.id)), ("epoch", "1".to_owned()), ("events_data", pool), ("events", events)])
}

type Member = (&'static str, String);

fn langsmith_begin(x: &Exchange) -> Vec<Member> {
    let messages = format!("[{}]", x.messages_in("LangChain's constructors"));
    let extra = object(&[
        ("invocation_params", object(&[("tools", x.tools_in("D1 OpenAI"))])),
        ("metadata", object(&[("ls_model_name", quoted(&x.model))])),
    ]);
    vec![
        ("id", quoted(&x.id)),
        ("run_type", quoted("llm")),
        ("start_time", quoted(x.start.to_string().trim_end_matches('Z'))),
        ("extra", extra),
        ("inputs", object(&[("messages", messages)])),
    ]
}

fn langsmith_end(x: &Exchange) -> Vec<Member> {
    let message = object(&[
        ("lc", "1".to_owned()),
        ("type", quoted("constructor")),
        ("id", r#"["langchain","AIMessage"]"#.to_owned()),
        ("kwargs", langchain(&x.answer)),
    ]);
    let outputs = object(&[("generations", format!("[[{}]]", object(&[("message", message)])))]);
    vec![("end_time", quoted(x.end().to_string().trim_end_matches('Z'))), ("outputs", outputs)]
}

fn langfuse(x: &Exchange, [trace, start, end, model]: [&str; 4], input: &str, output: &str) -> String {
    object(&[
        ("id", quoted(&x.id)),
        (trace, quoted("t")),
        ("type", quoted("GENERATION")),
        (start, quoted(&x.start.to_string())),
        (end, quoted(&x.end().to_string())),
        (model, quoted(&x.model)),
        ("input", input.to_owned()),
        ("output", output.to_owned()),
    ])
}

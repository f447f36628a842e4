//! All ways of writing the conversation before a judged turn.

use proptest::prelude::*;
use tooljudge::domain::{Json, Message, Role, ToolCall};

use super::values::{calls, hostile_text, json, quoted};

/// One way of writing a conversation.
pub struct Form {
    pub name: &'static str,
    /// The elements of the list, in JSON.
    pub write: fn(&[Message]) -> Vec<String>,
    /// What must be read of a message, so written.
    reads: fn(&Message) -> Vec<Message>,
}

impl Form {
    const fn new(name: &'static str, write: fn(&[Message]) -> Vec<String>) -> Form {
        Form { name, write, reads: |message| vec![message.clone()] }
    }

    /// What must be read of a conversation, so written.
    pub fn expected(&self, messages: &[Message]) -> Vec<Message> {
        messages.iter().flat_map(self.reads).collect()
    }
}

/// What was said before a turn: the user asks, and the assistant may have called tools before.
pub fn conversation() -> impl Strategy<Value = Vec<Message>> {
    // What the assistant says may hold calls, so it says nothing odd here.
    let words = "[a-zA-Z ,.']{1,12}";
    let asked = said().prop_map(|text| Message::new(Role::User, text)).boxed();
    let answered = words.prop_map(|text| vec![Message::new(Role::Assistant, text)]);
    let called =
        (prop::option::of(words), calls(), prop::collection::vec(said(), 3)).prop_map(call_and_return);
    let turn = prop_oneof![answered, called];
    let before = prop::collection::vec((asked.clone(), turn), 0..3);
    let system = prop::option::of(said().prop_map(|text| Message::new(Role::System, text)));
    (system, before, asked, any::<bool>()).prop_map(|(system, before, asked, last)| {
        let mut messages: Vec<Message> = system.into_iter().collect();
        for (asked, turn) in before {
            messages.push(asked);
            messages.extend(turn);
        }
        // A turn may also follow what tools returned.
        let returned = messages.last().is_some_and(|message| message.role == Role::Tool);
        if last || !returned {
            messages.push(asked);
        }
        messages
    })
}

/// What anybody may say: much of it looks like something else.
fn said() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        hostile_text(),
        json().prop_map(|json| json.to_string()),
        json().prop_map(|json| format!("{json} and more")),
        json().prop_map(|json| format!("[{json}, ")),
        calls().prop_map(|calls| Json::Array(calls.iter().map(ToolCall::to_json).collect()).to_string()),
    ];
    // Nobody says nothing.
    odd.prop_map(|text| if text.trim().is_empty() { "so".to_owned() } else { text })
}

fn call_and_return((text, calls, results): (Option<String>, Vec<ToolCall>, Vec<String>)) -> Vec<Message> {
    let id = |place: usize| format!("call_{place}");
    let calls: Vec<ToolCall> =
        calls.into_iter().enumerate().map(|(place, call)| ToolCall { id: Some(id(place)), ..call }).collect();
    let returned = calls.iter().zip(results).enumerate().map(|(place, (_, result))| Message {
        tool_call_id: Some(id(place)),
        ..Message::new(Role::Tool, result)
    });
    let returned: Vec<Message> = returned.collect();
    let message = Message { tool_calls: calls, ..Message::new(Role::Assistant, text.unwrap_or_default()) };
    [message].into_iter().chain(returned).collect()
}

pub const FORMS: &[Form] = &[
    Form::new("normal form", |messages| {
        messages.iter().map(|message| message.to_json().to_string()).collect()
    }),
    Form::new("OpenAI", |messages| messages.iter().map(openai).collect()),
    Form::new("texts as parts", |messages| {
        let content = |message: &Message| format!("[{}]", text_part("text", "text", message));
        messages.iter().map(|message| openai_with(&content(message), message)).collect()
    }),
    Form::new("messages in messages", |messages| {
        messages.iter().map(|message| format!(r#"{{"message":{}}}"#, openai(message))).collect()
    }),
    Form::new("a list for each turn", |messages| {
        messages.iter().map(|message| format!("[{}]", openai(message))).collect()
    }),
    Form::new("LangChain", |messages| messages.iter().map(langchain).collect()),
    Form::new("LangChain's constructors", |messages| {
        let class = |message: &Message| match message.role {
            Role::System => "SystemMessage",
            Role::User => "HumanMessage",
            Role::Assistant => "AIMessage",
            Role::Tool => "ToolMessage",
        };
        let wrap = |message: &Message| {
            let id = format!(r#"["langchain","schema","{}"]"#, class(message));
            format!(r#"{{"lc":1,"type":"constructor","id":{id},"kwargs":{}}}"#, langchain(message))
        };
        messages.iter().map(wrap).collect()
    }),
    Form::new("LangChain's data", |messages| {
        let wrap = |message: &Message| {
            format!(r#"{{"type":"{}","data":{}}}"#, langchain_type(message.role), langchain(message))
        };
        messages.iter().map(wrap).collect()
    }),
    Form::new("Anthropic", |messages| messages.iter().map(anthropic).collect()),
    Form {
        reads: |message| match message.role {
            Role::Tool => vec![Message { content: in_result(message), ..message.clone() }],
            _ => vec![message.clone()],
        },
        ..Form::new("Gemini", |messages| messages.iter().map(gemini).collect())
    },
    Form::new("Bedrock", |messages| messages.iter().map(bedrock).collect()),
    Form {
        // Calls stand beside messages, not within them.
        reads: |message| {
            let said = Message { tool_calls: Vec::new(), ..message.clone() };
            let calls = message
                .tool_calls
                .iter()
                .map(|call| Message { tool_calls: vec![call.clone()], ..Message::new(Role::Assistant, "") });
            Some(said).filter(|said| !said.content.is_empty()).into_iter().chain(calls).collect()
        },
        ..Form::new("Responses", |messages| messages.iter().flat_map(responses).collect())
    },
    Form::new("OpenTelemetry", |messages| messages.iter().map(otel).collect()),
    Form::new("Vercel", |messages| messages.iter().map(vercel).collect()),
];

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

/// The text of a message as a part with this type and key; nothing where there is none.
fn text_part(kind: &str, key: &str, message: &Message) -> String {
    match message.content.as_str() {
        "" => String::new(),
        text => format!(r#"{{"type":"{kind}","{key}":{}}}"#, quoted(text)),
    }
}

/// A list of the text, if there is one, and the calls.
fn parts(text: &str, calls: &[ToolCall], write: impl Fn(&ToolCall) -> String) -> String {
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    format!("[{}]", text.into_iter().chain(calls.iter().map(write)).collect::<Vec<_>>().join(","))
}

fn named(call: &ToolCall) -> (String, String, String) {
    (quoted(&call.name), call.parsed().unwrap().to_string(), quoted(call.id.as_deref().unwrap_or_default()))
}

fn call_id(message: &Message) -> String {
    quoted(message.tool_call_id.as_deref().unwrap_or_default())
}

pub fn openai_call(call: &ToolCall) -> String {
    let (name, args, id) = named(call);
    format!(r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{}}}}}"#, quoted(&args))
}

pub fn openai(message: &Message) -> String {
    let content = if message.content.is_empty() { "null".to_owned() } else { quoted(&message.content) };
    openai_with(&content, message)
}

fn openai_with(content: &str, message: &Message) -> String {
    let calls = match message.tool_calls[..] {
        [] => String::new(),
        _ => format!(r#","tool_calls":{}"#, list(&message.tool_calls, openai_call)),
    };
    let id = match message.role {
        Role::Tool => format!(r#","tool_call_id":{}"#, call_id(message)),
        _ => String::new(),
    };
    format!(r#"{{"role":"{}","content":{content}{calls}{id}}}"#, message.role.as_str())
}

fn langchain_type(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "human",
        Role::Assistant => "ai",
        Role::Tool => "tool",
    }
}

pub fn langchain(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"name":{name},"args":{args},"id":{id},"type":"tool_call"}}"#)
    };
    let more = match message.role {
        Role::Assistant => {
            format!(r#","tool_calls":{},"invalid_tool_calls":[]"#, list(&message.tool_calls, call))
        }
        Role::Tool => format!(r#","tool_call_id":{},"name":"f","status":"success""#, call_id(message)),
        _ => String::new(),
    };
    let (kind, content) = (langchain_type(message.role), quoted(&message.content));
    format!(r#"{{"content":{content},"additional_kwargs":{{}},"type":"{kind}"{more}}}"#)
}

pub fn anthropic(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{args}}}"#)
    };
    match message.role {
        Role::Tool => {
            let (id, text) = (call_id(message), quoted(&message.content));
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":{id},"content":{text}}}]}}"#
            )
        }
        Role::Assistant => {
            let content = parts(&text_part("text", "text", message), &message.tool_calls, call);
            format!(r#"{{"role":"assistant","content":{content}}}"#)
        }
        role => format!(r#"{{"role":"{}","content":{}}}"#, role.as_str(), quoted(&message.content)),
    }
}

/// What a tool returned, as Gemini has it: an object always.
fn in_result(message: &Message) -> String {
    format!(r#"{{"result":{}}}"#, quoted(&message.content))
}

pub fn gemini(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"functionCall":{{"id":{id},"name":{name},"args":{args}}}}}"#)
    };
    let text = match message.content.as_str() {
        "" => String::new(),
        text => format!(r#"{{"text":{}}}"#, quoted(text)),
    };
    let (role, parts) = match message.role {
        Role::Tool => {
            let returned =
                format!(r#"{{"id":{},"name":"f","response":{}}}"#, call_id(message), in_result(message));
            ("user", format!(r#"[{{"functionResponse":{returned}}}]"#))
        }
        Role::Assistant => ("model", parts(&text, &message.tool_calls, call)),
        role => (role.as_str(), format!("[{text}]")),
    };
    format!(r#"{{"role":"{role}","parts":{parts}}}"#)
}

pub fn bedrock(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"toolUse":{{"toolUseId":{id},"name":{name},"input":{args}}}}}"#)
    };
    let text = match message.content.as_str() {
        "" => String::new(),
        text => format!(r#"{{"text":{}}}"#, quoted(text)),
    };
    let (role, content) = match message.role {
        Role::Tool => {
            let returned =
                format!(r#"{{"toolUseId":{},"content":[{text}],"status":"success"}}"#, call_id(message));
            ("user", format!(r#"[{{"toolResult":{returned}}}]"#))
        }
        role => (role.as_str(), parts(&text, &message.tool_calls, call)),
    };
    format!(r#"{{"role":"{role}","content":{content}}}"#)
}

pub fn responses(message: &Message) -> Vec<String> {
    if message.role == Role::Tool {
        let (id, output) = (call_id(message), quoted(&message.content));
        return vec![format!(r#"{{"type":"function_call_output","call_id":{id},"output":{output}}}"#)];
    }
    let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let said = match text_part(kind, "text", message).as_str() {
        "" => None,
        part => {
            Some(format!(r#"{{"type":"message","role":"{}","content":[{part}]}}"#, message.role.as_str()))
        }
    };
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        let args = quoted(&args);
        format!(r#"{{"type":"function_call","id":"fc","call_id":{id},"name":{name},"arguments":{args}}}"#)
    };
    said.into_iter().chain(message.tool_calls.iter().map(call)).collect()
}

pub fn otel(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"type":"tool_call","id":{id},"name":{name},"arguments":{args}}}"#)
    };
    let parts = match message.role {
        Role::Tool => {
            let (id, response) = (call_id(message), quoted(&message.content));
            format!(r#"[{{"type":"tool_call_response","id":{id},"response":{response}}}]"#)
        }
        _ => parts(&text_part("text", "content", message), &message.tool_calls, call),
    };
    format!(r#"{{"role":"{}","parts":{parts}}}"#, message.role.as_str())
}

pub fn vercel(message: &Message) -> String {
    let call = |call: &ToolCall| {
        let (name, args, id) = named(call);
        format!(r#"{{"type":"tool-call","toolCallId":{id},"toolName":{name},"input":{args}}}"#)
    };
    let content = match message.role {
        Role::System => quoted(&message.content),
        Role::Tool => {
            let output = format!(r#"{{"type":"text","value":{}}}"#, quoted(&message.content));
            format!(
                r#"[{{"type":"tool-result","toolCallId":{},"toolName":"f","output":{output}}}]"#,
                call_id(message)
            )
        }
        _ => parts(&text_part("text", "text", message), &message.tool_calls, call),
    };
    format!(r#"{{"role":"{}","content":{content}}}"#, message.role.as_str())
}

/// The conversation in normal form, for comparing and showing.
pub fn shown(messages: &[Message]) -> Json {
    Json::Array(messages.iter().map(Message::to_json).collect())
}

//! Conversations of training sets in ShareGPT's form: ToolACE, APIGen-MT, Hermes, Glaive and what LLaMA-Factory reads.
//!
//! ```json
//! {"system": "…", "tools": "[{\"name\": \"f\", …}]", "conversations": [
//!     {"from": "human", "value": "Oslo?"}, {"from": "function_call", "value": "{\"name\": \"f\", \"arguments\": {}}"},
//!     {"from": "observation", "value": "sunny"}, {"from": "gpt", "value": "Sunny."}]}
//! {"system": "SYSTEM: … functions …", "chat": "USER: Oslo? ASSISTANT: <functioncall> {…} <|endoftext|> FUNCTION RESPONSE: …"}
//! ```

use super::context::Context;
use super::entry::Entries;
use super::format::LogFormat;
use super::transcript::Transcript;
use super::value;
use crate::domain::{Json, Object};
use crate::normalize::call_syntax::{self, Value};

pub(super) const SHAREGPT: LogFormat = LogFormat {
    name: "sharegpt",
    sign: "a list `conversations` of `from` and `value`, or Glaive's `system` and `chat`",
    matches,
    read,
    unmatched: None,
};

fn matches(record: &Object) -> bool {
    let is_said = |item: &Json| {
        let text = |key: &str| item.get(key).and_then(Json::as_str).is_some();
        text("from") && item.get("value").is_some()
    };
    match record.get("conversations") {
        Some(Json::Array(items)) => items.first().is_some_and(is_said),
        _ => is_glaive(record),
    }
}

fn is_glaive(record: &Object) -> bool {
    let text = |key: &str| record.get(key).and_then(Json::as_str);
    text("system").is_some() && text("chat").is_some_and(|chat| chat.contains("ASSISTANT:"))
}

fn read(mut record: Object, context: &Context) -> Entries {
    let system = value::text(&record, &["system"]);
    let mut said: Vec<Said> = match record.remove("conversations") {
        Some(Json::Array(items)) => items.into_iter().map(spoken).collect(),
        _ => {
            let chat = value::text(&record, &["chat"]).unwrap_or_default();
            parts(&chat).into_iter().map(|(from, text)| Said::words(from, text)).collect()
        }
    };
    if let Some(system) = system {
        let system = system.strip_prefix("SYSTEM:").unwrap_or(&system).trim().to_owned();
        said.insert(0, Said::words("system".to_owned(), system));
    }
    let given =
        value::take(&mut record, "tools").filter(|tools| !tools.as_array().is_some_and(<[Json]>::is_empty));
    let instructions = said.iter().filter_map(|said| match said {
        Said::Words(from, text, _) if from == "system" => Some(text),
        _ => None,
    });
    let tools = given.or_else(|| {
        instructions.map(|text| definitions_in(text)).find(|tools| !tools.is_empty()).map(Json::Array)
    });
    let names: Vec<String> = tools.iter().filter_map(Json::as_array).flatten().filter_map(name_of).collect();
    let transcript = Transcript {
        id: ["id", "uuid"].iter().find_map(|key| value::text(&record, &[key])),
        elements: said.into_iter().flat_map(|said| said.elements(&names)).collect(),
        tools: value::tools(tools),
        ..Transcript::default()
    };
    transcript.entries(context)
}

/// An element of a conversation.
enum Said {
    /// Who said what, and what else the element says, as a message does.
    Words(String, String, Object),
    /// In another form, which may be that of a message.
    Other(Json),
}

impl Said {
    fn words(from: String, text: String) -> Said {
        Said::Words(from, text, Object::new())
    }

    fn elements(self, names: &[String]) -> Vec<Json> {
        let (from, text, more) = match self {
            Said::Words(from, text, more) => (from, text, more),
            Said::Other(element) => return vec![element],
        };
        let mut elements = match TOOLS.contains(&from.as_str()) {
            true => results(text),
            false => vec![message(&from, text, names)],
        };
        if let [Json::Object(only)] = &mut elements[..] {
            for (key, value) in more {
                if !only.contains_key(&key) {
                    only.insert(key, value);
                }
            }
        }
        elements
    }
}

/// Who says what calls returned.
const TOOLS: [&str; 4] = ["observation", "tool", "function_response", "tool_response"];

/// What the calls before returned, in their order: each in a block of its own where there are several.
fn results(text: String) -> Vec<Json> {
    const MARKS: (&str, &str) = ("<tool_response>", "</tool_response>");
    let blocks: Option<Vec<&str>> = text
        .split(MARKS.0)
        .map(str::trim)
        .filter(|block| !block.is_empty())
        .map(|block| Some(block.strip_suffix(MARKS.1)?.trim()))
        .collect();
    match blocks {
        Some(blocks) if blocks.len() > 1 => {
            blocks.into_iter().map(|block| value::message("tool", block)).collect()
        }
        _ => vec![value::message("tool", text)],
    }
}

/// Keys of messages that an element may have beside `from` and `value`.
const BESIDE: &[&str] = &[
    "tool_calls",
    "toolCalls",
    "function_call",
    "functionCall",
    "additional_kwargs",
    "tool_call_id",
    "toolCallId",
    "is_error",
    "status",
];

fn spoken(mut item: Json) -> Said {
    let from = item.get("from").and_then(Json::as_str).map(str::to_ascii_lowercase);
    let text = match (&from, item.get("value")) {
        (Some(_), Some(Json::String(text))) => text.clone(),
        (Some(_), Some(Json::Null)) => String::new(),
        (Some(_), Some(other)) => other.to_string(),
        _ => return Said::Other(item),
    };
    let mut beside = |key: &&str| {
        let Json::Object(item) = &mut item else { return None };
        Some(((*key).to_owned(), value::take(item, key)?))
    };
    let more: Object = BESIDE.iter().filter_map(&mut beside).collect();
    Said::Words(from.unwrap_or_default(), text, more)
}

/// The parts of one of Glaive's chats, each behind its speaker's name.
fn parts(chat: &str) -> Vec<(String, String)> {
    const SPEAKERS: [(&str, &str); 3] =
        [("USER:", "human"), ("ASSISTANT:", "gpt"), ("FUNCTION RESPONSE:", "observation")];
    // A speaker's name begins a paragraph; within a line it is text.
    let begins = |at: usize| {
        chat[..at].trim_end_matches([' ', '\t']).is_empty()
            || chat[..at].trim_end_matches([' ', '\t']).ends_with('\n')
    };
    let mut starts: Vec<(usize, &str, &str)> = SPEAKERS
        .iter()
        .flat_map(|(mark, from)| chat.match_indices(mark).map(move |(at, _)| (at, *mark, *from)))
        .filter(|(at, ..)| begins(*at))
        .collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).map(|(at, ..)| *at).chain([chat.len()]).collect::<Vec<_>>();
    let part = |((at, mark, from), end): (&(usize, &str, &str), usize)| {
        let text = chat[at + mark.len()..end].trim();
        ((*from).to_owned(), text.strip_suffix("<|endoftext|>").unwrap_or(text).trim().to_owned())
    };
    starts.iter().zip(ends).map(part).collect()
}

/// What somebody said, as chats write it.
fn message(from: &str, text: String, names: &[String]) -> Json {
    match from {
        "human" | "user" => value::message("user", text),
        "system" => value::message("system", text),
        "function_call" | "tool_call" => match calls_in(&text, names) {
            Some(calls) => Json::Object(value::calling("assistant", Json::from(""), calls)),
            // Whoever reads it is told that it should be a call.
            None => value::message("assistant", format!("<tool_call>{text}</tool_call>")),
        },
        "gpt" | "assistant" | "chatgpt" | "bot" | "model" => match bracketed(&text, names) {
            Some(calls) => Json::Object(value::calling("assistant", Json::from(""), calls)),
            // A list of calls that cannot be read, or of tools that there are not, is not words.
            None if looks_called(&text) => {
                value::message("assistant", format!("<tool_call>{text}</tool_call>"))
            }
            None => value::message("assistant", text),
        },
        other => value::message(other, text),
    }
}

/// Whether a text begins like a list of calls, and is nothing else, or breaks off.
fn looks_called(text: &str) -> bool {
    let text = text.trim();
    let Some((name, _)) = text.strip_prefix('[').and_then(|text| text.split_once('(')) else { return false };
    let is_name = (1..=80).contains(&name.trim().len())
        && !name.contains(['[', ']', '{', '}', ')', '"', '\n', ',', '.', '!', '?']);
    is_name && (text.ends_with(']') || !text.contains(']') || !text.contains(')'))
}

/// The calls that a text is: JSON, or a list in call syntax.
fn calls_in(text: &str, names: &[String]) -> Option<Vec<Json>> {
    match value::unfolded(Json::from(text.trim())) {
        Json::Object(call) => Some(vec![Json::Object(call)]),
        Json::Array(calls) if calls.iter().all(|call| call.as_object().is_some()) => Some(calls),
        _ => bracketed(text, names),
    }
}

/// ToolACE's calls: `[Get Weather/v2(city="Oslo"), f(a=1)]`, with names that no programming language takes. What stands before a
/// bracket must be the name of a tool.
fn bracketed(text: &str, names: &[String]) -> Option<Vec<Json>> {
    let mut rest = text.trim().strip_prefix('[')?.trim_start();
    let mut calls = Vec::new();
    loop {
        let (name, _) = rest.split_once('(')?;
        let name = name.trim();
        if !names.iter().any(|known| known == name) {
            return None;
        }
        // The arguments of any name are written in the same way.
        let written = format!("f{}", &rest[rest.find('(')?..]);
        let end = closing(&written)?;
        let mut read = call_syntax::whole(&written[..end])?.into_iter();
        let (Some(call), None) = (read.next(), read.next()) else { return None };
        let argument = |argument: call_syntax::Argument| match (argument.name, argument.value) {
            (Some(name), Value::Literal(value)) => Some((name.to_owned(), value)),
            _ => None,
        };
        let arguments: Object = call.arguments.into_iter().map(argument).collect::<Option<_>>()?;
        let mut made = Object::new();
        made.insert("name", name);
        made.insert("arguments", Json::Object(arguments));
        calls.push(Json::Object(made));
        rest = rest[rest.find('(')? + end - 1..].trim_start();
        rest = match rest.strip_prefix([',', ';']) {
            Some(more) => more.trim_start(),
            None => return rest.strip_prefix(']').filter(|after| after.trim().is_empty()).map(|_| calls),
        };
    }
}

/// Where the bracket that `f(` opens is closed, in bytes; brackets within texts do not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The definitions that stand in the text of a system's message: one after another, or in a list.
fn definitions_in(text: &str) -> Vec<Json> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[']) {
        rest = &rest[at..];
        match Json::parse_prefix(rest) {
            Ok((Json::Array(items), end))
                if !items.is_empty() && items.iter().all(|item| name_of(item).is_some()) =>
            {
                found.extend(items);
                rest = &rest[end..];
            }
            Ok((item @ Json::Object(_), end)) if name_of(&item).is_some() => {
                found.push(item);
                rest = &rest[end..];
            }
            _ => rest = &rest[1..],
        }
    }
    found
}

/// The name of the tool that an object defines.
fn name_of(definition: &Json) -> Option<String> {
    let tool = definition.get("function").unwrap_or(definition);
    let schema =
        ["parameters", "input_schema", "arguments", "inputSchema"].iter().find_map(|key| tool.get(key));
    let describes =
        tool.get("description").is_some() || schema.is_some_and(|schema| schema.get("type").is_some());
    tool.get("name")?.as_str().filter(|_| describes).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_called() {
        let names = ["Get Weather/v2".to_owned(), "f.g".to_owned()];
        for (text, expected) in [
            (
                r#"[Get Weather/v2(city="Oslo (N)", n=[1, 2])]"#,
                Some(r#"[{"name":"Get Weather/v2","arguments":{"city":"Oslo (N)","n":[1,2]}}]"#),
            ),
            (
                r#"[Get Weather/v2(city="Oslo"), f.g(a=True)]"#,
                Some(
                    r#"[{"name":"Get Weather/v2","arguments":{"city":"Oslo"}},{"name":"f.g","arguments":{"a":true}}]"#,
                ),
            ),
            ("[f.g()]", Some(r#"[{"name":"f.g","arguments":{}}]"#)),
            ("[unknown(a=1)]", None),
            ("[see f.g(a=1)]", None),
            ("[f.g(a=1)] is what I called", None),
            ("[f.g(a=x)]", None),
            ("[f.g(", None),
        ] {
            let found = bracketed(text, &names).map(|calls| Json::Array(calls).to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn definitions_are_found_in_prose() {
        for (text, names) in [
            (
                r#"Use these: [{"name":"f","description":"d"},{"name":"g","parameters":{"type":"object"}}] ok?"#,
                &["f", "g"][..],
            ),
            (
                r#"<tools>{"type":"function","function":{"name":"f","description":"d"}} {"name":"g","description":""}</tools>"#,
                &["f", "g"],
            ),
            (r#"Answer as {"name": <function>, "arguments": {}} or [1]"#, &[]),
            (r#"{"name": "f", "arguments": {"a": 1}}"#, &[]),
        ] {
            let found: Vec<String> = definitions_in(text).iter().filter_map(name_of).collect();
            assert_eq!(found, names, "{text}");
        }
    }

    #[test]
    fn a_chat_is_split_at_its_speakers() {
        let chat = "USER: Hi, ASSISTANT: is a word\n\n\nASSISTANT: <functioncall> {\"name\": \"f\"} <|endoftext|>\n\n\nFUNCTION RESPONSE: {}\n\n\nASSISTANT: Done <|endoftext|>";
        let shown: Vec<String> =
            parts(chat).into_iter().map(|(from, text)| format!("{from}: {text}")).collect();
        assert_eq!(
            shown,
            [
                "human: Hi, ASSISTANT: is a word",
                "gpt: <functioncall> {\"name\": \"f\"}",
                "observation: {}",
                "gpt: Done"
            ]
        );
    }
}

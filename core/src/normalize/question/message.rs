//! One message of a conversation, in any vendor's form: `{"role":"user","content":[{"type":"text","text":"Oslo?"}]}`.

use std::collections::BTreeSet;

use super::part::{self, Part, Returned};
use super::{spoken_result, unrecognised};
use crate::domain::{Flag, Json, Message, Object, Role, RowError, holds_hidden, is_hidden};
use crate::normalize::calls::Reader;

/// The words for each role, without regard to letter case.
const ROLES: &[(Role, &[&str])] = &[
    (Role::User, &["user", "human", "HumanMessage", "HumanMessageChunk"]),
    (Role::Assistant, &["assistant", "ai", "model", "chatbot", "gpt", "AIMessage", "AIMessageChunk"]),
    (Role::System, &["system", "developer", "SystemMessage", "SystemMessageChunk"]),
    (
        Role::Tool,
        &["tool", "function", "observation", "ipython", "ToolMessage", "ToolMessageChunk", "FunctionMessage"],
    ),
];

/// Roles for calls and results, which are types of other things in other places: `{"role":"tool_call","content":"{\"name\": …}"}`.
const CALL_ROLES: &[(Role, &[&str])] = &[
    (Role::Assistant, &["tool_call", "tool_calls", "function_call", "toolCall"]),
    (Role::Tool, &["tool_response", "tool_result", "function_response", "toolResult", "tool_output"]),
];

/// Keys of what a message says; the first that says something counts.
const CONTENT_KEYS: &[&str] = &["content", "parts", "content_parts", "tool_plan", "refusal"];

/// Types of elements that stand for all that was said before them.
const SEALED: &[&str] = &["compaction", "compaction_summary", "context_compaction", "item_reference"];

/// What an element of a conversation is.
enum Element<'a> {
    Said(Role, &'a Object),
    /// A call outside of any message.
    Call(&'a Object),
    /// What a tool returned, outside of any message.
    Returned(Returned<'a>),
    /// A thought, or bookkeeping of the provider's.
    Aside,
    /// What was said before in a form that only the provider can read.
    Sealed,
}

/// Who says a message; `None` if it is none.
pub(in crate::normalize) fn speaker(message: &Object) -> Option<Role> {
    match element(message)? {
        Element::Said(role, _) => Some(role),
        Element::Call(_) => Some(Role::Assistant),
        Element::Returned(_) => Some(Role::Tool),
        Element::Aside | Element::Sealed => None,
    }
}

/// The name of the agent that says a message, where the log has several.
pub(super) fn agent(object: &Object) -> Option<&str> {
    match element(object)? {
        Element::Said(Role::Assistant, message) => {
            message.get("name")?.as_str().filter(|name| !name.is_empty())
        }
        _ => None,
    }
}

/// Whether an element is nobody's words: a thought, or bookkeeping of the provider's.
pub(super) fn is_aside(object: &Object) -> bool {
    matches!(element(object), Some(Element::Aside | Element::Sealed))
}

/// A message of someone whose role is not known, as a message of the system's that names the role; `None` if it says nothing.
fn of_unknown_role(object: &Object) -> Option<Message> {
    let role = ["role", "from", "type"].iter().find_map(|key| object.get(key)?.as_str())?;
    let text = ["content", "value", "text"].iter().find_map(|key| object.get(key)?.as_str());
    let of_parts = || {
        let texts = parts(object).iter().filter_map(|part| match part::read(part) {
            Part::Text(text) => Some(text),
            Part::Returned(returned) => Some(returned.shown().text.into()),
            Part::Placeholder(shown) => Some(shown.into()),
            Part::Silent => None,
        });
        let texts: Vec<_> = texts.collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    let text = text.map(str::to_owned).or_else(of_parts)?;
    Some(Message::new(Role::System, format!("{role}: {text}")))
}

/// Reads an element as [`read`] does, and one of an unknown role as words of the system's, with a flag.
pub(super) fn read_any(
    object: &Object,
    server_tools: bool,
    messages: &mut Vec<Message>,
    flags: &mut BTreeSet<Flag>,
) -> Result<(), RowError> {
    if let Err(error) = read(object, server_tools, messages, flags) {
        messages.push(of_unknown_role(object).ok_or(error)?);
        flags.insert(Flag::UnknownRole);
    }
    Ok(())
}

/// Whether all `items` are elements of a conversation, and at least one is a message.
pub(super) fn are_conversation<'a>(mut items: impl Iterator<Item = &'a Json>) -> bool {
    let mut said = false;
    let known = items.all(|item| match item.as_object().and_then(element) {
        Some(element) => {
            said |= matches!(element, Element::Said(..));
            true
        }
        // Among known ones, another role is one that nobody has met yet.
        None => item.as_object().is_some_and(|object| of_unknown_role(object).is_some()),
    });
    known && said
}

/// Adds what an element of a conversation says, with calls that the provider ran itself if `server_tools`, to the `messages`: several, where what tools returned stands within.
pub(super) fn read(
    object: &Object,
    server_tools: bool,
    messages: &mut Vec<Message>,
    flags: &mut BTreeSet<Flag>,
) -> Result<(), RowError> {
    let from = messages.len();
    match element(object).ok_or_else(|| unrecognised(object))? {
        Element::Said(Role::Tool, message) => by_tool(message, messages, flags),
        Element::Said(role, message) => said(role, message, server_tools, messages, flags),
        Element::Call(call) => {
            let calls = Reader::new(&[]).with_server_tools(server_tools).history(call, "");
            if !calls.is_empty() {
                messages.push(Message { tool_calls: calls, ..Message::new(Role::Assistant, "") });
                // What the provider ran itself has its result beside the call.
                if let Some(returned) = part::returned_beside(call) {
                    messages.push(result(&returned, flags));
                }
            }
        }
        Element::Returned(returned) => messages.push(result(&returned, flags)),
        Element::Aside => {}
        Element::Sealed => {
            flags.insert(Flag::HistoryElsewhere);
        }
    }
    // Of a call without its words nothing is missed.
    // What the user and the tools said is where values come from.
    let hides = |message: &Message| match message.role {
        Role::User | Role::Tool => holds_hidden(&message.content),
        _ => message.tool_calls.is_empty() && is_hidden(&message.content),
    };
    if messages[from..].iter().any(hides) {
        flags.insert(Flag::HiddenContent);
    }
    Ok(())
}

fn element(object: &Object) -> Option<Element<'_>> {
    let (message, class) = unwrapped(object);
    let word = |key: &str| message.get(key)?.as_str();
    let own = || role_in(CALL_ROLES, word("role")?);
    if let Some(role) = word("role").or(word("type")).and_then(role).or_else(own).or_else(|| role(class?)) {
        return Some(Element::Said(role, message));
    }
    if message.contains_key("role") {
        return None;
    }
    let Some(kind) = word("type") else {
        // Pydantic AI's messages say of which kind they are.
        if word("kind").is_some() {
            return None;
        }
        // Google's API takes the user for granted.
        return message.get("parts")?.as_array().map(|_| Element::Said(Role::User, message));
    };
    if let Some(returned) = part::returned(message) {
        return Some(Element::Returned(returned));
    }
    if SEALED.contains(&kind) {
        return Some(Element::Sealed);
    }
    if kind.ends_with("_call") || kind == "tool_use" {
        return Some(Element::Call(message));
    }
    // New types appear every few months; what has no text is not missed.
    let speaks = ["text", "content"].iter().any(|key| message.contains_key(key));
    (kind == "reasoning" || !speaks).then_some(Element::Aside)
}

/// A message out of what frameworks wrap around it, and the name of its class: `{"message":{…}}`,
/// `{"lc":1,"id":[…,"HumanMessage"],"kwargs":{…}}`, `{"type":"human","data":{…}}`.
fn unwrapped(object: &Object) -> (&Object, Option<&str>) {
    let inner = |key| object.get(key).and_then(Json::as_object);
    if object.contains_key("role") {
        return (object, None);
    }
    if let Some(message) = inner("message") {
        return (message, None);
    }
    if let Some(kwargs) = inner("kwargs").filter(|_| object.contains_key("lc")) {
        let class = object.get("id").and_then(|id| id.as_array()?.last()?.as_str());
        return (kwargs, class);
    }
    match inner("data") {
        Some(data) => (data, object.get("type").and_then(Json::as_str)),
        None => (object, None),
    }
}

fn role(word: &str) -> Option<Role> {
    role_in(ROLES, word)
}

fn role_in(roles: &[(Role, &[&str])], word: &str) -> Option<Role> {
    roles.iter().find(|(_, words)| words.iter().any(|w| w.eq_ignore_ascii_case(word))).map(|(role, _)| *role)
}

fn said(
    role: Role,
    object: &Object,
    server_tools: bool,
    messages: &mut Vec<Message>,
    flags: &mut BTreeSet<Flag>,
) {
    let mut texts = Vec::new();
    let mut results = Vec::new();
    let returned = if role == Role::User { part::results_in_text(parts(object)) } else { None };
    for part in returned.as_deref().unwrap_or(parts(object)) {
        match part::read(part) {
            Part::Text(text) => texts.push(text),
            Part::Placeholder(shown) => {
                flags.insert(Flag::NonTextContent);
                texts.push(shown.into());
            }
            Part::Returned(returned) => results.push(result(&returned, flags)),
            Part::Silent => {}
        }
    }
    let mut text = texts.join("\n");
    if text.trim().is_empty()
        && let Some(spoken) = object.get("audio").and_then(|audio| audio.get("transcript")?.as_str())
    {
        spoken.clone_into(&mut text);
    }
    if role == Role::User
        && let Some(parted) = spoken_result::parted(&text, messages)
    {
        results.extend(parted.results.into_iter().map(|result| Message::new(Role::Tool, result)));
        text = parted.own.unwrap_or_default();
        if parted.is_unsure {
            flags.insert(Flag::HistoryAmbiguous);
        }
    }
    let mut message = Message { name: user_name(role, object), ..Message::new(role, text) };
    message.tool_call_id = object.get("tool_call_id").and_then(Json::as_str).map(str::to_owned);
    if role == Role::Assistant {
        message.tool_calls =
            Reader::new(&[]).with_server_tools(server_tools).history(object, &message.content);
        messages.push(message);
        messages.append(&mut results);
    } else {
        // Some providers hand results back in the user's name; nobody asked them.
        let only_results = message.content.is_empty() && !results.is_empty();
        messages.append(&mut results);
        if !only_results {
            messages.push(message);
        }
    }
}

/// The name of a user among several, if a message has one.
fn user_name(role: Role, object: &Object) -> Option<String> {
    let name = object.get("name").and_then(Json::as_str).filter(|_| role == Role::User)?.trim();
    let says_more = !name.is_empty() && self::role(name).is_none();
    says_more.then(|| name.to_owned())
}

/// A tool's message: one result, or several as parts.
fn by_tool(object: &Object, messages: &mut Vec<Message>, flags: &mut BTreeSet<Flag>) {
    let returned = |part| match part::read(part) {
        Part::Returned(returned) => Some(returned),
        _ => None,
    };
    let results: Vec<Returned> = parts(object).iter().filter_map(returned).collect();
    if results.is_empty() {
        messages.push(result(&part::returned_by_message(object), flags));
    }
    messages.extend(results.iter().map(|returned| result(returned, flags)));
}

fn result(returned: &Returned, flags: &mut BTreeSet<Flag>) -> Message {
    let shown = returned.shown();
    if shown.placeheld {
        flags.insert(Flag::NonTextContent);
    }
    Message {
        tool_call_id: returned.call_id.map(str::to_owned),
        is_error: returned.is_error,
        ..Message::new(Role::Tool, shown.text)
    }
}

/// The parts of a message; a text is a part of its own.
fn parts(message: &Object) -> &[Json] {
    let says = |value: &&Json| match value {
        Json::Null => false,
        Json::String(text) => !text.is_empty(),
        Json::Array(parts) => !parts.is_empty(),
        _ => true,
    };
    match CONTENT_KEYS.iter().filter_map(|key| message.get(key)).find(says) {
        Some(Json::Array(parts)) => parts,
        Some(content) => std::slice::from_ref(content),
        None => &[],
    }
}

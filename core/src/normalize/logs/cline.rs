//! Histories of Cline and Roo Code: calls as XML in the assistant's text, and results in the user's name.
//!
//! ```json
//! {"role": "user", "content": [{"type": "text", "text": "<task>\nFix a.py\n</task>"}, {"type": "text", "text": "<environment_details>…"}]}
//! {"role": "assistant", "content": [{"type": "text", "text": "Let me look.\n<read_file>\n<path>a.py</path>\n</read_file>"}]}
//! {"role": "user", "content": [{"type": "text", "text": "[read_file for 'a.py'] Result:"}, {"type": "text", "text": "x = 1"}]}
//! ```

use super::inserted::{self, Mark};
use super::value;
use crate::domain::{Flag, Json, Object};

/// The tools, which no history lists.
const TOOLS: &[&str] = &[
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "execute_command",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "load_mcp_documentation",
    "web_fetch",
    "fetch_instructions",
    "ask_followup_question",
    "plan_mode_respond",
    "attempt_completion",
    "switch_mode",
    "new_task",
    "update_todo_list",
];

/// What the tool puts into the user's messages.
const INSERTED: &[Mark] = &[("<environment_details>", "</environment_details>")];

/// Tags around what the user says.
const SAID: &[(&str, &str)] = &[
    ("<task>", "</task>"),
    ("<feedback>", "</feedback>"),
    ("<user_message>", "</user_message>"),
    ("<answer>", "</answer>"),
];

/// With this Cline tells the model that it called nothing.
const REFUSAL: &str = "[ERROR] You did not use a tool";

/// What follows the name of a tool, and of what it was given, before what it returned.
const HEADING_END: &str = "] Result:";

/// The messages of such a history as others write them, with a flag that says so; other messages as they are.
pub(super) fn spoken(elements: Vec<Json>) -> (Vec<Json>, Option<Flag>) {
    let says =
        |sign: fn(&str) -> bool| elements.iter().any(|element| texts(element).iter().any(|text| sign(text)));
    let is_one = says(|text| text.contains("<environment_details>") || heading(text).is_some());
    if !is_one || !says(|text| begun_call(text).is_some()) {
        return (elements, None);
    }
    let spoken = elements.into_iter().flat_map(|element| match role(&element) {
        Some("assistant") => vec![assistants(element)],
        Some("user") => users(&element),
        _ => vec![element],
    });
    (spoken.collect(), Some(Flag::XmlArguments))
}

fn role(element: &Json) -> Option<&str> {
    element.get("role")?.as_str()
}

fn texts(element: &Json) -> Vec<&str> {
    match element.get("content") {
        Some(Json::String(text)) => vec![text],
        Some(Json::Array(blocks)) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Where a call begins at the start of a line, its tool, and where its parameters begin.
fn begun_call(text: &str) -> Option<(usize, &'static str, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches([' ', '\t']);
        let at = start + line.len() - trimmed.len();
        let name = trimmed.strip_prefix('<').and_then(|tag| Some(tag.split_once('>')?.0));
        if let Some(tool) = TOOLS.iter().find(|tool| name == Some(**tool)) {
            return Some((at, tool, at + tool.len() + 2));
        }
        start += line.len();
    }
    None
}

/// The message with its calls as calls. Arguments without an end are a text, as the model wrote it. What stands in a thought is none.
fn assistants(element: Json) -> Json {
    let whole = texts(&element).join("\n");
    let (mut said, mut rest, mut calls) = (String::new(), whole.as_str(), Vec::new());
    loop {
        let begun = begun_call(rest);
        if let Some((before, after)) =
            around_thought(rest).filter(|(before, _)| begun.is_none_or(|(at, ..)| before.len() < at))
        {
            said.push_str(before);
            rest = after;
            continue;
        }
        let Some((at, tool, inner)) = begun else { break };
        said.push_str(&rest[..at]);
        let (arguments, after) = arguments(&rest[inner..], tool);
        calls.push(function(None, tool, arguments));
        rest = after;
    }
    let mut others = Vec::new();
    for block in other_blocks(&element) {
        match (block.get("type").and_then(Json::as_str), block.get("name").and_then(Json::as_str)) {
            (Some("tool_use"), Some(name)) => {
                calls.push(function(
                    block.get("id"),
                    name,
                    block.get("input").cloned().unwrap_or(Json::Null),
                ));
            }
            _ => others.push(block.clone()),
        }
    }
    if calls.is_empty() {
        return element;
    }
    said.push_str(rest);
    Json::Object(value::calling("assistant", content(said.trim(), others), calls))
}

/// What stands before and after the first thought. It begins a line: within one, the tag is spoken of.
fn around_thought(text: &str) -> Option<(&str, &str)> {
    let opens = text.match_indices("<thinking>").map(|(at, _)| at);
    let at = opens
        .into_iter()
        .find(|at| text[..*at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty()))?;
    let (before, inner) = text.split_at(at);
    Some((before, inner.split_once("</thinking>")?.1))
}

/// What a call is given, and what follows its end. A file that is written may hold such an end, too: the call's own is the first
/// behind which no parameter is left open.
fn arguments<'a>(text: &'a str, tool: &str) -> (Json, &'a str) {
    const MOST_ENDS: usize = 64;
    let end = format!("</{tool}>");
    let mut ends = text.match_indices(&end).map(|(at, _)| at).take(MOST_ENDS).peekable();
    let Some(first) = ends.peek().copied() else { return (Json::from(text), "") };
    let read = ends.find_map(|at| Some((at, Json::Object(parameters(&text[..at])?))));
    let (at, arguments) = read.unwrap_or_else(|| (first, Json::from(&text[..first])));
    (arguments, &text[at + end.len()..])
}

fn function(id: Option<&Json>, name: &str, arguments: Json) -> Json {
    let mut function = Object::new();
    function.insert("name", name);
    function.insert("arguments", arguments);
    let mut call = Object::new();
    if let Some(id) = id {
        call.insert("id", id.clone());
    }
    call.insert("type", "function");
    call.insert("function", Json::Object(function));
    Json::Object(call)
}

/// The blocks of a message that are no text: pictures, and calls and results of models that need no XML.
fn other_blocks(element: &Json) -> impl Iterator<Item = &Json> {
    let blocks = element.get("content").and_then(Json::as_array).unwrap_or_default();
    blocks.iter().filter(|block| block.get("text").and_then(Json::as_str).is_none())
}

/// A text, with what is no text behind it.
fn content(text: &str, others: Vec<Json>) -> Json {
    if others.is_empty() {
        return Json::from(text);
    }
    let part = [("type", "text"), ("text", text)].map(|(key, value)| (key.to_owned(), Json::from(value)));
    let part = (!text.is_empty()).then(|| Json::Object(part.into_iter().collect()));
    Json::Array(part.into_iter().chain(others).collect())
}

/// `<path>a.py</path>` and the like, one after another; `None` if there is anything else.
fn parameters(written: &str) -> Option<Object> {
    let mut parameters = Object::new();
    let mut rest = written.trim();
    while !rest.is_empty() {
        let (name, inner) = rest.strip_prefix('<')?.split_once('>')?;
        let end = format!("</{name}>");
        // A value may hold its own end; behind the real one the next parameter begins, or nothing is left.
        let follows = |at: &usize| {
            matches!(inner[at + end.len()..].trim_start().as_bytes(), [] | [b'<', b'a'..=b'z', ..])
        };
        let at = inner.match_indices(&end).map(|(at, _)| at).find(follows)?;
        if parameters.contains_key(name) {
            return None;
        }
        parameters.insert(name, inner[..at].trim_matches('\n'));
        rest = inner[at + end.len()..].trim_start();
    }
    Some(parameters)
}

/// Whether a text begins with the heading of a result, and what follows it.
fn heading(text: &str) -> Option<&str> {
    let (head, result) = text.strip_prefix('[')?.split_once(HEADING_END)?;
    let name = head.split([' ', ']']).next()?;
    TOOLS.contains(&name).then_some(result)
}

/// The message as what tools returned, what the tool put in, and what the user said.
fn users(element: &Json) -> Vec<Json> {
    let (mut results, mut notes, mut own): (Vec<String>, Vec<Json>, Vec<String>) = Default::default();
    let mut in_result = false;
    for text in texts(element) {
        let Json::Object(message) = value::message("user", text) else { continue };
        for part in inserted::parted(message, INSERTED).into_iter().map(Json::Object) {
            if role(&part) == Some("system") {
                notes.push(part);
                in_result = false;
                continue;
            }
            let text = texts(&part).join("\n");
            let said: Vec<&str> =
                SAID.iter().filter_map(|(open, close)| between(&text, open, close)).collect();
            if let Some(result) = heading(text.trim_start()) {
                results.push(result.trim().to_owned());
                in_result = true;
            } else if let (true, Some(result)) = (in_result, results.last_mut()) {
                let gap = if result.is_empty() { "" } else { "\n" };
                result.push_str(&format!("{gap}{}", text.trim()));
            } else if text.trim_start().starts_with(REFUSAL) {
                notes.push(value::message("system", text.trim()));
            } else if said.is_empty() {
                own.push(text.trim().to_owned());
            }
            own.extend(said.into_iter().map(str::to_owned));
        }
    }
    let (returned, shown): (Vec<Json>, Vec<Json>) = other_blocks(element)
        .cloned()
        .partition(|block| block.get("type").and_then(Json::as_str) == Some("tool_result"));
    let returned = (!returned.is_empty()).then(|| value::message("user", Json::Array(returned)));
    // Pictures are the user's, unless there is nothing but results.
    let (of_result, of_user) = if own.is_empty() { (shown, Vec::new()) } else { (Vec::new(), shown) };
    let (last, of_user) = match results.pop() {
        Some(last) => (Some(value::message("tool", content(&last, of_result))), of_user),
        None => (None, [of_result, of_user].concat()),
    };
    let own = (!own.is_empty() || !of_user.is_empty())
        .then(|| value::message("user", content(&own.join("\n"), of_user)));
    let results = results.into_iter().map(|result| value::message("tool", result));
    returned.into_iter().chain(results).chain(last).chain(notes).chain(own).collect()
}

/// What the user said between two tags, which stand at the beginning of a line and at the end of the text: a file that a tool read may
/// hold such tags, too.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let text = text.trim_end().strip_suffix(close)?;
    let (before, said) = text.rsplit_once(open)?;
    if !matches!(before.trim_end_matches([' ', '\t']).chars().next_back(), None | Some('\n')) {
        return None;
    }
    Some(said.trim()).filter(|said| !said.is_empty())
}

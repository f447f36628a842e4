//! Builds one exchange with a model from values that hold a whole request or response in any vendor's form.
//!
//! ```json
//! {"messages": [{"role": "user", "content": "Oslo?"}], "tools": [{"name": "f"}]}
//! {"generations": [[{"message": {"lc": 1, "type": "constructor", "kwargs": {"content": "", "tool_calls": []}}}]]}
//! ```

use std::cell::LazyCell;

use super::entry::{Entry, Skip};
use super::found_tools::Stages;
use super::turn::{Before, Output, Turn};
use super::{nesting, request, value};
use crate::domain::{Flag, Json, Object, Origin};
use crate::normalize::ending::Ending;
use crate::normalize::question;

/// What a log says of an exchange, as far as it was found.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    pub(super) messages: Vec<Json>,
    pub(super) output: Option<Output>,
    /// How the answer ended, where that is said beside it.
    pub(super) ending: Option<Ending>,
    pub(super) tools: Option<Json>,
    pub(super) flags: Vec<Flag>,
    /// Which of several ways of writing it was met.
    pub(super) dialect: Option<&'static str>,
}

/// Keys of a request that hold what is said to the model before the conversation.
const SYSTEM_KEYS: &[&str] = &["system", "instructions", "systemInstruction", "system_instruction"];

/// Keys of a request that hold the conversation.
const CONVERSATION_KEYS: &[&str] = &["messages", "contents", "input", "prompt", "prompts"];

/// Keys of a request that hold definitions.
const TOOL_KEYS: &[&str] = &["tools", "functions", "toolConfig"];

/// Types of messages; their parts have types, too.
const SPEAKERS: &[&str] = &[
    "human",
    "ai",
    "system",
    "tool",
    "function",
    "chat",
    "HumanMessage",
    "AIMessage",
    "AIMessageChunk",
    "SystemMessage",
    "ToolMessage",
    "FunctionMessage",
];

impl Dialogue {
    /// Adds what was asked: a text, a message, a list of them, or a request with all that belongs to it.
    pub(super) fn ask(&mut self, asked: Json) {
        match asked {
            Json::Null => {}
            Json::String(text) => match value::unfolded(Json::String(text.clone())) {
                inner if is_request(&inner) => self.ask(inner),
                _ => self.ask_text(text),
            },
            Json::Array(items) => self.ask_messages(items),
            Json::Object(object) if is_message(&object) => self.messages.push(Json::Object(object)),
            Json::Object(object) => self.ask_request(object),
            other => self.messages.push(other),
        }
    }

    fn ask_text(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if value::breaks_off(&text) {
            self.flags.push(Flag::MaybeTruncated);
        }
        self.messages.push(value::message("user", text));
    }

    fn ask_messages(&mut self, items: Vec<Json>) {
        // A list of lists asks several things at once; what is answered here is the first.
        if let Some(Json::Array(_)) = items.first() {
            if let Some(Json::Array(first)) = items.into_iter().next() {
                self.messages.extend(first);
            }
            return;
        }
        for item in items {
            match item {
                Json::String(text) => self.ask_text(text),
                Json::Object(mut content) if content.contains_key("parts") => {
                    add_role(&mut content, "user");
                    self.messages.push(Json::Object(content));
                }
                other => self.messages.push(other),
            }
        }
    }

    fn ask_request(&mut self, mut request: Object) {
        self.flags.extend(request::flags(&request));
        // Google's SDK keeps tools and instructions beside the conversation, in an object of their own.
        let mut config = value::take_object(&mut request, "config").unwrap_or_default();
        for holder in [&mut request, &mut config] {
            if self.tools.is_none() {
                self.tools = value::take_first(holder, TOOL_KEYS);
            }
            for said in SYSTEM_KEYS.iter().filter_map(|key| holder.remove(key)).collect::<Vec<_>>() {
                self.instruct(said);
            }
        }
        let said =
            CONVERSATION_KEYS.iter().find_map(|key| request.remove(key).filter(|said| !said.is_null()));
        match said {
            Some(said) => self.ask(said),
            None => self.messages.push(Json::Object(request)),
        }
    }

    /// Adds what was said to the model before the conversation: a text, parts, or messages.
    pub(super) fn instruct(&mut self, said: Json) {
        let parts = match said {
            Json::Null => return,
            Json::Object(mut content) => content.remove("parts").unwrap_or(Json::Object(content)),
            Json::Array(items) if items.iter().any(|item| item.as_object().is_some_and(is_message)) => {
                return self.messages.extend(items);
            }
            other => other,
        };
        if parts.as_str().is_none_or(|text| !text.trim().is_empty()) {
            self.messages.push(value::message("system", parts));
        }
    }

    /// Sets what was answered: a text, a message, parts of one, a list of messages, or a whole response.
    pub(super) fn answer(&mut self, answered: Json) {
        match value::unfolded(answered) {
            Json::Null => {}
            Json::String(text) if text.trim().is_empty() => {}
            Json::String(text) if value::breaks_off(&text) => self.answer_broken(text),
            Json::Array(items) => self.answer_list(items),
            Json::Object(response) => self.answer_object(response),
            other => self.output = Some(Output::Message(other)),
        }
    }

    /// Sets an answer of which only the text is left.
    pub(super) fn answer_broken(&mut self, text: String) {
        if value::breaks_off(&text) {
            self.flags.push(Flag::MaybeTruncated);
        }
        self.output = Some(Output::Broken(text));
    }

    /// Sets the first of several possible answers.
    pub(super) fn answer_first(&mut self, choices: Vec<Json>) {
        if choices.len() > 1 {
            self.flags.push(Flag::MultipleChoices);
        }
        if let Some(first) = choices.into_iter().next() {
            self.answer(first);
        }
    }

    /// Sets what was answered, where several messages of the assistant's are one answer: each may have a call of its own.
    pub(super) fn answer_together(&mut self, answered: Json) {
        match value::unfolded(answered) {
            Json::Array(items) if items.len() > 1 && are_assistants(&items) => {
                self.output = Some(Output::Message(Json::Array(items)));
            }
            other => self.answer(other),
        }
    }

    fn answer_list(&mut self, items: Vec<Json>) {
        if items.iter().all(|item| item.as_str().is_some()) {
            return self.answer_first(items);
        }
        let messages = items.iter().filter_map(Json::as_object).filter(|item| is_message(item)).count();
        if messages < items.len() || items.is_empty() {
            // Parts, or calls without a message around them.
            self.output = (!items.is_empty()).then_some(Output::Message(Json::Array(items)));
        } else if are_assistants(&items) {
            self.answer_first(items);
        } else if let Some(last) = items.into_iter().next_back() {
            self.answer(last);
        }
    }

    fn answer_object(&mut self, mut response: Object) {
        if response.is_empty() {
            return;
        }
        // Of a response only the message may be kept.
        self.ending = self.ending.take().or_else(|| Ending::of_object(&response));
        if let Some(Json::Array(generations)) = response.get("generations") {
            let inner = match generations.first() {
                Some(Json::Array(inner)) => inner.clone(),
                _ => generations.clone(),
            };
            let said = |generation: Json| match generation {
                Json::Object(mut object) => {
                    object.remove("message").or_else(|| object.remove("text")).unwrap_or(Json::Null)
                }
                other => other,
            };
            return self.answer_first(inner.into_iter().map(said).collect());
        }
        let whole = response.contains_key("role") || response.contains_key("lc") || is_response(&response);
        if !whole && let Some(Json::Array(messages)) = response.get_mut("messages") {
            let last = messages.pop().unwrap_or(Json::Null);
            return self.answer(last);
        }
        if !whole && let Some(output) = response.remove("output") {
            return self.answer(output);
        }
        if response.contains_key("content") || response.contains_key("parts") {
            add_role(&mut response, "assistant");
        }
        self.output = Some(Output::Message(Json::Object(response)));
    }

    /// Whether both sides were found.
    pub(super) fn is_complete(&self) -> bool {
        self.output.is_some() && !self.messages.is_empty()
    }

    /// The turn that answers, if there is an answer.
    pub(super) fn into_entry(self, origin: Origin) -> Entry {
        let Some(output) = self.output else { return Entry::Skipped(Skip::NoOutput) };
        let said = match &output {
            Output::Message(response) => {
                response.get("output").unwrap_or(response).as_array().unwrap_or_default()
            }
            _ => &[],
        };
        let answered = LazyCell::new(|| nesting::tools_in(Some(&output)).unwrap_or_default());
        let called =
            |element: &Json| question::called(element).into_iter().chain(answered.keys().cloned()).collect();
        let elements = self.messages.iter().chain(said);
        let tools = Stages::of(value::tools(self.tools), elements, called).into_last();
        Entry::Turn(Box::new(Turn {
            before: Before::Messages(self.messages),
            output,
            ending: self.ending,
            tools,
            origin,
            flags: self.flags,
            dialect: self.dialect,
        }))
    }
}

fn add_role(message: &mut Object, role: &str) {
    if !message.contains_key("role") {
        message.insert("role", role);
    }
}

/// Whether a value is a conversation or a request, and not just a text that happens to be JSON.
fn is_request(json: &Json) -> bool {
    match json {
        Json::Object(object) => {
            is_message(object) || CONVERSATION_KEYS.iter().any(|key| object.contains_key(key))
        }
        Json::Array(items) => {
            let message = |item: &Json| item.as_object().is_some_and(is_message) || is_request(item);
            items.iter().any(message)
        }
        _ => false,
    }
}

/// Whether an object says who speaks, in any of the ways in which messages do.
fn is_message(object: &Object) -> bool {
    object.get("role").is_some_and(|role| role.as_str().is_some())
        || object.contains_key("lc") && object.contains_key("kwargs")
        || object.get("type").and_then(Json::as_str).is_some_and(|kind| SPEAKERS.contains(&kind))
            && (object.contains_key("content") || object.contains_key("data"))
}

fn are_assistants(items: &[Json]) -> bool {
    items.iter().all(|item| item.as_object().is_some_and(|item| is_message(item) && is_assistant(item)))
}

fn is_assistant(message: &Object) -> bool {
    let said = match message.get("id") {
        Some(Json::Array(path)) => path.last(),
        _ => message.get("role").or_else(|| message.get("type")),
    };
    let said = said.and_then(Json::as_str);
    said.is_some_and(|role| ["assistant", "ai", "model", "AIMessage", "AIMessageChunk"].contains(&role))
}

/// Whether an object is a provider's response, whose `output` is not all that it says.
fn is_response(object: &Object) -> bool {
    let responses = object.get("object").and_then(Json::as_str) == Some("response");
    responses || object.get("output").is_some_and(|output| output.get("message").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialogue(asked: &str, answered: &str) -> Dialogue {
        let mut dialogue = Dialogue::default();
        dialogue.ask(Json::parse(asked).unwrap());
        dialogue.answer(Json::parse(answered).unwrap());
        dialogue
    }

    #[test]
    fn requests_of_all_vendors() {
        const USER: &str = r#"{"role":"user","content":"q"}"#;
        for (asked, expected) in [
            ("null", String::new()),
            (r#"" ""#, String::new()),
            (r#""q""#, USER.to_owned()),
            (r#""{\"city\": 1}""#, r#"{"role":"user","content":"{\"city\": 1}"}"#.to_owned()),
            (r#""[{\"role\":\"user\",\"content\":\"q\"}]""#, USER.to_owned()),
            (r#"{"role":"user","content":"q"}"#, USER.to_owned()),
            (r#"[[{"role":"user","content":"q"}],[{"role":"user","content":"r"}]]"#, USER.to_owned()),
            (
                r#"{"system":"s","messages":[{"role":"user","content":"q"}],"tools":[1]}"#,
                format!(r#"{{"role":"system","content":"s"}} {USER} tools [1]"#),
            ),
            (r#"{"instructions":"s","input":"q"}"#, format!(r#"{{"role":"system","content":"s"}} {USER}"#)),
            (r#"{"instructions":null,"input":"[1]"}"#, r#"{"role":"user","content":"[1]"}"#.to_owned()),
            (
                r#"{"contents":"q","config":{"system_instruction":{"parts":[{"text":"s"}]},"tools":[1]}}"#,
                format!(r#"{{"role":"system","content":[{{"text":"s"}}]}} {USER} tools [1]"#),
            ),
            (
                r#"{"contents":[{"parts":[{"text":"q"}]}]}"#,
                r#"{"parts":[{"text":"q"}],"role":"user"}"#.to_owned(),
            ),
            (r#"{"messages":[],"toolConfig":{"tools":[]}}"#, r#"tools {"tools":[]}"#.to_owned()),
            (r#"{"prompts":["q"],"functions":"[1]"}"#, format!("{USER} tools [1]")),
            (r#"{"input":{"messages":[{"role":"user","content":"q"}]}}"#, USER.to_owned()),
            (r#"{"city":1}"#, r#"{"city":1}"#.to_owned()),
            (
                r#"{"type":"human","data":{"content":"q"}}"#,
                r#"{"type":"human","data":{"content":"q"}}"#.to_owned(),
            ),
        ] {
            let found = dialogue(asked, "null");
            let tools = found.tools.map(|tools| format!("tools {tools}"));
            let shown: Vec<String> = found.messages.iter().map(Json::to_string).chain(tools).collect();
            assert_eq!(shown.join(" "), expected, "{asked}");
        }
    }

    #[test]
    fn answers_of_all_vendors() {
        for (answered, expected) in [
            ("null", "none"),
            (r#""""#, "none"),
            ("[]", "none"),
            ("{}", "none"),
            (r#""a""#, r#""a""#),
            (r#"{"content":"a"}"#, r#"{"content":"a","role":"assistant"}"#),
            (r#"{"choices":[]}"#, r#"{"choices":[]}"#),
            (
                r#"[{"role":"assistant","content":"a"},{"role":"assistant","content":"b"}]"#,
                r#"{"role":"assistant","content":"a"} MultipleChoices"#,
            ),
            (
                r#"[{"role":"user","content":"q"},{"type":"ai","content":"a"}]"#,
                r#"{"type":"ai","content":"a","role":"assistant"}"#,
            ),
            (r#"[{"type":"text","text":"a"}]"#, r#"[{"type":"text","text":"a"}]"#),
            (
                r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}"#,
                r#"{"role":"assistant","content":"a"}"#,
            ),
            (r#"{"output":"a"}"#, r#""a""#),
            (r#"{"object":"response","output":[]}"#, r#"{"object":"response","output":[]}"#),
            (r#"{"output":{"message":{"content":[]}}}"#, r#"{"output":{"message":{"content":[]}}}"#),
            (r#"{"generations":[[{"text":"a"},{"text":"b"}]]}"#, r#""a" MultipleChoices"#),
            (r#"{"generations":[{"text":"","message":{"lc":1,"kwargs":{}}}]}"#, r#"{"lc":1,"kwargs":{}}"#),
            (r#"{"generations":[]}"#, "none"),
            (r#""[{\"role\": \"assistant\", \"cont""#, r#"cut [{"role": "assistant", "cont MaybeTruncated"#),
        ] {
            let found = dialogue("null", answered);
            let output = match found.output {
                Some(Output::Message(json) | Output::Calls(json)) => json.to_string(),
                Some(Output::Broken(text)) => format!("cut {text}"),
                None => "none".to_owned(),
            };
            let flags: String = found.flags.iter().map(|flag| format!(" {flag:?}")).collect();
            assert_eq!(output + &flags, expected, "{answered}");
        }
    }
}

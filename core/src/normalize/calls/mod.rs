//! A tool-call cell to calls: `[{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]`.
//!
//! [`SHAPES`] is the table of all supported objects, in the order in which they are tried; a new shape is a new row. Texts are
//! parsed in [`text`], the vendors' objects in the files named after their kind.

mod arguments;
mod bare;
mod elements;
mod envelopes;
mod gemma;
mod harmony;
mod lines;
mod spoken;
mod tagged;
mod text;
pub(super) mod thought;
mod tokens;
mod tools;
mod vendors;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub(super) use arguments::place as arguments_place;
pub(super) use bare::is_schema;
pub(super) use tools::ByName;

use crate::domain::{Calls, Cell, Flag, Json, Object, RowError, RowErrorCode, ToolCall, ToolDefinition};

/// The calls read out of something that should hold calls.
type Reading = Result<Vec<ToolCall>, RowError>;

/// What an assistant's answer calls.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Calls(Vec<ToolCall>),
    /// The text of an answer with the marks of a call that cannot be read.
    Unreadable(String),
}

/// What the marks in a text say.
#[derive(Debug, PartialEq)]
enum Markup {
    None,
    Calls(Vec<ToolCall>),
    /// There is a call, which is cut, broken, or in a form that is not read.
    Unreadable,
}

impl Markup {
    fn of(calls: Vec<ToolCall>) -> Markup {
        if calls.is_empty() { Markup::None } else { Markup::Calls(calls) }
    }
}

/// One way of writing calls as a JSON object.
struct Shape {
    evidence: Evidence,
    /// `None` when the object is not of this shape.
    read: fn(&mut Reader, &Object) -> Option<Reading>,
}

/// What gives a shape away, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    /// Keys that nothing else has.
    Marked,
    /// A name beside arguments. An item of another kind may have these by chance.
    Named,
    /// Hardly anything. A reply in JSON may look the same by chance.
    Guessed,
}

/// What it means that the object of a call has no key of arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Absent {
    /// They were not recorded: who writes objects like this one always writes arguments.
    #[default]
    Unrecorded,
    /// Perhaps there were none: a person wrote no more than the name.
    Unsaid,
    /// There were none: who writes objects like this one leaves out what is empty, or nobody judges the call.
    Empty,
}

/// In the order in which they are tried; the first that fits decides.
const SHAPES: &[Shape] = {
    use Evidence::{Guessed, Marked, Named};
    &[
        Shape { evidence: Marked, read: envelopes::chat_completion },
        Shape { evidence: Marked, read: envelopes::text_completion },
        Shape { evidence: Marked, read: envelopes::gemini_response },
        Shape { evidence: Marked, read: envelopes::responses_response },
        Shape { evidence: Marked, read: envelopes::bedrock_response },
        Shape { evidence: Marked, read: envelopes::wrapped_message },
        Shape { evidence: Marked, read: envelopes::gemini_content },
        Shape { evidence: Marked, read: envelopes::langchain_constructor },
        Shape { evidence: Marked, read: envelopes::langchain_data },
        Shape { evidence: Marked, read: envelopes::message },
        Shape { evidence: Marked, read: vendors::client_tool },
        Shape { evidence: Marked, read: envelopes::langchain_steps },
        Shape { evidence: Marked, read: vendors::function_call },
        Shape { evidence: Marked, read: vendors::bedrock },
        Shape { evidence: Marked, read: vendors::gemini_server },
        Shape { evidence: Marked, read: vendors::goose },
        Shape { evidence: Marked, read: vendors::gemini_live },
        Shape { evidence: Marked, read: vendors::openai_custom },
        Shape { evidence: Marked, read: vendors::json_rpc },
        Shape { evidence: Marked, read: vendors::openai },
        Shape { evidence: Marked, read: vendors::inspect },
        Shape { evidence: Marked, read: vendors::server_tool },
        Shape { evidence: Marked, read: vendors::vercel },
        Shape { evidence: Marked, read: vendors::vercel_invocation },
        Shape { evidence: Marked, read: vendors::cohere_text },
        Shape { evidence: Marked, read: vendors::langchain_action },
        Shape { evidence: Marked, read: vendors::chat_action },
        Shape { evidence: Marked, read: vendors::typed },
        Shape { evidence: Marked, read: bare::malformed },
        Shape { evidence: Named, read: bare::definition },
        Shape { evidence: Named, read: bare::named },
        Shape { evidence: Guessed, read: bare::name_alone },
        Shape { evidence: Guessed, read: bare::bfcl },
    ]
};

/// Reads the calls of one row, and remembers what was unusual about them.
pub(super) struct Reader<'a> {
    /// Known before the calls: positional arguments get their names from here.
    tools: &'a [ToolDefinition],
    /// The same by name, once the first was looked up: a row may hold thousands of both.
    by_name: OnceCell<ByName<'a>>,
    /// Whether calls that the provider ran itself are read.
    server_tools: bool,
    absent: Absent,
    flags: BTreeSet<Flag>,
    /// The text with the marks of a call that cannot be read, if there was one.
    unreadable: Option<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(tools: &'a [ToolDefinition]) -> Reader<'a> {
        Reader {
            tools,
            by_name: OnceCell::new(),
            server_tools: false,
            absent: Absent::default(),
            flags: BTreeSet::new(),
            unreadable: None,
        }
    }

    /// The same, but for whether calls that the provider ran itself are read.
    pub(super) fn with_server_tools(self, server_tools: bool) -> Reader<'a> {
        Reader { server_tools, ..self }
    }

    pub(super) fn into_flags(self) -> BTreeSet<Flag> {
        self.flags
    }

    /// The calls of a tool-call cell.
    pub(super) fn cell(&mut self, cell: &Cell) -> Result<Calls, RowError> {
        let calls = match cell {
            Cell::Missing => Err(RowError::new(
                RowErrorCode::MissingToolCall,
                "tool_call: the row does not have this field",
            )),
            Cell::Null => Ok(Calls::Parsed(Vec::new())),
            Cell::Text(text) => self.text(text, 0),
            Cell::Json(json) => self.value(json),
        }?;
        Ok(if self.unreadable.take().is_some() { self.unparsed() } else { calls })
    }

    /// The calls of a message of the conversation that says `words`; what cannot be read there is no fault of the judged
    /// turn.
    pub(super) fn history(&mut self, message: &Object, words: &str) -> Vec<ToolCall> {
        self.absent = Absent::Empty;
        let calls = match self.object(message, Evidence::Marked) {
            None => Vec::new(),
            Some(Ok(calls)) => calls,
            // One of them is broken: the others are worth having.
            Some(Err(_)) => {
                let places = ["tool_calls", "toolCalls", "content", "parts"]
                    .iter()
                    .filter_map(|key| message.get(key)?.as_array());
                let items = places.flatten().filter_map(Json::as_object);
                items.filter_map(|item| self.object(item, Evidence::Named)?.ok()).flatten().collect()
            }
        };
        if calls.is_empty() { self.message_text(words) } else { calls }
    }

    /// The calls in an assistant's answer: a message, a whole response, its parts, or text. An answer need not be a call,
    /// so what shows no name beside arguments is prose.
    pub(super) fn output(&mut self, output: &Json) -> Result<Answer, RowError> {
        let calls = match output {
            Json::Null | Json::Bool(_) | Json::Number(_) => Vec::new(),
            Json::String(text) => self.message_text(text),
            Json::Array(items) if items.iter().all(is_part) => self.message_parts(items)?,
            Json::Array(items) => {
                let mut calls = Vec::new();
                for item in items.iter().filter_map(Json::as_object) {
                    calls.extend(self.answer_object(item)?);
                }
                calls
            }
            Json::Object(object) => self.answer_object(object)?,
        };
        Ok(self.answer(calls))
    }

    /// The calls of a value that holds nothing else; a text without any is prose.
    pub(super) fn only_calls(&mut self, json: &Json) -> Result<Answer, RowError> {
        let calls = match json {
            Json::String(text) => self.spoken_calls(text),
            json => match self.value(json)? {
                Calls::Parsed(calls) => calls,
                Calls::Unparsed => Vec::new(),
            },
        };
        Ok(self.answer(calls))
    }

    fn answer(&mut self, calls: Vec<ToolCall>) -> Answer {
        self.unreadable.take().map_or(Answer::Calls(calls), Answer::Unreadable)
    }

    /// The calls of an object that an answer is. An answer may be JSON, so only a tool's name beside something unknown is a
    /// call that cannot be read.
    fn answer_object(&mut self, object: &Object) -> Reading {
        if let Some(reading) = self.object(object, Evidence::Named) {
            return reading;
        }
        match bare::named_tool(self, object) {
            Some(Ok(calls)) => Ok(calls),
            Some(Err(_)) => {
                self.unreadable.get_or_insert_with(|| object.to_string());
                Ok(Vec::new())
            }
            None => Ok(Vec::new()),
        }
    }

    fn value(&mut self, json: &Json) -> Result<Calls, RowError> {
        match json {
            Json::Null => Ok(Calls::Parsed(Vec::new())),
            Json::String(text) => self.text(text, 0),
            Json::Array(items) => self.list(items),
            Json::Object(object) if object.is_empty() => Ok(Calls::Parsed(Vec::new())),
            // A list whose places became keys: `{"0":{"name":"f","arguments":{}}}`.
            Json::Object(object)
                if object.iter().all(|(key, item)| {
                    !key.is_empty()
                        && key.bytes().all(|byte| byte.is_ascii_digit())
                        && item.as_object().is_some()
                }) =>
            {
                self.list(&object.values().cloned().collect::<Vec<_>>())
            }
            Json::Object(object) => self.call_object(object).map(Calls::Parsed),
            Json::Bool(_) | Json::Number(_) => Err(unrecognised(json)),
        }
    }

    /// A value that must hold calls, because of the key it stands under.
    fn calls_under_key(&mut self, json: &Json) -> Reading {
        match self.value(json)? {
            Calls::Parsed(calls) => Ok(calls),
            Calls::Unparsed => Err(unrecognised(json)),
        }
    }

    fn list(&mut self, items: &[Json]) -> Result<Calls, RowError> {
        if items.is_empty() {
            return Ok(Calls::Parsed(Vec::new()));
        }
        if items.iter().all(|item| item.as_str().is_some()) {
            return self.strings(items);
        }
        if let Some(action) = vendors::action_of_step(items) {
            return self.call_object(action).map(Calls::Parsed);
        }
        if items.iter().all(is_part) {
            return self.parts(items).map(Calls::Parsed);
        }
        let mut calls = Vec::new();
        for item in items {
            calls.extend(match item {
                Json::Object(object) => self.call_object(object)?,
                Json::Array(step) => match vendors::action_of_step(step) {
                    Some(action) => self.call_object(action)?,
                    None => return Err(unrecognised(item)),
                },
                _ => return Err(unrecognised(item)),
            });
        }
        Ok(Calls::Parsed(calls))
    }

    /// A list of texts, each with calls. If none of them has any, the list is a text for the judge; if only some have,
    /// dropping the others would change what the agent did.
    fn strings(&mut self, items: &[Json]) -> Result<Calls, RowError> {
        let mut calls = Vec::new();
        let mut unread = None;
        let mut read = 0;
        for item in items {
            match self.value(item)? {
                Calls::Parsed(more) => {
                    read += 1;
                    calls.extend(more);
                }
                Calls::Unparsed => unread = unread.or(Some(item)),
            }
        }
        match unread {
            None => Ok(Calls::Parsed(calls)),
            Some(_) if read == 0 => Ok(self.unparsed()),
            Some(item) => Err(unrecognised(item)),
        }
    }

    /// The parts of a message: calls among texts, thoughts and kinds that are yet to be invented.
    fn parts(&mut self, items: &[Json]) -> Reading {
        let mut calls = Vec::new();
        let mut unknown = None;
        for part in items {
            let Json::Object(object) = part else {
                if part.as_str().is_none() {
                    return Err(unrecognised(part));
                }
                continue;
            };
            let kind = object.get("type").and_then(Json::as_str);
            let weakest = match kind {
                Some(kind) if vendors::is_call_type(kind) => Evidence::Guessed,
                _ => Evidence::Marked,
            };
            match self.object(object, weakest) {
                Some(reading) => calls.extend(reading?),
                None if weakest == Evidence::Marked && is_part(part) => {
                    unknown = unknown.or_else(|| Some(part).filter(|_| Reader::is_unknown_call(object)));
                }
                None => return Err(unrecognised(part)),
            }
        }
        if let Some(part) = unknown.filter(|_| calls.is_empty()) {
            self.unreadable.get_or_insert_with(|| part.to_string());
        }
        Ok(calls)
    }

    /// The calls in the parts of a message; where none is a part, those that a model wrote into its words.
    fn message_parts(&mut self, items: &[Json]) -> Reading {
        let calls = self.parts(items)?;
        if !calls.is_empty() {
            return Ok(calls);
        }
        let unknown_part = self.unreadable.take();
        let texts: Vec<&str> = items.iter().filter_map(words).collect();
        let calls = texts.iter().flat_map(|text| self.message_text(text)).collect();
        if self.unreadable.is_some() {
            self.unreadable = Some(texts.join("\n"));
        }
        self.unreadable = unknown_part.or(self.unreadable.take());
        Ok(calls)
    }

    /// The calls of an object that must be one or hold some.
    fn call_object(&mut self, object: &Object) -> Reading {
        self.object(object, Evidence::Guessed).unwrap_or_else(|| Err(unrecognised(object)))
    }

    /// The reading of the first shape that fits, of those that show at least the `weakest` evidence.
    fn object(&mut self, object: &Object, weakest: Evidence) -> Option<Reading> {
        SHAPES.iter().filter(|shape| shape.evidence <= weakest).find_map(|shape| (shape.read)(self, object))
    }

    /// Reads with another idea of what it means that arguments are absent, where nothing is known for sure yet.
    fn where_absent_is<T>(&mut self, absent: Absent, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.absent;
        if before == Absent::Unrecorded {
            self.absent = absent;
        }
        let found = read(self);
        self.absent = before;
        found
    }

    fn unparsed(&mut self) -> Calls {
        self.flags.insert(Flag::RawToolCall);
        Calls::Unparsed
    }
}

/// Whether an element of a list is a part of a message: it says its type, or has a key that only parts have.
fn is_part(item: &Json) -> bool {
    const KEYS: &[&str] = &[
        "text",
        "functionCall",
        "function_call",
        "functionResponse",
        "function_response",
        "inlineData",
        "inline_data",
        "fileData",
        "file_data",
        "executableCode",
        "executable_code",
        "codeExecutionResult",
        "code_execution_result",
        "toolUse",
        "serverToolUse",
        "toolResult",
        "toolCall",
        "toolResponse",
        "reasoningContent",
        "image",
        "document",
        "video",
        "cachePoint",
        "guardContent",
    ];
    item.as_object().is_some_and(|object| {
        object.get("type").is_some_and(|kind| kind.as_str().is_some())
            || KEYS.iter().any(|key| object.contains_key(key))
    })
}

/// What a part of a message says, if it is text.
fn words(part: &Json) -> Option<&str> {
    let kind = part.get("type").and_then(Json::as_str);
    let said = |keys: &[&str]| keys.iter().find_map(|key| part.get(key)?.as_str());
    match kind {
        None => said(&["text", "content"]),
        Some("text" | "output_text") => {
            said(&["text", "content", "value"]).or_else(|| part.get("text")?.get("value")?.as_str())
        }
        Some(_) => None,
    }
}

fn unrecognised(what: impl std::fmt::Display) -> RowError {
    error(RowErrorCode::UnrecognisedToolCall, "no known shape of a tool call", what)
}

fn error(code: RowErrorCode, why: &str, what: impl std::fmt::Display) -> RowError {
    RowError::new(code, format!("tool_call: {why}: {}", RowError::excerpt(&what.to_string())))
}

#[cfg(test)]
mod markup_tests;
#[cfg(test)]
mod tests;

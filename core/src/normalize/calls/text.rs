//! Calls in a text, by trying its possible notations in turn: `"[{\"name\": …}]"`, `f(a=1)`, `<tool_call>{…}`.

use super::{Evidence, Reader};
use crate::domain::{Arguments, Calls, Flag, Json, RowError, RowErrorCode, ToolCall};
use crate::normalize::call_syntax::{self, Call, Value};
use crate::normalize::python_literal::{self, Dialect, Scanner, is_word, is_word_start};

/// What stands in cells where nothing was called; letter case and a final full stop do not matter.
const NONE_TEXTS: &[&str] = &[
    "",
    "no tools called",
    "no tool called",
    "no tool calls",
    "no tools",
    "no function call",
    "no function calls",
    "none",
    "null",
    "nan",
    "n/a",
    "undefined",
    "[]",
    "{}",
];

/// What models end their turn with.
const END_TOKENS: &[&str] = &["<|eot_id|>", "<|eom_id|>", "<|im_end|>", "</s>", "<bot_end>"];

/// The languages of fences that hold calls.
const FENCE_LANGUAGES: &[&str] = &["json", "python", "tool_code"];

/// Objects as Python SDKs print them, and numpy's arrays. As long as no tool has such a name, none of them is a call.
const PRINTED_CLASSES: &[&str] = &[
    "ChatCompletionMessageToolCall",
    "ChatCompletionMessageFunctionToolCall",
    "ToolUseBlock",
    "ResponseFunctionToolCall",
    "FunctionCall",
    "ToolCall",
    "AgentAction",
    "ToolAgentAction",
    "OpenAIToolAgentAction",
    "AgentActionMessageLog",
    "array",
];

/// How many times a JSON string may hold JSON: exporters encode what was encoded before.
const MAX_ENCODINGS: usize = 4;

impl Reader<'_> {
    /// The calls of a text that came out of `encodings` JSON strings.
    pub(super) fn text(&mut self, text: &str, encodings: usize) -> Result<Calls, RowError> {
        let stripped = strip(text);
        if means_none(text) || means_none(stripped) {
            return Ok(Calls::Parsed(Vec::new()));
        }
        if let Some(values) = json_values(stripped)? {
            return self.values(&values, encodings);
        }
        // Before tags are looked for: what is code as a whole may well speak of tags.
        if let Some(calls) = self.call_syntax(stripped) {
            return Ok(Calls::Parsed(calls));
        }
        if let Some(values) = python_literal::sequence(stripped, Dialect::Repr) {
            return self.values(&values, encodings);
        }
        if let Some(calls) = self.marked_text(stripped) {
            return Ok(Calls::Parsed(calls));
        }
        self.flag_if_cut(text);
        Ok(self.unparsed())
    }

    /// The calls that a model wrote into a message. A reply that merely is JSON is no call, so only what shows a name
    /// and arguments counts, and what cannot be read is prose.
    pub(super) fn message_text(&mut self, text: &str) -> Vec<ToolCall> {
        let text = strip(text);
        // A text that is JSON throughout may speak of tags, but has none.
        let Ok(Some(values)) = json_values(text) else { return self.marked_text(text).unwrap_or_default() };
        let in_json = self.attempt(|reader| {
            let mut calls = Vec::new();
            for value in values {
                for element in value.as_array().unwrap_or(std::slice::from_ref(&value)) {
                    calls.extend(reader.object(element.as_object()?, Evidence::Named)?.ok()?);
                }
            }
            Some(calls)
        });
        in_json.unwrap_or_default()
    }

    /// The calls that are the whole of a model's answer, which may also be in call syntax.
    pub(super) fn spoken_calls(&mut self, text: &str) -> Vec<ToolCall> {
        let calls = self.message_text(text);
        if !calls.is_empty() {
            return calls;
        }
        self.attempt(|reader| reader.call_syntax(strip(text))).unwrap_or_default()
    }

    fn values(&mut self, values: &[Json], encodings: usize) -> Result<Calls, RowError> {
        match values {
            [Json::String(_)] if encodings >= MAX_ENCODINGS => Ok(self.unparsed()),
            [Json::String(inner)] => self.text(inner, encodings + 1),
            [value] => self.value(value),
            values => self.list(values),
        }
    }

    /// Calls that a line of its own or a tag marks as calls.
    fn marked_text(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        if is_broken(text) {
            return None;
        }
        self.attempt(|reader| reader.name_line(text)).or_else(|| self.attempt(|reader| reader.tagged(text)))
    }

    /// GLM's calls: a line with the name, then the arguments as one JSON object.
    fn name_line(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        let (name, rest) = text.split_once('\n')?;
        let name = name.trim();
        if !name.starts_with(is_word_start) || !name.chars().all(|c| is_word(c) || c == '.' || c == '-') {
            return None;
        }
        let Ok(Json::Object(arguments)) = Json::parse(rest) else { return None };
        Some(vec![ToolCall { name: name.to_owned(), arguments: self.parsed(arguments), id: None }])
    }

    fn call_syntax(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        let calls = call_syntax::whole(text.strip_prefix("Call:").unwrap_or(text))?;
        let printed =
            |call: &Call| PRINTED_CLASSES.contains(&call.name) && self.definition(call.name).is_none();
        if calls.iter().any(printed) {
            return None;
        }
        Some(calls.into_iter().map(|call| self.written_call(call)).collect())
    }

    /// A call of call syntax; its positional arguments get the names of the definition's parameters.
    pub(super) fn written_call(&mut self, call: Call) -> ToolCall {
        let positional = call.arguments.iter().any(|argument| argument.name.is_none());
        let definition = positional.then(|| self.definition(call.name)).flatten();
        let parameters = definition.and_then(|tool| tool.parameters.get("properties")?.as_object());
        let mut names = parameters.into_iter().flat_map(|properties| properties.keys());
        let mut position = 0..;
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in call.arguments {
            let name = match argument.name {
                Some(name) => name.to_owned(),
                None => {
                    let unnamed = position.next().unwrap_or(0);
                    let name = names.next();
                    self.flags.insert(if name.is_some() { Flag::PositionalMapped } else { Flag::Positional });
                    name.map_or_else(|| format!("${unnamed}"), str::to_owned)
                }
            };
            let value = match argument.value {
                Value::Literal(json) => json,
                Value::Expression(source) => {
                    self.flags.insert(Flag::NonLiteral);
                    Json::from(source)
                }
            };
            arguments.push((name, value));
        }
        let arguments: Arguments = self.parsed(arguments.into_iter().collect());
        ToolCall { name: call.name.to_owned(), arguments, id: None }
    }

    /// What `read` reads; its flags are forgotten if it reads nothing.
    fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let flags = self.flags.clone();
        let result = read(self);
        if result.is_none() {
            self.flags = flags;
        }
        result
    }
}

fn means_none(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    NONE_TEXTS.iter().any(|none| none.eq_ignore_ascii_case(text))
}

/// The text without a fence around it and without tokens at its end.
fn strip(text: &str) -> &str {
    let text = strip_end_tokens(text);
    let Some(inside) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) else {
        return text;
    };
    let language = inside
        .find(|c: char| c.is_whitespace())
        .filter(|&end| FENCE_LANGUAGES.iter().any(|language| language.eq_ignore_ascii_case(&inside[..end])));
    strip_end_tokens(&inside[language.unwrap_or(0)..])
}

fn strip_end_tokens(mut text: &str) -> &str {
    loop {
        text = text.trim();
        match END_TOKENS.iter().find_map(|token| text.strip_suffix(token)) {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}

/// Whether a text begins with an object, or a list of them, that breaks off. Tags in there stand within its strings.
fn is_broken(text: &str) -> bool {
    let item = text.strip_prefix('[').map_or(text, str::trim_start);
    let key = item.strip_prefix('{').map_or("", str::trim_start);
    key.starts_with(['"', '\''])
        && Json::parse_prefix(text).is_err()
        && Scanner::new(text, Dialect::Repr).value(0).is_none()
}

/// The JSON values that make up `text`, one after another; `None` if it is no JSON.
fn json_values(text: &str) -> Result<Option<Vec<Json>>, RowError> {
    let mut values = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if !rest.starts_with(['{', '[', '"']) {
            return Ok(None);
        }
        match Json::parse_prefix(rest) {
            Ok((value, end)) => {
                values.push(value);
                rest = rest[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
            }
            Err(error) if error.is_too_deep() => {
                let why = "nesting deeper than 128 levels";
                return Err(super::error(RowErrorCode::NestingTooDeep, why, RowError::excerpt(text)));
            }
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_what_surrounds_a_call() {
        for (text, expected) in [
            (" f() ", "f()"),
            ("```json\n[1]\n```", "[1]"),
            ("```JSON [1]```", "[1]"),
            ("```\nf()\n```<|im_end|>", "f()"),
            ("```tool_code\nf()<|eot_id|>\n```", "f()"),
            ("```rust\nf()\n```", "rust\nf()"),
            ("f()</s> <|eom_id|>", "f()"),
            ("```", "```"),
            ("``````", ""),
        ] {
            assert_eq!(strip(text), expected, "{text}");
        }
    }

    #[test]
    fn knows_the_ways_to_say_none() {
        for text in ["", " \n", "No tools called", "no tool calls.", "NaN", "N/A", "[]", "{}", "None."] {
            assert!(means_none(text), "{text}");
        }
        for text in ["no", "none of them", "[1]", ".."] {
            assert!(!means_none(text), "{text}");
        }
    }
}

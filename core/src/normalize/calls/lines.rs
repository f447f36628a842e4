//! Calls that words at the start of a line mark: `Action: f\nAction Input: {"a":1}`, `f\n{"a":1}`, `>>>f\n{"a":1}`.

use memchr::memmem;

use super::elements::is_tool_name;
use super::tagged::{leading_value, leading_values};
use super::text::means_none;
use super::{Absent, Evidence, Markup, Reader, harmony};
use crate::domain::{Arguments, Calls, Json, ToolCall};
use crate::normalize::call_syntax::{self, Value};

const ACTION: &str = "Action:";
const INPUT: &str = "Action Input:";

/// What a line begins with that ends the input of an action.
const NEXT: &[&str] = &["Observation", "Thought:", ACTION, "Final Answer:", "Question:"];

/// Actions that call nothing.
const NO_TOOLS: &[&str] = &["final answer", "directly-answer", "directly_answer"];

impl Reader<'_> {
    /// Calls that no tag of their own marks.
    pub(super) fn lines(&mut self, text: &str) -> Markup {
        let mut found = self.functools(text);
        if matches!(found, Markup::None)
            && let Some(calls) = self.attempt(|reader| harmony::without_tokens(reader, text))
        {
            found = Markup::Calls(calls);
        }
        if matches!(found, Markup::None) {
            found = self.actions(text);
        }
        if matches!(found, Markup::None) {
            found = self.recipients(text);
        }
        found
    }

    /// GLM's calls: a line with the name, then the arguments as one JSON object. Functionary goes on with further calls.
    pub(super) fn name_line(&mut self, text: &str) -> Option<Vec<ToolCall>> {
        let (name, rest) = text.split_once('\n')?;
        let name = name.trim();
        if !is_tool_name(name) || name.contains([':', '/']) {
            return None;
        }
        let (Json::Object(arguments), end) = Json::parse_prefix(rest).ok()? else { return None };
        let call = ToolCall { name: name.to_owned(), arguments: self.parsed(arguments), id: None };
        let rest = rest[end..].trim();
        match rest.starts_with(">>>").then(|| self.recipients(rest)) {
            Some(Markup::Calls(more)) => Some([vec![call], more].concat()),
            Some(_) => None,
            None => rest.is_empty().then(|| vec![call]),
        }
    }

    /// Functionary 3: `>>>f\n{"a":1}`, and `>>>all\n` before prose.
    fn recipients(&mut self, text: &str) -> Markup {
        let mut calls = Vec::new();
        for (at, _) in text.match_indices(">>>") {
            let Some((name, body)) = text[at + 3..].split_once('\n') else { continue };
            let body = body.trim_start();
            if !is_tool_name(name.trim_end()) || !body.starts_with('{') {
                continue;
            }
            let Some((Json::Object(arguments), _)) = leading_value(body) else { return Markup::Unreadable };
            let arguments = self.parsed(arguments);
            calls.push(ToolCall { name: name.trim_end().to_owned(), arguments, id: None });
        }
        Markup::of(calls)
    }

    /// Phi-4 and Firefunction: `functools[{"name":"f","arguments":{"a":1}}]`.
    fn functools(&mut self, text: &str) -> Markup {
        let Some(at) = memmem::find(text.as_bytes(), b"functools[") else { return Markup::None };
        let list = &text[at + "functools".len()..];
        if !list[1..].trim_start().starts_with('{') {
            return Markup::None;
        }
        let calls = leading_values(list).and_then(|(values, _)| self.calls_in(&values));
        calls.map_or(Markup::Unreadable, Markup::Calls)
    }

    /// ReAct, `Action: f` before `Action Input: {"a":1}`; and actions as JSON, as Command R and LangChain's chat agents
    /// write them.
    fn actions(&mut self, text: &str) -> Markup {
        let mut calls = Vec::new();
        let mut thinks = false;
        let mut rest = text;
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let line = line.trim();
            thinks |= line.starts_with("Thought:");
            // What Markdown shows as code is spoken of.
            if line.starts_with("```") {
                rest = after.split_once("```").map_or("", |(_, after)| after);
                continue;
            }
            let Some(action) = line.strip_prefix(ACTION) else {
                rest = after;
                continue;
            };
            let behind = rest[rest.find(ACTION).unwrap_or(0) + ACTION.len()..].trim_start();
            if let Some(fenced) = behind.strip_prefix("```") {
                match self.fenced_actions(fenced) {
                    Markup::Calls(more) => calls.extend(more),
                    Markup::Unreadable => return Markup::Unreadable,
                    Markup::None => {}
                }
                rest = fenced.split_once("```").map_or("", |(_, after)| after);
                continue;
            }
            let name = action.trim().trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '*' | '[' | ']'));
            let is_none = means_none(name) || NO_TOOLS.iter().any(|none| none.eq_ignore_ascii_case(name));
            let Some(input) = after.trim_start().strip_prefix(INPUT) else {
                // Cut before the input.
                if thinks && after.trim().is_empty() && !is_none && self.definition(name).is_some() {
                    return Markup::Unreadable;
                }
                rest = after;
                continue;
            };
            let length = end_of_input(input);
            rest = &input[length..];
            if is_none {
                continue;
            }
            match self.action_input(name, input[..length].trim()) {
                Some(arguments) if !name.is_empty() => {
                    calls.push(ToolCall { name: name.to_owned(), arguments, id: None });
                }
                _ => return Markup::Unreadable,
            }
        }
        Markup::of(calls)
    }

    /// The actions in a fence, behind its three backticks.
    fn fenced_actions(&mut self, fenced: &str) -> Markup {
        let body = fenced.strip_prefix("json").unwrap_or(fenced).trim_start();
        if !body.starts_with(['[', '{']) {
            return Markup::None;
        }
        let Some((values, _)) = leading_values(body) else {
            let says =
                |key: &str| body.get(..body.floor_char_boundary(200)).is_some_and(|head| head.contains(key));
            let begins = ["\"tool_name\"", "\"action\""].into_iter().any(says);
            return if begins { Markup::Unreadable } else { Markup::None };
        };
        match self.calls_in(&values) {
            Some(calls) => Markup::of(calls),
            None => Markup::None,
        }
    }

    /// The calls that make up `values`, each a call or a list of some. An answer to the user is none.
    fn calls_in(&mut self, values: &[Json]) -> Option<Vec<ToolCall>> {
        let read = |reader: &mut Self| {
            let mut calls = Vec::new();
            for value in values {
                for element in value.as_array().unwrap_or(std::slice::from_ref(value)) {
                    calls.extend(reader.object(element.as_object()?, Evidence::Named)?.ok()?);
                }
            }
            calls.retain(|call| {
                !NO_TOOLS.contains(&call.name.as_str()) || reader.definition(&call.name).is_some()
            });
            Some(calls)
        };
        self.attempt(|reader| reader.where_absent_is(Absent::Empty, read))
    }

    fn action_input(&mut self, name: &str, input: &str) -> Option<Arguments> {
        let unfenced = input.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
        let input = unfenced.map_or(input, |text| text.strip_prefix("json").unwrap_or(text)).trim();
        if means_none(input) {
            return Some(self.parsed(Default::default()));
        }
        if input.starts_with('{') {
            return match leading_value(input)? {
                (Json::Object(object), length) if input[length..].trim().is_empty() => {
                    Some(self.parsed(object))
                }
                _ => None,
            };
        }
        match Json::parse(input) {
            Ok(Json::String(text)) => Some(self.plain_input(name, &text)),
            _ => Some(self.plain_input(name, input)),
        }
    }

    /// The calls in a fence that says it holds calls: `f(a=1)`, `print(f(a=1))`, `{"name":"f","arguments":{"a":1}}`.
    pub(super) fn tool_code(&mut self, code: &str) -> Option<Vec<ToolCall>> {
        let code = code.trim();
        if let Some(calls) = call_syntax::whole(code) {
            let mut read = Vec::new();
            for call in calls {
                let printed = match (call.name, call.arguments.as_slice()) {
                    ("print", [argument]) if argument.name.is_none() => match argument.value {
                        Value::Expression(source) => Some(source),
                        Value::Literal(_) | Value::Entries(_) => None,
                    },
                    _ => None,
                };
                match printed.and_then(call_syntax::whole) {
                    Some(inner) => read.extend(inner.into_iter().map(|call| self.written_call(call))),
                    None => read.push(self.written_call(call)),
                }
            }
            return Some(read);
        }
        match self.text(code, 0) {
            Ok(Calls::Parsed(calls)) => Some(calls),
            _ => None,
        }
    }
}

/// The length of an action's input, which the next step ends.
fn end_of_input(input: &str) -> usize {
    let mut at = 0;
    for line in input.split_inclusive('\n') {
        let begun = line.trim_start();
        if at > 0 && NEXT.iter().any(|next| begun.starts_with(next)) {
            return at;
        }
        at += line.len();
    }
    at
}

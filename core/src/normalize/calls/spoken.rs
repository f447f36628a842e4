//! Finds calls in an assistant's text, among prose or JSON.

use super::tagged::Place;
use super::text::{PRINTED_CLASSES, json_values, strip, strip_tokens};
use super::{Absent, Evidence, Markup, Reader, bare, thought};
use crate::domain::{Json, ToolCall};
use crate::normalize::call_syntax::{self, Call};
use crate::normalize::python_literal::{self, Dialect};

impl Reader<'_> {
    /// The calls that a model wrote into a message. A reply that merely is JSON is no call, so only what shows a name
    /// and arguments counts. What has the marks of a call and cannot be read is remembered.
    pub(super) fn message_text(&mut self, text: &str) -> Vec<ToolCall> {
        // What the model wrote is all here: arguments that it left out are its fault.
        match self.where_absent_is(Absent::Empty, |reader| reader.markup(text)) {
            Markup::None => Vec::new(),
            Markup::Calls(calls) => calls,
            Markup::Unreadable => {
                self.unreadable.get_or_insert_with(|| text.to_owned());
                Vec::new()
            }
        }
    }

    /// The calls that are the whole of a model's answer, which may also be in call syntax.
    pub(super) fn spoken_calls(&mut self, text: &str) -> Vec<ToolCall> {
        let calls = self.message_text(text);
        if !calls.is_empty() {
            return calls;
        }
        let written = self.attempt(|reader| reader.call_syntax(strip(text)));
        if written.is_some() {
            self.unreadable = None;
        }
        written.unwrap_or_default()
    }

    fn markup(&mut self, text: &str) -> Markup {
        let Some(answer) = thought::after(text) else { return self.answer_markup(text) };
        let found = self.answer_markup(answer);
        if thought::is_marked(text) || !matches!(found, Markup::None) {
            return found;
        }
        // Without a mark before the thought, what looks like its end may stand within a call, which then is none before it.
        let before = self.attempt(|reader| match reader.answer_markup(&text[..text.len() - answer.len()]) {
            Markup::Calls(calls) => Some(calls),
            Markup::None | Markup::Unreadable => None,
        });
        match before {
            Some(_) => Markup::None,
            None => match self.answer_markup(text) {
                Markup::Calls(calls) => Markup::Calls(calls),
                Markup::None | Markup::Unreadable => Markup::None,
            },
        }
    }

    /// What the marks in a text without thoughts say.
    fn answer_markup(&mut self, text: &str) -> Markup {
        // The fence says that it holds calls.
        if text.trim_start().starts_with("```tool_code") {
            return self.tagged(text.trim(), Place::Message);
        }
        // A fence at the start and another at the end are not one around the whole.
        let inside = strip(text);
        let text = if inside.contains("\n```") { strip_tokens(text) } else { inside };
        // A text that is JSON throughout may speak of tags, but has none.
        if let Ok(Some(values)) = json_values(text) {
            return self.json_answer(&values);
        }
        if text.starts_with(['[', '{'])
            && let Some(values) = python_literal::sequence(text, Dialect::Python)
        {
            return self.json_answer(&values);
        }
        match self.code_answer(text) {
            Markup::None => self.marked_text(text, Place::Message),
            found => found,
        }
    }

    /// The calls of an answer in JSON.
    fn json_answer(&mut self, values: &[Json]) -> Markup {
        let elements =
            || values.iter().flat_map(|value| value.as_array().unwrap_or(std::slice::from_ref(value)));
        let calls = self.attempt(|reader| {
            let mut calls = Vec::new();
            for element in elements() {
                let object = element.as_object()?;
                let reading =
                    reader.object(object, Evidence::Named).or_else(|| bare::named_tool(reader, object));
                calls.extend(reading?.ok()?);
            }
            Some(calls)
        });
        if let Some(calls) = calls {
            return Markup::of(calls);
        }
        let mut objects = elements().filter_map(Json::as_object);
        match objects.any(|object| self.attempt(|reader| bare::named_tool(reader, object)).is_some()) {
            true => Markup::Unreadable,
            false => Markup::None,
        }
    }

    /// Whether a text begins like a list of calls of a tool on offer, and ends before the list does.
    fn breaks_off(&self, text: &str) -> bool {
        let name = text.strip_prefix('[').and_then(|text| text.split_once('('));
        !text.contains(']') && name.is_some_and(|(name, _)| self.definition(name.trim()).is_some())
    }

    /// The calls of an answer that is call syntax throughout: those of tools on offer, and a list of calls with names for
    /// all arguments.
    fn code_answer(&mut self, text: &str) -> Markup {
        let Some(calls) = call_syntax::whole(text).filter(|calls| !calls.is_empty()) else {
            return if self.breaks_off(text) { Markup::Unreadable } else { Markup::None };
        };
        let offered = calls.iter().filter(|call| self.definition(call.name).is_some()).count();
        let printed = |call: &Call| PRINTED_CLASSES.contains(&call.name) && offered == 0;
        let all_named =
            calls.iter().all(|call| call.arguments.iter().all(|argument| argument.name.is_some()));
        let is_list = text.starts_with('[');
        if calls.iter().any(|call| printed(call) || self.is_words(call))
            || !(offered == calls.len() || is_list)
        {
            return Markup::None;
        }
        match (offered > 0, all_named, self.tools.is_empty()) {
            (true, ..) | (false, true, true) => {
                Markup::of(calls.into_iter().map(|call| self.written_call(call)).collect())
            }
            // As like a list of objects as a list of calls of tools that are not there.
            (false, true, false) => Markup::Unreadable,
            (false, false, _) => Markup::None,
        }
    }
}

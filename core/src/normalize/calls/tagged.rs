//! Calls after a model's own tags: `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`.
//!
//! [`TAGS`] is the table of all marks; a new mark is a new row. The end of a value is found by parsing it, never by
//! searching for the closing tag: strings may hold that.

use memchr::{memchr3, memmem};

use super::elements::{self, head};
use super::{Absent, Markup, Reader, harmony};
use crate::domain::{Calls, Json, ToolCall};
use crate::normalize::call_syntax;
use crate::normalize::python_literal::{Dialect, Scanner, is_word_start};

/// How one kind of model marks its calls.
struct Tag {
    open: &'static str,
    /// Whether the mark cannot be a word of prose, as a token of the model's vocabulary is.
    is_token: bool,
    body: Body,
}

/// What stands behind a mark.
#[derive(Clone, Copy)]
pub(super) enum Body {
    /// Further marks: this one only says that calls follow.
    Section,
    /// JSON values, or a mark that brings its calls itself.
    Json,
    /// The same, or calls as a programmer writes them.
    JsonOrSyntax,
    /// The same, as Llama writes the calls of built-in tools.
    PythonTag,
    /// What only this mark has.
    Read(fn(&mut Reader, &str) -> Option<Found>),
    /// Elements, whose names have this in front.
    Elements(&'static str, fn(&mut Reader, &'static str, &str) -> Option<Found>),
    /// Calls in a form that is known and not read.
    Unread,
}

/// The calls behind an opening mark, and how many bytes they take.
pub(super) type Found = (Vec<ToolCall>, usize);

/// In the order in which they are tried: where one begins like another, the longer stands first.
const TAGS: &[Tag] = {
    use super::{elements as xml, gemma, tokens};
    use Body::{Elements, Json, JsonOrSyntax, PythonTag, Read, Section, Unread};
    const fn token(open: &'static str, body: Body) -> Tag {
        Tag { open, is_token: true, body }
    }
    const fn word(open: &'static str, body: Body) -> Tag {
        Tag { open, is_token: false, body }
    }
    &[
        // Hermes, Qwen, Granite; GLM 4.5, Hunyuan 3 and others with elements of keys and values.
        word("<tool_call>", Elements("", xml::json_or_keys_and_values)),
        token("<longcat_tool_call>", Elements("longcat_", xml::json_or_keys_and_values)),
        // Jamba, Hunyuan, MiniMax M1, Apriel.
        word("<tool_calls>", Json),
        // Hunyuan's tokens may have a name of their own behind each.
        token("<tool_calls:opensource>", Section),
        token("<tool_call:opensource>", Elements(":opensource", xml::json_or_keys_and_values)),
        token("<tool_calls:", Unread),
        token("<tool_call:", Unread),
        // Granite 20B, Glaive, Nemotron.
        word("<function_call>", Json),
        word("<functioncall>", Read(tokens::glaive)),
        word("<TOOLCALL>", Json),
        // LFM2, Granite 3, Phi-4-mini, Gemma 4, GigaChat, Apertus, Command R7B.
        token("<|tool_call_start|>", JsonOrSyntax),
        token("<|tool_call|>", Json),
        token("<|tool_call>", Read(gemma::with_quote_token)),
        token("<start_function_call>", Read(gemma::with_escape_token)),
        token("<|function_call|>", Json),
        word("<|role_sep|>", Json),
        token("<|tools_prefix|>", Json),
        token("<|START_ACTION|>", Json),
        // InternLM, openPangu.
        token("<|action_start|>", Read(tokens::plugin)),
        token("[unused11]", Json),
        // Llama 3 and 4, OLMo 3.
        token("<|python_tag|>", PythonTag),
        token("<|python_start|>", JsonOrSyntax),
        word("<function_calls>", JsonOrSyntax),
        // Mistral, the newer of which leave out the list.
        token("[TOOL_CALLS]", Read(tokens::mistral)),
        token("[ARGS]", Unread),
        // Llama, Qwen3-Coder, Seed-OSS, StepFun 3.5, MiMo.
        token("<seed:tool_call>", Section),
        word("<function=", Elements("", xml::function)),
        // MiniCPM 5.
        word("<function name=", Elements("", xml::named_function)),
        // MiniMax M2, Anthropic, StepFun 3, DeepSeek V3.2 and later.
        token("<minimax:tool_call>", Section),
        word("<invoke ", Elements("", xml::invoke)),
        token(concat!("<antml", ":function_calls>"), Section),
        token(concat!("<antml", ":invoke "), Elements("antml:", xml::invoke)),
        token("<atem:function_calls>", Section),
        token("<atem:invoke ", Elements("atem:", xml::invoke)),
        token("<steptml:invoke ", Elements("steptml:", xml::invoke)),
        token("<｜DSML｜function_calls>", Section),
        token("<｜DSML｜tool_calls>", Section),
        token("<｜DSML｜invoke ", Elements("｜DSML｜", xml::invoke)),
        token("<|DSML|function_calls>", Section),
        token("<|DSML|tool_calls>", Section),
        token("<|DSML|invoke ", Elements("|DSML|", xml::invoke)),
        // DeepSeek V3, R1 and V3.1; StepFun 3 with other letters between the words.
        token("<｜tool▁calls▁begin｜>", Section),
        token("<｜tool▁call▁begin｜>", Read(tokens::deepseek)),
        token("<｜tool_calls_begin｜>", Section),
        token("<｜tool_call_begin｜>", Read(tokens::deepseek)),
        token("<|tool▁calls▁begin|>", Section),
        token("<|tool▁call▁begin|>", Read(tokens::deepseek)),
        // Kimi K2 and K3.
        token("<|tool_calls_section_begin|>", Section),
        token("<|tool_call_begin|>", Read(tokens::kimi)),
        token("<|open|>tools<|sep|>", Section),
        token("<|open|>call ", Read(tokens::kimi_3)),
        // Solar.
        token("<|tool_calls|>", Section),
        token("<|tool_call:begin|>", Read(tokens::solar)),
        // gpt-oss, Functionary 2.
        token("<|start|>assistant", Read(harmony::message)),
        token("<|start|>functions.", Read(harmony::result)),
        token("<|channel|>", Read(harmony::message)),
        token("<|recipient|>", Read(tokens::recipient)),
    ]
};

const FENCE: &str = "```";

/// A fence whose language says that it holds calls.
const TOOL_CODE: &str = "```tool_code";

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A field of calls. A mark there is a call, wherever it is.
    Cell,
    /// What an assistant said, which may speak of marks, and quote them as code.
    Message,
}

impl Reader<'_> {
    /// The calls behind the marks in `text`; what stands outside them is the reply's prose.
    pub(super) fn tagged(&mut self, text: &str, place: Place) -> Markup {
        let mut calls = Vec::new();
        let mut announced = false;
        let mut spoken_of = false;
        // A server may leave out how the model's message begins.
        let headless = self.attempt(|reader| harmony::headless(reader, text));
        let mut at = headless.as_ref().map_or(0, |(_, length)| *length);
        calls.extend(headless.into_iter().flat_map(|(calls, _)| calls));
        while let Some(next) = memchr3(b'<', b'[', b'`', &text.as_bytes()[at..]) {
            at += next;
            let rest = &text[at..];
            if rest.starts_with('`') {
                at += match (tool_code(rest), place) {
                    (Some((code, length)), _) => {
                        match self.tool_code(code) {
                            Some(more) => calls.extend(more),
                            None => return Markup::Unreadable,
                        }
                        length
                    }
                    (None, Place::Message) => quoted(rest, &text[..at]),
                    (None, Place::Cell) => 1,
                };
                continue;
            }
            let Some(tag) = TAGS.iter().find(|tag| rest.starts_with(tag.open)) else {
                at += 1;
                continue;
            };
            let body = &rest[tag.open.len()..];
            announced |= matches!(tag.body, Body::Section);
            match self.behind(tag.body, body) {
                Some((more, length)) => {
                    calls.extend(more);
                    at += tag.open.len() + length;
                }
                None if tag.is_token || place == Place::Cell || begins_a_call(tag, body, &text[..at]) => {
                    return Markup::Unreadable;
                }
                None => {
                    spoken_of = true;
                    at += tag.open.len();
                }
            }
        }
        match calls.is_empty() {
            true if announced => Markup::Unreadable,
            true => Markup::None,
            // Beside calls, a mark that cannot be read is more likely a call than a word.
            false if spoken_of => Markup::Unreadable,
            false => Markup::Calls(calls),
        }
    }

    fn behind(&mut self, body: Body, rest: &str) -> Option<Found> {
        match body {
            Body::Section => Some((Vec::new(), 0)),
            Body::Json => self.json_behind(rest),
            Body::JsonOrSyntax => self.json_or_syntax(rest),
            Body::PythonTag => self.python_tag(rest),
            Body::Read(read) => read(self, rest),
            Body::Elements(namespace, read) => read(self, namespace, rest),
            Body::Unread => None,
        }
    }

    /// One or several JSON values, or Python literals. A mark right behind the mark brings its calls itself.
    pub(super) fn json_behind(&mut self, rest: &str) -> Option<Found> {
        if starts_with_tag(rest.trim_start()) {
            return Some((Vec::new(), 0));
        }
        let (values, end) = leading_values(rest)?;
        let mut calls = Vec::new();
        for value in values {
            match self.where_absent_is(Absent::Empty, |reader| reader.value(&value)) {
                Ok(Calls::Parsed(more)) => calls.extend(more),
                _ => return None,
            }
        }
        Some((calls, end))
    }

    fn json_or_syntax(&mut self, rest: &str) -> Option<Found> {
        self.json_behind(rest).or_else(|| {
            let (calls, end) = call_syntax::prefix(rest)?;
            Some((calls.into_iter().map(|call| self.written_call(call)).collect(), end))
        })
    }

    /// Llama's tag. It writes the calls of built-in tools as a method: `brave_search.call(query='x')`.
    fn python_tag(&mut self, rest: &str) -> Option<Found> {
        let (mut calls, end) = self.json_or_syntax(rest)?;
        for call in &mut calls {
            let tool = call.name.strip_suffix(".call").filter(|tool| !tool.is_empty());
            if let Some(tool) = tool.filter(|_| self.definition(&call.name).is_none()) {
                call.name = tool.to_owned();
            }
        }
        Some((calls, end))
    }
}

pub(super) fn starts_with_tag(text: &str) -> bool {
    TAGS.iter().any(|tag| text.starts_with(tag.open))
}

/// Whether what follows a mark that could be a word begins as a call does: the call was cut, or is broken.
fn begins_a_call(tag: &Tag, body: &str, before: &str) -> bool {
    let begins_line = || before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let after = match tag.open {
        "<function=" => match head(body, ">") {
            Some((name, after)) if elements::is_tool_name(name.trim()) => after,
            _ => return body.starts_with(is_word_start) && begins_line(),
        },
        "<invoke " => return body.starts_with("name="),
        // An element of many other languages.
        "<function name=" => return body.contains("<param name="),
        _ => body,
    };
    let after = after.trim_start();
    let close = || format!("</{}", tag.open.trim_matches(['<', '>', '=']));
    after.starts_with(['{', '['])
        || elements::begins(after)
        || head(after, "(").is_some_and(|(name, _)| elements::is_tool_name(name))
        || begins_line() && (after.is_empty() || head(after, &close()).is_some())
}

/// The JSON objects and arrays at the start of `text`, or the same as Python prints them, and where they end, in bytes.
pub(super) fn leading_values(text: &str) -> Option<(Vec<Json>, usize)> {
    let mut values = Vec::new();
    let mut rest = text.trim_start();
    let mut end = 0;
    while rest.starts_with(['{', '[']) && !starts_with_tag(rest) {
        let (value, length) = leading_value(rest)?;
        values.push(value);
        end = text.len() - rest.len() + length;
        rest = text[end..].trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
    }
    (!values.is_empty()).then_some((values, end))
}

/// The JSON value at the start of `text`, or a Python literal, and its length in bytes.
pub(super) fn leading_value(text: &str) -> Option<(Json, usize)> {
    Json::parse_prefix(text).ok().or_else(|| {
        let mut scanner = Scanner::new(text, Dialect::Python);
        Some((scanner.value(0)?, scanner.at))
    })
}

/// What stands in a fence whose language says that it is a call, and the length of both.
fn tool_code(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix(TOOL_CODE)?;
    let length = inside.find(FENCE).unwrap_or(inside.len());
    let whole = TOOL_CODE.len() + length + FENCE.len();
    Some((&inside[..length], whole.min(text.len())))
}

/// The length of the code that begins with the backtick behind `before`, at the start of `text`, or of the backticks. What
/// Markdown shows as code is spoken of.
fn quoted(text: &str, before: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let begins_line = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    if ticks >= FENCE.len() && begins_line {
        let end = memmem::find(text.as_bytes(), b"\n```").map(|at| at + 1);
        return end.map_or(ticks, |at| at + (text.len() - at - text[at..].trim_start_matches('`').len()));
    }
    let line = text[ticks..].split('\n').next().unwrap_or_default();
    let span = line.find(&text[..ticks]).map(|end| &line[..end]);
    // A lone backtick before a call must not take the call for code.
    match span.filter(|span| !span.is_empty() && span.trim() == *span) {
        Some(span) => span.len() + 2 * ticks,
        None => ticks,
    }
}

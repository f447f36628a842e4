//! A row of the page. Very long texts are cut, and the row says so, since it then shows only a part of what was judged.

use crate::domain::{
    Abstention, AbstentionKind, Arguments, Calls, Findings, Item, Json, Message, Object, Outcome, Sample,
    ToolCall, ToolDefinition, ToolResult, Verdict,
};
use crate::table::cell;
use crate::write::{CallVerdict, Labelled};

/// Bytes of a text that the page keeps.
const TEXT: usize = 100_000;
/// Bytes of definitions.
const DEFINITIONS: usize = 1_000_000;
/// Bytes of a reply or an explanation.
const REPLY: usize = 10_000;

/// What a row holds that no other shares.
pub(super) struct Facts {
    pub id: Option<String>,
    pub cells: Vec<Option<String>>,
    /// The cells of the question and the call, of rows that cannot be read.
    pub unread: (Option<String>, Option<String>),
}

/// The row as JSON, without its conversation and its definitions.
pub(super) fn row(item: &Item, facts: Facts, verdicts: Vec<Json>) -> Json {
    let mut cut = false;
    let mut row = Object::new();
    row.insert("id", cell::text(facts.id.as_deref()));
    match item {
        Ok(sample) => of_sample(&mut row, sample, &mut cut),
        Err(error) => {
            row.insert("error", error.to_string());
            let (question, call) = facts.unread;
            row.insert("question", shortened(question.as_deref().unwrap_or_default(), TEXT, &mut cut));
            row.insert("call_text", optional(call.as_deref(), &mut cut));
        }
    }
    let cells = facts.cells.iter().map(|cell| optional(cell.as_deref(), &mut cut)).collect();
    row.insert("cells", Json::Array(cells));
    row.insert("verdicts", Json::Array(verdicts));
    if cut {
        row.insert("cut", Json::Bool(true));
    }
    Json::Object(row)
}

fn of_sample(row: &mut Object, sample: &Sample, cut: &mut bool) {
    row.insert("question", shortened(&sample.question, TEXT, cut));
    row.insert(
        "calls",
        match &sample.calls {
            Calls::Parsed(calls) => Json::Array(calls.iter().map(|call| called(call, cut)).collect()),
            Calls::Unparsed => Json::Null,
        },
    );
    row.insert("call_text", optional(sample.raw.tool_call.as_deref(), cut));
    let after = &sample.after;
    if !after.results.is_empty() {
        let result = |result: &ToolResult| {
            let mut object = Object::new();
            // What came after is no part of what was judged.
            object.insert("content", shortened(&result.content, TEXT, &mut false));
            object.insert("is_error", Json::Bool(result.is_error));
            Json::Object(object)
        };
        row.insert("results", Json::Array(after.results.iter().map(result).collect()));
    }
    if let Some(next) = &after.next {
        row.insert("next", message(next, &mut false));
    }
    if let Some(answer) = &after.final_answer {
        row.insert("answer", shortened(answer, TEXT, &mut false));
    }
    if !sample.flags.is_empty() {
        row.insert("flags", sample.flags_json());
    }
}

/// A message of the conversation, with its calls as the page writes calls; says in itself whether it was cut.
pub(super) fn message(message: &Message, cut: &mut bool) -> Json {
    let mut object = Object::new();
    object.insert("role", message.role.as_str());
    if let Some(name) = &message.name {
        object.insert("name", name.as_str());
    }
    object.insert("content", shortened(&message.content, TEXT, cut));
    if !message.tool_calls.is_empty() {
        object
            .insert("calls", Json::Array(message.tool_calls.iter().map(|call| called(call, cut)).collect()));
    }
    if let Some(id) = &message.tool_call_id {
        object.insert("tool_call_id", id.as_str());
    }
    if message.is_error {
        object.insert("is_error", Json::Bool(true));
    }
    Json::Object(object)
}

/// Definitions: in normal form to be read, and as the row has them.
pub(super) fn definitions(tools: Option<&[ToolDefinition]>, raw: &str) -> Json {
    let (mut object, mut cut) = (Object::new(), false);
    let raw = shortened(raw, DEFINITIONS, &mut cut);
    if let Some(tools) = tools.filter(|_| !cut) {
        object.insert("tools", ToolDefinition::list(tools));
    }
    object.insert("raw", raw);
    if cut {
        object.insert("cut", Json::Bool(true));
    }
    Json::Object(object)
}

/// A call, its arguments as a text of JSON: a browser that parsed them would round their large numbers.
fn called(call: &ToolCall, cut: &mut bool) -> Json {
    let mut object = Object::new();
    object.insert("name", call.name.as_str());
    match &call.arguments {
        Arguments::Parsed(arguments) => {
            let text = Json::Object(arguments.clone()).to_string();
            let key = if text.len() > TEXT { "raw" } else { "args" };
            object.insert(key, shortened(&text, TEXT, cut));
        }
        Arguments::Malformed(text) => object.insert("raw", shortened(text, TEXT, cut)),
    }
    if let Some(id) = &call.id {
        object.insert("id", id.as_str());
    }
    Json::Object(object)
}

/// What one judge says of the row; `first` is the judge that looked first, if the verdict is that one's.
pub(super) fn verdict(labelled: &Labelled, first: Option<&str>) -> Json {
    let verdict = &labelled.verdict;
    let mut object = said(verdict);
    for (name, text) in [
        ("why", verdict.explanation.as_deref()),
        ("error", verdict.error().as_deref()),
        ("reply", labelled.reply.as_ref().map(|reply| reply.text.as_str())),
        ("judge", first),
    ] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            object.insert(name, shortened(text, REPLY, &mut false));
        }
    }
    if let Some(findings) = verdict.findings.as_ref().filter(|findings| !findings.list.is_empty()) {
        object.insert(Findings::FIELD, findings.to_json());
    }
    if let Some(calls) = &labelled.calls {
        let call = |call: &CallVerdict| Json::Object(said(&call.verdict));
        object.insert("calls", Json::Array(calls.iter().map(call).collect()));
    }
    Json::Object(object)
}

fn said(verdict: &Verdict) -> Object {
    let mut object = Object::new();
    object.insert("label", cell::text(verdict.label()));
    object.insert("status", verdict.status().as_str());
    object.insert("confidence", cell::float(verdict.confidence));
    object.insert("p", cell::float(verdict.p_correct));
    object
}

/// Why a row has no label, in few words that many rows share.
pub(super) fn reason(verdict: &Verdict) -> Option<String> {
    match &verdict.outcome {
        Outcome::Abstained(Abstention { kind: AbstentionKind::NoEvidence(lack), .. }) => {
            Some(lack.words(1).to_owned())
        }
        Outcome::Judged { .. } => None,
        Outcome::Errored { code, .. } => Some(code.clone()),
        Outcome::InvalidRow { code, .. } => Some((*code).to_owned()),
        _ => Some(verdict.status().as_str().to_owned()),
    }
}

/// The same of a verdict that was read out of a table, which has the code of a reason and not its kind.
pub(super) fn code(verdict: &Verdict) -> Option<String> {
    if verdict.label().is_some() {
        return None;
    }
    let error = verdict.error().unwrap_or_default();
    Some(error.split_once(": ").map_or(verdict.status().as_str(), |(code, _)| code).to_owned())
}

/// Calls as the page writes calls.
pub(super) fn calls(calls: &[ToolCall]) -> Json {
    Json::Array(calls.iter().map(|call| called(call, &mut false)).collect())
}

/// A text that is no part of what was judged.
pub(super) fn shown(text: &str) -> String {
    shortened(text, REPLY, &mut false)
}

fn optional(text: Option<&str>, cut: &mut bool) -> Json {
    text.map_or(Json::Null, |text| shortened(text, TEXT, cut).into())
}

/// A text, or as much of it as the page keeps.
fn shortened(text: &str, most: usize, cut: &mut bool) -> String {
    let end = text.floor_char_boundary(most);
    if end == text.len() {
        return text.to_owned();
    }
    *cut = true;
    format!("{}… ({} more characters)", &text[..end], text[end..].chars().count())
}

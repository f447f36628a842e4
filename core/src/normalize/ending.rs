//! How an answer ended if the model did not end it itself: `"finish_reason": "length"`, `"stopReason": "guardrail_intervened"`.
//!
//! An answer that was cut, blocked or broken did not decide to call nothing. [`WORDS`] is the table of all vendors' words for
//! that; they are found wherever a vendor writes them.

use std::collections::BTreeSet;

use super::calls::ByName;
use super::python_literal::{self, Dialect};
use crate::domain::{Calls, Cell, Flag, Json, Object, RowError, RowErrorCode, ToolCall, ToolDefinition};

/// How a logged answer ended, where the model did not end it by itself, and the word that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    how: How,
    word: String,
}

/// Ways to end that are not the model's own end of what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// With calls. Where there are none, the log lost them.
    Calling,
    /// At a limit of its length or of its time.
    Cut,
    /// Not at all yet: the log holds what had arrived of it.
    Arriving,
    /// By a filter, a guardrail or a classifier.
    Blocked,
    /// With a call that the provider could not read, or with an error.
    Malformed,
}

/// What vendors say, [`folded`]. Any other word is an end of the model's own.
const WORDS: &[(How, &[&str])] = &[
    (How::Calling, &["toolcall", "toolcalls", "tooluse", "functioncall", "functioncalls"]),
    (
        How::Cut,
        &[
            "length",
            "maxtokens",
            "maxoutputtokens",
            "maxlength",
            "modellength",
            "tokenlimit",
            "errorlimit",
            "modelcontextwindowexceeded",
            "incomplete",
            "inprogress",
            "queued",
            "cancelled",
            "usercancel",
            "abort",
            "timelimit",
            "timeout",
            "pauseturn",
            "toomanytoolcalls",
            "insufficientsystemresource",
        ],
    ),
    (How::Arriving, &["inputstreaming", "partialcall"]),
    (
        How::Blocked,
        &[
            "contentfilter",
            "contentfiltered",
            "guardrailintervened",
            "refusal",
            "safety",
            "recitation",
            "language",
            "blocklist",
            "prohibitedcontent",
            "spii",
            "imagesafety",
            "modelarmor",
            "errortoxic",
        ],
    ),
    (
        How::Malformed,
        &[
            "malformedfunctioncall",
            "malformedtooluse",
            "malformedmodeloutput",
            "malformedresponse",
            "unexpectedtoolcall",
            "missingthoughtsignature",
            "error",
            "failed",
        ],
    ),
];

/// Keys of the word, the surest first.
const KEYS: &[&str] = &[
    "finish_reason",
    "finishReason",
    "stop_reason",
    "stopReason",
    "done_reason",
    "doneReason",
    "finish_reasons",
    "finishReasons",
];

/// Keys of what is around or beside a message, in which the word may be. Of a list the first counts, which is what is judged.
const HOLDERS: &[&str] = &[
    "choices",
    "candidates",
    "generations",
    "generation_info",
    "generationInfo",
    "response_metadata",
    "responseMetadata",
    "additional_kwargs",
    "provider_details",
    "raw_data",
    "message",
    "kwargs",
    "data",
];

/// How many objects may be around the word.
const MAX_DEPTH: usize = 6;

impl Ending {
    /// How an answer ended: a message, a whole response, or the elements of a turn, of which the last that says something counts.
    pub(super) fn of(answer: &Json) -> Option<Ending> {
        match answer {
            Json::Object(object) => Ending::of_object(object),
            Json::Array(items) => {
                items.iter().rev().find_map(|item| word_in(item.as_object()?, 0)).and_then(said)
            }
            _ => None,
        }
    }

    pub(super) fn of_object(object: &Object) -> Option<Ending> {
        word_in(object, 0).and_then(said)
    }

    /// What a log says of the ending in a place of its own: a word, a list whose first counts, or an object.
    pub(super) fn told(value: &Json) -> Option<Ending> {
        word(value).and_then(said)
    }

    /// The same for a cell of a table, which may hold a whole response.
    pub(super) fn of_cell(cell: &Cell) -> Option<Ending> {
        // Nearly all texts say nothing of it, and are read once.
        const SIGNS: &[&str] = &["eason", "incomplete", "response", "done"];
        match cell {
            Cell::Json(json) => Ending::of(json),
            Cell::Text(text) if SIGNS.iter().any(|sign| text.contains(sign)) => Ending::of(&structure(text)?),
            _ => None,
        }
    }

    /// Whether a response that holds nothing is an answer all the same: one that was withheld, or cut before it began. What failed,
    /// or was not waited for, is none.
    pub(super) fn is_answer(&self) -> bool {
        match self.how {
            How::Blocked => true,
            How::Cut => !PENDING.contains(&folded(&self.word).as_str()),
            How::Calling | How::Malformed | How::Arriving => false,
        }
    }

    /// Whether what an answer calls can be judged although it ended so.
    ///
    /// # Errors
    /// If nobody can know what the model decided to call.
    pub(super) fn settle(
        &self,
        calls: &Calls,
        tools: &[ToolDefinition],
        flags: &mut BTreeSet<Flag>,
    ) -> Result<(), RowError> {
        let last = match calls {
            Calls::Parsed(calls) => calls.last(),
            Calls::Unparsed => None,
        };
        if self.how == How::Calling {
            let is_lost =
                last.is_none() && *calls != Calls::Unparsed && !flags.contains(&Flag::ServerToolSkipped);
            return if is_lost { Err(self.error()) } else { Ok(()) };
        }
        // Calls are written one after another, so only the last can lack its end.
        if self.how == How::Arriving || !last.is_some_and(|call| is_whole(call, tools)) {
            return Err(self.error());
        }
        flags.insert(Flag::UnfinishedAnswer);
        Ok(())
    }

    /// The same where the calls cannot be read at all: why, if the ending explains it.
    pub(super) fn explains(&self) -> Option<RowError> {
        (self.how != How::Calling).then(|| self.error())
    }

    fn error(&self) -> RowError {
        let (code, why) = match self.how {
            How::Calling => (RowErrorCode::AnswerMalformed, "it ends with calls, but the log holds none"),
            How::Arriving => {
                (RowErrorCode::AnswerCut, "it was still arriving, so how its call was to go on is not known")
            }
            How::Cut => (RowErrorCode::AnswerCut, "it was cut, so what else it was to call is not known"),
            How::Blocked => {
                (RowErrorCode::AnswerBlocked, "it was blocked, so what it was to call is not known")
            }
            How::Malformed => (
                RowErrorCode::AnswerMalformed,
                "it broke off with an error, so what it was to call is not known",
            ),
        };
        RowError::new(code, format!("answer: {why}: {}", RowError::excerpt(&self.word)))
    }
}

/// Words of responses that nobody waited for.
const PENDING: &[&str] = &["cancelled", "inprogress", "queued"];

/// Whether a call at the end of an answer that was cut lacks nothing: providers give out what they have of its arguments.
fn is_whole(call: &ToolCall, tools: &[ToolDefinition]) -> bool {
    let Some(arguments) = call.parsed() else { return false };
    let Some(tool) = ByName::of(tools).get(&call.name) else { return !arguments.is_empty() };
    let takes_none = tool.parameters.get("properties").and_then(Json::as_object).is_none_or(Object::is_empty);
    let mut required = required(tool).iter().filter_map(|name| name.as_str());
    required.all(|name| arguments.contains_key(name)) && (takes_none || !arguments.is_empty())
}

/// The parameters that a tool must be given.
pub(super) fn required(tool: &ToolDefinition) -> &[Json] {
    tool.parameters.get("required").and_then(Json::as_array).unwrap_or_default()
}

/// What a text holds, however often it was encoded.
pub(super) fn structure(text: &str) -> Option<Json> {
    const MAX_ENCODINGS: usize = 4;
    let parse = |text: &str| Json::parse(text).ok().or_else(|| python_literal::whole(text, Dialect::Repr));
    let mut value = parse(text)?;
    for _ in 0..MAX_ENCODINGS {
        let Json::String(inner) = &value else { break };
        value = parse(inner)?;
    }
    Some(value)
}

/// The word that an object says of its ending.
fn word_in(object: &Object, depth: usize) -> Option<String> {
    if is_call(object) {
        return status(object).or_else(|| arriving(object)).map(str::to_owned);
    }
    if let Some(word) = KEYS.iter().find_map(|key| word(object.get(key)?)) {
        return Some(word);
    }
    if let Some(word) = status(object) {
        return Some(word.to_owned());
    }
    if let Some(state) = arriving(object) {
        return Some(state.to_owned());
    }
    if has_no_end(object) {
        return Some("incomplete".to_owned());
    }
    // One piece of a stream.
    if object.get("done") == Some(&Json::Bool(false)) && object.contains_key("message") {
        return Some("incomplete".to_owned());
    }
    let feedback = || ["promptFeedback", "prompt_feedback"].iter().find_map(|key| object.get(key));
    let blocked = || ["blockReason", "block_reason"].iter().find_map(|key| feedback()?.get(key)?.as_str());
    if let Some(reason) = blocked().filter(|reason| !folded(reason).ends_with("unspecified")) {
        let is_known = said(reason.to_owned()).is_some();
        return Some(if is_known { reason.to_owned() } else { "prohibited_content".to_owned() });
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let holds = |key: &str| match key {
        // What a call may have as well.
        "kwargs" => object.contains_key("lc"),
        "data" => object.contains_key("type"),
        _ => true,
    };
    let mut holders = HOLDERS.iter().filter(|key| holds(key));
    holders.find_map(|key| word_in(first(object.get(key)?)?, depth + 1))
}

/// Whether an object is a call: its arguments may stand beside its name, and say nothing of the answer.
fn is_call(object: &Object) -> bool {
    const NAMES: &[&str] = &["name", "tool", "tool_name", "toolName", "function"];
    const ANSWERS: &[&str] = &["message", "ai", "AIMessage", "AIMessageChunk"];
    let is_named = |key: &&str| object.get(key).and_then(Json::as_str).is_some_and(|name| !name.is_empty());
    let is_answer = [
        "role",
        "content",
        "lc",
        "choices",
        "candidates",
        "generations",
        "response_metadata",
        "tool_calls",
        "function_call",
        "output",
        "parts",
    ]
    .iter()
    .any(|key| object.contains_key(key))
        || object.get("type").and_then(Json::as_str).is_some_and(|kind| ANSWERS.contains(&kind));
    NAMES.iter().any(is_named) && !is_answer
}

/// The state of a call whose arguments had not all arrived: Vercel's `"state": "input-streaming"`.
fn arriving(object: &Object) -> Option<&str> {
    const STATES: &[&str] = &["input-streaming", "partial-call"];
    let is_call = |part: &Object| part.contains_key("toolCallId");
    let parts = ["parts", "content"].iter().filter_map(|key| object.get(key)?.as_array()).flatten();
    let calls = parts.filter_map(|part| part.get("toolInvocation").unwrap_or(part).as_object());
    let mut calls = calls.chain([object]).filter(|part| is_call(part));
    calls.find_map(|call| call.get("state")?.as_str().filter(|state| STATES.contains(state)))
}

/// Whether a message of Anthropic's was logged while it arrived: it has no reason to stop, and a call without arguments.
fn has_no_end(object: &Object) -> bool {
    let kind = |value: &Object| value.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    let is_begun = |block: &Json| {
        let block = block.as_object();
        block.is_some_and(|block| {
            kind(block) == "tool_use"
                && block.get("input").and_then(Json::as_object).is_some_and(Object::is_empty)
        })
    };
    kind(object) == "message"
        && object.get("stop_reason").is_some_and(Json::is_null)
        && object.get("content").and_then(Json::as_array).is_some_and(|blocks| blocks.iter().any(is_begun))
}

/// The state of a response, or of an item of one, where that is not its end.
fn status(object: &Object) -> Option<&str> {
    const ITEMS: &[&str] = &["message", "function_call", "custom_tool_call"];
    let text = |key: &str| object.get(key).and_then(Json::as_str);
    let details = object.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
    let status = text("status")?;
    let is_response = details.is_some() || text("object") == Some("response");
    let is_item = text("type").is_some_and(|kind| ITEMS.contains(&kind)) && status == "incomplete";
    (is_item || is_response && status != "completed")
        .then(|| details.filter(|reason| said((*reason).to_owned()).is_some()).unwrap_or(status))
}

/// An object, or the first of a list of them, or of lists of them.
fn first(value: &Json) -> Option<&Object> {
    match value {
        Json::Object(object) => Some(object),
        Json::Array(items) => match items.first()? {
            Json::Array(inner) => inner.first()?.as_object(),
            item => item.as_object(),
        },
        _ => None,
    }
}

/// A word, be it in a list or in an object that says more.
fn word(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if text.trim_start().starts_with('[') => word(&Json::parse(text).ok()?),
        Json::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Json::Array(items) => word(items.first()?),
        Json::Object(object) => ["type", "unified", "reason"].iter().find_map(|key| word(object.get(key)?)),
        _ => None,
    }
}

/// A word without regard to letter case, to what joins its parts, and to the class that Python prints before it.
fn folded(word: &str) -> String {
    let own = word.rsplit('.').next().unwrap_or(word);
    own.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn said(word: String) -> Option<Ending> {
    let own = folded(&word);
    let (how, _) = WORDS.iter().find(|(_, words)| words.contains(&own.as_str()))?;
    Some(Ending { how: *how, word })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_in_many_places_and_mean_the_same() {
        use How::{Arriving, Blocked, Calling, Cut, Malformed};
        for (answer, how) in [
            (r#"{"finish_reason":"stop"}"#, None),
            (r#"{"finish_reason":"a word of tomorrow"}"#, None),
            (r#"{"stopReason":"content_filtered"}"#, Some(Blocked)),
            (r#"{"finishReason":{"unified":"content-filter","raw":"x"}}"#, Some(Blocked)),
            (r#"{"finish_reasons":"[\"tool_calls\"]"}"#, Some(Calling)),
            (r#"{"choices":[{"finish_reason":"stop"},{"finish_reason":"length"}]}"#, None),
            (r#"{"generations":[[{"generation_info":{"finish_reason":"length"}}]]}"#, Some(Cut)),
            (r#"{"object":"response","status":"failed"}"#, Some(Malformed)),
            (
                r#"{"object":"response","status":"incomplete","incomplete_details":{"reason":"new"}}"#,
                Some(Cut),
            ),
            (r#"{"type":"function_call","status":"incomplete"}"#, Some(Cut)),
            (r#"{"type":"web_search_call","status":"failed"}"#, None),
            (r#"{"status":"failed"}"#, None),
            (r#"{"name":"f","data":{"stop_reason":"max_tokens"}}"#, None),
            // What a call is given.
            (r#"{"name":"end_session","stop_reason":"timeout"}"#, None),
            (r#"[{"name":"log","message":{"finish_reason":"length"}}]"#, None),
            (r#"{"tool":"retry","finish_reason":"error","message":"x"}"#, None),
            (r#"{"type":"function_call","name":"f","status":"incomplete"}"#, Some(Cut)),
            (r#"{"type":"ai","name":"clerk","finish_reason":"length"}"#, Some(Cut)),
            (r#"[{"stop_reason":"max_tokens"},{"stop_reason":"end_turn"}]"#, None),
            (r#"[{"stop_reason":"end_turn"},{"stop_reason":"max_tokens"}]"#, Some(Cut)),
            (r#"{"parts":[{"type":"tool-f","toolCallId":"1","state":"input-streaming"}]}"#, Some(Arriving)),
            (r#"{"parts":[{"type":"tool-f","toolCallId":"1","state":"input-available"}]}"#, None),
            (
                r#"{"type":"message","stop_reason":null,"content":[{"type":"tool_use","input":{}}]}"#,
                Some(Cut),
            ),
            (
                r#"{"type":"message","stop_reason":null,"content":[{"type":"tool_use","input":{"a":1}}]}"#,
                None,
            ),
            (r#"{"type":"message","stop_reason":null,"content":[{"type":"text","text":"Hi"}]}"#, None),
            (r#""length""#, None),
        ] {
            let found = Ending::of(&Json::parse(answer).unwrap());
            assert_eq!(found.map(|ending| ending.how), how, "{answer}");
        }
    }

    #[test]
    fn every_word_is_folded_and_means_one_thing() {
        let words: Vec<&str> = WORDS.iter().flat_map(|(_, words)| *words).copied().collect();
        for (at, word) in words.iter().enumerate() {
            assert_eq!(folded(word), *word);
            assert!(!words[..at].contains(word), "{word}");
        }
        assert!(PENDING.iter().all(|word| words.contains(word)));
    }
}

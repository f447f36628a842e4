//! Langfuse's observations, one per record or a whole trace per record, from its API, pages and blob exports.
//!
//! ```json
//! {"id": "…", "traceId": "…", "type": "GENERATION", "startTime": "…", "model": "…",
//!  "input": {"messages": […], "tools": […]}, "output": {"role": "assistant", "tool_calls": […]}}
//! {"id": "…", "trace_id": "…", "type": "GENERATION", "start_time": "2025-06-15 15:06:40.000000",
//!  "input": "{\"messages\": …", "output": "…", "tool_calls": ["{\"arguments\": …"], "tool_call_names": ["f"]}
//! {"trace": {…}, "observations": […]}
//! ```
//!
//! Its table of traces has neither; such a record is refused, with what to export instead.

use std::collections::HashSet;

use super::context::Context;
use super::dialogue::Dialogue;
use super::entry::{Entries, Entry, Skip, unreadable};
use super::format::LogFormat;
use super::nesting::{self, Call, Trace};
use super::otel::{Definitions, ending_among};
use super::turn::Output;
use super::value;
use crate::domain::{Flag, Json, Object, Origin, RowError, RowErrorCode};
use crate::normalize::ending::Ending;

pub(super) const OBSERVATION: LogFormat = LogFormat {
    name: "langfuse_observation",
    sign: "a `type` such as GENERATION and `traceId`, or keys `trace` and `observations`",
    matches,
    read,
    unmatched: None,
};

/// Keys of the ids of an observation's trace, and of the observation that it is a part of.
const TRACE: &[&str] = &["traceId", "trace_id"];
const PARENT: &[&str] = &["parentObservationId", "parent_observation_id"];

const GENERATION: &str = "GENERATION";

const KINDS: &[&str] = &[
    GENERATION,
    "SPAN",
    "EVENT",
    "TOOL",
    "AGENT",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
];

fn matches(record: &Object) -> bool {
    is_observation(record)
        || record.contains_key("trace") && record.contains_key("observations")
        || match record.get("observations") {
            Some(Json::Array(items)) => items.first().and_then(Json::as_object).is_some_and(is_observation),
            _ => false,
        }
        || is_trace_alone(record)
}

/// Whether a record is a line of Langfuse's table of traces. Its columns are so many that no other table has all of them. A trace whose
/// own words hold calls can be judged as a row.
fn is_trace_alone(record: &Object) -> bool {
    const BY_UI: &[&str] =
        &["bookmarked", "id", "timestamp", "name", "userId", "sessionId", "tags", "input", "output"];
    const BY_STORAGE: &[&str] =
        &["bookmarked", "id", "timestamp", "name", "user_id", "session_id", "tags", "input", "output"];
    const OTHERS: &[&str] = &[
        "type",
        "traceId",
        "trace_id",
        "trace",
        "messages",
        "observations",
        // Whoever added these wants the rows judged.
        "tool_call",
        "tool_calls",
        "expected_tool_calls",
    ];
    const CALLS: &[&str] = &["tool_call", "toolCall", "tool_use", "toolUse", "function_call", "functionCall"];
    let has_all = |keys: &[&str]| keys.iter().all(|key| record.contains_key(key));
    let says_call = |key: &str| {
        let said = record.get(key).map(Json::to_string).unwrap_or_default();
        CALLS.iter().any(|name| said.contains(name))
    };
    (has_all(BY_UI) || has_all(BY_STORAGE))
        && !OTHERS.iter().any(|key| record.contains_key(key))
        && !says_call("input")
        && !says_call("output")
}

fn without_observations() -> RowError {
    let why = "this looks like Langfuse's table of traces, which holds no tool calls: export the observations, or use the blob storage \
               export";
    RowError::new(RowErrorCode::UnrecognisedRecord, why)
}

fn is_observation(record: &Object) -> bool {
    let kind = record.get("type").and_then(Json::as_str);
    let traced = record.contains_key("traceId") || record.contains_key("trace_id");
    traced && kind.is_some_and(|kind| KINDS.iter().any(|known| known.eq_ignore_ascii_case(kind)))
}

fn read(mut record: Object, context: &Context) -> Entries {
    if is_observation(&record) {
        let trace = text(&record, TRACE).unwrap_or_default();
        let trace = Trace { format: OBSERVATION.name, id: &trace };
        let call = call_of(&record);
        let repeats = !context.agents && call.as_ref().is_some_and(|call| trace.repeats(call, context));
        let told = call.map(|call| trace.tell(&call)).unwrap_or_default();
        return Box::new(std::iter::once(entry(record, repeats)).chain(told));
    }
    if is_trace_alone(&record) {
        return unreadable(without_observations());
    }
    match value::take(&mut record, "observations") {
        Some(Json::Array(items)) => {
            let repeated: HashSet<String> = match context.agents {
                true => HashSet::new(),
                false => nesting::repeated(items.iter().filter_map(Json::as_object).filter_map(call_of)),
            };
            Box::new(items.into_iter().map(move |item| match item {
                Json::Object(observation) => {
                    let repeats = text(&observation, &["id"]).is_some_and(|id| repeated.contains(&id));
                    entry(observation, repeats)
                }
                other => Entry::Unreadable(misplaced(&other)),
            }))
        }
        other => unreadable(misplaced(&other.unwrap_or(Json::Null))),
    }
}

fn text(observation: &Object, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| value::text(observation, &[key]))
}

fn is_generation(observation: &Object) -> bool {
    let kind = observation.get("type").and_then(Json::as_str);
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case(GENERATION))
}

/// Where an answer is; a generation without one does not speak for what it stands within.
const ANSWERED: &[&str] = &["output", "toolCalls", "tool_calls"];

/// Keys of an observation beside those of its answer that decide how this is read.
const DECIDING: &[&str] = &["toolCallNames", "tool_call_names", "modelParameters", "model_parameters"];

/// A generation as a part of something, or around something.
fn call_of(observation: &Object) -> Option<Call> {
    let id = text(observation, &["id"]).filter(|_| is_generation(observation))?;
    let parent = text(observation, PARENT).filter(|_| value::has(observation, ANSWERED));
    let kept = ANSWERED.iter().chain(DECIDING);
    let mut answer: Object =
        kept.filter_map(|key| Some(((*key).to_owned(), observation.get(key)?.clone()))).collect();
    let mut dialogue = Dialogue::default();
    find_answer(&mut dialogue, &mut answer);
    Some(Call { id, parent, tools: nesting::tools_in(dialogue.output.as_ref()) })
}

fn misplaced(found: &Json) -> RowError {
    let shown = RowError::excerpt(&found.to_string());
    RowError::new(RowErrorCode::UnrecognisedRecord, format!("observations: none is {shown}"))
}

/// What is in an observation, unless it `repeats` what a generation around or within it says.
fn entry(mut observation: Object, repeats: bool) -> Entry {
    if !is_generation(&observation) {
        return Entry::Skipped(Skip::NotAnLlmRun);
    }
    if repeats {
        return Entry::Skipped(Skip::AgentSpan);
    }
    let mut dialogue = Dialogue::default();
    dialogue.ask(decoded(observation.remove("input")));
    find_answer(&mut dialogue, &mut observation);
    dialogue.ending = dialogue.ending.take().or_else(|| ending(&observation));
    find_definitions(&mut dialogue, &mut observation);
    dialogue.into_entry(origin(&observation))
}

/// How the answer ended, where only the observation's metadata says so.
fn ending(observation: &Object) -> Option<Ending> {
    let metadata = value::unfolded(observation.get("metadata")?.clone());
    let attributes = metadata.get("attributes").cloned().map(value::unfolded);
    let attributes = attributes.as_ref().and_then(Json::as_object).and_then(ending_among);
    attributes.or_else(|| Ending::of(&metadata))
}

/// Takes the answer out of an observation.
fn find_answer(dialogue: &mut Dialogue, observation: &mut Object) {
    let answered = decoded(observation.remove("output"));
    match has_choices(observation) {
        true => dialogue.answer(answered),
        false => dialogue.answer_together(answered),
    }
    if nesting::tools_in(dialogue.output.as_ref()).is_some_and(|tools| tools.is_empty())
        && let Some(calls) = calls(observation)
    {
        dialogue.output = Some(Output::Calls(Json::Array(calls)));
    }
}

/// Whether the model was asked for several answers. Otherwise several messages are one answer, each with a call of its own.
fn has_choices(observation: &mut Object) -> bool {
    let parameters = value::take_first(observation, &["modelParameters", "model_parameters"]);
    parameters.and_then(|parameters| value::number(parameters.get("n")?)).is_some_and(|n| n > 1.0)
}

/// A text without the encodings around it. What it holds may be a text that looks like JSON.
fn decoded(value: Option<Json>) -> Json {
    let mut value = value.unwrap_or(Json::Null);
    while let Json::String(text) = &value
        && text.starts_with('"')
        && let Ok(inner @ Json::String(_)) = Json::parse(text)
    {
        value = inner;
    }
    value
}

/// The calls that Langfuse itself found in what it was sent, each a JSON string without the name of its tool.
fn calls(observation: &mut Object) -> Option<Vec<Json>> {
    let mut list = |keys: &[&str]| match value::take_first(observation, keys) {
        Some(Json::Array(items)) => items,
        _ => Vec::new(),
    };
    let found = list(&["toolCalls", "tool_calls"]);
    let mut names = list(&["toolCallNames", "tool_call_names"]).into_iter();
    let call = |call: Json| {
        let name = names.next();
        let Json::Object(mut call) = value::unfolded(call) else { return Json::Null };
        if let Some(name) = name.filter(|_| !call.contains_key("name")) {
            call.insert("name", name);
        }
        let id = call.remove("id").unwrap_or(Json::Null);
        let whole = [("id".to_owned(), id), ("function".to_owned(), Json::Object(call))];
        Json::Object(whole.into_iter().collect())
    };
    let calls: Vec<Json> = found.into_iter().map(call).collect();
    (!calls.is_empty()).then_some(calls)
}

/// Looks for definitions in all the places where they may be; `dialogue` has those of the request.
fn find_definitions(dialogue: &mut Dialogue, observation: &mut Object) {
    let among_messages = definitions_among(&mut dialogue.messages);
    if let Some(found) = extracted(observation) {
        dialogue.tools = Some(found);
    }
    if dialogue.tools.is_none()
        && let Some(mut metadata) = value::take_object(observation, "metadata")
    {
        let attributes = value::take_object(&mut metadata, "attributes").unwrap_or_default();
        let definitions = Definitions::among(&attributes);
        dialogue.tools = definitions.tools.or_else(|| value::take(&mut metadata, "tools"));
        if definitions.cut {
            dialogue.flags.push(Flag::MaybeTruncated);
        }
    }
    if dialogue.tools.is_none() && !among_messages.is_empty() {
        dialogue.tools = Some(Json::Array(among_messages));
    }
}

/// The definitions that Langfuse itself found: a map from names to `{"description": …, "parameters": …}` as JSON strings.
fn extracted(observation: &mut Object) -> Option<Json> {
    let found = match value::take_first(observation, &["toolDefinitions", "tool_definitions"])? {
        Json::Object(found) => found,
        Json::Array(tools) if !tools.is_empty() => return Some(Json::Array(tools)),
        _ => return None,
    };
    let tool = |(name, written): (String, Json)| {
        let mut tool = match value::unfolded(written) {
            Json::Object(tool) => tool,
            other => Object::from_iter([("description".to_owned(), other)]),
        };
        if tool.get("parameters").and_then(Json::as_str).is_some_and(|text| text.trim().is_empty()) {
            tool.remove("parameters");
        }
        tool.insert("name", name);
        Json::Object(tool)
    };
    (!found.is_empty()).then(|| Json::Array(found.into_iter().map(tool).collect()))
}

/// Takes definitions out of the messages, where LangChain's handler puts them as if tools had said them; others have them
/// in a message's own list.
fn definitions_among(messages: &mut Vec<Json>) -> Vec<Json> {
    let mut found = Vec::new();
    messages.retain_mut(|message| {
        let Json::Object(message) = message else { return true };
        if let Some(Json::Array(tools)) = message.get("tools") {
            found.extend(tools.iter().cloned());
        }
        if message.get("role").and_then(Json::as_str) != Some("tool") {
            return true;
        }
        match message.get("content").cloned().map(value::unfolded) {
            Some(definition) if is_definition(&definition) => {
                found.push(definition);
                false
            }
            _ => true,
        }
    });
    found
}

fn is_definition(content: &Json) -> bool {
    let function = content.get("function").and_then(Json::as_object);
    content.get("type").and_then(Json::as_str) == Some("function")
        && function
            .is_some_and(|function| function.contains_key("name") && !function.contains_key("arguments"))
}

fn origin(observation: &Object) -> Origin {
    let instant = |keys: &[&str]| keys.iter().find_map(|key| value::instant(observation.get(key)?));
    let start = instant(&["startTime", "start_time"]);
    // Exports disagree on the unit of `latency`; the times say what they mean.
    let measured = value::seconds_between(start, instant(&["endTime", "end_time"]));
    Origin {
        source_id: text(observation, &["id"]),
        model: text(observation, &["model", "providedModelName", "provided_model_name"]),
        timestamp: start,
        latency_s: measured.or_else(|| observation.get("latency").and_then(value::number)),
        ..Origin::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NoRelated, Turns, detect};
    use super::*;
    use crate::normalize::{Normalizer, Options};

    #[test]
    fn knows_observations_and_traces() {
        let generation = r#"{"type":"generation","traceId":"t","output":"x"}"#;
        let trace = |user: &str, session: &str, output: &str| {
            let (own, words) = (r#""bookmarked":false,"tags":[],"id":"t""#, r#""name":"chat","input":"q""#);
            format!(
                r#"{{{own},{words},"timestamp":"2026-01-01","{user}":"u","{session}":"s","output":"{output}"}}"#
            )
        };
        for (record, expected) in [
            (generation.to_owned(), "1 turns, 0 skipped, 0 unreadable"),
            (format!(r#"{{"id":"t","observations":[{generation}]}}"#), "1 turns, 0 skipped, 0 unreadable"),
            (
                r#"{"trace":{},"observations":"[{\"type\":\"SPAN\",\"traceId\":\"t\"},7]"}"#.to_owned(),
                "0 turns, 1 skipped, 1 unreadable",
            ),
            (r#"{"trace":{},"observations":null}"#.to_owned(), "0 turns, 0 skipped, 1 unreadable"),
            (trace("userId", "sessionId", "done"), "0 turns, 0 skipped, 1 unreadable"),
            (trace("user_id", "session_id", "done"), "0 turns, 0 skipped, 1 unreadable"),
            (trace("user", "session", "done"), "unknown"),
            (trace("userId", "sessionId", "[{'tool_calls': []}]"), "unknown"),
            (r#"{"type":"SPAN","id":"x"}"#.to_owned(), "unknown"),
            (r#"{"type":"text","trace_id":"x"}"#.to_owned(), "unknown"),
            (r#"{"observations":[{"a":1}]}"#.to_owned(), "unknown"),
        ] {
            let Json::Object(object) = Json::parse(&record).unwrap() else { panic!("{record}") };
            let found = detect(&object).map_or("unknown".to_owned(), |format| {
                let entries: Vec<Entry> = format
                    .read(
                        object,
                        &Context {
                            agents: false,
                            turns: Turns::All,
                            normalizer: &Normalizer::new(Options::default()).unwrap().into(),
                            related: &NoRelated,
                            source: "",
                        },
                    )
                    .collect();
                let count = |is: fn(&Entry) -> bool| entries.iter().filter(|entry| is(entry)).count();
                let turns = count(|entry| matches!(entry, Entry::Turn(_)));
                let skipped = count(|entry| matches!(entry, Entry::Skipped(_)));
                let unreadable = count(|entry| matches!(entry, Entry::Unreadable(_)));
                format!("{turns} turns, {skipped} skipped, {unreadable} unreadable")
            });
            assert_eq!(found, expected, "{record}");
        }
    }
}

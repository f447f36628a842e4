//! Results of promptfoo, one per record or all of an evaluation.
//!
//! ```json
//! {"evalId": "…", "results": {"results": [{"promptIdx": 0, "testIdx": 0, "prompt": {"raw": "Oslo?"}, "vars": {},
//!     "provider": {"id": "openai:gpt-4o-mini"}, "response": {"output": [{"type": "function", "function": {"name": "f"}}]}}]},
//!  "config": {"providers": [{"id": "openai:gpt-4o-mini", "config": {"tools": []}}]}}
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use super::context::Context;
use super::dialogue::Dialogue;
use super::entry::{Entries, Entry, Skip, one, skipped};
use super::format::LogFormat;
use super::turn::Output;
use super::value;
use crate::domain::{Json, Object, Origin};
use crate::normalize::ending::Ending;

pub(super) const PROMPTFOO: LogFormat = LogFormat {
    name: "promptfoo_result",
    sign: "keys `promptIdx`, `testIdx` and `prompt`, or `results` with a list of such",
    matches: |record| is_result(record) || results(record).is_some(),
    read,
    unmatched: None,
};

fn is_result(record: &Object) -> bool {
    let asked = record.get("prompt").is_some_and(|prompt| prompt.get("raw").is_some());
    asked && ["promptIdx", "promptId", "testCase"].iter().any(|key| record.contains_key(key))
}

fn results(record: &Object) -> Option<&[Json]> {
    let found = record.get("results")?;
    let list = found.as_array().or_else(|| found.get("results")?.as_array())?;
    list.first()?.as_object().filter(|first| is_result(first)).map(|_| list)
}

/// The definitions that each provider was given, by its id and its label.
type Offered = HashMap<String, Json>;

fn read(mut record: Object, _: &Context) -> Entries {
    if is_result(&record) {
        return one(entry(record, &Offered::new()));
    }
    let offered = Arc::new(offered(&record));
    let list = match record.remove("results") {
        Some(Json::Object(mut inner)) => inner.remove("results"),
        list => list,
    };
    let Some(Json::Array(results)) = list else { return skipped(Skip::Empty) };
    Box::new(results.into_iter().map(move |result| match result {
        Json::Object(result) => entry(result, &offered),
        _ => Entry::Skipped(Skip::Empty),
    }))
}

fn offered(record: &Object) -> Offered {
    let providers = value::at(record, &["config", "providers"]).and_then(Json::as_array).unwrap_or_default();
    let mut offered = Offered::new();
    for provider in providers.iter().filter_map(Json::as_object) {
        let Some(tools) = value::at(provider, &["config", "tools"]).filter(|tools| is_list(tools)) else {
            continue;
        };
        for name in ["label", "id"].iter().filter_map(|key| value::text(provider, &[key])) {
            offered.entry(name).or_insert_with(|| tools.clone());
        }
    }
    offered
}

/// Definitions may be in a file of their own, which is not here.
fn is_list(tools: &Json) -> bool {
    tools.as_array().is_some()
}

fn entry(mut result: Object, offered: &Offered) -> Entry {
    let mut dialogue = Dialogue::default();
    dialogue.ask(value::at(&result, &["prompt", "raw"]).cloned().unwrap_or(Json::Null));
    let own =
        [&["provider", "config", "tools"], &["prompt", "config", "tools"], &["testCase", "options", "tools"]];
    let known =
        || own.iter().find_map(|path| value::at(&result, *path)).filter(|tools| is_list(tools)).cloned();
    let names =
        [&["provider", "label"], &["provider", "id"]].iter().filter_map(|path| value::text(&result, *path));
    let names: Vec<String> = names.collect();
    dialogue.tools =
        dialogue.tools.or_else(known).or_else(|| names.iter().find_map(|name| offered.get(name)).cloned());
    let response = result.remove("response");
    dialogue.ending = response.as_ref().and_then(Ending::of);
    match response.and_then(|mut response| match &mut response {
        Json::Object(response) => response.remove("output"),
        _ => None,
    }) {
        // An answer may be JSON that was asked for, and no call.
        Some(Json::String(text)) if !text.trim().is_empty() => {
            dialogue.output = Some(Output::Message(blocks(text)));
        }
        Some(answered) => dialogue.answer(answered),
        None => {}
    }
    let latency = result.get("latencyMs").and_then(value::number);
    dialogue.into_entry(Origin {
        source_id: value::text(&result, &["id"]),
        model: value::text(&result, &["provider", "id"]),
        timestamp: None,
        latency_s: latency.map(|milliseconds| milliseconds / 1e3),
        ..Origin::default()
    })
}

/// An answer with the blocks that promptfoo joins to one text, where some are Anthropic's calls: paragraphs in JSON.
fn blocks(text: String) -> Json {
    let call = |paragraph: &str| {
        let object = Some(paragraph).filter(|paragraph| paragraph.starts_with('{'));
        object
            .and_then(|paragraph| Json::parse(paragraph).ok())
            .filter(|block| block.get("type").and_then(Json::as_str) == Some("tool_use"))
    };
    let parts: Vec<(&str, Option<Json>)> =
        text.split("\n\n").map(str::trim).map(|paragraph| (paragraph, call(paragraph))).collect();
    if parts.iter().all(|(_, call)| call.is_none()) {
        return Json::String(text);
    }
    let part = |(said, call): (&str, Option<Json>)| {
        call.unwrap_or_else(|| {
            let text =
                [("type", "text"), ("text", said)].map(|(key, value)| (key.to_owned(), Json::from(value)));
            Json::Object(Object::from_iter(text))
        })
    };
    value::message("assistant", Json::Array(parts.into_iter().map(part).collect()))
}

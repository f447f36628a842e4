//! LiteLLM's standard logging payload, and the rows of its spend logs.
//!
//! ```json
//! {"id": "c1", "call_type": "acompletion", "startTime": 1750000000.0, "endTime": 1750000001.25, "model": "m",
//!  "messages": [{"role": "user", "content": "Oslo?"}], "response": {"choices": [{"message": {"content": "Sunny."}}]},
//!  "model_parameters": {"tools": []}}
//! ```

use super::context::Context;
use super::entry::{Entries, Entry, Skip, one};
use super::format::LogFormat;
use super::turn::Turn;
use super::{body, exchange, value};
use crate::domain::{Json, Object};

pub(super) const LITELLM: LogFormat = LogFormat {
    name: "litellm",
    sign: "key `call_type`, `litellm_call_id` or `standard_logging_object`",
    matches,
    read,
    unmatched: None,
};

/// What callbacks get holds the payload under this key.
const PAYLOAD: &str = "standard_logging_object";

/// Words in the types of calls that a chat model answers; all others embed, draw, rank or keep house.
const CHAT_CALLS: &[&str] = &["completion", "responses", "messages", "generate_content", "pass"];

/// What a request's body has beside its settings.
const REQUEST_KEYS: &[&str] = &[
    "messages",
    "contents",
    "input",
    "prompt",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "functions",
    "config",
];

fn matches(record: &Object) -> bool {
    let marked = ["call_type", "litellm_call_id"].iter().any(|key| record.contains_key(key));
    let holds = |key| record.contains_key(key);
    marked && (holds("messages") || holds("response")) || value::holds_structure(record, PAYLOAD)
}

fn read(mut record: Object, _: &Context) -> Entries {
    let payload = value::take_object(&mut record, PAYLOAD).unwrap_or(record);
    match turn(payload) {
        Ok(turn) => turn.alone(),
        Err(entry) => one(entry),
    }
}

fn turn(mut record: Object) -> Result<Turn, Entry> {
    let response = body::of(record.remove("response").unwrap_or(Json::Null), &["response"])?;
    let kind = value::text(&record, &["call_type"]);
    let chats = kind.is_none_or(|kind| CHAT_CALLS.iter().any(|word| kind.contains(word)));
    if !chats && response.get("choices").is_none() {
        return Err(Entry::Skipped(Skip::NotAnLlmRun));
    }
    let request = request(&mut record);
    let mut turn = exchange::turn(request, response)?;
    let origin = &mut turn.origin;
    let text = |key: &&str| value::text(&record, &[key]);
    let own_id = ["id", "request_id", "litellm_call_id"].iter().find_map(text);
    origin.source_id = own_id.or_else(|| origin.source_id.take());
    origin.model = origin.model.take().or_else(|| text(&"model"));
    let time = |key| value::instant(record.get(key)?);
    origin.timestamp = time("startTime");
    origin.latency_s = value::seconds_between(time("startTime"), time("endTime"))
        .or_else(|| value::number(record.get("response_time")?));
    Ok(turn)
}

/// The request out of the places that hold parts of it, the surest first.
fn request(record: &mut Object) -> Object {
    let mut holders: Vec<Object> = ["model_parameters", "optional_params"]
        .iter()
        .filter_map(|key| value::take_object(record, key))
        .collect();
    if let Some(mut sent) = value::take_object(record, "proxy_server_request") {
        holders.extend(value::take_object(&mut sent, "body"));
        holders.push(sent);
    }
    // Spend logs keep an empty object where the messages are left out.
    let messages =
        value::take(record, "messages").filter(|messages| messages.as_object().is_none_or(|m| !m.is_empty()));
    let mut request = Object::new();
    if let Some(messages) = messages {
        request.insert("messages", messages);
    }
    for mut holder in holders {
        for key in REQUEST_KEYS {
            if !request.contains_key(key)
                && let Some(value) = value::take(&mut holder, key)
            {
                request.insert(*key, value);
            }
        }
    }
    request
}

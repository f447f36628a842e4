//! Requests to providers with their responses, as proxies, recorders and cloud providers log them.
//!
//! ```json
//! {"request": {"model": "m", "messages": [{"role": "user", "content": "Oslo?"}], "tools": []},
//!  "response": {"id": "r1", "choices": [{"message": {"role": "assistant", "content": "Sunny."}}]}}
//! ```

use super::context::Context;
use super::entry::{Entries, Entry, Skip, one};
use super::format::LogFormat;
use super::transcript::Transcript;
use super::turn::Turn;
use super::{automatic, body, exchange, flat, value};
use crate::domain::{Cell, Json, Object};

pub(super) const PROVIDER_PAIR: LogFormat = LogFormat {
    name: "provider_pair",
    sign: "a provider's request beside its response: keys `request` and `response`, or the like; or `messages` beside an answer such as `choices`",
    matches,
    read,
    unmatched: None,
};

/// Where a log has the request and the response.
struct Pair {
    request: &'static [&'static str],
    response: &'static [&'static str],
}

const PAIRS: &[Pair] = &[
    Pair { request: &["request"], response: &["response"] },
    Pair { request: &["request_body"], response: &["response_body"] },
    // Amazon's batches, and its logs of invocations.
    Pair { request: &["modelInput"], response: &["modelOutput"] },
    Pair { request: &["input", "inputBodyJson"], response: &["output", "outputBodyJson"] },
];

/// What Braintrust's spans hold of a model call.
const BRAINTRUST: Pair = Pair { request: &["input"], response: &["output"] };

/// The pair that a record holds; of a request that failed there may be no response.
fn pair(record: &Object) -> Option<&'static Pair> {
    let failed = record.get("error").is_some_and(|error| !error.is_null());
    if is_of_braintrust(record) {
        return Some(&BRAINTRUST);
    }
    PAIRS.iter().find(|pair| {
        let answered = pair.response.first().is_some_and(|key| record.contains_key(key));
        (answered || failed) && value::at(record, pair.request).is_some_and(value::is_structure)
    })
}

/// Whether a record is Braintrust's span of a model call. Its other spans, of tasks and of experiments, hold whatever a team has put there.
fn is_of_braintrust(record: &Object) -> bool {
    let kind = value::at(record, &["span_attributes", "type"]).and_then(Json::as_str);
    let is_span = record.contains_key("root_span_id") && kind == Some("llm");
    is_span && value::at(record, BRAINTRUST.request).is_some_and(value::is_structure)
}

fn matches(record: &Object) -> bool {
    pair(record).is_some() || flat::answer(record).is_some()
}

fn read(mut record: Object, context: &Context) -> Entries {
    let exchanged = match flat::answer(&record).filter(|_| pair(&record).is_none()) {
        Some(key) => Ok(flat::parted(record.clone(), key)),
        None => exchanged(&mut record),
    };
    match exchanged {
        Ok((request, response)) if automatic::called(&response) => {
            let origin = response.as_object().map(exchange::origin).unwrap_or_default();
            let text =
                |object: &Object, keys: &[&str]| keys.iter().find_map(|key| value::text(object, &[key]));
            Transcript {
                id: text(&record, IDS).or(origin.source_id),
                model: text(&request, MODELS).or(origin.model),
                timestamp: origin.timestamp.or_else(|| value::instant(record.get("timestamp")?)),
                ..automatic::transcript(request, &response)
            }
            .entries(context)
        }
        Ok((request, response)) => match turn(&record, request, response) {
            Ok(turn) => turn.alone(),
            Err(entry) => one(entry),
        },
        Err(entry) => one(entry),
    }
}

/// Keys of a record's own name.
const IDS: &[&str] = &["id", "request_id", "requestId", "recordId"];

/// Keys of the model that was asked.
const MODELS: &[&str] = &["model", "modelId"];

/// Where a record keeps the tools on offer, if neither request nor response has them.
const DEFINED: &[&[&str]] = &[&["metadata", "tools"], &["metadata", "functions"], &["tools"], &["functions"]];

fn is_list_of_some(tools: &Json) -> bool {
    match tools {
        Json::Array(tools) => !tools.is_empty(),
        Json::Object(tools) => !tools.is_empty(),
        Json::String(text) => !text.trim().is_empty(),
        _ => false,
    }
}

/// The request and the response.
fn exchanged(record: &mut Object) -> Result<(Object, Json), Entry> {
    let pair = pair(record).ok_or(Entry::Skipped(Skip::NoOutput))?;
    let mut take = |path| body::of(value::take_at(record, path).unwrap_or(Json::Null), path);
    let request = match take(pair.request)? {
        Json::Object(request) => request,
        messages => Object::from_iter([("messages".to_owned(), messages)]),
    };
    let response = match take(pair.response)? {
        // Of a response with several choices, a recorder may keep these alone.
        Json::Array(choices) if choices.iter().any(|choice| choice.get("message").is_some()) => {
            Json::Object(Object::from_iter([("choices".to_owned(), Json::Array(choices))]))
        }
        response => response,
    };
    Ok((request, response))
}

fn turn(record: &Object, request: Object, response: Json) -> Result<Turn, Entry> {
    let mut turn = exchange::turn(request, response)?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| value::text(record, &[key]));
    let origin = &mut turn.origin;
    origin.source_id = origin.source_id.take().or_else(|| text(IDS));
    let noted = || value::text(record, &["metadata", "model"]);
    origin.model = origin.model.take().or_else(|| text(MODELS)).or_else(noted);
    origin.timestamp = origin.timestamp.or_else(|| value::instant(record.get("timestamp")?));
    // Braintrust keeps what a request says beside its messages there. An empty list says that none was recorded.
    let listed =
        |path: &&[&str]| value::at(record, path).cloned().map(value::unfolded).filter(is_list_of_some);
    if matches!(&turn.tools, Cell::Missing) || turn.tools == Cell::Json(Json::Array(Vec::new())) {
        turn.tools = match value::tools(DEFINED.iter().find_map(listed)) {
            Cell::Missing => turn.tools,
            found => found,
        };
    }
    Ok(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::logs::{NoRelated, Turns, detect};
    use crate::normalize::{Normalizer, Options};

    fn object(json: &str) -> Object {
        let Json::Object(object) = Json::parse(json).unwrap() else { panic!("{json}") };
        object
    }

    #[test]
    fn pairs_are_told_from_rows() {
        for (record, format) in [
            (r#"{"request":{},"response":{}}"#, Some("provider_pair")),
            (r#"{"request":"{\"messages\":[]}","response":"data: {}"}"#, Some("provider_pair")),
            (r#"{"request_body":{},"response_body":null}"#, Some("provider_pair")),
            (r#"{"request":{},"error":"late"}"#, Some("provider_pair")),
            (r#"{"request":"Weather?","response":"f()"}"#, None),
            (r#"{"request":{},"response":{},"question":"Q","tool_call":"f()"}"#, None),
            (r#"{"request":{}}"#, None),
            (r#"{"messages":[{"role":"user","content":"Q"}],"choices":[{"message":{}}]}"#, None),
            (r#"{"messages":[{"role":"user","content":"Q"}],"choices":["a","b"]}"#, None),
            (r#"{"messages":[{"role":"user","content":"Q"}],"answer":"A"}"#, None),
            (
                r#"{"messages":[{"role":"user","content":"Q"}],"choices":[{"text":"A"}],"tool_calls":[]}"#,
                None,
            ),
            (
                r#"{"messages":[{"role":"user","content":"Q"}],"choices":[{"message":{"content":"A"}}]}"#,
                Some("provider_pair"),
            ),
            (
                r#"{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}],"choices":[{"text":"A"}]}"#,
                Some("openai_messages"),
            ),
            (r#"{"input":"Q","output":"f()"}"#, None),
            // Braintrust's experiments may hold nothing but spans of tasks and scores, which a team reads as a table.
            (
                r#"{"id":"e","root_span_id":"r","span_attributes":{"type":"eval"},"input":"Q","output":"f()"}"#,
                None,
            ),
            (
                r#"{"id":"e","root_span_id":"r","span_attributes":{"type":"task"},"input":["Q"],"output":[]}"#,
                None,
            ),
            (
                r#"{"id":"e","root_span_id":"r","span_attributes":{"type":"llm"},"input":[{"role":"user","content":"Q"}],"output":[]}"#,
                Some("provider_pair"),
            ),
            (r#"{"custom_id":"1","response":{"body":{}}}"#, Some("batch")),
            (r#"{"custom_id":"1","body":{"messages":[]}}"#, Some("batch")),
            (r#"{"custom_id":"1","question":"Q"}"#, None),
        ] {
            assert_eq!(detect(&object(record)).map(|format| format.name), format, "{record}");
        }
    }

    #[test]
    fn every_providers_form_has_a_name() {
        for (request, response, expected) in [
            (r#"{"messages":[M]}"#, r#"{"choices":[{"message":{}}]}"#, "openai_chat"),
            (r#"{"input":[M]}"#, r#"{"object":"response","output":[]}"#, "openai_responses"),
            (r#"{"messages":[M],"max_tokens":1}"#, r#"{"type":"message","content":[]}"#, "anthropic"),
            (r#"{"contents":[M]}"#, r#"{"candidates":[{}]}"#, "gemini"),
            (r#"{"messages":[M],"toolConfig":{}}"#, r#"{"output":{"message":{}}}"#, "bedrock"),
            (r#"{"messages":[M]}"#, r#"{"message":{},"done":true}"#, "ollama"),
            (r#"{"messages":[M]}"#, r#"{"id":"1","message":{}}"#, "cohere"),
        ] {
            let request = request.replace('M', r#"{"role":"user","content":"Q"}"#);
            let record = object(&format!(r#"{{"request":{request},"response":{response}}}"#));
            let context = Context {
                agents: false,
                turns: Turns::All,
                normalizer: &Normalizer::new(Options::default()).unwrap().into(),
                related: &NoRelated,
                source: "",
            };
            let Some(Entry::Turn(turn)) = read(record, &context).next() else { panic!("{request}") };
            assert_eq!(turn.dialect, Some(expected), "{request}");
        }
    }
}

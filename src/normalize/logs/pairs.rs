//! Requests to providers beside their responses, as proxies, recorders and cloud providers log them.
//!
//! ```json
//! {"request": {"model": "m", "messages": [{"role": "user", "content": "Oslo?"}], "tools": []},
//!  "response": {"id": "r1", "choices": [{"message": {"role": "assistant", "content": "Sunny."}}]}}
//! ```

use super::{Context, Entries, Entry, LogFormat, Skip, Turn, exchange, one, value};
use crate::domain::{Json, Object};

pub(super) const PROVIDER_PAIR: LogFormat = LogFormat {
    name: "provider_pair",
    sign: "a request to a provider and its response: keys `request` and `response`",
    matches,
    read,
    orphans: None,
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

/// The pair that a record holds; of a request that failed there may be no response.
fn pair(record: &Object) -> Option<&'static Pair> {
    let failed = record.get("error").is_some_and(|error| !error.is_null());
    PAIRS.iter().find(|pair| {
        let answered = pair.response.first().is_some_and(|key| record.contains_key(key));
        (answered || failed) && value::at(record, pair.request).is_some_and(value::is_structure)
    })
}

fn matches(record: &Object) -> bool {
    pair(record).is_some() && !value::is_row(record)
}

fn read(record: Object, _: &Context) -> Entries {
    match turn(record) {
        Ok(turn) => turn.alone(),
        Err(entry) => one(entry),
    }
}

fn turn(mut record: Object) -> Result<Turn, Entry> {
    let pair = pair(&record).ok_or(Entry::Skipped(Skip::NoOutput))?;
    let mut take = |path| exchange::body(value::take_at(&mut record, path).unwrap_or(Json::Null), path);
    let request = match take(pair.request)? {
        Json::Object(request) => request,
        messages => Object::from_iter([("messages".to_owned(), messages)]),
    };
    let response = take(pair.response)?;
    let mut turn = exchange::turn(request, response)?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| value::text(&record, &[key]));
    let origin = &mut turn.origin;
    origin.source_id =
        origin.source_id.take().or_else(|| text(&["id", "request_id", "requestId", "recordId"]));
    origin.model = origin.model.take().or_else(|| text(&["model", "modelId"]));
    origin.timestamp = origin.timestamp.or_else(|| value::instant(record.get("timestamp")?));
    Ok(turn)
}

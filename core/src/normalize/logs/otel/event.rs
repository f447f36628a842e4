//! An event, in a span or a log record, as one object: `{"event.name": "gen_ai.user.message", "content": "Oslo?"}`.

use super::otlp;
use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// Tells a whole call in one event.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

pub(super) fn name(event: &Object) -> &str {
    event.get("event.name").and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn is_details(event: &Object) -> bool {
    name(event) == DETAILS
}

/// The one object of an event. Its fields may be attributes, the body, or JSON in an attribute.
pub(super) fn of(record: Json) -> Option<Object> {
    let Json::Object(mut record) = record else { return None };
    let mut attributes = otlp::attributes(value::take(&mut record, "attributes"));
    let named = ["eventName", "event_name", "name"].iter().find_map(|key| value::text(&record, &[key]));
    let tells_all =
        ["gen_ai.input.messages", "gen_ai.output.messages"].iter().any(|key| attributes.contains_key(key));
    let name = named.or_else(|| value::text(&attributes, &["event.name"]));
    let name = name.or_else(|| tells_all.then(|| DETAILS.to_owned()))?;
    let content = attributes.remove("gen_ai.event.content");
    let body = record.remove("body").map(otlp::plain);
    let fields = [content, body].into_iter().flatten().flat_map(|said| match value::unfolded(said.clone()) {
        Json::Object(fields) => fields,
        Json::Null => Object::new(),
        _ => Object::from_iter([("content".to_owned(), said)]),
    });
    let own = [("event.name".to_owned(), Json::String(name))];
    Some(attributes.into_iter().chain(fields).chain(own).collect())
}

//! Lists that wrap the records of an export: `{"data": [RECORD, ...]}`.

use super::detect;
use crate::domain::{Json, Object};

/// A list of records under a key of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// The key of the list.
    pub key: &'static str,
    /// Whether an element is a record only with the key around it, as `{"resourceSpans": [ELEMENT]}`.
    pub is_part_of_record: bool,
}

/// All envelopes.
pub const ENVELOPES: [Envelope; 8] = [
    around("data"),
    around("runs"),
    around("samples"),
    around("observations"),
    within("resourceSpans"),
    within("resource_spans"),
    within("resourceLogs"),
    within("resource_logs"),
];

const fn around(key: &'static str) -> Envelope {
    Envelope { key, is_part_of_record: false }
}

const fn within(key: &'static str) -> Envelope {
    Envelope { key, is_part_of_record: true }
}

/// The envelope of the records in `object`, if that is not a record itself: the first of them is of a known format.
pub fn envelope(object: &Object) -> Option<&'static Envelope> {
    ENVELOPES.iter().filter(|envelope| !envelope.is_part_of_record).find(|envelope| {
        let Some(Json::Array(items)) = object.get(envelope.key) else { return false };
        items.first().and_then(Json::as_object).is_some_and(|first| detect(first).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_opened_and_records_are_not() {
        for (text, expected) in [
            (
                r#"{"data": [{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}], "next": 1}"#,
                Some("data"),
            ),
            (r#"{"data": [{"question": "q", "tool_call": "f()"}]}"#, None),
            (r#"{"data": [7]}"#, None),
            (r#"{"data": []}"#, None),
            (r#"{"resourceSpans": [{"scopeSpans": []}]}"#, None),
        ] {
            let json = Json::parse(text).unwrap();
            let found = envelope(json.as_object().unwrap());
            assert_eq!(found.map(|envelope| envelope.key), expected, "{text}");
        }
    }
}

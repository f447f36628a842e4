//! Decides when two rows are the same call: equal question, tools and calls, in any notation.

use crate::domain::{Arguments, Calls, Definitions, Json, Sample, Variable};

/// A hash of what is judged about `sample`, with the values that judges are `shown` beside question, tools and calls. The order of keys
/// and the form of the log make no difference, that of calls does.
pub fn identity_with(sample: &Sample, shown: &[Variable]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(&sample.question);
    for message in &sample.messages {
        part(message.role.as_str());
        part(&message.content);
        message.tool_calls.iter().for_each(|call| part(&sorted(&call.to_json()).to_string()));
    }
    match &sample.definitions {
        Definitions::Known(definitions) => {
            for definition in definitions.iter() {
                part(&definition.name);
                part(&definition.description);
                part(&sorted(&definition.parameters).to_string());
            }
        }
        Definitions::FreeText | Definitions::Unknown => {
            part(sample.raw.tool_definitions.as_deref().unwrap_or_default());
        }
    }
    match &sample.calls {
        Calls::Unparsed => part(sample.raw.tool_call.as_deref().unwrap_or_default()),
        Calls::Parsed(calls) => {
            for call in calls {
                part(&call.name);
                match &call.arguments {
                    Arguments::Parsed(arguments) => {
                        part(&sorted(&Json::Object(arguments.clone())).to_string())
                    }
                    Arguments::Malformed(text) => part(text),
                }
            }
        }
    }
    for variable in shown {
        part(sample.shown(variable).as_deref().unwrap_or_default());
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

/// `json` with its objects' keys in alphabetical order. Depth is bounded by that of what the parser takes.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(object) => {
            let mut entries: Vec<(String, Json)> =
                object.iter().map(|(key, value)| (key.to_owned(), sorted(value))).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(entries.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(sample: &Sample) -> [u8; 16] {
        identity_with(sample, &[])
    }
    use crate::domain::{Cell, RawRow};
    use crate::normalize::{Normalizer, Options};

    #[test]
    fn the_same_call_in_other_words() {
        let normalizer = Normalizer::new(Options::default()).unwrap();
        let of = |call: &str| {
            let row = RawRow {
                question: Cell::Text("q".to_owned()),
                tool_call: Cell::Text(call.to_owned()),
                tool_definitions: Cell::Null,
                ..RawRow::default()
            };
            identity(&normalizer.sample(row).unwrap())
        };
        let call = of(r#"{"name":"f","arguments":{"a":1,"b":{"c":2,"d":3}}}"#);
        assert_eq!(
            call,
            of(
                r#"{"type":"function","function":{"name":"f","arguments":"{\"b\":{\"d\":3,\"c\":2},\"a\":1}"}}"#
            )
        );
        assert_ne!(call, of(r#"{"name":"f","arguments":{"a":2,"b":{"c":2,"d":3}}}"#));
        assert_ne!(call, of(r#"{"name":"g","arguments":{"a":1,"b":{"c":2,"d":3}}}"#));
    }
}

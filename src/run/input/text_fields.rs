//! Detects arguments that a table may have turned into texts: a field in a column of structs has one type, so a single text in it
//! turns all numbers beside it into texts.

use crate::domain::{Arguments, Calls, Definitions, Json, Sample};

/// Whether `cell`, out of a column of structs, holds a text where the called tool takes none.
pub(super) fn are_suspect(cell: &Json, sample: &Sample) -> bool {
    let (Calls::Parsed(calls), Definitions::Known(tools)) = (&sample.calls, &sample.definitions) else {
        return false;
    };
    calls.iter().any(|call| {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let (Some(tool), Arguments::Parsed(arguments)) = (tool, &call.arguments) else { return false };
        has_suspect(&Json::Object(arguments.clone()), &tool.parameters, "", cell)
    })
}

/// Whether some text within `value`, which stands under `name`, is none to its schema, and is in the cell.
fn has_suspect(value: &Json, schema: &Json, name: &str, cell: &Json) -> bool {
    match value {
        Json::String(text) => {
            schema.get("type").is_some_and(|declared| !takes_text(declared)) && holds(cell, name, text)
        }
        Json::Array(items) => schema
            .get("items")
            .is_some_and(|schema| items.iter().any(|item| has_suspect(item, schema, name, cell))),
        Json::Object(fields) => fields.iter().any(|(name, value)| {
            let schema = || schema.get("properties")?.get(name);
            schema().is_some_and(|schema| has_suspect(value, schema, name, cell))
        }),
        _ => false,
    }
}

fn takes_text(declared: &Json) -> bool {
    declared.as_str() == Some("string")
        || declared.as_array().is_some_and(|types| types.iter().any(|kind| kind.as_str() == Some("string")))
}

/// Whether `name` is a field with this text, or a list with it, somewhere in `cell`: not in a text of JSON, whose types are the agent's
/// own.
fn holds(cell: &Json, name: &str, text: &str) -> bool {
    match cell {
        Json::Array(items) => items.iter().any(|item| holds(item, name, text)),
        Json::Object(fields) => {
            fields.get(name).is_some_and(|field| has(field, text))
                || fields.values().any(|field| holds(field, name, text))
        }
        _ => false,
    }
}

fn has(field: &Json, text: &str) -> bool {
    match field {
        Json::String(own) => own == text,
        Json::Array(items) => items.iter().any(|item| has(item, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_the_place_of_other_types_are_found_at_every_depth() {
        let schema = r#"{"properties":{"n":{"type":"integer"},"s":{"type":["string","null"]},"any":{},
            "list":{"type":"array","items":{"type":"number"}},
            "in":{"type":"object","properties":{"on":{"type":"boolean"}}}}}"#;
        let read = |text: &str| Json::parse(text).unwrap();
        for (arguments, is_suspect) in [
            (r#"{"n":5,"s":"a","any":"b","list":[1],"in":{"on":true}}"#, false),
            (r#"{"n":"5"}"#, true),
            (r#"{"list":[1,"2"]}"#, true),
            (r#"{"in":{"on":"true"}}"#, true),
            (r#"{"other":"5"}"#, false),
        ] {
            let call = read(&format!(r#"[{{"name":"f","arguments":{arguments}}}]"#));
            let found = |cell: &Json| has_suspect(&read(arguments), &read(schema), "", cell);
            assert_eq!(found(&call), is_suspect, "{arguments}");
            // What JSON in a text says is as the agent wrote it.
            let written = Json::from(call.to_string());
            assert!(!found(&written) && !found(&Json::Array(vec![written])), "{arguments}");
        }
    }
}

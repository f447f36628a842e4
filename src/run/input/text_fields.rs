//! Arguments that a table may have made texts: a field of a column of structs has one type, so a single text in it makes texts of all
//! the numbers beside it.

use crate::domain::{Arguments, Calls, Definitions, Json, Sample};

/// Whether `cell`, out of a column of structs, holds a text where the called tool takes none.
pub(super) fn are_suspect(cell: &Json, sample: &Sample) -> bool {
    let (Calls::Parsed(calls), Definitions::Known(tools)) = (&sample.calls, &sample.definitions) else {
        return false;
    };
    calls.iter().any(|call| {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let (Some(tool), Arguments::Parsed(arguments)) = (tool, &call.arguments) else { return false };
        arguments.iter().any(|(name, value)| {
            let declared = || tool.parameters.get("properties")?.get(name)?.get("type");
            matches!(value, Json::String(_))
                && declared().is_some_and(|declared| !takes_text(declared))
                && holds(cell, name, value)
        })
    })
}

fn takes_text(declared: &Json) -> bool {
    declared.as_str() == Some("string")
        || declared.as_array().is_some_and(|types| types.iter().any(|kind| kind.as_str() == Some("string")))
}

/// Whether `name` is a field with this `value` somewhere in `cell`: not in a text of JSON, whose types are the agent's own.
fn holds(cell: &Json, name: &str, value: &Json) -> bool {
    match cell {
        Json::Array(items) => items.iter().any(|item| holds(item, name, value)),
        Json::Object(fields) => {
            fields.get(name) == Some(value) || fields.values().any(|field| holds(field, name, value))
        }
        _ => false,
    }
}

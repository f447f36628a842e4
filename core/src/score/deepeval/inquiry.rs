//! The question to a judge about the choice of tools of a test case.

use crate::domain::{Json, Number, Object, Task};
use crate::score::inquiry::{Answer, Inquiry, row};

pub(super) const INQUIRY: Inquiry =
    Inquiry { task: Task::ToolSelection, five_grades: true, row: asked, fill: answered };

/// The row of a case that lists tools to choose from, and has no judge's answer yet.
fn asked(record: &Object) -> Option<Object> {
    let available = record.get("available_tools")?.as_array().filter(|tools| !tools.is_empty())?;
    if record.get("selection").is_some_and(|selection| !selection.is_null()) {
        return None;
    }
    // What cannot be read is the scorer's to say.
    let record = &*super::case::FORM.of(record).ok()?;
    let question = ["input", "question"].iter().find_map(|key| record.get(key)).cloned();
    let called = record.get("tools_called").and_then(Json::as_array).unwrap_or_default();
    let calls = called.iter().map(call).collect();
    let tools = available.iter().map(definition).collect();
    Some(row([
        ("question", question),
        ("tool_call", Some(Json::Array(calls))),
        ("tool_definitions", Some(Json::Array(tools))),
    ]))
}

fn call(tool: &Json) -> Json {
    let mut call = Object::new();
    call.insert("name", tool.get("name").cloned().unwrap_or(Json::Null));
    let parameters = ["input_parameters", "inputParameters"].iter().find_map(|key| tool.get(key));
    let parameters = parameters.filter(|parameters| !parameters.is_null()).cloned();
    call.insert("arguments", parameters.unwrap_or_else(|| Json::Object(Object::new())));
    Json::Object(call)
}

/// The keys of DeepEval's own tools that may hold a structure.
const OWN: [&str; 5] = ["input_parameters", "inputParameters", "parameters", "output", "reasoning"];

/// What is known of a tool that could have been called: its name and what it is for. What has no name here, or holds a structure under
/// another vendor's key, is written in that vendor's form, which is read like that of any row.
fn definition(tool: &Json) -> Json {
    let others = |object: &Object| {
        let is_structure = |value: &Json| matches!(value, Json::Object(_) | Json::Array(_));
        object.iter().any(|(key, value)| !OWN.contains(&key) && is_structure(value))
    };
    if tool.get("name").is_none() || tool.as_object().is_some_and(others) {
        return tool.clone();
    }
    let mut definition = Object::new();
    for key in ["name", "description"] {
        if let Some(value) = tool.get(key).filter(|value| !value.is_null()) {
            definition.insert(key, value.clone());
        }
    }
    let parameters =
        ["input_parameters", "inputParameters", "parameters"].iter().find_map(|key| tool.get(key));
    if let Some(parameters) = parameters.filter(|parameters| !parameters.is_null()) {
        definition.insert("parameters", parameters.clone());
    }
    Json::Object(definition)
}

fn answered(record: &mut Object, answer: &Answer) {
    let mut selection = Object::new();
    selection.insert("score", Number::from_f64(answer.score).map_or(Json::Null, Json::Number));
    selection.insert("reason", answer.explanation.as_deref().unwrap_or(&answer.label));
    record.insert("selection", Json::Object(selection));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_to_choose_from_are_shown_with_all_that_is_known_of_them() {
        for (tool, shown) in [
            (
                r#"{"name":"f","description":"d","output":[1],"reasoning":null}"#,
                r#"{"name":"f","description":"d"}"#,
            ),
            (
                r#"{"name":"f","input_parameters":{"a":{"type":"string"}}}"#,
                r#"{"name":"f","parameters":{"a":{"type":"string"}}}"#,
            ),
            (
                r#"{"type":"function","function":{"name":"f"}}"#,
                r#"{"type":"function","function":{"name":"f"}}"#,
            ),
            (
                r#"{"name":"f","input_schema":{"type":"object","properties":{}}}"#,
                r#"{"name":"f","input_schema":{"type":"object","properties":{}}}"#,
            ),
            (
                r#"{"type":"namespace","name":"crm","tools":[{"type":"function","name":"f"}]}"#,
                r#"{"type":"namespace","name":"crm","tools":[{"type":"function","name":"f"}]}"#,
            ),
        ] {
            assert_eq!(definition(&Json::parse(tool).unwrap()).to_string(), shown, "{tool}");
        }
    }
}

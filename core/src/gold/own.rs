//! Questions from the user's own table: the call itself is the only accepted answer.

use super::bfcl::{Unusable, only};
use super::question::{Expectation, ExpectedAction, Question};
use super::tool::Tool;
use crate::domain::{Calls, Definitions, Json, Object, Sample, ToolCall, ToolDefinition};
use crate::score::bfcl::{Language, Rules};

/// A question whose right answer is what `sample` calls. `asked` and `definitions` are the cells as they were; questions
/// of one `cluster` are asked the same.
///
/// What is right is said by the scorer's own rules: the benchmark's checker knows no types of JSON Schema.
///
/// # Errors
/// When there are no definitions, when calls or arguments cannot be read, or when an argument is the empty text, which stands
/// for "may be left out" among accepted values.
pub fn question(
    (id, cluster): (String, String),
    sample: &Sample,
    asked: Json,
    definitions: Json,
) -> Result<Question, Unusable> {
    let unusable = |reason| Unusable { id: id.clone(), reason };
    let Definitions::Known(known) = &sample.definitions else { return Err(unusable("no definitions")) };
    let Calls::Parsed(calls) = &sample.calls else { return Err(unusable("the call cannot be read")) };
    if calls.iter().filter_map(ToolCall::parsed).flat_map(Object::values).any(has_blank) {
        return Err(unusable("an argument is the empty text, which would count as one that may be left out"));
    }
    let expected: Option<Vec<Expectation>> = calls.iter().map(expectation).collect();
    let expected = expected.ok_or_else(|| unusable("the arguments cannot be read"))?;
    let functions = Json::Array(known.iter().map(function).collect());
    let tools = functions.as_array().into_iter().flatten().filter_map(Tool::read).collect();
    let said = sample.messages.iter().map(|message| message.content.as_str());
    let text: Vec<&str> = said.chain([sample.question.as_str()]).collect();
    Ok(Question {
        category: match expected.len() {
            0 => "irrelevance",
            1 => "multiple",
            _ => "parallel_multiple",
        }
        .to_owned(),
        language: Language::Python,
        asked,
        text: text.join("\n"),
        definitions,
        functions,
        tools,
        expected_action: if expected.is_empty() {
            ExpectedAction::Nothing
        } else {
            ExpectedAction::Calls(expected)
        },
        rules: &[Rules::Own],
        id,
        cluster,
    })
}

fn has_blank(value: &Json) -> bool {
    match value {
        Json::String(text) => text.is_empty(),
        Json::Object(members) => members.values().any(|member| member.as_str() == Some("")),
        Json::Array(items) => items.iter().filter(|item| item.as_object().is_some()).any(has_blank),
        _ => false,
    }
}

fn expectation(call: &ToolCall) -> Option<Expectation> {
    let arguments = call.parsed()?.iter();
    let accepted = arguments.map(|(name, value)| (name.to_owned(), vec![only(value)])).collect();
    Some(Expectation { tool: call.name.clone(), accepted })
}

fn function(definition: &ToolDefinition) -> Json {
    let mut function = Object::new();
    function.insert("name", definition.name.as_str());
    function.insert("description", definition.description.as_str());
    function.insert("parameters", definition.parameters.clone());
    Json::Object(function)
}

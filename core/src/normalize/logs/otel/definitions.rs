//! The tools on offer, from any attribute: `{"llm.tools.0.tool.json_schema": "{\"type\": \"function\", …}"}`.

use super::{mlflow, nested, span};
use crate::domain::{Json, Object};
use crate::normalize::logs::value;

/// Definitions as attributes hold them.
#[derive(Debug, Default)]
pub(in crate::normalize::logs) struct Definitions {
    pub(in crate::normalize::logs) tools: Option<Json>,
    /// Whether the end of one was cut away.
    pub(in crate::normalize::logs) cut: bool,
}

/// A place where definitions may be.
type Place = fn(&Object) -> Option<Vec<Json>>;

/// In the order in which they are looked up.
const PLACES: &[Place] =
    &[genai, pydantic_ai, openllmetry, vercel, openinference, invocation_parameters, mlflow::definitions];

impl Definitions {
    /// Those in the first place that has some; a list that is empty says that there were none.
    pub(in crate::normalize::logs) fn among(attributes: &Object) -> Definitions {
        let mut known_empty = false;
        for place in PLACES {
            match place(attributes) {
                Some(tools) if !tools.is_empty() => return Definitions::of(tools),
                Some(_) => known_empty = true,
                None => {}
            }
        }
        Definitions { tools: known_empty.then(|| Json::Array(Vec::new())), cut: false }
    }

    fn of(tools: Vec<Json>) -> Definitions {
        let cut = tools.iter().filter_map(written).any(value::breaks_off);
        if !tools.iter().filter_map(written).any(value::is_broken) {
            return Definitions { tools: Some(Json::Array(tools)), cut };
        }
        // Next to a definition that cannot be read, the others are not the whole truth either.
        let text = tools.into_iter().map(as_text).collect::<Vec<_>>().join("\n");
        Definitions { tools: Some(Json::String(text)), cut }
    }
}

/// A definition as it was before its parameters became a text within a text.
fn as_text(tool: Json) -> String {
    match tool {
        Json::String(text) => text,
        Json::Object(mut tool) => match tool.remove("parameters") {
            Some(Json::String(schema)) => {
                let name = tool.to_string();
                format!("{},\"parameters\":{schema}", name.strip_suffix('}').unwrap_or(&name))
            }
            Some(schema) => {
                tool.insert("parameters", schema);
                Json::Object(tool).to_string()
            }
            None => Json::Object(tool).to_string(),
        },
        other => other.to_string(),
    }
}

/// A definition that is a text, or else the schema of its parameters, if that is one.
fn written(tool: &Json) -> Option<&str> {
    match tool {
        Json::String(text) => Some(text),
        other => other.get("parameters")?.as_str(),
    }
}

/// A list of definitions that may be JSON in a string; if that is cut, the text is the only element.
fn listed(value: &Json) -> Option<Vec<Json>> {
    match value::unfolded(value.clone()) {
        Json::Array(items) => Some(items),
        Json::Null => None,
        Json::String(text) if text.trim().is_empty() => None,
        only => Some(vec![only]),
    }
}

fn genai(attributes: &Object) -> Option<Vec<Json>> {
    listed(span::get(attributes, "gen_ai.tool.definitions")?)
}

/// `{"function_tools": […], "output_tools": […]}`; the tools that end a run are called like the others.
fn pydantic_ai(attributes: &Object) -> Option<Vec<Json>> {
    let Json::Object(parameters) =
        value::unfolded(span::get(attributes, "model_request_parameters")?.clone())
    else {
        return None;
    };
    let tools = ["function_tools", "output_tools"].iter().filter_map(|key| listed(parameters.get(key)?));
    Some(tools.flatten().collect())
}

fn openllmetry(attributes: &Object) -> Option<Vec<Json>> {
    nested::list(attributes, "llm.request.functions")
}

/// An array of JSON strings, one for each tool.
fn vercel(attributes: &Object) -> Option<Vec<Json>> {
    Some(listed(span::get(attributes, "ai.prompt.tools")?)?.into_iter().map(value::unfolded).collect())
}

fn openinference(attributes: &Object) -> Option<Vec<Json>> {
    let schema = |tool: Json| {
        let Some(mut tool) = nested::object(&tool) else { return tool };
        let mut inner = match tool.remove("tool") {
            Some(Json::Object(inner)) => inner,
            _ => tool,
        };
        inner.remove("json_schema").map_or(Json::Object(inner), value::unfolded)
    };
    Some(nested::list(attributes, "llm.tools")?.into_iter().map(schema).collect())
}

fn invocation_parameters(attributes: &Object) -> Option<Vec<Json>> {
    let parameters = value::unfolded(span::get(attributes, "llm.invocation_parameters")?.clone());
    ["tools", "functions"].iter().find_map(|key| listed(parameters.get(key)?))
}

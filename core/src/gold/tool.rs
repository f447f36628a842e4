//! A tool, as far as generating calls needs its definition.

use crate::domain::Json;

/// A tool's name and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// A parameter of a tool, or of an object among its arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) schema: Json,
}

/// What a parameter's type comes down to, in whatever dialect it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Integer,
    Float,
    Boolean,
    List,
    Object,
    /// Not said, or anything.
    Open,
}

impl Tool {
    /// A definition with `name`, `description` and `parameters`; `None` without a name.
    pub(crate) fn read(definition: &Json) -> Option<Tool> {
        let text = |key| definition.get(key).and_then(Json::as_str).unwrap_or_default();
        let name = definition.get("name")?.as_str()?;
        let parameters = definition.get("parameters").map(parameters).unwrap_or_default();
        Some(Tool { name: name.to_owned(), description: text("description").to_owned(), parameters })
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// The members that an object's schema knows.
pub(super) fn parameters(schema: &Json) -> Vec<Parameter> {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let members = schema.get("properties").and_then(Json::as_object);
    let read = |(name, schema): (&str, &Json)| Parameter {
        name: name.to_owned(),
        required: required.iter().any(|required| required.as_str() == Some(name)),
        schema: schema.clone(),
    };
    members.into_iter().flat_map(|members| members.iter()).map(read).collect()
}

impl Parameter {
    pub(crate) fn shape(&self) -> Shape {
        shape(&self.schema)
    }

    pub(crate) fn description(&self) -> &str {
        self.schema.get("description").and_then(Json::as_str).unwrap_or_default()
    }
}

pub(super) fn shape(schema: &Json) -> Shape {
    let name = match schema.get("type") {
        Some(Json::String(name)) => name.as_str(),
        // `["string", "null"]`
        Some(Json::Array(names)) => {
            names.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or_default()
        }
        _ => "",
    };
    match name {
        "string" | "String" | "char" => Shape::Text,
        "integer" | "byte" | "short" | "long" | "Bigint" => Shape::Integer,
        "float" | "double" | "number" => Shape::Float,
        "boolean" | "Boolean" => Shape::Boolean,
        "array" | "tuple" | "Array" | "ArrayList" => Shape::List,
        "dict" | "object" | "HashMap" => Shape::Object,
        _ => Shape::Open,
    }
}

/// The allowed values, where they are listed.
pub(super) fn choices(schema: &Json) -> &[Json] {
    schema.get("enum").and_then(Json::as_array).unwrap_or_default()
}

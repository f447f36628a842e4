//! Parameters that a tool does not declare.

use crate::domain::{Json, Object, did_you_mean};

/// What a schema may say beside its `properties` and allow no more than these. Any other keyword may allow more.
const CLOSED: [&str; 23] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "additionalProperties",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "format",
    "maxProperties",
    "minProperties",
    "nullable",
    "properties",
    "propertyOrdering",
    "readOnly",
    "required",
    "strict",
    "title",
    "type",
    "writeOnly",
];

/// Why a tool with this schema has no parameter `name`, as far as that can be told. A schema that lists parameters and says nothing of
/// others means these.
pub(crate) fn undeclared(schema: &Json, name: &str) -> Option<String> {
    let properties = schema.get("properties").and_then(Json::as_object).filter(|known| !known.is_empty())?;
    let is_closed = matches!(schema.get("additionalProperties"), None | Some(Json::Bool(false)))
        && schema
            .as_object()
            .is_some_and(|schema| schema.keys().all(|key| CLOSED.contains(&key) || key.starts_with("x-")));
    (is_closed && !properties.contains_key(name)).then(|| {
        let meant = did_you_mean(name, properties.iter().map(|(known, _)| known));
        format!("the tool has no parameter `{name}`{meant}")
    })
}

/// Whether some of these arguments are parameters that the tool does not have.
pub(crate) fn has_undeclared(schema: &Json, arguments: &Object) -> bool {
    arguments.iter().any(|(name, _)| undeclared(schema, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_parameters_is_all_of_them_unless_it_says_otherwise() {
        for (schema, has) in [
            (r#"{"properties":{"name":{}}}"#, false),
            (r#"{"properties":{"name":{}},"additionalProperties":false}"#, false),
            (r#"{"properties":{"name":{}},"additionalProperties":true}"#, true),
            (r#"{"properties":{"name":{}},"additionalProperties":{"type":"string"}}"#, true),
            (r#"{"type":"object","properties":{"name":{}},"required":["name"],"title":"A"}"#, false),
            (r#"{"properties":{"name":{}},"propertyOrdering":["name"],"x-kind":1}"#, false),
            (r#"{"properties":{"name":{}},"anyOf":[{}]}"#, true),
            (r#"{"properties":{"name":{}},"if":{},"then":{"properties":{"nam":{}}}}"#, true),
            (r#"{"properties":{"name":{}},"dependentSchemas":{"name":{"properties":{"nam":{}}}}}"#, true),
            (r#"{"properties":{"name":{}},"unevaluatedProperties":{}}"#, true),
            (r#"{"properties":{}}"#, true),
            (r#"{"type":"object"}"#, true),
        ] {
            let schema = Json::parse(schema).unwrap();
            assert_eq!(undeclared(&schema, "nam").is_none(), has, "{schema}");
            assert_eq!(undeclared(&schema, "name"), None, "{schema}");
        }
    }
}

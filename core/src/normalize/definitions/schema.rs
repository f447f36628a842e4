//! Parameters in any dialect to JSON Schema: `{"type":"dict","properties":{"n":{"type":"long"}}}`.

use crate::domain::{Json, Object, ToolDefinition};
use crate::normalize::pairs;

/// The type names of the dialects, in lower case, by the name JSON Schema has for them.
const TYPES: &[(&str, &[&str])] = &[
    ("object", &["object", "dict", "hashmap", "hashtable", "map"]),
    ("array", &["array", "list", "tuple", "arraylist", "set", "queue", "stack"]),
    ("integer", &["integer", "int", "long", "short", "byte", "bigint"]),
    ("number", &["number", "float", "double"]),
    ("string", &["string", "str", "char"]),
    ("boolean", &["boolean", "bool"]),
    ("null", &["null"]),
];

/// Names of types that the Berkeley benchmark gives a meaning of their own in some programming language.
const BENCHMARKS: &[&str] = &[
    "string",
    "any",
    "integer",
    "float",
    "boolean",
    "array",
    "tuple",
    "dict",
    "byte",
    "short",
    "long",
    "double",
    "char",
    "String",
    "Array",
    "ArrayList",
    "Set",
    "Queue",
    "Stack",
    "HashMap",
    "Hashtable",
    "Bigint",
    "Boolean",
];

/// Which names the types of parameters get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TypeNames {
    /// Those of JSON Schema.
    #[default]
    JsonSchema,
    /// The benchmark's own as they are, and of all others those of JSON Schema.
    Benchmarks,
}

/// What stands under a keyword that holds schemas. Everywhere else a key called `type` is somebody's data.
#[derive(Clone, Copy)]
enum Holds {
    Schema,
    /// One schema, or a list of them.
    SchemaOrList,
    /// Schemas by name.
    Map,
}

const SUBSCHEMAS: &[(&str, Holds)] = &[
    ("properties", Holds::Map),
    ("items", Holds::SchemaOrList),
    ("prefixItems", Holds::SchemaOrList),
    ("additionalProperties", Holds::Schema),
    ("anyOf", Holds::SchemaOrList),
    ("oneOf", Holds::SchemaOrList),
    ("allOf", Holds::SchemaOrList),
    ("$defs", Holds::Map),
    ("definitions", Holds::Map),
];

/// Keywords that hold a value, which may be null.
const MAY_BE_NULL: &[&str] = &["default", "const", "example", "examples"];

/// A key that the Vercel AI SDK puts around a schema.
const WRAPPER: &str = "jsonSchema";

/// The parameters of a tool as JSON Schema of an object.
pub(super) fn parameters(mut schema: Option<Json>, names: TypeNames) -> Json {
    schema.iter_mut().for_each(join);
    while let Some(inner) =
        schema.as_ref().filter(|schema| !is_whole(schema)).and_then(|schema| schema.get(WRAPPER))
        && inner.as_object().is_some()
    {
        schema = Some(inner.clone());
    }
    let mut schema = match schema {
        None | Some(Json::Null) => ToolDefinition::unknown_parameters(),
        // The benchmark's check misses nothing where a definition says nothing: what is accepted is known.
        Some(Json::Object(object)) if object.is_empty() && names == TypeNames::Benchmarks => {
            ToolDefinition::unknown_parameters()
        }
        Some(Json::Object(object)) if is_bare_properties(&object) => of_properties(Json::Object(object)),
        Some(schema) if says_nothing(&schema) => ToolDefinition::unknown_parameters(),
        Some(schema) => schema,
    };
    let typed = schema.get("type").is_some();
    translate(&mut schema, names);
    // Arguments are an object, even where a dialect's word for that says nothing.
    if let Json::Object(object) = &mut schema
        && typed
        && !object.contains_key("type")
    {
        object.insert("type", "object");
    }
    schema
}

/// The schema of an object with these properties.
pub(super) fn of_properties(properties: Json) -> Json {
    let mut schema = Object::new();
    schema.insert("type", "object");
    schema.insert("properties", properties);
    Json::Object(schema)
}

/// Whether a value is a schema of an object, and not its properties alone, of which one may be called `type`.
pub(super) fn is_whole(schema: &Json) -> bool {
    schema.get("type").is_some_and(|kind| kind.as_object().is_none()) && schema.get("properties").is_some()
}

/// Whether a value is the properties of an object, without the schema around them.
pub(super) fn are_properties(value: &Json) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty() && is_bare_properties(object))
}

/// Properties that say each for itself whether they are required, as a schema that says it of all: `{"city":{"type":"str","required":true}}`.
pub(super) fn with_required(mut properties: Json) -> Json {
    if !are_properties(&properties) {
        return properties;
    }
    let mut required = Vec::new();
    for (name, property) in properties.as_object_mut().into_iter().flat_map(Object::iter_mut) {
        let said = property
            .as_object_mut()
            .filter(|property| matches!(property.get("required"), Some(Json::Bool(_))));
        if let Some(Json::Bool(true)) = said.and_then(|property| property.remove("required")) {
            required.push(Json::from(name));
        }
    }
    let mut schema = of_properties(properties);
    if let Json::Object(schema) = &mut schema
        && !required.is_empty()
    {
        schema.insert("required", Json::Array(required));
    }
    schema
}

/// Whether an object is the properties themselves, without the schema around them.
fn is_bare_properties(object: &Object) -> bool {
    // A parameter may be called `type`; a schema's type is no object.
    let is_type = |kind: &Json| kind.as_object().is_none();
    !object.get("type").is_some_and(is_type)
        && object.values().all(|value| value.get("type").is_some_and(is_type))
}

/// Whether none of an object's keys is a keyword of a schema: a library's own object, which only its code can read, or properties in words.
fn says_nothing(schema: &Json) -> bool {
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "unevaluatedProperties",
        "minProperties",
        "maxProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "enum",
        "const",
        "items",
        "$ref",
        "$defs",
        "$schema",
        "$id",
        "definitions",
        "title",
        "description",
        "default",
        "strict",
        "nullable",
        "format",
    ];
    let marks = ["_def", "_zod", "~standard"];
    schema.as_object().is_some_and(|object| {
        !object.is_empty()
            && (object.keys().all(|key| !KEYWORDS.contains(&key))
                || marks.iter().any(|key| object.contains_key(key)))
    })
}

/// Makes an object of the entries that a typed file holds instead; a list of schemas stays one.
fn join(member: &mut Json) {
    if let Some(entries) = member.as_array().filter(|entries| !entries.is_empty()).and_then(pairs::object) {
        *member = Json::Object(entries);
    }
}

fn translate(schema: &mut Json, names: TypeNames) {
    let Json::Object(object) = schema else { return };
    // A table gives every schema the keywords of each.
    object.retain(|keyword, value| !value.is_null() || MAY_BE_NULL.contains(&keyword));
    translate_type(object, names);
    for (keyword, holds) in SUBSCHEMAS {
        object.get_mut(keyword).into_iter().for_each(join);
        match (object.get_mut(keyword), holds) {
            // PHP writes an object without members so.
            (Some(none @ Json::Array(_)), Holds::Map) if none.as_array().is_some_and(<[Json]>::is_empty) => {
                *none = Json::Object(Object::new());
            }
            (Some(Json::Array(items)), Holds::SchemaOrList) => items.iter_mut().for_each(|item| {
                join(item);
                translate(item, names);
            }),
            (Some(Json::Object(members)), Holds::Map) => members.iter_mut().for_each(|(_, member)| {
                join(member);
                translate(member, names);
            }),
            (Some(inner), Holds::Schema | Holds::SchemaOrList) => translate(inner, names),
            _ => {}
        }
    }
}

fn translate_type(object: &mut Object, names: TypeNames) {
    let translated = match object.get("type") {
        Some(Json::String(name)) if names == TypeNames::Benchmarks && BENCHMARKS.contains(&name.as_str()) => {
            return;
        }
        Some(Json::String(name)) => standard(name).map(Json::from),
        Some(Json::Array(names)) => {
            let names = names.iter().map(|name| Some(Json::from(standard(name.as_str()?)?)));
            names.collect::<Option<Vec<_>>>().map(Json::Array)
        }
        _ => return,
    };
    let nullable = matches!(object.get("nullable"), Some(Json::Bool(true)));
    if nullable {
        object.remove("nullable");
    }
    match translated {
        Some(Json::String(name)) if nullable => {
            object.insert("type", Json::Array(vec![Json::from(name), Json::from("null")]));
        }
        Some(kind) => object.insert("type", kind),
        None => {
            object.remove("type");
        }
    }
}

/// JSON Schema's name of a type; `None` for `any` and all that says nothing, which allows anything.
fn standard(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    TYPES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(standard, _)| *standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_benchmarks_names_are_kept_where_it_reads_them() {
        let source = r#"{"type":"dict","properties":{"a":{"type":"ArrayList","items":{"type":"float"}},"b":{"type":"STRING"},"c":{"type":"int"}}}"#;
        let kept = r#"{"type":"dict","properties":{"a":{"type":"ArrayList","items":{"type":"float"}},"b":{"type":"string"},"c":{"type":"integer"}}}"#;
        let schema = Json::parse(source).unwrap();
        assert_eq!(parameters(Some(schema), TypeNames::Benchmarks).to_string(), kept);
    }

    #[test]
    fn translates_types_where_schemas_stand_and_nowhere_else() {
        for (source, expected) in [
            (r#"{"type":"dict","properties":{}}"#, r#"{"type":"object","properties":{}}"#),
            (r#"{"a":{"type":"String"}}"#, r#"{"type":"object","properties":{"a":{"type":"string"}}}"#),
            (r#"{}"#, r#"{"type":"object","properties":{}}"#),
            ("null", r#"{"type":"object","additionalProperties":true}"#),
            (
                r#"{"_def":{"typeName":"ZodObject"},"~standard":{}}"#,
                r#"{"type":"object","additionalProperties":true}"#,
            ),
            (r#"{"city":"string","days":"integer"}"#, r#"{"type":"object","additionalProperties":true}"#),
            (r#"{"type":"any"}"#, r#"{"type":"object"}"#),
            (
                r#"{"jsonSchema":{"a":{"type":"str"}}}"#,
                r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
            ),
            (r#"{"properties":{"type":{"type":"int"}}}"#, r#"{"properties":{"type":{"type":"integer"}}}"#),
            (
                r#"{"type":"OBJECT","properties":{"type":{"type":"float","enum":["type"],"default":{"type":"dict"}}}}"#,
                r#"{"type":"object","properties":{"type":{"type":"number","enum":["type"],"default":{"type":"dict"}}}}"#,
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"STRING","nullable":true},"b":{"type":["int","null"]}}}"#,
                r#"{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["integer","null"]}}}"#,
            ),
            (
                r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"tuple","items":{"type":"any"}},{"$ref":"x"}]}}}"#,
                r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{}},{"$ref":"x"}]}}}"#,
            ),
            (
                r#"[["type","dict"],["properties",[["a",[["type","list"],["items",[["type","str"]]]]],["b",[["anyOf",[{"type":"int"},[["type","bool"]]]]]]]]]"#,
                r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"anyOf":[{"type":"integer"},{"type":"boolean"}]}}}"#,
            ),
            (r#"{"type":"object","properties":[]}"#, r#"{"type":"object","properties":{}}"#),
            (
                r#"{"type":"object","required":null,"properties":{"a":{"type":"str","enum":null,"items":null,"default":null},"b":null}}"#,
                r#"{"type":"object","properties":{"a":{"type":"string","default":null},"b":null}}"#,
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"dict","additionalProperties":{"type":"long"}}},"$defs":{"d":{"type":"char"}}}"#,
                r#"{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"integer"}}},"$defs":{"d":{"type":"string"}}}"#,
            ),
        ] {
            assert_eq!(
                parameters(Some(Json::parse(source).unwrap()), TypeNames::JsonSchema).to_string(),
                expected,
                "{source}"
            );
        }
    }
}

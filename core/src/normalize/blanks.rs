//! Null arguments of calls from tables that cannot distinguish null from absent.
//!
//! A struct has the fields of all rows, so a null in it may be one that an agent passed, or padding for a field that only other
//! rows have. The tool's schema decides: if an argument is required and nothing forbids that it is null, it is null. What the schema does
//! not say of an argument, no check of it says either: a call without the argument would be wrong, and one with a null would not.

use super::calls::{ByName, arguments_place, is_schema};
use crate::domain::{Json, Object, ToolDefinition};
use crate::schema::{Effort, Kind, Walk, list, property};

/// `cell` without its blanks, but for null arguments that the agent must have passed. `padded` is the same cell with its blanks.
pub(super) fn told(cell: Json, padded: &Json, tools: &[ToolDefinition]) -> Json {
    calls(cell, padded, &ByName::of(tools))
}

/// Looks for calls in any shape: a tool's name beside arguments, or above them.
fn calls(cell: Json, padded: &Json, tools: &ByName<'_>) -> Json {
    match (cell, padded) {
        (Json::Array(items), Json::Array(padded)) => Json::Array(
            items.into_iter().zip(padded).map(|(item, padded)| calls(item, padded, tools)).collect(),
        ),
        (Json::Object(object), Json::Object(padded)) => {
            let called = arguments_place(&object).and_then(|key| {
                let mut names = object.values().filter_map(Json::as_str);
                Some((key.to_owned(), names.find_map(|name| tools.get(name))?))
            });
            let within = |(key, value, padded): (&str, Option<Json>, &Json)| {
                let value = value?;
                let beside = called.as_ref().filter(|(place, _)| place == key).map(|(_, tool)| *tool);
                let value = match beside.or_else(|| tools.get(key)) {
                    Some(tool) if value.as_object().is_some() && !is_schema(&value) => {
                        let effort = Effort::default();
                        let walk = Walk::new(&tool.parameters, &effort);
                        told_of(walk, value, padded, &[&tool.parameters])
                    }
                    _ => calls(value, padded, tools),
                };
                Some((key.to_owned(), value))
            };
            Json::Object(fields(object, padded).filter_map(within).collect())
        }
        (cell, _) => cell,
    }
}

/// A value that is to fit one of `schemas`.
fn told_of<'a>(walk: Walk<'a, '_>, value: Json, padded: &Json, schemas: &[&'a Json]) -> Json {
    let Some(inner) = walk.step() else { return value };
    let alternatives = || schemas.iter().flat_map(|schema| inner.alternatives(schema));
    match (value, padded) {
        (Json::Array(items), Json::Array(padded)) => {
            let of_items: Vec<&Json> =
                alternatives().flatten().filter_map(|schema| schema.get("items")).collect();
            let item = |(item, padded)| told_of(inner, item, padded, &of_items);
            Json::Array(items.into_iter().zip(padded).map(item).collect())
        }
        (Json::Object(object), Json::Object(padded)) => {
            let says = |schema: &&Json| OF_FIELDS.iter().any(|word| schema.get(word).is_some());
            let mut objects: Vec<Vec<&Json>> =
                alternatives().filter(|schemas| schemas.iter().any(says)).collect();
            if objects.len() > 1 {
                objects.retain(|schemas| fits(inner, &object, padded, schemas));
            }
            let is_asked = |schema: &&Json| DEPENDENT.iter().any(|word| schema.get(word).is_some());
            let present: Vec<String> = match objects.iter().flatten().any(is_asked) {
                true => object.keys().map(str::to_owned).collect(),
                false => Vec::new(),
            };
            let field = |(key, value, padded): (&str, Option<Json>, &Json)| {
                let declared: Vec<&Json> =
                    objects.iter().flatten().filter_map(|schema| property(schema, key)).collect();
                let value = match value {
                    Some(value) => told_of(inner, value, padded, &declared),
                    None => must_be_null(inner, &objects, &present, key).then_some(Json::Null)?,
                };
                Some((key.to_owned(), value))
            };
            Json::Object(fields(object, padded).filter_map(field).collect())
        }
        (value, _) => value,
    }
}

/// What a schema says of fields.
const OF_FIELDS: [&str; 4] = ["properties", "required", "dependentRequired", "dependencies"];
/// Fields that are required where others are.
const DEPENDENT: [&str; 2] = ["dependentRequired", "dependencies"];

/// Whether an object has what these schemas require, or may have had it, and nothing that they do not know.
fn fits<'a>(walk: Walk<'a, '_>, object: &Object, padded: &Object, schemas: &[&'a Json]) -> bool {
    let declared = |key: &str| schemas.iter().find_map(|schema| property(schema, key));
    let may_have_been =
        |key: &str| padded.contains_key(key) && declared(key).is_some_and(|schema| may_be_null(walk, schema));
    object.iter().all(|(key, value)| declared(key).is_some_and(|schema| may_be(schema, value)))
        && schemas
            .iter()
            .flat_map(|schema| required(schema))
            .all(|key| object.contains_key(key) || may_have_been(key))
}

/// Whether all alternatives require the argument `key` beside those that are `present`, and let it be null.
fn must_be_null<'a>(walk: Walk<'a, '_>, objects: &[Vec<&'a Json>], present: &[String], key: &str) -> bool {
    let lets = |schema: &&'a Json| match property(schema, key) {
        Some(own) => may_be_null(walk, own),
        None => match schema.get("additionalProperties") {
            None | Some(Json::Bool(true)) => true,
            Some(others) => schema.get("patternProperties").is_some() || may_be_null(walk, others),
        },
    };
    let must = |schemas: &Vec<&'a Json>| {
        schemas.iter().any(|schema| requires(schema, present, key)) && schemas.iter().all(lets)
    };
    !objects.is_empty() && objects.iter().all(must)
}

/// Whether nothing in a schema forbids that its value is null.
fn may_be_null<'a>(walk: Walk<'a, '_>, schema: &'a Json) -> bool {
    walk.step().and_then(|inner| inner.takes(schema, Kind::Null)) == Some(true)
}

/// The fields of `padded` with their values in `object`, which has some of them in the same order.
fn fields(object: Object, padded: &Object) -> impl Iterator<Item = (&str, Option<Json>, &Json)> {
    let mut present = object.into_iter().peekable();
    padded.iter().map(move |(key, padded)| {
        let value = present.next_if(|(name, _)| name == key).map(|(_, value)| value);
        (key, value, padded)
    })
}

fn required(schema: &Json) -> impl Iterator<Item = &str> {
    list(schema, "required").filter_map(Json::as_str)
}

/// Whether a schema requires the field `key` of an object, of which other fields are `present`.
fn requires(schema: &Json, present: &[String], key: &str) -> bool {
    let names = |names: &Json| {
        names.as_array().is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)))
    };
    let of_another = |word: &&str| {
        let Some(others) = schema.get(word) else { return false };
        present.iter().any(|other| others.get(other).is_some_and(names))
    };
    required(schema).any(|name| name == key) || DEPENDENT.iter().any(of_another)
}

/// Whether a property can have this value, as far as it lists its values.
fn may_be(schema: &Json, value: &Json) -> bool {
    let only = schema.get("const").filter(|only| !only.is_null());
    let listed = schema.get("enum").and_then(Json::as_array);
    only.is_none_or(|only| only == value) && listed.is_none_or(|values| values.contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::{Normalizer, Options};

    /// What becomes of `padded`, whose nulls are all blanks, where `parameters` are those of the tool `f`.
    fn unpadded(parameters: &str, padded: &str) -> String {
        let tools = format!(r#"[{{"name":"f","description":"d","parameters":{parameters}}}]"#);
        let normalizer = Normalizer::new(Options { tools: Some(tools), ..Options::default() }).unwrap();
        normalizer.unpadded(Json::parse(padded).unwrap(), None).to_string()
    }

    #[test]
    fn what_must_be_there_and_may_be_null_is_null() {
        for (unit, is_null) in [
            (r#"{"type":["string","null"]}"#, true),
            (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, true),
            (r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#, true),
            (r#"{"type":"string","nullable":true}"#, true),
            (r#"{"enum":["c","f",null]}"#, true),
            (r##"{"$ref":"#/$defs/unit"}"##, true),
            (r##"{"$ref":"#/$defs/name"}"##, false),
            (r##"{"$ref":"#/$defs/ring"}"##, false),
            (r#"{"type":"string","nullable":false}"#, false),
            (r#"{"type":"string"}"#, false),
            // What says nothing of null does not forbid it.
            (r#"{}"#, true),
            ("true", true),
            ("false", false),
            (r#"{"description":"Anything, or null"}"#, true),
            (r#"{"type":"any"}"#, true),
            (r#"{"const":null}"#, true),
            (r#"{"const":"c"}"#, false),
            (r#"{"enum":["c","f"]}"#, false),
            (r#"{"not":{"type":"string"}}"#, true),
            (r#"{"not":{"type":"null"}}"#, false),
            (r#"{"allOf":[{"description":"d"},{"type":"string"}]}"#, false),
            (r#"{"anyOf":[{"type":"string"},{"description":"d"}]}"#, true),
            (r#"{"$ref":"other.json"}"#, false),
            (r#"{"anyOf":[{"type":"string"},{"type":"integer"}],"nullable":true}"#, true),
            (r##"{"$ref":"#/$defs/name","nullable":true}"##, true),
            (r##"{"allOf":[{"$ref":"#/$defs/name"}],"nullable":true}"##, true),
            (&format!(r#"{{"anyOf":[{}{{"type":"null"}}]}}"#, r#"{"const":"c"},"#.repeat(70)), true),
        ] {
            let schema = |required: &str| {
                format!(
                    r##"{{"type":"object","properties":{{"city":{{"type":"string"}},"unit":{unit}}},"required":{required},
                        "$defs":{{"unit":{{"type":["string","null"]}},"name":{{"type":"string"}},"ring":{{"$ref":"#/$defs/ring"}}}}}}"##
                )
            };
            let call = r#"{"name":"f","arguments":{"city":"Oslo","unit":null,"other":null},"id":null}"#;
            let without = r#"{"name":"f","arguments":{"city":"Oslo"}}"#;
            let with = r#"{"name":"f","arguments":{"city":"Oslo","unit":null}}"#;
            let both = unpadded(&schema(r#"["city","unit"]"#), call);
            assert_eq!(both, if is_null { with } else { without }, "{unit}");
            assert_eq!(unpadded(&schema(r#"["city"]"#), call), without, "{unit}");
            // No row has the field.
            assert_eq!(unpadded(&schema(r#"["city","unit"]"#), without), without, "{unit}");
        }
    }

    #[test]
    fn whatever_requires_it() {
        for (schema, is_null) in [
            (r#"{"properties":{"a":{},"u":{}},"allOf":[{"required":["u"]}]}"#, true),
            (r#"{"properties":{"a":{},"u":{"type":"string"}},"allOf":[{"required":["u"]}]}"#, false),
            (r#"{"properties":{"a":{},"u":{}},"dependentRequired":{"a":["u"]}}"#, true),
            (r#"{"properties":{"a":{},"u":{}},"dependentRequired":{"b":["u"]}}"#, false),
            (r#"{"properties":{"a":{},"u":{}},"dependencies":{"a":["u"]}}"#, true),
            (r#"{"type":"object","required":["u"]}"#, true),
            (r#"{"type":"object","required":["u"],"additionalProperties":{"type":"string"}}"#, false),
        ] {
            let expected = if is_null { r#"{"a":1,"u":null}"# } else { r#"{"a":1}"# };
            let call = |arguments: &str| format!(r#"{{"name":"f","arguments":{arguments}}}"#);
            assert_eq!(unpadded(schema, &call(r#"{"a":1,"u":null}"#)), call(expected), "{schema}");
        }
    }

    #[test]
    fn in_calls_of_any_shape() {
        const UNIT: &str =
            r#"{"type":"object","properties":{"u":{"type":["string","null"]}},"required":["u"]}"#;
        for (padded, expected) in [
            (
                r#"[{"name":"f","args":{"u":null}},{"name":"g","args":{"u":null}}]"#,
                r#"[{"name":"f","args":{"u":null}},{"name":"g","args":{}}]"#,
            ),
            (
                r#"{"type":"function","function":{"name":"f","arguments":{"u":null}},"custom":null}"#,
                r#"{"type":"function","function":{"name":"f","arguments":{"u":null}}}"#,
            ),
            (
                r#"{"functionCall":{"name":"f","args":{"u":null}}}"#,
                r#"{"functionCall":{"name":"f","args":{"u":null}}}"#,
            ),
            (r#"{"tool":"f","tool_input":{"u":null}}"#, r#"{"tool":"f","tool_input":{"u":null}}"#),
            (r#"{"name":"f","Arguments":{"u":null}}"#, r#"{"name":"f","Arguments":{"u":null}}"#),
            (r#"{"f":{"u":null},"g":null}"#, r#"{"f":{"u":null}}"#),
            (
                r#"[{"role":"assistant","tool_calls":[{"name":"f","arguments":{"u":null},"input":null}]},{"role":"tool","u":null}]"#,
                r#"[{"role":"assistant","tool_calls":[{"name":"f","arguments":{"u":null}}]},{"role":"tool"}]"#,
            ),
            (r#"{"name":"f","output":{"u":null}}"#, r#"{"name":"f","output":{}}"#),
            (r#"{"name":"f","arguments":"{\"u\":null}"}"#, r#"{"name":"f","arguments":"{\"u\":null}"}"#),
        ] {
            assert_eq!(unpadded(UNIT, padded), expected);
        }
    }

    #[test]
    fn within_arguments_too() {
        let schema = r##"{"type":"object","properties":{
            "stay":{"anyOf":[{"$ref":"#/$defs/stay"},{"type":"null"}]},
            "guests":{"type":"array","items":{"$ref":"#/$defs/guest"}},
            "pay":{"anyOf":[
                {"type":"object","properties":{"by":{"const":"card"},"number":{"type":"string"}},"required":["by","number"]},
                {"type":"object","properties":{"by":{"const":"cash"},"tip":{"type":["number","null"]}},"required":["by","tip"]}]}},
            "required":["stay","guests"],
            "$defs":{"stay":{"allOf":[{"type":"object","properties":{"to":{"type":["string","null"]}},"required":["to"]}]},
                "guest":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":["integer","null"]}},"required":["name","age"]}}}"##;
        for (padded, expected) in [
            (r#"{"stay":{"to":null}}"#, r#"{"stay":{"to":null}}"#),
            (r#"{"stay":null,"guests":null}"#, r#"{"stay":null}"#),
            (
                r#"{"guests":[{"name":"Ann","age":null},{"name":null,"age":4}]}"#,
                r#"{"guests":[{"name":"Ann","age":null},{"age":4}]}"#,
            ),
            (r#"{"pay":{"by":"cash","number":null,"tip":null}}"#, r#"{"pay":{"by":"cash","tip":null}}"#),
            (r#"{"pay":{"by":"card","number":"1","tip":null}}"#, r#"{"pay":{"by":"card","number":"1"}}"#),
        ] {
            let call = |arguments: &str| format!(r#"{{"name":"f","arguments":{arguments}}}"#);
            assert_eq!(unpadded(schema, &call(padded)), call(expected));
        }
    }

    #[test]
    fn schemas_that_unfold_without_end_are_left() {
        let many = [r##"{"$ref":"#"}"##; 40].join(",");
        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{{"anyOf":[{many}]}}}},"anyOf":[{many}],"required":["a"]}}"#
        );
        let call = r#"{"name":"f","arguments":{"a":{"a":null}}}"#;
        assert_eq!(unpadded(&schema, call), r#"{"name":"f","arguments":{"a":{}}}"#);
    }
}

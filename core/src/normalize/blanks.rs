//! Null arguments of calls from tables that cannot distinguish null from absent.
//!
//! A struct has the fields of all rows, so a null in it may be one that an agent passed, or padding for a field that only other
//! rows have. The tool's schema decides: if an argument is required and may be null, it is null.

use std::cell::Cell;

use super::calls::{ByName, arguments_place, is_schema};
use crate::domain::{Json, Object, ToolDefinition};

/// Values, references and alternatives within each other that are followed.
const MAX_DEPTH: usize = 32;
/// Schemas that are looked at for one call: references could unfold to any number of them.
const MAX_STEPS: usize = 10_000;

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
                        let steps = Cell::new(MAX_STEPS);
                        Walk { root: &tool.parameters, steps: &steps, depth: 0 }.told(
                            value,
                            padded,
                            &[&tool.parameters],
                        )
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

/// A place in the schema of a tool's arguments.
#[derive(Clone, Copy)]
struct Walk<'a, 's> {
    root: &'a Json,
    /// How many steps are left.
    steps: &'s Cell<usize>,
    depth: usize,
}

impl<'a> Walk<'a, '_> {
    /// One step further in; `None` where it has been far enough.
    fn step(self) -> Option<Self> {
        let left = self.steps.get().checked_sub(1)?;
        self.steps.set(left);
        (self.depth < MAX_DEPTH).then_some(Walk { depth: self.depth + 1, ..self })
    }

    /// A value that is to fit one of `schemas`.
    fn told(self, value: Json, padded: &Json, schemas: &[&'a Json]) -> Json {
        let Some(inner) = self.step() else { return value };
        let alternatives = || schemas.iter().flat_map(|schema| inner.alternatives(schema));
        match (value, padded) {
            (Json::Array(items), Json::Array(padded)) => {
                let of_items: Vec<&Json> =
                    alternatives().flatten().filter_map(|schema| schema.get("items")).collect();
                let item = |(item, padded)| inner.told(item, padded, &of_items);
                Json::Array(items.into_iter().zip(padded).map(item).collect())
            }
            (Json::Object(object), Json::Object(padded)) => {
                let mut objects: Vec<Vec<&Json>> = alternatives()
                    .filter(|schemas| schemas.iter().any(|schema| schema.get("properties").is_some()))
                    .collect();
                if objects.len() > 1 {
                    objects.retain(|schemas| inner.fits(&object, padded, schemas));
                }
                let field = |(key, value, padded): (&str, Option<Json>, &Json)| {
                    let declared: Vec<&Json> =
                        objects.iter().flatten().filter_map(|schema| property(schema, key)).collect();
                    let value = match value {
                        Some(value) => inner.told(value, padded, &declared),
                        None => inner.must_be_null(&objects, key).then_some(Json::Null)?,
                    };
                    Some((key.to_owned(), value))
                };
                Json::Object(fields(object, padded).filter_map(field).collect())
            }
            (value, _) => value,
        }
    }

    /// Whether an object has what these schemas require, or may have had it, and nothing that they do not know.
    fn fits(self, object: &Object, padded: &Object, schemas: &[&Json]) -> bool {
        let declared = |key: &str| schemas.iter().find_map(|schema| property(schema, key));
        let may_have_been = |key: &str| {
            padded.contains_key(key) && declared(key).is_some_and(|schema| self.is_nullable(schema))
        };
        object.iter().all(|(key, value)| declared(key).is_some_and(|schema| may_be(schema, value)))
            && schemas
                .iter()
                .flat_map(|schema| required(schema))
                .all(|key| object.contains_key(key) || may_have_been(key))
    }

    /// Whether all alternatives require the argument `key` and let it be null.
    fn must_be_null(self, objects: &[Vec<&Json>], key: &str) -> bool {
        let must = |schemas: &Vec<&Json>| {
            let declared = || schemas.iter().filter_map(|schema| property(schema, key));
            schemas.iter().any(|schema| required(schema).any(|name| name == key))
                && declared().any(|schema| self.is_nullable(schema))
        };
        !objects.is_empty() && objects.iter().all(must)
    }

    /// What a value may be by a schema: for each alternative, the schemas that hold together.
    fn alternatives(self, schema: &'a Json) -> Vec<Vec<&'a Json>> {
        let Some(inner) = self.step() else { return Vec::new() };
        let mut found = vec![vec![schema]];
        for part in inner.referred(schema).into_iter().chain(list(schema, "allOf")) {
            found = joined(&found, &inner.alternatives(part));
        }
        for key in ["anyOf", "oneOf"] {
            let choices: Vec<_> = list(schema, key).flat_map(|choice| inner.alternatives(choice)).collect();
            if !choices.is_empty() {
                found = joined(&found, &choices);
            }
        }
        found
    }

    /// Whether a schema says that its value may be null.
    fn is_nullable(self, schema: &Json) -> bool {
        let Some(inner) = self.step() else { return false };
        let mut types = list(schema, "type").chain(schema.get("type")).filter_map(Json::as_str);
        types.any(|name| name == "null")
            || schema.get("nullable") == Some(&Json::Bool(true))
            || list(schema, "enum").any(Json::is_null)
            || ["anyOf", "oneOf", "allOf"]
                .into_iter()
                .flat_map(|key| list(schema, key))
                .chain(inner.referred(schema))
                .any(|schema| inner.is_nullable(schema))
    }

    /// The schema that another one refers to, in the same tool.
    fn referred(self, schema: &Json) -> Option<&'a Json> {
        match schema.get("$ref")?.as_str()?.strip_prefix('#')? {
            "" => Some(self.root),
            path => self.root.as_object()?.at(path),
        }
    }
}

/// The fields of `padded` with their values in `object`, which has some of them in the same order.
fn fields(object: Object, padded: &Object) -> impl Iterator<Item = (&str, Option<Json>, &Json)> {
    let mut present = object.into_iter().peekable();
    padded.iter().map(move |(key, padded)| {
        let value = present.next_if(|(name, _)| name == key).map(|(_, value)| value);
        (key, value, padded)
    })
}

/// Each of `one` together with each of `other`; none where these are too many.
fn joined<'a>(one: &[Vec<&'a Json>], other: &[Vec<&'a Json>]) -> Vec<Vec<&'a Json>> {
    const MANY: usize = 64;
    if one.len() * other.len() > MANY {
        return Vec::new();
    }
    one.iter().flat_map(|one| other.iter().map(|other| [one.as_slice(), other].concat())).collect()
}

fn list<'a>(schema: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> {
    schema.get(key).and_then(Json::as_array).into_iter().flatten()
}

fn property<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    schema.get("properties")?.get(name)
}

fn required(schema: &Json) -> impl Iterator<Item = &str> {
    list(schema, "required").filter_map(Json::as_str)
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
            (r#"{}"#, false),
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

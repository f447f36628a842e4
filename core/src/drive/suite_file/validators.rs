//! Validators of parameters that no call can meet: they would fail every agent.

use super::mocks::never;
use super::node::Node;
use crate::domain::Json;
use crate::drive::Matching;

/// The JSON types that validators of a kind accept.
const TYPES: [(&str, &[&str]); 3] =
    [("range", &["number", "integer"]), ("regex", &["string"]), ("contains", &["string", "array"])];

/// Why no value is valid; `schema` is that of the tool, where its calls are held to it.
pub(super) fn impossible(name: &str, validator: &Node, schema: Option<&Json>) -> Option<String> {
    const FORBID: &str = "`forbidden_params` says that a parameter must not be there";
    let property = schema.and_then(|schema| schema.get("properties")).and_then(|known| known.get(name));
    let validator = validator.to_json();
    let kind = validator.get("kind").and_then(Json::as_str).unwrap_or_default();
    let number = |key: &str| match validator.get(key) {
        Some(Json::Number(number)) => Some(number.as_f64()),
        _ => None,
    };
    if let Some((min, max)) =
        number("min").zip(number("max")).filter(|(min, max)| kind == "range" && min > max)
    {
        return Some(format!("no number is between {min} and {max}: give the smaller one as `min`"));
    }
    if kind == "in" {
        let values = validator.get("values").and_then(Json::as_array)?;
        if values.is_empty() {
            return Some(format!("`values` is empty, so no value is valid; {FORBID}"));
        }
        let (schema, property) = schema.zip(property)?;
        let mut why = None;
        for value in values {
            // A default says that the parameter may be left out, and a null as much.
            if value.is_null() || property.get("default") == Some(value) {
                return None;
            }
            let one = std::iter::once((name.to_owned(), value.clone())).collect();
            why = Some(never(schema, &one, Matching::Strict)?);
        }
        return why.map(|why| format!("the schema allows none of its values: {why}"));
    }
    if kind == "range"
        && let Some(outside) = property.and_then(|property| outside(property, number("min"), number("max")))
    {
        return Some(format!("no value of `{name}` is valid: {outside}"));
    }
    let wanted = match kind {
        // Null says that the parameter may be left out.
        "type" if validator.get("type").and_then(Json::as_str) == Some("null") => return None,
        "type" => vec![validator.get("type").and_then(Json::as_str)?],
        kind => TYPES.iter().find(|(known, _)| *known == kind)?.1.to_vec(),
    };
    let declared = types(property?)?;
    let meets = |wanted: &str, declared: &str| {
        wanted == declared || matches!((wanted, declared), ("number", "integer") | ("integer", "number"))
    };
    let is_met = wanted.iter().any(|wanted| declared.iter().any(|declared| meets(wanted, declared)));
    (!is_met).then(|| {
        format!(
            "no value of `{name}` is valid: it must be of the type {}, and the schema says {}",
            wanted.first().copied().unwrap_or_default(),
            declared.join(" or ")
        )
    })
}

/// Why a schema allows no number from `min` to `max`.
fn outside(schema: &Json, min: Option<f64>, max: Option<f64>) -> Option<String> {
    let limit = |key: &str| match schema.get(key) {
        Some(Json::Number(number)) => Some(number.as_f64()),
        _ => None,
    };
    let (low, high) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    let is_beyond = |key: &str, limit: f64| match key {
        "minimum" => high < limit,
        "exclusiveMinimum" => high <= limit,
        "maximum" => low > limit,
        _ => low >= limit,
    };
    let bounds = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"];
    if let Some((key, limit)) =
        bounds.iter().filter_map(|key| Some((key, limit(key)?))).find(|(key, limit)| is_beyond(key, *limit))
    {
        return Some(format!("the schema says that its `{key}` is {limit}"));
    }
    let choices = schema.get("enum").and_then(Json::as_array)?;
    let is_within = |choice: &Json| match choice {
        Json::Number(number) => (low..=high).contains(&number.as_f64()),
        _ => false,
    };
    (!choices.iter().any(is_within)).then(|| "none of the schema's `enum` is in the range".to_owned())
}

/// The types that a schema names; `None` where it names none.
pub(super) fn types(schema: &Json) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Json::String(kind) => Some(vec![kind]),
        Json::Array(kinds) => kinds.iter().map(Json::as_str).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::suite_file::json;

    #[test]
    fn what_no_call_can_meet() {
        const SCHEMA: &str = r#"{"properties": {"s": {"type": "string", "default": "x"}, "i": {"type": "integer"},
            "n": {"type": ["number", "null"]}, "e": {"enum": ["a", "b"]}, "m": {"type": "integer", "minimum": 10},
            "x": {"exclusiveMaximum": 5}, "c": {"enum": [1, 2, "a"]}, "l": {"type": "array"}, "any": {}, "d": {"type": "string", "default": null}}}"#;
        let schema = Json::parse(SCHEMA).unwrap();
        for (name, validator, said) in [
            ("i", r#"{"kind": "range", "min": 5, "max": 1}"#, "no number is between 5 and 1"),
            ("any", r#"{"kind": "in", "values": []}"#, "`values` is empty"),
            (
                "s",
                r#"{"kind": "range", "min": 1, "max": 5}"#,
                "must be of the type number, and the schema says string",
            ),
            (
                "i",
                r#"{"kind": "regex", "pattern": "a"}"#,
                "must be of the type string, and the schema says integer",
            ),
            ("n", r#"{"kind": "contains", "text": "a"}"#, "the schema says number or null"),
            ("s", r#"{"kind": "type", "type": "boolean"}"#, "must be of the type boolean"),
            ("i", r#"{"kind": "in", "values": ["1", "2"]}"#, "the schema allows none of its values"),
            ("e", r#"{"kind": "in", "values": ["c", "A"]}"#, "it is not in its `enum`"),
            ("m", r#"{"kind": "range", "min": 1, "max": 5}"#, "the schema says that its `minimum` is 10"),
            ("x", r#"{"kind": "range", "min": 5, "max": 9}"#, "its `exclusiveMaximum` is 5"),
            ("c", r#"{"kind": "range", "min": 3}"#, "none of the schema's `enum` is in the range"),
        ] {
            let node = json::read(validator, 0).unwrap();
            let why = impossible(name, &node, Some(&schema));
            assert!(why.as_ref().is_some_and(|why| why.contains(said)), "{validator}: {why:?}");
        }
        for (name, validator) in [
            ("i", r#"{"kind": "range", "min": 1, "max": 1}"#),
            ("n", r#"{"kind": "range", "min": 1, "max": 5}"#),
            ("any", r#"{"kind": "range", "min": 1, "max": 5}"#),
            ("other", r#"{"kind": "regex", "pattern": "a"}"#),
            ("l", r#"{"kind": "contains", "text": "a"}"#),
            ("i", r#"{"kind": "type", "type": "number"}"#),
            ("n", r#"{"kind": "type", "type": "integer"}"#),
            ("i", r#"{"kind": "in", "values": ["1", 2]}"#),
            ("s", r#"{"kind": "in", "values": ["x"]}"#),
            ("s", r#"{"kind": "in", "values": [null]}"#),
            ("s", r#"{"kind": "type", "type": "null"}"#),
            ("e", r#"{"kind": "in", "values": ["c", "b"]}"#),
            ("m", r#"{"kind": "range", "min": 1, "max": 10}"#),
            ("m", r#"{"kind": "range", "min": 1}"#),
            ("x", r#"{"kind": "range", "min": 4, "max": 9}"#),
            ("c", r#"{"kind": "range", "min": 2, "max": 9}"#),
            ("d", r#"{"kind": "in", "values": [null]}"#),
            ("s", r#"{"kind": "schema", "schema": {"const": 5}}"#),
        ] {
            let node = json::read(validator, 0).unwrap();
            assert_eq!(impossible(name, &node, Some(&schema)), None, "{name} {validator}");
        }
        // Where a tool's calls are not held to its schema, only what no value meets is wrong.
        let node = json::read(r#"{"kind": "regex", "pattern": "a"}"#, 0).unwrap();
        assert_eq!(impossible("i", &node, None), None);
    }
}

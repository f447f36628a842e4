//! Tells BFCL's accepted values from arguments: `{"city": ["Oslo", "Oslo, NO"]}` is a call with the city Oslo, spelled in either way.

use crate::domain::{Json, Object, ToolCall};

/// Types of which a list is a value, or may be one.
const LISTS: [&str; 6] = ["array", "list", "tuple", "set", "any", "null"];

/// Whether an expected call has lists of accepted values where other scorers read arguments: all its values are lists that are not empty,
/// and one of them cannot be an argument, because the tool's schema wants something else there. Where that says nothing of any of them, the
/// calls that were made do: no such call has a list.
pub fn has_accepted_values(expected: &ToolCall, schema: Option<&Json>, called: &[ToolCall]) -> bool {
    let Some(arguments) = expected.parsed().filter(|_| may_be_accepted_values(expected)) else {
        return false;
    };
    let properties = schema.and_then(|schema| schema.get("properties"));
    let declared: Vec<bool> = arguments
        .iter()
        .filter_map(|(name, _)| wants_list(properties.and_then(|known| known.get(name))?))
        .collect();
    if !declared.is_empty() {
        return declared.contains(&false);
    }
    let given = called.iter().filter(|call| call.name == expected.name).filter_map(ToolCall::parsed);
    let mut given = given
        .flat_map(|given| arguments.iter().filter_map(|(name, _)| given.get(name)))
        .filter(|value| !value.is_null())
        .peekable();
    given.peek().is_some() && given.all(|value| value.as_array().is_none())
}

/// Whether some value of an expected call is a list.
pub fn has_lists(expected: &ToolCall) -> bool {
    expected.parsed().is_some_and(|arguments| arguments.iter().any(|(_, value)| value.as_array().is_some()))
}

/// A parameter for which a list is expected although the tool's schema surely wants none there, and no such call has one either: what is
/// meant may be accepted values, but as arguments nothing could be equal to them.
pub fn unfit_list<'e>(expected: &'e ToolCall, schema: Option<&Json>, called: &[ToolCall]) -> Option<&'e str> {
    let properties = schema?.get("properties")?;
    let is_called_with_list = |name: &str| {
        let calls = called.iter().filter(|call| call.name == expected.name).filter_map(ToolCall::parsed);
        calls.filter_map(|arguments| arguments.get(name)).any(|value| value.as_array().is_some())
    };
    let mut lists = expected.parsed()?.iter().filter(|(_, value)| value.as_array().is_some());
    let is_unfit =
        |name: &str| properties.get(name).is_some_and(takes_no_lists) && !is_called_with_list(name);
    lists.find(|(name, _)| is_unfit(name)).map(|(name, _)| name)
}

/// Whether all values of an expected call are lists that are not empty, and there are some.
fn may_be_accepted_values(expected: &ToolCall) -> bool {
    let is_list = |value: &Json| value.as_array().is_some_and(|values| !values.is_empty());
    let has_lists = |arguments: &Object| {
        arguments.iter().next().is_some() && arguments.iter().all(|(_, value)| is_list(value))
    };
    expected.parsed().is_some_and(has_lists)
}

/// Whether a parameter with this schema can be a list; `None` if that cannot be told.
fn wants_list(schema: &Json) -> Option<bool> {
    let is_list = |kind: &Json| {
        kind.as_str().is_none_or(|kind| LISTS.iter().any(|list| kind.eq_ignore_ascii_case(list)))
    };
    match schema.get("type")? {
        Json::Array(kinds) => {
            let kinds: Vec<&Json> = kinds.iter().filter(|kind| kind.as_str() != Some("null")).collect();
            (!kinds.is_empty()).then(|| kinds.into_iter().any(is_list))
        }
        kind => Some(is_list(kind)),
    }
}

/// Whether a value of this schema is surely no list.
pub(super) fn takes_no_lists(schema: &Json) -> bool {
    const OTHERS: &[&str] =
        &["string", "integer", "number", "float", "double", "boolean", "bool", "dict", "object"];
    let is_other =
        |name: &Json| name.as_str().is_some_and(|name| OTHERS.contains(&name.to_lowercase().as_str()));
    match schema.get("type") {
        // Null besides is no list either.
        Some(Json::Array(kinds)) => {
            kinds.iter().any(is_other)
                && kinds.iter().all(|kind| is_other(kind) || kind.as_str() == Some("null"))
        }
        kind => kind.is_some_and(is_other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> ToolCall {
        let Json::Object(arguments) = Json::parse(arguments).unwrap() else { panic!("{arguments}") };
        ToolCall::new("f", arguments)
    }

    #[test]
    fn lists_that_are_no_arguments() {
        const SCHEMA: &str = r#"{"properties": {"city": {"type": "string"}, "days": {"type": ["integer", "null"]}, "tags": {"type": "array"},
            "any": {}, "opt": {"type": "ARRAY"}}}"#;
        let schema = Json::parse(SCHEMA).unwrap();
        for (expected, schema, called, is_accepted) in [
            (r#"{"city": ["Oslo"]}"#, Some(&schema), r#"{"city": "Oslo"}"#, true),
            (r#"{"city": ["Oslo"], "days": [3, ""]}"#, Some(&schema), r#"{"city": "Oslo"}"#, true),
            (r#"{"city": ["Oslo"], "tags": [["a", "b"]]}"#, Some(&schema), r#"{"tags": ["a", "b"]}"#, true),
            (r#"{"city": "Oslo", "days": [3]}"#, Some(&schema), r#"{"city": "Oslo"}"#, false),
            (r#"{"city": []}"#, Some(&schema), r#"{"city": "Oslo"}"#, false),
            ("{}", Some(&schema), r#"{"city": "Oslo"}"#, false),
            // The schema wants a list: the call is wrong, not what is expected.
            (r#"{"tags": ["a"]}"#, Some(&schema), r#"{"tags": "a"}"#, false),
            (r#"{"opt": ["a"]}"#, Some(&schema), r#"{"opt": "a"}"#, false),
            (r#"{"any": ["a"]}"#, Some(&schema), r#"{"any": "a"}"#, true),
            (r#"{"any": ["a"]}"#, Some(&schema), r#"{"any": ["a"]}"#, false),
            (r#"{"city": ["Oslo"], "days": [3]}"#, None, r#"{"city": "Oslo", "days": 3}"#, true),
            (r#"{"city": ["Oslo"], "days": [3]}"#, None, r#"{"city": "Oslo", "days": [3]}"#, false),
            (r#"{"city": ["Oslo"]}"#, None, r#"{"town": "Oslo"}"#, false),
        ] {
            let found = has_accepted_values(&call(expected), schema, &[call(called)]);
            assert_eq!(found, is_accepted, "{expected} {called}");
        }
        let other = ToolCall { name: "g".to_owned(), ..call(r#"{"city": "Oslo"}"#) };
        assert!(!has_accepted_values(&call(r#"{"city": ["Oslo"]}"#), None, &[other]));
    }

    #[test]
    fn lists_that_fit_no_parameter() {
        const SCHEMA: &str = r#"{"properties": {"city": {"type": "string"}, "days": {"type": ["integer", "null"]}, "tags": {"type": "array"},
            "any": {}}}"#;
        let schema = Json::parse(SCHEMA).unwrap();
        for (expected, called, unfit) in [
            (r#"{"city": ["Oslo"], "days": 3}"#, r#"{"city": "Oslo", "days": 3}"#, Some("city")),
            (r#"{"city": "Oslo", "days": []}"#, r#"{"city": "Oslo"}"#, Some("days")),
            (r#"{"city": "Oslo", "tags": ["a"]}"#, r#"{"city": "Oslo", "tags": "a"}"#, None),
            (r#"{"city": "Oslo", "any": ["a"]}"#, r#"{"city": "Oslo", "any": "a"}"#, None),
            // Some agents do what their definitions forbid, and are told so by others.
            (r#"{"city": ["Oslo"], "days": 3}"#, r#"{"city": ["Rome"], "days": 3}"#, None),
            (r#"{"unknown": ["a"]}"#, "{}", None),
        ] {
            let (expected, called) = (call(expected), [call(called)]);
            assert_eq!(unfit_list(&expected, Some(&schema), &called), unfit, "{expected:?}");
            assert_eq!(unfit_list(&expected, None, &called), None);
        }
    }
}

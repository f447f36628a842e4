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

/// Whether all values of an expected call are lists that are not empty, and there are some.
pub fn may_be_accepted_values(expected: &ToolCall) -> bool {
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
}

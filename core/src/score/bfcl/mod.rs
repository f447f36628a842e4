//! The Berkeley function-calling benchmark's check of calls against accepted values (`bfcl_ast`).
//!
//! A record has the definitions (`functions`), the decoded calls (`call`: `[{name: {parameter: value}}]`, null where
//! decoding failed), the expectations (`possible_answer`: `[{name: {parameter: [accepted, ..]}}]`, in which `""` says that
//! the parameter may be left out) and the `category`, which says how calls are assigned and in which language they are. In
//! calls `{"__tuple__": [..]}` is a tuple of Python and `{"__dict__": [[key, value], ..]}` a dict with any keys. [`join`]
//! makes such records of the benchmark's own files.
//!
//! The score is 1 for a valid case, else 0; a category's [`accuracy`] is its share of valid cases. `metadata` has `valid`,
//! `error_type` and `errors`, the last one in our own words.
//!
//! With `--compat bfcl`, `valid` and `error_type` are those of the checker in `bfcl_eval` 2026.3.23 (fourth version of the
//! benchmark). Where that one would crash, the case is invalid with `exception:TYPE`. Accepted values that are no list but a
//! text or an object are outside of what was compared with it.
//!
//! | rule | what counts |
//! |---|---|
//! | simple | one call, of the first definition |
//! | multiple | as many calls as expected (the first one counts), of the definition named by the expectation |
//! | parallel | as many calls as expected, in any order, each expectation with a call of its own |
//! | (ir)relevance | any call at all, or none |
//! | names | the definition's; with `underscore_to_dot` as `a_b` for `a.b` |
//! | parameters | all required ones, no unexpected ones, none left out unless `""` is accepted |
//! | types | exactly the declared one; an integer counts as a float; the type of the accepted values is an alternative |
//! | Java, JavaScript | arguments are source code, which is first read as the declared type |
//! | strings | some accepted one but for spaces, `,./-_*^`, letter case and the kind of quote |
//! | lists | some accepted one whole, strings at its top compared as above; `""` stands for the empty list |
//! | dicts | every key known and its value among the accepted ones, no key left out unless `""` is accepted for it |
//! | lists of dicts | some accepted list of the same length, pairwise in order |
//! | all else | equal to some accepted value |
//!
//! Without it, what hurts is otherwise:
//!
//! | case | theirs | ours | why |
//! |---|---|---|---|
//! | calls 1 and 2 where \[1, 2\] and then \[1\] is accepted | 0 | 1 | the largest matching: an early expectation does not take the call that a later one needs |
//! | `{"a": true}` where 1 is accepted | 1 | 0 | a boolean is not a number, in lists and dicts as well |
//! | `true` for a boolean where 1 is accepted | 1 | 0 | the same |
//! | `[true]` where `[1]` or leaving out is accepted | 1 | 0 | "may be left out" does not switch off the check of elements' types |
//! | `[1.0]` for a list of integers, the same | 1 | 0 | the same |
//! | `[1, 2.5]` for a list of floats where `[1.0, 2.5]` is accepted | 0 | 1 | an integer counts as a float in a list as well |
//! | `["s"]` for a list of dicts that may be left out | crash | 0 | types of elements are checked first |
//! | a type like `number` or `object` | crash | 1 | names of JSON Schema are known; for an unknown type, only the accepted values count |
//! | a list without `items` | crash | 1 | the same |
//! | a Java `Queue`, `Stack`, `Set` or `Hashtable` | crash | 1 | stays source code |
//! | an integer beyond 1e308 for a float | crash | 0 | compared as it is |
//! | `5n` and a line break for a `Bigint` where 5 is accepted | crash | 1 | the letter is cut off, not the line break |
//! | a dict where a text is accepted besides another dict | crash | 0 | the text is skipped |
//! | 5 where 5 is accepted, not `[5]` | crash | 1 | a value that is not a list is the only accepted one |
//! | `{"a": "xy"}` where `{"a": "xy"}` is accepted, not `{"a": ["xy"]}` | 0 | 1 | the same; theirs takes the letters as values |
//! | `{}` where `{"a": "xy"}` is accepted | 1 | 0 | the same |
//! | `["a", "b"]` where `"ab"` is accepted besides a list | 1 | 0 | a text is not a list |
//! | null for arguments | crash | 1 | no arguments |
//! | a definition without `required` or `properties` | crash | 1 | nothing is required; what is accepted is known |
//! | an expectation without a definition | crash | 0 | a wrong name |
//! | an expectation, and no definition at all | crash | an error | no call could be right; that is not the agent's fault |
//! | one call, none expected | crash | 0 | a wrong count |
//!
//! What stays strict in both: `5.0` is no integer, a tuple no list, and order counts in lists.

mod accepted;
mod answer;
mod call;
mod case;
mod category;
mod dict;
mod equality;
mod failure;
mod java;
mod javascript;
mod join;
mod literal;
mod number;
mod options;
mod rules;
mod standard;
mod types;
mod value;
mod values;
mod verdict;

use accepted::takes_no_lists;
pub use accepted::{has_accepted_values, has_lists, unfit_list};
pub(crate) use case::{Calls, Case};
pub use category::of_file;
pub(crate) use category::{Assignment, Language};
pub use join::{Accuracy, accuracy, join};
pub use options::OptionError;
pub(crate) use options::Options;
pub(crate) use rules::Rules;
pub(crate) use value::Value;
pub(crate) use verdict::judge;

use crate::domain::{Arguments, Json, Object, ToolCall};
use crate::score::{Score, ScoreError, Scored, Scorer, SettingError};

/// The line in the table of scorers.
pub const SCORER: Scorer = Scorer {
    name: "bfcl_ast",
    peers: &["bfcl"],
    expects: true,
    across_turns: false,
    defines: true,
    inquiry: None,
    matches,
    case,
    ready,
};

fn matches(record: &Object) -> bool {
    ["functions", "call", "possible_answer", "category"].iter().all(|key| record.contains_key(key))
}

/// The expected calls' arguments are the only accepted ones; a row's own `category` counts, else how many calls are expected.
fn case(called: &[ToolCall], expected: &[ToolCall], row: &Object) -> Object {
    let by_name = |call: &ToolCall, arguments: Json| {
        Json::Object([(call.name.clone(), arguments)].into_iter().collect())
    };
    let made = |call: &ToolCall| match &call.arguments {
        Arguments::Parsed(arguments) => by_name(call, Json::Object(arguments.clone())),
        Arguments::Malformed(text) => by_name(call, Json::from(text.as_str())),
    };
    let accepted = |call: &ToolCall| {
        let arguments = call.parsed().into_iter().flat_map(Object::iter);
        let only = arguments.map(|(key, value)| (key.to_owned(), Json::Array(vec![value.clone()])));
        by_name(call, Json::Object(only.collect()))
    };
    let category = match expected.len() {
        0 => "irrelevance",
        1 => "multiple",
        _ => "parallel_multiple",
    };
    let own = row.get("category").filter(|own| own.as_str().is_some_and(category::is_known));
    let category = own.cloned().unwrap_or_else(|| Json::from(category));
    let functions = row.get("tool_definitions").cloned();
    let literal = || {
        let written = |call: &ToolCall| match are_accepted(call, functions.as_ref()) {
            true => made(call),
            false => accepted(call),
        };
        expected.iter().map(written).collect()
    };
    let possible = nested(row, functions.as_ref()).unwrap_or_else(|| Json::Array(literal()));
    super::own_case(
        row,
        [
            ("category", category),
            ("functions", functions.unwrap_or_else(|| Json::Array(Vec::new()))),
            ("call", Json::Array(called.iter().map(made).collect())),
            ("possible_answer", possible),
        ],
    )
}

/// The expected calls of `row` where they are surely written as the benchmark writes them, with a list of accepted values for each
/// parameter: those parameters take no lists, or lists of such values, and the values fit that. In doubt they are what they say.
fn nested(row: &Object, functions: Option<&Json>) -> Option<Json> {
    let expected = match row.get("expected_tool_calls")? {
        Json::String(text) => Json::parse(text).ok()?,
        expected => expected.clone(),
    };
    let is_nested = |call: &Json| {
        let (tool, parameters) = call.as_object().filter(|call| call.len() == 1)?.iter().next()?;
        let schema = schema_of(tool, functions);
        Some(parameters.as_object()?.iter().all(|(name, values)| is_accepted(schema, name, values)))
    };
    let calls = expected.as_array()?;
    calls.iter().all(|call| is_nested(call) == Some(true)).then_some(expected)
}

/// The schema of a tool's parameters.
fn schema_of<'f>(tool: &str, functions: Option<&'f Json>) -> Option<&'f Json> {
    let is_named = |known: &&Json| known.get("name").and_then(Json::as_str) == Some(tool);
    functions?.as_array()?.iter().find(is_named)?.get("parameters")
}

/// Whether an expected call surely has a list of accepted values for each of its parameters, whatever the form in which it is written.
fn are_accepted(expected: &ToolCall, functions: Option<&Json>) -> bool {
    let schema = schema_of(&expected.name, functions);
    expected.parsed().is_some_and(|values| {
        !values.is_empty() && values.iter().all(|(name, values)| is_accepted(schema, name, values))
    })
}

/// Whether an expected call has a list where its definition wants none, and it cannot be told what its other values are: arguments, or
/// lists of accepted ones. No call could be right.
pub fn is_in_doubt(expected: &ToolCall, functions: Option<&Json>, called: &[ToolCall]) -> bool {
    let schema = schema_of(&expected.name, functions);
    let has_lists =
        || has_accepted_values(expected, schema, called) || unfit_list(expected, schema, called).is_some();
    has_lists() && !are_accepted(expected, functions)
}

/// Whether these are surely accepted values of a parameter: it takes no lists, or lists of such values.
fn is_accepted(schema: Option<&Json>, parameter: &str, values: &Json) -> bool {
    let known = |schema: Option<&Json>| {
        let values = values.as_array().filter(|values| !values.is_empty())?;
        let schema = schema?.get("properties")?.get(parameter)?;
        let is_value = |value: &Json| matches!(value, Json::Array(_)) || value.as_str() == Some("");
        Some(match schema.get("type")?.as_str() {
            Some("array" | "list" | "tuple") => {
                takes_no_lists(schema.get("items")?)
                    && values.iter().all(is_value)
                    && values.iter().any(|value| value.as_array().is_some())
            }
            _ => takes_no_lists(schema),
        })
    };
    known(schema) == Some(true)
}

fn ready(settings: &Object, peer: Option<&str>) -> Result<Box<dyn Score>, SettingError> {
    let rules = match peer {
        None => Rules::Own,
        Some("bfcl") => Rules::Peer,
        Some(other) => return Err(OptionError::Peer(other.to_owned()).into()),
    };
    Ok(Box::new(Checker { options: Options::read(settings)?, rules }))
}

struct Checker {
    options: Options,
    rules: Rules,
}

impl Score for Checker {
    fn compares(&self, _: Option<&Object>) -> String {
        "names of tools, and arguments with the accepted values".to_owned()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let case = Case::read(record, &self.options)?;
        let category = record.get("category").and_then(Json::as_str);
        if let Some(unknown) =
            category.filter(|category| self.rules == Rules::Own && !category::is_known(category))
        {
            return Err(ScoreError::invalid(format!(
                "`category` is {unknown:?}, which the benchmark does not have: it should be like simple, live_multiple, parallel, \
                 irrelevance, java"
            )));
        }
        let is_text = record.get("call").is_some_and(|call| call.as_str().is_some());
        if self.rules == Rules::Own && is_text && !case.compares() {
            return Err(ScoreError::invalid(
                "`call` is a text, and no list of decoded calls like [{\"f\": {\"x\": 1}}]: whether anything was called cannot be \
                 told; null says that nothing could be decoded",
            ));
        }
        if self.rules == Rules::Own && case.lacks_functions() {
            return Err(ScoreError::invalid(
                "no definitions: no call could be right; list the tools that the agent had in `functions`, in a table in the column \
                 `tool_definitions` or in the one that `--column tool_definitions=NAME` names; `--scorer tool_call` needs none",
            ));
        }
        Ok(judge(&case, self.rules).scored())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_values_are_read_as_the_benchmark_writes_them() {
        let functions = r#"[{"name":"f","parameters":{"properties":{"city":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
            "grid":{"type":"array","items":{"type":"array"}},"any":{"type":["array","null"]},"days":{"type":["integer","null"]},"java":{"type":"ArrayList"}}}}]"#;
        for (expected, is_nested) in [
            (r#"[{"f":{"city":["Oslo","Bergen"],"tags":[["a"],""]}}]"#, true),
            (r#""[{\"f\":{\"city\":[\"Oslo\"]}}]""#, true),
            (r#"[{"f":{"days":[3,""]}}]"#, true),
            // A list is the one value that is accepted.
            (r#"[{"f":{"tags":["a"]}}]"#, false),
            (r#"[{"f":{"city":["Oslo"],"tags":["a"]}}]"#, false),
            (r#"[{"f":{"city":"Oslo"}}]"#, false),
            (r#"[{"f":{"tags":[""]}}]"#, false),
            // In doubt it is what it says.
            (r#"[{"f":{"grid":[[1,2],[3,4]]}}]"#, false),
            (r#"[{"f":{"any":["a","b"]}}]"#, false),
            (r#"[{"f":{"java":["a","b"]}}]"#, false),
            (r#"[{"f":{"unknown":["a"]}}]"#, false),
            (r#"[{"name":"f","arguments":{"city":["Oslo"]}}]"#, false),
        ] {
            let row = Json::parse(&format!(r#"{{"expected_tool_calls":{expected}}}"#)).unwrap();
            let found = nested(row.as_object().unwrap(), Json::parse(functions).ok().as_ref());
            assert_eq!(found.is_some(), is_nested, "{expected}");
        }
    }

    /// The expected arguments, whether the call that fits is right, and whether it cannot be told.
    #[test]
    fn accepted_values_may_be_written_as_arguments() {
        let functions = r#"[{"name":"f","parameters":{"properties":{"city":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}}}}]"#;
        let functions = Json::parse(functions).unwrap();
        let call = |arguments: &str| {
            ToolCall::new("f", Json::parse(arguments).unwrap().as_object().unwrap().clone())
        };
        let row: Object = [("tool_definitions".to_owned(), functions.clone())].into_iter().collect();
        for (expected, called, is_right, is_doubtful) in [
            (r#"{"city":["Oslo","Oslo, NO"]}"#, r#"{"city":"Oslo"}"#, true, false),
            (r#"{"city":["Oslo","Oslo, NO"]}"#, r#"{"city":"Rome"}"#, false, false),
            (r#"{"city":["Oslo"],"tags":[["a"],["b"]]}"#, r#"{"city":"Oslo","tags":["b"]}"#, true, false),
            (r#"{"city":"Oslo","tags":["a"]}"#, r#"{"city":"Oslo","tags":["a"]}"#, true, false),
            (r#"{"tags":["a","b"]}"#, r#"{"tags":["a","b"]}"#, true, false),
            (r#"{"city":["Oslo"],"tags":["a","b"]}"#, r#"{"city":"Oslo","tags":["a","b"]}"#, false, true),
        ] {
            let (expected, called) = ([call(expected)], [call(called)]);
            assert_eq!(is_in_doubt(&expected[0], Some(&functions), &called), is_doubtful, "{expected:?}");
            let case = case(&called, &expected, &row);
            let scored = ready(&Object::new(), None).unwrap().score(&case).unwrap();
            assert_eq!(scored.passed, Some(is_right), "{expected:?}");
        }
    }
}

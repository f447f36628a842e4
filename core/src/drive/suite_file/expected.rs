//! The expectations of a case for the scorer `tool_evaluator`, checked before a request is paid for.

use super::mocks::never;
use super::node::{Node, Read, Value, shown};
use super::table::Table;
use super::tools::undefined;
use super::validators::impossible;
use crate::domain::{Json, Object, ToolDefinition};
use crate::drive::Matching;
use crate::schema::undeclared;
use crate::score::SCORERS;

const CALL_KEYS: &[&str] =
    &["tool_name", "required_params", "forbidden_params", "optional_params", "param_validators"];

/// Kinds of validators with their keys.
const VALIDATORS: [(&str, &[&str]); 7] = [
    ("range", &["kind", "min", "max"]),
    ("in", &["kind", "values"]),
    ("type", &["kind", "type"]),
    ("regex", &["kind", "pattern"]),
    ("schema", &["kind", "schema"]),
    ("contains", &["kind", "text"]),
    ("function", &["kind", "name"]),
];

/// The items of a table's `expected_tool_calls`, each checked by itself.
/// `validates` says whether the tools refuse what their schemas do not allow.
pub(super) fn calls<'a>(table: &Table<'a>, tools: &[ToolDefinition], validates: bool) -> Read<Vec<&'a Node>> {
    let items = table.list("expected_tool_calls")?.unwrap_or_default();
    for (number, item) in items.iter().enumerate() {
        let who = format!("{}, expected call {}", table.who(), number + 1);
        let call = Table::of(item, who, CALL_KEYS)?;
        let name = call.text("tool_name")?;
        let name =
            name.ok_or_else(|| call.fault(call.at(), "`tool_name` is missing: the name of the tool"))?;
        defined(&call, call.place("tool_name"), "tool_name", name, tools)?;
        for member in call.table("param_validators")?.map(Node::members).unwrap_or_default() {
            let who = format!("{}, validator of `{}`", call.who(), member.key);
            let kind = member.value.get("kind").and_then(|kind| kind.value.text());
            match VALIDATORS.iter().find(|(name, _)| Some(*name) == kind) {
                Some((_, keys)) => drop(Table::of(&member.value, who, keys)?),
                None => {
                    let names: Vec<&str> = VALIDATORS.iter().map(|(name, _)| *name).collect();
                    let why = format!(
                        "`kind` must be one of {}, but the validator is {}",
                        names.join(", "),
                        shown(&member.value)
                    );
                    return Err(call.fault(member.at, format!("validator of `{}`: {why}", member.key)));
                }
            }
        }
        scorable(&call, item)?;
        let tool = tools.iter().find(|tool| validates && tool.name == name);
        for key in ["required_params", "param_validators"] {
            for member in call.table(key)?.filter(|_| tool.is_some()).map(Node::members).unwrap_or_default() {
                if let Some(why) = tool.and_then(|tool| undeclared(&tool.parameters, &member.key)) {
                    return Err(call.fault(member.at, format!("`{key}`: {why}")));
                }
            }
        }
        // A name that no call has forbids nothing and allows nothing, while the one that was meant is unguarded.
        for key in ["forbidden_params", "optional_params"] {
            for (param, at) in call.texts(key)?.unwrap_or_default() {
                if let Some(why) = tool.and_then(|tool| undeclared(&tool.parameters, param)) {
                    return Err(call.fault(at, format!("`{key}`: {why}")));
                }
            }
        }
        let wanted = call.table("required_params")?.map(Node::members).unwrap_or_default();
        for (param, at) in call.texts("forbidden_params")?.unwrap_or_default() {
            let demands = match wanted.iter().any(|member| member.key == param) {
                true => Some("`required_params` asks for it"),
                false => tool.filter(|tool| requires(tool, param)).map(|_| "the tool's schema requires it"),
            };
            if let Some(demands) = demands {
                return Err(call
                    .fault(at, format!("`forbidden_params`: no call can be without `{param}`: {demands}")));
            }
        }
        for member in call.table("param_validators")?.map(Node::members).unwrap_or_default() {
            if let Some(why) = impossible(&member.key, &member.value, tool.map(|tool| &tool.parameters)) {
                return Err(call.fault(member.at, format!("validator of `{}`: {why}", member.key)));
            }
        }
        if let Some(tool) = tool
            && let Some(params) = item.to_json().get("required_params").and_then(Json::as_object)
        {
            let demanded = params.iter().filter(|(_, value)| !value.is_null());
            let demanded = demanded.map(|(name, value)| (name.to_owned(), value.clone())).collect();
            if let Some(why) = never(&tool.parameters, &demanded, Matching::Strict) {
                return Err(
                    call.fault(call.place("required_params"), format!("no call can have them: {why}"))
                );
            }
        }
    }
    Ok(items.iter().collect())
}

/// Whether a tool takes no call without a parameter.
fn requires(tool: &ToolDefinition, param: &str) -> bool {
    let required = tool.parameters.get("required").and_then(Json::as_array).unwrap_or_default();
    required.iter().any(|name| name.as_str() == Some(param))
}

/// An error if the scorer cannot read an expected call, at the value that it names.
fn scorable(call: &Table, item: &Node) -> Read<()> {
    const PATH: &str = "test.expected_tool_calls[0]";
    let test: Object =
        [("expected_tool_calls".to_owned(), Json::Array(vec![item.to_json()]))].into_iter().collect();
    let Err(error) = score(&test) else { return Ok(()) };
    let path = error.strip_prefix('`').and_then(|rest| rest.split_once('`')).map_or("", |(path, _)| path);
    let at = item.place_of(path.strip_prefix(PATH).unwrap_or_default());
    Err(call.fault(at, error.replace(&format!("{PATH}."), "")))
}

/// What the scorer says of a case that calls nothing.
fn score(test: &Object) -> Result<(), String> {
    let Some(scorer) = SCORERS.iter().find(|scorer| scorer.name == "tool_evaluator") else { return Ok(()) };
    let record: Object = [("test".to_owned(), Json::Object(test.clone()))].into_iter().collect();
    let ready = (scorer.ready)(&Object::new(), None).map_err(|error| error.to_string())?;
    ready.score(&record).map(drop).map_err(|error| error.message)
}

/// The bans of a table: `forbidden_tools`.
pub(super) fn forbidden_tools<'a>(table: &Table<'a>, tools: &[ToolDefinition]) -> Read<Option<Vec<&'a str>>> {
    let Some(names) = table.texts("forbidden_tools")? else { return Ok(None) };
    for (name, at) in &names {
        defined(table, *at, "forbidden_tools", name, tools)?;
    }
    Ok(Some(names.into_iter().map(|(name, _)| name).collect()))
}

/// The calls of a table that must not be made: `not_calls`.
pub(super) fn not_calls<'a>(table: &Table<'a>, tools: &[ToolDefinition]) -> Read<&'a [Node]> {
    let items = table.list("not_calls")?.unwrap_or_default();
    for (number, item) in items.iter().enumerate() {
        let call = Table::of(
            item,
            format!("{}, call {} of `not_calls`", table.who(), number + 1),
            &["tool_name", "params"],
        )?;
        let name = call.text("tool_name")?;
        let name =
            name.ok_or_else(|| call.fault(call.at(), "`tool_name` is missing: the name of the tool"))?;
        defined(&call, call.place("tool_name"), "tool_name", name, tools)?;
        call.table("params")?;
    }
    Ok(items)
}

fn defined(table: &Table, at: usize, key: &str, name: &str, tools: &[ToolDefinition]) -> Read<()> {
    match tools.iter().any(|tool| tool.name == name) {
        true => Ok(()),
        false => Err(undefined(table, at, key, name, tools)),
    }
}

/// The keywords of a table, in order, none of them blank.
pub(super) fn keywords<'a>(table: &Table<'a>) -> Read<Vec<&'a str>> {
    let keywords = table.texts("expected_output_contains")?.unwrap_or_default();
    match keywords.iter().find(|(keyword, _)| keyword.trim().is_empty()) {
        Some((_, at)) => {
            Err(table.fault(*at, "`expected_output_contains`: a blank keyword is in every answer"))
        }
        None => Ok(keywords.into_iter().map(|(keyword, _)| keyword).collect()),
    }
}

/// The name of an expected call's tool.
pub(super) fn tool_name(call: &Node) -> &str {
    match call.get("tool_name").map(|member| &member.value.value) {
        Some(Value::Text(name)) => name,
        _ => "",
    }
}

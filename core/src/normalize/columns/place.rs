//! Values without their own column: at a path in a column (`req.prompt`), or a call in two columns (`tool_name+tool_args`).

use crate::domain::{Json, Object};
use crate::normalize::ending::structure;

/// Columns of the names of called tools, and of what they were called with; what a team calls them.
const NAMES: &[&str] =
    &["tool_name", "toolName", "function_name", "functionName", "called_tool", "tool_called"];
const ARGUMENTS: &[&str] = &[
    "tool_args",
    "toolArgs",
    "tool_arguments",
    "toolArguments",
    "tool_input",
    "toolInput",
    "tool_params",
    "tool_parameters",
    "function_args",
    "functionArgs",
    "function_arguments",
    "functionArguments",
    "arguments",
    "args",
];

/// Whether a column of this name may hold the names of called tools alone.
pub(super) fn is_name(column: &str) -> bool {
    NAMES.contains(&column)
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place<'a> {
    /// In a column, or in its structure: the keys that lead to it, or numbers in lists.
    Column(&'a str, Vec<&'a str>),
    /// A call: its tool's name, and its arguments.
    Call(Box<Place<'a>>, Box<Place<'a>>),
}

impl<'a> Place<'a> {
    /// The place that users write so, in a table that has columns of some names.
    pub fn of(written: &'a str, has: &impl Fn(&str) -> bool) -> Option<Place<'a>> {
        if has(written) {
            return Some(Place::Column(written, Vec::new()));
        }
        let two = written.split_once('+').and_then(|(name, arguments)| {
            let [name, arguments] = [name, arguments].map(|written| Place::of(written.trim(), has));
            Some(Place::Call(Box::new(name?), Box::new(arguments?)))
        });
        two.or_else(|| {
            let dots = written.match_indices('.').map(|(at, _)| at);
            let at = dots.rev().find(|at| has(&written[..*at]))?;
            let steps = written[at + 1..].split('.').collect();
            Some(Place::Column(&written[..at], steps))
        })
    }

    /// The place of calls, if a table has one column of their names and one of their arguments.
    pub(super) fn of_calls(has: &impl Fn(&str) -> bool) -> Option<String> {
        let name = NAMES.iter().find(|name| has(name))?;
        let arguments = ARGUMENTS.iter().find(|name| has(name))?;
        Some(format!("{name}+{arguments}"))
    }

    /// The call of a message that has its name and its arguments under keys of its own; `Err` with the name, if it has no arguments.
    pub(in crate::normalize) fn call_of(message: &Object) -> Option<Result<Json, String>> {
        let said =
            |key: &str| message.get(key).filter(|value| !value.is_null() && value.as_str() != Some(""));
        let arguments = ARGUMENTS.iter().find_map(|key| said(key));
        let name = NAMES.iter().find_map(|key| said(key));
        // What is called `name` may be the speaker's.
        let name = name.or_else(|| said("name").filter(|_| arguments.is_some()))?.as_str()?.to_owned();
        Some(arguments.cloned().map_or(Err(name.clone()), |arguments| {
            let mut call = Object::new();
            call.insert("name", name);
            call.insert("arguments", arguments);
            Ok(Json::Object(call))
        }))
    }

    /// The columns that it takes.
    pub fn columns(&self) -> Vec<&'a str> {
        match self {
            Place::Column(column, _) => vec![column],
            Place::Call(name, arguments) => [name.columns(), arguments.columns()].concat(),
        }
    }

    /// The values there, row by row, given those of the columns.
    ///
    /// # Errors
    /// If a column cannot be read.
    pub fn values<E>(
        &self,
        column: &impl Fn(&str) -> Result<Vec<Option<Json>>, E>,
    ) -> Result<Vec<Option<Json>>, E> {
        match self {
            Place::Column(name, steps) => {
                let cells = column(name)?.into_iter();
                Ok(cells
                    .map(|cell| steps.iter().try_fold(cell?, |value, step| within(value, step)))
                    .collect())
            }
            Place::Call(name, arguments) => {
                let (names, arguments) = (name.values(column)?, arguments.values(column)?);
                Ok(names.into_iter().zip(arguments).map(|(name, arguments)| call(name, arguments)).collect())
            }
        }
    }
}

/// What stands under a key, or at a place in a list; the structure may be a text.
fn within(value: Json, step: &str) -> Option<Json> {
    let value = match value {
        Json::String(text) => Json::parse(&text).ok()?,
        value => value,
    };
    match value {
        Json::Object(mut object) => object.remove(step),
        Json::Array(mut items) => {
            let at = step.parse::<usize>().ok().filter(|at| *at < items.len())?;
            Some(items.swap_remove(at))
        }
        _ => None,
    }
}

/// A call out of a cell with its name and one with its arguments; without a name and arguments, nothing was called. Several names in a
/// list have as many arguments.
fn call(name: Option<Json>, arguments: Option<Json>) -> Option<Json> {
    const NOTHING: &[&str] = &["", "none", "null", "nan", "n/a", "[]"];
    let is_nothing = |cell: &Json| match cell {
        Json::Null => true,
        Json::String(text) => NOTHING.iter().any(|word| text.trim().eq_ignore_ascii_case(word)),
        Json::Array(items) => items.is_empty(),
        _ => false,
    };
    // Tables of text have lists as texts, and nothing as an empty one.
    let unfolded = |cell: Json| match &cell {
        Json::String(text) if text.trim_start().starts_with('[') => structure(text).unwrap_or(cell),
        _ => cell,
    };
    let is_empty = |cell: &Json| cell.is_null() || cell.as_str().is_some_and(|text| text.trim().is_empty());
    let (name, arguments) = (name.map(unfolded), arguments.filter(|cell| !is_empty(cell)).map(unfolded));
    let (name, arguments) = match (name, arguments) {
        // One name beside a list of one.
        (Some(Json::String(name)), Some(Json::Array(mut all))) if all.len() == 1 => {
            (Some(Json::String(name)), all.pop())
        }
        both => both,
    };
    match name.filter(|name| !is_nothing(name)) {
        None if arguments
            .as_ref()
            .is_none_or(|cell| is_nothing(cell) || cell.to_string().trim_matches('"') == "{}") =>
        {
            Some(Json::Null)
        }
        Some(Json::Array(names)) => {
            let Some(Json::Array(arguments)) =
                arguments.filter(|all| all.as_array().is_some_and(|all| all.len() == names.len()))
            else {
                return Some(Json::Array(names.into_iter().map(|name| one(Some(name), None)).collect()));
            };
            let calls = names.into_iter().zip(arguments);
            Some(Json::Array(calls.map(|(name, arguments)| one(Some(name), Some(arguments))).collect()))
        }
        name => Some(one(name, arguments)),
    }
}

fn one(name: Option<Json>, arguments: Option<Json>) -> Json {
    let parts = [("name", name), ("arguments", arguments)];
    Json::Object(
        parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect::<Object>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_may_be_texts_and_nothing_is_no_arguments() {
        let text = |text: &str| Some(Json::from(text));
        let calls =
            |name: &str, arguments: &str| call(text(name), text(arguments)).unwrap_or(Json::Null).to_string();
        for (name, arguments, made) in [
            (
                r#"["f","g"]"#,
                r#"[{"a":1},{"a":2}]"#,
                r#"[{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{"a":2}}]"#,
            ),
            ("['f']", "[{'a': 1}]", r#"[{"name":"f","arguments":{"a":1}}]"#),
            ("f", r#"[{"a":1}]"#, r#"{"name":"f","arguments":{"a":1}}"#),
            ("f", "", r#"{"name":"f"}"#),
            ("", "", "null"),
        ] {
            assert_eq!(calls(name, arguments), made, "{name} {arguments}");
        }
    }

    #[test]
    fn places_are_columns_paths_and_pairs() {
        let row = Json::parse(
            r#"{"req":{"prompt":"Oslo?","tools":[{"name":"f"}]},"res":"{\"calls\":[{\"fn\":\"f\"}]}","a.b":1,"tool":"f","args":{"x":1},"none":null}"#,
        )
        .unwrap();
        let has = |name: &str| row.as_object().unwrap().contains_key(name);
        let column = |name: &str| Ok::<_, ()>(vec![row.get(name).cloned()]);
        for (written, columns, value) in [
            ("req", "req", r#"{"prompt":"Oslo?","tools":[{"name":"f"}]}"#),
            ("req.prompt", "req", r#""Oslo?""#),
            ("req.tools.0.name", "req", r#""f""#),
            ("req.tools.1", "req", "none"),
            ("req.none", "req", "none"),
            ("res.calls", "res", r#"[{"fn":"f"}]"#),
            ("a.b", "a.b", "1"),
            ("tool+args", "tool args", r#"{"name":"f","arguments":{"x":1}}"#),
            ("tool + req.prompt", "tool req", r#"{"name":"f","arguments":"Oslo?"}"#),
            ("none+none", "none none", "null"),
            ("tool+none", "tool none", r#"{"name":"f"}"#),
            ("none+args", "none args", r#"{"arguments":{"x":1}}"#),
        ] {
            let place = Place::of(written, &has).unwrap();
            assert_eq!(place.columns().join(" "), columns, "{written}");
            let values = place.values(&column).unwrap();
            let found = values[0].as_ref().map_or("none".to_owned(), Json::to_string);
            assert_eq!(found, value, "{written}");
        }
        for written in ["", "reply", "reply.x", "tool+reply", ".", "x+"] {
            assert_eq!(Place::of(written, &has), None, "{written}");
        }
    }
}

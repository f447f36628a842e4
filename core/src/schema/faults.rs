//! What speaks against calls that somebody typed in, by the definitions of the tools: unknown names, and arguments that do not fit.

use super::undeclared;
use super::validator::{BoundedValidator, Breach, Unusable};
use crate::domain::{Json, Object, ToolCall, ToolDefinition, did_you_mean};

/// Something that is wrong with one of several calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFault {
    /// Which call, from 1.
    pub call: usize,
    /// The argument, as a JSON pointer: `/days`. None for the call as a whole, such as an unknown tool or a missing argument.
    pub argument: Option<String>,
    /// What is wrong, in words.
    pub message: String,
}

/// What a check of calls found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedCalls {
    /// What is wrong, in the order of the calls; at most twenty faults of each call.
    pub faults: Vec<CallFault>,
    /// Why some calls were not checked in full, each tool once.
    pub unchecked: Vec<String>,
}

/// Faults of one call that are told.
const MAX_FAULTS: usize = 20;
/// Names of tools that a message lists.
const MAX_NAMES: usize = 12;

/// Checks `calls` against the definitions of the tools on offer: the tool is there, required arguments are, and all have the types and
/// the values that their schemas allow; an argument that a tool does not declare is a fault too, unless its schema allows others. Of two
/// definitions of one name the first counts.
///
/// ```
/// use tooljudge_core::domain::{Json, ToolCall, ToolDefinition};
/// use tooljudge_core::schema::check_calls;
///
/// let parameters = Json::parse(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let tool = ToolDefinition { name: "forecast".to_owned(), description: String::new(), parameters };
/// let arguments = Json::parse(r#"{"days": "two"}"#)?.as_object().unwrap().clone();
/// let checked = check_calls(&[ToolCall::new("forecast", arguments)], &[tool]);
/// assert_eq!(checked.faults[0].argument.as_deref(), Some("/days"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn check_calls(calls: &[ToolCall], definitions: &[ToolDefinition]) -> CheckedCalls {
    let mut checked = CheckedCalls::default();
    for (call, number) in calls.iter().zip(1..) {
        let fault = |argument: Option<String>, message: String| CallFault { call: number, argument, message };
        let Some(tool) = definitions.iter().find(|tool| tool.name == call.name) else {
            checked.faults.push(fault(None, unknown(&call.name, definitions)));
            continue;
        };
        let Some(arguments) = call.parsed() else {
            checked.faults.push(fault(None, "its arguments are not a JSON object".to_owned()));
            continue;
        };
        let (faults, unchecked) = of_arguments(tool, arguments);
        checked.faults.extend(faults.into_iter().map(|(argument, message)| fault(argument, message)));
        if let Some(why) = unchecked.filter(|why| !checked.unchecked.contains(why)) {
            checked.unchecked.push(why);
        }
    }
    checked
}

fn unknown(name: &str, definitions: &[ToolDefinition]) -> String {
    let names: Vec<&str> = definitions.iter().map(|tool| tool.name.as_str()).collect();
    let near = did_you_mean(name, names.iter().copied());
    match &names[..] {
        [] => format!("there is no tool `{name}`: none was on offer"),
        names if near.is_empty() && names.len() <= MAX_NAMES => {
            let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("there is no tool `{name}`; on offer: {known}")
        }
        _ => format!("there is no tool `{name}` on offer{near}"),
    }
}

/// The faults of arguments, each with the pointer of its place, and why they were not checked in full.
fn of_arguments(
    tool: &ToolDefinition,
    arguments: &Object,
) -> (Vec<(Option<String>, String)>, Option<String>) {
    let schema = &tool.parameters;
    let strange: Vec<(Option<String>, String)> = arguments
        .iter()
        .filter_map(|(name, _)| Some((Some(pointer(name)), undeclared(schema, name)?)))
        .collect();
    let value = Json::Object(arguments.clone());
    let errors =
        BoundedValidator::of_tool(schema).and_then(|validator| validator.errors(schema, &value, MAX_FAULTS));
    let name = &tool.name;
    let (errors, unchecked) = match errors {
        Ok(errors) => (errors, None),
        Err(Unusable::TooComplex) => (
            Vec::new(),
            Some(format!("the schema of `{name}` is too complex to check these arguments against it")),
        ),
        Err(Unusable::Broken(why)) => {
            (Vec::new(), Some(format!("the schema of `{name}` cannot be used: {}", shortened(&why))))
        }
    };
    let mut faults = strange;
    let is_told = !faults.is_empty();
    for error in errors {
        // What is not declared is told already, in plainer words.
        if matches!(error.breach, Breach::Additional { .. }) && error.pointer.is_empty() && is_told {
            continue;
        }
        let place = (!error.pointer.is_empty()).then(|| error.pointer.clone());
        let message = match &error.breach {
            Breach::Missing(argument) => format!("the required argument `{argument}` is missing"),
            _ => shortened(&error.message),
        };
        faults.push((place, message));
    }
    faults.truncate(MAX_FAULTS);
    (faults, unchecked)
}

fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, schema: &str) -> ToolDefinition {
        let parameters = Json::parse(schema).unwrap();
        ToolDefinition { name: name.to_owned(), description: String::new(), parameters }
    }

    fn checked(name: &str, arguments: &str, tools: &[ToolDefinition]) -> CheckedCalls {
        let arguments = Json::parse(arguments).unwrap().as_object().unwrap().clone();
        check_calls(&[ToolCall::new(name, arguments)], tools)
    }

    #[test]
    fn each_fault_stands_at_its_argument() {
        let tools = [
            tool(
                "forecast",
                r#"{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","maximum":7},
                    "unit":{"enum":["c","f"]},"at":{"type":"array","items":{"type":"string"}}},"required":["city"]}"#,
            ),
            tool("open", r#"{"type":"object","additionalProperties":true}"#),
            tool("closed", r#"{"type":"object","properties":{"a/b":{}},"additionalProperties":false}"#),
        ];
        for (name, arguments, expected) in [
            ("forecast", r#"{"city":"Oslo","days":7.0}"#, &[][..]),
            ("open", r#"{"x":1}"#, &[]),
            ("forecast", r#"{}"#, &[("", "the required argument `city` is missing")]),
            ("forecast", r#"{"city":"Oslo","days":"2"}"#, &[("/days", r#""2" is not of type "integer""#)]),
            ("forecast", r#"{"city":"Oslo","days":9}"#, &[("/days", "9 is greater than the maximum of 7")]),
            ("forecast", r#"{"city":"Oslo","unit":"k"}"#, &[("/unit", r#""k" is not one of "c" or "f""#)]),
            ("forecast", r#"{"city":"Oslo","at":["x",1]}"#, &[("/at/1", r#"1 is not of type "string""#)]),
            (
                "forecast",
                r#"{"city":"Oslo","dais":2}"#,
                &[("/dais", "the tool has no parameter `dais`; did you mean `days`?")],
            ),
            ("closed", r#"{"c/d":2}"#, &[("/c~1d", "the tool has no parameter `c/d`")]),
            ("forcast", r#"{}"#, &[("", "there is no tool `forcast` on offer; did you mean `forecast`?")]),
            ("mail", r#"{}"#, &[("", "there is no tool `mail`; on offer: `forecast`, `open`, `closed`")]),
        ] {
            let found = checked(name, arguments, &tools);
            let found_: Vec<(&str, &str)> = found
                .faults
                .iter()
                .map(|fault| (fault.argument.as_deref().unwrap_or_default(), fault.message.as_str()))
                .collect();
            assert_eq!((found_.as_slice(), found.unchecked.len()), (expected, 0), "{name}({arguments})");
        }
        assert_eq!(
            checked("mail", "{}", &[]).faults[0].message,
            "there is no tool `mail`: none was on offer"
        );
    }

    #[test]
    fn faults_name_their_call() {
        let tools = [tool("f", r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#)];
        let call = |arguments: &str| {
            ToolCall::new("f", Json::parse(arguments).unwrap().as_object().unwrap().clone())
        };
        let malformed = ToolCall {
            arguments: crate::domain::Arguments::Malformed("{".to_owned()),
            ..ToolCall::new("f", Object::new())
        };
        let found = check_calls(&[call(r#"{"n":1}"#), call(r#"{"n":"1"}"#), malformed], &tools);
        let told: Vec<(usize, bool)> =
            found.faults.iter().map(|fault| (fault.call, fault.argument.is_some())).collect();
        assert_eq!(told, [(2, true), (3, false)]);
        assert_eq!(check_calls(&[], &tools), CheckedCalls::default());
    }

    #[test]
    fn what_cannot_be_checked_is_said_once() {
        let tools = [tool("f", r#"{"type":"strin"}"#)];
        let calls = [ToolCall::new("f", Object::new()), ToolCall::new("f", Object::new())];
        let found = check_calls(&calls, &tools);
        assert_eq!((found.faults.len(), found.unchecked.len()), (0, 1));
        assert!(
            found.unchecked[0].starts_with("the schema of `f` cannot be used: "),
            "{:?}",
            found.unchecked
        );
    }
}

//! The calls that a case expects, and those that it forbids.

use super::ignore::Ignored;
use super::{ExpectedParts, FromLogOptions, LeftOut, LoggedTurn, Review};
use crate::domain::{Calls, Definitions, Json, Object, ToolCall, ToolDefinition};
use crate::schema::{ArgumentSchemas, has_undeclared, undeclared};
use crate::score::bfcl;

/// What a reviewed turn says of a right one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Due {
    /// These calls, or none.
    Calls(Vec<ToolCall>),
    /// Anything but these calls.
    Not(Vec<ToolCall>),
}

/// What the review of a turn asks for; calls are redacted, and their tools are defined. Where a correction is of no use, the wrong
/// calls are banned.
pub(super) fn due(logged: &LoggedTurn, corrects: bool, options: &FromLogOptions) -> Result<Due, LeftOut> {
    let tools = tools(logged)?;
    let due = match &logged.review {
        Review::Missing => return Err(LeftOut::NotReviewed),
        Review::Unclear => return Err(LeftOut::UnclearLabel),
        Review::Correct | Review::Unlabelled => Due::Calls(logged.calls()?.to_vec()),
        Review::Incorrect { corrected: Some(calls), .. } if corrects => match calls {
            Calls::Parsed(calls) if calls.iter().any(|call| is_unfit(call, &tools)) => {
                return Err(LeftOut::UnfitList);
            }
            Calls::Parsed(calls) => Due::Calls(calls.clone()),
            Calls::Unparsed => return Err(LeftOut::UnreadableCorrection),
        },
        Review::Incorrect { wrong, .. } => Due::Not(wrong_calls(logged, wrong.as_deref())?),
    };
    let (Due::Calls(calls) | Due::Not(calls)) = &due;
    if calls.iter().any(|call| call.parsed().is_none()) {
        return Err(LeftOut::UnreadableCall);
    }
    if calls.iter().any(|call| tools.iter().all(|tool| tool.name != call.name)) {
        return Err(LeftOut::ToolNotDefined);
    }
    let redacted = |calls: &[ToolCall]| calls.iter().map(|call| options.redaction.call(call)).collect();
    match &due {
        Due::Calls(calls) => Ok(Due::Calls(redacted(calls))),
        // No call is banned: it was wrong to call nothing, and nobody says what was right.
        Due::Not(calls) if calls.is_empty() => Err(LeftOut::NothingExpected),
        // A ban compares all arguments, so one with a volatile argument would never hold again.
        Due::Not(calls) if calls.iter().any(|call| ignores(&options.ignored, call)) => {
            Err(LeftOut::VolatileBan)
        }
        Due::Not(calls) => Ok(Due::Not(redacted(calls))),
    }
}

/// Whether a correction has lists where its tool takes none: they may be BFCL's accepted values, and no right call would be equal to them.
fn is_unfit(corrected: &ToolCall, tools: &[ToolDefinition]) -> bool {
    let tool = tools.iter().find(|tool| tool.name == corrected.name);
    let schema = tool.map(|tool| &tool.parameters);
    // A list in the wrong call says nothing of what the right one takes.
    bfcl::unfit_list(corrected, schema, &[]).is_some() || bfcl::has_accepted_values(corrected, schema, &[])
}

fn ignores(ignored: &Ignored, call: &ToolCall) -> bool {
    call.parsed().is_some_and(|arguments| ignored.is_in(arguments))
}

/// The calls that were wrong: all of them, unless each was reviewed.
fn wrong_calls(logged: &LoggedTurn, wrong: Option<&[bool]>) -> Result<Vec<ToolCall>, LeftOut> {
    let calls = logged.calls()?;
    let each = wrong.filter(|wrong| wrong.len() == calls.len() && wrong.contains(&true));
    Ok(match each {
        Some(wrong) => {
            calls.iter().zip(wrong).filter(|(_, is_wrong)| **is_wrong).map(|(call, _)| call.clone()).collect()
        }
        None => calls.to_vec(),
    })
}

/// The tools that were on offer, each once.
pub(super) fn tools(logged: &LoggedTurn) -> Result<Vec<ToolDefinition>, LeftOut> {
    let Definitions::Known(known) = &logged.sample.definitions else {
        return Err(LeftOut::NoToolDefinitions);
    };
    let mut tools: Vec<ToolDefinition> = Vec::with_capacity(known.len());
    for tool in known.iter() {
        match tools.iter().find(|earlier| earlier.name == tool.name) {
            None => tools.push(tool.clone()),
            Some(same) if same == tool => {}
            Some(_) => return Err(LeftOut::UnusableDefinitions),
        }
    }
    // Whoever can call nothing calls nothing, whatever it is.
    if tools.is_empty() { Err(LeftOut::NoToolDefinitions) } else { Ok(tools) }
}

/// Expected calls, as suite files spell them.
pub(super) fn expected(calls: &[ToolCall], tools: &[ToolDefinition], options: &FromLogOptions) -> Json {
    Json::Array(calls.iter().map(|call| Json::Object(expected_call(call, tools, options))).collect())
}

/// Whether a call has arguments that its tool does not take.
pub(super) fn is_refused(call: &ToolCall, tools: &[ToolDefinition], schemas: &ArgumentSchemas) -> bool {
    let tool = tools.iter().find(|tool| tool.name == call.name);
    call.parsed().is_some_and(|arguments| {
        tool.is_some_and(|tool| has_undeclared(&tool.parameters, arguments))
            || !schemas.errors(&call.name, arguments).is_empty()
    })
}

fn expected_call(call: &ToolCall, tools: &[ToolDefinition], options: &FromLogOptions) -> Object {
    let mut expected = Object::new();
    expected.insert("tool_name", call.name.as_str());
    if options.expect != ExpectedParts::Arguments {
        return expected;
    }
    let (mut required, mut validators) = (Object::new(), Object::new());
    for (name, value) in call.parsed().into_iter().flat_map(Object::iter) {
        let rest = options.ignored.of(name);
        if rest.is_whole() {
            continue;
        }
        if !rest.touches(value) {
            required.insert(name, value.clone());
            continue;
        }
        // Null stands for any value; the validator says which.
        required.insert(name, Json::Null);
        let mut validator = Object::new();
        validator.insert("kind", "schema");
        validator.insert("schema", rest.schema(value));
        validators.insert(name, Json::Object(validator));
    }
    // A parameter that is left out and one that has its default say the same.
    let tool = tools.iter().find(|tool| tool.name == call.name);
    let properties = tool.and_then(|tool| tool.parameters.get("properties")).and_then(Json::as_object);
    for (name, property) in properties.into_iter().flat_map(Object::iter) {
        let is_left_out = call.parsed().is_some_and(|arguments| !arguments.contains_key(name));
        if let Some(default) =
            property.get("default").filter(|_| is_left_out && !options.ignored.of(name).is_whole())
        {
            let mut validator = Object::new();
            validator.insert("kind", "in");
            validator.insert("values", Json::Array(vec![default.clone()]));
            validators.insert(name, Json::Object(validator));
        }
    }
    if !required.is_empty() {
        expected.insert("required_params", Json::Object(required));
    }
    if !validators.is_empty() {
        expected.insert("param_validators", Json::Object(validators));
    }
    // An argument that was added changes a call as one that was altered does. What is ignored may be another tool's.
    let ignored = options
        .ignored
        .parameters()
        .filter(|name| tool.is_none_or(|tool| undeclared(&tool.parameters, name).is_none()));
    expected.insert("optional_params", Json::Array(ignored.map(Json::from).collect()));
    expected
}

/// Calls that must not be made again, as suite files spell them.
pub(super) fn banned(calls: &[ToolCall]) -> Json {
    let ban = |call: &ToolCall| {
        let mut ban = Object::new();
        ban.insert("tool_name", call.name.as_str());
        ban.insert("params", Json::Object(call.parsed().cloned().unwrap_or_default()));
        Json::Object(ban)
    };
    Json::Array(calls.iter().map(ban).collect())
}

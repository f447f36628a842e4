//! Turns one reviewed turn into a case: the conversation before it, and the expected next calls.

use std::sync::Arc;

use super::draft::{CaseDraft, number};
use super::expectation::{Due, banned, due, expected, is_refused, tools};
use super::{ExpectedParts, FromLogOptions, LeftOut, LoggedTurn, pieces};
use crate::domain::{Json, Message, Object};
use crate::drive::SuiteDefaults;
use crate::schema::ArgumentSchemas;

/// The case of a turn, without its id.
pub(super) fn case(logged: &LoggedTurn, options: &FromLogOptions) -> Result<CaseDraft, LeftOut> {
    let due = due(logged, options.expect != ExpectedParts::Nothing, options)?;
    pieces::before(&logged.sample)?;
    let messages: Vec<Message> =
        logged.sample.messages.iter().map(|message| options.redaction.message(message)).collect();
    let tools = tools(logged)?;
    let mut case = Object::new();
    case.insert("messages", Json::Array(messages.iter().map(Message::to_json).collect()));
    match due {
        Due::Not(calls) => case.insert("not_calls", banned(&calls)),
        Due::Calls(_) if options.expect == ExpectedParts::Nothing => return Err(LeftOut::NothingExpected),
        Due::Calls(calls) if calls.is_empty() => case.insert("should_not_call_tools", Json::Bool(true)),
        Due::Calls(calls) => {
            case.insert("expected_tool_calls", expected(&calls, &tools, options));
            if calls.len() > SuiteDefaults::default().max_tool_calls as usize {
                case.insert("max_tool_calls", number(calls.len()));
            }
            let schemas =
                ArgumentSchemas::new(&Arc::from(&tools[..])).map_err(|_| LeftOut::UnusableDefinitions)?;
            if calls.iter().any(|call| is_refused(call, &tools, &schemas)) {
                case.insert("validate", Json::Bool(false));
            }
        }
    }
    Ok(CaseDraft { case, tools, messages })
}

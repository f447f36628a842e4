//! Turns a reviewed conversation into a case: the agent plays it from the first message, and recorded results answer its calls.

use std::sync::Arc;

use super::chains::Chain;
use super::draft::{CaseDraft, number};
use super::expectation::{Due, banned, due, expected, is_refused, tools};
use super::pieces::{self, Answered, Piece};
use super::{ExpectedParts, FromLogOptions, LeftOut, LoggedTurn, Review};
use crate::domain::{Arguments, Flag, Json, Object, ToolCall, ToolDefinition};
use crate::drive::SuiteDefaults;
use crate::schema::ArgumentSchemas;

/// A user's turn of the case.
struct UserTurn {
    said: String,
    expected: Vec<ToolCall>,
}

/// What a conversation comes to.
#[derive(Default)]
struct Script {
    system: Vec<String>,
    turns: Vec<UserTurn>,
    /// Calls that were wrong.
    banned: Vec<ToolCall>,
    mocks: Vec<Json>,
    /// All calls, redacted.
    made: Vec<ToolCall>,
    replies: usize,
    /// Whether the user spoke last.
    heard: bool,
    /// Whether several calls of one turn are expected, which have no order among themselves.
    at_once: bool,
}

/// The case of a conversation, without its id.
pub(super) fn case(chain: &Chain<'_>, options: &FromLogOptions) -> Result<CaseDraft, LeftOut> {
    let last = chain.last();
    let tools = tools(last)?;
    for earlier in chain.earlier.iter().flatten() {
        if self::tools(earlier)? != tools {
            return Err(LeftOut::ToolsChange);
        }
    }
    let script = script(chain, &tools, options)?;
    let mut case = Object::new();
    if !script.system.is_empty() {
        case.insert("system", script.system.join("\n\n"));
    }
    let expects_calls = script.banned.is_empty() && options.expect != ExpectedParts::Nothing;
    speak(&mut case, &script, expects_calls, (&tools, options));
    // Each call knew the results of those before it: who pays before the look-up does something else.
    if expects_calls && script.is_in_order() {
        case.insert("ordered", Json::Bool(true));
    }
    if !script.banned.is_empty() {
        case.insert("not_calls", banned(&script.banned));
    } else if !expects_calls {
        let answer = last.sample.after.response().filter(|answer| !answer.trim().is_empty());
        case.insert("reference", options.redaction.text(answer.ok_or(LeftOut::NothingExpected)?));
    } else if script.made.is_empty() {
        case.insert("should_not_call_tools", Json::Bool(true));
    }
    bounds(&mut case, &script, &tools)?;
    if script.mocks.is_empty() {
        // Any call is a mistake here, and must count as one.
        case.insert("unmatched", "echo");
    } else {
        case.insert("mocks", Json::Array(script.mocks));
    }
    Ok(CaseDraft { case, tools, messages: Vec::new() })
}

/// What users say, with what is expected in between.
fn speak(
    case: &mut Object,
    script: &Script,
    expects_calls: bool,
    (tools, options): (&[ToolDefinition], &FromLogOptions),
) {
    let expects = |turn: &UserTurn| expects_calls && !turn.expected.is_empty();
    match &script.turns[..] {
        [only] => {
            case.insert("user_message", only.said.as_str());
            if expects(only) {
                case.insert("expected_tool_calls", expected(&only.expected, tools, options));
            }
        }
        turns => {
            let turn = |turn: &UserTurn| {
                let mut object = Object::new();
                object.insert("user", turn.said.as_str());
                if expects(turn) {
                    object.insert("expected_tool_calls", expected(&turn.expected, tools, options));
                }
                Json::Object(object)
            };
            case.insert("turns", Json::Array(turns.iter().map(turn).collect()));
        }
    }
}

/// Raises the defaults where the logged conversation itself would exceed them, and takes arguments that the tools took.
fn bounds(case: &mut Object, script: &Script, tools: &[ToolDefinition]) -> Result<(), LeftOut> {
    let defaults = SuiteDefaults::default();
    // The answer after the last calls is a reply too.
    let replies = script.replies + 1;
    if defaults.max_steps.is_some_and(|most| replies > most as usize) {
        case.insert("max_steps", number(replies));
    }
    if script.made.len() > defaults.max_tool_calls as usize {
        case.insert("max_tool_calls", number(script.made.len()));
    }
    let schemas = ArgumentSchemas::new(&Arc::from(tools)).map_err(|_| LeftOut::UnusableDefinitions)?;
    if script.made.iter().any(|call| is_refused(call, tools, &schemas)) {
        case.insert("validate", Json::Bool(false));
    }
    Ok(())
}

fn script(chain: &Chain<'_>, tools: &[ToolDefinition], options: &FromLogOptions) -> Result<Script, LeftOut> {
    let last = chain.last();
    if last.sample.flags.contains(&Flag::NonTextContent) {
        return Err(LeftOut::NonTextContent);
    }
    let before = pieces::before(&last.sample)?;
    let calls = pieces::answered(last.calls()?, &last.sample.after.results)?;
    let mut script = Script::default();
    let mut earlier = chain.earlier.iter();
    for piece in &before {
        match piece {
            Piece::System(text) => script.system.push(options.redaction.text(text)),
            Piece::User(text) => script.hear(options.redaction.text(text)),
            Piece::Turn(calls) => {
                let reviewed = earlier.next().copied().flatten();
                script.turn(calls, reviewed, &last.review, tools, options)?;
            }
        }
    }
    script.turn(&calls, Some(last), &last.review, tools, options)?;
    Ok(script)
}

impl Script {
    /// Whether the expected calls were made one after another.
    fn is_in_order(&self) -> bool {
        !self.at_once && self.turns.iter().map(|turn| turn.expected.len()).sum::<usize>() > 1
    }

    /// Messages of the user's that follow each other are one: an agent answers in between.
    fn hear(&mut self, said: String) {
        match self.turns.last_mut().filter(|_| self.heard) {
            Some(turn) => {
                turn.said.push_str("\n\n");
                turn.said.push_str(&said);
            }
            None => self.turns.push(UserTurn { said, expected: Vec::new() }),
        }
        self.heard = true;
    }

    fn turn(
        &mut self,
        calls: &[Answered<'_>],
        reviewed: Option<&LoggedTurn>,
        whole: &Review,
        tools: &[ToolDefinition],
        options: &FromLogOptions,
    ) -> Result<(), LeftOut> {
        self.replies += 1;
        self.heard = false;
        let Some(turn) = self.turns.last_mut() else { return Err(LeftOut::AssistantFirst) };
        // What should have been called instead has no recorded result, so the conversation could not go on from a correction.
        match reviewed.map(|reviewed| due(reviewed, false, options)) {
            Some(Ok(Due::Calls(calls))) => {
                self.at_once |= calls.len() > 1;
                turn.expected.extend(calls);
            }
            Some(Ok(Due::Not(calls))) => self.banned.extend(calls),
            Some(Err(why)) => return Err(why),
            // Words need no review.
            None if calls.is_empty() => {}
            None if *whole == Review::Unlabelled => {
                self.at_once |= calls.len() > 1;
                turn.expected.extend(calls.iter().map(|call| options.redaction.call(call.call)));
            }
            None => return Err(LeftOut::TurnNotReviewed),
        }
        for answered in calls {
            let call = options.redaction.call(answered.call);
            if tools.iter().all(|tool| tool.name != call.name) {
                return Err(LeftOut::ToolNotDefined);
            }
            self.mocks.push(mock(&call, answered, options)?);
            self.made.push(call);
        }
        Ok(())
    }
}

/// A rule that gives the recorded result once.
fn mock(call: &ToolCall, answered: &Answered<'_>, options: &FromLogOptions) -> Result<Json, LeftOut> {
    let Arguments::Parsed(arguments) = &call.arguments else { return Err(LeftOut::UnreadableCall) };
    let result = answered.result.ok_or(LeftOut::MissingResult)?;
    let when = options.ignored.without(arguments);
    let is_whole = when.len() == arguments.len();
    let mut mock = Object::new();
    mock.insert("tool", call.name.as_str());
    mock.insert("when", Json::Object(when));
    mock.insert("match", if is_whole { "exact" } else { "strict" });
    mock.insert(if result.is_error { "error" } else { "text" }, options.redaction.content(result.content));
    mock.insert("times", number(1));
    Ok(Json::Object(mock))
}

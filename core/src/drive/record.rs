//! An episode as data: what its scorer reads, and its rows.

use super::episode::Episode;
use super::langchain::number_agrees;
use super::mock::is_same_call;
use super::suite::Expected;
use crate::domain::{Arguments, Json, Message, Number, Object, Role, ToolCall, ToolDefinition};

/// What the scorer of an episode reads: `test` and `tool_calls`, or `run` and `example`. `latency_ms` is how long all of it took.
pub fn case_record(episode: &Episode, latency_ms: u64) -> Object {
    let case = &episode.stage().case;
    let mut record = Object::new();
    match &case.expected {
        Expected::Test(test) => {
            record.insert("test", Json::Object(test.clone()));
            let made = |call| made(call, episode.refused(call), is_forbidden(call, test, &case.tools));
            record.insert("tool_calls", Json::Array(episode.calls().map(made).collect()));
            record.insert("response", episode.response().clone());
            record.insert("latency_ms", whole(latency_ms));
        }
        Expected::Example { example, output_evaluation } => {
            let mut run = Object::new();
            run.insert("output", episode.response().clone());
            run.insert("intermediate_steps", episode.intermediate_steps());
            if let Some(state) = episode.state() {
                run.insert("state", state);
            }
            record.insert("run", Json::Object(run));
            record.insert("example", Json::Object(example.clone()));
            record.insert("output_evaluation", *output_evaluation);
            record.insert("question", question(episode));
            let agrees = match (*output_evaluation, example.get("reference")) {
                ("qa_math_without_question", Some(reference)) => {
                    number_agrees(episode.response().as_str().unwrap_or_default(), reference)
                }
                _ => None,
            };
            if let Some(agrees) = agrees {
                record.insert("llm_reply", if agrees { "CORRECT" } else { "INCORRECT" });
            }
        }
    }
    record
}

/// Whether a call is one of those that a test forbids: written so, or with arguments more or less that say nothing by the definition.
fn is_forbidden(call: &ToolCall, test: &Object, tools: &[ToolDefinition]) -> bool {
    let (none, unknown) = (Object::new(), Json::Null);
    let Some(arguments) = call.parsed() else { return false };
    let tool = tools.iter().find(|tool| tool.name == call.name);
    let parameters = tool.map_or(&unknown, |tool| &tool.parameters);
    let list = |key: &str| test.get(key).and_then(Json::as_array).unwrap_or_default();
    // What the same test expects is no forbidden call.
    let is_expected = list("expected_tool_calls").iter().any(|wanted| {
        wanted.get("tool_name").and_then(Json::as_str) == Some(call.name.as_str())
            && wanted
                .get("required_params")
                .and_then(Json::as_object)
                .is_some_and(|wanted| wanted.is_equivalent(arguments))
    });
    let bans = if is_expected { &[][..] } else { list("not_calls") };
    bans.iter().any(|ban| {
        let banned = ban.get("params").and_then(Json::as_object).unwrap_or(&none);
        ban.get("tool_name").and_then(Json::as_str) == Some(call.name.as_str())
            && is_same_call(parameters, banned, arguments)
    })
}

/// A call as the scorer `tool_evaluator` reads it.
fn made(call: &ToolCall, is_refused: bool, is_forbidden: bool) -> Json {
    let mut made = Object::new();
    made.insert("name", call.name.as_str());
    match &call.arguments {
        Arguments::Parsed(arguments) => made.insert("input", Json::Object(arguments.clone())),
        Arguments::Malformed(text) => {
            made.insert("input", Json::Null);
            // The scorer takes it for a call that answers nothing.
            made.insert("input_raw", text.as_str());
        }
    }
    if is_refused {
        made.insert("refused", Json::Bool(true));
    }
    if is_forbidden {
        made.insert("forbidden", Json::Bool(true));
    }
    if let Some(id) = &call.id {
        made.insert("id", id.as_str());
    }
    Json::Object(made)
}

/// What the user asked last before the agent's first reply.
pub fn question(episode: &Episode) -> &str {
    let before = episode.turns().first().map_or(episode.messages().len(), |at| *at);
    let asked = episode.messages()[..before].iter().rev().find(|message| message.role == Role::User);
    asked.map_or("", |message| &message.content)
}

/// The whole conversation.
pub fn transcript(episode: &Episode) -> Json {
    Json::Array(episode.messages().iter().map(Message::to_json).collect())
}

/// The tools on offer.
pub fn definitions(episode: &Episode) -> Json {
    Json::Array(episode.stage().case.tools.iter().map(ToolDefinition::to_json).collect())
}

/// All calls that were made.
pub fn tool_calls(episode: &Episode) -> Json {
    Json::Array(episode.calls().map(ToolCall::to_json).collect())
}

/// The calls that are expected, `name` and `arguments`; arguments only where some are expected.
pub fn expected_calls(expected: &Expected) -> Json {
    let call = |name: &Json, arguments: Option<&Json>| {
        let mut call = Object::new();
        call.insert("name", name.clone());
        if let Some(arguments) = arguments.filter(|arguments| !arguments.is_null()) {
            call.insert("arguments", arguments.clone());
        }
        Json::Object(call)
    };
    let list = |object: &Object, key: &str| object.get(key).and_then(Json::as_array).map(<[Json]>::to_vec);
    Json::Array(match expected {
        Expected::Test(test) => list(test, "expected_tool_calls")
            .unwrap_or_default()
            .iter()
            .map(|item| call(item.get("tool_name").unwrap_or(&Json::Null), item.get("required_params")))
            .collect(),
        Expected::Example { example, .. } => {
            let steps = list(example, "expected_steps").unwrap_or_default();
            steps.iter().map(|step| call(step.get("tool").unwrap_or(step), step.get("tool_input"))).collect()
        }
    })
}

/// One turn of the agent, with what came before and after it.
#[derive(Debug, Clone, Copy)]
pub struct TurnView<'a> {
    messages: &'a [Message],
    at: usize,
    /// Which of the agent's turns it is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// The agent's turns, in order.
pub fn turns(episode: &Episode) -> impl Iterator<Item = TurnView<'_>> {
    let of = episode.turns().len();
    let messages = episode.messages();
    episode.turns().iter().enumerate().map(move |(at, place)| TurnView {
        messages,
        at: *place,
        number: at + 1,
        of,
    })
}

impl TurnView<'_> {
    fn own(&self) -> &Message {
        &self.messages[self.at]
    }

    /// What the user asked last.
    pub fn question(&self) -> &str {
        let asked = self.messages[..self.at].iter().rev().find(|message| message.role == Role::User);
        asked.map_or("", |message| &message.content)
    }

    /// What was said before.
    pub fn messages(&self) -> Json {
        Json::Array(self.messages[..self.at].iter().map(Message::to_json).collect())
    }

    /// What is called; null where nothing is.
    pub fn tool_call(&self) -> Json {
        let calls = &self.own().tool_calls;
        if calls.is_empty() { Json::Null } else { Json::Array(calls.iter().map(ToolCall::to_json).collect()) }
    }

    fn after(&self) -> &[Message] {
        &self.messages[self.at + 1..]
    }

    /// What the calls returned.
    pub fn tool_results(&self) -> Json {
        let results = self.after().iter().take_while(|message| message.role == Role::Tool);
        let result = |message: &Message| {
            let mut result = Object::new();
            if let Some(id) = &message.tool_call_id {
                result.insert("tool_call_id", id.as_str());
            }
            result.insert("content", message.content.as_str());
            if message.is_error {
                result.insert("is_error", Json::Bool(true));
            }
            Json::Object(result)
        };
        Json::Array(results.map(result).collect())
    }

    /// The agent's next message; null after its last.
    pub fn next_message(&self) -> Json {
        let next = self.after().iter().find(|message| message.role == Role::Assistant);
        next.map_or(Json::Null, Message::to_json)
    }

    /// The last thing that the agent says to the user, in this turn or after it; null where it says nothing.
    pub fn final_answer(&self) -> Json {
        let is_answer = |message: &&Message| {
            message.role == Role::Assistant && message.tool_calls.is_empty() && !message.content.is_empty()
        };
        let answer = self.messages[self.at..].iter().rev().find(is_answer);
        answer.map_or(Json::Null, |message| Json::from(message.content.as_str()))
    }
}

fn whole(number: u64) -> Json {
    Json::Number(Number::from(number))
}

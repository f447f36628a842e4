//! Executes the calls of one episode with mocks or an environment.

use super::compat::Loop;
use super::mock::{MockAnswer, MockResult, MockState, Unmatched};
use super::stage::Stage;
use super::suite::World;
use crate::domain::{Arguments, Json, Object, ToolCall};
use crate::environment::{Environment, Input, Observation, ToolError};
use crate::python::write_json;
use crate::score::IssueKind;

/// The world of one episode, as its calls have left it.
#[derive(Debug, Clone)]
pub(super) enum Live {
    Mocked(MockState),
    Environment(Environment),
    Recorded,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Came {
    /// It returned something.
    Back(Returned),
    /// No rule foresees it, and the case says to stop then.
    OffScript,
    /// The tool raised an exception, in a loop that ends with it.
    Raised(ToolError),
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Returned {
    /// As the model is shown it.
    pub content: String,
    /// As LangChain Benchmarks records it.
    pub observation: Option<Observation>,
    pub is_error: bool,
    /// What is to be said of the call.
    pub issue: Option<(IssueKind, Option<String>)>,
    pub latency_ms: u64,
}

impl Returned {
    fn text(content: String) -> Returned {
        Returned { content, observation: None, is_error: false, issue: None, latency_ms: 0 }
    }

    fn failure(content: String, issue: Option<IssueKind>) -> Returned {
        Returned { is_error: true, issue: issue.map(|kind| (kind, None)), ..Returned::text(content) }
    }
}

impl Live {
    pub(super) fn new(world: &World) -> Live {
        match world {
            World::Mocked(mocks) => Live::Mocked(MockState::new(mocks)),
            World::Environment(name) => Live::Environment(Environment::new(*name)),
            World::Recorded => Live::Recorded,
        }
    }

    /// What the environment is left in; `None` where nothing changes.
    pub(super) fn state(&self) -> Option<&str> {
        match self {
            Live::Environment(environment) => environment.state(),
            Live::Mocked(_) | Live::Recorded => None,
        }
    }

    /// Makes a call.
    pub(super) fn call(&mut self, stage: &Stage, follows: Loop, call: &ToolCall) -> Came {
        let tool = call.name.as_str();
        let is_known = stage.case.tools.iter().any(|known| known.name == tool);
        let arguments = match &call.arguments {
            Arguments::Parsed(arguments) => arguments,
            // An environment names its own tools where there is no such one.
            Arguments::Malformed(_) if !is_known && !matches!(self, Live::Environment(_)) => {
                return Came::Back(unknown(stage, tool));
            }
            Arguments::Malformed(text) => return Came::Back(malformed(text)),
        };
        match self {
            Live::Environment(environment) => in_environment(environment, follows, tool, arguments, is_known),
            Live::Recorded => Came::Back(Returned::text(String::new())),
            Live::Mocked(_) if follows == Loop::Article => {
                Came::Back(Returned::text(echo_ascii(tool, arguments)))
            }
            Live::Mocked(_) if !is_known => Came::Back(unknown(stage, tool)),
            Live::Mocked(state) => match refusal(stage, call) {
                Some(refusal) => Came::Back(refusal),
                None => mocked(state, stage, tool, arguments),
            },
        }
    }
}

fn in_environment(
    environment: &mut Environment,
    follows: Loop,
    tool: &str,
    arguments: &Object,
    is_known: bool,
) -> Came {
    let bare = arguments.get("__arg1").and_then(Json::as_str).filter(|_| follows == Loop::LangChain);
    match environment.call(tool, bare.map_or(Input::Fields(arguments), Input::Bare)) {
        Ok(observation) => Came::Back(Returned {
            is_error: !is_known,
            issue: (!is_known).then_some((IssueKind::UnknownTool, None)),
            observation: Some(observation.clone()),
            ..Returned::text(observation.to_string())
        }),
        Err(error) if follows == Loop::LangChain => Came::Raised(error),
        Err(error) => {
            let issue = match error {
                ToolError::InvalidArguments(_) => IssueKind::InvalidArguments,
                _ => IssueKind::ToolError,
            };
            Came::Back(Returned::failure(error.to_string(), Some(issue)))
        }
    }
}

fn mocked(state: &mut MockState, stage: &Stage, tool: &str, arguments: &Object) -> Came {
    let World::Mocked(mocks) = &stage.case.world else { return Came::Back(Returned::text(String::new())) };
    let known = stage.case.tools.iter().find(|known| known.name == tool);
    let parameters = known.map_or(&Json::Null, |known| &known.parameters);
    Came::Back(match (state.answer(mocks, (tool, parameters), arguments), mocks.unmatched) {
        (MockAnswer::Rule(outcome, latency_ms), _) => {
            let returned = match outcome {
                MockResult::Result(value) => Returned::text(value.to_string()),
                MockResult::Text(text) => Returned::text(text.clone()),
                MockResult::Error(why) => Returned::failure(why.clone(), None),
            };
            Returned { latency_ms, ..returned }
        }
        // Who stops rather than invent a result does not invent one for a tool that nobody foresaw either.
        (MockAnswer::NoRules | MockAnswer::Unmatched, Unmatched::Stop) => return Came::OffScript,
        (MockAnswer::NoRules, _) | (MockAnswer::Unmatched, Unmatched::Echo) => {
            Returned::text(Json::Object(echo(tool, arguments)).to_string())
        }
        (MockAnswer::Unmatched, Unmatched::Error) => Returned::failure(
            format!("`{tool}` has no result for these arguments"),
            Some(IssueKind::UnmatchedCall),
        ),
    })
}

fn unknown(stage: &Stage, tool: &str) -> Returned {
    let names: Vec<&str> = stage.offered.tools.iter().map(|tool| tool.name.as_str()).collect();
    let there = if names.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    };
    Returned::failure(format!("unknown tool \"{tool}\"; {there}"), Some(IssueKind::UnknownTool))
}

fn malformed(text: &str) -> Returned {
    let why = match Json::parse(text) {
        Ok(value) => format!("expected an object, found {}", value.type_name()),
        Err(error) => error.to_string(),
    };
    Returned::failure(format!("the arguments are not a JSON object: {why}"), Some(IssueKind::Undecodable))
}

/// What a known tool says to arguments that its schema does not allow.
pub(super) fn refusal(stage: &Stage, call: &ToolCall) -> Option<Returned> {
    let is_checked =
        stage.case.bounds.validate && stage.case.tools.iter().any(|known| known.name == call.name);
    let errors = stage.schemas.errors(&call.name, call.parsed().filter(|_| is_checked)?);
    (!errors.is_empty()).then(|| invalid(&call.name, &errors))
}

fn invalid(tool: &str, errors: &[String]) -> Returned {
    let content = format!("invalid arguments for \"{tool}\": {}", errors.join("; "));
    // `/days: 12 is …` is about the argument at `/days`.
    let path = errors.first().and_then(|error| error.split_once(": ")).map(|(path, _)| path.to_owned());
    let path = path.filter(|path| path.starts_with('/'));
    Returned { issue: Some((IssueKind::InvalidArguments, path)), ..Returned::failure(content, None) }
}

/// What a tool without rules returns: that it was called, and with what.
fn echo(tool: &str, arguments: &Object) -> Object {
    let mut echo = Object::new();
    echo.insert("status", "success");
    echo.insert("result", format!("Mock result for {tool}"));
    echo.insert("input_received", Json::Object(arguments.clone()));
    echo
}

/// The same as the article's Python writes it: with spaces, and nothing but ASCII.
fn echo_ascii(tool: &str, arguments: &Object) -> String {
    let mut text = String::new();
    write_json(&mut text, &Json::Object(echo(tool, arguments)));
    let mut ascii = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii() {
            ascii.push(char);
        } else {
            for unit in char.encode_utf16(&mut [0; 2]) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

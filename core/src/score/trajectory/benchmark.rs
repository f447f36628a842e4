//! LangChain Benchmarks' records: a run of an agent and the example that it should follow.

use std::borrow::Cow;

use super::step::Step;
use crate::domain::{Json, Object};
use crate::score::forms::Form;
use crate::score::{ScoreError, SettingError, setting};

/// How LangChain's agents write calls.
const FORM: Form = Form { lists: &[], name: "tool", arguments: &["tool_input"], as_peer: false };

/// A run beside its example, borrowed from the record.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub actual: Vec<Step<'a>>,
    pub expected: Vec<Step<'a>>,
    /// `None` where the example does not say.
    pub order_matters: Option<bool>,
    /// The final states of run and example; `None` unless both have one, be it null.
    pub states: Option<(&'a Json, &'a Json)>,
    /// Whether the run has an answer.
    pub has_output: bool,
    /// Whether the example has the right answer.
    pub has_reference: bool,
    /// What the grading model replied.
    pub reply: Option<&'a str>,
    pub grading: Option<Grading>,
}

/// How a model grades the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grading {
    None,
    /// `qa` and `qa_math`, whose replies read the same.
    Quiz,
    /// `qa_math_without_question`.
    Comparison,
}

impl Grading {
    /// Under the key `output_evaluation`.
    pub(super) fn read(value: &Json) -> Result<Grading, SettingError> {
        let words = [
            ("none", Grading::None),
            ("qa", Grading::Quiz),
            ("qa_math", Grading::Quiz),
            ("qa_math_without_question", Grading::Comparison),
        ];
        setting::one_of("output_evaluation", value, &words)
    }
}

impl<'a> Case<'a> {
    /// Reads a record with `run` and `example`; an error names the key and what it should hold. Its calls are read in LangChain's form
    /// if it is to be read `as_peer`, and else in any.
    pub fn read(record: &'a Object, as_peer: bool) -> Result<Case<'a>, ScoreError> {
        let run = outputs(member(record, "run")?, &["intermediate_steps", "actual_steps"]);
        let example = outputs(member(record, "example")?, &["expected_steps"]);
        let missing = |message: &str| ScoreError { kind: "ValueError", message: message.to_owned() };
        let actual = match (run.get("intermediate_steps"), run.get("actual_steps")) {
            (Some(taken), _) => steps("run.intermediate_steps", taken, as_peer)?,
            (None, Some(taken)) => steps("run.actual_steps", taken, as_peer)?,
            (None, None) => {
                return Err(missing(
                    "Please make sure that your agent outputs 'intermediate_steps or 'actual_steps'",
                ));
            }
        };
        let Some(expected) = example.get("expected_steps") else {
            return Err(missing("Please make sure that your dataset contains 'expected_steps'"));
        };
        Ok(Case {
            actual,
            expected: steps("example.expected_steps", expected, as_peer)?,
            order_matters: match example.get("order_matters") {
                None | Some(Json::Null) => None,
                Some(value) => {
                    Some(setting::boolean("example.order_matters", value).map_err(ScoreError::invalid)?)
                }
            },
            states: run.get("state").zip(example.get("state")),
            has_output: run.contains_key("output"),
            has_reference: example.contains_key("reference"),
            reply: match record.get("llm_reply") {
                None | Some(Json::Null) => None,
                Some(Json::String(reply)) => Some(reply),
                Some(other) => return Err(ScoreError::invalid(setting::wrong("llm_reply", "text", other))),
            },
            grading: record
                .get("output_evaluation")
                .map(Grading::read)
                .transpose()
                .map_err(ScoreError::invalid)?,
        })
    }
}

/// What a run or an example came to: it itself, or its `outputs`, as LangSmith has it, or its `output`, as a record is printed, where
/// only these have one of `keys`.
pub(super) fn outputs<'a>(record: &'a Object, keys: &[&str]) -> &'a Object {
    let has = |object: &Object| keys.iter().any(|key| object.contains_key(key));
    let mut within = ["outputs", "output"].into_iter().filter_map(|key| record.get(key)?.as_object());
    if has(record) { record } else { within.find(|within| has(within)).unwrap_or(record) }
}

fn member<'a>(record: &'a Object, key: &str) -> Result<&'a Object, ScoreError> {
    let value = record.get(key).unwrap_or(&Json::Null);
    value.as_object().ok_or_else(|| ScoreError::invalid(setting::wrong(key, "an object", value)))
}

fn steps<'a>(path: &str, value: &'a Json, as_peer: bool) -> Result<Vec<Step<'a>>, ScoreError> {
    let wrong = |value| ScoreError::invalid(setting::wrong(path, "a list of tools or steps", value));
    let list = value.as_array().ok_or_else(|| wrong(value))?;
    let step = |(turn, item)| {
        let read = step(&format!("{path}[{turn}]"), item, as_peer);
        read.map(|step| Step { turn, ..step }).ok_or_else(|| wrong(item))
    };
    list.iter().enumerate().map(step).collect()
}

/// A tool's name; an action with its observation beside or within it; a call as other tools write it.
fn step<'a>(path: &str, json: &'a Json, as_peer: bool) -> Option<Step<'a>> {
    match json {
        Json::String(tool) => Some(Step::named(tool)),
        Json::Array(pair) => {
            pair.first().filter(|action| action.as_object().is_some()).and_then(|it| step(path, it, as_peer))
        }
        Json::Object(action) if as_peer => Some(Step {
            arguments: ["tool_input", "args", "arguments"]
                .iter()
                .find_map(|key| action.get(key))
                .map(Cow::Borrowed),
            ..Step::named(["tool", "name"].iter().find_map(|key| action.get(key))?.as_str()?)
        }),
        Json::Object(action) => Some(Step::of(FORM.read(action, path)?, Cow::Borrowed)),
        _ => None,
    }
}

//! A question with its tools and its right answers.

use super::tool::Tool;
use crate::domain::{Json, Object, ToolCall};
use crate::score::bfcl::{Calls, Case, Language, Options, Rules, Value, judge};

/// What was asked, and which answers are right.
#[derive(Debug, Clone)]
pub struct Question {
    /// Unique in its source; draws depend on it.
    pub id: String,
    /// What it goes together with: questions of the same name are asked the same.
    pub(crate) cluster: String,
    /// The benchmark's name, like `live_multiple`: it says how calls are assigned to expectations.
    pub(crate) category: String,
    /// In which language arguments are written.
    pub(crate) language: Language,
    /// The text, or the list of messages where there are several.
    pub(crate) asked: Json,
    /// All that was said, as one text.
    pub(crate) text: String,
    /// The definitions as their source has them.
    pub(crate) definitions: Json,
    /// The definitions as the scorer reads them.
    pub(crate) functions: Json,
    /// The same, read.
    pub(crate) tools: Vec<Tool>,
    pub(crate) expected_action: ExpectedAction,
    /// Whose rules say what is right.
    pub(crate) rules: &'static [Rules],
}

/// What there is to be called.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedAction {
    /// These calls, in any order.
    Calls(Vec<Expectation>),
    /// No call.
    Nothing,
    /// Any call: which one is right is not known.
    Something,
}

/// An expected call: its tool, and the accepted values of each parameter (`""` among them: it may be left out).
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    pub(crate) tool: String,
    pub(crate) accepted: Vec<(String, Vec<Json>)>,
}

/// A call whose arguments are values, in whatever language they will be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Object,
}

/// What the scorer says of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorerVerdict {
    /// Whether they are right, by each of the question's rules.
    pub(crate) right: Vec<bool>,
    /// The last rules' type of error; for a benchmark's questions they are the official checker's.
    pub error_type: Option<&'static str>,
}

impl ScorerVerdict {
    /// Whether every set of rules takes the calls for right.
    pub fn all_right(&self) -> bool {
        self.right.iter().all(|right| *right)
    }

    /// Whether no set of rules does.
    pub fn none_right(&self) -> bool {
        !self.right.iter().any(|right| *right)
    }
}

impl Question {
    /// The tool of that name.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// What the scorer says of calls as they are written; `None` where it cannot read the question.
    pub fn scorer_verdict(&self, calls: &[ToolCall]) -> Option<ScorerVerdict> {
        let record = self.record();
        let mut case = Case::read(&record, &Options::default()).ok()?;
        let nothing = Json::Object(Object::new());
        let arguments: Vec<Json> = calls
            .iter()
            .map(|call| call.parsed().map_or(nothing.clone(), |own| Json::Object(own.clone())))
            .collect();
        let named = calls.iter().zip(&arguments);
        case.calls = Calls::Decoded(
            named.map(|(call, arguments)| vec![(call.name.as_str(), Value::read(arguments))]).collect(),
        );
        let verdicts: Vec<_> = self.rules.iter().map(|rules| judge(&case, *rules)).collect();
        Some(ScorerVerdict {
            right: verdicts.iter().map(|verdict| verdict.is_valid()).collect(),
            error_type: verdicts.last().and_then(|verdict| verdict.error_type()),
        })
    }

    /// What the scorer reads, but for the calls.
    fn record(&self) -> Object {
        let mut record = Object::new();
        record.insert("category", self.category.as_str());
        record.insert("language", self.language.as_str());
        record.insert("functions", self.functions.clone());
        record.insert("possible_answer", self.possible_answer());
        record
    }

    /// The accepted answers as the benchmark writes them; an empty list where it lists none.
    pub(crate) fn possible_answer(&self) -> Json {
        let ExpectedAction::Calls(expected) = &self.expected_action else { return Json::Array(Vec::new()) };
        let answer = |expectation: &Expectation| {
            let accepted = expectation.accepted.iter();
            let accepted: Object =
                accepted.map(|(name, values)| (name.clone(), Json::Array(values.clone()))).collect();
            Json::Object([(expectation.tool.clone(), Json::Object(accepted))].into_iter().collect())
        };
        Json::Array(expected.iter().map(answer).collect())
    }

    /// Whether the choice of tools is right, and whether the arguments are, given that the calls as a whole are `right`:
    /// arguments of a wrong choice are neither, and so are those of a call of which only is known that one was due.
    pub(crate) fn parts(&self, calls: &[ToolCall], right: bool) -> (Option<bool>, Option<bool>) {
        match &self.expected_action {
            ExpectedAction::Nothing => (Some(calls.is_empty()), None),
            ExpectedAction::Something => (Some(!calls.is_empty()), None),
            ExpectedAction::Calls(_) if right => (Some(true), Some(true)),
            ExpectedAction::Calls(expected) => {
                let mut made: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
                let mut expected_action: Vec<&str> = expected.iter().map(|call| call.tool.as_str()).collect();
                made.sort_unstable();
                expected_action.sort_unstable();
                if made == expected_action { (Some(true), Some(false)) } else { (Some(false), None) }
            }
        }
    }
}

impl Expectation {
    /// Whether the parameter may be left out.
    pub(crate) fn may_omit(&self, parameter: &str) -> bool {
        let accepted = self.accepted.iter().find(|(name, _)| name == parameter);
        accepted.is_some_and(|(_, values)| values.iter().any(is_marker))
    }
}

/// Whether an accepted value only says that there need be none.
pub(super) fn is_marker(value: &Json) -> bool {
    value.as_str() == Some("")
}

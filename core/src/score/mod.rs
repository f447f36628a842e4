//! Scores calls without a model, most against expected ones. A scorer with a peer has two modes: the peer's exact numbers, and
//! ours, which fixes the peer's bugs.
//!
//! [`SCORERS`] is the table of all scorers; a new one is a file and a line there. A scorer reads its peer's records unchanged,
//! since differences that normalizing removes (null, absent and `{}`, duplicate calls, Python's tuples) matter here.

mod article;
mod assignment;
pub mod bfcl;
mod deepeval;
mod difference;
mod equality;
mod forms;
mod functions;
mod inquiry;
mod issue;
mod permission;
mod repetition;
mod setting;
mod trajectory;
mod typed;
mod vitest;

pub(crate) use article::can_only_fail;
pub use equality::Equality;
pub use functions::{FunctionVersion, OwnFunction, OwnFunctions};
pub use inquiry::{Answer, Inquiry};
pub use issue::{Issue, IssueKind};
pub use setting::SettingError;
pub use typed::typed;
pub use vitest::is_about_equal;

use std::fmt::Display;

use crate::domain::{Arguments, Json, Object, ToolCall};

/// All scorers.
pub const SCORERS: &[Scorer] = &[
    deepeval::SCORER,
    vitest::SCORER,
    trajectory::SCORER,
    article::SCORER,
    bfcl::SCORER,
    permission::SCORER,
    repetition::SCORER,
    deepeval::JUDGED,
];

/// One way of comparing calls.
pub struct Scorer {
    /// As users name it.
    pub name: &'static str,
    /// The peers whose exact numbers it can give, as users name them.
    pub peers: &'static [&'static str],
    /// Whether it compares with expected calls; else it looks at those that were made.
    pub expects: bool,
    /// Whether the calls of earlier turns of the same transcript count for a turn.
    pub across_turns: bool,
    /// Whether a record is one that this scorer's peer would write.
    pub matches: fn(&Object) -> bool,
    /// Whether it reads the definitions of the tools. A row of another table has them in the key `tool_definitions`, as a list of
    /// objects with `name` and `parameters`.
    pub defines: bool,
    /// What it would have a judge say of a case, if there is such a thing.
    pub inquiry: Option<Inquiry>,
    /// A case of its own for rows of other tables: what was called, what should have been, and the row.
    pub case: fn(called: &[ToolCall], expected: &[ToolCall], row: &Object) -> Object,
    /// Readies it with `settings`, whose keys are the peer's own names; `peer` asks for that peer's exact behaviour. An error
    /// names the setting and what it may be.
    pub ready: fn(settings: &Object, peer: Option<&str>) -> Result<Ready, SettingError>,
}

/// A scorer with its settings.
pub type Ready = Box<dyn Score>;

/// A scorer that is ready to score.
pub trait Score: Send + Sync {
    /// Scores one record. Settings in the record's own `config` count more than those it was readied with.
    fn score(&self, record: &Object) -> Result<Scored, ScoreError>;

    /// Gives it the functions that its settings and its cases may name. Without this call there are none.
    ///
    /// # Errors
    /// If a setting names a function that is not among them.
    fn give(&mut self, _functions: &OwnFunctions) -> Result<(), SettingError> {
        Ok(())
    }

    /// What of the calls is compared, and the flag that compares more, for whoever reads the result; `first` is the first case,
    /// whose form may decide.
    fn compares(&self, first: Option<&Object>) -> String;

    /// Whether the values of the arguments of a tool's calls make a difference to the score of `record`, a case of its own.
    fn compares_values(&self, _record: &Object, _tool: &str) -> bool {
        true
    }

    /// Its settings that have no effect beside the others, by their names, and what is missing or in the way.
    fn idle(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Adds what its settings say of all cases to one that does not say it itself, for whoever asks a judge about it.
    fn complete(&self, _record: &mut Object) {}

    /// The names of the [figures](Scored::figures) that its cases have.
    fn figures(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What a scorer says of a case.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scored {
    /// From 0 to 1; `None` where the case gives nothing to score.
    pub score: Option<f64>,
    /// Whether that is good enough; `None` where no threshold says so.
    pub passed: Option<bool>,
    /// In words, as the peer puts them where there is one.
    pub reason: Option<String>,
    /// Other numbers than the score, by name.
    pub figures: Vec<(&'static str, f64)>,
    /// Whether arguments of some expected call were compared; `None` where a scorer does not compare them with expected ones.
    pub compared_arguments: Option<bool>,
    /// Whether calls were made where none is expected, and they count for nothing, since the settings allow any.
    pub allowed_any_call: bool,
    /// The peer's own details.
    pub metadata: Object,
    /// What is wrong with the calls, one by one.
    pub issues: Vec<Issue>,
}

/// Why a case has no score: what the peer would raise, or what cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct ScoreError {
    /// The peer's kind of exception, or `InvalidCase`.
    pub kind: &'static str,
    /// What is wrong with the case, or what the peer would say.
    pub message: String,
}

impl ScoreError {
    /// A record that is no case of this scorer; `message` names the key and what it should hold.
    pub fn invalid(message: impl Display) -> ScoreError {
        ScoreError { kind: "InvalidCase", message: message.to_string() }
    }
}

impl Scored {
    /// The columns `score`, `passed`, `reason`, `metadata` and `issues`.
    pub fn to_json(&self) -> Object {
        let mut object = Object::new();
        let number = self.score.and_then(crate::domain::Number::from_f64);
        object.insert("score", number.map_or(Json::Null, Json::Number));
        object.insert("passed", self.passed.map_or(Json::Null, Json::Bool));
        object.insert("reason", self.reason.as_deref().map_or(Json::Null, Json::from));
        object.insert("metadata", Json::Object(self.metadata.clone()));
        object.insert("issues", Json::Array(self.issues.iter().map(Issue::to_json).collect()));
        object
    }
}

/// Calls as a peer lists them, under its keys for a call's name and its arguments.
fn listed(calls: &[ToolCall], (name, arguments): (&str, &str)) -> Json {
    let call = |call: &ToolCall| {
        let passed = match &call.arguments {
            Arguments::Parsed(object) => Json::Object(object.clone()),
            Arguments::Malformed(text) => Json::from(text.as_str()),
        };
        let named = (name.to_owned(), Json::from(call.name.as_str()));
        Json::Object([named, (arguments.to_owned(), passed)].into_iter().collect())
    };
    Json::Array(calls.iter().map(call).collect())
}

/// A case of these members, with the settings that its row has.
fn own_case<const N: usize>(row: &Object, members: [(&str, Json); N]) -> Object {
    let config = row.get("config").map(|config| ("config".to_owned(), config.clone()));
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(config).collect()
}

//! Tools that are not there: rules say what their calls return.

use crate::domain::{Json, Object};

/// The rules of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Mocks {
    /// The first that matches a call and is not used up answers it.
    pub rules: Vec<Rule>,
    /// What becomes of a call of a tool that has rules, none of which answers it.
    pub unmatched: Unmatched,
}

/// What calls of one tool return.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The tool.
    pub tool: String,
    /// The arguments that a call must have; none for every call.
    pub when: Object,
    /// How they are compared.
    pub matching: Matching,
    /// What calls return, in turn; the last one again and again. Never empty.
    pub outcomes: Vec<MockResult>,
    /// After so many calls it is used up.
    pub times: Option<u32>,
    /// How long a call takes, in milliseconds that nobody waits.
    pub latency_ms: u64,
}

/// How arguments are compared with a rule's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Matching {
    /// Those of the rule must be equal; a call may have others.
    #[default]
    Strict,
    /// The same, with texts compared without regard to case and parts, and numbers within a thousandth.
    Fuzzy,
    /// All arguments must be equal, and there may be no others.
    Exact,
}

/// What a call returns.
#[derive(Debug, Clone, PartialEq)]
pub enum MockResult {
    /// A value, shown to the model as JSON.
    Result(Json),
    /// A text, shown as it is.
    Text(String),
    /// A failure, in these words.
    Error(String),
}

/// What becomes of a call that no rule of its tool answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// It fails, and counts as an issue.
    #[default]
    Error,
    /// It returns what a tool without rules does: its own arguments.
    Echo,
    /// The episode ends without a score.
    Stop,
}

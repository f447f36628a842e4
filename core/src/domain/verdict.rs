//! The outcome of one question to a judge.

use super::{Abstention, AbstentionKind, Findings};

/// The outcome for one item, with what the judge said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// A label, or why there is none.
    pub outcome: Outcome,
    /// The judge's explanation; absent if none was requested or given.
    pub explanation: Option<String>,
    /// How sure the judge is of the label, 0 to 1; absent where nothing was measured.
    pub confidence: Option<f64>,
    /// How probable it is that the label would pass, 0 to 1, also where there is none; absent where nothing was measured.
    pub p_correct: Option<f64>,
    /// The findings; absent if no list was requested or readable.
    pub findings: Option<Findings>,
}

/// A label, or why there is none.
///
/// Only [`Outcome::Judged`] carries a label: no failure can be mistaken for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// There is a label.
    Judged {
        /// One of the rails, in the rail's own spelling.
        label: String,
        /// The rail's own score: 1 for right and 0 for wrong, where the rails set nothing else.
        score: f64,
        /// The rule that read the label out of the reply; `None` for the built-in judge.
        rule: Option<&'static str>,
    },
    /// The model answered, but with none of the rails.
    Unparseable(String),
    /// The model declined to answer.
    Refused,
    /// The provider's content filter stopped the prompt or the answer.
    Filtered,
    /// The answer has no text.
    Empty,
    /// The answer ran into the length limit before a verdict.
    Truncated,
    /// Every attempt failed.
    Errored {
        /// A short name of the failure, such as `refused_parameter`.
        code: String,
        /// What the endpoint said, or what went wrong on the way.
        message: String,
    },
    /// The run stopped first.
    NotAsked,
    /// The cells could not be read.
    InvalidRow {
        /// The code of a [`RowError`](super::RowError).
        code: &'static str,
        /// Names the field and shows at most 80 characters of it.
        message: String,
    },
    /// The judge gives no label.
    Abstained(Abstention),
    /// The cost ceiling was reached first.
    SkippedBudget,
}

/// An outcome's kind, as the `status` column spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// There is a label.
    Judged,
    /// The model answered, but with none of the rails.
    Unparseable,
    /// The model declined to answer.
    Refused,
    /// The provider's content filter stopped the prompt or the answer.
    Filtered,
    /// The answer has no text.
    Empty,
    /// The answer ran into the length limit before a verdict.
    Truncated,
    /// Every attempt failed.
    Errored,
    /// The run stopped before the row's turn.
    NotAsked,
    /// The cells could not be read.
    InvalidRow,
    /// The judge gives no label: it has nothing to go on, or no evidence either way.
    Abstained,
    /// The cost ceiling was reached before the row's turn.
    SkippedBudget,
}

impl Verdict {
    /// A verdict that says no more than its outcome.
    pub fn bare(outcome: Outcome) -> Verdict {
        Verdict { outcome, explanation: None, confidence: None, p_correct: None, findings: None }
    }

    /// The label, in the rail's own spelling; `None` for every failure.
    pub fn label(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Judged { label, .. } => Some(label),
            _ => None,
        }
    }

    /// The rail's score; `None` without a label.
    pub fn score(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Judged { score, .. } => Some(score),
            _ => None,
        }
    }

    /// Whether the judge looked at all there is and found no evidence: an answer, unlike every other outcome without a label.
    pub fn is_without_evidence(&self) -> bool {
        matches!(&self.outcome, Outcome::Abstained(Abstention { kind: AbstentionKind::NoEvidence(_), .. }))
    }

    /// The outcome's kind.
    pub fn status(&self) -> Status {
        match self.outcome {
            Outcome::Judged { .. } => Status::Judged,
            Outcome::Unparseable(_) => Status::Unparseable,
            Outcome::Refused => Status::Refused,
            Outcome::Filtered => Status::Filtered,
            Outcome::Empty => Status::Empty,
            Outcome::Truncated => Status::Truncated,
            Outcome::Errored { .. } => Status::Errored,
            Outcome::NotAsked => Status::NotAsked,
            Outcome::InvalidRow { .. } => Status::InvalidRow,
            Outcome::Abstained(_) => Status::Abstained,
            Outcome::SkippedBudget => Status::SkippedBudget,
        }
    }

    /// The `error` column: `code: message`, or nothing for a label.
    pub fn error(&self) -> Option<String> {
        let (code, message) = match &self.outcome {
            Outcome::Judged { .. } | Outcome::Refused | Outcome::NotAsked | Outcome::SkippedBudget => {
                return None;
            }
            Outcome::Unparseable(why) => ("unparseable", why.as_str()),
            Outcome::Filtered => ("filtered", "the provider's content filter stopped the answer"),
            Outcome::Empty => ("empty", "the answer has no text"),
            Outcome::Truncated => ("truncated", "the answer ran into the length limit before a verdict"),
            Outcome::Errored { code, message } => (code.as_str(), message.as_str()),
            Outcome::InvalidRow { code, message } => (*code, message.as_str()),
            Outcome::Abstained(Abstention { kind, why }) => (kind.code(), why.as_str()),
        };
        Some(format!("{code}: {message}"))
    }
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 11] = [
        Status::Judged,
        Status::Unparseable,
        Status::Refused,
        Status::Filtered,
        Status::Empty,
        Status::Truncated,
        Status::Errored,
        Status::NotAsked,
        Status::InvalidRow,
        Status::Abstained,
        Status::SkippedBudget,
    ];

    /// As the `status` column spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Judged => "judged",
            Status::Unparseable => "unparseable",
            Status::Refused => "refused",
            Status::Filtered => "filtered",
            Status::Empty => "empty",
            Status::Truncated => "truncated",
            Status::Errored => "errored",
            Status::NotAsked => "not_asked",
            Status::InvalidRow => "invalid_row",
            Status::Abstained => "abstained",
            Status::SkippedBudget => "skipped_budget",
        }
    }
}

//! Why cases cannot be scored, and what to do about it.

use std::path::PathBuf;

use crate::domain::RowError;

/// Cases that cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoringError {
    #[error("--scorer: `{name}` is not one of {all}")]
    NoScorer { name: String, all: String },
    #[error("--compat: `{peer}` is not one of {all}")]
    NoPeer { peer: String, all: String },
    #[error("the cases' keys give no scorer away; choose one with --scorer: {0}")]
    UnknownCases(String),
    #[error("there are no cases; name a scorer with --scorer: {0}")]
    NoCases(String),
    #[error("{scorer} cannot give the numbers of {peer}, only of {peers}")]
    NotThatPeer { scorer: &'static str, peer: String, peers: String },
    /// Options that the scorer does not have, or cannot use.
    #[error("{0}")]
    Options(String),
    #[error(
        "these are not cases of {scorer}: their keys are {keys}; it reads its peer's own, or the columns `tool_call` (or \
         `tool_calls`) and `expected_tool_calls`"
    )]
    OtherCases { scorer: &'static str, keys: String },
    #[error(transparent)]
    Row(RowError),
    #[error("a temporary table cannot be written: {0}")]
    NoTemporary(std::io::Error),
    #[error("{}: a question without an `id`", .0.display())]
    QuestionWithoutId(PathBuf),
    #[error("{}: a record without an `id`", .0.display())]
    RecordWithoutId(PathBuf),
    #[error("{}: two records have the id `{id}`", path.display())]
    SameId { path: PathBuf, id: String },
    #[error("{}: {why}", path.display())]
    Record { path: PathBuf, why: String },
    #[error("question {id}: {why}")]
    Question { id: String, why: String },
    #[error("{}: no question has the id `{id}`; are these results of another category?", path.display())]
    NoQuestion { path: PathBuf, id: String },
    #[error("{questions} questions of {} have no result", path.display())]
    Unanswered { path: PathBuf, questions: u64 },
}

//! Why cases cannot be scored, and what to do about it.

use std::path::PathBuf;

use crate::domain::{RowError, did_you_mean};
use crate::score::SettingError;

/// Cases that cannot be scored.
///
/// `path` is a file, `id` a question's name, and `why` the cause in words; `all` and `peers` list what could be chosen.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "fields are explained once for all variants")]
pub enum ScoringError {
    /// A scorer of an unknown name.
    #[error("--scorer: `{name}` is not one of {all}{}", did_you_mean(name, all.split(", ")))]
    NoScorer { name: String, all: String },
    /// A peer of an unknown name.
    #[error("--compat: `{peer}` is not one of {all}{}", did_you_mean(peer, all.split(", ")))]
    NoPeer { peer: String, all: String },
    /// The keys of the first case are those of no scorer's peer: what was `found` of those that cases need.
    #[error("the cases' keys do not tell which scorer is meant: {found}; choose one with --scorer: {all}")]
    UnknownCases { found: String, all: String },
    /// There is no case that would tell which scorer is meant; the scorers' names.
    #[error("there are no cases; name a scorer with --scorer: {0}")]
    NoCases(String),
    /// A scorer that was asked for the numbers of another scorer's peer.
    #[error("{scorer} cannot give the numbers of {peer}, only of {peers}")]
    NotThatPeer { scorer: &'static str, peer: String, peers: String },
    /// Options that the scorer does not have, or cannot use.
    #[error(transparent)]
    Options(#[from] SettingError),
    /// An option that was demanded and has no effect: what is missing, or in the way.
    #[error("`{setting}` has no effect {missing}")]
    NoEffect { setting: &'static str, missing: &'static str },
    /// Cases that another scorer could read, or none; `keys` are those of the first case.
    #[error(
        "these are not cases of {scorer}: their keys are {keys}; it reads its peer's own, or the columns `tool_call` (or \
         `tool_calls`) and `expected_tool_calls`"
    )]
    OtherCases { scorer: &'static str, keys: String },
    /// A column was named for something that scorers do not read.
    #[error("--column: `score` does not read `{slot}`, only {read}")]
    OtherSlot { slot: &'static str, read: String },
    /// A column that was named is not there.
    #[error("--column {slot}={column}: the input has no such column, only {all}{}", did_you_mean(column, all.split(", ")))]
    NoColumn { slot: &'static str, column: String, all: String },
    /// Only some turns of transcripts would be read, whose expected calls are those of all turns.
    #[error(
        "these rows are turns of transcripts whose expected calls are known as a whole (`episode_reference_calls`); score them \
         without --where and --limit, which leave turns out"
    )]
    CutTranscripts,
    /// More than one judge, or wording, would answer for a case.
    #[error("--judge: one judge answers for each case; name one, and one --template at most")]
    SeveralJudges,
    /// A judge was named for a scorer that has nothing to ask.
    #[error("--judge: {scorer} compares calls and asks nobody; these scorers take a judge: {all}")]
    NothingToAsk { scorer: &'static str, all: String },
    /// A call of a case cannot be read.
    #[error(transparent)]
    Row(RowError),
    /// BFCL's joined cases cannot be written to a temporary table.
    #[error("a temporary table cannot be written: {0}")]
    NoTemporary(std::io::Error),
    /// A file of questions with a question that has no `id`.
    #[error("{}: a question without an `id`", .0.display())]
    QuestionWithoutId(PathBuf),
    /// A file of answers or results with a record that has no `id`.
    #[error("{}: a record without an `id`", .0.display())]
    RecordWithoutId(PathBuf),
    /// Two records of one file have the same `id`.
    #[error("{}: two records have the id `{id}`", path.display())]
    SameId { path: PathBuf, id: String },
    /// A record that is not a JSON object, or cannot be read.
    #[error("{}: {why}", path.display())]
    Record { path: PathBuf, why: String },
    /// A question that cannot be joined with its answer or result.
    #[error("question {id}: {why}")]
    Question { id: String, why: String },
    /// An answer or a result whose question is in another file.
    #[error("{}: no question has the id `{id}`; are these results of another category?", path.display())]
    NoQuestion { path: PathBuf, id: String },
    /// Questions without a result, and how many.
    #[error("{questions} questions of {} have no result", path.display())]
    Unanswered { path: PathBuf, questions: u64 },
}

impl ScoringError {
    /// Whether other options would mend it, and the cases may stay as they are.
    pub(crate) fn is_of_settings(&self) -> bool {
        matches!(
            self,
            ScoringError::NoScorer { .. }
                | ScoringError::NoPeer { .. }
                | ScoringError::NotThatPeer { .. }
                | ScoringError::Options(_)
                | ScoringError::NoEffect { .. }
                | ScoringError::OtherSlot { .. }
                | ScoringError::NoColumn { .. }
                | ScoringError::SeveralJudges
                | ScoringError::NothingToAsk { .. }
        )
    }
}

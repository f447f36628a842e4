//! Groups the turns of a transcript, as `tooljudge convert` writes them: consecutive rows with the transcript's id.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::row::text;
use crate::domain::{Json, Object, ToolCall};
use crate::read::Table;
use crate::run::RunError;
use crate::score::{Equality, ScoreError};

/// The column with the name of a row's transcript, and the one with the calls that were expected in all of it.
pub(super) const TRANSCRIPT: &str = "transcript_id";
pub(super) const EXPECTED_IN_ALL: &str = "episode_reference_calls";

/// So many calls of the turns before are remembered to find repetitions among.
const REMEMBERED: usize = 1_000;
/// More calls than that in one transcript are not compared with expected ones.
const MOST: usize = 10_000;

/// The transcript that a row belongs to.
pub(super) fn of_row(case: &Object) -> Option<String> {
    text(case.get(TRANSCRIPT)?)
}

/// Whether a row says what was expected in all of its transcript.
pub(super) fn expects(case: &Object) -> bool {
    case.get(EXPECTED_IN_ALL).is_some_and(|expected| *expected != Json::Null) && of_row(case).is_some()
}

/// The transcript whose turns are being read.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    name: Option<String>,
    /// Hashes of the names of those whose turns do not follow on each other.
    scattered: HashSet<u64>,
    calls: VecDeque<ToolCall>,
    /// Why the calls of one of its turns cannot be read.
    error: Option<ScoreError>,
}

fn hashed(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl Transcript {
    /// Ready for the rows of `table`, through which it goes once for the names of their transcripts: whether all turns of one are
    /// met together, its last turn alone does not tell.
    pub(super) fn of(table: &Table) -> Result<Transcript, RunError> {
        let mut transcript = Transcript::default();
        if table.schema().position(TRANSCRIPT).is_none() {
            return Ok(transcript);
        }
        let (mut last, mut met) = (None, HashSet::new());
        for batch in table.batches(Some(&[TRANSCRIPT.to_owned()])) {
            for cell in batch?.column(TRANSCRIPT)? {
                let name = cell.as_ref().and_then(text).map(|name| hashed(&name));
                if let Some(name) = name.filter(|name| last != Some(*name) && !met.insert(*name)) {
                    transcript.scattered.insert(name);
                }
                last = name;
            }
        }
        Ok(transcript)
    }

    /// Turns to the transcript `name`; an error where its turns do not follow on each other.
    pub(super) fn enter(&mut self, name: &str) -> Result<(), ScoreError> {
        if self.name.as_deref() == Some(name) {
            return Ok(());
        }
        self.name = Some(name.to_owned());
        self.calls.clear();
        self.error = None;
        if self.scattered.contains(&hashed(name)) {
            let why = format!(
                "the turns of the transcript `{name}` are not in rows that follow on each other, or one between them cannot be read"
            );
            self.error = Some(ScoreError::invalid(why));
        }
        self.error.clone().map_or(Ok(()), Err)
    }

    /// The calls of a turn after those of earlier turns that are the same.
    pub(super) fn with_repeated(&mut self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let is_again = |earlier: &&ToolCall| calls.iter().any(|call| is_same(call, earlier));
        let mut all: Vec<ToolCall> = self.calls.iter().filter(is_again).cloned().collect();
        all.extend(calls.iter().cloned());
        self.calls.extend(calls);
        let surplus = self.calls.len().saturating_sub(REMEMBERED);
        self.calls.drain(..surplus);
        all
    }

    /// Adds the calls of a turn to those of the turns before.
    pub(super) fn add(&mut self, calls: Result<Vec<ToolCall>, ScoreError>) {
        match calls {
            Ok(calls) if self.calls.len() + calls.len() <= MOST => self.calls.extend(calls),
            Ok(_) => {
                let why = format!("the transcript has more than {MOST} calls");
                self.error.get_or_insert(ScoreError::invalid(why));
            }
            Err(error) => _ = self.error.get_or_insert(error),
        }
    }

    /// The calls of all its turns.
    pub(super) fn all(&self) -> Result<Vec<ToolCall>, ScoreError> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => Ok(self.calls.iter().cloned().collect()),
        }
    }
}

fn is_same(a: &ToolCall, b: &ToolCall) -> bool {
    a.name == b.name
        && match (a.parsed(), b.parsed()) {
            (Some(a), Some(b)) => Equality::Json.objects(a, b),
            _ => a.arguments == b.arguments,
        }
}

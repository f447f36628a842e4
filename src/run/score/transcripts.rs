//! Rows that are turns of one transcript, as `tooljudge convert` writes them: one after the other, each with the transcript's
//! name.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::row::text;
use crate::domain::{Json, Object, ToolCall};
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
    /// Hashes of the names of those before.
    done: HashSet<u64>,
    calls: VecDeque<ToolCall>,
    /// Why the calls of one of its turns cannot be read.
    error: Option<ScoreError>,
}

impl Transcript {
    /// Turns to the transcript `name`; an error where its turns do not follow on each other.
    pub(super) fn enter(&mut self, name: &str) -> Result<(), ScoreError> {
        if self.name.as_deref() == Some(name) {
            return Ok(());
        }
        let hash = |name: &str| {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            hasher.finish()
        };
        self.done.extend(self.name.as_deref().map(hash));
        self.name = Some(name.to_owned());
        self.calls.clear();
        self.error = None;
        if self.done.contains(&hash(name)) {
            let why =
                format!("the turns of the transcript `{name}` are not in rows that follow on each other");
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

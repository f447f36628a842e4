//! The page of a scoring run: every case with what was called, what was expected, and why it passes or not.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::json;

use super::definitions;
use super::row::{CALLED, EXPECTED, called};
use super::transcripts::EXPECTED_IN_ALL;
use crate::domain::{Cell, Item, Json, Object, RawRow, Slot};
use crate::normalize::Normalizer;
use crate::run::input::text;
use crate::run::label::{Expected, ReportWatch, ScoredCase};
use crate::run::settings::SettingsError;
use crate::run::{Observer, RunError};
use crate::score::{ScoreError, Scored};
use crate::table::{Batch, Schema};
use crate::write;

/// Keys of peers' cases with what was called, and with what was expected.
const CALLED_BY_PEERS: [&str; 5] = ["tools_called", "outputs", "result", "call", "called"];
const EXPECTED_BY_PEERS: [&str; 5] =
    ["expected_tools", "reference_outputs", "reference_tool_calls", "expected_calls", ACCEPTED];
/// Their key of lists of accepted values, which no call has.
const ACCEPTED: &str = "possible_answer";

/// Takes cases down for their page.
pub(super) struct ScorePage {
    watch: ReportWatch,
}

/// An error where no page can be written to `path`.
pub(super) fn check(path: &Path, force: bool) -> Result<(), RunError> {
    if !matches!(path.extension().and_then(|ending| ending.to_str()), Some("html" | "htm")) {
        return Err(SettingsError::NotAPage(path.to_owned()).into());
    }
    Ok(write::check_text(path, force)?)
}

impl ScorePage {
    pub fn new(path: &Path, scorer: &str, schema: &Schema) -> Result<ScorePage, RunError> {
        let shown =
            [&CALLED[..], &[EXPECTED], Slot::ToolDefinitions.aliases(), Slot::Question.aliases()].concat();
        Ok(ScorePage { watch: ReportWatch::of_scores(path, scorer, schema, &shown)? })
    }

    /// Takes down the cases of a batch, each with its name and what it came to.
    pub fn add(
        &mut self,
        batch: &Batch,
        cases: Vec<Option<Object>>,
        said: impl Iterator<Item = (Option<String>, Option<Result<Scored, ScoreError>>)>,
        normalizer: &Normalizer,
    ) -> Result<(), RunError> {
        let cells = { self.watch.columns().iter() }
            .map(|name| match batch.schema.position(name) {
                Some(_) => Ok(Some(batch.column(name)?)),
                None => Ok(None),
            })
            .collect::<Result<Vec<_>, RunError>>()?;
        for (at, (case, (name, scored))) in cases.into_iter().zip(said).enumerate() {
            let cells =
                cells.iter().map(|cells| cells.as_ref().and_then(|cells| text(cells[at].as_ref()))).collect();
            let case = case.unwrap_or_default();
            let (key, calls) = was_called(&case);
            self.watch.scored(ScoredCase {
                item: item(&case, key, normalizer),
                name,
                cells,
                unread: text(calls),
                expected: expected(&case, normalizer),
                scored,
            })?;
        }
        Ok(())
    }

    /// Writes the page of `inputs`.
    pub fn write(self, inputs: &[PathBuf], compares: &str, observer: &dyn Observer) -> Result<(), RunError> {
        let name = |path: &PathBuf| {
            path.file_name()
                .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        };
        let title = inputs.iter().map(name).collect::<Vec<_>>().join(", ");
        let about = json!({
            "command": "score",
            "version": env!("CARGO_PKG_VERSION"),
            "created_at": Timestamp::now().to_string(),
            "compares": compares,
            // What is right is in the table already: there is nothing to mark.
            "marks": false,
        });
        let path = self.watch.path().display().to_string();
        self.watch.write(&title, &about)?;
        observer.note(&format!("every case is on the page {path}: open it in a browser"));
        Ok(())
    }
}

/// The key of a case that holds what was called, and what that is.
fn was_called(case: &Object) -> (&'static str, Option<&Json>) {
    let key = called(case).or_else(|| CALLED_BY_PEERS.into_iter().find(|key| case.contains_key(key)));
    let key = key.unwrap_or(CALLED[0]);
    (key, case.get(key))
}

/// A case as far as its question, its calls and its definitions can be read.
fn item(case: &Object, key: &str, normalizer: &Normalizer) -> Item {
    let row = |question: Cell| RawRow {
        question,
        tool_call: cell(case, key),
        tool_definitions: definitions::column(case).map_or(Cell::Missing, |name| cell(case, name)),
        extras: Vec::new(),
    };
    let is_there = |name: &&str| case.get(name).is_some_and(|cell| !cell.is_null());
    let question = Slot::Question.aliases().iter().copied().find(is_there);
    if let Some(Ok(sample)) = question.map(|name| normalizer.sample(row(cell(case, name)))) {
        return Ok(sample);
    }
    // Cases need no question.
    let mut sample = normalizer.sample(row(Cell::Text("-".to_owned())))?;
    sample.question = "".into();
    Ok(sample)
}

fn cell(case: &Object, key: &str) -> Cell {
    case.get(key).cloned().map_or(Cell::Missing, Cell::from)
}

fn expected(case: &Object, normalizer: &Normalizer) -> Expected {
    let key = { [EXPECTED, EXPECTED_IN_ALL].into_iter().chain(EXPECTED_BY_PEERS) }
        .find(|key| case.get(key).is_some_and(|cell| !cell.is_null()));
    let Some((key, value)) = key.and_then(|key| Some((key, case.get(key)?))) else { return Expected::Unsaid };
    let row = RawRow {
        question: Cell::Text("-".to_owned()),
        tool_call: Cell::from(value.clone()),
        tool_definitions: definitions::column(case).map_or(Cell::Missing, |name| cell(case, name)),
        extras: Vec::new(),
    };
    match normalizer.calls(row) {
        Ok(crate::domain::Calls::Parsed(calls)) if key != ACCEPTED => Expected::Calls(calls),
        _ => Expected::Text(text(Some(value)).unwrap_or_default()),
    }
}

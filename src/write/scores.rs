//! The columns that a scorer adds to its row.

use crate::domain::Json;
use crate::score::{Issue, ScoreError, Scored};
use crate::table::{Column, Kind, Record, Schema, cell};

use super::WriteError;
use super::labels::clashes;

type ValueOf = fn(&Scored) -> Json;

/// Name, kind, and the cell of a score. Where there is none, only the error is told.
const COLUMNS: [(&str, Kind, ValueOf); 5] = [
    // A sum of nothing may be -0, which is no score.
    ("score", Kind::Float, |scored| cell::float(scored.score.map(|score| score + 0.0))),
    ("passed", Kind::Bool, |scored| scored.passed.map_or(Json::Null, Json::Bool)),
    ("reason", Kind::Words, |scored| cell::text(scored.reason.as_deref())),
    ("metadata", Kind::Json, |scored| Json::Object(scored.metadata.clone())),
    ("issues", Kind::Json, |scored| Json::Array(scored.issues.iter().map(Issue::to_json).collect())),
];
const ERROR: (&str, Kind) = ("error", Kind::Words);

/// The columns of one scorer.
#[derive(Debug, Clone)]
pub struct ScoreColumns {
    schema: Schema,
    figures: &'static [&'static str],
}

impl ScoreColumns {
    /// `prefix` goes before every name; `figures` are the numbers that the scorer has besides the score.
    pub fn new(prefix: &str, figures: &'static [&'static str]) -> ScoreColumns {
        let [score, rest @ ..] = COLUMNS.map(|(name, kind, _)| (name, kind));
        let figures_of_scorer = figures.iter().map(|name| (*name, Kind::Float));
        let names = std::iter::once(score).chain(figures_of_scorer).chain(rest).chain([ERROR]);
        let columns = names.map(|(name, kind)| Column { name: format!("{prefix}{name}"), kind }).collect();
        ScoreColumns { schema: Schema::of(columns), figures }
    }

    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Which columns of `input` have one of our names: an error, unless they may be overwritten.
    pub fn clashes(&self, input: &Schema, overwrite: bool) -> Result<Vec<String>, WriteError> {
        clashes(&self.schema, input, overwrite)
    }

    /// The cells of one row; `None` for a turn that is scored with the last one of its transcript.
    pub fn record(&self, scored: Option<&Result<Scored, ScoreError>>) -> Record {
        let reason = "scored with the last turn of its transcript";
        let part = Ok(Scored { reason: Some(reason.to_owned()), ..Scored::default() });
        let scored = scored.unwrap_or(&part);
        let error = scored.as_ref().err().map(ToString::to_string);
        let value = |(.., value): &(&str, Kind, ValueOf)| scored.as_ref().map_or(Json::Null, value);
        let figure = |name: &&'static str| {
            let figures = scored.as_ref().map_or(&[][..], |scored| &scored.figures);
            cell::float(figures.iter().find(|(known, _)| known == name).map(|(_, value)| *value))
        };
        let [score, rest @ ..] = &COLUMNS;
        let figures = self.figures.iter().map(figure);
        let cells = std::iter::once(value(score)).chain(figures).chain(rest.iter().map(value));
        let cells = cells.chain([cell::text(error.as_deref())]);
        Record { cells: cells.map(Some).collect(), item: None }
    }
}

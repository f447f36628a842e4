//! The columns that a scorer adds to its row.

use crate::domain::{Json, Number};
use crate::score::{Issue, ScoreError, Scored};
use crate::table::{Column, Kind, Record, Schema};

use super::WriteError;
use super::labels::clashes;

/// Names and kinds of the output columns.
const COLUMNS: [(&str, Kind); 6] = [
    ("score", Kind::Float),
    ("passed", Kind::Bool),
    ("reason", Kind::Words),
    ("metadata", Kind::Json),
    ("issues", Kind::Json),
    ("error", Kind::Words),
];

/// The columns of one scorer.
#[derive(Debug, Clone)]
pub struct ScoreColumns {
    schema: Schema,
}

impl ScoreColumns {
    /// `prefix` goes before every name.
    pub fn new(prefix: &str) -> ScoreColumns {
        let columns = COLUMNS.map(|(name, kind)| Column { name: format!("{prefix}{name}"), kind }).to_vec();
        ScoreColumns { schema: Schema::of(columns) }
    }

    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Which columns of `input` have one of our names: an error, unless they may be overwritten.
    pub fn clashes(&self, input: &Schema, overwrite: bool) -> Result<Vec<String>, WriteError> {
        clashes(&self.schema, input, overwrite)
    }

    /// The cells of one row.
    pub fn record(&self, scored: &Result<Scored, ScoreError>) -> Record {
        let cells = match scored {
            Ok(scored) => [
                // A sum of nothing may be -0, which is no score.
                scored
                    .score
                    .map(|score| score + 0.0)
                    .and_then(Number::from_f64)
                    .map_or(Json::Null, Json::Number),
                scored.passed.map_or(Json::Null, Json::Bool),
                scored.reason.as_deref().map_or(Json::Null, Json::from),
                Json::Object(scored.metadata.clone()),
                Json::Array(scored.issues.iter().map(Issue::to_json).collect()),
                Json::Null,
            ],
            Err(error) => {
                [Json::Null, Json::Null, Json::Null, Json::Null, Json::Null, Json::from(error.to_string())]
            }
        };
        Record { cells: cells.map(Some).to_vec(), item: None }
    }
}

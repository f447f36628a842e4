//! The verdict of the accepted-values scorer on a benchmark's rows that have such values.

use crate::domain::{Arguments, Calls, Json, Object, ToolCall};
use crate::run::{Row, RunError};
use crate::score::{Ready, bfcl};
use crate::table::Batch;

/// Scores rows that have the columns of `tooljudge gold`.
pub(super) struct Checker {
    scorer: Ready,
}

const ANSWER: &str = "possible_answer";
const CATEGORY: &str = "category";
/// Definitions as the scorer reads them, or else as the benchmark has them.
const TOOLS: [&str; 2] = ["functions", "tool_definitions"];

impl Checker {
    pub(super) fn new() -> Option<Checker> {
        let scorer = (bfcl::SCORER.ready)(&Object::new(), None).ok()?;
        Some(Checker { scorer })
    }

    /// Whether each row's calls are accepted; nothing where that cannot be told.
    pub(super) fn check(&self, batch: &Batch, rows: &[Row]) -> Result<Vec<Option<bool>>, RunError> {
        let has = |name: &str| batch.schema.position(name).is_some();
        let tools = TOOLS.into_iter().find(|name| has(name));
        let Some(tools) = tools.filter(|_| has(ANSWER) && has(CATEGORY)) else {
            return Ok(vec![None; rows.len()]);
        };
        let (answers, categories, tools) =
            (batch.column(ANSWER)?, batch.column(CATEGORY)?, batch.column(tools)?);
        let check = |(at, row): (usize, &Row)| {
            let Calls::Parsed(calls) = &row.item().as_ref().ok()?.calls else { return None };
            let mut case = Object::new();
            case.insert("category", categories[at].clone()?);
            case.insert("functions", structured(tools[at].clone()?)?);
            case.insert("possible_answer", structured(answers[at].clone()?)?);
            case.insert("call", Json::Array(calls.iter().map(by_name).collect()));
            self.scorer.score(&case).ok()?.passed
        };
        Ok(rows.iter().enumerate().map(check).collect())
    }
}

/// A cell that holds JSON, as such or in a text.
fn structured(cell: Json) -> Option<Json> {
    match cell {
        Json::String(text) => Json::parse(&text).ok(),
        other => Some(other),
    }
}

/// `{name: arguments}`, as the scorer reads calls.
fn by_name(call: &ToolCall) -> Json {
    let arguments = match &call.arguments {
        Arguments::Parsed(arguments) => Json::Object(arguments.clone()),
        Arguments::Malformed(text) => Json::from(text.as_str()),
    };
    Json::Object([(call.name.clone(), arguments)].into_iter().collect())
}

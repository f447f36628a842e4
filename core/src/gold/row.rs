//! A row of a gold table, and the table's columns.

use self::Holds::{Json as Nested, Text};
use super::question::Question;
use crate::domain::{Findings, Json, Object, ToolCall};

/// A column of a gold table: its name, what it holds, and its value in a row.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// Text or JSON.
    pub holds: Holds,
    value: fn(&Known<'_>) -> Json,
}

/// What the cells of a column hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A plain text.
    Text,
    /// JSON: nested in JSON files, and compact text in others.
    Json,
}

const COLUMNS: [Column; 17] = [
    column("id", Text, |known| text(Some(&known.row.id))),
    column("question_id", Text, |known| text(Some(&known.question.cluster))),
    column("category", Text, |known| text(Some(&known.question.category))),
    column("language", Text, |known| text(Some(known.question.language.as_str()))),
    column("literal", Text, |known| {
        text(known.question.is_literal().map(|literal| if literal { "literal" } else { "inferred" }))
    }),
    column("gold", Text, |known| label(Some(known.row.right))),
    column("error_type", Text, |known| text(known.row.error_type.as_deref())),
    column("edit", Text, |known| text(known.row.edit)),
    column("gold_findings", Nested, |known| {
        known.row.findings.as_ref().map_or(Json::Null, |findings| Json::Array(findings.gold()))
    }),
    column("selection_label", Text, |known| label(known.parts().0)),
    column("params_label", Text, |known| label(known.parts().1)),
    column("question", Nested, |known| known.question.asked.clone()),
    column("tool_call", Nested, |known| known.calls(ToolCall::to_json)),
    column("tool_definitions", Nested, |known| known.question.definitions.clone()),
    column("possible_answer", Nested, |known| known.question.possible_answer()),
    // What the scorer reads: definitions in the benchmark's shape, calls by name.
    column("functions", Nested, |known| known.question.functions.clone()),
    column("call", Nested, |known| known.calls(by_name)),
];
/// Those of imported results.
const OF_RESULTS: [Column; 2] = [
    column("model", Text, |known| text(known.row.model.as_deref())),
    column("verdict", Text, |known| label(Some(known.row.right))),
];

/// The columns of a table, in order; of imported results with those that only they have.
pub fn columns(of_results: bool) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().chain(OF_RESULTS.iter().filter(move |_| of_results))
}

/// A call of which it is known whether it is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Unique in a table: the question's, what the call was made for, and a number.
    pub id: String,
    /// What is called; empty where nothing is.
    pub calls: Vec<ToolCall>,
    /// Whether that is right, by the scorer or by the score file.
    pub right: bool,
    /// What is wrong; `None` of right calls.
    pub error_type: Option<String>,
    /// What a judge should find wrong; nothing of right calls, `None` where nobody knows.
    pub findings: Option<Findings>,
    /// The edit that changed nothing that matters, if there was one.
    pub edit: Option<&'static str>,
    /// Whose call it is, if it is a real one.
    pub model: Option<String>,
}

impl Row {
    /// The cells in the order of [`columns`]; a row with a model is one of imported results.
    pub fn cells(&self, question: &Question) -> Vec<Json> {
        let known = Known { row: self, question };
        columns(self.model.is_some()).map(|column| (column.value)(&known)).collect()
    }
}

/// A row and the question that it answers.
struct Known<'a> {
    row: &'a Row,
    question: &'a Question,
}

impl Known<'_> {
    /// Whether the choice of tools is right, and whether the arguments are.
    fn parts(&self) -> (Option<bool>, Option<bool>) {
        self.question.parts(&self.row.calls, self.row.right)
    }

    fn calls(&self, written: fn(&ToolCall) -> Json) -> Json {
        Json::Array(self.row.calls.iter().map(written).collect())
    }
}

const fn column(name: &'static str, holds: Holds, value: fn(&Known<'_>) -> Json) -> Column {
    Column { name, holds, value }
}

fn text(text: Option<&str>) -> Json {
    text.map_or(Json::Null, Json::from)
}

fn label(right: Option<bool>) -> Json {
    text(right.map(|right| if right { "correct" } else { "incorrect" }))
}

/// `{"f": {"a": 1}}`
fn by_name(call: &ToolCall) -> Json {
    let arguments = call.parsed().cloned().unwrap_or_default();
    let mut named = Object::new();
    named.insert(call.name.as_str(), Json::Object(arguments));
    Json::Object(named)
}

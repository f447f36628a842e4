//! A row of a gold table.

use super::question::Question;
use crate::domain::{Json, Object, ToolCall};
use crate::table::{Column, Kind, Record, Schema};

/// Names and kinds of the columns. What holds JSON is nested in JSON files and compact text in others.
const COLUMNS: [(&str, Kind); 16] = [
    ("id", Kind::Text),
    ("question_id", Kind::Text),
    ("category", Kind::Text),
    ("language", Kind::Text),
    ("literal", Kind::Text),
    ("gold", Kind::Text),
    ("error_type", Kind::Text),
    ("edit", Kind::Text),
    ("selection_label", Kind::Text),
    ("params_label", Kind::Text),
    ("question", Kind::Json),
    ("tool_call", Kind::Json),
    ("tool_definitions", Kind::Json),
    ("possible_answer", Kind::Json),
    // What the scorer reads: definitions in the benchmark's shape, calls by name.
    ("functions", Kind::Json),
    ("call", Kind::Json),
];
/// Those of imported results.
const OF_RESULTS: [(&str, Kind); 2] = [("model", Kind::Text), ("verdict", Kind::Text)];

/// A call of which it is known whether it is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Unique in a table: the question's, what the call was made for, and a number.
    pub id: String,
    pub calls: Vec<ToolCall>,
    pub right: bool,
    /// What is wrong; `None` of right calls.
    pub error_type: Option<String>,
    /// The edit that changed nothing that matters, if there was one.
    pub edit: Option<&'static str>,
    /// Whose call it is, if it is a real one.
    pub model: Option<String>,
}

/// The columns of a table; of imported results with those that only they have.
pub fn schema(of_results: bool) -> Schema {
    let more = OF_RESULTS.into_iter().filter(|_| of_results);
    let column = |(name, kind): (&str, Kind)| Column { name: name.to_owned(), kind };
    Schema::of(COLUMNS.into_iter().chain(more).map(column).collect())
}

impl Row {
    /// The cells in the order of [`schema`].
    pub fn record(&self, question: &Question) -> Record {
        let text = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        let label = |right: Option<bool>| text(right.map(gold));
        let (selection, params) = question.parts(&self.calls, self.right);
        let literal = question.is_literal().map(|literal| if literal { "literal" } else { "inferred" });
        let mut cells = vec![
            text(Some(&self.id)),
            text(Some(&question.cluster)),
            text(Some(&question.category)),
            text(Some(question.language.as_str())),
            text(literal),
            text(Some(gold(self.right))),
            text(self.error_type.as_deref()),
            text(self.edit),
            label(selection),
            label(params),
            question.asked.clone(),
            Json::Array(self.calls.iter().map(ToolCall::to_json).collect()),
            question.definitions.clone(),
            question.possible_answer(),
            question.functions.clone(),
            Json::Array(self.calls.iter().map(by_name).collect()),
        ];
        if let Some(model) = &self.model {
            cells.extend([text(Some(model)), text(Some(gold(self.right)))]);
        }
        Record { cells: cells.into_iter().map(Some).collect(), item: None }
    }
}

fn gold(right: bool) -> &'static str {
    if right { "correct" } else { "incorrect" }
}

/// `{"f": {"a": 1}}`
fn by_name(call: &ToolCall) -> Json {
    let arguments = call.parsed().cloned().unwrap_or_default();
    let mut named = Object::new();
    named.insert(call.name.as_str(), Json::Object(arguments));
    Json::Object(named)
}

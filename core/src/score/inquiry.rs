//! The questions that a scorer would ask a judge, if its peer uses a model.

use crate::domain::{Json, Object, Task};

/// How a scorer asks about its cases, and takes the answers.
pub struct Inquiry {
    /// What is judged.
    pub task: Task,
    /// Whether five grades are asked for.
    pub five_grades: bool,
    /// The row that a judge is shown of a case; `None` where there is nothing to ask, or the case holds an answer.
    pub row: fn(&Object) -> Option<Object>,
    /// Adds the answer to the case.
    pub fill: fn(&mut Object, &Answer),
}

/// What a judge says of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The label that it gave.
    pub label: String,
    /// The label's score.
    pub score: f64,
    /// Whether the label passes.
    pub passes: bool,
    /// Why, where it was asked.
    pub explanation: Option<String>,
}

/// A row of these columns, without those that are null.
pub(super) fn row<const N: usize>(columns: [(&str, Option<Json>); N]) -> Object {
    let there = columns.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    there.filter(|(_, value)| !value.is_null()).collect()
}

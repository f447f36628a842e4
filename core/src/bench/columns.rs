//! Finds the columns with gold labels and the columns to slice by.

use crate::domain::Task;
use crate::domain::gold_columns::{golds, is_gold};

/// The column that holds the gold of `task`: what is right for tool calling, if no column is the task's own.
pub fn gold<'a>(task: Option<Task>, names: &[&'a str]) -> Option<&'a str> {
    golds(task).iter().find_map(|gold| names.iter().find(|name| *name == gold)).copied()
}

/// The column that gold of `task` is best put in: the first that [`gold`] looks for.
pub fn gold_name(task: Option<Task>) -> &'static str {
    golds(task)[0]
}

/// Columns that say what is wrong with a row, the first that is there.
pub const FINDINGS: [&str; 3] = ["gold_findings", "expected_findings", "issues"];

/// Columns by whose values figures are told apart, where there are such columns.
pub const SLICINGS: [&str; 10] = [
    "error_type",
    "edit",
    "kind",
    "category",
    "language",
    "lang",
    "literal",
    "difficulty",
    "domain",
    "model",
];

/// Columns whose rows belong together, the first that is there.
pub const CLUSTERS: [&str; 3] = ["question_id", "transcript_id", "pair"];

/// Columns that name a row.
pub const IDS: [&str; 2] = ["id", "row_id"];

/// The same for reports; of a log, several rows may have the same.
pub const NAMES: [&str; 3] = ["id", "row_id", "source_id"];

/// Columns that say how a row was drawn: the queue, the round, rows drawn in it, rows that it was drawn from, and how probable it was
/// that it would draw this row. The last is empty of rows that were not drawn.
pub const DRAW: [&str; 5] = ["draw_queue", "draw_round", "draw_size", "draw_from", "inclusion_probability"];

/// Whether columns of these names say how rows were drawn: a log may have a `draw_size` of its own.
pub fn has_draws<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    names.any(|name| name == DRAW[0] || name == DRAW[4])
}

/// Whether a column of this name is read without being asked for.
pub fn is_known(name: &str) -> bool {
    is_gold(name) || [&FINDINGS[..], &SLICINGS, &CLUSTERS, &NAMES].iter().any(|names| names.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_a_column_of_its_own() {
        let names = ["verdict", "params_label", "question"];
        assert_eq!(gold(Some(Task::ParameterExtraction), &names), Some("params_label"));
        assert_eq!(gold(Some(Task::ToolSelection), &names), Some("verdict"));
        assert_eq!(gold(None, &["question"]), None);
    }
}

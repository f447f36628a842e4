//! Which columns of a table say what its rows' labels should be, and what kinds of rows there are.

use crate::domain::{Json, Rails, Task};

/// Columns that hold the gold of a task, the likeliest first.
fn golds(task: Option<Task>) -> &'static [&'static str] {
    match task {
        Some(Task::ToolCalling) | None => &["gold", "verdict", "expected_label"],
        Some(Task::ParameterExtraction) => &["params_label", "gold", "verdict", "expected_label"],
        Some(Task::ToolSelection) => &["selection_label", "gold", "verdict", "expected_label"],
    }
}

/// The column that holds the gold of `task`: what is right for tool calling, if no column is the task's own.
pub fn gold<'a>(task: Option<Task>, names: &[&'a str]) -> Option<&'a str> {
    golds(task).iter().find_map(|gold| names.iter().find(|name| *name == gold)).copied()
}

/// Columns by whose values figures are told apart, where there are such columns.
pub const SLICINGS: [&str; 8] =
    ["error_type", "edit", "category", "language", "literal", "difficulty", "domain", "model"];

/// Columns whose rows belong together.
pub const CLUSTERS: [&str; 1] = ["question_id"];

/// Columns that name a row.
pub const IDS: [&str; 2] = ["id", "row_id"];

/// What a gold cell says: `Ok(None)` where it says nothing, `Err` where it says something else than a label.
///
/// Labels are those of `rails`, of which one is right and all others wrong, and `correct` and `incorrect`; true and false, 1
/// and 0 do as well.
pub fn is_right(cell: Option<&Json>, rails: &Rails) -> Result<Option<bool>, String> {
    let text = match cell {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::Bool(right)) => return Ok(Some(*right)),
        Some(Json::String(text)) => text.trim().to_owned(),
        Some(other) => other.to_string(),
    };
    if let Some(rail) = rails.iter().find(|rail| rail.label.eq_ignore_ascii_case(&text)) {
        return Ok(Some(rail.label == rails.positive().label));
    }
    match text.to_ascii_lowercase().as_str() {
        "" | "null" => Ok(None),
        "correct" | "true" | "1" | "1.0" => Ok(Some(true)),
        "incorrect" | "false" | "0" | "0.0" => Ok(Some(false)),
        _ => Err(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_cells() {
        let rails = Rails::correctness();
        for (cell, expected) in [
            (Json::from("correct"), Ok(Some(true))),
            (Json::from(" Incorrect "), Ok(Some(false))),
            (Json::Bool(true), Ok(Some(true))),
            (Json::parse("0").unwrap(), Ok(Some(false))),
            (Json::from("1"), Ok(Some(true))),
            (Json::from(""), Ok(None)),
            (Json::Null, Ok(None)),
            (Json::from("maybe"), Err("maybe".to_owned())),
        ] {
            assert_eq!(is_right(Some(&cell), &rails), expected, "{cell}");
        }
        assert_eq!(is_right(None, &rails), Ok(None));
    }

    #[test]
    fn a_task_has_a_column_of_its_own() {
        let names = ["verdict", "params_label", "question"];
        assert_eq!(gold(Some(Task::ParameterExtraction), &names), Some("params_label"));
        assert_eq!(gold(Some(Task::ToolSelection), &names), Some("verdict"));
        assert_eq!(gold(None, &["question"]), None);
    }
}

//! A row of `tests/cases`, judged by the built-in judge.

use tooljudge_core::check::BuiltinJudge;
use tooljudge_core::domain::{Cell, Json, RawRow, Slot, Task, Variable};
use tooljudge_core::normalize::{Normalizer, Options};

/// A row and the label that the judge gives it.
pub struct JudgedRow {
    row: Json,
    pub task: Task,
    pub label: Option<String>,
}

impl JudgedRow {
    /// Judges a line of JSON by its `task`, or as a whole where it names none.
    pub fn of(line: &str) -> JudgedRow {
        let row = Json::parse(line).unwrap_or_else(|why| panic!("{why}: {line}"));
        let cell = |key: &str| row.get(key).cloned().map_or(Cell::Missing, Cell::from);
        let extras = [
            (Variable::Slot(Slot::ToolResult), cell("tool_result")),
            (Variable::Slot(Slot::NextMessage), cell("next_message")),
        ];
        let raw = RawRow {
            question: cell("question"),
            tool_call: cell("tool_call"),
            tool_definitions: cell("tool_definitions"),
            extras: extras.into(),
        };
        let named = row.get("task").and_then(Json::as_str);
        let task = named
            .map_or(Task::ToolCalling, |name| name.parse().unwrap_or_else(|why| panic!("{why}: {line}")));
        let normalizer = Normalizer::new(Options::default()).unwrap_or_else(|why| panic!("{why}"));
        let sample = normalizer.sample(raw).unwrap_or_else(|why| panic!("{why}: {line}"));
        let label = BuiltinJudge::new(task).judge(&sample).label().map(str::to_owned);
        JudgedRow { row, task, label }
    }

    pub fn text(&self, key: &str) -> &str {
        self.row.get(key).and_then(Json::as_str).unwrap_or_else(|| panic!("no {key} in {}", self.row))
    }

    /// Whether the row says that the judge gets it wrong.
    pub fn is_known_to_be_misjudged(&self) -> bool {
        self.row.get("misjudged") == Some(&Json::Bool(true))
    }
}

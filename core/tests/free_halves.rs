//! What the rules that need no model see of planted faults, and what they say of harmless rows: `tests/cases/free_halves.jsonl`.
//!
//! The rows were written for this test after kinds of faults that real agents make, each another situation, and the rules were mended on
//! them: the figures of `docs/tasks.md` are not of rows that nobody had seen.

#![allow(clippy::unwrap_used, reason = "the lint's exception for tests does not reach their helpers")]

use std::collections::BTreeMap;

use tooljudge_core::check::BuiltinJudge;
use tooljudge_core::domain::{Cell, Json, RawRow, Slot, Task, Variable};
use tooljudge_core::normalize::{Normalizer, Options};

const ROWS: &str = include_str!("../../tests/cases/free_halves.jsonl");
const DOCS: &str = include_str!("../../docs/tasks.md");

/// Rows of a kind by what they were called.
#[derive(Default, Clone, Copy)]
struct Counts {
    failed: usize,
    passed: usize,
    open: usize,
}

#[test]
fn harmless_rows_pass_or_stay_open_and_faults_are_found() {
    let normalizer = Normalizer::new(Options::default()).unwrap();
    let mut kinds: BTreeMap<(bool, String), Counts> = BTreeMap::new();
    for line in ROWS.lines() {
        let row = Json::parse(line).unwrap();
        let text =
            |key: &str| row.get(key).and_then(Json::as_str).unwrap_or_else(|| panic!("no {key} in {line}"));
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
        let task: Task = text("task").parse().unwrap();
        let sample = normalizer.sample(raw).unwrap_or_else(|why| panic!("{}: {why}", text("id")));
        let verdict = BuiltinJudge::new(task).judge(&sample);
        let (_, fail) = task.labels();
        let counts = kinds.entry((text("gold") != fail, text("kind").to_owned())).or_default();
        match verdict.label() {
            None => counts.open += 1,
            Some(label) if label == fail => counts.failed += 1,
            Some(_) => counts.passed += 1,
        }
    }
    let sum = |harmless: bool, of: fn(&Counts) -> usize| {
        kinds.iter().filter(|((own, _), _)| *own == harmless).map(|(_, counts)| of(counts)).sum::<usize>()
    };
    let all = |counts: &Counts| counts.failed + counts.passed + counts.open;
    let (flagged, harmless) = (sum(true, |counts| counts.failed), sum(true, all));
    assert!(flagged * 50 <= harmless, "{flagged} of {harmless} harmless rows are called faulty");
    let line = |((harmless, kind), counts): (&(bool, String), &Counts)| {
        let of = if *harmless { "harmless" } else { "fault" };
        let kind = kind.trim_start_matches("ok_").replace('_', " ");
        let Counts { failed, passed, open } = counts;
        format!("| {of}: {kind} | {} | {failed} | {passed} | {open} |", all(counts))
    };
    let table: Vec<String> = kinds.iter().map(line).collect();
    let table = format!(
        "| | rows | called faulty | called fine | no label |\n|---|---:|---:|---:|---:|\n{}",
        table.join("\n")
    );
    assert!(DOCS.contains(&table), "docs/tasks.md should hold\n{table}");
}

//! What the rules that need no model see of planted faults, and what they say of harmless rows: `tests/cases/free_halves.jsonl`.
//!
//! The rows were written for this test after kinds of faults that real agents make, each another situation, and the rules were mended on
//! them: the figures of `docs/tasks.md` are not of rows that nobody had seen.

use std::collections::BTreeMap;

use crate::judged_row::JudgedRow;

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
    let mut kinds: BTreeMap<(bool, String), Counts> = BTreeMap::new();
    for row in ROWS.lines().map(JudgedRow::of) {
        let (_, fail) = row.task.labels();
        let kind = (row.text("gold") != fail, row.text("kind").to_owned());
        let counts = kinds.entry(kind).or_default();
        match row.label.as_deref() {
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

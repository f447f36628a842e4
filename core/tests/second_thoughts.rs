//! What the built-in judge says of calls that the user does not want any more, of calls made twice, and of results in many words:
//! `tests/cases/second_thoughts.jsonl` and `tests/cases/results_read.jsonl`.
//!
//! Three people wrote them, who had seen neither the rules nor each other's rows. The rules were mended on the half that is called `read`,
//! then once more on what the other half had shown. Rows that are still misjudged say so: whoever mends one takes its mark away.

use std::collections::BTreeMap;

use crate::judged_row::JudgedRow;

const CALLS: &str = include_str!("../../tests/cases/second_thoughts.jsonl");
const RESULTS: &str = include_str!("../../tests/cases/results_read.jsonl");
const CALLS_DOCS: &str = include_str!("../../docs/builtin-judge.md");
const RESULTS_DOCS: &str = include_str!("../../docs/tasks.md");

/// Rows by what they were called.
#[derive(Default)]
struct Counts {
    rows: usize,
    correct: usize,
    incorrect: usize,
}

/// Judges all rows, and counts them by what `kind` says of each, in a table for a page.
fn table(rows: &str, heads: [&str; 3], kind: fn(&JudgedRow) -> String) -> String {
    let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
    let mut off = Vec::new();
    for row in rows.lines().map(JudgedRow::of) {
        let (pass, _) = row.task.labels();
        let counts = kinds.entry(kind(&row)).or_default();
        counts.rows += 1;
        match row.label.as_deref() {
            None => {}
            Some(label) if label == pass => counts.correct += 1,
            Some(_) => counts.incorrect += 1,
        }
        let is_misjudged = row.label.as_deref().is_some_and(|label| label != row.text("gold"));
        if is_misjudged != row.is_known_to_be_misjudged() {
            off.push(format!("{}: {:?}", row.text("id"), row.label));
        }
    }
    assert!(off.is_empty(), "misjudged without a mark, or marked without need:\n{}", off.join("\n"));
    let line = |(kind, counts): (&String, &Counts)| {
        let Counts { rows, correct, incorrect } = counts;
        format!("| {kind} | {rows} | {correct} | {incorrect} | {} |", rows - correct - incorrect)
    };
    let lines: Vec<String> = kinds.iter().map(line).collect();
    let [first, passes, fails] = heads;
    format!(
        "| {first} | rows | {passes} | {fails} | no label |\n|---|---:|---:|---:|---:|\n{}",
        lines.join("\n")
    )
}

#[test]
fn no_call_passes_that_the_user_does_not_want() {
    let kind = |row: &JudgedRow| {
        format!("{}, {}", row.text("kind").trim_end_matches("_harmless").replace('_', " "), row.text("gold"))
    };
    let table = table(CALLS, ["calls", "called correct", "called incorrect"], kind);
    assert!(CALLS_DOCS.contains(&table), "docs/builtin-judge.md should hold\n{table}");
}

#[test]
fn no_failure_is_called_a_success() {
    let kind = |row: &JudgedRow| format!("`{}`, {}", row.task.as_str(), row.text("gold"));
    let table = table(RESULTS, ["results", "passed", "failed"], kind);
    assert!(RESULTS_DOCS.contains(&table), "docs/tasks.md should hold\n{table}");
}

//! The summary of `gold`, for people.

use crate::report::{Column, Table, counted, wrapped};
use crate::run::{GeneratedGold, GoldCounts, ImportedGold, gold_of};

/// Of questions left out for one reason, so many are named.
const NAMED: usize = 10;
/// Before the lines of a sentence that does not fit one.
const INDENT: &str = "          ";

/// What was made, or imported, on lines of `width` columns.
pub fn render(counts: &GoldCounts, width: usize) -> String {
    match counts {
        GoldCounts::Generated(counts) => generated(counts, width),
        GoldCounts::Imported(counts) => wrapped(&imported(counts), INDENT, width),
    }
}

/// A table of kinds, then what was left out and why.
fn generated(counts: &GeneratedGold, width: usize) -> String {
    use Column::{Figure, Name};
    let mut table = Table::new([Name, Name, Figure, Figure, Figure, Figure]);
    table.add_row(["gold", "kind", "written", "made", "discarded", "share"]);
    for (kind, count) in counts.listed() {
        table.add_row([
            gold_of(kind).to_owned(),
            kind.as_str().to_owned(),
            count.written.to_string(),
            count.generated.to_string(),
            count.discarded.to_string(),
            count.discard_rate().map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate)),
        ]);
    }
    let mut lines: Vec<String> = Vec::new();
    let written = |right: bool| -> usize {
        counts
            .listed()
            .filter(|(kind, _)| (gold_of(*kind) == "correct") == right)
            .map(|(_, count)| count.written)
            .sum()
    };
    lines.push(format!(
        "{}, {}, {}",
        counted(counts.questions as u64, "question"),
        counted(written(true) as u64, "right call"),
        counted(written(false) as u64, "wrong one")
    ));
    for (reason, ids) in &counts.unusable {
        lines.push(format!("left out  {}: {reason} ({})", ids.len(), named(ids)));
    }
    if !counts.rejected.is_empty() {
        let ids: Vec<String> = counts.rejected.iter().map(|(id, error)| format!("{id}: {error}")).collect();
        lines.push(format!(
            "left out  {}: the scorer rejects the accepted answer ({})",
            ids.len(),
            named(&ids)
        ));
    }
    format!("{}\n\n{}", table.text(width), wrapped(&lines.join("\n"), INDENT, width))
}

fn named(ids: &[String]) -> String {
    let more = if ids.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", ids.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}

/// Models, then what was left out and why.
fn imported(gold: &ImportedGold) -> String {
    let mut lines = Vec::new();
    for (model, (right, wrong)) in &gold.models {
        lines.push(format!("{model}: {right} right calls, {wrong} wrong ones"));
    }
    for (reason, count) in &gold.skipped {
        lines.push(format!("left out  {count}: {reason}"));
    }
    if !gold.passed_over.is_empty() {
        lines.push(format!("not read  results of {}: no questions of these", gold.passed_over.join(", ")));
    }
    if gold.scored > 0 {
        let few: Vec<&str> = gold.disagreements.iter().take(5).map(String::as_str).collect();
        let which = if few.is_empty() { String::new() } else { format!(" ({})", few.join(", ")) };
        lines.push(format!(
            "{} verdicts are the score files'; of {} of them the scorer says otherwise{which}",
            gold.scored,
            gold.disagreements.len()
        ));
    }
    for answers in &gold.unscored {
        lines.push(format!("no scores for {answers}: the scorer's verdicts count"));
    }
    lines.join("\n")
}

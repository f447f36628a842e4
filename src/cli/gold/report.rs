//! What was made, for human eyes and as JSON.

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use super::making::{Count, Counts};
use crate::gold::Kind;
use crate::report::counted;

/// Of questions left out for one reason, so many are named.
const NAMED: usize = 10;

/// A table of kinds, then what was left out and why.
pub fn render(counts: &Counts) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["gold", "kind", "written", "made", "discarded", "share"]);
    for (kind, count) in listed(counts) {
        table.add_row([
            gold(kind).to_owned(),
            kind.as_str().to_owned(),
            count.written.to_string(),
            count.made.to_string(),
            count.discarded.to_string(),
            discard_rate(count).map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate)),
        ]);
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    let written = |right: bool| -> usize {
        listed(counts)
            .filter(|(kind, _)| (gold(*kind) == "correct") == right)
            .map(|(_, count)| count.written)
            .sum()
    };
    lines.push(String::new());
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
    lines.join("\n")
}

pub fn json(counts: &Counts) -> Value {
    let kind = |(kind, count): (Kind, Count)| {
        json!({
            "kind": kind.as_str(),
            "gold": gold(kind),
            "written": count.written,
            "made": count.made,
            "discarded": count.discarded,
            "discard_rate": discard_rate(count),
        })
    };
    json!({
        "questions": counts.questions,
        "kinds": listed(counts).map(kind).collect::<Vec<_>>(),
        "left_out": counts.unusable,
        "rejected": counts.rejected.iter().map(|(id, error)| json!({ "id": id, "error_type": error })).collect::<Vec<_>>(),
    })
}

fn listed(counts: &Counts) -> impl Iterator<Item = (Kind, Count)> {
    Kind::all().filter_map(|kind| Some((kind, *counts.kinds.get(&kind)?)))
}

fn gold(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Mistake(_)) { "incorrect" } else { "correct" }
}

/// The share of the draws that the scorer did not see as meant.
fn discard_rate(count: Count) -> Option<f64> {
    let drawn = count.made + count.discarded;
    (drawn > 0).then(|| count.discarded as f64 / drawn as f64)
}

fn named(ids: &[String]) -> String {
    let more = if ids.len() > NAMED { ", ..." } else { "" };
    format!("{}{more}", ids.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}

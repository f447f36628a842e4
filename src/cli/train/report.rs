//! The report of a training, for people.

use crate::report::{Column, Table, counted, wrapped};
use crate::run::{FINDING, TrainSummary};
use crate::stats::Estimate;
use crate::train::{Changes, Evaluation, Grouping, SliceChange};
use tooljudge_core::train::Training;

/// Kinds that are listed, and rows that changed.
const KINDS: usize = 20;
const ROWS: usize = 10;
/// Rows with a finding that are worth a note.
const MANY: usize = 10;
/// How much larger a share of rows without a label is worth a note.
const MORE_OPEN: f64 = 0.02;
/// Before the lines of a sentence that does not fit one.
const INDENT: &str = "         ";

/// The report, on lines of `width` columns.
pub fn render(found: &TrainSummary, width: usize) -> String {
    let mut parts = vec![wrapped(&format!("rows     {}", found.counts), INDENT, width)];
    parts.push(candidates(found, width));
    if let Some(changes) = &found.changes {
        parts.push(figures(changes, width));
        parts.extend(kinds(changes, width));
        parts.push(wrapped(&labels(changes), INDENT, width));
    }
    let mut notes = Vec::new();
    if !found.measures_tools {
        notes.push(format!(
            "note     the rows have fewer than {} groups of tools, so it was not measured how the model does with tools that it has not seen",
            Training::LEAST_TOOLS
        ));
    }
    if let Some(changes) = found
        .changes
        .as_ref()
        .filter(|changes| changes.after.abstained > changes.before.abstained + MORE_OPEN)
    {
        notes.push(format!(
            "note     after a tool's result the trained judge abstains where it is close: on {:.0} % of the rows, and as shipped on {:.0} %",
            100.0 * changes.after.abstained,
            100.0 * changes.before.abstained
        ));
    }
    notes.extend(found.changes.iter().flat_map(newly_passed));
    if found.kept.is_some() {
        notes.push(format!(
            "note     {:.0} % of the rows are right; confidences are for 50 %. If that is so of the rows that you label, pass \
             --base-rate {:.2}",
            100.0 * found.share_right,
            found.share_right.clamp(0.01, 0.99),
        ));
    }
    parts.extend((!notes.is_empty()).then(|| wrapped(&notes.join("\n"), INDENT, width)));
    parts.join("\n\n")
}

/// Findings that mostly failed a call as shipped, and mostly do not now: what rows do not show, nobody learns.
fn newly_passed(changes: &Changes) -> Vec<String> {
    let is_new = |slice: &&SliceChange| {
        slice.column == FINDING
            && slice.rows >= MANY
            && slice.passed_after * 2 > slice.rows
            && slice.passed_before * 2 <= slice.rows
    };
    let note = |slice: &SliceChange| {
        format!(
            "note     the trained judge passes {} of {} calls with the finding {}, and as shipped {}: if your rows show no wrong calls \
             of that kind, it will pass such calls too",
            slice.passed_after, slice.rows, slice.value, slice.passed_before
        )
    };
    changes.slices.iter().filter(is_new).map(note).collect()
}

/// Why nothing was written, and what might help.
pub fn refusal(found: &TrainSummary) -> String {
    let reason = |evaluation: &Evaluation| match (&evaluation.failure, evaluation.gains.is_empty()) {
        (Some(why), _) => format!("{}: {why}", evaluation.kind.as_str()),
        (None, true) => format!("{}: not measured", evaluation.kind.as_str()),
        (None, false) => {
            let least =
                evaluation.gains.iter().map(|gain| gain.over_shipped.low).fold(f64::INFINITY, f64::min);
            let nothing = evaluation.gains.iter().any(|gain| gain.over_nothing.low <= 0.0);
            match nothing && least > 0.0 {
                true => {
                    format!("{}: not beyond chance better than looking at nothing", evaluation.kind.as_str())
                }
                false => format!("{}: a gain of {least:.4} or more", evaluation.kind.as_str()),
            }
        }
    };
    let reasons: Vec<String> = found.evaluations.iter().map(reason).collect();
    format!(
        "no model was written: on rows that it has not seen, no candidate is better than the built-in judge as shipped beyond chance \
         ({}). More labels may help (where we measured it, about 300 of one kind of calls seldom did, and 1,400 did), and so may --errata if the gold is in doubt (`tooljudge bench --audit`)",
        reasons.join("; ")
    )
}

fn candidates(found: &TrainSummary, width: usize) -> String {
    use Column::{Figure, Name, Words};
    let mut table = Table::new([Name, Figure, Figure, Words]);
    table.add_row(["candidate", "gain, new questions", "gain, new tools", ""]);
    for evaluation in &found.evaluations {
        let gain = |by: Grouping| {
            let gain = evaluation.gains.iter().find(|gain| gain.by == by);
            gain.map_or("-".to_owned(), |gain| estimate(&gain.over_shipped, 4))
        };
        let kept = match (&evaluation.failure, Some(evaluation.kind) == found.kept) {
            (Some(why), _) => why.clone(),
            (None, true) => "taken".to_owned(),
            (None, false) if evaluation.is_kept() => "better, but less so".to_owned(),
            (None, false) if evaluation.gains.iter().all(|gain| gain.over_shipped.low > 0.0) => {
                "no better than looking at nothing".to_owned()
            }
            (None, false) => "not beyond chance".to_owned(),
        };
        let name = evaluation.kind.as_str().to_owned();
        table.add_row([name, gain(Grouping::Question), gain(Grouping::Tools), kept]);
    }
    format!(
        "{}\n\n{}",
        table.text(width),
        wrapped(
            "gain     how much less the log loss is than as shipped, with its 95 % interval",
            INDENT,
            width
        )
    )
}

fn figures(changes: &Changes, width: usize) -> String {
    use Column::{Figure, Name};
    let mut table = Table::new([Name, Figure, Figure]);
    table.add_row(["rows held out", "as shipped", "trained"]);
    let (before, after) = (&changes.before, &changes.after);
    for (name, before, after) in [
        ("balanced accuracy", before.balanced_accuracy, after.balanced_accuracy),
        ("AUC", before.auc, after.auc),
        ("calibration error", before.ece, after.ece),
    ] {
        let shown = |found: Option<Estimate>| found.map_or("-".to_owned(), |found| estimate(&found, 3));
        table.add_row([name.to_owned(), shown(before), shown(after)]);
    }
    if before.abstained + after.abstained > 0.0 {
        let shown = |share: f64| format!("{:.1} %", 100.0 * share);
        table.add_row(["abstained".to_owned(), shown(before.abstained), shown(after.abstained)]);
    }
    table.text(width)
}

/// Rows labelled as gold has it, by kind, before and after.
fn kinds(changes: &Changes, width: usize) -> Option<String> {
    use Column::{Figure, Name};
    if changes.slices.is_empty() {
        return None;
    }
    let mut table = Table::new([Name, Name, Figure, Figure, Figure]);
    table.add_row(["by", "kind", "rows", "right as shipped", "right trained"]);
    for slice in changes.slices.iter().take(KINDS) {
        table.add_row([
            slice.column.clone(),
            slice.value.clone(),
            slice.rows.to_string(),
            slice.right_before.to_string(),
            slice.right_after.to_string(),
        ]);
    }
    let more = changes.slices.len().saturating_sub(KINDS);
    let more = if more > 0 { format!("\n... and {more} kinds more (--json has all)") } else { String::new() };
    Some(format!("{}{more}", table.text(width)))
}

/// Which labels changed.
fn labels(changes: &Changes) -> String {
    let changed = &changes.changed;
    let count = |now: Option<bool>| changed.iter().filter(|change| change.now == now).count();
    let right = changed.iter().filter(|change| change.now == Some(change.right)).count();
    let mut named: Vec<String> = changed.iter().take(ROWS).map(|change| change.row.to_string()).collect();
    if changed.len() > ROWS {
        named.push("...".to_owned());
    }
    let rows = if named.is_empty() {
        String::new()
    } else {
        format!(" (of the rows read, numbers {})", named.join(", "))
    };
    format!(
        "labels   {} changed, {} to correct, {} to incorrect and {} to none; {right} of the changes agree with gold{rows}",
        counted(changed.len() as u64, "label"),
        count(Some(true)),
        count(Some(false)),
        count(None)
    )
}

fn estimate(found: &Estimate, digits: usize) -> String {
    format!("{:.digits$} ({:.digits$} to {:.digits$})", found.value, found.low, found.high)
}

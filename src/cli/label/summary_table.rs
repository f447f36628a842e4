//! The end of a run, for human eyes.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

use crate::domain::Status;
use crate::run::Summary;

/// What the table cannot know from the counts.
pub struct Circumstances<'a> {
    pub judge: &'a str,
    /// The task or template.
    pub criterion: &'a str,
    pub elapsed: Duration,
    pub output: &'a str,
}

/// Labels, statuses, agreement, tokens, time.
pub fn render(summary: &Summary, circumstances: &Circumstances<'_>) -> String {
    let Circumstances { judge, criterion, elapsed, output } = circumstances;
    let seconds = elapsed.as_secs_f64();
    let mut lines = vec![format!(
        "{} rows judged by {judge} ({criterion}) in {}, {} rows/s",
        summary.rows,
        duration(seconds),
        significant(summary.rows as f64 / seconds.max(1e-9)),
    )];
    lines.push(String::new());
    lines.extend(counts(summary).to_string().lines().map(|line| line.trim_end().to_owned()));
    lines.push(String::new());
    if let Some(gold) = summary.gold.filter(|gold| gold.compared > 0) {
        lines.push(format!(
            "gold     {} of {} labels agree ({})",
            gold.agree,
            gold.compared,
            percent(gold.agree, gold.compared)
        ));
    }
    if summary.prompt_tokens + summary.completion_tokens > 0 {
        lines.push(format!("tokens   {} in, {} out", summary.prompt_tokens, summary.completion_tokens));
    }
    if summary.cached > 0 {
        lines.push(format!("reused   {} rows had their reply already", summary.cached));
    }
    lines.push(format!("written  {output}"));
    lines.join("\n")
}

fn counts(summary: &Summary) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["label", "rows", "share", ""]);
    for (label, rows) in &summary.labels {
        table.add_row([label.clone(), rows.to_string(), percent(*rows, summary.rows), String::new()]);
    }
    for (status, rows) in summary.statuses.iter().filter(|(status, _)| **status != Status::Judged) {
        let why = errors(summary, *status);
        table.add_row([
            format!("({})", status.as_str()),
            rows.to_string(),
            percent(*rows, summary.rows),
            why,
        ]);
    }
    for column in [1, 2] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The commonest reasons of a status that has several.
fn errors(summary: &Summary, status: Status) -> String {
    const SHOWN: usize = 3;
    let Some(codes) = summary.errors.get(&status) else { return String::new() };
    let mut codes: Vec<(&String, &u64)> = codes.iter().collect();
    codes.sort_by_key(|(_, rows)| std::cmp::Reverse(**rows));
    let mut shown: Vec<String> =
        codes.iter().take(SHOWN).map(|(code, rows)| format!("{code} {rows}")).collect();
    if codes.len() > SHOWN {
        shown.push("...".to_owned());
    }
    shown.join(", ")
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn duration(seconds: f64) -> String {
    if seconds < 100.0 {
        format!("{seconds:.2} s")
    } else {
        let whole = seconds as u64;
        format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
    }
}

/// Three digits are all that a rate means.
fn significant(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

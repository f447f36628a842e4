//! The report of an audit for people: flip rates with intervals.

use std::fmt::Write;

use super::numbers::{counted, fixed, interval, value};
use super::plain::{judge as shortened, plain, within, wrapped};
use super::table::{Column, Table};
use crate::audit::{Audited, Finding, Rates};
use crate::stats::Estimate;

/// Columns of the tables, with what they are in files.
const HEADINGS: [&str; 6] = ["", "answers", "flips", "flip rate", "beyond noise", "no label"];

/// What is audited, in the words of a report's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditCounts {
    /// Rows that could be read.
    pub rows: u64,
    /// Rows that could not be read; no judge was asked about them.
    pub unreadable: u64,
    /// Groups of rows of one question.
    pub clusters: u64,
}

/// The whole audit on a terminal, on lines of `width` columns.
pub fn audit_terminal(counts: AuditCounts, audited: &[Audited], width: usize) -> String {
    let mut parts = vec![wrapped(&head(counts), " ", width)];
    for judge in audited {
        let about = about(judge, &shortened(&judge.judge), &plain(&judge.template));
        parts.push(wrapped(&about, "  ", width));
        let columns = HEADINGS.map(|name| if name.is_empty() { Column::Name } else { Column::Figure });
        let mut table = Table::new(columns);
        table.add_row(HEADINGS);
        for (name, rates) in lines(judge) {
            table.add_row(std::iter::once(name).chain(cells(rates)));
        }
        parts.push(table.text(width));
    }
    parts.join("\n\n")
}

/// The whole audit as Markdown; `inputs` are where its rows came from.
pub fn audit_markdown(inputs: &[String], counts: AuditCounts, audited: &[Audited]) -> String {
    let code = |text: &str| format!("`{}`", within(text, 100).replace(['`', '|'], "'"));
    let inputs: Vec<String> = inputs.iter().map(|input| code(input)).collect();
    let mut text = format!(
        "<!-- tooljudge audit -->\n\n# Audit of judges on {}\n\n{}.\n",
        inputs.join(", "),
        head(counts)
    );
    for judge in audited {
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n## {}, {}\n\n{}\n\n",
            code(&judge.judge),
            code(&judge.template),
            about(judge, "", "")
        );
        let _ = writeln!(text, "| probe | what it does | {} |", HEADINGS[1..].join(" | "));
        let _ = writeln!(text, "|---|---|{}", "---:|".repeat(HEADINGS.len() - 1));
        for (name, rates) in lines(judge) {
            let meaning = judge.families.iter().find(|family| std::ptr::eq(&family.rates, rates));
            let cells = cells(rates).map(|cell| cell.replace('\n', " ")).join(" | ");
            let _ = writeln!(
                text,
                "| {} | {} | {cells} |",
                name.trim(),
                meaning.map_or("", |family| family.meaning)
            );
        }
    }
    text
}

fn head(counts: AuditCounts) -> String {
    let (rows, questions) = (counted(counts.rows, "row"), counted(counts.clusters, "question"));
    let unreadable = match counts.unreadable {
        0 => String::new(),
        unreadable => format!(", {unreadable} more unreadable"),
    };
    format!("{rows} of {questions}{unreadable}; shares with their 95 % intervals")
}

fn about(judge: &Audited, name: &str, template: &str) -> String {
    let mut text = match name.is_empty() {
        true => String::new(),
        false => format!("{name}, {template}: "),
    };
    text += &format!("{} with a label were probed", counted(judge.rows, "row"));
    if judge.rows_without_label > 0 {
        text += &format!(", {} got none", judge.rows_without_label);
    }
    if judge.rows_judged_wrongly > 0 {
        text += &format!(", {} had a wrong one by the gold and were not attacked", judge.rows_judged_wrongly);
    }
    if judge.unanswered > 0 {
        text += &format!("; of {} it never answered {}", counted(judge.asked, "question"), judge.unanswered);
    }
    text
}

/// The lines of a judge's table, indented below their sums.
fn lines(judge: &Audited) -> Vec<(String, &Rates)> {
    let indented = |finding: &Finding| format!("  {}", finding.name);
    let mut lines: Vec<(String, &Rates)> = Vec::new();
    lines.extend(judge.noise.iter().map(|noise| ("asked again".to_owned(), noise)));
    for (name, rates, kind) in
        [("all attacks", &judge.attacks, "attack"), ("all changes", &judge.changes, "change")]
    {
        lines.push((name.to_owned(), rates));
        let families = judge.families.iter().filter(|family| family.kind == kind);
        lines.extend(families.map(|family| (indented(family), &family.rates)));
        if kind == "attack" {
            lines.extend(judge.places.iter().map(|place| (format!("  in {}", place.name), &place.rates)));
        }
    }
    lines
}

fn cells(rates: &Rates) -> [String; 5] {
    let estimate = |figure: Option<Estimate>| match figure {
        Some(figure) => format!("{} {}", value(Some(&figure)), interval(Some(&figure))),
        None => "-".to_owned(),
    };
    let beyond = match rates.beyond_noise {
        Some(Estimate { value, low, high }) => format!("{} {} to {}", fixed(value), fixed(low), fixed(high)),
        None => "-".to_owned(),
    };
    [
        rates.answered.to_string(),
        rates.flips.to_string(),
        estimate(rates.flip_rate),
        beyond,
        estimate(rates.unlabelled_rate),
    ]
}

//! A benchmark on a terminal: tables that fit 100 columns.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::numbers::{interval, is_of_one_class, names, percent, recognised, value};
use crate::bench::{Counts, Measured, Slice};

/// Figures of the main table, with their headings.
const FIGURES: [(&str, &str); 6] = [
    ("balanced_accuracy", "balanced\naccuracy"),
    ("kappa", "kappa"),
    ("mcc", "MCC"),
    ("f1_correct", "F1\ncorrect"),
    ("f1_incorrect", "F1\nincorrect"),
    ("auc", "AUC"),
];
/// Judges that fit beside each other.
const BESIDE: usize = 4;
/// Lines of a table by slice; the reports have all.
const MOST_LINES: usize = 30;

/// The whole benchmark: judges of one task beside each other, task by task.
pub fn terminal(counts: &Counts, measured: &[Measured]) -> String {
    let mut tasks: Vec<(&str, &str)> = Vec::new();
    for judge in measured {
        let task = (task(judge), judge.gold.as_str());
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    let mut parts = vec![head(counts)];
    for of in &tasks {
        let judges: Vec<&Measured> =
            measured.iter().filter(|judge| (task(judge), judge.gold.as_str()) == *of).collect();
        parts.push(about(&judges, of.0));
        parts.push(figures(&judges));
        parts.push(labels(&judges));
        parts.extend(["error_type", "edit"].iter().filter_map(|by| recalls(&judges, by)));
        parts.extend(consistency(&judges));
    }
    parts.join("\n\n")
}

/// What is judged; templates that do not say are a task of their own.
fn task(judge: &Measured) -> &str {
    judge.task.unwrap_or(&judge.template)
}

fn head(counts: &Counts) -> String {
    let mut left_out = Vec::new();
    for (rows, why) in [
        (counts.without_gold - counts.strange_gold.min(counts.without_gold), "without gold"),
        (counts.duplicates, "the same as others"),
        (counts.strange_gold, "with a gold that is no label"),
    ] {
        if rows > 0 {
            left_out.push(format!("{rows} {why}"));
        }
    }
    let left_out =
        if left_out.is_empty() { String::new() } else { format!("; left out: {}", left_out.join(", ")) };
    format!(
        "{} rows of {} questions{left_out}; figures with their 95 % intervals",
        counts.benched, counts.clusters
    )
}

/// The task, and how many rows are right and wrong by its gold.
fn about(judges: &[&Measured], task: &str) -> String {
    let Some(first) = judges.first() else { return String::new() };
    let counts = &first.overall.confusion;
    let times = first.repeats.max(1) as u64;
    format!(
        "{task}: {} correct, {} incorrect by the column `{}`",
        (counts.true_positive + counts.false_negative + counts.unjudged_positive) / times,
        (counts.true_negative + counts.false_positive + counts.unjudged_negative) / times,
        first.gold
    )
}

fn figures(measured: &[&Measured]) -> String {
    let mut table = plain();
    let mut header = vec!["judge".to_owned(), "no\nlabel".to_owned()];
    header.extend(FIGURES.map(|(_, heading)| heading.to_owned()));
    let priced = measured.iter().any(|judge| judge.usage.and_then(|usage| usage.cost_usd_per_1000).is_some());
    if priced {
        header.push("$ per\n1,000".to_owned());
    }
    table.set_header(header);
    for (judge, name) in measured.iter().zip(names(measured)) {
        let overall = &judge.overall;
        let mut row = vec![Cell::new(name), Cell::new(overall.confusion.unjudged())];
        row.extend(FIGURES.map(|(figure, _)| {
            let figure = overall.figures.get(figure);
            Cell::new(format!("{}\n{}", value(figure), interval(figure)))
        }));
        if priced {
            let cost = judge.usage.and_then(|usage| usage.cost_usd_per_1000);
            row.push(Cell::new(cost.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.3}"))));
        }
        table.add_row(row);
    }
    align(&mut table, 1);
    shown(&table)
}

/// What right and wrong calls were labelled as.
fn labels(measured: &[&Measured]) -> String {
    let mut table = plain();
    let heading = |calls: &str, what: &str| format!("{calls}\n{what}");
    table.set_header([
        "\njudge".to_owned(),
        heading("right calls", "passed"),
        heading("", "failed"),
        heading("", "no label"),
        heading("wrong calls", "passed"),
        heading("", "failed"),
        heading("", "no label"),
    ]);
    for (judge, name) in measured.iter().zip(names(measured)) {
        let counts = &judge.overall.confusion;
        let right = counts.true_positive + counts.false_negative;
        let wrong = counts.false_positive + counts.true_negative;
        let of = |part: u64, whole: u64| format!("{part} ({})", percent(part, whole));
        table.add_row([
            name,
            of(counts.true_positive, right),
            of(counts.false_negative, right),
            counts.unjudged_positive.to_string(),
            of(counts.false_positive, wrong),
            of(counts.true_negative, wrong),
            counts.unjudged_negative.to_string(),
        ]);
    }
    align(&mut table, 1);
    shown(&table)
}

/// Which share of the rows of each kind is recognised for what it is.
fn recalls(measured: &[&Measured], by: &str) -> Option<String> {
    let names = names(measured);
    let judges: Vec<(&Measured, &String)> =
        measured.iter().copied().zip(&names).filter(|(judge, _)| !judge.baseline).take(BESIDE).collect();
    let (first, _) = judges.first()?;
    let of = |judge: &'_ Measured| -> Vec<Slice> {
        judge.slices.iter().filter(|slice| slice.by.as_deref() == Some(by)).cloned().collect()
    };
    let kinds: Vec<Slice> = of(first).into_iter().filter(is_of_one_class).collect();
    if kinds.is_empty() {
        return None;
    }
    let mut table = plain();
    let mut header = vec![by.to_owned(), "rows".to_owned()];
    header.extend(judges.iter().map(|(_, name)| format!("recognised by\n{name}")));
    table.set_header(header);
    for kind in kinds.iter().take(MOST_LINES) {
        let mut row = vec![kind.value.clone().unwrap_or_default(), kind.rows.to_string()];
        for (judge, _) in &judges {
            let slice = of(judge).into_iter().find(|slice| slice.value == kind.value);
            row.push(slice.as_ref().and_then(recognised).map_or_else(String::new, |(figure, _, _)| {
                format!("{}  {}", value(Some(figure)), interval(Some(figure)))
            }));
        }
        table.add_row(row);
    }
    align(&mut table, 1);
    let more = match kinds.len().saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("\n ... and {more} more, in the reports"),
    };
    Some(shown(&table) + &more)
}

fn consistency(measured: &[&Measured]) -> Option<String> {
    let lines: Vec<String> = measured
        .iter()
        .zip(names(measured))
        .filter_map(|(judge, name)| {
            let asked = judge.consistency?;
            Some(format!(
                " {name}, asked {} times: two answers differ with probability {} ({}), kappa {} ({})",
                asked.repeats,
                value(asked.flip_rate.as_ref()),
                interval(asked.flip_rate.as_ref()),
                value(asked.kappa.as_ref()),
                interval(asked.kappa.as_ref()),
            ))
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn align(table: &mut Table, from: usize) {
    for column in table.column_iter_mut().skip(from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn shown(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

//! A benchmark as Markdown, for pull requests and wikis.

use std::fmt::Write;

use super::numbers::{interval, is_of_one_class, names, percent, recognised, value};
use crate::bench::{Agreement, Counts, Measured, Slice};

/// All figures, with their intervals.
const FIGURES: [(&str, &str); 11] = [
    ("accuracy", "accuracy"),
    ("balanced_accuracy", "balanced accuracy"),
    ("kappa", "kappa"),
    ("mcc", "MCC"),
    ("f1_correct", "F1 correct"),
    ("precision_correct", "precision correct"),
    ("recall_correct", "recall correct"),
    ("f1_incorrect", "F1 incorrect"),
    ("precision_incorrect", "precision incorrect"),
    ("recall_incorrect", "recall incorrect"),
    ("auc", "AUC"),
];

/// The whole benchmark; `inputs` are where its rows came from.
pub fn markdown(
    inputs: &[String],
    counts: &Counts,
    measured: &[Measured],
    agreement: &[Agreement],
) -> String {
    let names = names(measured);
    let mut text = format!(
        "<!-- tooljudge bench -->\n\n# Judges on {}\n\n{} rows of {} questions: {} correct, {} incorrect. Figures are over rows with a label, with \
         their 95 % intervals; rows of one question are not taken for independent.\n",
        inputs.iter().map(|input| code(input)).collect::<Vec<_>>().join(", "),
        counts.benched,
        counts.clusters,
        counts.correct,
        counts.incorrect,
    );
    section(&mut text, "Figures");
    header(&mut text, "", &names);
    line(&mut text, "rows", measured.iter().map(|judge| judge.overall.rows.to_string()));
    line(
        &mut text,
        "without a label",
        measured.iter().map(|judge| judge.overall.confusion.unjudged().to_string()),
    );
    for (figure, heading) in FIGURES {
        line(&mut text, heading, measured.iter().map(|judge| with_interval(&judge.overall, figure)));
    }
    let cost = |judge: &Measured| {
        let cost = judge.usage.and_then(|usage| usage.cost_usd_per_1000);
        cost.map_or_else(String::new, |cost| format!("{cost:.4}"))
    };
    if measured.iter().any(|judge| !cost(judge).is_empty()) {
        line(&mut text, "US$ per 1,000 rows", measured.iter().map(cost));
    }
    section(&mut text, "Labels");
    header(&mut text, "", &names);
    for (heading, part) in LABELS {
        line(&mut text, heading, measured.iter().map(part));
    }
    slices(&mut text, measured, &names);
    pairs(&mut text, &names, agreement);
    text
}

type Part = fn(&Measured) -> String;

/// What right and wrong calls were labelled as.
const LABELS: [(&str, Part); 6] = [
    ("right calls passed", |judge| {
        let counts = &judge.overall.confusion;
        of(counts.true_positive, counts.true_positive + counts.false_negative)
    }),
    ("right calls failed", |judge| {
        let counts = &judge.overall.confusion;
        of(counts.false_negative, counts.true_positive + counts.false_negative)
    }),
    ("right calls without a label", |judge| judge.overall.confusion.unjudged_positive.to_string()),
    ("wrong calls passed", |judge| {
        let counts = &judge.overall.confusion;
        of(counts.false_positive, counts.false_positive + counts.true_negative)
    }),
    ("wrong calls failed", |judge| {
        let counts = &judge.overall.confusion;
        of(counts.true_negative, counts.false_positive + counts.true_negative)
    }),
    ("wrong calls without a label", |judge| judge.overall.confusion.unjudged_negative.to_string()),
];

fn of(part: u64, whole: u64) -> String {
    format!("{part} ({})", percent(part, whole))
}

/// By each column: the recall of slices that are all right or all wrong, else the balanced accuracy.
fn slices(text: &mut String, measured: &[Measured], names: &[String]) {
    let mut columns: Vec<&str> = Vec::new();
    for by in measured.iter().flat_map(|judge| &judge.slices).filter_map(|slice| slice.by.as_deref()) {
        if !columns.contains(&by) {
            columns.push(by);
        }
    }
    for by in columns {
        let of_column: Vec<Vec<&Slice>> = measured
            .iter()
            .map(|judge| judge.slices.iter().filter(|slice| slice.by.as_deref() == Some(by)).collect())
            .collect();
        let Some(kinds) = of_column.iter().max_by_key(|slices| slices.len()) else { continue };
        let one_class = kinds.iter().all(|slice| is_of_one_class(slice));
        section(
            text,
            &format!("By {}: {}", by, if one_class { "share recognised" } else { "balanced accuracy" }),
        );
        header(text, &format!("{by} (rows)"), names);
        for kind in kinds {
            let cells = of_column.iter().map(|slices| {
                let slice = slices.iter().find(|slice| slice.value == kind.value);
                slice.map_or_else(String::new, |slice| match recognised(slice) {
                    Some((figure, _, _)) => format!("{} ({})", value(Some(figure)), interval(Some(figure))),
                    None if one_class => String::new(),
                    None => with_interval(slice, "balanced_accuracy"),
                })
            });
            line(text, &format!("{} ({})", kind.value.as_deref().unwrap_or_default(), kind.rows), cells);
        }
    }
}

fn pairs(text: &mut String, names: &[String], agreement: &[Agreement]) {
    if agreement.is_empty() {
        return;
    }
    section(text, "Judges beside each other");
    let columns = ["rows", "labels alike", "kappa", "only the first right", "only the second right"];
    header(text, "judges", &columns.map(str::to_owned));
    for pair in agreement {
        let figure =
            |figure: Option<&crate::stats::Estimate>| format!("{} ({})", value(figure), interval(figure));
        let cells = [
            pair.rows.to_string(),
            figure(pair.agree.as_ref()),
            figure(pair.kappa.as_ref()),
            pair.only_a_right.to_string(),
            pair.only_b_right.to_string(),
        ];
        line(text, &format!("{}, {}", names[pair.a], names[pair.b]), cells.into_iter());
    }
}

fn with_interval(slice: &Slice, figure: &str) -> String {
    match slice.figures.get(figure) {
        Some(figure) => format!("{} ({})", value(Some(figure)), interval(Some(figure))),
        None => String::new(),
    }
}

fn section(text: &mut String, title: &str) {
    // Writing to a text cannot fail.
    let _ = write!(text, "\n## {}\n\n", plain(title));
}

fn header(text: &mut String, first: &str, columns: &[String]) {
    line(text, first, columns.iter().cloned());
    let _ = writeln!(text, "|---|{}", "---:|".repeat(columns.len()));
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.map(|cell| plain(&cell)).collect();
    let _ = writeln!(text, "| {} | {} |", plain(first), cells.join(" | "));
}

/// `text` on one line, and nothing in it that Markdown or HTML would take for more than text.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' => plain.extend(['\\', char]),
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            char if char.is_control() => plain.push(' '),
            char => plain.push(char),
        }
    }
    plain
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace(|c: char| c.is_control() || c == '`', " "))
}

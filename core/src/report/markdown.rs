//! A benchmark as Markdown, for pull requests and wikis.

use std::fmt::Write;

use super::numbers::{
    columns, counted, interval, is_of_one_class, left_out, names, percent, recognised, remarks, value,
};
use super::plain::{visible, within};
use crate::bench::{Agreement, Counts, FindingFigures, Grades, Measured, Slice, UsageRecord};
use crate::stats::{Confusion, Estimate};

/// All figures, with their intervals.
const FIGURES: [(&str, &str); 12] = [
    ("accuracy", "accuracy"),
    ("balanced_accuracy", "balanced accuracy"),
    ("kappa", "kappa"),
    ("weighted_kappa", "weighted kappa"),
    ("mcc", "MCC"),
    ("f1_correct", "F1 correct"),
    ("precision_correct", "precision correct"),
    ("recall_correct", "recall correct"),
    ("f1_incorrect", "F1 incorrect"),
    ("precision_incorrect", "precision incorrect"),
    ("recall_incorrect", "recall incorrect"),
    ("auc", "AUC"),
];
/// Lines of a table by slice; the JSON record has all.
const MAX_LINES: usize = 60;
/// The most columns that a name or a value takes.
const MAX_NAME_LENGTH: usize = 100;

/// The whole benchmark; `inputs` are where its rows came from.
pub fn markdown(
    inputs: &[String],
    counts: &Counts,
    measured: &[Measured],
    agreement: &[Agreement],
) -> String {
    let names: Vec<String> = names(measured).iter().map(|name| within(name, MAX_NAME_LENGTH)).collect();
    let mut text = format!(
        "<!-- tooljudge bench -->\n\n# Judges on {}\n\n{} of {}: {} correct, {} incorrect{}. Figures are over rows with a label, with \
         their 95 % intervals; rows of one question are not taken for independent.\n",
        inputs.iter().map(|input| code(input)).collect::<Vec<_>>().join(", "),
        counted(counts.benched, "row"),
        counted(counts.clusters, "question"),
        counts.correct,
        counts.incorrect,
        remarks(counts),
    );
    let mut table =
        |title: &str, rows: &[(&str, Part<'_>)]| tabulate(&mut text, title, &names, measured, rows);
    table("Figures", &figure_rows());
    table("Bounds: rows without a label at worst and at best", &bound_rows());
    table("Labels", &label_rows());
    let statuses: Vec<&str> = statuses(measured);
    table("How rows ended", &status_rows(&statuses));
    table("Calibration of the confidence", &calibration_rows());
    table("Consistency of answers to the same question", &consistency_rows());
    table("Grades", &grade_rows());
    table("Findings", &finding_rows());
    table("Usage", &usage_rows());
    slices(&mut text, measured, &names);
    pairs(&mut text, &names, agreement);
    text
}

/// What a row of a table says of a judge; nothing where it has nothing to say.
type Part<'a> = Box<dyn Fn(&Measured) -> String + 'a>;

/// A table with a column for each judge, without the rows in which no judge has anything, and not at all without rows.
fn tabulate(
    text: &mut String,
    title: &str,
    names: &[String],
    measured: &[Measured],
    rows: &[(&str, Part<'_>)],
) {
    let rows: Vec<(&str, Vec<String>)> = rows
        .iter()
        .map(|(heading, part)| (*heading, measured.iter().map(part).collect()))
        .filter(|(_, cells): &(&str, Vec<String>)| cells.iter().any(|cell| !cell.is_empty()))
        .collect();
    if rows.is_empty() {
        return;
    }
    section(text, title);
    header(text, "", names);
    for (heading, cells) in rows {
        line(text, heading, cells.into_iter());
    }
}

fn figure_rows() -> Vec<(&'static str, Part<'static>)> {
    let mut rows: Vec<(&str, Part<'_>)> = vec![
        ("rows", Box::new(|judge| judge.overall.rows.to_string())),
        ("without a label", Box::new(|judge| judge.overall.confusion.unjudged().to_string())),
        ("coverage: share of rows with a label", Box::new(|judge| figured(judge.overall.coverage.as_ref()))),
    ];
    rows.extend::<[(&str, Part<'_>); 3]>([
        (
            "settled before a model was asked",
            Box::new(|judge| judge.settled.as_ref().map_or_else(String::new, |own| own.settled.to_string())),
        ),
        (
            "of these, `correct` that holds",
            Box::new(|judge| {
                figured(judge.settled.as_ref().and_then(|settled| settled.precision_correct.as_ref()))
            }),
        ),
        (
            "of these, `incorrect` that holds",
            Box::new(|judge| {
                figured(judge.settled.as_ref().and_then(|settled| settled.precision_incorrect.as_ref()))
            }),
        ),
    ]);
    rows.extend(FIGURES.map(|(figure, heading)| -> (&str, Part<'_>) {
        (heading, Box::new(move |judge| figured(judge.overall.figures.get(figure))))
    }));
    rows
}

fn bound_rows() -> Vec<(&'static str, Part<'static>)> {
    let row = |(figure, heading)| -> (&str, Part<'_>) {
        let bounds = move |judge: &Measured| match judge.overall.bounds.get(figure) {
            Some((low, high)) => format!("{low:.3} to {high:.3}"),
            None => String::new(),
        };
        (heading, Box::new(bounds))
    };
    FIGURES.map(row).into()
}

fn statuses(measured: &[Measured]) -> Vec<&'static str> {
    let mut statuses: Vec<&str> = measured.iter().flat_map(|judge| judge.statuses.keys().copied()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

fn status_rows<'a>(statuses: &[&'a str]) -> Vec<(&'a str, Part<'a>)> {
    let row = |status: &&'a str| -> (&'a str, Part<'a>) {
        let status = *status;
        (status, Box::new(move |judge| judge.statuses.get(status).copied().unwrap_or(0).to_string()))
    };
    statuses.iter().map(row).collect()
}

fn calibration_rows() -> Vec<(&'static str, Part<'static>)> {
    vec![
        (
            "rows with a probability",
            Box::new(|judge| {
                judge.calibration.as_ref().map_or_else(String::new, |found| found.rows.to_string())
            }),
        ),
        (
            "Brier score (0 is best)",
            Box::new(|judge| figured(judge.calibration.as_ref().and_then(|found| found.brier.as_ref()))),
        ),
        (
            "expected calibration error",
            Box::new(|judge| figured(judge.calibration.as_ref().and_then(|found| found.ece.as_ref()))),
        ),
    ]
}

fn consistency_rows() -> Vec<(&'static str, Part<'static>)> {
    vec![
        (
            "times asked",
            Box::new(|judge| judge.consistency.map_or_else(String::new, |asked| asked.repeats.to_string())),
        ),
        (
            "two answers differ with probability",
            Box::new(|judge| figured(judge.consistency.and_then(|asked| asked.flip_rate).as_ref())),
        ),
        ("kappa", Box::new(|judge| figured(judge.consistency.and_then(|asked| asked.kappa).as_ref()))),
    ]
}

fn grade_rows() -> Vec<(&'static str, Part<'static>)> {
    fn of(told: impl Fn(&Grades) -> Option<String> + 'static) -> Part<'static> {
        Box::new(move |judge| judge.grades.as_ref().and_then(&told).unwrap_or_default())
    }
    vec![
        ("grades", of(|grades| Some(grades.grades.to_string()))),
        ("labels with a grade as gold", of(|grades| Some(grades.rows.to_string()))),
        ("labels whose gold is not a grade", of(|grades| Some(grades.without_grade.to_string()))),
        ("weighted kappa is not defined", of(|grades| grades.undefined.map(str::to_owned))),
    ]
}

fn finding_rows() -> Vec<(&'static str, Part<'static>)> {
    fn of(told: impl Fn(&FindingFigures) -> String + 'static) -> Part<'static> {
        Box::new(move |judge| judge.findings.as_ref().map(&told).unwrap_or_default())
    }
    vec![
        ("findings of gold", of(|found| found.overall.gold.to_string())),
        ("found in their place", of(|found| figured(found.overall.located.as_ref()))),
        ("found as their kind", of(|found| figured(found.overall.named.as_ref()))),
        ("findings of the judge", of(|found| found.overall.said.to_string())),
        ("in the place of one of gold's", of(|found| figured(found.overall.precision.as_ref()))),
        ("rows whose reply lists none", of(|found| found.unlisted.to_string())),
    ]
}

fn usage_rows() -> Vec<(&'static str, Part<'static>)> {
    fn of(told: impl Fn(&UsageRecord) -> Option<String> + 'static) -> Part<'static> {
        Box::new(move |judge| judge.usage.as_ref().and_then(&told).unwrap_or_default())
    }
    let dollars = |dollars: Option<f64>| dollars.map(|dollars| format!("{dollars:.4}"));
    vec![
        ("US$", of(move |usage| dollars(usage.cost_usd))),
        ("US$ per 1,000 rows", of(move |usage| dollars(usage.cost_usd_per_1000))),
        ("tokens of prompts", of(|usage| Some(usage.prompt_tokens.to_string()))),
        ("tokens of answers", of(|usage| Some(usage.completion_tokens.to_string()))),
        ("milliseconds, half of the answers within", of(|usage| Some(usage.latency_ms?.p50.to_string()))),
        ("milliseconds, 95 of 100 answers within", of(|usage| Some(usage.latency_ms?.p95.to_string()))),
        ("answers out of the store", of(|usage| Some(usage.cached.to_string()))),
    ]
}

/// What right and wrong calls were labelled as.
fn label_rows() -> Vec<(&'static str, Part<'static>)> {
    fn counts(told: impl Fn(&Confusion) -> String + 'static) -> Part<'static> {
        Box::new(move |judge| told(&judge.overall.confusion))
    }
    vec![
        ("right calls passed", counts(|of| share(of.true_positive, of.false_negative))),
        ("right calls failed", counts(|of| share(of.false_negative, of.true_positive))),
        ("right calls without a label", counts(|of| of.unjudged_positive.to_string())),
        ("wrong calls passed", counts(|of| share(of.false_positive, of.true_negative))),
        ("wrong calls failed", counts(|of| share(of.true_negative, of.false_positive))),
        ("wrong calls without a label", counts(|of| of.unjudged_negative.to_string())),
    ]
}

/// A count, and its share of it and the others.
fn share(count: u64, others: u64) -> String {
    format!("{count} ({})", percent(count, count + others))
}

/// By each column: the recall of slices that are all right or all wrong, else the balanced accuracy.
fn slices(text: &mut String, measured: &[Measured], names: &[String]) {
    for by in columns(measured) {
        let Some(most) = measured.iter().max_by_key(|judge| judge.by(by).count()) else { continue };
        let kinds: Vec<&Slice> = most.by(by).collect();
        let one_class = kinds.iter().all(|slice| is_of_one_class(slice));
        let column = within(by, MAX_NAME_LENGTH);
        section(
            text,
            &format!("By {column}: {}", if one_class { "share recognized" } else { "balanced accuracy" }),
        );
        header(text, &format!("{column} (rows)"), names);
        for kind in kinds.iter().take(MAX_LINES) {
            let cells = measured.iter().map(|judge| {
                let slice = judge.by(by).find(|slice| slice.value == kind.value);
                slice.map_or_else(String::new, |slice| match recognised(slice) {
                    Some((figure, _, _)) => figured(Some(figure)),
                    None if one_class => String::new(),
                    None => figured(slice.figures.get("balanced_accuracy")),
                })
            });
            let value = within(kind.value.as_deref().unwrap_or_default(), MAX_NAME_LENGTH);
            line(text, &format!("{value} ({})", kind.rows), cells);
        }
        let more = kinds.len().saturating_sub(MAX_LINES);
        if more > 0 {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "\nAnd {more} more, with fewer rows, in the JSON record.");
        }
    }
    for column in left_out(measured) {
        let by = escaped(&within(&column.by, MAX_NAME_LENGTH));
        let _ = writeln!(text, "\nNo figures by {by}: it has {} values.", column.values);
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
        let cells = [
            pair.rows.to_string(),
            figured(pair.agree.as_ref()),
            figured(pair.kappa.as_ref()),
            pair.only_a_right.to_string(),
            pair.only_b_right.to_string(),
        ];
        line(text, &format!("{}, {}", names[pair.a], names[pair.b]), cells.into_iter());
    }
}

/// A figure with its interval; nothing where there is none.
fn figured(figure: Option<&Estimate>) -> String {
    match figure {
        Some(_) => format!("{} ({})", value(figure), interval(figure)),
        None => String::new(),
    }
}

fn section(text: &mut String, title: &str) {
    // Writing to a text cannot fail.
    let _ = write!(text, "\n## {}\n\n", escaped(title));
}

fn header(text: &mut String, first: &str, columns: &[String]) {
    line(text, first, columns.iter().cloned());
    let _ = writeln!(text, "|---|{}", "---:|".repeat(columns.len()));
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.map(|cell| escaped(&cell)).collect();
    let _ = writeln!(text, "| {} | {} |", escaped(first), cells.join(" | "));
}

/// `text` on one line, and nothing in it that Markdown or HTML would take for more than text.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars().map(visible) {
        match char {
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' => escaped.extend(['\\', char]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            char => escaped.push(char),
        }
    }
    escaped
}

fn code(text: &str) -> String {
    let text: String = text.chars().map(visible).map(|char| if char == '`' { ' ' } else { char }).collect();
    format!("`{text}`")
}

//! A benchmark on a terminal: tables and sentences that fit its width.

use super::numbers::{
    counted, interval, is_of_one_class, left_out, names, percent, recognised, remarks, value, without_label,
};
use super::plain::{folded, judge as shortened, plain, within, wrapped};
use super::table::{Column, Table};
use crate::bench::{Counts, Measured, Slice};
use crate::stats::Estimate;

/// Figures of the main table, with their headings.
const FIGURES: [(&str, &str); 6] = [
    ("balanced_accuracy", "balanced\naccuracy"),
    ("kappa", "kappa"),
    ("mcc", "MCC"),
    ("f1_correct", "F1\ncorrect"),
    ("f1_incorrect", "F1\nincorrect"),
    ("auc", "AUC"),
];
/// The only figure of rows that are all right, and of rows that are all wrong.
const ALL_RIGHT: (&str, &str) = ("recall_correct", "right calls\nrecognized");
const ALL_WRONG: (&str, &str) = ("recall_incorrect", "wrong calls\nrecognized");
/// Judges that fit beside each other.
const BESIDE: usize = 4;
/// Lines of a table by slice; the reports have more.
const MAX_LINES: usize = 30;

/// A judge with the name that it is shown under.
type Named<'a> = (&'a Measured, String);

/// The whole benchmark on lines of `width` columns: judges of one task beside each other, task by task.
pub fn terminal(counts: &Counts, measured: &[Measured], width: usize) -> String {
    let mut tasks: Vec<(&str, &str)> = Vec::new();
    for judge in measured {
        let task = (task(judge), judge.gold.as_str());
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    let mut parts = vec![head(counts, width)];
    for of in &tasks {
        let judges: Vec<&Measured> =
            measured.iter().filter(|judge| (task(judge), judge.gold.as_str()) == *of).collect();
        let names = names(&judges).into_iter().map(|name| shortened(&name));
        let judges: Vec<Named<'_>> = judges.iter().copied().zip(names).collect();
        parts.push(about(&judges, of.0, width));
        parts.push(figures(&judges).text(width));
        parts.push(labels(&judges).text(width));
        parts.extend(unlabelled(&judges, width));
        parts.extend(settled(&judges, width));
        parts.extend(["error_type", "edit", "kind"].iter().filter_map(|by| recalls(&judges, by, width)));
        parts.extend(too_many_values(&judges, width));
        parts.extend(consistency(&judges, width));
        parts.extend(grades(&judges, width));
        parts.extend(judges.iter().filter_map(|judge| findings(judge, width)));
    }
    parts.join("\n\n")
}

/// What is judged; templates that do not say are a task of their own.
fn task(judge: &Measured) -> &str {
    judge.task.unwrap_or(&judge.template)
}

fn head(counts: &Counts, width: usize) -> String {
    let (rows, questions) = (counted(counts.benched, "row"), counted(counts.clusters, "question"));
    wrapped(
        &format!("{rows} of {questions}{}; figures with their 95 % intervals", remarks(counts)),
        " ",
        width,
    )
}

/// The task, and how many rows are right and wrong by its gold.
fn about(judges: &[Named<'_>], task: &str, width: usize) -> String {
    let Some((first, _)) = judges.first() else { return String::new() };
    let times = first.repeats.max(1) as u64;
    let (right, wrong) = (first.overall.right() / times, first.overall.wrong() / times);
    let (task, gold) = (plain(task), plain(&first.gold));
    wrapped(&format!("{task}: {right} correct, {wrong} incorrect by the column `{gold}`"), " ", width)
}

fn figures(judges: &[Named<'_>]) -> Table {
    let all_right = judges.iter().all(|(judge, _)| judge.overall.wrong() == 0);
    let shown: &[(&str, &str)] = match judges.iter().all(|(judge, _)| is_of_one_class(&judge.overall)) {
        true if all_right => &[ALL_RIGHT],
        true => &[ALL_WRONG],
        false => &FIGURES,
    };
    let cost = |judge: &Measured| judge.usage.and_then(|usage| usage.cost_usd_per_1000);
    let priced = judges.iter().any(|(judge, _)| cost(judge).is_some());
    let mut header = vec!["judge", "labeled"];
    header.extend(shown.iter().map(|(_, heading)| heading));
    header.extend(priced.then_some("$ per\n1,000"));
    let mut table = Table::new(named(header.len()));
    table.add_row(header);
    for (judge, name) in judges {
        let overall = &judge.overall;
        let mut row = vec![name.clone(), share_labelled(overall)];
        row.extend(shown.iter().map(|(figure, _)| {
            let figure = overall.figures.get(figure);
            format!("{}\n{}", value(figure), interval(figure))
        }));
        if priced {
            row.push(cost(judge).map_or_else(|| "-".to_owned(), |cost| format!("{cost:.3}")));
        }
        table.add_row(row);
    }
    table
}

/// How many rows the figures are over, and which share of all that is.
fn share_labelled(slice: &Slice) -> String {
    let (labelled, none) = (slice.confusion.judged(), slice.confusion.unjudged());
    format!("{labelled}\n{}", percent(labelled, labelled + none))
}

/// The columns of a table of names with figures.
fn named(columns: usize) -> impl Iterator<Item = Column> {
    std::iter::once(Column::Name).chain(std::iter::repeat_n(Column::Figure, columns - 1))
}

/// What right and wrong calls were labelled as.
fn labels(judges: &[Named<'_>]) -> Table {
    use Column::{Figure, Joined, Name};
    let mut table = Table::new([Name, Figure, Joined, Joined, Figure, Joined, Joined]);
    table.add_row([
        "\njudge",
        "right calls\npassed",
        "\nfailed",
        "\nno label",
        "wrong calls\npassed",
        "\nfailed",
        "\nno label",
    ]);
    for (judge, name) in judges {
        let counts = &judge.overall.confusion;
        let right = counts.true_positive + counts.false_negative;
        let wrong = counts.false_positive + counts.true_negative;
        let of = |part: u64, whole: u64| format!("{part} ({})", percent(part, whole));
        table.add_row([
            name.clone(),
            of(counts.true_positive, right),
            of(counts.false_negative, right),
            counts.unjudged_positive.to_string(),
            of(counts.false_positive, wrong),
            of(counts.true_negative, wrong),
            counts.unjudged_negative.to_string(),
        ]);
    }
    table
}

/// The figures whose bounds are shown: the first that there is.
const BOUNDED: [(&str, &str); 3] = [
    ("balanced_accuracy", "balanced accuracy"),
    (ALL_RIGHT.0, "share recognized"),
    (ALL_WRONG.0, "share recognized"),
];

/// How rows without a label ended, and what the main figure would be at worst and at best had they one.
fn unlabelled(judges: &[Named<'_>], width: usize) -> Option<String> {
    let line = |(judge, name): &Named<'_>| {
        let bounds = |(figure, words)| Some((words, judge.overall.bounds.get(figure)?));
        let (words, (low, high)) = BOUNDED.into_iter().find_map(bounds)?;
        let ends = without_label(judge);
        let line = format!(" {name}, no label: {ends}; were they labeled, {words} {low:.3} to {high:.3}");
        Some(wrapped(&line, "   ", width))
    };
    let lines: Vec<String> = judges.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a judge that looks first settled, and how much of that holds.
fn settled(judges: &[Named<'_>], width: usize) -> Option<String> {
    let line = |(judge, name): &Named<'_>| {
        let found = judge.settled.as_ref()?;
        let of = |label, figure: &Option<Estimate>| match figure {
            Some(share) => format!("; {label} holds in {} {}", value(Some(share)), interval(Some(share))),
            None => String::new(),
        };
        let line = format!(
            " {name}: {} of {} settled before a model was asked ({}){}{}",
            found.settled,
            counted(found.rows, "row"),
            percent(found.settled, found.rows),
            of("`correct`", &found.precision_correct),
            of("`incorrect`", &found.precision_incorrect),
        );
        Some(wrapped(&line, "   ", width))
    };
    let lines: Vec<String> = judges.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Which share of the rows of each kind is recognised for what it is.
fn recalls(judges: &[Named<'_>], by: &str, width: usize) -> Option<String> {
    let all: Vec<&Named<'_>> = judges.iter().filter(|(judge, _)| !judge.baseline).collect();
    let (first, _) = all.first()?;
    let kinds: Vec<&Slice> = first.by(by).filter(|slice| is_of_one_class(slice)).collect();
    if kinds.is_empty() {
        return None;
    }
    let mut text = table_of_recalls(by, &kinds, &all[..all.len().min(BESIDE)], width).text(width);
    let more = kinds.len().saturating_sub(MAX_LINES);
    if more > 0 {
        text += &format!("\n ... and {more} more, in the reports");
    }
    let beside = all.len().saturating_sub(BESIDE);
    if beside > 0 {
        text += &format!(
            "\n ... of the first {BESIDE} judges; {} more in the reports",
            counted(beside as u64, "judge")
        );
    }
    Some(text)
}

fn table_of_recalls(by: &str, kinds: &[&Slice], judges: &[&Named<'_>], width: usize) -> Table {
    let figure = |slice: &Slice| {
        let (figure, _, labelled) = recognised(slice)?;
        let over = match slice.confusion.unjudged() {
            0 => String::new(),
            _ => format!("\n{labelled} labeled"),
        };
        Some(format!("{}  {}{over}", value(Some(figure)), interval(Some(figure))))
    };
    let mut header = vec![by.to_owned(), "rows".to_owned()];
    // A heading may be as wide as figures are anyway, or a little more.
    let heading = |name: &str| folded(name, if judges.len() > 2 { 16 } else { 30 });
    header.extend(judges.iter().map(|(_, name)| format!("recognized by\n{}", heading(name))));
    let mut table = Table::new(named(header.len()));
    table.add_row(header);
    // Names may take what judges leave of the page, since they often differ only in their middle or at their ends.
    let room = width.saturating_sub(12 + 20 * judges.len()).clamp(30, 60);
    for kind in kinds.iter().take(MAX_LINES) {
        let mut row = vec![within(kind.value.as_deref().unwrap_or_default(), room), kind.rows.to_string()];
        row.extend(judges.iter().map(|(judge, _)| {
            let slice = judge.by(by).find(|slice| slice.value == kind.value);
            slice.and_then(figure).unwrap_or_default()
        }));
        table.add_row(row);
    }
    table
}

fn too_many_values(judges: &[Named<'_>], width: usize) -> Option<String> {
    let judges: Vec<&Measured> = judges.iter().map(|(judge, _)| *judge).collect();
    let lines: Vec<String> = left_out(&judges)
        .iter()
        .map(|column| format!(" no figures by `{}`: it has {} values", plain(&column.by), column.values))
        .map(|line| wrapped(&line, "   ", width))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How grades agree with graded gold.
fn grades(judges: &[Named<'_>], width: usize) -> Option<String> {
    let line = |(judge, name): &Named<'_>| {
        let grades = judge.grades.as_ref()?;
        let kappa = grades.weighted_kappa.as_ref();
        let mut line = format!(" {name}, {} grades: weighted kappa {}", grades.grades, value(kappa));
        match grades.undefined {
            Some(why) => line.push_str(&format!(" ({why})")),
            None => line.push_str(&format!(" ({}) over {}", interval(kappa), counted(grades.rows, "label"))),
        }
        if grades.without_grade > 0 {
            line.push_str(&format!(
                "; left out: {} with a gold that is not a grade",
                counted(grades.without_grade, "label")
            ));
        }
        Some(wrapped(&line, "   ", width))
    };
    let lines: Vec<String> = judges.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How many of gold's findings a judge has, by kind.
fn findings((judge, name): &Named<'_>, width: usize) -> Option<String> {
    let figures = judge.findings.as_ref()?;
    let overall = &figures.overall;
    let unlisted = match figures.unlisted {
        0 => String::new(),
        rows => format!("; left out: {} whose reply lists none", counted(rows, "row")),
    };
    let precision = match overall.said {
        0 => String::new(),
        _ => format!(
            "; gold finds something in the same place for {} ({}) of them",
            value(overall.precision.as_ref()),
            interval(overall.precision.as_ref()),
        ),
    };
    let (said, rows) = (counted(overall.said, "finding"), counted(figures.rows, "row"));
    let said = format!(" {name}: {said} over {rows}{precision}{unlisted}");
    let mut table = Table::new(named(4));
    table.add_row(["gold's finding", "count", "found in\nits place", "found as\nthat kind"]);
    let all = ("all", overall);
    for (kind, rates) in figures.kinds.iter().map(|(kind, rates)| (*kind, rates)).chain([all]) {
        let share = |share: Option<&Estimate>| format!("{}\n{}", value(share), interval(share));
        table.add_row([
            kind.to_owned(),
            rates.gold.to_string(),
            share(rates.located.as_ref()),
            share(rates.named.as_ref()),
        ]);
    }
    Some(format!("{}\n\n{}", wrapped(&said, "   ", width), table.text(width)))
}

fn consistency(judges: &[Named<'_>], width: usize) -> Option<String> {
    let line = |(judge, name): &Named<'_>| {
        let asked = judge.consistency?;
        let line = format!(
            " {name}, asked {} times: two answers differ with probability {} ({}), kappa {} ({})",
            asked.repeats,
            value(asked.flip_rate.as_ref()),
            interval(asked.flip_rate.as_ref()),
            value(asked.kappa.as_ref()),
            interval(asked.kappa.as_ref()),
        );
        Some(wrapped(&line, "   ", width))
    };
    let lines: Vec<String> = judges.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

//! The comparison of judges with one reference judge, for a terminal.

use super::numbers::{counted, fixed, interval, percent, value};
use super::plain::{judge, wrapped};
use super::table::{Column, Table};
use crate::bench::comparison::{Alone, Comparison, Question, Verdict};
use crate::stats::Design;

/// Measures that are shown, with their names.
const SHOWN: [(&str, &str); 6] = [
    ("accuracy", "accuracy"),
    ("balanced_accuracy", "balanced accuracy"),
    ("f1_correct", "F1 correct"),
    ("f1_incorrect", "F1 incorrect"),
    ("kappa", "kappa"),
    ("mcc", "MCC"),
];

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// Judges, by how often they agree with gold.
    Judges,
    /// Agents, by how many of their episodes pass.
    Agents,
}

/// What is spoken of.
struct Nouns {
    item: &'static str,
    group: &'static str,
    lacks: &'static str,
    right: &'static str,
    accuracy: &'static str,
    flips: &'static str,
    /// The label that counts as right, if it is not `correct`.
    positive: Option<String>,
}

impl Compared {
    fn nouns(self) -> Nouns {
        match self {
            Compared::Judges => Nouns {
                item: "row",
                group: "question",
                lacks: "label",
                right: "is right on",
                accuracy: "accuracy",
                flips: "questions",
                positive: None,
            },
            Compared::Agents => Nouns {
                item: "episode",
                group: "case",
                lacks: "score",
                right: "passes",
                accuracy: "pass rate",
                flips: "cases",
                positive: None,
            },
        }
    }
}

/// All comparisons, on lines of `width` columns; `names` are those of all judges, `positive` is the label that counts as right if it is
/// not `correct`.
pub fn comparison(
    compared: Compared,
    names: &[String],
    comparisons: &[Comparison],
    question: Question,
    positive: Option<&str>,
    width: usize,
) -> String {
    let nouns = Nouns { positive: positive.map(str::to_owned), ..compared.nouns() };
    let parts = comparisons.iter().map(|found| one(&nouns, names, found, comparisons.len(), question, width));
    parts.collect::<Vec<_>>().join("\n\n")
}

fn one(
    nouns: &Nouns,
    names: &[String],
    found: &Comparison,
    of: usize,
    question: Question,
    width: usize,
) -> String {
    let (a, b) = (&judge(&names[found.a]), &judge(&names[found.b]));
    let Nouns { item, group, lacks, right, flips, .. } = nouns;
    let mut head = format!(
        "{b} against {a}, {} of {}",
        counted(found.rows, item),
        counted(found.clusters as u64, group)
    );
    if found.unpaired > 0 {
        head += &match *lacks {
            "score" => format!(
                " ({} more have a score of one of them only, or expect something else in the other table)",
                found.unpaired
            ),
            lacks => format!(" ({} more lack a {lacks} of one of them)", found.unpaired),
        };
    }
    let alone = found.alone.iter().zip([a, b]).map(|(alone, name)| of_one(nouns, name, alone));
    let alone: Vec<String> =
        alone.flatten().map(|line| format!("\n{}", wrapped(&line, "   ", width))).collect();
    let right = format!(
        " only {a} {right} {}, only {b} {}{} ({})",
        found.only_a_right,
        if *right == "passes" { "" } else { "on " },
        found.only_b_right,
        match found.test {
            "mcnemar_exact" => "McNemar's exact test".to_owned(),
            "sign_flip_exact" => format!("sign flips of {flips}, all of them"),
            _ => format!("sign flips of {flips}, 9,999 of them"),
        }
    );
    let verdict = format!(" {}", verdict(nouns, a, b, found, question));
    let sentences =
        [(head, " "), (right, "   "), (verdict, "   ")].map(|(text, indent)| wrapped(&text, indent, width));
    let [head, right, verdict] = sentences;
    let alone = alone.concat();
    format!("{head}{alone}\n\n{right}\n\n{}\n\n{verdict}", differences(nouns, found, of).text(width))
}

/// What there is to say of one judge over all rows: nothing where it labelled all of them and ranks none.
fn of_one(nouns: &Nouns, name: &str, alone: &Alone) -> Option<String> {
    let labelled = (alone.labelled < alone.rows && nouns.lacks == "label").then(|| {
        let share = percent(alone.labelled, alone.rows);
        format!("{} of {} labeled ({share})", alone.labelled, counted(alone.rows, nouns.item))
    });
    let auc = alone.auc.as_ref();
    let over = match alone.rated == alone.rows {
        true => "all rows".to_owned(),
        false => format!("{} of {}", alone.rated, counted(alone.rows, "row")),
    };
    let auc = auc.map(|_| format!("AUC over {over} {} ({})", value(auc), interval(auc)));
    let parts: Vec<String> = labelled.into_iter().chain(auc).collect();
    (!parts.is_empty()).then(|| format!(" {name}: {}", parts.join(", ")))
}

fn differences(nouns: &Nouns, found: &Comparison, of: usize) -> Table {
    let adjusted = if of > 1 { "p (Holm)" } else { "p" };
    let header = ["", "first", "second", "difference", "95 % interval", adjusted];
    let mut table =
        Table::new(header.map(|name| if name.is_empty() { Column::Name } else { Column::Figure }));
    table.add_row(header);
    for (measure, name) in SHOWN {
        let Some(of_measure) = found.differences.iter().find(|difference| difference.measure == measure)
        else {
            continue;
        };
        let name = match (measure, &nouns.positive) {
            ("accuracy", _) => nouns.accuracy.to_owned(),
            ("f1_correct", Some(positive)) => format!("F1 {positive}"),
            ("f1_incorrect", Some(positive)) => format!("F1 not {positive}"),
            _ => name.to_owned(),
        };
        table.add_row([
            name,
            fixed(of_measure.a),
            fixed(of_measure.b),
            signed(of_measure.difference.value),
            format!("{} to {}", signed(of_measure.difference.low), signed(of_measure.difference.high)),
            of_measure.p_adjusted.map_or_else(|| "-".to_owned(), p_value),
        ]);
    }
    table
}

fn verdict(nouns: &Nouns, a: &str, b: &str, found: &Comparison, question: Question) -> String {
    let measure = match question.measure.as_str() {
        "accuracy" => nouns.accuracy.to_owned(),
        measure => measure.replace('_', " "),
    };
    let mut text = match found.verdict {
        Verdict::Better => format!("{b} is better than {a}, by {measure}."),
        Verdict::Worse => format!("{b} is worse than {a}, by {measure}."),
        Verdict::Undecided => {
            let is_apart = found
                .differences
                .iter()
                .find(|each| each.measure == question.measure.as_str())
                .is_some_and(|each| each.difference.low > 0.0 || each.difference.high < 0.0);
            let but = match is_apart {
                true => {
                    " The interval is on one side of 0, but that is not enough: the test must show it, too."
                }
                false => " That does not show that they are equally good.",
            };
            format!("Neither is shown to be better, by {measure}.{but}")
        }
    };
    if let (Some(no_worse), Some(margin)) = (found.non_inferior, question.margin)
        && found.verdict != Verdict::Better
    {
        text += &match no_worse {
            true => format!("\n {b} is worse by at most {margin}, if at all."),
            false => format!("\n That {b} is worse by more than {margin} cannot be excluded."),
        };
    }
    if let Some(least) = found.minimum_detectable {
        text += &format!(
            "\n With these {}s, a difference in {} of {} or more is noticed four times in five",
            nouns.item,
            nouns.accuracy,
            fixed(least)
        );
        text += &match found.rows_needed.filter(|_| found.verdict == Verdict::Undecided) {
            Some(rows) => {
                format!(";\n for the one that was seen it takes about {}.", counted(rows, nouns.item))
            }
            None => ".".to_owned(),
        };
    } else if found.few_clusters {
        // Many clusters of which most are tiny are few, too; few that are all alike hold no more than their part.
        let which = match (found.clusters as f64) < Design::MIN_CLUSTERS {
            true => format!("There are only {}", counted(found.clusters as u64, nouns.group)),
            false => "A few clusters hold most of these rows".to_owned(),
        };
        text += &format!("\n {which}: the power of this comparison is unknown, and p-values would mislead.");
    }
    text
}

fn signed(value: f64) -> String {
    let text = fixed(value);
    if text.starts_with('-') || text == "0.000" { text } else { format!("+{text}") }
}

fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

//! Formats figures for people, with as many digits as mean something.

use std::borrow::Borrow;

use crate::bench::{Counts, LeftOut, Measured, Slice};
use crate::domain::Status;
use crate::stats::Estimate;

/// `0.756`; nothing where there is no figure.
pub fn value(figure: Option<&Estimate>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| fixed(figure.value))
}

/// `0.72–0.79`: the 95 % interval.
pub fn interval(figure: Option<&Estimate>) -> String {
    figure.map_or_else(String::new, |figure| format!("{}–{}", short(figure.low), short(figure.high)))
}

/// Three digits.
pub fn fixed(value: f64) -> String {
    // No figure is worth a minus before a zero.
    format!("{:.3}", if value.abs() < 5e-4 { 0.0 } else { value })
}

fn short(value: f64) -> String {
    format!("{:.2}", if value.abs() < 5e-3 { 0.0 } else { value })
}

/// `12.3 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// `1 row`, `2 rows`: a count of things whose plural ends in s.
pub fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// `20 unparseable, 1 refused`: how rows without a label ended.
pub fn without_label(judge: &Measured) -> String {
    let ends = judge.statuses.iter().filter(|(status, _)| **status != Status::Judged.as_str());
    ends.map(|(status, rows)| format!("{rows} {status}")).collect::<Vec<_>>().join(", ")
}

/// Columns that some judge has slices by, in their order.
pub fn columns<M: Borrow<Measured>>(measured: &[M]) -> Vec<&str> {
    let mut columns: Vec<&str> = Vec::new();
    for by in measured.iter().flat_map(|judge| &judge.borrow().slices).filter_map(|slice| slice.by.as_deref())
    {
        if !columns.contains(&by) {
            columns.push(by);
        }
    }
    columns
}

/// Columns without slices, with how many values they have.
pub fn left_out<M: Borrow<Measured>>(measured: &[M]) -> Vec<&LeftOut> {
    let mut columns: Vec<&LeftOut> = Vec::new();
    for column in measured.iter().flat_map(|judge| &judge.borrow().slicings_left_out) {
        if !columns.iter().any(|known| known.by == column.by) {
            columns.push(column);
        }
    }
    columns
}

/// What became of rows that do not count, and of those that do but could not be read; empty where there are none.
pub fn remarks(counts: &Counts) -> String {
    let without_gold = counts.without_gold - counts.strange_gold.min(counts.without_gold);
    let left_out = [
        (without_gold, "without gold"),
        (counts.duplicates, "the same as others"),
        (counts.strange_gold, "with a gold that is not a label"),
    ];
    let left_out: Vec<String> =
        left_out.iter().filter(|(rows, _)| *rows > 0).map(|(rows, why)| format!("{rows} {why}")).collect();
    let mut remarks = String::new();
    if counts.unreadable > 0 {
        remarks += &format!(", {} of them unreadable", counts.unreadable);
    }
    if counts.disputed_gold > 0 {
        remarks += &format!(
            "; {} without gold because rows that are the same have opposite gold",
            counted(counts.disputed_gold, "call")
        );
    }
    if !left_out.is_empty() {
        remarks += &format!("; left out: {}", left_out.join(", "));
    }
    remarks
}

/// Judges by name, with the template where it is not the same for all.
pub fn names<M: Borrow<Measured>>(measured: &[M]) -> Vec<String> {
    let judges = || measured.iter().map(Borrow::borrow).filter(|judge| !judge.baseline);
    let one_template =
        judges().all(|judge| Some(&judge.template) == judges().next().map(|first| &first.template));
    measured
        .iter()
        .map(Borrow::borrow)
        .map(|judge| match one_template {
            true => judge.judge.clone(),
            false => format!("{} {}", judge.judge, judge.template),
        })
        .collect()
}

/// Whether all rows are right, or all wrong.
pub fn is_of_one_class(slice: &Slice) -> bool {
    slice.right() == 0 || slice.wrong() == 0
}

/// The one recall that a slice of one class has: how many of its rows were recognised, of how many that have a label.
pub fn recognised(slice: &Slice) -> Option<(&Estimate, u64, u64)> {
    let table = &slice.confusion;
    if !is_of_one_class(slice) {
        return None;
    }
    let found = |name: &str, right: u64, wrong: u64| Some((slice.figures.get(name)?, right, right + wrong));
    found("recall_incorrect", table.true_negative, table.false_positive)
        .or_else(|| found("recall_correct", table.true_positive, table.false_negative))
}

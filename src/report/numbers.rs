//! Figures as people read them: as many digits as mean something.

use std::borrow::Borrow;

use crate::bench::{Measured, Slice};
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
    let table = &slice.confusion;
    let right = table.true_positive + table.false_negative + table.unjudged_positive;
    let wrong = table.true_negative + table.false_positive + table.unjudged_negative;
    right == 0 || wrong == 0
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

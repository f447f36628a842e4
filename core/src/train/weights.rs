//! The weights of rows.

use std::collections::HashMap;

use super::material::TrainingRow;

/// Weights with which right and wrong rows are equally frequent, so that probabilities hold at even odds. Many rows of one question
/// count less each, since they know less than as many of others. `reviewed` says whether rows that were looked at again count more.
pub(super) fn weights(rows: &[TrainingRow], reviewed: bool) -> Vec<f64> {
    let mut of_question: HashMap<u64, f64> = HashMap::new();
    rows.iter().for_each(|row| *of_question.entry(row.question).or_default() += 1.0);
    let mut weights: Vec<f64> = rows
        .iter()
        .map(|row| row.weight * if reviewed { row.review } else { 1.0 } / of_question[&row.question].sqrt())
        .collect();
    for label in [false, true] {
        let of_label = |row: &&TrainingRow| row.right == label;
        let sum: f64 = rows.iter().zip(&weights).filter(|(row, _)| of_label(row)).map(|(_, w)| w).sum();
        let factor = rows.len() as f64 / 2.0 / sum;
        rows.iter().zip(&mut weights).filter(|(row, _)| of_label(row)).for_each(|(_, w)| *w *= factor);
    }
    weights
}

//! Rows to be read one by one: what was asked and called, and what each judge said of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Entrant, Rows};

/// One row, readable.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Case {
    pub id: Option<String>,
    /// Its number in the input, counted from 0.
    pub row: u64,
    pub question_id: Option<String>,
    /// By column of gold, as a label.
    pub gold: BTreeMap<String, &'static str>,
    pub slices: BTreeMap<String, String>,
    pub question: String,
    pub calls: String,
    /// Its tool definitions, as a place in [`Cases::toolboxes`].
    pub toolbox: usize,
    pub note: Option<String>,
    pub verdicts: Vec<CaseVerdict>,
}

/// What one judge said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CaseVerdict {
    /// Its place among the entrants.
    pub entrant: usize,
    pub label: Option<String>,
    /// Whether that is what the gold says; nothing without a label or a gold.
    pub right: Option<bool>,
    pub confidence: Option<f64>,
    pub status: &'static str,
    pub explanation: Option<String>,
    pub error: Option<String>,
}

/// Rows, with definitions that several of them share told once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cases {
    pub cases: Vec<Case>,
    pub toolboxes: Vec<String>,
    /// How many such rows there are; some may have been left out.
    pub cases_found: usize,
}

/// Places of rows on which some judge (no baseline) is wrong or has no label: at most `most` of them, drawn evenly where there
/// are more, and how many there are. They come in the order of the rows.
pub fn disagreements(rows: &Rows, entrants: &[Entrant], most: usize) -> (Vec<usize>, usize) {
    let judges: Vec<(&Entrant, &[Option<bool>])> = entrants
        .iter()
        .filter(|entrant| !entrant.baseline)
        .filter_map(|entrant| Some((entrant, entrant.first()?.labels.as_slice())))
        .collect();
    let differs = |row: &usize| {
        judges.iter().any(|(entrant, labels)| {
            let gold = rows.golds[entrant.gold].right[*row];
            gold.is_some() && labels[*row] != gold
        })
    };
    let mut found: Vec<usize> = (0..rows.len()).filter(differs).collect();
    let count = found.len();
    if count > most {
        found.sort_by_key(|row| *blake3::hash(&rows.numbers[*row].to_le_bytes()).as_bytes());
        found.truncate(most);
        found.sort_unstable();
    }
    (found, count)
}

//! Rows to be read one by one: what was asked and called, and what each judge said of it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Contender, Rows};

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
    /// The answers that are accepted, where the row has some.
    pub accepted: Option<String>,
    pub verdicts: Vec<CaseVerdict>,
}

/// What one judge said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CaseVerdict {
    /// Its place among the contenders.
    #[serde(rename = "entrant")]
    pub contender: usize,
    pub label: Option<String>,
    /// Whether the label is the judge's own for right calls, whatever it is called.
    pub passes: Option<bool>,
    /// Whether that is what the gold says; nothing without a label or a gold.
    pub right: Option<bool>,
    pub confidence: Option<f64>,
    pub status: &'static str,
    pub explanation: Option<String>,
    pub error: Option<String>,
    /// The judge's own words; their beginning where they are long.
    pub reply: Option<String>,
}

/// Rows, with definitions that several of them share told once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cases {
    pub cases: Vec<Case>,
    pub toolboxes: Vec<String>,
    /// How many rows some judge is wrong on or has no label for; some may have been left out.
    pub cases_found: usize,
    /// How many rows all judges are right on; most are left out.
    pub right_found: usize,
}

/// Which rows a report shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Places among the rows, in their order.
    pub places: Vec<usize>,
    /// How many rows some judge is wrong on, and how many all are right on.
    pub disagreements: usize,
    pub agreements: usize,
}

/// Of the rows that all judges are right on, one is shown for so many disagreements that may be.
const AGREEMENTS: usize = 5;

/// Rows on which some judge (no baseline) is wrong or has no label, at most `most` of them, and a few on which all are right, to see
/// what that looks like. They are drawn evenly where there are more.
pub fn shown(rows: &Rows, contenders: &[Contender], most: usize) -> Shown {
    let judges: Vec<(&Contender, &[Option<bool>])> = contenders
        .iter()
        .filter(|contender| !contender.baseline)
        .filter_map(|contender| Some((contender, contender.first()?.labels.as_slice())))
        .collect();
    let differs = |row: &usize| {
        judges.iter().any(|(contender, labels)| {
            let gold = rows.golds[contender.gold].right[*row];
            gold.is_some() && labels[*row] != gold
        })
    };
    let has_gold =
        |row: &usize| judges.iter().any(|(contender, _)| rows.golds[contender.gold].right[*row].is_some());
    let (mut places, mut right): (Vec<usize>, Vec<usize>) =
        (0..rows.len()).filter(has_gold).partition(differs);
    let (disagreements, agreements) = (places.len(), right.len());
    draw(rows, &mut places, most);
    draw(rows, &mut right, most / AGREEMENTS);
    places.append(&mut right);
    places.sort_unstable();
    Shown { places, disagreements, agreements }
}

fn draw(rows: &Rows, places: &mut Vec<usize>, most: usize) {
    if places.len() > most {
        places.sort_by_key(|row| *blake3::hash(&rows.numbers[*row].to_le_bytes()).as_bytes());
        places.truncate(most);
    }
}

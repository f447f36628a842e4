//! Rows for people to read: what was asked and called, and what each judge said about it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Contender, Rows};

/// One row, readable.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Case {
    /// The row's name, from the column of names.
    pub id: Option<String>,
    /// Its number in the input, counted from 0.
    pub row: u64,
    /// The name of its cluster, where a column gives one.
    pub question_id: Option<String>,
    /// By column of gold, as a label.
    pub gold: BTreeMap<String, &'static str>,
    /// By column, the row's value in each slicing.
    pub slices: BTreeMap<String, String>,
    /// The conversation, as text.
    pub question: String,
    /// The calls, as text.
    pub calls: String,
    /// Its tool definitions, as a place in [`Cases::toolboxes`].
    pub toolbox: usize,
    /// What the row's column `note` says.
    pub note: Option<String>,
    /// The answers that are accepted, where the row has some.
    pub accepted: Option<String>,
    /// What each judge said, repetitions one by one.
    pub verdicts: Vec<CaseVerdict>,
}

/// What one judge said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CaseVerdict {
    /// Its place among the contenders.
    #[serde(rename = "entrant")]
    pub contender: usize,
    /// The label in the judge's spelling; absent where there is none.
    pub label: Option<String>,
    /// Whether the label is the judge's own for right calls, whatever it is called.
    pub passes: Option<bool>,
    /// Whether that is what the gold says; nothing without a label or a gold.
    pub right: Option<bool>,
    /// From 0 to 1; absent where nothing was measured.
    pub confidence: Option<f64>,
    /// As the `status` column spells it.
    pub status: &'static str,
    /// Why, in the judge's words.
    pub explanation: Option<String>,
    /// Why there is no label: `code: message`.
    pub error: Option<String>,
    /// The judge's own words; their beginning where they are long.
    pub reply: Option<String>,
}

/// Rows, with definitions that several of them share told once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cases {
    /// The rows that are shown.
    pub cases: Vec<Case>,
    /// Tool definitions as text, each once.
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

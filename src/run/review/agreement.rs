//! How far reviewers agree on the rows that several of them labeled.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::stats::{Estimate, cohen_kappa, krippendorff_alpha};

/// How far reviewers agree on one column of gold.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewerAgreement {
    /// The column of gold.
    pub column: String,
    /// Rows that at least two reviewers labeled.
    pub rows: u64,
    /// Rows among them on which all gave the same label.
    pub agreed: u64,
    /// Krippendorff's alpha of all reviewers, from 1 (they always agree) over 0 (as by chance) down to -1, with its 95 % interval; none if
    /// all labels are the same.
    pub alpha: Option<Estimate>,
    /// Each two reviewers who labeled the same rows.
    pub pairs: Vec<PairAgreement>,
}

/// How far two reviewers agree.
#[derive(Debug, Clone, PartialEq)]
pub struct PairAgreement {
    /// Who, in the order of their names.
    pub reviewers: [String; 2],
    /// Rows that both labeled.
    pub rows: u64,
    /// Rows among them with the same label of both.
    pub agreed: u64,
    /// Cohen's kappa, from -1 to 1, with its 95 % interval; none if both gave one and the same label to all.
    pub kappa: Option<Estimate>,
}

/// The labels of each reviewer on a row, by column of gold.
#[derive(Debug, Clone, Default)]
pub(super) struct Opinions(BTreeMap<String, BTreeMap<String, String>>);

impl Opinions {
    /// What a reviewer says last of a row.
    pub fn add(&mut self, column: &str, reviewer: &str, label: &str) {
        self.0.entry(column.to_owned()).or_default().insert(reviewer.to_owned(), label.to_owned());
    }

    fn of(&self, column: &str) -> Option<&BTreeMap<String, String>> {
        self.0.get(column).filter(|given| given.len() > 1)
    }
}

/// How far reviewers agree, by column; columns in which no row has labels of two are left out.
pub(super) fn agreement<'a>(rows: impl Iterator<Item = &'a Opinions> + Clone) -> Vec<ReviewerAgreement> {
    let columns: BTreeSet<&str> = rows.clone().flat_map(|row| row.0.keys().map(String::as_str)).collect();
    let of_column = |column: &str| {
        let rows: Vec<&BTreeMap<String, String>> = rows.clone().filter_map(|row| row.of(column)).collect();
        let labels: Vec<Vec<&String>> = rows.iter().map(|row| row.values().collect()).collect();
        let reviewers: BTreeSet<&String> = rows.iter().flat_map(|row| row.keys()).collect();
        let reviewers: Vec<&String> = reviewers.into_iter().collect();
        let pairs = reviewers.iter().enumerate().flat_map(|(at, first)| {
            reviewers[at + 1..].iter().filter_map(|second| pair(&rows, first, second)).collect::<Vec<_>>()
        });
        ReviewerAgreement {
            column: column.to_owned(),
            rows: rows.len() as u64,
            agreed: labels.iter().filter(|row| row.iter().all(|label| *label == row[0])).count() as u64,
            alpha: krippendorff_alpha(&labels),
            pairs: pairs.collect(),
        }
    };
    columns.into_iter().map(of_column).filter(|agreement| agreement.rows > 0).collect()
}

fn pair(rows: &[&BTreeMap<String, String>], first: &str, second: &str) -> Option<PairAgreement> {
    let both: Vec<(&String, &String)> =
        rows.iter().filter_map(|row| Some((row.get(first)?, row.get(second)?))).collect();
    (!both.is_empty()).then(|| PairAgreement {
        reviewers: [first.to_owned(), second.to_owned()],
        rows: both.len() as u64,
        agreed: both.iter().filter(|(first, second)| first == second).count() as u64,
        kappa: cohen_kappa(&both),
    })
}

impl ReviewerAgreement {
    /// For `--json`.
    pub(super) fn to_json(&self) -> Value {
        let ReviewerAgreement { column, rows, agreed, alpha, pairs } = self;
        let pairs: Vec<Value> = pairs
            .iter()
            .map(|PairAgreement { reviewers, rows, agreed, kappa }| {
                json!({ "reviewers": reviewers, "rows": rows, "agreed": agreed, "cohen_kappa": kappa })
            })
            .collect();
        json!({ "column": column, "rows": rows, "agreed": agreed, "krippendorff_alpha": alpha, "pairs": pairs })
    }
}

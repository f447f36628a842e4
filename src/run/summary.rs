//! What a run came to, for the table at its end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::domain::{Status, Verdict};
use crate::write::Labelled;

/// Counts over all rows of an output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    pub rows: u64,
    pub labels: BTreeMap<String, u64>,
    pub statuses: BTreeMap<Status, u64>,
    /// Errors by code, over the rows without a label.
    pub errors: BTreeMap<String, u64>,
    /// Rows whose reply was there before.
    pub cached: u64,
    /// Tokens of the replies that this run asked for.
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// Where the input says what the label should be.
    pub gold: Option<Agreement>,
}

/// How labels compare with a `gold` column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Agreement {
    pub agree: u64,
    /// Rows with both a label and a gold.
    pub compared: u64,
}

impl Summary {
    pub(super) fn add(&mut self, labelled: &Labelled) {
        let Labelled { verdict, reply, cached, .. } = labelled;
        self.rows += 1;
        *self.statuses.entry(verdict.status()).or_default() += 1;
        match verdict.label() {
            Some(label) => *self.labels.entry(label.to_owned()).or_default() += 1,
            None => *self.errors.entry(error_code(verdict)).or_default() += 1,
        }
        self.cached += u64::from(*cached);
        if let Some(reply) = reply
            && !cached
        {
            self.prompt_tokens += reply.usage.prompt_tokens.unwrap_or(0);
            self.completion_tokens += reply.usage.completion_tokens.unwrap_or(0);
        }
    }

    pub(super) fn compare(&mut self, verdict: &Verdict, gold: &str) {
        let agreement = self.gold.get_or_insert_default();
        if let Some(label) = verdict.label()
            && !gold.is_empty()
        {
            agreement.compared += 1;
            agreement.agree += u64::from(label == gold);
        }
    }

    /// For manifests and `--json`.
    pub fn to_json(&self) -> Value {
        let statuses: Map<String, Value> =
            self.statuses.iter().map(|(status, rows)| (status.as_str().to_owned(), json!(rows))).collect();
        json!({
            "rows": self.rows,
            "labels": self.labels,
            "statuses": statuses,
            "errors": self.errors,
            "unjudged": self.unjudged(),
            "cached": self.cached,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "gold": self.gold.map(|gold| json!({"agree": gold.agree, "compared": gold.compared})),
        })
    }

    /// Rows without a label.
    pub fn unjudged(&self) -> u64 {
        self.rows - self.statuses.get(&Status::Judged).copied().unwrap_or(0)
    }
}

fn error_code(verdict: &Verdict) -> String {
    let error = verdict.error().unwrap_or_else(|| verdict.status().as_str().to_owned());
    error.split(':').next().unwrap_or_default().to_owned()
}

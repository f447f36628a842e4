//! Tool calls against expected tools.

mod case;
mod fuzzy;
mod matcher;
mod options;
mod pattern;
mod peer;

pub use case::{Call, Case};
pub use options::{Custom, FuzzyOptions, Options, Params};

use matcher::{Matcher, Rules};

use super::{Score, ScoreError, Scored, Scorer, setting};
use crate::domain::{Json, Object};

const PEERS: &[&str] = &["vitest-evals", "vitest-evals@0.4"];

pub(super) const SCORER: Scorer = Scorer {
    name: "tool_call",
    peers: PEERS,
    matches: |record| record.contains_key("expectedTools") || record.contains_key("toolCalls"),
    case: |called, expected, row| {
        let lists = [("toolCalls", called), ("expectedTools", expected)];
        super::own_case(row, lists.map(|(key, calls)| (key, super::listed(calls, ("name", "arguments")))))
    },
    ready: |settings, peer| {
        let rules = match peer {
            None => Rules::Ours,
            Some("vitest-evals") => Rules::V05,
            Some("vitest-evals@0.4") => Rules::V04,
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        Ok(Box::new(ToolCall { options: Options::default().with(settings)?, rules }))
    },
};

struct ToolCall {
    options: Options,
    rules: Rules,
}

impl Score for ToolCall {
    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let mut options = self.options;
        if let Some(config) = record.get("config").and_then(Json::as_object) {
            options = options.with(config).map_err(ScoreError::invalid)?;
        }
        let case = Case::read(record, &options)?;
        Ok(scored(&case, &options, self.rules))
    }
}

fn scored(case: &Case, options: &Options, rules: Rules) -> Scored {
    let matcher = Matcher::new(rules, case, options);
    let outcome = peer::score(case, options, &matcher);
    Scored {
        score: Some(outcome.score),
        passed: options.threshold.map(|threshold| outcome.score >= threshold),
        reason: outcome.metadata.get("rationale").and_then(Json::as_str).map(str::to_owned),
        metadata: outcome.metadata,
        issues: Vec::new(),
    }
}

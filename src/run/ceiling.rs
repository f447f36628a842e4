//! Limits on the number of rows that fail in one way.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use super::Summary;
use crate::domain::{FindingKind, RowErrorCode, Status, did_you_mean};

/// The most rows that may have one kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ceiling {
    kind: &'static str,
    most: u64,
}

/// A text that is not `KIND=N`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotACeiling {
    /// Without a kind, or without a number.
    #[error("`{0}` is not KIND=N, as in invalid_row=0")]
    Form(String),
    /// A kind that no row can have.
    #[error("`{kind}` is not a kind of failure: use {all}{near}", all = kinds().collect::<Vec<_>>().join(", "), near = did_you_mean(.kind, kinds()))]
    Kind {
        /// What was written.
        kind: String,
    },
}

/// What can be counted: how rows end, why rows cannot be read, and what is found wrong with their calls.
fn kinds() -> impl Iterator<Item = &'static str> {
    let statuses = Status::ALL.into_iter().filter(|status| *status != Status::Judged).map(Status::as_str);
    statuses
        .chain(RowErrorCode::ALL.map(RowErrorCode::as_str))
        .chain(FindingKind::ALL.map(FindingKind::as_str))
}

/// How many rows have each kind of failure; of those that are not here, none have it.
fn counts(summary: &Summary) -> BTreeMap<&str, u64> {
    let statuses = summary.statuses.iter().map(|(status, rows)| (status.as_str(), *rows));
    let problems = summary.errors.get(&Status::InvalidRow).into_iter().flatten();
    let found = summary.findings.iter().flat_map(|found| &found.kinds);
    let found = found.map(|(kind, rows)| (kind.as_str(), *rows));
    statuses.chain(problems.map(|(code, rows)| (code.as_str(), *rows))).chain(found).collect()
}

impl Ceiling {
    /// Whether such failures can only be counted from a list of findings.
    pub fn needs_findings(&self) -> bool {
        FindingKind::ALL.iter().any(|kind| kind.as_str() == self.kind)
    }

    /// How many rows have this kind of failure, and whether that is few enough even if every labelled row without a list of findings
    /// has it.
    pub fn check(&self, summary: &Summary) -> (u64, bool) {
        let found = counts(summary).get(self.kind).copied().unwrap_or(0);
        (found, found + self.unknown(summary) <= self.most)
    }

    /// Labelled rows for which it is unknown whether they have it.
    fn unknown(&self, summary: &Summary) -> u64 {
        match self.needs_findings() {
            true => summary.findings.as_ref().map_or(0, |found| found.unlisted),
            false => 0,
        }
    }

    /// What is wrong, if too many rows failed so.
    pub fn exceeded(&self, summary: &Summary) -> Option<String> {
        let (found, holds) = self.check(summary);
        if holds {
            return None;
        }
        let have = if found == 1 { "1 row has" } else { &format!("{found} rows have") };
        let most = self.most;
        Some(match found > most {
            true => format!("{have} {}, more than the {most} that --max-fail allows", self.kind),
            false => format!(
                "{have} {}, and {} no list of findings, so it is not known whether these are at most the {most} that --max-fail allows",
                self.kind,
                match self.unknown(summary) {
                    1 => "1 labeled row has".to_owned(),
                    rows => format!("{rows} labeled rows have"),
                }
            ),
        })
    }

    /// For `--json`.
    pub fn to_json(&self, summary: &Summary) -> Value {
        let (found, holds) = self.check(summary);
        json!({ "kind": self.kind, "most": self.most, "rows": found, "passed": holds })
    }
}

impl fmt::Display for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind, self.most)
    }
}

impl FromStr for Ceiling {
    type Err = NotACeiling;

    fn from_str(text: &str) -> Result<Ceiling, NotACeiling> {
        let form = || NotACeiling::Form(text.to_owned());
        let (kind, most) = text.split_once('=').ok_or_else(form)?;
        let most = most.trim().parse().map_err(|_| form())?;
        let known = kinds().find(|known| *known == kind.trim());
        let kind = known.ok_or_else(|| NotACeiling::Kind { kind: kind.trim().to_owned() })?;
        Ok(Ceiling { kind, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ceiling_is_a_known_kind_and_a_number() {
        for text in ["invalid_row=0", "unparseable = 10", "missing_tool_call=3", "wrong_value=0"] {
            let ceiling: Ceiling = text.parse().unwrap();
            assert_eq!(ceiling.to_string(), text.replace(' ', ""));
        }
        for text in ["invalid_row", "invalid_row=", "invalid_row=-1", "invalid_row=0.5", "=1x", ""] {
            assert!(matches!(text.parse::<Ceiling>(), Err(NotACeiling::Form(_))), "{text}");
        }
        let unknown = "invalid_rows=1".parse::<Ceiling>().unwrap_err().to_string();
        assert!(
            unknown.contains("use unparseable, ") && unknown.contains("did you mean `invalid_row`"),
            "{unknown}"
        );
        assert!("judged=1".parse::<Ceiling>().is_err());
        let mut names: Vec<&str> = kinds().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            all,
            "a kind is a status, a problem of a row or a finding, and only one of them"
        );
        let needs = |text: &str| text.parse::<Ceiling>().unwrap().needs_findings();
        assert!(needs("wrong_value=0") && !needs("missing_tool_call=0") && !needs("errored=0"));
    }
}

//! Counts what judges found wrong, by kind, tool and argument.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::domain::{FindingKind, Status};
use crate::write::Labelled;

/// Counts of findings; a row counts once for each kind, tool and argument that it names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindingCounts {
    /// Rows with a finding of the kind.
    pub kinds: BTreeMap<FindingKind, u64>,
    /// Rows with a finding about the tool.
    pub tools: BTreeMap<String, u64>,
    /// Rows with a finding about the argument: tool and JSON pointer.
    pub arguments: BTreeMap<(String, String), u64>,
    /// All findings.
    pub findings: u64,
    /// Of these, those whose quote does not occur in the row, or that have none.
    pub unsupported: u64,
    /// Findings left out: about a call that the row does not have, or an argument that the call does not have.
    pub dropped: u64,
    /// Rows with a label whose reply has no list of findings.
    pub unlisted: u64,
}

/// Counts of calls, where they are judged one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// All calls of rows that could be read.
    pub calls: u64,
    /// Of these, those with a label.
    pub judged: u64,
    /// Of these, those whose label passes.
    pub correct: u64,
}

impl FindingCounts {
    pub(super) fn add(&mut self, labelled: &Labelled) {
        let verdict = &labelled.verdict;
        let Some(findings) = &verdict.findings else {
            self.unlisted += u64::from(verdict.status() == Status::Judged);
            return;
        };
        self.dropped += findings.dropped;
        self.findings += findings.list.len() as u64;
        self.unsupported += findings.list.iter().filter(|finding| !finding.supported).count() as u64;
        for kind in findings.list.iter().map(|finding| finding.kind).collect::<BTreeSet<_>>() {
            *self.kinds.entry(kind).or_default() += 1;
        }
        for tool in findings.list.iter().filter_map(|finding| finding.tool.as_ref()).collect::<BTreeSet<_>>()
        {
            *self.tools.entry(tool.clone()).or_default() += 1;
        }
        let arguments = findings
            .list
            .iter()
            .filter_map(|finding| Some((finding.tool.clone()?, finding.argument.clone()?)));
        for argument in arguments.collect::<BTreeSet<_>>() {
            *self.arguments.entry(argument).or_default() += 1;
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let kinds: BTreeMap<&str, u64> =
            self.kinds.iter().map(|(kind, rows)| (kind.as_str(), *rows)).collect();
        let arguments: Vec<Value> = self
            .arguments
            .iter()
            .map(|((tool, argument), rows)| json!({"tool": tool, "argument": argument, "rows": rows}))
            .collect();
        json!({
            "findings": self.findings,
            "unsupported": self.unsupported,
            "dropped": self.dropped,
            "unlisted": self.unlisted,
            "kinds": kinds,
            "tools": self.tools,
            "arguments": arguments,
        })
    }
}

impl CallCounts {
    pub(super) fn add(&mut self, labelled: &Labelled) {
        for call in labelled.calls.iter().flatten() {
            self.calls += 1;
            self.judged += u64::from(call.verdict.label().is_some());
            self.correct += u64::from(call.passes);
        }
    }

    pub(super) fn to_json(self) -> Value {
        json!({"calls": self.calls, "judged": self.judged, "correct": self.correct})
    }
}

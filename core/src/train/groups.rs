//! Which rows are held out together.

use std::collections::{BTreeSet, HashMap};

use super::material::TrainingRow;

/// By what rows are held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grouping {
    /// Rows of one question go together.
    Question,
    /// Rows with the same tools on offer go together, and with them all rows of their questions: the tools are new then.
    Tools,
}

impl Grouping {
    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Grouping::Question => "questions",
            Grouping::Tools => "tools",
        }
    }

    /// The group of each row.
    pub(super) fn groups(self, rows: &[TrainingRow]) -> Vec<u64> {
        match self {
            Grouping::Question => rows.iter().map(|row| row.question).collect(),
            Grouping::Tools => joined(rows),
        }
    }
}

/// How many groups there are.
pub(super) fn count(groups: &[u64]) -> usize {
    groups.iter().collect::<BTreeSet<_>>().len()
}

/// Rows that have tools or question in common, directly or through others, are in one group.
fn joined(rows: &[TrainingRow]) -> Vec<u64> {
    let mut parents: Vec<usize> = (0..rows.len()).collect();
    let (mut of_tools, mut of_question) = (HashMap::new(), HashMap::new());
    for (at, row) in rows.iter().enumerate() {
        let first =
            [*of_tools.entry(row.tools).or_insert(at), *of_question.entry(row.question).or_insert(at)];
        for other in first {
            let (a, b) = (root(&mut parents, at), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    // The first row of a group stands for it.
    (0..rows.len()).map(|at| rows[root(&mut parents, at)].tools).collect()
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

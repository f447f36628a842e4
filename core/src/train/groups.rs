//! The groups of rows that are held out together.

use std::collections::{BTreeSet, HashMap};

use super::material::TrainingRow;

/// By what rows are held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grouping {
    /// Rows of one question, by its id or its words, go together.
    Question,
    /// Rows that call the same tool go together, and with them all rows of their questions: the called tools are new then.
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
            Grouping::Question => joined(rows, &|_| &[]),
            Grouping::Tools => joined(rows, &|row| &row.tools),
        }
    }
}

/// How many groups there are.
pub(super) fn count(groups: &[u64]) -> usize {
    groups.iter().collect::<BTreeSet<_>>().len()
}

/// What makes two rows go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Tie {
    Question(u64),
    Wording(u64),
    Content(u64),
    Tool(u64),
}

/// Rows that have a question, its wording, all they hold, or a tool in common, directly or through others, are in one group: its number is
/// that of its first row.
fn joined(rows: &[TrainingRow], tools: &dyn Fn(&TrainingRow) -> &[u64]) -> Vec<u64> {
    let mut parents: Vec<usize> = (0..rows.len()).collect();
    let mut first_with: HashMap<Tie, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let own = [Tie::Question(row.question), Tie::Wording(row.wording), Tie::Content(row.content)];
        for tie in own.into_iter().chain(tools(row).iter().map(|tool| Tie::Tool(*tool))) {
            let other = *first_with.entry(tie).or_insert(at);
            let (a, b) = (root(&mut parents, at), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    (0..rows.len()).map(|at| root(&mut parents, at) as u64).collect()
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

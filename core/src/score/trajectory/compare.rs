//! Whether the steps match the expected ones.

use std::ops::Range;

use super::arguments::Matching;
use super::step::Step;
use crate::score::assignment::pair_up;
use crate::score::difference::issue;
use crate::score::{Issue, IssueKind};

/// What must agree of two trajectories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMode {
    /// The same steps in the same order.
    Strict,
    /// The same steps in any order.
    Unordered,
    /// No step that is not expected.
    Subset,
    /// Every expected step, and perhaps others.
    Superset,
    /// Every expected step in the expected order, and perhaps others between them.
    InOrder,
}

/// What comparing two trajectories came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub agrees: bool,
    /// Steps that answer an expected one, each one of them.
    pub matched: usize,
    pub issues: Vec<Issue>,
}

/// Compares the steps taken with those expected, and says where they do not agree.
pub(super) fn compare(expected: &[Step], actual: &[Step], mode: MatchMode, matching: Matching) -> Comparison {
    let fits = |e: usize, a: usize| matching.is_step(&expected[e], &actual[a]);
    let agreed = |matched| Comparison { agrees: true, matched, issues: Vec::new() };
    if expected.len() == actual.len() && (0..expected.len()).all(|at| fits(at, at)) {
        return agreed(expected.len());
    }
    let pairs = pair_up(expected.len(), actual.len(), fits);
    let matched = pairs.iter().flatten().count();
    let mut is_expected = vec![false; actual.len()];
    pairs.iter().flatten().for_each(|a| is_expected[*a] = true);
    let mut missing: Vec<&Step> =
        expected.iter().zip(&pairs).filter(|(_, pair)| pair.is_none()).map(|(step, _)| step).collect();
    let mut extra: Vec<&Step> =
        actual.iter().zip(&is_expected).filter(|(_, expected)| !**expected).map(|(step, _)| step).collect();
    let out_of_order = || first_out_of_order(expected, actual, fits);
    let agrees = match mode {
        MatchMode::Strict => missing.is_empty() && extra.is_empty() && out_of_order().is_none(),
        MatchMode::Unordered => missing.is_empty() && extra.is_empty(),
        MatchMode::Subset => extra.is_empty(),
        MatchMode::Superset => missing.is_empty(),
        MatchMode::InOrder => missing.is_empty() && out_of_order().is_none(),
    };
    if agrees {
        return agreed(matched);
    }
    let mut issues = Vec::new();
    if missing.is_empty() && (extra.is_empty() || mode == MatchMode::InOrder) {
        issues.extend(match mode {
            MatchMode::InOrder => out_of_order().map(|at| late(&expected[at])),
            _ => other_order(expected, actual, &pairs),
        });
    }
    // A step of the right tool with other arguments is one thing that is wrong, not two.
    missing.retain(|step| match extra.iter().position(|other| other.tool == step.tool) {
        Some(at) => {
            matching.differences(step, extra.remove(at), &mut issues);
            false
        }
        None => true,
    });
    let about =
        |kind, step: &Step, what: &str| issue(kind, step.tool, None, format!("`{}` {what}", step.tool));
    if mode != MatchMode::Subset {
        issues.extend(missing.iter().map(|step| about(IssueKind::MissingCall, step, "is not called")));
    }
    if !matches!(mode, MatchMode::Superset | MatchMode::InOrder) {
        let what = "is called, but not expected";
        issues.extend(extra.iter().map(|step| about(IssueKind::UnexpectedCall, step, what)));
    }
    Comparison { agrees: false, matched, issues }
}

/// The first expected step of a turn that does not follow on the turns before; steps of one turn have no order among themselves.
/// Every turn takes the earliest steps that it can, which leaves the later ones the most.
fn first_out_of_order(
    expected: &[Step],
    actual: &[Step],
    fits: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let mut from = 0;
    for turn in turns(expected) {
        let follows = |end: &usize| {
            let pairs = pair_up(turn.len(), end - from, |e, a| fits(turn.start + e, from + a));
            pairs.iter().all(Option::is_some)
        };
        match (from + turn.len()..=actual.len()).find(follows) {
            Some(end) => from = end,
            None => return Some(turn.start),
        }
    }
    None
}

/// The places of the steps of each turn.
fn turns<'a>(steps: &'a [Step]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = 0;
    steps.chunk_by(|a, b| a.turn == b.turn).map(move |turn| {
        let start = from;
        from += turn.len();
        start..from
    })
}

fn late(step: &Step) -> Issue {
    let message = format!("`{}` is not called where the expected order has it", step.tool);
    issue(IssueKind::WrongOrder, step.tool, None, message)
}

fn other_order(expected: &[Step], actual: &[Step], pairs: &[Option<usize>]) -> Option<Issue> {
    let place = pairs.iter().enumerate().position(|(at, pair)| *pair != Some(at))?;
    let (wanted, found) = (expected.get(place)?.tool, actual.get(place)?.tool);
    let message = format!("step {} is `{found}`, expected `{wanted}`", place + 1);
    Some(issue(IssueKind::WrongOrder, found, None, message))
}

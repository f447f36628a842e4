//! Whether the steps taken are those expected.

use super::case::{Case, Step};
use crate::domain::{Json, Object};
use crate::score::assignment::pair_up;
use crate::score::difference::{Differences, issue};
use crate::score::{Equality, Issue, IssueKind, setting};

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
}

/// Whether arguments count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentMode {
    Ignore,
    /// Where an expected step has arguments, they must be equal.
    Exact,
}

/// Whether run and example agree, and where they do not.
pub(super) fn compare(
    case: &Case,
    mode: MatchMode,
    arguments: ArgumentMode,
    equality: Equality,
) -> (bool, Vec<Issue>) {
    let (expected, actual) = (&case.expected, &case.actual);
    let is_step = |e: &Step, a: &Step| e.tool == a.tool && has_arguments(e, a, arguments, equality);
    let is_same = expected.len() == actual.len() && expected.iter().zip(actual).all(|(e, a)| is_step(e, a));
    if is_same {
        return (true, Vec::new());
    }
    let pairs = pair_up(expected.len(), actual.len(), |e, a| is_step(&expected[e], &actual[a]));
    let mut is_expected = vec![false; actual.len()];
    pairs.iter().flatten().for_each(|a| is_expected[*a] = true);
    let mut missing: Vec<&Step> =
        expected.iter().zip(&pairs).filter(|(_, pair)| pair.is_none()).map(|(step, _)| step).collect();
    let mut extra: Vec<&Step> =
        actual.iter().zip(&is_expected).filter(|(_, expected)| !**expected).map(|(step, _)| step).collect();
    let agrees = match mode {
        MatchMode::Strict => false,
        MatchMode::Unordered => missing.is_empty() && extra.is_empty(),
        MatchMode::Subset => extra.is_empty(),
        MatchMode::Superset => missing.is_empty(),
    };
    if agrees {
        return (true, Vec::new());
    }
    let mut issues = Vec::new();
    if missing.is_empty() && extra.is_empty() {
        issues.extend(out_of_order(expected, actual, &pairs));
    }
    // A step of the right tool with other arguments is one thing that is wrong, not two.
    missing.retain(|step| match extra.iter().position(|other| other.tool == step.tool) {
        Some(at) => {
            other_arguments(step, extra.remove(at), equality, &mut issues);
            false
        }
        None => true,
    });
    let about =
        |kind, step: &Step, what: &str| issue(kind, step.tool, None, format!("`{}` {what}", step.tool));
    if mode != MatchMode::Subset {
        issues.extend(missing.iter().map(|step| about(IssueKind::MissingCall, step, "is not called")));
    }
    if mode != MatchMode::Superset {
        let what = "is called, but not expected";
        issues.extend(extra.iter().map(|step| about(IssueKind::UnexpectedCall, step, what)));
    }
    (false, issues)
}

fn has_arguments(expected: &Step, actual: &Step, mode: ArgumentMode, equality: Equality) -> bool {
    match (mode, expected.arguments) {
        (ArgumentMode::Ignore, _) | (_, None) => true,
        (ArgumentMode::Exact, Some(wanted)) => match actual.arguments {
            Some(given) => equality.values(wanted, given) || is_nothing(wanted) && is_nothing(given),
            None => is_nothing(wanted),
        },
    }
}

fn is_nothing(arguments: &Json) -> bool {
    arguments.is_null() || arguments.as_object().is_some_and(Object::is_empty)
}

fn out_of_order(expected: &[Step], actual: &[Step], pairs: &[Option<usize>]) -> Option<Issue> {
    let place = pairs.iter().enumerate().position(|(at, pair)| *pair != Some(at))?;
    let (wanted, found) = (expected.get(place)?.tool, actual.get(place)?.tool);
    let message = format!("step {} is `{found}`, expected `{wanted}`", place + 1);
    Some(issue(IssueKind::WrongOrder, found, None, message))
}

fn other_arguments(expected: &Step, actual: &Step, equality: Equality, issues: &mut Vec<Issue>) {
    let tool = expected.tool;
    if let (Ok(wanted), Ok(given)) = (members(expected), members(actual)) {
        return Differences { tool, equality, extras_count: true, issues }.of_arguments(wanted, given);
    }
    let shown = |step: &Step| step.arguments.map_or_else(|| "none".to_owned(), setting::shown);
    let message = format!("`{tool}` has the arguments {}, expected {}", shown(actual), shown(expected));
    issues.push(issue(IssueKind::WrongType, tool, None, message));
}

/// The arguments as an object, which none are too; an error for arguments of another kind.
fn members<'a>(step: &Step<'a>) -> Result<Option<&'a Object>, ()> {
    match step.arguments {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(arguments)) => Ok(Some(arguments)),
        Some(_) => Err(()),
    }
}

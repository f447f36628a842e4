//! The corrected evaluator: calls match expectations one to one, and every check is an item.

use super::case::{Call, Case, Expectation};
use super::order::{in_order, wrong_order};
use crate::domain::Object;
use crate::score::assignment::assign;
use crate::score::difference::{Differences, at_key, issue};
use crate::score::{Equality, Issue, IssueKind};

/// What there is to say of a case.
pub(super) struct Outcome {
    pub passed: bool,
    pub score: f64,
    pub precision: f64,
    pub recall: f64,
    pub param_accuracy: f64,
    pub issues: Vec<Issue>,
}

/// What adding up fractions may lose.
const EPSILON: f64 = 1e-9;

pub(super) fn score(case: &Case, threshold: f64, equality: Equality) -> Outcome {
    let mut issues = Vec::new();
    let is_within_limits = {
        budgets(case, &mut issues);
        bans(case, equality, &mut issues);
        issues.is_empty()
    };
    let missing_keywords = case.missing_keywords();
    let content = case.content(&missing_keywords);
    let keyword_issues = missing_keywords.iter().map(|keyword| Issue {
        kind: IssueKind::MissingKeyword,
        tool: None,
        path: None,
        message: format!("the response does not have `{keyword}`"),
    });
    if case.should_not_call_tools || case.expectations.is_empty() {
        let is_forbidden = case.should_not_call_tools && !case.calls.is_empty();
        if is_forbidden {
            issues.extend(case.calls.iter().map(|call| {
                let message = format!("`{}` is called where no call is due", call.name);
                issue(IssueKind::CallWhereNoneIsDue, call.name, None, message)
            }));
        }
        issues.extend(keyword_issues);
        let tools = f64::from(u8::from(!is_forbidden));
        return Outcome {
            passed: !is_forbidden && missing_keywords.is_empty() && is_within_limits,
            score: tools * content,
            precision: tools,
            recall: tools,
            param_accuracy: tools,
            issues,
        };
    }
    let mut pairs = pairs(case, equality);
    let mut is_in_order = true;
    if case.ordered {
        let worth = |row: usize, call: usize| params(&case.expectations[row], &case.calls[call], equality);
        pairs = in_order(case, pairs, worth);
        let wrong = wrong_order(case, &pairs);
        is_in_order = wrong.is_none();
        issues.extend(wrong);
    }
    let mut is_answer = vec![false; case.calls.len()];
    let mut accuracies = 0.0;
    for (expectation, call) in case.expectations.iter().zip(&pairs) {
        match call {
            Some(call) => {
                is_answer[*call] = true;
                accuracies += params(expectation, &case.calls[*call], equality);
                wrong_params(expectation, &case.calls[*call], equality, &mut issues);
            }
            None => {
                let message = format!("`{}` is not called", expectation.tool_name);
                issues.push(issue(IssueKind::MissingCall, expectation.tool_name, None, message));
            }
        }
    }
    let others = case.calls.iter().zip(&is_answer).filter(|(call, is_answer)| !**is_answer && call.is_made());
    for (call, _) in others {
        // A ban says more than that nobody expects it.
        if case.forbidden_tools.contains(&call.name) {
            continue;
        }
        let message = format!("`{}` is called, but not expected", call.name);
        issues.push(issue(IssueKind::UnexpectedCall, call.name, None, message));
    }
    issues.extend(keyword_issues);
    let hits = pairs.iter().flatten().count() as f64;
    let expected = case.expectations.len() as f64;
    // What could not be read was never called, and the loop has told the agent so.
    let made = case.calls.iter().filter(|call| !call.unreadable).count();
    let precision = if made == 0 { 0.0 } else { hits / made as f64 };
    let (recall, param_accuracy) = (hits / expected, accuracies / expected);
    // Nobody wants to read 0.7999999999999999.
    let score = rounded((3.0 * (precision + recall + param_accuracy) + content) / 10.0);
    let passed = score >= threshold - EPSILON && hits == expected && is_in_order && is_within_limits;
    Outcome { passed, score, precision, recall, param_accuracy, issues }
}

fn rounded(score: f64) -> f64 {
    (score * 1e12).round() / 1e12
}

/// Whether a call was made that is none of the expected ones as they should be: whatever follows, the score is not full.
pub(super) fn has_unexpected(case: &Case, equality: Equality) -> bool {
    if case.should_not_call_tools || case.expectations.is_empty() {
        return case.should_not_call_tools && !case.calls.is_empty();
    }
    let is_right = |row: usize, column: usize| {
        let (expectation, call) = (&case.expectations[row], &case.calls[column]);
        call.is_made()
            && call.name == expectation.tool_name
            && params(expectation, call, equality) > 1.0 - EPSILON
    };
    let weight = |row: usize, column: usize| f64::from(u8::from(is_right(row, column)));
    let assigned = assign(case.expectations.len(), case.calls.len(), weight);
    let right =
        assigned.iter().enumerate().filter(|(row, call)| call.is_some_and(|call| is_right(*row, call)));
    right.count() < case.calls.iter().filter(|call| !call.unreadable).count()
}

/// Adds what is over budget.
fn budgets(case: &Case, issues: &mut Vec<Issue>) {
    let plain = |kind, message| Issue { kind, tool: None, path: None, message };
    if let Some(latency) = case.latency_ms.as_ref().filter(|_| case.is_late()) {
        let (latency, budget) = (latency.as_str(), case.max_latency_ms.as_str());
        let message = format!("it took {latency} ms where {budget} ms are allowed");
        issues.push(plain(IssueKind::LatencyOverBudget, message));
    }
    if case.calls.len() as f64 > case.max_tool_calls {
        let message = format!("{} calls where {} are allowed", case.calls.len(), case.max_tool_calls);
        issues.push(plain(IssueKind::TooManyCalls, message));
    }
}

/// Whether a call was made that must not be made.
pub(super) fn has_banned(case: &Case, equality: Equality) -> bool {
    let mut issues = Vec::new();
    bans(case, equality, &mut issues);
    !issues.is_empty()
}

/// Adds the calls that must not be made.
fn bans(case: &Case, equality: Equality, issues: &mut Vec<Issue>) {
    let none = Object::new();
    for call in &case.calls {
        if case.forbidden_tools.contains(&call.name) {
            let message = format!("`{}` is called, which is forbidden", call.name);
            issues.push(issue(IssueKind::ForbiddenTool, call.name, None, message));
        }
        let arguments = call.input.unwrap_or(&none);
        let is_banned = |banned: &&Call| {
            !call.unreadable
                && banned.name == call.name
                && equality.objects(banned.input.unwrap_or(&none), arguments)
        };
        if call.forbidden || case.not_calls.iter().any(|banned| is_banned(&banned)) {
            let message = format!("`{}` is called with arguments that are forbidden", call.name);
            issues.push(issue(IssueKind::ForbiddenCall, call.name, None, message));
        }
    }
}

/// For every expectation the call that answers it, so that the parameters fit best altogether.
fn pairs(case: &Case, equality: Equality) -> Vec<Option<usize>> {
    let mut pairs = vec![None; case.expectations.len()];
    let mut done = vec![false; case.expectations.len()];
    for first in 0..case.expectations.len() {
        if done[first] {
            continue;
        }
        let tool = case.expectations[first].tool_name;
        let rows: Vec<usize> = (first..case.expectations.len())
            .filter(|row| case.expectations[*row].tool_name == tool)
            .collect();
        rows.iter().for_each(|row| done[*row] = true);
        let columns: Vec<usize> = (0..case.calls.len())
            .filter(|column| case.calls[*column].name == tool && case.calls[*column].is_made())
            .collect();
        let mut scores = Vec::new();
        if rows.len().max(columns.len()) > 1 {
            let of_row = |row: &usize| {
                let expectation = &case.expectations[*row];
                columns
                    .iter()
                    .map(|column| params(expectation, &case.calls[*column], equality))
                    .collect::<Vec<_>>()
            };
            scores = rows.iter().flat_map(of_row).collect();
        }
        let weight =
            |row: usize, column: usize| scores.get(row * columns.len() + column).copied().unwrap_or_default();
        for (row, column) in rows.iter().zip(assign(rows.len(), columns.len(), weight)) {
            pairs[*row] = column.map(|column| columns[column]);
        }
    }
    pairs
}

/// The mean over all checks of one expectation: half for a wrong value, else all or nothing. A validator has nothing to say of
/// a parameter that is not there.
fn params(expectation: &Expectation, call: &Call, equality: Equality) -> f64 {
    let (mut items, mut earned) = (0, 0.0);
    let mut item = |worth: f64| {
        items += 1;
        earned += worth;
    };
    for (param, wanted) in expectation.required_params.into_iter().flat_map(|params| params.iter()) {
        item(match call.param(param) {
            None => 0.0,
            Some(given) if wanted.is_null() || equality.values(wanted, given) => 1.0,
            Some(_) => 0.5,
        });
    }
    for param in &expectation.forbidden_params {
        item(f64::from(u8::from(call.param(param).is_none())));
    }
    for _ in expectation.added(call) {
        item(0.0);
    }
    for (param, validator) in &expectation.param_validators {
        if let Some(value) = call.param(param) {
            item(f64::from(u8::from(validator.accepts(value, equality))));
        }
    }
    if items == 0 { 1.0 } else { earned / f64::from(items) }
}

fn wrong_params(expectation: &Expectation, call: &Call, equality: Equality, issues: &mut Vec<Issue>) {
    let tool = expectation.tool_name;
    let mut path = String::new();
    for (param, wanted) in expectation.required_params.into_iter().flat_map(|params| params.iter()) {
        at_key(&mut path, param, |path| match call.param(param) {
            None => {
                let message = format!("`{tool}` lacks `{path}`");
                issues.push(issue(IssueKind::MissingParameter, tool, Some(path), message));
            }
            Some(_) if wanted.is_null() => {}
            Some(given) => {
                Differences { tool, equality, extras_count: true, issues: &mut *issues }
                    .of_values(wanted, given, path);
            }
        });
    }
    for param in expectation.forbidden_params.iter().filter(|param| call.param(param).is_some()) {
        at_key(&mut path, param, |path| {
            let message = format!("`{tool}` has `{path}`, which is forbidden");
            issues.push(issue(IssueKind::ForbiddenParameter, tool, Some(path), message));
        });
    }
    for param in expectation.added(call) {
        at_key(&mut path, param, |path| {
            let message = format!("`{tool}` has `{path}`, which is not expected");
            issues.push(issue(IssueKind::ExtraParameter, tool, Some(path), message));
        });
    }
    for (param, validator) in &expectation.param_validators {
        if call.param(param).is_some_and(|value| !validator.accepts(value, equality)) {
            at_key(&mut path, param, |path| {
                let message = format!("`{path}` of `{tool}` is not valid");
                issues.push(issue(IssueKind::FailedValidator, tool, Some(path), message));
            });
        }
    }
}

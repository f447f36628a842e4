//! What is wrong with the calls of a case, one by one.

use super::alignment::Alignment;
use super::case::{Call, Case, Special};
use super::matcher::{Matcher, Rules};
use super::options::{Options, Params};
use crate::domain::Json;
use crate::score::difference::{Differences, at_key, issue};
use crate::score::{Equality, Issue, IssueKind, setting};

pub(super) fn issues(case: &Case, options: &Options, matcher: &Matcher, alignment: &Alignment) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (expected, called) in &alignment.attempts {
        let (expected, called) = (&case.expected[*expected], &case.called[*called]);
        if matcher.arguments(expected, called) {
            let message = format!("`{}` is called out of order", called.name);
            issues.push(issue(IssueKind::WrongOrder, called.name, None, message));
        } else {
            arguments(&mut issues, matcher, expected, called);
        }
    }
    for at in &alignment.missing {
        let name = case.expected[*at].name;
        issues.push(issue(IssueKind::MissingCall, name, None, format!("`{name}` is not called")));
    }
    if !options.allow_extras {
        for at in &alignment.extras {
            let name = case.called[*at].name;
            let message = format!("`{name}` is called, but not expected");
            issues.push(issue(IssueKind::UnexpectedCall, name, None, message));
        }
    }
    issues
}

/// What is wrong with a call's arguments: all the way down where they must be equal, else by parameter.
fn arguments(issues: &mut Vec<Issue>, matcher: &Matcher, expected: &Call, called: &Call) {
    let tool = expected.name;
    let Some(wanted) = expected.arguments.map(|wanted| matcher.wanted(wanted)) else { return };
    let given = matcher.given(called);
    let before = issues.len();
    match (matcher.params, wanted, given) {
        (Params::Strict, Json::Object(wanted), Json::Object(given)) => {
            let equality = if matcher.rules == Rules::Ours { Equality::Json } else { Equality::JavaScript };
            Differences { tool, equality, extras_count: true, issues }
                .of_arguments(Some(wanted), Some(given));
        }
        (Params::Fuzzy, Json::Object(wanted), Json::Object(given)) => {
            let mut path = String::new();
            for (key, wanted) in wanted.iter() {
                at_key(&mut path, key, |path| match given.get(key) {
                    None => {
                        let message = format!("`{tool}` lacks `{path}`, expected {}", meant(wanted));
                        issues.push(issue(IssueKind::MissingParameter, tool, Some(path), message));
                    }
                    Some(given) if matcher.values(wanted, given) => {}
                    Some(given) => {
                        let (given, wanted) = (setting::shown(given), meant(wanted));
                        let message = format!("`{tool}` has {given} at `{path}`, expected about {wanted}");
                        issues.push(issue(IssueKind::WrongValue, tool, Some(path), message));
                    }
                });
            }
        }
        _ => {}
    }
    if issues.len() == before {
        let (given, wanted) = (setting::shown(given), meant(wanted));
        let message = format!("`{tool}` has the arguments {given}, which do not match {wanted}");
        issues.push(issue(IssueKind::WrongValue, tool, None, message));
    }
}

/// An expectation for a message: patterns as JavaScript writes them.
fn meant(wanted: &Json) -> String {
    match wanted.as_object().and_then(Special::of) {
        Some(Special::Pattern { source, flags }) => format!("/{source}/{flags}"),
        Some(Special::NonemptyString) => "a text that is not empty".to_owned(),
        Some(Special::PositiveNumber) => "a positive number".to_owned(),
        Some(Special::Unknown(_)) | None => setting::shown(wanted),
    }
}

//! The article's own arithmetic, with its two wrong names corrected so that it runs.

use super::case::{Call, Case, Expectation};
use crate::python::{write_list, write_quoted, write_str};
use crate::score::Equality;

/// What the article's evaluator returns of a case.
pub(super) struct Outcome {
    pub passed: bool,
    pub score: f64,
    pub precision: f64,
    pub recall: f64,
    pub param_accuracy: f64,
    pub issues: Vec<String>,
}

pub(super) fn score(case: &Case) -> Outcome {
    let mut issues = Vec::new();
    if let Some(latency) = case.latency_ms.as_ref().filter(|_| case.is_late()) {
        let (latency, budget) = (latency.as_str(), case.max_latency_ms.as_str());
        issues.push(format!("Latency {latency}ms exceeded budget {budget}ms"));
    }
    if case.should_not_call_tools && !case.calls.is_empty() {
        issues.push(listing("Called tools when shouldn't: ", case.calls.iter().map(|call| call.name)));
        return Outcome {
            passed: false,
            score: 0.0,
            precision: 0.0,
            recall: 0.0,
            param_accuracy: 0.0,
            issues,
        };
    }
    let missing_keywords = case.missing_keywords();
    if case.expectations.is_empty() {
        let passed = missing_keywords.is_empty();
        let score = if passed { 1.0 } else { 0.5 };
        return Outcome { passed, score, precision: 1.0, recall: 1.0, param_accuracy: 1.0, issues };
    }
    let is_called = |name: &str| case.calls.iter().any(|call| call.name == name);
    let is_expected = |name: &str| case.expectations.iter().any(|expectation| expectation.tool_name == name);
    let hits = case.calls.iter().filter(|call| is_expected(call.name)).count() as f64;
    let precision = if case.calls.is_empty() { 1.0 } else { hits / case.calls.len() as f64 };
    let recall = hits / case.expectations.len() as f64;
    let names = case.expectations.iter().map(|expectation| expectation.tool_name);
    let missing: Vec<&str> = names.filter(|name| !is_called(name)).collect();
    let unexpected: Vec<&str> =
        case.calls.iter().map(|call| call.name).filter(|name| !is_expected(name)).collect();
    if !unexpected.is_empty() {
        issues.push(listing("Unexpected tool calls: ", unexpected));
    }
    if !missing.is_empty() {
        issues.push(listing("Missing expected tool calls: ", missing.iter().copied()));
    }
    let mut accuracies = 0.0;
    for expectation in &case.expectations {
        if let Some(call) = case.calls.iter().find(|call| call.name == expectation.tool_name) {
            accuracies += params(expectation, call, &mut issues);
        }
    }
    let param_accuracy = accuracies / case.expectations.len() as f64;
    if !missing_keywords.is_empty() {
        issues.push(listing("Response missing keywords: ", missing_keywords.iter().copied()));
    }
    let content = case.content(&missing_keywords);
    let score = 0.3 * precision + 0.3 * recall + 0.3 * param_accuracy + 0.1 * content;
    let passed = score >= 0.8 && missing.is_empty();
    Outcome { passed, score, precision, recall, param_accuracy, issues }
}

/// The mean over the items of one expectation; what is fine about forbidden parameters and validators is no item.
fn params(expectation: &Expectation, call: &Call, issues: &mut Vec<String>) -> f64 {
    let tool = expectation.tool_name;
    let (mut items, mut earned) = (0, 0.0);
    for (param, wanted) in expectation.required_params.into_iter().flat_map(|params| params.iter()) {
        items += 1;
        match call.param(param) {
            None => issues.push(format!("Missing param '{param}' in {tool}")),
            Some(given) if wanted.is_null() || Equality::Python.values(wanted, given) => earned += 1.0,
            Some(given) => {
                earned += 0.5;
                let mut issue = format!("Wrong '{param}': expected '");
                write_str(&mut issue, wanted);
                issue.push_str("', got '");
                write_str(&mut issue, given);
                issue.push('\'');
                issues.push(issue);
            }
        }
    }
    for param in &expectation.forbidden_params {
        if call.param(param).is_some() {
            items += 1;
            issues.push(format!("Forbidden param '{param}' used in {tool}"));
        }
    }
    for (param, validator) in &expectation.param_validators {
        if call.param(param).is_some_and(|value| !validator.accepts(value, Equality::Python)) {
            items += 1;
            issues.push(format!("Param '{param}' failed validation in {tool}"));
        }
    }
    if items == 0 { 1.0 } else { earned / f64::from(items) }
}

fn listing<'a>(what: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut issue = what.to_owned();
    write_list(&mut issue, names, write_quoted);
    issue
}

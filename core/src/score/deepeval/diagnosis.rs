//! What is wrong with the calls of a case, one by one.

use super::alignment::Alignment;
use super::case::{Call, Case};
use super::similarity::Similarity;
use crate::score::difference::{Differences, issue};
use crate::score::{Issue, IssueKind, setting};

pub(super) fn issues(case: &Case, similarity: Similarity, alignment: &Alignment) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (expected, called) in &alignment.pairs {
        compare(&mut issues, similarity, &case.expected[*expected], &case.called[*called]);
    }
    for (expected, called) in &alignment.out_of_order {
        let (expected, called) = (&case.expected[*expected], &case.called[*called]);
        let before = issues.len();
        compare(&mut issues, similarity, expected, called);
        if issues.len() == before {
            let message = format!("`{}` is called out of order", called.name);
            issues.push(issue(IssueKind::WrongOrder, called.name, None, message));
        }
    }
    let mut unexpected = alignment.without_pair(case.called.len(), |pair| pair.1);
    for at in alignment.without_pair(case.expected.len(), |pair| pair.0) {
        let expected = &case.expected[at];
        let namesake = unexpected.iter().position(|called| case.called[*called].name == expected.name);
        issues.push(match namesake.map(|namesake| &case.called[unexpected.remove(namesake)]) {
            Some(called) => {
                let (is, should) = (called.kind.as_str(), expected.kind.as_str());
                let message = format!("`{}` is called as {is}, expected {should}", called.name);
                issue(IssueKind::WrongToolType, called.name, None, message)
            }
            None => {
                let message = format!("`{}` is not called", expected.name);
                issue(IssueKind::MissingCall, expected.name, None, message)
            }
        });
    }
    for at in unexpected {
        let name = case.called[at].name;
        let message = format!("`{name}` is called, but not expected");
        issues.push(issue(IssueKind::UnexpectedCall, name, None, message));
    }
    issues
}

fn compare(issues: &mut Vec<Issue>, similarity: Similarity, expected: &Call, called: &Call) {
    if similarity.parameters && !similarity.same_parameters(expected, called) {
        Differences { tool: expected.name, equality: similarity.equality, extras_count: true, issues }
            .of_arguments(expected.parameters, called.parameters);
    }
    if similarity.output && !similarity.same_output(expected, called) {
        let shown = |call: &Call| call.output.map_or_else(|| "no output".to_owned(), setting::shown);
        let message = format!("`{}` gives {}, expected {}", expected.name, shown(called), shown(expected));
        issues.push(issue(IssueKind::WrongOutput, expected.name, None, message));
    }
}

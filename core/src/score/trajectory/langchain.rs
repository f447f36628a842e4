//! LangChain Benchmarks' score of a run: its steps, its final state, and the grade of its answer.

use super::arguments::{ArgumentMode, ArgumentRules, Matching};
use super::benchmark::{Case, Grading};
use super::compare::{MatchMode, compare};
use super::figures::Figures;
use super::options::Options;
use super::{comment, grade};
use crate::domain::{Json, Number, Object};
use crate::score::{Equality, Issue, IssueKind, ScoreError, Scored, setting};

/// Scores a case as LangChain Benchmarks does.
pub(super) fn score_as_peer(case: &Case, options: &Options) -> Result<Scored, ScoreError> {
    if case.expected.is_empty() {
        return Err(ScoreError { kind: "ZeroDivisionError", message: "division by zero".to_owned() });
    }
    let grading = case.grading.unwrap_or(options.grading);
    let mut grade = None;
    if grading != Grading::None && case.has_output {
        if !case.has_reference {
            return Err(ScoreError { kind: "KeyError", message: "'reference'".to_owned() });
        }
        let reply = case.reply.ok_or_else(|| {
            ScoreError::invalid("`llm_reply` is missing: what the model said of the answer")
        })?;
        grade = Some(grade::as_peer(reply, grading));
    }
    let rules = ArgumentRules::default();
    let equality = Equality::Python;
    let matching = Matching { rules: &rules, default: ArgumentMode::Ignore, equality, asking: None };
    let mut scored = scored(case, order_of(case), matching, grade);
    scored.figures.clear();
    Ok(scored)
}

/// Scores a case as it should be scored.
pub(super) fn score(case: &Case, options: &Options, matching: Matching) -> Scored {
    let mode = options.match_mode.unwrap_or(order_of(case));
    let is_graded = case.grading.unwrap_or(options.grading) != Grading::None && case.has_output;
    let grade = is_graded.then(|| case.reply.filter(|_| case.has_reference).and_then(grade::careful));
    let mut scored = scored(case, mode, matching, grade);
    scored.passed = match (scored.issues.is_empty(), grade) {
        (false, _) => Some(false),
        (true, Some(None)) => None,
        (true, _) => Some(true),
    };
    scored
}

fn order_of(case: &Case) -> MatchMode {
    match case.order_matters {
        Some(false) => MatchMode::Unordered,
        Some(true) | None => MatchMode::Strict,
    }
}

/// `grade` is `None` where there is none to give, and `Some(None)` where the reply does not say.
fn scored(case: &Case, mode: MatchMode, matching: Matching, grade: Option<Option<bool>>) -> Scored {
    let comparison = compare(&case.expected, &case.actual, mode, matching);
    let (agrees, mut issues) = (comparison.agrees, comparison.issues);
    let comment = comment(mode);
    let mut steps = result("Intermediate steps correctness", truth(agrees));
    steps.insert("comment", comment);
    let ratio = match (case.actual.len(), case.expected.len()) {
        (0, 0) => Some(1.0),
        (_, 0) => None,
        (actual, expected) => Some(actual as f64 / expected as f64),
    };
    let ratio = ratio.and_then(Number::from_f64).map_or(Json::Null, Json::Number);
    let mut results = vec![steps, result("# steps / # expected steps", ratio)];
    let about = |kind, message: String| Issue { kind, tool: None, path: None, message };
    if let Some((state, wanted)) = case.states {
        let is_equal = matching.equality.values(state, wanted);
        results.push(result("Correct Final State", truth(is_equal)));
        if !is_equal {
            let (state, wanted) = (setting::shown(state), setting::shown(wanted));
            let message = format!("the final state is {state}, expected {wanted}");
            issues.push(about(IssueKind::WrongState, message));
        }
    }
    if let Some(grade) = grade {
        results.push(result("correctness", grade.map_or(Json::Null, truth)));
        if grade == Some(false) {
            issues.push(about(IssueKind::WrongAnswer, "the answer was graded as incorrect".to_owned()));
        }
    }
    let mut metadata = Object::new();
    metadata.insert("results", Json::Array(results.into_iter().map(Json::Object).collect()));
    let reason = match issues.as_slice() {
        [] => comment.to_owned(),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    Scored {
        score: Some(f64::from(u8::from(agrees))),
        passed: None,
        reason: Some(reason),
        figures: Figures::of(comparison.matched, case.actual.len(), case.expected.len()).named().to_vec(),
        compared_arguments: matching.compares_any(&case.expected),
        metadata,
        issues,
        ..Scored::default()
    }
}

fn result(key: &str, score: Json) -> Object {
    let mut result = Object::new();
    result.insert("key", key);
    result.insert("score", score);
    result
}

fn truth(is_true: bool) -> Json {
    Json::Number(Number::from(u64::from(is_true)))
}

//! vitest-evals' own procedure, in its two versions.

use super::case::{Call, Case, Special};
use super::matcher::{Matcher, Rules};
use super::options::{Options, Params};
use crate::domain::{Json, Object};

/// A score with the peer's details.
pub(super) struct Outcome {
    pub score: f64,
    pub metadata: Object,
    /// Which call answers which expected tool, where more answers are not possible.
    pub pairs: Option<Vec<(usize, usize)>>,
}

impl Outcome {
    fn new(score: f64, rationale: String) -> Outcome {
        let mut metadata = Object::new();
        metadata.insert("rationale", rationale);
        Outcome { score, metadata, pairs: None }
    }

    fn partial(matched: usize, total: usize, rationale: String) -> Outcome {
        Outcome::new(matched as f64 / total as f64, rationale).with_counts(matched, total)
    }

    fn with_counts(mut self, matched: usize, total: usize) -> Outcome {
        self.metadata.insert("matched", count(matched));
        self.metadata.insert("total", count(total));
        self
    }
}

fn count(count: usize) -> Json {
    Json::Number((count as u64).into())
}

pub(super) fn score(case: &Case, options: &Options, matcher: &Matcher) -> Outcome {
    if case.expected.is_empty() {
        return Outcome::new(1.0, "No tool calls expected".to_owned());
    }
    if case.called.is_empty() {
        let rationale = format!("Expected {} tool(s) but none were called", case.expected.len());
        return Outcome::new(0.0, rationale);
    }
    if options.ordered { ordered(case, options, matcher) } else { unordered(case, options, matcher) }
}

fn names<'a>(calls: impl IntoIterator<Item = &'a Call<'a>>) -> String {
    let mut names = String::new();
    for (at, call) in calls.into_iter().enumerate() {
        names.push_str(if at == 0 { "" } else { ", " });
        names.push_str(call.name);
    }
    names
}

/// Two places that only move forward; the first wrong arguments end it.
fn ordered(case: &Case, options: &Options, matcher: &Matcher) -> Outcome {
    let total = case.expected.len();
    let (mut matched, mut at) = (0, 0);
    while let (Some(expected), Some(called)) = (case.expected.get(matched), case.called.get(at)) {
        if expected.name == called.name {
            if !matcher.arguments(expected, called) {
                return wrong_arguments(expected, called, matched, total, matcher);
            }
            matched += 1;
        } else if !options.allow_extras {
            let (expected, found, position) = (expected.name, called.name, matched + 1);
            return Outcome::new(
                0.0,
                format!("Expected '{expected}' at position {position} but found '{found}'"),
            );
        }
        at += 1;
    }
    if matched < total {
        let missing = names(&case.expected[matched..]);
        return match options.require_all {
            true => Outcome::new(0.0, format!("Missing required tools in sequence: {missing}")),
            false => Outcome::partial(
                matched,
                total,
                format!("Partial match: {matched}/{total} tools called in order (missing: {missing})"),
            ),
        };
    }
    if at < case.called.len() && !options.allow_extras {
        return Outcome::new(0.0, format!("Unexpected extra tools: {}", names(&case.called[at..])));
    }
    Outcome::new(1.0, "All tools called in expected order with correct arguments".to_owned())
}

fn wrong_arguments(
    expected: &Call,
    called: &Call,
    matched: usize,
    total: usize,
    matcher: &Matcher,
) -> Outcome {
    let rules = matcher.rules;
    let mut rationale =
        format!("Tool '{}' called with incorrect arguments at position {}", expected.name, matched + 1);
    let mut score = 0.5;
    if rules != Rules::V04 {
        rationale.push_str(&format!(" ({matched}/{total} tools matched correctly)"));
        score = matched as f64 / total as f64;
    }
    let mut outcome = Outcome::new(score, rationale);
    let wanted = match matcher.params {
        Params::Fuzzy => expected.arguments.and_then(as_stringified),
        Params::Strict | Params::Custom(_) | Params::Function => expected.arguments.cloned(),
    };
    for (key, arguments) in [("expected", wanted), ("actual", called.arguments.cloned())] {
        if let Some(arguments) = arguments {
            outcome.metadata.insert(key, arguments);
        }
    }
    if rules == Rules::V04 { outcome } else { outcome.with_counts(matched, total) }
}

/// What `JSON.stringify` leaves of an expectation: nothing of a function, `{}` of a regular expression.
fn as_stringified(expected: &Json) -> Option<Json> {
    Some(match expected {
        Json::Array(items) => {
            Json::Array(items.iter().map(|item| as_stringified(item).unwrap_or(Json::Null)).collect())
        }
        Json::Object(object) => match Special::of(object) {
            Some(Special::Pattern { .. }) => Json::Object(Object::new()),
            Some(_) => return None,
            None => {
                let members =
                    object.iter().filter_map(|(key, value)| Some((key.to_owned(), as_stringified(value)?)));
                Json::Object(members.collect())
            }
        },
        other => other.clone(),
    })
}

/// Every expected tool takes the first call that is left and fits: from the last to the first, which in 0.4.0 was from the
/// first to the last.
fn unordered(case: &Case, options: &Options, matcher: &Matcher) -> Outcome {
    let total = case.expected.len();
    let mut taken = vec![false; case.called.len()];
    let mut pairs = Vec::with_capacity(total);
    let mut is_matched = vec![false; total];
    for step in 0..total {
        let at = if matcher.rules == Rules::V04 { step } else { total - 1 - step };
        let expected = &case.expected[at];
        let fits = |(at, called): &(usize, &Call)| {
            !taken[*at] && expected.name == called.name && matcher.arguments(expected, called)
        };
        if let Some((found, _)) = case.called.iter().enumerate().find(fits) {
            taken[found] = true;
            pairs.push((at, found));
            is_matched[at] = true;
        }
    }
    let matched = pairs.len();
    // An expected tool that no call fits, taken or not, would not find one otherwise either.
    let fits_none = |expected: &Call| {
        !case.called.iter().any(|called| expected.name == called.name && matcher.arguments(expected, called))
    };
    let mut unmatched = case.expected.iter().zip(&is_matched).filter(|(_, matched)| !**matched);
    let pairs = unmatched.all(|(expected, _)| fits_none(expected)).then_some(pairs);
    let mut issues = String::new();
    let mut issue = |parts: &[&str]| {
        issues.push_str(if issues.is_empty() { "" } else { "; " });
        issues.extend(parts.iter().copied());
    };
    for (expected, _) in case.expected.iter().zip(&is_matched).filter(|(_, matched)| !**matched) {
        if expected.arguments.is_some() && case.called.iter().any(|call| call.name == expected.name) {
            issue(&["Tool '", expected.name, "' called but with incorrect arguments"]);
        } else {
            issue(&["Missing required tool: ", expected.name]);
        }
    }
    let extras = || case.called.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(call, _)| call);
    let has_extras = taken.iter().any(|taken| !taken);
    if has_extras && !options.allow_extras {
        issue(&["Unexpected extra tools: ", &names(extras())]);
    }
    if !issues.is_empty() && (options.require_all || !options.allow_extras) {
        return Outcome { pairs, ..Outcome::new(0.0, issues) };
    }
    if matched < total {
        return Outcome { pairs, ..Outcome::partial(matched, total, issues) };
    }
    let mut rationale = "All expected tools were called".to_owned();
    if has_extras {
        rationale.extend([" (plus extra: ", &names(extras()), ")"]);
    }
    Outcome::new(1.0, rationale)
}

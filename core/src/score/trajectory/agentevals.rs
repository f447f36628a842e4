//! agentevals' own procedure (0.0.9): messages and roles in order, or calls as sets, taken greedily.

use super::arguments::{ArgumentMode, Matching};
use super::compare::MatchMode;
use super::messages::Turn;
use super::options::Options;
use super::sides::{Sides, steps};
use super::step::Step;
use crate::domain::Json;
use crate::score::functions::Asking;
use crate::score::{Equality, ScoreError};

/// Whether the trajectories match as the peer has it.
pub(super) fn matches(sides: &Sides, options: &Options, asking: &Asking) -> Result<bool, ScoreError> {
    let (called, expected) = (&sides.called, sides.expected()?);
    let rules = &options.arguments;
    let equality = Equality::Python;
    let matching = Matching { rules, default: ArgumentMode::Exact, equality, asking: Some(asking) };
    Ok(match options.match_mode.unwrap_or(MatchMode::Strict) {
        MatchMode::Strict => is_same(called, expected, matching),
        MatchMode::Unordered => contains(called, expected, matching) && contains(expected, called, matching),
        // The two sides change places, and so do the arguments' subset and superset.
        MatchMode::Subset => contains(expected, called, matching),
        MatchMode::Superset => contains(called, expected, matching),
        MatchMode::InOrder => {
            let why = "agentevals has no mode `in_order`, only strict, unordered, subset and superset";
            return Err(ScoreError { kind: "ValueError", message: why.to_owned() });
        }
    })
}

/// Message by message; the calls of a message in any order.
fn is_same(called: &[Turn], expected: &[Turn], matching: Matching) -> bool {
    called.len() == expected.len()
        && called.iter().zip(expected).all(|(called, expected)| {
            called.role == expected.role
                && called.calls.len() == expected.calls.len()
                && takes_all(&called.calls, &expected.calls, |called, expected| {
                    fits(called, expected, matching)
                })
        })
}

/// Whether every call of `smaller` has one in `larger`.
fn contains(larger: &[Turn], smaller: &[Turn], matching: Matching) -> bool {
    let (larger, smaller) = (steps(larger), steps(smaller));
    takes_all(&smaller, &larger, |smaller, larger| fits(larger, smaller, matching))
}

/// Whether every one takes the first of the others that is free and fits.
fn takes_all(calls: &[Step], others: &[Step], fits: impl Fn(&Step, &Step) -> bool) -> bool {
    let mut is_taken = vec![false; others.len()];
    calls.iter().all(|call| {
        let free = (0..others.len()).find(|at| !is_taken[*at] && fits(call, &others[*at]));
        free.inspect(|at| is_taken[*at] = true).is_some()
    })
}

fn fits(called: &Step, expected: &Step, matching: Matching) -> bool {
    let arguments = |step: &Step| step.arguments.clone().map_or(Json::Null, std::borrow::Cow::into_owned);
    called.tool == expected.tool && matching.holds(expected.tool, &arguments(called), &arguments(expected))
}

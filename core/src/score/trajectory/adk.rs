//! The Agent Development Kit's `tool_trajectory_avg_score` (google-adk 2.13.0) of one invocation.

use super::arguments::ArgumentMode;
use super::compare::MatchMode;
use super::options::Options;
use super::step::Step;
use crate::score::{Equality, ScoreError};

/// Whether the calls match as the peer has it.
pub(super) fn matches(called: &[Step], expected: &[Step], options: &Options) -> Result<bool, ScoreError> {
    let ignores = options.arguments.mode == Some(ArgumentMode::Ignore);
    let is_same = |called: &Step, expected: &Step| {
        called.tool == expected.tool
            && (ignores
                || match (called.arguments.as_deref(), expected.arguments.as_deref()) {
                    (Some(called), Some(expected)) => Equality::Python.values(called, expected),
                    (called, expected) => called.is_none() && expected.is_none(),
                })
    };
    Ok(match options.match_mode.unwrap_or(MatchMode::Strict) {
        MatchMode::Strict => {
            called.len() == expected.len()
                && called.iter().zip(expected).all(|(called, expected)| is_same(called, expected))
        }
        MatchMode::InOrder => {
            let mut called = called.iter();
            expected.iter().all(|expected| called.any(|called| is_same(called, expected)))
        }
        MatchMode::Superset => {
            let mut left: Vec<&Step> = called.iter().collect();
            expected.iter().all(|expected| {
                let at = left.iter().position(|called| is_same(called, expected));
                at.inspect(|at| _ = left.remove(*at)).is_some()
            })
        }
        MatchMode::Unordered | MatchMode::Subset => {
            let why = "ADK matches EXACT, IN_ORDER or ANY_ORDER";
            return Err(ScoreError { kind: "ValueError", message: why.to_owned() });
        }
    })
}

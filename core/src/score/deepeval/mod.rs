//! Tool correctness: the share of expected calls that were made.
//!
//! The peer is DeepEval's `ToolCorrectnessMetric` (4.3.1). A pair of calls of one tool (same name and type) earns from 0 to 1:
//!
//! ```text
//! similarity = Σ over shared keys of (1 if equal, similarity of the values if both are objects) / number of keys in either
//! ```
//!
//! where arguments count (`INPUT_PARAMETERS`), else 1; and 0 where outputs count (`OUTPUT`) and differ. What the pairs earn
//! together is divided by the number of expected calls. Pairs are made in any order, by the heaviest common subsequence
//! (`should_consider_ordering`), or place by place and all or nothing (`should_exact_match`). A judge's answer about the choice
//! of tools, which a record may hold, can only lower the score: the lower of both counts.
//!
//! With the peer's name the numbers, reasons and exceptions are the peer's. Without it:
//!
//! | case | peer | ours | why |
//! |---|---|---|---|
//! | expected A, A; called A, A | 0.5 | 1 | the peer drops all calls that *equal* a matched one |
//! | A as MCP, A as FUNCTION, both called | 0.5 | 1 | for the same reason: types are not compared |
//! | expected A{x1,y3}, A{x1,y2}; called A{x1,y2}, A{x9,y3} | 0.25 | 0.75 | one-to-one with the greatest sum, not greedily |
//! | parameters `null` against `{}` | `AttributeError` | 1 | both mean no parameters |
//! | `null` against `{"a": 1}` | `AttributeError` | 0 | the same |
//! | `true` against `1` | 1 | 0 | types differ in JSON; `1` and `1.0` are still equal |
//! | expected A; called A, B | 1 | 0.5 | the documented formula divides by the calls that were made; ours divides by the greater number |
//! | threshold 0.7, three calls of 0.7 each | fails by the last bit | passes | a score is compared with a margin of 1e-9 |
//! | a judge's score beyond 1 | accepted | an error | it is not a share |
//! | available tools without a judge's answer | asks a model | the calls alone | and the reason says so |
//! | missing lists | `MissingTestCaseParamsError` | `InvalidCase` | one kind of error for what cannot be read |

mod alignment;
mod case;
mod diagnosis;
mod inquiry;
mod judged;
mod options;
mod peer;
mod reason;
mod similarity;

pub(super) use case::calls;
pub use case::{Call, Case};
pub(super) use judged::SCORER as JUDGED;
pub use options::Options;

use alignment::Alignment;
use peer::Mode;
use similarity::Similarity;

use super::{Score, ScoreError, Scored, Scorer, setting};
use crate::domain::Object;

const PEERS: &[&str] = &["deepeval"];

pub(super) const SCORER: Scorer = Scorer {
    name: "tool_correctness",
    peers: PEERS,
    expects: true,
    across_turns: false,
    defines: false,
    inquiry: Some(inquiry::INQUIRY),
    matches: |record| record.contains_key("expected_tools") && record.contains_key("tools_called"),
    case: |called, expected, row| {
        let lists = [("tools_called", called), ("expected_tools", expected)];
        super::own_case(
            row,
            lists.map(|(key, calls)| (key, super::listed(calls, ("name", "input_parameters")))),
        )
    },
    ready: |settings, peer| {
        let as_peer = match peer {
            None => false,
            Some("deepeval") => true,
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        Ok(Box::new(ToolCorrectness { options: Options::default().with(settings)?, as_peer }))
    },
};

struct ToolCorrectness {
    options: Options,
    as_peer: bool,
}

impl Score for ToolCorrectness {
    fn compares(&self, _: Option<&Object>) -> String {
        let Options { input_parameters, output, .. } = self.options;
        match (input_parameters, output) {
            (true, true) => "names of tools, arguments and outputs",
            (true, false) => "names of tools and arguments",
            (false, true) => "names of tools and outputs, not arguments (--evaluate input_parameters,output compares these too)",
            (false, false) => "names of tools only, not arguments (--evaluate input_parameters compares these too)",
        }
        .to_owned()
    }

    fn idle(&self) -> Vec<(&'static str, &'static str)> {
        let Options { strict_mode, should_exact_match, .. } = self.options;
        let idle = [
            (strict_mode, ("threshold", "beside --strict")),
            (should_exact_match, ("should_consider_ordering", "beside --exact-match")),
        ];
        idle.into_iter().filter_map(|(is_idle, setting)| is_idle.then_some(setting)).collect()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let mut options = self.options;
        if let Some(config) = record.get("config").and_then(|config| config.as_object()) {
            options = options.with(config).map_err(ScoreError::invalid)?;
        }
        let case = Case::read(record);
        if self.as_peer {
            return score_as_peer(&case?, &options);
        }
        score(&case.map_err(|error| ScoreError::invalid(error.message))?, &options)
    }
}

/// Scores a case as DeepEval does.
pub fn score_as_peer(case: &Case, options: &Options) -> Result<Scored, ScoreError> {
    let outcome = peer::score(case, options)?;
    let mut score = outcome.score;
    if case.has_available_tools {
        let selection = case.selection.ok_or_else(|| {
            ScoreError::invalid("`selection` is missing: what the judge said of the choice of tools")
        })?;
        score = score.min(selection.score);
    }
    if options.strict_mode && score < 1.0 {
        score = 0.0;
    }
    let is_perfect = outcome.score == 1.0 && case.expected.len() == case.called.len();
    let issues = if is_perfect {
        Vec::new()
    } else {
        let similarity = Similarity { none_is_empty: true, ..Similarity::peer(options) };
        let alignment = Alignment::of(case, similarity, Mode::of(options));
        diagnosis::issues(case, similarity, &alignment)
    };
    Ok(Scored {
        score: Some(score),
        passed: options.bar().map(|bar| score >= bar),
        reason: Some(reason::whole(case, options, &outcome)),
        compared_arguments: compared_arguments(case, options),
        issues,
        ..Scored::default()
    })
}

/// Scores a case as it should be scored.
pub fn score(case: &Case, options: &Options) -> Result<Scored, ScoreError> {
    let similarity = Similarity::ours(options);
    let mode = Mode::of(options);
    let alignment = Alignment::of(case, similarity, mode);
    let (expected, called) = (case.expected.len(), case.called.len());
    let issues = diagnosis::issues(case, similarity, &alignment);
    let mut score = match mode {
        Mode::Exact => f64::from(u8::from(issues.is_empty())),
        _ if expected.max(called) == 0 => 1.0,
        _ => (alignment.earned / expected.max(called) as f64).min(1.0),
    };
    let mut reason = match issues.as_slice() {
        [] => format!("All of {expected} expected calls were made"),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    if let Some(selection) = case.selection.filter(|_| case.has_available_tools) {
        if !(0.0..=1.0).contains(&selection.score) {
            return Err(ScoreError::invalid("`selection.score` must be a number from 0 to 1"));
        }
        score = score.min(selection.score);
        reason.push_str("; of the choice of tools: ");
        reason.push_str(selection.reason);
    } else if case.has_available_tools {
        reason.push_str("; the choice among the available tools was not judged");
    }
    if options.strict_mode && score < 1.0 - EPSILON {
        score = 0.0;
    }
    Ok(Scored {
        score: Some(score),
        passed: options.bar().map(|bar| score >= bar - EPSILON),
        reason: options.include_reason.then_some(reason),
        compared_arguments: compared_arguments(case, options),
        issues,
        ..Scored::default()
    })
}

/// Whether arguments of an expected call were compared; `None` where they do not count.
fn compared_arguments(case: &Case, options: &Options) -> Option<bool> {
    options.input_parameters.then(|| case.expected.iter().any(|call| call.parameters.is_some()))
}

/// What adding up fractions may lose.
const EPSILON: f64 = 1e-9;

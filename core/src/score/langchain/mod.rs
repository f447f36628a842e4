//! An agent's trajectory: its steps, its final state, and what a model said of its answer.
//!
//! The peer is LangChain Benchmarks (0.0.14), which gives up to four results: whether the names of the tools called are those
//! expected (in order, unless `order_matters` is false); how many steps were taken for every one expected; whether the final
//! states are equal, where both are recorded; and the grade that a model's recorded reply means. The score is the first.
//!
//! Without the peer, `trajectory_match_mode` says what must agree instead (`strict`, `unordered`, `subset`: no step that is not
//! expected, `superset`: every expected step), and `tool_args_match_mode` whether arguments count (`ignore`, `exact`, which asks
//! for those that an expected step has). Besides:
//!
//! | case | peer | ours | why |
//! |---|---|---|---|
//! | nothing expected, no steps | `ZeroDivisionError` | ratio 1 | nothing for nothing is right |
//! | nothing expected, some steps | `ZeroDivisionError` | no ratio | the steps are still judged |
//! | graded, but the example has no reference | `KeyError` | no grade | steps and state are still judged |
//! | graded, but no reply recorded | asks a model | no grade | a scorer sends no requests |
//! | `NOT CORRECT` | correct | incorrect | a negation turns a verdict around |
//! | `CORRECT\n\nINCORRECT` | correct | no grade | verdicts must agree |
//! | `COMPARISON: CORRECT`, without question | incorrect | correct | one parser for all ways of grading |
//! | `CORRECTLY done`, without question | correct | no grade | a verdict is a whole word |
//! | states `true` and `1` | equal | different | types differ in JSON |
//! | steps that are missing | `ValueError` | `InvalidCase` | one kind of error for what cannot be read |

mod case;
mod grade;
mod trajectory;

use case::{Case, Grading};
use trajectory::{ArgumentMode, MatchMode};

use super::{Equality, Issue, IssueKind, Score, ScoreError, Scored, Scorer, SettingError, setting};
use crate::domain::{Json, Number, Object};

const PEERS: &[&str] = &["langchain"];

pub(super) const SCORER: Scorer = Scorer {
    name: "trajectory",
    peers: PEERS,
    expects: true,
    matches: |record| record.contains_key("run") && record.contains_key("example"),
    case: |called, expected, row| {
        let of = |key: &str, calls| {
            let steps = [(key.to_owned(), super::listed(calls, ("tool", "tool_input")))];
            Json::Object(steps.into_iter().collect())
        };
        let run = of("actual_steps", called);
        super::own_case(row, [("run", run), ("example", of("expected_steps", expected))])
    },
    ready: |settings, peer| {
        let as_peer = match peer {
            None => false,
            Some("langchain") => true,
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        let options = Options::default().with(settings)?;
        Ok(Box::new(Trajectory { options, as_peer }))
    },
};

/// How trajectories are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How the answer was graded, where the record does not say.
    pub grading: Grading,
    /// `None`: as the example's `order_matters` says. The peer knows nothing else.
    pub match_mode: Option<MatchMode>,
    pub argument_mode: ArgumentMode,
}

impl Default for Options {
    fn default() -> Options {
        Options { grading: Grading::None, match_mode: None, argument_mode: ArgumentMode::Ignore }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        const KNOWN: &[&str] = &["output_evaluation", "trajectory_match_mode", "tool_args_match_mode"];
        for (key, value) in settings.iter() {
            match key {
                "output_evaluation" => self.grading = Grading::read(value)?,
                "trajectory_match_mode" => {
                    let words = [
                        ("strict", MatchMode::Strict),
                        ("unordered", MatchMode::Unordered),
                        ("subset", MatchMode::Subset),
                        ("superset", MatchMode::Superset),
                    ];
                    self.match_mode = Some(setting::one_of(key, value, &words)?);
                }
                "tool_args_match_mode" => {
                    let words = [("ignore", ArgumentMode::Ignore), ("exact", ArgumentMode::Exact)];
                    self.argument_mode = setting::one_of(key, value, &words)?;
                }
                _ => return Err(setting::unknown(key, KNOWN)),
            }
        }
        Ok(self)
    }
}

struct Trajectory {
    options: Options,
    as_peer: bool,
}

impl Score for Trajectory {
    fn compares(&self) -> String {
        match self.options.argument_mode {
            ArgumentMode::Exact if !self.as_peer => "names of tools and arguments",
            _ if self.as_peer => "names of tools only, not arguments",
            _ => "names of tools only, not arguments (--args exact compares these too)",
        }
        .to_owned()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let mut options = self.options;
        if let Some(config) = record.get("config").and_then(Json::as_object) {
            options = options.with(config).map_err(ScoreError::invalid)?;
        }
        let case = Case::read(record);
        if self.as_peer {
            return score_as_peer(&case?, &options);
        }
        Ok(score(&case.map_err(|error| ScoreError::invalid(error.message))?, &options))
    }
}

/// Scores a case as LangChain Benchmarks does.
pub fn score_as_peer(case: &Case, options: &Options) -> Result<Scored, ScoreError> {
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
    Ok(scored(case, order_of(case), ArgumentMode::Ignore, Equality::Python, grade))
}

/// Scores a case as it should be scored.
pub fn score(case: &Case, options: &Options) -> Scored {
    let mode = options.match_mode.unwrap_or(order_of(case));
    let is_graded = case.grading.unwrap_or(options.grading) != Grading::None && case.has_output;
    let grade = is_graded.then(|| case.reply.filter(|_| case.has_reference).and_then(grade::careful));
    let mut scored = scored(case, mode, options.argument_mode, Equality::Json, grade);
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
fn scored(
    case: &Case,
    mode: MatchMode,
    arguments: ArgumentMode,
    equality: Equality,
    grade: Option<Option<bool>>,
) -> Scored {
    let (agrees, mut issues) = trajectory::compare(case, mode, arguments, equality);
    let comment = match mode {
        MatchMode::Strict => "Order matters=True",
        MatchMode::Unordered => "Order matters=False",
        MatchMode::Subset => "No step that is not expected",
        MatchMode::Superset => "Every expected step",
    };
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
        let is_equal = equality.values(state, wanted);
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
    Scored { score: Some(f64::from(u8::from(agrees))), passed: None, reason: Some(reason), metadata, issues }
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

//! An agent's trajectory: its steps, and for LangChain Benchmarks its final state and what a model said of its answer.
//!
//! `trajectory_match_mode` says what must agree: `strict`, `unordered`, `in_order` (the expected steps in their order, and perhaps
//! others), `superset` (the expected steps in any order, and perhaps others; `any_order`), `subset` (no step that is not
//! expected). `tool_args_match_mode` says how much of the arguments counts, and `tool_args_match_overrides`, `ignore` and `defaults`
//! say more about some of them. `metric` makes precision, recall or F1 over calls the score instead.
//!
//! Records of five peers are read as they are ([`sides`] and [`benchmark`]), and each peer's own procedure is a file: LangChain
//! Benchmarks (0.0.14), agentevals (0.0.9), Ragas (0.4.3), ADK (google-adk 2.13.0) and Azure AI Evaluation (1.18.10). Where ours
//! differs from theirs (the first ten rows are LangChain's, the others name theirs in the documentation):
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
//! | missing steps | `ValueError` | `InvalidCase` | one kind of error for what cannot be read |
//! | strict, the last message of words missing | 0 | 1 | only calls count |
//! | `subset` with `--args subset`, called A{x1}, expected A{x1,y2} | 0 | 1 | the peer swaps the sides of the arguments in this mode |
//! | `superset` with `--args superset`, expected A{x1}, A{x1,y2}; called A{x1,y2}, A{x1} | 0 | 1 | the best assignment, not greedily |
//! | `true` against `1` | 1 | 0 | types differ in JSON |
//! | `1` against `"1"` | 1 | 0 | types differ in JSON |
//! | called A{x1,y2}, expected A{x1} | 1 | 0 | an argument that is not expected is wrong (`--args superset` allows it) |
//! | called A, A; expected A | 1 | 0.667 | one call too many |
//! | called A without arguments, expected A{} | 0 | 1 | both mean no arguments |
//! | arguments for some tools only; called another with arguments | 0 | 1 | nothing is said about the others |
//! | nothing expected | `EvaluationException` | right if nothing is called | an empty list says so |

mod adk;
mod agentevals;
mod arguments;
mod azure;
mod benchmark;
mod compare;
mod figures;
mod glob;
mod grade;
mod inquiry;
mod langchain;
mod messages;
mod options;
mod peer;
mod ragas;
mod sides;
mod step;

use std::borrow::Cow;

use arguments::{ArgumentMode, ArgumentRules, Matching};
use benchmark::Case;
use compare::{MatchMode, compare};
use figures::Figures;
use options::{Metric, Options};
use peer::{PEERS, Peer, check};
use sides::{Sides, steps};

use super::functions::Asking;
use super::{Equality, IssueKind, OwnFunctions, Score, ScoreError, Scored, Scorer, SettingError};
use crate::domain::{Json, Number, Object};

pub(super) const SCORER: Scorer = Scorer {
    name: "trajectory",
    peers: PEERS,
    expects: true,
    across_turns: false,
    defines: false,
    inquiry: Some(inquiry::INQUIRY),
    matches: |record| record.contains_key("run") && record.contains_key("example") || sides::are_here(record),
    case: |called, expected, row| {
        let of = |key: &str, calls| {
            let steps = [(key.to_owned(), super::listed(calls, ("tool", "tool_input")))];
            Json::Object(steps.into_iter().collect())
        };
        let run = of("actual_steps", called);
        super::own_case(row, [("run", run), ("example", of("expected_steps", expected))])
    },
    ready: |settings, peer| {
        let peer = peer.map(Peer::named).transpose()?;
        let options = Options::default().with(settings)?;
        check(&options, peer)?;
        Ok(Box::new(Trajectory { options, peer, functions: OwnFunctions::default() }))
    },
};

struct Trajectory {
    options: Options,
    peer: Option<Peer>,
    functions: OwnFunctions,
}

impl Score for Trajectory {
    fn give(&mut self, functions: &OwnFunctions) -> Result<(), SettingError> {
        self.functions = functions.clone();
        self.options.arguments.check(functions)
    }

    fn compares(&self, first: Option<&Object>) -> String {
        let default = first.map_or(ArgumentMode::Ignore, default_mode);
        let arguments = &self.options.arguments;
        match self.peer {
            Some(Peer::LangChain) => "names of tools only, not arguments",
            Some(Peer::Ragas) if self.options.metric != Metric::F1 => {
                "names of tools, and the texts of expected arguments"
            }
            Some(Peer::Azure) => {
                "names of tools, and the texts of arguments where the expected actions have some"
            }
            Some(Peer::Ragas) => "names of tools and arguments",
            Some(Peer::AgentEvals | Peer::Adk) if arguments.compare_any(ArgumentMode::Exact) => {
                "names of tools and arguments"
            }
            Some(Peer::AgentEvals | Peer::Adk) => "names of tools only, not arguments",
            None if self.options.metric == Metric::SingleToolUse => {
                "the names of the tools called with one name"
            }
            None => match arguments.mode.unwrap_or(default) {
                ArgumentMode::Exact => "names of tools and arguments",
                ArgumentMode::Subset => "names of tools, and arguments, of which some may be missing",
                ArgumentMode::Superset | ArgumentMode::Partial => {
                    "names of tools, and the expected arguments"
                }
                ArgumentMode::Ignore if arguments.compare_any(default) => {
                    "names of tools, and the arguments of some (tool_args_match_overrides)"
                }
                ArgumentMode::Ignore => {
                    "names of tools only, not arguments (--args exact compares these too)"
                }
            },
        }
        .to_owned()
    }

    fn idle(&self) -> Vec<(&'static str, &'static str)> {
        const ALONE: &str = "beside --metric single_tool_use";
        const ORDER: [&str; 2] = ["trajectory_match_mode", "order_matters"];
        const ARGUMENTS: [&str; 4] = ArgumentRules::KEYS;
        // Of peers whose score is 0 or 1, and who grade no answers.
        const YES_OR_NO: [&str; 2] = ["threshold", "output_evaluation"];
        let beside =
            |settings: &[&'static str], what| settings.iter().map(|setting| (*setting, what)).collect();
        let mut idle: Vec<_> = match (self.peer, self.options.metric) {
            (None, Metric::Match) => vec![("threshold", "without --metric precision, recall or f1")],
            (None, Metric::SingleToolUse) => {
                beside(&[&["threshold"], &ORDER[..], &ARGUMENTS, &["output_evaluation"]].concat(), ALONE)
            }
            (None, _) => Vec::new(),
            (Some(Peer::LangChain), _) => {
                beside(&[&["threshold"], &ORDER[..], &ARGUMENTS].concat(), "beside --compat langchain")
            }
            (Some(Peer::Ragas), _) => {
                beside(&[&ORDER[..], &["output_evaluation"]].concat(), "beside --compat ragas")
            }
            (Some(Peer::AgentEvals), _) => beside(&YES_OR_NO, "beside --compat agentevals"),
            (Some(Peer::Adk), _) => beside(&YES_OR_NO, "beside --compat adk"),
            (Some(Peer::Azure), _) => beside(&YES_OR_NO, "beside --compat azure"),
        };
        if self.options.metric != Metric::SingleToolUse {
            idle.push(("tool_name", "without --metric single_tool_use"));
        }
        match (self.peer, self.options.metric) {
            (Some(Peer::Ragas), Metric::F1) => idle.push(("strict_order", "beside --metric tool_call_f1")),
            (Some(Peer::Ragas), _) => {}
            _ => idle.push(("strict_order", "without --compat ragas")),
        }
        idle
    }

    fn figures(&self) -> &'static [&'static str] {
        match (self.peer, self.options.metric) {
            (None, Metric::SingleToolUse) => &[],
            (None | Some(Peer::Azure), _) => &Figures::NAMES,
            _ => &[],
        }
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let options = &*self.options_of(record).map_err(ScoreError::invalid)?;
        check(options, self.peer).map_err(ScoreError::invalid)?;
        let asking = Asking::new(&self.functions);
        let scored = match self.peer {
            None => score(record, options, &asking),
            Some(Peer::LangChain) => langchain::score_as_peer(&Case::read(record, true)?, options),
            Some(peer) => score_as_peer(record, options, peer, &asking),
        }?;
        asking.settle(scored)
    }

    fn compares_values(&self, record: &Object, tool: &str) -> bool {
        let Ok(options) = self.options_of(record) else { return false };
        let (rules, default, equality) = (&options.arguments, default_mode(record), Equality::Json);
        let matching = Matching { rules, default, equality, asking: None };
        match self.peer {
            None => options.metric != Metric::SingleToolUse && matching.counts(tool),
            Some(peer) => peer != Peer::LangChain,
        }
    }
}

impl Trajectory {
    /// The settings, with those that the case has of its own.
    fn options_of(&self, record: &Object) -> Result<Cow<'_, Options>, SettingError> {
        Ok(match record.get("config").and_then(Json::as_object) {
            Some(config) => Cow::Owned(self.options.clone().with(config)?),
            None => Cow::Borrowed(&self.options),
        })
    }
}

/// How much of the arguments counts where the settings do not say: nothing in steps, as LangChain Benchmarks has it, and all of them
/// in calls.
fn default_mode(record: &Object) -> ArgumentMode {
    match sides::are_here(record) && !sides::is_benchmark(record) {
        true => ArgumentMode::Exact,
        false => ArgumentMode::Ignore,
    }
}

/// Scores a case as agentevals, Ragas, ADK or Azure does.
fn score_as_peer(
    record: &Object,
    options: &Options,
    peer: Peer,
    asking: &Asking,
) -> Result<Scored, ScoreError> {
    let sides = Sides::read(record, true)?;
    let (called, expected) = (steps(&sides.called), steps(sides.expected()?));
    let truth = |holds: bool| f64::from(u8::from(holds));
    let mut figures = Vec::new();
    let score = match peer {
        Peer::LangChain => return langchain::score_as_peer(&Case::read(record, true)?, options),
        Peer::AgentEvals => truth(agentevals::matches(&sides, options, asking)?),
        Peer::Ragas if options.metric == Metric::F1 => ragas::f1(&called, &expected),
        Peer::Ragas => ragas::accuracy(&called, &expected, options.strict_order),
        Peer::Adk => truth(adk::matches(&called, &expected, options)?),
        Peer::Azure => {
            let outcome = azure::score(&called, &expected, azure::has_arguments(record), options)?;
            let azure::Outcome { matches, precision, recall, f1 } = outcome;
            figures.extend(Figures { precision, recall, f1 }.named());
            truth(matches)
        }
    };
    let passed = score >= options.threshold;
    // What is wrong is told as we see it; nothing is where the peer is content.
    let issues = match passed {
        true => Vec::new(),
        false => {
            let default = if expected.iter().all(|step| step.arguments.is_none()) {
                ArgumentMode::Ignore
            } else {
                ArgumentMode::Exact
            };
            let (rules, equality) = (&options.arguments, Equality::Python);
            let matching = Matching { rules, default, equality, asking: Some(asking) };
            compare(&expected, &called, options.match_mode.unwrap_or(MatchMode::Strict), matching).issues
        }
    };
    Ok(Scored {
        score: Some(score),
        passed: Some(passed),
        reason: None,
        figures,
        compared_arguments: None,
        metadata: Object::new(),
        issues,
        ..Scored::default()
    })
}

/// Scores a case as it should be scored.
fn score(record: &Object, options: &Options, asking: &Asking) -> Result<Scored, ScoreError> {
    if options.metric == Metric::SingleToolUse {
        return single_tool_use(&Sides::read(record, false)?, options);
    }
    let rules = &options.arguments;
    let (default, equality) = (default_mode(record), Equality::Json);
    let matching = Matching { rules, default, equality, asking: Some(asking) };
    let mut scored = if sides::are_here(record) && !sides::is_benchmark(record) {
        of_sides(&Sides::read(record, false)?, options, matching)?
    } else if sides::is_benchmark(record) {
        let case = Case::read(record, false).map_err(|error| ScoreError::invalid(error.message))?;
        matching.check_clear(&case.expected, &case.actual)?;
        langchain::score(&case, options, matching)
    } else {
        return Err(Sides::read(record, false)
            .err()
            .unwrap_or_else(|| ScoreError::invalid("no trajectories")));
    };
    let figure = match options.metric {
        Metric::Precision => Some("precision"),
        Metric::Recall => Some("recall"),
        Metric::F1 => Some("f1"),
        Metric::Match | Metric::SingleToolUse | Metric::ToolCallAccuracy => None,
    };
    if let Some((_, value)) = scored.figures.iter().find(|(name, _)| Some(*name) == figure) {
        scored.score = Some(*value);
        scored.passed = Some(*value >= options.threshold - 1e-9);
    }
    Ok(scored)
}

fn single_tool_use(sides: &Sides, options: &Options) -> Result<Scored, ScoreError> {
    let tool = options.tool_name.as_deref();
    let tool = tool.ok_or_else(|| ScoreError::invalid("`single_tool_use` needs the setting `tool_name`"))?;
    let count = steps(&sides.called).iter().filter(|step| step.tool == tool).count();
    let issues = match count {
        0 => vec![super::difference::issue(
            IssueKind::MissingCall,
            tool,
            None,
            format!("`{tool}` is not called"),
        )],
        _ => Vec::new(),
    };
    Ok(Scored {
        score: Some(f64::from(u8::from(count > 0))),
        passed: Some(count > 0),
        reason: Some(format!("`{tool}` is called {count} times")),
        compared_arguments: None,
        issues,
        ..Scored::default()
    })
}

/// Compares what was called with what should have been.
fn of_sides(sides: &Sides, options: &Options, matching: Matching) -> Result<Scored, ScoreError> {
    let (called, expected) = (steps(&sides.called), steps(sides.expected()?));
    matching.check_clear(&expected, &called)?;
    let mode = options.match_mode.unwrap_or(MatchMode::Strict);
    let comparison = compare(&expected, &called, mode, matching);
    let mut metadata = Object::new();
    for (key, count) in
        [("matched", comparison.matched), ("called", called.len()), ("expected", expected.len())]
    {
        metadata.insert(key, Json::Number(Number::from(count as u64)));
    }
    let reason = match comparison.issues.as_slice() {
        [] => comment(mode).to_owned(),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    Ok(Scored {
        score: Some(f64::from(u8::from(comparison.agrees))),
        passed: Some(comparison.agrees),
        reason: Some(reason),
        figures: Figures::of(comparison.matched, called.len(), expected.len()).named().to_vec(),
        compared_arguments: matching.compares_any(&expected),
        metadata,
        issues: comparison.issues,
        ..Scored::default()
    })
}

fn comment(mode: MatchMode) -> &'static str {
    match mode {
        MatchMode::Strict => "Order matters=True",
        MatchMode::Unordered => "Order matters=False",
        MatchMode::Subset => "No step that is not expected",
        MatchMode::Superset => "Every expected step",
        MatchMode::InOrder => "Every expected step, in order",
    }
}

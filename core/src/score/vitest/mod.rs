//! Scores calls against expected tools: all, nothing or a part.
//!
//! The peer is vitest-evals' `ToolCallScorer` (0.5.0, and 0.4.0 as `vitest-evals@0.4`) and its successor
//! `ToolCallJudge` (0.16.1 as `vitest-evals@0.16`). The score is the part of the expected
//! tools that have a call with matching arguments: equal ones (`strict`), about equal ones (`fuzzy`), or what a named function
//! says. `requireAll` makes a part nothing, and without `allowExtras` so do calls that nobody expected.
//!
//! With the peer's name the numbers and rationales are the peer's. Without it:
//!
//! | case | peer | ours | why |
//! |---|---|---|---|
//! | expected A{x1}, A; called A{x1}, A | 0 | 1 | every expected tool finds a call if all can |
//! | `allowExtras: false`, a part called and nothing else | 0 | the part | only extras make the score 0 |
//! | `ordered`, `requireAll`, last arguments wrong | the part before | 0 | not all expected tools were called |
//! | `ordered`, A{x9} then A{x1} where A{x1} is expected | 0 | 1 | an extra call may be skipped whatever its name |
//! | `ordered`, `requireAll: false`, expected A, B; called B | 0 | 0.5 | the longest part in order counts, wherever it begins |
//! | nothing expected, `allowExtras: false`, A called | 1 | 0 | A is an extra |
//! | `fuzzy`, "" expected | any text | "" only | the empty text is part of every text |
//! | `fuzzy`, "Oslo, Norway" expected, "o" given | matches | does not | a text must have what is expected, not the reverse |
//! | `fuzzy`, [1, 1.0015] expected, [1.001, 1] given | does not match | matches | items are assigned, not taken greedily |
//! | `coerceTypes`, 42 expected, "42px" given | matches | does not | the whole text must be a number |
//! | `coerceTypes`, false expected, "banana" given | matches | does not | only "false" and "0" are |
//! | expected `null` | never matches | no arguments | null means no arguments |
//! | {} expected, `""`, 0, false or [] given | matches | does not | only null and absent mean no arguments |
//! | no `expectedTools` | 1 | an error | an empty list says that nothing is expected |
//! | 2^53 expected, 2^53 + 1 given, `strict` | matches | does not | numbers keep their digits |
//! | score a hair below the threshold | fails | passes | a score is compared with a margin of 1e-9 |

mod alignment;
mod case;
mod diagnosis;
mod fuzzy;
mod matcher;
mod options;
mod pattern;
mod peer;

pub use case::Case;
pub use fuzzy::is_about_equal;
pub use options::Options;

use alignment::Alignment;
use matcher::{Matcher, Rules};
use options::{Custom, Params};

use super::forms::Form;
use super::functions::Asking;
use super::{OwnFunctions, Score, ScoreError, Scored, Scorer, SettingError, setting};
use crate::domain::{Json, Number, Object};

const PEERS: &[&str] = &["vitest-evals", "vitest-evals@0.4", "vitest-evals@0.16"];

pub(super) const SCORER: Scorer = Scorer {
    name: "tool_call",
    peers: PEERS,
    expects: true,
    across_turns: false,
    defines: false,
    inquiry: None,
    matches: |record| {
        let is_list = |key: &str| record.get(key).is_some_and(|calls| calls.as_array().is_some());
        is_list("expectedTools") || is_list("toolCalls")
    },
    case: |called, expected, row| {
        let lists = [("toolCalls", called), ("expectedTools", expected)];
        super::own_case(row, lists.map(|(key, calls)| (key, super::listed(calls, ("name", "arguments")))))
    },
    ready: |settings, peer| {
        let version = match peer {
            None => None,
            Some("vitest-evals") => Some(Version::V05),
            Some("vitest-evals@0.4") => Some(Version::V04),
            Some("vitest-evals@0.16") => Some(Version::V16),
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        let functions = OwnFunctions::default();
        Ok(Box::new(ToolCall { options: Options::default().with(settings)?, version, functions }))
    },
};

/// Whose version's exact numbers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 0.4.0: no fuzzy options, half a point for wrong arguments.
    V04,
    /// 0.5.0.
    V05,
    /// 0.16.1: `ToolCallJudge`, to which only null and absent are no arguments, and an object is not an array.
    V16,
}

struct ToolCall {
    options: Options,
    version: Option<Version>,
    functions: OwnFunctions,
}

impl ToolCall {
    /// The settings, with those that the case has of its own.
    fn options_of(&self, record: &Object) -> Result<Options, SettingError> {
        match record.get("config").and_then(Json::as_object) {
            Some(config) => self.options.clone().with(config),
            None => Ok(self.options.clone()),
        }
    }
}

impl Score for ToolCall {
    fn give(&mut self, functions: &OwnFunctions) -> Result<(), SettingError> {
        self.functions = functions.clone();
        let named = self.options.function.as_deref().map(|name| self.functions.named(name));
        match named {
            Some(Err(why)) => Err(SettingError::Function { key: "params".to_owned(), why }),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn compares(&self, _: Option<&Object>) -> String {
        let how = match self.options.params {
            Params::Strict => "that are equal",
            Params::Fuzzy => "that are about equal",
            Params::Custom(_) => "by a function of its own",
            Params::Function => "by a function of your own",
        };
        format!("names of tools, and arguments {how}")
    }

    fn idle(&self) -> Vec<(&'static str, &'static str)> {
        match (self.options.params, self.version) {
            (Params::Fuzzy, Some(Version::V04)) => {
                vec![("fuzzyOptions", "beside --compat vitest-evals@0.4")]
            }
            (Params::Fuzzy, _) => Vec::new(),
            _ => vec![("fuzzyOptions", "without --params fuzzy")],
        }
    }

    fn compares_values(&self, record: &Object, _: &str) -> bool {
        let any = [Custom::Always, Custom::Never, Custom::KeysSubset].map(Params::Custom);
        self.options_of(record).is_ok_and(|options| !any.contains(&options.params))
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let options = self.options_of(record).map_err(ScoreError::invalid)?;
        let is_silent = |key| record.get(key).is_none_or(Json::is_null);
        if self.version.is_none() && is_silent("expectedTools") {
            let why = "`expectedTools` is missing: what should have been called; an empty list says that nothing should";
            return Err(ScoreError::invalid(why));
        }
        let form = Form {
            lists: &["toolCalls", "expectedTools"],
            name: "name",
            arguments: &["arguments"],
            as_peer: self.version.is_some(),
        };
        let is_any = matches!(options.params, Params::Custom(Custom::Always | Custom::Never));
        // An expected tool without arguments may have any.
        let is_expected = |tool: &str| {
            let mut expected = form.calls(record, "expectedTools");
            expected.any(|call| call.name == tool && !matches!(call.arguments, Ok(None)))
        };
        let counts = |list: &str, tool: &str| !is_any && (list != "toolCalls" || is_expected(tool));
        let record = form.of_compared(record, "", counts)?;
        let case = Case::read(&record, &options)?;
        let asking = Asking::new(&self.functions);
        let scored = match self.version {
            Some(version) => of_version(&case, &options, version, &asking),
            None => score(&case, &options, &asking),
        };
        asking.settle(scored)
    }
}

/// Scores a case as vitest-evals does; no function is asked.
pub fn score_as_peer(case: &Case, options: &Options, version: Version) -> Scored {
    of_version(case, options, version, &Asking::new(&OwnFunctions::default()))
}

fn of_version(case: &Case, options: &Options, version: Version, asking: &Asking) -> Scored {
    let rules = match version {
        Version::V04 => Rules::V04,
        Version::V05 => Rules::V05,
        Version::V16 => Rules::V16,
    };
    let matcher = Matcher::new(rules, case, options).asking(options, asking);
    let outcome = peer::score(case, options, &matcher);
    let issues = if outcome.score == 1.0 {
        Vec::new()
    } else {
        let alignment = match outcome.pairs {
            Some(pairs) => Alignment::with_rest(case, pairs),
            None => Alignment::of(case, options.ordered, &matcher),
        };
        diagnosis::issues(case, options, &matcher, &alignment)
    };
    Scored {
        score: Some(outcome.score),
        // A threshold of 0 is none to the peer.
        passed: options
            .threshold
            .filter(|threshold| *threshold != 0.0)
            .map(|threshold| outcome.score >= threshold),
        reason: outcome.metadata.get("rationale").and_then(Json::as_str).map(str::to_owned),
        metadata: outcome.metadata,
        compared_arguments: compared_arguments(case),
        issues,
        ..Scored::default()
    }
}

/// Scores a case as it should be scored.
fn score(case: &Case, options: &Options, asking: &Asking) -> Scored {
    let matcher = Matcher::new(Rules::Ours, case, options).asking(options, asking);
    let alignment = Alignment::of(case, options.ordered, &matcher);
    let issues = diagnosis::issues(case, options, &matcher, &alignment);
    let (matched, total) = (alignment.matched.len(), case.expected.len());
    let has_extras = !options.allow_extras && !alignment.extras.is_empty();
    let score = if has_extras || (options.require_all && matched < total) {
        0.0
    } else if total == 0 {
        1.0
    } else {
        matched as f64 / total as f64
    };
    let rationale = match issues.as_slice() {
        [] if total == 0 && case.called.is_empty() => "no calls are expected, and none was made".to_owned(),
        [] if total == 0 => "no calls are expected, and any are allowed: allowExtras is true".to_owned(),
        [] => format!("all of {total} expected tools were called"),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    let mut metadata = Object::new();
    metadata.insert("rationale", rationale.as_str());
    metadata.insert("matched", Json::Number(Number::from(matched as u64)));
    metadata.insert("total", Json::Number(Number::from(total as u64)));
    Scored {
        score: Some(score),
        passed: options.threshold.map(|threshold| score >= threshold - EPSILON),
        reason: Some(rationale),
        metadata,
        compared_arguments: compared_arguments(case),
        allowed_any_call: total == 0 && options.allow_extras && !case.called.is_empty(),
        issues,
        ..Scored::default()
    }
}

fn compared_arguments(case: &Case) -> Option<bool> {
    Some(case.expected.iter().any(|tool| tool.arguments.is_some()))
}

/// What dividing may lose.
const EPSILON: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments in a form that is not the peer's are compared, and not passed over.
    #[test]
    fn no_arguments_are_passed_over() {
        let score = |peer: Option<&str>, called: &str, expected: &str| {
            let record = format!(r#"{{"toolCalls": [{called}], "expectedTools": [{expected}]}}"#);
            let record = Json::parse(&record).unwrap();
            let ready = (SCORER.ready)(&Object::new(), peer).unwrap();
            ready.score(record.as_object().unwrap()).map(|scored| scored.passed)
        };
        let expected = r#"{"name": "f", "arguments": {"n": 1}}"#;
        for (called, passes) in [
            (r#"{"type": "tool_use", "name": "f", "input": {"n": 1}}"#, true),
            (r#"{"type": "tool_use", "name": "f", "input": {"n": 2}}"#, false),
            (r#"{"type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}}"#, true),
            (r#"{"functionCall": {"name": "f", "args": {"n": 2}}}"#, false),
        ] {
            for peer in [None, Some("vitest-evals")] {
                assert_eq!(score(peer, called, expected), Ok(Some(passes)), "{peer:?} {called}");
            }
        }
        for peer in [None, Some("vitest-evals"), Some("vitest-evals@0.16")] {
            let other = r#"{"name": "f", "args": {"n": 2}}"#;
            assert_eq!(score(peer, expected, other), Ok(Some(false)), "{peer:?}");
        }
        assert!(score(None, expected, r#"{"name": "f", "payload": {"n": 1}}"#).is_err());
    }
}

//! Precision, recall and parameters of tool calls, with budgets and keywords.
//!
//! The peer is the evaluator of an article on evaluating tool use (its two references to a name that does not exist put right,
//! since it cannot run otherwise). With expectations:
//!
//! ```text
//! score = 0.3 · precision + 0.3 · recall + 0.3 · parameters + 0.1 · keywords
//! ```
//!
//! and a case passes from 0.8 on if nothing expected is missing. A required parameter earns 1 if right, 0.5 if wrong and 0 if
//! missing. With the peer's name the numbers (three decimals) and the texts of the issues are the peer's. Without it:
//!
//! | case | peer | ours | why |
//! |---|---|---|---|
//! | expected A; called A, A | recall 2, score 1.3 | recall 1, precision 0.5 | calls answer expectations one to one |
//! | expected A, A; called A | nothing missing | one A missing | for the same reason |
//! | expected A{x1}, A{x2}; called A{x2}, A{x1} | parameters judged on the first call | all right | the best assignment |
//! | 0.3 + 0.3 + 0.1 + 0.1 | 0.7999999999999999 fails | passes | whole weights, and a margin of 1e-9 |
//! | something expected, nothing called | precision 1 | precision 0 | nothing right was called |
//! | over the latency budget | an issue | fails | a budget is a budget |
//! | more calls than `max_tool_calls` | not checked | fails | the same |
//! | forbidden parameter absent, validator passed | no item | an item that is earned | so that one violation weighs the same whatever else is right |
//! | a call where none is due | nothing else is checked | keywords are too | every issue is reported |
//! | nothing expected, half of the keywords | 0.5 | the share of the keywords | a share, not steps |
//! | nothing expected, a keyword missing | no issue says so | an issue | every issue is reported |
//! | `true` against `1` | right | wrong | types differ in JSON |
//!
//! Ours alone are `ordered`, `forbidden_tools` and `not_calls`, which fail a case and leave its score alone, `optional_params`, the
//! validators `regex`, `schema` and `contains`, and the type `integer`. A call that its tool refused answers no expectation.

mod case;
mod order;
mod ours;
mod peer;
mod validator;
mod written;

use case::Case;

use super::forms::Form;
use super::functions::Asking;
use super::{
    Equality, Issue, IssueKind, OwnFunctions, Score, ScoreError, Scored, Scorer, SettingError, setting,
};
use crate::domain::{Ended, Json, Number, Object};

const PEERS: &[&str] = &["article"];

pub(super) const SCORER: Scorer = Scorer {
    name: "tool_evaluator",
    peers: PEERS,
    expects: true,
    across_turns: false,
    defines: false,
    inquiry: None,
    matches: |record| {
        let test = record.get("test").and_then(Json::as_object);
        test.is_some_and(|test| test.contains_key("expected_tool_calls"))
    },
    case: |called, expected, row| {
        let test = [
            ("expected_tool_calls".to_owned(), super::listed(expected, ("tool_name", "required_params"))),
            ("should_not_call_tools".to_owned(), Json::Bool(expected.is_empty())),
        ];
        let test = Json::Object(test.into_iter().collect());
        let case =
            super::own_case(row, [("test", test), ("tool_calls", super::listed(called, ("name", "input")))]);
        let ended = row.get("ended").map(|ended| ("ended".to_owned(), ended.clone()));
        case.into_iter().chain(ended).collect()
    },
    ready: |settings, peer| {
        let as_peer = match peer {
            None => false,
            Some("article") => true,
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        let functions = OwnFunctions::default();
        Ok(Box::new(ToolEvaluator { options: Options::default().with(settings)?, as_peer, functions }))
    },
};

/// The settings of the evaluator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// From which score on a case passes; the article's own is fixed.
    pub threshold: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { threshold: 0.8 }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "threshold" => self.threshold = setting::share(key, value)?,
                _ => return Err(setting::unknown(key, &["threshold"])),
            }
        }
        Ok(self)
    }
}

/// Whether a case of `record` has failed, whatever is called after the calls in it: by a call that is banned, or where the full score is
/// wanted by one that is not expected. What functions of the user's own say is left open.
pub(crate) fn can_only_fail(record: &Object) -> bool {
    let threshold = record.get("test").and_then(|test| test.get("threshold"));
    let wants_all = threshold
        .is_some_and(|threshold| setting::share("threshold", threshold).is_ok_and(|share| share >= 1.0));
    Case::read(record).is_ok_and(|case| {
        let is_known = wants_all && !case.has_functions();
        ours::has_banned(&case, Equality::Json) || is_known && ours::has_unexpected(&case, Equality::Json)
    })
}

struct ToolEvaluator {
    options: Options,
    as_peer: bool,
    functions: OwnFunctions,
}

impl Score for ToolEvaluator {
    fn give(&mut self, functions: &OwnFunctions) -> Result<(), SettingError> {
        self.functions = functions.clone();
        Ok(())
    }

    fn compares(&self, _: Option<&Object>) -> String {
        "names of tools and the expected arguments".to_owned()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        if !self.as_peer {
            case::said(record)?;
        }
        let mut options = self.options;
        if let Some(config) = record.get("config").and_then(Json::as_object) {
            options = options.with(config).map_err(ScoreError::invalid)?;
        }
        if let Some(threshold) = record.get("test").and_then(|test| test.get("threshold")) {
            options.threshold = setting::share("test.threshold", threshold).map_err(ScoreError::invalid)?;
        }
        // A row of an episode that `drive` wrote says how it ended.
        let ended =
            record.get("ended").and_then(Json::as_str).and_then(Ended::named).filter(|_| !self.as_peer);
        if let Some(ended) = ended.filter(|ended| !ended.is_scored()) {
            let message = format!("the episode has no score: {}", ended.in_words());
            return Err(ScoreError { kind: "NoScore", message });
        }
        let record = match self.as_peer {
            true => Form { as_peer: true, ..written::CALLS }.of(record)?,
            false => written::read(record)?,
        };
        let asking = Asking::new(&self.functions);
        let mut case = Case::read(&record)?;
        case.ask(&asking);
        for expectation in &case.expectations {
            case.calls.iter().try_for_each(|call| expectation.can_check(call))?;
        }
        let scored = if self.as_peer { score_as_peer(&case) } else { score(&case, &options) };
        drop(case);
        let mut scored = asking.settle(scored)?;
        if let Some(ended) = ended.filter(|ended| *ended != Ended::Finished) {
            scored.passed = Some(false);
            let message = format!("the episode ended before an answer: {}", ended.in_words());
            // That nothing is wrong with the calls is no reason to fail.
            let own = scored.reason.take().filter(|own| !own.is_empty() && !scored.issues.is_empty());
            scored.reason = Some(own.into_iter().chain([message.clone()]).collect::<Vec<_>>().join("; "));
            if ended.is_breakdown() {
                scored.score = scored.score.map(|_| 0.0);
            }
            scored.issues.push(Issue { kind: IssueKind::StoppedEarly, tool: None, path: None, message });
        }
        Ok(scored)
    }
}

/// Scores a case as the article does.
pub fn score_as_peer(case: &Case) -> Scored {
    let outcome = peer::score(case);
    let mut metadata = metadata([
        ("precision", thousandths(outcome.precision)),
        ("recall", thousandths(outcome.recall)),
        ("param_accuracy", thousandths(outcome.param_accuracy)),
    ]);
    let reason = outcome.issues.join("; ");
    metadata.insert("issues", Json::Array(outcome.issues.into_iter().map(Json::from).collect()));
    Scored {
        score: Some(thousandths(outcome.score)),
        passed: Some(outcome.passed),
        reason: Some(reason),
        metadata,
        issues: ours::score(case, Options::default().threshold, Equality::Python).issues,
        ..Scored::default()
    }
}

/// Scores a case as it should be scored.
pub fn score(case: &Case, options: &Options) -> Scored {
    let outcome = ours::score(case, options.threshold, Equality::Json);
    let reason = match outcome.issues.as_slice() {
        [] => "nothing is wrong".to_owned(),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    Scored {
        score: Some(outcome.score),
        passed: Some(outcome.passed),
        reason: Some(reason),
        metadata: metadata([
            ("precision", outcome.precision),
            ("recall", outcome.recall),
            ("param_accuracy", outcome.param_accuracy),
        ]),
        issues: outcome.issues,
        ..Scored::default()
    }
}

/// A number as the article shows it.
fn thousandths(value: f64) -> f64 {
    format!("{value:.3}").parse().unwrap_or(value)
}

fn metadata<const N: usize>(numbers: [(&str, f64); N]) -> Object {
    let mut metadata = Object::new();
    for (key, number) in numbers {
        metadata.insert(key, Number::from_f64(number).map_or(Json::Null, Json::Number));
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls as `name` or `name=x`, where `x` is the value of the parameter `x`, by blanks.
    fn calls(text: &str, name: &str, arguments: &str) -> String {
        let call = |word: &str| {
            let (tool, x) = word.split_once('=').map_or((word, None), |(tool, x)| (tool, Some(x)));
            let x = x.map_or(String::new(), |x| format!(r#","{arguments}":{{"x":{x}}}"#));
            format!(r#"{{"{name}":"{tool}"{x}}}"#)
        };
        text.split_whitespace().map(call).collect::<Vec<_>>().join(",")
    }

    #[test]
    fn order_and_bans() {
        const ORDERED: &str = r#""ordered":true"#;
        for (test, expected, called, score, issues) in [
            ("", "a b", "b a", 1.0, ""),
            (ORDERED, "a b", "a b", 1.0, ""),
            (ORDERED, "a b", "b a", 1.0, "wrong_order"),
            (ORDERED, "a b", "a c b", 0.9, "unexpected_call"),
            (ORDERED, "a b a", "a b a", 1.0, ""),
            (ORDERED, "a b", "b", 0.7, "missing_call"),
            // What fits as well in order is in order.
            (ORDERED, "a b a=1", "a=1 b a=1", 1.0, ""),
            (ORDERED, "a b a", "a=2 a=1 b", 1.0, "wrong_order"),
            (ORDERED, "a=1 a=2", "a=2 a=1", 1.0, "wrong_order"),
            (ORDERED, "", "a", 1.0, ""),
            (r#""forbidden_tools":["c"]"#, "a", "a", 1.0, ""),
            (r#""forbidden_tools":["c"]"#, "a", "a c", 0.85, "forbidden_tool"),
            (r#""forbidden_tools":["c"]"#, "", "a c", 1.0, "forbidden_tool"),
            (r#""not_calls":[{"tool_name":"c","params":{"x":1}}]"#, "", "c=2", 1.0, ""),
            (r#""not_calls":[{"tool_name":"c","params":{"x":1}}]"#, "", "c=1.0", 1.0, "forbidden_call"),
            (r#""not_calls":[{"tool_name":"c"}]"#, "", "c c=1", 1.0, "forbidden_call"),
        ] {
            let comma = if test.is_empty() { "" } else { "," };
            let record = format!(
                r#"{{"test":{{"expected_tool_calls":[{}]{comma}{test}}},"tool_calls":[{}]}}"#,
                calls(expected, "tool_name", "required_params"),
                calls(called, "name", "input")
            );
            let json = Json::parse(&record).unwrap();
            let ready = (SCORER.ready)(&Object::new(), None).unwrap();
            let scored = ready.score(json.as_object().unwrap()).unwrap();
            let kinds: Vec<&str> = scored.issues.iter().map(|issue| issue.kind.as_str()).collect();
            assert_eq!(kinds.join(" "), issues, "{record}");
            assert!((scored.score.unwrap() - score).abs() < 1e-9, "{record}: {:?}", scored.score);
            let fails =
                issues.contains("order") || issues.contains("forbidden") || issues.contains("missing");
            assert_eq!(scored.passed, Some(!fails), "{record}");
            // The article knows nothing of them.
            let peer = (SCORER.ready)(&Object::new(), Some("article")).unwrap();
            let without = record.replace(test, r#""k":1"#);
            let plain = if test.is_empty() { json.clone() } else { Json::parse(&without).unwrap() };
            let [a, b] = [&json, &plain].map(|json| peer.score(json.as_object().unwrap()).unwrap());
            assert_eq!((a.score, a.passed, a.reason), (b.score, b.passed, b.reason), "{record}");
        }
    }

    fn record(expected: &str, called: &str) -> Object {
        let record = format!(
            r#"{{"test":{{"expected_tool_calls":[{{"tool_name":"a"{expected}}}],"threshold":1}},"tool_calls":[{called}]}}"#
        );
        Json::parse(&record).unwrap().as_object().unwrap().clone()
    }

    #[test]
    fn other_parameters_and_refused_calls() {
        const OTHERS: &str = r#","required_params":{"x":1},"optional_params":["y"],"param_validators":{"z":{"kind":"in","values":[2]}}"#;
        const CALL: &str = r#"{"name":"a","input":{"x":1}}"#;
        for (expected, called, score, issues) in [
            (r#","required_params":{"x":1}"#, r#"{"name":"a","input":{"x":1,"y":2}}"#, 1.0, ""),
            (OTHERS, CALL, 1.0, ""),
            (OTHERS, r#"{"name":"a","input":{"x":1,"y":2,"z":2,"w":null}}"#, 1.0, ""),
            (OTHERS, r#"{"name":"a","input":{"x":1,"w":2}}"#, 0.85, "extra_parameter"),
            (OTHERS, r#"{"name":"a","input":{"x":1,"z":3}}"#, 0.85, "failed_validator"),
            (r#","optional_params":[]"#, r#"{"name":"a","input":{"x":1}}"#, 0.7, "extra_parameter"),
            ("", r#"{"name":"a","refused":true}"#, 0.1, "missing_call"),
            ("", r#"{"name":"a","refused":true},{"name":"a"}"#, 0.85, ""),
        ] {
            let record = record(expected, called);
            let scored = (SCORER.ready)(&Object::new(), None).unwrap().score(&record).unwrap();
            let kinds: Vec<&str> = scored.issues.iter().map(|issue| issue.kind.as_str()).collect();
            assert_eq!(
                (scored.score, kinds.join(" ").as_str()),
                (Some(score), issues),
                "{expected} {called}"
            );
            assert_eq!(scored.passed, Some(score == 1.0), "{expected} {called}");
        }
    }

    #[test]
    fn no_expectation_and_no_ban_is_passed_over() {
        let score = |expected: &str, banned: &str, called: &str| {
            let record = format!(
                r#"{{"test":{{"expected_tool_calls":[{expected}],"not_calls":[{banned}]}},"tool_calls":[{called}]}}"#
            );
            let scored = (SCORER.ready)(&Object::new(), None)
                .unwrap()
                .score(Json::parse(&record).unwrap().as_object().unwrap());
            scored.map(|scored| scored.passed).map_err(|error| error.message)
        };
        const CALL: &str = r#"{"name":"pay","input":{"to":"x"}}"#;
        for key in ["args", "arguments", "parameters", "params", "input", "tool_input", "wanted_params"] {
            let expected = format!(r#"{{"tool_name":"pay","{key}":{{"to":"y"}}}}"#);
            let why = score(&expected, "", CALL).unwrap_err();
            assert!(why.starts_with(&format!("`test.expected_tool_calls[0].{key}` is not read")), "{why}");
        }
        assert_eq!(
            score(r#"{"tool_name":"pay","required_params":{"to":"x"},"args":{"to":"x"}}"#, "", CALL),
            Ok(Some(true))
        );
        assert!(
            score(r#"{"tool_name":"pay","required_params":{"to":"x"},"args":{"to":"y"}}"#, "", CALL).is_err()
        );
        for banned in [
            r#"{"tool_name":"pay","params":{"to":"x"}}"#,
            r#"{"tool_name":"pay","args":{"to":"x"}}"#,
            r#"{"tool_name":"pay","params":null,"input":"{\"to\":\"x\"}"}"#,
            r#"{"name":"pay","arguments":{"to":"x"}}"#,
            r#"{"function":{"name":"pay","arguments":"{\"to\":\"x\"}"}}"#,
        ] {
            assert_eq!(score("", banned, CALL), Ok(Some(false)), "{banned}");
            assert_eq!(
                score(r#"{"tool_name":"pay"}"#, &banned.replace('x', "y"), CALL),
                Ok(Some(true)),
                "{banned}"
            );
        }
        let why = score("", r#"{"tool_name":"pay","payload":{"to":"x"}}"#, CALL).unwrap_err();
        assert!(why.starts_with("`test.not_calls[0]` has no `params`") && why.contains("`payload`"), "{why}");
        // Arguments that are compared with nothing.
        let unclear = r#"{"name":"pay","payload":{"to":"x"}}"#;
        assert_eq!(score(r#"{"tool_name":"pay"}"#, "", unclear), Ok(Some(true)));
        assert!(score(r#"{"tool_name":"pay","required_params":{"to":"x"}}"#, "", unclear).is_err());
        assert!(
            score(r#"{"tool_name":"pay"}"#, r#"{"tool_name":"pay","params":{"to":"x"}}"#, unclear).is_err()
        );
    }

    #[test]
    fn an_end_is_told_beside_what_else_is_wrong() {
        for (called, says) in [
            ("", "`a` is not called; the episode ended before an answer: the agent failed"),
            (r#"{"name":"a"}"#, "the episode ended before an answer: the agent failed"),
        ] {
            let mut record = record("", called);
            record.insert("ended", "agent_error");
            let scored = (SCORER.ready)(&Object::new(), None).unwrap().score(&record).unwrap();
            assert_eq!((scored.reason.as_deref(), scored.score), (Some(says), Some(0.0)), "{called}");
        }
    }

    #[test]
    fn what_can_only_fail() {
        const X: &str = r#","required_params":{"x":1}"#;
        for (expected, called, fails) in [
            (X, "", false),
            (X, r#"{"name":"a","input":{"x":1}}"#, false),
            (X, r#"{"name":"a","input":{"x":2}}"#, true),
            (X, r#"{"name":"a","input":{"x":1}},{"name":"a","input":{"x":1}}"#, true),
            (X, r#"{"name":"b"}"#, true),
            ("", r#"{"name":"a","input":{"x":2}}"#, false),
        ] {
            assert_eq!(can_only_fail(&record(expected, called)), fails, "{expected} {called}");
        }
        let banned = |text: &str| can_only_fail(Json::parse(text).unwrap().as_object().unwrap());
        assert!(banned(
            r#"{"test":{"not_calls":[{"tool_name":"b"}]},"tool_calls":[{"name":"b"},{"name":"c"}]}"#
        ));
        assert!(!banned(r#"{"test":{"not_calls":[{"tool_name":"b"}]},"tool_calls":[{"name":"c"}]}"#));
    }
}

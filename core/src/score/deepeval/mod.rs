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

pub use case::{Call, Case};
pub(super) use case::{OF_CALLED, calls};
pub(super) use judged::SCORER as JUDGED;
pub use options::Options;

use alignment::Alignment;
use peer::Mode;
use similarity::Similarity;

use super::forms::Form;
use super::{Score, ScoreError, Scored, Scorer, SettingError, setting};
use crate::domain::{Json, Object};

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
        let available = settings.get(AVAILABLE).filter(|tools| !tools.is_null()).cloned();
        Ok(Box::new(ToolCorrectness { options: Options::default().with(settings)?, available, as_peer }))
    },
};

struct ToolCorrectness {
    options: Options,
    /// The tools to choose from, of cases that name none.
    available: Option<Json>,
    as_peer: bool,
}

impl ToolCorrectness {
    /// The settings, with those that the case has of its own.
    fn options_of(&self, record: &Object) -> Result<Options, SettingError> {
        match record.get("config").and_then(Json::as_object) {
            Some(config) => self.options.with(config),
            None => Ok(self.options),
        }
    }
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
        let options = self.options_of(record).map_err(ScoreError::invalid)?;
        let form = Form { as_peer: self.as_peer, ..case::FORM };
        let is_expected = |tool: &str| form.calls(record, "expected_tools").any(|call| call.name == tool);
        let counts = |list: &str, tool: &str| {
            options.input_parameters && (list != "tools_called" || is_expected(tool))
        };
        let mut record = form.of_compared(record, "", counts)?;
        if lacks_tools(&record) {
            self.complete(record.to_mut());
        }
        let case = Case::read(&record);
        let mut scored = match self.as_peer {
            true => score_as_peer(&case?, &options)?,
            false => score(&case.map_err(|error| ScoreError::invalid(error.message))?, &options)?,
        };
        if options.verbose_mode {
            scored.metadata.insert("verbose_logs", verbose(&record, &scored));
        }
        Ok(scored)
    }

    fn compares_values(&self, record: &Object, _: &str) -> bool {
        self.options_of(record).is_ok_and(|options| options.input_parameters)
    }

    fn complete(&self, record: &mut Object) {
        let of_case = record.get("config").and_then(|config| config.get(AVAILABLE)).cloned();
        let tools = of_case.or_else(|| self.available.clone()).filter(|_| lacks_tools(record));
        if let Some(tools) = tools {
            record.insert(AVAILABLE, tools);
        }
    }
}

/// The tools that there were to choose from.
const AVAILABLE: &str = "available_tools";

fn lacks_tools(record: &Object) -> bool {
    record.get(AVAILABLE).is_none_or(Json::is_null)
}

/// What was compared, and what came of it, part by part.
fn verbose(record: &Object, scored: &Scored) -> String {
    let part = |(title, key): (&str, &str)| {
        let tools = record.get(key).and_then(Json::as_array);
        tools.map(|tools| {
            let lines: Vec<String> = tools.iter().map(|tool| format!("\n    {tool}")).collect();
            format!("{title}:{}", if lines.is_empty() { " none".to_owned() } else { lines.concat() })
        })
    };
    let lists = [
        ("Expected tools", "expected_tools"),
        ("Tools called", "tools_called"),
        ("Available tools", AVAILABLE),
    ];
    let score = scored.score.map_or_else(|| "none".to_owned(), |score| score.to_string());
    let reason = scored.reason.iter().map(|reason| format!("Reason: {reason}"));
    let parts = lists.into_iter().filter_map(part).chain([format!("Score: {score}")]).chain(reason);
    parts.collect::<Vec<_>>().join("\n")
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
    if let Some(threshold) = options.threshold.filter(|threshold| !(0.0..=1.0).contains(threshold)) {
        return Err(ScoreError::invalid(format!(
            "`threshold` must be a number from 0 to 1, but is {threshold}"
        )));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(settings: &str, peer: Option<&str>, record: &str) -> Result<Scored, ScoreError> {
        let object = |text: &str| Json::parse(text).unwrap().as_object().unwrap().clone();
        (SCORER.ready)(&object(settings), peer).unwrap().score(&object(record))
    }

    #[test]
    fn arguments_under_others_names_are_compared() {
        let called =
            r#"{"tools_called": [{"type": "tool_use", "name": "f", "input": {"n": 1}}], "expected_tools": "#;
        for (expected, passes) in [
            (r#"[{"name": "f", "input_parameters": {"n": 1}}]}"#, true),
            (r#"[{"name": "f", "args": {"n": 2}}]}"#, false),
            (r#"[{"type": "function", "function": {"name": "f", "arguments": "{\"n\": 2}"}}]}"#, false),
        ] {
            for peer in [None, Some("deepeval")] {
                let settings = r#"{"evaluation_params": ["INPUT_PARAMETERS"]}"#;
                let scored = scored(settings, peer, &format!("{called}{expected}")).unwrap();
                assert_eq!(scored.passed, Some(passes), "{peer:?} {expected}");
            }
        }
    }

    #[test]
    fn kinds_of_messages_and_arguments_of_no_account_are_no_errors() {
        let expected = r#"[{"name": "f", "input_parameters": {"n": 1}}]"#;
        let compared = r#"{"evaluation_params": ["INPUT_PARAMETERS"]}"#;
        let score = |settings: &str, called: &str| {
            let record = format!(r#"{{"tools_called": [{called}], "expected_tools": {expected}}}"#);
            scored(settings, None, &record).map(|scored| scored.score)
        };
        for (called, by_name, by_arguments) in [
            (r#"{"type": "tool_use", "name": "f", "input": null}"#, Some(1.0), Some(0.0)),
            (r#"{"type": "function", "name": "f", "input_parameters": {"n": 1}}"#, Some(1.0), Some(1.0)),
            (r#"{"type": "function", "function": {"name": "f", "arguments": ""}}"#, Some(1.0), Some(0.0)),
            (r#"{"name": "f", "input_parameters": {"n": 1}, "inputParameters": null}"#, Some(1.0), Some(1.0)),
            (r#"{"name": "f", "payload": {"n": 1}}"#, Some(1.0), None),
            (r#"{"name": "f", "input_parameters": {"n": 1}, "args": {"n": 2}}"#, Some(1.0), None),
            (r#"{"name": "f", "args": "no JSON"}"#, Some(1.0), None),
            // Of a tool that is not expected.
            (r#"{"name": "g", "payload": {"n": 1}}"#, Some(0.0), Some(0.0)),
        ] {
            assert_eq!(score("{}", called).ok().flatten(), by_name, "{called}");
            assert_eq!(score(compared, called).ok().flatten(), by_arguments, "{called}");
        }
    }

    #[test]
    fn tools_to_choose_from_are_a_setting_too() {
        let case = r#"{"tools_called": [{"name": "f"}], "expected_tools": [{"name": "f"}], "selection": {"score": 0.25, "reason": "g was better"}"#;
        let setting = r#"{"available_tools": [{"name": "f"}, {"name": "g", "description": "better"}]}"#;
        let score = |settings: &str, more: &str| {
            scored(settings, None, &format!("{case}{more}}}")).unwrap().score.unwrap()
        };
        assert_eq!(score("{}", ""), 1.0);
        assert_eq!(score(setting, ""), 0.25);
        assert_eq!(score("{}", &format!(r#", "config": {setting}"#)), 0.25);
        // A case's own count more, be there none.
        assert_eq!(score(setting, r#", "available_tools": []"#), 1.0);
        for wrong in ["3", "[3]", r#"[{"nam": "f"}]"#] {
            let settings = Json::parse(&format!(r#"{{"available_tools": {wrong}}}"#)).unwrap();
            assert!(Options::default().with(settings.as_object().unwrap()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn more_or_less_is_said() {
        let case = r#"{"tools_called": [{"name": "g"}], "expected_tools": [{"name": "f"}]}"#;
        let of = |settings: &str, peer| scored(settings, peer, case).unwrap();
        let logs = of(r#"{"verbose_mode": true}"#, None).metadata.get("verbose_logs").cloned().unwrap();
        let logs = logs.as_str().unwrap();
        assert!(logs.starts_with("Expected tools:\n    {\"name\":\"f\"}\nTools called:\n"), "{logs}");
        assert!(logs.contains("\nScore: 0\nReason: "), "{logs}");
        assert!(of("{}", None).metadata.get("verbose_logs").is_none());
        let silent = r#"{"include_reason": false}"#;
        assert_eq!(of(silent, None).reason, None);
        // In the peer the setting has no effect.
        assert!(of(silent, Some("deepeval")).reason.is_some());
    }
}

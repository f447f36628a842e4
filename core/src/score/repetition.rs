//! Detects loops: an agent that makes the same call again and again.
//!
//! After the repetition check of DeepEval's `AgentLoopDetectionMetric`: the call that was made most often with the same arguments
//! decides. Below the limit the score is 1, from the limit on 0.5, from twice the limit on 0. Of the peer's results none were
//! recorded, and its other checks need a trace of spans, so there is no exact mode for it.

use super::deepeval::{Call, OF_CALLED, calls};
use super::difference::issue;
use super::{Equality, IssueKind, Score, ScoreError, Scored, Scorer, SettingError, setting};
use crate::domain::{Json, Object};

pub(super) const SCORER: Scorer = Scorer {
    name: "loop_detection",
    peers: &[],
    expects: false,
    across_turns: true,
    defines: false,
    inquiry: None,
    // Any list of calls would do, so it is asked for by name.
    matches: |_| false,
    case: |called, _, row| {
        super::own_case(row, [("tools_called", super::listed(called, ("name", "input_parameters")))])
    },
    ready: |settings, peer| match peer {
        Some(other) => Err(setting::unknown_peer(other, &[])),
        None => Ok(Box::new(LoopDetection { options: Options::default().with(settings)? })),
    },
};

/// How much repetition is a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// From how many identical calls on it is one.
    pub max_repetitions: f64,
    /// From which score on a case passes.
    pub threshold: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_repetitions: 3.0, threshold: 1.0 }
    }
}

impl Options {
    /// These options, overridden by `settings`.
    pub fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "max_repetitions" => {
                    self.max_repetitions = setting::number(key, value)?;
                    if self.max_repetitions < 2.0 {
                        return Err(setting::wrong(key, "a number of 2 or more", value));
                    }
                }
                "threshold" => self.threshold = setting::share(key, value)?,
                _ => return Err(setting::unknown(key, &["max_repetitions", "threshold"])),
            }
        }
        Ok(self)
    }
}

struct LoopDetection {
    options: Options,
}

impl Score for LoopDetection {
    fn compares(&self, _: Option<&Object>) -> String {
        "names of tools and arguments, each call with the others of its row or transcript".to_owned()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let record = &*OF_CALLED.of(record)?;
        let called = calls(record, "tools_called").map_err(|error| ScoreError::invalid(error.message))?;
        let mut options = self.options;
        if let Some(config) = record.get("config").and_then(Json::as_object) {
            options = options.with(config).map_err(ScoreError::invalid)?;
        }
        Ok(score(&called, &options))
    }
}

/// Scores the calls of one case.
pub fn score(called: &[Call], options: &Options) -> Scored {
    let mut distinct: Vec<(&Call, usize)> = Vec::new();
    for call in called {
        match distinct.iter_mut().find(|(known, _)| is_same(known, call)) {
            Some((_, count)) => *count += 1,
            None => distinct.push((call, 1)),
        }
    }
    let most = distinct.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let score = match most as f64 {
        most if most >= 2.0 * options.max_repetitions => 0.0,
        most if most >= options.max_repetitions => 0.5,
        _ => 1.0,
    };
    let loops = distinct.iter().filter(|(_, count)| *count as f64 >= options.max_repetitions);
    let issues: Vec<_> = loops
        .map(|(call, count)| {
            let message = format!("`{}` is called {count} times with the same arguments", call.name);
            issue(IssueKind::LoopDetected, call.name, None, message)
        })
        .collect();
    Scored {
        score: Some(score),
        passed: Some(score >= options.threshold - 1e-9),
        reason: Some(format!("no call was made more than {most} times with the same arguments")),
        issues,
        ..Scored::default()
    }
}

fn is_same(a: &Call, b: &Call) -> bool {
    let none = Object::new();
    a.name == b.name && Equality::Json.objects(a.parameters.unwrap_or(&none), b.parameters.unwrap_or(&none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_call_decides() {
        for (count, config, score) in [
            (0, "{}", 1.0),
            (2, "{}", 1.0),
            (3, "{}", 0.5),
            (5, "{}", 0.5),
            (6, "{}", 0.0),
            (6, r#"{"max_repetitions":7}"#, 1.0),
        ] {
            let same = r#"{"name":"a","input_parameters":{"x":1}},{"name":"a","input_parameters":{"x":2}},{"name":"b"}"#;
            let calls = vec![same; count].join(",");
            let record = Json::parse(&format!(r#"{{"config":{config},"tools_called":[{calls}]}}"#)).unwrap();
            let scored =
                (SCORER.ready)(&Object::new(), None).unwrap().score(record.as_object().unwrap()).unwrap();
            assert_eq!(scored.score, Some(score), "{count} with {config}");
            assert_eq!(scored.issues.len(), if score < 1.0 { 3 } else { 0 }, "{count} with {config}");
        }
    }
    #[test]
    fn arguments_under_other_names_tell_calls_apart() {
        let calls: Vec<String> =
            (0..4).map(|at| format!(r#"{{"name": "f", "args": {{"n": {at}}}}}"#)).collect();
        let record = Json::parse(&format!(r#"{{"tools_called": [{}]}}"#, calls.join(","))).unwrap();
        let scored =
            (SCORER.ready)(&Object::new(), None).unwrap().score(record.as_object().unwrap()).unwrap();
        assert_eq!(scored.score, Some(1.0));
    }
}

//! DeepEval's metrics whose parts a model judges: what is made of its answers. Whoever asks is elsewhere; a record holds the answers.
//!
//! The peer is DeepEval 4.3.1. A record names its `metric`:
//!
//! | `metric` | answers | score |
//! |---|---|---|
//! | `argument_correctness` | `verdicts`, one for each of `calls` calls | yes / (yes + no) |
//! | `tool_use` | `selection_scores`, `argument_scores`, one for each request of `turns` | the smaller of both means |
//! | `goal_accuracy` | `goal_scores`, `plan_scores`, likewise | the mean of both means |
//! | `task_completion`, `step_efficiency` | `reply` | itself |
//! | `plan_adherence` | `reply`, with the `plan` that was found | itself |
//!
//! `turns` are `user`, `assistant` and `assistant_calls` (an assistant that calls tools). A request begins with a user's turn after an
//! assistant's and ends with an assistant's. With the peer's name the numbers are the peer's; without it:
//!
//! | case | peer | ours | why |
//! |---|---|---|---|
//! | a verdict that is neither yes nor no | dropped | an error | what cannot be read is no verdict |
//! | no verdict left, no calls, no plan | 1 | no score | nothing was judged |
//! | no calls in `tool_use` | 0, not passed or failed | the mean of the selection | arguments that are not there are not wrong |
//! | a score beyond 0 to 1 | taken | an error | it is no share |

use crate::domain::{Json, Object};
use crate::score::{Score, ScoreError, Scored, Scorer, SettingError, setting};

const PEERS: &[&str] = &["deepeval"];

pub(in crate::score) const SCORER: Scorer = Scorer {
    name: "judged_metric",
    peers: PEERS,
    expects: false,
    across_turns: false,
    defines: false,
    inquiry: None,
    matches: |record| {
        record.get("metric").and_then(Json::as_str).is_some_and(|name| Metric::named(name).is_some())
    },
    case: |_, _, row| row.clone(),
    ready: |settings, peer| {
        let as_peer = match peer {
            None => false,
            Some("deepeval") => true,
            Some(other) => return Err(setting::unknown_peer(other, PEERS)),
        };
        Ok(Box::new(JudgedMetric { options: Options::default().with(settings)?, as_peer }))
    },
};

#[derive(Debug, Clone, Copy)]
struct Options {
    threshold: f64,
    strict: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { threshold: 0.5, strict: false }
    }
}

impl Options {
    fn with(mut self, settings: &Object) -> Result<Options, SettingError> {
        for (key, value) in settings.iter() {
            match key {
                "threshold" => self.threshold = setting::share(key, value)?,
                "strict_mode" => self.strict = setting::boolean(key, value)?,
                _ => return Err(setting::unknown(key, &["threshold", "strict_mode"])),
            }
        }
        Ok(self)
    }

    /// What a score must reach.
    fn bar(self) -> f64 {
        if self.strict { 1.0 } else { self.threshold }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Metric {
    ArgumentCorrectness,
    ToolUse,
    GoalAccuracy,
    TaskCompletion,
    StepEfficiency,
    PlanAdherence,
}

impl Metric {
    fn named(name: &str) -> Option<Metric> {
        Some(match name {
            "argument_correctness" => Metric::ArgumentCorrectness,
            "tool_use" => Metric::ToolUse,
            "goal_accuracy" => Metric::GoalAccuracy,
            "task_completion" => Metric::TaskCompletion,
            "step_efficiency" => Metric::StepEfficiency,
            "plan_adherence" => Metric::PlanAdherence,
            _ => return None,
        })
    }
}

struct JudgedMetric {
    options: Options,
    as_peer: bool,
}

/// What the answers come to.
enum Folded {
    /// A score that a strict test cuts to 0 where it is not perfect.
    Score(f64),
    /// The peer's 1 for want of anything to judge, which no test cuts.
    Vacuous,
    /// Nothing was judged.
    Nothing,
}

impl Score for JudgedMetric {
    fn compares(&self, _: Option<&Object>) -> String {
        "what a model said of each case, which the record holds".to_owned()
    }

    fn score(&self, record: &Object) -> Result<Scored, ScoreError> {
        let name = record.get("metric").and_then(Json::as_str).unwrap_or_default();
        let metric = Metric::named(name).ok_or_else(|| ScoreError::invalid("`metric` names no metric"))?;
        let mut options = self.options;
        if let Some(value) = record.get("threshold").filter(|value| !value.is_null()) {
            let read = if self.as_peer { setting::number } else { setting::share };
            options.threshold = read("threshold", value).map_err(ScoreError::invalid)?;
        }
        if let Some(value) = record.get("strict_mode").filter(|value| !value.is_null()) {
            options.strict = setting::boolean("strict_mode", value).map_err(ScoreError::invalid)?;
        }
        let score = match self.folded(metric, record)? {
            Folded::Nothing => return Ok(Scored::default()),
            Folded::Vacuous => 1.0,
            Folded::Score(score) if options.strict && score < 1.0 => 0.0,
            Folded::Score(score) => score,
        };
        // The peer never says whether a use of tools passes.
        let says = !(self.as_peer && metric == Metric::ToolUse);
        let margin = if self.as_peer { 0.0 } else { 1e-9 };
        Ok(Scored {
            score: Some(score),
            passed: says.then_some(score >= options.bar() - margin),
            ..Scored::default()
        })
    }
}

impl JudgedMetric {
    fn folded(&self, metric: Metric, record: &Object) -> Result<Folded, ScoreError> {
        match metric {
            Metric::ArgumentCorrectness => self.argument_correctness(record),
            Metric::ToolUse | Metric::GoalAccuracy => self.of_requests(metric, record),
            Metric::PlanAdherence if list(record, "plan")?.is_empty() => Ok(match self.as_peer {
                true => Folded::Vacuous,
                false => Folded::Nothing,
            }),
            Metric::TaskCompletion | Metric::StepEfficiency | Metric::PlanAdherence => {
                let reply = record.get("reply").unwrap_or(&Json::Null);
                Ok(Folded::Score(self.share("reply", reply)?))
            }
        }
    }

    fn argument_correctness(&self, record: &Object) -> Result<Folded, ScoreError> {
        let verdicts = list(record, "verdicts")?;
        let calls = record.get("calls").map(|calls| setting::number("calls", calls)).transpose();
        let calls = calls.map_err(ScoreError::invalid)?;
        let nothing = if self.as_peer { Folded::Vacuous } else { Folded::Nothing };
        if calls == Some(0.0) {
            return Ok(nothing);
        }
        let (mut yes, mut kept) = (0_u32, 0_u32);
        for (at, verdict) in verdicts.iter().enumerate() {
            let text = verdict.as_str().unwrap_or_default().trim().to_lowercase();
            let end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
            match &text[..end] {
                "yes" => (yes, kept) = (yes + 1, kept + 1),
                "no" => kept += 1,
                _ if self.as_peer => {}
                _ => return Err(ScoreError::invalid(format!("`verdicts[{at}]` is neither yes nor no"))),
            }
        }
        Ok(if kept == 0 { nothing } else { Folded::Score(f64::from(yes) / f64::from(kept)) })
    }

    /// Two means over requests: of the choice of tools and of arguments, or of goals and of plans.
    fn of_requests(&self, metric: Metric, record: &Object) -> Result<Folded, ScoreError> {
        if !self.as_peer && record.get("turns").is_none_or(Json::is_null) {
            return Err(ScoreError::invalid("`turns` is missing: who spoke in which turn"));
        }
        let turns = list(record, "turns")?;
        let turns: Vec<Turn> = turns.iter().enumerate().map(turn).collect::<Result<_, _>>()?;
        let requests = requests(&turns);
        // What its first turn calls is taken for what the user said.
        let with_calls = requests.iter().filter(|turns| turns[1..].contains(&Turn::Calls)).count();
        let keys = match metric {
            Metric::ToolUse => [("selection_scores", requests.len()), ("argument_scores", with_calls)],
            _ => [("goal_scores", requests.len()), ("plan_scores", requests.len())],
        };
        let mut means = Vec::new();
        for (key, number) in keys {
            let scores = list(record, key)?;
            if scores.len() < number {
                return Err(ScoreError::invalid(format!(
                    "`{key}` has {} scores for {number} requests",
                    scores.len()
                )));
            }
            let scores: Vec<f64> =
                scores[..number].iter().map(|score| self.share(key, score)).collect::<Result<_, _>>()?;
            means.push((number > 0).then(|| scores.iter().sum::<f64>() / number as f64));
        }
        let known: Vec<f64> = match self.as_peer {
            true => means.iter().map(|mean| mean.unwrap_or(0.0)).collect(),
            false => means.into_iter().flatten().collect(),
        };
        if known.is_empty() {
            return Ok(Folded::Nothing);
        }
        Ok(Folded::Score(match metric {
            Metric::ToolUse => known.iter().copied().fold(f64::INFINITY, f64::min),
            _ => known.iter().sum::<f64>() / known.len() as f64,
        }))
    }

    fn share(&self, key: &str, value: &Json) -> Result<f64, ScoreError> {
        match self.as_peer {
            true => setting::number(key, value).map_err(ScoreError::invalid),
            false => setting::share(key, value).map_err(ScoreError::invalid),
        }
    }
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    User,
    Words,
    Calls,
}

fn turn((at, json): (usize, &Json)) -> Result<Turn, ScoreError> {
    let words = [("user", Turn::User), ("assistant", Turn::Words), ("assistant_calls", Turn::Calls)];
    setting::one_of(&format!("turns[{at}]"), json, &words).map_err(ScoreError::invalid)
}

/// The turns by requests, each of two turns or more.
fn requests(turns: &[Turn]) -> Vec<&[Turn]> {
    let mut requests = Vec::new();
    let (mut start, mut asked) = (0, false);
    for at in 0..turns.len() {
        let begins = at > start && turns[at] == Turn::User && turns[at - 1] != Turn::User && asked;
        if begins {
            requests.push(&turns[start..at]);
            (start, asked) = (at, false);
        }
        asked |= turns[at] == Turn::User;
    }
    let rest = &turns[start..];
    if asked && rest.len() > 1 && rest.last() != Some(&Turn::User) {
        requests.push(rest);
    }
    requests
}

fn list<'a>(record: &'a Object, key: &str) -> Result<&'a [Json], ScoreError> {
    match record.get(key) {
        None | Some(Json::Null) => Ok(&[]),
        Some(value) => {
            value.as_array().ok_or_else(|| ScoreError::invalid(setting::wrong(key, "a list", value)))
        }
    }
}

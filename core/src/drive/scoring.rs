//! Whether an episode passed.

use super::compat::Loop;
use super::episode::Episode;
use super::suite::Expected;
use crate::domain::{Arguments, Ended, Json, Object, ToolCall, ToolDefinition};
use crate::score::{
    Issue, IssueKind, OwnFunctions, Ready, SCORERS, ScoreError, Scored, Scorer, SettingError,
};

/// The scorers of the episodes of a run.
pub struct EpisodeScorer {
    /// Of cases with a test.
    test: (&'static Scorer, Ready),
    /// Of cases with an example of LangChain Benchmarks.
    example: Ready,
    follows: Loop,
}

/// Why episodes cannot be scored so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoScorer {
    /// There is none of that name.
    #[error("`{0}` is not a scorer: use {all}", all = SCORERS.iter().map(|scorer| scorer.name).collect::<Vec<_>>().join(", "))]
    Unknown(String),
    /// It cannot have these settings.
    #[error("{0}")]
    Settings(String),
}

impl From<SettingError> for NoScorer {
    fn from(error: SettingError) -> NoScorer {
        NoScorer::Settings(error.to_string())
    }
}

/// The scorer of suites, and of LangChain Benchmarks' tasks.
const OF_SUITES: &str = "tool_evaluator";
const OF_TASKS: &str = "trajectory";

/// Which part of the score is a judge's, and what it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grade {
    /// No judge is asked about this case.
    NotAsked,
    /// The answer was graded.
    Graded(bool),
    /// It was to be graded, and there is no grade.
    Missing,
}

impl EpisodeScorer {
    /// The usual scorers, or for suites the one of that `name`, with these `settings`.
    ///
    /// # Errors
    /// If there is no such scorer, or it cannot be set so.
    pub fn new(name: Option<&str>, settings: &Object, follows: Loop) -> Result<EpisodeScorer, NoScorer> {
        let named = |name: &str| {
            SCORERS
                .iter()
                .find(|scorer| scorer.name == name)
                .ok_or_else(|| NoScorer::Unknown(name.to_owned()))
        };
        let scorer = named(name.unwrap_or(OF_SUITES))?;
        let peer = follows.peer().filter(|peer| scorer.peers.contains(peer));
        let of_tasks = named(OF_TASKS)?;
        let example =
            (of_tasks.ready)(&Object::new(), follows.peer().filter(|peer| of_tasks.peers.contains(peer)))?;
        Ok(EpisodeScorer { test: (scorer, (scorer.ready)(settings, peer)?), example, follows })
    }

    /// Gives the scorer of suites the functions that its settings and the cases may name.
    ///
    /// # Errors
    /// If a setting names a function that is not among them.
    pub fn give(&mut self, functions: &OwnFunctions) -> Result<(), NoScorer> {
        Ok(self.test.1.give(functions)?)
    }

    /// Settings of the scorer of suites that have no effect as it is set, and what is missing or in the way.
    pub fn idle(&self) -> Vec<(&'static str, &'static str)> {
        self.test.1.idle()
    }

    /// The name of the scorer of suites.
    pub fn name(&self) -> &'static str {
        self.test.0.name
    }

    /// The names of the figures that episodes of tasks or of suites have beside the score.
    pub fn figures(&self, of_tasks: bool) -> &'static [&'static str] {
        if of_tasks { self.example.figures() } else { self.test.1.figures() }
    }

    /// What an episode comes to whose scorer reads `record`, and of whose answer a judge said `grade`.
    ///
    /// # Errors
    /// If the scorer cannot read the record.
    pub fn score(&self, episode: &Episode, record: &Object, grade: Grade) -> Result<Scored, ScoreError> {
        let case = &episode.stage().case;
        // That it can only fail is what the usual scorer says; another would have to know how it went on.
        if episode.ended() == Some(Ended::Unexpected) && self.test.0.name != OF_SUITES {
            let message = episode.why().unwrap_or(Ended::OffScript.in_words()).to_owned();
            return Err(ScoreError { kind: Ended::OffScript.as_str(), message });
        }
        let mut scored = match &case.expected {
            Expected::Example { .. } => self.example.score(record)?,
            Expected::Test(_) if self.test.0.name == OF_SUITES => self.test.1.score(record)?,
            Expected::Test(test) => {
                let calls: Vec<ToolCall> = episode.calls().cloned().collect();
                let mut row = Object::new();
                if self.test.0.defines {
                    row.insert("tool_definitions", ToolDefinition::list(&case.tools));
                }
                self.test.1.score(&(self.test.0.case)(&calls, &expected(test), &row))?
            }
        };
        if self.follows == Loop::LangChain && matches!(case.expected, Expected::Example { .. }) {
            // The peer tells what is right and leaves open whether that is enough.
            scored.passed = (!is_ungraded(record)).then_some(scored.issues.is_empty());
        }
        let graded = match grade {
            Grade::NotAsked => None,
            Grade::Graded(true) => Some("correct"),
            Grade::Graded(false) => Some("incorrect"),
            Grade::Missing => Some("no grade"),
        };
        if let Some(graded) = graded {
            scored.metadata.insert("grade", graded);
        }
        if matches!(case.expected, Expected::Test(_)) {
            match grade {
                // Where the answer is all that is expected, nobody knows.
                Grade::NotAsked if case.expects_answer_only() => {
                    scored.passed = scored.passed.filter(|passed| !passed);
                }
                Grade::NotAsked | Grade::Graded(true) => {}
                Grade::Graded(false) => {
                    scored.passed = Some(false);
                    let message = "the answer was graded as incorrect".to_owned();
                    scored.reason = Some(match scored.reason.take().filter(|_| !scored.issues.is_empty()) {
                        Some(own) => format!("{own}; {message}"),
                        None => message.clone(),
                    });
                    scored.issues.push(Issue {
                        kind: IssueKind::WrongAnswer,
                        tool: None,
                        path: None,
                        message,
                    });
                }
                Grade::Missing => scored.passed = scored.passed.filter(|passed| !passed),
            }
        }
        if episode.ended() == Some(Ended::CallAsText) {
            // That nothing was called, and what was said, follows from it.
            scored.passed = Some(false);
            scored.issues.clear();
            scored.reason = None;
        }
        if episode.issues().iter().any(|issue| issue.kind == IssueKind::StoppedEarly)
            && self.follows == Loop::Own
        {
            scored.passed = Some(false);
            // That nothing is wrong with the calls is no reason to fail.
            scored.reason = scored.reason.take().filter(|_| !scored.issues.is_empty());
        }
        if episode.ended().is_some_and(Ended::is_breakdown) {
            // Nothing called and nothing said may be all that is expected, and is no success of who crashed.
            scored.score = scored.score.map(|_| 0.0);
            scored.figures.clear();
        }
        let told: Vec<String> = episode.issues().iter().map(|issue| issue.message.clone()).collect();
        scored.issues.extend(episode.issues().iter().cloned());
        if !told.is_empty() {
            let own = scored.reason.take().filter(|own| !own.is_empty());
            scored.reason = Some(own.into_iter().chain(told).collect::<Vec<_>>().join("; "));
        }
        Ok(scored)
    }
}

/// Whether an answer is to be graded and has not been.
fn is_ungraded(record: &Object) -> bool {
    let is_graded = record.get("output_evaluation").and_then(Json::as_str).is_some_and(|word| word != "none");
    is_graded && !record.contains_key("llm_reply")
}

/// The expected calls of a test, for scorers that take calls.
fn expected(test: &Object) -> Vec<ToolCall> {
    let listed = test.get("expected_tool_calls").and_then(Json::as_array).unwrap_or_default();
    let call = |item: &Json| {
        let arguments = item.get("required_params").and_then(Json::as_object).cloned().unwrap_or_default();
        let name = item.get("tool_name").and_then(Json::as_str)?;
        Some(ToolCall { name: name.to_owned(), arguments: Arguments::Parsed(arguments), id: None })
    };
    listed.iter().filter_map(call).collect()
}

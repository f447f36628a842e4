//! What is kept of one run of one agent: counts, names and hashes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::{Evidence, Outcome};
use crate::stats::Trials;

/// The most episodes of a case that a record may hold: far beyond any run, and few enough to compute with.
const MOST: u64 = 1_000_000;

/// One agent in one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// When the run ended: RFC 3339, in UTC.
    pub time: String,
    /// The run's id.
    pub run: String,
    /// The version of this program.
    pub version: String,
    /// The agent's name.
    pub agent: String,
    /// What named the agent's code, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The model, as its provider names it, where the agent is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the user calls the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// What else the user says of the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// What the episodes were scored by, with the peer whose numbers these are.
    pub scorer: String,
    /// The judge that graded answers, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graded_by: Option<String>,
    /// How often each case was driven.
    pub repeats: u32,
    /// Whether it came to its end before everything was asked: a ceiling of costs was reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Whether it drove chosen cases only (`--case`, `--category`, `--limit`): what it lacks is not gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub selected: bool,
    /// Suite by suite.
    pub suites: Vec<SuiteRecord>,
}

/// The cases of one suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteRecord {
    /// Its name.
    pub suite: String,
    /// A hash of what its driven cases ask.
    pub asked: String,
    /// All its episodes.
    #[serde(flatten)]
    pub counts: Counts,
    /// Case by case, in the order of the suite.
    pub cases: Vec<CaseRecord>,
}

/// The episodes of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Its id.
    pub case: String,
    /// A hash of what is asked and what passes ([`asked`](super::asked)).
    pub asked: String,
    /// A hash of instructions and tools ([`setup`](super::setup())).
    pub setup: String,
    /// A hash of what the user says ([`question`](super::question)); empty in records of the first format.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// Its episodes.
    #[serde(flatten)]
    pub counts: Counts,
    /// One by one, with who paid for them.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// Episodes by how they came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All of them.
    pub trials: u64,
    /// Those that passed.
    pub passed: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those without a score.
    pub errors: u64,
    /// Those whose answer nobody graded, so that they neither passed nor failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ungraded: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, other: Counts) {
        self.trials += other.trials;
        self.passed += other.passed;
        self.failed += other.failed;
        self.errors += other.errors;
        self.ungraded += other.ungraded;
    }

    /// Those that passed or failed.
    pub fn decided(&self) -> Trials {
        Trials { scored: self.passed + self.failed, passed: self.passed }
    }

    /// Adds an episode.
    pub fn add_one(&mut self, outcome: Outcome) {
        self.trials += 1;
        *match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::Ungraded => &mut self.ungraded,
            Outcome::Error => &mut self.errors,
        } += 1;
    }

    /// Whether all are accounted for.
    fn is_whole(&self) -> bool {
        let parts = [self.passed, self.failed, self.errors, self.ungraded];
        parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(*part)) == Some(self.trials)
    }
}

impl RunRecord {
    /// When the run ended, if that is a time.
    pub fn at(&self) -> Option<Timestamp> {
        self.time.parse().ok()
    }

    /// All episodes.
    pub fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.suites.iter().for_each(|suite| all.add(suite.counts));
        all
    }

    /// Episodes whose replies another run paid for.
    pub fn stored(&self) -> u64 {
        self.cases().map(|(_, case)| case.evidence.stored_episodes()).sum()
    }

    /// All cases, with their suites.
    pub fn cases(&self) -> impl Iterator<Item = (&str, &CaseRecord)> {
        self.suites.iter().flat_map(|suite| suite.cases.iter().map(|case| (suite.suite.as_str(), case)))
    }

    /// What in it cannot be, if anything.
    pub(super) fn wrong(&self) -> Option<String> {
        if self.at().is_none() {
            return Some(format!("`{}` is not a time", self.time));
        }
        let mut seen = BTreeSet::new();
        for suite in &self.suites {
            let mut sum = Counts::default();
            for case in &suite.cases {
                if !case.counts.is_whole() {
                    return Some(format!("the counts of the case `{}` do not add up", case.case));
                }
                if case.counts.trials > MOST {
                    return Some(format!("the case `{}` has more than {MOST} episodes", case.case));
                }
                if let Some(why) = case.evidence.wrong(&case.counts) {
                    return Some(format!("the case `{}` {why}", case.case));
                }
                if !seen.insert((&suite.suite, &case.case)) {
                    return Some(format!("the case `{}` of `{}` is in it twice", case.case, suite.suite));
                }
                sum.add(case.counts);
            }
            if sum != suite.counts {
                return Some(format!("the counts of `{}` are not those of its cases", suite.suite));
            }
        }
        None
    }
}

//! Two runs of an agent, or one against several before it: what changed, and whether that is more than chance.

use std::collections::BTreeMap;

use serde::Serialize;

use super::record::{CaseRecord, RunRecord};
use crate::stats::{Stratified, Trials, holm, stratified};

/// What is beyond chance.
pub const LEVEL: f64 = 0.05;

/// With what the last run is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The run before it.
    Previous,
    /// All runs before it, their episodes taken together.
    Earlier,
    /// A run that was named.
    Baseline,
}

/// What a comparison shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The last run passes more often, beyond chance.
    Better,
    /// It passes less often, beyond chance.
    Worse,
    /// Neither is shown.
    Undecided,
    /// Neither could have been shown, whatever had come out: there are too few episodes.
    Untestable,
}

/// How the last run differs from others.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// From which.
    pub against: Against,
    /// The ids of these.
    pub runs: Vec<String>,
    /// Scored episodes before and after, of the cases that are compared.
    pub episodes: (u64, u64),
    /// Cases that are compared.
    pub cases: Vec<CaseChange>,
    /// The same by suite; empty where there is only one.
    pub suites: Vec<SuiteChange>,
    /// Cases that ask or expect something else now: their hash differs.
    pub changed: usize,
    /// Cases that only the last run has.
    pub added: usize,
    /// Cases that the last run does not have.
    pub removed: usize,
    /// Cases that both sides have, and one of them did not score.
    pub unscored: usize,
    /// Of the cases that are compared, those with other instructions or tools than before.
    pub other_setup: usize,
    /// Scored episodes of the last run that are compared with none.
    pub left_out: u64,
    /// What came of it; absent where no case is compared.
    pub found: Option<Stratified>,
    /// Its p-value, Holm-corrected for all comparisons of the agent.
    pub p_adjusted: f64,
    /// In how many comparisons a case or a suite could turn up by chance.
    family: usize,
}

/// One case in both.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseChange {
    /// Its suite.
    pub suite: String,
    /// Its id.
    pub case: String,
    /// Its scored episodes before.
    pub before: Trials,
    /// Its scored episodes in the last run.
    pub after: Trials,
    /// Fisher's exact test.
    pub p: f64,
    /// The same, Holm-corrected for all cases that are compared.
    pub p_adjusted: f64,
}

/// One suite in both.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteChange {
    /// Its name.
    pub suite: String,
    /// What came of it.
    pub found: Stratified,
    /// Its p-value, Holm-corrected for all suites.
    pub p_adjusted: f64,
}

/// What `found` shows, once its p-value is corrected for `family` comparisons.
fn verdict(found: &Stratified, p_adjusted: f64, family: usize) -> Verdict {
    let is_beyond = p_adjusted < LEVEL;
    match found.difference.value {
        _ if found.test.least_p * family as f64 >= LEVEL => Verdict::Untestable,
        by if is_beyond && by > 0.0 => Verdict::Better,
        by if is_beyond && by < 0.0 => Verdict::Worse,
        _ => Verdict::Undecided,
    }
}

impl SuiteChange {
    /// What is shown of the suite, among `suites`.
    pub fn verdict(&self, suites: usize) -> Verdict {
        verdict(&self.found, self.p_adjusted, suites)
    }
}

impl Change {
    /// The last run, `now`, against `before`, which are not empty.
    pub(super) fn of(now: &RunRecord, before: &[&RunRecord], against: Against) -> Change {
        let mut then: BTreeMap<(&str, &str), Vec<&CaseRecord>> = BTreeMap::new();
        for (suite, case) in before.iter().flat_map(|run| run.cases()) {
            then.entry((suite, &case.case)).or_default().push(case);
        }
        let mut change = Change {
            against,
            runs: before.iter().map(|run| run.run.clone()).collect(),
            episodes: (0, 0),
            cases: Vec::new(),
            suites: Vec::new(),
            changed: 0,
            added: 0,
            removed: 0,
            unscored: 0,
            other_setup: 0,
            left_out: 0,
            found: None,
            p_adjusted: 1.0,
            family: 1,
        };
        for (suite, case) in now.cases() {
            let after = case.counts.decided();
            let earlier = then.remove(&(suite, case.case.as_str()));
            let same: Vec<&&CaseRecord> =
                earlier.iter().flatten().filter(|earlier| earlier.asked == case.asked).collect();
            let before =
                same.iter().map(|same| same.counts.decided()).fold(Trials::default(), |sum, more| Trials {
                    scored: sum.scored + more.scored,
                    passed: sum.passed + more.passed,
                });
            match () {
                () if earlier.is_none() => change.added += 1,
                () if same.is_empty() => change.changed += 1,
                () if before.scored == 0 || after.scored == 0 => change.unscored += 1,
                () => {
                    change.other_setup += usize::from(same.iter().any(|same| same.setup != case.setup));
                    change.episodes.0 += before.scored;
                    change.episodes.1 += after.scored;
                    let p = stratified(&[(before, after)]).map_or(1.0, |found| found.test.p);
                    let (suite, case) = (suite.to_owned(), case.case.clone());
                    change.cases.push(CaseChange { suite, case, before, after, p, p_adjusted: p });
                    continue;
                }
            }
            change.left_out += after.scored;
        }
        change.removed = then.len();
        change.test();
        change
    }

    /// Tests what is compared: all cases together, each suite, each case.
    fn test(&mut self) {
        let pair = |case: &CaseChange| (case.before, case.after);
        self.found = stratified(&self.cases.iter().map(pair).collect::<Vec<_>>());
        self.p_adjusted = self.found.map_or(1.0, |found| found.test.p);
        let adjusted = holm(&self.cases.iter().map(|case| case.p).collect::<Vec<_>>());
        self.cases.iter_mut().zip(adjusted).for_each(|(case, p)| case.p_adjusted = p);
        let mut names: Vec<&String> = Vec::new();
        for case in &self.cases {
            if !names.contains(&&case.suite) {
                names.push(&case.suite);
            }
        }
        if names.len() < 2 {
            return;
        }
        let mut suites = Vec::new();
        for suite in names {
            let pairs: Vec<_> = self.cases.iter().filter(|case| case.suite == *suite).map(pair).collect();
            if let Some(found) = stratified(&pairs) {
                suites.push(SuiteChange { suite: suite.clone(), found, p_adjusted: found.test.p });
            }
        }
        let adjusted = holm(&suites.iter().map(|suite| suite.found.test.p).collect::<Vec<_>>());
        suites.iter_mut().zip(adjusted).for_each(|(suite, p)| suite.p_adjusted = p);
        self.suites = suites;
    }

    /// Corrects the p-values of all comparisons of one agent for each other.
    pub(super) fn correct(changes: &mut [Change]) {
        let adjusted = holm(&changes.iter().map(|change| change.p_adjusted).collect::<Vec<_>>());
        let family = changes.len();
        for (change, p) in changes.iter_mut().zip(adjusted) {
            (change.p_adjusted, change.family) = (p, family);
        }
    }

    /// What is shown; absent where no case is compared.
    pub fn verdict(&self) -> Option<Verdict> {
        self.found.map(|found| verdict(&found, self.p_adjusted, self.family))
    }

    /// By how much the share that passes has dropped, if that is more than chance.
    pub fn drop(&self) -> Option<f64> {
        let found = self.found?;
        (self.verdict() == Some(Verdict::Worse)).then_some(-found.difference.value)
    }

    /// Whether most scored episodes of the last run are compared with none.
    pub fn is_partial(&self) -> bool {
        self.left_out > self.episodes.1
    }

    /// The cases that are shown to pass more or less often, beyond chance.
    pub fn shown(&self) -> impl Iterator<Item = &CaseChange> {
        self.cases.iter().filter(|case| case.p_adjusted < LEVEL)
    }
}

impl CaseChange {
    /// How much more often the case passes now.
    pub fn difference(&self) -> f64 {
        let share = |trials: Trials| trials.passed as f64 / trials.scored.max(1) as f64;
        share(self.after) - share(self.before)
    }
}

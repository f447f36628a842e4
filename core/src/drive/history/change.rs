//! Two runs of an agent, or one against several before it: what changed, and whether that is more than chance.

use std::collections::BTreeMap;

use serde::Serialize;

use super::evidence::Known;
use super::record::{CaseRecord, RunRecord};
use crate::stats::{Stratified, Trials, holm, stratified};

/// What is beyond chance.
pub const LEVEL: f64 = 0.05;

/// With what the last run is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The run before it, or else the newest one of which a case can be compared.
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
    /// Cases of which both sides have the very same episodes: their replies are stored ones.
    pub replayed: usize,
    /// Cases whose replies are those of another case, in one of them at least.
    pub shared: usize,
    /// Episodes of the last run that are not compared because they stand on the other side, or are those of another case on both.
    pub repeated: u64,
    /// Episodes that could not be compared: those of the last run without a score, or of a case that is new or asks something else,
    /// and those earlier ones of cases that are gone.
    pub left_out: u64,
    /// What came of it; absent where no case is compared.
    pub found: Option<Stratified>,
    /// Its p-value, Holm-corrected for all comparisons of the agent.
    pub p_adjusted: f64,
    /// What the worst and the best last run could have shown.
    reach: Reach,
}

/// The p-values that would have come out had nothing passed in the last run, or all, corrected like those that did.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reach {
    none: f64,
    all: f64,
}

impl Reach {
    const NOTHING: Reach = Reach { none: 1.0, all: 1.0 };

    /// Those of comparisons that are corrected for each other. One last run is the worst, or the best, for all of them.
    fn of(found: &[Option<Stratified>]) -> Vec<Reach> {
        let corrected = |p: &dyn Fn(Stratified) -> f64| {
            holm(&found.iter().map(|found| found.map_or(1.0, p)).collect::<Vec<_>>())
        };
        let all = corrected(&|found| found.test.p_of_all);
        corrected(&|found| found.test.p_of_none)
            .into_iter()
            .zip(all)
            .map(|(none, all)| Reach { none, all })
            .collect()
    }
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
    /// What the worst and the best last run could have shown.
    reach: Reach,
}

/// What `found` shows, once its p-value is corrected.
fn verdict(found: &Stratified, p_adjusted: f64, reach: Reach) -> Verdict {
    let is_beyond = p_adjusted < LEVEL;
    match found.difference.value {
        by if is_beyond && by > 0.0 => Verdict::Better,
        by if is_beyond && by < 0.0 => Verdict::Worse,
        _ if !is_beyond && reach.none.min(reach.all) >= LEVEL => Verdict::Untestable,
        _ => Verdict::Undecided,
    }
}

impl SuiteChange {
    /// What is shown of the suite.
    pub fn verdict(&self) -> Verdict {
        verdict(&self.found, self.p_adjusted, self.reach)
    }
}

impl Change {
    /// The last run, `now`, against `before`, which are not empty. A case is gone that `last` of them has and `now` has not.
    pub(super) fn of(
        now: &RunRecord,
        (before, last): (&[&RunRecord], &RunRecord),
        against: Against,
    ) -> Change {
        let mut then: BTreeMap<(&str, &str), Vec<(&RunRecord, &CaseRecord)>> = BTreeMap::new();
        for run in before {
            for (suite, case) in run.cases() {
                then.entry((suite, &case.case)).or_default().push((run, case));
            }
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
            replayed: 0,
            shared: 0,
            repeated: 0,
            left_out: 0,
            found: None,
            p_adjusted: 1.0,
            reach: Reach::NOTHING,
        };
        for (suite, case) in now.cases() {
            let decided = case.counts.decided();
            let earlier = then.remove(&(suite, case.case.as_str()));
            let same: Vec<(&RunRecord, &CaseRecord)> = earlier
                .iter()
                .flatten()
                .filter(|(_, earlier)| earlier.asked == case.asked)
                .copied()
                .collect();
            let (mut known, mut today) = (Known::default(), Known::default());
            same.iter().for_each(|(run, case)| known.add(&run.run, &case.evidence, &case.counts));
            today.add(&now.run, &case.evidence, &case.counts);
            let of_cases = [&known, &today].map(|known| known.trials().scored > 0);
            let (before, after) = known.apart(&today);
            match () {
                () if earlier.is_none() => change.added += 1,
                () if same.is_empty() => change.changed += 1,
                () if decided.scored == 0 => change.unscored += 1,
                // What was never scored before is no fault of this run.
                () if !of_cases[0] && known.shared == 0 => {
                    change.unscored += 1;
                    change.left_out += case.counts.trials - decided.scored;
                    continue;
                }
                () if of_cases == [false, false] => {
                    change.shared += 1;
                    change.repeated += decided.scored;
                    change.left_out += case.counts.trials - decided.scored;
                    continue;
                }
                () if of_cases.contains(&false) => change.shared += 1,
                () => {
                    change.left_out += case.counts.trials - decided.scored;
                    change.repeated += decided.scored - after.scored;
                    if after.scored == 0 {
                        change.replayed += 1;
                        continue;
                    }
                    change.other_setup += usize::from(same.iter().any(|(_, same)| same.setup != case.setup));
                    change.episodes.0 += before.scored;
                    change.episodes.1 += after.scored;
                    let p = stratified(&[(before, after)]).map_or(1.0, |found| found.test.p);
                    let (suite, case) = (suite.to_owned(), case.case.clone());
                    change.cases.push(CaseChange { suite, case, before, after, p, p_adjusted: p });
                    continue;
                }
            }
            change.left_out += case.counts.trials;
        }
        for (suite, case) in last.cases() {
            if then.contains_key(&(suite, case.case.as_str())) {
                change.removed += 1;
                change.left_out += case.counts.trials;
            }
        }
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
                let (suite, reach) = (suite.clone(), Reach::NOTHING);
                suites.push(SuiteChange { suite, found, p_adjusted: found.test.p, reach });
            }
        }
        let reaches = Reach::of(&suites.iter().map(|suite| Some(suite.found)).collect::<Vec<_>>());
        suites.iter_mut().zip(reaches).for_each(|(suite, reach)| suite.reach = reach);
        let adjusted = holm(&suites.iter().map(|suite| suite.found.test.p).collect::<Vec<_>>());
        suites.iter_mut().zip(adjusted).for_each(|(suite, p)| suite.p_adjusted = p);
        self.suites = suites;
    }

    /// Corrects the p-values of all comparisons of one agent for each other. One that could have shown nothing, whatever had come out
    /// of the last run, is no chance to be wrong, and does not count (R. E. Tarone, Biometrics 46, 1990).
    pub(super) fn correct(changes: &mut [Change]) {
        let is_chance = |found: Option<Stratified>| {
            found.filter(|found| found.test.p_of_none.min(found.test.p_of_all) < LEVEL)
        };
        let mut family: Vec<&mut Change> =
            changes.iter_mut().filter(|change| is_chance(change.found).is_some()).collect();
        let adjusted = holm(&family.iter().map(|change| change.p_adjusted).collect::<Vec<_>>());
        let reaches = Reach::of(&family.iter().map(|change| change.found).collect::<Vec<_>>());
        for (change, (p, reach)) in family.iter_mut().zip(adjusted.into_iter().zip(reaches)) {
            (change.p_adjusted, change.reach) = (p, reach);
        }
    }

    /// What is shown; absent where no case is compared.
    pub fn verdict(&self) -> Option<Verdict> {
        self.found.map(|found| verdict(&found, self.p_adjusted, self.reach))
    }

    /// Whether a last run in which nothing passes would have been shown to be worse.
    pub fn could_drop(&self) -> bool {
        self.reach.none < LEVEL
    }

    /// By how much the weighted share that passes has dropped, if that is more than chance.
    pub fn drop(&self) -> Option<f64> {
        let found = self.found?;
        (self.verdict() == Some(Verdict::Worse)).then_some(-found.difference.value)
    }

    /// Whether most episodes could not be compared. Those that stand on the other side, or have no score there, are no matter.
    pub fn is_partial(&self) -> bool {
        self.left_out > self.episodes.1 + self.repeated
    }

    /// Whether it compares the same episodes as another.
    pub(super) fn is_like(&self, other: &Change) -> bool {
        let sides = |change: &Change| {
            let sides = change
                .cases
                .iter()
                .map(|case| (case.suite.clone(), case.case.clone(), case.before, case.after));
            sides.collect::<Vec<_>>()
        };
        sides(self) == sides(other)
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

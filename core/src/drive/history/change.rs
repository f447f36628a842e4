//! Two runs of an agent, or one against several before it: what changed, and whether that is more than chance.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::bunches::{Bunch, Question, bunches};
use super::ledger::{Ledger, Line, Sides};
use super::record::{CaseRecord, RunRecord};
use crate::stats::{Stratified, Stratum, Trials, holm, stratified, stratified_in};

/// What is beyond chance.
pub const LEVEL: f64 = 0.05;

/// With what the last run is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// The run before it; for cases that have no evidence there, the newest run in which they have some.
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
    /// The ids of these, the newest last.
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
    /// Scored episodes of the last run that were driven again because the same version crashed.
    pub crashed: u64,
    /// What the cases that are compared ask, each question once.
    pub questions: usize,
    /// Cases that are taken together with others, because a model's first reply is the same in all that ask the same.
    pub bunched: usize,
    /// These, by their place, and their units.
    bunches: Vec<Bunch>,
    /// The run with which most of the cases are compared, if there is one.
    pub(super) mostly: Option<String>,
    /// Scored episodes of the last run in cases that can be compared.
    known: u64,
    /// How many cases these are, and how many could not be compared.
    known_cases: usize,
    lost_cases: usize,
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
    /// The runs that paid for the episodes before and after; empty against all earlier runs.
    pub payers: (Vec<String>, Vec<String>),
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
    /// The last run, `now`, against `before`, which are in their order. `ledger` is of all runs, and `gone` are the cases that `now` lacks.
    pub(super) fn of<'a>(
        now: &'a RunRecord,
        (before, gone): (&[&'a RunRecord], &[&CaseRecord]),
        ledger: &Ledger<'a>,
        against: Against,
    ) -> Change {
        let mut then: BTreeMap<(&str, &str), Vec<Line<'_>>> = BTreeMap::new();
        for run in before {
            for (suite, case) in run.cases() {
                then.entry((suite, &case.case)).or_default().push((run, case));
            }
        }
        let mut change = Change {
            against,
            runs: Vec::new(),
            episodes: (0, 0),
            cases: Vec::new(),
            suites: Vec::new(),
            changed: 0,
            added: 0,
            removed: gone.len(),
            unscored: 0,
            other_setup: 0,
            replayed: 0,
            shared: 0,
            repeated: 0,
            crashed: 0,
            questions: 0,
            bunched: 0,
            bunches: Vec::new(),
            mostly: None,
            known: 0,
            known_cases: 0,
            lost_cases: gone.len(),
            left_out: gone.iter().map(|case| case.counts.trials).sum(),
            found: None,
            p_adjusted: 1.0,
            reach: Reach::NOTHING,
        };
        let mut used: BTreeMap<&str, usize> = BTreeMap::new();
        let mut questions: Vec<Question<'_>> = Vec::new();
        for (suite, case) in now.cases() {
            let decided = case.counts.decided();
            let earlier = then.get(&(suite, case.case.as_str()));
            let same: Vec<Line<'_>> = earlier
                .into_iter()
                .flatten()
                .filter(|(_, earlier)| earlier.asked == case.asked)
                .copied()
                .collect();
            let Some(book) = ledger.book(suite, case).filter(|_| !same.is_empty() && decided.scored > 0)
            else {
                let count = match earlier {
                    None => &mut change.added,
                    Some(_) if same.is_empty() => &mut change.changed,
                    Some(_) => &mut change.unscored,
                };
                *count += 1;
                change.lose(case);
                continue;
            };
            let is_shared_then = same.iter().any(|(_, case)| case.evidence.shared_episodes() > 0);
            let has_then = same.iter().any(|line| !book.groups(*line).is_empty());
            let has_now = !book.groups((now, case)).is_empty();
            if has_then != has_now && (has_then || is_shared_then) {
                // Its replies are those of another case on one side only.
                change.shared += 1;
                change.lose(case);
                continue;
            }
            change.left_out += case.counts.trials - decided.scored;
            if !has_then && !is_shared_then {
                // What was never scored before is no fault of this run.
                change.unscored += 1;
                continue;
            }
            change.known += decided.scored;
            change.known_cases += 1;
            change.crashed += case.evidence.crashed_episodes();
            let sides = book.sides((now, case), &same, against == Against::Previous);
            let after = sides.as_ref().map_or(0, |sides| sides.after.scored);
            change.repeated += decided.scored.saturating_sub(after);
            match sides {
                Some(sides) => {
                    for (run, _) in &sides.lines {
                        *used.entry(&run.run).or_default() += 1;
                    }
                    questions.push(Question::of((suite, case), &sides, now.model.is_some()));
                    change.add((suite, case), sides);
                }
                None if !has_then => change.shared += 1,
                None => change.replayed += 1,
            }
        }
        let is_used = |run: &&&RunRecord| against != Against::Previous || used.contains_key(run.run.as_str());
        change.runs = before.iter().filter(is_used).map(|run| run.run.clone()).collect();
        if change.runs.is_empty() {
            change.runs = before.last().map(|run| run.run.clone()).into_iter().collect();
        }
        let mostly = used.iter().find(|(_, cases)| 2 * **cases > change.cases.len());
        change.mostly = mostly.map(|(run, _)| (*run).to_owned());
        change.questions = questions.iter().map(Question::asked).collect::<BTreeSet<_>>().len();
        change.bunches = bunches(&questions);
        change.bunched = change.bunches.iter().map(|bunch| bunch.cases.len()).sum();
        change.test();
        change
    }

    /// Counts a case that cannot be compared.
    fn lose(&mut self, case: &CaseRecord) {
        self.left_out += case.counts.trials;
        self.lost_cases += 1;
    }

    /// Adds a case that is compared.
    fn add(&mut self, (suite, case): (&str, &CaseRecord), sides: Sides<'_>) {
        let Sides { before, after, pieces, lines } = sides;
        self.other_setup += usize::from(lines.iter().any(|(_, same)| same.setup != case.setup));
        self.episodes.0 += before.scored;
        self.episodes.1 += after.scored;
        let p = stratified(&[(before, after)]).map_or(1.0, |found| found.test.p);
        let is_told = self.against != Against::Earlier;
        let [then, today] = pieces.map(|pieces| {
            let runs: BTreeSet<&str> = pieces.iter().filter(|_| is_told).map(|((run, _), _)| *run).collect();
            runs.into_iter().map(str::to_owned).collect()
        });
        self.cases.push(CaseChange {
            suite: suite.to_owned(),
            case: case.case.clone(),
            before,
            after,
            p,
            p_adjusted: p,
            payers: (then, today),
        });
    }

    /// Tests what is compared: all cases together, each suite, each case.
    fn test(&mut self) {
        self.found = stratified_in(&self.strata(|_| true));
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
            if let Some(found) = stratified_in(&self.strata(|case| case.suite == *suite)) {
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

    /// The cases that are meant, those together that are taken together.
    fn strata(&self, is_meant: impl Fn(&CaseChange) -> bool) -> Vec<Stratum> {
        let pair = |at: usize| (self.cases[at].before, self.cases[at].after);
        let bunched: BTreeSet<usize> =
            self.bunches.iter().flat_map(|bunch| bunch.cases.iter().copied()).collect();
        let alone = (0..self.cases.len()).filter(|at| !bunched.contains(at) && is_meant(&self.cases[*at]));
        let alone = alone.map(|at| Stratum::alone(pair(at).0, pair(at).1));
        let together = self.bunches.iter().filter(|bunch| is_meant(&self.cases[bunch.cases[0]]));
        let together = together.map(|bunch| {
            let [before, after] = bunch.units.clone();
            Stratum::of(bunch.cases.iter().map(|at| pair(*at)).collect(), before, after)
        });
        alone.chain(together).collect()
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

    /// Whether most episodes, or most cases, could not be compared: a case that is driven fifty times is still one. Those that stand on
    /// the other side, or have no score there, are no matter.
    pub fn is_partial(&self) -> bool {
        self.left_out > self.known || self.lost_cases > self.known_cases
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

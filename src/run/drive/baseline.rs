//! Tests whether an agent does worse than in an earlier run.

use std::collections::BTreeMap;
use std::path::Path;

use super::DriveError;
use super::passes::{self, EpisodeResult, OfAgents, Passes, Unscored};
use crate::read::{Selection, Table, Understanding};
use crate::run::RunError;
use crate::stats::{Measure, Paired, difference, mcnemar_exact};

/// One agent against the episodes of an earlier run, case by case.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineComparison {
    /// The agent.
    pub agent: String,
    /// Episodes that both runs scored, and their cases.
    pub episodes: u64,
    /// Cases of these episodes.
    pub cases: usize,
    /// Episodes that only one of the runs scored; they are left out.
    pub unpaired: u64,
    /// Episodes whose case expected something else then; they are left out too, whether they have a score now or none.
    pub changed: u64,
    /// Of the episodes that were driven now, those that are compared with none: they have a score now and none then, or their case expects
    /// something else now.
    pub left_out: u64,
    /// Episodes that had a score then, were driven again and have none now.
    pub lost: u64,
    /// Of these, those that passed then.
    pub lost_passed: u64,
    /// Episodes that passed then and do not now.
    pub broken: u64,
    /// Their cases; `suite/case` where there are several suites.
    pub broken_cases: Vec<String>,
    /// Episodes that pass now and did not then.
    pub mended: u64,
    /// The share of these episodes that passed then, and the share that passes now; 0 where there are none.
    pub shares: (f64, f64),
    /// The probability of a difference at least as large by chance, two-sided: McNemar's exact test over episodes. It is about these
    /// cases, not about others like them.
    pub p: f64,
}

/// The level of the test.
const LEVEL: f64 = 0.05;
/// The fewest episodes that differ with which the test can show anything.
const TESTABLE: u64 = 6;
/// A fall of the share that passes, in episodes, that counts where fewer differ, and one that counts whatever the test can show.
const FALLS: (f64, f64) = (0.05, 0.2);

impl BaselineComparison {
    /// Whether the agent does worse now: beyond chance, or by much where a test could hardly show it.
    pub fn is_worse(&self) -> bool {
        let lost = self.broken.saturating_sub(self.mended) as f64;
        let fall = if self.is_untestable() { FALLS.0 } else { FALLS.1 };
        lost > 0.0 && (self.p < LEVEL || lost >= fall * self.episodes as f64 - 1e-9)
    }

    /// Whether too few episodes differ for the test to show anything.
    pub fn is_untestable(&self) -> bool {
        self.broken + self.mended < TESTABLE
    }

    /// Whether at least half of the episodes are compared with none, or have no score any more: the earlier run says little of this one.
    pub fn is_partial(&self) -> bool {
        self.left_out + self.lost >= self.episodes && self.left_out + self.lost > 0
    }

    /// Whether the agent is far worse if episodes that passed then and have no score now count as failed. What little is missing is left to
    /// the share of episodes that may lack a score.
    pub fn is_worse_by_lost(&self) -> bool {
        let fallen = (self.broken + self.lost_passed).saturating_sub(self.mended) as f64;
        self.lost_passed > 0 && fallen >= FALLS.1 * (self.episodes + self.lost) as f64 - 1e-9
    }

    /// The share that passed then of the episodes that had a score then, and the share that passes now, those without a score
    /// taken as failed.
    pub fn shares_with_lost(&self) -> (f64, f64) {
        let (then, now) = (self.shares.0 * self.episodes as f64, self.shares.1 * self.episodes as f64);
        let all = (self.episodes + self.lost).max(1) as f64;
        ((then + self.lost_passed as f64) / all, now / all)
    }
}

/// The episodes of an earlier run, of which each of `agents` can be compared with some.
///
/// # Errors
/// If the file cannot be read, is no table of episodes, or has several agents, none of which is the one that is compared.
pub(super) fn read<'a>(path: &Path, agents: impl Iterator<Item = &'a str>) -> Result<OfAgents, RunError> {
    let inputs = [path.display().to_string()];
    let understanding = Understanding { format: None, logs: None };
    let table = Table::open_with(&inputs, &[], understanding, Selection::default())?;
    let wrong = |why: String| RunError::from(DriveError::Baseline { path: path.to_owned(), why });
    if let Some(missing) = passes::missing(&table) {
        return Err(wrong(format!("it has no column `{missing}`: give it a table that `drive -o` wrote")));
    }
    let found = passes::read(&table, &wrong)?;
    for agent in agents {
        of(path, agent, &found)?;
    }
    Ok(found)
}

/// What the earlier run says of the same agent, or of its only one.
fn of<'a>(path: &Path, agent: &str, before: &'a OfAgents) -> Result<&'a Passes, DriveError> {
    let before: Vec<&(String, Passes)> = before.iter().filter(|(_, passes)| !passes.is_empty()).collect();
    let only = || before.first().filter(|_| before.len() == 1);
    let found = before.iter().find(|(name, _)| name == agent).or_else(only);
    found.map(|(_, passes)| passes).ok_or_else(|| {
        let names = before.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let why = match names.is_empty() {
            true => "none of its episodes has a score".to_owned(),
            false => format!("it has several agents, and none is named {agent}: {names}"),
        };
        DriveError::Baseline { path: path.to_owned(), why }
    })
}

/// `now` against what the earlier run says of the same agent, or of its only one. Those that were driven and have no score are
/// `unscored`, each with what was expected of it.
///
/// # Errors
/// If the earlier run has no score of any episode that was driven now.
pub(super) fn compare(
    path: &Path,
    agent: &str,
    (now, unscored): (&Passes, &Unscored),
    before: &OfAgents,
) -> Result<BaselineComparison, DriveError> {
    let before = of(path, agent, before)?;
    let mut cases: BTreeMap<(&str, &str), Paired> = BTreeMap::new();
    let (mut broken, mut mended, mut paired, mut changed) = (0, 0, 0, 0);
    let mut broken_cases = Vec::new();
    let is_of_several =
        now.keys().any(|(suite, ..)| now.keys().next().is_some_and(|(first, ..)| first != suite));
    for ((suite, case, repeat), EpisodeResult { passed: passes, rules }) in now {
        let Some(then) = before.get(&(suite.clone(), case.clone(), *repeat)) else { continue };
        // Held to something else, an episode says nothing of the agent.
        if then.rules != *rules {
            changed += 1;
            continue;
        }
        let passed = then.passed;
        paired += 1;
        broken += u64::from(passed && !passes);
        mended += u64::from(!passed && *passes);
        let name = if is_of_several { format!("{suite}/{case}") } else { case.clone() };
        if passed && !passes && !broken_cases.contains(&name) {
            broken_cases.push(name);
        }
        cases.entry((suite, case)).or_default().add(true, Some(passed), Some(*passes));
    }
    let without = unscored.iter().filter_map(|(key, rules)| Some((before.get(key)?, *rules)));
    // Without a score, too, it is the case that is another, not the agent.
    let (lost, others): (Vec<_>, Vec<_>) = without.partition(|(then, rules)| then.rules == *rules);
    let lost: Vec<&EpisodeResult> = lost.into_iter().map(|(then, _)| then).collect();
    let of_both = paired + changed;
    changed += others.len() as u64;
    if paired == 0 && lost.is_empty() {
        let why = match changed {
            0 => "no episode of it has the suite, case and repeat of one that was scored now".to_owned(),
            _ => "its cases expected something else, or had another threshold: make a new one".to_owned(),
        };
        return Err(DriveError::Baseline { path: path.to_owned(), why });
    }
    let clusters: Vec<Paired> = cases.into_values().collect();
    let found = difference(Measure::Accuracy, &clusters);
    let shares = found.filter(|_| paired > 0).map_or((0.0, 0.0), |found| (found.a, found.b));
    Ok(BaselineComparison {
        agent: agent.to_owned(),
        episodes: paired,
        cases: clusters.len(),
        unpaired: (now.len() + before.len() - others.len()) as u64 - 2 * of_both,
        changed,
        left_out: (now.len() + others.len()) as u64 - paired,
        lost: lost.len() as u64,
        lost_passed: lost.iter().filter(|then| then.passed).count() as u64,
        broken,
        broken_cases,
        mended,
        shares,
        p: mcnemar_exact(broken, mended),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(episodes: u64, broken: u64, mended: u64) -> BaselineComparison {
        BaselineComparison {
            agent: String::new(),
            episodes,
            cases: 0,
            unpaired: 0,
            changed: 0,
            left_out: 0,
            lost: 0,
            lost_passed: 0,
            broken,
            broken_cases: Vec::new(),
            mended,
            shares: (0.0, 0.0),
            p: mcnemar_exact(broken, mended),
        }
    }

    #[test]
    fn what_is_worse() {
        for (episodes, broken, mended, is_worse) in [
            (12, 5, 0, true),
            (12, 6, 1, true),
            (12, 2, 2, false),
            (12, 0, 5, false),
            (100, 4, 0, false),
            (100, 5, 0, true),
            (100, 6, 0, true),
            (100, 12, 8, false),
            (100, 30, 11, true),
        ] {
            assert_eq!(
                compared(episodes, broken, mended).is_worse(),
                is_worse,
                "{episodes} {broken} {mended}"
            );
        }
    }

    #[test]
    fn what_has_no_score_any_more_and_what_is_new() {
        // Episodes in both runs, compared with none, lost; of the lost those that passed; broken, mended.
        for (episodes, left_out, lost, lost_passed, broken, mended, is_partial, is_worse_by_lost) in [
            (1, 0, 9, 9, 0, 0, true, true),
            (0, 0, 10, 10, 0, 0, true, true),
            (0, 0, 10, 0, 0, 0, true, false),
            (24, 24, 0, 0, 0, 0, true, false),
            (25, 24, 0, 0, 0, 0, false, false),
            (24, 12, 12, 0, 0, 0, true, false),
            (10, 0, 0, 0, 0, 0, false, false),
            (9, 0, 1, 1, 0, 0, false, false),
            (8, 0, 2, 2, 0, 0, false, true),
            (8, 0, 2, 2, 0, 1, false, false),
            (8, 0, 2, 1, 1, 0, false, true),
            (8, 0, 2, 0, 2, 0, false, false),
        ] {
            let found =
                BaselineComparison { left_out, lost, lost_passed, ..compared(episodes, broken, mended) };
            assert_eq!(
                (found.is_partial(), found.is_worse_by_lost()),
                (is_partial, is_worse_by_lost),
                "{episodes} in both, {left_out} left out, {lost} lost"
            );
        }
    }
}

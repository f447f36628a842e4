//! With which earlier runs the last one is compared, and what it lacks of them.

use std::collections::BTreeSet;

use super::change::{Against, Change};
use super::ledger::Ledger;
use super::record::{CaseRecord, RunRecord, SuiteRecord};

/// The last of `runs` against those before it: each case against the newest run that has evidence on it that is not the last run's
/// too, and against all of them together; or against the run that `baseline` names. So neither a run of few cases nor one that only
/// repeats stored replies hides what was known before it.
pub(super) fn changes(runs: &[RunRecord], baseline: Option<&str>) -> Vec<Change> {
    let Some((now, earlier)) = runs.split_last() else { return Vec::new() };
    let ledger = Ledger::of(runs);
    if let Some(name) = baseline {
        let Some(named) = earlier.iter().find(|run| run.run == name) else { return Vec::new() };
        let known = names(now);
        let gone = named.cases().filter(|(suite, case)| !known.contains(&(*suite, case.case.as_str())));
        let gone: Vec<&CaseRecord> = gone.map(|(_, case)| case).collect();
        let mut found = [Change::of(now, (&[named], &gone), &ledger, Against::Baseline)];
        Change::correct(&mut found);
        return found.into();
    }
    let before = others(&ledger, now, earlier);
    if before.is_empty() {
        return Vec::new();
    }
    let gone = gone(now, &before);
    let previous = Change::of(now, (&before, &gone), &ledger, Against::Previous);
    let earlier = (before.len() > 1).then(|| Change::of(now, (&before, &gone), &ledger, Against::Earlier));
    // The same comparison twice would only make its correction stricter.
    let earlier = earlier.filter(|earlier| !earlier.is_like(&previous));
    let mut found: Vec<Change> = [Some(previous), earlier].into_iter().flatten().collect();
    Change::correct(&mut found);
    found
}

/// The run with which most of the last one is compared, if that one could itself be compared in part only: what it changed nobody has judged.
pub(super) fn unjudged(runs: &[RunRecord], changes: &[Change]) -> Option<String> {
    let previous =
        changes.iter().find(|change| change.against == Against::Previous && change.found.is_some())?;
    let most = runs.iter().position(|run| Some(&run.run) == previous.mostly.as_ref())?;
    let before = self::changes(&runs[..=most], None);
    let is_partial = |changes: &[Change]| !changes.is_empty() && changes.iter().all(Change::is_partial);
    (is_partial(&before) && !is_partial(changes)).then(|| runs[most].run.clone())
}

/// The suites of which the newest run did not ask all it should, with that run. A run of chosen cases finishes only another such run.
pub(super) fn unfinished(runs: &[RunRecord]) -> Vec<(String, String)> {
    let (mut done, mut chosen, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for run in runs.iter().rev() {
        for SuiteRecord { suite, .. } in &run.suites {
            match (run.incomplete, run.selected) {
                (false, false) => _ = done.insert(suite),
                (false, true) => _ = chosen.insert(suite),
                (true, true) if chosen.contains(suite) => {}
                // Of a suite that was stopped several times, only the last is told.
                (true, _) if done.insert(suite) => found.push((suite.clone(), run.run.clone())),
                (true, _) => {}
            }
        }
    }
    found
}

/// The runs before `now`, but those of which it has all evidence: they are `now`, not before it. Where that leaves none, all of them.
fn others<'a>(ledger: &Ledger<'a>, now: &'a RunRecord, earlier: &'a [RunRecord]) -> Vec<&'a RunRecord> {
    let others: Vec<&RunRecord> = earlier.iter().filter(|run| !ledger.is_within(run, now)).collect();
    if others.is_empty() { earlier.iter().collect() } else { others }
}

/// The cases that `now` lacks, of the newest run of its suites that drove all cases of them; or of that which drove most, where each
/// was of chosen ones. A suite of which all cases were driven by themselves since is not lacking.
fn gone<'a>(now: &RunRecord, before: &[&'a RunRecord]) -> Vec<&'a CaseRecord> {
    let has = |run: &RunRecord, suite: &str| run.suites.iter().any(|own| own.suite == suite);
    let is_near = |run: &RunRecord| run.suites.iter().any(|suite| has(now, &suite.suite));
    let near = || (0..before.len()).filter(|at| is_near(before[*at]));
    let whole = near().rfind(|at| !before[*at].selected);
    let Some(at) = whole.or_else(|| near().max_by_key(|at| before[*at].cases().count())) else {
        return Vec::new();
    };
    let is_lacking = |suite: &str| {
        has(now, suite) || !before[at + 1..].iter().any(|since| !since.selected && has(since, suite))
    };
    let known = names(now);
    let all = before[at].cases().filter(|(suite, _)| is_lacking(suite));
    all.filter(|(suite, case)| !known.contains(&(*suite, case.case.as_str()))).map(|(_, case)| case).collect()
}

fn names(run: &RunRecord) -> BTreeSet<(&str, &str)> {
    run.cases().map(|(suite, case)| (suite, case.case.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::trend::tests::{only, run, shown, told};
    use super::*;

    /// Runs as `told` reads them; one with a `~` before it is of chosen cases, one with a `!` has not asked all.
    fn runs(text: &str) -> Vec<RunRecord> {
        let each = text.split('|').map(|text| {
            let mut run = told(text.trim_start_matches(['~', '!']));
            run.selected = text.starts_with('~');
            run.incomplete = text.starts_with('!');
            run
        });
        each.collect()
    }

    #[test]
    fn a_run_of_few_cases_hides_nothing() {
        for (why, text, expected) in [
            (
                "one case of many nights, half of which was bad, is driven once more before the fall",
                "1 12*f/-|2 12*f/-|3 12*f/-|4 12*p/-|~5 1*p/-|6 12*f/-",
                "4+5: worse 12>12; all: even 49>12",
            ),
            (
                "a case of a failed run again",
                "1 12*p/-|2 12*f/-|~3 1*f/-",
                "2: too few 1>1, in part; all: too few 2>1, in part",
            ),
            (
                "the same twice",
                "1 12*p/-|~2 1*p/-|~3 1*p/-",
                "2: too few 1>1, in part; all: too few 2>1, in part",
            ),
            (
                "all of them were of chosen cases",
                "~1 9*p/-|~2 1*p/-|~3 1*p/-",
                "2: too few 1>1, in part; all: too few 2>1, in part",
            ),
            (
                "one case that is driven often",
                "1 12*p/-|~2 1*pppppppppppppppppppp/--------------------|~3 1*pppppppppppppppppppp/--------------------",
                "2: even 20>20, in part; all: even 21>20, in part",
            ),
            (
                "the suite itself is smaller now",
                "1 12*p/-|2 1*p/-|3 1*p/-",
                "2: too few 1>1; all: too few 2>1",
            ),
        ] {
            assert_eq!(shown(&only(runs(text))), expected, "{why}");
        }
    }

    #[test]
    fn evidence_is_what_was_paid_for_and_not_what_is_looked_at() {
        for (why, text, expected) in [
            ("fewer repeats than before", "1 12*p/-|2 12*pfff/----|3 12*p/2", "1: worse 12>48"),
            ("as many", "1 12*p/-|2 12*pfff/----", "1: worse 12>48"),
            ("of the run before", "1 12*ppff/----|2 12*p/1|3 12*ppff/----", "2: even 48>48"),
            ("bought one after the other", "1 12*p/-|2 12*p/-|3 12*pf/2-|4 12*p/2", "1: worse 12>24"),
            ("of one version only", "1 12*p/-|2 12*pf/1-|3 12*p/1", "1: worse 12>12"),
            ("all of it stored", "1 12*p/-|2 12*p/-|3 12*p/2", "1: even 12>12"),
        ] {
            assert_eq!(shown(&only(runs(text))), expected, "{why}");
        }
    }

    #[test]
    fn a_crash_is_told_and_hides_nothing() {
        let again = |text: &str| {
            let mut run = told(text);
            for case in &mut run.suites[0].cases[8..] {
                case.evidence.crashed_in("1");
            }
            assert_eq!(run.wrong(), None);
            run
        };
        let (first, retried) = (told("1 8*p/- 4*f/-"), again("2 8*p/1 4*p/-"));
        let fallen = only(vec![first.clone(), retried.clone(), told("3 12*f/-")]);
        assert_eq!(shown(&fallen), "2: worse 12>12; all: worse 16>12");
        assert!((fallen.changes[0].found.unwrap().before - 1.0).abs() < 1e-9, "what was driven again counts");
        let found = only(vec![told("0 12*p/-"), first, retried]);
        assert_eq!(found.changes[0].crashed, 4);
        assert!((found.changes[0].found.unwrap().after - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_failed_in_part_fails_again_or_is_named() {
        let other = |text: &str| {
            let mut run = told(text);
            run.suites[0].cases.iter_mut().for_each(|case| case.asked += "*");
            run
        };
        let (old, new) = (told("1 12*p/-"), other("2 12*f/-"));
        let found = only(vec![old.clone(), new.clone()]);
        assert_eq!((shown(&found), found.unjudged), ("1: nothing 0>0, in part".to_owned(), None));
        let again = only(vec![old.clone(), new.clone(), other("3 12*f/2")]);
        assert_eq!((shown(&again), again.unjudged), ("1: nothing 0>0, in part".to_owned(), None));
        let anew = only(vec![old, new, other("3 12*f/-")]);
        assert_eq!((shown(&anew).as_str(), anew.unjudged.as_deref()), ("2: even 12>12", Some("2")));
        // A run of one case hides nothing, so nothing of it has to be judged.
        let few = only(runs("1 12*p/-|~2 1*p/-|3 12*p/-"));
        assert_eq!((shown(&few).as_str(), few.unjudged), ("1+2: even 12>12; all: even 13>12", None));
    }

    #[test]
    fn a_suite_that_is_not_finished_stays_so_until_it_is() {
        let of = |number: &str, suites: &[&str], incomplete: bool| {
            let mut record = run(number, "a", &[]);
            let of_suite = |suite: &&str| {
                let own = run(number, "a", &[("x", 1, 1)]).suites.remove(0);
                SuiteRecord { suite: (*suite).to_owned(), ..own }
            };
            record.suites = suites.iter().map(of_suite).collect();
            record.incomplete = incomplete;
            record
        };
        let open = |runs: Vec<RunRecord>| only(runs).unfinished;
        let told = |suite: &str, run: &str| vec![(suite.to_owned(), run.to_owned())];
        assert_eq!(open(vec![of("1", &["s"], true), of("2", &["t"], false)]), told("s", "1"));
        assert_eq!(open(vec![of("1", &["s", "t"], true), of("2", &["t"], false)]), told("s", "1"));
        assert_eq!(open(vec![of("1", &["s"], false), of("2", &["t"], true)]), told("t", "2"));
        assert_eq!(open(vec![of("1", &["s"], true), of("2", &["t"], false), of("3", &["s"], false)]), []);
        assert_eq!(open(vec![of("1", &["s"], true), of("2", &["s"], true)]), told("s", "2"));
        let chosen = |record: RunRecord| RunRecord { selected: true, ..record };
        assert_eq!(open(vec![of("1", &["s"], true), chosen(of("2", &["s"], false))]), told("s", "1"));
        assert_eq!(open(vec![chosen(of("1", &["s"], true)), chosen(of("2", &["s"], false))]), []);
        assert_eq!(open(vec![chosen(of("1", &["s"], true)), of("2", &["s"], false)]), []);
        let twice =
            vec![of("1", &["s"], true), chosen(of("2", &["s"], true)), chosen(of("3", &["s"], false))];
        assert_eq!(open(twice), told("s", "1"));
    }
}

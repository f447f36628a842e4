//! The runs of each agent in order, and how the last one differs from those before.

use std::collections::{BTreeMap, BTreeSet};

use super::before::{changes, unfinished, unjudged};
use super::change::Change;
use super::order::ordered;
use super::record::RunRecord;

/// One agent over time.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentTrend {
    /// Its name.
    pub agent: String,
    /// Its runs, the newest last.
    pub runs: Vec<RunRecord>,
    /// The newest run of its suites, if they are driven without it since.
    pub gone: Option<String>,
    /// How the last run differs from others; empty where there is no other.
    pub changes: Vec<Change>,
    /// Suites whose newest run did not ask all it should, with that run.
    pub unfinished: Vec<(String, String)>,
    /// The run with which the last one is compared, if that one could itself be compared in part only.
    pub unjudged: Option<String>,
    /// What differs between runs beside the agent, in words.
    pub differs: Vec<&'static str>,
}

/// Why there is no trend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTrend {
    /// Two records of one run.
    #[error("the run {run} of {agent} is recorded twice, with different results")]
    Contradiction {
        /// The run.
        run: String,
        /// The agent.
        agent: String,
    },
    /// A run that is none.
    #[error("no run is named `{0}`{1}")]
    NoBaseline(String, String),
    /// Part of an id that several runs have in common.
    #[error("several runs begin with `{name}`: {}", runs.join(", "))]
    Ambiguous {
        /// What was given.
        name: String,
        /// The runs.
        runs: Vec<String>,
    },
}

/// The agents of all records, file by file, each with the newest run last. Each case of the last one is compared with the newest run
/// before it that has evidence of its own on the case, and with all before it taken together; or with the run whose id begins with
/// `baseline`. A record that is there twice counts once.
///
/// # Errors
/// If two records contradict each other, or no run or several are the baseline.
pub fn trends(files: Vec<Vec<RunRecord>>, baseline: Option<&str>) -> Result<Vec<AgentTrend>, NoTrend> {
    let mut records: Vec<RunRecord> = Vec::new();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    for record in ordered(files) {
        match known.get(&(record.agent.clone(), record.run.clone())) {
            Some(at) if records[*at] == record => {}
            Some(_) => return Err(NoTrend::Contradiction { run: record.run, agent: record.agent }),
            None => {
                known.insert((record.agent.clone(), record.run.clone()), records.len());
                records.push(record);
            }
        }
    }
    let mut names: Vec<String> = Vec::new();
    for record in &records {
        if !names.contains(&record.agent) {
            names.push(record.agent.clone());
        }
    }
    let gone: Vec<Option<String>> = names.iter().map(|name| gone(name, &records)).collect();
    let mut found: Vec<AgentTrend> = names
        .into_iter()
        .zip(gone)
        .map(|(agent, gone)| AgentTrend {
            agent,
            runs: Vec::new(),
            gone,
            changes: Vec::new(),
            unfinished: Vec::new(),
            unjudged: None,
            differs: Vec::new(),
        })
        .collect();
    for record in records {
        if let Some(agent) = found.iter_mut().find(|known| known.agent == record.agent) {
            agent.runs.push(record);
        }
    }
    let baseline = baseline.map(|name| named(&found, name)).transpose()?;
    for agent in &mut found {
        agent.changes = changes(&agent.runs, baseline.as_deref());
        agent.unfinished = unfinished(&agent.runs);
        agent.unjudged = unjudged(&agent.runs, &agent.changes);
        agent.differs = differences(&agent.runs);
    }
    Ok(found)
}

/// How often another agent is driven through the same suites without one before that one counts as gone. Twice: agents may be driven
/// one after the other, each in a run of its own.
const MISSED: usize = 2;

/// The newest run of the suites of an agent's last run, if another agent has been driven through each of them since, and again.
fn gone(agent: &str, records: &[RunRecord]) -> Option<String> {
    let last = records.iter().rposition(|record| record.agent == agent)?;
    let of_suite = |suite: &str| {
        let mut others: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let since = records[last..].iter().filter(|record| record.run != records[last].run);
        for record in since.filter(|record| record.suites.iter().any(|other| other.suite == suite)) {
            others.entry(&record.agent).or_default().insert(&record.run);
        }
        others.values().any(|runs| runs.len() >= MISSED)
    };
    let is_gone = records[last].suites.iter().all(|suite| of_suite(&suite.suite));
    let newest = |record: &&RunRecord| {
        record.suites.iter().any(|suite| records[last].suites.iter().any(|own| own.suite == suite.suite))
    };
    is_gone.then(|| records.iter().rfind(newest).map(|record| record.run.clone())).flatten()
}

/// The id of the only run that begins so.
fn named(agents: &[AgentTrend], name: &str) -> Result<String, NoTrend> {
    let mut runs: Vec<&String> = agents.iter().flat_map(|agent| &agent.runs).map(|run| &run.run).collect();
    runs.sort_unstable();
    runs.dedup();
    if let Some(whole) = runs.iter().find(|run| **run == name) {
        return Ok((*whole).clone());
    }
    let near: Vec<&String> = runs.iter().copied().filter(|run| run.starts_with(name)).collect();
    match near[..] {
        [one] if !name.is_empty() => Ok(one.clone()),
        [] | [_] => {
            let last = runs.last().map(|run| format!("; the last one is {run}")).unwrap_or_default();
            Err(NoTrend::NoBaseline(name.to_owned(), last))
        }
        _ => Err(NoTrend::Ambiguous {
            name: name.to_owned(),
            runs: near.into_iter().take(5).cloned().collect(),
        }),
    }
}

/// What may differ: its name, and what a run says of it.
type Fact<'a> = (&'static str, &'a dyn Fn(&RunRecord) -> String);

/// What differs between runs beside the agent.
fn differences(runs: &[RunRecord]) -> Vec<&'static str> {
    let differs = |of: &dyn Fn(&RunRecord) -> String| {
        let mut values = runs.iter().map(of);
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let asked = |run: &RunRecord| {
        run.suites
            .iter()
            .map(|suite| format!("{} {}", suite.suite, suite.asked))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let facts: [Fact<'_>; 5] = [
        ("the version of tooljudge", &|run| run.version.clone()),
        ("the cases of the suite", &asked),
        ("the scorer", &|run| run.scorer.clone()),
        ("the judge that grades", &|run| run.graded_by.clone().unwrap_or_default()),
        ("the number of repeats", &|run| run.repeats.to_string()),
    ];
    facts.into_iter().filter(|(_, of)| differs(of)).map(|(name, _)| name).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::super::change::{Against, Verdict};
    use super::super::evidence::{Evidence, Outcome};
    use super::super::record::{CaseRecord, Counts, SuiteRecord};
    use super::*;

    /// A run at the minute of its number: cases with what passed, and of how many tries. A case whose name has a `*` asks something else.
    pub fn run(number: &str, agent: &str, cases: &[(&str, u64, u64)]) -> RunRecord {
        let case = |(case, passed, trials): &(&str, u64, u64)| CaseRecord {
            case: case.trim_end_matches('*').to_owned(),
            asked: (*case).to_owned(),
            setup: "s".to_owned(),
            question: String::new(),
            counts: Counts { trials: *trials, passed: *passed, failed: trials - passed, ..Counts::default() },
            evidence: (0..*trials).fold(Evidence::default(), |mut sum, at| {
                sum.push(if at < *passed { Outcome::Passed } else { Outcome::Failed }, None, false);
                sum
            }),
        };
        let cases: Vec<CaseRecord> = cases.iter().map(case).collect();
        let mut counts = Counts::default();
        cases.iter().for_each(|case| counts.add(case.counts));
        let asked = cases.iter().map(|case| case.asked.as_str()).collect();
        RunRecord {
            time: format!("2026-11-27T00:{number:0>2}:00Z"),
            run: number.to_owned(),
            version: "0.1.0".to_owned(),
            agent: agent.to_owned(),
            agent_version: None,
            model: None,
            experiment: None,
            tags: BTreeMap::new(),
            scorer: "tool_evaluator".to_owned(),
            graded_by: None,
            repeats: 1,
            incomplete: false,
            selected: false,
            suites: vec![SuiteRecord { suite: "s".to_owned(), asked, counts, cases }],
        }
    }

    pub fn only(records: Vec<RunRecord>) -> AgentTrend {
        let mut found = trends(vec![records], None).unwrap();
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn the_last_run_is_compared_with_the_one_before_and_with_all() {
        // In files of their own, in no order: time decides.
        let cases = |passed: u64| [("x", passed, 10), ("y", 10, 10)];
        let files =
            [("3", 1), ("1", 9), ("2", 9)].map(|(number, passed)| vec![run(number, "a", &cases(passed))]);
        let found = trends(files.to_vec(), None).unwrap().remove(0);
        let order: Vec<&str> = found.runs.iter().map(|run| run.run.as_str()).collect();
        assert_eq!(order, ["1", "2", "3"]);
        let [previous, earlier] = &found.changes[..] else { panic!("{:?}", found.changes) };
        assert_eq!((previous.against, previous.episodes), (Against::Previous, (20, 20)));
        assert_eq!((earlier.against, earlier.episodes), (Against::Earlier, (40, 20)));
        for change in [previous, earlier] {
            assert_eq!(change.verdict(), Some(Verdict::Worse), "{change:?}");
            assert!((change.drop().unwrap() - 0.4).abs() < 1e-9);
            assert_eq!(change.shown().map(|case| case.case.as_str()).collect::<Vec<_>>(), ["x"]);
            assert!(change.p_adjusted >= change.found.unwrap().test.p);
        }
        assert_eq!(found.differs, Vec::<&str>::new());
    }

    #[test]
    fn what_cannot_be_compared_is_counted() {
        let found = only(vec![
            run("1", "a", &[("same", 1, 1), ("changed", 1, 1), ("gone", 1, 1), ("silent", 0, 0)]),
            run("2", "a", &[("same", 0, 1), ("changed*", 0, 1), ("new", 1, 1), ("silent", 1, 1)]),
        ]);
        let change = &found.changes[0];
        assert_eq!(
            (change.cases.len(), change.changed, change.added, change.removed, change.unscored),
            (1, 1, 1, 1, 1)
        );
        assert_eq!((change.left_out, change.is_partial()), (3, true), "with the one that is gone");
        assert_eq!(change.verdict(), Some(Verdict::Untestable));
        assert_eq!(found.differs, ["the cases of the suite"]);
        let nothing = only(vec![run("1", "a", &[("x", 1, 1)]), run("2", "a", &[("x*", 1, 1)])]);
        assert_eq!((nothing.changes[0].verdict(), nothing.changes[0].drop()), (None, None));
        assert_eq!(only(vec![run("1", "a", &[("x", 1, 1)])]).changes, []);
    }

    /// A run as `3 1*f/- 11*ff/2-`: its number, then so many cases, with a letter for each repeat (a capital one for replies that another
    /// case shares) and who paid for it, where `-` is the run itself.
    pub fn told(text: &str) -> RunRecord {
        let mut words = text.split(' ');
        let mut record = run(words.next().unwrap(), "a", &[]);
        let suite = &mut record.suites[0];
        for group in words {
            let (cases, episodes) = group.split_once('*').unwrap();
            let (letters, payers) = episodes.split_once('/').unwrap();
            for _ in 0..cases.parse().unwrap() {
                let (mut evidence, mut counts) = (Evidence::default(), Counts::default());
                for (letter, payer) in letters.chars().zip(payers.chars().map(|payer| payer.to_string())) {
                    let outcome = match letter.to_ascii_lowercase() {
                        'p' => Outcome::Passed,
                        'f' => Outcome::Failed,
                        'u' => Outcome::Ungraded,
                        _ => Outcome::Error,
                    };
                    counts.add_one(outcome);
                    evidence.push(
                        outcome,
                        Some(payer.as_str()).filter(|payer| *payer != "-"),
                        letter.is_uppercase(),
                    );
                }
                let case = format!("c{}", suite.cases.len());
                suite.counts.add(counts);
                let (asked, setup, question) = (case.clone(), "s".to_owned(), String::new());
                suite.cases.push(CaseRecord { case, asked, setup, question, counts, evidence });
            }
        }
        assert_eq!(record.wrong(), None);
        record
    }

    /// What the last run is compared with, what is shown, and on how many episodes.
    pub fn shown(agent: &AgentTrend) -> String {
        let change = |change: &Change| {
            let with = match (change.against, &change.runs[..]) {
                (Against::Earlier, _) => "all".to_owned(),
                (_, runs) => runs.join("+"),
            };
            let verdict = match change.verdict() {
                Some(Verdict::Worse) => "worse",
                Some(Verdict::Better) => "better",
                Some(Verdict::Undecided) => "even",
                Some(Verdict::Untestable) => "too few",
                None => "nothing",
            };
            let partial = if change.is_partial() { ", in part" } else { "" };
            format!("{with}: {verdict} {}>{}{partial}", change.episodes.0, change.episodes.1)
        };
        agent.changes.iter().map(change).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn evidence_counts_once_by_who_paid_for_it() {
        for (why, runs, expected) in [
            ("all fail before their first turn, asked anew", "1 12*p/-|2 12*f/-", "1: worse 12>12"),
            ("new repeats beside stored ones", "1 12*p/-|2 12*pf/1-", "1: worse 12>12"),
            (
                "a failed run again, with one episode anew",
                "1 12*p/-|2 12*f/-|3 1*f/- 11*f/2",
                "1+2: worse 12>12; all: worse 13>12",
            ),
            ("the same, of six cases", "1 6*p/-|2 6*f/-|3 1*f/- 5*f/2", "1+2: too few 6>6; all: worse 7>6"),
            (
                "the same, with one that had no score",
                "1 12*p/-|2 1*e/- 11*f/-|3 1*f/- 11*f/2",
                "1: worse 12>12",
            ),
            ("back to a bad version", "1 12*f/-|2 12*p/-|3 12*f/1", "2: worse 12>12"),
            ("back to a good version", "1 12*p/-|2 12*f/-|3 12*p/1", "2: better 12>12"),
            (
                "back, with one episode anew",
                "1 12*f/-|2 12*p/-|3 1*f/- 11*f/1",
                "2: worse 12>12; all: worse 13>12",
            ),
            ("a failed run again, all of it stored", "1 12*p/-|2 12*f/-|3 12*f/2", "1: worse 12>12"),
            ("killed behind its line, and gone on with", "1 12*p/-|2 12*p/1", "1: nothing 0>0"),
            ("gone on with twice", "1 2*p/0|2 2*p/0 10*p/-|3 12*f/-", "2: worse 12>12"),
            ("repeats of a run that was not recorded", "1 12*p/-|2 12*pfff/1999", "1: worse 12>36"),
            ("graded only when asked again", "1 12*u/-|2 12*p/1|3 12*f/-", "2: worse 12>12"),
            ("graded once, and not the next time", "1 12*p/-|2 12*u/1|3 12*f/-", "1: worse 12>12"),
            (
                "a run that used the replies of one that ended later",
                "1 6*p/2|2 12*p/-|3 12*f/-",
                "2: worse 12>12",
            ),
            ("two conversations in twelve cases", "1 2*p/- 10*P/-|2 2*f/- 10*F/-", "1: too few 2>2"),
            ("cases that share replies only now", "1 12*p/-|2 2*f/- 10*F/-", "1: too few 2>2, in part"),
            ("an outage, then all is complete", "1 99*p/- 1*e/-|2 99*p/1 1*p/-", "1: nothing 0>0"),
            ("a ceiling, then all is complete", "1 2*p/- 10*e/-|2 2*p/1 10*p/-", "1: nothing 0>0"),
            ("no scores in the first run", "1 7*e/-|2 7*p/-", "1: nothing 0>0"),
            ("no scores in the run before", "1 7*p/-|2 7*e/-|3 1*p/- 6*f/-", "1: worse 7>7"),
            ("no scores now", "1 7*p/-|2 7*e/-", "1: nothing 0>0, in part"),
        ] {
            assert_eq!(shown(&only(runs.split('|').map(told).collect())), expected, "{why}");
        }
    }

    #[test]
    fn suites_and_agents_come_and_go() {
        let of = |number: &str, agent: &str, suites: &[(&str, u64)]| {
            let mut record = run(number, agent, &[]);
            record.suites = suites
                .iter()
                .map(|(suite, cases)| {
                    let names: Vec<String> = (0..*cases).map(|at| format!("{suite}{at}")).collect();
                    let cases: Vec<(&str, u64, u64)> =
                        names.iter().map(|name| (name.as_str(), 1, 1)).collect();
                    let of_suite = run(number, agent, &cases).suites.remove(0);
                    SuiteRecord { suite: (*suite).to_owned(), ..of_suite }
                })
                .collect();
            record
        };
        // Two suites in turn: each is compared with its own runs, and nothing of the other is gone.
        let found = only(vec![
            of("1", "a", &[("s", 10)]),
            of("2", "a", &[("t", 30)]),
            of("3", "a", &[("s", 10)]),
            of("4", "a", &[("t", 30)]),
            of("5", "a", &[("s", 10)]),
        ]);
        assert_eq!(shown(&found), "3: even 10>10; all: even 20>10");
        // One that is left out is gone.
        let found = only(vec![of("1", "a", &[("s", 10), ("t", 30)]), of("2", "a", &[("s", 10)])]);
        assert_eq!((shown(&found), found.changes[0].removed), ("1: even 10>10, in part".to_owned(), 30));
        for (runs, expected) in [
            ("a a b b", [Some("4"), None]),
            // Agents may be driven one after the other.
            ("a b a b", [None, None]),
            ("a b b a", [None, None]),
            ("b a b b", [Some("4"), None]),
        ] {
            let numbers = ["1", "2", "3", "4"];
            let records =
                runs.split(' ').zip(numbers).map(|(agent, number)| of(number, agent, &[("s", 10)])).collect();
            let mut found = trends(vec![records], None).unwrap();
            found.sort_by_key(|agent| agent.agent.clone());
            let gone: Vec<Option<&str>> = found.iter().map(|agent| agent.gone.as_deref()).collect();
            assert_eq!(gone, expected, "{runs}");
        }
    }

    #[test]
    fn what_could_have_been_shown() {
        let of = |number: &str, passed: u64, cases: usize| {
            let names: Vec<String> = (0..cases).map(|at| format!("c{at}")).collect();
            run(number, "a", &names.iter().map(|name| (name.as_str(), passed, 1)).collect::<Vec<_>>())
        };
        for (cases, passed, verdict, could_drop) in [
            (12, [1, 1], Verdict::Undecided, true),
            (5, [1, 1], Verdict::Untestable, false),
            (6, [1, 0], Verdict::Worse, true),
            // It could only rise.
            (12, [0, 0], Verdict::Undecided, false),
        ] {
            let found = only(vec![of("1", passed[0], cases), of("2", passed[1], cases)]);
            let change = &found.changes[0];
            assert_eq!((change.verdict(), change.could_drop()), (Some(verdict), could_drop), "{change:?}");
        }
        // Of two comparisons, Holm's method tests the second at the whole level: six of six would not show it at half of it.
        let found = only(vec![of("1", 1, 6), of("2", 1, 6), of("3", 0, 6)]);
        assert!(found.changes.iter().all(|change| change.verdict() == Some(Verdict::Worse)), "{found:?}");
    }

    #[test]
    fn baselines_and_contradictions() {
        let one = run("11", "a", &[("x", 1, 1)]);
        let records = vec![one.clone(), run("12", "a", &[("x", 1, 1)]), run("20", "a", &[("x", 0, 1)])];
        let against = |name: &str| trends(vec![records.clone()], Some(name));
        let found = against("11").unwrap();
        assert_eq!((found[0].changes.len(), &found[0].changes[0].runs), (1, &vec!["11".to_owned()]));
        assert!(matches!(against("1"), Err(NoTrend::Ambiguous { .. })));
        assert!(matches!(against("3"), Err(NoTrend::NoBaseline(..))));
        // Of the last run itself there is nothing to say.
        assert_eq!(against("2").unwrap()[0].changes, []);
        assert_eq!(trends(vec![vec![one.clone()], vec![one.clone()]], None).unwrap()[0].runs.len(), 1);
        let other = run("11", "a", &[("x", 0, 1)]);
        assert!(matches!(trends(vec![vec![one.clone(), other]], None), Err(NoTrend::Contradiction { .. })));
        let both = trends(vec![vec![one, run("11", "b", &[("x", 0, 1)])]], None).unwrap();
        assert_eq!(both.len(), 2, "a run has a record for each agent");
    }
}

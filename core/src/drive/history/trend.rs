//! The runs of each agent in order, and how the last one differs from those before.

use std::collections::BTreeSet;

use super::change::{Against, Change};
use super::record::RunRecord;

/// One agent over time.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentTrend {
    /// Its name.
    pub agent: String,
    /// Its runs, the newest last.
    pub runs: Vec<RunRecord>,
    /// Runs that only repeat stored replies of an earlier run of the same version: they are no new evidence, and left out.
    pub replayed: Vec<String>,
    /// How the last run differs from others; empty where there is no other.
    pub changes: Vec<Change>,
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

/// The agents of all `records`, each with the newest run last. The last one is compared with the run before it and with all before it
/// taken together, or with the run whose id begins with `baseline`. A record that is there twice counts once.
///
/// # Errors
/// If two records contradict each other, or no run or several are the baseline.
pub fn trends(records: Vec<RunRecord>, baseline: Option<&str>) -> Result<Vec<AgentTrend>, NoTrend> {
    let mut found: Vec<AgentTrend> = Vec::new();
    for record in records {
        let at = found.iter().position(|known| known.agent == record.agent).unwrap_or_else(|| {
            let agent = record.agent.clone();
            let new = AgentTrend {
                agent,
                runs: Vec::new(),
                replayed: Vec::new(),
                changes: Vec::new(),
                differs: Vec::new(),
            };
            found.push(new);
            found.len() - 1
        });
        match found[at].runs.iter().find(|known| known.run == record.run) {
            Some(known) if *known == record => {}
            Some(_) => return Err(NoTrend::Contradiction { run: record.run, agent: record.agent }),
            None => found[at].runs.push(record),
        }
    }
    let baseline = baseline.map(|name| named(&found, name)).transpose()?;
    for agent in &mut found {
        // Of two at the same time, ids decide, not the order of files.
        agent.runs.sort_by(|a, b| (a.at(), &a.run).cmp(&(b.at(), &b.run)));
        agent.leave_out_replayed();
        agent.compare(baseline.as_deref());
        agent.differs = differences(&agent.runs);
    }
    Ok(found)
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

impl AgentTrend {
    fn leave_out_replayed(&mut self) {
        let mut kept: Vec<RunRecord> = Vec::new();
        for run in std::mem::take(&mut self.runs) {
            let known: BTreeSet<(&str, &str, &str)> = kept
                .iter()
                .filter(|other| other.agent_version == run.agent_version)
                .flat_map(RunRecord::cases)
                .map(|(suite, case)| (suite, case.case.as_str(), case.asked.as_str()))
                .collect();
            // Where a case asks or expects something else, its episodes are scored for the first time.
            let all_known =
                run.cases().all(|(suite, case)| known.contains(&(suite, &case.case, &case.asked)));
            if run.replayed && run.agent_version.is_some() && all_known {
                self.replayed.push(run.run);
            } else {
                kept.push(run);
            }
        }
        self.runs = kept;
    }

    fn compare(&mut self, baseline: Option<&str>) {
        let Some((now, before)) = self.runs.split_last() else { return };
        let all: Vec<&RunRecord> = before.iter().collect();
        self.changes = match (baseline, &all[..]) {
            (_, []) => Vec::new(),
            (Some(name), _) => {
                let of = all.iter().find(|run| run.run == name);
                of.map(|run| Change::of(now, &[run], Against::Baseline)).into_iter().collect()
            }
            (None, [one]) => vec![Change::of(now, &[one], Against::Previous)],
            (None, [.., last]) => {
                vec![Change::of(now, &[last], Against::Previous), Change::of(now, &all, Against::Earlier)]
            }
        };
        Change::correct(&mut self.changes);
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

    use super::super::change::Verdict;
    use super::super::record::{CaseRecord, Counts, Fresh, SuiteRecord};
    use super::*;

    /// A run at the minute of its number: cases with what passed, and of how many tries. A case whose name has a `*` asks something else.
    pub fn run(number: &str, agent: &str, cases: &[(&str, u64, u64)]) -> RunRecord {
        let case = |(case, passed, trials): &(&str, u64, u64)| CaseRecord {
            case: case.trim_end_matches('*').to_owned(),
            asked: (*case).to_owned(),
            setup: "s".to_owned(),
            counts: Counts { trials: *trials, passed: *passed, failed: trials - passed, ..Counts::default() },
            fresh: None,
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
            replayed: false,
            suites: vec![SuiteRecord { suite: "s".to_owned(), asked, counts, cases }],
        }
    }

    fn only(records: Vec<RunRecord>) -> AgentTrend {
        let mut found = trends(records, None).unwrap();
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn the_last_run_is_compared_with_the_one_before_and_with_all() {
        // In no order: time decides.
        let cases = |passed: u64| [("x", passed, 10), ("y", 10, 10)];
        let found = only(vec![run("3", "a", &cases(1)), run("1", "a", &cases(9)), run("2", "a", &cases(9))]);
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
        assert_eq!((change.left_out, change.is_partial()), (4, true), "with the one that is gone");
        assert_eq!(change.verdict(), Some(Verdict::Untestable));
        assert_eq!(found.differs, ["the cases of the suite"]);
        let nothing = only(vec![run("1", "a", &[("x", 1, 1)]), run("2", "a", &[("x*", 1, 1)])]);
        assert_eq!((nothing.changes[0].verdict(), nothing.changes[0].drop()), (None, None));
        assert_eq!(only(vec![run("1", "a", &[("x", 1, 1)])]).changes, []);
    }

    #[test]
    fn replayed_runs_are_no_new_evidence() {
        let of = |number: &str, version: Option<&str>, replayed: bool| RunRecord {
            agent_version: version.map(str::to_owned),
            replayed,
            ..run(number, "a", &[("x", 1, 1)])
        };
        for (records, left_out) in [
            (vec![of("1", Some("v"), false), of("2", Some("v"), true)], vec!["2"]),
            // What it repeats was never recorded, such as a run that was stopped.
            (vec![of("1", Some("u"), false), of("2", Some("v"), true)], vec![]),
            (vec![of("1", None, false), of("2", None, true)], vec![]),
        ] {
            assert_eq!(only(records).replayed, left_out);
        }
    }

    #[test]
    fn stored_replies_are_evidence_once() {
        // Runs by version, with the twelve cases' passed tries of one each, and how many of the cases were asked anew.
        let of =
            |number: usize, version: &str, passed: u64, fresh: usize, names: &dyn Fn(usize) -> String| {
                let names: Vec<String> = (0..12).map(names).collect();
                let cases: Vec<(&str, u64, u64)> =
                    names.iter().map(|name| (name.as_str(), passed, 1)).collect();
                let mut run = run(&number.to_string(), "a", &cases);
                run.agent_version = Some(version.to_owned());
                run.replayed = fresh == 0;
                for case in run.suites[0].cases.iter_mut().skip(fresh) {
                    case.fresh = Some(Fresh::default());
                }
                run
            };
        let usual = |at: usize| format!("c{at}");
        let edited = |at: usize| format!("c{at}{}", if at == 0 { "*" } else { "" });
        // Ten partly replayed runs of one version are one run, and each fresh case more.
        let mut records = vec![of(1, "v", 1, 12, &usual)];
        records.extend((2..11).map(|number| of(number, "v", 1, 1, &usual)));
        records.push(of(11, "w", 0, 12, &usual));
        let found = only(records);
        assert_eq!(found.changes[1].episodes, (12 + 9, 12), "{found:?}");
        // The last run's replayed cases are not compared with the run that they repeat, but with other versions.
        let found = only(vec![of(1, "v", 1, 12, &usual), of(2, "v", 1, 1, &usual)]);
        let change = &found.changes[0];
        assert_eq!((change.episodes, change.replayed, change.is_partial()), ((1, 1), 11, false));
        let found =
            only(vec![of(1, "v", 1, 12, &usual), of(2, "w", 1, 12, &usual), of(3, "v", 1, 1, &usual)]);
        assert_eq!((found.changes[0].episodes, found.changes[0].replayed), ((12, 12), 0));
        assert_eq!((found.changes[1].episodes, found.changes[1].replayed), ((2, 1), 11));
        // A case that expects something else is scored for the first time, although nobody was asked.
        let records = vec![of(1, "v", 1, 12, &usual), of(2, "v", 0, 0, &edited), of(3, "w", 1, 12, &edited)];
        let found = only(records);
        assert_eq!(found.replayed, Vec::<String>::new());
        assert_eq!(found.changes[0].episodes, (12, 12));
        assert_eq!(found.changes[1].episodes, (12, 12), "the case that changed once, all others once");
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
    fn of_two_runs_at_one_time_ids_decide() {
        let at = |number: &str| RunRecord {
            time: "2026-11-27T00:00:00Z".to_owned(),
            ..run(number, "a", &[("x", 1, 1)])
        };
        for records in [vec![at("1"), at("2")], vec![at("2"), at("1")]] {
            assert_eq!(only(records).runs.last().map(|run| run.run.clone()), Some("2".to_owned()));
        }
    }

    #[test]
    fn baselines_and_contradictions() {
        let one = run("11", "a", &[("x", 1, 1)]);
        let records = vec![one.clone(), run("12", "a", &[("x", 1, 1)]), run("20", "a", &[("x", 0, 1)])];
        let against = |name: &str| trends(records.clone(), Some(name));
        let found = against("11").unwrap();
        assert_eq!((found[0].changes.len(), &found[0].changes[0].runs), (1, &vec!["11".to_owned()]));
        assert!(matches!(against("1"), Err(NoTrend::Ambiguous { .. })));
        assert!(matches!(against("3"), Err(NoTrend::NoBaseline(..))));
        // Of the last run itself there is nothing to say.
        assert_eq!(against("2").unwrap()[0].changes, []);
        assert_eq!(trends(vec![one.clone(), one.clone()], None).unwrap()[0].runs.len(), 1);
        let other = run("11", "a", &[("x", 0, 1)]);
        assert!(matches!(trends(vec![one.clone(), other], None), Err(NoTrend::Contradiction { .. })));
        let both = trends(vec![one, run("11", "b", &[("x", 0, 1)])], None).unwrap();
        assert_eq!(both.len(), 2, "a run has a record for each agent");
    }
}

//! The results of a run, added to those of earlier runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::{Timestamp, Unit};
use secrecy::SecretString;

use super::DriveError;
use super::plan::DrivePlan;
use super::summary::AgentSummary;
use crate::drive::history::{self, CaseRecord, Counts, Rules, RunRecord, SuiteRecord};
use crate::judge::Redactor;
use crate::run::RunError;
use crate::run::settings::{AgentKind, DriveSettings, JudgeKind};
use crate::write::{append_lines, check_append};

/// Refuses a file that holds something else, before anybody is asked.
pub(super) fn check(path: &Path) -> Result<(), RunError> {
    check_append(path)?;
    if !path.exists() {
        return Ok(());
    }
    let content = std::fs::read(path)
        .map_err(|why| DriveError::History { path: path.to_owned(), why: why.to_string() })?;
    kept(path, &content).map(drop)
}

/// How much of the content are whole records.
fn kept(path: &Path, content: &[u8]) -> Result<usize, RunError> {
    let found = history::read(content).map_err(|bad| DriveError::History {
        path: path.to_owned(),
        why: format!(
            "line {}: {}; the run could not be added: correct that line, or name another file",
            bad.line, bad.why
        ),
    })?;
    Ok(found.torn_at.unwrap_or(content.len()))
}

/// What is said of a run that did not ask all it should.
fn incomplete(path: &Path) -> String {
    format!(
        "{}: the results are added as those of a run that is not complete, because the ceiling of costs was reached before everything was \
         asked; the gate of `trend` fails while it is the last run",
        path.display()
    )
}

impl DrivePlan {
    /// Adds a line for each of `agents` to the file, and says so if the run did not ask all it should.
    pub(super) fn add_to(
        &self,
        path: &Path,
        agents: &[AgentSummary],
        is_whole: bool,
    ) -> Result<(), RunError> {
        // The fraction of a second says nothing.
        let now = Timestamp::now();
        let time = now.round(Unit::Second).unwrap_or(now).to_string();
        let mut names = Names::default();
        let redactor = Redactor::of(&secrets(&self.settings));
        let lines: String = agents
            .iter()
            .enumerate()
            .map(|(at, agent)| {
                let mut record = masked(self.result(&time, at, agent), &redactor);
                record.incomplete = !is_whole;
                record.agent = names.distinct(record.agent);
                history::write(&record)
            })
            .collect();
        let added = append_lines(path, &lines, |content| {
            let kept = kept(path, content)?;
            if kept < content.len() {
                self.control.observer.warning(&format!(
                    "{}: the last line was cut off when a run was killed: it held no result that could be read, and is removed",
                    path.display()
                ));
            }
            Ok(kept)
        });
        added.map_err(|error: RunError| {
            let error = match error {
                RunError::Drive(DriveError::History { why, .. }) => why,
                other => other.to_string(),
            };
            let kept = match self.settings.is_kept() {
                true => {
                    "but every reply is kept: run it again with the same store once the file can be written, and what was asked is not \
                     asked again"
                }
                false => "and nothing is kept of an agent without --agent-version or --agent-files: run it again once the file can be written",
            };
            let why = format!("{error}; the results are not added, {kept}");
            RunError::from(DriveError::History { path: path.to_owned(), why })
        })?;
        if !is_whole {
            self.control.observer.warning(&incomplete(path));
        }
        Ok(())
    }

    fn result(&self, time: &str, at: usize, agent: &AgentSummary) -> RunRecord {
        let scorer = self.scorer_name();
        let graded = self.settings.grade.as_ref();
        let rules = Rules { scorer: &scorer, settings: &self.settings.scoring, graded: graded.is_some() };
        let mut stages = self.stages.iter();
        let mut suites = Vec::new();
        for (suite, size) in &self.suites {
            let case = |case: &crate::drive::Case| {
                let key = (suite.clone(), case.id.clone());
                let (counts, evidence) = agent.evidence.get(&key).cloned().unwrap_or_default();
                CaseRecord {
                    case: case.id.clone(),
                    asked: history::asked(case, rules),
                    setup: history::setup(case),
                    question: history::question(case),
                    counts,
                    evidence,
                }
            };
            let cases: Vec<CaseRecord> = stages.by_ref().take(*size).map(|stage| case(&stage.case)).collect();
            let mut counts = Counts::default();
            cases.iter().for_each(|case| counts.add(case.counts));
            let asked = history::together(&cases);
            suites.push(SuiteRecord { suite: suite.clone(), asked, counts, cases });
        }
        let model = self.agents.get(at).and_then(|agent| agent.model());
        let graders = graded.map(|panel| panel.judges.iter().map(|judge| judge.name.as_str()));
        RunRecord {
            time: time.to_owned(),
            run: self.run.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: agent.agent.clone(),
            agent_version: self.version.given().map(str::to_owned),
            model: model.map(|model| model.identity().model.clone()),
            experiment: self.settings.experiment.clone(),
            tags: self.settings.tags.clone(),
            scorer,
            graded_by: graders.map(|names| names.collect::<Vec<_>>().join(", ")),
            repeats: self.repeats(),
            incomplete: false,
            selected: self.is_cut,
            suites,
        }
    }

    /// What the user says of the run, without keys of its agents.
    pub(super) fn mask(settings: &mut DriveSettings) {
        let redactor = Redactor::of(&secrets(settings));
        settings.experiment.iter_mut().for_each(|text| mask(text, &redactor));
        settings.tags = masked_tags(std::mem::take(&mut settings.tags), &redactor);
    }
}

/// The keys of agents and judges.
fn secrets(settings: &DriveSettings) -> Vec<SecretString> {
    let of_agents = settings.agents.iter().flat_map(|agent| match &agent.kind {
        AgentKind::Own(own) => own.secrets.clone(),
        AgentKind::Model(model) => model.endpoint.api_key.iter().cloned().collect(),
        AgentKind::Script(_) => Vec::new(),
    });
    let judges = settings.grade.iter().flat_map(|panel| &panel.judges);
    of_agents
        .chain(judges.filter_map(|judge| match &judge.kind {
            JudgeKind::Model(model) => model.endpoint.api_key.clone(),
            _ => None,
        }))
        .collect()
}

/// Names of which no two are alike, though they may differ only in a key.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    fn distinct(&mut self, name: String) -> String {
        let mut found = name.clone();
        for number in 2.. {
            if self.0.insert(found.clone()) {
                break;
            }
            found = format!("{name} ({number})");
        }
        found
    }
}

fn mask(text: &mut String, redactor: &Redactor) {
    *text = String::from_utf8_lossy(&redactor.mask_line(std::mem::take(text).into_bytes())).into_owned();
}

fn masked_tags(tags: BTreeMap<String, String>, redactor: &Redactor) -> BTreeMap<String, String> {
    let tags = tags.into_iter().map(|(mut name, mut value)| {
        mask(&mut name, redactor);
        mask(&mut value, redactor);
        (name, value)
    });
    tags.collect()
}

/// A record whose names, versions and ids hold no key: the file is one to share.
fn masked(mut record: RunRecord, redactor: &Redactor) -> RunRecord {
    let RunRecord { agent, agent_version, model, graded_by, .. } = &mut record;
    let texts = [Some(agent), agent_version.as_mut(), model.as_mut(), graded_by.as_mut()];
    texts.into_iter().flatten().for_each(|text| mask(text, redactor));
    let mut suites = Names::default();
    for suite in &mut record.suites {
        mask(&mut suite.suite, redactor);
        suite.suite = suites.distinct(std::mem::take(&mut suite.suite));
        let mut cases = Names::default();
        for case in &mut suite.cases {
            mask(&mut case.case, redactor);
            case.case = cases.distinct(std::mem::take(&mut case.case));
        }
    }
    record
}

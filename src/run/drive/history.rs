//! The results of a run, added to those of earlier runs.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::{Timestamp, Unit};

use super::DriveError;
use super::plan::DrivePlan;
use super::summary::AgentSummary;
use crate::drive::history::{self, CaseRecord, Counts, Rules, RunRecord, SuiteRecord};
use crate::judge::Redactor;
use crate::run::RunError;
use crate::run::settings::{AgentKind, DriveSettings};
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

/// Why a run is not in the history that did not ask all it should.
pub(super) fn not_added(path: &Path) -> String {
    format!(
        "{}: the results are not added, because the ceiling of costs was reached before everything was asked; the run that goes on and \
         comes to its end adds them",
        path.display()
    )
}

impl DrivePlan {
    /// Adds a line for each of `agents` to the file.
    pub(super) fn add_to(&self, path: &Path, agents: &[AgentSummary]) -> Result<(), RunError> {
        // The fraction of a second says nothing.
        let now = Timestamp::now();
        let time = now.round(Unit::Second).unwrap_or(now).to_string();
        let mut names = BTreeSet::new();
        let lines: String = agents
            .iter()
            .enumerate()
            .map(|(at, agent)| {
                let mut record = self.result(&time, at, agent);
                // Names that differ only in a key are alike once it is masked.
                let name = record.agent.clone();
                for number in 2.. {
                    if names.insert(record.agent.clone()) {
                        break;
                    }
                    record.agent = format!("{name} ({number})");
                }
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
            let why = format!(
                "{error}; the results are not added, but every reply is kept: run it again with the same store once the file can be \
                 written, and what was asked is not asked again"
            );
            DriveError::History { path: path.to_owned(), why }.into()
        })
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
                let counts = agent.counts.get(&key).copied().unwrap_or_default();
                // Without a version, no other run that was recorded shares replies with this one.
                let fresh = agent.fresh.get(&key).copied().unwrap_or_default();
                let is_told = self.version.given().is_some() && fresh.scored < counts.decided().scored;
                CaseRecord {
                    case: case.id.clone(),
                    asked: history::asked(case, rules),
                    setup: history::setup(case),
                    counts,
                    fresh: is_told.then_some(fresh),
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
            agent: self.public_name(at, &agent.agent),
            agent_version: self.version.given().map(str::to_owned),
            model: model.map(|model| model.identity().model.clone()),
            experiment: self.settings.experiment.clone(),
            tags: self.settings.tags.clone(),
            scorer,
            graded_by: graders.map(|names| names.collect::<Vec<_>>().join(", ")),
            repeats: self.repeats(),
            replayed: agent.steps > 0 && agent.cached >= agent.steps,
            suites,
        }
    }

    /// What the user says of the run, without keys of its agents.
    pub(super) fn mask(settings: &mut DriveSettings) {
        let secrets = settings.agents.iter().flat_map(|agent| match &agent.kind {
            AgentKind::Own(own) => own.secrets.clone(),
            AgentKind::Model(model) => model.endpoint.api_key.iter().cloned().collect(),
            AgentKind::Script(_) => Vec::new(),
        });
        let redactor = Redactor::of(&secrets.collect::<Vec<_>>());
        for text in settings.experiment.iter_mut().chain(settings.tags.values_mut()) {
            *text = String::from_utf8_lossy(&redactor.mask_line(text.as_bytes().to_vec())).into_owned();
        }
    }

    /// An agent's name without keys that stand in its command.
    fn public_name(&self, at: usize, name: &str) -> String {
        match self.settings.agents.get(at).map(|agent| &agent.kind) {
            Some(AgentKind::Own(own)) => {
                let masked = Redactor::of(&own.secrets).mask_line(name.as_bytes().to_vec());
                String::from_utf8_lossy(&masked).into_owned()
            }
            _ => name.to_owned(),
        }
    }
}

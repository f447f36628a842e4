//! The drive job: suites and agents in, scored episodes out.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use super::agent::{Agent, AgentReady};
use super::baseline;
use super::forecast::{DriveForecast, forecasts};
use super::grading::{Grades, Visit, grades, ungraded};
use super::live::{Names, tell_script};
use super::own::{OwnPass, drive_own};
use super::pass::{DrivePass, drive as drive_all};
use super::passes::{self, EpisodeResult, Passes, Unscored};
use super::plan::DrivePlan;
use super::replay::{Played, Replay};
use super::summary::{AgentSummary, DriveSummary};
use super::tables::{EpisodeTable, Place, latency_ms, turn_batch, turn_rows, turn_schema};
use crate::domain::Status;
use crate::drive::record::case_record;
use crate::drive::{Ended, Stage};
use crate::judge::Remote;
use crate::run::junit::{self, Suite};
use crate::run::session::{apart, go_on, unkept};
use crate::run::settings::{DriveSettings, PanelSettings};
use crate::run::{
    AskOutcome, Control, MemberSummary, Pass, Progress, RunError, Stop, dollars, runtime, sharing,
    tell_spending, telling,
};
use crate::score::ScoreError;
use crate::table::Record;
use crate::write::{self, Finished, Sink};

/// Drives agents through cases: asks for their replies, executes their calls by the cases' mocks or in an environment, scores what
/// came of it. Replies are kept in the store; the same settings again resume a run that was stopped, and ask nothing twice.
///
/// # Errors
/// If a suite or the settings cannot hold (nothing is asked then), or a file cannot be read or written; [`RunError::Unfinished`] if
/// the run was stopped, or if no reply will come. No table appears then. Episodes without a score are no error: the summary counts
/// them.
///
/// ```
/// use tooljudge::run::drive_blocking;
/// use tooljudge::run::settings::{AgentSettings, DriveSettings, DriveSource};
///
/// let suite = DriveSource::Suites(vec!["datasets/weather.toml".into()]);
/// let agent = AgentSettings::script("datasets/weather_script.jsonl");
/// let summary = drive_blocking(DriveSettings::new(suite, vec![agent]))?;
/// assert_eq!(summary.agents[0].unscored(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn drive(settings: DriveSettings, control: &Control) -> Result<DriveSummary, RunError> {
    let began = Instant::now();
    let plan = DrivePlan::new(settings, true, control)?;
    if let Some(left) = plan.unheard() {
        control.observer.warning(&left);
    }
    if let Some(since) = &plan.version.resumes {
        control.observer.warning(&format!(
            "this run goes on where the one of {since} was stopped, and uses the replies that came then; --fresh asks everything anew"
        ));
    }
    control.observer.begins();
    let kept = match plan.settings.is_kept() {
        true => format!(
            "every reply that came is kept, and no table was written. {}",
            go_on(plan.settings.store.fresh)
        ),
        false => {
            "no table was written, and nothing is kept of an agent without --agent-version or --agent-files"
                .to_owned()
        }
    };
    let outcomes = plan.ask().await.map_err(|error| error.if_stopped(&kept))?;
    plan.finish(outcomes, began).await.map_err(|error| error.if_stopped(&kept))
}

/// [`drive()`] for programs that are not asynchronous.
///
/// # Errors
/// As there, and if no runtime can be started.
///
/// # Panics
/// Within an asynchronous runtime: await [`drive()`] there.
pub fn drive_blocking(settings: DriveSettings) -> Result<DriveSummary, RunError> {
    runtime()?.block_on(drive(settings, &Control::default()))
}

/// What [`drive()`] would ask each agent next, with the first `shown` dialogues. Calls nobody and writes nothing.
///
/// # Errors
/// If a suite or the settings cannot hold.
pub fn drive_forecast(
    settings: DriveSettings,
    shown: usize,
    control: &Control,
) -> Result<Vec<DriveForecast>, RunError> {
    forecasts(&DrivePlan::new(settings, false, control)?, shown)
}

/// Rows written at once.
const BATCH: usize = 256;

/// What the episodes of all agents came to, and their tables.
struct Written {
    agents: Vec<AgentSummary>,
    /// Of each agent: what passed, and what has no score.
    passes: Vec<(Passes, Unscored)>,
    episodes: Option<Finished>,
    turns: Option<Finished>,
}

impl DrivePlan {
    /// Drives all agents through all cases, models first; returns how far each came.
    async fn ask(&self) -> Result<Vec<AskOutcome>, RunError> {
        if let Some(store) = &self.store {
            store.manifest(self.record().to_string(), false).await?;
        }
        let mut outcomes = self.ask_models().await?;
        for (outcome, agent) in outcomes.iter_mut().zip(&self.agents) {
            if let AgentReady::Script(script) = &agent.kind {
                tell_script(self, script, &agent.name);
            }
            if let Some(own) = agent.own() {
                let pass = OwnPass::new(self, own, Names::new(self, &agent.name))?;
                let shown = Pass::new("driving", Some(self.episodes()));
                let progress = Arc::clone(&shown.progress);
                let _shown = self.control.observer.pass(shown);
                *outcome = drive_own(&pass, &progress, &self.control.stop).await?;
            }
        }
        Ok(outcomes)
    }

    /// Drives the models through all cases; returns how far each agent came.
    async fn ask_models(&self) -> Result<Vec<AskOutcome>, RunError> {
        let is_model = |agent: &Agent| agent.model().is_some();
        let Some(store) = self.store.as_ref().filter(|_| self.agents.iter().any(is_model)) else {
            return Ok(vec![AskOutcome::All; self.agents.len()]);
        };
        let mut passes = Vec::new();
        for (agent, model) in self.agents.iter().map(|agent| (agent, agent.model())) {
            let driven = (&self.stages, Names::new(self, &agent.name), self.repeats());
            let settings = (&self.settings.store, self.run.as_str(), self.version.name.as_str());
            passes.push(match model {
                Some(model) => {
                    let follows = self.settings.follows;
                    Some(Arc::new(DrivePass::new(driven, model, follows, store, settings)?))
                }
                None => None,
            });
        }
        let models: Vec<Arc<Remote>> =
            passes.iter().flatten().map(|pass: &Arc<DrivePass>| Arc::clone(&pass.model)).collect();
        let total = self.episodes() * models.len() as u64;
        let shown = Pass::new("driving", Some(total)).asking(models.clone());
        let progress = Arc::clone(&shown.progress);
        let shown = self.control.observer.pass(shown);
        let driven = self.drive_each(&passes, &progress);
        let each = || models.iter().map(Arc::as_ref);
        let observer = self.control.observer.as_ref();
        let outcomes = sharing(store, each(), telling(each(), Some(store), observer, driven)).await?;
        drop(shown);
        let kept = self.kept_for_grading;
        tell_spending(each(), kept, observer);
        let is_short = outcomes.as_ref().is_ok_and(|outcomes| outcomes.contains(&AskOutcome::UpToCeiling));
        if is_short && self.cost_budget.as_ref().is_some_and(|budget| budget.too_small_for().is_none()) {
            let kept = if kept > 0.0 {
                format!(" ({} of it is kept for grading)", dollars(kept))
            } else {
                String::new()
            };
            observer.warning(&format!(
                "the cost limit --max-cost was reached{kept}: run the same command again to go on with the episodes that are not over, for as \
                 much again"
            ));
        }
        if store.unkept() > 0 {
            self.control.observer.warning(&unkept(store));
        }
        self.learn(&models).await?;
        if store.damaged() > 0 {
            self.control.observer.warning(&format!(
                "damaged replies in {}, sent again: {}; check its disk, and the store with `tooljudge store stat`",
                store.place(),
                store.damaged()
            ));
        }
        outcomes
    }

    /// All agents at once. Where one cannot go on, the others stop too.
    async fn drive_each(
        &self,
        passes: &[Option<Arc<DrivePass>>],
        progress: &Arc<Progress>,
    ) -> Result<Vec<AskOutcome>, RunError> {
        let stop = &self.control.stop;
        let together = Stop { gently: stop.gently.child_token(), now: stop.now.clone() };
        let driving = passes.iter().map(|pass| async {
            let Some(pass) = pass else { return Ok(AskOutcome::All) };
            let outcome = drive_all(pass, progress, &together).await;
            if outcome.is_err() {
                together.gently.cancel();
            }
            outcome
        });
        let outcomes = futures_util::future::join_all(driving).await;
        let is_telling =
            |outcome: &Result<AskOutcome, RunError>| !matches!(outcome, Ok(_) | Err(RunError::Interrupted));
        match outcomes.iter().position(is_telling) {
            Some(at) => outcomes.into_iter().skip(at).take(1).collect(),
            None => outcomes.into_iter().collect(),
        }
    }

    /// Keeps what endpoints turned out not to support.
    async fn learn(&self, models: &[Arc<Remote>]) -> Result<(), RunError> {
        let Some(store) = &self.store else { return Ok(()) };
        for model in models {
            let identity = model.identity();
            for adaptation in model.adaptations() {
                let (endpoint, name) = (identity.endpoint.clone(), identity.model.clone());
                store.learn(endpoint, name, adaptation.as_str().to_owned()).await?;
            }
        }
        Ok(())
    }

    async fn finish(self, outcomes: Vec<AskOutcome>, began: Instant) -> Result<DriveSummary, RunError> {
        let plan = Arc::new(self);
        let outcomes = Arc::new(outcomes);
        let (grades, grade) = match plan.grader() {
            None => (Grades::default(), None),
            Some(panel) => {
                let play = |each: Visit<'_>| {
                    plan.each(&outcomes, &|| false, &mut |at, played| {
                        let is_scored = played.episode.ended().is_some_and(Ended::is_scored);
                        if is_scored { each(at.number, at.stage, &played) } else { Ok(()) }
                    })
                };
                grades(&panel, play, &plan.control).await?
            }
        };
        let pass = Pass::new("scoring", Some(plan.episodes() * plan.agents.len() as u64));
        let progress = Arc::clone(&pass.progress);
        let shown = plan.control.observer.pass(pass);
        let stop = plan.control.stop.clone();
        let (own, theirs) = (Arc::clone(&plan), Arc::clone(&outcomes));
        let written = apart(&stop, move |stopped| own.write(&theirs, &grades, &progress, stopped));
        let Written { agents, passes, episodes, turns } = written.await?;
        drop(shown);
        let mut compared = Vec::new();
        if let Some((file, before)) = plan.settings.baseline.as_ref().zip(plan.baseline.as_ref()) {
            for (agent, (now, unscored)) in plan.agents.iter().zip(&passes) {
                compared.push(baseline::compare(file, &agent.name, (now, unscored), before)?);
            }
        }
        if let Some(file) = &plan.settings.junit {
            write::write_text(file, &junit::render(&agents.iter().map(suite).collect::<Vec<_>>()))?;
        }
        let is_graded =
            |member: &MemberSummary| !member.summary.statuses.contains_key(&Status::SkippedBudget);
        let is_whole = outcomes.iter().all(|outcome| *outcome == AskOutcome::All)
            && grade.as_ref().is_none_or(is_graded);
        if let Some(file) = &plan.settings.history {
            plan.add_to(file, &agents, is_whole)?;
        }
        let summary = DriveSummary {
            scorer: plan.scorer_name(),
            cases: plan.stages.len() as u64,
            repeats: plan.repeats(),
            grade,
            ungraded: ungraded(&plan),
            baseline: compared,
            output: episodes.and(plan.output.as_ref()).map(|output| output.path.clone()),
            turns: turns.and(plan.turns.as_ref()).map(|output| output.path.clone()),
            history: plan.settings.history.clone(),
            experiment: plan.settings.experiment.clone(),
            tags: plan.settings.tags.clone(),
            elapsed: began.elapsed(),
            agents,
        };
        plan.keep(&summary, (episodes, turns), is_whole).await?;
        Ok(summary)
    }

    /// Who grades answers, with what of the ceiling is left.
    fn grader(&self) -> Option<PanelSettings> {
        let panel = self.settings.grade.clone()?;
        let left = self.cost_budget.as_ref().zip(self.settings.max_cost);
        let left = left.map(|(budget, most)| (most - budget.spent()).max(f64::MIN_POSITIVE));
        Some(PanelSettings { max_cost: left.or(panel.max_cost), ..panel })
    }

    pub(super) fn scorer_name(&self) -> String {
        let name = if self.of_tasks() { "trajectory" } else { self.scorer.name() };
        match self.settings.follows.peer() {
            Some(peer) => format!("{name} (as {peer})"),
            None => name.to_owned(),
        }
    }

    /// Plays all episodes again, agent by agent, in the order of the suites, then by repeat.
    fn each(
        &self,
        outcomes: &[AskOutcome],
        stopped: &(dyn Fn() -> bool + Sync),
        visit: &mut dyn FnMut(At<'_>, Played) -> Result<(), RunError>,
    ) -> Result<(), RunError> {
        let reader = self.store.as_ref().map(|store| store.reader()).transpose()?;
        let (mut number, met) = (0, RefCell::default());
        for (of_agent, (agent, outcome)) in self.agents.iter().zip(outcomes).enumerate() {
            let replay = Replay {
                agent,
                reader: reader.as_ref(),
                run: &self.run,
                version: &self.version.name,
                fresh: self.settings.store.fresh,
                follows: self.settings.follows,
                met: &met,
                given: RefCell::default(),
                lacking: match outcome {
                    AskOutcome::All => Ended::NotAsked,
                    AskOutcome::UpToCeiling => Ended::SkippedBudget,
                },
            };
            for (case, stage) in self.stages.iter().enumerate() {
                if stopped() {
                    return Err(RunError::Interrupted);
                }
                for repeat in 1..=self.repeats() {
                    let at = At { number, agent: of_agent, case, stage, repeat };
                    visit(at, replay.play(case, stage, repeat)?)?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// Scores all episodes and writes the tables.
    fn write(
        &self,
        outcomes: &[AskOutcome],
        grades: &Grades,
        progress: &Progress,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Written, RunError> {
        let of_tasks = self.of_tasks();
        let more = (self.settings.gold, self.agents.iter().any(|agent| agent.own().is_some()));
        let table = EpisodeTable::new(of_tasks, more, self.scorer.figures(of_tasks));
        let mut episodes =
            self.output.as_ref().map(|output| Sink::open(output, table.schema())).transpose()?;
        let mut turns = self.turns.as_ref().map(|output| Sink::open(output, &turn_schema())).transpose()?;
        let mut agents: Vec<AgentSummary> =
            self.agents.iter().map(|agent| AgentSummary::new(&agent.name)).collect();
        let mut passes = vec![(Passes::new(), Unscored::new()); self.agents.len()];
        let (mut rows, mut of_turns): (Vec<Record>, Vec<Record>) = (Vec::new(), Vec::new());
        self.each(outcomes, stopped, &mut |at, played| {
            let (agent, suite) = (self.agents[at.agent].name.as_str(), self.suite(at.case));
            let case = at.stage.case.id.as_str();
            let id = self.id(agent, suite, case, at.repeat);
            let ended = played.episode.ended().unwrap_or(Ended::NotAsked);
            let (record, scored) = match ended.is_scored() {
                true => {
                    let mut record = case_record(&played.episode, latency_ms(&played));
                    let asked = self.settings.grade.is_some();
                    let grade = grades.of(at.number, at.stage, &mut record, asked);
                    let scored = self.scorer.score(&played.episode, &record, grade);
                    (Some(record), scored)
                }
                false => {
                    let message = played.episode.why().unwrap_or(ended.in_words()).to_owned();
                    (None, Err(ScoreError { kind: ended.as_str(), message }))
                }
            };
            agents[at.agent].add((suite, &id), &played, &scored);
            let passed = scored.as_ref().ok().and_then(|scored| scored.passed);
            let key = (suite.to_owned(), case.to_owned(), at.repeat);
            let (of_agent, unscored) = &mut passes[at.agent];
            let rules = passes::rules_of(record.as_ref(), &played.episode);
            match passed {
                Some(passed) => drop(of_agent.insert(key, EpisodeResult { passed, rules })),
                None => drop(unscored.insert(key, rules)),
            }
            let place = Place { id: &id, suite, agent, repeat: at.repeat };
            if let Some(sink) = &mut episodes {
                rows.push(table.row(place, &played, record.as_ref(), &scored));
                if rows.len() >= BATCH {
                    sink.write(table.batch(std::mem::take(&mut rows)))?;
                }
            }
            if let Some(sink) = &mut turns {
                of_turns.extend(turn_rows(place, &played, passed));
                if of_turns.len() >= BATCH {
                    sink.write(turn_batch(std::mem::take(&mut of_turns)))?;
                }
            }
            progress.asks_done(1);
            Ok(())
        })?;
        if let Some(sink) = episodes.as_mut().filter(|_| !rows.is_empty()) {
            sink.write(table.batch(rows))?;
        }
        if let Some(sink) = turns.as_mut().filter(|_| !of_turns.is_empty()) {
            sink.write(turn_batch(of_turns))?;
        }
        let episodes = episodes.map(Sink::finish).transpose()?;
        let turns = turns.map(Sink::finish).transpose()?;
        Ok(Written { agents, passes, episodes, turns })
    }
}

/// Which episode is meant.
struct At<'a> {
    /// Counted from 0 over all agents.
    number: u64,
    agent: usize,
    case: usize,
    stage: &'a Arc<Stage>,
    repeat: u32,
}

/// All episodes of an agent; one without a score is an error of its own.
fn suite(agent: &AgentSummary) -> Suite {
    Suite { name: agent.agent.clone(), cases: agent.listed.clone() }
}

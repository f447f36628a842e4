//! A checked plan of a run of agents: errors in suites and settings are reported before anything is sent.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agent::{Agent, AgentReady};
use super::baseline;
use super::cases::{chosen, complete, fits, instruct, read, sign, suites};
use super::error::DriveError;
use super::grading::kept_for_grading;
use super::history;
use super::own::Own;
use super::passes::OfAgents;
use super::resuming::Version;
use crate::domain::{Json, did_you_mean};
use crate::drive::{EpisodeScorer, Expected, Loop, Script, Stage};
use crate::judge::{CostBudget, Remote};
use crate::run::outputs::check_places;
use crate::run::panel::{connect_agents, run_name};
use crate::run::settings::{AgentKind, DriveSettings, DriveSource, JudgeKind, PanelSettings, SettingsError};
use crate::run::{Control, RunError, open_store};
use crate::store::{Access, Store};
use crate::write::{Output, check_text};

/// A run that can begin.
pub(super) struct DrivePlan {
    pub settings: DriveSettings,
    pub run: String,
    /// Whose replies of earlier runs count.
    pub version: Version,
    /// The names of the suites, and how many of the cases are of each, in order.
    pub suites: Vec<(String, usize)>,
    /// Whether only chosen cases are driven, and not all of the suites.
    pub is_cut: bool,
    pub stages: Arc<[Arc<Stage>]>,
    pub agents: Vec<Agent>,
    /// Where a model's replies are kept; absent where no agent is a model.
    pub store: Option<Arc<Store>>,
    /// What the run may spend.
    pub cost_budget: Option<Arc<CostBudget>>,
    /// What of the ceiling the agents leave to the judge of answers, in US dollars.
    pub kept_for_grading: f64,
    pub scorer: EpisodeScorer,
    pub output: Option<Output>,
    pub turns: Option<Output>,
    /// What is compared with: read before anybody is asked, and before a table may take its place.
    pub baseline: Option<OfAgents>,
    pub control: Control,
}

impl DrivePlan {
    /// `asks` says whether anybody will be asked; else only what would be is looked at.
    pub(super) fn new(
        mut settings: DriveSettings,
        asks: bool,
        control: &Control,
    ) -> Result<DrivePlan, RunError> {
        DrivePlan::mask(&mut settings);
        let mut names = BTreeSet::new();
        if let Some(twice) = settings.agents.iter().find(|agent| !names.insert(&agent.name)) {
            return Err(DriveError::SameAgent(twice.name.clone()).into());
        }
        if settings.agents.is_empty() {
            return Err(DriveError::NoAgent.into());
        }
        let (mut suites, is_cut) = chosen(suites(&settings)?, &settings)?;
        let of_tasks = settings.source.is_of_tasks();
        if let Some(path) = &settings.system {
            let text = read(path, "instructions")?;
            suites.iter_mut().flat_map(|suite| &mut suite.cases).for_each(|case| instruct(case, text.trim()));
        }
        suites.iter_mut().flat_map(|suite| &mut suite.cases).for_each(|case| complete(case, &settings));
        fits(&settings, of_tasks, &suites)?;
        suites.iter_mut().try_for_each(|suite| sign(suite, &settings.functions))?;
        let scorer = EpisodeScorer::new(settings.scorer.as_deref(), &settings.scoring, settings.follows);
        let mut scorer = scorer.map_err(|why| DriveError::Scorer(why.to_string()))?;
        scorer.give(&settings.functions).map_err(|why| DriveError::Scorer(why.to_string()))?;
        let is_demanded = |setting: &str| settings.demanded.iter().any(|demanded| demanded == setting);
        if let Some((setting, missing)) = scorer.idle().into_iter().find(|(setting, _)| is_demanded(setting))
        {
            return Err(DriveError::NoEffect { setting, missing }.into());
        }
        let sizes: Vec<(String, usize)> =
            suites.iter().map(|suite| (suite.name.clone(), suite.cases.len())).collect();
        let mut stages = Vec::new();
        for suite in suites {
            let name = suite.name;
            let ready = Stage::all(suite.cases).map_err(|(case, why)| DriveError::Case {
                suite: name.clone(),
                case,
                why: why.to_string(),
            })?;
            stages.extend(ready);
        }
        let (output, turns) = outputs(&settings, asks)?;
        let scripts = scripts(&settings, &stages)?;
        let names = || settings.agents.iter().map(|agent| agent.name.as_str());
        let before = settings.baseline.as_ref().filter(|_| asks);
        let baseline = before.map(|file| baseline::read(file, names())).transpose()?;
        let run = run_name();
        let place = &settings.store.place;
        let store = match settings.is_kept() {
            false => None,
            true if !asks && place.is_missing()? => None,
            true => {
                let access = if asks { Access::Write } else { Access::Read };
                Some(Arc::new(open_store(access, place, &run, control.observer.as_ref())?))
            }
        };
        let models = settings.agents.iter().filter_map(|agent| match &agent.kind {
            AgentKind::Model(model) => Some(model.as_ref()),
            AgentKind::Script(_) | AgentKind::Own(_) => None,
        });
        let graders = match settings.grade.as_ref().filter(|_| asks) {
            Some(panel) => connect_graders(panel, settings.max_cost, store.as_deref())?,
            None => Vec::new(),
        };
        let kept_for_grading = kept_for_grading(&graders, &settings, &stages);
        let left = settings.max_cost.map(|most| most - kept_for_grading);
        let (models, cost_budget) = connect_agents(models, left, store.as_deref(), asks)?;
        let mut models = models.into_iter().map(Arc::new);
        let mut agents = Vec::new();
        for agent in &settings.agents {
            let kind = match &agent.kind {
                AgentKind::Script(path) => {
                    scripts.get(path).map(|script| AgentReady::Script(Arc::clone(script)))
                }
                AgentKind::Model(_) => models.next().map(AgentReady::Model),
                AgentKind::Own(own) => Some(AgentReady::Own(Own::new(&agent.name, own)?)),
            };
            agents.extend(kind.map(|kind| Agent { name: agent.name.clone(), kind }));
        }
        check_identities(&agents)?;
        let version = Version::find(&settings, (&agents, &sizes), store.as_deref(), &run)?;
        Ok(DrivePlan {
            run,
            version,
            suites: sizes,
            is_cut,
            stages: stages.into(),
            agents,
            store,
            cost_budget,
            kept_for_grading,
            scorer,
            output,
            turns,
            baseline,
            control: control.clone(),
            settings,
        })
    }

    pub(super) fn repeats(&self) -> u32 {
        self.settings.repeats.get()
    }

    /// Episodes of each agent.
    pub(super) fn episodes(&self) -> u64 {
        self.stages.len() as u64 * u64::from(self.repeats())
    }

    /// The suite of the case at a place.
    pub(super) fn suite(&self, mut at: usize) -> &str {
        for (name, cases) in &self.suites {
            if at < *cases {
                return name;
            }
            at -= cases;
        }
        ""
    }

    /// The name of an episode.
    pub(super) fn id(&self, agent: &str, suite: &str, case: &str, repeat: u32) -> String {
        let agent = if self.agents.len() > 1 { format!("@{agent}") } else { String::new() };
        format!("{}#{repeat}{agent}", self.case_name(suite, case))
    }

    /// The name of a case, with as much as tells suites apart.
    pub(super) fn case_name(&self, suite: &str, case: &str) -> String {
        if self.suites.len() > 1 { format!("{suite}/{case}") } else { case.to_owned() }
    }

    /// What of the cases the scorer does not look at, if that is anything.
    pub(super) fn unheard(&self) -> Option<String> {
        const OWN: [&str; 5] =
            ["ordered", "should_not_call_tools", "forbidden_tools", "not_calls", "expected_output_contains"];
        let settings = &self.settings;
        if self.of_tasks() {
            let idle = [
                ("--scorer", settings.scorer.is_some()),
                ("--set", !settings.scoring.is_empty()),
                ("--max-steps", settings.max_steps.is_some() && settings.follows != Loop::Own),
            ];
            let idle: Vec<&str> =
                idle.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect();
            return (!idle.is_empty()).then(|| format!("a built-in task does not use {}", idle.join(", ")));
        }
        if self.scorer.name() == "tool_evaluator" {
            return None;
        }
        let says = |key: &&str| {
            self.stages.iter().any(|stage| match &stage.case.expected {
                Expected::Test(test) => match test.get(key) {
                    None | Some(Json::Null | Json::Bool(false)) => false,
                    Some(Json::Array(items)) => !items.is_empty(),
                    Some(_) => true,
                },
                Expected::Example { .. } => false,
            })
        };
        let unheard: Vec<&str> = OWN.into_iter().filter(|key| says(key)).collect();
        (!unheard.is_empty()).then(|| {
            format!(
                "the scorer {} looks at expected calls only, not at {}",
                self.scorer.name(),
                unheard.join(", ")
            )
        })
    }

    pub(super) fn of_tasks(&self) -> bool {
        self.settings.source.is_of_tasks()
    }
}

fn outputs(settings: &DriveSettings, asks: bool) -> Result<(Option<Output>, Option<Output>), RunError> {
    let mut inputs: Vec<PathBuf> = match &settings.source {
        DriveSource::Suites(paths) => paths.clone(),
        DriveSource::Tasks(_) => Vec::new(),
        DriveSource::Task { examples, .. } => examples.iter().cloned().collect(),
    };
    inputs.extend(settings.system.clone());
    inputs.extend(settings.agents.iter().filter_map(|agent| match &agent.kind {
        AgentKind::Script(path) => Some(path.clone()),
        AgentKind::Model(_) | AgentKind::Own(_) => None,
    }));
    let places: Vec<&PathBuf> = settings
        .output
        .path
        .iter()
        .chain(&settings.turns.path)
        .chain(&settings.junit)
        .chain(&settings.history)
        .collect();
    let paths: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    check_places(&paths, places.into_iter())?;
    if let Some(junit) = settings.junit.as_ref().filter(|_| asks) {
        check_text(junit, settings.output.force)?;
    }
    if let Some(history) = settings.history.as_ref().filter(|_| asks) {
        history::check(history)?;
    }
    let open = |to: &crate::run::settings::OutputSettings| -> Result<Option<Output>, RunError> {
        let Some(path) = to.path.clone() else { return Ok(None) };
        let output = Output::new(path, to.format, crate::table::Format::Jsonl)?.with_formulas(to.formulas);
        if asks {
            output.check(&paths, &[], to.force)?;
        }
        Ok(Some(output))
    };
    Ok((open(&settings.output)?, open(&settings.turns)?))
}

/// The scripts, each read once; a case that no suite has is a mistake.
fn scripts(
    settings: &DriveSettings,
    stages: &[Arc<Stage>],
) -> Result<HashMap<PathBuf, Arc<Script>>, DriveError> {
    let mut scripts = HashMap::new();
    // Where only some cases are driven, the script may be for all of them.
    let is_cut = !settings.cases.is_empty() || !settings.categories.is_empty() || settings.limit.is_some();
    for agent in &settings.agents {
        let AgentKind::Script(path) = &agent.kind else { continue };
        let text = read(path, "script")?;
        let script = Script::read(&text).map_err(|why| DriveError::Content {
            path: path.clone(),
            why: format!("{}: {}", why.line, why.why),
        })?;
        let ids: BTreeSet<&str> = stages.iter().map(|stage| stage.case.id.as_str()).collect();
        let mut unknown: Vec<&str> = script.cases().filter(|case| !is_cut && !ids.contains(case)).collect();
        unknown.sort_unstable();
        if let Some(case) = unknown.first() {
            let near = did_you_mean(case, ids.iter().copied());
            return Err(DriveError::ScriptCase { path: path.clone(), case: (*case).to_owned(), near });
        }
        scripts.insert(path.clone(), Arc::new(script));
    }
    Ok(scripts)
}

/// The judges of answers. One that could not be asked is refused before any answer is paid for.
fn connect_graders(
    panel: &PanelSettings,
    max_cost: Option<f64>,
    store: Option<&Store>,
) -> Result<Vec<Remote>, RunError> {
    let models = panel.judges.iter().filter_map(|judge| match &judge.kind {
        JudgeKind::Model(model) => Some(model.as_ref()),
        _ => None,
    });
    match connect_agents(models, max_cost, store, true) {
        Err(RunError::Settings(SettingsError::NoKey(variable))) => Err(DriveError::Grade(format!(
            "no API key: set the environment variable {variable}; --base-url is the agent's, so a judge at a server that needs no key \
             is a name in tooljudge.toml, with a base_url of its own"
        ))
        .into()),
        connected => connected.map(|(judges, _)| judges),
    }
}

/// Refuses models whose replies would be taken for each other's.
fn check_identities(agents: &[Agent]) -> Result<(), DriveError> {
    for (at, agent) in agents.iter().enumerate() {
        let identity = agent.model().map(|model| model.identity());
        let is_same =
            |other: &&Agent| identity.is_some() && other.model().map(|model| model.identity()) == identity;
        if let Some(other) = agents[..at].iter().find(is_same) {
            return Err(DriveError::SameIdentity { a: other.name.clone(), b: agent.name.clone() });
        }
    }
    Ok(())
}

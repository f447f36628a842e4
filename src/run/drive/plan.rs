//! A checked plan of a run of agents: errors in suites and settings are reported before anything is sent.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agent::{Agent, AgentReady};
use super::baseline;
use super::error::DriveError;
use super::grading::kept_for_grading;
use super::history;
use super::own::Own;
use super::passes::OfAgents;
use super::resuming::Version;
use crate::domain::{Json, did_you_mean};
use crate::drive::{
    Case, EpisodeScorer, Expected, Loop, Script, Stage, Suite, SuiteDefaults, SuiteFormat, langchain,
    read_suite,
};
use crate::environment::EnvironmentName;
use crate::judge::{CostBudget, Remote};
use crate::run::outputs::check_places;
use crate::run::panel::{connect_agents, run_name};
use crate::run::settings::{AgentKind, DriveSettings, DriveSource, JudgeKind, PanelSettings, SettingsError};
use crate::run::{Control, RunError};
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
        let scorer = EpisodeScorer::new(settings.scorer.as_deref(), &settings.scoring, settings.follows);
        let scorer = scorer.map_err(|why| DriveError::Scorer(why.to_string()))?;
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
                Some(Arc::new(Store::open_for(access, place.clone(), &run)?))
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

fn suites(settings: &DriveSettings) -> Result<Vec<Suite>, DriveError> {
    let suites = match &settings.source {
        DriveSource::Suites(paths) => {
            paths.iter().map(|path| suite(path, settings)).collect::<Result<Vec<_>, _>>()?
        }
        DriveSource::Tasks(names) => names.iter().map(|name| task(*name)).collect::<Result<_, _>>()?,
        DriveSource::Task { name, examples: None } => vec![task(*name)?],
        DriveSource::Task { name, examples: Some(path) } => {
            let text = read(path, "examples")?;
            let wrong = |why: String| DriveError::Content { path: path.clone(), why };
            let examples = examples(&text).map_err(wrong)?;
            vec![langchain::suite_of(*name, &examples).map_err(|why| wrong(format!(" {why}")))?]
        }
    };
    let mut names = BTreeSet::new();
    match suites.iter().find(|suite| !names.insert(suite.name.as_str())) {
        Some(twice) => Err(DriveError::SameSuite(twice.name.clone())),
        None => Ok(suites),
    }
}

fn task(name: EnvironmentName) -> Result<Suite, DriveError> {
    langchain::task(name).map_err(|why| DriveError::Case {
        suite: name.as_str().to_owned(),
        case: String::new(),
        why: why.to_string(),
    })
}

/// What stands, in the instructions of the command, for a case's own.
const OWN_SYSTEM: &str = "{system}";

/// Puts other instructions in the place of a case's own.
fn instruct(case: &mut Case, text: &str) {
    let text = text.replace(OWN_SYSTEM, case.system.as_deref().unwrap_or_default());
    case.system = (!text.is_empty()).then(|| Arc::from(text));
}

/// A list, or an object a line.
fn examples(text: &str) -> Result<Vec<Json>, String> {
    if text.trim_start().starts_with('[') {
        return match Json::parse(text) {
            Ok(Json::Array(items)) => Ok(items),
            Ok(_) => Err(" expected a list of examples".to_owned()),
            Err(why) => Err(format!(" {why}")),
        };
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| Json::parse(line).map_err(|why| format!("{}: {why}", at + 1))).collect()
}

fn suite(path: &Path, settings: &DriveSettings) -> Result<Suite, DriveError> {
    let text = read(path, "suite")?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let load = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|why| why.to_string());
    let defaults = match settings.follows {
        Loop::Article => SuiteDefaults::article(),
        Loop::Own | Loop::LangChain => SuiteDefaults::default(),
    };
    let defaults = match settings.max_steps {
        Some(most) => SuiteDefaults { max_steps: Some(most.get()), ..defaults },
        None => defaults,
    };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("suite");
    let format = SuiteFormat::of_name(name).ok_or_else(|| DriveError::File {
        what: "suite",
        path: path.to_owned(),
        why: "a suite's name ends in .toml, .yaml, .yml, .json, .jsonl or .ndjson".to_owned(),
    })?;
    read_suite(name, format, &text, defaults, &load).map_err(|why| {
        let line = why.line.map(|line| format!("{line}: ")).unwrap_or(" ".to_owned());
        DriveError::Content { path: path.to_owned(), why: format!("{line}{}", why.message) }
    })
}

pub(super) fn read(path: &Path, what: &'static str) -> Result<String, DriveError> {
    std::fs::read_to_string(path).map_err(|why| DriveError::File {
        what,
        path: path.to_owned(),
        why: why.to_string(),
    })
}

/// The cases that are meant, of the suites that have some, and whether others are left out.
fn chosen(mut suites: Vec<Suite>, settings: &DriveSettings) -> Result<(Vec<Suite>, bool), DriveError> {
    let nothing = |flag: &'static str, value: &String, what: &'static str, near: String| {
        DriveError::NothingChosen { flag, value: value.clone(), what, near }
    };
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let whole = all().count();
    for id in &settings.cases {
        if !all().any(|case| case.id == *id) {
            let near = did_you_mean(id, all().map(|case| case.id.as_str()));
            return Err(nothing("--case", id, "case", near));
        }
    }
    for category in &settings.categories {
        if !all().any(|case| case.category.as_deref() == Some(category)) {
            let near = did_you_mean(category, all().filter_map(|case| case.category.as_deref()));
            return Err(nothing("--category", category, "category", near));
        }
    }
    let is_chosen = |case: &Case| {
        (settings.cases.is_empty() || settings.cases.contains(&case.id))
            && (settings.categories.is_empty()
                || case.category.as_ref().is_some_and(|category| settings.categories.contains(category)))
    };
    let mut left = settings.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    for suite in &mut suites {
        suite.cases.retain(is_chosen);
        suite.cases.truncate(left);
        left -= suite.cases.len();
    }
    suites.retain(|suite| !suite.cases.is_empty());
    if suites.is_empty() {
        let told = |flag: &'static str| move |value: &String| format!("{flag} {value}");
        let flags = settings.cases.iter().map(told("--case"));
        let flags = flags.chain(settings.categories.iter().map(told("--category")));
        let flags = flags.chain(settings.limit.map(|limit| format!("--limit {limit}")));
        return Err(DriveError::NoCaseLeft(flags.collect::<Vec<_>>().join(", ")));
    }
    let is_cut = suites.iter().map(|suite| suite.cases.len()).sum::<usize>() < whole;
    Ok((suites, is_cut))
}

/// The threshold where neither the suite nor the command says one: whatever is wrong fails the case.
const THRESHOLD: u32 = 1;

/// Gives a case what the command says and the suite does not.
fn complete(case: &mut Case, settings: &DriveSettings) {
    let is_own = settings.follows == Loop::Own;
    if let Expected::Test(test) = &mut case.expected {
        let is_usual = settings.scorer.as_deref().is_none_or(|scorer| scorer == "tool_evaluator");
        if is_own && is_usual && !test.contains_key("threshold") {
            let told = settings.scoring.get("threshold").cloned();
            test.insert("threshold", told.unwrap_or(Json::Number(u64::from(THRESHOLD).into())));
        }
    } else if let Some(most) = settings.max_steps.filter(|_| is_own) {
        case.bounds.max_steps = most.get();
    }
}

/// Refuses the loop of a peer for cases that it does not know.
fn fits(settings: &DriveSettings, of_tasks: bool, suites: &[Suite]) -> Result<(), DriveError> {
    let follows = settings.follows;
    let own = settings.agents.iter().find(|agent| matches!(agent.kind, AgentKind::Own(_)));
    if let Some((peer, own)) = follows.peer().zip(own) {
        return Err(DriveError::OwnLoop { peer, agent: own.name.clone() });
    }
    let suite = || suites.first().map_or(String::new(), |suite| suite.name.clone());
    match (follows, of_tasks) {
        (Loop::LangChain, false) => {
            Err(DriveError::OtherLoop { peer: "langchain", what: "the tasks langchain:…", suite: suite() })
        }
        (Loop::Article, true) => {
            Err(DriveError::OtherLoop { peer: "article", what: "suites", suite: suite() })
        }
        _ => Ok(()),
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

/// Whether a judge can grade the answers to a case.
pub(super) fn has_reference(case: &Case) -> bool {
    match &case.expected {
        Expected::Test(_) => case.reference.is_some(),
        Expected::Example { output_evaluation, example } => {
            *output_evaluation != "none"
                && example.get("reference").is_some_and(|reference| !reference.is_null())
        }
    }
}

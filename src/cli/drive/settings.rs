//! Turns flags, settings file and environment into the settings of a run of agents.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use secrecy::SecretString;

use super::args::{DriveArgs, GRADING};
use crate::cli::config::Config;
use crate::cli::flags::flag;
use crate::cli::host::Host;
use crate::cli::judging::{Judging, panel};
use crate::cli::layers::Origins;
use crate::cli::printer::Printer;
use crate::cli::score::{self, args::SettingArgs};
use crate::cli::store_place::store_place;
use crate::domain::did_you_mean;
use crate::drive::Loop;
use crate::environment::EnvironmentName;
use crate::judge::{Concurrency, Endpoint};
use crate::run::DriveError;
use crate::run::settings::{
    AgentSettings, DriveSettings, DriveSource, OutputSettings, OwnKind, OwnSettings, PanelSettings,
    StoreSettings,
};

/// A scorer, if one is named, and its settings.
type Scoring = (Option<String>, Vec<(String, String)>);

/// What is known of a run of agents, and where it comes from.
pub struct Settings<'a> {
    /// What was typed.
    pub typed: &'a DriveArgs,
    /// The same, completed by the settings file.
    pub args: &'a DriveArgs,
    pub origins: &'a Origins,
    pub config: &'a Config,
    pub host: &'a Host,
}

/// What the name of a task begins with.
const TASK: &str = "langchain:";
/// All of them.
const ALL_TASKS: &str = "langchain:*";
/// What the name of an agent begins with whose replies are written down.
const SCRIPT: &str = "script:";
/// The same of a program that is an agent.
const EXEC: &str = "exec:";
/// What agents of the user's own begin with.
const OWN: [&str; 3] = [EXEC, "http://", "https://"];
/// The flags of models that they use, too.
const OF_OWN: [&str; 4] = ["--concurrency", "--allow-http", "--store", "--fresh"];

impl Settings<'_> {
    pub fn drive(&self, printer: Printer<'_>) -> anyhow::Result<DriveSettings> {
        let args = self.args;
        let source = source(args)?;
        let (scorer, scoring) = self.scoring(&source)?;
        let follows = match args.cases.compat.as_deref() {
            None => Loop::Own,
            Some(peer) => Loop::of_peer(peer).ok_or_else(|| {
                let near = did_you_mean(peer, Loop::PEERS);
                anyhow!("--compat {peer}: known loops are those of {}{near}", Loop::PEERS.join(" and "))
            })?,
        };
        let repeats = args.cases.repeats.unwrap_or(std::num::NonZeroU32::MIN);
        if let Some(hat) = args.result.min_pass_hat.filter(|hat| hat.k > repeats) {
            bail!(
                "--min-pass-hat {}={}: every case is driven {repeats} times; add --repeats {}",
                hat.k,
                hat.least,
                hat.k
            );
        }
        if args.agents.is_empty() {
            return Err(DriveError::NoAgent.into());
        }
        let (agents, store, max_cost) = self.agents(printer)?;
        let to = |path: &Option<PathBuf>| OutputSettings {
            path: path.clone(),
            format: args.to,
            collected: None,
            formulas: args.spreadsheet.formulas(),
            force: args.result.force,
        };
        let scoring = SettingArgs { others: scoring, ..SettingArgs::default() };
        Ok(DriveSettings {
            agent_version: args.agent_version.clone(),
            agent_files: args.agent_files.clone(),
            repeats,
            cases: args.cases.ids.clone(),
            categories: args.cases.categories.clone(),
            limit: args.cases.limit,
            system: args.cases.system.clone(),
            max_steps: args.cases.max_steps,
            follows,
            scorer,
            scoring: score::options(&SettingArgs::default(), &scoring)?,
            functions: self.host.own_functions.clone(),
            demanded: self.typed.scoring.settings.iter().map(|(setting, _)| setting.clone()).collect(),
            grade: self.grade(printer)?,
            max_cost,
            store,
            output: to(&args.output),
            turns: to(&args.turns),
            gold: args.scoring.gold,
            junit: args.result.junit.clone(),
            baseline: args.result.baseline.clone(),
            history: args.result.history.clone(),
            experiment: args.result.experiment.clone(),
            tags: args.result.tags.iter().cloned().collect(),
            ..DriveSettings::new(source, agents)
        })
    }

    /// The scorer and its settings; built-in tasks have none, whatever a settings file says for suites.
    fn scoring(&self, source: &DriveSource) -> anyhow::Result<Scoring> {
        if !source.is_of_tasks() {
            return Ok((self.args.scoring.scorer.clone(), self.args.scoring.settings.clone()));
        }
        match ["scorer", "set"].into_iter().find(|key| self.origins.given.is_on(key)) {
            Some(key) => bail!(
                "{0} has no effect: a built-in task has scores of its own; leave {0} out, or drive a suite",
                flag(key)
            ),
            None => Ok((None, Vec::new())),
        }
    }

    /// The agents in the order in which they are named.
    fn agents(
        &self,
        printer: Printer<'_>,
    ) -> anyhow::Result<(Vec<AgentSettings>, StoreSettings, Option<f64>)> {
        let is_function = |name: &String| self.host.agent(name).is_some();
        let is_own = |name: &String| is_function(name) || is_own(name);
        let unknown = |name: &&String| is_address(name) && !is_own(name);
        if self.args.agents.iter().any(|name| unknown(&name)) {
            // It may hold a password: the error does not repeat it.
            bail!("--agent ...@...: an address begins with http:// or https://");
        }
        let is_model = |name: &&String| !is_own(name) && !name.starts_with(SCRIPT);
        let some_own = self.args.agents.iter().any(is_own);
        let models: Vec<String> = self.args.agents.iter().filter(is_model).cloned().collect();
        let usual = PanelSettings::default();
        let panel = if models.is_empty() {
            let mut idle = self.typed.judging(Vec::new()).of_models();
            if some_own {
                idle.retain(|flag| !OF_OWN.contains(flag));
            } else {
                idle.extend(self.typed.agent_version.as_ref().map(|_| "--agent-version"));
                idle.extend(self.typed.agent_files.first().map(|_| "--agent-files"));
            }
            if !idle.is_empty() {
                let who = if some_own { "an agent of your own" } else { "a scripted agent" };
                printer.warn(&format!("{who} does not use {}", idle.join(", ")));
            }
            let args = &self.args.store;
            let place = args.store.as_deref().map(|place| store_place(place, self.host)).transpose()?;
            let store = StoreSettings { fresh: args.fresh, ..usual.store };
            PanelSettings { store: StoreSettings { place: place.unwrap_or(store.place), ..store }, ..usual }
        } else {
            let (typed, args) = (self.typed.judging(models.clone()), self.args.judging(models));
            panel(&self.judging(&typed, &args, self.origins, "--agent"), &[], printer)?
        };
        let is_program = |name: &String| name.starts_with(EXEC) && !is_function(name);
        let idle = [
            (
                "--agent-timeout",
                "agents of your own (exec:COMMAND or http://...)",
                self.typed.agent_timeout.is_some() && !some_own,
            ),
            (
                "--agent-keep",
                "programs (exec:COMMAND)",
                self.typed.agent_keep && !self.args.agents.iter().any(is_program),
            ),
        ];
        if self.typed.agent_keep && some_own && !self.args.agents.iter().any(is_program) {
            bail!(
                "--agent-keep: no agent is a program (exec:COMMAND), and there is nothing to keep of others; leave it out"
            );
        }
        for (flag, who, _) in idle.into_iter().filter(|(_, _, is_idle)| *is_idle) {
            printer.warn(&format!("{flag} does nothing: it is for {who}"));
        }
        let mut connected = panel.judges.into_iter();
        let mut agents = Vec::new();
        for name in &self.args.agents {
            if is_function(name) {
                agents.push(self.own(name)?);
                continue;
            }
            agents.push(match name.strip_prefix(SCRIPT) {
                Some("") => bail!("--agent {name}: name a file: script:FILE"),
                Some(file) => AgentSettings::script(file),
                None if is_own(name) => numbered(self.own(name.trim())?, &agents, name, &self.args.agents),
                None => {
                    let agent = connected.next().and_then(AgentSettings::of_judge);
                    agent.ok_or_else(|| {
                        anyhow!("--agent {name}: an agent is a model, PROVIDER:MODEL, script:FILE, exec:COMMAND or http://...")
                    })?
                }
            });
        }
        Ok((agents, panel.store, panel.max_cost))
    }

    /// What an agent of the user's own may know and shall not show: secrets of the environment, and the keys that judges and models are
    /// given by name.
    fn secrets(&self) -> Vec<SecretString> {
        let entries = self.config.judges.values().map(|entry| &entry.flags.endpoint);
        let named =
            entries.chain([&self.args.endpoint]).filter_map(|endpoint| endpoint.api_key_env.as_deref());
        let keys = named.filter_map(|name| self.host.variable(name)).map(SecretString::from);
        self.host.secrets().into_iter().chain(keys).collect()
    }

    /// An agent of the user's own: a function of the host, a program or a server.
    fn own(&self, name: &str) -> anyhow::Result<AgentSettings> {
        let args = self.args;
        let kind = match (self.host.agent(name), name.strip_prefix(EXEC).map(str::trim)) {
            (Some(function), _) => OwnKind::Function(function),
            (None, Some("")) => bail!("--agent {name}: name a command: exec:\"python my_agent.py\""),
            (None, Some(command)) => OwnKind::Program { command: command.to_owned(), keep: args.agent_keep },
            (None, None) => OwnKind::Server { url: name.to_owned(), allow_http: args.endpoint.allow_http },
        };
        let mut own = OwnSettings { secrets: self.secrets(), ..OwnSettings::new(kind) };
        if let Some(Concurrency::Fixed(at_once)) = args.limits.concurrency {
            own.at_once = at_once;
        }
        if let Some(seconds) = args.agent_timeout {
            own.timeout = Duration::from_secs_f64(seconds);
        }
        // What stands in an address beside its place may be a password.
        let name = match &own.kind {
            OwnKind::Program { .. } | OwnKind::Function(_) => name.to_owned(),
            OwnKind::Server { url, .. } => {
                let endpoint = Endpoint::new(url, None).map_err(|why| anyhow!("--agent http...: {why}"))?;
                endpoint.public_url()
            }
        };
        Ok(AgentSettings::own(name, own))
    }

    fn grade(&self, printer: Printer<'_>) -> anyhow::Result<Option<PanelSettings>> {
        if self.args.scoring.grade.is_none() {
            return Ok(None);
        }
        let (typed, args) = (self.typed.grading(), self.args.grading());
        let origins = self.origins.only(GRADING);
        let panel = panel(&self.judging(&typed, &args, &origins, "--grade"), &[], printer)?;
        if panel.judges.iter().any(|judge| judge.is_builtin()) {
            return Err(DriveError::Grade(
                "the built-in judge does not grade answers; name a model, PROVIDER:MODEL".to_owned(),
            )
            .into());
        }
        Ok(Some(panel))
    }

    fn judging<'b>(
        &'b self,
        typed: &'b crate::cli::judging::args::JudgingArgs,
        args: &'b crate::cli::judging::args::JudgingArgs,
        origins: &'b Origins,
        flag: &'static str,
    ) -> Judging<'b> {
        let Settings { config, host, .. } = self;
        Judging { typed, args, origins, config, host, tells_routes: true, flag }
    }
}

/// Whether it is one of the user's own. Schemes of addresses may be written in capitals.
fn is_own(name: &str) -> bool {
    let starts =
        |start: &&str| name.trim().get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start));
    name.starts_with(EXEC) || OWN[1..].iter().any(starts)
}

/// Whether it is an address that may hold a password.
fn is_address(name: &str) -> bool {
    name.contains("://") && name.contains('@') && !name.starts_with(EXEC) && !name.starts_with(SCRIPT)
}

/// Two addresses that differ only in what is not shown are two agents: the second has a number. The same one twice stays as it is.
fn numbered(agent: AgentSettings, before: &[AgentSettings], typed: &str, all: &[String]) -> AgentSettings {
    let is_taken = |name: &str| before.iter().any(|other| other.name == name);
    if !is_taken(&agent.name) || all.iter().filter(|other| *other == typed).count() > 1 {
        return agent;
    }
    let name = (2..).map(|number| format!("{} ({number})", agent.name)).find(|name| !is_taken(name));
    AgentSettings { name: name.unwrap_or_default(), ..agent }
}

/// A task by our name or the peer's, or else files.
fn source(args: &DriveArgs) -> anyhow::Result<DriveSource> {
    let task = |input: &String| {
        let name = input.strip_prefix(TASK);
        name.map(str::parse::<EnvironmentName>).or_else(|| input.parse().ok().map(Ok))
    };
    let examples = args.cases.examples.clone();
    match &args.inputs[..] {
        [all] if all == ALL_TASKS => {
            if examples.is_some() {
                bail!("--examples is for one task, and {ALL_TASKS} is all of them");
            }
            Ok(DriveSource::Tasks(EnvironmentName::ALL.to_vec()))
        }
        [one] => match task(one) {
            Some(Ok(name)) => Ok(DriveSource::Task { name, examples }),
            Some(Err(why)) => Err(anyhow!("{one}: {why}")),
            None if examples.is_some() => {
                bail!("--examples is for the tasks {TASK}..., and {one} is a suite")
            }
            None => Ok(DriveSource::Suites(vec![one.into()])),
        },
        several => {
            let tasks: Vec<_> = several.iter().filter_map(task).collect();
            if tasks.len() == several.len() && examples.is_none() {
                let names = tasks.into_iter().collect::<Result<_, _>>().map_err(|why| anyhow!("{why}"))?;
                return Ok(DriveSource::Tasks(names));
            }
            if let Some(task) = several.iter().find(|input| task(input).is_some()) {
                bail!("{task} is a task: drive it alone or with other tasks, and --examples with one");
            }
            Ok(DriveSource::Suites(several.iter().map(PathBuf::from).collect()))
        }
    }
}

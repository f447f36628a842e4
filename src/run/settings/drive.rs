//! Settings of a run of agents through cases.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::{AgentFunction, JudgeSettings, ModelSettings, OutputSettings, PanelSettings, StoreSettings};
use crate::domain::Object;
use crate::drive::Loop;
use crate::environment::EnvironmentName;
use crate::score::OwnFunctions;

/// Which agents [`drive`](crate::run::drive()) runs through which cases, and where the episodes go.
#[derive(Debug, Clone)]
pub struct DriveSettings {
    /// The cases.
    pub source: DriveSource,
    /// At least one; names differ.
    pub agents: Vec<AgentSettings>,
    /// The version of the agents' code, such as a commit: replies of earlier runs of the same version are reused. Default: none;
    /// then only a stopped run resumes.
    pub agent_version: Option<String>,
    /// Files whose contents are part of the version, as patterns such as `agent/**/*.py` or `agent/**`. Default: none.
    pub agent_files: Vec<String>,
    /// How often each case is driven. Default: once.
    pub repeats: NonZeroU32,
    /// Only the cases of these ids. Default: all.
    pub cases: Vec<String>,
    /// Only the cases of these categories. Default: all.
    pub categories: Vec<String>,
    /// The largest number of cases. Default: all.
    pub limit: Option<u64>,
    /// A file with instructions for all cases; `{system}` in it stands for a case's own. Default: the case's own.
    pub system: Option<PathBuf>,
    /// The limit on replies in an episode, unless the suite sets one. Default: 15.
    pub max_steps: Option<NonZeroU32>,
    /// Whose loop is followed. Default: ours.
    pub follows: Loop,
    /// The scorer of suites. Default: `tool_evaluator`.
    pub scorer: Option<String>,
    /// Its settings, by the peers' names. Default: none.
    pub scoring: Object,
    /// Functions that the scorer's settings and the cases' validators can name. Default: none.
    pub functions: OwnFunctions,
    /// Those of them that must have an effect, or else the run is refused. Default: none must.
    pub demanded: Vec<String>,
    /// The judge that grades answers with a reference. Default: none.
    pub grade: Option<PanelSettings>,
    /// The most that a run may cost, in US dollars, grading included. Default: no limit.
    pub max_cost: Option<f64>,
    /// Where replies are kept.
    pub store: StoreSettings,
    /// The episodes. Default: none are written.
    pub output: OutputSettings,
    /// The turns. Default: none are written.
    pub turns: OutputSettings,
    /// Whether episodes have a column `gold`: `correct` if they passed. Default: no.
    pub gold: bool,
    /// A JUnit report of all episodes. Default: none.
    pub junit: Option<PathBuf>,
    /// The episodes of an earlier run, to compare with. Default: none.
    pub baseline: Option<PathBuf>,
    /// A file that each run adds its results to, a line for each agent. Default: none.
    pub history: Option<PathBuf>,
    /// The experiment that the run is of, for its records. Default: none.
    pub experiment: Option<String>,
    /// What else its records say of the run. Default: nothing.
    pub tags: BTreeMap<String, String>,
}

/// Where cases come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriveSource {
    /// Suite files.
    Suites(Vec<PathBuf>),
    /// Several tasks of LangChain Benchmarks, with the shipped examples.
    Tasks(Vec<EnvironmentName>),
    /// A task of LangChain Benchmarks.
    Task {
        /// Its environment.
        name: EnvironmentName,
        /// A file with other examples than the shipped ones: JSON Lines or a JSON list.
        examples: Option<PathBuf>,
    },
}

impl DriveSource {
    /// Whether it is of LangChain Benchmarks.
    pub(crate) fn is_of_tasks(&self) -> bool {
        match self {
            DriveSource::Suites(_) => false,
            DriveSource::Tasks(_) | DriveSource::Task { .. } => true,
        }
    }
}

/// An agent.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// Its name in the column `agent`.
    pub name: String,
    /// Which agent it is.
    pub kind: AgentKind,
}

/// Which agent is meant.
#[derive(Debug, Clone)]
pub enum AgentKind {
    /// A model behind an endpoint.
    Model(Box<ModelSettings>),
    /// Scripted replies.
    Script(PathBuf),
    /// An agent with a loop of its own.
    Own(Box<OwnSettings>),
}

/// An agent with a loop of its own: it gets a case, calls its tools, and answers.
#[derive(Debug, Clone)]
pub struct OwnSettings {
    /// How it is reached.
    pub kind: OwnKind,
    /// How many of its episodes run at once. Default: 4.
    pub at_once: NonZeroU32,
    /// Its time limit for an episode. Default: 300 seconds.
    pub timeout: Duration,
    /// Texts to mask in everything that it writes, such as keys of its environment. Default: none.
    pub secrets: Vec<SecretString>,
}

/// How an agent with a loop of its own is reached.
#[derive(Debug, Clone)]
pub enum OwnKind {
    /// A program, which reads and writes one JSON object per line.
    Program {
        /// A command line for the system's shell.
        command: String,
        /// Whether a program is kept for further episodes; otherwise each starts its own.
        keep: bool,
    },
    /// A server, which answers each JSON object with another one.
    Server {
        /// Its address.
        url: String,
        /// Whether it may be reached unencrypted on another host.
        allow_http: bool,
    },
    /// A function in this process.
    Function(AgentFunction),
}

impl OwnSettings {
    /// An agent with the usual limits.
    pub fn new(kind: OwnKind) -> OwnSettings {
        const AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(3);
        OwnSettings { kind, at_once: AT_ONCE, timeout: Duration::from_secs(300), secrets: Vec::new() }
    }
}

impl AgentSettings {
    /// A model, from a judge's settings; `None` if these are not about a model behind an endpoint.
    pub fn of_judge(judge: JudgeSettings) -> Option<AgentSettings> {
        match judge.kind {
            super::JudgeKind::Model(model) => {
                Some(AgentSettings { name: judge.name, kind: AgentKind::Model(model) })
            }
            _ => None,
        }
    }

    /// An agent of your own, under a name.
    pub fn own(name: impl Into<String>, settings: OwnSettings) -> AgentSettings {
        AgentSettings { name: name.into(), kind: AgentKind::Own(Box::new(settings)) }
    }

    /// An agent whose replies are in a file.
    pub fn script(file: impl Into<PathBuf>) -> AgentSettings {
        let file = file.into();
        AgentSettings { name: format!("script:{}", file.display()), kind: AgentKind::Script(file) }
    }
}

impl DriveSettings {
    /// Drives `agents` through all cases once; nothing is written.
    pub fn new(source: DriveSource, agents: Vec<AgentSettings>) -> DriveSettings {
        DriveSettings {
            source,
            agents,
            agent_version: None,
            agent_files: Vec::new(),
            repeats: NonZeroU32::MIN,
            cases: Vec::new(),
            categories: Vec::new(),
            limit: None,
            system: None,
            max_steps: None,
            follows: Loop::default(),
            scorer: None,
            scoring: Object::new(),
            functions: OwnFunctions::default(),
            demanded: Vec::new(),
            grade: None,
            max_cost: None,
            store: StoreSettings::default(),
            output: OutputSettings::default(),
            turns: OutputSettings::default(),
            gold: false,
            junit: None,
            baseline: None,
            history: None,
            experiment: None,
            tags: BTreeMap::new(),
        }
    }

    /// Whether replies or episodes of the agents are kept: replies of models, and episodes of an agent that has a version.
    pub(in crate::run) fn is_kept(&self) -> bool {
        self.agents.iter().any(|agent| match agent.kind {
            AgentKind::Model(_) => true,
            AgentKind::Own(_) => self.has_version(),
            AgentKind::Script(_) => false,
        })
    }

    /// Whether the version of the agents is known.
    pub(in crate::run) fn has_version(&self) -> bool {
        self.agent_version.is_some() || !self.agent_files.is_empty()
    }
}

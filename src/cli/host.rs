//! The host of a command: a terminal, or a program such as the Python package, which passes tables in memory, receives what would
//! be printed, and may stop the work.

use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;

use super::annotation;
use super::observer::Console;
use super::printer::Printer;
use super::store_place::Addresses;
use crate::judge::Function;
use crate::run::settings::{
    AgentFunction, Collected, ComparedTable, InMemory, InputSettings, OutputSettings,
};
use crate::run::{Control, Observer, Pass, Stop};
use crate::score::OwnFunctions;

/// Something that a command says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A result.
    Data(String),
    /// Something good to know.
    Talk(String),
    /// Something that needs attention.
    Warning(String),
    /// Something that changes the course of the run.
    Event(String),
    /// Each request and the like.
    Detail(String),
}

/// Gives variables by their names.
pub type Variable = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Hears what is said, on any thread.
pub type Hear = dyn Fn(Said) + Send + Sync;

/// Whom a command works for: by default a terminal, which gives files and reads what is printed; or a program with tables in memory,
/// which hears the same.
#[derive(Clone, Default)]
pub struct Host {
    /// Take the place of the inputs that are named, unless there are none.
    pub tables: Vec<InMemory>,
    /// Judges that can be named, beside those of the command line.
    pub functions: Vec<Function>,
    /// Agents that can be named; they go before those of the command line.
    pub agents: Vec<AgentFunction>,
    /// Functions that cases and settings of scorers can name.
    pub own_functions: OwnFunctions,
    /// More judges and prices, in the form of the tables `judges` and `prices` of a settings file; they go before it.
    pub settings: toml::Table,
    /// Variables that go before those of the process's environment, such as keys.
    pub variable: Option<Variable>,
    /// Where the command's table goes instead of a file.
    pub collected: Option<Collected>,
    /// Stops the work.
    pub stop: Stop,
    /// Who is spoken to, if it is no terminal.
    pub listener: Option<Listener>,
    /// Addresses with passwords that stood among the arguments.
    pub addresses: Addresses,
}

/// A program that is spoken to in the place of a terminal.
#[derive(Clone)]
pub struct Listener {
    /// How much of what happens is heard: nothing (0), what changes the course of a run (1), each request too (2).
    pub verbose: u8,
    /// Hears it.
    pub hear: Arc<Hear>,
    /// Sees each pass over the rows.
    pub pass: Arc<dyn Fn(Pass) -> Box<dyn Send> + Send + Sync>,
}

/// What begins the name of a table of the host among the tables that are compared.
const IN_MEMORY: &str = "memory:";

impl Host {
    /// A variable of the host's or the process's environment, unless it is empty.
    pub fn variable(&self, name: &str) -> Option<String> {
        let value = self.untrimmed(name)?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    }

    /// The same with its spaces, which may belong to a password.
    pub fn untrimmed(&self, name: &str) -> Option<String> {
        let own = self.variable.as_ref().and_then(|variable| variable(name));
        own.or_else(|| process_variable(name)).filter(|value| !value.is_empty())
    }

    /// The values of the process's variables whose names say that they are secrets: a program that is started has them too.
    pub fn secrets(&self) -> Vec<SecretString> {
        process_secrets()
    }

    /// The judge of the host that goes by `name`, if there is one.
    pub fn function(&self, name: &str) -> Option<Function> {
        self.functions.iter().find(|function| function.name == name).cloned()
    }

    /// The agent of the host that goes by `name`, if there is one.
    pub fn agent(&self, name: &str) -> Option<AgentFunction> {
        self.agents.iter().find(|agent| agent.name == name).cloned()
    }

    /// `input`, its place taken by the host's tables if there are any.
    pub fn input(&self, input: InputSettings) -> InputSettings {
        match self.tables.is_empty() {
            true => input,
            false => InputSettings { inputs: Vec::new(), tables: self.tables.clone(), ..input },
        }
    }

    /// `output`, its place taken by the host's if there is one.
    pub fn output(&self, output: OutputSettings) -> OutputSettings {
        OutputSettings { collected: self.collected.clone().or(output.collected), ..output }
    }

    /// The tables to compare; those that are named as the host's are its own, in their order.
    pub fn compared(&self, tables: Vec<PathBuf>) -> Vec<ComparedTable> {
        let mut own = self.tables.iter().cloned();
        let table = |path: PathBuf| match path.to_str().and_then(|text| text.strip_prefix(IN_MEMORY)) {
            Some(name) => match own.next() {
                Some(table) => ComparedTable::Memory(name.to_owned(), table),
                None => ComparedTable::File(path),
            },
            None => ComparedTable::File(path),
        };
        tables.into_iter().map(table).collect()
    }

    /// How results and remarks reach it.
    pub fn printer(&self, quiet: bool) -> Printer<'_> {
        match &self.listener {
            Some(listener) => Printer::hearing(quiet, listener.hear.as_ref()),
            None => Printer::new(quiet, annotation::is_read(self)),
        }
    }

    /// How a job is watched and stopped.
    pub fn control(&self, quiet: bool) -> Control {
        let observer: Arc<dyn Observer> = match &self.listener {
            Some(listener) => Arc::new(listener.clone()),
            None => {
                Arc::new(Console { quiet, annotates: annotation::is_read(self), stop: self.stop.clone() })
            }
        };
        Control { stop: self.stop.clone(), observer }
    }
}

/// What the names of variables end in that hold secrets.
const SECRETS: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

fn process_secrets() -> Vec<SecretString> {
    let is_secret = |name: &str| SECRETS.iter().any(|end| name.to_uppercase().ends_with(end));
    let variables = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_secret));
    variables.filter_map(|(_, value)| value.into_string().ok()).map(SecretString::from).collect()
}

/// A variable of the process's environment.
#[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
pub fn process_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Passes on what a job says, from whatever thread.
impl Observer for Listener {
    fn note(&self, text: &str) {
        (self.hear)(Said::Talk(text.to_owned()));
    }

    fn warning(&self, text: &str) {
        (self.hear)(Said::Warning(text.to_owned()));
    }

    fn pass(&self, pass: Pass) -> Box<dyn Send> {
        (self.pass)(pass)
    }
}

//! The commands in a program that has no command line of its own, such as the Python package: it gives the words and the tables in
//! memory, hears what would be printed, and may stop the work.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ColorChoice;

use super::{Ending, Failure, command, log, quiet_decoders};
use crate::judge::Function;
use crate::run::settings::{
    Collected, ComparedTable, InMemory, InputSettings, OutputSettings, SettingsError,
};
use crate::run::{Control, Observer, Pass, RunError, Stop};

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

/// What a command is run with.
#[derive(Clone)]
pub struct Host {
    /// Take the place of the inputs that the words name, unless there are none.
    pub tables: Vec<InMemory>,
    /// Judges that the words may name, beside those of the command line.
    pub functions: Vec<Function>,
    /// Variables that go before those of the process's environment, such as keys.
    pub variable: Variable,
    /// Where the command's table goes instead of a file.
    pub collected: Option<Collected>,
    /// How much of what happens is heard: nothing (0), what changes the course of a run (1), each request too (2).
    pub verbose: u8,
    /// Stops the work.
    pub stop: Stop,
    /// Hears what is said, on any thread.
    pub hear: Arc<dyn Fn(Said) + Send + Sync>,
    /// Sees each pass over the rows.
    pub pass: Arc<dyn Fn(Pass) -> Box<dyn Send> + Send + Sync>,
}

/// How a command ended that could run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosted {
    /// All is done.
    Done,
    /// Done, but a gate failed, of which a warning tells.
    GateFailed,
    /// Stopped; what was paid for is kept.
    Interrupted,
}

/// Why a command could not run, in the words of the command line.
#[derive(Debug, Clone)]
pub struct HostError {
    /// What is to be mended.
    pub kind: ErrorKind,
    /// What is wrong and what to do.
    pub message: String,
}

/// What is to be mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A flag or the settings file.
    Settings,
    /// The rows.
    Input,
    /// The judge, its key or its address.
    Judge,
    /// The store of replies.
    Store,
    /// A place for a table or report.
    Output,
    /// None of these.
    Other,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// The host of this thread, if it works for one.
pub fn host() -> Option<Host> {
    HOST.with_borrow(Clone::clone)
}

/// Whether this thread works for a host.
pub fn is_hosted() -> bool {
    HOST.with_borrow(Option::is_some)
}

/// Gives `said` of a text to the host of this thread, if it works for one.
pub fn heard(said: fn(String) -> Said, text: &str) -> bool {
    HOST.with_borrow(|host| host.as_ref().map(|host| (host.hear)(said(text.to_owned()))).is_some())
}

/// A variable of the host's, if it has one of this name.
pub fn variable(name: &str) -> Option<String> {
    HOST.with_borrow(|host| host.as_ref().and_then(|host| (host.variable)(name)))
}

/// The judge of the host that goes by `name`, if there is one.
pub fn function(name: &str) -> Option<Function> {
    let host = host()?;
    host.functions.into_iter().find(|function| function.name == name)
}

/// The host's tables.
pub fn tables() -> Vec<InMemory> {
    host().map(|host| host.tables).unwrap_or_default()
}

/// `input`, its place taken by the host's tables if there are any.
pub fn input(input: InputSettings) -> InputSettings {
    let tables = tables();
    match tables.is_empty() {
        true => input,
        false => InputSettings { inputs: Vec::new(), tables, ..input },
    }
}

/// What begins the name of a table of the host among the tables that are compared.
const IN_MEMORY: &str = "memory:";

/// The tables to compare; those that are named as the host's are its own, in their order.
pub fn compared(tables: Vec<PathBuf>) -> Vec<ComparedTable> {
    let mut own = self::tables().into_iter();
    let table = |path: PathBuf| match path.to_str().and_then(|text| text.strip_prefix(IN_MEMORY)) {
        Some(name) => match own.next() {
            Some(table) => ComparedTable::Memory(name.to_owned(), table),
            None => ComparedTable::File(path),
        },
        None => ComparedTable::File(path),
    };
    tables.into_iter().map(table).collect()
}

/// `output`, its place taken by the host's if there is one.
pub fn output(output: OutputSettings) -> OutputSettings {
    let collected = host().and_then(|host| host.collected);
    OutputSettings { collected: collected.or(output.collected), ..output }
}

/// Runs the command of these `words`, the first of which is its name, on this thread.
///
/// # Errors
/// Where the command line would end with 2.
pub fn run(words: Vec<OsString>, host: Host) -> Result<Hosted, HostError> {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(quiet_decoders);
    let arguments: Vec<OsString> = std::iter::once("tooljudge".into()).chain(words).collect();
    let events = log::begin_for_host(host.verbose, Arc::clone(&host.hear));
    HOST.set(Some(host));
    let ended = command(&arguments, ColorChoice::Never);
    HOST.set(None);
    drop(events);
    match ended {
        Ok(Ending::Done) => Ok(Hosted::Done),
        Ok(Ending::GateFailed) => Ok(Hosted::GateFailed),
        Ok(Ending::Interrupted) => Ok(Hosted::Interrupted),
        Err(Failure::Usage(error)) => Err(usage(&error)),
        Err(Failure::Run(error)) => Err(HostError { kind: kind(&error), message: format!("{error:#}") }),
    }
}

/// The sentence of an error about the words; how the command line is used is of no help here.
fn usage(error: &clap::Error) -> HostError {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or_else(|| text.find("\n\nFor more information")).unwrap_or(text.len());
    HostError { kind: ErrorKind::Settings, message: text[..end].trim_end().to_owned() }
}

fn kind(error: &anyhow::Error) -> ErrorKind {
    match error.downcast_ref::<RunError>() {
        Some(error) => kind_of(error),
        None => match error.downcast_ref::<SettingsError>() {
            Some(error) => kind_of_settings(error),
            None => ErrorKind::Settings,
        },
    }
}

fn kind_of(error: &RunError) -> ErrorKind {
    match error {
        RunError::Settings(error) => kind_of_settings(error),
        RunError::Read(_)
        | RunError::Table(_)
        | RunError::Columns(_)
        | RunError::StrangeLabel { .. }
        | RunError::Bench(_)
        | RunError::Audit(_)
        | RunError::Gold(_)
        | RunError::Score(_)
        | RunError::Drive(_)
        | RunError::Compare(_)
        | RunError::Suite(_)
        | RunError::Train(_) => ErrorKind::Input,
        RunError::Store(_) => ErrorKind::Store,
        RunError::Write(_) => ErrorKind::Output,
        RunError::Template(_) => ErrorKind::Settings,
        RunError::Judge { .. } => ErrorKind::Judge,
        RunError::Unfinished { why, .. } => kind_of(why),
        RunError::Interrupted | RunError::Worker(_) => ErrorKind::Other,
    }
}

fn kind_of_settings(error: &SettingsError) -> ErrorKind {
    match error {
        SettingsError::NoKey(_) | SettingsError::Exposed(_) | SettingsError::Judge(_) => ErrorKind::Judge,
        _ => ErrorKind::Settings,
    }
}

/// Passes on what a job says, from whatever thread.
struct Listening(Host);

impl Observer for Listening {
    fn note(&self, text: &str) {
        (self.0.hear)(Said::Talk(text.to_owned()));
    }

    fn warning(&self, text: &str) {
        (self.0.hear)(Said::Warning(text.to_owned()));
    }

    fn pass(&self, pass: Pass) -> Box<dyn Send> {
        (self.0.pass)(pass)
    }
}

impl Host {
    /// How a job is watched and stopped.
    pub fn control(self) -> Control {
        Control { stop: self.stop.clone(), observer: Arc::new(Listening(self)) }
    }
}

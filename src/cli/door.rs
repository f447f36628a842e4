//! Runs the commands for programs without a command line, such as the Python package: options in, tables and texts out.

use std::ffi::OsString;
use std::sync::Arc;

use clap::ColorChoice;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::config::Config;
use super::entry::without_text;
use super::given::{self, Given};
use super::host::Host;
use super::{Ending, Failure, NoRows, command, flags, log, quiet_decoders};
use crate::domain::did_you_mean;
use crate::run::settings::SettingsError;
use crate::run::{DriveError, RunError};
use crate::store::StoreError;
use crate::write::WriteError;

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
    pub kind: Fault,
    /// What is wrong and what to do.
    pub message: String,
}

/// What is to be mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
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

impl HostError {
    fn of_option(message: String) -> HostError {
        HostError { kind: Fault::Settings, message }
    }
}

/// Runs a command on this thread: `job` is its name (`suite from-log`), `options` are its flags by their keys, as in a settings file,
/// `inputs` what it is given beside them. What is `false` or an empty list is as if it were typed, and goes before a settings file.
///
/// # Errors
/// Where the command line would end with 2.
pub fn run(job: &str, options: &toml::Table, inputs: Vec<String>, host: &Host) -> Result<Hosted, HostError> {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(quiet_decoders);
    let (words, off) = words(job, options, inputs)?;
    let listener = host.listener.as_ref();
    let events =
        listener.and_then(|listener| log::begin_for_host(listener.verbose, Arc::clone(&listener.hear)));
    let ended = command(flags::whole(super::all_flags()), &words, off, ColorChoice::Never, host);
    drop(events);
    match ended {
        Ok(Ending::Done) => Ok(Hosted::Done),
        Ok(Ending::GateFailed) => Ok(Hosted::GateFailed),
        Ok(Ending::Interrupted) => Ok(Hosted::Interrupted),
        Err(Failure::Usage(error)) => Err(HostError::of_option(usage(&error))),
        Err(Failure::Run(error)) => Err(HostError { kind: kind(&error), message: format!("{error:#}") }),
    }
}

/// What a settings file with this text holds, as JSON has it.
///
/// # Errors
/// As for a command that reads it.
pub fn settings(text: &str) -> Result<String, String> {
    Config::parse(text)?;
    let settings = toml::from_str::<serde_json::Value>(text);
    settings.map(|settings| settings.to_string()).map_err(|error| without_text(error.message()))
}

/// The command as it would be typed, and what was turned off.
fn words(job: &str, options: &toml::Table, inputs: Vec<String>) -> Result<(Vec<OsString>, Given), HostError> {
    let all = super::all_flags();
    let mut commands = vec![&all];
    for name in job.split(' ') {
        let inner = commands[commands.len() - 1].find_subcommand(name);
        commands.push(inner.ok_or_else(|| HostError::of_option(format!("there is no command {job}")))?);
    }
    let mut words: Vec<OsString> = commands.iter().map(|command| command.get_name().into()).collect();
    let mut off = Given::default();
    for (key, value) in options {
        let arg = commands.iter().rev().flat_map(|command| command.get_arguments());
        let arg = { arg }.find(|arg| arg.get_long().is_some_and(|long| given::key(long) == *key));
        let arg = arg.ok_or_else(|| HostError::of_option(format!("{job} has no option `{key}`")))?;
        let typed = match value {
            // It is never typed with a value.
            toml::Value::Boolean(true) if given::is_switch(arg) => Ok(vec![flags::flag(key)]),
            toml::Value::Boolean(false) if given::is_switch(arg) => Ok(Vec::new()),
            value => flags::words(arg, value),
        };
        let typed = typed.map_err(|why| HostError::of_option(format!("{}: {why}", flags::flag(key))))?;
        if typed.is_empty() {
            off.turn_off(key);
        }
        words.extend(typed.into_iter().map(OsString::from));
    }
    words.push("--".into());
    words.extend(inputs.into_iter().map(OsString::from));
    Ok((words, off))
}

/// What is wrong with an option; how the command line is used is of no help here.
fn usage(error: &clap::Error) -> String {
    if let (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    {
        return match missing.iter().any(|missing| missing.starts_with("<INPUT>")) {
            true => "there is no input: give a table, or the path of a file".to_owned(),
            false => format!("missing: {}", missing.join(", ")),
        };
    }
    if let (
        Some(ContextValue::String(arg)),
        Some(ContextValue::String(value)),
        Some(ContextValue::Strings(known)),
    ) = (
        error.get(ContextKind::InvalidArg),
        error.get(ContextKind::InvalidValue),
        error.get(ContextKind::ValidValue),
    ) && !known.is_empty()
    {
        let flag = arg.split(' ').next().unwrap_or_default();
        let near = did_you_mean(value, known.iter().map(String::as_str));
        return format!("{flag}: `{value}` is not one of {}{near}", known.join(", "));
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let end = text.find("\n\nUsage:").or_else(|| text.find("\n\nFor more information")).unwrap_or(text.len());
    flags::plain(text[..end].trim_end())
}

fn kind(error: &anyhow::Error) -> Fault {
    match error.downcast_ref::<RunError>() {
        Some(error) => kind_of(error),
        None => match error.downcast_ref::<SettingsError>() {
            Some(error) => kind_of_settings(error),
            None if error.is::<StoreError>() => Fault::Store,
            None if error.is::<NoRows>() => Fault::Input,
            None => Fault::Settings,
        },
    }
}

fn kind_of(error: &RunError) -> Fault {
    match error {
        RunError::Settings(error) => kind_of_settings(error),
        RunError::Score(error) if error.is_of_settings() => Fault::Settings,
        RunError::Drive(DriveError::Scorer(_) | DriveError::NoEffect { .. }) => Fault::Settings,
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
        | RunError::Trend(_)
        | RunError::Merge(_)
        | RunError::Next(_)
        | RunError::Review(_)
        | RunError::Suite(_)
        | RunError::Train(_) => Fault::Input,
        RunError::Store(_) | RunError::Marks(_) => Fault::Store,
        // Another name mends it, not another place.
        RunError::Write(WriteError::Clash { .. }) => Fault::Settings,
        RunError::Write(_) => Fault::Output,
        RunError::Template(_) => Fault::Settings,
        RunError::Judge { .. } => Fault::Judge,
        RunError::Unfinished { why, .. } => kind_of(why),
        RunError::Interrupted | RunError::Worker(_) => Fault::Other,
    }
}

fn kind_of_settings(error: &SettingsError) -> Fault {
    match error {
        SettingsError::Judge(error) if error.is_of_cost_limit() => Fault::Settings,
        SettingsError::NoKey(_)
        | SettingsError::NoKeyAnd { .. }
        | SettingsError::Exposed(_)
        | SettingsError::Judge(_) => Fault::Judge,
        _ => Fault::Settings,
    }
}

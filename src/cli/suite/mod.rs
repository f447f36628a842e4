//! `suite`: makes suites for agents.

mod from_log;

use clap::{Args, Subcommand};

use super::Ending;
use super::host::Host;

/// Make test suites for agents.
#[derive(Debug, Args)]
pub struct SuiteArgs {
    #[command(subcommand)]
    command: SuiteCommand,
}

#[derive(Debug, Subcommand)]
enum SuiteCommand {
    FromLog(Box<from_log::FromLogArgs>),
}

pub fn run(args: SuiteArgs, host: &Host) -> anyhow::Result<Ending> {
    match args.command {
        SuiteCommand::FromLog(args) => from_log::run(*args, host),
    }
}

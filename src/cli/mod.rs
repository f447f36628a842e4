//! The command line: flags and environment in, exit codes out. Everything below gets validated settings.

mod audit;
mod bench;
mod compare;
mod config;
mod convert;
mod display;
mod gold;
mod input;
mod job;
mod judging;
mod label;
// Also for the fuzz targets, which see only what is public.
#[cfg(any(test, feature = "laws"))]
#[doc(hidden)]
pub mod laws;
mod observer;
mod pace;
mod printer;
mod resnap;
mod score;
mod section;
mod signals;
mod spreadsheet;
mod store;
mod templates;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use config::{Config, Environment};
use printer::Printer;

/// Tells which of an agent's logged tool calls were right.
#[derive(Debug, Parser)]
#[command(name = "tooljudge", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Label(Box<label::args::LabelArgs>),
    Convert(Box<convert::ConvertArgs>),
    Resnap(Box<resnap::ResnapArgs>),
    Score(Box<score::args::ScoreArgs>),
    Bench(Box<bench::args::BenchArgs>),
    Compare(Box<compare::CompareArgs>),
    Audit(Box<audit::args::AuditArgs>),
    Gold(Box<gold::args::GoldArgs>),
    Store(store::StoreArgs),
    Templates(templates::TemplatesArgs),
}

/// How a command ended. Errors are `2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Done,
    /// Done, but a gate failed.
    GateFailed,
    /// Stopped by the user; can be resumed.
    Interrupted,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> ExitCode {
        match ending {
            Ending::Done => ExitCode::SUCCESS,
            Ending::GateFailed => ExitCode::from(1),
            Ending::Interrupted => ExitCode::from(130),
        }
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    match command() {
        Ok(ending) => match printer::lost() {
            Some(error) => {
                let why = anyhow::anyhow!(
                    "cannot write the standard output: {error}; what is shown there is incomplete"
                );
                Printer::default().error(&why);
                ExitCode::from(2)
            }
            None => ending.into(),
        },
        Err(Failure::Usage(error)) => {
            // Help goes to stdout and is a success; a broken pipe there is nobody's fault.
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
        Err(Failure::Run(error)) => {
            Printer::default().error(&error);
            ExitCode::from(2)
        }
    }
}

enum Failure {
    Usage(clap::Error),
    Run(anyhow::Error),
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Failure {
        Failure::Usage(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Run(error)
    }
}

fn command() -> Result<Ending, Failure> {
    let environment: Environment = config::variable;
    Ok(match Cli::try_parse()?.command {
        Command::Label(args) => {
            let config = Config::read(args.judging.config.as_deref())?;
            label::run(*args, &config, environment)?
        }
        Command::Convert(args) => convert::run(*args)?,
        Command::Resnap(args) => {
            let config = Config::read(args.label.judging.config.as_deref())?;
            resnap::run(*args, &config, environment)?
        }
        Command::Score(args) => {
            let config = Config::read(args.config.as_deref())?;
            score::run(*args, &config)?
        }
        Command::Bench(args) => {
            let config = Config::read(args.judging.config.as_deref())?;
            bench::run(*args, &config, environment)?
        }
        Command::Compare(args) => compare::run(*args)?,
        Command::Audit(args) => {
            let config = Config::read(args.judging.config.as_deref())?;
            audit::run(*args, &config, environment)?
        }
        Command::Gold(args) => gold::run(*args)?,
        Command::Store(args) => store::run(&args)?,
        Command::Templates(args) => templates::run(args)?,
    })
}

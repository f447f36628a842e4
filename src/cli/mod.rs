//! The command line: flags and environment in, exit codes out. Everything below gets validated settings.

mod audit;
mod bench;
mod compare;
mod config;
mod convert;
mod defaults;
mod display;
mod gold;
mod input;
mod judging;
mod label;
// Also for the fuzz targets, which see only what is public.
#[cfg(any(test, feature = "laws"))]
#[doc(hidden)]
pub mod laws;
mod outputs;
mod pace;
mod printer;
mod resnap;
mod score;
mod signals;
mod spreadsheet;
mod store;
mod templates;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use defaults::Completed;
use judging::Purpose;
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

/// Keeps panics of the frame library quiet while it decodes a file: its reader makes an error of each.
fn quiet_decoders() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_theirs = panic.location().is_some_and(|location| location.file().contains("polars"));
        if !(is_theirs && crate::read::is_decoding()) {
            usual(panic);
        }
    }));
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    quiet_decoders();
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
    let flags = Cli::command();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let mut matches = flags.clone().try_get_matches_from(&arguments)?;
    let mut settings = None;
    if let Some((name @ ("label" | "resnap" | "score" | "bench" | "audit"), own)) = matches.subcommand() {
        let completed = defaults::complete(arguments, &flags, name, own)?;
        completed.say();
        let Completed { arguments, config, given, .. } = completed;
        matches = flags.try_get_matches_from(&arguments)?;
        settings = Some((config, given));
    }
    let cli = Cli::from_arg_matches(&matches)?;
    let (config, given) = settings.unwrap_or_default();
    Ok(match cli.command {
        Command::Label(args) => {
            let purpose = if args.dry_run.is_some() { Purpose::DryRun } else { Purpose::Label };
            label::run(&args, &config, &given, &purpose)?
        }
        Command::Convert(args) => convert::run(&args)?,
        Command::Resnap(args) => resnap::run(*args, &config, &given)?,
        Command::Score(args) => score::run(&args)?,
        Command::Bench(args) => bench::run(*args, &config, &given)?,
        Command::Compare(args) => compare::run(&args)?,
        Command::Audit(args) => audit::run(*args, &config, &given)?,
        Command::Gold(args) => gold::run(&args)?,
        Command::Store(args) => store::run(&args)?,
        Command::Templates(args) => templates::run(args)?,
    })
}

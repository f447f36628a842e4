//! The command line: flags and environment in, exit codes out. Everything below gets validated settings.

mod display;
mod label;
mod printer;
mod signals;
mod templates;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to stdout and is a success; a broken pipe there is nobody's fault.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome = match cli.command {
        Command::Label(args) => label::run(&args),
        Command::Templates(args) => templates::run(args),
    };
    match outcome {
        Ok(ending) => ending.into(),
        Err(error) => {
            Printer::default().error(&error);
            ExitCode::from(2)
        }
    }
}

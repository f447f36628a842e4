//! The command line: flags and environment in, exit codes out. The rooms below get validated settings.

mod annotation;
mod audit;
mod bench;
mod colour;
mod compare;
mod completions;
mod config;
mod convert;
mod display;
pub(crate) mod door;
mod drive;
mod effect;
mod entry;
mod eta;
mod failing;
mod flags;
mod given;
mod gold;
mod help;
pub(crate) mod host;
mod input;
mod job;
mod judging;
mod label;
#[cfg(any(test, feature = "laws"))]
pub(crate) mod laws;
mod layers;
mod log;
mod merge;
mod named;
mod next;
mod observer;
mod printer;
mod privacy;
mod progress_line;
mod resnap;
mod review;
mod score;
mod signals;
mod spreadsheet;
mod step_summary;
mod store;
mod store_place;
mod suite;
mod templates;
mod train;
mod trend;
mod width;
mod without_label;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgAction, ArgMatches, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use config::Config;
use given::Given;
use host::Host;
use layers::{Layered, Origins, Section};
use printer::Printer;

/// Tells which of an agent's logged tool calls were right.
#[derive(Debug, Parser)]
#[command(name = "tooljudge", version = VERSION, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Color messages and help: auto (in a terminal, unless NO_COLOR is set), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    #[arg(hide_possible_values = true, help_heading = "Terminal")]
    color: ColorChoice,

    /// Report on stderr what changes the course of a run; -vv reports each request
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Terminal")]
    verbose: u8,

    /// Append a report of each request, wait and retry to this file; it holds no keys, and of rows only what the agents of `drive` say, call and are told
    #[arg(long, global = true, value_name = "FILE", help_heading = "Terminal")]
    log_file: Option<PathBuf>,
}

/// The version, and the commit and its date where it was built from a repository.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("TOOLJUDGE_COMMIT"));

#[derive(Debug, Subcommand)]
enum Command {
    Label(Box<label::args::LabelArgs>),
    Convert(Box<convert::ConvertArgs>),
    Resnap(Box<resnap::ResnapArgs>),
    Score(Box<score::args::ScoreArgs>),
    Drive(Box<drive::args::DriveArgs>),
    Bench(Box<bench::args::BenchArgs>),
    Next(Box<next::NextArgs>),
    Review(Box<review::ReviewArgs>),
    Merge(Box<merge::MergeArgs>),
    Compare(Box<compare::CompareArgs>),
    Trend(Box<trend::args::TrendArgs>),
    Audit(Box<audit::args::AuditArgs>),
    Gold(Box<gold::args::GoldArgs>),
    Train(Box<train::args::TrainArgs>),
    Suite(suite::SuiteArgs),
    Store(store::StoreArgs),
    Templates(templates::TemplatesArgs),
    /// Show what is sent where, and what is kept
    #[command(long_about = privacy::text())]
    Privacy,
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
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

impl Ending {
    /// The end of a command whose gates gave these `failures`, which are shown.
    fn of_gates(failures: &[String], printer: Printer<'_>) -> Ending {
        failures.iter().for_each(|failure| printer.gate(failure));
        if failures.is_empty() { Ending::Done } else { Ending::GateFailed }
    }
}

/// That nothing of the input became a row of the output; what was printed says why.
#[derive(Debug, thiserror::Error)]
#[error("no {0}; the reasons are listed above")]
struct NoRows(&'static str);

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
    main_with(std::env::args_os().collect())
}

/// Runs the command of these `arguments`, the first of which is the program's name.
pub fn main_with(arguments: Vec<OsString>) -> ExitCode {
    quiet_decoders();
    let color = colour::chosen(&arguments);
    colour::set(color);
    let typed = given::switched(&all_flags(), &arguments, can_be_set);
    let host = Host::default();
    let asks_for_json = asks_for_json(typed.as_ref().map_or(&arguments, |(arguments, _)| arguments));
    let ended = typed
        .map_err(|why| clap::Error::raw(ErrorKind::InvalidValue, format!("{why}\n")).into())
        .and_then(|(arguments, off)| command(all_flags(), &arguments, off, color, &host));
    if let Err(failure) = &ended
        && asks_for_json
    {
        failure.print_json();
    }
    match ended {
        Ok(ending) => match printer::lost() {
            Some(error) => {
                let why = anyhow::anyhow!(
                    "cannot write the standard output: {error}; what is shown there is incomplete"
                );
                host.printer(false).error(&why);
                ExitCode::from(2)
            }
            None => ending.into(),
        },
        Err(Failure::Usage(error)) => {
            // Help goes to stdout and is a success; a broken pipe there is nobody's fault.
            if error.use_stderr() && annotation::is_read(&host) {
                let text = error.to_string();
                host.printer(false).notice(text.trim_end());
                // The first paragraph says why; help has none.
                if let Some(why) = text.split("\n\n").next().and_then(|first| first.strip_prefix("error: ")) {
                    host.printer(false).gate(&why.split_whitespace().collect::<Vec<_>>().join(" "));
                }
            } else {
                let _ = error.print();
            }
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
        Err(Failure::Run(error)) => {
            host.printer(false).error(&error);
            ExitCode::from(2)
        }
    }
}

/// Whether results are asked for as JSON, on a standard output that holds no rows.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let mut flags = arguments.iter().take_while(|argument| *argument != "--");
    let has = |names: &[&str]| arguments.iter().any(|argument| names.iter().any(|name| argument == name));
    flags.any(|argument| argument == "--json") && !has(&["-", "-o-", "-o=-", "--output=-"])
}

enum Failure {
    Usage(clap::Error),
    Run(anyhow::Error),
}

impl Failure {
    /// The error as the result that a program waits for on the standard output.
    fn print_json(&self) {
        let message = match self {
            Failure::Usage(error) if !error.use_stderr() => return,
            Failure::Usage(error) => error.to_string().trim_start_matches("error: ").trim_end().to_owned(),
            Failure::Run(error) => format!("{error:#}"),
        };
        Printer::default().data(&serde_json::json!({ "error": message, "exit_code": 2 }).to_string());
    }
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

/// All commands and their flags.
pub fn all_flags() -> clap::Command {
    help::add(Cli::command())
}

/// What the command of that name takes of a settings file, if it reads one.
fn section(command: &str) -> Option<Section> {
    Some(match command {
        "label" => label::args::SECTION,
        "resnap" => resnap::SECTION,
        "score" => score::args::SECTION,
        "drive" => drive::args::SECTION,
        "bench" => bench::args::SECTION,
        "audit" => audit::args::SECTION,
        "train" => train::args::SECTION,
        _ => return None,
    })
}

/// Runs a command with what was `typed`, completed by the settings file. Options without effect are refused, and an error over a flag
/// that the file sets names the place there.
fn with_file<A: Args + Clone>(
    typed: A,
    given: Given,
    config: &Config,
    section: Section,
    host: &Host,
    run: impl FnOnce(Layered<A>, &Config, &Host) -> anyhow::Result<Ending>,
) -> anyhow::Result<Ending> {
    let layered = Layered::new(typed, given, config, section)?;
    let origins = layered.origins.clone();
    effect::check(section.command, &origins, host)?;
    run(layered, config, host).map_err(|error| origins.placed(error))
}

/// The names of the command and its subcommand that `matches` holds: `suite from-log`.
fn called(matches: &ArgMatches) -> String {
    let Some((name, inner)) = matches.subcommand() else { return String::new() };
    format!("{name} {}", called(inner)).trim_end().to_owned()
}

/// Whether a settings file can set the flag of that `key` for the command of that name.
fn can_be_set(command: &str, key: &str) -> bool {
    let Some(section) = section(command) else { return false };
    // A file set where their tables and reports go once: commands that turn that off still work.
    let turned_off = matches!(command, "bench" | "audit") && ["output", "to", "report"].contains(&key);
    (turned_off || !section.except.contains(&key)) && (section.keys)().contains(key)
}

/// Runs the command of these `arguments`, which are read by `flags` and the first of which is the program's name; `off` is what was
/// turned off beside them.
fn command(
    flags: clap::Command,
    arguments: &[OsString],
    off: Given,
    color: ColorChoice,
    host: &Host,
) -> Result<Ending, Failure> {
    let (arguments, addresses) = store_place::hidden(arguments);
    let host = &Host { addresses, ..host.clone() };
    let matches = flags.clone().color(color).try_get_matches_from(arguments)?;
    let given = off.with(&flags, &matches);
    let cli = Cli::from_arg_matches(&matches)?;
    log::start(cli.verbose, cli.log_file.as_deref())?;
    let name = called(&matches);
    if section(&name).is_none() {
        effect::check(&name, &Origins::typed(given.clone()), host)?;
    }
    Ok(match cli.command {
        Command::Label(args) => {
            let config = Config::read(args.judging.config.as_deref(), host)?;
            with_file(*args, given, &config, label::args::SECTION, host, label::run)?
        }
        Command::Convert(args) => convert::run(*args, host)?,
        Command::Resnap(args) => {
            let config = Config::read(args.label.judging.config.as_deref(), host)?;
            with_file(*args, given, &config, resnap::SECTION, host, resnap::run)?
        }
        Command::Score(args) => {
            let config = Config::read(args.config.as_deref(), host)?;
            with_file(*args, given, &config, score::args::SECTION, host, score::run)?
        }
        Command::Drive(args) => {
            let config = Config::read(args.config.as_deref(), host)?;
            with_file(*args, given, &config, drive::args::SECTION, host, drive::run)?
        }
        Command::Bench(args) => {
            let config = Config::read(args.judging.config.as_deref(), host)?;
            with_file(*args, given, &config, bench::args::SECTION, host, bench::run)?
        }
        Command::Next(args) => next::run(*args, host)?,
        Command::Review(args) => review::run(*args, host)?,
        Command::Merge(args) => merge::run(*args, host)?,
        Command::Compare(args) => compare::run(*args, host)?,
        Command::Trend(args) => trend::run(*args, host)?,
        Command::Audit(args) => {
            let config = Config::read(args.judging.config.as_deref(), host)?;
            with_file(*args, given, &config, audit::args::SECTION, host, audit::run)?
        }
        Command::Gold(args) => gold::run(*args, host)?,
        Command::Train(args) => {
            let config = Config::read(args.config.as_deref(), host)?;
            with_file(*args, given, &config, train::args::SECTION, host, train::run)?
        }
        Command::Suite(args) => suite::run(args, host)?,
        Command::Store(args) => store::run(&args, host)?,
        Command::Templates(args) => templates::run(args, host)?,
        Command::Privacy => {
            host.printer(false).data(&privacy::text());
            Ending::Done
        }
        Command::Completions(args) => completions::completions(&args, flags),
        Command::Man(args) => completions::man(&args, flags)?,
    })
}

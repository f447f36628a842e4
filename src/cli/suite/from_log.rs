//! `suite from-log`: reviewed calls of a log in, regression cases out.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::cli::host::Host;
use crate::cli::input::InputArgs;
use crate::cli::printer::Printer;
use crate::cli::{Ending, NoRows, job};
use crate::report::{Column, Table, counted};
use crate::run::settings::{CaseMode, ExpectedParts, SuiteSettings};
use crate::run::{self, SuiteSummary};
use crate::write::is_stdout;

/// Turn reviewed calls of a log into regression cases.
///
/// Reads all inputs that `tooljudge label` reads, above all labeled tables. A row that is labeled correct becomes a case that expects
/// the same calls again. A row that is labeled incorrect becomes a case that expects the calls in its column `corrected_tool_calls`, or
/// without such a column forbids the wrong calls. Rows without a label are left out; where no column holds labels, all calls count as
/// right. The suite is JSON Lines, readable by its owner only.
#[derive(Debug, Args)]
pub struct FromLogArgs {
    /// Labelled tables, or logs: files, globs, folders; `-` is the standard input
    #[arg(required = true, value_name = "LOG")]
    pub inputs: Vec<String>,

    /// Write the suite to this file, which ends with .jsonl; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// What a case is: one turn, of which one reply is asked and nothing is executed (turn), or a whole conversation, in which recorded
    /// results answer the agent's calls (episode)
    #[arg(long, value_name = "MODE", default_value = "turn", help_heading = "Cases")]
    pub mode: ModeArg,

    /// What is expected of right calls: the tools (names), the tools and their arguments (arguments), or nothing but that wrong calls
    /// are not repeated (none)
    #[arg(long, value_name = "PARTS", default_value = "arguments", help_heading = "Cases")]
    pub expect: ExpectArg,

    /// The column that says whether the calls are right [default: gold where the row has one, else label]
    #[arg(long, value_name = "COLUMN", help_heading = "Cases")]
    pub label: Option<String>,

    /// Do not compare this argument, which differs from run to run: /sent_at, /filter/until. Can be repeated
    #[arg(long, value_name = "POINTER", help_heading = "Cases")]
    pub ignore: Vec<String>,

    /// Replace what this regular expression matches in messages, calls, results and ids by `[redacted 1]` and so on; a number by
    /// another number. Can be repeated
    #[arg(long, value_name = "REGEX", help_heading = "Cases")]
    pub redact: Vec<String>,

    #[command(flatten)]
    pub input: InputArgs,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long, help_heading = "Result")]
    pub force: bool,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Result")]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long, help_heading = "Result")]
    pub quiet: bool,
}

/// The choices of `--mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    Turn,
    Episode,
}

/// The choices of `--expect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExpectArg {
    Names,
    Arguments,
    None,
}

pub fn run(args: FromLogArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let json = args.json;
    if json && is_stdout(&args.output) {
        bail!("the suite and the summary cannot both go to the standard output; give a file with -o");
    }
    let settings = settings(args, host)?;
    job::run(host, printer, async |control| {
        show(&run::suite_from_log(settings, control).await?, json, printer)
    })
}

fn settings(args: FromLogArgs, host: &Host) -> anyhow::Result<SuiteSettings> {
    Ok(SuiteSettings {
        input: host.input(args.input.settings(args.inputs)?),
        output: Some(args.output),
        force: args.force,
        label: args.label,
        mode: match args.mode {
            ModeArg::Turn => CaseMode::Turn,
            ModeArg::Episode => CaseMode::Episode,
        },
        expect: match args.expect {
            ExpectArg::Names => ExpectedParts::Names,
            ExpectArg::Arguments => ExpectedParts::Arguments,
            ExpectArg::None => ExpectedParts::Nothing,
        },
        ignore: args.ignore,
        redact: args.redact,
    })
}

fn show(summary: &SuiteSummary, json: bool, printer: Printer<'_>) -> anyhow::Result<Ending> {
    let to_stdout = summary.output.as_deref().is_some_and(is_stdout);
    let shown = match json {
        true => format!("{:#}", summary.to_json(true)),
        false => text(summary, printer.width(to_stdout)),
    };
    if let [first, others @ ..] = &summary.labels[..] {
        let others: String = others.iter().map(|name| format!(", else `{name}`")).collect();
        printer.talk(&format!("labels: the column `{first}`{others}"));
    }
    match to_stdout {
        true => printer.talk(&shown),
        false if printer.quiet && !json => {}
        false => printer.data(&shown),
    }
    match &summary.output {
        Some(path) if !to_stdout => {
            printer.talk(&format!(
                "\nwritten  {} ({})",
                path.display(),
                counted(summary.suite.cases, "case")
            ));
        }
        Some(_) => {}
        None => return Err(NoRows("row became a case").into()),
    }
    Ok(Ending::Done)
}

/// What was read, made and left out.
fn text(summary: &SuiteSummary, width: usize) -> String {
    let suite = &summary.suite;
    let mut table = Table::new([Column::Words, Column::Figure]);
    table.add_row(["rows read".to_owned(), summary.rows.to_string()]);
    table.add_row(["cases".to_owned(), suite.cases.to_string()]);
    if suite.bans > 0 {
        table.add_row(["  that forbid wrong calls".to_owned(), suite.bans.to_string()]);
    }
    if suite.unvalidated > 0 {
        table.add_row(["  whose tools take any arguments".to_owned(), suite.unvalidated.to_string()]);
    }
    if suite.duplicates > 0 {
        table.add_row(["equal to a case above".to_owned(), suite.duplicates.to_string()]);
    }
    for (why, count) in &suite.left_out {
        table.add_row([format!("left out: {}", why.in_words()), count.count.to_string()]);
    }
    table.text(width)
}

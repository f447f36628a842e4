//! `review`: a server for reading and marking labels, and the export of its marks.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};

use super::host::Host;
use super::printer::Printer;
use super::{Ending, job};
use crate::report::counted;
use crate::run::settings::{OutputSettings, ReviewExportSettings, ReviewQueue, ReviewSettings};
use crate::run::{self, PairAgreement, ReviewExportSummary, ReviewerAgreement, RunError};
use crate::stats::Estimate;
use crate::write::is_stdout;

/// Look at labels and mark them in a browser; marks are kept in a file.
///
/// Serves the page of `label --report` on 127.0.0.1, and prints its address. Each mark is on the disk before the next row is shown. Marks
/// are kept by reviewer, and nobody overwrites another's: run the command once for each, with the same file of marks. Ctrl-C ends it;
/// the same command goes on from there. `tooljudge review export` writes the marks as a table of gold.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ReviewArgs {
    #[command(subcommand)]
    command: Option<ReviewCommand>,

    /// The labeled table: files and globs
    #[arg(required = true, value_name = "LABELED")]
    inputs: Vec<String>,

    /// The file of marks (SQLite) [default: beside the table, labeled.marks.sqlite for labeled.parquet]
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,

    /// Whose marks these are [default: the user's name]
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    /// The column that names rows [default: id, row_id or source_id]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,

    /// Show neither the judges' labels nor gold nor other reviewers' marks: what reviewers say by themselves
    #[arg(long)]
    blind: bool,

    /// Which rows the page asks for first: those on which the other reviewers disagree, then those on which judges do and nobody has
    /// said what is right. What you mark, or they come to agree on, leaves the queue. Not with --blind
    #[arg(long, value_name = "QUEUE")]
    queue: Option<Queue>,

    /// The port on 127.0.0.1; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// Print the address only; by default it is opened in a browser if the output is a terminal
    #[arg(long)]
    no_open: bool,

    /// Print only the address, warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Queue {
    Disagreement,
}

#[derive(Debug, Subcommand)]
enum ReviewCommand {
    /// Write the marked rows with their gold: who, when, why
    Export(ExportArgs),
}

/// Rows on which reviewers disagree are written without gold, unless an adjudicator decides; how far they agree is printed as Cohen's kappa
/// and Krippendorff's alpha. Rows that were drawn at random and not marked are written too, because the
/// share of right calls counts them.
#[derive(Debug, Args)]
struct ExportArgs {
    /// The labeled table: files and globs
    #[arg(required = true, value_name = "LABELED")]
    inputs: Vec<String>,

    /// The file of marks [default: beside the table, labeled.marks.sqlite for labeled.parquet]
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,

    /// Write the rows to this file; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The column that names rows [default: id, row_id or source_id]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,

    /// The reviewer whose labels stand where they are given, whatever others say: who decides where others disagree
    #[arg(long, value_name = "NAME")]
    adjudicator: Option<String>,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long)]
    force: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

/// Names of rows that a message lists.
const LISTED: usize = 10;

pub fn run(args: ReviewArgs, host: &Host) -> anyhow::Result<Ending> {
    match args.command {
        Some(ReviewCommand::Export(args)) => export(args, host),
        None => serve(args, host),
    }
}

fn serve(args: ReviewArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let user = || host.variable("USER").or_else(|| host.variable("USERNAME"));
    let settings = ReviewSettings {
        inputs: args.inputs,
        marks: args.marks,
        // Without a name, all would be one, and change each other's marks.
        reviewer: { args.reviewer.or_else(user) }.context(
            "nobody is named as the reviewer, and the environment has no USER: add --reviewer NAME",
        )?,
        port: args.port,
        id: args.id,
        blind: args.blind,
        queue: args.queue.map(|Queue::Disagreement| ReviewQueue::Disagreement),
    };
    let opens = !args.no_open && std::io::stdout().is_terminal();
    job::run(host, printer, async |control| {
        let reviewer = settings.reviewer.clone();
        let server = run::review(settings, control).await?;
        printer.data(&server.address());
        printer.talk(&format!(
            "{reviewer}'s marks are kept in {}. Ctrl-C ends the server; run the same command again to resume",
            server.marks().display()
        ));
        if opens {
            open(&server.address_for_once());
        }
        server.serve().await?;
        Ok(Ending::Done)
    })
}

/// Opens an address in the user's browser, if there is one. Where it fails, the printed address is there.
fn open(address: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    };
    let started =
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Ok(mut browser) = started {
        std::thread::spawn(move || browser.wait());
    }
}

fn export(args: ExportArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let control = host.control(args.quiet);
    let is_adjudicated = args.adjudicator.is_some();
    let settings = ReviewExportSettings {
        inputs: args.inputs,
        marks: args.marks,
        id: args.id,
        adjudicator: args.adjudicator,
        output: OutputSettings { path: Some(args.output), force: args.force, ..OutputSettings::default() },
    };
    let exported = run::review_export(&settings, &control).map_err(RunError::into).map(|summary| {
        if args.json && !is_stdout(&summary.output) {
            printer.data(&format!("{:#}", summary.to_json()));
        } else {
            told(&summary, is_adjudicated, printer);
        }
        Ending::Done
    });
    job::ended(exported, printer)
}

/// What was written, in sentences.
fn told(summary: &ReviewExportSummary, is_adjudicated: bool, printer: Printer<'_>) {
    let ReviewExportSummary {
        rows,
        marked,
        kept,
        disagreements,
        corrected,
        disputed_corrections,
        unused_corrections,
        unmarked,
        strange,
        reviewers,
        agreement,
        adjudicated,
        overruled,
        golds,
        output,
    } = summary;
    let by = if reviewers.is_empty() { String::new() } else { format!(", by {}", reviewers.join(", ")) };
    printer.talk(&format!("{} with gold{by}", counted(*marked, "row")));
    if *kept > 0 {
        let keep = if *kept == 1 { "keeps" } else { "keep" };
        printer.talk(&format!(
            "{} more {keep} the gold of the list, because no reviewer gave another",
            counted(*kept, "row")
        ));
    }
    if *corrected > 0 {
        printer.talk(&format!("{} with a corrected call", counted(*corrected, "row")));
    }
    if *unmarked > 0 {
        let are = if *unmarked == 1 { "was drawn and is" } else { "were drawn and are" };
        printer.talk(&format!("{} {are} not marked yet: written without gold", counted(*unmarked, "row")));
    }
    for column in agreement {
        agreed(column, *golds > 1, printer);
    }
    if *adjudicated > 0 {
        printer.talk(&format!("the adjudicator decided {}", counted(*adjudicated, "disagreement")));
    } else if is_adjudicated && !disagreements.is_empty() {
        printer.warn("the adjudicator decided no disagreement: no label of theirs is on such a row");
    }
    if *overruled > 0 {
        let rows = counted(*overruled, "row");
        printer.warn(&format!("on {rows} the reviewers agree and the adjudicator says otherwise: the adjudicator's label is written"));
    }
    for [first, second] in twins(reviewers) {
        printer.warn(&format!("`{first}` and `{second}` count as two reviewers"));
    }
    if !disagreements.is_empty() {
        let (count, named) = (counted(disagreements.len() as u64, "row"), listed(disagreements));
        printer.warn(&format!("reviewers disagree on {count}, written without gold: {named}"));
    }
    if !disputed_corrections.is_empty() {
        let (count, named) =
            (counted(disputed_corrections.len() as u64, "row"), listed(disputed_corrections));
        printer.warn(&format!(
            "{count} written without a corrected call, because reviewers disagree on it: {named}"
        ));
    }
    if *unused_corrections > 0 {
        let rows = counted(*unused_corrections, "row");
        printer.warn(&format!(
            "the corrected calls of {rows} are left out: by the marks, the agent's own calls are right there"
        ));
    }
    if *strange > 0 {
        let are = if *strange == 1 {
            "row that this table does not have"
        } else {
            "rows that this table does not have"
        };
        printer.warn(&format!("the marks on {strange} {are} are left out"));
    }
    if !is_stdout(output) {
        printer.talk(&format!("written  {} ({})", output.display(), counted(*rows, "row")));
    }
}

/// The names of rows, the first of them.
fn listed(rows: &[String]) -> String {
    let named = rows.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = rows.len().saturating_sub(LISTED);
    if more > 0 { format!("{named} and {more} more") } else { named }
}

/// Names that people would take for one.
fn twins(reviewers: &[String]) -> Vec<[&str; 2]> {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let later = |at: usize| reviewers[at + 1..].iter();
    let pairs = reviewers.iter().enumerate().flat_map(|(at, first)| {
        later(at)
            .filter(|second| plain(first) == plain(second))
            .map(|second| [first.as_str(), second.as_str()])
    });
    pairs.collect()
}

/// How far reviewers agree on a column of gold, which is named if it is one of several.
fn agreed(column: &ReviewerAgreement, is_named: bool, printer: Printer<'_>) {
    let ReviewerAgreement { column, rows, agreed, alpha, pairs } = column;
    let named = if is_named { format!("{column}: ") } else { String::new() };
    let figure = |name: &str, figure: &Option<Estimate>| match figure {
        Some(figure) => {
            format!("; {name} {:.2} (95 % interval {:.2} to {:.2})", figure.value, figure.low, figure.high)
        }
        None => format!("; no {name}, because all labels are the same"),
    };
    for PairAgreement { reviewers: [first, second], rows, agreed, kappa } in pairs {
        let kappa = figure("Cohen's kappa", kappa);
        printer.talk(&format!(
            "{named}{first} and {second} agree on {agreed} of {}{kappa}",
            counted(*rows, "row")
        ));
    }
    if pairs.len() > 1 {
        let alpha = figure("Krippendorff's alpha", alpha);
        printer.talk(&format!("{named}all reviewers agree on {agreed} of {}{alpha}", counted(*rows, "row")));
    }
}

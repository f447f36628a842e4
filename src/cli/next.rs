//! `next`: a labelled table or a log in, rows to mark out.

use std::path::PathBuf;

use clap::Args;

use super::config::Config;
use super::host::Host;
use super::printer::Printer;
use super::{Ending, job};
use crate::report::counted;
use crate::run::settings::{NextSettings, OutputSettings, QueueSettings};
use crate::run::{self, NextSummary};
use crate::write::is_stdout;

/// Pick the rows to mark next, so that few marks say how many calls are right.
///
/// Reads a table that `tooljudge label` wrote, or a log as `label` will read it, and writes some of its rows, without the labels, with an
/// empty column `gold`. Write `correct`
/// or `incorrect` into it, and `tooljudge label LOG --errata todo.csv` says how many calls of the whole log are right, with an interval.
/// Rows that are drawn (random, stratified, active) carry the probability with which they were, and that estimate uses it. Rows that are
/// chosen (unsure, disagreement) find mistakes and train a judge, and are left out of it.
#[derive(Debug, Args)]
pub struct NextArgs {
    /// The labeled table, or a log: files and globs
    #[arg(required = true, value_name = "FILE")]
    pub inputs: Vec<String>,

    /// Write the rows to this file; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// How many rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub rows: usize,

    /// How they are picked: random, stratified:COLUMN (some for each value), active (at random, the less sure more often), unsure
    /// (the least sure first), disagreement (where judges differ)
    #[arg(long, value_name = "QUEUE", default_value = "random", value_parser = queue)]
    pub queue: QueueSettings,

    /// A table of the marks so far, in a column `gold` with the rows' ids. Can be repeated: give the lists of all rounds
    #[arg(long, value_name = "FILE")]
    pub gold: Vec<String>,

    /// The column that names rows [default: id, row_id or source_id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// The same seed picks the same rows
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Overwrite an output file that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `random`, `stratified:COLUMN` and so on.
fn queue(text: &str) -> Result<QueueSettings, String> {
    match text.split_once(':') {
        Some(("stratified", column)) if !column.is_empty() => {
            Ok(QueueSettings::Stratified(column.to_owned()))
        }
        None if text == "random" => Ok(QueueSettings::Random),
        None if text == "unsure" => Ok(QueueSettings::Unsure),
        None if text == "disagreement" => Ok(QueueSettings::Disagreement),
        None if text == "active" => Ok(QueueSettings::Active),
        _ => Err("expected random, stratified:COLUMN, active, unsure or disagreement".to_owned()),
    }
}

pub fn run(args: NextArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let settings = NextSettings {
        inputs: if host.tables.is_empty() { args.inputs } else { Vec::new() },
        tables: host.tables.clone(),
        gold: args.gold,
        rows: args.rows,
        queue: args.queue,
        seed: args.seed,
        id: args.id,
        output: host.output(OutputSettings {
            path: args.output,
            force: args.force,
            ..OutputSettings::default()
        }),
    };
    let shown = run::next(&settings).map_err(anyhow::Error::from).map(|summary| {
        let is_taken = is_stdout(&summary.output);
        if args.json && !is_taken {
            printer.data(&format!("{:#}", summary.to_json()));
        } else {
            if summary.is_unlabelled {
                warn_of_settings(host, printer);
            }
            told(&summary, settings.rows).iter().for_each(|line| printer.talk(line));
            if !is_taken {
                let (rows, output) = (counted(summary.rows, "row"), summary.output.display());
                printer.talk(&format!(
                    "written  {output} ({rows}); marks go into the column `{}`",
                    summary.gold
                ));
            }
        }
        Ending::Done
    });
    job::ended(shown, printer)
}

/// Warns if a settings file has `label` read other rows of the same input.
fn warn_of_settings(host: &Host, printer: Printer<'_>) {
    const OF_ROWS: [&str; 10] = [
        "from",
        "column",
        "tools",
        "where",
        "limit",
        "sample",
        "null_call",
        "include_server_tools",
        "agents",
        "turns",
    ];
    // `label` will say what is wrong with it.
    let config = Config::read(None, host).unwrap_or_default();
    let set: Vec<String> = { config.entries("label").iter() }
        .filter(|entry| OF_ROWS.contains(&entry.key.as_str()))
        .map(|entry| format!("`{}` (line {})", entry.key, entry.line))
        .collect();
    if !set.is_empty() {
        printer.warn(&format!(
            "{}: `next` does not use what [label] says of rows, {}: label the input first, and draw from the labeled table",
            config.path.display(),
            set.join(", ")
        ));
    }
}

/// What was picked, in sentences.
fn told(summary: &NextSummary, wanted: usize) -> Vec<String> {
    let NextSummary { queue, round, rows, of, marked, .. } = summary;
    let rows = counted(*rows, "row");
    let mut lines = vec![match round {
        Some(round) => format!("{rows} of {of} drawn (queue {queue}, round {round})"),
        None => format!(
            "{rows} of {of} chosen (queue {queue}): their marks are left out of the share of right calls"
        ),
    }];
    if *marked > 0 {
        let are = if *marked == 1 { "is" } else { "are" };
        lines.push(format!("{marked} of them {are} marked already; their marks are in the list"));
    }
    if summary.rows < wanted as u64 {
        lines.push(format!("no more than {rows} can be picked"));
    }
    lines
}

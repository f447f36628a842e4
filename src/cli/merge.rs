//! `merge`: the parts that `label --shard` wrote in, the table of the whole run out.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::host::Host;
use super::{Ending, job};
use crate::domain::Status;
use crate::report::counted;
use crate::run::settings::{MergeSettings, OutputSettings};
use crate::run::{self, MergeSummary};
use crate::write::is_stdout;

/// Join the tables of all shards of a run of `label`.
///
/// Reads the tables that `tooljudge label --shard 0/16` to `--shard 15/16` wrote, with the record (.run.json) beside each, and writes the
/// table that a single run would have written: all rows, in the order of the input. A shard that is missing, given twice, changed since, or
/// of a run with other input or options is an error, and nothing is written.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The tables of all shards: files and globs, in any order
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<String>,

    /// Write the table to this file, in the format of the parts; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Exit with code 0 if no part has a row, or no row has a label; by default, that is code 1
    #[arg(long)]
    pub allow_empty: bool,

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

pub fn run(args: MergeArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let control = host.control(args.quiet);
    let output = OutputSettings { path: Some(args.output), force: args.force, ..OutputSettings::default() };
    let merged = run::merge(MergeSettings { parts: args.parts, output }, &*control.observer);
    let shown = merged.map_err(anyhow::Error::from).map(|merged| {
        let MergeSummary { output, parts, written, statuses, .. } = &merged;
        let is_taken = is_stdout(output);
        if args.json && !is_taken {
            let parts: Vec<String> = parts.iter().map(|part| part.display().to_string()).collect();
            let output = output.display().to_string();
            printer.data(&format!(
                "{:#}",
                json!({ "output": output, "rows": written.rows, "statuses": statuses, "parts": parts })
            ));
        } else if !is_taken {
            let (rows, parts) = (counted(written.rows, "row"), counted(parts.len() as u64, "part"));
            printer.talk(&format!("written  {} ({rows} of {parts})", output.display()));
        }
        let missing: Vec<String> =
            merged.missing().map(|(status, rows)| format!("{rows} {status}")).collect();
        if !missing.is_empty() {
            printer.warn(&format!("labels are missing: {}", missing.join(", ")));
        }
        if written.rows > 0 && statuses.get(Status::Judged.as_str()).is_none_or(|rows| *rows == 0) {
            let none = format!("none of {} has a label", counted(written.rows, "row"));
            if !args.allow_empty {
                printer.gate(&format!("{none}; --allow-empty accepts that"));
                return Ending::GateFailed;
            }
            printer.warn(&none);
        }
        if written.rows == 0 && !args.allow_empty {
            printer.gate("no part has a row; --allow-empty accepts that");
            return Ending::GateFailed;
        }
        Ending::Done
    });
    job::ended(shown, printer)
}

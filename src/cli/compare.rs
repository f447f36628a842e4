//! `compare`: flags in; comparisons and exit code out.

use std::path::PathBuf;

use clap::Args;

use super::Ending;
use super::host::Host;
use crate::run::settings::{CompareSettings, Compared};
use crate::run::{self};
use crate::stats::Measure;

/// Test whether one judge or agent is better than another.
///
/// Reads labeled tables with a gold column, as `bench -o` or `label` writes them, or tables of episodes, as `drive -o` writes them, and
/// compares every judge or agent in them with the first one, or every two of them. Differences have cluster-aware 95 % confidence intervals and p-values, Holm-corrected if there are several. One is
/// called better only if the difference is statistically significant.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Labelled tables, or tables of episodes; all other judges or agents are compared with the first of the first table
    #[arg(required = true, value_name = "TABLE")]
    pub tables: Vec<PathBuf>,

    /// What is compared [default: agents if the first table holds episodes of `drive`, otherwise judges]
    #[arg(long, value_name = "WHAT", value_parser = by)]
    pub by: Option<Compared>,

    /// Compare every two judges or agents, and not only the others with the first; the p-values of all pairs are corrected together
    #[arg(long, conflicts_with = "gate")]
    pub all_pairs: bool,

    /// The column with the gold labels, in the first table [default: as for `bench`, by the task of the first judge]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column that identifies a row in all tables [default: id or row_id if all tables have it; otherwise question, call and
    /// definitions]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// The column with the cluster of each row: rows of one cluster are not independent [default: question_id, transcript_id or pair, if
    /// it exists]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The label that means right, if it is not `correct`
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,

    /// The measure that decides
    #[arg(long, value_name = "MEASURE", default_value = "accuracy", value_parser = measure)]
    pub measure: Measure,

    /// Also test non-inferiority: are the others worse by at most this much?
    #[arg(long, value_name = "SHARE", value_parser = margin)]
    pub margin: Option<f64>,

    /// Exit with code 1 unless all others are better than the first; with --margin, unless all are non-inferior
    #[arg(long)]
    pub gate: bool,

    /// Write a report: .md or .json. Can be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Overwrite files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Print only warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

pub fn run(args: CompareArgs, host: &Host) -> anyhow::Result<Ending> {
    let printer = host.printer(args.quiet);
    let (json, gate, margin) = (args.json, args.gate, args.margin);
    let found = run::compare(settings(args, host), &*host.control(printer.quiet).observer)?;
    if json {
        printer.data(&format!("{:#}", found.record));
    } else if !printer.quiet {
        printer.data(&found.to_text_within(printer.width_of_data()));
    }
    if gate {
        found.gaps().iter().for_each(|gap| printer.warn(gap));
    }
    let failure = (gate && !found.passes()).then(|| match margin {
        None => "--gate: not all others are shown to be better than the first".to_owned(),
        Some(margin) => {
            format!("--gate: not all others are shown to be worse than the first by at most {margin}")
        }
    });
    Ok(Ending::of_gates(&Vec::from_iter(failure), printer))
}

fn settings(args: CompareArgs, host: &Host) -> CompareSettings {
    CompareSettings {
        tables: host.compared(args.tables),
        all_pairs: args.all_pairs,
        by: args.by,
        gold: args.gold,
        id: args.id,
        cluster: args.cluster,
        positive: args.positive,
        measure: args.measure,
        margin: args.margin,
        reports: args.reports,
        force: args.force,
    }
}

fn by(text: &str) -> Result<Compared, String> {
    match text {
        "judge" => Ok(Compared::Judges),
        "agent" => Ok(Compared::Agents),
        _ => Err("use judge or agent".to_owned()),
    }
}

fn measure(text: &str) -> Result<Measure, String> {
    Measure::ALL
        .into_iter()
        .find(|measure| measure.as_str() == text)
        .ok_or_else(|| format!("use one of {}", Measure::ALL.map(Measure::as_str).join(", ")))
}

fn margin(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(margin) if margin > 0.0 && margin <= 1.0 => Ok(margin),
        _ => Err("expected a share above 0: being worse by nothing at all cannot be shown".to_owned()),
    }
}

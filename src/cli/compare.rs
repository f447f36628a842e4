//! `compare`: flags in; comparisons and exit code out.

use std::path::PathBuf;

use clap::Args;

use super::Ending;
use super::observer::Console;
use super::printer::Printer;
use crate::run::settings::CompareSettings;
use crate::run::{self, Stop};
use crate::stats::Measure;

/// Tell whether one judge is better than another, on the same rows.
///
/// Takes labelled tables with a column of gold, as `bench -o` or `label` write them: every judge found in them is held against the
/// first one. Differences come with 95 % intervals and p-values, Holm's where there are several; rows of one question are not taken
/// for independent. Nobody is called better on a difference that chance explains.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Labelled tables; the first judge of the first one is what the others are held against
    #[arg(required = true, value_name = "TABLE")]
    pub tables: Vec<PathBuf>,

    /// The column that says what the label should be, of the first table [default: as for `bench`, by the task of the first judge]
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,

    /// The column by which rows are found again in the other tables [default: id or row_id where all tables have it; else question, call
    /// and definitions]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// Rows with the same value of this column belong together [default: question_id, if there is one]
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,

    /// The label that means right, where it is not `correct`
    #[arg(long, value_name = "LABEL")]
    pub positive: Option<String>,

    /// The measure that decides
    #[arg(long, value_name = "MEASURE", default_value = "accuracy", value_parser = measure)]
    pub measure: Measure,

    /// Also say whether the others are worse by at most so much (non-inferiority)
    #[arg(long, value_name = "SHARE", value_parser = margin)]
    pub margin: Option<f64>,

    /// Exit with 1 unless all others are better than the first; with --margin, unless all are no worse by more
    #[arg(long)]
    pub gate: bool,

    /// Where a report goes: .md or .json; may be given several times
    #[arg(long = "report", value_name = "FILE")]
    pub reports: Vec<PathBuf>,

    /// Replace files that tooljudge did not write
    #[arg(long)]
    pub force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Say nothing but warnings and errors
    #[arg(short, long)]
    pub quiet: bool,
}

pub fn run(args: CompareArgs) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.quiet };
    let (json, gate) = (args.json, args.gate);
    let found = run::compare(settings(args), &Console { printer, stop: Stop::default() })?;
    if json {
        printer.data(&format!("{:#}", found.record));
    } else if !printer.quiet {
        printer.data(&found.to_text());
    }
    Ok(if gate && !found.passes() { Ending::GateFailed } else { Ending::Done })
}

fn settings(args: CompareArgs) -> CompareSettings {
    CompareSettings {
        tables: args.tables,
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

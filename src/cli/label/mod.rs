//! `label`: flags, settings file and environment in; summary and exit code out.

pub mod args;
pub mod dry_run;
mod ending;
mod page;
pub mod summary_table;

use args::{LabelArgs, ResultArgs};
use ending::Shown;

use super::config::Config;
use super::host::Host;
use super::judging::{Judging, panel};
use super::layers::Layered;
use super::printer::Printer;
use super::step_summary::{FAILURES, StepSummaryFile};
use super::{Ending, job};
use crate::run;
use crate::run::settings::{LabelSettings, OutputSettings, PanelSettings, ResnapSettings};
use crate::write::Formulas;

/// What a command does with rows: the settings of its job, and what is shown of the outcome.
struct Labelling<'a> {
    settings: LabelSettings,
    shown: Shown,
    /// Prompts that a dry run shows, if it is one.
    dry_run: Option<usize>,
    printer: Printer<'a>,
}

pub fn run(args: Layered<LabelArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Labelling { settings, shown, dry_run, printer } = merged(args, config, host, true)?;
    job::run(host, printer, async |control| {
        if let Some(prompts) = dry_run {
            dry_run::show(&run::forecast(settings, prompts, control)?, shown.json, printer);
            return Ok(Ending::Done);
        }
        let run = run::label(settings, control).await?;
        let ending = ending::conclude(&run, &shown, printer);
        run.unfinished.map_or(Ok(ending), |stopped| Err(stopped.into()))
    })
}

/// `resnap`: the same with the replies that there are.
pub fn resnap(
    args: Layered<LabelArgs>,
    read_rails: Vec<String>,
    config: &Config,
    host: &Host,
) -> anyhow::Result<Ending> {
    let Labelling { settings, shown, printer, .. } = merged(args, config, host, false)?;
    let settings = ResnapSettings { label: settings, read_rails };
    job::run(host, printer, async |control| {
        let run = run::resnap(settings, control).await?;
        Ok(ending::conclude(&run, &shown, printer))
    })
}

/// Flags, else the settings file, else the environment.
fn merged<'a>(
    args: Layered<LabelArgs>,
    config: &Config,
    host: &'a Host,
    asks: bool,
) -> anyhow::Result<Labelling<'a>> {
    let Layered { typed, mut args, origins } = args;
    config.say(&origins, host.printer(typed.result.quiet));
    let printer = host.printer(args.result.quiet);
    let judging = Judging {
        typed: &typed.judging,
        args: &args.judging,
        origins: &origins,
        config,
        host,
        tells_routes: asks,
        flag: "--judge",
    };
    // Either may stand in the settings file.
    if args.purse.is_some() && args.judging.limits.max_cost.is_none() {
        anyhow::bail!(
            "--purse shares a limit on cost, and there is none: give --max-cost, or leave the purse out"
        );
    }
    let step_summary = StepSummaryFile::of(host);
    let fold = fold(&args.result, args.spreadsheet.formulas());
    let settings = LabelSettings {
        panel: PanelSettings {
            purse: args.purse.clone(),
            variables: args.input.take_variables(),
            ..panel(&judging, if typed.purse.is_some() { &["--purse"] } else { &[] }, printer)?
        },
        output: host.output(OutputSettings {
            path: args.output,
            format: args.to,
            collected: None,
            formulas: args.spreadsheet.formulas(),
            force: args.result.force,
        }),
        prefix: args.result.prefix.unwrap_or_default(),
        overwrite: args.result.overwrite,
        keep: args.result.keep,
        drop: args.result.drop,
        by: args.result.by,
        partial: args.result.partial,
        calibration: args.result.calibration,
        errata: args.result.errata,
        id: args.result.id,
        junit: args.result.junit,
        report: args.result.report,
        fold,
        max_fail: args.result.max_fail.clone(),
        failures: if step_summary.is_some() || args.result.min_pass_rate.is_some() { FAILURES } else { 0 },
        rate: args.result.min_pass_rate.is_some(),
        input: host.input(args.input.settings(args.inputs)?),
        shard: args.shard,
    };
    let shown = Shown {
        command: if asks { "label" } else { "resnap" },
        json: args.result.json,
        allow_unjudged: args.result.allow_unjudged.unwrap_or_default(),
        max_abstained: args.result.max_abstained,
        min_pass_rate: args.result.min_pass_rate,
        gate_on: args.result.gate_on.unwrap_or_default(),
        max_fail: args.result.max_fail,
        may_be_empty: args.result.allow_empty,
        is_shard: args.shard.is_some_and(|shard| shard.count > 1),
        purse: args.purse,
        step_summary,
    };
    Ok(Labelling { settings, shown, dry_run: args.dry_run, printer })
}

/// What labels are folded by, and where the folds go.
fn fold(args: &ResultArgs, formulas: Formulas) -> Option<(Vec<String>, OutputSettings)> {
    let path = args.fold_output.clone()?;
    let output =
        OutputSettings { path: Some(path), formulas, force: args.force, ..OutputSettings::default() };
    (!args.fold.is_empty()).then(|| (args.fold.clone(), output))
}

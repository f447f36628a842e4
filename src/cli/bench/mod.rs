//! `bench`: flags, settings file and environment in; figures and exit code out.

pub mod args;
mod gates;

use std::path::Path;

use args::{BenchArgs, GateArgs};

use super::config::Config;
use super::host::Host;
use super::judging::{Judging, panel};
use super::label::dry_run;
use super::layers::Layered;
use super::printer::Printer;
use super::{Ending, job};
use crate::report;
use crate::run::settings::{BenchSettings, BfclSettings, OutputSettings, PanelSettings};
use crate::run::{self, BenchSummary, DoubtfulGold, Repeated};
use crate::write::is_stdout;

/// The settings of a benchmark, and what is shown of its outcome.
struct Benching<'a> {
    settings: BenchSettings,
    gates: GateArgs,
    json: bool,
    /// Prompts that a dry run shows, if it is one.
    dry_run: Option<usize>,
    printer: Printer<'a>,
}

pub fn run(args: Layered<BenchArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Benching { settings, gates, json, dry_run, printer } = settings(args, config, host)?;
    job::run(host, printer, async |control| {
        if let Some(prompts) = dry_run {
            dry_run::show(&run::bench_forecast(settings, prompts, control)?, json, printer);
            return Ok(Ending::Done);
        }
        let found = run::bench(settings, control).await?;
        show(&found, json, printer);
        Ok(Ending::of_gates(&gates::failures(&gates, &found.measured), printer))
    })
}

/// Flags, else the settings file, else the environment.
fn settings<'a>(args: Layered<BenchArgs>, config: &Config, host: &'a Host) -> anyhow::Result<Benching<'a>> {
    let Layered { typed, mut args, origins } = args;
    config.say(&origins, host.printer(typed.report.quiet));
    let printer = host.printer(args.report.quiet);
    let judging = Judging {
        typed: &typed.judging,
        args: &args.judging,
        origins: &origins,
        config,
        host,
        tells_routes: true,
        flag: "--judge",
    };
    let panel = panel(&judging, if typed.repeat.is_some() { &["--repeat"] } else { &[] }, printer)?;
    let panel = PanelSettings { variables: args.input.take_variables(), ..panel };
    let results = args.results;
    results.belong_to(args.bfcl.is_some())?;
    let bfcl = args.bfcl.map(|folder| BfclSettings {
        results: results.results,
        scores: results.scores,
        ..BfclSettings::new(folder)
    });
    let usual = BenchSettings::new::<String>([]);
    let settings = BenchSettings {
        input: host.input(args.input.settings(args.inputs)?),
        bfcl,
        panel,
        repeat: args.repeat.unwrap_or(usual.repeat),
        gold: args.gold.gold,
        cluster: args.gold.cluster,
        by: args.gold.by,
        id: args.gold.id,
        repeated: match args.gold.dedup {
            None => Repeated::All,
            Some(None) => Repeated::FirstOfCall,
            Some(Some(column)) => Repeated::FirstOf(column),
        },
        errata: args.gold.errata,
        baselines: !args.gold.no_baselines,
        output: host.output(OutputSettings {
            path: args.output,
            format: args.to,
            collected: None,
            formulas: args.spreadsheet.formulas(),
            force: args.report.force,
        }),
        prefix: args.report.prefix.unwrap_or_default(),
        overwrite: args.report.overwrite,
        reports: args.report.reports,
        cases: args.report.cases.unwrap_or(usual.cases),
        audit: args.report.audit,
        suspects: args.report.suspects.unwrap_or(usual.suspects),
    };
    Ok(Benching { settings, gates: args.gates, json: args.report.json, dry_run: args.dry_run, printer })
}

fn show(found: &BenchSummary, json: bool, printer: Printer<'_>) {
    let audit = found.audit.as_ref();
    let tables = found.output.iter().chain(audit.map(|audit| &audit.path));
    // Rows and figures on the standard output are not to be mixed with anything.
    let is_taken = tables.chain(&found.reports).any(|path| is_stdout(path));
    let show = |text: &str| if is_taken { printer.talk(text) } else { printer.data(text) };
    if json {
        show(&format!("{:#}", found.record));
    } else if !printer.quiet {
        show(&report::terminal(&found.counts, &found.measured, printer.width(is_taken)));
        printer.talk("");
        for path in found.output.iter().chain(&found.reports).filter(|path| !is_stdout(path)) {
            printer.talk(&written(path));
        }
    }
    if let Some(DoubtfulGold { path, written, doubtful }) = audit {
        printer.talk(&format!(
            "written  {}: {written} of {doubtful} rows whose gold is doubtful; delete those that you do not agree with, and pass the \
             rest to --errata",
            path.display(),
        ));
    }
}

fn written(path: &Path) -> String {
    format!("written  {}", path.display())
}

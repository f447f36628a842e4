//! `audit`: flags, settings file and environment in; findings and exit code out.

pub mod args;
mod gates;

use args::{AuditArgs, AuditGateArgs};

use super::config::Config;
use super::host::Host;
use super::judging::{Judging, panel};
use super::label::dry_run;
use super::layers::Layered;
use super::printer::Printer;
use super::{Ending, job};
use crate::report::audit_terminal;
use crate::run::settings::{AuditSettings, OutputSettings, PanelSettings};
use crate::run::{self, AuditSummary};
use crate::write::{is_stdout, is_stream};

/// The settings of an audit, and what is shown of its outcome.
struct Auditing<'a> {
    settings: AuditSettings,
    gates: AuditGateArgs,
    json: bool,
    /// Prompts that a dry run shows, if it is one.
    dry_run: Option<usize>,
    printer: Printer<'a>,
}

pub fn run(args: Layered<AuditArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Auditing { settings, gates, json, dry_run, printer } = settings(args, config, host)?;
    job::run(host, printer, async |control| {
        if let Some(prompts) = dry_run {
            dry_run::show(&run::audit_forecast(settings, prompts, control)?, json, printer);
            return Ok(Ending::Done);
        }
        let found = run::audit(settings, control).await?;
        show(&found, json, printer);
        Ok(Ending::of_gates(&gates::failures(&gates, &found.audited), printer))
    })
}

/// Flags, else the settings file, else the environment.
fn settings<'a>(args: Layered<AuditArgs>, config: &Config, host: &'a Host) -> anyhow::Result<Auditing<'a>> {
    let Layered { typed, mut args, origins } = args;
    config.say(&origins, host.printer(typed.result.quiet));
    let printer = host.printer(args.result.quiet);
    let judging = Judging {
        typed: &typed.judging,
        args: &args.judging,
        origins: &origins,
        config,
        host,
        tells_routes: true,
        flag: "--judge",
    };
    let panel = panel(&judging, if typed.again.is_some() { &["--again"] } else { &[] }, printer)?;
    let panel = PanelSettings { variables: args.input.take_variables(), ..panel };
    let usual = AuditSettings::new::<String>([]);
    let settings = AuditSettings {
        input: host.input(args.input.settings(args.inputs)?),
        panel,
        again: args.again.unwrap_or(usual.again),
        gold: args.rows.gold,
        cluster: args.rows.cluster,
        id: args.rows.id,
        output: host.output(OutputSettings {
            path: args.result.output,
            format: args.result.to,
            collected: None,
            formulas: args.spreadsheet.formulas(),
            force: args.result.force,
        }),
        reports: args.result.reports,
    };
    Ok(Auditing { settings, gates: args.gates, json: args.result.json, dry_run: args.dry_run, printer })
}

fn show(found: &AuditSummary, json: bool, printer: Printer<'_>) {
    // Rows and figures on the standard output are not to be mixed with anything.
    let is_taken = found.output.iter().chain(&found.reports).any(|path| is_stdout(path));
    let show = |text: &str| if is_taken { printer.talk(text) } else { printer.data(text) };
    let written = |path: &std::path::Path| printer.talk(&format!("written  {}", path.display()));
    if json {
        show(&format!("{:#}", found.record));
    } else if !printer.quiet {
        show(&audit_terminal(found.counts, &found.audited, printer.width(is_taken)));
        printer.talk("");
        found.reports.iter().filter(|path| !is_stdout(path)).for_each(|path| written(path));
    }
    if let Some(path) = found.output.as_ref().filter(|path| !is_stream(path)) {
        written(path);
    }
}

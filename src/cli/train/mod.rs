//! `train`: flags in; a model, a report and an exit code out.

pub mod args;
mod report;

use args::TrainArgs;

use super::config::Config;
use super::host::Host;
use super::layers::Layered;
use super::{Ending, job};
use crate::domain::Task;
use crate::run::settings::TrainSettings;
use crate::run::{self};

pub fn run(args: Layered<TrainArgs>, config: &Config, host: &Host) -> anyhow::Result<Ending> {
    let Layered { typed, args, origins } = args;
    config.say(&origins, host.printer(typed.result.quiet));
    let printer = host.printer(args.result.quiet);
    let json = args.result.json;
    let control = host.control(printer.quiet);
    let outcome = run::train(settings(args, host)?, &control).map_err(anyhow::Error::from);
    let shown = outcome.map(|found| {
        if json {
            printer.data(&format!("{:#}", found.record));
        } else if !printer.quiet {
            printer.data(&report::render(&found, printer.width_of_data()));
        }
        if let Some(path) = &found.output {
            printer.talk(&format!("\nwritten  {}", path.display()));
        }
        let refusal = found.kept.is_none().then(|| report::refusal(&found));
        Ending::of_gates(&refusal.into_iter().collect::<Vec<_>>(), printer)
    });
    job::ended(shown, printer)
}

fn settings(args: TrainArgs, host: &Host) -> anyhow::Result<TrainSettings> {
    let seed = args.input.seed.unwrap_or_default();
    Ok(TrainSettings {
        input: host.input(args.input.settings(args.inputs)?),
        task: args.task.unwrap_or(Task::ToolCalling),
        output: args.output.filter(|_| !args.dry_run),
        gold: args.rows.gold,
        cluster: args.rows.cluster,
        id: args.rows.id,
        weight: args.rows.weight,
        kinds: args.rows.kinds,
        errata: args.rows.errata,
        reviewed: args.rows.reviewed,
        review_weight: args.rows.review_weight.unwrap_or(TrainSettings::REVIEW_WEIGHT),
        seed,
        add: args.add,
        force: args.result.force,
    })
}

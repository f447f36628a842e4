//! `bench`: ask, label, hold against gold, report.

pub mod args;
mod audit;
mod errata;
mod figures_table;
mod gates;
mod plan;
mod reports;

use std::sync::Arc;

use anyhow::{Context, bail};
use args::BenchArgs;
use plan::Plan;
use rayon::prelude::*;

use super::config::Config;
use super::defaults::Given;
use super::display::Display;
use super::printer::Printer;
use super::{Ending, signals};
use crate::bench::{self, Counts, Entrant, Measured};
use crate::report::counted;
use crate::run::{self, BaselineLabeller, Covered, Gatherer, Labeller, Progress, RunError, Stop};
use crate::write::{self, Finished, WriteError};

pub fn run(args: BenchArgs, config: &Config, given: &Given) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    let stop = Stop::default();
    let benchmark = benchmark(Arc::new(args), config, given, &stop);
    let outcome = runtime.block_on(signals::until_told_twice(&stop, benchmark));
    runtime.shutdown_background();
    match outcome {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

/// A finished benchmark.
struct Outcome {
    rows: bench::Rows,
    counts: Counts,
    entrants: Vec<Entrant>,
    measured: Vec<Measured>,
    agreement: Vec<bench::Agreement>,
}

async fn benchmark(
    args: Arc<BenchArgs>,
    config: &Config,
    given: &Given,
    stop: &Stop,
) -> anyhow::Result<Ending> {
    let printer = Printer { quiet: args.report.quiet };
    let reports = reports::destinations(&args.report)?;
    let mut plan = plan::plan(&args, config, given, printer)?;
    signals::watch(stop, printer);
    let kept = "every reply that came is kept. Run the same command again to go on from there";
    let Plan { source, panel, manifest, .. } = &mut plan;
    let covered = match panel.ask(&args.judging.store, source, manifest, printer, stop).await {
        Ok(covered) => covered,
        Err(RunError::Interrupted) => {
            printer.talk(&format!("interrupted; {kept}"));
            return Ok(Ending::Interrupted);
        }
        Err(error @ RunError::Judge { .. }) => bail!("{error}\n{kept}"),
        Err(error) => return Err(error.into()),
    };
    let (plan, gathered) = match gather(&args, plan, covered.clone(), printer, stop).await {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Interrupted)) => {
            printer.talk(&format!("interrupted; {kept}"));
            return Ok(Ending::Interrupted);
        }
        gathered => gathered?,
    };
    remark(&gathered, &plan, printer)?;
    let worker = {
        let (args, stop) = (Arc::clone(&args), stop.clone());
        tokio::task::spawn_blocking(move || {
            let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
            let outcome = measure(&plan, gathered);
            reports::write(&args, &plan, &outcome, &covered, &reports, &stopped, printer)?;
            if let Some(output) = &plan.audit {
                audit::write(&args, &plan, &outcome, &covered, output, &stopped, printer)?;
            }
            anyhow::Ok(outcome.measured)
        })
    };
    let measured = match worker.await.context("the run broke down")? {
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Interrupted)) => {
            printer.talk(&format!("interrupted; {kept}"));
            return Ok(Ending::Interrupted);
        }
        written => written?,
    };
    let failures = gates::failures(&args.gates, &measured);
    failures.iter().for_each(|failure| printer.warn(failure));
    Ok(if failures.is_empty() { Ending::Done } else { Ending::GateFailed })
}

/// Everybody's labels for all rows.
async fn gather(
    args: &BenchArgs,
    plan: Plan,
    covered: Vec<Covered>,
    printer: Printer,
    stop: &Stop,
) -> anyhow::Result<(Plan, Gatherer)> {
    let mut labellers = labellers(args, &plan, &covered)?;
    let progress = Arc::new(Progress::default());
    let display =
        Display::start(printer, "judging", plan.source.table.rows(), Arc::clone(&progress), || None);
    let positives = plan.seats.iter().map(|seat| seat.positive.clone()).collect();
    let mut gatherer = Gatherer::new(plan.gold.clone(), positives);
    let stop = stop.clone();
    let worker = tokio::task::spawn_blocking(move || {
        let stopped = || stop.gently.is_cancelled() || stop.now.is_cancelled();
        let destination = plan.destination.as_ref();
        let written =
            run::write(&plan.source, &mut labellers, destination, &mut gatherer, &progress, &stopped);
        (plan, gatherer, written)
    });
    let (plan, gatherer, written) = worker.await.context("the run broke down")?;
    drop(display);
    let (mut summaries, written) = written?;
    for (entrant, places) in &plan.entrants {
        for place in places {
            summaries[*place].gold = Some(gatherer.agreement(*place, entrant.gold));
        }
    }
    record(&plan, &summaries[..plan.panel.members.len()], written).await?;
    Ok((plan, gatherer))
}

/// Whoever labels: the panel, then the baselines.
fn labellers(args: &BenchArgs, plan: &Plan, covered: &[Covered]) -> Result<Vec<Box<dyn Labeller>>, RunError> {
    let mut labellers = plan.panel.labellers(&args.judging.store, &plan.manifest.run, covered)?;
    let baselines = plan.seats.iter().filter_map(plan::SeatPlan::baseline);
    labellers.extend(baselines.map(|baseline| Box::new(BaselineLabeller(baseline)) as Box<dyn Labeller>));
    Ok(labellers)
}

/// Keeps the run's manifest in the store, and beside the labelled rows where they are written.
async fn record(plan: &Plan, summaries: &[run::Summary], written: Finished) -> anyhow::Result<()> {
    let path = plan.destination.as_ref().map(|destination| &destination.output.path);
    let output = path.map(|path| path.display().to_string());
    let finished_at = jiff::Timestamp::now().to_string();
    let manifest = plan.manifest.finished(&finished_at, output.as_deref(), summaries, written);
    if let Some(store) = &plan.panel.store {
        store.manifest(manifest.to_string(), true).await.map_err(RunError::from)?;
    }
    if let Some(path) = path.filter(|path| !write::is_stream(path)) {
        write::write_manifest(path, &manifest)?;
    }
    Ok(())
}

/// Says what is odd about the gold; an error where there is none.
fn remark(gathered: &Gatherer, plan: &Plan, printer: Printer) -> anyhow::Result<()> {
    let counts = &gathered.counts;
    let column = plan.gold.golds.first().map_or("gold", String::as_str);
    let strange = gathered.strange.as_ref().map(|strange| strange.message(&plan.gold.words));
    if counts.benched == 0 {
        match strange {
            Some(strange) => bail!("no row has a gold that is a label: {strange}"),
            None if counts.disputed_gold > 0 => {
                bail!("no row has a gold: all rows that --dedup takes for the same have opposite gold")
            }
            None if counts.read == 0 => {
                bail!("the input has no rows, or none that --where and --limit leave")
            }
            None => bail!(
                "no row has a gold: the column `{column}` is empty in all of {}",
                counted(counts.read, "row")
            ),
        }
    }
    if let Some(strange) = strange {
        printer.warn(&format!(
            "{} a gold that is no label, which counts as none: {strange}",
            if counts.strange_gold == 1 {
                "1 row has".to_owned()
            } else {
                format!("{} rows have", counts.strange_gold)
            }
        ));
    }
    if let Some(id) = gathered.ambiguous_erratum() {
        bail!(
            "--errata corrects the row `{id}`, but several rows have that name; name a column that tells them apart with --id"
        );
    }
    if counts.disputed_gold > 0 {
        printer.warn(&format!(
            "{} calls have rows of opposite gold, which then counts for neither; --audit without --dedup shows them",
            counts.disputed_gold
        ));
    }
    let unmet = gathered.unmet_errata();
    if unmet > 0 {
        printer.warn(&format!("{unmet} of the corrections of --errata are of rows that are not there"));
    }
    if counts.correct == 0 || counts.incorrect == 0 {
        printer.warn("all rows have the same gold: only the share that is recognised can be told");
    }
    Ok(())
}

fn measure(plan: &Plan, gathered: Gatherer) -> Outcome {
    let Gatherer { rows, ballots, counts, .. } = gathered;
    let mut ballots: Vec<Option<bench::Ballots>> = ballots.into_iter().map(Some).collect();
    let entrants: Vec<Entrant> = plan
        .entrants
        .iter()
        .map(|(entrant, places)| Entrant {
            repeats: places.iter().filter_map(|place| ballots.get_mut(*place)?.take()).collect(),
            ..entrant.clone()
        })
        .collect();
    let measured = entrants.par_iter().map(|entrant| bench::measure(&rows, entrant)).collect();
    let agreement = bench::agreement(&rows, &entrants);
    Outcome { rows, counts, entrants, measured, agreement }
}

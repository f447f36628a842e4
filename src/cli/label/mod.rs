//! `label`: plan, ask, write, tell.

pub mod args;
mod calibration;
pub mod dry_run;
mod ending;
pub mod plan;
mod summary_table;
mod writing;

use std::sync::Arc;
use std::time::Instant;

use args::LabelArgs;
use plan::Plan;
use tokio_util::sync::CancellationToken;

use super::config::Config;
use super::defaults::Given;
use super::judging::Purpose;
use super::printer::Printer;
use super::{Ending, signals};
use crate::run::{self, Covered, RunError, Samples, Stop};
use crate::write::WriteError;

/// A run under way, whoever judges.
struct Labelling {
    printer: Printer,
    json: bool,
    /// The share of rows that may end without a label.
    allow_unjudged: f64,
    began: Instant,
    stop: Stop,
    plan: Plan,
}

pub fn run(args: &LabelArgs, config: &Config, given: &Given, purpose: &Purpose) -> anyhow::Result<Ending> {
    let runtime = run::runtime()?;
    let stop = Stop::default();
    let labelling = label(args, config, given, purpose, &stop);
    let outcome = runtime.block_on(signals::until_told_twice(&stop, labelling));
    // A second Ctrl-C does not wait for what a thread is still reading.
    runtime.shutdown_background();
    match outcome {
        // As with any filter: whoever reads our output has seen enough.
        Err(error) if matches!(error.downcast_ref(), Some(RunError::Write(WriteError::ReaderGone(_)))) => {
            Ok(Ending::Done)
        }
        outcome => outcome,
    }
}

async fn label(
    args: &LabelArgs,
    config: &Config,
    given: &Given,
    purpose: &Purpose,
    stop: &Stop,
) -> anyhow::Result<Ending> {
    let began = Instant::now();
    let printer = Printer { quiet: args.result.quiet };
    let plan = plan::plan(args, config, given, purpose, printer)?;
    if *purpose == Purpose::DryRun {
        let samples = vec![Arc::clone(&plan.source) as Arc<dyn Samples>; plan.panel.members.len()];
        return dry_run::run(&plan.panel, &samples, args.dry_run.unwrap_or(0), args.result.json, printer);
    }
    // Until here nothing was under way that a signal should end gently, however long an input or a dry run took.
    signals::watch(stop, printer);
    let mut labelling = Labelling {
        printer,
        json: args.result.json,
        allow_unjudged: args.result.allow_unjudged,
        began,
        stop: stop.clone(),
        plan,
    };
    let asked = match purpose {
        Purpose::DryRun | Purpose::Resnap { .. } => {
            Ok(vec![Covered::All; labelling.plan.panel.members.len()])
        }
        Purpose::Label => labelling.ask(args).await,
    };
    let stopped = match asked {
        Ok(covered) => return labelling.write(args, &covered).await,
        Err(error @ (RunError::Interrupted | RunError::Judge { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    // Where nothing came, there is nothing to go on from, and whatever is wrong with the judge will be wrong again.
    let in_vain = matches!(stopped, RunError::Judge { .. }) && !labelling.has_replies()?;
    let table = if args.result.partial {
        // The table is written after all, although the run was told to stop; a second Ctrl-C still ends it.
        labelling.stop.gently = CancellationToken::new();
        let covered = vec![Covered::All; labelling.plan.panel.members.len()];
        match labelling.write(args, &covered).await? {
            // A second Ctrl-C ended that too, which has been said.
            Ending::Interrupted => match stopped {
                RunError::Interrupted => return Ok(Ending::Interrupted),
                _ => "no table was written",
            },
            Ending::Done | Ending::GateFailed => "the partial table was written",
        }
    } else {
        "no table was written"
    };
    let kept = match in_vain {
        true => format!("no reply came and {table}"),
        false => format!(
            "every reply that came is kept and {table}. Run the same command again to go on from there"
        ),
    };
    match stopped {
        RunError::Interrupted => {
            printer.talk(&format!("interrupted; {kept}"));
            Ok(Ending::Interrupted)
        }
        error => Err(anyhow::anyhow!("{error}\n{kept}")),
    }
}

impl Labelling {
    /// Whether this run got any reply.
    fn has_replies(&self) -> Result<bool, RunError> {
        let Plan { panel, manifest, .. } = &self.plan;
        match &panel.store {
            Some(store) => Ok(store.reader()?.holds_replies_of(&manifest.run)?),
            None => Ok(false),
        }
    }

    async fn ask(&mut self, args: &LabelArgs) -> Result<Vec<Covered>, RunError> {
        let Plan { source, manifest, panel, .. } = &mut self.plan;
        panel.ask(&args.judging.store, source, manifest, self.printer, &self.stop).await
    }
}
